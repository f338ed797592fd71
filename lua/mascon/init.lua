---mascon: array kernels in C for Lua.
local core = require "mascon.core"

return core

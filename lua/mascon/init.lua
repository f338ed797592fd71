---mascon: array kernels in C for Lua.
local core = require "mascon.core"
require "mascon.progress"  -- kernels look for it where it is loaded,
require "mascon.hues"      -- and render for this
core.cdef = require "mascon.cdef"
core.image = require "mascon.imagefile"
core.npz = require "mascon.npz"
require "mascon.csrfile"
core.show = require "mascon.show"
for name, f in pairs(require "mascon.plot") do core[name] = f end
core.locs = require "mascon.locs"
core.help = require "mascon.help".help

return core

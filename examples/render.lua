-- render.lua - the tool 'mascon render', as a script: lua/mascon/tools/render.lua

local cli = dofile((arg[0]:match "^.*/" or "") .. "start.lua")
cli.script(require("mascon.tools.render").run)

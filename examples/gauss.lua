-- gauss.lua - the tool 'mascon gauss', as a script: lua/mascon/tools/gauss.lua

local cli = dofile((arg[0]:match "^.*/" or "") .. "start.lua")
cli.script(require("mascon.tools.gauss").run)

-- recommend.lua - the tool 'mascon recommend', as a script: lua/mascon/tools/recommend.lua

local cli = dofile((arg[0]:match "^.*/" or "") .. "start.lua")
cli.script(require("mascon.tools.recommend").run)

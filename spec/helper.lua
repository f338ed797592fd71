-- helper.lua - runs before the specs
--
-- MASCON_GC=hard: collect as often as the collector can be made to, so that
-- whatever is not anchored is gone at once.

if jit then require "spec.lua51" end

if os.getenv "MASCON_GC" == "hard" then
  if _VERSION == "Lua 5.4" then
    collectgarbage("incremental", 0, 1000, 0)
  else
    collectgarbage("setpause", 0)
    collectgarbage("setstepmul", 1000)
  end
end

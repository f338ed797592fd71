-- helper.lua - runs before the specs
--
-- MASCON_GC=hard: collect as often as the collector can be made to, so that
-- whatever is not anchored is gone at once.

if os.getenv "MASCON_GC" == "hard" then
  collectgarbage("incremental", 0, 1000, 0)
end

-- fuzz_recommend.lua - recommend against plain Lua, for as long as wanted
--
--   lua5.4 spec/fuzz_recommend.lua [seconds [first seed]]
--
-- Run it in the source tree with the environment of 'make -s env', and again
-- with each MASCON_CPU.  A failure is named by its seed, and is shown again by
-- starting with that.

package.path = "spec/?.lua;" .. package.path
local mascon = require "mascon"
local oracle = require "recommend_oracle"
local cases = require "recommend_cases"

local seconds, seed = tonumber(arg[1]) or 60, math.tointeger(arg[2]) or 1
local first, failed, till = seed, 0, mascon.clock() + seconds

local function describe(case)
  local names = {}
  for name in pairs(case.opts) do names[#names + 1] = name end
  table.sort(names)
  return ("%d x %s users, %d x %s items, rank %d, n %d, %s, %s; %s"):format(
    #case.users, case.utype, #case.items, case.itype, case.rank, case.n,
    case.way or "plain", case.deliver or "new", table.concat(names, " "))
end

while mascon.clock() < till and failed < 10 do
  math.randomseed(seed)
  local case = cases.random(({8, 20, 40, 80, 130})[seed % 5 + 1])
  local ok, what = pcall(oracle.try, case, 1, ({2, 3, 8})[seed % 3 + 1])
  if not ok or what then
    failed = failed + 1
    print(("seed %d: %s\n  %s"):format(seed, what, describe(case)))
  end
  seed = seed + 1
end
print(("%s: %d cases from seed %d on, %d failed"):format(mascon.info().cpu,
  seed - first, first, failed))
os.exit(failed == 0)

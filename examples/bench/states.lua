-- states.lua - two states on two threads, one shared matrix: does one slow the other?
--
--   make bench-states
--
-- Every case runs on one thread, then on two at once, each in a state of its own that does
-- as much. Scaling is 2 where both together take twice the processor's time of one; beside
-- it stands what an FMA loop, which shares nothing, reaches in the same round. Not time of
-- the clock, as others may be using the processor: what threads share costs both.
-- MASCON_FAST=1: a short run, to see that it works.

local mascon = require "mascon"

local fast = os.getenv "MASCON_FAST" == "1"
local REPEATS = fast and 1 or 11

-- f(n, m) does the work n times
local cases = {
  { "FMA loop", 1e7, function(n) (require "limits").fma(n, 1) end },
  { "light calls", 2e6, function(n, m)
    local quick, x, y = (require "pointer").quick, m:row(1):sub(1, 8), (require "mascon").zeros(8)
    for _ = 1, n do quick(y, x, 8) end
  end },
  { "m(i, j)", 2e6, function(n, m)
    for _ = 1, n do m(3, 4) end
  end },
  { "m:row(i)", 4e5, function(n, m)
    for _ = 1, n do m:row(3) end
  end },
  { "new 2 x 2", 3e5, function(n)
    local zeros = (require "mascon").zeros
    for _ = 1, n do zeros(2, 2) end
  end },
  { "new 100 x 100", 3e4, function(n)
    local zeros = (require "mascon").zeros
    for _ = 1, n do zeros(100, 100) end
  end },
  { "topn, serial", 40, function(n, m)
    local topn = (require "mascon").topn
    for _ = 1, n do topn(m, 10, { threads = 1 }) end
  end },
}

local m = mascon.random(1):uniform(1000, 1000)

-- processor time of 'threads' states that do the work at once
local function time(case, threads)
  local n = fast and math.ceil(case[2] / 1000) or case[2]
  local jobs, start = {}, os.clock()
  for k = 1, threads do jobs[k] = mascon.spawn(case[3], n, m) end
  for k = 1, threads do jobs[k]:result() end
  return os.clock() - start
end

local function median(t)
  table.sort(t)
  return t[math.floor((#t + 1) / 2)]
end

local ones, scalings, ratios = {}, {}, {}
for k = 1, #cases do ones[k], scalings[k], ratios[k] = {}, {}, {} end
for r = 1, REPEATS do
  for k, case in ipairs(cases) do
    local one, two = time(case, 1), time(case, 2)
    ones[k][r], scalings[k][r] = one, 2 * (2 * one) / two
    ratios[k][r] = scalings[k][r] / scalings[1][r]
  end
end

print(("%-16s %12s %10s %12s"):format("", "one, ns", "scaling", "x the FMA's"))
for k, case in ipairs(cases) do
  print(("%-16s %12.1f %10.2f %12.2f"):format(case[1], median(ones[k]) / case[2] * 1e9,
    median(scalings[k]), median(ratios[k])))
end

-- bench_pointer.lua - what it costs to hand an array's elements to C
--
--   make bench-pointer      (every Lua that is here, and Python)
--
-- Light call: 8 doubles; heavy call: 100,000. E is an empty C call with one
-- argument; loops are taken off; medians of interleaved repeats, each in the E of its
-- own round. Time is the processor's, as others may be using it too. MASCON_FAST=1: a
-- short run, to see that it works.

local mascon = require "mascon"
local built, P = pcall(require, "pointer")
if not built then
  io.stderr:write "bench_pointer.lua: run it by 'make bench-pointer', which builds what it calls\n"
  os.exit(false)
end

local fast = os.getenv "MASCON_FAST" == "1"
local REPEATS, LIGHT, HEAVY = fast and 1 or 9, fast and 1000 or 300000, fast and 2 or 100
local FEW, MANY = 8, 100000

local cases = {}

-- 'f' (n) does the call n times; 'few': what a light one costs is a row
local function case(name, light, heavy)
  cases[#cases + 1] = { name = name, light = light, heavy = heavy, lights = {}, heavies = {} }
end

local x, y = mascon.ones(FEW), mascon.zeros(FEW)
local X, Y = mascon.ones(MANY), mascon.zeros(MANY)

-- a loop of its own for every case: a shared one would be compiled for all
local function loop(text, ...)
  local chunk = assert((loadstring or load)("local f, a, b, k = ... return function(n) " ..
    "local r for i = 1, n do " .. text .. " end return r end"))
  return chunk(...)
end

case("(empty loop)", loop(""))
case("empty C call, one argument: E", loop("f(a)", P.nothing, x))
case("mascon_toarray, one array", loop("f(a)", P.toarray, x))
case("plain C call, from C", function(n) P.plain(y, x, FEW, n) end,
  function(n) P.plain(Y, X, MANY, n) end)
for _, name in ipairs { "quick", "checked" } do
  local title = ({ quick = "door 1: mascon_toarray", checked = "door 1: mascon_checkarray" })[name]
  case(title, loop("f(a, b, k)", P[name], y, x, FEW), loop("f(a, b, k)", P[name], Y, X, MANY))
end
case("luaL_checkudata, another userdata", loop("f(a, b, k)", P.other, P.new(FEW), P.new(FEW), FEW),
  loop("f(a, b, k)", P.other, P.new(MANY), P.new(MANY), MANY))

local found, ffi = pcall(require, "ffi")
if found then
  ffi.cdef(mascon.cdef)
  ffi.cdef "void pointer_work (double *y, const double *x, long n);"
  local C = ffi.load(assert(package.searchpath and package.searchpath("work", package.cpath)))
  local function data(a) return ffi.cast("double *", ffi.cast("mascon_array *", a).data) end
  local function addr(a) return ffi.cast("double *", ffi.cast("intptr_t", a:addr())) end
  case("door 4: FFI, pointers kept", loop("f.pointer_work(a, b, k)", C, data(y), data(x), FEW),
    loop("f.pointer_work(a, b, k)", C, data(Y), data(X), MANY))
  local function cast(n, a, b, k)
    for _ = 1, n do C.pointer_work(data(a), data(b), k) end
  end
  case("door 4: FFI, cast at every call", function(n) cast(n, y, x, FEW) end,
    function(n) cast(n, Y, X, MANY) end)
  case("door 4: FFI, a:addr() at every call", function(n)
    for _ = 1, n do C.pointer_work(addr(y), addr(x), FEW) end
  end, function(n)
    for _ = 1, n do C.pointer_work(addr(Y), addr(X), MANY) end
  end)
end

local m = mascon.ones(100, 100)
case("v[i]", loop("r = a[3]", nil, x))
case("v[i] = 1.5", loop("a[3] = 1.5", nil, x))
case("m(i, j)", loop("r = a(3, 4)", nil, m))
case("m:get(i, j)", loop("r = a:get(3, 4)", nil, m))
case("m:row(i)", loop("r = a:row(3)", nil, m))
case("new 2 x 2", loop("r = f(2, 2)", mascon.zeros))
case("80 KB, garbage", loop("r = f(10000)", mascon.zeros))
case("80 KB, closed", loop("f(10000):close()", mascon.zeros))

local function time(f, n)
  local start = os.clock()
  f(n)
  return (os.clock() - start) / n
end

for r = 1, REPEATS do
  for _, c in ipairs(cases) do
    c.lights[r] = time(c.light, c.name:find "80 KB" and math.ceil(LIGHT / 30) or LIGHT)
    if c.heavy then c.heavies[r] = time(c.heavy, HEAVY) end
  end
end

local function median(t)
  local sorted = {}
  for i, v in ipairs(t) do sorted[i] = v end
  table.sort(sorted)
  return sorted[math.floor((#sorted + 1) / 2)]
end

-- of 't' to 'unit', round by round, without what 'base' takes
local function ratio(t, unit, base)
  local ratios = {}
  for r = 1, REPEATS do
    local b = base and base[r] or 0
    ratios[r] = (t[r] - b) / (unit[r] - b)
  end
  return median(ratios)
end

local empty, E, plain = cases[1].lights, cases[2].lights, cases[4].heavies
print(("%-38s %10s %7s %12s %8s"):format(jit and jit.version or _VERSION, "light, ns", "E",
  "heavy, us", "x plain"))
for k, c in ipairs(cases) do
  local line = ("%-38s %10.1f %7.2f"):format(c.name,
    (median(c.lights) - (k > 1 and median(empty) or 0)) * 1e9,
    ratio(c.lights, E, empty))
  if c.heavy then
    line = line .. (" %12.1f %8.2f"):format(median(c.heavies) * 1e6, ratio(c.heavies, plain))
  end
  print(line)
end

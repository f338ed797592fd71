-- bench_pointer.lua - what it costs to hand an array's elements to C
--
--   make bench-pointer      (every Lua that is here, and Python)
--
-- Light call: 8 doubles; heavy call: 100,000. E is an empty C call with one
-- argument; loops are taken off; medians of interleaved repeats. MASCON_FAST=1:
-- a short run, to see that it works.

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

-- seconds of the processor, as others may be using it too
local function time(f, n)
  local start = os.clock()
  f(n)
  return (os.clock() - start) / n
end

for r = 1, REPEATS do
  for _, c in ipairs(cases) do
    c.lights[r] = time(c.light, LIGHT)
    if c.heavy then c.heavies[r] = time(c.heavy, HEAVY) end
  end
end

local function median(t)
  table.sort(t)
  return t[math.floor((#t + 1) / 2)]
end

local empty = median(cases[1].lights)
local E = median(cases[2].lights) - empty
local plain = median(cases[4].heavies)
print(("%-38s %10s %7s %12s %8s"):format(jit and jit.version or _VERSION, "light, ns", "E",
  "heavy, us", "x plain"))
for k, c in ipairs(cases) do
  local t = median(c.lights) - (k > 1 and empty or 0)
  local line = ("%-38s %10.1f %7.2f"):format(c.name, t * 1e9, t / E)
  if c.heavy then
    local h = median(c.heavies)
    line = line .. (" %12.1f %8.2f"):format(h * 1e6, h / plain)
  end
  print(line)
end

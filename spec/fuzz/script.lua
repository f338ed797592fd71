-- script.lua - bytes as a script: any calls on any values
--
-- Returns run(bytes, folder). A call may refuse what it gets, by an error whose
-- value is a text; it may not crash, hang, leak, or leave the state useless.

local mascon = require "mascon"

-- threads of their own, waiting for people, and what all later cases would feel
local left = { parallel = true, help = true, spawn = true, show = true, terminal = true,
  progress = true, printoptions = true }

local constants = {
  0, 1, 2, 3, 4, 5, 7, 8, 17, 64, 100, -1, -2, 0.5, 1.5, 1e-3, -0.0, 0 / 0, 1 / 0,
  -1 / 0, 2 ^ 31, 2 ^ 53, -2 ^ 63, 2 ^ 63, 1e300, 1e9, 255, 256, 65535,
  "f64", "f32", "i64", "i32", "u16", "u8", "round", "clip", "floor", "sum", "peak",
  "point", "integrated", "edge", "centre", "viridis", "r+", "", "1", "\0", "x",
  true, false,
}

-- names that options and columns have; those of all calls together
local names = {
  "threads", "progress", "base", "pad_id", "pad_score", "exclude", "exclude_items",
  "allow", "min", "out", "sink", "first", "smallest", "rows", "cols", "bias",
  "normalize", "exclude_self", "ranks", "check", "ids", "scores", "counts", "batch",
  "dtype", "score", "sample", "norm", "weight", "origin", "angle", "add", "shape",
  "view", "extent", "pixel", "tol", "cutoff", "min_sigma", "x", "y", "sx", "sy", "sxx",
  "sxy", "syy", "value", "keepdims", "ddof", "map", "renormalise", "preset", "columns",
  "names", "header", "sep", "labels", "trim", "gamma", "nonsense",
}

local function sorted(t)
  local list = {}
  for k in pairs(t) do list[#list + 1] = k end
  table.sort(list, function(a, b) return tostring(a) < tostring(b) end)
  return list
end

-- every function that can be reached, in an order that does not change
local calls = {}

local function collect(t)
  for _, name in ipairs(sorted(t)) do
    local f = t[name]
    if type(f) == "function" and not left[name] then calls[#calls + 1] = f
    elseif type(f) == "table" and t == mascon then collect(f) end
  end
end

collect(mascon)

local r = mascon.random(1)
for _, name in ipairs { "uniform", "normal", "integers", "permutation" } do
  calls[#calls + 1] = r[name]
end
calls[#calls + 1] = function(...) return mascon.csr(...) end
calls[#calls + 1] = function(...) return mascon.index(...) end
local plain = #calls
local methods = sorted(debug.getmetatable(mascon.ones(1)).methods)

-- and every metamethod, which a script may have from debug, or guess
for _, value in ipairs { mascon.ones(1), r, mascon.index(mascon.ones(1, 1)),
    mascon.csr.from_pairs({ 1 }, { 1 }, 1, 1, { base = 1 }) } do
  local meta = debug.getmetatable(value)
  collect(meta)
  if type(meta.methods) == "table" then collect(meta.methods) end
end

return function(bytes, folder)
  local at, pool, tokens = 0, {}, {}

  local function byte(n)
    at = at + 1
    return (bytes:byte(at) or 0) % n
  end

  local value

  local function list(depth)
    local t = {}
    for i = 1, byte(5) do t[i] = value(depth + 1) end
    return t
  end

  local function options(depth)
    local t = {}
    for _ = 1, byte(5) do t[names[byte(#names) + 1]] = value(depth + 1) end
    return t
  end

  local function callback()
    local kind, v = byte(5), pool[byte(#pool) + 1]
    return function(a)
      if kind == 1 then error("stop", 0) end
      if kind == 2 then return false end
      if kind == 3 and type(a) == "userdata" then pool[#pool + 1] = a; a:close() end
      if kind == 4 and type(v) == "userdata" then v:close() end
      return v
    end
  end

  -- an argument
  function value(depth)
    local b = byte(256)
    if b < 120 then return pool[b % #pool + 1] end
    if b < 220 then return constants[byte(#constants) + 1] end
    if b < 224 then return nil end
    if b < 228 then return ("%s/%d"):format(folder, byte(3)) end
    if b < 232 then return callback() end
    if depth > 2 then return nil end
    if b < 240 then return list(depth) end
    return options(depth)
  end

  local function keep(share, ok, ...)
    if not ok then
      local problem = ...
      assert(type(problem) == "string", "an error that is no text")
      return
    end
    for i = 1, select("#", ...) do
      local v = select(i, ...)
      if type(v) == "userdata" or type(v) == "table" then
        if #pool >= 24 then table.remove(pool, 9) end
        pool[#pool + 1] = v
      elseif share and math.type(v) == "integer" then tokens[#tokens + 1] = v end
    end
  end

  local function call(f)
    local n, args = byte(7), {}
    for i = 1, n do args[i] = value(0) end
    if f == nil then f = calls[byte(plain) + 1] end
    local run = byte(16) == 1 and coroutine.wrap(function(...) return f(...) end) or f
    keep(f == mascon.share, pcall(run, table.unpack(args, 1, n)))
  end

  local steps = {
    call, call, call, call,
    function() call(calls[plain + 1 + byte(#calls - plain)]) end,
    function()  -- a method
      local a = pool[byte(#pool) + 1]
      local name, n, args = methods[byte(#methods) + 1], byte(5), {}
      for i = 1, n do args[i] = value(0) end
      keep(false, pcall(function()
        return a[name](a, table.unpack(args, 1, n))
      end))
    end,
    function()  -- what has a syntax of its own
      local a, i, x, kind = pool[byte(#pool) + 1], value(1), value(1), byte(8)
      keep(false, pcall(function()
        if kind == 0 then return a[i] end
        if kind == 1 then a[i] = x return end
        if kind == 2 then return #a, tostring(a) end
        if kind == 3 then return a(i, x) end
        if kind == 4 then return a == x, a + i, i - a end
        if kind == 5 then return a * x, a ^ i, -a end
        if kind == 6 then for k, v in ipairs(a) do x = k; if k > 50 then return v end end end
        if kind == 7 then return a % i, a / x end
      end))
    end,
  }

  pool[1] = mascon.range(1, 6):reshape(2, 3)
  pool[2] = mascon.array({ 1, 0, 2 }, "i32")
  pool[3] = mascon.random(7):uniform(5, 4, "f32")
  pool[4] = mascon.array({ 1, 0, 1 }, "u8")
  pool[5] = mascon.zeros(3, 3):t()
  pool[6] = mascon.csr.from_pairs({ 1, 2, 2 }, { 1, 1, 3 }, 5, 4, { base = 1 })
  pool[7] = mascon.index(pool[3])
  pool[8] = mascon.random(byte(256))
  local count = 0
  while at < #bytes and count < 40 do
    count = count + 1
    steps[byte(#steps) + 1]()
  end

  mascon.memory(-1)
  mascon.threads(0)
  for _, token in ipairs(tokens) do pcall(mascon.unshare, token) end
  for i = 0, 2 do os.remove(("%s/%d"):format(folder, i)) end
  assert(mascon.ones(3):sum() == 3)
end

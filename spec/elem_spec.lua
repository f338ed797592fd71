local mascon = require "mascon"
local operators = require "spec.operators"

local dtypes = { "f64", "f32", "i64", "i32", "u16", "u8" }
local rank = { f64 = 1, f32 = 2, i64 = 3, i32 = 4, u16 = 5, u8 = 6 }
local lowest = { i64 = math.mininteger, i32 = -(2 ^ 31), u16 = 0, u8 = 0 }
local highest = { i64 = math.maxinteger, i32 = (2 ^ 31) - 1, u16 = 65535, u8 = 255 }
local nan, inf = 0 / 0, 1 / 0

-- the smallest dtype that holds both
local function join(s, t)
  local wide = rank[s] < rank[t] and s or t
  local narrow = wide == s and t or s
  if wide == "f32" and (narrow == "i64" or narrow == "i32") then return "f64" end
  return wide
end

local function isfloat(t) return t == "f64" or t == "f32" end

local function float(t) return t == "f32" and "f32" or "f64" end

-- 'x' as an element of dtype 't' comes back
local function as(t, x)
  if t == "f32" then return (string.unpack("f", string.pack("f", x))) end
  if t == "f64" then return x + 0.0 end
  return x
end

local function same(x, y)
  return x == y and math.type(x) == math.type(y) or x ~= x and y ~= y
end

-- all index tuples of a shape, row by row
local function each(shape)
  local at, n = {}, 1
  for i, s in ipairs(shape) do
    at[i] = 1
    n = n * s
  end
  local k = 0
  return function()
    k = k + 1
    if k > n then return nil end
    if k > 1 then
      for i = #shape, 1, -1 do
        at[i] = at[i] + 1
        if at[i] <= shape[i] then break end
        at[i] = 1
      end
    end
    return at
  end
end

local function broadcast(...)
  local shape = {}
  for _, a in ipairs { ... } do
    local s = { a:shape() }
    for i = 1, #s do
      local k = -i
      shape[k] = (shape[k] or 1) == 1 and s[#s + 1 - i] or shape[k]
    end
  end
  local out = {}
  for k = -4, -1 do out[#out + 1] = shape[k] end
  return out
end

-- element of 'a' (an array or a number) that goes with 'at' of a result
local function pick(a, at)
  if type(a) == "number" then return a end
  local s, index = { a:shape() }, {}
  for i = 1, #s do
    index[i] = s[i] == 1 and 1 or at[#at - #s + i]
  end
  return a:get(table.unpack(index))
end

-- an array of 't' of a shape, filled by 'f', laid out in one of some ways
local function make(t, shape, f)
  local way = math.random(4)
  local big, a = {}, nil
  for i, s in ipairs(shape) do big[i] = way == 2 and 2 * s + 1 or s end
  if way == 3 then
    local back, order = {}, {}
    for i = 1, #shape do
      back[i], order[i] = big[#shape + 1 - i], #shape + 1 - i
    end
    back[#back + 1] = t
    a = mascon.zeros(table.unpack(back)):permute(table.unpack(order))
  else
    big[#big + 1] = t
    a = mascon.zeros(table.unpack(big))
    for i, s in ipairs(shape) do
      if way == 2 and s > 0 then a = a:narrow(i, 2, 2 * s, 2) end
      if way == 4 and s > 0 then a = a:narrow(i, -1, 1, -1) end
    end
  end
  for at in each(shape) do
    local index = { table.unpack(at) }
    index[#index + 1] = f()
    a:set(table.unpack(index))
  end
  return a
end

local function check(r, t, shape, f)
  assert.equal(t, r.dtype)
  assert.same(shape, { r:shape() })
  for at in each(shape) do
    local got, want = r:get(table.unpack(at)), f(at)
    if not same(got, want) then
      assert.equal(("%s at %s"):format(want, table.concat(at, ",")), tostring(got))
    end
  end
end

local arith = {
  add = function(x, y) return x + y end,
  subtract = function(x, y) return x - y end,
  multiply = function(x, y) return x * y end,
  idiv = operators.idiv,
  mod = operators.mod,
  minimum = function(x, y) return (x <= y or y ~= y) and x or y end,
  maximum = function(x, y) return (x >= y or y ~= y) and x or y end,
}
local real = {
  divide = function(x, y) return x / y end,
  power = function(x, y) return x ^ y end,
}
local tests = {
  lt = function(x, y) return x < y end,
  le = function(x, y) return x <= y end,
  gt = function(x, y) return x > y end,
  ge = function(x, y) return x >= y end,
  eq = function(x, y) return x == y end,
  ne = function(x, y) return x ~= y end,
}

local function small() return math.random(2, 9) end

describe("operations by element", function()
  before_each(function() math.randomseed(11) end)

  it("broadcast any layouts of any dtypes as the plain loop does", function()
    local shapes = {
      { { 5 }, { 5 } }, { { 3, 4 }, { 4 } }, { { 3, 1 }, { 1, 4 } },
      { { 2, 3, 4 }, { 3, 1 } }, { { 2, 1, 3, 2 }, { 4, 1, 2 } },
      { { 1 }, { 2, 2 } }, { { 0, 3 }, { 3 } },
    }
    for _, s in ipairs(dtypes) do
      for _, t in ipairs(dtypes) do
        local pair = shapes[math.random(#shapes)]
        local a, b = make(s, pair[1], small), make(t, pair[2], small)
        local shape, both = broadcast(a, b), join(s, t)
        for name, f in pairs(arith) do
          if name ~= "subtract" or not both:find "u" then
            check(mascon[name](a, b), both, shape, function(at)
              return as(both, f(as(both, pick(a, at)), as(both, pick(b, at))))
            end)
          end
        end
        for name, f in pairs(real) do
          if name == "divide" or float(both) == "f64" then
            check(a[name](a, b), float(both), shape, function(at)
              return as(float(both), f(pick(a, at), pick(b, at)))
            end)
          end
        end
        for name, f in pairs(tests) do
          check(a[name](a, b), "u8", shape, function(at)
            return f(pick(a, at), pick(b, at)) and 1 or 0
          end)
        end
        local mask = a:lt(6)
        check(mascon.where(mask, a, b), both, shape, function(at)
          return as(both, pick(mask, at) ~= 0 and pick(a, at) or pick(b, at))
        end)
      end
    end
  end)

  it("keep the dtype of an array beside a number that fits", function()
    for _, t in ipairs(dtypes) do
      local a = make(t, { 3, 2 }, small)
      check(a + 2, t, { 3, 2 }, function(at) return as(t, pick(a, at) + 2) end)
      check(2.0 * a, t, { 3, 2 }, function(at)
        return as(t, 2 * pick(a, at))
      end)
      local other = isfloat(t) and t or "f64"
      check(a - 0.5, other, { 3, 2 }, function(at)
        return as(other, pick(a, at) - 0.5)
      end)
      check(operators.idiv(a, 2), t, { 3, 2 }, function(at) return as(t, operators.idiv(pick(a, at), 2)) end)
      check(a % 3, t, { 3, 2 }, function(at) return as(t, pick(a, at) % 3) end)
      check(a / 2, float(t), { 3, 2 }, function(at) return pick(a, at) / 2 end)
      check(a ^ 2, float(t), { 3, 2 }, function(at) return pick(a, at) ^ 2 end)
    end
    assert.equal("f64", (mascon.array({ 1 }, "u8") + 300).dtype)
    assert.equal("f64", (mascon.array({ 1 }, "i32") + 2 ^ 31).dtype)
  end)

  it("divide as Lua does, whatever the signs", function()
    local x = { -7, -6, 0, 6, 7, 5, 1 }
    local y = { 3, -3, 2, -4 }
    for _, t in ipairs { "f64", "f32", "i64", "i32" } do
      for _, d in ipairs(y) do
        local a = mascon.array(x, t)
        check(operators.idiv(a, d), t, { #x }, function(at) return as(t, operators.idiv(x[at[1]], d)) end)
        check(a % d, t, { #x }, function(at) return as(t, operators.mod(x[at[1]], d)) end)
      end
    end
    local odd = { inf, -inf, nan, 0.0, -0.0, 5.5, -5.5 }
    for _, d in ipairs(odd) do
      local a = mascon.array(odd)
      check(a % d, "f64", { #odd }, function(at) return operators.mod(odd[at[1]], d) end)
      check(operators.idiv(a, d), "f64", { #odd }, function(at) return operators.idiv(odd[at[1]], d) end)
    end
  end)

  it("never wrap, and leave the output alone then", function()
    local function refused(t, f, out)
      assert.error_matches(f, "a result does not fit " .. t)
      if out then assert.same({ 7, 7, 7 }, out:totable()) end
    end
    for _, t in ipairs { "i32", "u16", "u8", not jit and "i64" or nil } do
      local lo, hi = lowest[t], highest[t]
      for _, n in ipairs { 3, 9000 } do  -- the last of many blocks
        local a = mascon.full(n, 1, t)
        a[n] = hi
        assert.equal(hi, (a + 0)[n])
        assert.equal(hi - 1, (a - 1)[n])
        refused(t, function() return a + 1 end)
        refused(t, function() return a * 2 end)
        a[n] = lo
        assert.equal(lo, (a * 1)[n])
        refused(t, function() return a - 1 end)
        if lo < 0 then
          refused(t, function() return -a end)
          refused(t, function() return a:abs() end)
          refused(t, function() return operators.idiv(a, -1) end)
          assert.equal(0, (a % -1)[n])
        end
      end
      local out = mascon.full(3, 7, t)
      local b = mascon.array({ 1, hi, 1 }, t)
      refused(t, function() mascon.add(b, b, out) end, out)
      assert.has_error(function() return operators.idiv(b, 0) end, "division of an integer by zero")
      assert.has_error(function() return b % 0 end, "division of an integer by zero")
    end
    refused("u8", function() return -mascon.array({ 1 }, "u8") end)
  end)

  it("know NaN, infinities and zeros", function()
    local x = mascon.array { nan, 1, nan, -0.0, 0.0, -inf }
    local y = mascon.array { 1, nan, nan, 0.0, -0.0, inf }
    for _, t in ipairs { "f64", "f32" } do
      local a, b = x:copy(t), y:copy(t)
      local lo, hi = mascon.minimum(a, b), mascon.maximum(a, b)
      assert.same({ 1, 1 }, { lo[1], lo[2] })
      assert.is_true(hi[3] ~= hi[3])
      assert.equal(-inf, 1 / lo[4])
      assert.equal(inf, 1 / hi[5])
      assert.same({ 1, 0, 1, 0, 0, 0 }, a:isnan():totable())
      assert.same({ 0, 0, 0, 0, 0, 1 }, a:isinf():totable())
      assert.same({ 0, 1, 0, 1, 1, 0 }, a:isfinite():totable())
      assert.same({ 0, 0, 0, 1, 1, 0 }, a:eq(b):totable())
      assert.same({ 1, 1, 1, 0, 0, 1 }, a:ne(b):totable())
    end
    assert.same({ 1 }, mascon.array({ 3 }, "i32"):isfinite():totable())
  end)

  it("apply functions", function()
    local x = { -2.5, -1.5, -0.5, 0.0, 0.5, 1.5, 2.5, 3.7 }
    local a = mascon.array(x)
    local f = { exp = math.exp, sin = math.sin, cos = math.cos, atan = math.atan,
      floor = function(v) return math.floor(v) + 0.0 end,
      ceil = function(v) return math.ceil(v) + 0.0 end, abs = math.abs }
    for name, g in pairs(f) do
      check(a[name](a), "f64", { #x }, function(at) return g(x[at[1]]) end)
    end
    assert.same({ -2, -2, 0, 0, 0, 2, 2, 4 }, a:round():totable())
    assert.same({ -2, -1, 0, 0, 0, 1, 2, 3 }, a:trunc():totable())
    assert.same({ -1, -1, -1, 0, 1, 1, 1, 1 }, a:sign():totable())
    assert.same({ 2, 3 }, mascon.array({ 4, 9 }, "u8"):sqrt():totable())
    assert.equal("f32", mascon.zeros(2, "f32"):exp().dtype)
    assert.equal("f64", mascon.zeros(2, "i32"):exp().dtype)
    assert.equal("i32", mascon.zeros(2, "i32"):floor().dtype)
    local out = mascon.zeros(#x)
    assert.equal(out, a:exp(out))
    assert.equal(math.exp(3.7), out[#x])
  end)

  it("join masks", function()
    local p, q = mascon.array({ 0, 0, 2, 1 }, "u8"), mascon.array({ 0, 3, 0, 4 }, "u8")
    assert.same({ 0, 0, 0, 1 }, operators.band(p, q):totable())
    assert.same({ 0, 1, 1, 1 }, operators.bor(p, q):totable())
    assert.same({ 0, 1, 1, 0 }, operators.bxor(p, q):totable())
    assert.same({ 1, 1, 0, 0 }, operators.bnot(p):totable())
    assert.same({ 0, 0, 0, 1 }, p:land(q):totable())
    assert.error_matches(function() return operators.band(p, mascon.zeros(4)) end,
      "bad argument #2 to '[bl]and' %(u8 mask expected, got f64 vector 4%)")
    assert.same({ 9, 9, 1, 1 }, mascon.where(p, 1, 9):totable())
  end)

  it("write into what is given", function()
    local a = mascon.array { { 1, 2, 3 }, { 4, 5, 6 } }
    mascon.add(a, 1, a)
    assert.same({ { 2, 3, 4 }, { 5, 6, 7 } }, a:totable())
    mascon.multiply(a:col(1), a:col(2), a:col(3))  -- interleaved, not shared
    assert.same({ { 2, 3, 6 }, { 5, 6, 30 } }, a:totable())
    mascon.add(a:cols(1, 1), 1, a:cols(2, 2))
    assert.same({ { 2, 3, 6 }, { 5, 6, 30 } }, a:totable())
    local v = mascon.array { 1, 2, 3, 4, 5, 6 }
    mascon.add(v:sub(1, -1, 2), 10, v:sub(2, -1, 2))
    assert.same({ 1, 11, 3, 13, 5, 15 }, v:totable())
    local wide = mascon.zeros(2)
    mascon.add(mascon.array({ 1, 2 }, "u8"), 1, wide)
    assert.same({ 2.0, 3.0 }, wide:totable())
    for _, f in ipairs {
      function() mascon.add(v:sub(1, 5), 1, v:sub(2, 6)) end,
      function() mascon.add(v, 1, v:sub(6, 1, -1)) end,
      function() mascon.add(a:narrow(1, 1, 2), a:row(1), a) end,
    } do assert.error_matches(f, "output overlaps an input partly") end
    assert.same({ 1, 11, 3, 13, 5, 15 }, v:totable())
  end)

  it("do not depend on the number of threads", function()
    local a, b = mascon.random(3):uniform(300, 401), mascon.random(4):uniform(401)
    local one = mascon.divide(a, b, nil, { threads = 1 }):totable()
    for _, n in ipairs { 2, 3, 8 } do
      local t = mascon.divide(a:t():copy():t(), b, nil, { threads = n })
      assert.same(one, t:totable())
    end
  end)

  it("stream what no cache holds", function()
    local n = 4200001
    local a = mascon.full(n, 1.5)
    local r = mascon.add(a, 1, mascon.zeros(n + 1):sub(2, -1))
    assert.equal(2.5 * n, r:sum())
    assert.equal(n, (a + a):eq(3):sum())
    for _, dtype in ipairs { "f64", "f32" } do  -- whole numbers: exact
      local x = mascon.range(1, 2 * n, dtype)
      local y, out = x:copy(), mascon.zeros(2 * n + 1, dtype):sub(2, -1)
      for op, want in pairs { add = 7 * 2, subtract = 0, multiply = 49, divide = 1 } do
        mascon[op](x, y, out)
        assert.equal(want, out[7])
        mascon[op](x:sub(1, 9), y:sub(1, 9), y:sub(1, 9))
        assert.same(out:sub(1, 9):totable(), y:sub(1, 9):totable())
        y:sub(1, 9):assign(x:sub(1, 9))
      end
    end
  end)

  it("name what is wrong", function()
    local a = mascon.zeros(2, 3)
    for message, f in pairs {
      ["shapes do not broadcast: 2 x 3 and 2"] = function() return a + mascon.zeros(2) end,
      ["bad argument #2 to 'add' (array or number expected, got \"x\")"] =
        function() return a + "x" end,
      ["bad argument #2 to 'add' (f64 matrix 2 x 3 expected, got f64 matrix 3 x 2)"] =
        function() a:add(1, a:t()) end,
      ["bad argument #2 to 'add' (f64 matrix 2 x 3 expected, got f32 matrix 2 x 3)"] =
        function() a:add(1, mascon.zeros(2, 3, "f32")) end,
      ["bad argument #3 to 'add' (unknown option 'thread')"] =
        function() a:add(1, nil, { thread = 1 }) end,
    } do assert.has_error(f, message) end
    local c = mascon.zeros(2)
    c:close()
    assert.error_matches(function() return c + 1 end, "array is closed")
    assert.error_matches(function() return a + io.stdout end, jit and "userdata" or "FILE%*")
  end)
end)

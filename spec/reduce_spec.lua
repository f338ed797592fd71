local mascon = require "mascon"

local nan, inf = 0 / 0, 1 / 0

-- sixteen lanes, taken in turn, folded by halves
local function lanes(start)
  local t = {}
  for i = 0, 15 do t[i] = start end
  return t
end

local function fold(t, join)
  local half = 8
  while half > 0 do
    for i = 0, half - 1 do t[i] = join(t[i], t[i + half]) end
    half = math.floor(half / 2)
  end
  return t[0]
end

-- the order that mascon.h specifies, of the list 'x'
local function total(x, start, join)
  local blocks = lanes(start)
  for b = 0, math.floor((#x - 1) / 1024) do
    local block = lanes(start)
    for i = 0, math.min(#x - b * 1024, 1024) - 1 do
      block[i % 16] = join(block[i % 16], x[b * 1024 + i + 1])
    end
    blocks[b % 16] = join(blocks[b % 16], fold(block, join))
  end
  return fold(blocks, join)
end

local function plus(x, y) return x + y end

local function sum(x) return total(x, 0.0, plus) end

local function var(x, ddof)
  local m, d = sum(x) / #x, {}
  for i, v in ipairs(x) do d[i] = (v - m) * (v - m) end
  return sum(d) / (#x - (ddof or 0))
end

local function least(x)
  local best, at
  for i, v in ipairs(x) do
    if v == v and (best == nil or v < best) then best, at = v, i end
  end
  return best, at
end

local function most(x)
  local best, at
  for i, v in ipairs(x) do
    if v == v and (best == nil or v > best) then best, at = v, i end
  end
  return best, at
end

-- the same numbers in other layouts
local function layouts(m)
  local rows, cols = m:shape()
  local wide = mascon.zeros(rows, 2 * cols + 1, m.dtype)
  local every = wide:narrow(2, 2, 2 * cols, 2)
  every:assign(m)
  local back = mascon.zeros(rows, cols, m.dtype):narrow(1, -1, 1, -1)
  back:assign(m)
  return { m, m:t():copy():t(), every, back }
end

local function flat(m)
  local x = {}
  for i = 1, m.nrows do
    for j = 1, m.ncols do x[#x + 1] = m(i, j) end
  end
  return x
end

local function line(m, axis, i)
  local v, x = m:select(3 - axis, i), {}
  for k = 1, #v do x[k] = v[k] end
  return x
end

describe("reductions", function()
  for _, shape in ipairs { { 1, 1 }, { 3, 17 }, { 1023, 3 }, { 1025, 19 }, { 2, 17000 } } do
    it(("of %d x %d are made in the order that is promised"):format(shape[1], shape[2]), function()
      for _, t in ipairs { "f64", "f32" } do
        local m = mascon.random(5):normal(shape[1], shape[2], t)
        local x = flat(m)
        local s, v = sum(x), var(x)
        local lo, hi, at = (least(x)), most(x)
        for _, a in ipairs(layouts(m)) do
          assert.equal(s, a:sum())
          assert.equal(s / #x, a:mean())
          assert.equal(v, a:var())
          assert.equal(lo, a:min())
          local row, col = a:argmax()
          assert.equal(hi, a(row, col))
          assert.equal(at, (row - 1) * shape[2] + col)
        end
        for axis = 1, 2 do
          local n = shape[3 - axis]
          for k, a in ipairs(layouts(m)) do
            local r64 = mascon.zeros(n)
            a:sum(axis, r64)
            local mean, arg = a:mean(axis), a:argmin(axis - 3)
            local d = a:var(axis, mascon.zeros(n), { ddof = shape[axis] > 1 and 1 or 0 })
            for _, i in ipairs { 1, math.floor(n / 2) + 1, n } do
              local y = line(m, axis, i)
              assert.equal(sum(y), r64[i])
              if t == "f64" then assert.equal(sum(y) / #y, mean[i]) end
              assert.equal(select(2, least(y)), arg[i])
              if k == 1 then assert.equal(var(y, #y > 1 and 1 or 0), d[i]) end
            end
          end
        end
      end
    end)
  end

  it("have the same bits for any number of threads", function()
    local m = mascon.random(6):normal(700, 401)
    for _, f in ipairs { "sum", "mean", "std", "prod", "max", "argmin" } do
      for axis = 0, 2 do
        local ax = axis > 0 and axis or nil
        local one = m[f](m, ax, { threads = 1 })
        for _, n in ipairs { 2, 3, 8 } do
          local r = m[f](m, ax, { threads = n })
          if ax then r, one = r:totable(), type(one) == "table" and one or one:totable() end
          assert.same(one, r)
        end
      end
    end
  end)

  it("have the same bits where lines are columns", function()
    local r = mascon.random(3)
    for _, shape in ipairs { { 2, 1 }, { 15, 3 }, { 17, 127 }, { 1024, 129 }, { 1025, 257 }, { 2500, 33 },
                             { 40000, 20 } } do
      for _, dtype in ipairs { "f64", "f32" } do
        local a = r:uniform(shape[1], shape[2], dtype) + 0.5
        for _, m in ipairs { a, a:narrow(1, -1, 1, -1) } do
          local lines = m:t():copy()
          for _, op in ipairs { "sum", "mean", "prod", "var", "std" } do
            for threads = 1, 2 do
              local got = m[op](m, 1, { threads = threads })
              assert.is_true(got:eq(lines[op](lines, 2)):all())
            end
          end
        end
      end
    end
  end)

  it("of integers are exact or refused", function()
    if jit then return pending "LuaJIT's numbers have 53 bits" end
    local big = math.maxinteger
    local a = mascon.array({ big, big, -big, -big, 5 }, "i64")
    assert.equal(5, a:sum())
    assert.equal("integer", math.type(a:sum()))
    assert.error_matches(function() a:sub(1, 2):sum() end, "a result does not fit i64")
    assert.equal(math.mininteger, mascon.array({ -big, -1 }, "i64"):sum())
    assert.error_matches(function() mascon.array({ -big, -2 }, "i64"):sum() end, "fit i64")
    assert.equal(math.mininteger, mascon.array({ 2 ^ 62, -2 }, "i64"):prod())
    assert.error_matches(function() mascon.array({ 2 ^ 62, 2 }, "i64"):prod() end, "fit i64")
    assert.equal(0, mascon.array({ 2 ^ 62, 2 ^ 62, 2 ^ 62, 0 }, "i64"):prod())
    assert.equal(255 * 5000, mascon.full(5000, 255, "u8"):sum())
    for _, t in ipairs { "i64", "i32", "u16", "u8" } do
      local v = mascon.array({ 3, 1, 7, 7 }, t)
      assert.same({ 18, 147, 4.5, 1, 7, 3, 2 },
        { v:sum(), v:prod(), v:mean(), v:min(), v:max(), v:argmax(), v:argmin() })
      assert.equal(t, v:reshape(1, 4):max(1).dtype)
      assert.equal("i64", v:reshape(1, 4):sum(1).dtype)
      assert.equal("f64", v:reshape(1, 4):mean(1).dtype)
    end
  end)

  it("pass NaN on in sums, skip it in the best", function()
    for _, t in ipairs { "f64", "f32" } do
      local a = mascon.array({ { nan, 2, 5 }, { nan, nan, 1 } }, t)
      assert.is_true(a:sum() ~= a:sum())
      assert.same({ 5.0, 1.0 }, { a:max(), a:min() })
      assert.same({ 2, 3 }, { a:argmin() })
      assert.same({ 0, 1, 1 }, a:argmax(1):totable())
      local m = a:max(1)
      assert.is_true(m[1] ~= m[1])
      assert.equal(2.0, m[2])
      local none = a:col(1)
      assert.is_true(none:max() ~= none:max())
      assert.is_nil(none:argmax())
      assert.equal(inf, 1 / mascon.array({ -0.0, -0.0 }, t):max())
      assert.equal(-inf, mascon.array({ -inf, nan }, t):max())
      assert.equal(1, mascon.array({ -inf, nan }, t):argmax())
    end
  end)

  it("of masks are booleans", function()
    local a = mascon.array({ { 0, 1 }, { 0, 2 } }, "u8")
    assert.is_true(a:any())
    assert.is_false(a:all())
    assert.same({ 0, 1 }, a:any(1):totable())
    assert.same({ 0, 1 }, a:all(1):totable())
    assert.is_true(mascon.array { nan }:all())
    assert.equal("u8", a:any(1).dtype)
  end)

  it("of nothing are what is neutral, or an error", function()
    local e = mascon.zeros(0)
    assert.same({ 0.0, 1.0, false, true }, { e:sum(), e:prod(), e:any(), e:all() })
    assert.is_true(e:mean() ~= e:mean() and e:var() ~= e:var())
    for _, f in ipairs { "min", "max", "argmin", "argmax" } do
      assert.error_matches(function() e[f](e) end, "an empty line has no")
    end
    local m = mascon.zeros(0, 3)
    assert.same({ 0, 0, 0 }, m:sum(1):totable())
    assert.equal(0, #m:max(2))
  end)

  it("keep the axis on request, and write into what is given", function()
    local a = mascon.array { { 1, 2 }, { 3, 5 } }
    assert.same({ { 3 }, { 8 } }, a:sum(2, { keepdims = true }):totable())
    assert.same({ { 11 } }, a:sum(nil, { keepdims = true }):totable())
    assert.same({ { -0.5, 0.5 }, { -1, 1 } }, (a - a:mean(2, { keepdims = true })):totable())
    local out = mascon.zeros(2)
    assert.equal(out, a:max(1, out))
    assert.same({ 3, 5 }, out:totable())
    assert.error_matches(function() a:sum(1, mascon.zeros(3)) end,
      "bad argument #2 to 'sum' %(f64 vector 2 expected, got f64 vector 3%)")
    assert.has_error(function() mascon.sum(a, nil, a) end,
      "bad argument #3 to 'sum' (f64 vector 1 expected, got f64 matrix 2 x 2)")
    assert.has_error(function() mascon.sum(a, 1, a, { keepdims = true }) end,
      "bad argument #3 to 'sum' (f64 matrix 1 x 2 expected, got f64 matrix 2 x 2)")
    assert.has_error(function() mascon.cumsum(a, 1, out) end,
      "bad argument #3 to 'cumsum' (f64 matrix 2 x 2 expected, got f64 vector 2)")
    assert.error_matches(function() a:sum(1, a:row(1)) end, "overlaps an input")
    assert.error_matches(function() a:mean(1, mascon.zeros(2, "i32")) end,
      "f64 vector 2 expected, got i32 vector 2")
    assert.has_error(function() a:sum(3) end, "bad argument #1 to 'sum' (axis 3 is outside 1 to 2)")
    assert.has_error(function() a:sum(0) end, "bad argument #1 to 'sum' (axis 0 is outside 1 to 2)")
    assert.has_error(function() a:sum(2 ^ 32 + 1) end,
      "bad argument #1 to 'sum' (axis 4294967297 is outside 1 to 2)")
    assert.error_matches(function() a:sum(1, { axes = 1 }) end, "unknown option 'axes'")
  end)

  it("reduce any axis of four", function()
    local shape = { 3, 4, 5, 6 }
    local a = mascon.random(8):integers(1, 9, 3, 4, 5, 6)
    for axis = 1, 4 do
      local s, m = a:sum(axis), a:permute(2, 4, 1, 3):max(({ 3, 1, 4, 2 })[axis])
      local rest = {}
      for k = 1, 4 do rest[#rest + 1] = k ~= axis and k or nil end
      local at = {}
      for _ = 1, 40 do
        for k = 1, 4 do at[k] = math.random(shape[k]) end
        local n, best = 0, 0
        local index = { at[rest[1]], at[rest[2]], at[rest[3]] }
        local moved = {}  -- the axes of the permuted array that are left
        for _, k in ipairs { 2, 4, 1, 3 } do
          moved[#moved + 1] = k ~= axis and at[k] or nil
        end
        for x = 1, shape[axis] do
          at[axis] = x
          n = n + a(at[1], at[2], at[3], at[4])
          best = math.max(best, a(at[1], at[2], at[3], at[4]))
        end
        assert.equal(n, s:get(table.unpack(index)))
        assert.equal(best, m:get(table.unpack(moved)))
      end
      assert.equal(a:sum(), s:sum())
    end
  end)
end)

describe("cumsum", function()
  it("adds up along an axis or row by row", function()
    local a = mascon.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "i32")
    assert.same({ 1, 3, 6, 10, 15, 21 }, a:cumsum():totable())
    assert.same({ { 1, 2, 3 }, { 5, 7, 9 } }, a:cumsum(1):totable())
    assert.same({ { 1, 3, 6 }, { 4, 9, 15 } }, a:cumsum(-1):totable())
    assert.same({ 1, 5, 7, 12, 15, 21 }, a:t():cumsum():totable())
    assert.equal("i64", a:cumsum().dtype)
    local x = mascon.random(9):uniform(3000, 3)
    local s, c = 0.0, x:cumsum(1)
    for i = 1, 3000 do
      s = s + x(i, 2)
      assert.equal(s, c(i, 2))
    end
    x:cumsum(1, x, { threads = 2 })
    assert.same(c:totable(), x:totable())
    local big = mascon.array({ 2 ^ 62, 2 ^ 62 }, "i64")
    local out = mascon.full(2, 7, "i64")
    assert.error_matches(function() big:cumsum(1, out) end, "fit i64")
    assert.same({ 7, 7 }, out:totable())
    assert.error_matches(function() x:cumsum(1, x:t()) end,
      "f64 matrix 3000 x 3 expected, got f64 matrix 3 x 3000")
  end)
end)

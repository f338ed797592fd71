local mascon = require "mascon"

local dtypes = { "f64", "f32", "i64", "i32", "u16", "u8" }
local nan, inf = 0 / 0, math.huge
local floor = math.floor

local function vector(values, dtype)
  local v = mascon.zeros(#values, dtype or "f64")
  for i, x in ipairs(values) do v[i] = x end
  return v
end

local function list(v)
  local t = {}
  for i = 1, #v do t[i] = v[i] end
  return t
end

-- values that every dtype holds, some of them many times
local function values(n, dtype, salt)
  local t, x = {}, salt
  for i = 1, n do
    x = (x * 1103515245 + 12345) % 2147483648
    t[i] = dtype == "u8" and floor(x / 65536) % 256
           or dtype == "u16" and floor(x / 256) % 65536
           or floor(x / 16) % 1000003 - 500000
    if i % 3 == 0 then t[i] = t[i / 3] end
  end
  return t
end

-- the specification: places in ascending order, NaN last, stable
local function argsorted(t)
  local ids = {}
  for i = 1, #t do ids[i] = i end
  table.sort(ids, function(i, j)
    local x, y = t[i], t[j]
    if x == y or (x ~= x and y ~= y) then return i < j end
    if x ~= x or y ~= y then return y ~= y end
    return x < y
  end)
  return ids
end

local function sorted(t)
  local out = {}
  for k, i in ipairs(argsorted(t)) do out[k] = t[i] end
  return out
end

-- tables that compare with 'same': a NaN by its name
local function named(t)
  local out = {}
  for i, x in ipairs(t) do out[i] = x ~= x and "nan" or x end
  return out
end

describe("sort", function()
  -- runs of 16 are inserted, up to 24 to 192 merged, longer ones dealt by digits
  for _, n in ipairs { 0, 1, 2, 16, 17, 23, 25, 47, 49, 95, 97, 191, 193, 255, 257, 3000 } do
    it("agrees with the plain version for " .. n .. " elements", function()
      for _, dtype in ipairs(dtypes) do
        local t = list(vector(values(n, dtype, n + 1), dtype))
        local v = vector(t, dtype)
        local s, ids = v:sort(), v:argsort()
        assert.equal(dtype, s.dtype)
        assert.equal("i32", ids.dtype)
        assert.same(sorted(t), list(s))
        assert.same(argsorted(t), list(ids))
        assert.same(t, list(v))
      end
    end)
  end

  it("puts NaN last and takes -0.0 for 0.0", function()
    for _, dtype in ipairs { "f64", "f32" } do
      for _, many in ipairs { 1, 60 } do
        local t = {}
        for _ = 1, many do
          for _, x in ipairs { nan, 3, -inf, 0.0, -nan, -0.0, inf, -3, 0.0, 1e-30, -1e30 } do
            t[#t + 1] = string.unpack("f", string.pack("f", x))
          end
        end
        local v = vector(t, dtype)
        assert.same(argsorted(t), list(v:argsort()))
        assert.same(named(sorted(t)), named(list(v:sort())))
      end
    end
  end)

  it("holds the extremes of integers", function()
    local t = { math.maxinteger, 0, math.mininteger, -1, 1, math.maxinteger - 1 }
    assert.same(sorted(t), list(vector(t, "i64"):sort()))
    assert.same(argsorted(t), list(vector(t, "i64"):argsort()))
    t = { 2 ^ 31 - 1, 0, -2 ^ 31, -1, 1 }
    assert.same(sorted(t), list(vector(t, "i32"):sort()))
  end)

  it("sorts along any axis, through any strides", function()
    for _, dtype in ipairs { "f64", "i32", "u8" } do
      local whole = mascon.zeros(24, 40, 6, dtype)
      local t = values(24 * 40 * 6, "u8", 5)
      for i = 1, 24 do
        for j = 1, 40 do
          for k = 1, 6 do whole:set(i, j, k, t[((i - 1) * 40 + j) * 6 + k - 6]) end
        end
      end
      local a = whole:permute(3, 1, 2):narrow(2, 23, 2, -2):narrow(3, 1, -1, 3)
      local shape = { a:shape() }
      for axis = 1, 3 do
        local s, ids = a:sort(axis), a:argsort(axis)
        assert.same(shape, { s:shape() })
        local others = { 1, 2, 3 }
        table.remove(others, axis)
        for p = 1, shape[others[1]] do
          for q = 1, shape[others[2]] do
            local function line(x)
              return list(x:select(others[2], q):select(others[1], p))
            end
            assert.same(sorted(line(a)), line(s))
            assert.same(argsorted(line(a)), line(ids))
          end
        end
      end
      assert.same(list(a:sort(3):select(1, 1):select(1, 2)),
        list(a:sort():select(1, 1):select(1, 2)))
      assert.same(list(a:sort(3):select(1, 1):select(1, 2)),
        list(a:sort(-1):select(1, 1):select(1, 2)))
    end
  end)

  it("writes into what it is given, which may be the input", function()
    local t = values(700, "i32", 9)
    local v = vector(t, "i32")
    local out = mascon.zeros(1400, "i32"):sub(-1, 1, -2)
    assert.equal(out, v:sort(nil, out))
    assert.same(sorted(t), list(out))
    local wide = mascon.zeros(700, "i64")
    assert.equal(wide, v:argsort(1, wide))
    assert.same(argsorted(t), list(wide))
    assert.equal(v, v:sort(1, v))
    assert.same(sorted(t), list(v))
  end)

  -- a line of 2^18 is sorted by all workers together
  it("does not depend on the number of threads", function()
    local n = 2 ^ 18 + 1000
    local long = mascon.random(3):integers(-1000, 1000, n, "i32")
    local odd = mascon.random(4):normal(n)
    local rows = mascon.random(5):integers(0, 9, 300, 900, "u8")
    local function all(threads)
      local opts, t = { threads = threads }, {}
      for _, a in ipairs { long, odd } do
        local s, ids = a:sort(1, nil, opts), a:argsort(1, nil, opts)
        local last, lastid = -inf, 0
        for i = 1, n do
          local x, id = s[i], ids[i]
          assert(x > last or (x == last and id > lastid))
          assert(a[id] == x)
          if i % 101 == 0 then t[#t + 1] = id end
          last, lastid = x, id
        end
      end
      local ids = rows:argsort(2, nil, opts)
      for i = 1, 300, 7 do
        for j = 1, 900, 11 do t[#t + 1] = ids(i, j) end
      end
      return t
    end
    local one = all(1)
    for _, threads in ipairs { 2, 3, 8 } do assert.same(one, all(threads)) end
  end)

  it("reports progress in lines", function()
    local last
    local opts = { threads = 2, progress = function(done, total) last = { done, total } end }
    mascon.zeros(50, 40):sort(2, nil, opts)
    assert.same({ 50, 50 }, last)
  end)

  it("refuses what makes no sense", function()
    local m = mascon.zeros(3, 4)
    local function refused(text, f)
      local ok, message = pcall(f)
      assert.is_false(ok)
      assert.is_truthy(message:find(text, 1, true), message)
    end
    refused("bad argument #1 to 'sort' (array expected, got table)",
      function() mascon.sort {} end)
    refused("bad argument #2 to 'sort' (axis 3 is outside 1 to 2)",
      function() mascon.sort(m, 3) end)
    refused("bad argument #2 to 'argsort' (axis 0 is outside 1 to 2)",
      function() mascon.argsort(m, 0) end)
    refused("bad argument #3 to 'sort' (f64 matrix 3 x 4 expected, got f64 matrix 4 x 3)",
      function() mascon.sort(m, 1, mascon.zeros(4, 3)) end)
    refused("bad argument #3 to 'argsort' (i32 matrix 3 x 4 expected, got f64 matrix 3 x 4)",
      function() mascon.argsort(m, 1, mascon.zeros(3, 4)) end)
    refused("bad argument #4 to 'sort' (unknown option 'axis')",
      function() mascon.sort(m, 1, nil, { axis = 1 }) end)
    refused("output overlaps an input partly",
      function() mascon.sort(m:narrow(2, 1, 3), 1, m:narrow(2, 2, 4)) end)
    refused("bad argument #2 to 'percentile' (number from 0 to 100 expected, got 101)",
      function() mascon.percentile(m, 101) end)
    refused("bad argument #4 to 'percentile' (f64 vector 4 expected, got f64 vector 3)",
      function() mascon.percentile(m, 50, 1, mascon.zeros(3)) end)
  end)
end)

describe("percentile", function()
  -- as NumPy interpolates
  local function percentile(t, p)
    local s = sorted(t)
    for _, x in ipairs(t) do if x ~= x then return "nan" end end
    if #s == 0 then return "nan" end
    local h = (#s - 1) * (p / 100)
    local lo = floor(h)
    local a, b, f = s[lo + 1] + 0.0, s[lo + 2], h - lo
    if f == 0 or a == b then return a end
    if f < 0.5 then return a + (b - a) * f end
    return b - (b - a) * (1 - f)
  end

  local function median(t)
    local s = sorted(t)
    local n = #s
    return n % 2 == 1 and s[floor(n / 2) + 1] + 0.0 or (s[n / 2] + s[n / 2 + 1]) / 2
  end

  local function f32(x) return (string.unpack("f", string.pack("f", x))) end

  it("agrees with the plain version", function()
    for _, dtype in ipairs(dtypes) do
      for _, n in ipairs { 1, 2, 3, 10, 32, 33, 101, 1000 } do
        local t = list(vector(values(n, dtype, n), dtype))
        local v = vector(t, dtype)
        local round = dtype == "f32" and f32 or function(x) return x end
        for _, p in ipairs { 0, 0.1, 25, 33.3, 50, 75, 99, 100 } do
          assert.equal(round(percentile(t, p)), v:percentile(p))
        end
        assert.equal(round(median(t)), v:median())
        assert.same(t, list(v))
      end
    end
  end)

  it("reduces an axis, or all", function()
    local whole = mascon.zeros(30, 42)
    local t = values(1260, "i32", 3)
    for i = 1, 30 do for j = 1, 42 do whole:set(i, j, t[(i - 1) * 42 + j]) end end
    local m = whole:t():narrow(1, 41, 1, -2)
    local all = {}
    for i = 1, 21 do for j = 1, 30 do all[#all + 1] = m(i, j) end end
    assert.equal(median(all), m:median())
    assert.equal(percentile(all, 10), m:percentile(10))
    local rows, cols = m:median(2), m:percentile(90, 1)
    assert.same({ 21 }, { rows:shape() })
    assert.same({ 30 }, { cols:shape() })
    for i = 1, 21 do assert.equal(median(list(m[i])), rows[i]) end
    for j = 1, 30 do assert.equal(percentile(list(m:t()[j]), 90), cols[j]) end
    local out = mascon.zeros(42):sub(-1, 1, -2)
    assert.equal(out, m:median(2, out))
    assert.same(list(rows), list(out))
    assert.same(list(rows), list(m:median(2, nil, { threads = 3 })))
  end)

  -- 2^18 elements of one result are shared by all workers
  it("agrees with sorting where there are many elements", function()
    local n = 2 ^ 18 + 77
    for _, dtype in ipairs(dtypes) do
      local v = mascon.random(6):integers(0, 255, n, "u8"):copy(dtype)
      if dtype == "f64" or dtype == "i64" then
        v = mascon.random(6):integers(-9e15, 9e15, n):copy(dtype)
      end
      local s = v:sort()
      for _, p in ipairs { 0, 31.7, 50, 100 } do
        local h = (n - 1) * (p / 100)
        local lo, f = floor(h), h % 1
        local a, b = s[lo + 1] + 0.0, (s[lo + 2] or 0) + 0.0
        local want = f == 0 and a or a == b and a or f < 0.5 and a + (b - a) * f
                     or b - (b - a) * (1 - f)
        if dtype == "f32" then want = f32(want) end
        for _, threads in ipairs { 1, 2, 8 } do
          assert.equal(want, v:percentile(p, nil, nil, { threads = threads }))
        end
      end
    end
    local m = mascon.random(7):normal(2, n)
    local whole = m:median()
    m = m:t()  -- all elements, by lines of two
    assert.equal(whole, m:median())
    local by = m:median(1)
    for i = 1, 2 do assert.equal(m:t()[i]:median(), by[i]) end
    m:set(n, 2, nan)
    by = m:median(1, by)
    assert.is_true(by[1] == by[1] and by[2] ~= by[2])
  end)

  it("is NaN where there is a NaN, or nothing", function()
    for _, dtype in ipairs { "f64", "f32" } do
      for _, x in ipairs { nan, -nan } do
        local v = vector({ 3, x, 1 }, dtype)
        local m, p = v:median(), v:percentile(0)
        assert.is_true(m ~= m and p ~= p)
      end
      local none = mascon.zeros(0, dtype):median()
      assert.is_true(none ~= none)
    end
    local rows = mascon.zeros(2, 0):median(2)
    assert.is_true(rows[1] ~= rows[1] and rows[2] ~= rows[2])
    assert.same({ 0 }, { mascon.zeros(0, 3):median(2):shape() })
  end)

  it("takes infinities and large numbers", function()
    assert.equal(inf, vector({ 1, inf, inf, 2 }, "f64"):percentile(90))
    assert.equal(-inf, vector { -inf, -inf, 3 }:median())
    assert.equal(-inf, vector { -inf, 3 }:median())
    assert.equal(1.7e308, vector { 1.7e308, 1.7e308 }:median())
    assert.equal(1.7e308 / 2 + 1.6e308 / 2, vector { 1.7e308, 1.6e308 }:median())
    assert.equal(0.0, vector { 1.7e308, -1.7e308 }:percentile(50))
  end)
end)

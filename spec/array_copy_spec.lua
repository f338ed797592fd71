local mascon = require "mascon"

local dtypes = { "f64", "f32", "i64", "i32", "u16", "u8" }

-- every element of a, by its indices, in row-major order
local function elements(a)
  local out, shape = {}, { a:shape() }
  local function walk(at, k)
    if k > #shape then out[#out + 1] = a(table.unpack(at)) return end
    for i = 1, shape[k] do
      at[k] = i
      walk(at, k + 1)
    end
  end
  walk({}, 1)
  return out
end

-- arrays of one shape, laid out in every way
local function layouts(t, ...)
  local shape = { ... }
  local n = 1
  for _, s in ipairs(shape) do n = n * s end
  local a = mascon.array(mascon.range(n), t):reshape(...)
  local wide = {}
  for k, s in ipairs(shape) do wide[k] = 2 * s + 1 end
  local loose = mascon.zeros(table.unpack(wide)):copy(t)
  for k in ipairs(shape) do loose = loose:narrow(k, 2, -1, 2) end
  local back = mascon.zeros(table.unpack(shape)):copy(t)
  for k in ipairs(shape) do back = back:narrow(k, nil, nil, -1) end
  local turned = {}
  for k, s in ipairs(shape) do turned[#shape + 1 - k] = s end
  local list = { a, loose, back, mascon.zeros(table.unpack(turned)):copy(t):t() }
  for k = 2, #list do list[k]:assign(a) end
  return list
end

describe("a copy", function()
  it("has the elements of any layout, for sizes around every block", function()
    for _, shape in ipairs { { 0 }, { 1 }, { 7 }, { 8191 }, { 8193 }, { 1, 5 }, { 5, 1 }, { 3, 0 },
      { 63, 65 }, { 64, 64 }, { 65, 130 }, { 3, 4, 5 }, { 2, 3, 4, 5 } } do
      local list = layouts("f64", table.unpack(shape))
      local want = list[1]:reshape(list[1].size):totable()
      for _, a in ipairs(list) do
        local b = a:copy()
        assert.same({ a:shape() }, { b:shape() })
        if b.size < 1000 then assert.same(want, elements(a)) end
        assert.same(want, b:reshape(b.size):totable())
        for _, out in ipairs(layouts("f64", table.unpack(shape))) do
          out:fill(-1)
          assert.same(want, out:assign(a):copy():reshape(b.size):totable())
        end
      end
    end
  end)

  it("converts between all dtypes", function()
    for _, from in ipairs(dtypes) do
      for _, to in ipairs(dtypes) do
        for _, a in ipairs(layouts(from, 9, 7)) do
          local b = a:copy(to)
          assert.equal(to, b.dtype)
          for i = 1, 9 do
            for j = 1, 7 do assert.equal((i - 1) * 7 + j, b(i, j)) end
          end
        end
      end
    end
  end)

  it("refuses what does not fit, and leaves the target alone", function()
    local big = { i64 = 2.0 ^ 63, i32 = 2 ^ 31, u16 = 65536, u8 = 256 }
    for to, limit in pairs(big) do
      for _, x in ipairs { limit, -limit * 2, 0.5, 0 / 0, 1 / 0, -1 / 0 } do
        for _, from in ipairs { "f64", "f32" } do
          for _, place in ipairs { 1, 100, 1000, 20001 } do
            local a = mascon.zeros(20001, from)
            local b = mascon.ones(20001, to)
            a[place] = x
            assert.error_matches(function() b:assign(a) end, "does not fit " .. to)
            assert.error_matches(function() a:copy(to) end, "does not fit " .. to)
            assert.equal(1, b[1])
            assert.equal(1, b[20001])
          end
        end
      end
    end
    for from, to in pairs { i64 = "i32", i32 = "u16", u16 = "u8" } do
      local a = mascon.zeros(1000, from)
      a[777] = math.tointeger(big[to])
      assert.error_matches(function() a:copy(to) end, "does not fit " .. to)
      a[777] = math.tointeger(big[to] - 1)
      assert.equal(math.tointeger(big[to] - 1), a:copy(to)[777])
    end
    local exact = mascon.array({ math.mininteger, math.maxinteger, -1 }, "i64")
    assert.same(exact:totable(), exact:copy():totable())
    assert.error_matches(function() exact:copy "i32" end, "does not fit")
    assert.error_matches(function() mascon.zeros(2):copy "i16" end, 'dtype "f64"')
  end)

  it("broadcasts as it is assigned", function()
    local m = mascon.zeros(3, 2, "i32")
    m:assign { 1, 2 }
    assert.same({ { 1, 2 }, { 1, 2 }, { 1, 2 } }, m:totable())
    m:assign { { 5 }, { 6 }, { 7 } }
    assert.same({ { 5, 5 }, { 6, 6 }, { 7, 7 } }, m:totable())
    m:assign(4)
    assert.same({ { 4, 4 }, { 4, 4 }, { 4, 4 } }, m:totable())
    assert.is_true(m:assign(1) == m)
    for _, bad in ipairs { mascon.zeros(3), mascon.zeros(1, 3, 2), mascon.zeros(2, 2), mascon.zeros(0) } do
      assert.error_matches(function() m:assign(bad) end, "does not broadcast to 3 x 2")
    end
    assert.error_matches(function() m:assign "x" end, "array, number or table expected")
    assert.error_matches(function() m:assign() end, "array, number or table expected")
  end)

  it("onto itself is as if the source had been copied first", function()
    local n = 3000
    for _, shift in ipairs { 1, 2, 63, 64, 65, 1000 } do
      local v, w = mascon.range(n), mascon.range(n)
      v:sub(1 + shift, n):assign(v:sub(1, n - shift))
      assert.equal(1, v[1])
      for i = 1 + shift, n do assert.equal(i - shift, v[i]) end
      w:sub(1, n - shift):assign(w:sub(1 + shift, n))
      for i = 1, n - shift do assert.equal(i + shift, w[i]) end
    end
    local v = mascon.range(n)
    v:assign(v:sub(n, 1, -1))
    for i = 1, n do assert.equal(n + 1 - i, v[i]) end
    local m = mascon.range(90 * 90):reshape(90, 90)
    local t = m:t():copy()
    m:assign(m:t())
    assert.same(t:totable(), m:totable())
    m:assign(m[7])
    for i = 1, 90 do assert.same(t[7]:totable(), m[i]:totable()) end
    m:assign(m)
    m:col(1):assign(m:col(2))
    assert.same(m:col(2):totable(), m:col(1):totable())
  end)

  it("between columns of one matrix needs no memory", function()
    local m = mascon.range(120):reshape(20, 6)
    local _, _, calls = mascon.memory()
    m:cols(3, 4):assign(m:cols(5, 6))
    m:col(1):assign(m:sub(20, 1, -1):col(2))
    m:narrow(2, 2, 6, 2):assign(m:narrow(2, 1, 5, 2))
    assert.equal(calls, (select(3, mascon.memory())))
    assert.same({ 116, 116, 5, 5, 5, 5 }, m[1]:totable())
    m:cols(1, 2):assign(m:cols(2, 3))  -- these do overlap
    assert.same({ 116, 5, 5, 5, 5, 5 }, m[1]:totable())
  end)

  it("has the same bits for any number of threads", function()
    local before = mascon.threads()
    local m = mascon.range(700 * 501):reshape(700, 501)
    local want = m:t():copy "f32":totable()
    for _, n in ipairs { 1, 2, 3, 8 } do
      mascon.threads(n)
      assert.same(want, m:t():copy "f32":totable())
      local b = mascon.zeros(700, 501, "u8")
      assert.error_matches(function() b:assign(m) end, "does not fit")
      assert.equal(0, b(1, 1))
    end
    mascon.threads(before)
  end)
end)

describe("a cast", function()
  it("rounds as it is told", function()
    local x = { 0.5, 1.5, 2.5, -0.5, -1.5, 2.4, 2.6, -2.4, -2.6, 7, 0x1p51 + 0.5, -0x1p52 + 0.5 }
    local want = {
      round = { 0, 2, 2, 0, -2, 2, 3, -2, -3, 7, 0x1p51, -0x1p52 },
      floor = { 0, 1, 2, -1, -2, 2, 2, -3, -3, 7, 0x1p51, -0x1p52 },
      ceil = { 1, 2, 3, 0, -1, 3, 3, -2, -2, 7, 0x1p51 + 1, -0x1p52 + 1 },
      trunc = { 0, 1, 2, 0, -1, 2, 2, -2, -2, 7, 0x1p51, -0x1p52 + 1 },
    }
    want.floor[12] = -0x1p52
    want.round[12] = -0x1p52
    for mode, w in pairs(want) do
      local got = mascon.array(x):cast("i64", mode)
      assert.equal("i64", got.dtype)
      for i = 1, #x do assert.equal(w[i], got[i], mode .. " of " .. x[i]) end
    end
    assert.same({ 0, 2, 2 }, mascon.array({ 0.5, 1.5, 2.5 }, "f32"):cast("u8"):totable())
  end)

  it("clips to the range", function()
    local x = mascon.array { -1 / 0, -1e30, -1, 0.4, 254.5, 255.5, 70000, 1e30, 1 / 0 }
    assert.same({ 0, 0, 0, 0, 254, 255, 255, 255, 255 }, x:cast("u8", "clip"):totable())
    assert.same({ 0, 0, 0, 0, 254, 256, 65535, 65535, 65535 }, x:cast("u16", "clip"):totable())
    local i64 = x:cast("i64", "clip")
    assert.equal(math.mininteger, i64[1])
    if not jit then assert.equal(math.maxinteger, i64[9]) end
    local i = mascon.array({ math.mininteger, -5, 300, math.maxinteger }, "i64")
    assert.same({ 0, 0, 255, 255 }, i:cast("u8", "clip"):totable())
    assert.same({ -2147483648, -5, 300, 2147483647 }, i:cast("i32", "clip"):totable())
  end)

  it("never lets NaN, or what is out of range, pass", function()
    for _, mode in ipairs { "round", "floor", "ceil", "trunc", "clip" } do
      local x = mascon.ones(5000)
      x[4321] = 0 / 0
      assert.error_matches(function() x:cast("i32", mode) end, "does not fit i32")
      x[4321] = 1e10
      if mode ~= "clip" then
        assert.error_matches(function() x:cast("i32", mode) end, "does not fit i32")
      end
    end
    local x = mascon.array { 1.25, 0 / 0, 1e300 }
    assert.equal(1 / 0, x:cast("f32")[3])
    assert.equal(1.25, x:cast("f32", "floor")[1])  -- floats have no need to round
    assert.error_matches(function() x:cast("i32", "up") end, "invalid option 'up'")
    assert.error_matches(function() x:cast() end, "#1.*value expected")
  end)
end)

describe("take", function()
  it("agrees with the plainest loop along every axis", function()
    for _, t in ipairs { "f64", "f32", "u16", "u8" } do
      for _, a in ipairs(layouts(t, 5, 7, 6)) do
        for axis = 1, 3 do
          local n = select(axis, a:shape())
          local ids = { n, 1, 1, 3, 2, n }
          for _, form in ipairs { ids, mascon.array(ids, "i32"), mascon.array(ids, "i64"),
            mascon.array(ids, "u16") } do
            local b = a:take(form, axis)
            for k, id in ipairs(ids) do
              assert.same(a:select(axis, id):totable(), b:select(axis, k):totable())
            end
          end
        end
      end
    end
    local v = mascon.range(10000)
    local r = v:take(mascon.range(10000, 1, -1, "i32"))
    for i = 1, 10000 do assert.equal(10001 - i, r[i]) end
    local wide = mascon.range(3000):reshape(100, 30)
    assert.same(wide:sub(100, 1, -1):totable(),
      wide:take(mascon.range(100, 1, -1, "i64")):totable())
    assert.same({}, v:take {}:totable())
  end)

  it("takes where a mask is set", function()
    local m = mascon.range(6, "i32"):reshape(2, 3)
    assert.same({ { 4, 5, 6 } }, m:take(mascon.array({ 0, 1 }, "u8")):totable())
    assert.same({ { 1, 3 }, { 4, 6 } }, m:take(mascon.array({ 1, 0, 9 }, "u8"), 2):totable())
    local mask = mascon.array({ { 0, 1, 0 }, { 1, 0, 1 } }, "u8")
    assert.same({ 2, 4, 6 }, m:take(mask):totable())
    assert.same({ 4, 2, 6 }, m:t():take(mask:t()):totable())
    assert.error_matches(function() m:take(mascon.zeros(3, "u8")) end, "mask of 3 for 2 slices")
  end)

  it("leaves the caller's ids alone and checks each", function()
    local v, ids = mascon.range(5), mascon.array({ 1, 5 }, "i32")
    v:take(ids)
    assert.same({ 1, 5 }, ids:totable())
    for _, bad in ipairs { 0, 6, -1, 2 ^ 31, math.maxinteger, math.mininteger } do
      assert.has_error(function() v:take { 1, bad } end,
        ("bad argument #1 to 'take' (id %d at 2 is outside 1 to 5)"):format(bad))
    end
    assert.error_matches(function() v:take { 1.5 } end, "1.5 does not fit i64")
    assert.error_matches(function() v:take(mascon.ones(2)) end, "integer vector of ids or u8 mask")
    assert.error_matches(function() v:take(1) end, "table of ids or u8 mask expected, got 1")
    assert.error_matches(function() v:take({ 1 }, 2) end, "axis 2 is outside")
  end)
end)

describe("nonzero", function()
  it("finds what is not zero, in order", function()
    local v = mascon.zeros(2000)
    for _, i in ipairs { 1, 512, 513, 1999, 2000 } do v[i] = i % 2 == 0 and 0 / 0 or 1e-300 end
    local ids = v:nonzero()
    assert.equal("i32", ids.dtype)
    assert.same({ 1, 512, 513, 1999, 2000 }, ids:totable())
    assert.same({ 1, 2, 1488, 1489, 2000 }, v:sub(2000, 1, -1):nonzero():totable())
    assert.same({}, mascon.full(3, -0.0):nonzero():totable())
    assert.same({}, mascon.zeros(0):nonzero():totable())
    local m = mascon.array({ { 0, 1 }, { 1, 1 } }, "u8")
    assert.same({ { 1, 2 }, { 2, 1 }, { 2, 2 } }, m:nonzero():totable())
    assert.same({ { 1, 2 }, { 2, 1 }, { 2, 2 } }, m:t():nonzero():totable())
    local d = mascon.eye(3):reshape(3, 1, 3)
    assert.same({ { 1, 1, 1 }, { 2, 1, 2 }, { 3, 1, 3 } }, d:nonzero():totable())
  end)
end)

describe("concat and stack", function()
  local a, b = mascon.array({ { 1, 2 } }, "i32"), mascon.array({ { 3, 4 }, { 5, 6 } }, "u8")

  it("join along any axis, in a dtype that holds all", function()
    local c = mascon.concat(1, a, b)
    assert.equal("i32", c.dtype)
    assert.same({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, c:totable())
    assert.same({ { 3, 4, 3, 5 }, { 5, 6, 4, 6 } }, mascon.concat(2, b, b:t()):totable())
    assert.same({ { 3, 4, 3, 4 }, { 5, 6, 5, 6 } }, mascon.concat(-1, { b, b }):totable())
    assert.equal("f64", mascon.concat(1, a, a:copy "f32").dtype)
    assert.same({ 1, 2 }, mascon.concat(1, mascon.zeros(0), mascon.range(2)):totable())
    local many = {}
    for i = 1, 3000 do many[i] = mascon.full(1, i) end
    assert.same(mascon.range(3000):totable(), mascon.concat(1, many):totable())
  end)

  it("stack on a new axis", function()
    assert.same({ { 1, 2 }, { 3, 4 } }, mascon.stack(a[1], b[1]):totable())
    assert.same({ 2, 2, 2 }, { mascon.stack(b, b):shape() })
    assert.same({ { 1, 2 } }, mascon.stack { a[1] }:totable())
  end)

  it("say what does not fit", function()
    assert.error_matches(function() mascon.concat(2, a, b) end, "#3 .*u8 matrix 2 x 2 does not fit 1 x 2")
    assert.error_matches(function() mascon.concat(1, a, a[1]) end, "i32 vector 2 does not fit 1 x 2")
    assert.error_matches(function() mascon.stack(a, b) end, "#2 .*does not fit 1 x 2")
    assert.error_matches(function() mascon.concat(3, a, a) end, "axis 3 is outside 1 to 2")
    assert.error_matches(function() mascon.concat(1) end, "array expected, got no value")
    assert.error_matches(function() mascon.concat(1, {}) end, "array expected, got no value")
    assert.error_matches(function() mascon.concat(1, a, 5) end, "#3 .*array expected, got 5")
    assert.error_matches(function() mascon.stack(mascon.zeros(1, 1, 1, 1)) end, "4 axes already")
  end)
end)

describe("totable", function()
  it("nests a table for each axis", function()
    assert.same({ { { 1, 2 }, { 3, 4 } } }, mascon.range(4):reshape(1, 2, 2):totable())
    assert.same({ {}, {} }, mascon.zeros(2, 0):totable())
    local t = mascon.range(1000000, "i32"):totable()
    assert.equal(1000000, #t)
    assert.equal("integer", math.type(t[999999]))
  end)
end)

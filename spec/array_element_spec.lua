local mascon = require "mascon"

describe("an element", function()
  local v, m

  before_each(function()
    v = mascon.array({ 10, 20, 30 }, "i32")
    m = mascon.array { { 1, 2, 3 }, { 4, 5, 6 } }
  end)

  it("is read and written at every boundary by one rule", function()
    for i, want in pairs { [1] = 10, [3] = 30, [-1] = 30, [-3] = 10 } do
      assert.equal(want, v[i])
      v[i] = want + 1
      assert.equal(want + 1, v[i])
      v:set(i, want)
      assert.equal(want, v:get(i))
      assert.equal(want, v(i))
    end
    assert.equal(10, v[1.0])
    assert.is_nil(v[4])  -- so that ipairs ends
    for _, i in ipairs { 0, -4, 5, 2 ^ 32 + 1, 2 ^ 53, 2 ^ 63, -2 ^ 63, 1.5, 0 / 0, 1 / 0,
      math.maxinteger, math.mininteger } do
      assert.error_matches(function() return v[i] end, "index .* is outside 1 to 3")
    end
    for _, i in ipairs { 0, 4, -4, 2 ^ 32 + 1, 1.5, 0 / 0, math.mininteger } do
      assert.error_matches(function() v[i] = 1 end, "index .* is outside 1 to 3")
      assert.has_error(function() v:get(i) end)
      assert.has_error(function() v:set(i, 1) end)
    end
    assert.same({ 10, 20, 30 }, v:totable())
  end)

  it("ends ipairs", function()
    if jit then return pending "LuaJIT's ipairs takes tables only" end
    local seen = {}
    for i, x in ipairs(v) do seen[i] = x end
    assert.same({ 10, 20, 30 }, seen)
    seen = {}
    for _, row in ipairs(m) do seen[#seen + 1] = row:totable() end
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, seen)
    assert.is_nil(mascon.zeros(0)[1])
  end)

  it("needs an index for every axis", function()
    assert.equal(6.0, m(2, 3))
    assert.equal(6.0, m:get(-1, -1))
    m:set(2, 1, 9)
    assert.equal(9.0, m(2, 1))
    local message = "2 indices expected for f64 matrix 2 x 3, got "
    assert.error_matches(function() return m(1) end, message .. 1)
    assert.error_matches(function() return m(1, 2, 3) end, message .. 3)
    assert.error_matches(function() m:set(1, 2) end, message .. 1)
    assert.error_matches(function() return m(3, 1) end, "index 3 is outside 1 to 2")
    local d = mascon.range(120):reshape(2, 3, 4, 5)
    assert.equal(((2 - 1) * 3 + 1) * 20 + 2 * 5 + 4, d(2, 2, 3, 4))
  end)

  it("is stored exactly or not at all", function()
    local cases = {
      { "u8", { 0, 255, 1.0, 255.0 }, { -1, 256, 0.5, 1e10, 0 / 0, 1 / 0, -1 / 0 } },
      { "u16", { 0, 65535 }, { -1, 65536, 65535.5 } },
      { "i32", { -2 ^ 31, 2 ^ 31 - 1, 12.0 }, { 2 ^ 31, -2 ^ 31 - 1, 12.3, 0 / 0 } },
      { "i64", { math.mininteger, math.maxinteger, -2.0 ^ 63 }, { 2.0 ^ 63, 0.5, 1e300, 0 / 0 } },
      { "f32", { 1.5, 1e300, -1 / 0, 7 }, {} },
      { "f64", { 1.5, 0.1, 2 ^ 53 }, {} },
    }
    for _, c in ipairs(cases) do
      local a, b = mascon.zeros(2, c[1]), mascon.zeros(1, 2, c[1])
      for _, x in ipairs(c[2]) do
        a[1] = x
        if c[1]:find "^[iu]" or c[1] == "f64" then assert.equal(x, a[1]) end
        b[1] = x
        assert.equal(a[1], b(1, 2))
        assert.equal(a[1], mascon.array({ x }, c[1])[1])
        assert.equal(a[1], a:copy():fill(x)[2])
      end
      a[1] = 5
      for _, x in ipairs(c[3]) do
        local message = "does not fit " .. c[1] .. " exactly"
        assert.error_matches(function() a[1] = x end, message)
        assert.error_matches(function() a:set(1, x) end, message)
        assert.error_matches(function() a:fill(x) end, message)
        assert.error_matches(function() b[1] = x end, message)
        assert.error_matches(function() mascon.array({ x }, c[1]) end, message)
        assert.equal(5, a[1])
      end
    end
    assert.error_matches(function() v[1] = "1" end, 'number expected, got "1"')
    assert.error_matches(function() v[1] = nil end, "number expected, got nil")
    assert.error_matches(function() v:set(1, true) end, "number expected, got boolean")
  end)

  it("has a type of its dtype", function()
    if jit then return pending "LuaJIT has one type of numbers" end
    assert.equal("integer", math.type(v[1]))
    assert.equal("float", math.type(m(1, 1)))
    assert.equal("float", math.type(mascon.ones(1, "f32")[1]))
    assert.equal("integer", math.type(mascon.ones(1, "u8")[1]))
  end)

  it("is a row where there are more axes", function()
    m[1] = { 7, 8, 9 }
    assert.same({ { 7, 8, 9 }, { 4, 5, 6 } }, m:totable())
    m[2] = 0
    assert.same({ 0, 0, 0 }, m[2]:totable())
    m[-1] = m[1]
    assert.same({ 7, 8, 9 }, m[2]:totable())
    m[1] = v
    assert.same({ 10, 20, 30 }, m[1]:totable())
    assert.error_matches(function() m[1] = { 1, 2 } end, "vector 2 does not broadcast to 3")
    assert.error_matches(function() m[1] = "x" end, "array, number or table expected")
    assert.error_matches(function() m[3] = 0 end, "index 3 is outside 1 to 2")
    local d = mascon.zeros(2, 2, 3)
    d[2] = { 1, 2, 3 }
    assert.same({ { 1, 2, 3 }, { 1, 2, 3 } }, d[2]:totable())
  end)
end)

describe("a field", function()
  local m = mascon.zeros(2, 3, "u16")

  it("tells what the array is", function()
    assert.equal("u16", m.dtype)
    assert.equal(2, m.ndim)
    assert.equal(6, m.size)
    assert.equal(2, m.nrows)
    assert.equal(3, m.ncols)
    assert.equal(2, #m)
    assert.same({ 2, 3 }, { m:shape() })
    assert.is_false(m.readonly)
    assert.equal("integer", math.type(m:addr()))
    assert.equal(m:addr() + 6, m[2]:addr())
    local v = mascon.zeros(4)
    assert.equal(4, v.nrows)
    assert.equal(1, v.ncols)
  end)

  it("is a name, a number is an element", function()
    assert.equal("function", type(m.copy))
    assert.error_matches(function() return m["1"] end, "no field or method '1'")
    assert.error_matches(function() return m.nosuch end, "no field or method 'nosuch'")
    assert.error_matches(function() m:nosuch() end, "no field or method 'nosuch'")
    assert.error_matches(function() return m[{}] end, "number or a name, got table")
    assert.error_matches(function() return m[true] end, "number or a name, got boolean")
    assert.error_matches(function() m.dtype = "f64" end, "no field 'dtype' to set")
    assert.error_matches(function() m["1"] = 1 end, "no field '1' to set")
    local mask = mascon.ones(2, "u8")
    local text = "index is a number or a name, got u8 vector 2"
    assert.error_matches(function() return m[mask] end, text)
    assert.error_matches(function() m[mask] = 1 end, text)
    assert.equal("mascon.array", getmetatable(m))
    assert.has_error(function() setmetatable(m, {}) end)
  end)
end)

describe("equality", function()
  it("is the same elements seen the same way", function()
    local a = mascon.range(12):reshape(3, 4)
    assert.is_true(a == a)
    assert.is_true(a[2] == a:row(2))
    assert.is_true(a:t():t() == a)
    assert.is_true(a:sub(1, -1) == a:rows(1, 3))
    assert.is_false(a[1] == a[2])
    assert.is_false(a == a:copy())
    assert.is_false(a == a:t())
    assert.is_false(a == a:reshape(4, 3))
    assert.is_false(a:col(1) == a:row(1):sub(1, 3))
    assert.is_false(a == io.stdout)
    assert.is_false(io.stdout == a)
    assert.is_false(a == 1)
    assert.is_false(a == {})
    local b = mascon.zeros(1)
    b:close()
    assert.is_false(a == b)
    assert.is_true(b == b)
  end)
end)

describe("a closed array", function()
  it("is an error to use, not to close again", function()
    local a = mascon.range(10)
    local v = a:sub(2, 4)
    a:close()
    a:close()
    for _, f in ipairs {
      function() return a[1] end, function() a[1] = 1 end, function() return #a end,
      function() return a.dtype end, function() return a(1) end, function() a:fill(1) end,
      function() return a:copy() end, function() return v:assign(a) end,
      function() return a:sub(1, 2) end, function() return a:totable() end,
      function() return mascon.concat(1, v, a) end, function() return v:take(a) end,
    } do
      assert.error_matches(f, "array is closed")
    end
    assert.same({ 2, 3, 4 }, v:totable())
    assert.equal("closed array", tostring(a))
  end)

  it("are closed by the end of their block", function()
    if _VERSION ~= "Lua 5.4" then return pending "a variable of Lua 5.4" end
    local block = assert(load "local a <close> = ...; a[1] = 2; return a")
    local a = block(mascon.zeros(3))
    assert.error_matches(function() return a[1] end, "array is closed")
  end)
end)

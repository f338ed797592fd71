local mascon = require "mascon"

local dtypes = { "f64", "f32", "i64", "i32", "u16", "u8" }

local function shape(a) return { a:shape() } end

describe("constructors", function()
  it("make what they say, in every dtype", function()
    for _, t in ipairs(dtypes) do
      assert.equal(t, mascon.zeros(2, t).dtype)
      assert.same({ { 0, 0, 0 }, { 0, 0, 0 } }, mascon.zeros(2, 3, t):totable())
      assert.same({ 1, 1 }, mascon.ones(2, t):totable())
      assert.same({ { 7 }, { 7 } }, mascon.full(2, 1, 7, t):totable())
      assert.same({ 4, 5 }, shape(mascon.empty(4, 5, t)))
      assert.same({ { 1, 0 }, { 0, 1 } }, mascon.eye(2, t):totable())
      assert.same({ { 1, 0, 0 }, { 0, 1, 0 } }, mascon.eye(2, 3, t):totable())
      assert.same({ { 1, 0 }, { 0, 1 }, { 0, 0 } }, mascon.eye(3, 2, t):totable())
      assert.same({ 1, 2, 3 }, mascon.range(3, t):totable())
      assert.same({ 0, 5, 10 }, mascon.linspace(0, 10, 3, t):totable())
      assert.same({ 1, 2, 3 }, mascon.array({ 1, 2, 3 }, t):totable())
    end
    assert.equal("f64", mascon.zeros(1).dtype)
    assert.equal("f64", mascon.array { 1 }.dtype)
  end)

  it("take 1 to 4 sizes, 0 among them", function()
    assert.same({ 2, 3, 4, 5 }, shape(mascon.zeros(2, 3, 4, 5)))
    assert.same({ 0 }, shape(mascon.zeros(0)))
    assert.same({ 3, 0 }, shape(mascon.ones(3, 0)))
    assert.same({ 0, 0 }, shape(mascon.eye(0)))
    assert.error_matches(function() mascon.zeros() end, "1 to 4 sizes expected")
    assert.error_matches(function() mascon.zeros(1, 1, 1, 1, 1) end, "1 to 4 sizes expected")
    assert.error_matches(function() mascon.zeros(2, -1) end, "#2 .*size %-1 is negative")
    assert.error_matches(function() mascon.zeros(1.5) end, "no integer representation")
    assert.error_matches(function() mascon.zeros({}) end, "number expected, got table")
    assert.error_matches(function() mascon.zeros(2 ^ 40, 2 ^ 40) end, "exceeds")
    assert.error_matches(function() mascon.zeros(1, "i8") end, 'dtype "f64".* got "i8"')
    assert.error_matches(function() mascon.full(2, "f32") end, "1 to 4 sizes")
    assert.error_matches(function() mascon.full(2, 1.5, "i32") end, "1.5 does not fit i32 exactly")
  end)

  it("read nested tables", function()
    assert.same({ 2, 2, 2, 2 }, shape(mascon.array {
      { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } },
      { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } } }))
    assert.same({ 0 }, shape(mascon.array {}))
    assert.same({ 2, 0 }, shape(mascon.array { {}, {} }))
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } },
      mascon.array({ 1, 2, 3, 4, 5, 6 }, 2, 3, "i32"):totable())
    assert.same({ { 1, 2 }, { 3, 4 }, { 5, 6 } },
      mascon.array({ { 1, 2, 3 }, { 4, 5, 6 } }, 3, 2):totable())
    local a = mascon.array({ 2, 3 }, "u8")
    local b = mascon.array(a)
    assert.equal("u8", b.dtype)
    assert.is_false(a == b)
    assert.equal("f32", mascon.array(a, "f32").dtype)
    local big = {}
    for i = 1, 100000 do big[i] = i end
    assert.same(big, mascon.array(big, "i32"):totable())
  end)

  it("name the element that is wrong", function()
    local function message(...)
      return (select(2, pcall(mascon.array, ...)):match "%((.*)%)$")
    end
    assert.equal("element [2]: 1 elements, 2 expected", message { { 1, 2 }, { 3 } })
    assert.equal("element [2]: table expected, got 3", message { { 1, 2 }, 3 })
    assert.equal("element [2][1]: number expected, got \"x\"", message { { 1 }, { "x" } })
    assert.equal("element [1]: 1.5 does not fit u8 exactly", message({ 1.5 }, "u8"))
    assert.equal("element [2]: -1 does not fit u16 exactly", message({ 1, -1 }, "u16"))
    assert.equal("element [1]: 300 does not fit u8 exactly", message({ 300 }, "u8"))
    assert.equal("element [2]: number expected, got {2}", message { 1, { 2 } })
    assert.equal("table or array expected, got 1", message(1))
    local deep = 1
    for _ = 1, 200 do deep = { deep } end
    assert.equal("tables are nested more than 4 deep", message(deep))
    assert.error_matches(function() mascon.array({ 1, 2, 3 }, 2, 2) end,
      "3 elements do not fit 2 x 2")
    local knot = {}
    knot[1] = knot
    assert.equal("tables are nested more than 4 deep", message(knot))
  end)

  it("count ranges as 'for' does", function()
    local function list(first, last, step)
      local t = {}
      for x = first, last, step do t[#t + 1] = x end
      return t
    end
    for _, r in ipairs { { 1, 5, 1 }, { 5, 1, -2 }, { 1, 0, 1 }, { 0, 0, 3 }, { -3, 3, 2 },
      { 1, 2000, 3 }, { math.maxinteger - 2, math.maxinteger, 1 },
      { math.mininteger, math.maxinteger, math.maxinteger },
      { math.mininteger + 1, math.mininteger, -1 } } do
      if _VERSION == "Lua 5.4" or math.abs(r[2] + 0.0) < 2 ^ 53 then  -- no loop for ever
        local want = list(r[1], r[2], r[3])
        assert.same(want, mascon.range(r[1], r[2], r[3], "i64"):totable())
      end
    end
    assert.equal(11, #mascon.range(0, 1, 0.1))
    assert.equal(4, #mascon.range(0, 0.3, 0.1))
    assert.same({ 1.5, 1.0, 0.5 }, mascon.range(1.5, 0.5, -0.5):totable())
    assert.error_matches(function() mascon.range(1, 2, 0) end, "step is 0")
    assert.error_matches(function() mascon.range(0, 1, 0.5, "i32") end, "exact")
    assert.error_matches(function() mascon.range(1, 300, 1, "u8") end, "exact")
    assert.error_matches(function() mascon.range(0, 1 / 0) end, "too many")
    assert.error_matches(function() mascon.range(0 / 0, 1) end, "got nan")
    assert.error_matches(function() mascon.range("1", 2) end, 'number expected, got "1"')
    local n = 40000
    local a, b = mascon.range(n), mascon.range(n, "i32")
    for _, i in ipairs { 1, 511, 512, 513, 16384, 16385, n } do
      assert.equal(i, a[i])
      assert.equal(i, b[i])
    end
  end)

  it("hit both ends of a linspace", function()
    for _, n in ipairs { 2, 3, 7, 10, 513, 1000 } do
      local a = mascon.linspace(0.1, 0.7, n)
      assert.equal(0.1, a[1])
      assert.equal(0.7, a[n])
      assert.equal(n, #a)
    end
    -- ends whose distance no double holds
    local most = 1.7e308
    for _, n in ipairs { 2, 3, 4, 5, 11, 1000 } do
      local a = mascon.linspace(-most, most, n)
      assert.same({ -most, most }, { a[1], a[n] })
      for i = 2, n do
        assert.is_true(math.abs((a[i] / 2 - a[i - 1] / 2) / (most / (n - 1)) - 1) < 1e-10)
      end
    end
    assert.same({ -1e308, 0, 1e308 }, mascon.linspace(-1e308, 1e308, 3):totable())
    assert.same({ 3.0 }, mascon.linspace(3, 9, 1):totable())
    assert.same({}, mascon.linspace(3, 9, 0):totable())
    assert.error_matches(function() mascon.linspace(0, 1, -1) end, "negative")
    assert.has_error(function() mascon.linspace(0, 1, 3, "u8") end,
      "0.5 does not fit u8 exactly")
    assert.has_error(function() mascon.linspace(0, 1.5, 4, "i32") end,
      "0.5 does not fit i32 exactly")
    assert.has_error(function() mascon.linspace(0, 1.5, 2, "i32") end,
      "1.5 does not fit i32 exactly")
    assert.has_error(function() mascon.range(250, 260, 3, "u8") end,
      "256 does not fit u8 exactly")
  end)
end)

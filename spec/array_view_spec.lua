local mascon = require "mascon"

describe("a view", function()
  local m

  before_each(function() m = mascon.range(12, "i32"):reshape(3, 4) end)

  it("shares the elements", function()
    m:row(2):fill(0)
    m:col(1):fill(-1)
    m:block(1, 2, 3, 4):assign { { 70, 80 }, { 90, 100 } }
    m:t():set(4, 3, 7)
    assert.same({ { -1, 2, 70, 80 }, { -1, 0, 90, 100 }, { -1, 10, 11, 7 } }, m:totable())
    m:sub(3, 1, -2):assign { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }
    assert.same({ { 5, 6, 7, 8 }, { -1, 0, 90, 100 }, { 1, 2, 3, 4 } }, m:totable())
  end)

  it("is what its name says", function()
    assert.same({ 5, 6, 7, 8 }, m:row(2):totable())
    assert.same({ 5, 6, 7, 8 }, m[2]:totable())
    assert.same({ 3, 7, 11 }, m:col(3):totable())
    assert.same({ 4, 8, 12 }, m:col(-1):totable())
    assert.same({ { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }, m:rows(1, 2):totable())
    assert.same({ { 2, 3, 4 }, { 6, 7, 8 }, { 10, 11, 12 } }, m:cols(2, -1):totable())
    assert.same({ { 6, 7 }, { 10, 11 } }, m:block(2, 3, 2, 3):totable())
    assert.same({ { 9, 10, 11, 12 }, { 1, 2, 3, 4 } }, m:sub(-1, 1, -2):totable())
    assert.same({ { 4, 2 }, { 8, 6 }, { 12, 10 } }, m:narrow(2, 4, 1, -2):totable())
    assert.same(m:col(2):totable(), m:select(2, 2):totable())
    assert.same(m:col(2):totable(), m:select(-1, 2):totable())
    assert.same(m:cols(2, 3):totable(), m:narrow(-1, 2, 3):totable())
    assert.same({ { 1, 5, 9 }, { 2, 6, 10 }, { 3, 7, 11 }, { 4, 8, 12 } }, m:t():totable())
    local v = mascon.range(3)
    assert.is_true(v:t() == v)
  end)

  it("of every slice agrees with the plainest loop", function()
    local n = 7
    local v = mascon.range(n, "i32")
    for first = 1, n do
      for last = 1, n do
        for _, step in ipairs { 1, 2, 3, -1, -2, -3, 10, -10, math.maxinteger, math.mininteger } do
          local want = {}
          local i = first
          while step > 0 and i <= last or step < 0 and i >= last do
            want[#want + 1] = i
            if math.abs(step) > n or step == math.mininteger then break end
            i = i + step
          end
          if (last - first) * (step > 0 and 1 or -1) >= -1 then
            assert.same(want, v:sub(first, last, step):totable())
            assert.same(want, v:sub(first - n - 1, last - n - 1, step):totable())
          else
            assert.error_matches(function() v:sub(first, last, step) end, "slice from")
          end
        end
      end
    end
    assert.same({}, v:sub(1, 0):totable())
    assert.same({}, v:sub(n + 1, n):totable())
    assert.same({}, v:sub(n + 1, -1):totable())
    assert.same({}, v:sub(0, 1, -1):totable())
    assert.same({}, mascon.zeros(0):sub(1, 0):totable())
    assert.same({ 7, 6, 5, 4, 3, 2, 1 }, v:sub(nil, nil, -1):totable())
    assert.same({ 3, 4, 5, 6, 7 }, v:sub(3):totable())
  end)

  it("never reaches beyond its parent", function()
    local v = mascon.zeros(5)
    for _, r in ipairs { { 0, 2 }, { 1, 6 }, { -6, 2 }, { 2, 0xFFFFFFFE }, { 6, 6 }, { 7, 6 },
      { 1, math.maxinteger }, { math.mininteger, 1 }, { math.maxinteger, math.maxinteger } } do
      assert.has_error(function() v:sub(r[1], r[2]) end)
      assert.has_error(function() v:sub(r[2], r[1], -1) end)
    end
    assert.error_matches(function() v:sub(1, 6) end, "#2 .*index 6 is outside 1 to 5")
    assert.error_matches(function() v:sub(1, 5, 0) end, "step is 0")
    assert.error_matches(function() m:row(4) end, "index 4 is outside 1 to 3")
    assert.error_matches(function() m:col(0) end, "index 0 is outside 1 to 4")
    assert.error_matches(function() m:select(3, 1) end, "axis 3 is outside 1 to 2")
    assert.error_matches(function() m:narrow(0, 1, 1) end, "axis 0 is outside 1 to 2")
    assert.error_matches(function() v:col(1) end, "array of 2 or more axes expected, got f64 vector 5")
    assert.error_matches(function() v:row(1) end, "array of 2 or more axes")
  end)

  it("permutes axes", function()
    local d = mascon.range(24, "i32"):reshape(2, 3, 4)
    local p = d:permute(3, 1, 2)
    assert.same({ 4, 2, 3 }, { p:shape() })
    for i = 1, 2 do
      for j = 1, 3 do
        for k = 1, 4 do assert.equal(d(i, j, k), p(k, i, j)) end
      end
    end
    assert.is_true(m:permute(2, 1) == m:t())
    assert.same({ 4, 3, 2 }, { d:t():shape() })
    assert.error_matches(function() m:permute(1) end, "2 axes expected for .*, got 1")
    assert.error_matches(function() m:permute(1, 1) end, "axis is named twice")
    assert.error_matches(function() m:permute(1, 3) end, "axis 3 is outside")
  end)

  it("reshapes where strides allow it", function()
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 }, { 10, 11, 12 } },
      m:reshape(4, 3):totable())
    assert.same({ 2, 6 }, { m:reshape(2, -1):shape() })
    assert.same({ 12 }, { m:reshape(-1):shape() })
    assert.same({ 1, 3, 2, 2 }, { m:reshape(1, 3, 2, -1):shape() })
    assert.same({ { { 1, 2 }, { 3, 4 } }, { { 9, 10 }, { 11, 12 } } },
      m:sub(1, 3, 2):reshape(2, 2, 2):totable())
    assert.same({ { 4, 3 }, { 2, 1 } }, m:row(1):sub(4, 1, -1):reshape(2, 2):totable())
    assert.error_matches(function() m:t():reshape(12) end, "copy first")
    assert.same({ 1, 5, 9, 2 }, m:t():copy():reshape(12):sub(1, 4):totable())
    assert.error_matches(function() m:reshape(5, 3) end, "12 elements do not fit 5 x 3")
    assert.error_matches(function() m:reshape(5, -1) end, "12 elements do not fit 5 x %-1")
    assert.error_matches(function() m:reshape(-1, -1) end, "negative")
    assert.error_matches(function() m:reshape() end, "1 to 4 sizes")
    assert.same({ 0, 5 }, { mascon.zeros(0, 3):reshape(0, 5):shape() })
    assert.error_matches(function() mascon.zeros(0, 3):reshape(0, -1) end, "do not fit")
  end)

  it("anchors the memory, not the handle", function()
    local v = mascon.ones(1000):sub(7, -7)
    collectgarbage()
    collectgarbage()
    local sum = 0
    for i = 1, #v do sum = sum + v[i] end
    assert.equal(988, sum)
  end)
end)

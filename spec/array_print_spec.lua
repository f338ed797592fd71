local mascon = require "mascon"

describe("printing", function()
  it("shows dtype, shape, whether it is a view, and aligned columns", function()
    local m = mascon.array { { 1, 2.5, -3 }, { 4, 1e5, 0 / 0 } }
    assert.equal("f64 matrix 2 x 3\n 1      2.5  -3\n 4 100000.0 nan", tostring(m))
    assert.equal("f64 vector 2, view\n      2.5 100000.0", tostring(m:col(2)))
    assert.equal("u8 vector 3\n   1  20 255", tostring(mascon.array({ 1, 20, 255 }, "u8")))
    assert.equal("f64 vector 0", tostring(mascon.zeros(0)))
    assert.equal("i32 matrix 3 x 0", tostring(mascon.zeros(3, 0, "i32")))
    assert.equal("i32 3-D array 2 x 1 x 2, view\n[1]\n 1 2\n[2]\n 3 4",
      tostring(mascon.range(4, "i32"):reshape(2, 1, 2)))
    assert.equal("i64 vector 2\n  9223372036854775807 -9223372036854775808",
      tostring(mascon.array({ math.maxinteger, math.mininteger }, "i64")))
  end)

  it("writes nan, inf and -0 the same everywhere", function()
    assert.equal("f64 vector 5\n  inf -inf  nan  nan   -0",
      tostring(mascon.array { 1 / 0, -1 / 0, 0 / 0, -(0 / 0), -0.0 }))
    assert.match("nan", tostring(mascon.array({ -(0 / 0) }, "f32")))
    assert.is_nil(tostring(mascon.array { -(0 / 0) }):find "-")
  end)

  it("wraps vectors", function()
    local longest = 0
    for line in tostring(mascon.range(1000)):gmatch "[^\n]+" do
      longest = math.max(longest, #line)
    end
    assert.is_true(longest <= 80)
  end)

  it("shows the corners above 1000 elements, whatever the size", function()
    assert.equal("f64 vector 1001\n    1    2    3 ...  999 1000 1001",
      tostring(mascon.range(1001)))
    local m = mascon.zeros(10000, 10000, "u8")  -- pages never touched
    m:set(1, 1, 1)
    m:set(-1, -1, 9)
    assert.equal([[
u8 matrix 10000 x 10000
 1 0 0 ... 0 0 0
 0 0 0 ... 0 0 0
 0 0 0 ... 0 0 0
 ...
 0 0 0 ... 0 0 0
 0 0 0 ... 0 0 0
 0 0 0 ... 0 0 9]], tostring(m))
    m:close()
    local d = mascon.zeros(10, 10, 10, 10)
    assert.is_true(#tostring(d) < 2000)
    assert.match("\n%[1%]%[1%]\n", tostring(d))
    assert.match("\n%[10%]%[10%]\n", tostring(d))
    assert.match("^f64 matrix 1 x 2000\n 0 0 0 %.%.%. 0 0 0$", tostring(mascon.zeros(1, 2000)))
  end)

  it("uses a point in every locale", function()
    local before = os.setlocale(nil, "numeric")
    local set
    for _, name in ipairs { "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "ps_AF.UTF-8" } do
      set = set or os.setlocale(name, "numeric")
    end
    local text = tostring(mascon.array { 1.5, -2.25 })
    os.setlocale(before, "numeric")
    assert.equal("f64 vector 2\n  1.50 -2.25", text)
    if not set then pending "no locale with a comma is installed" end
  end)

  it("chooses digits that tell", function()
    assert.equal("f64 vector 3\n 0.001000 0.500000 0.333333",
      tostring(mascon.array { 0.001, 0.5, 1 / 3 }))
    assert.match("1e%+20", tostring(mascon.array { 1e20, 1 }))
    assert.match("1e%-300", tostring(mascon.array { 1e-300 }))
  end)
end)

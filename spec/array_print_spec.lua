local mascon = require "mascon"
local shell = require "spec.shell"

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
    assert.equal("i64 vector 2\n  9223372036854774784 -9223372036854775808",
      tostring(mascon.array({ 2 ^ 63 - 1024, -2 ^ 63 }, "i64")))
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
    assert.equal("f64 matrix 0 x 1000000000000", tostring(mascon.zeros(0, 1e12)))
    local d = mascon.zeros(10, 10, 10, 10)
    assert.is_true(#tostring(d) < 2000)
    assert.match("\n%[1%]%[1%]\n", tostring(d))
    assert.match("\n%[10%]%[10%]\n", tostring(d))
    assert.match("^f64 matrix 1 x 2000\n 0 0 0 %.%.%. 0 0 0$", tostring(mascon.zeros(1, 2000)))
  end)

  -- B58, B59: the locale is set after mascon is loaded, and changes
  it("uses a point in every locale", function()
    local dir = shell.folder()
    finally(function() shell.remove(dir) end)
    local comma = shell.comma(dir)
    if not comma then return pending "no locale can be made (Debian: locales)" end
    local path = shell.write(dir .. "/l.lua", [[
      local mascon = require "mascon"
      local v = mascon.array { 1.5, -2.25 }
      for _, locale in ipairs { "C", "de_DE.UTF-8", "C", "de_DE.UTF-8" } do
        assert(os.setlocale(locale))
        print(("%.1f"):format(0.5), v, v:cast("i32", "floor"))
      end]])
    local out = shell.run(comma .. shell.mascon .. " " .. path)
    local text = "f64 vector 2\n  1.50 -2.25\ti32 vector 2\n  1 -3\n"
    local comma5 = jit and "0.5\t" or "0,5\t"  -- LuaJIT's own texts have points
    assert.equal(("0.5\t" .. text .. comma5 .. text):rep(2), out)
  end)

  it("chooses digits that tell", function()
    assert.equal("f64 vector 3\n 0.001000 0.500000 0.333333",
      tostring(mascon.array { 0.001, 0.5, 1 / 3 }))
    assert.match("1e%+20", tostring(mascon.array { 1e20, 1 }))
    assert.match("1e%-300", tostring(mascon.array { 1e-300 }))
  end)
end)

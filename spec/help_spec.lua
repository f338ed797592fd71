-- help, and the reference part of the manual: one source

local mascon = require "mascon"
local manual = require "mascon.help"
local shell = require "spec.shell"

describe("help", function()
  local h = manual.all()

  -- is something said about the name?
  local function described(name)
    local e = h.byname[name]
    return e and #table.concat(e.text) >= 5
  end

  it("says something about every public name", function()
    for name, value in pairs(mascon) do
      assert.is_truthy(described("mascon." .. name), name)
      for part in pairs(type(value) == "table" and value or {}) do
        assert.is_truthy(type(part) ~= "string" or described(("mascon.%s.%s"):format(name, part)),
          name .. "." .. part)
      end
    end
    local methods = debug.getmetatable(mascon.zeros(1)).methods
    for name in pairs(methods) do assert.is_truthy(described("Array." .. name), name) end
  end)

  it("shows signature, text, example, options and results", function()
    local text = manual.textof "gauss"
    assert.matches("^mascon%.gauss%(yw, xw, y0, x0, sy, sx %[, opts%]%) %-> g\n\n", text)
    assert.matches("\n    local g = mascon%.gauss%(", text)
    assert.matches("\n  sample%?  +\"point\"|\"integrated\"  ", text)
    assert.matches("\n  threads%?  +integer  ", text)  -- of the class below
    assert.matches("\nReturns\n  g  mascon%.Array$", text)
  end)

  it("knows functions and values of ours, and names", function()
    local topn = manual.textof "mascon.topn"
    assert.equal(topn, manual.textof(mascon.topn))
    assert.equal(topn, manual.textof " topn() ")
    local a = mascon.zeros(2)
    assert.equal(manual.textof "Array:take", manual.textof(a.take))
    assert.equal(manual.textof "mascon.sum", manual.textof "Array.sum")
    assert.equal(manual.textof "Array", manual.textof(a))
    assert.matches("Methods\n.* totable", manual.textof(a))
    assert.matches("^mascon%.random%(seed%)", manual.textof(mascon.random))
    assert.matches("^mascon%.Random\n.*uniform", manual.textof(mascon.random(1)))
    assert.matches("^mascon%.csr\n.*nnz.*take",
      manual.textof(mascon.csr({ 0 }, mascon.zeros(0, "i32"), 1, { base = 0 })))
    assert.matches("^mascon %d+%.%d+%.%d+\n", manual.textof(mascon))
    assert.matches("^mascon%.csv\n", manual.textof(mascon.csv))
    assert.equal("nothing is known of 'xyzzy'", manual.textof "xyzzy")
    assert.matches("nothing is known of this function", manual.textof(print))
    assert.matches("mascon%.argsort\n", manual.textof "argso" .. "\n" .. manual.textof "sort" ..
      "\nmascon.argsort\n")
    assert.matches("!time", manual.textof(nil))
    for _, odd in ipairs { "", "%", "(", "[a", "a.b.c", ("x"):rep(1000), 1, true, {} } do
      assert.equal("string", type(manual.textof(odd)))
    end
  end)

  it("needs no files in the program", function()
    local out, err = shell.run("cd / && env -u LUA_PATH " .. "$OLDPWD/" .. shell.mascon ..
      " -e 'help = mascon.help help \"topn\"'")
    assert.matches("^mascon%.topn%(.*Options", out)
    assert.equal("", err)
  end)
end)

describe("the reference", function()
  it("is what the annotations say (else: make docs)", function()
    assert.is_true(manual.reference() == shell.read "lua/REFERENCE.md",
      "lua/REFERENCE.md is stale: run 'make docs'")
  end)
end)

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

describe("an example", function()
  -- names that examples take as given
  local function given()
    local r = mascon.random(1)
    local env = { m = r:normal(5, 30), v = r:normal(8), a = r:normal(4, 4), b = r:normal(4, 4),
      users = r:normal(2, 3), items = r:normal(12, 3), x = r:uniform(9), y = r:uniform(9),
      z = r:uniform(9), image = r:uniform(6, 6),
      seen = mascon.csr({ 0, 1, 1 }, { 1 }, 12, { base = 0 }),
      L = mascon.locs.new({ x = r:uniform(9), y = r:uniform(9), photons = r:uniform(9),
        sx = 9, sy = 9, frame = mascon.range(9) }, { unit = "nm", pixel_size = 100 }),
      help = function() end, print = function() end, assert = assert }
    env.mascon = setmetatable({ show = function() end, threads = function() end,
      printoptions = function() end }, { __index = mascon })
    return env
  end

  it("runs, unless it is about files", function()
    local count = 0
    for _, e in ipairs(manual.all().entries) do
      local lines = {}
      for _, line in ipairs(e.text) do
        line = line:match "^    (.*)$"
        if line then
          line = line:gsub("%s*%-%-.*$", "")
          lines[#lines + 1] = load("return " .. line) and "local _ = " .. line or line
        end
      end
      local text = table.concat(lines, "\n")
      if #lines > 0 and not text:find "%.%a+\"" then
        local env = given()
        env.m = e.name == "mascon.topn" and mascon.random(1):normal(2, 12) or env.m
        local f, why = load(text, e.name, "t", env)
        assert(f, why)
        local ok, message = pcall(f)
        assert(ok, ("%s: %s\n%s"):format(e.name, message, text))
        count = count + 1
      end
    end
    assert.is_true(count > 15)
  end)
end)

describe("the reference", function()
  it("is what the annotations say (else: make docs)", function()
    assert.is_true(manual.reference() == shell.read "lua/REFERENCE.md",
      "lua/REFERENCE.md is stale: run 'make docs'")
  end)
end)

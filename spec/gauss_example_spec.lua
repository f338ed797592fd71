local mascon = require "mascon"

local shell = require "spec.shell"

local function run(args)
  local out, _, code = shell.run(("%s examples/gauss.lua %s 2>&1"):format(shell.mascon, args))
  return code == 0, out
end

describe("examples/gauss.lua", function()
  it("writes what gauss draws", function()
    local name = os.tmpname()
    local file = name .. ".npy"
    assert.same({ true, "" }, { run("9 12 4.5 5 1.5 2 --integrated --edge --weight 3 --f32 -o "
                                    .. file) })
    local got = assert(mascon.load(file))
    local want = mascon.gauss(9, 12, 4.5, 5, 1.5, 2, { sample = "integrated",
      origin = "edge", weight = 3, dtype = "f32" })
    assert.equal("f32", got.dtype)
    assert.same(want:totable(), got:totable())
    local grey = name .. ".pgm"
    assert.same({ true, "" }, { run("9 12 4.5 -5 1.5 2 --peak -o " .. grey) })
    assert.matches("^P5\n", shell.read(grey))
    for _, n in ipairs { name, file, grey } do os.remove(n) end
  end)

  it("shows it, and its help", function()
    local ok, text = run "4 6 2 3 1 1 --show"
    assert.is_true(ok)
    assert.equal("  :-: \n .=#=.\n", text)  -- no terminal: no colours
    ok, text = run "--help"
    assert.is_true(ok)
    assert.is_truthy(text:find "^usage: gauss.lua")
  end)

  it("says what is wrong", function()
    for args, message in pairs {
      ["1 2 3"] = "ROWS COLUMNS Y X SIGMA_Y SIGMA_X expected",
      ["5 5 2 2 1 1"] = "nothing to do",
      ["5 5 2 2 1 1 7 --show"] = "'7' is one number too many",
      ["5 5 2 2 a 1 --show"] = "SIGMA_Y: a number expected, got 'a'",
      ["5 5 2 2 1 1 --shows"] = "unknown option '--shows'",
      ["5 5 2 2 1 1 -o"] = "-o needs a value",
      ["5 5 2 2 1 1 -o x.jpg"] = "ends in .npy or .pgm expected, got 'x.jpg'",
      ["5 5 2 2 -1 1 --show"] = "SIGMA_Y: sigma >= 0 expected, got -1",
      ["10.5 5 2 2 1 1"] = "ROWS: a whole number expected, got '10.5'",
      ["5 5 2 2 1 -1"] = "SIGMA_X: sigma >= 0 expected, got -1",
      ["5 5 none 2 1 1"] = "Y: a number expected, got 'none'",
      ["5 5 2 2 1 1 -o /nowhere/x.npy"] = "/nowhere/x.npy: ",
    } do
      local ok, text = run(args)
      assert.is_false(ok)
      assert.is_truthy(text:find("gauss.lua: ", 1, true), text)
      assert.is_truthy(text:find(message, 1, true), text)
      assert.is_falsy(text:find "traceback")
    end
  end)
end)

local mascon = require "mascon"
local shell = require "spec.shell"

describe("examples/fullsize.lua", function()
  local function run(args)
    return shell.run(("%s examples/fullsize.lua %s"):format(shell.mascon, args))
  end

  it("recommends the same at any batch size and number of threads, small", function()
    local first, name = nil, os.tmpname()
    for _, how in ipairs { "--threads 1 --batch 7", "--threads 2" } do
      local out, err, code = run("--users 300 --items 500 --rank 5 -n 4 --norms lognormal " ..
        "--check 20 --quiet -o " .. name .. " " .. how)
      assert.same({ "", 0 }, { err, code })
      assert.matches("^300 users x 500 items, rank 5, n 4, lognormal, ", out)
      assert.matches("\nwall time +[%d.]+ s, %d+ users/s\n", out)
      local ids = assert(mascon.load(name))
      assert.same({ 300, 4 }, { ids:shape() })
      assert.is_true(ids:ge(1):land(ids:le(500)):all())
      first = first or ids
      assert.same(first:totable(), ids:totable())
    end
    os.remove(name)
  end)

  it("says what is wrong", function()
    for args, text in pairs {
      ["--norms flat"] = "norms: gaussian or lognormal expected, got 'flat'",
      ["x"] = "'x' is no option; see --help",
      ["--users 0"] = "--users: an integer from 1 to 2147483583 expected, got '0'"
    } do
      assert.same({ "", "fullsize.lua: " .. text .. "\n", 2 }, { run(args) })
    end
  end)
end)

-- examples/parallel.lua: script code in a parallel loop, and never a wrong row

local mascon = require "mascon"

local shell = require "spec.shell"

local command = shell.mascon .. " examples/parallel.lua --quiet "

describe("examples/parallel.lua", function()
  it("finds what topn finds, with any number of threads", function()
    for _, threads in ipairs { 1, 2, 3, 8 } do
      local out, err, code = shell.run(("%s --rows 300 --columns 70 --threads %d --chunk 3")
        :format(command, threads))
      assert.same({ "", 0 }, { err, code })
      assert.matches("^300 rows x 70 columns, threads: " .. threads .. ", .* wrong rows: 0\n$", out)
    end
  end)

  it("reads scores and writes ids", function()
    local name = os.tmpname()
    local scores, ids = name .. ".npy", name .. ".ids.npy"
    finally(function()
      for _, path in ipairs { name, scores, ids } do os.remove(path) end
    end)
    local m = mascon.random(7):integers(0, 9, 40, 6):copy "f32"  -- many equal ones
    m[3][2] = 0 / 0
    m:save(scores)
    local out, err, code = shell.run(("%s %s -n 8 -o %s --scaling"):format(command, scores, ids))
    assert.same({ "", 0 }, { err, code })
    assert.matches("wrong rows: 0\none thread: ", out)
    assert.same(mascon.topn(m, 8):totable(), mascon.load(ids):totable())
  end)

  it("says what is wrong", function()
    for args, message in pairs {
      ["a.npy b.npy"] = "one file or none expected, got 2",
      ["nowhere.npy"] = "nowhere.npy: No such file or directory",
      ["--threads 0"] = "--threads: an integer from 1 to 1024 expected, got '0'",
      ["--chunk 1.5"] = "--chunk: an integer from 1 to 2147483648 expected, got '1.5'",
      ["-n"] = "-n needs a value",
    } do
      local out, err, code = shell.run(command .. args)
      assert.equal("", out)
      assert.is_true(code == 1 or code == 2)
      assert.is_truthy(err:find("^parallel%.lua: ") and err:find(message, 1, true), err)
    end
  end)
end)

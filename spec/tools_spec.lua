-- tools of the program: how they are found, what they say
local shell = require "spec.shell"

describe("a tool", function()
  local dir, program

  local function run(args)
    return shell.run(("cd %s && %s %s"):format(dir, program, args))
  end

  setup(function()
    dir = shell.folder()
    program = shell.run(("realpath %s"):format(shell.mascon)):match "[^\n]*"
  end)
  teardown(function() shell.remove(dir) end)

  local names = {}
  for name in shell.run(shell.mascon .. " -h"):match "tools[^\n]*\n(.*)":gmatch "  (%l+)  [^\n]+\n" do
    names[#names + 1] = name
  end

  it("is listed", function()
    assert.same({ "gauss", "info", "recommend", "render" }, names)
    for _, name in ipairs(names) do
      assert.matches("\n%.B " .. name .. "\n", shell.read "src/app/mascon.1")
      assert.matches("`mascon " .. name .. "`", shell.read "examples/README.md")
    end
  end)

  for _, name in ipairs(names) do
    it("has help, and refuses what it does not know: " .. name, function()
      for _, option in ipairs { "--help", "-h" } do
        local out, err, code = run(name .. " " .. option)
        assert.same({ "", 0 }, { err, code })
        assert.matches("^usage: mascon " .. name .. " [^\n]*\n", out)
        assert.is_nil(out:find("TOOL", 1, true))
      end
      local out, err, code = run(name .. " --bogus")
      assert.same({ "", "mascon " .. name .. ": unknown option '--bogus'; --help lists them\n", 2 },
        { out, err, code })
      out, err, code = run(name)
      assert.same({ "", 2 }, { out, code })
      assert.matches("^mascon " .. name .. ": [^\n]*expected[^\n]*see %-%-help[^\n]*\n$", err)
    end)
  end

  it("runs in any folder, before a folder of its name, after a file", function()
    assert.same({ " @ \n", "", 0 }, { run "gauss 1 3 0 1 0 0 --show" })
    assert.same({ " @ \n", "", 0 }, { run "-e 'x = 1' gauss 1 3 0 1 0 0 --show" })
    assert.is_truthy(os.execute("mkdir " .. dir .. "/gauss"))
    assert.same({ " @ \n", "", 0 }, { run "gauss 1 3 0 1 0 0 --show" })
    os.execute("rmdir " .. dir .. "/gauss")
    shell.write(dir .. "/gauss", "print('mine', ...)")
    assert.same({ "mine\t1\n", "", 0 }, { run "gauss 1" })
    os.remove(dir .. "/gauss")
  end)

  it("is not every name", function()
    local _, err, code = run "gaus"
    assert.equal(1, code)
    assert.matches(": cannot open gaus.*, and there is no such tool %(%-h lists them%)\n$", err)
    for _, name in ipairs { "nofile.lua", "./gauss", "tools/gauss" } do
      _, err, code = run(name)
      assert.equal(1, code)
      assert.matches("cannot open " .. name:gsub("%p", "%%%0") .. "[^,]*$", err)
    end
  end)

  it("tells of output that cannot be written", function()
    if not shell.exists "/dev/full" then return pending "there is no /dev/full" end
    local _, err, code = run "gauss 1 3 0 1 0 0 --show >/dev/full"
    assert.equal(1, code)
    assert.matches("^mascon gauss: [^\n]*No space[^\n]*\n$", err)
  end)
end)

local shell = require "spec.shell"

local mascon = shell.mascon

describe("the program", function()
  local function script(text, args)
    local path = shell.file(text)
    local out, err, code = shell.run(("%s %s %s"):format(mascon, path, args or ""))
    os.remove(path)
    return out, err:gsub(path, "SCRIPT"), code
  end

  it("runs a script with its arguments", function()
    local out, err, code = script(
      "#!/usr/bin/env mascon\nprint(arg[1], arg[2], #arg, arg[-1] ~= nil, ...)", "a 'b c'")
    assert.same({ "a\tb c\t2\ttrue\ta\tb c\n", "", 0 }, { out, err, code })
  end)

  it("has mascon without any file", function()
    local path = "LUA_PATH=/nowhere LUA_CPATH=/nowhere "
    local out, err = shell.run(path .. mascon ..
      [[ -e 'print(mascon.zeros(2, 3):shape(), require "mascon" == mascon)']])
    assert.same({ "2\ttrue\n", "" }, { out, err })
  end)

  it("shows an error with a traceback and exits with 1", function()
    local _, err, code = script("local function f() error 'no' end\nf()")
    assert.equal(1, code)
    assert.matches(": SCRIPT:1: no\nstack traceback:\n", err)
    assert.matches("SCRIPT:2: in main chunk\n\t%[C%]: [^\n]*\n$", err)
    _, err, code = script("error(setmetatable({}, {__tostring = function() return 'mine' end}))")
    assert.equal(1, code)
    assert.matches(": mine\n$", err)
    _, err = script("error {}")
    assert.matches("%(error object is a table value%)", err)
    _, err, code = script("x = = 1")
    assert.equal(1, code)
    assert.matches(": SCRIPT:1: unexpected symbol near '='\n$", err)
    _, err, code = shell.run(mascon .. " /nowhere.lua")
    assert.equal(1, code)
    assert.matches("cannot open /nowhere.lua", err)
  end)

  it("exits as the script says", function()
    local _, _, code = script("os.exit(7, true)")
    assert.equal(7, code)
  end)

  it("takes the options of lua, in their order", function()
    local function check(expected, options, input)
      local out, err, code = shell.run(mascon .. " " .. options, input)
      assert.same({ expected, "", 0 }, { out, err, code })
    end
    check("1\n2\n", "-e 'print(1)' -e'print(2)'")
    check("table\n", "-l string -e 'print(type(string))'")
    check("8\n", "-l m=mascon -e 'print(m.zeros(8).size)'")
    check("3\t-\tx\n", "- x", "print(3, arg[0], ...)")
    check("4\n", "", "print(4)")
    check("5\n", "-e 'a = 5' -", "print(a)")
    check("6\n", "-E -W -", "print(6)")
    check("y\n", "-- /dev/stdin y", "print(...)")
    local out, _, code = shell.run(mascon .. " -v")
    assert.equal(0, code)
    assert.matches("^mascon %d+%.%d+%.%d+ %(Lua[JIT]* %d[^ )]*%)\n$", out)
  end)

  it("names a bad option", function()
    for option, text in pairs {
      ["-x"] = "unrecognized option '-x'", ["--helps"] = "unrecognized option '--helps'",
      ["-vv"] = "unrecognized option '-vv'", ["-e"] = "'-e' needs argument",
      ["-l"] = "'-l' needs argument",
    } do
      local out, err, code = shell.run(mascon .. " " .. option)
      assert.same({ "", 1 }, { out, code })
      assert.matches(text, err, 1, true)
      assert.matches("usage: ", err, 1, true)
    end
  end)

  it("shows its usage when asked", function()
    for _, options in ipairs { "-h", "--help", "-E --help -x" } do
      local out, err, code = shell.run(mascon .. " " .. options)
      assert.same({ "", 0 }, { err, code })
      assert.matches("^usage: .* %[options%] %[script %[args%]%]\n", out)
    end
    local out = shell.run("echo 'print(...)' | " .. mascon .. " - --help")
    assert.equal("--help\n", out)
  end)

  it("obeys LUA_INIT", function()
    local out = shell.run("LUA_INIT='print(1)' " .. mascon .. " -e 'print(2)'")
    assert.equal("1\n2\n", out)
    local path = shell.file "print(3)"
    out = shell.run("LUA_INIT" .. _VERSION:gsub("Lua (%d)%.(%d)", "_%1_%2") ..
      "=@" .. path .. " LUA_INIT='print(1)' " .. mascon .. " -e ''")
    assert.equal("3\n", out)
    out = shell.run("LUA_INIT='print(1)' " .. mascon .. " -E -e 'print(2)'")
    assert.equal("2\n", out)
    os.remove(path)
    local _, err, code = shell.run("LUA_INIT='error(1)' " .. mascon .. " -e ''")
    assert.equal(1, code)
    assert.matches("LUA_INIT", err)
  end)
end)

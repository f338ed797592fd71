local shell = require "spec.shell"
local prompt = require "mascon.prompt"

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

describe("a session of the prompt", function()
  -- the chunks, errors and history that lines make
  local function session(lines)
    local i, history, seen = 0, {}, {}
    local s = prompt.new(function(text)
      i = i + 1
      seen[#seen + 1] = text
      return lines[i]
    end, function(line) history[#history + 1] = line end)
    return s, history, seen
  end

  it("compiles expressions and statements", function()
    local s = session { "1 + 1, 'a'", "mascon_x = 3", "return 5", "", "-- nothing" }
    assert.same({ 2, "a" }, { s:read()() })
    assert.same({}, { s:read()() })
    assert.equal(3, rawget(_G, "mascon_x"))
    rawset(_G, "mascon_x", nil)
    assert.equal(5, s:read()())
    assert.same({}, { s:read()() })
    assert.same({}, { s:read()() })
    assert.is_nil(s:read())
  end)

  it("takes a statement of several lines", function()
    local s, history, seen = session { "for i = 1, 2 do", "", "end", "(1", "+ 2)" }
    assert.is_function(s:read())
    assert.equal(3, s:read()())
    assert.same({ "for i = 1, 2 do", "", "end", "(1", "+ 2)" }, history)
    assert.same({ "> ", ">> ", ">> ", "> ", ">> " }, seen)
  end)

  it("says what is wrong", function()
    local s = session { ")", "for", false, "if x", nil }
    assert.same({ false, "stdin:1: unexpected symbol near ')'" }, { s:read() })
    assert.same({ false }, { s:read() })
    local chunk, message = s:read()
    assert.same({ false, "stdin:1: 'then' expected near <eof>" },
      { chunk, (message:gsub("'<eof>'", "<eof>")) })
  end)
end)

describe("the prompt", function()
  it("reads lines plainly where there is no terminal", function()
    local out, err, code = shell.run(mascon .. " -i",
      "1 + 1\nfor i = 1, 2 do\nprint(i)\nend\nerror 'no'\n)\nnil, 'last'")
    assert.matches("^mascon .-\n2\n1\n2\nnil\tlast\n$", out)
    assert.matches("^[^\n]*no\nstack traceback:\n\t.*\nstdin:1: unexpected symbol near '%)'\n$", err)
    if not jit then  -- which forgets who made a tail call
      assert.matches("^stdin:1: no\n.-\tstdin:1: in main chunk\n\t%[C%]: in %?\n", err)
    end
    assert.equal(0, code)
  end)

  it("lives on a terminal", function()
    if not shell.has "script" then return pending "there is no 'script' here" end
    local past = shell.file "'from ' .. 'before'\n"
    local s = shell.session(("TERM=xterm MASCON_HISTORY=%s %s"):format(past, mascon))
    finally(function()
      s:close()
      os.remove(past)
    end)
    s:expect "mascon "
    s:expect "> "
    s:send "6 * 7\n"
    s:expect "\n42"
    s:expect "> "
    s:send "for i = 1, 2 do\n"
    s:expect ">> "
    s:send "print('no ' .. i) end\n"
    s:expect "\nno 2"
    s:expect "> "
    s:send "x = nil + 1\n"
    s:expect "stdin:1: attempt to"
    s:expect "> "
    s:send "given up\3"  -- Ctrl-C clears the line
    s:expect "\n"
    s:expect "> "
    s:send "\27[A\27[A\27[A\27[A\27[A\n"  -- five up: what an earlier session did
    s:expect "\nfrom before"
    s:expect "> "
    s:send "a = mascon.zeros(2000, 2000) while true do a:matmul(a) io.write '.' io.flush() end\n"
    s:expect "\n."
    s:send "\3"
    s:expect "interrupted"
    s:expect "> "
    s:send "'still ' .. 'here'\n"
    s:expect "\nstill here"
    s:expect "> "
    s:send "\4"
    s:close()
    assert.matches("'still ' %.%. 'here'\n$", shell.read(past))
  end)
end)

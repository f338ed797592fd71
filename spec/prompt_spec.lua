-- the prompt: what it reads, shows and completes; sessions on a terminal

local mascon = require "mascon"
local prompt = require "mascon.prompt"
local shell = require "spec.shell"

local program = shell.mascon

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

  it("times, and says what it does not know", function()
    local s = session { "!time 6 * 7", "!time x_x = 1", "! time (1", ")", "!tim 1" }
    local said = {}
    local real = print
    _G.print = function(text) said[#said + 1] = text end
    finally(function() _G.print = real end)
    assert.equal(42, s:read()())
    s:read()()
    assert.equal(1, s:read()())
    assert.equal(3, #said)
    for _, text in ipairs(said) do assert.matches("^[%d.e+]+ [num]?s$", text) end
    assert.same({ false, "there is no command '!tim', only !time" }, { s:read() })
    rawset(_G, "x_x", nil)
  end)

  -- what the statements print, one string each
  local function printed(lines)
    local s, out = session(lines), {}
    local real = print
    _G.print = function(...)
      local t = { n = select("#", ...), ... }
      for i = 1, t.n do t[i] = tostring(t[i]) end
      out[#out + 1] = table.concat(t, "\t")
    end
    finally(function()
      _G.print = real
      rawset(_G, "_", nil)
    end)
    for _ = 1, #lines do s:show(s:read()()) end
    return out
  end

  it("shows values, silently with ';', and keeps the last one", function()
    assert.same({ "1\tnil\t2", "1", "a", "7", "7" },
      printed { "1, nil, 2", "_", "'a'", "'b';", "3 + 4", "nil;", "_ ;", "_" })
  end)

  it("shows what tables hold, in one line", function()
    rawset(_G, "mascon_a", mascon.zeros(2))
    rawset(_G, "mascon_t", mascon.range(50):totable())
    assert.same({ '{1, 2, "a", [10] = true, x = {...}, y = {}}', "{f64 vector 2}", "{}x" },
      printed { "{1, 2, 'a', x = {1}, y = {}, [10] = true}", "{mascon_a}",
        "setmetatable({}, {__tostring = function() return '{}x' end})" })
    local text = printed { "mascon_t" }[1]
    assert.matches("^{1%.?0?, 2%.?0?, .*, 40%.?0?, %.%.%.}$", text)
    rawset(_G, "mascon_a", nil)
    rawset(_G, "mascon_t", nil)
  end)

  it("does not keep older results alive", function()
    local weak = setmetatable({}, { __mode = "v" })
    local s = session { "mascon_make()", "1" }
    rawset(_G, "mascon_make", function()
      weak[1] = mascon.zeros(3)
      return weak[1]
    end)
    local real = print
    _G.print = function() end
    s:show(s:read()())
    s:show(s:read()())
    _G.print = real
    rawset(_G, "mascon_make", nil)
    rawset(_G, "_", nil)
    collectgarbage()
    collectgarbage()
    assert.is_nil(weak[1])
  end)
end)

describe("Tab", function()
  local folders = { ["."] = { "data.npy", "data.csv", "docs/", ".hidden" },
                    ["docs/"] = { "one two.npy" },
                    ["odd/"] = { "a\27]0;x\7", 'q"u\\o', "\195\169a", "\195\168b" } }
  local s = prompt.new(error, error, function(folder) return folders[folder] or {} end)

  setup(function()
    rawset(_G, "mascon_x", { array = mascon.zeros(3), name = "n", nested = { deep = 1 },
      call = function() end, ["not a name"] = 1 })
    rawset(_G, "mascon", mascon)
  end)
  teardown(function() rawset(_G, "mascon_x", nil) end)

  -- what is inserted; the words that are listed
  local function tab(text)
    local insert, list = s:complete(text)
    local words = {}
    for word in (list or ""):gmatch "[^%s]+" do words[#words + 1] = word end
    return insert, table.concat(words, " ")
  end

  it("completes globals, fields and keywords", function()
    assert.same({ "", "mascon mascon_x" }, { tab "print(mascon" })
    assert.same({ "n", "" }, { tab "mascon.top" })
    assert.same({ "", "topn topn_stream" }, { tab "x = mascon.topn" })
    assert.equal("stream", (tab "mascon.topn_"))
    assert.equal("tion", (tab "func"))
    assert.same({ "", "name nested" }, { tab "mascon_x.n" })
    assert.equal("p", (tab "mascon_x.nested.dee"))
    assert.equal("all", (tab "mascon_x:c"))
    assert.equal("", (tab "mascon_x:n"))
  end)

  it("completes methods and fields of arrays and of our values", function()
    assert.equal("able", (tab "mascon_x.array:tot"))
    assert.equal("pe", (tab "mascon_x.array.dty"))
    rawset(_G, "mascon_y", mascon.random(1))
    assert.equal("orm", (tab "mascon_y:unif"))
    rawset(_G, "mascon_y", mascon.csr({ 0, 1 }, { 1 }, 2, { base = 0 }))
    assert.same({ "", "indices indptr" }, { tab "mascon_y.ind" })
    assert.equal("e", (tab "mascon_y:tak"))
    rawset(_G, "mascon_y", mascon.locs.new { x = mascon.zeros(1), y = mascon.zeros(1) })
    assert.equal("ter", (tab "mascon_y:fil"))
    rawset(_G, "mascon_y", "text")
    assert.equal("ub", (tab "mascon_y:gs"))
    rawset(_G, "mascon_y", nil)
  end)

  it("completes names of files inside strings", function()
    assert.same({ "", "data.csv\" data.npy\"" }, { tab 'mascon.load("data.' })
    assert.equal('py"', (tab 'mascon.load("data.n'))
    assert.equal("cs/", (tab "mascon.load 'do"))
    assert.equal("e two.npy'", (tab "mascon.load 'docs/on"))
    assert.equal("dden'", (tab "f'.hi"))
    assert.equal("", (tab "mascon.load('x') da"))
    assert.same({ "", "q\"u\\\\o' \195\168b' \195\169a'" }, { tab "'odd/" })
    assert.equal('\\"u\\\\o"', (tab '"odd/q'))
  end)

  it("calls nothing and raises nothing", function()
    local trap = setmetatable({}, { __index = error, __pairs = error, __len = error,
      __tostring = error, __eq = error, __concat = error, __name = {} })
    rawset(_G, "mascon_y", setmetatable({ trap = trap }, { __index = trap }))
    for _, text in ipairs { "", ".", ":", "..", "a.b.c.", "mascon_y.x", "mascon_y.trap.x",
      "mascon_y.trap:x", "f().", "f():x", "1.", "1e", "nil.x", "'", '"\\', "'\\'", "a['", "\255\0.",
      ("a."):rep(1000), ("("):rep(1000), "_G._G._G.ma", "mascon_x.array.x.y", "?mas", "!time mas" } do
      local insert, list = s:complete(text)
      assert.equal("string", type(insert), text)
      assert.is_true(list == nil or type(list) == "string")
    end
    math.randomseed(3)
    for _ = 1, 300 do
      local bytes = {}
      for i = 1, math.random(12) do bytes[i] = math.random(0, 255) end
      assert.equal("string", type((s:complete(string.char((table.unpack or unpack)(bytes))))))
    end
    rawset(_G, "mascon_y", nil)
    assert.equal("", (prompt.new(error, error, error):complete "'x"))
  end)
end)

describe("a session on a terminal", function()
  local dir, s

  -- XDG_STATE_HOME in a folder that is not there yet
  local function start(more)
    s = shell.session(("env -u MASCON_HISTORY TERM=xterm XDG_STATE_HOME=%s/a/b %s %s"):format(dir,
      more or "", program))
    s:expect "mascon "
    s:expect "> "
  end

  local function ask(text, answer)
    s:send(text)
    s:expect(answer)
    s:expect "> "
  end

  setup(function() dir = shell.folder() end)
  teardown(function() shell.remove(dir) end)
  after_each(function() if s then s:close() end end)

  it("completes, continues, helps and remembers", function()
    if not shell.has "script" then return pending "there is no 'script' here" end
    start()
    ask("1 + 41\n", "\n42")
    ask("_ * 2\n", "\n84")
    ask("mascon.zer\t(2, 3).size\n", "\n6")
    ask("a = mascon.ones(7)\n", "")
    ask("a:tot\t()[7] + 1\n", "\n2")
    s:send "mascon.topn\t"
    s:expect "topn_stream"
    s:expect "> mascon.topn"
    s:send "\3"
    s:expect "\n"
    s:expect "> "
    ask("?topn\n", "The best `n` of every row.")
    ask("help(mascon.gauss)\n", "mascon.gauss(")
    s:send "for i = 1, 2 do\n"
    s:expect ">> "
    ask("print('at ' .. i) end\n", "\nat 2")
    s:send "\4"
    s:close()
    local path = dir .. "/a/b/mascon/history"
    assert.matches("^1 %+ 41\n_ %* 2\n", shell.read(path))
    start()
    s:send "\18+ 4"  -- Ctrl-R
    ask("\n\n", "\n42")
  end)

  it("stops a long kernel and goes on", function()
    if not shell.has "script" then return pending "there is no 'script' here" end
    start()
    ask("a = mascon.zeros(2000, 2000)\n", "")
    s:send "repeat a:matmul(a) io.write '.' io.flush() until false\n"
    s:expect "\n."
    s:send "\3"
    s:expect "interrupted"
    s:expect "> "
    ask("'still ' .. 'here'\n", "\nstill here")
    s:send "\4"
  end)
end)

describe("the prompt", function()
  it("reads lines plainly where there is no terminal", function()
    local out, err, code = shell.run(program .. " -i",
      "1 + 1\nfor i = 1, 2 do\nprint(i)\nend\nerror 'no'\n)\nnil, 'last'")
    assert.matches("^mascon .-\n2\n1\n2\nnil\tlast\n$", out)
    if not jit then  -- which forgets who made a tail call
      assert.equal("stdin:1: no\nstdin:1: unexpected symbol near ')'\n", err)
    end
    assert.equal(0, code)
  end)

  it("shows the calls of the user's code after an error, and goes on", function()
    local path = shell.file "function deep(n)\n  if n == 0 then mascon.zeros(-1) end\n  deep(n - 1) return n\nend\n"
    local out, err = shell.run(program .. " -i", ("dofile '%s'\nmascon.show(3)\ndeep(1)\n"):format(path) ..
      "deep(50)\nerror({})\nnil + 1\n7 * 6\n")
    os.remove(path)
    assert.matches("\n42\n$", out)
    local at = path:gsub("%p", "%%%0")
    if jit then return assert.matches("^[^\n]*bad argument", err) end
    assert.matches("^bad argument #1 to 'show' [^\n]*\n" ..
      at .. ":2: bad argument #1 to 'zeros' [^\n]*\n\t" .. at .. ":2: in [^\n]*'deep'\n\t" .. at ..
      ":3: in [^\n]*\n" ..
      at .. ":2: bad argument [^\n]*\n" .. ("\t" .. at .. ":%d: in [^\n]*'deep'\n"):rep(10) .. "\t%.%.%.\n" ..
      "%(error object is a table value%)\nstdin:1: attempt to perform arithmetic on a nil value\n$", err)
  end)

  it("lives on a terminal", function()
    if not shell.has "script" then return pending "there is no 'script' here" end
    local past = shell.file "'from ' .. 'before'\n"
    local s = shell.session(("TERM=xterm MASCON_HISTORY=%s %s"):format(past, program))
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

local mascon = require "mascon"

local flag = require "spec.flag"
local shell = require "spec.shell"

local parallel = mascon.parallel

-- the message of what is raised
local function failing(...)
  local ok, message = pcall(...)
  assert.is_false(ok)
  return message
end

describe("parallel", function()
  for _, n in ipairs { 0, 1, 2, 255, 256, 257, 1000 } do
    it("does each of " .. n .. " once, whatever the chunks and threads", function()
      for _, chunk in ipairs { 1, 7, n + 1, 2 ^ 53 } do
        for _, threads in ipairs { 1, 2, 3, 8 } do
          local hits = mascon.zeros(n, "i32")
          local firsts, lasts = parallel({ n = n, chunk = chunk, threads = threads },
            function(first, last, h)
              for i = first, last do h[i] = h[i] + 1 end
              return first, last
            end, hits)
          assert.equal(n, hits:sum())
          assert.equal(math.ceil(n / chunk), #firsts)
          for k, first in ipairs(firsts) do  -- in the order of chunks
            assert.equal((k - 1) * chunk + 1, first)
            assert.equal(math.min(k * chunk, n), lasts[k])
          end
        end
      end
    end)
  end

  it("makes at most 256 chunks", function()
    assert.equal(1, #parallel(1, function() return 1 end))
    assert.equal(256, #parallel(256, function() return 1 end))
    assert.equal(129, #parallel(257, function() return 1 end))
    local last = parallel({ n = 2 ^ 53, threads = 2 }, function(i, j) return j - i + 1 end)
    assert.equal(256, #last)
    assert.equal(2 ^ 45, last[256])
  end)

  it("gives a table for each value returned, at least one", function()
    assert.same({ {} }, { parallel(3, function() end) })
    assert.same({ {} }, { parallel(0, function() return 1 end) })
    local a, b, c = parallel({ n = 3, chunk = 1 }, function(i)
      if i == 2 then return nil, "two", false end
      return i
    end)
    assert.same({ 1, nil, 3 }, a)
    assert.same({ nil, "two" }, b)
    assert.same({ nil, false }, c)
    local many = { parallel({ n = 2, chunk = 1 }, function(i)
      local t = {}
      for k = 1, 100 do t[k] = i * k end
      return (unpack or table.unpack)(t)
    end) }
    assert.equal(100, #many)
    assert.same({ 100, 200 }, many[100])
  end)

  it("hands chunks to whoever is free", function()
    -- the first waits for the last: another thread does all between
    local all = parallel({ n = 20, chunk = 1, threads = 2 }, function(i, _, last)
      if i == 1 then flag.wait(last) elseif i == 20 then flag.raise(last) end
      return i
    end, flag.new())
    assert.equal(20, #all)
  end)

  it("uses a state for each thread, and more chunks than one in it", function()
    local counts = parallel({ n = 50, chunk = 1, threads = 1 }, function()
      count = (count or 0) + 1  -- luacheck: ignore
      return count              -- luacheck: ignore
    end)
    assert.equal(50, counts[50])
    assert.is_nil(rawget(_G, "count"))
  end)

  it("gives kernels one thread unless they are told", function()
    assert.same({ 1 }, parallel(1, function() return mascon.threads() end))
    assert.same({ 3 }, parallel(1, function() return mascon.threads(3) end))
    assert.same({ 4 }, parallel(1, function()
      return mascon.ones(2, 2):matmul(mascon.ones(2, 2), nil, { threads = 2 }):sum() / 2
    end))
  end)

  it("runs inside itself", function()
    local sums = parallel({ n = 4, chunk = 2, threads = 2 }, function(first, last)
      local s = mascon.parallel({ n = 10, chunk = 5, threads = 2 }, function(i, j, k)
        return (i + j) * k
      end, first + last)
      return s[1] + s[2]
    end)
    assert.same({ 22 * 3, 22 * 7 }, sums)
  end)

  it("is called in a coroutine, and a worker has its own", function()
    local r = coroutine.wrap(function()
      return parallel(1, function()
        local co = coroutine.wrap(function(x) coroutine.yield(x + 1) end)
        return co(1)
      end)
    end)()
    assert.same({ 2 }, r)
    assert.matches("attempt to yield", failing(parallel, 1, function() coroutine.yield() end))
  end)
end)

describe("an argument", function()
  local function back(...)
    return mascon.spawn(function(...) return ... end, ...):result()
  end

  it("is shared: arrays, views, csr, indexes", function()
    local a = mascon.zeros(4, 6)
    local view = a:t():narrow(1, 2, 6, 2)
    local same = back(view)
    assert.is_true(same == view)
    parallel(4, function(i, j, v) for k = i, j do v:col(k):fill(k) end end, view)
    assert.equal(30, a:sum())
    assert.is_true(back(mascon.zeros(2):freeze()).readonly)
    assert.is_true(mascon.zeros(0) ~= nil and back(mascon.zeros(0)).size == 0)
    local c = mascon.csr({ 0, 2, 3 }, { 1, 5, 9 }, 9, { base = 1 })
    local d = back(c)
    assert.equal("csr 2 x 9, base 1", tostring(d))
    assert.is_true(c.indices == d.indices and c.indptr == d.indptr)
    local x = mascon.index(mascon.random(1):normal(20, 3))
    local ids = back(x):recommend(mascon.ones(2, 3), 4)
    assert.same(x:recommend(mascon.ones(2, 3), 4):totable(), ids:totable())
  end)

  it("is copied: what is plain", function()
    local values = { true, false, 0, -1, 2 ^ 53, -2 ^ 63, 1.5, -0.0, 1 / 0, -1 / 0, "", "a\0b",
      ("x"):rep(100000) }
    for _, v in ipairs(values) do
      assert.equal(v, (back(v)))
      if math.type then assert.equal(math.type(v), math.type((back(v)))) end
    end
    assert.equal(-1 / 0, 1 / back(-0.0))
    local nan = back(0 / 0)
    assert.is_true(nan ~= nan)
    assert.equal(5, select("#", back(nil, 1, nil, nil, nil)))
    assert.equal(0, select("#", back()))
    if math.maxinteger and not jit then
      assert.equal(math.maxinteger, back(math.maxinteger))
      assert.equal(math.mininteger, back(math.mininteger))
    end
  end)

  it("is copied: nested tables", function()
    local t = { 1, 2, nil, 4, x = { y = { "deep", [1.5] = true, [false] = 0, [-3] = "m" } },
      [""] = 1, a = mascon.ones(3) }
    local u = back(t)
    assert.is_true(u.a == t.a)
    u.a, t.a = nil, nil
    assert.same(t, u)
    local shared = { 7 }
    u = back { shared, shared, { shared } }
    assert.is_true(u[1] == u[2] and u[1] == u[3][1] and u[1] ~= shared)
    t = 1
    for _ = 1, 100 do t = { t } end
    assert.same(t, (back(t)))
    assert.matches("nested too deep", failing(back, { t }))
  end)

  it("belongs to each thread: what it does to a copy, none sees", function()
    local t = { 0 }
    parallel({ n = 8, threads = 2, chunk = 1 }, function(_, _, u) u[1] = u[1] + 1 end, t)
    assert.same({ 0 }, t)
  end)

  it("that cannot travel is named", function()
    local kinds = "nil, boolean, number, string, array, csr, index or a table of these expected, got "
    local function refused(message, ...)
      local got = failing(parallel, 1, function() end, 1, ...)
      assert.equal(("bad argument #4 to 'parallel' (%s)"):format(message),
        (got:gsub("mascon%.%l*%.?parallel", "parallel")))
    end
    refused(kinds .. "function", print)
    refused("a.b[2]: " .. kinds .. "function", { a = { b = { 1, print } } })
    refused("a[\"x y\"][true][1.5]: " .. kinds .. "thread",
      { a = { ["x y"] = { [true] = { [1.5] = coroutine.create(print) } } } })
    refused("f: " .. kinds .. (jit and "userdata" or "FILE*"), { f = io.stdout })
    refused(kinds .. "mascon.random", mascon.random(1))
    refused("o: " .. kinds .. "a table with a metatable", { o = setmetatable({}, {}) })
    refused("a: boolean, number or string expected as a key, got function", { a = { [print] = 1 } })
    local cycle = { x = { {} } }
    cycle.x[1].up = cycle
    refused("x[1].up: the table contains itself", cycle)
    local closed = mascon.ones(2)
    closed:close()
    refused(kinds .. "closed array", closed)
    refused("[1]: " .. kinds .. "closed array", { closed })
    local c = mascon.csr({ 0, 1 }, { 1 }, 1, { base = 1 })
    c.indices:close()
    refused("an array of the csr is closed", c)
    if jit then refused(kinds .. "cdata", require "ffi".new "int[2]") end
  end)

  it("that is returned must be able to travel as well", function()
    assert.matches("bad result #2 of the function %(x: .* expected, got function%)\nstack traceback",
      failing(parallel, 1, function() return 1, { x = print } end))
    local rows = parallel({ n = 4, chunk = 1 }, function(i) return mascon.full(2, i) end)
    assert.same({ 3, 3 }, rows[3]:totable())
  end)

  it("and a result are freed with their last user", function()
    collectgarbage()
    collectgarbage()
    local before = select(2, mascon.memory())
    do
      local a = mascon.zeros(1000)
      parallel(9, function(_, _, x) return x:copy() end, a)
      pcall(parallel, 9, function() error { mascon.zeros(10) } end, a)
      mascon.spawn(function(x) return x, mascon.zeros(5) end, a):result()
      a:close()
    end
    collectgarbage()
    collectgarbage()
    assert.equal(before, select(2, mascon.memory()))
  end)
end)

describe("the function", function()
  it("must be one of Lua", function()
    local function refused(message, ...)
      local got = failing(...)
      assert.matches(message, got)
    end
    refused("#2 to '.*parallel' %(Lua function expected, got C function%)", parallel, 1, mascon.ones)
    refused("#2 to '.*parallel' %(Lua function expected, got no value%)", parallel, 1)
    refused("#2 to '.*parallel' %(Lua function expected, got nil%)", parallel, 1, nil)
    refused("#2 to '.*parallel' %(Lua function expected, got table%)", parallel, 0, {})
    refused("#1 to '.*spawn' %(Lua function expected, got \"x\"%)", mascon.spawn, "x")
    refused("#1 to '.*spawn' %(Lua function expected, got no value%)", mascon.spawn)
  end)

  it("has modules as upvalues, which it requires", function()
    local shape = parallel(1, function()
      if mascon ~= require "mascon" or shell ~= require "spec.shell" then error "others" end
      return #shell.quote "x" + mascon.ones(2, 2):sum()
    end)
    assert.same({ 7 }, shape)
    local G, floor, str = _G, math, string
    assert.same({ "3 a" }, parallel(1, function()
      return G.tostring(floor.floor(3.5)):sub(1, 1) .. str.rep(" ", 1) .. G.string.char(97)
    end))
  end)

  it("has no other upvalues", function()
    local x, f, up = 1, math.floor, mascon.ones(2)
    for name, g in pairs { x = function() return x end, f = function() return f(1) end,
        up = function() return up[1] end } do
      assert.matches("#2 to '.*parallel' %(upvalue '" .. name ..
        "': a loaded module expected, got .*; pass other values as arguments%)", failing(parallel, 0, g))
    end
    local function again() return again end
    assert.matches("upvalue 'again': a loaded module expected, got function", failing(parallel, 1, again))
  end)

  it("may hold functions, varargs and many arguments", function()
    local args = {}
    for i = 1, 200 do args[i] = i end
    local unpack = unpack or table.unpack
    assert.same({ 20100 + 3 }, parallel(1, function(first, last, ...)
      local s = first + last
      local function add(...)
        for i = 1, select("#", ...) do s = s + (select(i, ...)) end
      end
      add(1, ...)
      return s
    end, unpack(args)))
  end)

  it("finds modules as its caller does", function()
    local folder = shell.folder()
    shell.write(folder .. "/lpar_mod.lua", "return { name = ..., twice = function(x) return 2 * x end }")
    local path = package.path
    finally(function()
      package.path = path
      shell.remove(folder)
    end)
    package.path = folder .. "/?.lua;" .. path
    local mod = require "lpar_mod"
    assert.same({ "lpar_mod8" }, parallel(1, function() return mod.name .. mod.twice(4) end))
    local gone = {}
    package.loaded.lpar_gone = gone
    assert.matches("module 'lpar_gone' not found", failing(parallel, 1, function() return gone end))
  end)
end)

describe("an error", function()
  it("in any chunk is raised with its traceback", function()
    for _, bad in ipairs { 1, 50, 100 } do
      local message = failing(parallel, { n = 100, chunk = 1, threads = 2 }, function(i, _, k)
        local function deep() error("bad at " .. i) end
        if i == k then deep() end
      end, bad)
      assert.matches("^[^\n]*parallel_spec.lua:%d+: bad at " .. bad .. "\nstack traceback:\n.*deep", message)
    end
  end)

  it("stops the others", function()
    assert.matches("enough", failing(parallel, { n = 2, threads = 2, chunk = 1 }, function(i, _, f, d)
      flag.raise(f[i])
      flag.wait(f[3 - i])  -- both run
      if i == 2 then error "enough" end
      while true do d:sum() end
    end, { flag.new(), flag.new() }, mascon.zeros(2)))
  end)

  it("may be any object", function()
    local function raised(f, ...)
      local ok, e = pcall(parallel, 1, f, ...)
      assert.is_false(ok)
      return e
    end
    assert.same({ code = 5 }, raised(function() error { code = 5 } end))
    assert.equal(7, raised(function() error(7, 0) end))
    assert.equal(false, raised(function() error(false) end))
    assert.is_nil(raised(function() error() end))
    local a = mascon.ones(2)
    assert.is_true(a == raised(function(_, _, x) error { x } end, a)[1])
    assert.equal("(error object is a function value)", raised(function() error(print) end))
    assert.matches("^told\nstack traceback", raised(function()
      error(setmetatable({}, { __tostring = function() return "told" end }))
    end))
  end)

  it("in a worker that has no memory is told", function()
    if shell.sanitizer then return pending "its allocator ends the program" end
    local path = shell.file [[
      print(pcall(mascon.parallel, 1, function()
        local t = {}
        for i = 1, 1e9 do t[i] = { i } end
      end))]]
    finally(function() os.remove(path) end)
    local out, err, code = shell.run(("ulimit -v 600000; %s %s"):format(shell.mascon, path))
    assert.same({ "false\tnot enough memory\n", "", 0 }, { out, err, code })
  end)

  it("of options names them", function()
    local f = function() end
    for want, first in pairs {
      ["integer from 0 up, or table of options, expected, got %-1"] = -1,
      ["expected, got 1.5"] = 1.5,
      ["expected, got \"4\""] = "4",
      ["option 'n' is missing"] = { threads = 1 },
      ["option 'n': integer from 0 to 9007199254740992 expected, got 1.5"] = { n = 1.5 },
      ["option 'chunk': integer from 1 to 9007199254740992 expected, got 0"] = { n = 1, chunk = 0 },
      ["option 'threads': integer from 1 to 1024 expected, got 0"] = { n = 1, threads = 0 },
      ["option 'progress': boolean or function expected, got 3"] = { n = 1, progress = 3 },
      ["unknown option 'size'"] = { n = 1, size = 3 },
    } do
      assert.matches("bad argument #1 to '.*parallel' %(.*" .. want, failing(parallel, first, f))
    end
    assert.matches("bad argument #1 to '.*parallel' .*got nil", failing(parallel, nil, f))
    assert.matches("got 9.*e", failing(parallel, 2 ^ 53 + 2, f))
  end)
end)

describe("progress of parallel", function()
  it("ends with all that is done", function()
    local last, total = -1, nil
    parallel({ n = 1000, threads = 2, progress = function(done, of)
      assert.is_true(done >= last)
      last, total = done, of
    end }, function() end)
    assert.same({ 1000, 1000 }, { last, total })
  end)

  it("cancels by returning false", function()
    local go = mascon.zeros(1)
    assert.matches("interrupted %(done %d+ of 1000000%)", failing(parallel,
      { n = 1e6, chunk = 1, threads = 2, progress = function() return false end },
      function(_, _, x) while x[1] == 0 do x:sum() end end, go))
  end)

  it("raises its own error", function()
    assert.matches("mine", failing(parallel,
      { n = 10, chunk = 1, threads = 2, progress = function() error "mine" end },
      function(_, _, x) while true do x:sum() end end, mascon.ones(3)))
  end)
end)

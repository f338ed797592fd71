-- mascon_register: kernels of a module that links nothing, as functions of Lua

local mascon = require "mascon"
local shell = require "spec.shell"

local path = shell.build .. "/spec/kernel.so"
local kernel = assert(package.loadlib(path, "luaopen_kernel"))()

-- what is wrong, by its message
local function refused(message, f, ...)
  local args = { n = select("#", ...), ... }
  local ok, got = pcall(function() return f((table.unpack or unpack)(args, 1, args.n)) end)
  assert.is_false(ok)
  got = tostring(got):gsub("to '[%w?]+' %(", "(", 1)  -- as it is called here
  assert.is_truthy(got:find(message, 1, true), got)
end

describe("a kernel of one's own", function()
  local ints = mascon.random(3):integers(-9, 9, 60, 7):copy "f64"

  it("makes its output", function()
    local x = mascon.array { 1, 2, 3 }
    assert.same({ 10, 20, 30 }, kernel.scale(x, 10):totable())
    local y = kernel.scale(x:copy "f32", 0.5)
    assert.equal("f32", y.dtype)
    assert.same({ 0.5, 1, 1.5 }, y:totable())
    assert.same(ints:matmul(ints:t()):totable(), kernel.products(ints, ints):totable())
    assert.same({ 5, 6, 7, 8, 9 }, kernel.count():totable())
    assert.equal("i32", kernel.count().dtype)
  end)

  it("makes several outputs, and numbers", function()
    local s, n = kernel.rowsums(mascon.array { { 1, 2, -3 }, { 0, 5, 6 } })
    assert.same({ 0, 11 }, s:totable())
    assert.same({ 2, 2 }, n:totable())
    assert.equal("i64", n.dtype)
    local x = mascon.range(100):copy "f64"
    assert.equal(338350, kernel.dot(x, x))
    assert.equal(0, kernel.dot(mascon.zeros(0), mascon.zeros(0)))
  end)

  it("says itself what no input does", function()
    assert.same({ 1, 3, 5 }, kernel.halves(mascon.range(6):copy "f64"):totable())
    refused("halves: size -1 of axis halves", kernel.halves, mascon.zeros(5))
    refused("halves: failed with status -7", kernel.halves, mascon.zeros(1))
  end)

  it("works on views, forward, backward and across", function()
    local x = mascon.range(12):copy "f64"
    assert.same({ 2, 10, 18 }, kernel.scale(x:sub(1, 12, 4), 2):totable())
    assert.same({ 24, 14, 4 }, kernel.scale(x:sub(12, 1, -5), 2):totable())
    local t = ints:t()
    assert.same(t:matmul(ints):totable(), kernel.products(t, t):totable())
    local out = mascon.zeros(20, 3)
    kernel.scale(x, 3, out:col(2):sub(20, 9, -1))
    assert.same({ 36, 33, 3, 0 }, { out(9, 2), out(10, 2), out(20, 2), out(8, 2) })
    assert.equal(78 * 3, out:sum())
  end)

  it("gets row-major order where it asks for it", function()
    local m = mascon.range(12):copy "f64":reshape(3, 4)
    local twice = (m * 2):totable()
    assert.same(twice, kernel.twice(m):totable())
    assert.same((m * 2):t():totable(), kernel.twice(m:t()):totable())
    local big = mascon.zeros(9, 9)
    local out = big:narrow(1, 2, 7, 2):narrow(2, 9, 6, -1)
    assert.equal(out, kernel.twice(m, out))
    assert.same(twice, out:totable())
    assert.equal(156, big:sum())
    kernel.twice(m:t(), m:t())  -- in place
    assert.same(twice, m:totable())
    assert.same({}, kernel.twice(mascon.zeros(0, 4)):totable())
  end)

  it("writes into what is given", function()
    local x, out = mascon.array { 1, 2 }, mascon.zeros(2)
    assert.equal(out, kernel.scale(x, 3, out))
    assert.same({ 3, 6 }, out:totable())
    assert.equal(x, kernel.scale(x, 3, x))
    local s, n = mascon.zeros(2), mascon.zeros(2, "i64")
    local a, b = kernel.rowsums(mascon.ones(2, 3), s, n)
    assert.is_true(a == s and b == n)
    a, b = kernel.rowsums(mascon.ones(2, 3), nil, n)
    assert.is_true(a ~= s and b == n)
    assert.same({ 3, 3 }, a:totable())
  end)

  it("does with no elements", function()
    assert.equal(0, #kernel.scale(mascon.zeros(0), 1))
    assert.same({ 0, 4 }, { kernel.products(mascon.zeros(0, 3), mascon.zeros(4, 3)):shape() })
    assert.same({ 2, 0 }, { kernel.products(mascon.zeros(2, 3), mascon.zeros(0, 3)):shape() })
    assert.same({ { 0 } }, kernel.products(mascon.zeros(1, 0), mascon.zeros(1, 0)):totable())
  end)

  it("names a bad argument", function()
    local m = mascon.zeros(4, 3)
    assert.error_matches(function() kernel.products() end,
      "bad argument #1 to 'products' %(f64 matrix expected, got nil%)")
    refused("bad argument #1 (f64 matrix expected, got 1)", kernel.products, 1)
    refused("bad argument #1 (f64 matrix expected, got f64 vector 4)",
      kernel.products, mascon.zeros(4))
    refused("bad argument #1 (f64 matrix expected, got f32 matrix 4 x 3)",
      kernel.products, m:copy "f32")
    refused("bad argument #2 (f64 matrix m x 3 expected, got f64 matrix 3 x 4)",
      kernel.products, m, m:t())
    refused("bad argument #2 (f64 matrix m x 3 expected, got table)",
      kernel.products, m, {})
    refused("bad argument #1 (f64 matrix n x 3 expected, got f64 matrix 3 x 4)",
      kernel.rowsums, m:t())
    refused("bad argument #2 (f64 vector 3 expected, got f64 vector 4)",
      kernel.dot, mascon.zeros(3), mascon.zeros(4))
    refused("bad argument #1 (f64 matrix n x n expected, got f64 matrix 4 x 3)",
      kernel.diagonal, m)
    refused("bad argument #1 (f64 or f32 vector expected, got i32 vector 2)",
      kernel.scale, mascon.zeros(2, "i32"), 1)
    refused("bad argument #2 (number expected, got nil)",
      kernel.scale, mascon.zeros(2))
    refused("bad argument #2 (number expected, got f64 vector 1)",
      kernel.scale, mascon.zeros(2), mascon.ones(1))
    local closed = mascon.zeros(2)
    closed:close()
    refused("bad argument #1 (array is closed)", kernel.scale, closed, 1)
    refused("bad argument #5 (no argument is taken here)",
      kernel.scale, mascon.zeros(2), 1, nil, nil, 1)
  end)

  it("names a bad output", function()
    local x = mascon.zeros(2)
    refused("bad argument #3 (f64 vector 2 expected, got f64 vector 3)",
      kernel.scale, x, 1, mascon.zeros(3))
    refused("bad argument #3 (f64 vector 2 expected, got f32 vector 2)",
      kernel.scale, x, 1, mascon.zeros(2, "f32"))
    refused("bad argument #3 (f32 vector 2 expected, got f64 vector 2)",
      kernel.scale, x:copy "f32", 1, x)
    refused("bad argument #3 (array is read-only)",
      kernel.scale, x, 1, mascon.zeros(2):freeze())
    refused("bad argument #3 (array expected, got table)", kernel.scale, x, 1, {})
    local closed = mascon.zeros(2)
    closed:close()
    refused("bad argument #3 (array is closed)", kernel.scale, x, 1, closed)
  end)

  it("refuses an output that overlaps", function()
    local m = mascon.range(40):copy "f64"
    local before = m:totable()
    refused("bad argument #3 (overlaps argument #1)",
      kernel.scale, m:sub(1, 20), 2, m:sub(2, 21))
    refused("bad argument #3 (overlaps argument #1)",
      kernel.scale, m:sub(1, 20), 2, m:sub(20, 1, -1))
    assert.same(before, m:totable())
    kernel.scale(m:sub(1, 20, 2), 2, m:sub(2, 20, 2))  -- between the elements
    assert.same({ 1, 2, 3, 6, 5, 10 }, m:sub(1, 6):totable())
    local s = m:sub(1, 9):reshape(3, 3)
    refused("bad argument #2 (overlaps argument #1)", kernel.diagonal, s, s[2])
    local n = mascon.zeros(3, "i64")
    refused("bad argument #2 (overlaps argument #1)", kernel.rowsums, s, s[1], n)
    refused("bad argument #2 (overlaps argument #1)", kernel.refuse, n, n)
  end)

  it("knows threads and progress, and no other options", function()
    local x = mascon.zeros(2)
    refused("bad argument #4 (unknown option 'thread')",
      kernel.scale, x, 1, nil, { thread = 2 })
    refused("bad argument #4 (option 'threads': integer from 1 to 1024 expected, got 0)",
      kernel.scale, x, 1, nil, { threads = 0 })
    refused("bad argument #4 (table of options expected, got 2)",
      kernel.scale, x, 1, nil, 2)
    local last
    kernel.scale(mascon.zeros(5000), 1, nil, { progress = function(...) last = { ... } end })
    assert.same({ 5000, 5000 }, last)
  end)

  it("has the same bits with any number of threads", function()
    local x = mascon.random(1):normal(600, 40)
    local one = kernel.products(x, x, nil, { threads = 1 })
    local v = mascon.random(2):normal(300000)
    local scaled = v * 3
    for _, threads in ipairs { 2, 3, 8 } do
      assert.equal(1, one:eq(kernel.products(x, x, nil, { threads = threads })):min())
      assert.equal(1, scaled:eq(kernel.scale(v, 3, nil, { threads = threads })):min())
    end
  end)

  it("may fail, and the first block that does decides how", function()
    local x = mascon.zeros(4000, "i64")
    assert.same(x:totable(), kernel.refuse(x):totable())
    for _, threads in ipairs { 1, 2, 3, 8 } do
      local function run() return kernel.refuse(x, nil, { threads = threads }) end
      x:fill(0)
      x[3001], x[3500], x[3003] = -2, -1, -1
      refused("refuse: failed with status -2", run)
      x[2999] = -1
      refused("refuse: the first of mine", run)
      x[1] = 1
      refused("refuse: not enough memory", run)
      x[1] = 12
      refused("interrupted (done 0 of 4000)", run)
    end
    refused("old: failed with status -1", kernel.old, mascon.full(2, -1, "i64"))
  end)

  it("is cancelled by progress, and tells rows that wait", function()
    for _, threads in ipairs { 1, 3 } do
      local calls = 0
      refused("interrupted (done ", function()
        kernel.slow(mascon.zeros(10000), nil, { threads = threads, progress = function()
          calls = calls + 1
          return calls < 2
        end })
      end)
      assert.equal(2, calls)
    end
    refused("out of patience", function()
      kernel.slow(mascon.zeros(10000), nil, { progress = function() error "out of patience" end })
    end)
  end)

  it("is ended by a hook, as Ctrl-C sets one, also within a row", function()
    local program = shell.file(([[
      local mascon = require "mascon"
      local kernel = package.loadlib(%q, "luaopen_kernel")()
      local x = mascon.zeros(10)
      x[2] = 1  -- takes for ever
      io.stdout:write "ready\n" io.stdout:flush()
      print(pcall(kernel.slow, x))]]):format(path))
    local out = shell.run(("sh -c '%s %s & p=$!; sleep 0.5; kill -INT $p; wait $p'")
      :format(shell.mascon, program))
    os.remove(program)
    assert.matches("^ready\nfalse\t.*interrupted %(done 1 of 10%)", out)
  end)

  it("keeps its arrays open in a callback", function()
    local x = mascon.zeros(100)
    refused("array is in use", function()
      kernel.slow(x, nil, { progress = function() x:close() end })
    end)
    assert.equal(100, #x)
  end)

  it("may run loops of its own, on its own thread", function()
    assert.equal(2, kernel.nested(mascon.zeros(64), nil, { threads = 3 }):min())
  end)

  it("fails as others do where memory is short", function()
    local x = mascon.zeros(5000, 3)
    for n = 0, 8 do
      mascon.memory(n)
      local ok, message = pcall(kernel.twice, x:t(), x:t())
      mascon.memory(-1)
      if ok then assert.is_true(n > 0) break end
      assert.matches("not enough memory", message)
    end
    assert.equal(0, x:sum())
  end)

  it("is collected", function()
    local before = kernel.released()
    for _ = 1, 10 do kernel.add("gone", "f64 (n) -> f64 (n)") end
    collectgarbage()
    collectgarbage()
    assert.equal(before + 10, kernel.released())
  end)

  it("is refused where its descriptor is wrong", function()
    local before = kernel.released()
    local function bad(message, ...)
      refused(message, kernel.add, ...)
    end
    bad("a kernel needs a name and a signature")
    bad("a kernel needs a name and a signature", "f")
    bad('signature "": dtype f64, f32, i64, i32, u16 or u8 expected at its end', "f", "")
    bad("',' or '->' expected at its end", "f", "f64 (n)")
    bad("dtype f64, f32, i64, i32, u16 or u8 expected at 'f16 (n)'", "f", "f16 (n)")
    bad("dtype f64, f32, i64, i32, u16 or u8 expected at its end", "f", "f64 (n) ->")
    bad("'(' expected at 'n -> f64'", "f", "f64 n -> f64")
    bad("',' or ')' expected at '-> f64 (n)'", "f", "f64 (n -> f64 (n)")
    bad("axis expected at ') -> f64 (n)'", "f", "f64 (n,) -> f64 (n)")
    bad("')' expected at ' e) -> f64 (a)'", "f", "f64 (a,b,c,d, e) -> f64 (a)")
    bad("size or name expected at '3n) -> f64 (n)'", "f", "f64 (3n) -> f64 (n)")
    bad("',' or the end expected at 'x'", "f", "f64 (n) -> f64 (n) x")
    bad("a letter that no input explains at 'T (n)'", "f", "f64 (n) -> T (n)")
    bad("':' and the dtypes of the letter expected at '(n) -> T (n)'", "f", "T (n) -> T (n)")
    bad("'(' expected at '|f32 (n)'", "f", "f64 (n) -> f64|f32 (n)")
    bad("too many arguments", "f", ("f64 (n), "):rep(8) .. "f64 (n) -> f64 (n)")
    bad("too many axes", "f", "f64 (a,b,c,d), f64 (e,f,g,h), f64 (i,j,k,l), f64 (m,n,o,p), f64 (q) -> f64 (a)")
    bad("shorter name expected", "f", "f64 (" .. ("n"):rep(24) .. ") -> f64 (n)")
    bad("outputs of one first axis expected", "f", "f64 (n, m) -> f64 (n), f64 (m)")
    bad("outputs of one first axis expected", "f", "f64 (n) -> f64 (n), f64 ()")
    bad("kernel 'f': no input has axis 'm', and there is no 'length'", "f", "f64 (n) -> f64 (m)")
    bad("kernel 'f': unknown flags", "f", "f64 (n) -> f64 (n)", 4)
    bad("kernel 'f': grain below 0", "f", "f64 (n) -> f64 (n)", 0, -1)
    bad("kernel 'f' has no body", "f", "f64 (n) -> f64 (n)", 0, 0, true)
    collectgarbage()
    assert.equal(before, kernel.released())
  end)
end)

describe("a loop of one's own in C", function()
  it("does every row once, ends early, nests", function()
    assert.same({ "all right\n", "", 0 }, { shell.run("timeout 300 " .. shell.build .. "/spec/loop") })
  end)
end)

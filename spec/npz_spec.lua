-- .npz archives by the module mascon.zip, and compressed rows in files

local mascon = require "mascon"
local shell = require "spec.shell"

local describe = pcall(require, "mascon.zip") and describe or pending
local dir

local function name(file) return dir .. "/" .. file end

setup(function()
  dir = shell.folder()
end)

teardown(function() shell.remove(dir) end)

-- what a script prints that has numpy as np, in 'dir'; nil where there is none
local function numpy(script)
  return shell.python("numpy", "import numpy as np\n" .. script, dir)
end

describe("mascon.npz", function()
  local r = mascon.random(1)
  local arrays = { a = r:normal(300, 4), b = r:integers(-5, 5, 1000, "i32"),
    t = r:normal(5, 7, "f32"):t(), e = mascon.zeros(0, 3, "u16"),
    v = r:normal(50):sub(1, -1, 3), m = r:integers(0, 255, 2, 3, 4, 5, "u8") }

  it("loads what it saves, compressed and not", function()
    for _, compress in ipairs { false, true, 1, 9 } do
      mascon.npz.save(name "x.npz", arrays, { compress = compress })
      local got, names = assert(mascon.npz.load(name "x.npz"))
      assert.same({ "a", "b", "e", "m", "t", "v" }, names)
      for key, a in pairs(arrays) do
        assert.equal(a.dtype, got[key].dtype)
        assert.same({ a:shape() }, { got[key]:shape() })
        assert.same(a:totable(), got[key]:totable())
      end
    end
  end)

  it("may hold nothing, under any name", function()
    mascon.npz.save(name "x.npz", {})
    assert.same({ {}, {} }, { mascon.npz.load(name "x.npz") })
    mascon.npz.save(name "x.npz", { ["a\u{e4}\u{20ac}\u{1d11e}"] = arrays.v })
    assert.same({ "a\u{e4}\u{20ac}\u{1d11e}" }, select(2, mascon.npz.load(name "x.npz")))
  end)

  it("looks only at the arrays that are asked for", function()
    mascon.npz.save(name "x.npz", arrays)
    local got, names = assert(mascon.npz.load(name "x.npz", { "b" }))
    assert.equal(6, #names)
    assert.equal(arrays.b:sum(), got.b:sum())
    assert.is_nil(got.a)
  end)

  it("writes what numpy reads, and reads what numpy writes", function()
    mascon.npz.save(name "x.npz", arrays, { compress = true })
    local out = numpy [[
z = np.load('x.npz')
print(sorted(z), z['t'].shape, z['b'].dtype, int(z['b'].sum()))
np.savez('y.npz', x=np.arange(5), y=np.ones((2, 3), order='F'), s='text')
np.savez_compressed('z.npz', b=np.arange(5) > 2, g=np.full((200, 3), 0.5, '>f4'))
]]
    if not out then return pending "no numpy" end
    assert.equal(("['a', 'b', 'e', 'm', 't', 'v'] (7, 5) int32 %d\n"):format(
      arrays.b:sum()), out)
    local y = assert(mascon.npz.load(name "y.npz", { "x", "y" }))
    assert.same({ 0, 1, 2, 3, 4 }, y.x:totable())
    assert.same({ { 1, 1, 1 }, { 1, 1, 1 } }, y.y:totable())
    local got, message = mascon.npz.load(name "y.npz")
    assert.is_nil(got)
    assert.matches("y.npz: s.npy: .* is not supported", message)
    local z = assert(mascon.npz.load(name "z.npz"))
    assert.equal("u8", z.b.dtype)
    assert.equal(300, z.g:sum())
  end)

  it("says what is wrong", function()
    mascon.npz.save(name "x.npz", arrays)
    local function message(...) return select(2, mascon.npz.load(...)) end
    assert.equal(name "x.npz" .. ": no array 'z'; it has: a, b, e, m, t, v",
      message(name "x.npz", { "z" }))
    assert.equal(name "none.npz" .. ": No such file or directory",
      message(name "none.npz"))
    assert.equal(dir .. ": not a regular file", message(dir))
    assert.equal("Makefile: is no zip archive", message "Makefile")
    assert.has_error(function() mascon.npz.load(1) end,
      "bad argument #1 to 'load' (file name expected, got 1)")
    assert.has_error(function() mascon.npz.load("x", "b") end,
      "bad argument #2 to 'load' (list of names expected, got \"b\")")
    assert.has_error(function() mascon.npz.save(name "x.npz", { arrays.a }) end,
      "bad argument #2 to 'save' (arrays by name expected, got 1 = f64 array 300 x 4)")
    assert.has_error(function() mascon.npz.save(name "x.npz", {}, { compress = 10 }) end,
      "bad argument #3 to 'save' (option 'compress': true, false or 0 to 9 " ..
      "expected, got 10)")
    assert.has_error(function() mascon.npz.save(name "x.npz", {}, { level = 1 }) end,
      "bad argument #3 to 'save' (unknown option 'level')")
    assert.has_error(function() mascon.npz.save(name "x.npz", { ["a\0b"] = arrays.a }) end,
      ("bad argument #2 to 'save' (a name holds a zero byte: %q)"):format("a\0b"))
    assert.has_error(function() mascon.npz.save(name "x.npz", { ["a\xff"] = arrays.a }) end,
      "bad argument #2 to 'save' (names in UTF-8 expected, got \"a\xff\")")
    local closed = mascon.ones(1)
    closed:close()
    assert.has_error(function() mascon.npz.save(name "x.npz", { c = closed }) end,
      "c: array is closed")
    local ok, why = pcall(mascon.npz.save, name "no/x.npz", arrays)
    assert.is_false(ok)
    assert.matches("no/x.npz: No such file or directory", why)
  end)

  it("survives every damaged byte, and every cut", function()
    mascon.npz.save(name "x.npz", { a = mascon.range(1, 20), b = mascon.zeros(0) })
    local text = shell.read(name "x.npz")
    local function try(damaged)
      local got, why = mascon.npz.load(shell.write(name "d.npz", damaged))
      if got then  -- harmless: a date, a name
        for _, a in pairs(got) do assert.is_true(a.size <= 20) end
      else assert.is_string(why) end
    end
    for i = 1, #text do
      local byte = text:byte(i)
      for _, other in ipairs { 0, 255, (byte + 1) % 256 } do
        try(text:sub(1, i - 1) .. string.char(other) .. text:sub(i + 1))
      end
      try(text:sub(1, i - 1))
    end
  end)
end)

describe("mascon.npy.decode", function()
  local function bytes(text)
    local t = { text:byte(1, -1) }
    return mascon.array(t, "u8")
  end

  it("gives views of the bytes where it can", function()
    mascon.range(1, 6):save(name "v.npy")
    local b = bytes(shell.read(name "v.npy"))
    local v = assert(mascon.npy.decode(b))
    assert.same({ 1, 2, 3, 4, 5, 6 }, v:totable())
    v[1] = 0
    assert.equal(0, mascon.npy.decode(b)[1])
    local got, why = mascon.npy.decode(b:sub(1, -2), "cut")
    assert.is_nil(got)
    assert.matches("^cut: truncated: has %d+ bytes, needs %d+$", why)
    assert.same(select(2, mascon.npy.decode(bytes "x")), "bytes: not a .npy file")
    assert.has_error(function() mascon.npy.decode(v) end,
      "bad argument #1 to 'decode' (contiguous u8 vector expected, got " ..
      v.dtype .. " vector 6)")
  end)
end)

describe("mascon.csr in files:", function()
  local c = mascon.csr.from_pairs(mascon.array({ 1, 3, 1 }, "i32"),
    mascon.array({ 2, 4, 1 }, "i32"), 3, 5, { base = 1 })

  it(".npz as SciPy writes and reads it", function()
    mascon.csr.save(c, name "c.npz")
    local d, data = assert(mascon.csr.load(name "c.npz"))
    assert.equal("csr 3 x 5, base 0", tostring(d))
    assert.same({ 0, 2, 2, 3 }, d.indptr:totable())
    assert.same({ 1, 0, 3 }, d.indices:totable())
    assert.same({ 1, 1, 1 }, data:totable())
    mascon.csr.save(d, name "d.npz", { data = mascon.array { 1, 2, 3 }, compress = true })
    assert.same({ 1, 2, 3 }, select(2, mascon.csr.load(name "d.npz")):totable())
    local out = numpy [[
z = np.load('d.npz')
print(z['format'].item(), z['shape'], z['indices'], z['indptr'], z['data'])
def save(name, format, shape):
  np.savez(name, indptr=np.array([0, 1, 2]), indices=np.array([4, 0], 'i4'),
           data=np.ones(2), format=format, shape=np.array(shape))
save('e.npz', b'csr', (2, 5)); save('f.npz', 'csr', (2, 5)); save('g.npz', b'csc', (2, 5))
save('h.npz', b'csr', (2, 4)); save('i.npz', b'csr', (3, 5))
]]
    if not out then return pending "no numpy" end
    assert.equal("b'csr' [3 5] [1 0 3] [0 2 2 3] [1. 2. 3.]\n", out)
    assert.equal("csr 2 x 5, base 0", tostring(mascon.csr.load(name "e.npz")))
    assert.equal("csr 2 x 5, base 0", tostring(mascon.csr.load(name "f.npz")))
    local function message(file) return (select(2, mascon.csr.load(name(file)))) end
    assert.matches("csr matrix expected, got format 'csc'", message "g.npz")
    assert.matches("id 4 at position 1 is outside 0 to 3", message "h.npz")
    assert.matches("indptr and shape do not belong together", message "i.npz")
  end)

  it(".npz whose arrays do not belong together is refused", function()
    local function ints(t) return mascon.array(t, "i32") end
    local whole = { indptr = ints { 0, 1, 2 }, indices = ints { 4, 0 }, data = mascon.ones(2),
      shape = ints { 2, 5 }, format = mascon.array({ ("csr"):byte(1, 3) }, "u8") }
    local function refuses(what, changes)
      local t = {}
      for k, v in pairs(whole) do t[k] = changes[k] or v end
      mascon.npz.save(name "n.npz", t)
      local got, why = mascon.csr.load(name "n.npz")
      assert.is_nil(got)
      assert.equal(name "n.npz" .. ": " .. what, why)
    end
    mascon.npz.save(name "n.npz", whole)
    assert.equal("csr 2 x 5, base 0", tostring(mascon.csr.load(name "n.npz")))
    refuses("data is no vector of a value for each of 2 indices, but f64 array 3",
      { data = mascon.ones(3) })
    refuses("data is no vector of a value for each of 2 indices, but f64 array 1 x 2",
      { data = mascon.ones(1, 2) })
    refuses("indptr ends with 2, but there are 3 indices (in SciPy: m.prune())",
      { indices = ints { 4, 0, 1 }, data = mascon.ones(3) })
    refuses("shape is no vector of two integers, but f64 array 2", { shape = mascon.array { 2, 5 } })
    refuses("shape is no vector of two integers, but i32 array 3", { shape = ints { 2, 5, 1 } })
  end)

  local function load(text, opts)
    return mascon.csr.load(shell.write(name "r.csv", text), opts)
  end

  it("pairs of ids in a CSV table, in the order they are seen", function()
    for _, text in ipairs {
      'userId,movieId,rating\nu1,10,3.5\nu2,11,2\nu1,"1""2",1\n\nu3,10,4',
      'u1,10,3.5\r\nu2,11,2\r\nu1,"1""2",1\r\nu3,10,4\r\n' } do
      local m, users, items, info = assert(load(text))
      assert.equal("csr 3 x 3, base 1", tostring(m))
      assert.same({ "u1", "u2", "u3" }, users)
      assert.same({ "10", "11", '1"2' }, items)
      assert.same({ 0, 2, 3, 4 }, m.indptr:totable())
      assert.same({ 1, 3, 2, 1 }, m.indices:totable())
      assert.same({ pairs = 4, unknown = 0 }, info)
    end
  end)

  it("in the order of given lists; pairs of others are counted", function()
    local text = "item;user\ni1;u1\ni2;u2\ni3;u1\n"
    local m, users, items, info = assert(load(text, { user = "user", item = "item",
      header = true, users = { "u2", "u9", "u1" }, items = { "i3", "i2" } }))
    assert.equal("csr 3 x 2, base 1", tostring(m))
    assert.same({ "u2", "u9", "u1" }, users)
    assert.same({ "i3", "i2" }, items)
    assert.same({ 0, 1, 1, 2 }, m.indptr:totable())
    assert.same({ 2, 1 }, m.indices:totable())
    assert.same({ pairs = 2, unknown = 1 }, info)
  end)

  it("takes a first line of texts over texts for a pair", function()
    local _, users = assert(load "a,b\nc,d\n")
    assert.same({ "a", "c" }, users)
    _, users = assert(load("a,b\nc,d\n", { header = true }))
    assert.same({ "c" }, users)
    _, users = assert(load "a,b\n")
    assert.same({ "a" }, users)
  end)

  it("large, over many blocks, as a plain loop does", function()
    local lines, want, seen = {}, {}, {}
    for k = 1, 60000 do
      local user = "user" .. k * 7919 % 3000
      lines[k] = ("%s,item-%d,%s"):format(user, k % 700, ("x"):rep(k % 23))
      if not seen[user] then
        want[#want + 1] = user
        seen[user] = true
      end
    end
    local m, users, items, info = assert(load(table.concat(lines, "\n"), { sep = "," }))
    assert.same(want, users)
    assert.equal(700, #items)
    assert.equal(60000, m.nnz)
    assert.equal(60000, info.pairs)
    local sum = 0
    for k = 1, 60000 do sum = sum + tonumber((lines[k]:match "item%-(%d+)")) end
    local got = 0
    for _, i in ipairs(m.indices:totable()) do got = got + tonumber((items[i]:match "%d+")) end
    assert.equal(sum, got)
  end)

  it("says what is wrong", function()
    local function message(...) return (select(2, load(...))) end
    assert.matches("has no column 'x'", message("a,b\n1,2\n", { user = "x" }))
    assert.matches("has no column '7'", message("a,b\n1,2\n", { item = 7 }))
    assert.matches("r.csv:3: 2 fields expected, got 1", message "a,b\nc,d\ne\n")
    assert.matches("r.csv:2: a quoted field does not end", message 'a,b\nc,"d\n')
    assert.matches("holds no table", message "")
    local ok, why = pcall(load, "a,b\n", { users = { "a", "a" } })
    assert.is_false(ok)
    assert.matches("'a' at position 2 was there before", why)
    assert.has_error(function() load("a,b\n", { users = "a" }) end,
      "bad argument #2 to 'load' (option 'users': list of ids expected, got \"a\")")
    local function refuses(what, opts)
      assert.has_error(function() load("a,b\n", opts) end,
        "bad argument #2 to 'load' (" .. what .. ")")
    end
    refuses("option 'users': 'b' at position 2 was there before", { users = { "b", "b" } })
    refuses("option 'items': '1' at position 2 was there before", { items = { 1, "1" } })
    refuses("option 'items': list of strings or integers expected, got 1.5", { items = { 1.5 } })
    refuses("option 'users': list without holes expected, got table", { users = { [2] = "x" } })
    refuses("option 'users': list without holes expected, got table", { users = { n = "x" } })
    for _, sep in ipairs { "\n", '"' } do
      refuses("option 'sep': one character, no quote and no line break expected, got \"" .. sep ..
        '"', { sep = sep })
    end
    for _, column in ipairs { 0, -1, 1.5 } do
      refuses("option 'user': name or place of a column expected, got " .. tostring(column),
        { user = column })
    end
    refuses("option 'item': name or place of a column expected, got table", { item = {} })
    local _, users = load("1,x\n2,y\n", { users = { 2, 1 } })
    assert.same({ "2", "1" }, users)
    assert.has_error(function() load("a,b\n", { base = 0 }) end,
      "bad argument #2 to 'load' (unknown option 'base')")
  end)
end)

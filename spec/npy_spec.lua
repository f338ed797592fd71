local mascon = require "mascon"
local shell = require "spec.shell"

local dir  -- a folder of this run's own

local function name(file) return dir .. "/" .. file end

local function write(file, bytes)
  return shell.write(name(file), bytes)
end

local function read(file)
  return shell.read(name(file))
end

-- a .npy file around the text of a header, unpadded
local function npy(text, elements, version)
  version = version or 1
  return "\x93NUMPY" .. string.char(version, 0) ..
    string.pack(version == 1 and "<s2" or "<s4", text) .. (elements or "")
end

local function header(descr, shape, fortran)
  return ("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }"):format(descr,
    fortran and "True" or "False", shape)
end

-- every element, in row-major order
local function elements(a)
  local out, shape = {}, { a:shape() }
  local function walk(k, ...)
    if k > #shape then out[#out + 1] = a:get(...) return end
    for i = 1, shape[k] do
      local at = { ... }
      at[k] = i
      walk(k + 1, table.unpack(at))
    end
  end
  walk(1)
  return out
end

local descriptors = shell.descriptors

setup(function()
  dir = shell.folder()
end)

teardown(function() shell.remove(dir) end)


describe("load", function()
  local half = { [0] = 0, [0x8000] = -0.0, [1] = 2^-24, [0x3ff] = 1023 * 2^-24,
    [0x400] = 2^-14, [0x3c00] = 1, [0xc000] = -2, [0x7bff] = 65504,
    [0x7c00] = math.huge, [0xfc00] = -math.huge, [0x3555] = 1365 * 2^-12 }

  -- file type, pack format, dtype, values
  local types = {
    { "f8", "d", "f64", { 0.1, -1e300, math.huge } },
    { "f4", "f", "f32", { 0.5, -3, 2^127 } },
    { "i8", "i8", "i64", { math.mininteger, -1, math.maxinteger } },
    { "i4", "i4", "i32", { -2^31, -1, 2^31 - 1 } },
    { "i2", "i2", "i32", { -32768, -1, 32767 } },
    { "i1", "i1", "i32", { -128, -1, 127 } },
    { "u8", "I8", "i64", { 0, 2^53, math.maxinteger } },
    { "u4", "I4", "i64", { 0, 2^31, 2^32 - 1 } },
    { "u2", "I2", "u16", { 0, 32768, 65535 } },
    { "u1", "I1", "u8", { 0, 128, 255 } },
    { "b1", "I1", "u8", { 1, 0, 1 } },
  }
  for _, t in ipairs(types) do
    for _, order in ipairs { "<", ">" } do
      it(("makes %s of %s%s"):format(t[3], order, t[1]), function()
        local bytes = {}
        for i, x in ipairs(t[4]) do bytes[i] = (order .. t[2]):pack(x) end
        local descr = (t[1]:find "1" and "|" or order) .. t[1]
        local a = assert(mascon.load(write("t.npy",
          npy(header(descr, "(3,)"), table.concat(bytes)))))
        assert.equal(t[3], a.dtype)
        assert.same(t[4], elements(a))
      end)
    end
  end

  it("widens float16 exactly", function()
    for _, order in ipairs { "<", ">" } do
      for bits, x in pairs(half) do
        local a = mascon.load(write("h.npy", npy(header(order .. "f2", "(1,)"),
          (order .. "I2"):pack(bits))))
        assert.equal("f32", a.dtype)
        assert.equal(x, a[1])
        assert.equal(1 / x, 1 / a[1])
      end
    end
    local a = mascon.load(write("h.npy", npy(header("<f2", "(1,)"),
      ("<I2"):pack(0x7e00))))
    assert.are_not.equal(a[1], a[1])
  end)

  it("refuses uint64 that nothing holds", function()
    local a, why = mascon.load(write("u.npy", npy(header("<u8", "(2,)"),
      ("<i8i8"):pack(5, -1))))
    assert.is_nil(a)
    assert.equal(name "u.npy" ..
      ": has uint64 values above 2^63 - 1, which no dtype holds", why)
  end)

  it("reads versions 1, 2 and 3", function()
    for version = 1, 3 do
      local a = mascon.load(write("v.npy", npy(header("|u1", "(2,)"), "\5\6",
        version)))
      assert.same({ 5, 6 }, elements(a))
    end
  end)

  it("shows Fortran order as strides", function()
    local bytes = ("<i4i4i4i4i4i4"):pack(11, 21, 12, 22, 13, 23)
    local file = write("f.npy", npy(header("<i4", "(2, 3)", true), bytes))
    for _, opts in ipairs { {}, { map = true }, { map = "r+" } } do
      -- a map needs aligned elements
      local text = header("<i4", "(2, 3)", true)
      text = text .. (" "):rep(-(10 + #text) % 4)
      file = write("f.npy", npy(text, bytes))
      local a = assert(mascon.load(file, opts))
      assert.same({ 2, 3 }, { a:shape() })
      assert.same({ 11, 12, 13, 21, 22, 23 }, elements(a))
    end
    local cube = mascon.load(write("f.npy", npy(header("|u1", "(2, 1, 3)",
      true), "\0\1\2\3\4\5")))
    assert.same({ 0, 2, 4, 1, 3, 5 }, elements(cube))
  end)

  it("knows no axes, empty axes and four axes", function()
    local function try(shape, bytes)
      local a = assert(mascon.load(write("s.npy", npy(header("|u1", shape),
        bytes))))
      return { a:shape() }
    end
    assert.same({ 1 }, try("()", "x"))
    assert.same({ 0 }, try("(0,)", ""))
    assert.same({ 3, 0 }, try("(3, 0)", ""))
    assert.same({ 0, 4611686018427387904 }, try("(0, 4611686018427387904)", ""))
    assert.same({ 1, 2, 1, 2 }, try("(1, 2, 1, 2)", "abcd"))
  end)

  it("takes the dictionary in any dress", function()
    for _, text in ipairs {
      '{"shape":(2L,),"descr":"|u1","fortran_order":False}',
      "  { 'fortran_order' :False , 'descr'\t: '|u1', 'shape': ( 2 , ) , } \n",
      "{'descr': 'u1', 'fortran_order': True, 'shape': (2,)}" .. (" "):rep(9000)
    } do
      assert.same({ 1, 2 }, elements(assert(mascon.load(write("d.npy",
        npy(text, "\1\2"))))))
    end
  end)

  -- what is wrong, the whole file, what is said
  local good = header("|u1", "(2,)")
  local hostile = {
    { "empty", "", "not a .npy file" },
    { "other magic", "\x93NUMPX\1\0" .. ("x"):rep(100), "not a .npy file" },
    { "magic only", "\x93NUMPY", "truncated in its header" },
    { "no text", "\x93NUMPY\1\0\0\0", "truncated in its header" },
    { "length past the end", "\x93NUMPY\1\0\x76\0{}", "truncated in its header" },
    { "4 GiB of header", "\x93NUMPY\2\0\xf0\xff\xff\xff",
      "header of 4294967280 bytes is not supported (at most 10000)" },
    { "header above the cap", npy(good .. (" "):rep(10000), "\1\2"),
      "header of 10057 bytes is not supported (at most 10000)" },
    { "version 4", npy(good, "\1\2", 4),
      "version 4.0 of the format is not supported" },
    { "empty text", npy("", "\1\2"),
      "damaged header: '{' expected at byte 11" },
    { "zero bytes", npy(("\0"):rep(118), "\1\2"),
      "damaged header: '{' expected at byte 11" },
    { "no dictionary", npy("[]" .. (" "):rep(50)),
      "damaged header: '{' expected at byte 11" },
    { "no keys", npy "{}", "damaged header: key missing at byte 13" },
    { "key missing", npy "{'descr': '|u1', 'shape': (2,)}",
      "damaged header: key missing at byte 42" },
    { "unknown key", npy "{'descr': '|u1', 'order': 1}",
      "damaged header: unknown key at byte 28" },
    { "key twice", npy "{'descr': '|u1', 'descr': '|u1'}",
      "damaged header: key given twice at byte 28" },
    { "not ended", npy("{'descr': '|u1'" .. (" "):rep(99)),
      "damaged header: '}' expected at byte 125" },
    { "string not ended", npy("{'descr': '|u1" .. (" "):rep(99)),
      "damaged header: string not ended at byte 22" },
    { "more behind", npy(good .. "x", "\1\2"),
      "damaged header: more than a dictionary at byte 68" },
    { "zero byte behind", npy(good .. "\0", "\1\2"),
      "damaged header: more than a dictionary at byte 68" },
    { "negative axis", npy(header("|u1", "(-2,)")),
      "damaged header: length of an axis expected at byte 62" },
    { "axis above 2^63", npy(header("|u1", "(9223372036854775808,)")),
      "damaged header: length of an axis too large at byte 81" },
    { "shape no tuple", npy(header("|u1", "(2)"), "\1\2"),
      "damaged header: ',' expected at byte 63" },
    { "shape a number", npy(header("|u1", "2"), "\1\2"),
      "damaged header: '(' expected at byte 61" },
    { "order a number", npy "{'fortran_order': 1}",
      "damaged header: True or False expected at byte 29" },
    { "five axes", npy(header("|u1", "(1, 1, 1, 1, 1)"), "x"),
      "an array of 5 axes (more than 4) is not supported" },
    { "six axes in Fortran order", npy(header("|u1", "(1, 2, 3, 4, 5, 6)",
      true), ""), "an array of 6 axes (more than 4) is not supported" },
    { "shape product above 2^63", npy(header("|u1",
      "(4294967296, 4294967296)")), "size exceeds what can be addressed" },
    { "bytes above 2^63", npy(header("<f8", "(2305843009213693952,)")),
      "size exceeds what can be addressed" },
    { "more elements than the file has", npy(header("|u1", "(3,)"), "\1\2"),
      "truncated: has 69 bytes, needs 70" },
    { "a terabyte promised", npy(header("<f8", "(137438953472,)"), "\1\2"),
      "truncated: has 80 bytes, needs 1099511627854" },
    { "3.3 G elements", npy(header("|u1", "(4740, 840, 840)"), "\1\2"),
      "truncated: has 81 bytes, needs 3344544079" },
    { "garbage behind", npy(good, "\1\2\3"),
      "has 70 bytes, but its array ends at 69" },
    { "complex", npy(header("<c16", "(0,)")), "complex128 is not supported" },
    { "long double", npy(header("<f16", "(0,)")), "float128 is not supported" },
    { "object", npy(header("|O", "(0,)")), "dtype object is not supported" },
    { "strings", npy(header("<U7", "(0,)")), "dtype str is not supported" },
    { "bytes", npy(header("|S7", "(0,)")), "dtype bytes is not supported" },
    { "dates", npy(header("<M8[ns]", "(0,)")),
      "dtype datetime64 is not supported" },
    { "structured", npy("{'descr': [('a', '<f8'), ('b', '<i4')], " ..
      "'fortran_order': False, 'shape': (0,)}"),
      "structured dtype is not supported" },
    { "odd size", npy(header("<i3", "(0,)")), "dtype '<i3' is not supported" },
    { "odd name", npy(header("\1\200\xff", "(0,)")),
      "dtype '???' is not supported" },
    { "huge size", npy(header("<i" .. ("9"):rep(99), "(0,)")),
      "dtype '<i" .. ("9"):rep(30) .. "' is not supported" },
  }
  for _, h in ipairs(hostile) do
    it("says what is wrong: " .. h[1], function()
      local file = write("bad.npy", h[2])
      for _, opts in ipairs { {}, { map = true }, { map = "r+" } } do
        local a, why = mascon.load(file, opts)
        assert.is_nil(a)
        assert.equal(file .. ": " .. h[3], why)
      end
    end)
  end

  it("survives every cut and every changed byte", function()
    local whole = npy(header("<f4", "(2, 1)"), ("<ff"):pack(1, 2))
    for n = 0, #whole - 1 do
      assert.is_nil((mascon.load(write("cut.npy", whole:sub(1, n)))))
    end
    for i = 1, #whole do
      for _, c in ipairs { "\0", "\xff", "'", ")", "9", " " } do
        mascon.load(write("cut.npy", whole:sub(1, i - 1) .. c ..
          whole:sub(i + 1)))
      end
    end
  end)

  it("names a file that cannot be read", function()
    assert.same({ nil, name "none.npy" .. ": No such file or directory" },
      { mascon.load(name "none.npy") })
    assert.same({ nil, dir .. ": Is a directory" }, { mascon.load(dir) })
    assert.same({ nil, "/dev/zero: not a regular file" },
      { mascon.load "/dev/zero" })
    os.execute("mkfifo " .. name "pipe")
    assert.same({ nil, name "pipe" .. ": not a regular file" },
      { mascon.load(name "pipe") })
  end)

  it("raises on misuse", function()
    assert.error_matches(function() mascon.load() end,
      "bad argument #1 to '.*load' %(string expected, got no value%)")
    assert.error_matches(function() mascon.load "a\0b" end,
      "file name holds a zero byte")
    assert.error_matches(function() mascon.load("x", { mmap = true }) end,
      "unknown option 'mmap'")
    assert.error_matches(function() mascon.load("x", { map = "c" }) end,
      [[option 'map': "r" or "r%+" expected, got "c"]])
  end)
end)


describe("save", function()
  it("writes what numpy would, byte for byte", function()
    local a = mascon.zeros(2, 3, "u16")
    for i = 1, 2 do for j = 1, 3 do a:set(i, j, i * 10 + j) end end
    a:save(name "s.npy")
    local text = "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }"
    assert.equal(npy(text .. (" "):rep(117 - #text) .. "\n",
      ("<HHHHHH"):pack(11, 12, 13, 21, 22, 23)), read "s.npy")
  end)

  it("writes any view in row-major order", function()
    for _, dtype in ipairs { "f64", "f32", "i64", "i32", "u16", "u8" } do
      local a = mascon.range(1, 120, 1, dtype):reshape(2, 3, 4, 5)
      local m = mascon.range(1, 35, 1, dtype):reshape(5, 7)
      for _, v in ipairs { a, m, m:t(), m[2], m:col(3), m:block(2, 4, 3, 6),
        m:narrow(1, 5, 1, -2), m:t():narrow(1, -1, 1, -3), m:row(4):sub(6, 2,
        -1), a:permute(4, 2, 1, 3), a:select(2, 3), a:permute(2, 1, 4, 3)
        :narrow(3, 4, 2, -1), m:narrow(2, 3, 2) } do
        v:save(name "v.npy")
        local b = assert(mascon.load(name "v.npy"))
        assert.equal(dtype, b.dtype)
        assert.same({ v:shape() }, { b:shape() })
        assert.same(v:totable(), b:totable())
      end
    end
  end)

  it("raises what goes wrong", function()
    local a = mascon.zeros(3)
    assert.has_error(function() a:save(name "no/x.npy") end,
      name "no/x.npy" .. ": No such file or directory")
    assert.has_error(function() a:save(dir) end, dir .. ": Is a directory")
    assert.has_error(function() a:save "/dev/null" end,
      "/dev/null: not a regular file")
    assert.error_matches(function() a:save() end, "string expected")
    assert.error_matches(function() a:save("x", { thread = 1 }) end,
      "unknown option 'thread'")
    a:close()
    assert.error_matches(function() a:save(name "x.npy") end, "closed")
  end)
end)


describe("create", function()
  it("makes a file that is written in place", function()
    local a = mascon.create(name "c.npy", 100, 3, "i32")
    assert.same({ 100, 3 }, { a:shape() })
    a:set(2, 3, 7)
    assert.equal(7, mascon.load(name "c.npy"):get(2, 3))
    a:close()
    local b = mascon.load(name "c.npy", { map = "r+" })
    b:set(-1, -1, 9)
    b:flush()
    assert.equal(9, mascon.load(name "c.npy", { map = true }):get(100, 3))
  end)

  it("refuses to write into a file mapped for reading", function()
    mascon.create(name "c.npy", 5):close()
    local a = mascon.load(name "c.npy", { map = true })
    assert.error_matches(function() a:set(1, 1) end, "read%-only")
    assert.error_matches(function() a[1] = 1 end, "read%-only")
  end)
end)


it("files leave no descriptor open and no memory held", function()
  local function round()
    local a = mascon.create(name "l.npy", 10)
    a:save(name "m.npy")
    a:close()
    mascon.load(name "l.npy"):close()
    mascon.load(name "l.npy", { map = true }):close()
    mascon.load(write("bad.npy", "nothing"))
    mascon.load(write("bad.npy", npy(header("<u8", "(1,)"), ("\xff"):rep(8))))
    pcall(a.save, a, dir)
  end
  round()
  collectgarbage()
  local fds, bytes, blocks = descriptors(), mascon.memory()
  for _ = 1, 20 do round() end
  collectgarbage()
  local bytes2, blocks2 = mascon.memory()
  assert.equal(bytes, bytes2)
  assert.equal(blocks, blocks2)
  assert.equal(fds, descriptors())
end)

-- HDF5 files by the module mascon.hdf5; the files that are made here are made
-- by h5py, where there is one

local mascon = require "mascon"
local shell = require "spec.shell"

local found, hdf5 = pcall(require, "mascon.hdf5")
local describe = found and describe or pending
local shared = "../shared/data/"
local dir

local function name(file) return dir .. "/" .. file end

setup(function()
  dir = shell.folder()
end)

teardown(function() shell.remove(dir) end)

describe("mascon.hdf5", function()
  -- run a script that has h5py as h, numpy as n and the file f; nil where there
  -- is none
  local function make(file, script)
    return shell.python("h5py, numpy", ("import h5py as h, numpy as n\n" ..
      "f = h.File('%s', 'w')\n%s\n"):format(file, script), dir)
  end

  it("reads the columns of a table", function()
    if not shell.exists(shared .. "picasso_testdata_locs.hdf5") then
      return pending "no ../shared/data"
    end
    local t = assert(hdf5.load(shared .. "picasso_testdata_locs.hdf5", "locs"))
    assert.same({ "frame", "x", "y", "photons", "sx", "sy", "bg", "lpx", "lpy",
      "net_gradient", "likelihood", "iterations" }, t.names)
    assert.equal(#t.names, #t)
    for i, dtype in ipairs { "i64", "f32", "f32", "f32", "f32", "f32", "f32",
                             "f32", "f32", "f32", "f32", "i32" } do
      assert.equal(dtype, t[i].dtype)
      assert.equal(564, #t[i])
    end
    assert.equal(11, t[1][1])
    assert.equal(("f"):unpack(("f"):pack(5.618027)), t[2][1])
    assert.equal(3, t[12][1])
  end)

  it("reads tables of several blocks and every type", function()
    if not make("t.h5", [[
types = ['u1', 'i1', '<u2', '>i2', '<u4', '>i4', '<i8', '<u8', '<f2', '>f4',
         '<f8', '?']
d = n.zeros(100003, [('c' + str(i), t) for i, t in enumerate(types)])
k = n.arange(100003)
for i, t in enumerate(types): d['c' + str(i)] = k % 100
f.create_dataset('plain', data = d)
f.create_dataset('packed', data = d, chunks = (1000,), compression = 'gzip')
f.create_dataset('none', data = d[:0])
]]) then return pending "no h5py" end
    for _, set in ipairs { "plain", "packed" } do
      local t = assert(hdf5.load(name "t.h5", set))
      for i, dtype in ipairs { "u8", "i32", "u16", "i32", "i64", "i32", "i64",
                               "i64", "f32", "f32", "f64", "i32" } do
        local c = t[i]
        assert.equal(dtype, c.dtype)
        for _, k in ipairs { 1, 2, 99, 100, 101, 65536, 65537, 100003 } do
          local want = (k - 1) % 100
          if i == 12 and want > 0 then want = 1 end
          assert.equal(want, c[k])
        end
      end
    end
    local t = assert(hdf5.load(name "t.h5", "none"))
    assert.equal(0, #t[1])
  end)

  it("reads arrays", function()
    if not make("a.h5", [[
f['m'] = n.arange(12, dtype = 'f4').reshape(3, 4)
f['deep/v'] = n.arange(5, dtype = 'u2')
f['one'] = 7.5
f['big'] = n.array([1, 2 ** 63], 'u8')
f['text'] = 'abc'
f['five'] = n.zeros((1, 1, 1, 1, 1))
f['odd'] = n.zeros(3, [('a', 'f4'), ('b', 'S5')])
f['square'] = n.zeros((2, 2), [('a', 'f4'), ('b', 'i4')])
f.create_dataset('huge', (2 ** 60,), 'f8', chunks = (1024,))
]]) then return pending "no h5py" end
    local file = name "a.h5"
    local m = assert(hdf5.load(file, "m"))
    assert.equal("f32", m.dtype)
    assert.same({ { 0, 1, 2, 3 }, { 4, 5, 6, 7 }, { 8, 9, 10, 11 } }, m:totable())
    assert.same({ 0, 1, 2, 3, 4 }, hdf5.load(file, "deep/v"):totable())
    assert.same({ 7.5 }, hdf5.load(file, "one"):totable())
    for set, why in pairs {
      big = "has uint64 values above 2^63 - 1, which no dtype holds",
      text = "is not of numbers",
      five = "has more than 4 axes",
      odd = "column 'b' is not of numbers",
      square = "table has two axes",
      deep = "has no dataset 'deep'",
      [""] = "has no dataset ''",
    } do
      assert.same({ nil, file .. ": " .. why }, { hdf5.load(file, set) })
    end
    local a, why = hdf5.load(file, "huge")
    assert.is_nil(a)
    assert.matches("^" .. file .. ": ", why)
  end)

  it("says what is wrong with a file", function()
    local f = assert(io.open(name "x.h5", "wb"))
    f:write(("\137HDF\r\n\26\n"), ("\0"):rep(100))
    f:close()
    assert.matches(name "x.h5" .. ": .", select(2, hdf5.load(name "x.h5", "x")))
    assert.same({ nil, name "no.h5" .. ": No such file or directory" },
      { hdf5.load(name "no.h5", "x") })
    assert.same({ nil, dir .. ": not a regular file" }, { hdf5.load(dir, "x") })
    assert.same({ nil, "Makefile: is no HDF5 file" },
      { hdf5.load("Makefile", "x") })
    assert.has_error(function() hdf5.load("a\0b", "x") end,
      "bad argument #1 to 'load' (file name holds a zero byte)")
  end)

  it("is found by the program, wherever that is started", function()
    local build = os.getenv "MASCON_BUILD" or "build"
    local p = assert(io.popen("top=$PWD; cd /; unset LUA_CPATH LUA_PATH; " ..
      "$top/" .. build .. "/mascon -e 'print(require\"mascon.hdf5\".load)'"))
    assert.matches("^function", p:read "a")
    p:close()
  end)

  it("survives every failing allocation", function()
    if not shell.exists(shared .. "picasso_testdata_locs.hdf5") then
      return pending "no ../shared/data"
    end
    local file = shared .. "picasso_testdata_locs.hdf5"
    for n = 0, 11 do
      mascon.memory(n)
      local t, why = hdf5.load(file, "locs")
      mascon.memory(-1)
      assert.is_nil(t)
      assert.equal(file .. ": not enough memory", why:sub(1, #file + 19))
    end
    assert(hdf5.load(file, "locs"))
  end)
end)

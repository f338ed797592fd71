-- mascon info, on files of every kind
local mascon = require "mascon"
local shell = require "spec.shell"

describe("mascon info", function()
  local dir

  local function info(args)
    return shell.run(("cd %s && $OLDPWD/%s info %s"):format(dir, shell.mascon, args))
  end

  -- it shows this, and nothing is wrong
  local function shows(text, args)
    assert.same({ text, "", 0 }, { info(args) })
  end

  setup(function() dir = shell.folder() .. "/" end)
  teardown(function() shell.remove(dir) end)

  it("tells shape, dtype and range of .npy files", function()
    mascon.array({ { 1, -2.5, 3 }, { 0, 0, 7 } }, "f32"):save(dir .. "m.npy")
    mascon.array({ 3, 0 / 0, 1 / 0 }):save(dir .. "v.npy")
    mascon.full(3, 0 / 0):save(dir .. "n.npy")
    mascon.zeros(0, 4, "u8"):save(dir .. "e.npy")
    mascon.array({ 3, -4 }, "i64"):reshape(1, 2, 1):save(dir .. "i.npy")
    shows("m.npy: f32 matrix 2 x 3, min -2.5  max 7\nv.npy: f64 vector 3, min 3  max inf  NaN 1\n" ..
      "n.npy: f64 vector 3, all NaN\ne.npy: u8 matrix 0 x 4\ni.npy: i64 array 1 x 2 x 1, min -4  max 3\n",
      "m.npy v.npy n.npy e.npy i.npy")
    shows("m.npy: f32 matrix 2 x 3\n", "--quick m.npy")
  end)

  it("looks at every block of what is long", function()
    local a = mascon.zeros(3, 1500000, "f32")
    a:set(3, 1500000, 5)
    a:set(2, 1, 0 / 0)
    a:save(dir .. "l.npy")
    shows("l.npy: f32 matrix 3 x 1500000, min 0  max 5  NaN 1\n", "l.npy")
    a:reshape(4500000):save(dir .. "l.npy")
    shows("l.npy: f32 vector 4500000, min 0  max 5  NaN 1\n", "l.npy")
  end)

  it("tells what tables hold", function()
    shell.write(dir .. "t.csv", "user,x [nm],item\nana,1.5,a\nbob,,a\nana,-2,b\n")
    shows("t.csv: table, 3 rows, 3 columns\n  user      text  2 distinct\n" ..
      "  x     nm  f64   min -2  max 1.5  NaN 1\n  item      text  2 distinct\n", "t.csv")
    shell.write(dir .. "p.csv", "1 2\n3 4\n")
    local out, err, code = info "p.csv"
    assert.same({ "", 0 }, { err, code })
    assert.matches("^p.csv: table, 2 rows, 2 columns\n.-min 1  max 3\n.-min 2  max 4\n$", out)
  end)

  it("tells of .npz, sparse rows, indices", function()
    local c = mascon.csr.from_pairs(mascon.array({ 1, 2 }, "i32"), mascon.array({ 1, 3 }, "i32"),
      3, 4, { base = 1 })
    mascon.index(mascon.ones(10, 4, "f32"), { normalize = true }):save(dir .. "x.idx")
    shows("x.idx: index of 10 items, rank 4, f32, for cosines\n", "x.idx")
    if not pcall(require, "mascon.zip") then return pending "no mascon.zip" end
    mascon.csr.save(c, dir .. "s.npz")
    mascon.npz.save(dir .. "a.npz", { b = mascon.ones(3, 2, "u8"), long = mascon.zeros(2) })
    shows("s.npz: csr 3 x 4, 2 pairs, ids from 0\n  data  u8  min 1  max 1\n" ..
      "a.npz: npz, 2 arrays\n  b     u8 matrix 3 x 2  min 1  max 1\n  long  f64 vector 2     min 0  max 0\n",
      "s.npz a.npz")
    if not shell.python("numpy", "import numpy as n\n" ..
      "n.savez('o.npz', a = n.arange(3.), t = n.array(['x', 'y']))", dir) then return end
    local out = info "o.npz"
    assert.matches("^o.npz: npz, 2 arrays\n  a  f64 vector 3  min 0  max 2\n  t%s+[^\n]*\n$", out)
  end)

  it("tells of images", function()
    if not pcall(require, "mascon.png") then return pending "no mascon.png" end
    mascon.image.save(dir .. "i.png", mascon.array({ { 0, 9 } }, "u8"), { pixel = 10, unit = "nm" })
    shows("i.png: image, u8 matrix 1 x 2, pixels of 10 nm\n  min 0  max 9\n", "i.png")
  end)

  it("tells of HDF5 files", function()
    if not pcall(require, "mascon.hdf5") then return pending "no mascon.hdf5" end
    if not shell.python("h5py, numpy", [[
import h5py as h, numpy as n
f = h.File('h.h5', 'w')
f['deep/er'] = n.arange(6.).reshape(2, 3)
f['same'] = f['deep/er']
f['soft'] = h.SoftLink('/nowhere')
f['text'] = 'x'
f['t'] = n.array([(1, 2.)], [('i', '<i4'), ('x', '<f4')])
]], dir) then return pending "no h5py" end
    local out, err, code = info "h.h5"
    assert.same({ "", 0 }, { err, code })
    assert.matches("^h.h5: HDF5, 4 datasets\n  deep/er: f64 matrix 2 x 3, min 0  max 5\n" ..
      "  same: f64 matrix 2 x 3, min 0  max 5\n  t: table, 1 row, 2 columns\n" ..
      "    i    i32  min 1  max 1\n    x    f32  min 2  max 2\n  text: [^\n]*\n$", out)
  end)

  it("says which files it cannot read, and goes on", function()
    mascon.ones(1):save(dir .. "g.npy")
    shell.write(dir .. "bin", "\127ELF\0\0\0")
    shell.write(dir .. "none.csv", "")
    shell.write(dir .. "short.npy", "\147NUMPY\1")
    shell.write(dir .. "prose.txt", "A text,\nwith a, comma, or two.\n")
    local out, err, code = info "bin none.csv nofile . short.npy prose.txt g.npy"
    assert.same({ "g.npy: f64 vector 1, min 1  max 1\n", 1 }, { out, code })
    assert.matches("^mascon info: bin: a %.npy, %.npz, HDF5, CSV, image or index file expected\n" ..
      "none.csv: the file is empty\nnofile: No such file or directory\n%.: Is a directory\n" ..
      "short.npy: [^\n]+\nprose.txt:2: [^\n]+ %(no other format, so taken for a table%)\n$", err)
  end)
end)

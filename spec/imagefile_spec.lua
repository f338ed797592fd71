-- image files, written and read back, and against PIL and tifffile where a
-- Python has them

local mascon = require "mascon"
local shell = require "spec.shell"
local image = mascon.image

local dir

setup(function()
  dir = shell.folder()
end)

teardown(function() shell.remove(dir) end)

local function name(file) return dir .. "/" .. file end

local function put(file, text)
  return shell.write(name(file), text)
end

local function have(lib) return (pcall(require, "mascon." .. lib)) end

local LIB = { png = "png", tif = "tiff" }

-- every pixel from 0 to 'top', and then some
local function ramp(rows, cols, dtype, top)
  return (mascon.range(0, rows * cols - 1, 1) * 257 % (top + 1))
    :reshape(rows, cols):copy(dtype)
end

local function same(a, b)
  assert.equal(a.dtype, b.dtype)
  assert.same({ a:shape() }, { b:shape() })
  assert.is_true(a:eq(b):all())
end

describe("image.save and load", function()
  local SIZES = { { 1, 1 }, { 1, 7 }, { 5, 1 }, { 33, 65 }, { 300, 401 } }

  it("keep bytes and words, gray and colour", function()
    for _, suffix in ipairs { "png", "tif", "pgm", "npy" } do
      if not LIB[suffix] or have(LIB[suffix]) then
        for _, size in ipairs(SIZES) do
          for dtype, top in pairs { u8 = 255, u16 = 65535 } do
            local a = ramp(size[1], size[2], dtype, top)
            local info = image.save(name("a." .. suffix), a)
            assert.same({ 0, 0, 0 }, { info.low, info.high, info.nan })
            same(a, (assert(image.load(name("a." .. suffix)))))
            local rgb = ramp(size[1], size[2] * 3, dtype, top):reshape(size[1], size[2], 3)
            local colour = suffix == "pgm" and "ppm" or suffix
            image.save(name("c." .. colour), rgb)
            same(rgb, (assert(image.load(name("c." .. colour)))))
          end
        end
      end
    end
  end)

  it("take views with any stride", function()
    local a = ramp(30, 60, "u16", 65535)
    local rgb = ramp(30, 60, "u8", 255):reshape(30, 20, 3)
    for _, suffix in ipairs { "png", "tif", "pgm" } do
      if not LIB[suffix] or have(LIB[suffix]) then
        for _, v in ipairs { a:t(), a:narrow(1, 30, 1, -1), a:narrow(2, 59, 2, -3) } do
          image.save(name("v." .. suffix), v)
          same(v, (assert(image.load(name("v." .. suffix)))))
        end
        suffix = suffix == "pgm" and "ppm" or suffix
        for _, v in ipairs { rgb:permute(2, 1, 3), rgb:narrow(3, 3, 1, -1) } do
          image.save(name("v." .. suffix), v)
          same(v, (assert(image.load(name("v." .. suffix)))))
        end
      end
    end
  end)

  it("say what the file holds when it is replaced, and leave nothing else", function()
    for _, suffix in ipairs { "png", "tif", "pgm", "npy" } do
      if not LIB[suffix] or have(LIB[suffix]) then
        local path = name("old." .. suffix)
        image.save(path, ramp(3, 3, "u8", 255))
        image.save(path, ramp(4, 3, "u8", 255))
        assert.equal(4, image.load(path).nrows)
      end
    end
    assert.equal("", (shell.run("ls -A " .. dir .. " | grep mascon-")))
  end)

  it("raise where a file cannot be", function()
    local a = ramp(3, 3, "u8", 255)
    for _, suffix in ipairs { "png", "tif", "pgm", "npy" } do
      if not LIB[suffix] or have(LIB[suffix]) then
        local ok, message = pcall(image.save, "/nowhere/x." .. suffix, a)
        assert.is_false(ok)
        assert.match("/nowhere/x%." .. suffix .. ": No such file", message)
        local got, why = image.load("/nowhere/x." .. suffix)
        assert.is_nil(got)
        assert.match("/nowhere/x%." .. suffix .. ": No such file", why)
        got, why = image.load(put("empty." .. suffix, ""))
        assert.is_nil(got)
        assert.match("empty%." .. suffix .. ": ", why)
      end
    end
    assert.equal("", (shell.run("ls -A " .. dir .. " | grep mascon-")))
  end)

  it("check what they are given", function()
    local a = mascon.ones(2, 2)
    for text, f in pairs {
      ["#1 to 'save' %(a name that ends in .png.* got \"x.jpg\""] = function() image.save("x.jpg", a) end,
      ["#1 to 'load' %(a name that ends in .png.* got \"x\""] = function() image.load "x" end,
      ["#1 to 'load' %(file name expected, got nil"] = function() image.load() end,
      ["#2 to 'save' %(image expected, got 1%)"] = function() image.save("x.png", 1) end,
      ["#2 to 'save' %(h x w matrix.*got f64 array 4%)"] = function() image.save("x.png", mascon.ones(4)) end,
      ["#2 to 'save' %(the image has no pixels"] = function() image.save("x.png", mascon.ones(0, 4)) end,
      ["#2 to 'save' %(matrix expected for .pgm"] = function()
        image.save("x.pgm", mascon.zeros(2, 2, 3, "u8"))
      end,
      ["unknown option 'colour'"] = function() image.save("x.png", a, { colour = 1 }) end,
      ["option 'bits': 8 or 16 expected, got 7"] = function() image.save("x.png", a, { bits = 7 }) end,
      ["option 'dtype': only .tif"] = function() image.save("x.png", a, { dtype = "u8" }) end,
      ["option 'dtype': \"u8\".* got \"i32\""] = function() image.save("x.tif", a, { dtype = "i32" }) end,
      ["option 'pixel': size above 0, from"] = function() image.save("x.tif", a, { pixel = 0 }) end,
      ["option 'pixel': size above 0, from 1e%-09 to 1e%+09, expected, got 1e%+300"] =
        function() image.save("x.tif", a, { pixel = 1e300 }) end,
      ["option 'unit': nm, um, mm, cm or m %(PNG%) expected, got \"furlong\""] =
        function() image.save("x.png", a, { pixel = 1, unit = "furlong" }) end,
      ["option 'unit': it holds a control character"] =
        function() image.save("x.tif", a, { pixel = 1, unit = "um\nimages=9" }) end,
      ["option 'level': 0 to 9 expected, got 10"] = function() image.save("x.png", a, { level = 10 }) end,
      ["option 'colormap': one of"] = function() image.save("x.png", a, { colormap = "jet" }) end
    } do assert.error_matches(f, text) end
  end)

  it("scale numbers for the eye, and say how", function()
    if not have "png" then return pending "no mascon.png" end
    local a = mascon.array { { 1, 2, 3 }, { 4, 5, 0 / 0 } }
    local info = image.save(name "s.png", a)
    assert.same({ black = 1, white = 5, low = 0, high = 0, nan = 1 }, info)
    assert.same({ { 0, 64, 128 }, { 191, 255, 0 } }, image.load(name "s.png"):totable())
    info = image.save(name "s.png", a, { bits = 16, range = { 2, 4 } })
    assert.same({ 1, 1 }, { info.low, info.high })
    assert.same({ { 0, 0, 32768 }, { 65535, 65535, 0 } }, image.load(name "s.png"):totable())
    info = image.save(name "s.png", a, { colormap = "hot", percentiles = { 0, 75 } })
    assert.equal(4, info.white)
    same(image.colour(a, { colormap = "hot", range = { 1, 4 } }), (image.load(name "s.png")))
    image.save(name "s.pgm", mascon.array { { 0, 0.5 }, { 1, 1 } }, { bits = 16 })
    assert.equal("P5\n2 2\n65535\n\0\0\x80\0\xff\xff\xff\xff", shell.read(name "s.pgm"))
  end)
end)

describe("a PNG file", function()
  if not have "png" then return pending "no mascon.png" end

  it("keeps the size of a pixel", function()
    local a = ramp(2, 2, "u8", 255)
    for _, p in ipairs { { 10, "nm", 10 }, { 65, nil, 65 }, { 0.108, "um", 108 },
                         { 0.2, "nm", 0.2 }, { 1 / 3, "nm", 0.33333333333333 },
                         { 0.4, "m", 4e8 }, { 5, "m", 5e9 }, { 1e-5, "nm", 1e-5 },
                         { 2, "\u{b5}m", 2000 }, { 1, "mm", 1e6 } } do
      image.save(name "p.png", a, { pixel = p[1], unit = p[2] })
      assert.same({ pixel = p[3], unit = "nm" }, select(2, image.load(name "p.png")))
    end
    image.save(name "p.png", a)
    assert.same({}, select(2, image.load(name "p.png")))
  end)

  it("may be as long as the format allows", function()
    local a = mascon.zeros(1, 1000001, "u8")
    image.save(name "l.png", a)
    same(a, (assert(image.load(name "l.png"))))
  end)

  it("is refused when cut or damaged anywhere", function()
    image.save(name "w.png", ramp(40, 50, "u8", 255))
    local text = shell.read(name "w.png")
    for n = 0, #text - 1, 7 do
      local a, why = image.load(put("cut.png", text:sub(1, n)))
      assert.is_nil(a)
      assert.match("cut%.png: .", why)
    end
    for at = 1, #text, 11 do
      image.load(put("odd.png", text:sub(1, at - 1) .. "\xff" .. text:sub(at + 1)))
    end
    -- says that it is 2^30 x 2^30
    local _, why = image.load(put("big.png", text:sub(1, 16) ..
      (">I4I4"):pack(2 ^ 30, 2 ^ 30) .. text:sub(25)))
    assert.match("big%.png: ", why)
    assert.match("is no PNG file", select(2, image.load(put("no.png", "hello, world"))))
    assert(os.execute("mkdir -p " .. name "d.png"))
    assert.match("d%.png: not a regular file", select(2, image.load(name "d.png")))
  end)

  it("is what PIL writes and reads", function()
    local a = ramp(40, 50, "u8", 255)
    image.save(name "g8.png", a)
    image.save(name "g16.png", ramp(40, 50, "u16", 65535))
    image.save(name "c8.png", a:reshape(40, 50):narrow(2, 1, 48):copy():reshape(40, 16, 3))
    a:save(name "a.npy")
    local out = shell.python("PIL, numpy", [[
import numpy as n
from PIL import Image as I
a = n.load('a.npy')
b = (n.arange(2000) * 257 % 65536).reshape(40, 50)
assert (n.array(I.open('g8.png')) == a).all()
assert (n.array(I.open('g16.png')) == b).all()
assert (n.array(I.open('c8.png')) == a[:, :48].reshape(40, 16, 3)).all()
I.fromarray(a).convert('P').save('p.png')
I.fromarray(a > 99).save('1.png')
I.fromarray(n.dstack([a, a, a, a])).save('rgba.png')
I.fromarray(n.dstack([a, 255 - a]), 'LA').save('la.png')
print('ok')
]], dir)
    if not out then return pending "no PIL" end
    assert.equal("ok\n", out)
    local p = assert(image.load(name "p.png"))
    assert.same({ 40, 50, 3 }, { p:shape() })
    assert.is_true(p:select(3, 2):eq(a):all())
    same((a:gt(99) * 255):copy "u8", (assert(image.load(name "1.png"))))
    assert.is_true(assert(image.load(name "rgba.png")):select(3, 1):eq(a):all())
    same(a, (assert(image.load(name "la.png"))))
  end)
end)

describe("a TIFF file", function()
  if not have "tiff" then return pending "no mascon.tiff" end

  it("keeps f32, rounds to integers and counts what saturates", function()
    local a = mascon.array { { -1.5, 2.5, 70000 }, { 0 / 0, 3.5, 1e-3 } }
    image.save(name "f.tif", a)
    local b = assert(image.load(name "f.tif"))
    assert.equal("f32", b.dtype)
    assert.equal(70000, b(1, 3))
    assert.not_equal(b(2, 1), b(2, 1))
    local info = image.save(name "f.tif", a, { dtype = "u16" })
    assert.same({ 1, 1, 1 }, { info.low, info.high, info.nan })
    assert.same({ { 0, 2, 65535 }, { 0, 4, 0 } }, image.load(name "f.tif"):totable())
    image.save(name "f.tif", a, { dtype = "f64" })
    assert.equal("f64", image.load(name "f.tif").dtype)
  end)

  it("holds stacks, and the size of a pixel", function()
    for _, dtype in ipairs { "u8", "u16", "f32" } do
      local a = ramp(30, 35, dtype, 200):reshape(5, 6, 35)
      image.save(name "s.tif", a, { pixel = 0.1, unit = "\u{b5}m" })
      local b, info = assert(image.load(name "s.tif"))
      same(a, b)
      assert.same({ 0.1, "um" }, { info.pixel, info.unit })
      image.save(name "s.tif", a:permute(3, 1, 2))
      same(a:permute(3, 1, 2), (assert(image.load(name "s.tif"))))
    end
    local c = ramp(30, 36, "u8", 255):reshape(5, 6, 12, 3)
    image.save(name "s.tif", c)
    same(c, (assert(image.load(name "s.tif"))))
  end)

  it("is refused when cut, whatever is damaged", function()
    image.save(name "w.tif", ramp(40, 50, "u16", 65535):reshape(4, 10, 50), { pixel = 7 })
    local text = shell.read(name "w.tif")
    for n = 0, #text - 1, 97 do
      local a, why = image.load(put("cut.tif", text:sub(1, n)))
      assert.is_nil(a)
      assert.match("cut%.tif: .", why)
    end
    for at = 1, #text, 13 do
      image.load(put("odd.tif", text:sub(1, at - 1) .. "\xff" .. text:sub(at + 1)))
    end
    assert.match("no%.tif: .", select(2, image.load(put("no.tif", "hello, world"))))
  end)

  it("is what tifffile writes and reads", function()
    local a = ramp(30, 35, "f32", 2000):reshape(5, 6, 35)
    image.save(name "s.tif", a, { pixel = 10 })
    image.save(name "u.tif", ramp(9, 5, "u16", 65535), { pixel = 0.5, unit = "um" })
    a:save(name "a.npy")
    local out = shell.python("tifffile, numpy", [[
import numpy as n, tifffile as t
a = n.load('a.npy')
f = t.TiffFile('s.tif')
assert f.is_imagej and (f.asarray() == a).all()
m = f.imagej_metadata
assert m['images'] == 5 and m['unit'] == 'nm', m
x = f.pages[0].tags['XResolution'].value
assert abs(x[0] * 10 / x[1] - 1) < 1e-7, x
assert t.TiffFile('u.tif').imagej_metadata['unit'] == 'micron'
t.imwrite('j.tif', a, imagej = True, resolution = (5, 5), metadata = {'unit': 'um'})
t.imwrite('b.tif', a.astype('>f4'), byteorder = '>')
t.imwrite('i.tif', (a - 50).astype('i2'))
t.imwrite('i8.tif', (a % 100 - 50).astype('i1'))
t.imwrite('u4.tif', a.astype('u4') + 4000000000)
t.imwrite('tile.tif', a[0:1].repeat(40, 1).repeat(3, 0), tile = (16, 32), photometric = 'minisblack')
t.imwrite('rgb.tif', (a[:3] % 256).astype('u1'), planarconfig = 'separate', photometric = 'rgb')
t.imwrite('cm.tif', a[0], resolution = (1000, 1000), resolutionunit = 'CENTIMETER')
t.imwrite('two.tif', a[0])
t.imwrite('two.tif', a[0][:2], append = True)
t.imwrite('cplx.tif', a[0].astype('c8'))
t.imwrite('one.tif', (a[0] > 50), photometric = 'minisblack')
print('ok')
]], dir)
    if not out then return pending "no tifffile" end
    assert.equal("ok\n", out)
    local j, info = assert(image.load(name "j.tif"))
    same(a, j)
    assert.same({ 0.2, "um" }, { info.pixel, info.unit })
    same(a, (assert(image.load(name "b.tif"))))
    same((a - 50):copy "i32", (assert(image.load(name "i.tif"))))
    same((a % 100 - 50):copy "i32", (assert(image.load(name "i8.tif"))))
    same(a:copy "i64" + 4000000000, (assert(image.load(name "u4.tif"))))
    local tile = assert(image.load(name "tile.tif"))
    assert.same({ 3, 240, 35 }, { tile:shape() })
    for r = 1, 240 do
      assert.is_true(tile[3][r]:eq(a[1][math.floor((r - 1) / 40) + 1]):all())
    end
    same((a:narrow(1, 1, 3) % 256):permute(2, 3, 1):copy "u8", (assert(image.load(name "rgb.tif"))))
    info = select(2, assert(image.load(name "cm.tif")))
    assert.same({ 10000, "nm" }, { info.pixel, info.unit })
    assert.match("page 2 is not as the first one", select(2, image.load(name "two.tif")))
    assert.match("cplx.tif: samples of 64 bits", select(2, image.load(name "cplx.tif")))
    assert.match("one.tif: samples of 1 bits", select(2, image.load(name "one.tif")))
  end)
end)

describe("a PGM or PPM file", function()
  it("may have comments and any largest value", function()
    same(mascon.array({ { 1, 2, 3 } }, "u8"),
         (assert(image.load(put("c.pgm", "P5 # gray\n3\t1 # size\n# more\n200\n\1\2\3")))))
    same(mascon.array({ { 258, 3 } }, "u16"),
         (assert(image.load(put("c.pgm", "P5 2 1 300 \1\2\0\3")))))
    same(mascon.array({ 1, 2, 3 }, "u8"):reshape(1, 1, 3),
         (assert(image.load(put("c.ppm", "P6 1 1 255\n\1\2\3")))))
  end)

  it("is refused where it is none", function()
    for text, why in pairs {
      ["P5 3 1 255 ab"] = "ends too early", ["P5 3 1 256 abcde"] = "ends too early",
      ["P5 2147483647 2147483647 255 "] = "ends too early",
      ["P2 1 1 255 1"] = "is no binary", ["P5 3 1"] = "is no binary",
      ["P5 3 1 0 abc"] = "is no binary", ["P5 99999999999 1 255 a"] = "is no binary",
      ["P5 -3 1 255 abc"] = "is no binary", ["P5"] = "is no binary",
      ["P5 3 1 70000 abcdef"] = "is no binary", ["P5 #" .. ("x"):rep(5000)] = "is no binary"
    } do
      local a, message = image.load(put("x.pgm", text))
      assert.is_nil(a)
      assert.match("x%.pgm: " .. why, message)
    end
  end)
end)

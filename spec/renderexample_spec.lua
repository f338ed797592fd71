-- examples/render.lua, on tables that are made here and on the real ones
local mascon = require "mascon"
local shell = require "spec.shell"

local command = shell.mascon .. " examples/render.lua "
local shared = "../shared/data/"

local function have(path)
  local f = io.open(path)
  if f then f:close() end
  return f ~= nil
end

-- run it in a folder of its own; what it wrote, and its code
local function run(...)
  local out, err, code = shell.run(command .. table.concat({ ... }, " "))
  return err, code, out
end

describe("examples/render.lua", function()
  local csv, out
  setup(function()
    csv, out = os.tmpname(), os.tmpname()
    local f = assert(io.open(csv, "w"))
    f:write('"x [nm]","y [nm]","frame","uncertainty [nm]","wide [nm]"\n')
    f:write("105,55,1,4,20\n205,155,9,6,30\n")
    f:close()
  end)
  teardown(function()
    os.remove(csv)
    os.remove(out)
    for _, suffix in ipairs { ".npy", ".png", ".tif" } do os.remove(out .. suffix) end
  end)

  it("draws what mascon.render draws", function()
    local err, code = run(csv, "-o", out .. ".npy", "--extent 0,0,200,300 --threads 2")
    assert.equal(0, code)
    assert.matches("20 x 30 pixels of 10 nm, [%d.]+ s; 2 drawn, 0 outside, 0 skipped; mass ", err)
    local L = assert(mascon.locs.load(csv))
    local want = mascon.render(L, { extent = { 0, 0, 200, 300 } })
    assert.is_true(mascon.load(out .. ".npy"):eq(want):all())
    for option, o in pairs {
      ["--sigma wide"] = { sigma = "wide" }, ["--sigma 15"] = { sigma = 15 },
      ["--pixel 25"] = { pixel = 25 }, ["--preset picasso"] = { preset = "picasso" },
      ["--weight frame"] = { weight = "frame" } } do
      o.extent = { 0, 0, 200, 300 }
      err, code = run(csv, "-o", out .. ".npy", "--quiet --extent 0,0,200,300", option)
      assert.same({ "", 0 }, { err, code })
      assert.is_true(mascon.load(out .. ".npy"):eq((mascon.render(L, o))):all())
    end
  end)

  it("writes PNG with contrast, TIFF with the size of a pixel, colours", function()
    local _, code = run(csv, "-o", out .. ".png", "--quiet --percentiles 0,100")
    assert.equal(0, code)
    local image, info = mascon.image.load(out .. ".png")
    assert.same({ "u8", 255, 10, "nm" }, { image.dtype, image:max(), info.pixel, info.unit })
    assert.equal(0, (select(2, run(csv, "-o", out .. ".tif", "--quiet --pixel 20"))))
    image, info = mascon.image.load(out .. ".tif")
    assert.same({ "f32", 20, "nm" }, { image.dtype, info.pixel, info.unit })
    assert.equal(0, (select(2, run(csv, "-o", out .. ".png", "--quiet --colour frame",
                                   "--colour-range 1,9 --percentiles 0,100"))))
    local L = assert(mascon.locs.load(csv))
    assert.is_true(mascon.image.load(out .. ".png"):eq((mascon.render(L, { percentiles = { 0, 100 },
      colour = { "frame", range = { 1, 9 } } }))):all())
  end)

  it("says what is wrong before it works", function()
    for text, args in pairs {
      ["one file expected, got 0"] = "-o x.png",
      ["where to write to is missing"] = csv,
      ["there is no folder /no/such/folder/"] = csv .. " -o /no/such/folder/x.png",
      ["-o: a name that ends in .png, .tif, .npy, .pgm or .ppm expected, got 'x.gif'"] = csv .. " -o x.gif",
      ["--pixel: a number above 0 expected, got '-1'"] = csv .. " -o x.png --pixel -1",
      ["--extent: 4 numbers with commas between expected, got '1,2'"] = csv .. " -o x.png --extent 1,2",
      ["--preset: one of picasso thunderstorm expected, got 'x'"] = csv .. " -o x.png --preset x",
      ["--threads: an integer from 1"] = csv .. " -o x.png --threads 0",
      ["has no column 'depth'; it has x, y, frame, uncertainty, wide"] = csv .. " -o x.png --colour depth",
      ["--sigma: "] = csv .. " -o x.png --sigma depth",
      ["--colour-range goes with --colour"] = csv .. " -o x.png --colour-range 1,2",
      ["render.lua: nofile.csv: No such file or directory"] = "nofile.csv -o x.png",
      ["no column 'here' of numbers; it has: "] = csv .. " -o x.png --x here",
      ["render.lua: option 'extent': {y0, x0, y1, x1} expected, but it ends"] =
        csv .. " -o x.png --extent 5,5,1,1",
      ["image of 3000000 x 3000000"] = csv .. " -o x.png --extent 0,0,3e6,3e6 --pixel 1",
      ["render.lua: the image has no pixels"] = csv .. " -o x.png --extent 1,1,1,1",
    } do
      local err, code = run(args)
      assert.is_true(code == 1 or code == 2, args)
      assert.is_truthy(err:find(text, 1, true), err)
      assert.is_false(have "x.png")
    end
  end)

  it("draws every real table", function()
    if not have(shared .. "storm_table.csv") then return pending "no ../shared/data" end
    for name, options in pairs {
      ["storm_table.csv"] = "--pixel 50", ["thunderstorm_quoted_header.csv"] = "--pixel 50",
      ["ecoli_01_storm.csv"] = "--pixel 100 --preset thunderstorm",
      ["five_blobs.txt"] = "--x position_x --y position_y --sigma 10" } do
      local err, code = run(shared .. name, "-o", out .. ".png", "--quiet", options)
      assert.same({ "", 0 }, { err, code }, name)
    end
    if not pcall(require, "mascon.hdf5") then return end
    for _, name in ipairs { "picasso_testdata_locs.hdf5", "picasso_raw_movie_locs.hdf5" } do
      local err, code = run(shared .. name, "-o", out .. ".png", "--quiet")
      assert.same({ "", 0 }, { err, code }, name)
    end
  end)
end)

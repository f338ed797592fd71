-- localisation tables: three kinds of files, units, origins, rendering

local mascon = require "mascon"
local shell = require "spec.shell"
local locs = mascon.locs

local shared = "../shared/data/"
local hashdf5 = pcall(require, "mascon.hdf5")
local dir

local function name(file) return dir .. "/" .. file end

local function file(text, as)
  return shell.write(name(as or "t.csv"), text)
end

setup(function()
  dir = shell.folder()
end)

teardown(function() shell.remove(dir) end)

local storm = [[
"id","frame","x [nm]","y [nm]","sigma [nm]","intensity [photon]","uncertainty_xy [nm]"
1,1,100.5,200,130,900,9.5
2,1,300,0.25,120,800,12
3,7,250,125,110,100.5,30
]]


describe("a ThunderSTORM table", function()
  it("has columns under their names, without units", function()
    local L = assert(locs.load(file(storm)))
    assert.equal(3, #L.x)
    if not jit then assert.equal(3, #L) end  -- which does not ask a table
    assert.same({ "id", "frame", "x", "y", "sigma", "intensity",
      "uncertainty_xy" }, L.names)
    assert.same({ 100.5, 300, 250 }, L.x:totable())
    assert.same({ 200, 0.25, 125 }, L.y:totable())
    assert.same({ 130, 120, 110 }, L.sigma:totable())
    assert.same({ 9.5, 12, 30 }, L.uncertainty_xy:totable())
    assert.same({ x = "nm", y = "nm", sigma = "nm", intensity = "photon",
      uncertainty_xy = "nm" }, L.units)
  end)

  it("has the standard columns", function()
    local L = assert(locs.load(file(storm)))
    assert.same({ 900, 800, 100.5 }, L.photons:totable())
    assert.same({ 1, 1, 7 }, L.frame:totable())
    assert.equal("i64", L.frame.dtype)
    assert.equal(L.uncertainty_xy, L.sx)  -- never sigma
    assert.equal(L.uncertainty_xy, L.sy)
    assert.is_nil(L.z)
    assert.is_nil(L.nosuch)
    assert.equal("nm", L.unit)
    assert.equal("edge", L.origin)
    assert.is_nil(L.pixel_size)
    assert.is_nil(L.extent)
  end)

  it("may have another precision, a z, or none", function()
    local L = assert(locs.load(file 'x [um],y [\xb5m],z [nm],uncertainty [nm]\n1,2,500,20\n'))
    assert.equal("um", L.unit)
    assert.same({ 0.5 }, L.z:totable())
    assert.same({ 500 }, L.columns.z:totable())
    assert.same({ 0.02 }, L.sx:totable())
    L = assert(locs.load(file 'x (px),y (pixel),sigma [nm]\n1,2,500\n'))
    assert.equal("px", L.unit)
    assert.is_nil(L.sx)
    L = assert(locs.load(file 'x [\xc2\xb5m],y [nm]\n1,2\n'))
    assert.same({ 0.002 }, L.y:totable())
    L = assert(locs.load(file 'x [nm],y [nm],lpx [nm],lpy [nm]\n1,2,3,4\n'))
    assert.same({ { 3 }, { 4 } }, { L.sx:totable(), L.sy:totable() })
  end)

  it("keeps frames that are not whole", function()
    local L = assert(locs.load(file "x,y,frame\n1,2,0.5\n"))
    assert.same({ 0.5 }, L.frame:totable())
    L = assert(locs.load(file "x,y,frame\n1,2,\n"))
    assert.equal("f64", L.frame.dtype)
  end)

  it("may be empty", function()
    local L = assert(locs.load(file(storm:match "^[^\n]*")))
    assert.equal(0, #L.x)
    assert.equal(0, #L:to { unit = "um" }.x)
    assert.equal(0, #L:filter(L.x:gt(1)).x)
    assert.matches("^0 localisations, nm, origin edge\n", tostring(L))
  end)

  it("names what is broken", function()
    local f = file(storm .. "1,2,3,4\n")
    assert.same({ nil, f .. ":5: 7 fields expected, got 4" }, { locs.load(f) })
    f = file(storm .. "1,2,3,4,5,6,abc\n")
    assert.same({ nil, f .. ":5: column 'uncertainty_xy [nm]': number expected" ..
      ", got 'abc'" }, { locs.load(f) })
    f = file "a,x\n1,2\n"
    assert.same({ nil, f .. ": no column 'y' of numbers; it has: a, x (say " ..
      "which by the option 'columns')" }, { locs.load(f) })
    f = file(storm)
    assert.same({ nil, f .. ": lengths are in nm, option 'unit' says px" },
      { locs.load(f, { unit = "px" }) })
  end)
end)


describe("any CSV table", function()
  local text = "i;PX;PY;who;p;N\n0;1,5;2;abc;0,1;7\n1;3;4;def;0,2;8\n"

  it("has its columns named by a map", function()
    local L = assert(locs.load(file(text), { sep = ";", point = ",", unit = "px",
      pixel_size = 100, origin = "centre",
      columns = { x = "PX", y = 3, sx = "p", sy = 5, photons = "N" } }))
    assert.same({ 1.5, 3 }, L.x:totable())
    assert.same({ 2, 4 }, L.y:totable())
    assert.same({ 0.1, 0.2 }, L.sy:totable())
    assert.same({ 7, 8 }, L.photons:totable())
    assert.same({ 0, 1 }, L.i:totable())
    assert.equal(L.PX, L.x)
    assert.is_nil(L.who)
    assert.same({ PX = "px", PY = "px", p = "px" }, L.units)
    local nm = L:to { unit = "nm", origin = "edge" }
    assert.same({ 200, 350 }, nm.x:totable())
    assert.same({ 10, 20 }, nm.p:totable())
    assert.same({ 0, 1 }, nm.i:totable())
  end)

  it("must have them", function()
    local f = file(text)
    for which, why in pairs { Q = "Q", who = "who", [9] = "9" } do
      assert.same({ nil, f .. ": no column '" .. why .. "' of numbers; it has: " ..
        "i, PX, PY, who, p, N" }, { locs.load(f, { point = ",",
        columns = { x = "PX", y = which } }) })
    end
    assert.has_error(function()
      locs.load(f, { point = ",", columns = { q = "PX" } })
    end, "bad argument #2 to 'load' (option 'columns': unknown part 'q')")
    assert.has_error(function() locs.load(f, { columns = 1 }) end,
      "bad argument #2 to 'load' (option 'columns': table expected, got number)")
    assert.has_error(function() locs.load(f, { columns = { x = {} } }) end, "bad argument " ..
      "#2 to 'load' (option 'columns': x: name or place of a column expected, got table)")
    assert.has_error(function() locs.load(f, { column = 1 }) end,
      "bad argument #2 to 'load' (unknown option 'column')")
    assert.has_error(function() locs.load(f, { unit = "ly" }) end, "bad " ..
      'argument #2 to \'load\' (option \'unit\': "mm", "nm", "px", "um" expected, got ly)')
    assert.has_error(function() locs.load(1) end,
      "bad argument #1 to 'load' (string expected, got number)")
    assert.same({ nil, name "no" .. ": No such file or directory" },
      { locs.load(name "no") })
  end)
end)


describe("a table of localisations", function()
  local function L(opts)
    return locs.new({ x = mascon.array { 0, 1, 2.5 }, y = mascon.array { 4, 5, 6 },
      sx = mascon.array({ 0.5, 0.25, 1 }, "f32"), sy = 2,
      n = mascon.array({ 1, 2, 3 }, "i32") }, opts)
  end

  it("is made from columns", function()
    local t = L { unit = "px", pixel_size = 8 }
    assert.same({ "n", "sx", "sy", "x", "y" }, t.names)
    assert.same({ 2, 2, 2 }, t.sy:totable())
    assert.equal("edge", t.origin)
    assert.has_error(function() locs.new { x = mascon.zeros(1) } end,
      "bad argument #1 to 'new' (column 'y' is missing)")
    assert.has_error(function() locs.new { x = 1, y = 2 } end,
      "bad argument #1 to 'new' (column 'x': vector expected, got number)")
    assert.has_error(function()
      locs.new { x = mascon.zeros(1), y = mascon.zeros(2) }
    end, "bad argument #1 to 'new' (column 'y': vector of 1 expected, got 2 of f64)")
    assert.has_error(function() L { units = {}, unitt = 1 } end,
      "bad argument #2 to 'new' (unknown option 'unitt')")
  end)

  it("is converted, from any unit and origin to any", function()
    local t = L { unit = "px", pixel_size = 8, origin = "centre",
                  extent = { -0.5, -0.5, 9.5, 19.5 } }
    local e = t:to { origin = "edge" }
    assert.same({ 0.5, 1.5, 3 }, e.x:totable())
    assert.same({ 0, 0, 10, 20 }, e.extent)
    local nm = t:to { unit = "nm" }
    assert.same({ 0, 8, 20 }, nm.x:totable())
    assert.same({ 4, 2, 8 }, nm.sx:totable())
    assert.same({ 16, 16, 16 }, nm.sy:totable())
    assert.same({ 1, 2, 3 }, nm.n:totable())
    assert.same({ "nm", "centre", 8 }, { nm.unit, nm.origin, nm.pixel_size })
    local both = t:to { unit = "nm", origin = "edge" }
    assert.same({ 4, 12, 24 }, both.x:totable())
    assert.same({ 36, 44, 52 }, both.y:totable())
    assert.same({ 0, 0, 80, 160 }, both.extent)
    for _, back in ipairs { both:to { unit = "px", origin = "centre" },
        nm:to { unit = "px" }, e:to { origin = "centre" }, nm:to { origin = "edge" }
        :to { unit = "px" }:to { origin = "centre" } } do
      assert.same(t.x:totable(), back.x:totable())
      assert.same(t.y:totable(), back.y:totable())
      assert.same(t.sx:totable(), back.sx:totable())
      assert.same(t.extent, back.extent)
    end
    assert.same({ 0, 1, 2.5 }, t.x:totable())  -- it is what it was
    local um = both:to { unit = "um" }
    assert.same({ 0.004, 0.012, 0.024 }, um.x:totable())
    assert.equal(t.x, t:to({}).x)
  end)

  it("says what a conversion lacks", function()
    local px = L { unit = "px" }
    assert.has_error(function() px:to { unit = "nm" } end, "bad argument #1 to " ..
      "'to' (option 'pixel_size' is needed: nm in a camera pixel)")
    assert.same({ 0, 10, 25 }, px:to { unit = "nm", pixel_size = 10 }.x:totable())
    assert.same({ -0.5, 0.5, 2 }, px:to { origin = "centre" }.x:totable())
    assert.has_error(function() L { unit = "nm" }:to { origin = "centre" } end,
      "bad argument #1 to 'to' (option 'pixel_size' is needed: nm in a camera pixel)")
    for _, size in ipairs { 0, -100, 0 / 0, math.huge, "a" } do
      for _, f in ipairs { function() px:to { unit = "nm", pixel_size = size } end,
          function() L { pixel_size = size } end,
          function() locs.load("no.csv", { pixel_size = size }) end } do
        assert.error_matches(f, "option 'pixel_size': nm above 0 expected, got ")
      end
    end
    assert.has_error(function() mascon.render(px, { unit = "nm" }) end, "bad argument #2 " ..
      "to 'render' (option 'unit': the table has no pixel_size, nm in a camera pixel)")
    assert.has_error(function() L {}:to { unit = "nm" } end,
      "bad argument #1 to 'to' (the unit of the table is not known)")
    assert.has_error(function() px:to { units = "nm" } end,
      "bad argument #1 to 'to' (unknown option 'units')")
    assert.has_error(function() px:to { origin = "center" } end, "bad argument #1 " ..
      "to 'to' (option 'origin': \"centre\", \"edge\" expected, got center)")
    assert.has_error(function() px:to "nm" end,
      "bad argument #1 to 'to' (table of options expected, got string)")
  end)

  it("is filtered by a mask, by ids, by a function", function()
    local t = L { unit = "px", pixel_size = 8 }
    for _, f in ipairs { t:filter(t.x:gt(0)), t:filter(mascon.array({ 2, 3 }, "i32")),
        t:filter(function(l) return l.x > 0 and l.sy == 2 and l.nosuch == nil end) } do
      assert.equal(2, #f.x)
      assert.same({ { 1, 2.5 }, { 5, 6 }, { 2, 3 } }, { f.x:totable(), f.y:totable(),
        f.n:totable() })
      assert.same({ 0.25, 1 }, f.sx:totable())
      assert.same({ "px", 8, "edge" }, { f.unit, f.pixel_size, f.origin })
    end
    assert.equal(0, #t:filter(function() return false end).x)
    assert.equal(3, #t.x)
    assert.has_error(function() t:filter(mascon.zeros(2, "u8")) end,
      "bad argument #1 to 'filter' (mask of 3 expected, got one of 2)")
    assert.has_error(function() t:filter(mascon.array({ 0 }, "i32")) end,
      "bad argument #1 to 'filter' (id 0 at 1 is outside 1 to 3)")
    assert.has_error(function() t:filter "x" end,
      "bad argument #1 to 'filter' (mask or function expected, got string)")
    assert.has_error(function() t:filter(function() error("no", 0) end) end, "no")
  end)

  it("is printed", function()
    assert.equal("3 localisations, px, camera pixel 8 nm, origin edge, field 4 x 6\n" ..
      "  n                      i32  1 ... 3\n" ..
      "  sx             px      f32  0.5 ... 1\n" ..
      "  sy             px      f64  2 ... 2\n" ..
      "  x              px      f64  0 ... 2.5\n" ..
      "  y              px      f64  4 ... 6",
      tostring(L { unit = "px", pixel_size = 8, extent = { 0, 0, 4, 6 } }))
    assert.matches("uncertainty_xy nm      f64  9.5 ... 30  = sx, sy$",
      tostring(locs.load(file(storm))))
  end)

  it("is saved in ThunderSTORM's dialect", function()
    local t = assert(locs.load(file(storm)))
    t:save(name "o.csv")
    assert.equal(storm, shell.read(name "o.csv"))
    local both = locs.new { x = mascon.ones(1), y = mascon.ones(1), intensity = 2, photons = 3 }
    both:save(name "both.csv")
    assert.equal('"intensity [photon]","photons","x","y"\n2,3,1,1\n', shell.read(name "both.csv"))
    L({ unit = "px", pixel_size = 8, origin = "centre" }):save(name "o.csv")
    assert.equal([[
"n","sx [nm]","sy [nm]","x [nm]","y [nm]","uncertainty_xy [nm]"
1,4,16,4,36,10
2,2,16,12,44,9
3,8,16,24,52,12
]], shell.read(name "o.csv"))
    L({ unit = "px" }):save(name "o.csv")
    assert.matches('^"n","sx %[px%]"', shell.read(name "o.csv"))
    assert.same({ 0, 1, 2.5 }, assert(locs.load(name "o.csv")).x:totable())
    assert.has_error(function() t:save(name "no/o.csv") end,
      name "no/o.csv" .. ": No such file or directory")
    assert.has_error(function() t:save(name "o.csv", { sep = ";" }) end,
      "bad argument #2 to 'save' (unknown option 'sep')")
  end)
end)


describe("render", function()
  local function same(a, b)
    assert.same({ a:shape() }, { b:shape() })
    assert.equal(0, mascon.abs(a - b):max())
  end

  it("draws a table as its columns", function()
    local t = locs.new({ x = mascon.array { 30, 75.5 }, y = mascon.array { 20, 33 },
      sx = 6, sy = 9, w = mascon.array { 1, 2 } }, { unit = "nm" })
    local columns = { x = t.x, y = t.y, sx = 6, sy = 9 }
    same(mascon.render(columns, { pixel = 5 }), (mascon.render(t, { pixel = 5 })))
    same(mascon.render(columns, { pixel = 10 }), (mascon.render(t)))
    columns.weight = t.w
    same(mascon.render(columns, { pixel = 5, shape = { 9, 20 } }),
      (mascon.render(t, { pixel = 5, weight = "w", shape = { 9, 20 } })))
    columns.sx, columns.sy, columns.weight = 3, 3, nil
    same(mascon.render(columns, { pixel = 5, norm = "peak" }),
      (mascon.render(t, { pixel = 5, sigma = 3, norm = "peak" })))
  end)

  it("knows units, origin and the camera's field", function()
    local t = locs.new({ x = mascon.array { 2, 3.25 }, y = mascon.array { 1, 0 },
      lpx = 0.25, lpy = 0.5 }, { unit = "px", pixel_size = 100, origin = "centre",
      extent = { -0.5, -0.5, 4.5, 6.5 } })
    local image, info = mascon.render(t, { pixel = 20 })
    same(mascon.render({ x = mascon.array { 250, 375 }, y = mascon.array { 150, 50 },
      sx = 25, sy = 50 }, { pixel = 20, shape = { 25, 35 } }), image)
    assert.same({ 0, 0, 500, 700 }, info.extent)
    same(image, (mascon.render(t, { pixel = 0.2, unit = "px" })))
    -- Picasso takes 0 for the edge when it draws
    local spots, opts = getmetatable(t).__spots(t, { preset = "picasso", unit = "px" })
    assert.same({ 2, 3.25 }, spots.x:totable())
    assert.same({ preset = "picasso", pixel = 0.1, extent = { 0, 0, 5, 7 } }, opts)
  end)

  it("wants a precision, and known names", function()
    local t = assert(locs.load(file "x [nm],y [nm]\n10,20\n"))
    assert.has_error(function() mascon.render(t) end, "bad argument #1 to 'render'" ..
      " (the table has no precision: give the option 'sigma')")
    assert(mascon.render(t, { sigma = 10 }))
    assert.has_error(function() mascon.render(t, { sigma = "s" }) end,
      "bad argument #1 to 'render' (column 's' is missing)")
    assert.has_error(function() mascon.render(t, { sigma = 9, pixl = 1 }) end,
      "bad argument #2 to 'render' (unknown option 'pixl')")
  end)
end)


describe("a Picasso table", function()
  local path = shared .. "picasso_testdata_locs.hdf5"

  local function load(p, opts)
    if not hashdf5 then return pending "mascon.hdf5 is not built" end
    if not shell.exists(p) then return pending "no ../shared/data" end
    return assert(locs.load(p, opts))
  end

  it("has its columns, its field and its pixel", function()
    local L = load(path)
    assert.equal(564, #L.x)
    assert.same({ "px", 130, "centre" }, { L.unit, L.pixel_size, L.origin })
    assert.same({ -0.5, -0.5, 31.5, 31.5 }, L.extent)
    assert.equal(L.lpx, L.sx)
    assert.equal(L.lpy, L.sy)
    assert.near(0.8546326, L.columns.sx[1], 1e-7)  -- the width of the spot
    assert.near(5788.1953, L.photons[1], 1e-3)
    assert.equal(11, L.frame[1])
    local nm = L:to { unit = "nm", origin = "edge" }
    assert.same({ 0, 0, 4160, 4160 }, nm.extent)
    for _, i in ipairs { 1, 2, 564 } do
      assert.equal((L.x[i] + 0.5) * 130, nm.x[i])
      assert.equal(L.lpy[i] * 130, nm.sy[i])
    end
    local image, info = mascon.render(L, { pixel = 10 })
    assert.same({ 416, 416 }, { image:shape() })
    assert.equal(564, info.drawn)
    assert.near(564, mascon.sum(image:copy "f64"), 0.01)
  end)

  it("needs no YAML", function()
    local L = load(shared .. "picasso_raw_movie_locs.hdf5", { pixel_size = 130 })
    assert.equal(2399, #L.x)
    assert.is_nil(L.extent)
    assert.same({ "px", 130 }, { L.unit, L.pixel_size })
  end)

  it("is saved and read again, lengths in nm", function()
    local L = load(path)
    L:save(name "p.csv")
    local t = assert(locs.load(name "p.csv"))
    local nm = L:to { unit = "nm", origin = "edge" }
    assert.equal(564, #t.x)
    for _, key in ipairs { "x", "y", "sx", "sy", "frame", "photons" } do
      for i = 1, 564 do
        local want = nm[key][i]
        local got = t[key][i]
        if nm[key].dtype == "f32" then got = ("f"):unpack(("f"):pack(got)) end
        assert(got == want)
      end
    end
  end)

  it("reads of the YAML what it can", function()
    load(path)
    assert(os.execute(("cp %s %s"):format(path, name "p.hdf5")))
    for text, want in pairs {
      [""] = {},
      ["Width: 10\nHeight: 20\n---\nPixelsize: 1.5e2\n"] = { 150, 19.5, 9.5 },
      ["Camera.Pixelsize: 99\n"] = { 99 },
      ["Camera.Pixelsize: 99\n---\nPixelsize: 130"] = { 130 },
      ["Width: wide\nHeight:\nPixelsize: null\n"] = {},
      ["- Width: 3\n  Height: 4\n: 5\n\0\xff: \n---\n---\n"] = {},
    } do
      file(text, "p.yaml")
      local L = assert(locs.load(name "p.hdf5"))
      assert.same(want, { L.pixel_size, L.extent and L.extent[3],
        L.extent and L.extent[4] })
    end
  end)

  it("is refused where libhdf5 or the table is missing", function()
    local L, why = locs.load(file("\137HDF\r\n\26\nrest", "x.hdf5"))
    assert.is_nil(L)
    assert.matches("^" .. name "x.hdf5" .. ": .", why)
    file(([[package.cpath = ""
      print(mascon.locs.load "%s")]]):format(name "x.hdf5"), "s.lua")
    local p = assert(io.popen((os.getenv "MASCON_BUILD" or "build") .. "/mascon " ..
      name "s.lua" .. " 2>&1"))
    assert.equal(("nil\t%s: mascon.hdf5 is not built: it is where libhdf5 and its" ..
      " header are found (Debian: libhdf5-dev)\n"):format(name "x.hdf5"), p:read "a")
    p:close()
    load(path)
    assert.same({ nil, path .. ": has no dataset 'no'" },
      { locs.load(path, { dataset = "no" }) })
  end)
end)


describe("the real CSV tables", function()
  for f, rows in pairs { ["ecoli_01_storm.csv"] = 29995, ["storm_table.csv"] = 48,
      ["thunderstorm_quoted_header.csv"] = 19 } do
    it("are ThunderSTORM's: " .. f, function()
      if not shell.exists(shared .. f) then return pending "no ../shared/data" end
      local L = assert(locs.load(shared .. f))
      assert.equal(rows, #L.x)
      assert.same({ "nm", "edge" }, { L.unit, L.origin })
      assert.equal(L.uncertainty_xy or L.uncertainty, L.sx)
      assert.equal(L.intensity, L.photons)
      assert.equal("i64", L.frame.dtype)
    end)
  end

  it("are another program's: five_blobs.txt", function()
    if not shell.exists(shared .. "five_blobs.txt") then return pending "no ../shared/data" end
    local L = assert(locs.load(shared .. "five_blobs.txt",
      { columns = { x = "position_x", y = "position_y" } }))
    assert.equal(50, #L.x)
    assert.same({ 624, 919, 3 }, { L.x[1], L.y[1], L.cluster_label[1] })
    assert.is_nil(L.unit)
    assert(mascon.render(L, { pixel = 10, sigma = 20 }))
  end)
end)

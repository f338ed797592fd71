local compare = require "spec.compare"
local mascon = require "mascon"
local shell = require "spec.shell"

local inf, nan = math.huge, 0 / 0
local data = "../shared/data/"

local function f32(x)
  return (string.unpack("f", string.pack("f", x)))
end

local function sum(a)
  local s = 0
  for i = 1, a.nrows do for j = 1, a.ncols do s = s + a(i, j) end end
  return s
end

local near, same = compare.near, compare.same

-- {------- the specification: a loop over spots, each drawn by gauss -------

-- sigmas kept: erfc(k / sqrt 2) = tol / 2, by bisection over mascon.gauss
local function sigmas(tol)
  local known = { [1e-6] = 5.02631283605669, [1e-12] = 7.22529913597504,
    [1e-3] = 3.48075640434621 }
  return known[tol]
end

local function oracle(spots, n, h, w, o)
  local image = mascon.zeros(h, w)
  local pixel, k = o.pixel or 1, o.cutoff or sigmas(o.tol or 1e-6)
  local half = (o.origin or "edge") == "edge" and 0 or 0.5
  local function value(name, i)
    local c = spots[name]
    return type(c) == "number" and c or c[i]
  end
  for i = 1, n do
    local u, v = value("x", i) / pixel, value("y", i) / pixel
    local su, sv = value("sx", i) / pixel, value("sy", i) / pixel
    local x1, x2 = math.floor(u - k * su + half), math.floor(u + k * su + half)
    local y1, y2 = math.floor(v - k * sv + half), math.floor(v + k * sv + half)
    x1, x2 = math.max(x1, 0), math.min(x2, w - 1)
    y1, y2 = math.max(y1, 0), math.min(y2, h - 1)
    if x1 <= x2 and y1 <= y2 then
      -- the origin that gauss has: the corner, so that its profile is the same
      local whole = mascon.gauss(y2 + 1, x2 + 1, v, u, sv, su, {
        sample = o.sample or "integrated", norm = o.norm,
        origin = o.origin or "edge",
        weight = spots.weight and value("weight", i) or 1 })
      for r = y1, y2 do
        for c = x1, x2 do
          image:set(r + 1, c + 1, image(r + 1, c + 1) + whole(r + 1, c + 1))
        end
      end
    end
  end
  return image
end

local function vector(n, dtype, f)
  local v = mascon.zeros(n, dtype)
  for i = 1, n do v[i] = f(i) end
  return v
end

local function some(n, h, w, widest)
  math.randomseed(11)
  local function r(lo, hi) return lo + (hi - lo) * math.random() end
  return {
    x = vector(n, "f64", function() return r(-4, w + 4) end),
    y = vector(n, "f32", function() return r(-4, h + 4) end),
    sx = vector(n, "f64", function(i) return i % 7 == 0 and 0 or r(0, widest) end),
    sy = vector(n, "f32", function() return r(0.1, widest) end),
    weight = vector(n, "i32", function() return math.random(-3, 9) end),
  }
end

-- -------}

describe("render", function()
  for _, sample in ipairs { "point", "integrated" } do
    for _, origin in ipairs { "edge", "centre" } do
      it(("is the loop over spots: %s, %s"):format(sample, origin), function()
        for _, norm in ipairs { "sum", "peak" } do
          local o = { shape = { 21, 34 }, sample = sample, origin = origin,
                      norm = norm, dtype = "f64" }
          for _, pixel in ipairs { 1, 0.7 } do
            o.pixel = pixel
            local spots = some(60, 21, 34, 3)
            same(oracle(spots, 60, 21, 34, o), (mascon.render(spots, o)))
          end
        end
      end)
    end
  end

  it("keeps what tol asks, or cutoff sigmas", function()
    local spots = some(40, 21, 34, 3)
    for _, o in ipairs { { tol = 1e-12 }, { tol = 1e-3 }, { cutoff = 3 },
                         { cutoff = 0.5 } } do
      o.shape, o.dtype = { 21, 34 }, "f64"
      same(oracle(spots, 40, 21, 34, o), (mascon.render(spots, o)))
    end
    -- the band between 2 and 3 sigma is drawn
    local im = mascon.render({ x = 50, y = 50, sx = 10, sy = 10 },
      { shape = { 101, 101 }, sample = "point", origin = "centre",
        norm = "peak", cutoff = 3, dtype = "f64" })
    near(0.0439, im(51, 76), 1e-4)
    near(0, im(51, 82), 0)
  end)

  it("in f32, rounds profiles, products and sums", function()
    local spots = some(60, 21, 34, 3)
    local o = { shape = { 21, 34 } }
    local got = mascon.render(spots, o)
    assert.equal("f32", got.dtype)
    local want = mascon.zeros(21, 34, "f32")
    for i = 1, 60 do
      local k, function_ = sigmas(1e-6), mascon.gauss
      local u, v = spots.x[i], spots.y[i]
      local su, sv = spots.sx[i], spots.sy[i]
      local rows = function_(21, 1, v, 0, sv, 0, { sample = "integrated",
        origin = "edge", weight = spots.weight[i] })
      local cols = function_(1, 34, 0, u, 0, su, { sample = "integrated",
        origin = "edge" })
      -- sigma 0 along the other axis: its one pixel holds 1
      rows = v == v and mascon.gauss(21, 1, v, 0.5, sv, 0, { origin = "edge",
        sample = "integrated", weight = spots.weight[i] })
      cols = mascon.gauss(1, 34, 0.5, u, 0, su, { origin = "edge",
        sample = "integrated" })
      for r = math.max(0, math.floor(v - k * sv)),
              math.min(20, math.floor(v + k * sv)) do
        for c = math.max(0, math.floor(u - k * su)),
                math.min(33, math.floor(u + k * su)) do
          want:set(r + 1, c + 1, f32(want(r + 1, c + 1) +
            f32(f32(rows(r + 1, 1)) * f32(cols(1, c + 1)))))
        end
      end
    end
    same(want, got)
  end)

  it("draws a view as the crop of the full image", function()
    local spots = some(80, 30, 40, 4)
    for _, dtype in ipairs { "f64", "f32" } do
      local full = mascon.render(spots, { shape = { 30, 40 }, dtype = dtype })
      local o = { shape = { 7, 11 }, view = { 5, 20 }, dtype = dtype }
      local crop, info = mascon.render(spots, o)
      same(full:block(6, 12, 21, 31), crop)
      assert.same({ 5, 20, 12, 31 }, info.extent)
      -- what is left of an extent
      local rest = mascon.render(spots, { extent = { 0, 0, 30, 40 },
                                          view = { 3, 4 }, dtype = dtype })
      same(full:block(4, 30, 5, 40), rest)
    end
  end)

  it("draws through any strides", function()
    local spots = some(80, 30, 40, 4)
    for _, dtype in ipairs { "f64", "f32" } do
      local want = mascon.render(spots, { shape = { 30, 40 }, dtype = dtype })
      local big, turned = mascon.zeros(60, 80, dtype), mascon.zeros(40, 30, dtype)
      for _, view in ipairs { turned:t(), big:narrow(1, 1, -1, 2):narrow(2, 1, -1, 2),
          big:narrow(1, 30, 1, -1):narrow(2, 40, 1, -1) } do
        assert.equal(view, (mascon.render(spots, { out = view })))
        same(want, view)
        mascon.render(spots, { out = view })
        same(want, view)
      end
    end
  end)

  it("adds to what is there", function()
    local one = { x = 5, y = 5, sx = 1, sy = 1 }
    local a = mascon.render(one, { shape = { 10, 10 }, dtype = "f64" })
    mascon.render(one, { out = a, add = true })
    local b = mascon.render({ x = vector(2, "i32", function() return 5 end), y = 5,
      sx = 1, sy = 1 }, { shape = { 10, 10 }, dtype = "f64" })
    same(b, a)
  end)

  it("reads columns of every dtype and stride, and numbers", function()
    local want = mascon.render({ x = mascon.array { 3, 5, 9 }, sy = 1, sx = 2,
      y = mascon.array { 4, 4, 4 } }, { shape = { 12, 12 } })
    for _, t in ipairs { "f32", "i64", "i32", "u16", "u8" } do
      local m = mascon.array({ { 9, 0 }, { 5, 0 }, { 3, 0 } }, t)
      local x = m:narrow(1, -1, 1, -1):select(2, 1)
      same(want, (mascon.render({ x = x, y = 4, sx = 2, sy = 1 },
                                { shape = { 12, 12 } })))
    end
    assert.same({ 0, 0 }, { mascon.render({ x = mascon.zeros(0), y = 1, sx = 1,
                                           sy = 1 }):shape() })
  end)

  it("has a size by itself: up to the largest coordinate", function()
    local spots = { x = mascon.array { 3.2, 9.99, nan, -5 },
                    y = mascon.array { 0.1, 4, 100, 2 }, sx = 1, sy = 1 }
    local im, info = mascon.render(spots)
    assert.same({ 5, 10 }, { im:shape() })
    assert.equal(1, info.skipped)
    assert.same({ 9, 20 }, { mascon.render(spots, { pixel = 0.5 }):shape() })
    assert.same({ 5, 11 }, { mascon.render(spots, { origin = "centre" }):shape() })
    assert.same({ 2, 7 }, { mascon.render(spots, { view = { 3, 3 } }):shape() })
    spots.x = mascon.array { -1.5, -2, -3, -4 }
    assert.same({ 101, 0 }, { mascon.render(spots):shape() })
  end)

  it("turns an extent into whole pixels, with a tolerance", function()
    local spot = { x = 0, y = 0, sx = 1, sy = 1 }
    local function size(extent, pixel)
      return { mascon.render(spot, { extent = extent, pixel = pixel }):shape() }
    end
    assert.same({ 1000, 1000 }, size({ 5000, 5000, 6000, 6000 }, 1))
    assert.same({ 480, 480 }, size({ 0, 0, 32 * 130, 32 * 130 }, 130 / 15))
    assert.same({ 3, 10 }, size({ 0, 0, 0.3, 1 }, 0.1))
    assert.same({ 4, 3 }, size({ 0, 0, 3.01, 3 }, 1))
    assert.same({ 0, 0 }, size({ 5, 5, 5, 5 }, 1))
    -- the offset of an extent is kept
    local a, info = mascon.render({ x = 103.5, y = 201.25, sx = 1, sy = 2 },
      { extent = { 195, 98, 210, 110 }, dtype = "f64" })
    local b = mascon.render({ x = 5.5, y = 6.25, sx = 1, sy = 2 },
      { shape = { 15, 12 }, dtype = "f64" })
    same(b, a)
    assert.same({ 195, 98, 210, 110 }, info.extent)
  end)

  it("counts spots and mass", function()
    local im, info = mascon.render({
      x = mascon.array { 5, 0, -300, nan, 5, 5, 9.5 },
      y = mascon.array { 5, 5, 5, 5, 5, 5, 5 },
      sx = mascon.array { 1, 1, 1, 1, -1, 0.5, 0 },
      sy = mascon.array { 1, 1, 1, 1, 1, 0.5, 0 },
      weight = mascon.array { 2, 4, 8, 16, 32, inf, 64 } },
      { shape = { 10, 10 }, dtype = "f64" })
    assert.equal(3, info.drawn)
    assert.equal(1, info.culled)
    assert.equal(3, info.skipped)
    near(8 + 2, info.clipped, 1e-4)
    assert.is_true(info.lost > 0 and info.lost < 14 * 1e-6)
    near(2 + 4 + 8 + 64, sum(im) + info.clipped + info.lost, 1e-12)
  end)

  it("keeps the books for any spots", function()
    local spots = some(200, 30, 40, 9)
    for _, tol in ipairs { 1e-3, 1e-6, 1e-12 } do
      local im, info = mascon.render(spots, { shape = { 30, 40 }, tol = tol,
                                              dtype = "f64" })
      local total = 0
      for i = 1, 200 do total = total + spots.weight[i] end
      near(total, sum(im) + info.clipped + info.lost, 1e-9)
      assert.equal(200, info.drawn + info.culled)
    end
  end)

  it("loses no more than tol", function()
    for _, s in ipairs { 0, 1e-300, 0.01, 0.3, 1, 1.37, 4, 10 } do
      for _, u in ipairs { 100, 100.2, 100.5, 100.999 } do
        for _, tol in ipairs { 1e-3, 1e-6, 1e-9 } do
          local im, info = mascon.render({ x = u, y = 100.4, sx = s, sy = s },
            { shape = { 200, 200 }, tol = tol, dtype = "f64" })
          local gone = 1 - sum(im)
          assert.is_true(gone <= tol and gone > -1e-13)
          near(gone, info.lost, 1e-13)
        end
      end
    end
  end)

  it("draws spots where they are, as wide as they are", function()
    for _, sigma in ipairs { 0, 0.01, 0.3, 1, 1.5 } do
      for _, u in ipairs { 12, 12.25, 12.5, 12.75 } do
        local im = mascon.render({ x = u, y = 12, sx = sigma, sy = 1 },
          { shape = { 25, 25 }, tol = 0, dtype = "f64" })
        local m, v = 0, 0
        for i = 1, 25 do
          for j = 1, 25 do
            m = m + im(i, j) * (j - 0.5)
            v = v + im(i, j) * (j - 0.5 - u) ^ 2
          end
        end
        if sigma >= 1 then
          near(u, m, 1e-5)
          near(sigma ^ 2 + 1 / 12, v, 1e-4)
        end
        assert.is_true(math.abs(u - m) <= 0.5)
        near(1, sum(im), 1e-13)
      end
    end
  end)

  it("floors, for coordinates left of the image too", function()
    for _, u in ipairs { -0.5, -1.2, -1e-20, 4, 1e300, -1e300 } do
      local im, info = mascon.render({ x = u, y = 1.5, sx = 0, sy = 0 },
                                     { shape = { 4, 4 } })
      assert.equal(0, sum(im))
      assert.equal(1, info.culled)
    end
    local im = mascon.render({ x = 3.9999999, y = 0, sx = 0, sy = 0 },
                             { shape = { 4, 4 } })
    assert.equal(1, im(1, 4))
  end)

  it("widens what is narrower than min_sigma", function()
    local a = mascon.render({ x = 5, y = 5, sx = 0.1, sy = 3 },
                            { shape = { 9, 9 }, min_sigma = 1 })
    local b = mascon.render({ x = 5, y = 5, sx = 1, sy = 3 }, { shape = { 9, 9 } })
    same(b, a)
  end)

  it("turns spots from +x towards +y", function()
    local o = { shape = { 61, 67 }, origin = "centre", dtype = "f64", cutoff = 9 }
    for _, norm in ipairs { "sum", "peak" } do
      for _, a in ipairs { 0, 0.3, math.pi / 4, math.pi / 2, 2, -0.785, 100 } do
        for _, s in ipairs { { 3, 1.5 }, { 2, 4 }, { 2, 2 } } do
          o.norm, o.sample = norm, nil
          local im = mascon.render({ x = 31.3, y = 29.6, sx = s[1], sy = s[2],
                                     angle = a, weight = 2 }, o)
          local c, d = math.cos(a), math.sin(a)
          local scale = norm == "peak" and 2 or 2 / (2 * math.pi * s[1] * s[2])
          for _, p in ipairs { { 30, 31 }, { 33, 29 }, { 25, 36 }, { 28, 28 } } do
            local dx, dy = p[2] - 31.3, p[1] - 29.6
            local u, v = (dx * c + dy * d) / s[1], (dy * c - dx * d) / s[2]
            local e = scale * math.exp(-(u * u + v * v) / 2)
            near(e, im(p[1] + 1, p[2] + 1), 1e-12 * scale)
          end
          -- widths do not depend on the angle: the trace of the covariance
          local t = im:sum()
          local v = 0
          for i = 1, 61 do
            for j = 1, 67 do
              v = v + im(i, j) / t * ((j - 32.3) ^ 2 + (i - 30.6) ^ 2)
            end
          end
          near(s[1] ^ 2 + s[2] ^ 2, v, 1e-6)
        end
      end
    end
  end)

  it("has windows of k sqrt(Sxx), k sqrt(Syy) around turned spots", function()
    local a = math.rad(21.7)
    local im = mascon.render({ x = 50.5, y = 50.5, sx = 5, sy = 1, angle = a },
      { shape = { 101, 101 }, cutoff = 3 })
    local right, low = 0, 0
    for i = 1, 101 do
      for j = 1, 101 do
        if im(i, j) > 0 then right, low = math.max(right, j), math.max(low, i) end
      end
    end
    local c, s = math.cos(a) ^ 2, math.sin(a) ^ 2
    assert.equal(math.floor(50.5 + 3 * math.sqrt(25 * c + s)) + 1, right)
    assert.equal(math.floor(50.5 + 3 * math.sqrt(25 * s + c)) + 1, low)
    -- as wide as nothing: a line, and a point
    near(1, mascon.render({ x = 20.2, y = 30, sx = 2, sy = 0, angle = math.pi / 2 },
                          { shape = { 60, 60 } }):sum(), 1e-5)
    near(1, mascon.render({ x = 20.2, y = 30, sx = 0, sy = 0, angle = 1 },
                          { shape = { 60, 60 } }):sum(), 1e-6)
  end)

  it("turned spots have the same bits in tiles, views and threads", function()
    local spots = some(200, 150, 300, 12)
    spots.angle = vector(200, "f64", function() return math.random() * 9 - 4 end)
    for _, dtype in ipairs { "f64", "f32" } do
      local full = mascon.render(spots, { shape = { 150, 300 }, dtype = dtype, threads = 1 })
      for _, threads in ipairs { 2, 3, 8 } do
        same(full, (mascon.render(spots, { shape = { 150, 300 }, dtype = dtype,
                                           threads = threads })))
      end
      same(full:block(31, 110, 38, 200), (mascon.render(spots,
        { shape = { 80, 163 }, view = { 30, 37 }, dtype = dtype })))
    end
  end)

  it("renormalises to the mass inside the cut-off", function()
    for _, cutoff in ipairs { 1, 2, 3 } do
      for _, u in ipairs { 20, 20.3, 20.5 } do
        local im, info = mascon.render({ x = u, y = 21.2, sx = 2.2, sy = 3.1, weight = 5 },
          { shape = { 50, 50 }, cutoff = cutoff, renormalise = true, dtype = "f64" })
        near(5, im:sum(), 1e-12)
        assert.equal(0, info.lost)
      end
    end
  end)

  it("draws what ThunderSTORM draws: 3 sigma in whole pixels", function()
    local im = mascon.render({ x = 20.9, y = 20.1, sx = 1.1, sy = 2 },
                             { shape = { 41, 41 }, preset = "thunderstorm", dtype = "f64" })
    local all = mascon.render({ x = 20.9, y = 20.1, sx = 1.1, sy = 2 },
                              { shape = { 41, 41 }, cutoff = 9, dtype = "f64" })
    for i = 1, 41 do
      for j = 1, 41 do
        local inside = math.abs(i - 21) <= 6 and math.abs(j - 21) <= 4
        near(inside and all(i, j) or 0, im(i, j), 1e-15)
      end
    end
  end)

  it("draws a sigma larger than the image", function()
    local im, info = mascon.render({ x = 250, y = 175, sx = 250, sy = 250 },
                                   { shape = { 350, 500 }, dtype = "f64" })
    near(1, sum(im) + info.clipped + info.lost, 1e-12)
  end)

  it("counts beyond 2^24 in f32: 2e7 spots on one pixel", function()
    local im = mascon.render({ x = mascon.zeros(20000000, "u8"), y = 0, sx = 0, sy = 0 },
                             { shape = { 1, 1 } })
    assert.equal(20000000, im(1, 1))
  end)

  it("reports its progress in spots, and stops", function()
    local last
    mascon.render(some(50, 9, 9, 2), { shape = { 9, 9 },
      progress = function(done, total) last = { done, total } end })
    assert.same({ 50, 50 }, last)
    assert.has_error(function()
      mascon.render({ x = mascon.zeros(40000), y = 0, sx = 500, sy = 500 },  -- seconds
        { shape = { 1000, 1000 }, progress = function() return false end })
    end)
  end)

  it("names what is wrong", function()
    local function refuses(message, spots, o)
      local ok, got = pcall(mascon.render, spots, o)
      assert.is_false(ok)
      assert.is_truthy(got:find(message, 1, true), got)
    end
    local one = { x = 1, y = 1, sx = 1, sy = 1 }
    local closed = mascon.zeros(2)
    closed:close()
    refuses("table of columns expected, got nil")
    refuses("column 'sx' is missing", { x = 1, y = 1 })
    refuses("unknown column 'size'", { x = 1, y = 1, sx = 1, sy = 1, size = 1 })
    refuses("column 'y': 3 elements expected, got f64 vector 4",
            { x = mascon.zeros(3), y = mascon.zeros(4), sx = 1, sy = 1 })
    refuses("column 'x': vector or number expected, got \"a\"", { x = "a", y = 1 })
    refuses("column 'x': vector or number expected, got f64 matrix 2 x 2",
            { x = mascon.zeros(2, 2), y = 1 })
    refuses("got closed array", { x = closed, y = 1 })
    refuses("unknown option 'sigma'", one, { sigma = 1 })
    refuses("option 'pixel': number > 0 expected, got 0", one, { pixel = 0 })
    refuses("option 'tol': number below 1 expected, got 1", one, { tol = 1 })
    refuses("option 'cutoff': number > 0 expected, got 0", one, { cutoff = 0 })
    refuses("option 'shape': {rows, columns} expected", one, { shape = { 1 } })
    refuses("option 'shape': {rows, columns} expected", one, { shape = { 1, 2.5 } })
    refuses("sizes are negative", one, { shape = { 1, -1 } })
    refuses("option 'extent': {y0, x0, y1, x1} expected, got {1, 2}", one, { extent = { 1, 2 } })
    refuses("image of 0 x 1e+300 pixels is too big", one, { extent = { 0, 0, 0, 1e300 } })
    refuses("image of 0 x 1.844674407370", one, { extent = { 0, 0, 0, 2 ^ 64 } })
    refuses("beyond it", one, { extent = { 0, 0, 1, 1 }, shape = { 2, 2 } })
    refuses("not that of 'out'", one, { out = mascon.zeros(2, 2), shape = { 3, 3 } })
    refuses("option 'out': f64 or f32 matrix expected, got i32 matrix 2 x 2", one,
            { out = mascon.zeros(2, 2, "i32") })
    refuses("image too big", { x = 1e30, y = 1, sx = 1, sy = 1 })
    refuses("image of 1000000001 x 1000000001 pixels is too big",
            { x = 1e9, y = 1e9, sx = 1, sy = 1 })
    local m = mascon.zeros(4, 4)
    refuses("overlap", { x = m[1], y = 1, sx = 1, sy = 1 }, { out = m })
  end)
end)

describe("render of real localisations", function()
  local function open(name)
    local f = io.open(data .. name, "rb")
    if not f then return pending(name .. " is not here") end
    return f
  end

  -- the columns go through .npy files, as another program would export them
  it("is what scipy's erf gives", function()
    local found, hdf5 = pcall(require, "mascon.hdf5")
    if not found then return pending "mascon.hdf5 is not built" end
    local file = open "picasso_testdata_locs.hdf5"
    if not file then return end
    file:close()
    local dir = shell.folder()
    finally(function() shell.remove(dir) end)
    local locs = assert(hdf5.load(data .. "picasso_testdata_locs.hdf5", "locs"))
    local spots = {}
    for column, as in pairs { x = "x", y = "y", lpx = "sx", lpy = "sy" } do
      local path = ("%s/%s.npy"):format(dir, column)
      for i, name in ipairs(locs.names) do
        if name == column then locs[i]:save(path) end
      end
      spots[as] = assert(mascon.load(path))
      assert.equal(564, #spots[as])
    end
    local got = mascon.render(spots, { shape = { 128, 128 }, pixel = 0.25, tol = 1e-12, dtype = "f64" })
    local want = mascon.load(data .. "picasso_testdata_integrated_x4.npy")
    local most, gap = 0, 0
    for i = 1, 128 do
      for j = 1, 128 do
        most = math.max(most, want(i, j))
        gap = math.max(gap, math.abs(want(i, j) - got(i, j)))
      end
    end
    assert.is_true(most > 0 and gap <= 1e-6 * most)
    near(564, sum(got), 1e-6)
    -- and, with its convention, what Picasso itself draws
    local theirs = mascon.load(data .. "picasso_testdata_picasso_x20.npy")
    local ours = mascon.render(spots, { shape = { 640, 640 }, pixel = 1 / 20,
                                        preset = "picasso" })
    assert.is_true((ours - theirs):abs():max() <= 1e-6 * theirs:max())
  end)

  it("keeps the mass of every inner spot of a table in nm", function()
    local f = open "ecoli_01_storm.csv"
    if not f then return end
    local x, y, s, most = {}, {}, {}, { 0, 0 }
    f:read "l"
    for line in f:lines() do
      local c = {}
      for v in line:gmatch "[^,]+" do c[#c + 1] = tonumber(v) end
      x[#x + 1], y[#y + 1], s[#s + 1] = c[3], c[4], c[10]
      most = { math.max(most[1], c[4]), math.max(most[2], c[3]) }
    end
    f:close()
    assert.equal(29995, #x)
    local h, w = math.ceil(most[1] / 100), math.ceil(most[2] / 100)
    local inside = { {}, {}, {} }
    for i = 1, #x do
      local r = 6 * s[i]
      if x[i] - r >= 0 and y[i] - r >= 0 and x[i] + r <= 100 * w and
         y[i] + r <= 100 * h then
        local n = #inside[1] + 1
        inside[1][n], inside[2][n], inside[3][n] = x[i], y[i], s[i]
      end
    end
    local n = #inside[1]
    assert.is_true(n > 25000)
    local sigma = mascon.array(inside[3])
    local im, info = mascon.render({ x = mascon.array(inside[1]),
      y = mascon.array(inside[2]), sx = sigma, sy = sigma },
      { shape = { h, w }, pixel = 100, dtype = "f64" })
    near(n, sum(im), 1e-6 * n)
    assert.equal(n, info.drawn)
  end)

  it("is a crop of the whole where a weight exceeds what f32 holds", function()
    for _, s in ipairs { 2.894, 12.9 } do
      local spot = { x = 19.17, y = 6.7, sx = s, sy = 0.3 * s, weight = 1e300 }
      local whole = mascon.render(spot, { shape = { 23, 37 } })
      local part = mascon.render(spot, { shape = { 23, 32 }, view = { 0, 5 } })
      assert.same(whole:cols(6, 37):totable(), part:totable())
      assert.equal(0, whole:isnan():sum())
    end
  end)
end)

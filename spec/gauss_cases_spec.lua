-- What went wrong elsewhere with gaussians and images of spots, where
-- gauss_spec.lua and render_spec.lua do not show its kind.
local compare = require "spec.compare"
local mascon = require "mascon"

local nan, inf = 0 / 0, math.huge

-- the centre of mass in coordinates of pixels' centres, y and x from 0
local function centre(a)
  local s, y, x = 0, 0, 0
  for i = 1, a.nrows do
    for j = 1, a.ncols do
      s = s + a(i, j)
      y = y + a(i, j) * (i - 1)
      x = x + a(i, j) * (j - 1)
    end
  end
  return y / s, x / s
end

local near = compare.near

describe("gauss and render, where others went wrong:", function()
  it("height and width are not exchanged, nor y and x", function()
    local g = mascon.gauss(5, 9, 2, 4, 0.7, 1.1, { sample = "integrated" })
    assert.same({ 5, 9 }, { g:shape() })
    assert.same({ 3, 5 }, { g:argmax() })
    local y, x = centre(g)
    near(2, y, 1e-14)
    near(4, x, 1e-14)
    -- a discrete kernel that adds up to 1 is divided by its sum
    local p = mascon.gauss(5, 9, 2, 4, 3, 3)
    assert.is_true(p:sum() < 0.9)
    near(1, (p / p:sum()):sum(), 1e-14)
  end)

  it("even and odd sizes, edges and centres: it is where it was asked", function()
    for _, size in ipairs { { 40, 40 }, { 41, 41 }, { 40, 41 }, { 2, 2 } } do
      for _, at in ipairs { 0.5, 0.37 } do
        for _, sample in ipairs { "point", "integrated" } do
          local h, w = size[1], size[2]
          local s = h == 2 and 0.05 or 1.7
          local cy, cx = (h - 1) / 2, (w - 1) / 2
          if h > 2 then cy, cx = cy - 0.5 + at, cx - 0.5 + at end
          if h > 2 or sample == "integrated" then
            local y, x = centre(mascon.gauss(h, w, cy, cx, s, s, { sample = sample }))
            near(cy, y, 1e-9)
            near(cx, x, 1e-9)
            for origin, shift in pairs { edge = 0.5, centre = 0 } do
              y, x = centre(mascon.render({ x = cx + shift, y = cy + shift, sx = s,
                sy = s }, { shape = size, sample = sample, origin = origin,
                            dtype = "f64", tol = 1e-12 }))
              near(cy, y, 1e-9)
              near(cx, x, 1e-9)
            end
          end
        end
      end
    end
  end)

  it("a narrow kernel on an even grid is half and half", function()
    local g = mascon.gauss(1, 4, 0, 1.5, 0, 0.03, { sample = "integrated" })
    near(0.5, g(1, 2), 1e-15)
    near(0.5, g(1, 3), 1e-15)
  end)

  it("a window comes from the spot's own sigma", function()
    local s = { x = 200, y = 200, sx = mascon.array { 20 }, sy = 20 }
    local a = mascon.render(s, { shape = { 400, 400 }, dtype = "f64", min_sigma = 1 })
    near(1, a:sum(), 1e-6)
    -- the band from 2 to 3 sigma is there
    local p = mascon.render({ x = 50, y = 50, sx = 10, sy = 10 }, {
      shape = { 101, 101 }, sample = "point", norm = "peak", origin = "centre" })
    near(0.0439369, p(51, 76), 1e-6)
    near(0.0439369, p(76, 51), 1e-6)
  end)

  it("what lies off the grid is clipped, and said", function()
    local a, info = mascon.render({ x = 7.8, y = 0, sx = 6, sy = 6 }, {
      extent = { -12, -12, 12, 12 }, pixel = 24 / 101, dtype = "f64", tol = 1e-13 })
    assert.same({ 101, 101 }, { a:shape() })
    assert.is_true(info.clipped > 0.2)
    near(1, a:sum() + info.clipped + info.lost, 1e-12)
  end)

  it("spots outside do not pile up at the border, and may be all there are", function()
    local a, info = mascon.render({ x = mascon.array { -300, 1300, 500 },
      y = mascon.array { 500, 500, -300 }, sx = 10, sy = 10 }, {
      extent = { 0, 0, 1000, 1000 }, pixel = 10 })
    assert.equal(0, a:sum())
    assert.same({ 0, 3 }, { info.drawn, info.culled })
    a, info = mascon.render({ x = mascon.array { -5, -7 }, y = 1, sx = 0.1, sy = 0.1 })
    assert.equal(0, a:sum())
    assert.equal(2, info.culled)
    -- a tail reaches in
    a = mascon.render({ x = -3, y = 5, sx = 2, sy = 2 }, { shape = { 10, 10 } })
    assert.is_true(a:sum() > 0.05 and a:sum() < 0.07)
  end)

  it("a row that is not finite is skipped and spoils nothing", function()
    local x = mascon.array { 5, 5, 5, nan, inf, 5, 5, 5 }
    local w = mascon.array { 1, nan, 1, 1, 1, inf, -inf, 1 }
    local a, info = mascon.render({ x = x, y = 5, sx = mascon.array { 1, 1, nan, 1, 1,
      1, 1, -1 }, sy = 1, weight = w }, { shape = { 11, 11 }, dtype = "f64" })
    assert.same({ 1, 0, 7 }, { info.drawn, info.culled, info.skipped })
    near(1, a:sum() + info.clipped + info.lost, 1e-12)
  end)

  it("an image of impossible size is refused before any work", function()
    assert.error_matches(function()
      mascon.render({ x = 1, y = 1, sx = 1, sy = 1 }, { extent = { 0, 0, 1e9, 1e9 },
                                                        pixel = 1e-3 })
    end, "too big")
    assert.error_matches(function()
      mascon.render({ x = mascon.array { 0, 1e12 }, y = 1, sx = 1, sy = 1 })
    end, "too big")
  end)

  it("an extent that is turned around, an image over its columns", function()
    local a = mascon.ones(3, 3)
    assert.error_matches(function()
      mascon.render({ x = 1, y = 1, sx = 1, sy = 1 }, { extent = { 5, 5, 0, 9 } })
    end, "option 'extent': {y0, x0, y1, x1} expected, but it ends before it begins")
    assert.error_matches(function()
      mascon.render({ x = a:col(1), y = 1, sx = 1, sy = 1 }, { out = a })
    end, "#2 to '.-render' %(option 'out': it overlaps a column")
    assert.same(9, a:sum())
  end)

  it("integer coordinates do not overflow, negative ones are floored", function()
    for _, dtype in ipairs { "u16", "i32", "i64" } do
      local a = mascon.render({ x = mascon.array({ 1960, 65535 }, dtype), y = 0, sx = 0,
        sy = 0 }, { shape = { 1, 50 }, pixel = 2000 / 50 })
      assert.equal(1, a(1, 50))
      assert.equal(1, a:sum())
    end
    for _, x in ipairs { -0.5, -1.2, -1e-9 } do
      local o = { shape = { 1, 3 }, view = { 0, -2 } }
      local a = mascon.render({ x = x, y = 0, sx = 0, sy = 0 }, o)
      assert.equal(1, a(1, 3 + math.floor(x)))
      assert.equal(0, mascon.render({ x = x, y = 0, sx = 0, sy = 0 },
                                    { shape = { 1, 3 } }):sum())
    end
  end)

  it("tails hold no denormals", function()
    for dtype, least in pairs { f32 = 2.0 ^ -126, f64 = 2.0 ^ -1022 } do
      for _, sample in ipairs { "point", "integrated" } do
        local a = mascon.render({ x = 0, y = 0, sx = 1, sy = 1.01 }, {
          shape = { 45, 45 }, sample = sample, dtype = dtype, cutoff = 60 })
        assert.equal(0, a:gt(0):land(a:lt(least)):sum())
        assert.is_true(a(1, 1) > 0)
      end
    end
  end)

  it("a million rows take one pass and bounded memory", function()
    local r = mascon.random(4)
    local x, y = r:uniform(1200000), r:uniform(1200000)
    local function grown(n)
      local peak, before = 0, mascon.memory()
      local a = mascon.render({ x = x:sub(1, n), y = y:sub(1, n), sx = 0,
        sy = 0 }, { shape = { 32, 32 }, pixel = 1 / 32, progress = function()
          peak = math.max(peak, (mascon.memory()))
        end })
      assert.equal(n, a:sum())
      a:close()
      return peak - before
    end
    assert.is_true(grown(1200000) < 40 * 1200000)
  end)
end)

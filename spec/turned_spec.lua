-- gaussians that do not lie along the axes: gauss with an angle, render with
-- covariances (render_spec.lua has its angles)
local compare = require "spec.compare"
local mascon = require "mascon"

local nan, inf = 0 / 0, math.huge

local near, same = compare.near, compare.same

-- variances and covariance of sigmas that are turned
local function covariance(sx, sy, a)
  local c, s = math.cos(a), math.sin(a)
  return sx * sx * c * c + sy * sy * s * s, (sx * sx - sy * sy) * s * c,
    sx * sx * s * s + sy * sy * c * c
end

-- the formula, for one pixel
local function formula(y, x, sy, sx, a, norm)
  local c, s = math.cos(a), math.sin(a)
  local u, v = (x * c + y * s) / sx, (y * c - x * s) / sy
  local scale = norm == "peak" and 1 or 1 / (2 * math.pi * sx * sy)
  return scale * math.exp(-(u * u + v * v) / 2), scale
end

describe("gauss with an angle", function()
  it("is the formula, from +x towards +y", function()
    for _, a in ipairs { 0.3, -0.785, math.pi / 2, math.rad(21.7), 100, -2 } do
      for _, s in ipairs { { 1, 3 }, { 3, 1 }, { 2, 2 }, { 5, 1.2 } } do
        for norm in pairs { sum = 1, peak = 1 } do
          for origin, half in pairs { centre = 0, edge = 0.5 } do
            local g = mascon.gauss(33, 41, 15.2, 19.9, s[1], s[2],
              { angle = a, norm = norm, origin = origin, weight = 3 })
            for i = 1, 33, 4 do
              for j = 1, 41, 3 do
                local want, scale = formula(i - 1 + half - 15.2, j - 1 + half - 19.9,
                                            s[1], s[2], a, norm)
                near(3 * want, g(i, j), 3e-13 * scale)
              end
            end
          end
        end
      end
    end
  end)

  it("keeps its widths and its direction", function()
    for _, a in ipairs { 0, 0.4, 1, math.pi / 2, -0.785 } do
      local g = mascon.gauss(81, 81, 40.3, 39.8, 2, 5, { angle = a })
      local xx, xy, yy = 0, 0, 0
      for i = 1, 81 do
        for j = 1, 81 do
          local y, x = i - 41.3, j - 40.8
          xx, xy, yy = xx + g(i, j) * x * x, xy + g(i, j) * x * y, yy + g(i, j) * y * y
        end
      end
      local wxx, wxy, wyy = covariance(5, 2, a)
      near(wxx, xx, 1e-9)
      near(wxy, xy, 1e-9)
      near(wyy, yy, 1e-9)
      near(1, g:sum(), 1e-12)
    end
  end)

  it("of 0 turns nothing", function()
    for _, sample in ipairs { "point", "integrated" } do
      same(mascon.gauss(20, 30, 9, 12, 2, 3, { sample = sample }),
           mascon.gauss(20, 30, 9, 12, 2, 3, { sample = sample, angle = 0 }))
    end
  end)

  it("has the same bits through any strides, for any threads", function()
    for _, dtype in ipairs { "f64", "f32" } do
      local function draw(out, o)
        o.angle, o.add = 0.7, o.add
        return mascon.gauss(out, 100.2, 1500.3, 40, 700, o)
      end
      local want = draw(mascon.zeros(230, 2300, dtype), { threads = 1 })
      for threads = 2, 3 do
        same(want, draw(mascon.zeros(230, 2300, dtype), { threads = threads }))
      end
      local turned = mascon.zeros(2300, 230, dtype):t()
      same(want, draw(turned, {}))
      local wide = mascon.zeros(230, 4600, dtype)
      same(want, draw(wide:narrow(2, 1, -1, 2), {}))
      assert.equal(0, wide:narrow(2, 2, -1, 2):sum())
      local twice = draw(want:copy(), { add = true })
      same(want + want, twice)
    end
  end)

  it("may have a sigma of 0, a centre far away, no pixels", function()
    -- a line down the columns
    local g = mascon.gauss(41, 41, 20, 20, 0, 3, { angle = math.pi / 2 })
    near(1, g:col(21):sum(), 1e-9)
    near(1, mascon.gauss(5, 5, 2, 3, 0, 0, { angle = 1 })(3, 4), 0)
    for _, c in ipairs { inf, -inf, 1e300 } do
      assert.equal(0, mascon.gauss(5, 5, c, 2, 1, 2, { angle = 1 }):sum())
      assert.equal(0, mascon.gauss(5, 5, 2, c, 1, 2, { angle = 1 }):sum())
    end
    assert.equal(0, mascon.gauss(0, 5, 2, 2, 1, 2, { angle = 1 }).size)
    assert.equal(0, mascon.gauss(5, 0, 2, 2, 1, 2, { angle = 1 }).size)
  end)

  it("holds no denormals", function()
    for dtype, least in pairs { f32 = 2.0 ^ -126, f64 = 2.0 ^ -1022 } do
      local g = mascon.gauss(200, 200, 0, 0, 2, 5, { angle = 0.5, dtype = dtype })
      assert.equal(0, (g:gt(0) * g:lt(least)):sum())
    end
  end)

  it("is not integrated, and is a number", function()
    for text, o in pairs {
      ['option \'sample\': "point" (with an angle) expected, got "integrated"'] =
        { angle = 1, sample = "integrated" },
      ["option 'angle': radians, at most 2^31, expected, got nan"] = { angle = nan },
      ["option 'angle': radians, at most 2^31, expected, got 1e+20"] = { angle = 1e20 },
      ["option 'angle': number expected, got \"a\""] = { angle = "a" },
    } do
      local _, message = pcall(mascon.gauss, 5, 5, 2, 2, 1, 1, o)
      assert.is_truthy(message:gsub("%-nan", "nan"):find(text, 1, true), message)
    end
  end)
end)


describe("render of spots that are turned", function()
  it("is what gauss draws, inside the windows", function()
    local o = { shape = { 40, 50 }, dtype = "f64", cutoff = 30, origin = "centre" }
    for _, a in ipairs { 0.4, 2, -1 } do
      local g = mascon.gauss(40, 50, 19.4, 22.3, 2, 4, { angle = a, weight = 7 })
      same(g, (mascon.render({ x = 22.3, y = 19.4, sx = 4, sy = 2, angle = a, weight = 7 }, o)))
    end
  end)

  it("takes variances and the covariance instead of sigmas and angle", function()
    for _, norm in ipairs { "sum", "peak" } do
      for _, a in ipairs { 0, 0.3, math.pi / 4, math.pi / 2, -0.785 } do
        local xx, xy, yy = covariance(3, 1.5, a)
        local p = 0.7  -- units: squares of those of x and y
        local o = { shape = { 61, 67 }, dtype = "f64", norm = norm, cutoff = 6, pixel = p }
        local want = mascon.render({ x = 31.3 * p, y = 29.6 * p, sx = 3 * p, sy = 1.5 * p,
                                     angle = a }, o)
        local got, info = mascon.render({ x = 31.3 * p, y = 29.6 * p, sxx = xx * p * p,
          sxy = xy * p * p, syy = yy * p * p }, o)
        near(0, (want - got):abs():max(), 1e-12 * want:max())
        assert.equal(1, info.drawn)
      end
    end
  end)

  it("skips and counts what is not positive semidefinite", function()
    local spots = { x = 10, y = 10,
      sxx = mascon.array { 4, 4, 4, -1, nan, 4, inf, 0, 4, 4 },
      sxy = mascon.array { 0, 2, 2.01, 0, 0, 0, 0, 0.1, nan, -2.01 },
      syy = mascon.array { 1, 1, 1, 1, 1, -1e-9, 1, 1, 1, 1 } }
    local _
    local image, info = mascon.render(spots, { shape = { 21, 21 } })
    assert.same({ 2, 0, 8 }, { info.drawn, info.culled, info.skipped })
    assert.equal(0, image:isnan():sum())
    -- a line stays one when its columns are rounded to f32
    local n = 200
    local t = { x = 10, y = 10, sxx = mascon.zeros(n, "f32"), sxy = mascon.zeros(n, "f32"),
                syy = mascon.zeros(n, "f32") }
    for i = 1, n do
      local xx, xy, yy = covariance(2, 0, i)
      t.sxx[i], t.sxy[i], t.syy[i] = xx, xy, yy
    end
    _, info = mascon.render(t, { shape = { 21, 21 } })
    assert.equal(0, info.skipped)
    -- an angle that says nothing
    _, info = mascon.render({ x = 9, y = 9, sx = 1, sy = 1, angle = mascon.array { 1e10, inf, nan, 3 } },
                            { shape = { 21, 21 } })
    assert.equal(3, info.skipped)
  end)

  it("has windows of k sqrt(Sxx), k sqrt(Syy)", function()
    local xx, xy, yy = covariance(5, 1, math.rad(21.7))
    local image = mascon.render({ x = 50.5, y = 50.5, sxx = xx, sxy = xy, syy = yy },
                                { shape = { 101, 101 }, cutoff = 3 })
    assert.equal(math.floor(50.5 + 3 * math.sqrt(xx)) + 1, image:sum(1):nonzero():max())
    assert.equal(math.floor(50.5 + 3 * math.sqrt(yy)) + 1, image:sum(2):nonzero():max())
  end)

  it("is as wide as min_sigma along its own axes", function()
    local o = { shape = { 61, 61 }, dtype = "f64", min_sigma = 2, cutoff = 5 }
    for _, s in ipairs { { 4, 0.5, 4, 2 }, { 1, 0, 2, 2 }, { 0, 0, 2, 2 }, { 4, 3, 4, 3 } } do
      for _, a in ipairs { 0, 0.6, -2 } do
        local xx, xy, yy = covariance(s[1], s[2], a)
        local wxx, wxy, wyy = covariance(s[3], s[4], a)
        local got = mascon.render({ x = 30, y = 30.2, sxx = xx, sxy = xy, syy = yy }, o)
        local want = mascon.render({ x = 30, y = 30.2, sxx = wxx, sxy = wxy, syy = wyy },
                                   { shape = { 61, 61 }, dtype = "f64", cutoff = 5 })
        near(0, (got - want):abs():max(), 1e-12 * want:max())
      end
    end
  end)

  it("has the same bits in tiles, views and for any threads", function()
    local r, n = mascon.random(8), 300
    local sx, sy, t = r:uniform(n) * 9, r:uniform(n) * 9, r:uniform(n) * 2 - 1
    local spots = { x = r:uniform(n) * 320 - 10, y = r:uniform(n) * 170 - 10,
      sxx = sx * sx, syy = sy * sy, sxy = sx * sy * t, weight = r:uniform(n) }
    for _, dtype in ipairs { "f64", "f32" } do
      local full, info = mascon.render(spots, { shape = { 150, 300 }, dtype = dtype, threads = 1 })
      assert.equal(0, info.skipped)
      for _, threads in ipairs { 2, 3, 8 } do
        same(full, (mascon.render(spots, { shape = { 150, 300 }, dtype = dtype,
                                           threads = threads })))
      end
      same(full:block(31, 110, 38, 200), (mascon.render(spots,
        { shape = { 80, 163 }, view = { 30, 37 }, dtype = dtype })))
    end
  end)

  it("names columns that exclude each other, or are missing", function()
    for text, spots in pairs {
      ["columns 'sx' and 'sxx': one or the other expected"] =
        { x = 1, y = 1, sx = 1, sxx = 1, sxy = 0, syy = 1 },
      ["columns 'angle' and 'syy': one or the other expected"] =
        { x = 1, y = 1, angle = 1, syy = 1 },
      ["column 'sxy' is missing"] = { x = 1, y = 1, sxx = 1, syy = 1 },
      ["column 'sxx' is missing"] = { x = 1, y = 1, sxy = 1 },
      ["column 'syy': 2 elements expected, got f64 vector 3"] =
        { x = 1, y = 1, sxx = mascon.ones(2), sxy = 0, syy = mascon.ones(3) },
      ['"point" (spots are turned) expected, got "integrated"'] =
        { x = 1, y = 1, sxx = 1, sxy = 0, syy = 1 },
    } do
      local ok, message = pcall(mascon.render, spots, { sample = "integrated" })
      assert.is_false(ok)
      assert.is_truthy(message:find(text, 1, true), message)
    end
    assert.has_no_error(function()
      mascon.render({ x = 1, y = 1, sx = 1, sy = 1, angle = 1 }, { shape = { 3, 3 } })
    end)
  end)
end)

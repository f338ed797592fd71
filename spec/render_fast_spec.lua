-- render against a loop over spots that knows neither tiles nor threads

local mascon = require "mascon"

local function bits(a)
  local t = {}
  for i = 1, a.nrows do
    for j = 1, a.ncols do
      t[#t + 1] = string.pack("d", a(i, j))
    end
  end
  return table.concat(t)
end

local function f32(x)
  return mascon.array({ x }, "f32")[1]
end

-- 2^t for -126 <= t <= 0, of floats: n is the nearest whole number, 2^(t - n) a
-- polynomial
local function powers(t)
  local n = (t + 1.5 * 2 ^ 23) - 1.5 * 2 ^ 23
  local r = t - n
  local z = r * r
  local even = (z * 0.000154614478 + 0.00961805694) * z + 0.240226507
  local odd = z * 0.00133908668 + 0.0555035695
  local p = (r * 0.693147182 + z * (even + r * odd)) + 1
  return p * mascon.power(mascon.full(#n, 2, "f32"), n)
end

-- amp * 2^(q (x - c)^2), as an f32 image has it of sampled spots
local function bell(n, c, s, weight, o)
  local inverse = 1 / s
  local amp = o.norm == "peak" and 1 or f32(inverse * (1 / 2.50662827463100050242))
  local d = mascon.range(0, n - 1):copy "f64" + (o.origin == "centre" and 0 or 0.5) - c
  d = d:copy "f32"
  local t = d * d * (inverse * inverse * -0.72134752044448170368)
  local p = powers(mascon.maximum(t, -126)) * f32(weight and weight * amp or amp)
  return mascon.where(t:ge(-126), p, mascon.zeros(1, "f32"))
end

-- a profile as render has it: of doubles, or rounded to f32
local function profile(n, c, s, weight, o)
  if o.dtype == "f32" and o.sample == "point" and s >= 2 ^ -60 and s <= 2 ^ 60 then
    return bell(n, c, s, weight, o)
  end
  local g = mascon.gauss(n, 1, c, o.origin == "centre" and 0 or 0.5, s, 0,
    { sample = o.sample, norm = o.norm, origin = o.origin or "edge", weight = weight or 1 })
  return g:col(1)
end

local function flushed(a, least)
  local big = mascon.abs(a):ge(least)
  return mascon.where(big, a, mascon.zeros(1, a.dtype))
end

-- what the contract of mascon_render says, spot by spot
local function oracle(spots, n, h, w, o)
  local image = mascon.zeros(h, w, o.dtype)
  local least = o.dtype == "f32" and 2 ^ -126 or 2 ^ -1022
  local half = o.origin == "centre" and 0.5 or 0
  for i = 1, n do
    local u, v, su, sv = spots.x[i], spots.y[i], spots.sx[i], spots.sy[i]
    local x1 = math.max(0, math.floor(u - o.cutoff * su + half))
    local x2 = math.min(w - 1, math.floor(u + o.cutoff * su + half))
    local y1 = math.max(0, math.floor(v - o.cutoff * sv + half))
    local y2 = math.min(h - 1, math.floor(v + o.cutoff * sv + half))
    if x1 <= x2 and y1 <= y2 then
      local rows = profile(y2 + 1, v, sv, spots.weight[i], o):sub(y1 + 1, y2 + 1)
      local cols = profile(x2 + 1, u, su, nil, o):sub(x1 + 1, x2 + 1)
      if o.dtype == "f32" then
        rows = flushed(rows:copy "f32", least)
        cols = flushed(cols:copy "f32", least)
      end
      local product = rows:reshape(#rows, 1) * cols:reshape(1, #cols)
      local part = image:block(y1 + 1, y2 + 1, x1 + 1, x2 + 1)
      mascon.add(part, flushed(product, least), part)
    end
  end
  return image
end

local function some(n, h, w, narrow, wide)
  local function vector(dtype, f)
    local v = mascon.zeros(n, dtype)
    for i = 1, n do v[i] = f(i) end
    return v
  end
  local function sigma(i)
    if i % 11 == 0 then return 0 end
    return i % 5 == 0 and math.random() * wide or math.random() * narrow
  end
  return {
    x = vector("f64", function() return (math.random() * 1.2 - 0.1) * w end),
    y = vector("f64", function() return (math.random() * 1.2 - 0.1) * h end),
    sx = vector("f64", sigma), sy = vector("f64", sigma),
    weight = vector("f64", function(i)
      return i % 13 == 0 and 0 or (math.random() - 0.2) * 10 ^ math.random(-12, 3)
    end),
  }
end

describe("render in tiles", function()
  -- 63 to 65 and 127 to 129 straddle a tile
  for _, size in ipairs { { 1, 1 }, { 63, 129 }, { 65, 127 }, { 64, 128 }, { 200, 310 } } do
    for _, dtype in ipairs { "f32", "f64" } do
      it(("is the loop over spots: %d x %d, %s"):format(size[1], size[2], dtype), function()
        math.randomseed(5)
        local h, w = size[1], size[2]
        for _, o in ipairs {
          { sample = "point", cutoff = 3 },
          { sample = "integrated", cutoff = 5, norm = "peak" },
          { sample = "integrated", cutoff = 9, origin = "centre" },
          { sample = "point", cutoff = 14, norm = "peak" } } do
          o.dtype, o.shape = dtype, { h, w }
          local spots = some(150, h, w, 2, 100)
          local want = bits(oracle(spots, 150, h, w, o))
          for _, threads in ipairs { 1, 2, 3, 8 } do
            o.threads = threads
            assert.is_true(want == bits(mascon.render(spots, o)))
          end
        end
      end)
    end
  end

  it("of float is as exact as it says, and keeps the sum", function()
    for _, s in ipairs { 0, 1e-30, 1e-3, 0.1, 0.7, 1, 1.5, 4, 11, 40, 100 } do
      for _, u in ipairs { 700, 700.3, 700.5, 700.9 } do
        local spot = { x = u, y = 701.6, sx = s, sy = 0.7 * s }
        local o = { shape = { 1400, 1400 }, sample = "point", cutoff = 6 }
        local got = mascon.render(spot, o):copy "f64"
        o.dtype = "f64"
        local want = mascon.render(spot, o)
        local top = want:max()
        if top > 0 then
          assert.is_true(mascon.abs(got - want):max() <= 6e-7 * top)
          assert.is_true(math.abs(got:sum() - want:sum()) <= 1e-6 * want:sum())
        end
      end
    end
  end)

  it("draws bells of float around the lines of turned spots", function()
    math.randomseed(7)
    local n, h, w = 90, 140, 300
    local function vector(f)
      local v = mascon.zeros(n)
      for i = 1, n do v[i] = f(i) end
      return v
    end
    local t = { x = vector(function() return math.random() * w end),
                y = vector(function() return math.random() * h end),
                sxx = vector(function(i) return (math.random() * (i % 9 == 0 and 60 or 4)) ^ 2 end),
                syy = vector(function(i) return (math.random() * (i % 7 == 0 and 60 or 4)) ^ 2 end),
                weight = vector(function() return math.random() - 0.2 end) }
    t.sxy = vector(function(i)
      return (math.random() * 1.9 - 0.95) * math.sqrt(t.sxx[i] * t.syy[i])
    end)
    for _, norm in ipairs { "sum", "peak" } do
      local o, want = { shape = { h, w }, cutoff = 4, norm = norm }, mascon.zeros(h, w, "f32")
      for i = 1, n do
        local xx, yy, xy = t.sxx[i], t.syy[i], t.sxy[i]
        local sx, sy = math.sqrt(xx), math.sqrt(yy)
        local iy, ix = 1 / sy, 1 / (math.sqrt(xx * yy - xy * xy) / sy)
        local scale = 1 / 2.50662827463100050242
        local amp = f32(t.weight[i] * (norm == "peak" and 1 or (iy * scale) * (ix * scale)))
        local q = -0.72134752044448170368
        local x1 = math.max(0, math.floor(t.x[i] - 4 * sx))
        local x2 = math.min(w - 1, math.floor(t.x[i] + 4 * sx))
        for y = math.max(0, math.floor(t.y[i] - 4 * sy)),
                math.min(h - 1, math.floor(t.y[i] + 4 * sy)) do
          local dy = y + 0.5 - t.y[i]
          local d = (mascon.range(x1, x2):copy "f64" + 0.5 - (t.x[i] + dy * (xy / yy))):copy "f32"
          local e = mascon.array({ dy }, "f32")
          local power = e * e * f32(iy * iy * q) + d * d * f32(ix * ix * q)
          local v = powers(mascon.maximum(power, -126)) * amp
          v = mascon.where(power:ge(-126), v, mascon.zeros(1, "f32"))
          local row = want[y + 1]:sub(x1 + 1, x2 + 1)
          mascon.add(row, flushed(v, 2 ^ -126), row)
        end
      end
      want = bits(want)
      for _, threads in ipairs { 1, 3 } do
        o.threads = threads
        assert.is_true(want == bits(mascon.render(t, o)))
      end
    end
  end)

  it("has the same bits for many spots and any number of threads", function()
    local r, n = mascon.random(3), 50000
    local spots = { x = r:uniform(n) * 500, y = r:uniform(n) * 300,
                    sx = r:uniform(n) * 2, sy = r:uniform(n) * 3 }
    for _, sample in ipairs { "point", "integrated" } do
      local o = { shape = { 300, 500 }, sample = sample, threads = 1 }
      local one, info = mascon.render(spots, o)
      for _, threads in ipairs { 2, 3, 8 } do
        o.threads = threads
        local more, also = mascon.render(spots, o)
        assert.equal(0, (one - more):abs():max())
        assert.same(info, also)
      end
    end
  end)

  it("adds runs of 2^22 spots in double, on top of what is there", function()
    local n = 2 ^ 22 + 1000
    local x = mascon.zeros(n, "u8")
    local out = mascon.zeros(3, 200, "f32")
    out:set(1, 1, 2)
    out:set(2, 150, 7)
    out:set(3, 200, -0.0)
    mascon.render({ x = x, y = 0, sx = 0, sy = 0, weight = 3 }, { out = out, add = true })
    assert.equal(3 * n + 2, out(1, 1))
    assert.equal(7, out(2, 150))
    assert.equal(-math.huge, 1 / out(3, 200))
    mascon.render({ x = x, y = 0, sx = 0, sy = 0 }, { out = out, threads = 3 })
    assert.equal(n, out(1, 1))
    assert.equal(n, out:sum())
  end)

  it("leaves a pixel of -0.0 alone when adding", function()
    local out = mascon.full(20, 20, -0.0)
    mascon.render({ x = 10, y = 10, sx = 1, sy = 1 }, { out = out, add = true, cutoff = 2 })
    assert.equal(-math.huge, 1 / out(1, 1))
    assert.is_true(out(10, 10) > 0)
  end)
end)

-- sums, centroids and variances of rendered spots; canvases in files; and what went
-- wrong elsewhere, where the other specs of gauss and render do not show its kind
local compare = require "spec.compare"
local mascon = require "mascon"
local shell = require "spec.shell"

local near = compare.near

-- sum, centroid and variance of a row of pixels, from its left edge
local function moments(row)
  local n = row.size
  local x = mascon.linspace(0.5, n - 0.5, n)
  local sum = row:sum()
  local mean = (row * x):sum() / sum
  return sum, mean, (row * (x - mean) ^ 2):sum() / sum
end

describe("a rendered spot", function()
  local sigmas = { 0, 1e-300, 0.01, 0.03, 0.1, 0.3, 0.7, 1, 1.5, 3, 10, 30, 63.9, 64, 100 }

  it("keeps its sum, centroid and variance at every sigma and offset", function()
    for _, s in ipairs(sigmas) do
      local half = math.ceil(13 * s) + 3
      local n = 2 * half + 1
      for _, offset in ipairs { 0, 0.1, 0.25, 0.5, 0.75, 0.999 } do
        local u = half + offset
        for turned = 0, 1 do
          local spot = turned == 0 and { x = u, y = 0.5, sx = s, sy = 0 }
                                    or { x = 0.5, y = u, sx = 0, sy = s }
          local image = mascon.render(spot, { shape = turned == 0 and { 1, n } or { n, 1 },
                                              tol = 0, dtype = "f64" })
          local sum, mean, variance = moments(turned == 0 and image:row(1) or image:col(1))
          near(1, sum, 1e-12)
          assert.is_true(math.abs(mean - u) <= 0.5)
          if s >= 1 then  -- below, the pixels are too coarse to know either
            near(u, mean, 1e-8 * s)
            near(s * s + 1 / 12, variance, 1e-6 * s * s)
          elseif s < 1e-3 and offset > 0 then
            near(math.floor(u) + 0.5, mean, 1e-12)
          end
        end
      end
    end
  end)

  it("keeps 1e-6 of its sum, whatever its sigma, in f32 too", function()
    for _, s in ipairs(sigmas) do
      local half = math.ceil(6 * s) + 3
      local image, info = mascon.render({ x = half + 0.3, y = half + 0.8, sx = s, sy = s },
                                        { shape = { 2 * half + 1, 2 * half + 1 } })
      near(1, image:copy "f64":sum(), 2e-6)
      assert.is_true(info.lost <= 1e-6)
      assert.equal(0, info.clipped)
    end
  end)

  it("integrated is the difference of erf, point the density over 2 pi s^2", function()
    -- erf(1 / sqrt 8) and so on, by the series
    local function erf(x)
      local sum, term = x, x
      for k = 1, 60 do
        term = -term * x * x / k
        sum = sum + term / (2 * k + 1)
      end
      return 2 / math.sqrt(math.pi) * sum
    end
    local image = mascon.render({ x = 5.5, y = 5.5, sx = 1, sy = 1 }, { shape = { 11, 11 }, dtype = "f64" })
    near(erf(0.5 / math.sqrt(2)) ^ 2, image(6, 6), 1e-15)
    near(erf(0.5 / math.sqrt(2)) * (erf(1.5 / math.sqrt(2)) - erf(0.5 / math.sqrt(2))) / 2, image(6, 7), 1e-15)
    image = mascon.render({ x = 10.5, y = 10.5, sx = 2, sy = 2 },
                          { shape = { 21, 21 }, sample = "point", dtype = "f64" })
    near(1 / (2 * math.pi * 4), image(11, 11), 1e-16)
  end)

  it("undersampled, at the corner of four pixels, is a quarter in each", function()
    local image = mascon.render({ x = 4, y = 4, sx = 0.3, sy = 0.3 }, { shape = { 8, 8 }, dtype = "f64" })
    near(1, image:sum(), 1e-6)
    for i = 4, 5 do for j = 4, 5 do near(image(4, 4), image(i, j), 1e-15) end end
  end)
end)


describe("render, where others went wrong:", function()
  it("a precision of 0 among others is a spot of one pixel", function()
    for _, zero in ipairs { 0, 1e-30, 1e-300 } do
      local image, info = mascon.render({ x = mascon.array { 2.5, 5.5, 8.5 }, y = 2.5,
        sx = mascon.array { 0.01, zero, 0.01 }, sy = mascon.array { 0.01, zero, 0.01 } },
        { shape = { 5, 11 } })
      assert.equal(3, info.drawn)
      assert.same({ 1, 1, 1 }, { image(3, 3), image(3, 6), image(3, 9) })
      assert.equal(3, image:sum())
    end
  end)

  it("sampled and integrated are named, and differ where they should", function()
    local spot = { x = 4.5, y = 4.5, sx = 0.2, sy = 0.2 }
    local a = mascon.render(spot, { shape = { 9, 9 }, sample = "point" })
    local b = mascon.render(spot, { shape = { 9, 9 }, sample = "integrated" })
    near(1 / (2 * math.pi * 0.04), a(5, 5), 1e-5)
    near(0.9753156, b(5, 5), 1e-6)
  end)

  it("a region of interest keeps its place in the full image", function()
    local spot = { x = 103.3, y = 105.7, sx = 1.1, sy = 1.3 }
    local full = mascon.render(spot, { shape = { 120, 120 } })
    for _, o in ipairs { { view = { 100, 100 }, shape = { 12, 8 } },
                         { extent = { 100, 100, 112, 108 } } } do
      assert.is_true(mascon.render(spot, o):eq(full:block(101, 112, 101, 108)):all())
    end
  end)

  it("coordinates are those of edges or of centres, as it was said", function()
    -- 33 points in the middle of cells of 0.0005
    local x = (mascon.range(0, 32):copy "f64" + 0.5) * 0.0005
    local image = mascon.render({ x = x, y = 0.00025, sx = 0, sy = 0 },
                                { pixel = 0.0005, shape = { 1, 33 } })
    assert.equal(33, image:eq(1):sum())
    image = mascon.render({ x = mascon.range(0, 7), y = 3, sx = 0, sy = 0 },
                          { shape = { 4, 8 }, origin = "centre" })
    assert.same({ 1, 1, 1, 1, 1, 1, 1, 1 }, image[4]:totable())
  end)

  it("a sum does not depend on who arrives first", function()
    local r, n = mascon.random(12), 8000
    local spots = { x = r:uniform(n) * 128, y = r:uniform(n) * 128, sx = 1.3, sy = 1.3,
                    weight = r:uniform(n) * 1000 }
    for _, dtype in ipairs { "f32", "f64" } do
      local one = mascon.render(spots, { shape = { 128, 128 }, dtype = dtype, threads = 1 })
      for _ = 1, 3 do
        for threads = 2, 8, 3 do
          assert.is_true(mascon.render(spots, { shape = { 128, 128 }, dtype = dtype,
                                                threads = threads }):eq(one):all())
        end
      end
    end
  end)

  it("70,000 spots on a pixel are 70,000; as u16 they saturate, and it is said", function()
    local image = mascon.render({ x = mascon.zeros(70000, "u8"), y = 0, sx = 0, sy = 0 },
                                { shape = { 1, 2 } })
    assert.equal(70000, image(1, 1))
    local words, info = mascon.image.convert(image, "u16")
    assert.same({ 65535, 0 }, words[1]:totable())
    assert.equal(1, info.high)
  end)

  it("30 gaussians take no longer than 30 gaussians", function()
    local image, info = mascon.render({ x = mascon.range(1, 30), y = 3, sx = 1, sy = 1 },
                                      { shape = { 6, 31 } })
    assert.equal(30, info.drawn)
    near(30, image:sum() + info.clipped + info.lost, 1e-4)
  end)

  it("a property of more than a million spots is drawn in one pass", function()
    local n = 1100000
    local r = mascon.random(5)
    local x = r:uniform(n) * 64
    local peak, before = 0, mascon.memory()
    local rgb, info = mascon.render({ x = x, y = 0.5, sx = 0, sy = 0 }, { shape = { 1, 64 }, colour = x,
      colormap = "gray", range = { 0, 1 },
      progress = function() peak = math.max(peak, (mascon.memory())) end })
    assert.equal(n, info.drawn)
    -- the columns of the property, and less than 128 bytes for each of 2^18 spots
    assert.is_true(peak - before < 3 * 8 * n + 128 * 2 ^ 18)
    assert.same({ 2, 253 }, { rgb[1][1][1], rgb[1][64][1] })
  end)
end)


describe("render into a new file", function()
  local dir = shell.folder()
  teardown(function() shell.remove(dir) end)

  it("touches only tiles that have spots", function()
    local path = dir .. "/big.npy"
    local out = mascon.create(path, 3000, 40000, "f32")
    local spots = { x = mascon.array { 12.5, 39990.5 }, y = mascon.array { 20.5, 2800.5 },
                    sx = 1.5, sy = 1.5 }
    local _, info = mascon.render(spots, { out = out, add = true })
    assert.equal(2, info.drawn)
    local f = io.open "/proc/self/smaps"
    if f then
      local text = f:read "a"
      f:close()
      -- 480 MB of pixels; two tiles are 128 pages, each with some beside it
      local resident = tonumber(text:match(path:gsub("%p", "%%%0") .. "\n.-Rss:%s*(%d+) kB"))
      assert.is_true(resident > 0 and resident < 32768)
    end
    for _, at in ipairs { { 0, 0 }, { 2750, 39900 } } do
      local part = mascon.render(spots, { view = at, shape = { 100, 100 } })
      assert.is_true(out:block(at[1] + 1, at[1] + 100, at[2] + 1, at[2] + 100):eq(part):all())
      near(1, part:sum(), 1e-5)
    end
    out:close()
  end)

  it("is refused first where the disk is short", function()
    local path = dir .. "/short.npy"
    local ok, message = pcall(mascon.create, path, 10 ^ 6, 10 ^ 8, "u8")
    assert.is_false(ok)
    assert.matches("No space left", message)
    assert.is_falsy(shell.exists(path))
  end)
end)

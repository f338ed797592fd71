-- two images in one pass, and what is made of them: spots in colours
local compare = require "spec.compare"
local mascon = require "mascon"

local nan, inf = 0 / 0, math.huge

local same = compare.same

local function some(n, h, w, widest)
  local r = mascon.random(21)
  return { x = r:uniform(n) * (w + 10) - 5, y = r:uniform(n) * (h + 10) - 5,
    sx = r:uniform(n) * widest, sy = r:uniform(n) * widest, weight = r:uniform(n) * 3,
    value = r:uniform(n) * 9 - 3 }
end

local function without(t, name)
  local c = {}
  for k, v in pairs(t) do c[k] = v end
  c[name] = nil
  return c
end

describe("render with values", function()
  it("draws a second image whose weights are multiplied by them", function()
    local spots = some(700, 90, 170, 5)
    local plain = without(spots, "value")
    local times = without(spots, "value")
    times.weight = spots.weight * spots.value
    for _, o in ipairs { { dtype = "f64" }, { dtype = "f32" }, { sample = "point", norm = "peak" },
                         { view = { 13, 7 }, cutoff = 2 } } do
      o.shape = { 90, 170 }
      for _, threads in ipairs { 1, 2, 3, 8 } do
        o.threads = threads
        local image, info, values = mascon.render(spots, o)
        local want, also = mascon.render(plain, o)
        same(want, image)
        assert.same(also, info)
        same((mascon.render(times, o)), values)
      end
    end
  end)

  it("may be turned, have any dtype and stride, or one value for all", function()
    local r = mascon.random(3)
    local spots = { x = r:uniform(50) * 40, y = r:uniform(50) * 40, sx = 3, sy = 1,
                    angle = r:uniform(50), value = r:integers(0, 9, 100):narrow(1, -1, 1, -2) }
    local _, _, values = mascon.render(spots, { shape = { 40, 40 }, dtype = "f64" })
    spots.weight, spots.value = spots.value, nil
    same((mascon.render(spots, { shape = { 40, 40 }, dtype = "f64" })), values)
    local image
    image, _, values = mascon.render({ x = 5, y = 5, sx = 1, sy = 1, value = 2 }, { shape = { 9, 9 } })
    same(image * 2, values)
  end)

  it("skips spots whose value is not finite, in both", function()
    local image, info, values = mascon.render({ x = mascon.array { 1, 3, 5, 7 }, y = 1, sx = 0,
      sy = 0, value = mascon.array { 2, nan, inf, -3 } }, { shape = { 2, 8 } })
    assert.same({ 2, 2 }, { info.drawn, info.skipped })
    assert.same({ 0, 1, 0, 0, 0, 0, 0, 1 }, image[2]:totable())
    assert.same({ 0, 2, 0, 0, 0, 0, 0, -3 }, values[2]:totable())
  end)

  it("adds runs of 2^22 spots in double, in both", function()
    local n = 2 ^ 22 + 1001
    local x = mascon.zeros(n, "u8")
    local image, _, values = mascon.render({ x = x, y = 0, sx = 0, sy = 0, value = 3 },
                                           { shape = { 2, 3 } })
    assert.equal(n, image(1, 1))
    assert.equal(3 * n, values(1, 1))
    assert.equal(n, image:sum())
  end)

  it("says what is wrong", function()
    for text, value in pairs {
      ["column 'value': 3 elements expected, got f64 vector 2"] = mascon.zeros(2),
      ["column 'value': vector or number expected, got \"a\""] = "a",
    } do
      local ok, message = pcall(mascon.render, { x = mascon.zeros(3), y = 0, sx = 0, sy = 0,
                                                 value = value })
      assert.is_false(ok)
      assert.is_truthy(message:find(text, 1, true), message)
    end
  end)
end)


describe("render with colour", function()
  local function spots(n)
    local r = mascon.random(6)
    return { x = r:uniform(n) * 60, y = r:uniform(n) * 40, sx = 1, sy = 1.5 }
  end

  it("has hues by the mean of the property, light by the density", function()
    -- sigma 0: each spot is its pixel; two meet in the last
    local t = { x = mascon.array { 0, 1, 2, 3, 3 }, y = 0, sx = 0, sy = 0,
                weight = mascon.array { 4, 2, 1, 1, 3 } }
    local c = mascon.array { 10, 20, 30, 10, 30 }
    local map = mascon.image.colormap "turbo"
    local rgb, info = mascon.render(t, { shape = { 2, 4 }, colour = c })
    assert.same({ "u8", 2, 4, 3 }, { rgb.dtype, rgb:shape() })
    local function want(index, light)
      local p = {}
      for k = 1, 3 do p[k] = math.floor(map(index + 1, k) * light + 0.5) end
      return p
    end
    -- (1 * 10 + 3 * 30) / 4 = 25: 3/4 of the way
    assert.same({ want(0, 1), want(128, 0.5), want(255, 0.25), want(191, 1) }, rgb[1]:totable())
    assert.equal(0, rgb[2]:sum())
    assert.same({ 10, 30 }, info.colour)
    assert.same({ 0, 4, 5 }, { info.black, info.white, info.drawn })
  end)

  it("takes the ends of the colours, contrast of the light, and a map", function()
    local t = { x = mascon.array { 0, 1, 2, 3 }, y = 0, sx = 0, sy = 0,
                weight = mascon.array { 1, 2, 4, 8 } }
    local c = mascon.array({ 0, 50, 100, 200 }, "i32")
    local map = mascon.array({ { 255, 0, 0 }, { 0, 255, 0 }, { 0, 0, 255 } }, "u8")
    local rgb = mascon.render(t, { shape = { 1, 4 }, colour = { c, range = { 0, 100 } },
      colormap = map, range = { 0, 2 } })
    assert.same({ { 128, 0, 0 }, { 0, 255, 0 }, { 0, 0, 255 }, { 0, 0, 255 } }, rgb[1]:totable())
    rgb = mascon.render(t, { shape = { 1, 4 }, colour = { c, percentiles = { 0, 100 } },
      colormap = map, range = { 0, 4 }, gamma = 2 })
    assert.same({ { 16, 0, 0 }, { 64, 0, 0 }, { 0, 255, 0 }, { 0, 0, 255 } }, rgb[1]:totable())
    local _, info = mascon.render(t, { shape = { 1, 4 }, colour = c, percentiles = { 0, 50 } })
    assert.same({ 1, 3 }, { info.black, info.white })
    -- one value for all: there is nothing above it
    rgb = mascon.render(t, { shape = { 1, 4 }, colour = mascon.full(4, 7), colormap = map,
                             range = { 0, 1 } })
    assert.same({ 255, 0, 0 }, rgb[1][4]:totable())
  end)

  it("is the quotient of two images, for any number of threads", function()
    local t = spots(3000)
    local c = mascon.random(9):uniform(3000)
    local one = mascon.render(t, { shape = { 40, 60 }, colour = c, threads = 1,
                                   percentiles = { 0, 99 }, gamma = 0.5, colormap = "viridis" })
    for threads = 2, 3 do
      same(one, (mascon.render(t, { shape = { 40, 60 }, colour = c, threads = threads,
        percentiles = { 0, 99 }, gamma = 0.5, colormap = "viridis" })))
    end
    local density = mascon.render(t, { shape = { 40, 60 } })
    local low, high = c:min(), c:max()
    t.weight = (c - low) / (high - low)
    local mean = mascon.render(t, { shape = { 40, 60 } }) / density
    local want = mascon.image.colour(mean, { range = { 0, 1 },
      brightness = { density, percentiles = { 0, 99 }, gamma = 0.5 } })
    -- the products of weights are rounded elsewhere: a step of the map at most
    assert.is_true((one:copy "i32" - want:copy "i32"):abs():max() <= 3)
    assert.is_true(one:ne(want):sum() < 100)
  end)

  it("keeps empty pixels black, and skips what has no colour", function()
    local c = mascon.ones(4)
    c[1], c[2], c[3] = nan, inf, -inf
    local rgb, info = mascon.render({ x = mascon.array { 0, 1, 2, 3 }, y = 0, sx = 0, sy = 0 },
      { shape = { 3, 5 }, colour = c, range = { 0, 1 }, colormap = "gray" })
    assert.same({ 1, 3 }, { info.drawn, info.skipped })
    assert.equal(0, rgb:sum())  -- 1 is the least, so it has the first colour
    rgb = mascon.render({ x = mascon.zeros(0), y = 0, sx = 0, sy = 0 },
                        { shape = { 3, 5 }, colour = mascon.zeros(0) })
    assert.equal(0, rgb:sum())
  end)

  it("takes columns of a table of localisations by name", function()
    local L = mascon.locs.new({ x = mascon.array { 15, 25 }, y = mascon.array { 5, 5 },
      uncertainty = mascon.array { 1, 1 }, frame = mascon.array { 1, 9 } }, { unit = "nm" })
    local o = { shape = { 1, 4 }, colour = "frame", colormap = "gray" }
    assert.same({ { 0, 0, 0 }, { 0, 0, 0 }, { 255, 255, 255 }, { 0, 0, 0 } },
                mascon.render(L, o)[1]:totable())
    o.colour = { "frame", range = { 0, 2 } }
    assert.same({ 128, 128, 128 }, mascon.render(L, o)[1][2]:totable())
    assert.equal("frame", o.colour[1])
  end)

  it("says what is wrong, where the user called", function()
    local t = spots(5)
    local c = mascon.zeros(5)
    for text, o in pairs {
      ["option 'colour': vector of 5 expected, got f64 array 3"] = { colour = mascon.zeros(3) },
      ["option 'colour': vector of 5 expected, got 7"] = { colour = 7 },
      ["option 'colour': vector of 5 expected, got nil"] = { colour = {} },
      ["{vector, range =, percentiles =} expected, got a table with 'rang'"] = { colour = { c, rang = 1 } },
      ["option 'range': {black, white} expected, got 3"] = { colour = { c, range = 3 } },
      ["option 'colormap': one of \"viridis\""] = { colour = c, colormap = "jet" },
      ["option 'percentiles': {low, high} from 0 to 100"] = { colour = c, percentiles = 3 },
      ["option 'out' does not go with 'colour'"] = { colour = c, out = mascon.zeros(3, 3) },
      ["option 'add' does not go with 'colour'"] = { colour = c, add = true },
      ["unknown option 'shap'"] = { colour = c, shap = 1 },
      ["unknown option 'colormap'"] = { colormap = "hot" },
    } do
      local ok, message = pcall(function() mascon.render(t, o) end)
      assert.is_false(ok)
      assert.is_truthy(message:find(text, 1, true), message)
      assert.matches("hues_spec%.lua:%d+: ", message)
    end
    t.value = 1
    local _, message = pcall(mascon.render, t, { colour = c })
    assert.matches("#1 to 'render' %(column 'value' does not go with option 'colour'%)", message)
    _, message = pcall(mascon.render, 5, { colour = c })
    assert.matches("column 'x' is missing", message)
  end)

  it("reports progress, and stops", function()
    local t, c = spots(10), mascon.zeros(10)
    local last
    mascon.render(t, { colour = c, progress = function(done, total) last = { done, total } end })
    assert.same({ 10, 10 }, last)
    assert.has_error(function()
      mascon.render(t, { colour = c, progress = function() error({}) end })
    end)
  end)
end)


describe("the memory of render", function()
  it("is computed and refused before anything is allocated", function()
    local limit = mascon.info().memory_limit
    local side = math.floor(math.sqrt(limit / 4)) + 10
    local before = select(3, mascon.memory())
    local ok, message = pcall(mascon.render, { x = 1, y = 1, sx = 1, sy = 1 },
                              { shape = { side, side } })
    assert.is_false(ok)
    assert.matches(("an image of %d x %d f32 pixels needs [%%d.e+]+ GB of memory " ..
      "%%([%%d.e+]+ GB for it, [%%d.e+]+ GB to draw it%%), but there are [%%d.e+]+ GB"):format(side, side),
      message)
    assert.equal(before, (select(3, mascon.memory())))
    -- half of it: one image is there, but not a second one with values
    local half = math.floor(math.sqrt(limit / 4 * 0.7))
    ok, message = pcall(mascon.render, { x = 1, y = 1, sx = 1, sy = 1, value = 1 },
                        { shape = { half, half } })
    assert.is_false(ok)
    assert.matches("GB of memory", message)
    assert.equal(before, (select(3, mascon.memory())))
    -- two images are there, but not the painted one besides
    local one = mascon.ones(1)
    local peak = select(4, mascon.memory())
    local third = math.floor(math.sqrt(limit / 10))
    ok, message = pcall(mascon.render, { x = 1, y = 1, sx = 1, sy = 1 },
                        { shape = { third, third }, colour = one })
    assert.is_false(ok)
    assert.matches("GB of memory", message)
    assert.equal(peak, (select(4, mascon.memory())))  -- small ones were made
  end)

  it("is held while it draws, and no longer", function()
    collectgarbage()
    local t = some(1000, 50, 50, 3)
    for _, spots in ipairs { t, without(t, "value") } do
      local before = mascon.memory()
      local image, _, values = mascon.render(spots, { shape = { 50, 50 } })
      image:close()
      if values then values:close() end
      assert.equal(before, (mascon.memory()))
    end
  end)

  it("may run out anywhere", function()
    local t = some(300, 50, 50, 3)
    local want, _, wants = mascon.render(t, { shape = { 50, 50 } })
    for n = 0, 12 do
      mascon.memory(n)
      local ok, image, _, values = pcall(mascon.render, t, { shape = { 50, 50 } })
      mascon.memory(-1)
      if ok then
        same(want, image)
        same(wants, values)
      else
        assert.matches("not enough memory", image)
      end
    end
  end)
end)

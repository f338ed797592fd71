local mascon = require "mascon"
local image = mascon.image

local NAN, INF = 0 / 0, math.huge

-- the nearest whole number, halves to even
local function nearest(x)
  local r = math.floor(x)
  if x - r > 0.5 or x - r == 0.5 and r % 2 == 1 then r = r + 1 end
  return r
end

-- 0 to top for black to white
local function level(x, black, white, gamma, top)
  local v = (x - black) * (top / (white - black))
  if not (v > 0) then v = 0 end
  if v > top then v = top end
  return gamma == 1 and v or (v / top) ^ gamma * top
end

-- a matrix of numbers that meets every case, and what becomes of it
local function values(rows, cols)
  local t = {}
  for r = 1, rows do
    t[r] = {}
    for c = 1, cols do t[r][c] = (r * 7 + c * 13) % 101 / 4 - 3 end
  end
  return t
end

local function oracle(t, black, white, gamma, top)
  local out, low, high, nan = {}, 0, 0, 0
  for r = 1, #t do
    out[r] = {}
    for c = 1, #t[r] do
      local x = t[r][c]
      if x < black then low = low + 1 end
      if x > white then high = high + 1 end
      if x ~= x then nan = nan + 1 end
      out[r][c] = nearest(level(x, black, white, gamma, top))
    end
  end
  return out, low, high, nan
end

describe("image.convert", function()
  it("scales every dtype to every pixel", function()
    for _, dtype in ipairs { "f64", "f32", "i64", "i32", "u16", "u8" } do
      for _, size in ipairs { { 1, 1 }, { 3, 5 }, { 2, 511 }, { 3, 513 }, { 1, 8193 } } do
        local a = mascon.array(values(size[1], size[2]))
        if dtype:find "^f" then a = a:copy(dtype) else a = a:cast(dtype, "clip") end
        for to, top in pairs { u8 = 255, u16 = 65535 } do
          local want, low, high = oracle(a:totable(), 0, 16, 1, top)
          local got, info = image.convert(a, to, { range = { 0, 16 } })
          assert.equal(to, got.dtype)
          assert.same(want, got:totable())
          assert.same({ black = 0, white = 16, low = low, high = high, nan = 0 }, info)
        end
      end
    end
  end)

  it("takes views with any stride", function()
    local a = mascon.array(values(60, 77))
    for _, v in ipairs { a:t(), a:narrow(2, 70, 3, -3), a:select(1, 7),
                         a:reshape(3, 20, 77), a:narrow(1, 60, 1, -1) } do
      local flat = v:copy()
      local n = flat.size
      local want = oracle({ flat:reshape(n):totable() }, -1, 9, 1, 255)
      local got = image.convert(v, "u8", { range = { -1, 9 } })
      assert.same({ v:shape() }, { got:shape() })
      assert.same(want[1], got:reshape(n):totable())
    end
  end)

  it("counts what is saturated, and NaN", function()
    local a = mascon.array { NAN, -INF, INF, 2, 4, -0.0, 0, 3, 5 }
    local p, info = image.convert(a, "u8", { range = { 0, 4 } })
    assert.same({ 0, 0, 255, 128, 255, 0, 0, 191, 255 }, p:totable())
    assert.same({ black = 0, white = 4, low = 1, high = 2, nan = 1 }, info)
  end)

  it("keeps values that fit without contrast", function()
    local a = mascon.array { -1, 0.5, 1.5, 65534.5, 65535, 65536, NAN }
    local p, info = image.convert(a, "u16")
    assert.same({ 0, 0, 2, 65534, 65535, 65535, 0 }, p:totable())
    assert.same({ 1, 1, 1 }, { info.low, info.high, info.nan })
    assert.same({ 1, 2 }, image.convert(mascon.array({ 1, 2 }, "i64"), "u8"):totable())
    local u = mascon.array({ 1, 2 }, "u8")
    local same = image.convert(u, "u8")
    assert.same({ 1, 2 }, same:totable())
    assert.not_equal(u:addr(), same:addr())
    assert.equal("f32", image.convert(u, "f32").dtype)
  end)

  it("makes floats from 0 to 1", function()
    local p = image.convert(mascon.array { 1, 2, 3, 9 }, "f32", { range = { 1, 3 } })
    assert.same({ 0, 0.5, 1, 1 }, p:totable())
  end)

  it("applies gamma", function()
    local t = values(5, 60)
    local want = oracle(t, 0, 10, 0.5, 255)
    assert.same(want, image.convert(mascon.array(t), "u8",
      { range = { 0, 10 }, gamma = 0.5 }):totable())
  end)

  it("takes percentiles, the extremes, and neither NaN nor infinity", function()
    local a = mascon.range(0, 1000):reshape(7, 143)
    local _, info = image.convert(a, "u8", { percentiles = { 1, 99 } })
    assert.same({ 10, 990, 10, 10 }, { info.black, info.white, info.low, info.high })
    _, info = image.convert(a, "u8", { gamma = 2 })
    assert.same({ 0, 1000 }, { info.black, info.white })
    local b = mascon.array { NAN, 1, 2, 3, INF, -INF }
    _, info = image.convert(b, "u8", { percentiles = { 0, 50 } })
    assert.same({ 1, 2, 2, 1 }, { info.black, info.white, info.high, info.low })
    local none = mascon.array { NAN, INF }
    local p
    p, info = image.convert(none, "u8", { percentiles = { 5, 50 } })
    assert.same({ 0, 255 }, p:totable())
    assert.same({ 0, 0 }, { info.black, info.white })
  end)

  it("takes images without pixels, and of one value", function()
    assert.equal(0, image.convert(mascon.zeros(0, 5), "u8", { percentiles = { 1, 9 } }).size)
    assert.same({ 0, 0 }, image.convert(mascon.ones(2), "u8", { gamma = 1 }):totable())
    assert.same({ 0, 0, 255 }, image.convert(mascon.array { 1, 2, 3 }, "u8",
                                             { range = { 2, 2 } }):totable())
  end)

  it("gives the same for any number of threads", function()
    local a = mascon.random(3):normal(300, 301)
    local one, info = image.convert(a, "u16", { range = { -1, 2 }, threads = 1 })
    for _, n in ipairs { 2, 3, 8 } do
      local p, i = image.convert(a, "u16", { range = { -1, 2 }, threads = n })
      assert.is_true(p:eq(one):all())
      assert.same(info, i)
    end
  end)

  it("says what is wrong", function()
    local a = mascon.ones(2, 2)
    for text, f in pairs {
      ["#1 to 'convert' %(array expected, got table%)"] = function()
        image.convert({}, "u8")
      end,
      ["#2 to 'convert' %(.*expected, got \"i32\"%)"] = function() image.convert(a, "i32") end,
      ["#3 to 'convert' %(unknown option 'gama'%)"] = function()
        image.convert(a, "u8", { gama = 1 })
      end,
      ["option 'gamma': number above 0 expected, got 0"] = function()
        image.convert(a, "u8", { gamma = 0 })
      end,
      ["option 'range': {black, white} expected, got {2, 1}"] = function()
        image.convert(a, "u8", { range = { 2, 1 } })
      end,
      ["option 'percentiles': {low, high} from 0 to 100 expected"] = function()
        image.convert(a, "u8", { percentiles = { 0, 101 } })
      end,
      ["option 'range': {black"] = function()
        image.convert(a, "u8", { range = { 0, INF } })
      end,
      ["option 'threads': integer"] = function()
        image.convert(a, "u8", { gamma = 1, threads = 0 })
      end
    } do assert.error_matches(f, text) end
    local _, message = pcall(image.convert, a, "u8", { gama = 1 })
    assert.not_match("contrast%.lua", message)
  end)
end)

describe("image.colormap", function()
  it("has the published colours", function()
    for name, want in pairs {
      viridis = { { 68, 1, 84 }, { 33, 145, 140 }, { 253, 231, 37 } },
      magma = { { 0, 0, 4 }, { 183, 55, 121 }, { 252, 253, 191 } },
      inferno = { { 0, 0, 4 }, { 188, 55, 84 }, { 252, 255, 164 } },
      turbo = { { 48, 18, 59 }, { 164, 252, 60 }, { 122, 4, 3 } },
      hot = { { 0, 0, 0 }, { 255, 86, 0 }, { 255, 255, 255 } },
      gray = { { 0, 0, 0 }, { 128, 128, 128 }, { 255, 255, 255 } }
    } do
      local map = image.colormap(name)
      assert.same({ "u8", 256, 3 }, { map.dtype, map:shape() })
      assert.same(want, { map[1]:totable(), map[129]:totable(), map[256]:totable() })
    end
  end)

  it("names the maps there are", function()
    assert.error_matches(function() image.colormap "jet" end,
      '#1 to \'colormap\' %(one of "viridis", .*"gray" expected, got "jet"%)')
  end)
end)

describe("image.colour", function()
  it("looks up each pixel", function()
    local t = values(9, 700)
    local a = mascon.array(t, "f32")
    for _, v in ipairs { a, a:t(), a:narrow(2, 700, 1, -1) } do
      local map = image.colormap "magma"
      local index = oracle(v:totable(), -1, 20, 1, 255)
      local rgb, info = image.colour(v, { colormap = "magma", range = { -1, 20 } })
      assert.same({ v.nrows, v.ncols, 3 }, { rgb:shape() })
      local ids = mascon.array(index, "i32"):add(1)
      for k = 1, 3 do
        assert.is_true(rgb:select(3, k):eq(
          map:col(k):take(ids:reshape(v.size):copy "i32"):reshape(v.nrows, v.ncols)):all())
      end
      assert.equal(-1, info.black)
    end
  end)

  it("takes a map of one's own, and brightness", function()
    local map = mascon.array({ { 0, 0, 0 }, { 10, 20, 30 }, { 100, 200, 255 } }, "u8")
    local a = mascon.array { { 1, 2, 3 }, { 3, 3, NAN } }
    local rgb = image.colour(a, { colormap = map })
    assert.same({ { { 0, 0, 0 }, { 10, 20, 30 }, { 100, 200, 255 } },
      { { 100, 200, 255 }, { 100, 200, 255 }, { 0, 0, 0 } } }, rgb:totable())
    local light = mascon.array { { 0, 0, 4 }, { 2, 1, 4 } }
    rgb = image.colour(a, { colormap = map, brightness = light })
    assert.same({ { 0, 0, 0 }, { 0, 0, 0 }, { 100, 200, 255 } }, rgb[1]:totable())
    assert.same({ { 50, 100, 128 }, { 25, 50, 64 }, { 0, 0, 0 } }, rgb[2]:totable())
    rgb = image.colour(a, { colormap = map, brightness = { light, range = { 0, 2 } } })
    assert.same({ { 100, 200, 255 }, { 50, 100, 128 }, { 0, 0, 0 } }, rgb[2]:totable())
  end)

  it("takes images without pixels", function()
    assert.equal(0, image.colour(mascon.zeros(0, 4)).size)
    assert.equal(0, image.colour(mascon.zeros(4, 0)).size)
  end)

  it("says what is wrong", function()
    local a = mascon.ones(2, 3)
    for text, f in pairs {
      ["#1 to 'colour' %(matrix expected, got f64 array 4%)"] = function()
        image.colour(mascon.ones(4))
      end,
      ["option 'colormap': one of \"viridis\""] = function()
        image.colour(a, { colormap = "jet" })
      end,
      ["option 'colormap': name or n x 3 u8 matrix expected, got f64 array 2 x 3"] = function()
        image.colour(a, { colormap = a })
      end,
      ["option 'brightness': 2 x 3 matrix expected, got f64 array 3 x 2"] = function()
        image.colour(a, { brightness = a:t() })
      end
    } do assert.error_matches(f, text) end
  end)
end)

describe("image.merge", function()
  it("adds channels in their colours", function()
    local a = mascon.array { { 0, 2, 4 } }
    local b = mascon.array({ { 8, 8, 0 } }, "u16")
    local rgb, info = image.merge({ a, b }, { colours = { "magenta", { 0, 100, 200 } } })
    assert.same({ { { 0, 100, 200 }, { 128, 100, 255 }, { 255, 0, 255 } } }, rgb:totable())
    assert.same({ 4, 8 }, { info[1].white, info[2].white })
    rgb = image.merge({ a }, { colours = { "#0a0b0c" } })
    assert.same({ { { 0, 0, 0 }, { 5, 6, 6 }, { 10, 11, 12 } } }, rgb:totable())
  end)

  it("takes contrast for all channels or for each", function()
    local a = mascon.range(0, 100):reshape(1, 101)
    local _, info = image.merge({ a, a }, { percentiles = { 10, 90 } })
    assert.same({ 10, 90, 10, 90 }, { info[1].black, info[1].white, info[2].black, info[2].white })
    _, info = image.merge({ a, a }, { percentiles = { { 10, 90 }, { 0, 50 } }, gamma = { 1, 2 } })
    assert.same({ 10, 90, 0, 50 }, { info[1].black, info[1].white, info[2].black, info[2].white })
    _, info = image.merge({ a, a }, { range = { { 1, 2 } } })
    assert.same({ 1, 2, 0, 100 }, { info[1].black, info[1].white, info[2].black, info[2].white })
  end)

  it("says what is wrong", function()
    local a = mascon.ones(2, 3)
    for text, f in pairs {
      ["#1 to 'merge' %(table of matrices expected, got table%)"] = function()
        image.merge {}
      end,
      ["channel 2: 2 x 3 matrix expected, got f64 array 3 x 2"] = function()
        image.merge { a, a:t() }
      end,
      ["option 'colours': table of 2 colours expected"] = function()
        image.merge({ a, a }, { colours = { "red" } })
      end,
      ["option 'colours': names, .* got \"reddish\""] = function()
        image.merge({ a }, { colours = { "reddish" } })
      end
    } do assert.error_matches(f, text) end
  end)
end)

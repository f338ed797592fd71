local mascon = require "mascon"

local inf, nan, tiny = math.huge, 0 / 0, 2.2250738585072014e-308

-- {------- the specification, in the plainest Lua that says it -------

-- the normal distribution's mass beyond d >= 0: a series, a continued fraction
local function tail(d)
  local x = d / math.sqrt(2)
  if x < 1 then
    local sum, term, n = x, x, 0
    repeat
      n = n + 1
      term = -term * x * x / n
      sum = sum + term / (2 * n + 1)
    until math.abs(term) < 1e-20
    return 0.5 - sum / math.sqrt(math.pi)
  end
  local f = 0
  for k = 300, 1, -1 do f = k / 2 / (x + f) end
  return math.exp(-x * x) / (2 * math.sqrt(math.pi) * (x + f))
end

local function between(a, b)
  if a >= 0 then return tail(a) - tail(b) end
  if b <= 0 then return tail(-b) - tail(-a) end
  return 1 - tail(-a) - tail(b)
end

-- the profile at pixel j, counted from 0
local function profile(j, c, s, o)
  local x = o.origin == "edge" and j + 0.5 or j
  if s == 0 then return x - 0.5 <= c and c < x + 0.5 and 1 or 0 end
  local scale = math.sqrt(2 * math.pi) * s
  if o.sample == "integrated" then
    local p = between((x - 0.5 - c) / s, (x + 0.5 - c) / s)
    return o.norm == "peak" and p * scale or p
  end
  local p = math.exp(-((x - c) / s) ^ 2 / 2)
  return o.norm == "peak" and p or p / scale
end

local function oracle(h, w, y0, x0, sy, sx, o)
  local t = {}
  for i = 1, h do
    t[i] = {}
    for j = 1, w do
      t[i][j] = (o.weight or 1) * profile(i - 1, y0, sy, o) *
                profile(j - 1, x0, sx, o)
    end
  end
  return t
end

-- -------}

local function close(want, got, tolerance)
  for i, row in ipairs(want) do
    for j, x in ipairs(row) do
      local y = got(i, j)
      local gap = math.abs(x - y)
      if not (gap <= tolerance * math.abs(x) or math.abs(x) < 1e-300 and
              gap < 1e-300) then
        error(("(%d, %d): %.17g expected, got %.17g"):format(i, j, x, y), 2)
      end
    end
  end
end

local function equal(a, b)
  for i = 1, a.nrows do
    for j = 1, a.ncols do
      if a(i, j) ~= b(i, j) then
        error(("(%d, %d): %.17g and %.17g"):format(i, j, a(i, j), b(i, j)), 2)
      end
    end
  end
end

local function sum(a)
  local s = 0
  for i = 1, a.nrows do for j = 1, a.ncols do s = s + a(i, j) end end
  return s
end

local samples = { "point", "integrated" }

describe("gauss", function()
  for _, sample in ipairs(samples) do
    for _, norm in ipairs { "sum", "peak" } do
      for _, origin in ipairs { "centre", "edge" } do
        it(("agrees with the formula: %s, %s, %s"):format(sample, norm, origin),
          function()
            local o = { sample = sample, norm = norm, origin = origin, weight = 3 }
            for _, s in ipairs { { 7, 9, 3.2, 4.1, 1, 1.5 }, { 1, 17, 0, 8, 2, 3 },
                { 16, 1, 5, 0.2, 4, 0.3 }, { 33, 31, 40, -7, 9, 12 },
                { 5, 66, 2, 30, 63.9, 64 }, { 20, 20, 3, 3, 900, 1e5 } } do
              local got = mascon.gauss(s[1], s[2], s[3], s[4], s[5], s[6], o)
              -- the oracle's own error grows with sigma: it subtracts tails
              local tolerance = sample == "point" and 1e-14 or
                                1e-15 * math.max(20, s[5], s[6]) * 10
              close(oracle(s[1], s[2], s[3], s[4], s[5], s[6], o), got,
                    tolerance)
            end
          end)
      end
    end
  end

  it("is the formula of the question", function()
    local g = mascon.gauss(10, 12, 4.5, 5.25, 1.5, 2)
    for y = 0, 9 do
      for x = 0, 11 do
        local want = math.exp(-((y - 4.5) / 1.5) ^ 2 / 2 -
          ((x - 5.25) / 2) ^ 2 / 2) / (2 * math.pi * 1.5 * 2)
        assert.is_true(math.abs(g(y + 1, x + 1) - want) <= 1e-14 * want)
      end
    end
  end)

  it("keeps 1e-12 of a tail, far out", function()
    local o = { sample = "integrated" }
    for _, s in ipairs { 0.5, 1, 7, 40, 63 } do
      local n = math.floor(36 * s)
      local g = mascon.gauss(1, n, 0, 0, 0, s, o)
      for j = math.floor(3 * s), n - 1, math.max(1, math.floor(n / 50)) do
        local want = profile(j, 0, s, o)
        assert.is_true(math.abs(g(1, j + 1) - want) <= 1e-12 * want)
      end
    end
    -- a pixel at 7 sigma, by high-precision arithmetic
    local far = mascon.gauss(1, 8, 0, 0, 0, 1, o)(1, 8)
    assert.is_true(math.abs(far / 4.0128096921862069e-11 - 1) < 1e-12)
  end)

  it("has one value on both sides of the series for wide spots", function()
    local o = { sample = "integrated" }
    local below = 64 * (1 - 2 ^ -52)
    local a = mascon.gauss(1, 2000, 0, 10, 0, 64, o)
    local b = mascon.gauss(1, 2000, 0, 10, 0, below, o)
    for j = 1, 2000, 7 do
      assert.is_true(math.abs(a(1, j) / b(1, j) - 1) < 1e-12)
    end
  end)

  for _, s in ipairs { 0, 1e-300, 1e-30, 0.01, 0.03, 0.3, 1, 1.7 } do
    it("integrated, adds up to the weight at sigma " .. s, function()
      for _, c in ipairs { 14, 14.25, 14.5, 14.999, 15.5 } do
        local g = mascon.gauss(31, 30, c, c - 0.3, s, s,
                               { sample = "integrated", weight = 5 })
        assert.is_true(math.abs(sum(g) - 5) < 1e-13)
      end
    end)
  end

  for _, sample in ipairs(samples) do
    it("puts the weight into one pixel at sigma 0, " .. sample, function()
      local o = { sample = sample, weight = 2 }
      local g = mascon.gauss(4, 5, 1.4999, 2.5, 0, 0, o)
      assert.equal(2, g(2, 4))
      assert.equal(2, sum(g))
      assert.equal(2, mascon.gauss(4, 5, -0.5, 0.49999999999999994, 0, 0, o)(1, 1))
      for _, c in ipairs { -0.50001, 3.5, 1e300, -1e300, inf, -inf } do
        assert.equal(0, sum(mascon.gauss(4, 5, c, 2, 0, 0, o)))
      end
      o.origin = "edge"
      assert.equal(2, mascon.gauss(4, 5, 0, 4.9999, 0, 0, o)(1, 5))
      assert.equal(0, sum(mascon.gauss(4, 5, 0, 5, 0, 0, o)))
      -- the other axis is a gaussian still
      local line = mascon.gauss(3, 9, 1, 4, 0, 1, { sample = sample })
      close({ oracle(1, 9, 0, 4, 0, 1, { sample = sample })[1] },
            line:rows(2, 2), 1e-14)
    end)

    it("is finite for any centre and sigma, " .. sample, function()
      local odd = { 0, 5e-324, 1e-310, 1e-300, 1e-30, 1, 1e10, 1e300, inf }
      for _, c in ipairs { 1, 1.5, -1e300, 1e300, inf, -inf } do
        for _, s in ipairs(odd) do
          for _, weight in ipairs { 1, -1e-300, 1e300 } do
            local g = mascon.gauss(3, 4, c, 1, s, 1,
                                   { sample = sample, weight = weight })
            for i = 1, 3 do
              for j = 1, 4 do
                local x = g(i, j)
                assert.is_true(x == x and (math.abs(x) < inf or s < 1))
              end
            end
          end
        end
      end
    end)

    it("stores nothing below the smallest normal number, " .. sample, function()
      local o = { sample = sample }
      for _, t in ipairs { { "f64", tiny }, { "f32", 2 ^ -126 } } do
        o.dtype = t[1]
        for _, sigma in ipairs { 1, 1.03 } do
          local g = mascon.gauss(40, 40, 0, 0, sigma, sigma, o)
          for i = 1, 40 do
            for j = 1, 40 do
              assert.is_true(g(i, j) == 0 or g(i, j) >= t[2])
            end
          end
        end
      end
    end)

    it("rounds each f32 value once, " .. sample, function()
      local o = { sample = sample, dtype = "f32", weight = 3 }
      local f = mascon.gauss(19, 37, 8, 16.7, 2, 3, o)
      o.dtype = "f64"
      local d = mascon.gauss(19, 37, 8, 16.7, 2, 3, o)
      assert.equal("f32", f.dtype)
      for i = 1, 19 do
        for j = 1, 37 do
          assert.equal(string.unpack("f", string.pack("f", d(i, j))), f(i, j))
        end
      end
    end)

    -- 2048 columns are a chunk, 64 rows a batch
    for _, dtype in ipairs { "f64", "f32" } do
      it(("does not depend on strides, %s, %s"):format(sample, dtype), function()
        local o = { sample = sample, weight = -1.5 }
        for _, s in ipairs { { 5, 7 }, { 65, 3 }, { 3, 257 }, { 2, 2049 },
                             { 1, 40 }, { 40, 1 } } do
          local h, w = s[1], s[2]
          local want = mascon.zeros(h, w, dtype)
          mascon.gauss(want, 2, 3, 2, h > w and 1 or 300, o)
          local big = mascon.zeros(2 * h, 3 * w, dtype)
          local turned = mascon.zeros(w, h, dtype)
          for _, view in ipairs { turned:t(),
              big:narrow(1, 1, -1, 2):narrow(2, 1, -1, 3),
              big:narrow(1, -1, 1, -2):narrow(2, 1, w),
              big:narrow(1, 1, h):narrow(2, w, 1, -1),
              turned:t():narrow(1, -1, 1, -1) } do
            assert.equal(view, mascon.gauss(view, 2, 3, 2, h > w and 1 or 300, o))
            equal(want, view)
            o.add = true
            mascon.gauss(view, 2, 3, 2, h > w and 1 or 300, o)
            o.add = nil
            assert.equal(2 * want(h, w), view(h, w))
          end
        end
      end)
    end
  end

  it("leaves the elements beside a view alone", function()
    local big = mascon.zeros(6, 40)
    local g = mascon.gauss(big:block(2, 4, 3, 37), 1, 10, 5, 50)
    assert.is_true(g(1, 1) > 0)
    local s = sum(big)
    assert.is_true(math.abs(s - sum(g)) < 1e-15 * s)
  end)

  it("adds", function()
    local a = mascon.ones(9, 9)
    mascon.gauss(a, 4, 4, 2, 2, { add = true, norm = "peak" })
    assert.equal(2, a(5, 5))
    mascon.gauss(a, 4, 4, 2, 2, { norm = "peak" })
    assert.equal(1, a(5, 5))
    equal(mascon.gauss(9, 9, 4, 4, 2, 2, { add = true }),
          mascon.gauss(9, 9, 4, 4, 2, 2))
  end)

  it("has the same bits for any number of threads", function()
    for _, dtype in ipairs { "f64", "f32" } do
      local o = { sample = "integrated", dtype = dtype, threads = 1 }
      local one = mascon.gauss(1501, 1900, 700, 800, 90, 30, o)
      for _, t in ipairs { 2, 3, 8 } do
        o.threads = t
        local many = mascon.gauss(1501, 1900, 700, 800, 90, 30, o)
        for i = 1, 1501, 29 do
          for j = 1, 1900, 31 do assert.equal(one(i, j), many(i, j)) end
        end
      end
    end
  end)

  it("writes large images past the caches, odd rows too", function()
    for _, w in ipairs { 2047, 2049, 4099 } do
      local a = mascon.zeros(1100, w)
      mascon.gauss(a, 500, 1000, 300, 400)
      for _, i in ipairs { 1, 64, 65, 1100 } do
        local row = mascon.gauss(1, w, 501 - i, 1000, 300, 400)
        for j = 1, w do assert.equal(row(1, j), a(i, j)) end
      end
    end
  end)

  it("accepts images without pixels", function()
    for _, s in ipairs { { 0, 5 }, { 5, 0 }, { 0, 0 } } do
      local g = mascon.gauss(s[1], s[2], 1, 1, 1, 1)
      assert.same({ s[1], s[2] }, { g:shape() })
      mascon.gauss(g, 1, 1, 1, 1, { sample = "integrated", add = true })
    end
  end)

  it("allocates nothing when given the matrix", function()
    local a = mascon.zeros(300, 5000)
    local view = a:t()
    local o = { sample = "integrated", threads = 2 }
    mascon.gauss(a, 1, 1, 1, 1, o)
    local _, _, before = mascon.memory()
    mascon.gauss(a, 1, 1, 1, 1)
    mascon.gauss(a, 1, 1, 100, 100, o)
    mascon.gauss(view, 1, 1, 100, 100, o)
    local _, _, after = mascon.memory()
    assert.equal(before, after)
  end)

  it("names what is wrong", function()
    local g = mascon.zeros(3, 3)
    local function refuses(message, ...)
      local ok, got = pcall(mascon.gauss, ...)
      assert.is_false(ok)
      assert.is_truthy(got:find(message, 1, true), got)
    end
    refuses("(sigma >= 0 expected, got -1)", g, 1, 1, -1, 1)
    refuses("#6", 3, 3, 1, 1, 1, nan)
    refuses("(sigma >= 0 expected", 3, 3, 1, 1, 1, nan)
    refuses("(coordinate expected", g, nan, 1, 1, 1)
    refuses("(size >= 0 expected, got -3)", -3, 3, 1, 1, 1, 1)
    refuses("(number expected, got no value)", 3, 3, 1, 1, 1)
    refuses("unknown option 'sigma'", g, 1, 1, 1, 1, { sigma = 1 })
    refuses("unknown option 'angel'", g, 1, 1, 1, 1, { angel = 1 })
    refuses("(option 'dtype': f64 expected, got \"f32\")", g, 1, 1, 1, 1,
            { dtype = "f32" })
    refuses("option 'dtype': \"f64\" or \"f32\" expected, got \"i32\"", 3, 3, 1,
            1, 1, 1, { dtype = "i32" })
    refuses("option 'sample': \"point\" or \"integrated\" expected, got \"x\"",
            g, 1, 1, 1, 1, { sample = "x" })
    refuses("option 'weight': finite number expected", g, 1, 1, 1, 1,
            { weight = inf })
    refuses("(f64 or f32 matrix expected, got f64 vector 3)", mascon.zeros(3),
            1, 1, 1, 1)
    refuses("(f64 or f32 matrix expected, got i32 matrix 3 x 3)",
            mascon.zeros(3, 3, "i32"), 1, 1, 1, 1)
    refuses(jit and "got userdata)" or "(array expected, got FILE*)", io.stdout, 1, 1, 1, 1)
    refuses("", 2 ^ 40, 2 ^ 40, 1, 1, 1, 1)
    assert.equal(0, sum(g))
    g:close()
    refuses("array is closed", g, 1, 1, 1, 1)
  end)
end)

describe("vectors of exp and of the normal tail", function()
  it("are as exact as they say", function()
    local build = os.getenv "MASCON_BUILD" or "build"
    local p = assert(io.popen(build .. "/spec/vmath"))
    local text = p:read "a"
    p:close()
    assert.is_truthy(text:find "^exp %d%.%d+\ntail %d%.%d+\nexp2f %S+\ntailf %S+\n$", text)
  end)

  it("have the same bits for every instruction set", function()
    local script = [[
      local mascon, t = require "mascon", {}
      for _, dtype in ipairs { "f64", "f32" } do
        for _, s in ipairs { "point", "integrated" } do
          for _, sigma in ipairs { 0, 0.3, 2, 17, 70 } do
            local g = mascon.gauss(23, 77, 5, 40.3, 4, sigma,
                                   { dtype = dtype, sample = s })
            for i = 1, 23 do
              for j = 1, 77 do
                t[#t + 1] = ("%.17g"):format(g(i, j))
              end
            end
          end
        end
      end
      print(table.concat(t, " "))]]
    local name = os.tmpname()
    local f = assert(io.open(name, "w"))
    f:write(script)
    f:close()
    local build, first = os.getenv "MASCON_BUILD" or "build", nil
    for _, cpu in ipairs { "base", "avx2", "avx512", "avx512vnni", "amx" } do
      local p = assert(io.popen(("MASCON_CPU=%s ASAN_OPTIONS=detect_leaks=0 %s/mascon %s 2>&1")
        :format(cpu, build, name)))
      local got = p:read "a"
      p:close()
      first = first or got
      assert.is_true(#got > 23 * 77 * 20, got)
      assert.equal(first, got)
    end
    os.remove(name)
  end)
end)

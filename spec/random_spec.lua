local mascon = require "mascon"

local mask = 0xffffffff

-- Philox4x32-10 in the plainest Lua: the specification
local function philox(key, x0, x1, x2, x3)
  local k0, k1 = key & mask, key >> 32
  for _ = 1, 10 do
    local p0, p1 = 0xD2511F53 * x0, 0xCD9E8D57 * x2
    x0, x1, x2, x3 = (p1 >> 32) ~ x1 ~ k0, p1 & mask, (p0 >> 32) ~ x3 ~ k1, p0 & mask
    k0, k1 = (k0 + 0x9E3779B9) & mask, (k1 + 0xBB67AE85) & mask
  end
  return x0, x1, x2, x3
end

-- the word at a position
local function word(seed, p)
  local b = (p >> 4) * 8 + (p & 7)
  local x = { philox(seed, b & mask, b >> 32, 0, 0) }
  local h = (p >> 3) & 1
  return x[2 * h + 1] | x[2 * h + 2] << 32
end

local function uniform(seed, p)
  return ((word(seed, p) >> 12) + 0.5) * 2.0 ^ -52
end

local function list(v)
  local t = {}
  for i = 1, #v do t[i] = v[i] end
  return t
end

-- mean and variance
local function moments(v)
  local s, q = 0, 0
  for i = 1, #v do s = s + v[i] end
  s = s / #v
  for i = 1, #v do q = q + (v[i] - s) ^ 2 end
  return s, q / #v
end

describe("random", function()
  -- from the known-answer tests of the authors
  it("is the generator of the paper", function()
    for _, philox4 in ipairs { philox, mascon.philox } do
      assert.same({ 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 },
        { philox4(0, 0, 0, 0, 0) })
      assert.same({ 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd },
        { philox4(-1, mask, mask, mask, mask) })
      assert.same({ 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 },
        { philox4(0x299f31d0a4093822, 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344) })
    end
  end)

  it("takes its words from the stream", function()
    for _, seed in ipairs { 0, 1, -1, 0x123456789abcdef } do
      for _, start in ipairs { 0, 5, 16, 31, 2 ^ 35 | 0, math.maxinteger - 60 } do
        local r = mascon.random(seed)
        r.position = start
        local v = r:integers(math.mininteger, math.maxinteger, 50)
        local want = {}
        for i = 1, 50 do want[i] = word(seed, start + i - 1) + math.mininteger end
        assert.same(want, list(v))
        assert.equal(start + 50, r.position)
        assert.equal(seed, r.seed)
      end
    end
  end)

  it("draws uniform numbers between 0 and 1", function()
    local v = mascon.random(7):uniform(100)
    local f = mascon.random(7):uniform(100, "f32")
    assert.equal("f64", v.dtype)
    for i = 1, 100 do
      assert.equal(uniform(7, i - 1), v[i])
      assert.equal(((word(7, i - 1) >> 41) + 0.5) * 2.0 ^ -23, f[i])
    end
  end)

  it("draws normal numbers to a few units of the last place", function()
    local v = mascon.random(8):normal(1600)
    local f = mascon.random(8):normal(1600, "f32")
    for g = 0, 1599, 16 do
      for i = g, g + 7 do
        local r = math.sqrt(-2 * math.log(uniform(8, i)))
        local t = uniform(8, i + 8)
        t = 2 * math.pi * (t - (t > 0.5 and 1 or 0))  -- small, so more exact
        assert.is_true(math.abs(v[i + 1] - r * math.cos(t)) <= 1e-15 * (1 + r))
        assert.is_true(math.abs(v[i + 9] - r * math.sin(t)) <= 1e-15 * (1 + r))
        assert.equal(string.unpack("f", string.pack("f", v[i + 1])), f[i + 1])
      end
    end
  end)

  it("has the moments it should have", function()
    local n = 20000
    local mean, var = moments(mascon.random(1):uniform(n))
    assert.is_true(math.abs(mean - 0.5) < 4 * math.sqrt(1 / 12 / n))
    assert.is_true(math.abs(var - 1 / 12) < 0.002)
    for _, dtype in ipairs { "f64", "f32" } do
      local v = mascon.random(2):normal(n, dtype)
      mean, var = moments(v)
      assert.is_true(math.abs(mean) < 4 / math.sqrt(n))
      assert.is_true(math.abs(var - 1) < 4 * math.sqrt(2 / n))
      local within, lag = 0, 0
      for i = 1, n do
        if math.abs(v[i]) < 1 then within = within + 1 end
        if i > 8 then lag = lag + v[i] * v[i - 8] end
      end
      assert.is_true(math.abs(within / n - 0.682689) < 0.014)
      assert.is_true(math.abs(lag / n) < 4 / math.sqrt(n))
    end
  end)

  it("draws every integer as often as any other", function()
    local n, counts, chi2 = 12000, {}, 0
    local v = mascon.random(3):integers(-2, 9, n)
    for i = 1, n do counts[v[i]] = (counts[v[i]] or 0) + 1 end
    for x = -2, 9 do
      chi2 = chi2 + (counts[x] - n / 12) ^ 2 / (n / 12)
      counts[x] = nil
    end
    assert.is_nil(next(counts))
    assert.is_true(chi2 < 31.3)  -- 11 degrees of freedom, 0.1 %
    -- 3 * 2^62 numbers: without a second attempt some thirds come twice
    local low = 0
    local wide = mascon.random(4):integers(math.mininteger, (1 << 62) - 1, 3000)
    for i = 1, 3000 do
      if wide[i] < -(1 << 62) then low = low + 1 end
      assert.is_true(wide[i] < 1 << 62)
    end
    assert.is_true(math.abs(low - 1000) < 4 * math.sqrt(3000 * 2 / 9))
  end)

  it("draws again what would favour some integers", function()
    -- numbers below 3 * 2^62; a word times that, in units of 2^64
    local seed, again = 5, 0
    assert.equal(uniform(seed, 0) * 3 // 1 | 0, mascon.random(seed):integers(0, 2))
    local wide = mascon.random(seed):integers(math.mininteger, (1 << 62) - 1, 400)
    for i = 0, 399 do
      local b, h = (i >> 4) * 8 + (i & 7), (i >> 3) & 1
      local attempt, w, low = 0, nil, nil
      repeat
        local x = { philox(seed, b, 0, attempt, 0) }
        w = x[2 * h + 1] | x[2 * h + 2] << 32
        low = w * (3 << 62)  -- modulo 2^64; the surplus is 2^62
        attempt = attempt + 1
      until not math.ult(low, 1 << 62)
      if attempt > 1 then again = again + 1 end
      -- floor(w * 3 / 4) without overflow
      local q = (w >> 2) * 3 + (((w & 3) * 3) >> 2)
      assert.equal(q + math.mininteger, wide[i + 1])
    end
    assert.is_true(again > 50)
  end)

  it("depends on the position only", function()
    local whole = list(mascon.random(9):normal(3000))
    local r, t = mascon.random(9), {}
    for _, n in ipairs { 0, 1, 2, 15, 16, 17, 100, 849, 2000 } do
      for _, x in ipairs(list(r:normal(n))) do t[#t + 1] = x end
    end
    assert.same(whole, t)
    r.position = 1000
    assert.equal(whole[1001], r:normal())
    assert.equal(1001, r.position)
    local m = mascon.random(9):normal(30, 100)
    assert.equal(whole[2 * 100 + 7], m(3, 7))
  end)

  it("does not depend on the number of threads", function()
    local before = mascon.threads()
    local function all(threads)
      mascon.threads(threads)
      local r, t = mascon.random(10), {}
      for _, v in ipairs { r:normal(200000), r:uniform(200000, "f32"),
                           r:integers(1, 6, 200000, "u8") } do
        for i = 1, #v, 997 do t[#t + 1] = v[i] end
      end
      return t
    end
    local one = all(1)
    for _, threads in ipairs { 2, 3, 8 } do assert.same(one, all(threads)) end
    mascon.threads(before)
  end)

  it("fills what it is given, through any strides", function()
    for _, name in ipairs { "uniform", "normal" } do
      for _, dtype in ipairs { "f64", "f32" } do
        local m = mascon.zeros(40, 700, dtype)
        local part = m:t():narrow(1, 600, 3, -2):narrow(2, 1, -1, 3)
        local r = mascon.random(11)
        assert.equal(part, r[name](r, part))
        local rows, cols = part:shape()
        assert.equal(rows * cols, r.position)
        local flat = mascon.random(11)[name](mascon.random(11), rows, cols, dtype)
        for i = 1, rows, 7 do
          for j = 1, cols do assert.equal(flat(i, j), part(i, j)) end
        end
        assert.equal(0.0, m(2, 5))
      end
    end
    for _, dtype in ipairs { "i64", "i32", "u16", "u8" } do
      local v = mascon.zeros(1000, dtype)
      mascon.random(12):integers(0, 200, v:sub(-1, 1, -2))
      local w = mascon.random(12):integers(0, 200, 500, dtype)
      for i = 1, 500 do assert.equal(w[i], v[1002 - 2 * i]) end
    end
  end)

  it("permutes", function()
    local r = mascon.random(14)
    for _, n in ipairs { 0, 1, 2, 100, 5000 } do
      local before = r.position
      local p, seen, keys = r:permutation(n), {}, {}
      assert.equal(before + n, r.position)
      for i = 1, n do
        seen[p[i]] = true
        keys[i] = word(14, before + p[i] - 1) ~ math.mininteger  -- ascending
        assert.is_true(i == 1 or keys[i] >= keys[i - 1])
      end
      assert.equal(n, #seen)
    end
  end)

  it("gives single numbers and empty arrays", function()
    local r = mascon.random(13)
    assert.equal(uniform(13, 0), r:uniform())
    assert.equal("integer", math.type(r:integers(5, 5)))
    assert.equal(5, r:integers(5, 5))
    assert.equal(0, r:normal(0, 4).size)
    assert.equal(3, r.position)
  end)

  it("refuses what makes no sense", function()
    local r = mascon.random(1)
    local function refused(text, f, ...)
      local args = table.pack(...)
      local ok, message = pcall(function() return f(table.unpack(args, 1, args.n)) end)
      assert.is_false(ok)
      assert.is_truthy(message:find(text, 1, true), message)
    end
    refused("number expected, got no value", mascon.random)
    refused("number has no integer representation", mascon.random, 1.5)
    refused("bad argument #2 to 'integers' (at least 6 expected, got 1)",
      function() return r:integers(6, 1, 10) end)
    refused("(integer dtype that holds 0 to 256 expected, got \"u8\")", r.integers, r, 0, 256, 3, "u8")
    refused("(integer dtype that holds 0 to 1 expected, got f64 vector 2)", r.integers, r, 0, 1, mascon.zeros(2))
    refused("(f32 or f64 expected, got \"i32\")", r.uniform, r, 3, "i32")
    refused("(f32 or f64 expected, got i32 vector 2)", r.normal, r, mascon.zeros(2, "i32"))
    refused("size is negative", r.normal, r, -1)
    refused("1 to 4 sizes or an array expected", r.normal, r, 1, 1, 1, 1, 1)
    refused("generator has no field or method 'nosuch'", function() return r.nosuch end)
    refused("generator has no field 'seed' to set", function() r.seed = 3 end)
    refused("mascon.random expected, got table", r.normal, {}, 3)
    assert.equal(0, r.position)
  end)
end)

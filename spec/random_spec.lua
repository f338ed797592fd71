local mascon = require "mascon"

-- the specification counts in integers of 64 bits
local oracle = not jit and require "spec.philox"
local mask = 0xffffffff

local function exactly(name, f)
  it(name, function()
    if jit then return pending "LuaJIT's numbers have 53 bits" end
    f()
  end)
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
  exactly("is the generator of the paper", function()
    for _, philox4 in ipairs { oracle.philox, mascon.philox } do
      assert.same({ 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 },
        { philox4(0, 0, 0, 0, 0) })
      assert.same({ 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd },
        { philox4(-1, mask, mask, mask, mask) })
      assert.same({ 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 },
        { philox4(0x299f31d0a4093822, 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344) })
    end
  end)

  exactly("takes its words from the stream", function()
    for _, seed in ipairs { 0, 1, -1, 0x123456789abcdef } do
      for _, start in ipairs { 0, 5, 16, 31, 2 ^ 35, math.maxinteger - 60 } do
        local r = mascon.random(seed)
        r.position = start
        local v = r:integers(math.mininteger, math.maxinteger, 50)
        local want = {}
        for i = 1, 50 do want[i] = oracle.integer(seed, start + i - 1) end
        assert.same(want, list(v))
        assert.equal(start + 50, r.position)
        assert.equal(seed, r.seed)
      end
    end
  end)

  exactly("draws uniform numbers between 0 and 1", function()
    local v = mascon.random(7):uniform(100)
    local f = mascon.random(7):uniform(100, "f32")
    assert.equal("f64", v.dtype)
    for i = 1, 100 do
      assert.equal(oracle.uniform(7, i - 1), v[i])
      assert.equal(oracle.uniform32(7, i - 1), f[i])
    end
  end)

  exactly("draws normal numbers to a few units of the last place", function()
    local v = mascon.random(8):normal(1600)
    local f = mascon.random(8):normal(1600, "f32")
    for g = 0, 1599, 16 do
      for i = g, g + 7 do
        local r = math.sqrt(-2 * math.log(oracle.uniform(8, i)))
        local t = oracle.uniform(8, i + 8)
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
  end)

  exactly("draws again until no third comes twice", function()
    -- 3 * 2^62 numbers: without a second attempt some thirds come twice
    local low = 0
    local wide = mascon.random(4):integers(math.mininteger, math.tointeger(2 ^ 62) - 1, 3000)
    for i = 1, 3000 do
      if wide[i] < -2 ^ 62 then low = low + 1 end
      assert.is_true(wide[i] < 2 ^ 62)
    end
    assert.is_true(math.abs(low - 1000) < 4 * math.sqrt(3000 * 2 / 9))
  end)

  exactly("draws again what would favour some integers", function()
    -- numbers below 3 * 2^62; a word times that, in units of 2^64
    local seed, again = 5, 0
    assert.equal(math.floor(oracle.uniform(seed, 0) * 3), mascon.random(seed):integers(0, 2))
    local wide = mascon.random(seed):integers(math.mininteger, math.tointeger(2 ^ 62) - 1, 400)
    for i = 0, 399 do
      local want, attempts = oracle.wide(seed, i)
      if attempts > 1 then again = again + 1 end
      assert.equal(want, wide[i + 1])
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

  exactly("permutes", function()
    local r = mascon.random(14)
    for _, n in ipairs { 0, 1, 2, 100, 5000 } do
      local before = r.position
      local p, seen, keys = r:permutation(n), {}, {}
      assert.equal(before + n, r.position)
      for i = 1, n do
        seen[p[i]] = true
        keys[i] = oracle.integer(14, before + p[i] - 1)  -- ascending
        assert.is_true(i == 1 or keys[i] >= keys[i - 1])
      end
      assert.equal(n, #seen)
    end
  end)

  exactly("gives single numbers and empty arrays", function()
    local r = mascon.random(13)
    assert.equal(oracle.uniform(13, 0), r:uniform())
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
    refused(jit and "at least 6" or "bad argument #2 to 'integers' (at least 6 expected, got 1)",
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

local mascon = require "mascon"

-- small integers: every sum is exact, so results compare with ==
local function value(i, j, salt)
  return (i * 7 + j * 13 + i * j * salt) % 9 - 4
end

-- a new matrix, stored by rows or by columns
local function matrix(rows, cols, dtype, salt, byrows)
  local m = byrows == false and mascon.zeros(cols, rows, dtype):t()
            or mascon.zeros(rows, cols, dtype)
  for i = 1, rows do
    for j = 1, cols do m:set(i, j, value(i, j, salt)) end
  end
  return m
end

local function vector(n, dtype, salt)
  local v = mascon.zeros(n, dtype)
  for i = 1, n do v[i] = value(i, 1, salt) end
  return v
end

-- the specification, in the plainest Lua that says it
local function oracle(a, b)
  local out = {}
  for i = 1, a.nrows do
    out[i] = {}
    for j = 1, b.ncols do
      local s = 0.0
      for k = 1, a.ncols do s = s + a(i, k) * b(k, j) end
      out[i][j] = s
    end
  end
  return out
end

local function totable(m)
  local t = {}
  for i = 1, m.nrows do
    t[i] = {}
    for j = 1, m.ncols do t[i][j] = m(i, j) end
  end
  return t
end

local function list(v)
  local t = {}
  for i = 1, #v do t[i] = v[i] end
  return t
end

local function bits(m)
  local t = {}
  for i = 1, m.nrows do
    for j = 1, m.ncols do t[#t + 1] = string.pack("d", m(i, j)) end
  end
  return table.concat(t)
end

describe("matmul", function()
  -- tiles are 4 or 8 rows of 6 to 48 columns; sums are cut at 256, rows at 192
  local sizes = {
    { 1, 1, 1 }, { 1, 5, 3 }, { 5, 1, 3 }, { 2, 2, 1 }, { 4, 6, 255 },
    { 8, 24, 256 }, { 9, 25, 257 }, { 7, 47, 2 }, { 8, 48, 8 }, { 17, 49, 9 },
    { 33, 7, 31 }, { 395, 2, 257 }, { 3, 100, 64 }, { 100, 3, 64 }, { 97, 98, 5 }
  }
  for _, dtype in ipairs { "f64", "f32" } do
    for _, s in ipairs(sizes) do
      local m, n, k = s[1], s[2], s[3]
      it(("agrees with the plain version: %s, %d x %d x %d")
        :format(dtype, m, k, n), function()
        for layout = 0, 3 do
          local a = matrix(m, k, dtype, 1, layout % 2 == 0)
          local b = matrix(k, n, dtype, 2, layout < 2)
          local c = mascon.matmul(a, b)
          assert.equal(dtype, c.dtype)
          assert.same(oracle(a, b), totable(c))
        end
      end)
    end
  end

  it("takes any strides", function()
    for _, dtype in ipairs { "f64", "f32" } do
      local a = matrix(40, 70, dtype, 1):narrow(1, -1, 1, -3):narrow(2, 2, 69, 2)
      local b = matrix(68, 90, dtype, 2):narrow(1, 1, -1, 2):narrow(2, 90, 3, -3)
      local want = oracle(a, b)
      assert.same(want, totable(a:matmul(b)))
      for _, out in ipairs {
        mascon.zeros(14, 30, dtype), mascon.zeros(30, 14, dtype):t(),
        mascon.zeros(28, 60, dtype):narrow(1, 28, 1, -2):narrow(2, 2, 60, 2)
      } do
        assert.equal(out, a:matmul(b, out))
        assert.same(want, totable(out))
      end
    end
  end)

  -- the right matrix is packed 16 MB at a time
  it("agrees with vector times matrix where it takes several passes", function()
    local r = mascon.random(1)
    local a = r:integers(-4, 4, 3, 3000):copy "f64"
    local b = r:integers(-4, 4, 3000, 900):copy "f64"
    for _, threads in ipairs { 1, 2 } do
      local steps, last = 0, 0
      local opts = { threads = threads, progress = function(done, total)
        assert.equal(3, total)
        assert.is_true(last <= done and done <= total)
        steps, last = steps + 1, done
      end }
      local c = a:matmul(b, nil, opts)
      assert.is_true(steps >= 1)
      assert.equal(3, last)
      for i = 1, 3 do assert.same(list(a[i]:matmul(b)), list(c[i])) end
    end
  end)

  it("takes vectors on either side", function()
    for _, dtype in ipairs { "f64", "f32" } do
      for _, s in ipairs { { 1, 1 }, { 1, 9 }, { 9, 1 }, { 131, 77 }, { 67, 300 } } do
        local m, k = s[1], s[2]
        for layout = 0, 1 do
          local a = matrix(m, k, dtype, 1, layout == 0)
          local v, w = vector(k, dtype, 3), vector(m, dtype, 4)
          local want, back = {}, {}
          for i = 1, m do
            want[i] = 0.0
            for j = 1, k do want[i] = want[i] + a(i, j) * v[j] end
          end
          for j = 1, k do
            back[j] = 0.0
            for i = 1, m do back[j] = back[j] + a(i, j) * w[i] end
          end
          assert.same(want, list(a:matmul(v)))
          assert.same(back, list(w:matmul(a)))
          assert.same(want, list(a:matmul(v:sub(-1, 1, -1):sub(-1, 1, -1))))
          local wide = matrix(2 * m, 2 * k, dtype, 1)
          local part = wide:narrow(1, 1, -1, 2):narrow(2, 2, -1, 2)
          part:assign(a)
          local out = mascon.zeros(2 * m, dtype):sub(2, -1, 2)
          assert.same(want, list(part:matmul(v, out)))
          assert.same(want, list(out))
        end
      end
    end
  end)

  it("gives zeros where there is nothing to add", function()
    local out = mascon.zeros(2, 3)
    out:set(1, 1, 5)
    assert.equal(out, mascon.matmul(mascon.zeros(2, 0), mascon.zeros(0, 3), out))
    assert.same({ { 0.0, 0.0, 0.0 }, { 0.0, 0.0, 0.0 } }, totable(out))
    assert.same({ 0, 3 }, { mascon.zeros(0, 4):matmul(mascon.zeros(4, 3)):shape() })
    assert.same({ 2, 0 }, { mascon.zeros(2, 4):matmul(mascon.zeros(4, 0)):shape() })
    assert.same({ 0.0, 0.0 }, list(mascon.zeros(2, 0):matmul(mascon.zeros(0))))
  end)

  it("spreads NaN and infinities as the formula says", function()
    for _, dtype in ipairs { "f64", "f32" } do
      local a, b = matrix(5, 7, dtype, 1), matrix(7, 6, dtype, 2)
      for i = 1, 5 do for k = 1, 7 do a:set(i, k, 1) end end
      for k = 1, 7 do for j = 1, 6 do b:set(k, j, 1) end end
      a:set(2, 3, 0 / 0)
      a:set(4, 1, math.huge)
      b:set(2, 5, -math.huge)
      b:set(7, 1, 0)
      local c = a:matmul(b)
      for i = 1, 5 do
        for j = 1, 6 do
          local x = c(i, j)
          if i == 2 or (i == 4 and j == 5) then assert.is_true(x ~= x)
          elseif i == 4 then assert.equal(math.huge, x)
          elseif j == 5 then assert.equal(-math.huge, x)
          else assert.equal(j == 1 and 6.0 or 7.0, x) end
        end
      end
    end
  end)

  it("does not depend on the number of threads", function()
    for _, dtype in ipairs { "f64", "f32" } do
      local a, b = mascon.zeros(301, 310, dtype), mascon.zeros(310, 205, dtype)
      for i = 1, 301 do
        for k = 1, 310 do a:set(i, k, math.sin(i * 311 + k)) end
      end
      for k = 1, 310 do
        for j = 1, 205 do b:set(k, j, math.cos(k * 207 + j)) end
      end
      local one = bits(a:matmul(b, nil, { threads = 1 }))
      local narrow = bits(a:narrow(1, 1, 20):matmul(b, nil, { threads = 1 }))
      for _, threads in ipairs { 2, 3, 8 } do
        assert.equal(one, bits(a:matmul(b, nil, { threads = threads })))
        assert.equal(narrow, bits(a:narrow(1, 1, 20)
          :matmul(b, nil, { threads = threads })))
      end
    end
  end)

  it("reports progress and stops when told to", function()
    local a = mascon.zeros(600, 600)
    local last
    a:matmul(a, nil, { progress = function(done, total) last = { done, total } end })
    assert.same({ 600, 600 }, last)
  end)

  it("refuses what does not fit, and leaves 'out' alone", function()
    local a, b = mascon.zeros(2, 3), mascon.zeros(3, 4)
    local function refused(text, ...)
      local args = table.pack(...)
      local ok, message = pcall(function()
        mascon.matmul(table.unpack(args, 1, args.n))
      end)
      assert.is_false(ok)
      assert.is_truthy(message:find(text, 1, true), message)
    end
    refused("bad argument #1 to 'matmul' (f32 or f64 matrix or vector expected, "
      .. "got i32 matrix 2 x 3)", mascon.zeros(2, 3, "i32"), b)
    refused("bad argument #2 to 'matmul' (f64 matrix of 3 rows or vector of as "
      .. "many expected, got f64 matrix 2 x 3)", a, a)
    refused("bad argument #2 to 'matmul' (f64 matrix of 3 rows or vector of as "
      .. "many expected, got f32 matrix 3 x 4)", a, mascon.zeros(3, 4, "f32"))
    refused("bad argument #2 to 'matmul' (f64 matrix of 3 rows expected, got f64 "
      .. "vector 3)", mascon.zeros(3), mascon.zeros(3))
    refused("bad argument #2 to 'matmul' (array expected, got nil)", a, nil)
    refused("bad argument #3 to 'matmul' (f64 matrix 2 x 4 expected, got f64 "
      .. "matrix 4 x 2)", a, b, mascon.zeros(4, 2))
    refused("bad argument #3 to 'matmul' (f64 vector 2 expected, got f64 vector "
      .. "3)", a, mascon.zeros(3), mascon.zeros(3))
    refused("bad argument #4 to 'matmul' (unknown option 'thread')", a, b, nil,
      { thread = 1 })
    local square = matrix(3, 3, "f64", 1)
    local before = totable(square)
    refused("bad argument #3 to 'matmul' (output shares memory with a factor)",
      square, square, square)
    assert.same(before, totable(square))
    local closed = mascon.zeros(3, 4)
    closed:close()
    refused("bad argument #2 to 'matmul' (array is closed)", a, closed)
  end)
end)

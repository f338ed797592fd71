-- philox.lua - the random numbers of mascon in the plainest Lua 5.3

local M = {}

local mask = 0xffffffff

-- Philox4x32-10 in the plainest Lua: the specification
function M.philox(key, x0, x1, x2, x3)
  local k0, k1 = key & mask, key >> 32
  for _ = 1, 10 do
    local p0, p1 = 0xD2511F53 * x0, 0xCD9E8D57 * x2
    x0, x1, x2, x3 = (p1 >> 32) ~ x1 ~ k0, p1 & mask, (p0 >> 32) ~ x3 ~ k1, p0 & mask
    k0, k1 = (k0 + 0x9E3779B9) & mask, (k1 + 0xBB67AE85) & mask
  end
  return x0, x1, x2, x3
end

-- the word at a position
function M.word(seed, p)
  local b = (p >> 4) * 8 + (p & 7)
  local x = { M.philox(seed, b & mask, b >> 32, 0, 0) }
  local h = (p >> 3) & 1
  return x[2 * h + 1] | x[2 * h + 2] << 32
end

-- the word as a signed integer in the same order
function M.integer(seed, p) return M.word(seed, p) ~ math.mininteger end

function M.uniform(seed, p)
  return ((M.word(seed, p) >> 12) + 0.5) * 2.0 ^ -52
end

-- the same in single precision
function M.uniform32(seed, p)
  return ((M.word(seed, p) >> 41) + 0.5) * 2.0 ^ -23
end

-- an integer of 3 * 2^62, from the lowest on, and how many attempts it took
function M.wide(seed, p)
  local b, h = (p >> 4) * 8 + (p & 7), (p >> 3) & 1
  local attempt, w, low = 0, nil, nil
  repeat
    local x = { M.philox(seed, b, 0, attempt, 0) }
    w = x[2 * h + 1] | x[2 * h + 2] << 32
    low = w * (3 << 62)  -- modulo 2^64; the surplus is 2^62
    attempt = attempt + 1
  until not math.ult(low, 1 << 62)
  -- floor(w * 3 / 4) without overflow
  return (w >> 2) * 3 + (((w & 3) * 3) >> 2) + math.mininteger, attempt
end

return M

-- recommend_cases.lua - random inputs to try recommend on, as plain data: see
-- recommend_oracle.lua

local M = {}

local function single(x) return (string.unpack("f", string.pack("f", x))) end

local random = math.random

local function gauss()
  return math.sqrt(-2 * math.log(1 - random())) * math.cos(2 * math.pi * random())
end

local function chance(p) return random() < p end

-- how one factor of a row is drawn
local kinds = {
  gauss = function() return gauss() end,
  ints = function() return random(-3, 3) + 0.0 end,
  bits = function() return random(0, 1) + 0.0 end,
  negative = function() return -random() - 0.01 end,
  tiny = function() return gauss() * 1e-30 end,
  huge = function() return gauss() * 1e30 end,
  big = function() return gauss() * 1e15 end,
  denormal = function() return gauss() * 1e-40 end,
  wild = function() return gauss() * 10.0 ^ random(-30, 18) end,
  zero = function() return 0.0 end,
  close = function() return 1 + random(0, 3) * 2.0 ^ -23 end
}
local kindnames = {"gauss", "ints", "bits", "negative", "tiny", "huge", "big",
                   "denormal", "wild", "zero", "close"}
-- what only f64 holds
local widekinds = {
  function() return gauss() * 1e200 end,
  function() return gauss() * 1e-200 end,
  function() return gauss() * 1e-310 end,
  function() return gauss() * 10.0 ^ random(-170, -115) end,  -- squares near 0
  function() return 1 + random(0, 9) * 2.0 ^ -50 end
}

local function rows(n, rank, dtype)
  local draw = chance(0.5) and kinds.gauss or kinds[kindnames[random(#kindnames)]]
  if dtype == "f64" and chance(0.15) then draw = widekinds[random(#widekinds)] end
  local out, spread = {}, chance(0.3) and random() * 2 or 0
  for i = 1, n do
    local row, scale = {}, math.exp(spread * gauss())
    for k = 1, rank do row[k] = draw() * scale end
    out[i] = row
  end
  if dtype == "f32" then
    for _, row in ipairs(out) do
      for k = 1, rank do row[k] = single(row[k]) end
    end
  end
  return out
end

local specials = {0.0, -0.0, 1 / 0, -1 / 0, 0 / 0, 1e30, -1e30, 1e-40, 1.0}

-- make some rows special: copies, zeros, one odd factor, an odd column
local function spoil(list, rank)
  local function some() return list[random(#list)] end
  if #list == 0 then return end
  if chance(0.2) then  -- duplicates
    for _ = 1, math.floor(#list / 2) do
      table.move(some(), 1, rank, 1, some())
    end
  end
  if chance(0.2) then
    for _ = 1, random(3) do
      local row = some()
      for k = 1, rank do row[k] = 0.0 end
    end
  end
  if chance(0.25) then
    for _ = 1, random(4) do
      some()[random(rank)] = single(specials[random(#specials)])
    end
  end
  if chance(0.1) then
    local k, x = random(rank), single(1e6 * gauss())
    for _, row in ipairs(list) do row[k] = x end
  end
  if chance(0.1) then  -- one coordinate far larger than the others
    local k = random(rank)
    for _, row in ipairs(list) do row[k] = single(row[k] * 1000) end
  end
  if chance(0.1) then  -- clusters
    local near = 10.0 ^ -random(1, 8)
    for i = 4, #list do
      local from = list[random(3)]
      for k = 1, rank do list[i][k] = single(from[k] + near * gauss()) end
    end
  end
  if chance(0.05) then  -- equal norms, as near as floats come
    for _, row in ipairs(list) do
      local s = 0
      for k = 1, rank do s = s + row[k] * row[k] end
      if s > 0 and s < 1 / 0 then
        for k = 1, rank do row[k] = single(row[k] / math.sqrt(s)) end
      end
    end
  end
end

local function somelist(n, base, most)
  local list = {}
  if n == 0 then return list end
  for k = 1, random(0, most) do list[k] = random(base, base + n - 1) end
  return list
end

local function lists(nusers, nitems, base)
  local out, most = {}, chance(0.5) and 5 or nitems * 2
  for u = 1, nusers do out[u] = somelist(nitems, base, most) end
  return out
end

local function options(case)
  local o, nu, ni = {}, #case.users, #case.items
  local base = chance(0.5) and 0 or 1
  o.base = base
  if chance(0.2) then o.exclude = lists(nu, ni, base) end
  if chance(0.15) then o.allow = lists(nu, ni, base) end
  if chance(0.15) then o.exclude_items = somelist(ni, base, ni) end
  if not o.allow and chance(0.15) then o.allow_ids = somelist(ni, base, 2 * ni) end
  if chance(0.15) then o.min = gauss() end
  if chance(0.2) then o.rows = somelist(nu, base, 2 * nu) end
  if chance(0.25) then o.normalize = true end
  if nu == ni and chance(0.5) then o.exclude_self = true end
  if chance(0.25) then
    case.btype = chance(0.5) and "f32" or "f64"
    local b = rows(1, ni, case.btype)[1]
    if ni > 0 then spoil({b}, ni) end
    o.bias = b
  end
  return o
end

local waynames = {"index", "stream", "indexstream", "other", "file"}
local deliverynames = {"out", "sink", "resume"}

---a random case, by the state of math.random
function M.random(size)
  local rank = chance(0.1) and random(64, 200) or random(20)
  if chance(0.02) then rank = random(1024) end
  local nu = chance(0.3) and random(0, 5) or random(2 * size)
  local ni = chance(0.1) and random(0, 3) or random(5 * size)
  if chance(0.1) then ni = nu end
  if chance(0.1) then ni = random(10 * size) * 5 end  -- guesses pay
  local case = {
    utype = chance(0.7) and "f32" or "f64", rank = rank,
    itype = chance(0.7) and "f32" or "f64",
    n = chance(0.2) and random(ni + 70) or chance(0.2) and random(32, 120) or
        random(12),
    -- one of the four layouts of recommend_oracle.lua
    ulayout = chance(0.3) and random(4) or 1,
    ilayout = chance(0.3) and random(4) or 1
  }
  case.users = rows(nu, rank, case.utype)
  case.items = rows(ni, rank, case.itype)
  spoil(case.users, rank)
  spoil(case.items, rank)
  case.opts = options(case)
  if chance(0.5) then case.way = waynames[random(#waynames)] end
  if chance(0.4) then case.deliver = deliverynames[random(#deliverynames)] end
  if chance(0.1) then case.opts.pad_id, case.opts.pad_score = -7, 0.5 end
  if chance(0.25) then case.opts.ranks = lists(nu, ni, case.opts.base) end
  if chance(0.1) then case.opts.check = random(5) end
  case.batch = random(40)
  return case
end

-- }

return M

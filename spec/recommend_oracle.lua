-- recommend_oracle.lua - recommend in the plainest Lua
--
-- A case is plain data: users and items are lists of rows of numbers, utype
-- and itype their dtypes, n how many are wanted, opts what is said besides
-- (exclude and allow as lists of lists, all ids from opts.base on).

local mascon = require "mascon"

local M = {}

local function single(x) return (string.unpack("f", string.pack("f", x))) end

local function set(ids)
  local s = {}
  for _, id in ipairs(ids) do s[id] = true end
  return s
end

local function norm(v)
  local s = 0.0
  for k = 1, #v do s = s + v[k] * v[k] end
  return math.sqrt(s)
end

-- the score of two rows; nothing is rounded until the end
local function score(case, x, y, item)
  local s = 0.0
  for k = 1, #x do s = s + x[k] * y[k] end
  if case.opts.normalize then
    local norms = norm(x) * norm(y)
    s = norms == 0 and 0.0 or s / norms
  end
  if case.opts.bias then s = s + case.opts.bias[item] end
  local f32 = case.utype == "f32" and case.itype == "f32"
  return f32 and single(s) or s
end

-- the ranks of the pairs of a user: their places among his hits, or 0
local function ranked(pairs_, hits)
  local place, out = {}, {}
  for k, hit in ipairs(hits) do place[hit.id] = k end
  for k, id in ipairs(pairs_) do out[k] = place[id] or 0 end
  return out
end

---the result that `case` must have: lists of ids, scores and counts, and the ranks
---of o.ranks by user
function M.best(case)
  local o, ids, scores, counts, ranks = case.opts, {}, {}, {}, {}
  local base = o.base or 1
  local never, only = set(o.exclude_items or {}), o.allow_ids and set(o.allow_ids)
  local min = o.min
  if min and case.utype == "f32" and case.itype == "f32" then min = single(min) end
  local rows = o.rows
  if not rows then
    rows = {}
    for u = 1, #case.users do rows[u] = u - 1 + base end
  end
  for r, user in ipairs(rows) do
    local u, hits = user - base + 1, {}
    local seen = set(o.exclude and o.exclude[u] or {})
    local allowed = o.allow and set(o.allow[u])
    for i, y in ipairs(case.items) do
      local id = i - 1 + base
      if not (never[id] or seen[id] or (only and not only[id]) or
              (allowed and not allowed[id]) or (o.exclude_self and i == u)) then
        local s = score(case, case.users[u], y, i)
        if s == s and not (min and s < min) then
          hits[#hits + 1] = {id = id, score = s}
        end
      end
    end
    table.sort(hits, function(a, b)
      if a.score ~= b.score then return a.score > b.score end
      return a.id < b.id
    end)
    if o.ranks then ranks[u] = ranked(o.ranks[u], hits) end
    ids[r], scores[r], counts[r] = {}, {}, math.min(#hits, case.n)
    for k = 1, case.n do
      ids[r][k] = hits[k] and hits[k].id or o.pad_id or base - 1
      scores[r][k] = hits[k] and hits[k].score or o.pad_score or -math.huge
    end
  end
  return ids, scores, counts, ranks
end

-- {------- the same as arrays

---a matrix of a list of rows; `ncols` for a list of none
function M.matrix(rows, dtype, ncols)
  ncols = rows[1] and #rows[1] or ncols
  local a = mascon.zeros(#rows, ncols, dtype)
  for i, row in ipairs(rows) do
    for k, x in ipairs(row) do a:set(i, k, x) end
  end
  return a
end

function M.vector(list, dtype)
  local a = mascon.zeros(#list, dtype)
  for i, x in ipairs(list) do a[i] = x end
  return a
end

function M.csr(lists, ncols, base)
  local indptr, indices = {0}, {}
  for r, list in ipairs(lists) do
    table.move(list, 1, #list, #indices + 1, indices)
    indptr[r + 1] = #indices
  end
  return mascon.csr(M.vector(indptr, "i64"), M.vector(indices, "i32"), ncols,
                    {base = base})
end

-- the same elements otherwise laid out: as they are, columns first, every
-- second of both axes, last row first
local layouts = {
  function(a) return a end,
  function(a) return a:t():copy():t() end,
  function(a)
    local b = mascon.full(2 * a.nrows, 3 * a.ncols + 1, 0 / 0, a.dtype)
    local v = b:narrow(1, 2, -1, 2):narrow(2, 2, -1, 3)
    v:assign(a)
    return v
  end,
  function(a)
    return a:narrow(1, -1, 1, -1):copy():narrow(1, -1, 1, -1)
  end
}

local function laidout(a, layout)
  return a.size > 0 and layouts[layout or 1](a) or a
end

---the arguments of a call for `case`
function M.arguments(case)
  local o, opts, base = case.opts, {}, case.opts.base or 1
  for k, v in pairs(o) do opts[k] = v end
  opts.allow_ids = nil
  if o.exclude then opts.exclude = M.csr(o.exclude, #case.items, base) end
  if o.allow then opts.allow = M.csr(o.allow, #case.items, base) end
  if o.ranks then opts.ranks = M.csr(o.ranks, #case.items, base) end
  if o.allow_ids then opts.allow = M.vector(o.allow_ids, "i32") end
  if o.exclude_items then opts.exclude_items = M.vector(o.exclude_items, "i64") end
  if o.rows then opts.rows = M.vector(o.rows, "i32") end
  if o.bias then opts.bias = M.vector(o.bias, case.btype or "f64") end
  return laidout(M.matrix(case.users, case.utype, case.rank), case.ulayout),
         laidout(M.matrix(case.items, case.itype, case.rank), case.ilayout),
         case.n, opts
end

local function differs(a, b) return a ~= b and not (a ~= a and b ~= b) end

---where results differ from lists from row `first` on, as text; nil where they
---are equal
function M.difference(ids, scores, counts, wids, wscores, wcounts, first)
  if #wids == 0 then return #ids ~= 0 and "rows" or nil end
  for r = first or 1, #wids do
    if counts[r] ~= wcounts[r] then
      return ("row %d: count %d, not %d"):format(r, counts[r], wcounts[r])
    end
    for k = 1, #wids[r] do
      if ids(r, k) ~= wids[r][k] or differs(scores(r, k), wscores[r][k]) then
        return ("row %d, place %d: item %d (%a), not %d (%a)"):format(r, k,
          ids(r, k), scores(r, k), wids[r][k], wscores[r][k])
      end
    end
  end
end

-- where ranks differ from lists for the users of rows from `first` on
local function rankdifference(case, ranks, want, first)
  local o, done, at = case.opts, {}, 0
  for r = first, o.rows and #o.rows or #case.users do
    done[o.rows and o.rows[r] - (o.base or 1) + 1 or r] = true
  end
  for u = 1, #case.users do
    for k = 1, #o.ranks[u] do
      at = at + 1
      if done[u] and ranks[at] ~= want[u][k] then
        return ("user %d, pair %d: rank %d, not %d"):format(u, k, ranks[at], want[u][k])
      elseif not done[u] and ranks[at] ~= 0 then
        return ("user %d was not to be done"):format(u)
      end
    end
  end
end

-- a function that makes users
local function source(users, case, opts)
  local base = opts.base or 1
  return {rows = #users, dtype = users.dtype, batch = case.batch or 5,
    users = function(block, first, last)
      for k = first, last do
        block[k - first + 1] = users[opts.rows and opts.rows[k] - base + 1 or k]
      end
    end}
end

local function without(opts, ...)
  local out = {}
  for name, x in pairs(opts) do out[name] = x end
  for _, name in ipairs {...} do out[name] = nil end
  return out
end

local function index(items, opts)
  return mascon.index(items, {normalize = opts.normalize, bias = opts.bias})
end

---the ways to the same results
M.ways = {
  plain = mascon.recommend,
  stream = function(users, items, n, opts, case)
    return mascon.recommend(source(users, case, opts), items, n, opts)
  end,
  index = function(users, items, n, opts)
    return index(items, opts):recommend(users, n, without(opts, "bias", "normalize"))
  end,
  indexstream = function(users, items, n, opts, case)
    return index(items, opts):recommend(source(users, case, opts), n, opts)
  end,
  other = function(users, items, n, opts)  -- an index that was made otherwise
    local x = mascon.index(items, {normalize = not opts.normalize})
    local o = without(opts)
    o.normalize = opts.normalize or false
    return x:recommend(users, n, o)
  end,
  file = function(users, items, n, opts)
    local path = os.tmpname()
    index(items, opts):save(path)
    local x = assert(mascon.index.load(path, {map = true}))
    os.remove(path)
    return x:recommend(users, n, without(opts, "bias", "normalize"))
  end
}

local function every(rows, cols, dtype)  -- every second element of a larger one
  local a = mascon.zeros(2 * rows, 2 * cols, dtype)
  return rows == 0 and mascon.zeros(0, cols, dtype) or
    a:narrow(1, 1, -1, 2):narrow(2, 1, -1, 2)
end

-- how results come; each returns them as arrays, the first row that counts and info
local deliveries = {
  new = function(call, opts)
    local ids, scores, counts, info = call(opts)
    return ids, scores, counts, 1, info
  end,
  out = function(call, opts, nrows, n, dtype)
    local o = {ids = every(nrows, n, "i64"), scores = every(nrows, n, dtype),
               counts = every(nrows, 1, "i32"):col(1)}
    opts.out = o
    local _, _, _, info = call(opts)
    return o.ids, o.scores, o.counts, 1, info
  end,
  sink = function(call, opts, nrows, n, dtype)
    local ids, scores = mascon.zeros(nrows, n, "i64"), mascon.zeros(nrows, n, dtype)
    local counts, done = mascon.zeros(nrows, "i32"), 0
    opts.sink = function(first, last, i, s, c)
      assert(first == done + 1, "out of order")
      ids:rows(first, last):assign(i)
      scores:rows(first, last):assign(s)
      counts:sub(first, last):assign(c)
      done = last
    end
    local _, _, _, info = call(opts)
    assert(done == nrows, "rows are missing")
    return ids, scores, counts, 1, info
  end,
  resume = function(call, opts, nrows)
    opts.first = math.random(1, nrows + 1)
    local ids, scores, counts, info = call(opts)
    for r = 1, opts.first - 1 do assert(counts[r] == 0, "a row before the first") end
    return ids, scores, counts, opts.first, info
  end
}

---run `case` with `threads` and compare; returns what differs
function M.try(case, ...)
  local wids, wscores, wcounts, wranks = M.best(case)
  local users, items, n, opts = M.arguments(case)
  local dtype = mascon.zeros(0, case.utype):add(mascon.zeros(0, case.itype)).dtype
  for _, threads in ipairs {...} do
    local o = without(opts)
    o.threads = threads
    local ids, scores, counts, first, info = deliveries[case.deliver or "new"](function(args)
      return M.ways[case.way or "plain"](users, items, n, args, case)
    end, o, #wids, n, dtype)
    local d = M.difference(ids, scores, counts, wids, wscores, wcounts, first) or
      o.ranks and rankdifference(case, info.ranks, wranks, first)
    if d then return ("%d threads: %s"):format(threads, d) end
  end
end

-- }

return M

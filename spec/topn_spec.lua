local mascon = require "mascon"

local nan, inf = 0 / 0, math.huge

local function vector(t, dtype)
  local a = mascon.zeros(#t, dtype)
  for i, x in ipairs(t) do a[i] = x end
  return a
end

local function matrix(rows, dtype)
  return mascon.array(rows, dtype or "f64")
end

local function totable(a) return a:totable() end

local function set(list)
  local s = {}
  for _, id in ipairs(list or {}) do s[id] = true end
  return s
end

--[[ the specification.  scores: a table of rows; o: base, exclude and allow
     (a table of lists, one a row), exclude_items, allow_items, min, smallest ]]
local function oracle(scores, n, o)
  local base = o.base or 1
  local ids, best, counts = {}, {}, {}
  local no, yes = set(o.exclude_items), o.allow_items and set(o.allow_items)
  for r, row in ipairs(scores) do
    local hits = {}
    local rowno = o.exclude and set(o.exclude[r]) or {}
    local rowyes = o.allow and set(o.allow[r])
    for j, x in ipairs(row) do
      local id = j - 1 + base
      if x == x and not no[id] and not rowno[id] and (not yes or yes[id]) and
         (not rowyes or rowyes[id]) and not (o.min and x < o.min) then
        hits[#hits + 1] = { id = id, x = x }
      end
    end
    table.sort(hits, function(a, b)
      if a.x ~= b.x then
        if o.smallest then return a.x < b.x end
        return a.x > b.x
      end
      return a.id < b.id
    end)
    ids[r], best[r] = {}, {}
    for k = 1, n do
      ids[r][k] = hits[k] and hits[k].id or base - 1
      best[r][k] = hits[k] and hits[k].x or -inf
    end
    counts[r] = math.min(n, #hits)
  end
  return ids, best, counts
end

local function csrof(lists, ncols, base, dtype)
  local indptr, all = { 0 }, {}
  for _, list in ipairs(lists) do
    for _, id in ipairs(list) do all[#all + 1] = id end
    indptr[#indptr + 1] = #all
  end
  return mascon.csr(vector(indptr, "i64"), vector(all, dtype or "i32"), ncols,
                    { base = base })
end

-- 'rows' as arrays of every layout
local function fill(a, rows)
  for i, row in ipairs(rows) do
    for j, x in ipairs(row) do a:set(i, j, x) end
  end
  return a
end

local layouts = {
  plain = matrix,
  transposed = function(rows, dtype)
    return fill(mascon.zeros(#rows[1], #rows, dtype):t(), rows)
  end,
  strided = function(rows, dtype)
    return fill(mascon.zeros(2 * #rows, 3 * #rows[1] + 1, dtype)
      :narrow(1, -1, 1, -2):narrow(2, -1, 2, -3), rows)
  end,
}

local function check(scores, array, n, o, opts)
  local wids, wbest, wcounts = oracle(scores, n, o)
  local ids, best, counts = mascon.topn(array, n, opts)
  assert.same(wids, totable(ids))
  assert.same(wbest, totable(best))
  assert.same(wcounts, totable(counts))
end

local function pick(list) return list[math.random(#list)] end

local kinds = {
  function() return math.random(-1000000, 1000000) / 8 end,  -- all differ
  function() return math.random(-2, 2) end,  -- many are equal
  function() return 7 end,
  function(j) return j end,
  function(j) return -j end,
  function() return nan end,
  function() return pick { -inf, inf, nan, 0.0, -0.0, 1, -1 } end,
  function() return pick { -inf, -inf, -inf, 3, 4 } end,
  function(j) return j % 64 end,
  function(j) return j > 200 and j <= 290 and 100 - j % 3 or j % 50 end,
  function() return 2 ^ math.random(-140, 120) end,  -- denormals in f32
}

local function rowsof(nrows, ncols)
  local rows = {}
  for i = 1, nrows do
    local kind = pick(kinds)
    rows[i] = {}
    for j = 1, ncols do rows[i][j] = kind(j) end
  end
  return rows
end

local function idlist(ncols, base, most)
  local list = {}
  for _ = 1, ncols > 0 and math.random(0, most) or 0 do
    list[#list + 1] = math.random(base, base + ncols - 1)
  end
  return list
end

describe("topn", function()
  before_each(function() math.randomseed(7) end)

  -- sizes straddle vectors, words of the bitmap, the blocks of a gather and the
  -- rows that have a kernel of their own
  for _, ncols in ipairs { 1, 7, 31, 63, 64, 65, 255, 256, 319, 1023, 4096, 4097 } do
    it("agrees with the plain version on " .. ncols .. " columns", function()
      for _, dtype in ipairs { "f64", "f32" } do
        for name, layout in pairs(layouts) do
          local rows = rowsof(ncols > 1000 and 3 or 9, ncols)
          local a = layout(rows, dtype)
          for _, n in ipairs { 1, 2, 10, 40, ncols, ncols + 3 } do
            local smallest = math.random(2) == 1
            local min = math.random(3) == 1 and math.random(-1, 70) or nil
            check(rows, a, n, { smallest = smallest, min = min },
                  { smallest = smallest, min = min,
                    threads = math.random(3) }, name)
          end
        end
      end
    end)
  end

  -- 64 rows of a transposed matrix are turned together
  for _, nrows in ipairs { 2, 63, 64, 65, 150 } do
    it("agrees with the plain version on " .. nrows .. " transposed rows", function()
      for _, dtype in ipairs { "f64", "f32" } do
        local rows = rowsof(nrows, 67)
        local a = layouts.transposed(rows, dtype)
        for threads = 1, 3 do
          check(rows, a, 10, {}, { threads = threads })
          check(rows, a, 3, { smallest = true, min = 1 },
                { smallest = true, min = 1, threads = threads })
        end
      end
    end)
  end

  it("agrees with the plain version under all filters together", function()
    for round = 1, 60 do
      local ncols = pick { 1, 5, 64, 65, 300, 1500 }
      local base = round % 2
      local rows = rowsof(7, ncols)
      local o = { base = base, smallest = math.random(4) == 1 }
      if math.random(2) == 1 then
        o.exclude = {}
        for i = 1, 7 do
          o.exclude[i] = idlist(ncols, base, pick { 0, 5, ncols, 3 * ncols })
        end
      end
      if math.random(3) == 1 then
        o.allow = {}
        for i = 1, 7 do
          o.allow[i] = idlist(ncols, base, pick { 0, 5, ncols, 3 * ncols })
        end
      elseif math.random(3) == 1 then
        o.allow_items = idlist(ncols, base, pick { 0, 5, ncols })
      end
      if math.random(3) == 1 then
        o.exclude_items = idlist(ncols, base, pick { 0, 5, ncols })
      end
      local dtype = pick { "i32", "i64" }
      check(rows, matrix(rows, pick { "f32", "f64" }), pick { 1, 3, 10, 90 }, o, {
        base = base, smallest = o.smallest, threads = math.random(8),
        exclude = o.exclude and csrof(o.exclude, ncols, base, dtype),
        allow = o.allow and csrof(o.allow, ncols, base, dtype) or
          o.allow_items and vector(o.allow_items, dtype),
        exclude_items = o.exclude_items and vector(o.exclude_items, dtype),
      })
    end
  end)

  it("finds the same with any number of threads", function()
    local m = mascon.random(3):integers(0, 300, 2000, 200):copy("f32")
    local ids, best, counts = mascon.topn(m, 20, { threads = 1 })
    ids, best, counts = totable(ids), totable(best), totable(counts)
    for _, threads in ipairs { 2, 3, 8 } do
      local i, b, c = mascon.topn(m, 20, { threads = threads })
      assert.same(ids, totable(i))
      assert.same(best, totable(b))
      assert.same(counts, totable(c))
    end
  end)

  it("splits a long row among threads", function()
    local m = mascon.random(4):integers(0, 50000, 2, 300000):copy("f32")
    m:set(1, 299999, nan)
    local not_these = vector({ 1, 5, 70000, 299998 }, "i32")
    for _, n in ipairs { 1, 10, 1000 } do
      local ids, best = mascon.topn(m, n, { threads = 1,
                                            exclude_items = not_these })
      for _, threads in ipairs { 2, 3, 8 } do
        local i, b = mascon.topn(m, n, { threads = threads,
                                         exclude_items = not_these })
        assert.same(totable(ids), totable(i))
        assert.same(totable(best), totable(b))
      end
    end
    local ids = mascon.topn(m[2], 10, { threads = 2 })
    assert.same(totable(mascon.topn(m, 10, { threads = 1 }))[2], totable(ids))
  end)

  it("takes a vector", function()
    local ids, scores, counts = mascon.topn(vector({ 3, 1, 4, 1, 5 }, "f64"), 3)
    assert.same({ 5, 3, 1 }, totable(ids))
    assert.same({ 5, 4, 3 }, totable(scores))
    assert.same({ 3 }, totable(counts))
    ids = mascon.topn(mascon.zeros(0, "f32"), 2)
    assert.same({ 0, 0 }, totable(ids))
  end)

  it("takes empty matrices", function()
    local ids, _, counts, info = mascon.topn(mascon.zeros(0, 5), 3)
    assert.same({}, totable(ids))
    assert.equal(0, info.rows)
    ids, _, counts = mascon.topn(mascon.zeros(2, 0), 1)
    assert.same({ { 0 }, { 0 } }, totable(ids))
    assert.same({ 0, 0 }, totable(counts))
  end)
end)

-- one for each fault in cases/topn.md that concerns rows; ids from 0
describe("topn, where others went wrong:", function()
  local function top(rows, n, opts, dtype)
    opts = opts or {}
    opts.base = 0
    local ids, scores, counts = mascon.topn(matrix(rows, dtype), n, opts)
    return totable(ids), totable(counts), totable(scores)
  end

  it("asking for more than exists", function()
    local ids, counts = top({ { 3, 1 } }, 5)
    assert.same({ { 0, 1, -1, -1, -1 } }, ids)
    assert.same({ 2 }, counts)
    assert.same({ { 0, 1, -7, -7, -7 } }, (top({ { 3, 1 } }, 5, { pad_id = -7 })))
    local _, c = top({ { 1, 2, 3 } }, 6)
    assert.same({ 3 }, c)
  end)

  it("an allow list shorter than n, and a seen filter beside it", function()
    local ids, counts = top({ { 9, 8, 7 } }, 3, {
      allow = { 1, 2 }, exclude = csrof({ { 1 } }, 3, 0) })
    assert.same({ { 2, -1, -1 } }, ids)
    assert.same({ 1 }, counts)
    assert.same({ { 1, 4 } }, (top({ { 5, 4, 3, 2, 1 } }, 2, { allow = { 4, 1 } })))
  end)

  it("seen items are removed before, not after", function()
    local seen = csrof({ { 0, 1 } }, 4, 0)
    assert.same({ { 2, 3 } }, (top({ { 9, 8, 7, 6 } }, 2, { exclude = seen })))
    assert.same({ { 2, 3, -1 } }, (top({ { 2, 1, 0, 0 } }, 3, { exclude = seen })))
  end)

  it("a seen matrix of another shape is refused, naming both", function()
    assert.error_matches(function()
      mascon.topn(mascon.zeros(3, 2), 1, { exclude = csrof({ {}, {} }, 3, 0) })
    end, "option 'exclude': csr 3 x 2 expected, got csr 2 x 3")
  end)

  it("item 0 is an item", function()
    local ids, counts = top({ { 9, 1 } }, 2, { exclude = csrof({ { 0 } }, 2, 0) })
    assert.same({ { 1, -1 } }, ids)
    assert.same({ 1 }, counts)
  end)

  it("the list is sorted", function()
    assert.same({ { 3, 4, 1, 0, 2 } }, (top({ { 2.4, 2.6, 2.4, 3.1, 2.8 } }, 5)))
  end)

  it("somebody who has seen everything", function()
    local ids, counts = top({ { 1, 2 }, { 1, 2 } }, 2,
                            { exclude = csrof({ { 0, 1, 0 }, {} }, 2, 0) })
    assert.same({ { -1, -1 }, { 1, 0 } }, ids)
    assert.same({ 0, 2 }, counts)
  end)

  it("an empty exclusion is none, an empty permission is one", function()
    assert.same({ { 1, 0 } }, (top({ { 1, 2 } }, 2, { exclude_items = {} })))
    assert.same({ { 1, 0 } }, (top({ { 1, 2 } }, 2, { exclude = csrof({ {} }, 2, 0) })))
    local ids, counts = top({ { 1, 2 } }, 2, { allow = {} })
    assert.same({ { -1, -1 } }, ids)
    assert.same({ 0 }, counts)
    assert.same({ { -1 } }, (top({ { 1, 2 } }, 1, { allow = csrof({ {} }, 2, 0) })))
  end)

  it("the first k of more are the k best", function()
    assert.same({ { 1, 2 } }, (top({ { 1, 2, 2, 1, 2 } }, 2)))
    assert.same({ { 1, 2, 4, 0 } }, (top({ { 1, 2, 2, 1, 2 } }, 4)))
  end)

  it("infinities, at any size", function()
    for _, size in ipairs { 5, 500, 50000 } do
      local a = mascon.zeros(1, size)
      for j = 4, size do a:set(1, j, -inf) end
      a:set(1, 1, 1)
      a:set(1, 2, inf)
      a:set(1, 3, nan)
      assert.same({ { 1, 0, 3, 4 } }, totable(mascon.topn(a, 4, { base = 0 })))
    end
  end)

  it("NaN is never among the best", function()
    assert.same({ { 2 } }, (top({ { -1, nan, 2, 1 } }, 1)))
    assert.same({ { 2, 1, 3 } }, (top({ { nan, 3, inf, 1, nan } }, 3)))
    local rows = {}
    for i = 1, 512 do
      rows[i] = {}
      for j = 1, 32 do rows[i][j] = i == 1 and nan or j end
    end
    local ids, counts = top(rows, 4, nil, "f32")
    assert.same({ -1, -1, -1, -1 }, ids[1])
    assert.equal(0, counts[1])
    assert.same({ 31, 30, 29, 28 }, ids[512])
  end)

  it("equal scores rank by the smaller id, and so do both zeros", function()
    assert.same({ { 0, 2 } }, (top({ { 3, 2, 3, 2, 1, 1 } }, 2)))
    for n, want in ipairs { { 2 }, { 2, 4 }, { 2, 4, 3 }, { 2, 4, 3, 1 } } do
      assert.same({ want }, (top({ { 1, 2, 5, 4, 5 } }, n)))
    end
    for _, dtype in ipairs { "f32", "f64" } do
      assert.same({ { 0 } }, (top({ { -0.0, 0.0 } }, 1, nil, dtype)))
      assert.same({ { 0 } }, (top({ { 0.0, -0.0 } }, 1, nil, dtype)))
    end
  end)

  it("more equal scores than any buffer holds", function()
    local a = mascon.zeros(1, 10010)
    for k = 1, 10 do a:set(1, k * 1001, k) end
    local ids = mascon.topn(a, 2048)[1]
    for k = 1, 10 do assert.equal((11 - k) * 1001, ids[k]) end
    local id = 0
    for k = 11, 2048 do
      id = id + 1
      if id % 1001 == 0 then id = id + 1 end
      assert.equal(id, ids[k])
    end
  end)

  it("n in the hundreds and thousands", function()
    local row = {}
    for j = 1, 1000 do row[j] = (j * 7919) % 1009 end
    for _, n in ipairs { 256, 257, 300, 999, 1000 } do
      local ids = top({ row }, n)
      assert.same((oracle({ row }, n, { base = 0 })), ids)
    end
  end)
end)

describe("topn's results", function()
  local m = matrix { { 1, 3, 2 }, { 6, 5, 4 }, { 7, 9, 8 } }

  it("go into arrays that are given", function()
    local ids, scores = mascon.zeros(3, 2, "i64"), mascon.zeros(3, 2)
    local i, s, c = mascon.topn(m, 2, { out = { ids = ids, scores = scores } })
    assert.is_true(rawequal(ids, i))
    assert.is_true(rawequal(scores, s))
    assert.is_nil(c)
    assert.same({ { 2, 3 }, { 1, 2 }, { 2, 3 } }, totable(ids))
    assert.same({ { 3, 2 }, { 6, 5 }, { 9, 8 } }, totable(scores))
  end)

  it("are made as they are named", function()
    local i, s, c = mascon.topn(m, 1, { out = { counts = true } })
    assert.is_nil(i)
    assert.is_nil(s)
    assert.same({ 1, 1, 1 }, totable(c))
  end)

  it("can go to a sink, in order", function()
    local ids, at = {}, 0
    local i, s, c = mascon.topn(m, 2, { threads = 2, sink = function(first, last, a)
      assert.equal(at + 1, first)
      at = last
      for r = 1, #a do ids[first + r - 1] = totable(a[r]) end
    end })
    assert.is_nil(i or s or c)
    assert.same({ { 2, 3 }, { 1, 2 }, { 2, 3 } }, ids)
    local kept
    mascon.topn(m, 2, { sink = function(_, _, a) kept = a end })
    assert.error_matches(function() return kept[1] end, "closed")
  end)

  it("can go to a sink and an array", function()
    local counts = mascon.zeros(3, "i32")
    mascon.topn(m, 2, { out = { counts = counts }, sink = function(_, _, _, _, c)
      assert.same({ 2, 2, 2 }, totable(c))
    end })
    assert.same({ 2, 2, 2 }, totable(counts))
  end)

  it("pass on the sink's error, and stop when it returns false", function()
    assert.error_matches(function()
      mascon.topn(m, 2, { sink = function() error "disk full" end })
    end, "disk full")
    assert.error_matches(function()
      mascon.topn(m, 2, { sink = function() return false end })
    end, "interrupted %(done 0 of 3%)")
  end)

  it("resume at 'first'", function()
    local ids = mascon.zeros(3, 2, "i32")
    mascon.topn(m, 2, { out = { ids = ids }, first = 3 })
    assert.same({ { 0, 0 }, { 0, 0 }, { 2, 3 } }, totable(ids))
    mascon.topn(m, 2, { out = { ids = ids }, first = 4 })
    assert.same({ 2, 3 }, totable(ids[3]))
  end)

  it("report progress to the end", function()
    for _, rows in ipairs { 0, 1, 101 } do
      local last, total = -1, nil
      mascon.topn(mascon.zeros(rows, 3), 1, { progress = function(d, t)
        assert.is_true(d >= last)
        last, total = d, t
      end })
      assert.equal(rows, last)
      assert.equal(rows, total)
    end
  end)
end)

describe("topn refuses", function()
  local m = mascon.zeros(3, 4)
  local function refuses(what, ...)
    local args = table.pack(...)
    assert.error_matches(function()
      mascon.topn(table.unpack(args, 1, args.n))
    end, what)
  end

  it("what is no matrix of floats", function()
    refuses("#1 to '.-topn' %(f32 or f64 matrix expected, got no value%)")
    refuses("f32 or f64 matrix expected, got i32 vector 3", mascon.zeros(3, "i32"), 1)
    refuses("got f64 3%-D array 1 x 1 x 1", mascon.zeros(1, 1, 1), 1)
    local closed = mascon.zeros(2, 2)
    closed:close()
    refuses("closed", closed, 1)
  end)

  it("bad numbers", function()
    refuses("#2 to '.-topn' %(integer from 1 up expected, got 0%)", m, 0)
    refuses("integer from 1 up expected, got 1.5", m, 1.5)
    refuses("integer from 1 up expected, got nil", m)
    refuses("option 'base': integer from 0 to 1 expected, got 2", m, 1, { base = 2 })
    refuses("option 'min': number other than NaN expected, got %-?nan", m, 1,
            { min = nan })
    refuses("option 'first': integer from 1 to 4 expected, got 5", m, 1, { first = 5 })
  end)

  it("unknown options", function()
    refuses("#3 to '.-topn' %(unknown option 'excluded'%)", m, 1, { excluded = 1 })
    refuses("unknown option 'out.id'", m, 1, { out = { id = true } })
    refuses("unknown option 'bias'", m, 1, { bias = 1 })
  end)

  it("lists that do not fit", function()
    refuses("option 'exclude': csr expected, got f64 matrix 3 x 4", m, 1, { exclude = m })
    refuses("option 'exclude_items': id 5 at position 2 is outside 1 to 4", m, 1,
            { exclude_items = { 1, 5 } })
    refuses("option 'allow': id 0 at position 1 is outside 1 to 4", m, 1,
            { allow = vector({ 0 }, "i32") })
    refuses("option 'allow': i32 or i64 vector, or table, of ids expected, got f64 vector 1",
            m, 1, { allow = vector({ 1 }, "f64") })
  end)

  it("compressed rows whose arrays were closed or changed", function()
    for _, name in ipairs { "exclude", "allow" } do
      local ptr, ids = vector({ 0, 1, 1, 1 }, "i64"), vector({ 3 }, "i32")
      local opts = { [name] = mascon.csr(ptr, ids, 4, { base = 0 }) }
      mascon.topn(m, 1, opts)
      ids[1] = 4
      refuses("option '" .. name .. "': the csr is no longer valid %(indices: id 4 at position 1 is outside 0 to 3", m, 1, opts)
      ids:close()
      refuses("option '" .. name .. "': the csr is no longer valid %(array is closed", m, 1, opts)
    end
  end)

  it("places for results that do not fit", function()
    refuses("option 'out.ids': i32 or i64 matrix 3 x 2 expected, got f64 matrix 3 x 4",
            m, 2, { out = { ids = m } })
    refuses("option 'out.scores': f64 matrix 3 x 2 expected, got f32 matrix 3 x 2",
            m, 2, { out = { scores = mascon.zeros(3, 2, "f32") } })
    refuses("option 'out.counts': i32 vector 3 expected, got i32 vector 2",
            m, 2, { out = { counts = mascon.zeros(2, "i32") } })
    refuses("#3 to '.-topn' %(option 'out': an array overlaps an input", m, 4,
            { out = { scores = m } })
    local ids = mascon.zeros(3, 3, "i32")
    refuses("option 'out': .- or another result", m, 3,
            { out = { ids = ids, counts = ids:col(1) } })
    refuses("option 'pad_id': integer expected, got 1.5", m, 3, { pad_id = 1.5 })
    refuses("unknown option 'out.ranks'", m, 3, { out = { ranks = true } })
    refuses("size exceeds what can be addressed: n is 9007199254740992, of %d+ columns, for %d+ rows",
            m, 2 ^ 53)
    refuses("n is 9007199254740992, of %d+ columns", m, 2 ^ 53, { sink = print })
    refuses("option 'pad_id': 1099511627776 does not fit i32, the dtype of out.ids",
            m, 3, { pad_id = 2 ^ 40, out = { ids = ids } })
    refuses("unknown option 'out.1'", m, 3, { out = { ids } })
    local name = os.tmpname()
    ids:save(name)
    refuses("option 'out.ids': array is read%-only", m, 3,
            { out = { ids = mascon.load(name, { map = true }) } })
    os.remove(name)
  end)
end)

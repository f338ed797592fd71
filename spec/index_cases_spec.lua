-- What went wrong elsewhere, held against an index: each is tried on one user
-- and on many, who go other ways.

local mascon = require "mascon"
local oracle = require "spec.recommend_oracle"

local inf, nan = math.huge, 0 / 0

-- items whose scores for a user {1} are 'scores'
local function column(scores)
  local a = mascon.zeros(#scores, 1, "f32")
  for i, s in ipairs(scores) do a:set(i, 1, s) end
  return a
end

-- ids (from 0) and counts of the last of 'n' users like {1}
local function best(scores, n, opts, nusers)
  local o = { base = 0 }
  for k, v in pairs(opts or {}) do o[k] = v end
  for _, name in ipairs { "exclude", "allow" } do
    local list = o[name]
    if type(list) == "table" and list.rows then
      local lists = {}
      for u = 1, nusers do lists[u] = list.rows end
      o[name] = oracle.csr(lists, #scores, 0)
    end
  end
  local ids, _, counts = mascon.index(column(scores)):recommend(
    mascon.ones(nusers, 1, "f32"), n, o)
  local out = {}
  for k = 1, counts[nusers] do out[k] = ids(nusers, k) end
  for k = counts[nusers] + 1, n do assert.equal(-1, ids(nusers, k)) end
  return out
end

describe("an index, where others went wrong:", function()
  for _, nusers in ipairs { 1, 40 } do
    local function gives(want, scores, n, opts)
      assert.same(want, best(scores, n, opts, nusers))
    end

    it("counts, filters and padding, for " .. nusers, function()
      gives({ 0, 1 }, { 3, 1 }, 5)
      gives({ 2 }, { 9, 8, 7 }, 3, { allow = { 1, 2 }, exclude = { rows = { 1 } } })
      gives({ 2, 3 }, { 9, 8, 7, 6 }, 2, { exclude = { rows = { 0, 1 } } })
      gives({ 2, 3 }, { 2, 1, 0, 0 }, 3, { exclude = { rows = { 0, 1 } } })
      gives({ 1 }, { 9, 1 }, 2, { exclude = { rows = { 0 } } })
      gives({ 3, 4, 1, 0, 2 }, { 2.4, 2.6, 2.4, 3.1, 2.8 }, 5)
      gives({}, { 2, 1 }, 2, { exclude = { rows = { 0, 1 } } })
      gives({ 1, 4 }, { 9, 2, 8, 7, 1 }, 2, { allow = { 1, 4 } })
      gives({ 1, 4 }, { 9, 2, 8, 7, 1 }, 2, { allow = { rows = { 4, 1, 1 } } })
      gives({ 0 }, { 9, 2 }, 1, { exclude_items = {}, exclude = { rows = {} } })
      gives({}, { 9, 2 }, 1, { allow = {} })
      gives({}, {}, 1)
    end)

    it("NaN, infinity, ties, for " .. nusers, function()
      gives({ 2 }, { -1, nan, 2, 1 }, 1)
      gives({ 2, 1, 3 }, { nan, 3, inf, 1, nan }, 3)
      gives({ 0, 2 }, { 3, 2, 3, 2, 1, 1 }, 2)
      gives({ 2, 4, 3, 1, 0 }, { 1, 2, 5, 4, 5 }, 5)
      gives({ 1, 2 }, { 1, 2, 2, 1, 2 }, 2)
      gives({ 1, 2, 4, 0 }, { 1, 2, 2, 1, 2 }, 4)
      gives({ 0 }, { -0.0, 0.0 }, 1)
      gives({ 0 }, { 0.0, -0.0 }, 1)
      gives({ 0, 1, 2 }, { 7, 7, 7, 1 }, 3)  -- items that are the same are all listed
      for _, pad in ipairs { 5, 500, 50000 } do
        local scores = { 1, -inf, 3, inf, 2 }
        for i = 6, pad do scores[i] = -inf end
        gives({ 3, 2, 4, 0, 1 }, scores, 5)
      end
    end)
  end

  it("a list of another shape is refused, naming both", function()
    assert.error_matches(function()
      mascon.index(column { 1, 2 }):recommend(mascon.ones(3, 1, "f32"), 1,
        { exclude = oracle.csr({ { 0 }, {} }, 3, 0) })
    end, "csr 3 x 2 expected, got csr 2 x 3")
  end)

  it("a NaN row among 512 touches no other", function()
    local users = mascon.ones(512, 32, "f32")
    users[1] = nan
    local _, _, counts = mascon.index(mascon.random(1):normal(99, 32, "f32")):recommend(users, 4)
    assert.equal(0, counts[1])
    assert.equal(511 * 4, counts:sum())
  end)

  it("a query scores alone what it scores among 32", function()
    local r = mascon.random(2)
    local users, x = r:normal(32, 24, "f32"), mascon.index(r:normal(500, 24, "f32"))
    local ids, scores = x:recommend(users, 6)
    for u = 1, 32 do
      local i, s = x:recommend(users:rows(u, u), 6)
      assert.same({ ids[u]:totable(), scores[u]:totable() }, { i[1]:totable(), s[1]:totable() })
    end
  end)

  it("a user or an item without data scores 0, as a cosine too", function()
    local items = mascon.array({ { 1, 2 }, { 0, 0 }, { -1, -2 } }, "f32")
    for _, normalize in ipairs { false, true } do
      local x = mascon.index(items, { normalize = normalize })
      for _, n in ipairs { 1, 40 } do
        local ids, scores = x:recommend(mascon.zeros(n, 2, "f32"), 3)
        assert.same({ { 1, 2, 3 }, { 0, 0, 0 } }, { ids[n]:totable(), scores[n]:totable() })
        ids = x:recommend(mascon.ones(n, 2, "f32"), 3)
        assert.same({ 1, 2, 3 }, ids[n]:totable())
      end
    end
  end)

  it("a vector whose norm is 0, but which is not, scores 0 as a cosine", function()
    local x = mascon.index(mascon.array { { 1, 2 }, { -1, 2 }, { 1e-200, 1 }, { -1e-200, 0 } },
                           { normalize = true, bias = mascon.zeros(4) })
    for _, n in ipairs { 1, 40 } do
      local users = mascon.full(n, 2, 1e-200)
      users:col(2):fill(-1e-200)
      local ids, scores = x:recommend(users, 4)
      assert.same({ { 1, 2, 3, 4 }, { 0, 0, 0, 0 } }, { ids[n]:totable(), scores[n]:totable() })
    end
  end)

  it("layouts: columns first, every second row, backwards", function()
    local items, users = mascon.random(3):normal(80, 6, "f32"), mascon.random(4):normal(40, 6, "f32")
    local want = mascon.recommend(users, items, 5):totable()
    local double = mascon.zeros(160, 6, "f32")
    double:narrow(1, 1, -1, 2):assign(items)
    local back = items:narrow(1, -1, 1, -1):copy():narrow(1, -1, 1, -1)
    for _, layout in ipairs { items:t():copy():t(), double:narrow(1, 1, -1, 2), back } do
      assert.same(want, mascon.index(layout):recommend(users, 5):totable())
      assert.same(want, mascon.index(items):recommend(users:t():copy():t(), 5):totable())
    end
  end)

  it("progress ends at the number of users, and rises", function()
    local x = mascon.index(mascon.random(5):normal(70, 3, "f32"))
    for _, n in ipairs { 0, 1, 101 } do
      for _, users in ipairs { mascon.ones(n, 3, "f32"),
                               { rows = n, batch = 100, users = function(b) b:fill(1) end } } do
        local last, total = -1, nil
        x:recommend(users, 2, { progress = function(done, all)
          assert.is_true(done >= last)
          last, total = done, all
        end })
        assert.same({ n, n }, { last, total })
      end
    end
  end)

  it("memory is that of the threads that were asked for", function()
    local x = mascon.index(mascon.random(6):normal(3000, 16, "f32"))
    local users = mascon.random(7):normal(5000, 16, "f32")
    local function peak(threads)
      local before, most = mascon.memory(), 0
      x:recommend(users, 10, { threads = threads, sink = function()
        most = math.max(most, (mascon.memory()))
      end })
      return most - before
    end
    local one, four = peak(1), peak(4)
    assert.is_true(four <= 4 * one)
    assert.is_true(one < 8 * 2 ^ 20)
  end)
end)

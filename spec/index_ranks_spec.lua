-- recommend: ranks of given pairs, info, check

local mascon = require "mascon"
local oracle = require "spec.recommend_oracle"

local function factors(seed, n, rank, dtype)
  return mascon.random(seed):normal(n, rank, dtype or "f32")
end

local users = mascon.array({ { 1 }, { -1 }, { 0 } }, "f32")
local items = mascon.array({ { 1 }, { 4 }, { 2 }, { 4 }, { 3 } }, "f32")

local function ranks(lists, opts)
  opts = opts or {}
  opts.ranks = oracle.csr(lists, 5, 1)
  local _, _, _, info = mascon.recommend(users, items, 1, opts)
  return info.ranks:totable()
end

describe("ranks of recommend", function()
  it("count from 1, ties by smaller id, whatever n is", function()
    assert.same({ 5, 1, 2, 3, 1, 4, 2, 5 }, ranks { { 1, 2, 4, 5 }, { 1, 2 }, { 2, 5 } })
  end)

  it("are 0 for what a user may not get", function()
    local pairs_ = { { 1, 2, 4 }, {}, { 2, 5 } }
    assert.same({ 4, 0, 1, 2, 5 }, ranks(pairs_, { exclude = oracle.csr({ { 2 }, {}, {} }, 5, 1) }))
    assert.same({ 0, 1, 2, 1, 4 }, ranks(pairs_, { exclude_items = { 1 } }))
    assert.same({ 0, 1, 0, 1, 0 }, ranks(pairs_, { allow = { 2, 3 } }))
    assert.same({ 0, 1, 2, 0, 0 }, ranks(pairs_, { min = 2 }))
  end)

  it("are 0 for users that are not done, and right for one done twice", function()
    local pairs_ = { { 1, 2, 4 }, { 5 }, { 2, 5 } }
    assert.same({ 5, 1, 2, 0, 0, 0 }, ranks(pairs_, { rows = { 1, 1 } }))
    assert.same({ 0, 0, 0, 0, 2, 5 }, ranks(pairs_, { first = 3 }))
  end)

  it("are equal for a pair that is there twice", function()
    assert.same({ 3, 3, 1 }, ranks { { 5, 5, 2 }, {}, {} })
  end)

  it("go into an array that is given", function()
    local given = mascon.full(8, 7, "i64"):sub(1, -1, 2)
    local _, _, _, info = mascon.recommend(users, items, 1, { out = { ids = true, ranks = given },
      ranks = oracle.csr({ { 1, 2, 4 }, { 5 }, {} }, 5, 1) })
    assert.same({ 5, 1, 2, 3 }, given:totable())
    assert.is_true(info.ranks == given)
  end)

  it("are those of brute force for many users, in blocks and parts", function()
    local r = mascon.random(3)
    local many, some = factors(1, 300, 12), factors(2, 700, 12)
    local x = mascon.index(some)
    local test = mascon.csr.from_pairs(r:integers(1, 300, 900), r:integers(1, 700, 900), 300, 700,
                                       { base = 1 })
    local scores = many:copy "f64":matmul(some:copy "f64":t()):copy "f32"
    local want = mascon.zeros(900, "i32")
    for u = 1, 300 do
      for k = test.indptr[u] + 1, test.indptr[u + 1] do
        local s = scores(u, test.indices[k])
        want[k] = scores[u]:gt(s):sum() + 1
      end
    end
    for threads = 1, 3 do
      local _, _, _, info = x:recommend(many, 5, { ranks = test, threads = threads, check = 9 })
      assert.is_true(info.ranks:eq(want):all())
    end
    local two = test:take(mascon.array({ 1, 2 }, "i32"))
    local _, _, _, info = x:recommend(many:rows(1, 2), 5, { ranks = two, threads = 3 })
    assert.is_true(info.ranks:eq(want:sub(1, two.nnz)):all())
  end)

  it("say what is wrong", function()
    local function raises(text, opts)
      local ok, message = pcall(function() mascon.recommend(users, items, 1, opts) end)
      assert.is_false(ok)
      assert.equal("bad argument #4 to 'recommend' (" .. text .. ")",
        (message:gsub("^[^ ]+%.lua:%d+: ", "")):match "bad.*")
    end
    raises("option 'ranks': csr expected, got table", { ranks = {} })
    raises("option 'ranks': csr 3 x 5 expected, got csr 1 x 5",
      { ranks = oracle.csr({ { 1 } }, 5, 1) })
    local one = oracle.csr({ { 1 }, {}, {} }, 5, 1)
    raises("option 'out.ranks': i32 or i64 vector 1 expected, got i32 vector 2",
      { ranks = one, out = { ranks = mascon.zeros(2, "i32") } })
    raises("option 'out.ranks' needs option 'ranks'", { out = { ranks = true } })
    raises("option 'out': an array overlaps an input or another result",
      { ranks = one, out = { ranks = one.indices } })
  end)
end)

describe("info of recommend", function()
  it("says what was done to pairs", function()
    local many, some = factors(4, 200, 16), factors(5, 4000, 16)
    local _, _, _, info = mascon.index(some):recommend(many, 10)
    assert.equal(200 * 4000, info.pairs)
    local blocks = math.floor((4000 + 63) / 64) * 64
    assert.equal(200 * blocks, info.norm + info.int8 + info.float)
    assert.is_true(info.rescored >= 200 * 10 and info.rescored < info.pairs)
    _, _, _, info = mascon.recommend(many:rows(1, 2), some, 10)
    assert.same({ 8000, 0, 0, 0, 8000 }, { info.pairs, info.norm, info.int8, info.float,
      info.rescored })
  end)

  it("says that norms leave items out", function()
    local some = factors(6, 4000, 16)
    some:rows(101, 4000):assign(some:rows(101, 4000) * 0.001)
    local _, _, _, info = mascon.index(some):recommend(factors(7, 100, 16), 5)
    assert.is_true(info.norm > info.pairs * 0.7)
  end)
end)

describe("check of recommend", function()
  it("is content with what is right", function()
    local many, some = factors(8, 90, 6), factors(9, 300, 6)
    local ids = mascon.recommend(many, some, 5, { check = 1000000 })
    assert.is_true(ids:eq((mascon.recommend(many, some, 5))):all())
    mascon.index(some):similar({ 1, 2 }, 5, { check = 2, normalize = true })
  end)

  it("finds a row that is wrong, before a sink gets it", function()
    local many, some = factors(10, 90, 6), factors(11, 300, 6)
    for name, wrong in pairs { ids = 3, scores = 0.25, counts = 2 } do
      local out = { ids = mascon.zeros(90, 5, "i32"), scores = mascon.zeros(90, 5, "f32"),
                    counts = mascon.zeros(90, "i32") }
      local sunk = 0
      local function spoil()
        if name == "counts" then out.counts[41] = wrong
        else out[name]:set(41, 2, wrong) end
      end
      assert.error_matches(function()
        mascon.recommend(many, some, 5, { out = out, check = 90, progress = spoil,
          sink = function() sunk = sunk + 1 end })
      end, "check: row 41 differs from brute force")
      assert.equal(0, sunk)
    end
  end)

  it("finds a rank that is wrong", function()
    local test = oracle.csr({ { 1 }, { 2 }, { 3, 4 } }, 5, 1)
    local to = mascon.zeros(4, "i32")
    assert.error_matches(function()
      mascon.recommend(users, items, 1, { ranks = test, check = 3, out = { ranks = to },
        progress = function() to[4] = 5 end })
    end, "check: row 3 differs")
  end)

  it("is a count", function()
    assert.error_matches(function() mascon.recommend(users, items, 1, { check = -1 }) end,
      "option 'check': integer from 0 up expected, got %-1")
  end)
end)

describe("lists of exclusions in recommend", function()
  it("may be long, sorted or not, repeated", function()
    local r = mascon.random(12)
    local many, some = factors(12, 40, 6), factors(13, 900, 6)
    local scores = many:copy "f64":matmul(some:copy "f64":t()):copy "f32"
    for _, length in ipairs { 0, 1, 9, 100, 600, 1500 } do
      local ids = r:integers(0, 899, 40, length, "i32")
      for _, list in ipairs { ids, ids:sort() } do
        local seen = mascon.csr(mascon.linspace(0, 40 * length, 41):copy "i64",
                                list:reshape(40 * length), 900, { base = 0 })
        for _, never in ipairs { {}, { 1, 2, 3, 500 } } do
          local o = { exclude = seen, exclude_items = never }
          local a, b, c = mascon.recommend(many, some, 12, o)
          local x, y, z = mascon.topn(scores, 12, o)
          assert.same({ x:totable(), y:totable(), z:totable() },
                      { a:totable(), b:totable(), c:totable() })
        end
      end
    end
  end)
end)

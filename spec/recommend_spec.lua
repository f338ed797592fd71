local mascon = require "mascon"
package.path = "spec/?.lua;" .. package.path
local oracle = require "recommend_oracle"
local cases = require "recommend_cases"
local shell = require "shell"

local inf, nan = math.huge, 0 / 0

-- rows of 'counts' results, flat, as a list of lists
local function listed(a, counts)
  local out = {}
  for r = 1, #counts do
    out[r] = {}
    for k = 1, counts[r] do out[r][k] = a(r, k) end
  end
  return out
end

-- lists of ids for plain lists of factors
local function best(users, items, n, opts)
  local ids, _, counts = mascon.recommend(oracle.matrix(users, "f32"),
    oracle.matrix(items, "f32"), n, opts)
  return listed(ids, counts)
end

-- many rows equal to one: for that many users the items are packed
local function times(row, n)
  local out = {}
  for i = 1, n do out[i] = row end
  return out
end

describe("recommend", function()
  it("equals the oracle on random cases", function()
    for seed = 1, 200 do
      math.randomseed(seed)
      local case = cases.random(40)
      assert.is_nil(oracle.try(case, 1 + seed % 3), "seed " .. seed)
    end
  end)

  it("is the same for any number of threads", function()
    math.randomseed(7)
    local case = {utype = "f32", itype = "f32", rank = 12, n = 9, opts = {}}
    for name, count in pairs {users = 100, items = 200} do
      case[name] = {}
      for i = 1, count do
        case[name][i] = {}
        for k = 1, 12 do case[name][i][k] = math.random(-9, 9) + 0.0 end
      end
    end
    assert.is_nil(oracle.try(case, 1, 2, 3, 8))
    for few = 0, 20 do
      while #case.users > few do table.remove(case.users) end
      assert.is_nil(oracle.try(case, 1, 2, 3, 8))
    end
  end)

  it("takes any rank from 1 to 1024", function()
    for _, rank in ipairs {1, 2, 3, 63, 64, 65, 1024} do
      math.randomseed(rank)
      local function rows(n)
        local out = {}
        for i = 1, n do
          out[i] = {}
          for k = 1, rank do out[i][k] = math.random(-5, 5) + 0.0 end
        end
        return out
      end
      local case = {utype = "f32", itype = "f32", rank = rank, n = 5, opts = {},
                    users = rows(rank < 100 and 40 or 33), items = rows(130)}
      assert.is_nil(oracle.try(case, 2))
    end
  end)

  it("ranks equal scores by smaller id", function()
    for _, users in ipairs {1, 40} do
      local items = times({1, 1}, 300)
      for _, n in ipairs {1, 2, 63, 64, 65, 299, 300} do
        local ids = best(times({1, 2}, users), items, n)
        for k = 1, n do assert.equal(k, ids[users][k]) end
      end
    end
  end)

  -- blocks of equal items are skipped where nobody can get one of them
  it("ranks a run of equal items by their ids", function()
    local items, seen = times({1, 2}, 400), {}
    items[8], items[391] = {-1, 2}, {2, 2}
    local users = times({1, 0.5}, 40)
    users[2], users[3] = {-1, -1}, {0, 0}
    for u = 1, 40 do seen[u] = {} end
    for i = 1, 300 do seen[5][i] = i end
    local ids = best(users, items, 4)
    assert.same({391, 1, 2, 3}, ids[1])
    assert.same({8, 1, 2, 3}, ids[2])
    assert.same({1, 2, 3, 4}, ids[3])
    ids = best(users, items, 4, {exclude = oracle.csr(seen, 400, 1)})
    assert.same({391, 1, 2, 3}, ids[1])
    assert.same({391, 301, 302, 303}, ids[5])
    local index = mascon.index(oracle.matrix(items, "f32"))
    assert.same({391, 1, 2, 3}, index:recommend(oracle.matrix(users, "f32"), 4)[40]
      :totable())
  end)

  it("gives all there are when asked for more", function()
    for _, users in ipairs {1, 40} do
      local ids, scores, counts = mascon.recommend(
        oracle.matrix(times({1}, users), "f32"),
        oracle.matrix({{3}, {1}, {2}}, "f32"), 6)
      assert.equal(3, counts[users])
      assert.same({{1, 3, 2}}, {listed(ids, counts)[users]})
      assert.equal(0, ids(users, 4))
      assert.equal(-inf, scores(users, 6))
    end
  end)

  it("knows no items, no users, no rank", function()
    local none = mascon.zeros(0, 4, "f32")
    local some = mascon.zeros(20, 4, "f32")
    local ids, scores, counts = mascon.recommend(some, none, 3)
    assert.same({20, 3}, {ids:shape()})
    assert.equal(0, counts[20])
    assert.equal(-inf, scores(20, 3))
    assert.equal(0, #mascon.recommend(none, some, 3))
    for _, n in ipairs {1, 40} do
      ids = mascon.recommend(mascon.zeros(n, 0, "f32"),
                             mascon.zeros(5, 0, "f32"), 2)
      assert.same({1, 2}, {ids(n, 1), ids(n, 2)})
    end
  end)

  it("scores a zero user 0 everywhere", function()
    for _, normalize in ipairs {false, true} do
      for _, users in ipairs {1, 40} do
        local ids = best(times({0, 0}, users),
          {{1, 2}, {inf, 1}, {nan, 0}, {0, 0}, {-5, 1}}, 5,
          {normalize = normalize})
        assert.same({1, 4, 5}, ids[users])
      end
    end
  end)

  it("lists infinite scores, and never NaN", function()
    for _, users in ipairs {1, 40} do
      local list = times({1, 0}, users)
      list[1] = {inf, 1}
      list[2] = {nan, 1}
      local ids = best(list, {{1, 2}, {inf, 1}, {nan, 0}, {-inf, 0}, {-5, 1},
                              {1, inf}}, 6)
      assert.same({1, 2, 6, 4, 5}, ids[1])
      if users > 1 then
        assert.same({}, ids[2])
        assert.same({2, 1, 5, 4}, ids[3])
      end
    end
  end)

  it("sees every row's filter before it counts", function()
    local users = times({1}, 36)
    local items = {{4}, {3}, {2}, {1}}
    local seen, allowed = {}, {}
    for u = 1, 36 do
      seen[u] = {1 + u % 4, 1 + u % 4}
      allowed[u] = u == 3 and {} or {1, 2, 4}
    end
    seen[5] = {4, 3, 2, 1}
    local ids = best(users, items, 2, {exclude = oracle.csr(seen, 4, 1),
                                       allow = oracle.csr(allowed, 4, 1)})
    assert.same({1, 4}, ids[1])
    assert.same({}, ids[3])
    assert.same({}, ids[5])
    assert.same({1, 2}, ids[10])
    assert.same({1, 2}, ids[18])
    ids = best(users, items, 2, {allow = {}})
    assert.same({}, ids[1])
    ids = best(users, items, 2, {exclude_items = {}})
    assert.same({1, 2}, ids[1])
  end)

  it("does the rows that are asked for, with their filters", function()
    local users, seen = {}, {}
    for u = 1, 40 do
      users[u] = {u % 2 == 0 and 1 or -1}
      seen[u] = {(u - 1) % 3}
    end
    local rows = {39, 0, 1, 1}
    for _ = 1, 40 do rows[#rows + 1] = 4 end
    local ids = best(users, {{1}, {2}, {3}}, 3,
      {base = 0, rows = rows, exclude = oracle.csr(seen, 3, 0)})
    assert.equal(44, #ids)
    assert.same({2, 1}, ids[1])
    assert.same({1, 2}, ids[2])
    assert.same({2, 0}, ids[3])
    assert.same({2, 0}, ids[4])
    assert.same({0, 2}, ids[44])
  end)

  it("hands blocks to a sink, in order", function()
    local users = times({1}, 50)
    local nextrow = 1
    local ids = mascon.recommend(oracle.matrix(users, "f32"),
      oracle.matrix({{1}, {2}}, "f32"), 1, {sink = function(first, last, i, s, c)
        assert.equal(nextrow, first)
        nextrow = last + 1
        assert.same({2, 2, 1}, {i(1, 1), s(last - first + 1, 1), c[1]})
      end})
    assert.is_nil(ids)
    assert.equal(51, nextrow)
  end)

  it("resumes, and leaves the rows before", function()
    local users = oracle.matrix(times({1}, 50), "f32")
    local items = oracle.matrix({{1}, {2}}, "f32")
    local out = {ids = mascon.zeros(50, 1, "i64")}
    mascon.recommend(users, items, 1, {out = out, first = 31})
    assert.same({0, 2, 2}, {out.ids(30, 1), out.ids(31, 1), out.ids(50, 1)})
  end)

  it("reports progress and stops", function()
    local users = oracle.matrix(times({1}, 60), "f32")
    local items = oracle.matrix({{1}, {2}}, "f32")
    local last
    mascon.recommend(users, items, 1, {progress = function(done, total)
      last = {done, total}
    end})
    assert.same({60, 60}, last)
  end)

  it("says what is wrong", function()
    local a = mascon.zeros(4, 3, "f32")
    local function raises(text, ...)
      local ok, message = pcall(function(...)
        local ids = mascon.recommend(...)
        return ids
      end, ...)
      assert.is_false(ok)
      message = message:gsub("^[^ ]+: ", "")
      assert.equal(text, message:sub(1, #text))
    end
    raises("bad argument #1 to 'recommend' (f32 or f64 matrix expected, got i32 " ..
      "vector 3)", mascon.zeros(3, "i32"), a, 1)
    raises("bad argument #2 to 'recommend' (f32 or f64 matrix expected, got table)",
      a, {}, 1)
    raises("bad argument #2 to 'recommend' (matrix of 3 columns, as users expected, " ..
      "got f32 matrix 4 x 2)", a, mascon.zeros(4, 2, "f32"), 1)
    raises("bad argument #3 to 'recommend' (integer from 1 up expected, got 0)", a, a,
      0)
    raises("bad argument #4 to 'recommend' (unknown option 'smallest')", a, a, 1,
      {smallest = true})
    raises("bad argument #4 to 'recommend' (option 'rows': id 5 at position 1 is " ..
      "outside 1 to 4)", a, a, 1, {rows = {5}})
    raises("bad argument #4 to 'recommend' (option 'bias': f32 or f64 vector 4 " ..
      "expected, got f64 vector 3)", a, a, 1, {bias = mascon.zeros(3)})
    assert.same({ { 2 } }, mascon.recommend(mascon.ones(1, 1), mascon.ones(3, 1), 1,
      {bias = {1, 3, 2}}):totable())
    raises("bad argument #4 to 'recommend' (option 'bias': f32 or f64 vector 4 " ..
      "expected, got f64 vector 1)", a, a, 1, {bias = {1}})
    raises("bad argument #4 to 'recommend' (option 'bias': table of numbers expected, got \"x\")",
      a, a, 1, {bias = {1, 2, "x", 4}})
    raises("bad argument #4 to 'recommend' (option 'exclude_self': as many users as " ..
      "items expected, got 4 and 2)", a, mascon.zeros(2, 3, "f32"), 1,
      {exclude_self = true})
    raises("bad argument #4 to 'recommend' (option 'exclude': csr 4 x 4 expected", a, a, 1, {exclude = oracle.csr({{1}}, 4, 1)})
  end)
end)

describe("examples/recommend.lua", function()
  local dir

  local function run(...)
    local words = {shell.mascon, "examples/recommend.lua"}
    for _, word in ipairs {...} do words[#words + 1] = shell.quote(word) end
    return shell.run(table.concat(words, " "))
  end

  local function file(name, array)
    if array then array:save(dir .. name) end
    return dir .. name
  end

  setup(function()
    dir = shell.folder()
    dir = dir .. "/"
    file("users", oracle.matrix({{1}, {-1}, {0}}, "f32"))
    file("items", oracle.matrix({{1}, {2}}, "f32"))
    file("indptr", oracle.vector({0, 1, 1, 3}, "i64"))
    file("indices", oracle.vector({1, 0, 1}, "i32"))
  end)

  teardown(function() shell.remove(dir) end)

  it("writes ids and scores", function()
    local out, err, status = run(file "users", file "items", "-n", "3", "-o",
      file "ids", "--scores=" .. file "scores", "--seen-indptr",
      file "indptr", "--seen-indices", file "indices", "--base", "1",
      "--quiet")
    assert.same({"", "", 0}, {out, err, status})
    local ids = assert(mascon.load(file "ids"))
    local scores = assert(mascon.load(file "scores"))
    assert.same({{1, 0, 0}, {1, 2, 0}, {0, 0, 0}}, ids:totable())
    assert.same({{1, -inf, -inf}, {-1, -2, -inf}, {-inf, -inf, -inf}},
      scores:totable())
  end)

  it("keeps an index, ranks held-out pairs, resumes", function()
    local out, err, status = run(file "users", file "items", "-n", "1", "-o", file "ids",
      "--save-index", file "index", "--test-indptr", file "indptr", "--test-indices",
      file "indices", "--ranks", file "ranks", "--check", "9", "--quiet")
    assert.same({"recall at 10    1.0000\nrecall at 100   1.0000\nrecall at 1000  1.0000\n",
      "", 0}, {out, err, status})
    assert.same({1, 1, 2}, mascon.load(file "ranks"):totable())
    mascon.full(3, 1, 7, "i32"):save(file "ids")
    out, err, status = run(file "users", "--index", file "index", "-n", "1", "-o", file "ids",
      "--resume", "3", "--quiet")
    assert.same({"", "", 0}, {out, err, status})
    assert.same({{7}, {7}, {0}}, mascon.load(file "ids"):totable())
    out, err = run(file "users", "--index", file "items", "-o", file "ids")
    assert.same({"", "recommend.lua: " .. file "items" .. ": is no index\n"}, {out, err})
  end)

  it("explains itself", function()
    local out, _, status = run "--help"
    assert.truthy(out:find("usage: recommend.lua USERS.npy", 1, true))
    assert.equal(0, status)
  end)

  it("says what is wrong", function()
    local function fails(text, ...)
      local _, err, status = run(...)
      assert.equal("recommend.lua: " .. text .. "\n", err)
      assert.equal(text:find "^/" and 1 or 2, status)  -- of a file, of the command line
    end
    local users, items = file "users", file "items"
    fails("two files expected, got 1; see --help", users)
    fails("where to write to is missing: -o FILE", users, items)
    fails("-n needs a value; see --help", users, items, "-n")
    fails("unknown option '--seen'; --help lists them", "--seen")
    fails("-n: an integer from 1 to 2147483648 expected, got 'x'", users, items,
      "-n", "x", "-o", "o")
    fails(file "none" .. ": No such file or directory", file "none", items,
      "-o", "o")
    fails(file "indptr" .. ": a matrix expected, got 1 axes", users,
      file "indptr", "-o", "o")
    fails("--seen-indptr and --seen-indices go together", users, items, "-o",
      "o", "--seen-indptr", file "indptr")
    for _, option in ipairs {"-o", "--scores"} do  -- before anything is read
      fails(("%sno/ids: there is no folder %sno/"):format(dir, dir), file "none",
        items, "-o", file "o", option, dir .. "no/ids")
    end
  end)
end)

describe("recommend on MovieLens", function()
  local data = "../shared/data/ml100k_"
  local f = io.open(data .. "users.npy")
  if not f then
    pending("../shared/data is not here")
    return
  end
  f:close()
  local function load(name) return mascon.load(data .. name .. ".npy") end

  local function same(name, opts)
    local users, items = load "users", load "items"
    local wantids, wantscores = load(name .. "_ids0"), load(name .. "_scores")
    opts.base = 0
    for threads = 1, 2 do
      opts.threads = threads
      local ids, scores = mascon.recommend(users, items, 10, opts)
      for r = 1, #users do
        for k = 1, 10 do
          if ids(r, k) ~= wantids(r, k) or scores(r, k) ~= wantscores(r, k) then
            error(("user %d, place %d"):format(r - 1, k))
          end
        end
      end
    end
  end

  it("gives the ten best", function() same("top10", {}) end)

  it("gives the ten best that are unseen", function()
    same("top10_unseen", {exclude = mascon.csr(load "seen_indptr",
      load "seen_indices", #load "items", {base = 0})})
  end)
end)

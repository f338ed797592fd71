local mascon = require "mascon"
local shell = require "spec.shell"

-- scores of row r, column c: exact in f32, many of them equal
local function value(r, c) return (r * 37 + c * 101) % 97 - 40 end

local function whole(rows, cols, dtype)
  local a = mascon.zeros(rows, cols, dtype or "f64")
  for r = 1, rows do
    for c = 1, cols do a:set(r, c, value(r, c)) end
  end
  return a
end

-- a stream of the same scores, and what its callback saw
local function stream(rows, cols, batch, dtype)
  local seen = {}
  return { rows = rows, cols = cols, batch = batch, dtype = dtype,
    score = function(block, first, last)
      seen[#seen + 1] = { first, last }
      assert.equal(last - first + 1, block.nrows)
      assert.equal(cols, block.ncols)
      assert.equal(dtype or "f64", block.dtype)
      for r = first, last do
        for c = 1, cols do block:set(r - first + 1, c, value(r, c)) end
      end
    end }, seen
end

describe("topn_stream", function()
  it("equals topn of the whole, for any batch", function()
    for _, dtype in ipairs { "f64", "f32" } do
      local ids, scores, counts = mascon.topn(whole(23, 40, dtype), 5,
                                              { min = 10 })
      for _, batch in ipairs { 1, 2, 7, 22, 23, 24 } do
        local s, seen = stream(23, 40, batch, dtype)
        local i, x, c, info = mascon.topn_stream(s, 5, { min = 10, threads = 2 })
        assert.same(ids:totable(), i:totable())
        assert.same(scores:totable(), x:totable())
        assert.same(counts:totable(), c:totable())
        assert.equal(23, info.rows)
        local at = 0
        for _, b in ipairs(seen) do
          assert.equal(at + 1, b[1])
          assert.is_true(b[2] - at == batch or b[2] == 23)
          at = b[2]
        end
        assert.equal(23, at)
      end
    end
  end)

  it("chooses a batch itself", function()
    local s, seen = stream(10, 5)
    mascon.topn_stream(s, 1)
    assert.same({ { 1, 10 } }, seen)
  end)

  it("applies each row's filters", function()
    local a = whole(11, 30)
    local users, items = {}, {}
    for r = 1, 11 do
      for k = 1, r do
        users[#users + 1], items[#items + 1] = r, (r * k) % 30 + 1
      end
    end
    local seen = mascon.csr.from_pairs(mascon.array(users, "i32"),
      mascon.array(items, "i32"), 11, 30, { base = 1 })
    local want = mascon.topn(a, 4, { exclude = seen })
    local got = mascon.topn_stream(stream(11, 30, 3), 4, { exclude = seen })
    assert.same(want:totable(), got:totable())
  end)

  it("keeps one batch in memory", function()
    local before = mascon.memory()
    local most = 0
    local s = stream(1000, 100, 10)
    local score = s.score
    s.score = function(...)
      most = math.max(most, mascon.memory() - before)
      return score(...)
    end
    mascon.topn_stream(s, 1, { out = { ids = true }, threads = 1 })
    assert.is_true(most < 1000 * 4 + 10 * 100 * 8 + 65536)
  end)

  it("serves a sink batch by batch", function()
    local want = mascon.topn(whole(10, 8), 2):totable()
    local ids, firsts = {}, {}
    mascon.topn_stream(stream(10, 8, 4), 2, { sink = function(first, last, i)
      firsts[#firsts + 1] = first
      for k = first, last do ids[k] = i[k - first + 1]:totable() end
    end })
    assert.same({ 1, 5, 9 }, firsts)
    assert.same(want, ids)
  end)

  it("resumes", function()
    local ids = mascon.zeros(10, 2, "i32")
    local s, seen = stream(10, 8, 4)
    mascon.topn_stream(s, 2, { out = { ids = ids }, first = 6 })
    assert.same({ { 6, 9 }, { 10, 10 } }, seen)
    assert.equal(0, ids(5, 1))
    local want = mascon.topn(whole(10, 8), 2)
    for r = 6, 10 do assert.equal(want(r, 1), ids(r, 1)) end
  end)

  it("passes on an error of the callback, rows before being final", function()
    local ids = mascon.zeros(10, 2, "i32")
    local s = stream(10, 8, 4)
    local score = s.score
    s.score = function(block, first, last)
      if first > 4 then error "model is gone" end
      return score(block, first, last)
    end
    assert.error_matches(function()
      mascon.topn_stream(s, 2, { out = { ids = ids } })
    end, "model is gone")
    local want = mascon.topn(whole(10, 8), 2)
    assert.same(want[4]:totable(), ids[4]:totable())
    assert.same({ 0, 0 }, ids[5]:totable())
  end)

  it("stops where the callback or progress returns false", function()
    local s = stream(10, 8, 4)
    local score = s.score
    s.score = function(block, first, last)
      if first > 4 then return false end
      score(block, first, last)
    end
    assert.error_matches(function() mascon.topn_stream(s, 2) end,
                         "interrupted %(done 4 of 10%)")
  end)

  it("reports progress across batches, and to the end", function()
    local s, last, calls = stream(60, 4, 1), 0, 0
    local score = s.score
    s.score = function(...)
      local t = mascon.clock() + 0.01
      while mascon.clock() < t do end
      return score(...)
    end
    mascon.topn_stream(s, 1, { progress = function(done, total)
      assert.is_true(done >= last)
      assert.equal(60, total)
      last, calls = done, calls + 1
    end })
    assert.equal(60, last)
    assert.is_true(calls > 1)  -- 0.6 s at ten a second, on a busy machine
  end)

  it("closes the block when the callback returns", function()
    local kept
    local s = stream(3, 2, 1)
    s.score = function(block) kept = kept or block end
    mascon.topn_stream(s, 1)
    assert.error_matches(function() return kept[1] end, "closed")
  end)

  it("takes nothing", function()
    local ids, _, counts = mascon.topn_stream(stream(0, 5), 2)
    assert.equal(0, ids.nrows)
    assert.equal(0, #counts)
    ids = mascon.topn_stream(stream(2, 0), 1)
    assert.same({ { 0 }, { 0 } }, ids:totable())
  end)

  it("refuses what it does not understand", function()
    local function refuses(what, s, ...)
      local args = table.pack(s, ...)
      assert.error_matches(function()
        mascon.topn_stream(table.unpack(args, 1, args.n))
      end, what)
    end
    refuses("#1 to '.-topn_stream' %(table of rows, cols, score expected, got 3%)", 3)
    refuses("option 'rows': integer from 0 up expected, got nil", {})
    refuses("option 'score': function expected, got nil", { rows = 1, cols = 1 }, 1)
    refuses("unknown option 'columns'", { rows = 1, columns = 1 }, 1)
    refuses("option 'dtype': \"f64\" or \"f32\" expected, got \"i32\"",
            { rows = 1, cols = 1, dtype = "i32" }, 1)
    refuses("option 'batch': integer from 1 up expected, got 0",
            { rows = 1, cols = 1, batch = 0 }, 1)
    refuses("integer from 1 up expected", stream(1, 1), 0)
    refuses("integer from 1 up expected, got nil", (stream(1, 1)))
  end)
end)

describe("as many rows as can be said", function()
  local rows = math.maxinteger or 2 ^ 53
  local items = mascon.ones(4, 2)
  local calls = {
    topn_stream = function(opts, f)
      return mascon.topn_stream({ rows = rows, cols = 4, score = f }, 2, opts)
    end,
    recommend = function(opts, f)
      return mascon.recommend({ rows = rows, users = f }, items, 2, opts)
    end,
  }
  for name, call in pairs(calls) do
    it("are no trouble to " .. name, function()
      local seen
      local function score(block, first, last)
        seen = last - first + 1
        return block:fill(1) and first < 1
      end
      assert.error_matches(function() call({ sink = print }, score) end, "interrupted %(done 0 of")
      assert.is_true(seen > 1000)
      assert.error_matches(function() call({ sink = print, first = rows }, score) end, "interrupted")
      assert.equal(1, seen)
      assert.error_matches(function() call({ sink = print, first = 0 }, score) end,
        "option 'first': integer from 1 .-expected, got 0")
    end)
  end
end)

describe("topn_stream in C", function()
  it("has a block scored by each thread, or all by the calling one", function()
    assert.same({ "all right\n", "", 0 }, { shell.run("timeout 300 " .. shell.build .. "/spec/stream") })
  end)
end)

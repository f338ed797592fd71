-- What callbacks may do to the kernel that calls them: close its arrays, drop
-- them, raise, yield, run kernels, end the program.
local mascon = require "mascon"
local shell = require "spec.shell"

local function factors(n, rank)
  return mascon.random(n):normal(n, rank, "f32")
end

-- every array that a call uses, and the call with a callback in it
local calls = {
  matmul = function(f)
    local a, b = mascon.ones(2000, 700), mascon.ones(700, 600)
    local out = mascon.zeros(2000, 600)
    return { a, b, out }, function() a:matmul(b, out, { progress = f }) end
  end,
  topn = function(f)
    local m, ids = mascon.ones(50, 100), mascon.zeros(50, 3, "i32")
    local ptr, all = mascon.zeros(51, "i64"), mascon.zeros(0, "i32")
    local seen = mascon.csr(ptr, all, 100, { base = 0 })
    local no, out = mascon.array({ 3, 4 }, "i32"), { ids = ids, scores = true }
    return { m, ids, ptr, all, no }, function()
      mascon.topn(m, 3, { exclude = seen, exclude_items = no, out = out,
                          sink = f, progress = f })
    end
  end,
  topn_stream = function(f)
    local ids, allowed = mascon.zeros(9, 2, "i64"), mascon.array({ 1, 5 }, "i64")
    return { ids, allowed }, function()
      mascon.topn_stream({ rows = 9, cols = 5, batch = 2, score = f }, 2,
                         { out = { ids = ids }, allow = allowed })
    end
  end,
  recommend = function(f)
    local users, items = factors(300, 8), factors(500, 8)
    local bias, rows = mascon.zeros(500), mascon.array({ 5, 6, 7 }, "i32")
    local counts = mascon.zeros(3, "i32")
    return { users, items, bias, rows, counts }, function()
      mascon.recommend(users, items, 4, { bias = bias, rows = rows, sink = f,
        out = { counts = counts }, progress = f })
    end
  end,
  index = function(f)
    local users, items = factors(300, 8), factors(500, 8)
    local ids, ranks = mascon.zeros(300, 4, "i32"), mascon.zeros(2, "i32")
    local ptr, all = mascon.zeros(301, "i64"), mascon.array({ 0, 3 }, "i32")
    ptr:sub(2, -1):fill(2)
    local test = mascon.csr(ptr, all, 500, { base = 0 })
    return { users, ids, ranks, ptr, all }, function()
      mascon.index(items):recommend(users, 4, { ranks = test, sink = f, check = 3,
        out = { ids = ids, ranks = ranks }, progress = f })
    end
  end,
  ["users of recommend"] = function(f)
    local items, ids = factors(90, 8), mascon.zeros(9, 2, "i32")
    return { items, ids }, function()
      mascon.recommend({ rows = 9, batch = 4, users = f }, items, 2, { out = { ids = ids } })
    end
  end,
  render = function(f)
    local x, y, s = mascon.ones(3000), mascon.ones(3000), mascon.ones(3000)
    local out, columns = mascon.zeros(64, 64), nil
    columns = { x = x, y = y, sx = s, sy = s }
    return { x, y, s, out }, function()
      mascon.render(columns, { out = out, progress = function(...)
        columns.x = nil
        return f(...)
      end })
    end
  end,
  gauss = function(f)
    local out = mascon.zeros(300, 300)
    return { out }, function() mascon.gauss(out, 1, 1, 5, 5, { progress = f }) end
  end,
  add = function(f)
    local a, b, out = mascon.ones(30, 30), mascon.ones(30, 30), mascon.zeros(30, 30)
    return { a, b, out }, function() a:add(b, out, { progress = f }) end
  end,
  sum = function(f)
    local a, out = mascon.ones(30, 30), mascon.zeros(30)
    return { a, out }, function() a:sum(1, out, { progress = f }) end
  end,
  sort = function(f)
    local a, out = mascon.ones(30, 30), mascon.zeros(30, 30)
    return { a, out }, function() a:sort(1, out, { progress = f }) end
  end,
  median = function(f)
    local a, out = mascon.ones(30, 30), mascon.zeros(30)
    return { a, out }, function() a:median(1, out, { progress = f }) end
  end,
  save = function(f)
    local a = mascon.ones(30, 30)
    return { a }, function()
      local name = os.tmpname()
      a:save(name, { progress = f })
      os.remove(name)
    end
  end,
}

for name, make in pairs(calls) do
  describe("a callback of " .. name, function()
    it("cannot close or freeze the arrays in use, which it can afterwards", function()
      local arrays, run, called
      arrays, run = make(function()
        called = true
        for i, a in ipairs(arrays) do
          local ok, message = pcall(a.close, a)
          assert(not ok, i)
          assert.matches("array is in use", message)
          debug.getmetatable(a).__gc(a)  -- nor by force
          ok, message = pcall(a.freeze, a)
          assert(not ok, i)
          assert.matches("array is in use", message)
        end
        collectgarbage()
      end)
      run()
      assert.is_true(called)
      for _, a in ipairs(arrays) do
        assert.is_true(a:freeze().readonly)
        a:close()
        assert.error_matches(function() return #a end, "closed")
      end
    end)

    it("may raise and yield not, and closing works after that too", function()
      for _, f in ipairs { function() error "enough" end, coroutine.yield } do
        local arrays, run = make(f)
        local ok, message = coroutine.wrap(pcall)(run)
        assert.is_false(ok)
        assert.is_truthy(message:find "enough" or message:find "yield")
        for _, a in ipairs(arrays) do a:close() end
      end
    end)

    it("may run the same function", function()
      local depth, most, run = 0, 0, nil
      local function f()
        if depth == 3 then return end
        depth = depth + 1
        most = math.max(most, depth)
        local arrays, inner = make(f)
        inner()
        for _, a in ipairs(arrays) do a:close() end
        depth = depth - 1
      end
      run = select(2, make(f))
      run()
      assert.equal(3, most)
    end)
  end)
end

describe("callbacks", function()
  it("that end the program leave no thread in freed memory", function()
    local path = shell.file [[
      local mascon = require "mascon"
      local a = mascon.ones(3000, 800)
      a:matmul(mascon.ones(800, 2000), nil,
               { threads = 2, progress = function() os.exit(7, true) end })]]
    local p = assert(io.popen(("%s %s 2>&1; echo $?"):format(shell.mascon, path)))
    assert.equal("7\n", p:read "a")
    p:close()
    os.remove(path)
  end)

  it("keep parts of a block for as long as they want", function()
    local kept = {}
    mascon.topn_stream({ rows = 6, cols = 4, batch = 2,
      score = function(block, first)
        block:fill(first)
        kept[#kept + 1] = block:rows(1, 1)
      end }, 2)
    collectgarbage()
    for k, first in ipairs { 1, 3, 5 } do assert.equal(first, kept[k](1, 4)) end
  end)

  it("keep parts of results, or freeze them, and they do not change", function()
    local users, items = factors(60, 8), factors(80, 8)
    local want, scores = mascon.recommend(users, items, 3)
    local kept, frozen = {}, {}
    mascon.recommend({ rows = 60, batch = 7, users = function(block, first, last)
      block:assign(users:rows(first, last))
      frozen[#frozen + 1] = block:rows(1, 1):freeze()
    end }, items, 3, { sink = function(first, _, ids, s)
      kept[#kept + 1] = { first, ids:row(1), mascon.share(s), s:freeze() }
    end })
    assert.equal(9, #kept)
    for k, t in ipairs(kept) do
      assert.is_true(want:row(t[1]):eq(t[2]):all())
      assert.is_true(scores:row(t[1]):eq(mascon.attach(t[3]):row(1)):all())
      assert.is_true(users:row(t[1]):eq(frozen[k]:row(1)):all())
    end
  end)

  it("cannot freeze what is yet to be written, by no view of it", function()
    local users, items = factors(60, 8), factors(80, 8)
    local ids, scores = mascon.zeros(60, 3, "i32"), mascon.zeros(60, 3, "f32")
    local views, told = { ids:rows(1, 1), scores:t() }, 0
    local function try()
      for _, view in ipairs(views) do
        local ok, message = pcall(view.freeze, view)
        assert.is_false(ok)
        assert.matches("array is in use by a call that writes it", message)
        told = told + 1
      end
    end
    local run = function(f)
      mascon.recommend({ rows = 60, batch = 7, users = function(block, first, last)
        block:assign(users:rows(first, last))
        f()
      end }, items, 3, { out = { ids = ids, scores = scores } })
    end
    run(try)
    assert.equal(18, told)
    assert.is_false(pcall(run, function() error "enough" end))
    assert.is_true(ids:eq((mascon.recommend(users, items, 3))):all())
    for _, view in ipairs(views) do view:freeze() end
    assert.is_true(ids.readonly and scores.readonly)
  end)

  it("that look at rows one by one leave memory flat", function()
    collectgarbage()
    local before, most = mascon.memory(), 0
    mascon.topn_stream({ rows = 4000, cols = 20000, batch = 20, score = function(block)
      for i = 1, #block do block:row(i):fill(i) end
      most = math.max(most, (mascon.memory()))
    end }, 2)
    assert.is_true(most - before < 80e6, most - before)
  end)
end)

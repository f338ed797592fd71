-- index: items packed once; that it gives what recommend gives is also part of
-- the random cases of recommend_spec.lua

local mascon = require "mascon"
local shell = require "spec.shell"
local oracle = require "spec.recommend_oracle"
local cases = require "spec.recommend_cases"

local function same(a, b)
  assert.same(a:totable(), b:totable())
end

local function factors(seed, n, rank, dtype)
  return mascon.random(seed):integers(-4, 4, n, rank):copy(dtype or "f32")
end

describe("index", function()
  local path

  before_each(function() path = os.tmpname() end)
  after_each(function() os.remove(path) end)

  it("says what it is", function()
    local x = mascon.index(factors(1, 70, 3))
    assert.equal("index of 70 items, rank 3, f32", tostring(x))
    assert.same({ 70, 70, 3, "f32", false, false }, { #x, x.nitems, x.rank, x.dtype,
      x.normalize, x.bias })
    assert.is_true(x.bytes >= 70 * 3 * 9)
    x = mascon.index(factors(1, 70, 3, "f64"), { normalize = true, bias = mascon.zeros(70) })
    assert.equal("index of 70 items, rank 3, f64, normalized, with bias", tostring(x))
    assert.same({ "f64", true, true }, { x.dtype, x.normalize, x.bias })
    assert.error_matches(function() return x.size end, "index has no field or method 'size'")
  end)

  it("gives what recommend gives, for one user and many", function()
    for _, dtype in ipairs { "f32", "f64" } do
      local items, users = factors(2, 300, 7, dtype), factors(3, 100, 7)
      local x = mascon.index(items)
      for _, n in ipairs { 1, 2, 13, 100 } do
        for threads = 1, 3 do
          local o = { threads = threads }
          local ids, scores, counts = mascon.recommend(users:rows(1, n), items, 9, o)
          local i, s, c, info = x:recommend(users:rows(1, n), 9, o)
          same(ids, i)
          same(scores, s)
          same(counts, c)
          assert.equal(n, info.rows)
        end
      end
    end
  end)

  it("equals the oracle in every way", function()
    for seed = 1001, 1120 do
      math.randomseed(seed)
      local case = cases.random(30)
      local ways = { "index", "stream", "indexstream", "other", "file" }
      case.way = ways[seed % #ways + 1]
      assert.is_nil(oracle.try(case, 1 + seed % 3), "seed " .. seed)
    end
  end)

  it("packs again for another normalize or bias, or where few items pass", function()
    local items, users, bias = factors(4, 200, 5), factors(5, 60, 5), factors(6, 200, 1):col(1)
    local x = mascon.index(items, { normalize = true, bias = bias })
    local few = mascon.range(150):copy "i32"
    for _, o in ipairs { {}, { exclude_items = few }, { allow = { 3, 4, 5 } } } do
      local ids, scores = x:recommend(users, 6, o)
      o.normalize, o.bias = true, bias
      local i, s = mascon.recommend(users, items, 6, o)
      same(i, ids)
      same(s, scores)
      o.normalize = false
      same(mascon.recommend(users, items, 6, o), x:recommend(users, 6, o))
      o.bias = mascon.zeros(200, "f32")
      same(mascon.recommend(users, items, 6, o), x:recommend(users, 6, o))
    end
  end)

  it("is similar by product or cosine, without the item itself", function()
    local items = mascon.array({ 1, 0, 2, 0, 3, 1, 0, 1, -1, 0 }, 5, 2):copy "f32"
    local x = mascon.index(items)
    local ids, scores, counts = x:similar({ 1, 4 }, 3)
    same(mascon.array { { 3, 2, 4 }, { 3, 1, 2 } }, ids)
    same(mascon.array { { 3, 2, 0 }, { 1, 0, 0 } }, scores)
    same(mascon.array { 3, 3 }, counts)
    ids = x:similar(1, 4, { normalize = true })
    same(mascon.array { { 2, 3, 4, 5 } }, ids)
    ids = x:similar(mascon.array({ 0 }, "i32"), 4, { normalize = true, base = 0 })
    same(mascon.array { { 1, 2, 3, 4 } }, ids)
    ids = mascon.array({ 0, 1, 2, 3, 4 }, "i32")
    ids, scores, counts = x:similar(ids, 9, { base = 0, exclude_items = { 2 } })
    assert.same({ 3, 3, 4, 3, 3 }, counts:totable())
    assert.same({ -1, -math.huge }, { ids(1, 4), scores(1, 4) })
    ids = mascon.index(items, { bias = mascon.array { 0, 0, 0, 100, 0 } }):similar(1, 1)
    assert.equal(3, ids(1, 1))
    ids = mascon.index(items):similar(1, 1, { bias = mascon.array { 0, 0, 0, 100, 0 } })
    assert.equal(4, ids(1, 1))
  end)

  it("is similar for many items as recommend is", function()
    local items = factors(7, 130, 6)
    local ids, scores = mascon.recommend(items, items, 5, { exclude_self = true })
    local i, s = mascon.index(items):similar(mascon.range(130):copy "i64", 5)
    same(ids, i)
    same(scores, s)
  end)

  it("is saved whole, read and mapped", function()
    local users = factors(8, 40, 5)
    for _, dtype in ipairs { "f32", "f64" } do
      for _, made in ipairs { {}, { normalize = true }, { bias = mascon.range(150) },
                              { normalize = true, bias = factors(9, 150, 1):col(1) } } do
        local x = mascon.index(factors(10, 150, 5, dtype), made)
        local ids, scores = x:recommend(users, 8)
        x:save(path)
        for _, map in ipairs { true, false } do
          for _, check in ipairs { true, false } do
            local y = assert(mascon.index.load(path, { map = map, check = check }))
            assert.equal(tostring(x), tostring(y))
            assert.equal(x.bytes, y.bytes)
            local i, s = y:recommend(users, 8)
            same(ids, i)
            same(scores, s)
            same(x:similar({ 5, 6 }, 3), y:similar({ 5, 6 }, 3))
            y:close()
          end
        end
      end
    end
  end)

  it("keeps a mapped file that is replaced", function()
    local x = mascon.index(factors(11, 100, 4))
    x:save(path)
    local y = assert(mascon.index.load(path, { map = true }))
    mascon.index(factors(12, 90, 4)):save(path)
    local users = factors(13, 3, 4)
    same(x:recommend(users, 5), y:recommend(users, 5))
    assert.equal(90, #assert(mascon.index.load(path)))
  end)

  it("is its bytes, which states share", function()
    local items, users = factors(21, 90, 4), factors(22, 40, 4)
    local x = mascon.index(items)
    local bytes = x:image()
    assert.same({ x.bytes, "u8", true }, { #bytes, bytes.dtype, bytes.readonly })
    local want = x:recommend(users, 5)
    x:close()
    collectgarbage()
    local y = assert(mascon.index.wrap(mascon.attach(mascon.share(bytes))))
    bytes:close()
    collectgarbage()
    same(want, y:recommend(users, 5))
    bytes = y:image():copy()
    bytes:save(path)
    local z = assert(mascon.index.wrap(assert(mascon.load(path, { map = true }))))
    same(want, z:recommend(users, 5))
    assert.error_matches(function() mascon.index.wrap(bytes) end,
      "#1 to .- %(read%-only bytes expected, that nobody changes: bytes:freeze%(%)%)")
    assert.error_matches(function() mascon.index.wrap(bytes:sub(1, -1, 2)) end,
      "bytes side by side expected, got a view of stride 2")
    assert.error_matches(function() mascon.index.wrap(mascon.ones(3)) end,
      "read%-only u8 vector expected, got f64 vector 3")
    bytes[100] = bytes[100] == 0 and 1 or 0
    local no, message = mascon.index.wrap(bytes:freeze())
    assert.is_nil(no)
    assert.matches("^is damaged", message)
    no, message = mascon.index.wrap(bytes:sub(1, 640))
    assert.is_nil(no)
    assert.equal("is cut off", message)
    no, message = mascon.index.wrap(bytes:sub(2, -1))
    assert.is_nil(no)
    assert.equal("does not begin at a multiple of 64 bytes: copy it", message)
  end)

  it("knows no items, no rank, no users", function()
    for _, shape in ipairs { { 0, 4 }, { 5, 0 }, { 0, 0 } } do
      local x = mascon.index(mascon.zeros(shape[1], shape[2], "f32"))
      x:save(path)
      local y = assert(mascon.index.load(path, { map = true }))
      for _, z in ipairs { x, y } do
        for _, n in ipairs { 0, 1, 40 } do
          local ids, _, counts = z:recommend(mascon.zeros(n, shape[2], "f32"), 2)
          assert.equal(n, #ids)
          if n > 0 then assert.equal(math.min(2, shape[1]), counts[n]) end
        end
        assert.equal(0, #z:similar({}, 3))
      end
    end
  end)

  it("holds NaN, infinities and huge numbers", function()
    local inf, nan = math.huge, 0 / 0
    local items = mascon.array({ { 1, 2 }, { inf, 1 }, { nan, 0 }, { -inf, 0 }, { -5, 1 },
                                 { 1, inf }, { 1e30, 1e-30 } }, "f32")
    mascon.index(items):save(path)
    local x = assert(mascon.index.load(path))
    for _, n in ipairs { 1, 40 } do
      local users = mascon.full(n, 2, 1, "f32")
      same(mascon.recommend(users, items, 7), x:recommend(users, 7))
    end
  end)

  it("is used by a callback's call after it was closed there", function()
    local x = mascon.index(factors(14, 100, 4))
    local rows = 0
    x:recommend(factors(15, 90, 4), 3, { sink = function(first, last)
      x:close()
      collectgarbage()
      rows = rows + last - first + 1
    end })
    assert.equal(90, rows)
    assert.equal("closed index", tostring(x))
    x:close()
    for _, f in ipairs { function() return #x end, function() x:save(path) end,
        function() x:recommend(factors(1, 1, 4), 1) end, function() x:similar(1, 1) end,
        function() return x.rank end } do
      assert.error_matches(f, "index is closed")
    end
    local _, message = pcall(function() return x.rank end)
    assert.matches(": index is closed$", message)
  end)

  it("tells of its making, which a callback may stop", function()
    local items, last, total = factors(51, 300, 4), nil, nil
    mascon.index(items, { progress = function(done, of) last, total = done, of end })
    assert.same({ 5, 5 }, { last, total })
    local ok, message = pcall(mascon.index, mascon.random(1):normal(60000, 200, "f32"),
      { threads = 1, progress = function(done, of) return done == of end })
    assert.is_true(ok or message:find "interrupted %(done %d+ of 938%)" ~= nil, message)
  end)

  it("gives its memory back", function()
    local items = factors(16, 500, 8)
    collectgarbage()
    local before = mascon.memory()
    local x = mascon.index(items)
    assert.is_true(mascon.memory() - before >= x.bytes)
    x:close()
    assert.is_true(mascon.memory() - before < 1000)
    mascon.index(items):recommend(factors(17, 2, 8), 3)
    collectgarbage()
    collectgarbage()
    assert.is_true(mascon.memory() - before < 1000)
  end)

  it("survives a failing allocation, wherever it comes", function()
    local items, users = factors(18, 90, 4), factors(19, 40, 4)
    local bias, ends = mascon.zeros(90), mascon.full(41, 2, "i64")
    ends[1] = 0
    local test = mascon.csr(ends, mascon.array({ 3, 5 }, "i32"), 90, { base = 0 })
    mascon.index(items):save(path)
    local function calls()
      local x = mascon.index(items, { normalize = true, bias = mascon.zeros(90) })
      x:recommend(users, 3)
      x:similar(1, 2)
      x:recommend({ rows = 40, users = function(b, first, last)
        b:assign(users:rows(first, last))
      end }, 3, { ranks = test, check = 2, bias = bias })
      local y, message = mascon.index.load(path)
      return y or error(message)
    end
    local failed = 0
    for n = 0, 200 do
      mascon.memory(n)
      local ok, message = pcall(calls)
      mascon.memory(-1)
      if ok then break end
      failed = failed + 1
      assert.matches("not enough memory", message)
    end
    assert.is_true(failed > 20)
    calls()
  end)

  it("says what is wrong", function()
    local x = mascon.index(factors(20, 4, 3))
    local function raises(text, f, ...)
      local ok, message = pcall(f, ...)
      assert.is_false(ok)
      message = message:gsub("^[^ ]+%.lua:%d+: ", "")
      assert.equal(text, message)
    end
    raises("bad argument #1 to 'index' (f32 or f64 matrix expected, got i32 vector 3)",
      function() mascon.index(mascon.zeros(3, "i32")) end)
    raises("bad argument #2 to 'index' (unknown option 'cosine')",
      function() mascon.index(factors(1, 2, 2), { cosine = true }) end)
    raises("bad argument #2 to 'index' (option 'bias': f32 or f64 vector 2 expected, got " ..
      "f64 vector 3)", function() mascon.index(factors(1, 2, 2), { bias = mascon.zeros(3) }) end)
    raises("bad argument #1 to 'recommend' (matrix of 3 columns, as items expected, got f32 " ..
      "matrix 2 x 2)", function() x:recommend(factors(1, 2, 2), 1) end)
    raises("bad argument #2 to 'recommend' (integer from 1 up expected, got 0)",
      function() x:recommend(factors(1, 2, 3), 0) end)
    raises("bad argument #3 to 'recommend' (unknown option 'smallest')",
      function() x:recommend(factors(1, 2, 3), 1, { smallest = true }) end)
    raises("bad argument #1 to 'similar' (id 5 at position 2 is outside 1 to 4)",
      function() x:similar({ 1, 5 }, 1) end)
    raises("bad argument #1 to 'similar' (id 9007199254740992 at position 1 is outside 1 to 4)",
      function() x:similar(2 ^ 53, 1) end)
    raises("bad argument #1 to 'similar' (table of integers expected, got 1.5)",
      function() x:similar({ 1.5 }, 1) end)
    for value, got in pairs { [1.5] = "1.5", ["1"] = '"1"', [mascon.ones(2)] = "f64 vector 2" } do
      raises("bad argument #1 to 'similar' (id, or i32 or i64 vector, or table, of ids " ..
        "expected, got " .. got .. ")", function() x:similar(value, 1) end)
    end
    raises("bad argument #3 to 'similar' (unknown option 'rows')",
      function() x:similar({ 1 }, 1, { rows = { 1 } }) end)
    raises("bad argument #1 to 'recommend' (option 'rows': integer from 0 up expected, got nil)",
      function() x:recommend({ users = print }, 1) end)
    raises("bad argument #1 to 'recommend' (option 'users': function expected, got nil)",
      function() x:recommend({ rows = 3 }, 1) end)
    raises("bad argument #1 to 'recommend' (unknown option 'score')",
      function() x:recommend({ rows = 3, score = print }, 1) end)
    raises("/no/where: No such file or directory", function() x:save "/no/where" end)
    local y, message = mascon.index.load "/no/where"
    assert.same({ nil, "/no/where: No such file or directory" }, { y, message })
  end)
end)

describe("users that a function makes", function()
  local items = factors(30, 200, 5)
  local users = factors(31, 100, 5)

  it("come in batches, in order, and are closed after", function()
    local kept, seen = nil, {}
    local ids = mascon.recommend({ rows = 100, batch = 30, users = function(b, first, last)
      seen[#seen + 1] = { first, last, #b, b.ncols, b.dtype }
      b:assign(users:rows(first, last))
      kept = b
    end }, items, 4)
    same(mascon.recommend(users, items, 4), ids)
    assert.same({ { 1, 30, 30, 5, "f32" }, { 31, 60, 30, 5, "f32" }, { 61, 90, 30, 5, "f32" },
                  { 91, 100, 10, 5, "f32" } }, seen)
    assert.error_matches(function() return #kept end, "closed")
  end)

  it("are f64 if said, and then the scores are", function()
    local _, scores = mascon.recommend({ rows = 3, dtype = "f64", users = function(b, first, last)
      assert.equal("f64", b.dtype)
      b:assign(users:rows(first, last))
    end }, items, 4)
    assert.equal("f64", scores.dtype)
  end)

  it("stop, raise and go on where they stopped", function()
    local out = { ids = mascon.zeros(100, 4, "i32") }
    local till = 60
    local source = { rows = 100, batch = 20, users = function(b, first, last)
      if first > till then return false end
      b:assign(users:rows(first, last))
    end }
    local ok, message = pcall(mascon.recommend, source, items, 4, { out = out })
    assert.is_false(ok)
    assert.matches("interrupted %(done 60 of 100%)", message)
    till = 100
    mascon.recommend(source, items, 4, { out = out, first = 61 })
    same(mascon.recommend(users, items, 4), out.ids)
    source.users = function() error "no users today" end
    assert.error_matches(function() mascon.index(items):recommend(source, 4) end,
      "no users today")
  end)

  it("go from a mapped file to mapped files", function()
    local names = { os.tmpname(), os.tmpname() }
    users:save(names[1])
    local from = assert(mascon.load(names[1], { map = true }))
    local to = mascon.create(names[2], 100, 4, "i32")
    local done = {}
    mascon.index(items):recommend(from, 4, { out = { ids = to },
      sink = function(first, last, ids)
        done[#done + 1] = last - first + 1
        same(to:rows(first, last), ids)
      end })
    to:close()
    same(mascon.recommend(users, items, 4), assert(mascon.load(names[2])))
    for _, name in ipairs(names) do os.remove(name) end
  end)
end)

describe("a damaged file of an index", function()
  it("is refused, and never read beyond", function()
    local path = os.tmpname()
    mascon.index(factors(40, 3, 2), { bias = mascon.zeros(3) }):save(path)
    local text = shell.read(path)
    local users = factors(41, 2, 2)
    local function try(bytes, opts)
      local f = assert(io.open(path, "wb"))
      f:write(bytes)
      f:close()
      local x, message = mascon.index.load(path, opts)
      if x then
        x:recommend(users, 5)
        x:similar({}, 1)
        x:close()
      end
      return x, message
    end
    assert.is_truthy(try(text))
    for _, map in ipairs { true, false } do
      for at = 0, #text - 1, map and 1 or 7 do
        local x, message = try(text:sub(1, at), { map = map })
        assert.is_nil(x)
        assert.matches("is no index$", message:gsub("is cut off", "is no index"))
      end
      for at = 1, #text, map and 1 or 5 do
        local bit = 2 ^ (at % 8)
        local byte = (text:byte(at) + bit) % 256
        local broken = text:sub(1, at - 1) .. string.char(math.floor(byte)) .. text:sub(at + 1)
        assert.is_nil((try(broken, { map = map })), at)
        try(broken, { map = map, check = false })
      end
    end
    local x, message = try(text .. "\0")
    assert.same({ nil, path .. ": is longer than its index" }, { x, message })
    x, message = try(text:sub(1, 8) .. "\2" .. text:sub(10))
    assert.same({ nil, path .. ": is an index of another version of mascon" }, { x, message })
    x, message = try(text:sub(1, 12) .. text:sub(13, 16):reverse() .. text:sub(17))
    assert.same({ nil, path .. ": was made on a machine with another order of bytes" },
      { x, message })
    os.remove(path)
  end)

  it("does no harm where what it says of its blocks is anything", function()
    local path, users = os.tmpname(), factors(42, 100, 5)
    mascon.index(factors(43, 700, 5)):save(path)
    local text = shell.read(path)
    for _, value in ipairs { -1, 0, 1e38, -1e38, math.huge, -math.huge, 0 / 0 } do
      local a = mascon.array({ value }, "f32")
      a:save(path)
      local four = shell.read(path):sub(-4)
      for field = 0, 3 do  -- of each of 11 blocks, behind a head of 168 bytes
        local broken = text:sub(1, 192)
        for b = 0, 10 do
          local at = 192 + b * 16
          local block = text:sub(at + 1, at + 16)
          broken = broken .. block:sub(1, field * 4) .. four .. block:sub(field * 4 + 5)
        end
        local f = assert(io.open(path, "wb"))
        f:write(broken, text:sub(192 + 11 * 16 + 1))
        f:close()
        local x = assert(mascon.index.load(path, { check = false }))
        for _, n in ipairs { 1, 13, 15, 33, 100 } do
          local ids = x:recommend(users:rows(1, n), 5, { exclude_items = { 3 } })
          assert.is_true(ids:ge(0):land(ids:le(700)):all())
        end
        x:close()
      end
    end
    os.remove(path)
  end)
end)

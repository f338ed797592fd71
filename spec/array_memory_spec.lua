local mascon = require "mascon"

-- bytes that mascon holds at most while f runs, looked at by f itself
local function peak(f)
  collectgarbage()
  local before, most = mascon.memory(), 0
  f(function() most = math.max(most, mascon.memory() - before) end)
  return most
end

describe("the collector", function()
  local slack = 32 * 2 ^ 20

  it("keeps a loop of temporaries flat", function()
    assert.is_true(peak(function(look)
      for _ = 1, 10000 do
        local t = mascon.empty(10000)
        t[1] = 1
        look()
      end
    end) < 2 * slack)
  end)

  it("does not grow with handles of one buffer", function()
    local b, keep = mascon.zeros(125000), {}
    local token = mascon.share(b, 500)
    for i = 1, 500 do keep[i] = mascon.attach(token) end
    assert.is_true(peak(function(look)
      for _ = 1, 300 do
        mascon.zeros(125000)
        look()
      end
    end) < 70e6)
    assert.equal(500, #keep)
  end)

  it("keeps a loop of large temporaries flat beside what lives", function()
    local live = mascon.zeros(10 * 2 ^ 20, "u8")
    assert.is_true(peak(function(look)
      for _ = 1, 100 do
        local _ = mascon.empty(30 * 2 ^ 20, "u8")
        look()
      end
    end) < 2 * (slack + live.size))
  end)

  it("feels small arrays", function()
    assert.is_true(peak(function(look)
      for i = 1, 200000 do
        local _ = mascon.empty(1)
        if i % 100 == 0 then look() end
      end
    end) < 2 * slack)
  end)

  it("feels views, which have no elements of their own", function()
    local m = mascon.zeros(10, 10)
    for _, mode in ipairs { "incremental", "generational" } do
      if pcall(collectgarbage, mode) then  -- not all Luas have both
        collectgarbage()
        local before, most = collectgarbage "count", 0
        for i = 1, 100000 do
          local _ = m:row(1 + i % 10)
          if i % 100 == 0 then most = math.max(most, collectgarbage "count") end
        end
        assert.is_true(most - before < 2 * math.max(before, 1024), most .. " " .. before)
      end
    end
    pcall(collectgarbage, "incremental")
  end)

  it("is not fooled by views, or by what was large before", function()
    local big = mascon.empty(100 * 2 ^ 20, "u8")
    for i = 1, 1000 do
      local v = big:sub(i, -i)
      v:close()
    end
    big:close()
    assert.is_true(peak(function(look)
      for _ = 1, 200 do
        local _ = mascon.empty(10 * 2 ^ 20, "u8"):sub(2, -2)
        look()
      end
    end) < 2 * slack)
  end)

  it("is asked for memory before an error is raised", function()
    local a = mascon.empty(1)
    a = nil
    local held, blocks = mascon.memory()
    mascon.memory(0)  -- even after a collection there is none
    local ok, why = pcall(mascon.zeros, 10)
    mascon.memory(-1)
    assert.is_false(ok)
    assert.match("not enough memory", why)
    assert.is_nil(a)
    assert.is_true(select(2, mascon.memory()) <= blocks)
    assert.is_true(mascon.memory() <= held)
  end)

  it("frees once, however often an array is closed", function()
    collectgarbage()
    local held, blocks = mascon.memory()
    for i = 1, 20000 do
      local a = mascon.zeros(3)
      a:close()
      if i % 3 == 0 then a:close() end
      a = nil
      if i % 5000 == 0 then collectgarbage() end
    end
    collectgarbage()
    assert.same({ held, blocks }, { (mascon.memory()), (select(2, mascon.memory())) })
  end)

  it("finds arrays that coroutines left behind", function()
    collectgarbage()
    local _, blocks = mascon.memory()
    for _ = 1, 100 do
      local co = coroutine.wrap(function()
        local a = mascon.zeros(10)
        coroutine.yield(a:sub(1, 2))
      end)
      co()
    end
    collectgarbage()
    collectgarbage()
    assert.equal(blocks, (select(2, mascon.memory())))
  end)
end)

-- address space is what 'ulimit -v' bounds; a sanitizer needs all of it
it("an allocation that the system refuses collects, and tries again", function()
  local shell = require "spec.shell"
  if shell.sanitizer then return pending "a sanitizer needs the whole address space" end
  local script = shell.file [[
    local mascon = require "mascon"
    local MiB = 2 ^ 20
    local live = mascon.zeros(150 * MiB, "u8")  -- as much garbage is not collected
    for _ = 1, 20 do mascon.empty(49 * MiB, "u8") end
    print(pcall(mascon.empty, 1000 * MiB, "u8"))
    print(live.size / MiB)
  ]]
  local size = shell.run(("%s -e 'require \"mascon\" for l in io.lines \"/proc/self/status\" " ..
    "do local n = l:match \"VmPeak:%%s+(%%d+)\" if n then print(n) end end'"):format(shell.mascon))
  local out, err, code = shell.run(("ulimit -v %d; %s %s"):format(
    math.floor(tonumber(size)) + 270 * 1024, shell.mascon, script))
  os.remove(script)
  assert.same({ "", 0 }, { err, code })
  assert.match("^false\t[^\n]*not enough memory: 1048576000 bytes asked for\n150", out)
end)

-- every operation, with all allocations but the first n failing
describe("a failing allocation", function()
  local m = mascon.range(200 * 300, "i32"):reshape(200, 300)
  local v = mascon.range(5000)
  local ids = mascon.range(200, 1, -1, "i32")
  local mask = mascon.ones(200, 300, "u8")
  local data = { { 1, 2 }, { 3, 4 } }

  local actions = {
    zeros = function() return mascon.zeros(10) end,
    ones = function() return mascon.ones(10) end,
    full = function() return mascon.full(10, 2) end,
    empty = function() return mascon.empty(10) end,
    eye = function() return mascon.eye(10) end,
    range = function() return mascon.range(10000) end,
    linspace = function() return mascon.linspace(0, 1, 10000) end,
    array = function() return mascon.array(data) end,
    shaped = function() return mascon.array(data, 4) end,
    copy = function() return m:copy() end,
    convert = function() return m:t():copy "f32" end,
    cast = function() return m:cast("u8", "clip") end,
    view = function() return m[2], m:row(1), m:t(), m:block(1, 2, 3, 4), m:reshape(-1) end,
    index = function() return m(1, 2), v[3], m:totable() end,
    fill = function() return m:copy():fill(3) end,
    assign = function() m[2] = { table.unpack(m[1]:totable()) } end,
    overlap = function() v:sub(2, -1):assign(v:sub(1, -2)) end,
    take = function() return m:take(ids) end,
    taketable = function() return m:take({ 1, 2, 3 }, 2) end,
    takemask = function() return m:take(mask) end,
    taketurned = function() return m:t():take(mask:t()) end,
    nonzero = function() return m:nonzero() end,
    concat = function() return mascon.concat(1, m, m:copy "f64") end,
    stack = function() return mascon.stack(m, m) end,
    print = function() return tostring(m) end,
  }

  after_each(function() mascon.memory(-1) end)

  for name, action in pairs(actions) do
    it("in " .. name .. " is a clear error and loses nothing", function()
      action()
      collectgarbage()
      local before = v:totable()
      local held, blocks = mascon.memory()
      local worked = false
      for n = 0, 40 do
        mascon.memory(n)
        local ok, why = pcall(action)
        mascon.memory(-1)
        if not ok then
          assert.match("not enough memory", why)
          if name == "overlap" then assert.same(before, v:totable()) end
        end
        why = nil
        collectgarbage()
        local held2, blocks2 = mascon.memory()
        assert.same({ held, blocks }, { held2, blocks2 })
        assert.equal(6, mascon.array({ 1, 2, 3 }):copy():fill(6)[3])  -- all is well
        collectgarbage()
        if ok then
          worked = true
          break
        end
      end
      assert.is_true(worked)
    end)
  end
end)


describe("what a running call works on", function()
  -- its callbacks come at most 10 times a second: one call that takes longer
  local function inuse(...)
    local arrays = { ... }
    return function()
      for _, a in ipairs(arrays) do
        assert.has_error(function() a:close() end, "calling 'close' on bad "
          .. "self (array is in use by the call that runs this)")
      end
    end
  end

  it("cannot be closed by its progress function", function()
    local a, out = mascon.ones(100000), mascon.zeros(100000)
    mascon.sqrt(a, out, { progress = inuse(a, out) })
    assert.equal(1, out[100000])
    a:close()
    out:close()
  end)

  it("cannot be closed by a sink or a score function", function()
    local m = mascon.zeros(30, 40)
    local ids = mascon.zeros(30, 2, "i32")
    mascon.topn(m, 2, { out = { ids = ids }, sink = inuse(m, ids) })
    local indptr, indices = mascon.zeros(31, "i32"), mascon.zeros(0, "i32")
    local none = mascon.csr(indptr, indices, 40, { base = 0 })
    mascon.topn_stream({ rows = 30, cols = 40, score = function(block)
      block:fill(1)
      inuse(ids, indptr, indices)()
      mascon.zeros(1):close()
    end }, 2, { out = { ids = ids }, exclude = none })
    assert.same({ 1, 2 }, ids[30]:totable())
    indptr:close()
  end)

  it("lives when a finalizer closes it meanwhile", function()
    local function doomed()  -- its owner is garbage
      local a = mascon.full(50, 50, 7)
      setmetatable({}, { __gc = function() a:close() end })
      return a
    end
    for _ = 1, 100 do
      assert.equal(7, doomed():totable()[50][50])
      local ok, v = pcall(function() return doomed():block(1, 2, 1, 2) end)
      assert.equal(ok and 7 or "array is closed", ok and v(2, 2)
        or v:match "array is closed")
    end
  end)

  it("is written a row of a table while a finalizer closes it", function()
    for _ = 1, 300 do
      local a = mascon.zeros(50, 50)
      setmetatable({}, { __gc = function() a:close() end })
      local row = {}
      for k = 1, 50 do row[k] = k end
      local ok, message = pcall(function() a[50] = row end)
      assert.is_true(ok or message:find "array is closed" ~= nil, message)
    end
  end)

  it("is held when a column leaves its table", function()
    local spots = { x = mascon.ones(1000), y = 1, sx = 1, sy = 1 }
    local image = mascon.render(spots, { shape = { 3, 3 }, progress = function()
      spots.x = nil
      collectgarbage()
    end })
    assert.is_true(image:sum() > 0)
  end)
end)

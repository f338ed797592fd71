local mascon = require "mascon"

local shell = require "spec.shell"

local function kept()
  return (select(5, mascon.memory()))
end

describe("freed blocks", function()
  local keeps = kept() > 0  -- not where a memory checker is to see their ends
  do
    mascon.memory { trim = true }
    mascon.empty(10000):close()
    keeps = kept() > 0
  end

  before_each(function() mascon.memory { trim = true } end)

  it("are kept, and used again by what is as large", function()
    if not keeps then return pending "nothing is kept under a memory checker" end
    local a = mascon.full(10000, 7)
    local addr = a:addr()
    a:close()
    local n = kept()
    assert.is_true(n >= 80000 and n < 100000, n)
    local b = mascon.empty(9990)
    assert.equal(addr, b:addr())
    assert.equal(0, kept())
    b:close()
    assert.equal(n, kept())
  end)

  it("are zeroed where zeros are asked for", function()
    for _, n in ipairs { 1000, 1024, 5000, 100000, 2 ^ 20 } do
      for _ = 1, 3 do
        local a = mascon.zeros(n)
        assert.equal(0, a:max())
        assert.equal(0, a:min())
        a:fill(3):close()
      end
    end
  end)

  it("are no more than 64 MiB, whatever comes", function()
    mascon.memory { trim = true }
    -- what other threads keep of small blocks, and what this one may
    local small = kept() + 2 * 2 ^ 20
    local live = mascon.memory()
    for i = 1, 400 do
      local arrays = {}
      for k = 1, 1 + i % 7 do arrays[k] = mascon.empty(1000 + i * i * 13 % 4000000) end
      for _, a in ipairs(arrays) do a:close() end
      assert.is_true(kept() <= 64 * 2 ^ 20 + small)
    end
    collectgarbage()
    assert.is_true(mascon.memory() <= live)
  end)

  it("are not kept where they are very large or of a size between", function()
    mascon.empty(100):close()
    mascon.empty(5000000):close()
    assert.equal(0, kept())
  end)

  it("of small arrays are kept by their thread, 2 MiB at most", function()
    if not keeps then return pending "nothing is kept under a memory checker" end
    local arrays = {}
    for i = 1, 30000 do arrays[i] = mascon.full(1 + i % 30, 7) end
    for i = 1, 30000 do arrays[i]:close() end
    assert.is_true(kept() > 1e6 and kept() <= 2 * 2 ^ 20)
    for n = 1, 30 do assert.equal(0, mascon.zeros(n):max()) end
  end)

  it("are given back when asked for", function()
    mascon.empty(100000):close()
    assert.equal(0, (select(5, mascon.memory { trim = true })))
    assert.has_error(function() mascon.memory { trm = true } end,
      "bad argument #1 to 'memory' (unknown option 'trm')")
    assert.has_error(function() mascon.memory { trim = 1 } end,
      "bad argument #1 to 'memory' (option 'trim': boolean expected, got 1)")
  end)

  it("leave a peak behind", function()
    local a = mascon.empty(2000000)
    local peak = select(4, mascon.memory())
    assert.is_true(peak >= 16e6)
    a:close()
    assert.equal(peak, (select(4, mascon.memory())))
  end)
end)

describe("a limit on memory", function()
  local held

  before_each(function()
    collectgarbage()
    held = mascon.memory { trim = true }
  end)

  after_each(function() mascon.memory { limit = false } end)

  it("is an error that names what is asked for, held, and the limit", function()
    local limit = held + 100000
    assert.equal(limit, (select(7, mascon.memory { limit = limit })))
    local a = mascon.zeros(10000)
    local ok, why = pcall(mascon.zeros, 10000)
    assert.is_false(ok)
    assert.match("not enough memory: 80000 bytes asked for, %d+ held, the limit is " ..
      limit, why)
    mascon.zeros(1000):close()
    a:close()
    mascon.zeros(10000):close()
  end)

  it("collects garbage before it is an error", function()
    mascon.memory { limit = held + 1000000 }
    for _ = 1, 100 do mascon.zeros(100000) end
    assert.is_true(mascon.memory() <= held + 1000000)
  end)

  it("leaves a stopped collector stopped", function()
    collectgarbage "stop"
    mascon.memory { limit = held + 1000000 }
    for _ = 1, 3 do mascon.zeros(100000) end
    local count, text = collectgarbage "count", nil
    for i = 1, 10000 do text = ("%d, which nobody reads any more"):format(i) end
    assert.is_true(collectgarbage "count" >= count + 100, text)
    collectgarbage "restart"
  end)

  it("holds for what is worked with, too", function()
    local m = mascon.random(1):uniform(1000, 200)
    mascon.memory { limit = (mascon.memory()) }
    assert.error_matches(function() m:argsort(1) end, "not enough memory.* limit is %d+$")
    mascon.memory { limit = false }
    m:argsort(1)
  end)

  it("counts what is kept for reuse, which makes way", function()
    mascon.empty(1000000):close()
    mascon.memory { limit = held + 2000000 }
    local a = mascon.empty(200000)
    assert.is_true(mascon.memory() + kept() <= held + 2000000)
    a:close()
  end)

  it("is what images ask before they are drawn", function()
    mascon.memory { limit = held + 1e9 }
    assert.is_true(mascon.info().memory_limit <= held + 1e9)
  end)

  it("is a number or false", function()
    assert.has_error(function() mascon.memory { limit = "x" } end, "bad argument #1 to "
      .. "'memory' (option 'limit': integer from 0 up or false expected, got \"x\")")
    assert.has_error(function() mascon.memory { limit = true } end, "bad argument #1 to "
      .. "'memory' (option 'limit': integer from 0 up or false expected, got boolean)")
    assert.error_matches(function() mascon.memory { limit = -1 } end, "option 'limit': ")
    assert.is_nil((select(7, mascon.memory())))
  end)
end)

describe("handles", function()
  local function handles()
    return (select(6, mascon.memory()))
  end

  it("are counted until they are closed or collected", function()
    collectgarbage()
    collectgarbage()
    local n = handles()
    local a = mascon.zeros(3, 3)
    local b = a[2]
    assert.equal(n + 2, handles())
    a:close()
    a:close()
    assert.equal(n + 1, handles())
    assert.equal(0, b[1])
    b = nil
    collectgarbage()
    collectgarbage()
    assert.equal(n, handles())
    assert.is_nil(b)
  end)
end)

it("memory of a host, limits, and what threads and forks share, are as promised in C", function()
  local out, err, code = shell.run(("timeout 100 %s/spec/memory"):format(shell.build))
  assert.same({ "ok\n", "", 0 }, { out, err, code })
end)

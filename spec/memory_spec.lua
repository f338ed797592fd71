local mascon = require "mascon"

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
    local live = mascon.memory()
    for i = 1, 400 do
      local arrays = {}
      for k = 1, 1 + i % 7 do arrays[k] = mascon.empty(1000 + i * i * 13 % 4000000) end
      for _, a in ipairs(arrays) do a:close() end
      assert.is_true(kept() <= 64 * 2 ^ 20)
    end
    collectgarbage()
    assert.is_true(mascon.memory() <= live)
  end)

  it("are not kept where they are small or very large", function()
    mascon.empty(10):close()
    mascon.empty(5000000):close()
    assert.equal(0, kept())
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

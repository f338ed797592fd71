-- arguments that are named when they are refused: read-only outputs, options

local mascon = require "mascon"

describe("a table of options", function()
  it("is refused where none are taken", function()
    local a, r, o = mascon.ones(4), mascon.random(1), { threads = 2 }
    for message, f in pairs {
      ["bad argument #2 to 'uniform'"] = function() r:uniform(a, o) end,
      ["bad argument #2 to 'normal'"] = function() r:normal(4, o) end,
      ["bad argument #4 to 'integers'"] = function() r:integers(1, 6, 5, o) end,
      ["bad argument #2 to 'permutation'"] = function() r:permutation(4, o) end,
      ["bad argument #2 to 'copy'"] = function() a:copy("f32", o) end,
      ["bad argument #3 to 'cast'"] = function() a:cast("i32", "round", o) end,
      ["bad argument #2 to 'fill'"] = function() a:fill(1, o) end,
      ["bad argument #2 to 'assign'"] = function() a:assign({ 1, 2, 3, 4 }, o) end,
      ["bad argument #3 to 'take'"] = function() a:take({ 1 }, 1, o) end,
    } do assert.has_error(f, message .. " (no options are taken here)") end
    for _, name in ipairs { "totable", "nonzero" } do
      for _, extra in ipairs { {}, 1, "f32", true } do
        assert.error_matches(function() a[name](a, extra) end,
          "bad argument #%d+ to .* %(no argument is taken here%)")
      end
      assert.is_truthy(a[name](a, nil))
    end
    assert.equal(0, r.position)
  end)
end)

describe("a read-only output", function()
  it("is refused by name", function()
    local path = os.tmpname()
    mascon.ones(4, 4):save(path)
    local ro = assert(mascon.load(path, { map = true }))
    finally(function()
      ro:close()
      os.remove(path)
    end)
    local a, r = mascon.zeros(4, 4), mascon.random(1)
    for message, f in pairs {
      ["bad argument #3 to 'add'"] = function() mascon.add(a, 1, ro) end,
      ["bad argument #2 to 'exp'"] = function() mascon.exp(a, ro) end,
      ["bad argument #4 to 'where'"] = function()
        mascon.where(mascon.ones(4, 4, "u8"), a, 1, ro)
      end,
      ["bad argument #3 to 'sum'"] = function() mascon.sum(a, 1, ro:row(1)) end,
      ["bad argument #3 to 'cumsum'"] = function() mascon.cumsum(a, 1, ro) end,
      ["bad argument #3 to 'sort'"] = function() mascon.sort(a, 1, ro) end,
      ["bad argument #3 to 'median'"] = function() mascon.median(a, 1, ro:row(1)) end,
      ["bad argument #3 to 'matmul'"] = function() mascon.matmul(a, a, ro) end,
      ["bad argument #1 to 'gauss'"] = function() mascon.gauss(ro, 1, 1, 1, 1) end,
      ["bad argument #1 to 'uniform'"] = function() r:uniform(ro) end,
      ["calling 'fill' on bad self"] = function() ro:fill(1) end,
      ["calling 'assign' on bad self"] = function() ro:assign(1) end,
    } do
      assert.has_error(f, message .. " (array is read-only)")
    end
    assert.equal(16.0, ro:sum())
  end)
end)

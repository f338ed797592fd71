-- examples/kernel.c: a kernel of one's own, built as its comment says

local mascon = require "mascon"
local shell = require "spec.shell"

describe("examples/kernel.c", function()
  local dir, kernel, cpath
  setup(function()
    cpath = package.cpath
    dir = shell.folder()
    local cc = os.getenv "MASCON_CC" or "cc -std=c11 -D_DEFAULT_SOURCE -fPIC"
    local flags = (os.getenv "MASCON_LUAFLAGS" or "-I/usr/include/lua5.4"):gsub("%-l%S+", "")
    assert.same({ "", "", 0 }, { shell.run(("%s -Werror %s -Iinclude -shared examples/kernel.c -lm -o %s/kernel.so")
      :format(cc, flags, dir)) })
    package.cpath = dir .. "/?.so;" .. cpath
    kernel = require "kernel"
  end)
  teardown(function()
    package.cpath, package.loaded.kernel = cpath, nil
    shell.remove(dir)
  end)

  local points = mascon.random(1):uniform(5000, 3)
  local centres = points:rows(101, 130)

  it("finds the nearest", function()
    local ids, far = kernel.nearest(points, centres)
    for i = 1, #points, 99 do
      local best, id = 1 / 0, nil
      for j = 1, #centres do
        local d = 0
        for k = 1, 3 do d = d + (points(i, k) - centres(j, k)) ^ 2 end
        if d < best then best, id = d, j end
      end
      assert.same({ id, math.sqrt(best) }, { ids[i], far[i] })
    end
    for j = 1, 30 do assert.same({ j, 0 }, { ids[100 + j], far[100 + j] }) end
  end)

  it("writes into what is there, on any number of threads", function()
    local ids, far = kernel.nearest(points, centres, nil, nil, { threads = 1 })
    local ids2, far2 = mascon.zeros(5000, "i32"), mascon.zeros(5000)
    for _, threads in ipairs { 2, 3, 8 } do
      kernel.nearest(points, centres, ids2:fill(0), far2:fill(0), { threads = threads })
      assert.equal(1, ids:eq(ids2):min())
      assert.equal(1, far:eq(far2):min())
    end
  end)

  it("is there in the workers of mascon.parallel, which require it", function()
    local nearest = kernel
    local ids, far = nearest.nearest(points, centres)
    local ids2, far2 = mascon.zeros(5000, "i32"), mascon.zeros(5000)
    mascon.parallel({ n = 5000, threads = 3 }, function(first, last, some, all, i, f)
      nearest.nearest(some:rows(first, last), all, i:sub(first, last), f:sub(first, last))
    end, points, centres, ids2, far2)
    assert.equal(1, ids:eq(ids2):min())
    assert.equal(1, far:eq(far2):min())
    assert.error_matches(function()
      mascon.parallel(10, function(_, _, some) nearest.nearest(some, some:t()) end, points)
    end, "f64 matrix m x 3 expected, got f64 matrix 3 x 5000")
  end)

  it("says what is wrong", function()
    assert.error_matches(function() kernel.nearest(points, centres:cols(1, 2)) end,
      "bad argument #2 to 'nearest' %(f64 matrix m x 3 expected, got f64 matrix 30 x 2%)")
    local odd = points:copy()
    odd:set(4000, 2, 0 / 0)
    assert.error_matches(function() kernel.nearest(odd, centres) end,
      "nearest: a coordinate is not a number$")
  end)
end)

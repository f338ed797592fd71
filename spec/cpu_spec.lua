local mascon = require "mascon"

local function lines(command)
  local p = assert(io.popen(command))
  local text = p:read "a"
  p:close()
  return text
end

describe("the kernel table", function()
  local build = os.getenv "MASCON_PLAIN" or "build"
  local levels = { base = 0, avx2 = 1, avx512 = 2, avx512vnni = 3, amx = 4 }

  it("is the one that MASCON_CPU asks for", function()
    local cpu = mascon.info().cpu
    assert.is_number(levels[cpu])
    local cap = levels[os.getenv "MASCON_CPU"]
    if cap then assert.is_true(levels[cpu] <= cap) end
    local flags = lines "cat /proc/cpuinfo"
    if not flags:find "avx2" or not flags:find "avx512_vnni" then
      return pending "this CPU has not every instruction set"
    end
    local want = os.getenv "MASCON_CPU" or "amx"
    -- the system may refuse the tiles of a CPU that has them
    if want == "amx" then assert.is_true(levels[cpu] >= 3)
    else assert.equal(want, cpu) end
  end)

  -- a compiler that ignores the target pragma says nothing
  it("is compiled for what it is named after", function()
    local function count(unit, register)
      return tonumber(lines(("objdump -d %s/obj/kern/k%s.o | grep -c %%%s")
        :format(build, unit, register)))
    end
    if lines "uname -m" ~= "x86_64\n" then return pending "not x86-64" end
    assert.equal(0, count("base", "ymm"))
    assert.is_true(count("avx2", "ymm") > 0)
    assert.equal(0, count("avx2", "zmm"))
    assert.is_true(count("avx512", "zmm") > 0)
    assert.is_true(count("avx512vnni", "zmm") > 0)
  end)
end)

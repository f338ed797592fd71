-- the plain library for another processor gives the same bits

local shell = require "spec.shell"

local cross, emulator = "aarch64-linux-gnu-gcc", "qemu-aarch64"

describe("the plain library on aarch64", function()
  it("gives the bits that it gives here", function()
    if not shell.has(cross) or not shell.has(emulator) then
      return pending(("no %s, or no %s"):format(cross, emulator))
    end
    if shell.sanitizer or os.getenv "MASCON_CPU" or os.getenv "MASCON_GC" then
      return pending "once is enough"
    end
    local dir = shell.folder()
    finally(function() shell.remove(dir) end)
    local function built(command)
      local out, err, code = shell.run(command)
      assert.same({ "", 0 }, { out, code }, err)
    end
    built(("%s -Iinclude spec/bits.c %s/libmascon.a %s -o %s/here"):format(
      os.getenv "MASCON_CC" or "cc", shell.build,
      os.getenv "MASCON_LIBS" or "-lm -lpthread -fopenmp", dir))
    built(cross .. " -O1 -static -Iinclude -Isrc/core -Isrc/kern -Isrc/ops -Isrc/io " ..
      "src/core/*.c src/kern/*.c src/ops/*.c src/io/file.c src/io/npy*.c src/io/csv*.c " ..
      "src/io/number.c spec/bits.c -lm -lpthread -o " .. dir .. "/there")
    local here, there = shell.run(dir .. "/here"), shell.run(emulator .. " " .. dir .. "/there")
    assert.is_true(select(2, here:gsub("\n", "")) > 15, here)
    assert.equal(here, there)
  end)
end)

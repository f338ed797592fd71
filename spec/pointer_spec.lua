-- examples/bench_pointer.lua runs; what it measures is not judged

local shell = require "spec.shell"

describe("examples/bench_pointer.lua", function()
  it("measures every door", function()
    if shell.sanitizer then return pending "a plain Lua cannot load a sanitized module" end
    local out, err, code = shell.run(("env -u MAKEFLAGS -u MAKELEVEL MASCON_FAST=1 make -s " ..
      "LUA=%s B=%s run-bench-pointer"):format(shell.lua, shell.build))
    assert.same({ "", 0 }, { err, code })
    for _, row in ipairs { "empty C call", "door 1: mascon_toarray", "luaL_checkudata", "v%[i%]",
      "new 2 x 2", jit and "door 4: FFI, cast" or "m%(i, j%)" } do
      assert.matches("\n" .. row .. "[^\n]* %-?[%d.]+", out)
    end
  end)
end)

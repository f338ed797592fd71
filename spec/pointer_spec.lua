-- examples/bench_pointer.lua and examples/bench/states.lua run; what they measure is not judged

local shell = require "spec.shell"

local function measure(goal)
  local out, err, code = shell.run(("env -u MAKEFLAGS -u MAKELEVEL MASCON_FAST=1 make -s " ..
    "LUA=%s B=%s %s"):format(shell.lua, shell.build, goal))
  assert.same({ "", 0 }, { err, code })
  return out
end

describe("examples/bench_pointer.lua", function()
  it("measures every door", function()
    if shell.sanitizer then return pending "a plain Lua cannot load a sanitized module" end
    local out = measure "run-bench-pointer"
    for _, row in ipairs { "empty C call", "door 1: mascon_toarray", "luaL_checkudata", "v%[i%]",
      "new 2 x 2", jit and "door 4: FFI, cast" or "m%(i, j%)" } do
      assert.matches("\n" .. row .. "[^\n]* %-?[%d.]+", out)
    end
  end)
end)

describe("examples/bench/states.lua", function()
  it("measures two states beside one", function()
    if shell.sanitizer then return pending "a plain Lua cannot load a sanitized module" end
    local out = measure "run-bench-states"
    for _, row in ipairs { "FMA loop", "light calls", "m:row%(i%)", "new 2 x 2", "topn, serial" } do
      assert.matches("\n" .. row .. " +[%d.]+ +[%d.]+ +[%d.]+", out)
    end
  end)
end)

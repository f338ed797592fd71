-- the C examples, built against this tree, static and shared

local shell = require "spec.shell"

local function env(name, default)
  local value = os.getenv(name)
  return value and value ~= "" and value or default
end

local cc = env("MASCON_CC", "gcc -std=c11 -Wall -Wextra -Wpedantic")
local lua = env("MASCON_LUAFLAGS", "-I/usr/include/lua5.4 -llua5.4")
local libs = env("MASCON_LIBS", "-lm -lpthread -fopenmp")

-- compile and run; what it wrote
local function run(source, library, static)
  local program = os.tmpname()
  local build = shell.build
  local link = static and ("%s/lib%s.a"):format(build, library)
    or ("-L%s -l%s -Wl,-rpath,$PWD/%s"):format(build, library, build)
  local out, err, code = shell.run(("%s -Iinclude %s -o %s %s %s %s"):format(
    cc, source, program, link, lua, libs))
  assert.same({ "", "", 0 }, { out, err, code })
  out, err, code = shell.run(program)
  os.remove(program)
  assert.same({ "", 0 }, { err, code })
  return out
end

local function both(source, library, expected)
  for _, static in ipairs { true, false } do
    assert.matches(expected, run(source, library, static))
  end
end

-- Lua with its base library only; 'mascon' in a local
local sandbox = [[
#include <stdio.h>
#include <lualib.h>
#include <mascon_lua.h>

int main (void) {
  lua_State *L = luaL_newstate();
  lua_pushcfunction(L, luaopen_base);
  lua_pushliteral(L, "");
  lua_call(L, 1, 0);
  luaopen_mascon(L);
  lua_setglobal(L, "mascon");
  if (luaL_dostring(L,
      "assert(require == nil and package == nil and string == nil)\n"
      "local m = mascon.zeros(100, 100)\n"
      "m:matmul(m, nil, {progress = true})\n"
      "print(mascon.ones(2)[1] == 1)\n"))
    printf("%s\n", lua_tostring(L, -1));
  lua_close(L);
  return 0;
}
]]

describe("a C host", function()
  it("draws into its own memory and finds the best", function()
    both("examples/host.c", "mascon", "sum 1%.000000000000\n.-all right\n$")
  end)

  it("gives its memory to a script", function()
    both("examples/host_lua.c", "mascon_lua",
      "^f64\t4\t6\nrow 1: the best are columns 6 and 5\n.-all right\n$")
  end)

  it("shares a matrix between the states of eight threads", function()
    both("examples/host_threads.c", "mascon_lua", "^8 threads: all right\n$")
  end)

  it("lets scripts of strangers do what they may", function()
    if shell.sanitizer == "tsan" then return pending "it lets no signal into a loop" end
    both("examples/host_sandbox.c", "mascon_lua", "\nall right\n$")
  end)

  it("opens mascon in a state that has nothing but the base library", function()
    local source = shell.file(sandbox)
    os.rename(source, source .. ".c")
    finally(function() os.remove(source .. ".c") end)
    assert.equal("true\n", run(source .. ".c", "mascon_lua", true))
  end)
end)

-- the door for an FFI: declarations, the library's path, addresses

local mascon = require "mascon"
local shell = require "spec.shell"

describe("the declarations for an FFI", function()
  it("name functions and fields of mascon.h", function()
    local header = shell.read "include/mascon.h":gsub("%s+", " ")
    local count = 0
    for name, args in mascon.cdef:gmatch "(mascon_[%w_]+) (%b())" do
      local real = header:match(name .. " (%b())")
      assert.is_truthy(real, name)
      assert.equal(select(2, real:gsub(",", "")), select(2, args:gsub(",", "")), name)
      count = count + 1
    end
    assert.is_true(count > 15)
    for struct in mascon.cdef:gmatch "typedef struct (%b{}) mascon_" do
      for name in struct:gmatch "([%w_]+)%[?%d?%]?;" do
        assert.is_truthy(header:find("[ *]" .. name .. "[;%[]") or name == "bits"
          or name == "lanes" or name == "code", name)
      end
    end
  end)

  it("may be declared twice, and see what is there", function()
    if not jit then return pending "for LuaJIT" end
    local ffi = require "ffi"
    ffi.cdef(mascon.cdef)
    ffi.cdef(mascon.cdef)
    local a = mascon.zeros(3, 4, "u16"):t()
    a:set(4, 3, 7)
    local s = ffi.cast("mascon_array *", a)
    assert.equal(0x4e43534d, s.magic)
    assert.is_true(ffi.sizeof "mascon_array" <= s.size)
    assert.same({ 2, 4, 3, 1, 4 }, { s.ndim, tonumber(s.shape[0]), tonumber(s.shape[1]),
      tonumber(s.stride[0]), tonumber(s.stride[1]) })
    assert.same({ 1, 16, 1 }, { s.dtype.code, s.dtype.bits, s.dtype.lanes })
    assert.equal(7, ffi.cast("uint16_t *", s.data)[3 + 2 * 4])
    assert.equal(tonumber(ffi.cast("intptr_t", s.data)), a:addr())
    a:close()
    assert.equal(0, s.magic)
  end)

  it("go with the path of what is loaded", function()
    if mascon.libpath == nil then return end  -- in the program itself
    assert.is_true(shell.exists(mascon.libpath))
    assert.is_truthy(mascon.libpath:find "mascon")
  end)
end)

describe("examples/ffi.lua", function()
  local expected = "332833500 332833500\n4\t1\t4\n27%.?0?\n21%.?0?\nall right\n$"

  it("runs where there is an FFI", function()
    local lua, build = shell.lua, shell.build
    if not jit then
      lua, build = "luajit", "build/luajit"
      if not shell.has(lua) or not shell.exists(build .. "/lib/mascon/core.so") then
        return pending "no LuaJIT, or no build for it"
      end
    end
    local path = ("LUA_PATH='%s' LUA_CPATH='%s/lib/?.so' "):format(
      "lua/?.lua;lua/?/init.lua", build)
    local programs = { lua }
    if shell.exists(build .. "/mascon") then programs[2] = build .. "/mascon" end
    for _, program in ipairs(programs) do
      local out, err, code = shell.run(path .. program .. " examples/ffi.lua")
      assert.same({ "", 0 }, { err, code })
      assert.matches(expected, out)
    end
  end)

  it("says so where there is none", function()
    if jit then return end
    local _, err, code = shell.run(shell.mascon .. " examples/ffi.lua")
    assert.same({ "ffi.lua: this Lua has no FFI: run it by luajit\n", 1 }, { err, code })
  end)
end)

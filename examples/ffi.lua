-- ffi.lua - arrays of mascon by LuaJIT's FFI: no call of the Lua API at all
--
--   make LUA=luajit && eval "$(make -s env LUA=luajit)" && luajit examples/ffi.lua

local mascon = require "mascon"
local found, ffi = pcall(require, "ffi")
if not found then
  found, ffi = pcall(require, "cffi")  -- cffi-lua, for other Luas
end
if not found then
  io.stderr:write "ffi.lua: this Lua has no FFI: run it by luajit\n"
  os.exit(false)
end

ffi.cdef(mascon.cdef)
-- the library that is loaded already; the program's own symbols where it is inside
local C = mascon.libpath and ffi.load(mascon.libpath) or ffi.C

-- the struct is the userdata's memory: keep the array as long as the pointer
local function struct(a)
  return ffi.cast("mascon_array *", a)
end

local function check(status)
  if status ~= 0 then error(ffi.string(C.mascon_strerror(status)), 2) end
end

-- elements, read and written by compiled code
local v = mascon.zeros(1000)
local p, n = ffi.cast("double *", struct(v).data), #v
for i = 0, n - 1 do p[i] = i * i end  -- C counts from 0
local s = 0
for i = 0, n - 1 do s = s + p[i] end
print(("%.0f %.0f"):format(s, v:sum()))

-- views have strides, in elements
local m = mascon.range(12):reshape(3, 4)
local t = struct(m:t())
print(tonumber(t.shape[0]), tonumber(t.stride[0]), tonumber(t.stride[1]))

-- a kernel, called on arrays as they are
local a, b = mascon.ones(3, 3), mascon.zeros(3, 3)
check(C.mascon_matmul(a, a, b, nil))
print(b:sum())

-- an array on the stack of nobody: the FFI's own memory for the time of a call
local own, shape = ffi.new("double[6]", 1, 2, 3, 4, 5, 6), ffi.new("int64_t[2]", 2, 3)
local x, y = ffi.new "mascon_array", mascon.zeros(2, 3)
check(C.mascon_describe(x, own, 0, 2, shape, nil, 0))
check(C.mascon_assign(x, y, nil))
print(y:sum())

-- where there is no cast of userdata: the address, an integer
assert(ffi.cast("double *", ffi.cast("intptr_t", v:addr()))[3] == 9)
print "all right"

-- lua51.lua - what specs use of Lua 5.4's library, for LuaJIT

local ffi = require "ffi"

table.unpack = unpack  -- luacheck: ignore
function table.pack(...) return { n = select("#", ...), ... } end  -- luacheck: ignore

math.mininteger = -2 ^ 63          -- luacheck: ignore
math.maxinteger = 2 ^ 63 - 2 ^ 10  -- luacheck: ignore

function math.tointeger(x)  -- luacheck: ignore
  return type(x) == "number" and x % 1 == 0 and x or nil
end

function math.type(x)  -- luacheck: ignore
  return type(x) == "number" and (x % 1 == 0 and "integer" or "float") or nil
end

-- the status as Lua 5.4 tells it
local execute = os.execute
function os.execute(command)  -- luacheck: ignore
  local status = execute(command)
  return status == 0 or nil, "exit", status / 256
end

-- {------- string.pack: i I b B h H j f d s, with sizes, < and > -------

local SIZES = { b = 1, h = 2, i = 4, j = 8, f = 4, d = 8, s = 8 }

-- calls f(kind, size, big) for every item of a format
local function items(format, f)
  local big = false
  for mark, kind, digits in format:gmatch "([<>=]?)(%a?)(%d*)" do
    if mark ~= "" then big = mark == ">" end
    if kind ~= "" then f(kind, tonumber(digits) or SIZES[kind:lower()], big) end
  end
end

-- the C type of an item
local function ctype(kind, size)
  return kind == "d" and "double" or kind == "f" and "float"
    or (kind:upper() == kind and "uint%d_t" or "int%d_t"):format(8 * size)
end

function string.pack(format, ...)  -- luacheck: ignore
  local values, i, out = { ... }, 0, {}
  items(format, function(kind, size, big)
    i = i + 1
    local x = values[i]
    local number = kind == "s" and #x or x
    local bytes = ffi.string(ffi.new(ctype(kind == "s" and "I" or kind, size) .. "[1]",
      number), size)
    out[#out + 1] = (big and bytes:reverse() or bytes) .. (kind == "s" and x or "")
  end)
  return table.concat(out)
end

-- is the double at 'p' a NaN?
local function nan(p)
  local words = ffi.cast("uint32_t *", p)
  local high = bit.band(words[1], 0x7fffffff)
  return high > 0x7ff00000 or high == 0x7ff00000 and words[0] ~= 0
end

function string.unpack(format, text, at)  -- luacheck: ignore
  local out = {}
  at = at or 1
  items(format, function(kind, size, big)
    local bytes = text:sub(at, at + size - 1)
    local p = ffi.new(ctype(kind, size) .. "[1]")
    ffi.copy(p, big and bytes:reverse() or bytes, size)
    -- the bits of a NaN may be those of another type of LuaJIT's
    out[#out + 1] = kind == "d" and nan(p) and 0 / 0 or tonumber(p[0])
    at = at + size
  end)
  return unpack(out)
end

-- -------}

-- operators.lua - operators of Lua 5.3, for specs that LuaJIT reads too
--
-- There they are functions of mascon, and of numbers what they are by definition.

local mascon = require "mascon"

local M = {}

local function operator(name, text, otherwise)
  local chunk = (loadstring or load)("return function(x, y) return " .. text .. " end")
  M[name] = chunk and chunk() or otherwise
end

local function method(name)
  return function(x, y) return mascon[name](x, y) end
end

operator("idiv", "x // y", function(x, y)
  if type(x) == "number" and type(y) == "number" then return math.floor(x / y) end
  return mascon.idiv(x, y)
end)
operator("band", "x & y", method "land")
operator("bor", "x | y", method "lor")
operator("bxor", "x ~ y", method "lxor")
operator("bnot", "~x", method "lnot")

-- as Lua 5.3 defines it; LuaJIT's differs where y is infinite
function M.mod(x, y)
  if type(x) ~= "number" or type(y) ~= "number" then return x % y end
  if x - x == 0 and y - y ~= 0 and y == y then
    return (x == 0 or (x < 0) == (y < 0)) and x or y
  end
  return x % y
end

return M

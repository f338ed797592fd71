---Units of lengths in localisation tables.
local core = require "mascon.core"

local M = {}

local NM = { nm = 1, um = 1e3, mm = 1e6 }

M.WORDS = { nm = true, um = true, mm = true, px = true }

local SPELLED = { nm = "nm", um = "um", ["\xc2\xb5m"] = "um", ["\xce\xbcm"] = "um",
  ["\xb5m"] = "um", micron = "um", microns = "um", mm = "mm", px = "px", pix = "px",
  pixel = "px", pixels = "px" }

---Raise unless an option is a pixel's size: argument `arg` of `name`.
function M.checkpixel(size, arg, name, level)
  if size == nil or type(size) == "number" and size > 0 and size < math.huge then return end
  error(("bad argument #%d to '%s' (option 'pixel_size': nm above 0 expected, got %s)")
    :format(arg, name, type(size) == "number" and tostring(size) or type(size)), level + 1)
end

---"x [nm]" -> "x", "nm". Lengths have one spelling.
function M.split(text)
  local name, unit = text:match "^(.-)%s*[%[%(]%s*(.-)%s*[%]%)]$"
  if not name or name == "" then return text, nil end
  return name, SPELLED[unit:lower()] or unit
end

---How many nm a unit has, or nil where that is not known.
function M.size(unit, locs)
  if unit == "px" then return locs.pixel_size end
  return NM[unit]
end

---A new f64 array: `a` from units of `from` nm to units of `to` nm. A factor of
---1 changes no bit, so that one of the two roundings is left where nm are met.
function M.scale(a, from, to)
  local b = a:copy "f64"
  if from == to then return b end
  core.multiply(b, from, b)
  return core.divide(b, to, b)
end

---A new f64 array in another unit, moved by `shift` pixels.
function M.convert(a, from, to, locs, shift)
  local b
  if from == to then b = a:copy "f64"
  elseif from == "px" and shift ~= 0 then
    b = a:copy "f64"
    core.add(b, shift, b)
    return M.scale(b, M.size(from, locs), M.size(to, locs))
  else b = M.scale(a, M.size(from, locs), M.size(to, locs)) end
  if shift ~= 0 then
    local pixel = to == "px" and 1 or locs.pixel_size / M.size(to, locs)
    core.add(b, shift * pixel, b)
  end
  return b
end

return M

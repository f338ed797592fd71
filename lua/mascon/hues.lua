---Spots in the colours of a property: what `mascon.render` does with the option
---`colour`.
local core = require "mascon.core"
local contrast = require "mascon.contrast"
contrast.inside()
contrast.through(core.render)

---The options that `mascon.render` has besides with `colour`.
---@class mascon.HueOpts : mascon.RenderOpts, mascon.Contrast
---@field colour mascon.Array|table  a property of the spots; or {vector, range = {low, high}} or
---  {vector, percentiles = {1, 99}}: where the colours begin and end (its least, its greatest)
---@field colormap? string|mascon.Array  "turbo", or a name or map as for `mascon.image.colour`

local OURS = { "colour", "colormap", "range", "percentiles", "gamma" }
local at = { name = "render", arg = 2 }

-- the property, and where its colours begin and end
local function property(spots, colour)
  local opts, column = {}, colour
  if type(colour) == "table" then
    opts, column = colour, colour[1]
    for key in pairs(opts) do
      if key ~= 1 and key ~= "range" and key ~= "percentiles" then
        contrast.bad(at.name, at.arg, ("option 'colour': {vector, range =, percentiles =} " ..
          "expected, got a table with '%s'"):format(tostring(key)))
      end
    end
  end
  local x = type(spots) == "table" and spots.x
  local n = contrast.isarray(x) and pcall(x.shape, x) and x.size or nil
  if not contrast.isarray(column) or not pcall(column.shape, column) or column.ndim ~= 1
     or n and column.size ~= n then
    contrast.badoption(at, "colour", n and ("vector of %d"):format(n) or "vector", column)
  end
  local low, high = contrast.levels(at, column, opts)
  return column, low, high
end

-- the columns, with the property from 0 to 1; NaN where it is not finite
local function valued(spots, column, low, high)
  local t = {}
  if type(spots) == "table" then
    for name, c in pairs(spots) do t[name] = c end
  end
  if t.value ~= nil then
    contrast.bad(at.name, 1, "column 'value' does not go with option 'colour'")
  end
  local u = core.pixels.scale(column, low, high, 1, "f64")
  t.value = core.add(u, core.subtract(column, column), u)
  return t
end

-- how spots are drawn, how pixels are painted
local function split(opts)
  local draw, paint = {}, {}
  for key, value in pairs(opts) do draw[key] = value end
  for _, key in ipairs(OURS) do
    paint[key], draw[key] = draw[key], nil
  end
  for _, key in ipairs { "out", "add" } do
    if draw[key] then
      contrast.bad(at.name, at.arg, ("option '%s' does not go with 'colour'"):format(key))
    end
  end
  return draw, paint
end

-- render, whose errors are raised where the user called
local function rendered(spots, opts)
  local ok, density, info, sums = pcall(core.render, spots, opts)
  if ok then return density, info, sums end
  if type(density) ~= "string" then error(density, 0) end
  contrast.raise((density:gsub("^[^%s:]*hues[^%s:]*:%d+: ", "")))
end

-- hue by the mean of the property, light by the density
local function hues(spots, opts)
  local draw, paint = split(opts)
  local column, low, high = property(spots, paint.colour)
  local map = contrast.checkmap(at, paint.colormap or "turbo")
  draw.room = 3  -- bytes of a pixel painted
  local density, info, sums = rendered(valued(spots, column, low, high), draw)
  local black, white, gamma = contrast.levels(at, density, paint)
  core.divide(sums, density, sums)
  local rgb = core.pixels.paint(sums, 0, 1, 1, map, { threads = draw.threads }, nil,
                                density, black, white, gamma)
  density:close()
  sums:close()
  info.colour, info.black, info.white = { low, high }, black, white
  return rgb, info
end

return hues

---Images: contrast, colours, channels, files.
local core = require "mascon.core"
local contrast = require "mascon.contrast"
local pixels = core.pixels
contrast.inside()

local M = { colormap = pixels.colormap }

local CONVERT = contrast.set("range", "percentiles", "gamma", "threads",
                             "progress")

---Numbers to pixels, saturating: what is below black becomes 0, what is above
---white the largest pixel, NaN 0.
---
---Without contrast, values are kept: rounded (halves to even) and saturated.
---
---    local p, info = mascon.image.convert(image, "u8", {percentiles = {1, 99.9}})
---    print(info.high .. " pixels saturated")
---
---@param image mascon.Array  of any shape
---@param dtype string  "u8", "u16"; "f32" and "f64" for 0 to 1
---@param opts? mascon.Contrast
---@return mascon.Array
---@return mascon.Clipped
function M.convert(image, dtype, opts)
  if not contrast.isarray(image) then
    contrast.bad("convert", 1, "array expected, got " .. contrast.describe(image))
  end
  if not (contrast.TOP[dtype] or dtype == "f32" or dtype == "f64") then
    contrast.bad("convert", 2, '"u8", "u16", "f32" or "f64" expected, got ' .. contrast.describe(dtype))
  end
  opts = contrast.checkoptions("convert", 3, opts, CONVERT)
  local out, info = contrast.convert({ name = "convert", arg = 3 }, image, dtype, opts)
  return rawequal(out, image) and image:copy() or out, info
end


-- {------- colours -------

---How `mascon.image.colour` paints.
---@class mascon.ColourOpts : mascon.Contrast
---@field colormap? string|mascon.Array  a name ("viridis") or n x 3 bytes
---@field brightness? mascon.Array|table  a matrix that darkens, least to
---  greatest; or {matrix, range =, percentiles =, gamma =}

local COLOUR = contrast.set("colormap", "brightness", "range", "percentiles", "gamma",
                   "threads", "progress")

---A matrix in the colours of a map: h x w x 3 bytes.
---
---    local rgb = mascon.image.colour(image, {colormap = "inferno", percentiles = {0, 99.9}})
---
---@param image mascon.Array  h x w
---@param opts? mascon.ColourOpts
---@return mascon.Array
---@return mascon.Clipped
function M.colour(image, opts)
  contrast.checkmatrix("colour", 1, image)
  opts = contrast.checkoptions("colour", 2, opts, COLOUR)
  return contrast.paint({ name = "colour", arg = 2 }, image, opts)
end

local NAMED = {
  red = { 255, 0, 0 }, green = { 0, 255, 0 }, blue = { 0, 0, 255 },
  cyan = { 0, 255, 255 }, magenta = { 255, 0, 255 }, yellow = { 255, 255, 0 },
  orange = { 255, 128, 0 }, gray = { 255, 255, 255 }, white = { 255, 255, 255 }
}
local ORDER = { "magenta", "green", "cyan", "yellow", "red", "blue" }

-- the map from black to a colour: a name, "#rrggbb" or {r, g, b}
local function ramp(at, c)
  local rgb = NAMED[c]
  if type(c) == "string" and c:find "^#%x%x%x%x%x%x$" then
    local v = tonumber(c:sub(2), 16)
    rgb = { math.floor(v / 65536), math.floor(v / 256) % 256, v % 256 }
  elseif type(c) == "table" then
    rgb = c
  end
  for k = 1, 3 do
    local v = rgb and rgb[k]
    if type(v) ~= "number" or v < 0 or v > 255 then
      contrast.badoption(at, "colours", 'names, "#rrggbb" or {r, g, b} from 0 to 255', c)
    end
  end
  return core.linspace(0, 1, 256):reshape(256, 1):multiply(core.array(rgb))
    :cast "u8"
end

-- option 'name' of channel 'i': one for each, or one for all
local function ofchannel(opts, name, i)
  local v = opts[name]
  if type(v) ~= "table" then return v end
  if name == "gamma" or type(v[1]) == "table" then return v[i] end
  return v
end

---How `mascon.image.merge` overlays. Contrast is one for all channels, or a
---list with one for each: `percentiles = {{0, 99}, {0, 99.9}}`.
---@class mascon.MergeOpts
---@field colours? table  of each channel: a name, "#rrggbb" or {r, g, b}
---@field range? number[]|number[][]
---@field percentiles? number[]|number[][]
---@field gamma? number|number[]
---@field threads? integer

local MERGE = contrast.set("colours", "range", "percentiles", "gamma", "threads",
                  "progress")

---Channels over each other, each from black to its colour: h x w x 3 bytes.
---Where they meet, they add.
---
---    local rgb = mascon.image.merge({a, b}, {colours = {"magenta", "green"},
---                                            percentiles = {0, 99.9}})
---
---@param images mascon.Array[]  h x w each
---@param opts? mascon.MergeOpts
---@return mascon.Array
---@return mascon.Clipped[]  one for each channel
function M.merge(images, opts)
  if type(images) ~= "table" or #images == 0 then
    contrast.bad("merge", 1, "table of matrices expected, got " .. contrast.describe(images))
  end
  opts = contrast.checkoptions("merge", 2, opts, MERGE)
  local at = { name = "merge", arg = 2 }
  local colours = opts.colours or ORDER
  if type(colours) ~= "table" or #colours < #images then
    contrast.badoption(at, "colours", ("table of %d colours"):format(#images), colours)
  end
  local run = { threads = opts.threads, progress = opts.progress }
  local out
  local info = {}
  for i, image in ipairs(images) do
    contrast.checkmatrix("merge", 1, image)
    if image.nrows ~= images[1].nrows or image.ncols ~= images[1].ncols then
      contrast.bad("merge", 1, ("channel %d: %d x %d matrix expected, got %s")
        :format(i, images[1].nrows, images[1].ncols, contrast.describe(image)))
    end
    local map = ramp(at, colours[i])
    local black, white, gamma = contrast.levels(at, image, {
      range = ofchannel(opts, "range", i), gamma = ofchannel(opts, "gamma", i),
      percentiles = ofchannel(opts, "percentiles", i) })
    local low, high, nan
    out, low, high, nan = pixels.paint(image, black, white, gamma, map, run, out)
    info[i] = contrast.clipped(black, white, low, high, nan)
  end
  return out, info
end

-- -------}

return M

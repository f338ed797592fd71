---Images in a terminal.
local core = require "mascon.core"
local contrast = require "mascon.contrast"
contrast.inside()

local HALF = "\u{2580}"      -- the upper half of a cell: two pixels in one
local RAMP = " .:-=+*#%@"    -- from black to white, without colours

-- {------- shrinking -------

-- a matrix of means of about 'step' x 'step' blocks; NaN where a block has one
local function means(image, rows, cols, step)
  local t = core.empty(rows, cols)
  for r = 1, rows do
    local r1, r2 = math.floor((r - 1) * step) + 1, math.ceil(r * step)
    local band = image:rows(r1, math.min(image.nrows, r2))
    for c = 1, cols do
      local c1, c2 = math.floor((c - 1) * step) + 1, math.ceil(c * step)
      t:set(r, c, band:cols(c1, math.min(image.ncols, c2)):mean())
    end
  end
  return t
end

-- 'image' with at most 'width' columns and 'height' rows
local function shrink(image, width, height)
  local step = math.max(1, image.ncols / width, image.nrows / height)
  local rows, cols = math.ceil(image.nrows / step), math.ceil(image.ncols / step)
  if image.ndim == 2 then return means(image, rows, cols, step) end
  local out = core.empty(rows, cols, 3, "u8")
  for k = 1, 3 do
    out:select(3, k):assign(means(image:select(3, k), rows, cols, step):cast "u8")
  end
  return out
end

-- -------}


-- {------- terminals -------

-- 24 bits, the cube of 6 x 6 x 6 colours and the 24 greys of 256, or nothing
local function depth()
  local function env(name) return os and os.getenv and os.getenv(name) or "" end
  if not core.terminal "stdout" or env "NO_COLOR" ~= "" or env "TERM" == "dumb" then
    return 0
  end
  local c = env "COLORTERM"
  return (c == "truecolor" or c == "24bit") and 24 or 256
end

local STEPS = { 0, 95, 135, 175, 215, 255 }  -- of a side of the cube

-- the nearest of the cube's sides, from 0
local function side(v)
  local best = 1
  for i = 2, 6 do
    if math.abs(STEPS[i] - v) < math.abs(STEPS[best] - v) then best = i end
  end
  return best - 1
end

-- the nearest of the 240 colours that terminals agree on
local function nearest(r, g, b)
  local i, j, k = side(r), side(g), side(b)
  local grey = math.max(0, math.min(23, math.floor((r + g + b - 9) / 30)))
  local function distance(x, y, z)
    return (x - r) ^ 2 + (y - g) ^ 2 + (z - b) ^ 2
  end
  local v = 8 + 10 * grey
  if distance(v, v, v) < distance(STEPS[i + 1], STEPS[j + 1], STEPS[k + 1]) then
    return 232 + grey
  end
  return 16 + 36 * i + 6 * j + k
end

local CODES = {
  [24] = function(r, g, b) return ("2;%d;%d;%d"):format(r, g, b) end,
  [256] = function(r, g, b) return ("5;%d"):format(nearest(r, g, b)) end
}

-- lines of half blocks
local function blocks(rgb, code)
  local lines, known = {}, {}
  local function at(r, c)
    if r > #rgb then return code(0, 0, 0) end
    local red, green, blue = rgb(r, c, 1), rgb(r, c, 2), rgb(r, c, 3)
    local key = (red * 256 + green) * 256 + blue
    known[key] = known[key] or code(red, green, blue)
    return known[key]
  end
  for r = 1, #rgb, 2 do
    local line, last = {}, nil
    for c = 1, rgb.ncols do
      local colours = ("\27[38;%s;48;%sm"):format(at(r, c), at(r + 1, c))
      line[c] = (colours ~= last and colours or "") .. HALF
      last = colours
    end
    lines[#lines + 1] = table.concat(line) .. "\27[0m\n"
  end
  return lines
end

-- lines of characters, one for two pixels, by their brightness
local function characters(rgb)
  local lines = {}
  local function light(r, c)
    return 0.299 * rgb(r, c, 1) + 0.587 * rgb(r, c, 2) + 0.114 * rgb(r, c, 3)
  end
  for r = 1, #rgb, 2 do
    local line = {}
    for c = 1, rgb.ncols do
      local v = (light(r, c) + light(math.min(r + 1, #rgb), c)) / 2
      local i = math.floor(v / 255 * (#RAMP - 1) + 0.5) + 1
      line[c] = RAMP:sub(i, i)
    end
    lines[#lines + 1] = table.concat(line) .. "\n"
  end
  return lines
end

-- -------}


---How `mascon.show` draws.
---@class mascon.ShowOpts : mascon.Contrast
---@field colormap? string|mascon.Array  "hot"; without colours "gray"
---@field width? integer  columns to fill at most (the terminal's, or 80)
---@field height? integer  lines to fill at most (the terminal's, or 40)
---@field colours? integer  24 (bits), 256, or 0 for characters; default: what
---  stdout can show, by COLORTERM and NO_COLOR; 0 where it is no terminal

local KNOWN = contrast.set("colormap", "width", "height", "colours", "range",
                           "percentiles", "gamma", "threads", "progress")

local function size(at, opts, name, default)
  local n = opts[name] or default
  if not contrast.whole(n) or n < 1 then
    contrast.badoption(at, name, "integer from 1 up", n)
  end
  return n
end

-- bytes of colours for the shrunk 'image'
local function painted(at, image, cells, colours, opts)
  if cells.ndim == 3 then return cells end
  local black, white, gamma
  if opts.range or opts.percentiles then
    black, white, gamma = contrast.levels(at, image, opts)
  else
    black, white, gamma = contrast.levels(at, cells, opts)
    black = math.min(black, 0)
    white = math.max(white, 0)
  end
  return (contrast.paint(at, cells, { range = { black, white }, gamma = gamma,
    colormap = opts.colormap or (colours == 0 and "gray" or "hot") }))
end

---Print an image: two pixels in a character. What does not fit the terminal is
---shrunk by averaging.
---
---Without `range` and `percentiles` (of the whole image), black is 0, or the
---least value shown if that is below, and white the largest.
---
---    mascon.show(mascon.gauss(40, 60, 20, 30, 6, 9))
---    mascon.show(image, {percentiles = {0, 99.5}, colormap = "viridis"})
---
---@param image mascon.Array  a matrix of any dtype, or h x w x 3 of u8
---@param opts? mascon.ShowOpts
local function show(image, opts)
  local at = { name = "show", arg = 2 }
  if not contrast.isarray(image) or not (image.ndim == 2 or image.ndim == 3
     and image.dtype == "u8" and select(3, image:shape()) == 3) then
    contrast.bad("show", 1, "matrix, or h x w x 3 of u8, expected, got "
                            .. contrast.describe(image))
  end
  opts = contrast.checkoptions("show", 2, opts, KNOWN)
  local cols, lines = core.terminal "stdout"
  local width = size(at, opts, "width", cols or 80)
  local height = size(at, opts, "height", math.max(1, (lines or 41) - 1))
  local colours = opts.colours or depth()
  if colours ~= 0 and not CODES[colours] then
    contrast.badoption(at, "colours", "24, 256 or 0", colours)
  end
  if image.size == 0 then return end
  local rgb = painted(at, image, shrink(image, width, 2 * height), colours, opts)
  local write = io and io.write or function(line) print(line:sub(1, -2)) end
  for _, line in ipairs(colours == 0 and characters(rgb)
                        or blocks(rgb, CODES[colours])) do write(line) end
end

return show

---What the parts that make pixels share: checking options, contrast.
local core = require "mascon.core"
local pixels = core.pixels

local M = {}

---The largest pixel of a dtype.
M.TOP = { u8 = 255, u16 = 65535 }

---Which values are black and white, and what lies between. Without `range`
---and `percentiles`, the least and the greatest value.
---@class mascon.Contrast
---@field range? number[]  {black, white}
---@field percentiles? number[]  or: these percentiles of the image, {1, 99.5}
---@field gamma? number  values from 0 to 1 to this power (1); below 1 brightens
---@field threads? integer
---@field progress? boolean|fun(done: integer, total: integer): boolean?

---What a conversion did.
---@class mascon.Clipped
---@field black number
---@field white number
---@field low integer  pixels below black
---@field high integer  pixels above white
---@field nan integer  pixels that are no numbers: black

-- {------- checking -------

function M.isarray(x)
  return type(x) == "userdata" and getmetatable(x) == "mascon.array"
end

function M.describe(x)
  if M.isarray(x) then
    if not pcall(x.shape, x) then return "closed array" end
    return ("%s array %s"):format(x.dtype, table.concat({ x:shape() }, " x "))
  end
  if type(x) == "string" then return ("%q"):format(x) end
  if type(x) == "table" and #x > 0 and #x <= 4 then
    local list = {}
    for i = 1, #x do
      if type(x[i]) ~= "number" then return "table" end
      list[i] = tostring(x[i])
    end
    return "{" .. table.concat(list, ", ") .. "}"
  end
  return type(x) == "number" and tostring(x) or type(x)
end

-- chunks of functions that are ours: errors are raised where the user called
local ours = {}

---The calling file is one of ours.
function M.inside()
  if debug then ours[debug.getinfo(2, "S").source] = true end
end

---A function in C that calls ours for the user.
function M.through(f) ours[f] = true end

---Raise a message where the user called.
function M.raise(message)
  local level = 2
  if debug then
    local info = debug.getinfo(level, "Sf")
    while info and (ours[info.source] or ours[info.func]) do
      level = level + 1
      info = debug.getinfo(level, "Sf")
    end
  end
  error(message, level)
end

---Raise "bad argument #arg to 'name' (what)".
function M.bad(name, arg, what)
  M.raise(("bad argument #%d to '%s' (%s)"):format(arg, name, what))
end

function M.badoption(at, option, expected, got)
  M.bad(at.name, at.arg, ("option '%s': %s expected, got %s")
    :format(option, expected, M.describe(got)))
end

-- the options 'opts' of function 'name', which must be among 'known'
function M.checkoptions(name, arg, opts, known)
  if opts == nil then return {} end
  if type(opts) ~= "table" then
    M.bad(name, arg, "table of options expected, got " .. M.describe(opts))
  end
  for key in pairs(opts) do
    if not known[key] then
      M.bad(name, arg, ("unknown option '%s'"):format(tostring(key)))
    end
  end
  return opts
end

function M.checkmatrix(name, arg, image)
  if not M.isarray(image) or image.ndim ~= 2 then
    M.bad(name, arg, "matrix expected, got " .. M.describe(image))
  end
end

---Is it a whole number?
function M.whole(x) return type(x) == "number" and x % 1 == 0 end

function M.set(...)
  local s = {}
  for _, name in ipairs { ... } do s[name] = true end
  return s
end

local function ispair(t, low, high)
  return type(t) == "table" and #t == 2
    and type(t[1]) == "number" and type(t[2]) == "number"
    and t[1] >= low and t[1] <= t[2] and t[2] <= high
end

M.inside()

local LARGEST = 0x1.fffffffffffffp+1022  -- so that a difference is finite

-- -------}


-- {------- levels -------

local function finite(x) return x - x == 0 end

-- a level whose distance from another one is finite
local function bounded(x) return math.max(-LARGEST, math.min(LARGEST, x)) end

-- the elements that are neither NaN nor infinite
local function finites(image)
  return image:take((image - image):eq(0))
end

-- 'f' of the image; where that is not finite, of its finite elements
local function measure(image, f)
  local x = f(image)
  if not finite(x) then
    image = finites(image)
    if image.size == 0 then return 0 end
    x = f(image)
  end
  return x
end

local function least(image) return image:min() end
local function greatest(image) return image:max() end

-- what is black, what is white, and gamma, by contrast options
function M.levels(at, image, opts)
  local gamma = opts.gamma or 1
  if type(gamma) ~= "number" or not (gamma > 0 and gamma < math.huge) then
    M.badoption(at, "gamma", "number above 0", gamma)
  end
  if opts.range ~= nil then
    if not ispair(opts.range, -LARGEST, LARGEST) then
      M.badoption(at, "range", "{black, white}", opts.range)
    end
    return opts.range[1], opts.range[2], gamma
  end
  local p = opts.percentiles
  if p ~= nil and not ispair(p, 0, 100) then
    M.badoption(at, "percentiles", "{low, high} from 0 to 100", p)
  end
  if image.size == 0 then return 0, 1, gamma end
  if not p then
    return bounded(measure(image, least)), bounded(measure(image, greatest)), gamma
  end
  local function percentile(i)
    if p[i] == 0 then return measure(image, least) end
    if p[i] == 100 then return measure(image, greatest) end
    return measure(image, function(a) return a:percentile(p[i]) end)
  end
  return bounded(percentile(1)), bounded(percentile(2)), gamma
end

function M.clipped(black, white, low, high, nan)
  return { black = black, white = white, low = low, high = high, nan = nan }
end

function M.contrasted(opts)
  return opts.range ~= nil or opts.percentiles ~= nil or opts.gamma ~= nil
end

-- 'image' as pixels of 'dtype', and what was saturated
function M.convert(at, image, dtype, opts)
  local top = M.TOP[dtype]
  if not M.contrasted(opts) then
    if dtype == image.dtype then return image, M.clipped(0, top or 1, 0, 0, 0) end
    if not top then return image:copy(dtype), M.clipped(0, 1, 0, 0, 0) end
    opts = setmetatable({ range = { 0, top } }, { __index = opts })
  end
  local black, white, gamma = M.levels(at, image, opts)
  local out, low, high, nan = pixels.scale(image, black, white, gamma, dtype,
    { threads = opts.threads, progress = opts.progress })
  return out, M.clipped(black, white, low, high, nan)
end

-- -------}


-- {------- colours -------

-- the map that an option names or is
function M.checkmap(at, map)
  if M.isarray(map) then
    if map.ndim ~= 2 or map.ncols ~= 3 or map.nrows < 1 or map.dtype ~= "u8" then
      M.badoption(at, "colormap", "name or n x 3 u8 matrix", map)
    end
    return map:copy()
  end
  local ok, found = pcall(pixels.colormap, map)
  if type(map) ~= "string" then
    M.badoption(at, "colormap", "name or n x 3 u8 matrix", map)
  elseif not ok then
    local wrong = found:match "%((.*)%)"  -- the name; else there was no memory
    if not wrong then M.raise(found) end
    M.bad(at.name, at.arg, "option 'colormap': " .. wrong)
  end
  return found
end

-- the image that gives brightness, and its levels
local function checklight(at, image, light)
  if light == nil then return end
  local opts = {}
  if type(light) == "table" then light, opts = light[1], light end
  if not M.isarray(light) or light.ndim ~= 2 or light.nrows ~= image.nrows
     or light.ncols ~= image.ncols then
    M.badoption(at, "brightness", ("%d x %d matrix"):format(image.nrows, image.ncols),
              light)
  end
  return light, M.levels(at, light, opts)
end

-- a matrix in the colours of a map, and what was saturated
function M.paint(at, image, opts)
  local map = M.checkmap(at, opts.colormap or "viridis")
  local black, white, gamma = M.levels(at, image, opts)
  local out, low, high, nan = pixels.paint(image, black, white, gamma, map,
    { threads = opts.threads, progress = opts.progress }, nil,
    checklight(at, image, opts.brightness))
  return out, M.clipped(black, white, low, high, nan)
end

-- -------}

return M

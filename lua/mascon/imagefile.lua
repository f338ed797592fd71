---Image files: PNG, TIFF, PGM and PPM, .npy.
local core = require "mascon.core"
local contrast = require "mascon.contrast"
local image = require "mascon.image"
local pixels = core.pixels
contrast.inside()

-- {------- pixel sizes -------

local METRES = { nm = 1e-9, um = 1e-6, mm = 1e-3, cm = 1e-2, m = 1 }
local SAME = { ["\u{b5}m"] = "um", ["\u{3bc}m"] = "um", micron = "um",
               microns = "um", ["\\u00B5m"] = "um" }

-- the unit by the name that we give it
local function canonical(unit) return SAME[unit] or unit end

-- metres of a pixel; 0 where that is not known
local function metres(opts)
  local m = METRES[canonical(opts.unit or "nm")]  -- pixels of a camera have none
  return opts.pixel and m and opts.pixel * m or 0
end

-- what ImageJ reads of a file; units in ASCII
local function imagej(pages, opts)
  local lines = { "ImageJ=1.54f" }
  if pages > 1 then
    lines[2] = ("images=%d\nslices=%d"):format(pages, pages)
  end
  if opts.pixel then
    local unit = canonical(opts.unit or "nm")
    lines[#lines + 1] = "unit=" .. (unit == "um" and "micron" or unit)
  end
  return table.concat(lines, "\n") .. "\n"
end

local function property(text, name)
  return ("\n" .. text):match("[\r\n]" .. name .. "=([^\r\n]*)")
end

-- files keep single precision, or whole pixels per metre, or 15 digits
local function short(x, digits) return tonumber(("%%.%dg"):format(digits or 7):format(x)) end

-- size and unit of a pixel by what the tags of a TIFF file say
local function tiffpixel(info)
  local text = info.description or ""
  if not info.resolution then return end
  local unit = property(text, "ImageJ") and property(text, "unit")
  if unit then return short(1 / info.resolution), canonical(unit) end
  if info.unit == 2 then return short(2.54e7 / info.resolution), "nm" end
  if info.unit == 3 then return short(1e7 / info.resolution), "nm" end
end

-- -------}


-- {------- formats -------

-- the C module of a format, which is there where its library was
local function codec(name)
  local ok, found = pcall(require, "mascon." .. name)
  if ok then return found end
  return nil, ("module mascon.%s is not here: it is built where lib%s is")
    :format(name, name)
end

-- 'write' the file, whole or not at all, by a function of a C module
local function whole(path, name, ...)
  local lib, message = codec(name)
  local args, n = { ... }, select("#", ...)
  if not lib then return nil, message end
  return pixels.replace(path, function(temp)
    local ok, why = lib.write(temp, (table.unpack or unpack)(args, 1, n))
    if not ok then error(path .. ": " .. why, 0) end
  end)
end

local FORMATS = {
  png = {
    save = function(path, a, opts)
      return whole(path, "png", a, opts.level, metres(opts))
    end,
    load = function(path)
      local png, missing = codec "png"
      if not png then return nil, missing end
      local a, ppm, size = png.load(path)
      if not a then return nil, path .. ": " .. ppm end
      size = tonumber(size)
      if size then return a, { pixel = short(1e9 * size, 14), unit = "nm" } end
      if ppm > 0 then return a, { pixel = short(1e9 / ppm), unit = "nm" } end
      return a, {}
    end
  },
  tiff = {
    save = function(path, a, opts)
      local pages = opts.stack and a:shape() or 1
      return whole(path, "tiff", a, opts.stack,
                   imagej(pages, opts), opts.pixel and 1 / opts.pixel or 0)
    end,
    load = function(path)
      local tiff, missing = codec "tiff"
      if not tiff then return nil, missing end
      local a, info = tiff.load(path)
      if not a then return nil, path .. ": " .. info end
      local pixel, unit = tiffpixel(info)
      return a, { pixel = pixel, unit = unit, description = info.description }
    end
  },
  pnm = {
    save = pixels.savepnm,
    load = function(path)
      local a, message = pixels.loadpnm(path)
      if not a then return nil, message end
      return a, {}
    end
  },
  npy = {
    save = function(path, a, opts)
      return pcall(a.save, a, path,
                   { threads = opts.threads, progress = opts.progress })
    end,
    load = function(path)
      local a, message = core.load(path)
      if not a then return nil, message end
      return a, {}
    end
  }
}

local SUFFIX = { png = "png", tif = "tiff", tiff = "tiff", pgm = "pnm",
                 ppm = "pnm", npy = "npy" }

local EXPECTED = "a name that ends in .png, .tif, .tiff, .pgm, .ppm or .npy"

-- the format of a file by its name, or nothing
local function formatof(path)
  local suffix = path:match "%.(%w+)$"
  return SUFFIX[suffix and suffix:lower()], suffix and suffix:lower()
end

local function checkpath(name, path)
  if type(path) ~= "string" then
    contrast.bad(name, 1, "file name expected, got " .. contrast.describe(path))
  end
  local format, suffix = formatof(path)
  if not format then
    contrast.bad(name, 1, EXPECTED .. " expected, got " .. contrast.describe(path))
  end
  return format, suffix
end

-- -------}


-- {------- saving -------

local AT = { name = "save", arg = 3 }

local SAVE = contrast.set("bits", "dtype", "range", "percentiles", "gamma",
  "colormap", "brightness", "pixel", "unit", "stack", "level", "threads",
  "progress")

-- is the last axis red, green, blue?
local function iscolour(a)
  local n = { a:shape() }
  return a.ndim >= 3 and n[#n] == 3 and (a.dtype == "u8" or a.dtype == "u16")
end

-- the dtype of the pixels in the file
local function target(format, a, opts)
  if format == "npy" then return opts.dtype or a.dtype end
  if format == "tiff" then
    local t = opts.dtype or (contrast.TOP[a.dtype] and a.dtype) or "f32"
    if t == "u8" or t == "u16" or t == "f32" or t == "f64" then return t end
    contrast.badoption(AT, "dtype", '"u8", "u16", "f32" or "f64"', t)
  end
  if opts.dtype ~= nil then
    contrast.bad("save", 3, "option 'dtype': only .tif and .npy files have one, "
                            .. "'bits' is 8 or 16")
  end
  local bits = opts.bits or a.dtype == "u16" and 16 or 8
  if bits ~= 8 and bits ~= 16 then contrast.badoption(AT, "bits", "8 or 16", bits) end
  return bits == 16 and "u16" or "u8"
end

-- what a file of bytes shows: all values, or those that were asked for
local function shown(format, a, opts)
  if (format ~= "png" and format ~= "pnm") or contrast.contrasted(opts) then
    return opts
  end
  local top = contrast.TOP[a.dtype]
  return setmetatable(top and { range = { 0, top } } or { gamma = 1 },
                      { __index = opts })
end

-- the unit of a pixel, where the format can say it
local function checkunit(format, opts)
  local unit = opts.unit
  if unit == nil then return end
  if type(unit) ~= "string" then contrast.badoption(AT, "unit", "string", unit) end
  if unit:find "%c" then
    contrast.bad("save", 3, "option 'unit': it holds a control character")
  end
  if format == "png" and opts.pixel and unit ~= "px" and not METRES[canonical(unit)] then
    contrast.badoption(AT, "unit", "nm, um, mm, cm or m (PNG)", unit)
  end
end

-- the size of a pixel, where the format can say it
local function checkpixel(format, opts)
  local p = opts.pixel
  if p == nil then return end
  local least, most = 0, math.huge
  if format == "tiff" then least, most = 1e-9, 1e9 end  -- whole numbers of 32 bits
  if format == "png" then least, most = 1e-300, 1e300 end
  if type(p) ~= "number" or not (p > 0 and p >= least and p <= most and p < math.huge) then
    contrast.badoption(AT, "pixel", least == 0 and "size above 0" or
      ("size above 0, from %g to %g,"):format(least, most), p)
  end
end

local function checknumbers(opts)
  local level = opts.level
  if level ~= nil and not (contrast.whole(level) and level >= 0 and level <= 9) then
    contrast.badoption(AT, "level", "0 to 9", level)
  end
end

-- does the format hold an image of these axes?
local function checkaxes(format, suffix, a, opts)
  local axes = a.ndim - (iscolour(a) and 1 or 0)
  local stack = format == "tiff" and axes == 3
  if format ~= "npy" and axes ~= 2 and not stack then
    contrast.bad("save", 2, ("%s expected, got %s"):format(
      format == "tiff" and "image or stack of images" or
      "h x w matrix, or h x w x 3 of u8 or u16", contrast.describe(a)))
  end
  if suffix == "pgm" and axes ~= a.ndim then
    contrast.bad("save", 2, "matrix expected for .pgm, got " .. contrast.describe(a))
  end
  if format ~= "npy" and a.size == 0 then
    contrast.bad("save", 2, "the image has no pixels")
  end
  opts.stack = stack
end

---How `mascon.image.save` writes.
---@class mascon.SaveOpts : mascon.ColourOpts
---@field bits? integer  PNG, PGM: 8 or 16 (8; for u16 images 16)
---@field dtype? string  TIFF: "u8", "u16", "f32" or "f64" (u8 and u16 as they are,
---  else f32); .npy: any
---@field pixel? number  size of a pixel, for PNG and TIFF
---@field unit? string  of it ("nm"); PNG knows nm, um, mm, cm, m
---@field level? integer  PNG: 0 to 9, how much to compress (1)

---Write an image in the format that the name ends in: .png, .tif, .tiff, .pgm,
---.ppm or .npy. The file appears whole or not at all.
---
---With `colormap` a matrix is painted. Else, for PNG and PGM, numbers that are
---no bytes are scaled from the least to the greatest, or by the contrast that
---is given; TIFF and .npy keep values, rounded and saturated to integers,
---unless a contrast is given.
---
---    mascon.image.save("cells.png", image, {colormap = "hot", percentiles = {0, 99.9}})
---    local info = mascon.image.save("cells.tif", image, {dtype = "u16", pixel = 10})
---    print(info.high .. " pixels saturated")
---
---@param path string
---@param a mascon.Array  h x w, or h x w x 3 of u8 or u16; TIFF: also n of them
---@param opts? mascon.SaveOpts
---@return mascon.Clipped
function image.save(path, a, opts)
  local format, suffix = checkpath("save", path)
  if not contrast.isarray(a) then
    contrast.bad("save", 2, "image expected, got " .. contrast.describe(a))
  end
  opts = contrast.checkoptions("save", 3, opts, SAVE)
  checknumbers(opts)
  checkpixel(format, opts)
  checkunit(format, opts)
  local how = { pixel = opts.pixel, unit = opts.unit, level = opts.level or 1,
                threads = opts.threads, progress = opts.progress }
  local info
  if opts.colormap ~= nil then
    contrast.checkmatrix("save", 2, a)
    a, info = contrast.paint(AT, a, opts)
  end
  checkaxes(format, suffix, a, how)
  if not info or opts.bits or opts.dtype then
    local done
    a, done = contrast.convert(AT, a, target(format, a, opts),
      info and { threads = opts.threads } or shown(format, a, opts))
    info = info or done
  end
  local ok, message = FORMATS[format].save(path, a, how)
  if not ok then contrast.raise(message) end
  return info
end

-- -------}


---What `mascon.image.load` found besides the pixels.
---@class mascon.ImageInfo
---@field pixel? number  size of a pixel
---@field unit? string  of it
---@field description? string  of a TIFF file

---Read an image, or nil and a message: .png, .tif, .tiff, .pgm, .ppm, .npy.
---
---    local image, info = assert(mascon.image.load "cells.tif")
---
---@param path string
---@return mascon.Array? image  h x w, or h x w x 3; TIFF of several pages: n of them
---@return mascon.ImageInfo|string
function image.load(path)
  return FORMATS[checkpath("load", path)].load(path)
end

return image

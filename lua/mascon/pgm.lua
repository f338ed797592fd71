---Images as PGM files (grey, 8 or 16 bits), which most programs read.

---How `mascon.pgm` writes.
---@class mascon.PgmOpts
---@field bits? integer  8 or 16 (16; for u8 images 8)
---@field max? number  what is white (default: the image's largest value; for u8 and u16 images the dtype's)

---Write a matrix as an image file.
---
---0 and below (and NaN) is black, `max` and above is white.
---
---    mascon.pgm("spot.pgm", mascon.gauss(40, 60, 20, 30, 6, 9))
---
---@param path string
---@param image mascon.Array  a matrix of any dtype
---@param opts? mascon.PgmOpts
local function pgm(path, image, opts)
  opts = opts or {}
  local dtype = image.dtype
  local bits = opts.bits or dtype == "u8" and 8 or 16
  if image.ndim ~= 2 then
    error(("bad argument #2 to 'pgm' (matrix expected, got %d axes)")
      :format(image.ndim), 2)
  elseif bits ~= 8 and bits ~= 16 then
    error(("bad argument #3 to 'pgm' (option 'bits': 8 or 16 expected, got %s)")
      :format(bits), 2)
  elseif image.size == 0 then
    error("bad argument #2 to 'pgm' (the image has no pixels)", 2)
  end
  local top = (1 << bits) - 1
  local white = opts.max or dtype == "u8" and 255 or dtype == "u16" and 65535
                or image:max()
  local scale = white > 0 and top / white or 0
  local format = bits == 8 and "B" or ">I2"
  local file = assert(io.open(path, "wb"))
  local function put(text)
    local ok, message = file:write(text)
    if not ok then
      file:close()
      error(message, 3)
    end
  end
  put(("P5\n%d %d\n%d\n"):format(image.ncols, image.nrows, top))
  for r = 1, image.nrows do
    local row, line = image[r], {}
    for c = 1, image.ncols do
      local v = row[c] * scale
      line[c] = string.pack(format, v >= top and top
                                    or v > 0 and math.floor(v + 0.5) or 0)
    end
    put(table.concat(line))
  end
  local ok, message = file:close()
  if not ok then error(message, 2) end
end

return pgm

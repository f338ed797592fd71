---Images in a terminal.
local HALF = "\u{2580}"  -- the upper half of a cell: two pixels in one

-- black, red, yellow, white for 0 to 1
local function colour(v)
  local function part(x)
    return math.floor(255 * math.max(0, math.min(1, x)) + 0.5)
  end
  return ("%d;%d;%d"):format(part(3 * v), part(3 * v - 1), part(3 * v - 2))
end

-- the means of about 'step' x 'step' blocks, and the largest of them
local function shrink(image, rows, cols, step)
  local cells, most = {}, 0
  for r = 1, rows do
    cells[r] = {}
    for c = 1, cols do
      local v = image:block(
        math.floor((r - 1) * step) + 1, math.min(image.nrows, math.ceil(r * step)),
        math.floor((c - 1) * step) + 1, math.min(image.ncols, math.ceil(c * step))
      ):mean()
      cells[r][c] = v == v and v or 0
      most = math.max(most, cells[r][c])
    end
  end
  return cells, most
end

---How `mascon.show` draws.
---@class mascon.ShowOpts
---@field width? integer  columns of the terminal to fill (80)
---@field max? number  what is white (default: the largest value shown)
---@field percentile? number  or: this percentile of the image is white

---Print a matrix as an image: two pixels in a character, 24-bit colour, black
---for 0 and below. What is wider than the terminal is shrunk by averaging.
---
---    mascon.show(mascon.gauss(40, 60, 20, 30, 6, 9))
---
---@param image mascon.Array  a matrix of any dtype
---@param opts? mascon.ShowOpts
local function show(image, opts)
  opts = opts or {}
  local step = math.max(1, image.ncols / (opts.width or 80))
  local rows = math.ceil(image.nrows / step)
  local cells, white = shrink(image, rows, math.ceil(image.ncols / step), step)
  if opts.percentile then white = image:percentile(opts.percentile) end
  white = opts.max or white
  local function at(r, c)
    return colour(cells[r] and white > 0 and cells[r][c] / white or 0)
  end
  local write = io and io.write or function(line) print(line:sub(1, -2)) end
  for r = 1, rows, 2 do
    local line = {}
    for c = 1, #cells[r] do
      line[c] = ("\27[38;2;%s;48;2;%sm%s"):format(at(r, c), at(r + 1, c), HALF)
    end
    write(table.concat(line) .. "\27[0m\n")
  end
end

return show

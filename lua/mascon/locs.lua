---Localisation tables: what single-molecule microscopy calls a list of spots.
local core = require "mascon.core"
local file = require "mascon.locsfile"
local units = require "mascon.locsunits"

---A table of localisations.
---
---Columns keep the names that they have in the file, without units:
---`L.uncertainty_xy`, `L.lpx`, or `L.columns.sx` where a name below says
---something else. Nothing in it is changed by its methods.
---@class mascon.Locs
---@field x mascon.Array  position, in `unit`, from `origin`
---@field y mascon.Array
---@field z? mascon.Array  in `unit`
---@field frame? mascon.Array  i64 where all are whole
---@field photons? mascon.Array
---@field sx? mascon.Array  precision of x in `unit`: lpx, uncertainty_xy or uncertainty; never the width of a spot
---@field sy? mascon.Array
---@field unit? string  "nm", "um", "mm" or "px" (camera pixels); nil: not known
---@field pixel_size? number  nm in a camera pixel
---@field origin string  what is at 0: "edge" or "centre" of the first camera pixel
---@field extent? number[]  {y0, x0, y1, x1} of the camera's field, in `unit`
---@field names string[]  the columns, in the order of the file
---@field columns table<string, mascon.Array>
---@field units table<string, string>  units of the columns that have one
---@field roles table<string, string>  names of the columns that are x, y, ...
---@field info? table  what else the file says about itself
local Locs = {}

-- fields that name a part; no column of the same name stands in for it
local PARTS = { x = true, y = true, z = true, frame = true, photons = true,
                sx = true, sy = true }
local LENGTHS = { "x", "y", "z", "sx", "sy" }

local function fail(level, arg, name, ...)
  error(("bad argument #%d to '%s' (%s)"):format(arg, name, (...):format(select(2, ...))),
    level + 1)
end

local function checkoptions(opts, known, arg, name)
  for key in pairs(opts) do
    if not known[key] then fail(3, arg, name, "unknown option '%s'", key) end
  end
end

-- an option that is one of a few words
local function checkword(value, words, option, arg, name)
  if value ~= nil and not words[value] then
    local list = {}
    for word in pairs(words) do list[#list + 1] = ('"%s"'):format(word) end
    table.sort(list)
    fail(3, arg, name, "option '%s': %s expected, got %s", option,
      table.concat(list, ", "), tostring(value))
  end
end


local function index(self, key)
  local method = Locs[key]
  if method ~= nil then return method end
  if PARTS[key] then return nil end
  return rawget(self, "columns")[key]
end

local meta = { __index = index, __name = "mascon.Locs" }

function meta.__len(self) return #self.x end  -- not asked by LuaJIT

-- the first and the last of a column
local function ends(a)
  if #a == 0 then return "" end
  return ("%.7g ... %.7g"):format(a[1], a[#a])
end

---@private
function meta.__tostring(self)
  local lines = { ("%d localisations, %s%s, origin %s"):format(#self.x,
    self.unit or "unit unknown", self.pixel_size and
    (", camera pixel %.7g nm"):format(self.pixel_size) or "", self.origin) }
  if self.extent then
    lines[1] = lines[1] .. (", field %.7g x %.7g"):format(
      self.extent[3] - self.extent[1], self.extent[4] - self.extent[2])
  end
  local part = {}
  for _, key in ipairs { "x", "y", "z", "frame", "photons", "sx", "sy" } do
    local name = self.roles[key]
    if name then part[name] = (part[name] and part[name] .. ", " or "") .. key end
  end
  for _, name in ipairs(self.names) do
    lines[#lines + 1] = ("  %-14s %-7s %s  %s%s"):format(name,
      self.units[name] or "", self.columns[name].dtype, ends(self.columns[name]),
      part[name] and part[name] ~= name and "  = " .. part[name] or "")
  end
  return table.concat(lines, "\n")
end

-- set the standard fields of a table that has names, columns, units, roles
local function complete(t)
  for _, part in ipairs { "frame", "photons" } do
    t[part] = t.columns[t.roles[part]]
  end
  for _, part in ipairs(LENGTHS) do
    local name = t.roles[part]
    if name then
      local unit = t.units[name] or t.unit
      if unit == t.unit then t[part] = t.columns[name]
      else
        local from, to = units.size(unit, t), units.size(t.unit, t)
        if from and to then t[part] = units.scale(t.columns[name], from, to) end
      end
    end
  end
  return setmetatable(t, meta)
end

---A table of localisations from columns.
---
---    local L = mascon.locs.new({ x = x, y = y, sx = 12, sy = 12 }, { unit = "nm" })
---
---@param columns table<string, mascon.Array|number>  at least x and y; a number: the same for all
---@param opts? table  unit, pixel_size, origin ("edge"), extent, units (of single
---columns), names (their order), roles (which column is which part)
---@return mascon.Locs
local function new(columns, opts)
  opts = opts or {}
  local known = { unit = 1, pixel_size = 1, origin = 1, extent = 1, units = 1,
                  names = 1, roles = 1, info = 1 }
  checkoptions(opts, known, 2, "new")
  checkword(opts.unit, units.WORDS, "unit", 2, "new")
  checkword(opts.origin, { edge = true, centre = true }, "origin", 2, "new")
  units.checkpixel(opts.pixel_size, 2, "new", 2)
  local t = { unit = opts.unit, pixel_size = opts.pixel_size,
    origin = opts.origin or "edge", extent = opts.extent, info = opts.info,
    names = opts.names, units = opts.units or {}, columns = {} }
  if not t.names then
    t.names = {}
    for name in pairs(columns) do t.names[#t.names + 1] = name end
    table.sort(t.names)
  end
  t.roles = file.findroles(t.names, opts.roles)
  local x = columns[t.roles.x]
  if not (x and columns[t.roles.y]) then
    fail(2, 1, "new", "column '%s' is missing", x and "y" or "x")
  elseif type(x) ~= "userdata" then
    fail(2, 1, "new", "column 'x': vector expected, got %s", type(x))
  end
  for _, name in ipairs(t.names) do
    local c = columns[name]
    if type(c) == "number" then c = core.full(#x, c) end
    if type(c) ~= "userdata" or c.ndim ~= 1 or #c ~= #x then
      fail(2, 1, "new", "column '%s': vector of %d expected, got %s", name, #x,
        type(c) == "userdata" and ("%d of %s"):format(#c, c.dtype) or type(c))
    end
    t.columns[name] = c
  end
  for _, part in ipairs(LENGTHS) do
    local name = t.roles[part]
    if name and not t.units[name] then t.units[name] = t.unit end
  end
  return complete(t)
end

-- a table like this one with other columns
local function like(self, columns, changed)
  local t = { columns = columns }
  for _, key in ipairs { "unit", "pixel_size", "origin", "extent", "names",
                         "units", "roles", "info" } do
    t[key] = self[key]
  end
  for key, value in pairs(changed) do t[key] = value end
  return complete(t)
end

---The same localisations in another unit, from another origin.
---
---All columns that are lengths are converted.
---
---    local nm = L:to { unit = "nm", origin = "edge" }
---
---@param opts { unit?: string, origin?: string, pixel_size?: number }  pixel_size: nm
---in a camera pixel, where the file does not say
---@return mascon.Locs
function Locs:to(opts)
  if type(opts) ~= "table" then
    fail(2, 1, "to", "table of options expected, got %s", type(opts))
  end
  checkoptions(opts, { unit = 1, origin = 1, pixel_size = 1 }, 1, "to")
  checkword(opts.unit, units.WORDS, "unit", 1, "to")
  checkword(opts.origin, { edge = true, centre = true }, "origin", 1, "to")
  units.checkpixel(opts.pixel_size, 1, "to", 2)
  local pixel = { pixel_size = opts.pixel_size or self.pixel_size }
  local unit, origin = opts.unit or self.unit, opts.origin or self.origin
  local from, to = units.size(self.unit, pixel), units.size(unit, pixel)
  local shift = 0
  if unit ~= self.unit and not (from and to) then
    fail(2, 1, "to", self.unit and "option 'pixel_size' is needed: nm in a camera pixel"
      or "the unit of the table is not known")
  end
  if origin ~= self.origin then
    shift = origin == "edge" and 0.5 or -0.5  -- in pixels
    if self.unit ~= "px" and not pixel.pixel_size then
      fail(2, 1, "to", "option 'pixel_size' is needed: nm in a camera pixel")
    end
  end
  local columns, names = {}, {}
  for name, c in pairs(self.columns) do
    local own = self.units[name]
    local position = name == self.roles.x or name == self.roles.y
    columns[name] = c
    if position and (unit ~= self.unit or shift ~= 0) or
       own ~= unit and units.size(own, pixel) and to then
      columns[name] = units.convert(c, own, unit, pixel, position and shift or 0)
      own = unit
    end
    names[name] = own
  end
  local extent = self.extent and units.convert(core.array(self.extent), self.unit,
    unit, pixel, shift):totable()
  return like(self, columns, { unit = unit, origin = origin, units = names,
    pixel_size = pixel.pixel_size, extent = extent })
end

-- the rows for which 'keep' is true, as a mask
local function mask(self, keep)
  local m, i = core.zeros(#self.x, "u8"), 0
  local row = setmetatable({}, { __index = function(_, key)
    local column = self[key]
    return column and column[i]
  end })
  for k = 1, #self.x do
    i = k
    if keep(row) then m[k] = 1 end
  end
  return m
end

---Some of the localisations.
---
---    local good = L:filter(L.photons:gt(500))
---    local good = L:filter(function(l) return l.sx < 20 and l.frame > 100 end)
---
---@param which mascon.Array|fun(row: table): any  a u8 mask, ids from 1, or a function of one localisation
---@return mascon.Locs
function Locs:filter(which)
  if type(which) == "function" then which = mask(self, which) end
  if type(which) ~= "userdata" then
    fail(2, 1, "filter", "mask or function expected, got %s", type(which))
  elseif which.dtype == "u8" and which.size ~= #self.x then
    fail(2, 1, "filter", "mask of %d expected, got one of %d", #self.x, which.size)
  end
  local columns = {}
  for name, c in pairs(self.columns) do
    local ok, some = pcall(c.take, c, which)
    if not ok then fail(2, 1, "filter", "%s", (tostring(some):match "%((.*)%)" or some)) end
    columns[name] = some
  end
  return like(self, columns, {})
end

---Write a CSV file in ThunderSTORM's dialect, in nm from the edge where pixels
---can be converted. The file is the old one until all is written.
---@param path string
---@param opts? table  threads, progress
function Locs:save(path, opts)
  checkoptions(opts or {}, { threads = 1, progress = 1 }, 2, "save")
  local unit = units.size(self.unit, self) and units.size("nm", self) and "nm"
  file.save(self:to { unit = unit, origin = "edge" }, path, opts)
end

---A column by its name or part, or what else is given.
local function column(self, c)
  if type(c) ~= "string" then return c end
  local a = self[c]
  if type(a) ~= "userdata" then
    error(("bad argument #1 to 'render' (column '%s' is missing)"):format(c), 4)
  end
  return a
end

---What `mascon.render` draws: columns and options.
---
---Lengths in the options are in nm where the pixel size is known, else in the
---table's unit; `unit` says otherwise. A pixel is 10 nm. Positions count from the edge of the
---camera's first pixel (`preset = "picasso"` takes them as they are, as that
---program does). The image is the camera's field unless something else is
---asked for. `sigma` (a column, or a number) replaces the precision; `weight`
---and `colour` may be names of columns.
---@private
function meta.__spots(self, opts)
  local rest = {}
  for key, value in pairs(opts or {}) do rest[key] = value end
  checkword(rest.unit, units.WORDS, "unit", 2, "render")
  local unit = rest.unit or units.size(self.unit, self) and "nm" or self.unit
  local raw = rest.preset == "picasso"
  if unit ~= self.unit and not (units.size(self.unit, self) and units.size(unit, self)) then
    fail(3, 2, "render", "option 'unit': %s", self.unit and
      "the table has no pixel_size, nm in a camera pixel" or
      "the unit of the table is not known")
  end
  local t = self:to { unit = unit, origin = not raw and "edge" or nil }
  local extent, nm = t.extent, units.size(unit, t)
  rest.pixel = rest.pixel or nm and 10 / nm
  if raw and extent then
    extent = { 0, 0, extent[3] - extent[1], extent[4] - extent[2] }
  end
  if not (rest.extent or rest.shape or rest.out) then rest.extent = extent end
  local sigma = column(t, rest.sigma)
  local spots = { x = t.x, y = t.y, sx = sigma or t.sx, sy = sigma or t.sy,
                  weight = column(t, rest.weight) }
  if not (spots.sx and spots.sy) then
    error("bad argument #1 to 'render' (the table has no precision: give the " ..
      "option 'sigma')", 3)
  end
  if type(rest.colour) == "table" then  -- {column, range =}
    local colour = {}
    for key, value in pairs(rest.colour) do colour[key] = value end
    colour[1] = column(t, colour[1])
    rest.colour = colour
  else
    rest.colour = column(t, rest.colour)
  end
  rest.unit, rest.sigma, rest.weight = nil, nil, nil
  return spots, rest
end

---@class mascon.locs
local M = { new = new }

---Read a table of localisations.
---
---ThunderSTORM's CSV, Picasso's HDF5 with its YAML, or any CSV:
---
---    local L = mascon.locs.load "locs.csv"
---    local L = mascon.locs.load("other.txt", { unit = "nm",
---      columns = { x = "position_x", y = 3 } })
---
---@param path string
---@param opts? mascon.LocsOpts
---@return mascon.Locs? locs  nil where it fails
---@return string? message  "x.csv:17: 9 fields expected, got 8"
function M.load(path, opts)
  if type(path) ~= "string" then
    fail(2, 1, "load", "string expected, got %s", type(path))
  end
  checkoptions(opts or {}, file.OPTIONS, 2, "load")
  checkword(opts and opts.unit, units.WORDS, "unit", 2, "load")
  units.checkpixel(opts and opts.pixel_size, 2, "load", 2)
  file.checkcolumns(opts and opts.columns)
  local columns, found = file.load(path, opts or {})
  if not columns then return nil, found end
  return new(columns, found)
end

return M

---Files of localisation tables.
local core = require "mascon.core"
local units = require "mascon.locsunits"

local M = {}

---How `mascon.locs.load` reads.
---@class mascon.LocsOpts
---@field columns? table<string, string|integer>  of a CSV file: which is x, y, z, frame, photons, sx, sy
---@field unit? string  "nm", "um", "mm" or "px": that of lengths where the header does not say
---@field pixel_size? number  nm in a camera pixel, where the file does not say
---@field origin? string  "edge" or "centre" (default: centre for Picasso, else edge)
---@field dataset? string  of an HDF5 file ("locs")
---@field sep? string  of a CSV file, as for `mascon.csv.load`; also point, comment, header
---@field threads? integer
---@field progress? boolean|fun(done: integer, total: integer)

M.OPTIONS = { columns = 1, unit = 1, pixel_size = 1, origin = 1, dataset = 1,
  sep = 1, point = 1, comment = 1, header = 1, threads = 1, progress = 1 }

-- which column is which part, the first that is there
local ROLES = {
  x = { "x" }, y = { "y" }, z = { "z" }, frame = { "frame" },
  photons = { "photons", "intensity" },
  sx = { "lpx", "uncertainty_xy", "uncertainty" },
  sy = { "lpy", "uncertainty_xy", "uncertainty" },
}

-- in a table that is no file's, these names mean what they say
local PLAIN = { sx = true, sy = true }

---Which of these columns are x, y, ...; `given` comes first.
function M.findroles(names, given)
  local has, roles = {}, {}
  for _, name in ipairs(names) do has[name] = true end
  for part, list in pairs(ROLES) do
    roles[part] = given and given[part]
    for _, name in ipairs(list) do
      if not roles[part] and has[name] then roles[part] = name end
    end
    if not given and PLAIN[part] and has[part] then roles[part] = part end
  end
  return roles
end


-- frames are whole numbers, which f64 columns hold as they are
local function wholeframes(columns, name)
  local frame = columns[name]
  if not frame or frame.dtype ~= "f64" then return end
  local ok, whole = pcall(frame.copy, frame, "i64")
  if ok then columns[name] = whole
  elseif not tostring(whole):find("does not fit", 1, true) then error(whole, 0) end
end


-- {------- CSV -------

---Check the option `columns`: {part = name or place}.
function M.checkcolumns(given)
  local function bad(what, ...)
    error(("bad argument #2 to 'load' (option 'columns': %s)"):format(what:format(...)), 4)
  end
  if given == nil then return end
  if type(given) ~= "table" then bad("table expected, got %s", type(given)) end
  for part, which in pairs(given) do
    if not ROLES[part] then bad("unknown part '%s'", tostring(part)) end
    if type(which) ~= "string" and type(which) ~= "number" then
      bad("%s: name or place of a column expected, got %s", part, type(which))
    end
  end
end

-- the option 'columns' by names of the file, without units
local function findgiven(path, given, t, names)
  local roles = {}
  for part, which in pairs(given) do
    for k, place in ipairs(t.places) do
      if which == place or which == t.names[k] or which == names[k] then
        roles[part] = names[k]
        break
      end
    end
    if not roles[part] then
      return nil, ("%s: no column '%s' of numbers; it has: %s"):format(path, which,
        table.concat(t.allnames, ", "))
    end
  end
  return roles
end

local function loadcsv(path, opts)
  local t, why = core.csv.load(path, { sep = opts.sep, point = opts.point,
    comment = opts.comment, header = opts.header, text = "skip",
    threads = opts.threads, progress = opts.progress })
  if not t then return nil, why end
  local columns, names, unit, all = {}, {}, {}, {}
  for k, text in ipairs(t.names) do
    local name, u = units.split(text)
    all[k] = name
    if not columns[name] then
      names[#names + 1] = name
      columns[name], unit[name] = t[k], u
    end
  end
  local given, wrong = findgiven(path, opts.columns or {}, t, all)
  if not given then return nil, wrong end
  local roles = M.findroles(names, given)
  for _, part in ipairs { "x", "y" } do
    if not roles[part] then
      return nil, ("%s: no column '%s' of numbers; it has: %s (say which by the " ..
        "option 'columns')"):format(path, part, table.concat(t.allnames, ", "))
    end
  end
  wholeframes(columns, roles.frame)
  return columns, { names = names, units = unit, roles = roles,
    unit = units.WORDS[unit[roles.x]] and unit[roles.x] or nil }
end

-- -------}


-- {------- HDF5 -------

-- the YAML beside an HDF5 file: "Key: value" lines of all its documents, the
-- last of each key; lists and nested keys are no concern
local function loadyaml(path)
  local f = io and io.open((path:gsub("%.[^./]*$", "") .. ".yaml"))
  local info = {}
  if not f then return info end
  for line in f:lines() do
    local key, value = line:match "^([^%s#:%-][^:]*):%s*(.-)%s*$"
    if key then info[key] = tonumber(value) or value end
  end
  f:close()
  return info
end

local function module()
  local ok, hdf5 = pcall(require, "mascon.hdf5")
  if ok then return hdf5 end
  local missing = type(require) ~= "function" or
    tostring(hdf5):find("'mascon.hdf5' not found", 1, true)
  return nil, missing and "mascon.hdf5 is not built: it is where libhdf5 and its " ..
    "header are found (Debian: libhdf5-dev)" or
    "mascon.hdf5 cannot be used: " .. tostring(hdf5)
end

local function loadhdf5(path, opts)
  local hdf5, why = module()
  if not hdf5 then return nil, ("%s: %s"):format(path, why) end
  local dataset = opts.dataset or "locs"
  local t
  t, why = hdf5.load(path, dataset)
  if not t then return nil, why end
  local columns, unit = {}, { z = "nm", lpz = "nm", photons = "photon", bg = "photon" }
  if type(t) ~= "table" then
    return nil, ("%s: dataset '%s' is no table of columns"):format(path, dataset)
  end
  for k, name in ipairs(t.names) do columns[name] = t[k] end
  for _, name in ipairs { "x", "y", "sx", "sy", "lpx", "lpy" } do unit[name] = "px" end
  if not (columns.x and columns.y) then
    return nil, ("%s: no columns 'x' and 'y'; it has: %s"):format(path,
      table.concat(t.names, ", "))
  end
  local info = loadyaml(path)
  local width, height = info.Width, info.Height
  local pixel = info.Pixelsize or info["Camera.Pixelsize"]
  return columns, { names = t.names, units = unit, unit = "px", origin = "centre",
    roles = M.findroles(t.names, {}), info = info,
    pixel_size = type(pixel) == "number" and pixel or nil,
    extent = type(width) == "number" and type(height) == "number" and
      { -0.5, -0.5, height - 0.5, width - 0.5 } or nil }
end

-- -------}


-- is it an HDF5 file?  Where files cannot be looked into, by its name
local function ishdf5(path)
  local f = io and io.open(path, "rb")
  if not f then return path:find "%.hdf5$" or path:find "%.h5$" end
  local head = f:read(8)
  f:close()
  return head == "\137HDF\r\n\26\n"
end

---Columns by name, and the options of `mascon.locs.new`; or nil and a message.
function M.load(path, opts)
  local columns, t = (ishdf5(path) and loadhdf5 or loadcsv)(path, opts)
  if not columns then return nil, t end
  if opts.unit and t.unit and opts.unit ~= t.unit then
    return nil, ("%s: lengths are in %s, option 'unit' says %s"):format(path, t.unit,
      opts.unit)
  end
  t.unit = t.unit or opts.unit
  t.pixel_size = opts.pixel_size or t.pixel_size
  if t.pixel_size and not (t.pixel_size > 0 and t.pixel_size < math.huge) then
    return nil, ("%s: a camera pixel of %s nm"):format(path, t.pixel_size)
  end
  t.origin = opts.origin or t.origin
  return columns, t
end

-- what ThunderSTORM calls the parts
local THEIRS = { x = "x", y = "y", z = "z", frame = "frame", photons = "intensity" }
local PHOTONS = { intensity = "photon", offset = "photon", bkgstd = "photon" }

---Write columns with their units; x, y, z, frame and photons under the names
---that ThunderSTORM has, and one precision if there are only two.
function M.save(t, path, opts)
  local names, columns, called = {}, {}, {}
  local function add(name, unit, column)
    unit = unit or PHOTONS[name]
    names[#names + 1] = unit and ("%s [%s]"):format(name, unit) or name
    columns[#columns + 1] = column
  end
  for part, name in pairs(THEIRS) do
    local own = t.roles[part]  -- a name that another column has stays that one's
    if own and (own == name or not t.columns[name]) then called[own] = name end
  end
  for _, name in ipairs(t.names) do
    add(called[name] or name, t.units[name], t.columns[name])
  end
  if t.sx and not (t.columns.uncertainty_xy or t.columns.uncertainty) then
    add("uncertainty_xy", t.unit, core.divide(core.add(t.sx, t.sy or t.sx), 2))
  end
  local ok, why = pcall(core.csv.save, path, names, columns, opts)
  if not ok then error((tostring(why):gsub("'?'", "'save'")), 3) end
end

return M

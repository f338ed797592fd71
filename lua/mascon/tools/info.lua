---The tool info: what is in files.
local core = require "mascon.core"
local cli = require "mascon.cli"
local units = require "mascon.locsunits"

local usage = [[
usage: TOOL FILE... [options]

What is in files: .npy, .npz (also SciPy's sparse rows), HDF5, tables (CSV), images,
saved indices.  For arrays: dtype, shape, the least and the greatest number, how
many are NaN.  What can be mapped is, so that memory does not grow with the file.

  --quick               no ranges: nothing is read that need not be
  --help                this text
]]

local BLOCK = 2 ^ 21  -- elements that are looked at together

-- {------- arrays -------

-- least, greatest, number of NaN, block by block
local function range(a)
  local low, high, nan = math.huge, -math.huge, 0
  local rows = select(1, a:shape())
  local step = math.max(1, math.floor(BLOCK * rows / a.size))
  for first = 1, rows, step do
    local block = a:narrow(1, first, math.min(rows, first + step - 1))
    low, high = math.min(block:min(), low), math.max(block:max(), high)
    if a.dtype == "f32" or a.dtype == "f64" then nan = nan + block:isnan():sum() end
  end
  return low, high, nan
end

local function number(x, dtype)
  return (dtype == "f32" or dtype == "f64") and ("%.6g"):format(x) or ("%.0f"):format(x)
end

-- "min 1  max 2", and the NaN of floats
local function ranged(a, opts)
  if opts.quick or a.size == 0 then return "" end
  local low, high, nan = range(a)
  local dtype = a.dtype
  if nan == a.size then return "all NaN" end
  return ("min %s  max %s%s"):format(number(low, dtype), number(high, dtype),
    nan > 0 and ("  NaN %d"):format(nan) or "")
end

local KINDS = { "vector", "matrix" }

local function shaped(a)
  local shape = { a:shape() }
  for i, n in ipairs(shape) do shape[i] = ("%.0f"):format(n) end
  return ("%s %s %s"):format(a.dtype, KINDS[#shape] or "array", table.concat(shape, " x "))
end

-- lines of cells, one under the other
local function columns(rows, indent)
  local wide, lines = {}, {}
  for _, row in ipairs(rows) do
    for k, cell in ipairs(row) do wide[k] = math.max(wide[k] or 0, #cell) end
  end
  for i, row in ipairs(rows) do
    local line = {}
    for k, cell in ipairs(row) do line[k] = cell .. (" "):rep(wide[k] - #cell) end
    lines[i] = indent .. "  " .. table.concat(line, "  "):gsub("%s+$", "") .. "\n"
  end
  return table.concat(lines)
end

local function show(name, what, rows)
  io.write(name, ": ", what, "\n", columns(rows or {}, name:match "^ *"))
end

local function several(n, what)
  return ("%.0f %s%s"):format(n, what, n == 1 and "" or "s")
end

-- -------}

-- {------- formats: functions of a path that show, or return nil and why not -------

local function npy(path, opts)
  local a, why = core.load(path, { map = true })
  if not a then a, why = core.load(path) end  -- what cannot be mapped
  if not a then return nil, why end
  local text = ranged(a, opts)
  show(path, shaped(a) .. (text ~= "" and ", " .. text or ""))
  return true
end

-- the compressed rows of SciPy in a .npz file, if that is what it holds
local function sparse(path, opts, has)
  local c, values
  if has.indptr and has.indices and has.format then c, values = core.csr.load(path) end
  if not c then return end
  show(path, ("csr %.0f x %.0f, %s, ids from 0"):format(c.nrows, c.ncols,
    several(c.nnz, "pair")),
    { { "data", values.dtype, ranged(values, opts) } })
  return true
end

local function npz(path, opts)
  local none, names = core.npz.load(path, {})
  if not none then return nil, names end
  local has, rows = {}, {}
  for _, name in ipairs(names) do has[name] = true end
  if sparse(path, opts, has) then return true end
  for i, name in ipairs(names) do
    local arrays, why = core.npz.load(path, { name })
    local a = arrays and arrays[name]
    rows[i] = a and { name, shaped(a), ranged(a, opts) } or
      { name, "", (why:gsub("^.*%.npy: ", "")) }
  end
  show(path, "npz, " .. several(#names, "array"), rows)
  return true
end

-- a line for a column: "x [nm]" is x in nm
local function column(title, a, opts)
  local name, unit = units.split(title)
  return { name, unit or "", a and a.dtype or "text", a and ranged(a, opts) or "" }
end

-- the texts of the column at this place, by what they are: distinct ones
local function texts(path, place)
  local codes, labels = core.csv.codes(path, { columns = { place }, header = true })
  if not codes then return nil, labels end
  return codes[1].size, ("%d distinct"):format(#labels[1])
end

local function csv(path, opts)
  local t, why = core.csv.load(path, { text = "skip" })
  if not t then return nil, why .. " (no other format, so taken for a table)" end
  local at, rows, count = {}, {}, t[1] and t[1].size
  for k, place in ipairs(t.places) do at[place] = t[k] end
  for place, title in ipairs(t.allnames) do
    rows[place] = column(title, at[place], opts)
    if not at[place] and not (opts.quick and count) then
      local n, distinct = texts(path, place)
      if not n then return nil, distinct end
      count, rows[place][4] = n, distinct
    end
  end
  show(path, ("table, %s, %s"):format(several(count, "row"), several(#rows, "column")), rows)
  return true
end

local function hdf5(path, opts)
  local found, lib = pcall(require, "mascon.hdf5")
  if not found then
    return nil, path .. ": HDF5 files need mascon.hdf5, which is built where libhdf5 is"
  end
  local names, why = lib.names(path)
  if not names then return nil, why end
  show(path, "HDF5, " .. several(#names, "dataset"))
  for _, name in ipairs(names) do
    local t, wrong = lib.load(path, name)
    if type(t) == "table" then
      local rows = {}
      for k, title in ipairs(t.names) do rows[k] = column(title, t[k], opts) end
      show("  " .. name, ("table, %s, %s"):format(several(t[1].size, "row"),
        several(#rows, "column")), rows)
    else
      local text = t and ranged(t, opts) or ""
      show("  " .. name, t and shaped(t) .. (text ~= "" and ", " .. text or "") or
        wrong:gsub("^.*: ", ""))
    end
  end
  return true
end

local function index(path)
  local x, why = core.index.load(path, { map = true })
  if not x then return nil, why end
  show(path, ("index of %.0f items, rank %.0f, %s%s%s"):format(x.nitems, x.rank, x.dtype,
    x.normalize and ", for cosines" or "", x.bias and ", with a bias" or ""))
  return true
end

local function image(path, opts)
  local a, info = core.image.load(path)
  if not a then return nil, info end
  show(path, ("image, %s%s"):format(shaped(a), info.pixel and
    (", pixels of %g %s"):format(info.pixel, info.unit) or ""), { { ranged(a, opts) } })
  return true
end

-- -------}

-- how files begin
local MAGIC = {
  { "\147NUMPY", npy }, { "PK\3\4", npz }, { "PK\5\6", npz }, { "\137HDF\r\n\26\n", hdf5 },
  { "mascon\31I", index }, { "\137PNG", image }, { "II*\0", image }, { "MM\0*", image },
  { "P5", image }, { "P6", image },
}

-- the function for a file, by its first bytes; or nil and why not
local function kind(path)
  local f, why = io.open(path, "rb")
  if not f then return nil, why end
  local head, wrong = f:read(4096)
  f:close()
  if not head then return nil, path .. ": " .. (wrong or "the file is empty") end
  for _, m in ipairs(MAGIC) do
    if head:sub(1, #m[1]) == m[1] then return m[2] end
  end
  if not head:find("%z") then return csv end
  return nil, path .. ": a .npy, .npz, HDF5, CSV, image or index file expected"
end

local function inform(path, opts)
  local f, why = kind(path)
  if not f then return nil, why end
  return f(path, opts)
end

local function run(args)
  local opts, files = cli.parse(args, usage, {}, { ["--quick"] = { "quick", true } })
  if #files == 0 then cli.misuse "one file or more expected; see --help" end
  local wrong = {}
  for _, path in ipairs(files) do
    local ok, why = inform(path, opts)
    if not ok then wrong[#wrong + 1] = why end
  end
  if #wrong > 0 then cli.fail(table.concat(wrong, "\n")) end
end

return { summary = "what is in files: shapes, dtypes, ranges", run = run }

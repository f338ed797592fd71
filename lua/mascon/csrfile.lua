---Compressed rows in files: SciPy's .npz, CSV tables of pairs.
local core = require "mascon.core"
local contrast = require "mascon.contrast"
local npz = require "mascon.npz"
contrast.inside()

local M = {}

-- {------- .npz, as scipy.sparse.save_npz writes it -------

-- what a .npy file of one text holds, whatever its letters' width
local function text(bytes)
  local t = bytes:sub(math.max(bytes.size - 15, 1), bytes.size):totable()
  local letters = {}
  for _, c in ipairs(t) do
    if c == 10 then letters = {} elseif c > 0 then letters[#letters + 1] = string.char(c) end
  end
  return table.concat(letters)
end

-- what of the arrays of a file does not belong together; nil: nothing
local function misfit(m)
  local shape, data = m.shape, m.data
  if shape.ndim ~= 1 or shape.size ~= 2 or (shape.dtype ~= "i64" and shape.dtype ~= "i32") then
    return "shape is no vector of two integers, but " .. contrast.describe(shape)
  end
  if m.indptr.ndim ~= 1 or m.indptr.size ~= shape[1] + 1 then
    return "indptr and shape do not belong together"
  end
  if data.ndim ~= 1 or data.size ~= m.indices.size then
    return ("data is no vector of a value for each of %d indices, but %s"):format(
      m.indices.size, contrast.describe(data))
  end
end

local function scipy(path)
  local bytes, why = npz.bytes(path, { "format" })
  if not bytes then return nil, why end
  local format = bytes.format.size > 0 and text(bytes.format) or ""
  if format ~= "csr" then
    return nil, ("%s: csr matrix expected, got format '%s' (in SciPy: m.tocsr())")
      :format(path, format:gsub("[^%w]", "?"))
  end
  local m, message = npz.load(path, { "indptr", "indices", "shape", "data" })
  if not m then return nil, message end
  local wrong = misfit(m)
  if wrong then return nil, path .. ": " .. wrong end
  local ok, c = pcall(core.csr, m.indptr, m.indices, m.shape[2], { base = 0 })
  if not ok then return nil, ("%s: %s"):format(path, c:match "%((.*)%)" or c) end
  if m.indices.size > c.nnz then
    return nil, ("%s: indptr ends with %d, but there are %d indices (in SciPy: m.prune())")
      :format(path, c.nnz, m.indices.size)
  end
  return c, m.data
end

local FORMAT = "{'descr': '|S3', 'fortran_order': False, 'shape': (), }"

-- the entry that says "csr"
local function formatentry()
  local header = FORMAT .. (" "):rep(117 - #FORMAT) .. "\n"
  return { "format.npy", "\147NUMPY\1\0" .. string.char(#header, 0) .. header,
           core.array({ 99, 115, 114 }, "u8") }
end

---Write compressed rows as a .npz file that `scipy.sparse.load_npz` reads,
---whole or not at all; raises on failure.
---@param c mascon.csr
---@param path string
---@param opts? {data?: mascon.Array, compress?: boolean|integer}  the values of
---  the entries (ones, u8)
function M.save(c, path, opts)
  if type(c) ~= "userdata" or getmetatable(c) ~= "mascon.csr" then
    contrast.bad("save", 1, "csr expected, got " .. contrast.describe(c))
  end
  if type(path) ~= "string" then
    contrast.bad("save", 2, "file name expected, got " .. contrast.describe(path))
  end
  local ok, why = pcall(c.take, c, core.zeros(0, "i32"))  -- which looks at all of it
  if not ok then contrast.bad("save", 1, why:match "%((.*)%)" or why) end
  opts = contrast.checkoptions("save", 3, opts, { data = true, compress = true })
  local level = npz.level({ compress = opts.compress }, "save", 3)
  local data = opts.data or core.ones(c.nnz, "u8")
  if not contrast.isarray(data) or data.ndim ~= 1 or data.size ~= c.nnz then
    contrast.bad("save", 3, ("option 'data': vector %d expected, got %s"):format(c.nnz,
      contrast.describe(data)))
  end
  local indices = c.nnz > 0 and c.indices:sub(1, c.nnz) or c.indices
  if c.base == 1 then indices = indices - 1 end
  npz.write(path, { npz.entry("indices", indices), npz.entry("indptr", c.indptr),
    formatentry(), npz.entry("shape", core.array({ c.nrows, c.ncols }, "i64")),
    npz.entry("data", data) }, level)
end

-- -------}


-- {------- tables of pairs -------

local PAIRS = { user = true, item = true, users = true, items = true, sep = true,
                comment = true, header = true, progress = true }

local function bad(name, expected, got)
  contrast.bad("load", 2, ("option '%s': %s expected, got %s"):format(name, expected,
    contrast.describe(got)))
end

local function whole(x)
  return type(x) == "number" and x % 1 == 0 and x > -2 ^ 53 and x < 2 ^ 53
end

-- the list of texts that option 'name' has; false: none
local function checklist(name, list)
  if list == nil then return false end
  if type(list) ~= "table" then bad(name, "list of ids", list) end
  local out, seen = {}, {}
  for k in pairs(list) do
    if not whole(k) or k < 1 or k > #list then bad(name, "list without holes", list) end
  end
  for i = 1, #list do
    local id = list[i]
    if whole(id) then id = ("%d"):format(id) end
    if id == nil then bad(name, "list without holes", list) end
    if type(id) ~= "string" then bad(name, "list of strings or integers", id) end
    if seen[id] then
      contrast.bad("load", 2, ("option '%s': '%s' at position %d was there before"):format(
        name, id, i))
    end
    out[i], seen[id] = id, true
  end
  return out
end

local function checkcolumn(name, column, default)
  if column == nil then return default end
  if type(column) ~= "string" and not (whole(column) and column > 0) then
    bad(name, "name or place of a column", column)
  end
  return column
end

local function pairsof(path, opts)
  opts = contrast.checkoptions("load", 2, opts, PAIRS)
  local ok, codes, labels = pcall(core.csv.codes, path, {
    columns = { checkcolumn("user", opts.user, 1), checkcolumn("item", opts.item, 2) },
    labels = { checklist("users", opts.users), checklist("items", opts.items) },
    sep = opts.sep, comment = opts.comment, header = opts.header,
    progress = opts.progress })
  if not ok then
    contrast.raise(type(codes) == "string" and codes:gsub("to '[^']*'", "to 'load'", 1) or codes)
  end
  if not codes then return nil, labels end
  local users, items = codes[1], codes[2]
  local known = users:gt(0):land(items:gt(0))
  local unknown = users.size - known:sum()
  if unknown > 0 then users, items = users:take(known), items:take(known) end
  return core.csr.from_pairs(users, items, #labels[1], #labels[2], { base = 1 }),
    labels[1], labels[2], { pairs = users.size, unknown = unknown }
end

-- -------}


---@class mascon.PairOpts
---@field user? string|integer  column of the users' ids (1)
---@field item? string|integer  column of the items' ids (2)
---@field users? (string|integer)[]  the ids of the rows, in order; others are left out
---@field items? (string|integer)[]  the ids of the columns
---@field sep? string
---@field comment? string
---@field header? boolean
---@field progress? mascon.progress

---Compressed rows from a file, or nil and a message.
---
---From a .npz file of SciPy: the csr (ids from 0) and the values of its entries.
---From any other file, a CSV table with a pair of ids in each row: the csr (ids
---from 1), the ids of its rows and of its columns, in the order of the given
---lists, else as first seen, and how many pairs were read and were of unknown ids.
---@param path string
---@param opts? mascon.PairOpts
---@return mascon.csr? c
---@return mascon.Array|string[]|string users  ids of the rows, or the values; or the message
---@return string[]? items
---@return {pairs: integer, unknown: integer}? info
function M.load(path, opts)
  if type(path) ~= "string" then
    contrast.bad("load", 1, "file name expected, got " .. contrast.describe(path))
  end
  if not path:find "%.npz$" then return pairsof(path, opts) end
  contrast.checkoptions("load", 2, opts, {})
  return scipy(path)
end

core.csr.load = M.load
core.csr.save = M.save
return M

---.npz files: several .npy files in one zip archive, as numpy.savez makes them.
local core = require "mascon.core"
local contrast = require "mascon.contrast"
contrast.inside()

local M = {}

-- the C module, which is there where its library was
local function zip()
  local ok, found = pcall(require, "mascon.zip")
  if ok then return found end
  return nil, "module mascon.zip is not here: it is built where libzip is " ..
    "(Debian: libzip-dev)"
end

local function checkpath(path, name)
  if type(path) ~= "string" then contrast.bad(name, 1, "file name expected, got " ..
    contrast.describe(path)) end
end

---The bytes of the entries of a .npz file, by name, without the ".npy"; only
---those that `names` lists. Or nil and a message.
---@param path string
---@param names? string[]
---@return table<string, mascon.Array>? bytes
---@return string[]|string names  of all arrays in it, in its order
function M.bytes(path, names)
  local lib, why = zip()
  if not lib then return nil, why end
  local wanted
  if names then
    wanted = {}
    for i, name in ipairs(names) do wanted[i] = name .. ".npy" end
  end
  local entries, all = lib.read(path, wanted)
  if not entries then return nil, ("%s: %s"):format(path, all) end
  local found, list = {}, {}
  for i, name in ipairs(all) do list[i] = name:gsub("%.npy$", "") end
  for name, a in pairs(entries) do found[name:gsub("%.npy$", "")] = a end
  for _, name in ipairs(names or {}) do
    if not found[name] then
      return nil, ("%s: no array '%s'; it has: %s"):format(path, name,
        table.concat(list, ", "))
    end
  end
  return found, list
end

---The arrays of a .npz file by name, and their names in the file's order; or
---nil and a message. `names` lists those that are wanted: the others, which
---may be of types that have no dtype here, are not looked at.
---@param path string
---@param names? string[]
---@return table<string, mascon.Array>? arrays
---@return string[]|string names  or the message
function M.load(path, names)
  checkpath(path, "load")
  if names ~= nil and type(names) ~= "table" then
    contrast.bad("load", 2, "list of names expected, got " .. contrast.describe(names))
  end
  local bytes, list = M.bytes(path, names)
  if not bytes then return nil, list end
  local arrays = {}
  for name, b in pairs(bytes) do
    local a, why = core.npy.decode(b, ("%s: %s.npy"):format(path, name))
    if not a then return nil, why end
    arrays[name] = a
  end
  return arrays, list
end

---Write an archive of entries {name, head, array}: whole or not at all.
function M.write(path, entries, level)
  local lib, why = zip()
  if not lib then contrast.raise(why) end
  local ok, message = core.pixels.replace(path, function(temp)
    local done, problem = lib.write(temp, entries, level)
    if not done then error(path .. ": " .. problem, 0) end
  end)
  if not ok then contrast.raise(message) end
end

---The entry of an array: its elements side by side, in row-major order.
function M.entry(name, a)
  local ok, head, contiguous = pcall(core.npy.head, a)
  if not ok then contrast.raise(("%s: %s"):format(name, head:match "%((.*)%)" or head)) end
  return { name .. ".npy", head, contiguous and a or a:copy() }
end

-- no byte of 'name' is out of place in UTF-8
local function isutf8(name)
  local rest = name:gsub("[\xc2-\xdf][\x80-\xbf]", "")
    :gsub("[\xe0-\xef][\x80-\xbf][\x80-\xbf]", "")
    :gsub("[\xf0-\xf4][\x80-\xbf][\x80-\xbf][\x80-\xbf]", "")
  return not rest:find "[\x80-\xff]"
end

---Write arrays into a .npz file by their names, whole or not at all; raises on
---failure. numpy.load reads it.
---@param path string
---@param arrays table<string, mascon.Array>
---@param opts? {compress?: boolean|integer}  true or 1 to 9: deflate; false
function M.save(path, arrays, opts)
  checkpath(path, "save")
  if type(arrays) ~= "table" then
    contrast.bad("save", 2, "table of arrays by name expected, got " ..
      contrast.describe(arrays))
  end
  local level = M.level(opts, "save", 3)
  local names, entries = {}, {}
  for name, a in pairs(arrays) do
    if type(name) ~= "string" or not contrast.isarray(a) then
      contrast.bad("save", 2, ("arrays by name expected, got %s = %s"):format(
        tostring(name), contrast.describe(a)))
    elseif name:find "%z" then
      contrast.bad("save", 2, ("a name holds a zero byte: %q"):format(name))
    elseif not isutf8(name) then
      contrast.bad("save", 2, ("names in UTF-8 expected, got %q"):format(name))
    end
    names[#names + 1] = name
  end
  table.sort(names)
  for i, name in ipairs(names) do entries[i] = M.entry(name, arrays[name]) end
  M.write(path, entries, level)
end

---What the option `compress` asks for: 0 to 9.
function M.level(opts, name, arg)
  opts = contrast.checkoptions(name, arg, opts, { compress = true })
  local level = opts.compress or 0
  if level == true then level = 6 end
  if type(level) ~= "number" or level < 0 or level > 9 or level % 1 ~= 0 then
    contrast.bad(name, arg, "option 'compress': true, false or 0 to 9 expected, got " ..
      contrast.describe(level))
  end
  return level
end

return M

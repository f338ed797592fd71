---What Tab completes at the prompt: names, fields, methods, file names.
---
---Values are only looked at: nothing of the user's is called.
local core = require "mascon.core"
local manual = require "mascon.help"

local KEYWORDS = { "and", "break", "do", "else", "elseif", "end", "false", "for",
  "function", "goto", "if", "in", "local", "nil", "not", "or", "repeat", "return",
  "then", "true", "until", "while" }
local DEEP = 8  -- tables behind tables that names are looked for in

-- {------- names -------

local function metatable(value)
  local ok, meta = pcall(getmetatable, value)
  return ok and type(meta) == "table" and meta or nil
end

-- the tables where the fields of a value may stand
local function tables(value)
  local list = {}
  if type(value) == "string" then return { string } end
  while value ~= nil and #list < DEEP do
    if type(value) == "table" then list[#list + 1] = value end
    local meta = metatable(value)
    value = meta and rawget(meta, "__index")
    if type(value) ~= "table" then break end
  end
  return list
end

local function field(value, name)
  for _, t in ipairs(tables(value)) do
    local v = rawget(t, name)
    if v ~= nil then return v end
  end
end

-- names of what is documented for a value of ours
local function documented(value, add, methods)
  local class, prefix = manual.classof(value)
  if not class then return end
  local h = manual.all()
  if not methods then
    for _, f in ipairs(manual.fields(h, class)) do add(f[1]:gsub("%?$", "")) end
  end
  for name in pairs(h.byname) do
    local short = name:match "[%w_]+$"
    if name == prefix .. "." .. short then add(short) end
  end
end

-- the names behind "." or ":" (methods) of a value
local function names(value, methods)
  local list, seen = {}, {}
  local function add(name)
    if type(name) == "string" and name:find "^[%a_][%w_]*$" and not seen[name] then
      seen[name] = true
      list[#list + 1] = name
    end
  end
  for _, t in ipairs(tables(value)) do
    for name, v in next, t do
      if not methods or type(v) == "function" then add(name) end
    end
  end
  if not rawequal(value, core) then documented(value, add, methods) end
  return list
end

-- the value of "a.b.c"; nil where it is none, or only a call would tell
local function resolve(path, env)
  local value = env
  for name in path:gmatch "[^.:]+" do
    if type(value) ~= "table" and type(value) ~= "string" then return end
    value = field(value, name)
    if value == nil then return end
  end
  return value
end

local function completename(text, env)
  local chain = text:match "[%w_.:]*$"
  local base, separator, part = chain:match "^(.-)([.:])([%w_]*)$"
  if not base then
    if chain == "" or chain:find "^%d" then return {}, "" end
    local list = names(env)
    for _, word in ipairs(KEYWORDS) do list[#list + 1] = word end
    return list, chain
  end
  if not base:find "^[%a_]" then return {}, part end
  local value = resolve(base, env)
  if value == nil then return {}, part end
  return names(value, separator == ":"), part
end

-- -------}


-- {------- file names -------

-- the quote that is open at the end of a text, and what stands behind it
local function openstring(text)
  local quote, from
  local i = 1
  while i <= #text do
    local c = text:sub(i, i)
    if quote then
      if c == "\\" then i = i + 1
      elseif c == quote then quote = nil end
    elseif c == '"' or c == "'" then
      quote, from = c, i + 1
    end
    i = i + 1
  end
  return quote, quote and text:sub(from)
end

local function completefile(path, quote, files)
  local folder, part = path:match "^(.*/)([^/]*)$"
  if not folder then folder, part = "", path end
  local where = folder == "" and "." or folder:gsub("\\(.)", "%1")
  local home = where:match "^~/" and os and os.getenv and os.getenv "HOME"
  if home then where = home .. where:sub(2) end
  local list = {}
  for _, name in ipairs(files(where)) do
    if (part:find "^%." or not name:find "^%.") and not name:find "%c" then
      local text = name:gsub("[\\" .. quote .. "]", "\\%0")  -- as source
      list[#list + 1] = text:find "/$" and text or text .. quote
    end
  end
  return list, part
end

-- -------}


-- the longest beginning that all have, of whole characters
local function common(list)
  local n = #list[1]
  for _, s in ipairs(list) do
    while s:sub(1, n) ~= list[1]:sub(1, n) do n = n - 1 end
  end
  while n > 0 and list[1]:find("^[\128-\191]", n + 1) do n = n - 1 end
  return list[1]:sub(1, n)
end

-- in columns
local function columns(list, width)
  local widest = 0
  for _, s in ipairs(list) do widest = math.max(widest, #s + 2) end
  local percolumn = math.max(1, math.floor(width / widest))
  local lines = {}
  for i = 1, #list, percolumn do
    local line = ""
    for k = i, math.min(i + percolumn - 1, #list) do
      line = line .. list[k] .. (" "):rep(widest - #list[k])
    end
    lines[#lines + 1] = line:gsub("%s+$", "")
  end
  return table.concat(lines, "\n") .. "\n"
end

---What Tab adds to a text, and what it could be where that is not clear.
---@param text string  what is before the cursor
---@param env table  the globals
---@param files fun(folder: string): string[]  names in a folder
---@return string insert
---@return string? list  lines
local function complete(text, env, files)
  local quote, path = openstring(text)
  local all, part
  if quote then all, part = completefile(path, quote, files)
  else all, part = completename(text, env) end
  local list = {}
  for _, name in ipairs(all) do
    if name:sub(1, #part) == part then list[#list + 1] = name end
  end
  if #list == 0 then return "" end
  table.sort(list)
  local insert = common(list):sub(#part + 1)
  if insert ~= "" or #list == 1 then return insert end
  return "", columns(list, (core.terminal "stdout") or 80)
end

return { complete = complete, resolve = resolve }

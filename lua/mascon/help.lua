---Help at the prompt, and the reference part of the manual: both are read from
---the annotations of `meta.lua` and of the Lua parts.
local core = require "mascon.core"

-- where annotations stand, and what their names stand for
local SOURCES = {
  { "meta", { mascon = "mascon", Array = "Array", Random = "Random", Hits = "Hits" } },
  { "show", { show = "mascon.show" } },
  { "plot", { plot = "mascon.plot", hist = "mascon.hist", heatmap = "mascon.heatmap" } },
  { "imagefile", { image = "mascon.image" } },
  { "image", { M = "mascon.image" } },
  { "npz", { M = "mascon.npz" } },
  { "csrfile", { M = "mascon.csr" } },
  { "contrast", {} }, { "hues", {} }, { "locsfile", {} },
  { "locs", { M = "mascon.locs", new = "mascon.locs.new", Locs = "Locs" } },
  { "help", { help = "mascon.help" } },
}

---What is annotated under one name.
---@class mascon.Entry
---@field name string  "mascon.topn", "Array:row"
---@field args string[]?  of a function; optional ones end in "?"
---@field text string[]  lines
---@field params string[][]  name, type, meaning
---@field returns string[][]  the same

---@class mascon.Help
---@field entries mascon.Entry[]  in the order in which they are written
---@field byname table<string, mascon.Entry>  names with "." for ":"
---@field classes table<string, {parents: string, text: string[], fields: string[][]}>

-- {------- reading annotations -------

-- the text of a module: carried by the program, else its file
local function source(name)
  local found, text = pcall(require, "mascon.text")
  if found then return text(name) end
  if not (package and package.searchpath and io) then return end
  local path = package.searchpath(name, package.path)
  local f = path and io.open(path, "rb")
  if not f then return end
  text = f:read "*a"
  f:close()
  return text
end

-- "name? type  meaning", where the type may have blanks inside brackets
local function declaration(line)
  local name, rest = line:match "^(%S+)%s+(.*)$"
  if not name then return { line, "", "" } end
  local depth, last = 0, #rest
  for i = 1, #rest do
    local c = rest:sub(i, i)
    if c:find "[%(%[{<]" then depth = depth + 1
    elseif c:find "[%)%]}>]" then depth = depth - 1
    elseif c == " " and depth == 0 and not rest:sub(1, i - 1):find "[:,|]$" then
      last = i - 1
      break
    end
  end
  return { name, rest:sub(1, last), (rest:sub(last + 1):gsub("^%s+", "")) }
end

-- the type comes first in what a function returns
local function result(line)
  local d = declaration("x " .. line)
  local name, meaning = d[3]:match "^(%S+)%s*(.*)$"
  return { name or "", d[2], meaning or "" }
end

local function newblock()
  return { text = {}, params = {}, returns = {}, fields = {} }
end

-- one line of a block of annotations
local function annotate(block, line)
  local tag, rest = line:match "^@(%a+)%s*(.*)$"
  if tag == "param" then block.params[#block.params + 1] = declaration(rest)
  elseif tag == "return" then block.returns[#block.returns + 1] = result(rest)
  elseif tag == "field" then
    rest = rest:gsub("^private%s+.*", "")
    if rest ~= "" then block.fields[#block.fields + 1] = declaration(rest) end
  elseif tag == "class" then
    block.class, block.parents = rest:match "^([%w_.]+)%s*:?%s*(.*)$"
  elseif tag == "private" then block.private = true
  elseif tag == nil then
    local lists = #block.returns > 0 and block.returns or #block.params > 0
      and block.params or #block.fields > 0 and block.fields
    if lists then  -- an annotation that goes on
      local d = lists[#lists]
      d[3] = d[3] .. " " .. line:gsub("^%s+", "")
    else block.text[#block.text + 1] = line end
  end
end

-- which of our names a name in a source is; nil: none
local function ours(name, names)
  local first, rest = name:match "^([%w_]+)(.*)$"
  return first and names[first] and names[first] .. rest
end

local function add(h, block, name, args)
  local entry = block
  entry.name = name
  if args then
    entry.args = {}
    local optional = {}
    for _, p in ipairs(block.params) do
      optional[p[1]:gsub("%?$", "")] = p[1]
    end
    for arg in args:gmatch "[%w_.]+" do
      entry.args[#entry.args + 1] = optional[arg] or arg
    end
  end
  local key = name:gsub(":", ".")
  if h.byname[key] then return end  -- what is declared twice
  h.entries[#h.entries + 1] = entry
  h.byname[key] = entry
end

-- the line of code under a block (without one nothing is documented)
local function declare(h, block, line, names)
  local name, args = line:match "^function%s+([%w_.:]+)%s*%((.-)%)"
  if not name then name, args = line:match "^local%s+function%s+([%w_]+)%s*%((.-)%)" end
  if name then
    name = ours(name, names)
    if name and not block.private and #block.text > 0 then add(h, block, name, args) end
    return
  end
  local left, right = line:match "^([%w_.]+) = (.*)$"
  local target = left and ours(left, names)
  if not target then return end
  local alias = right:match "^mascon[%w_.]+$"
  if alias and h.byname[alias] then h.byname[target] = h.byname[alias]
  elseif #block.text > 0 then add(h, block, target) end
end

local function read(h, text, names)
  local block = newblock()
  for line in (text .. "\n"):gmatch "(.-)\r?\n" do
    local doc = line:match "^%-%-%-(.*)$"
    if doc then annotate(block, doc)
    else
      declare(h, block, line, names)
      if block.class and not h.classes[block.class] then h.classes[block.class] = block end
      block = newblock()
    end
  end
end

local known  -- read once, when it is asked for

---All that is documented.
---@return mascon.Help
local function all()
  if known then return known end
  local h = { entries = {}, byname = {}, classes = {} }
  for _, s in ipairs(SOURCES) do
    local text = source("mascon." .. s[1])
    if text then read(h, text, s[2]) end
  end
  known = h
  return h
end

-- -------}


-- {------- showing -------

-- "mascon.topn(scores, n [, opts]) -> ids, scores"
local function signature(e)
  if not e.args then return e.name end
  local list, open = "", 0
  for i, arg in ipairs(e.args) do
    local name = arg:gsub("%?$", "")
    local comma = i > 1 and ", " or ""
    if name ~= arg then
      list = list .. (i > 1 and " [" or "[") .. comma .. name
      open = open + 1
    else list = list .. comma .. name end
  end
  list = list .. ("]"):rep(open)
  local results = {}
  for _, r in ipairs(e.returns) do
    results[#results + 1] = r[1] ~= "" and r[1] or r[2]
  end
  return ("%s(%s)%s"):format(e.name, list,
    #results > 0 and " -> " .. table.concat(results, ", ") or "")
end

-- the fields of a class and of those it stands on, added to a list
local function fields(h, class, list)
  local c = h.classes[class]
  list = list or {}
  if not c then return list end
  for _, f in ipairs(c.fields) do list[#list + 1] = f end
  for parent in c.parents:gmatch "[%w_.]+" do fields(h, parent, list) end
  return list
end

local function rows(lines, list)
  local width = 0
  for _, d in ipairs(list) do width = math.max(width, #d[1]) end
  for _, d in ipairs(list) do
    lines[#lines + 1] = ("  %s  %s%s"):format(d[1] .. (" "):rep(width - #d[1]), d[2],
      d[3] ~= "" and "  " .. d[3] or "")
  end
end

local function section(lines, title, list)
  if #list == 0 then return end
  lines[#lines + 1] = ""
  if title then lines[#lines + 1] = title end
  rows(lines, list)
end

-- the text without blank lines at either end
local function trimmed(text)
  local first, last = 1, #text
  while text[first] == "" do first = first + 1 end
  while last > first and text[last] == "" do last = last - 1 end
  local lines = {}
  for i = first, last do lines[#lines + 1] = text[i] end
  return lines
end

local function describe(h, e)
  local lines = { signature(e), "" }
  for _, line in ipairs(trimmed(e.text)) do lines[#lines + 1] = line end
  section(lines, nil, e.params)
  for _, p in ipairs(e.params) do
    local list = {}
    for class in p[2]:gmatch "mascon%.%u%w*Opts" do fields(h, class, list) end
    section(lines, "Options", list)
  end
  section(lines, #e.returns > 0 and "Returns" or nil, e.returns)
  return table.concat(lines, "\n")
end

-- -------}


-- {------- finding -------

-- names under which a class of values has its methods
local CLASSES = { ["mascon.array"] = { "mascon.Array", "Array" },
                  ["mascon.csr"] = { "mascon.csr", "mascon.csr" },
                  ["mascon.random"] = { "mascon.Random", "Random" },
                  ["mascon.index"] = { "mascon.index", "mascon.index" },
                  ["mascon.job"] = { "mascon.Job", "Job" },
                  ["mascon.Locs"] = { "mascon.Locs", "Locs" } }

-- of a value of ours: the names of its class and of its methods' table
local function classof(value)
  local ok, meta = pcall(getmetatable, value)
  if not ok or meta == nil then return end
  if type(meta) == "table" then meta = rawget(meta, "__name") end
  if meta == nil then return end
  local c = CLASSES[meta]
  if c then return c[1], c[2] end
end

-- "sum" of values that are methods
local function method(h, value)
  for name in pairs(h.byname) do
    local short = name:match "^Array%.(.*)$"
    if short and core.zeros(1)[short] == value then return h.byname[name] end
  end
end

local function byvalue(h, value)
  local function search(t, prefix, depth)
    for name, v in pairs(t) do
      if type(name) == "string" then
        if rawequal(v, value) then return h.byname[prefix .. name] end
        local e = type(v) == "table" and depth < 2 and search(v, prefix .. name .. ".", depth + 1)
        if e then return e end
      end
    end
  end
  return search(core, "mascon.", 1) or (type(value) == "function" and method(h, value))
end

-- sorted names that contain a text
local function similar(h, text)
  local list = {}
  for name in pairs(h.byname) do
    if name:lower():find(text:lower(), 1, true) then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

-- what of a class can be used
local function describeclass(h, class, prefix)
  local c = h.classes[class]
  local lines = { class, "" }
  for _, line in ipairs(c and trimmed(c.text) or {}) do lines[#lines + 1] = line end
  section(lines, "Fields", fields(h, class))
  local names = {}
  for name in pairs(h.byname) do
    local short = name:match("^" .. prefix:gsub("%.", "%%.") .. "%.([%w_]+)$")
    if short then names[#names + 1] = short end
  end
  table.sort(names)
  if #names > 0 then
    lines[#lines + 1] = "\nMethods"
    local line = " "
    for _, name in ipairs(names) do
      if #line + #name > 76 then
        lines[#lines + 1] = line
        line = " "
      end
      line = line .. " " .. name
    end
    lines[#lines + 1] = line
  end
  return table.concat(lines, "\n")
end

local INTRO = [[
?topn, help(mascon.topn)   signature, meaning and example of a function
?Array, help(a)            what an array can do
?sort                      names that contain a word, if none is just it
!time expr                 how long something takes
_                          the last result; a ; at the end keeps it from showing
Tab                        completes names, methods and file names
Ctrl-R, Ctrl-C, Ctrl-D     search the history, stop, leave]]

-- the text for a name
local function byname(h, name)
  local key = name:gsub("[%s%(%)]", ""):gsub(":", ".")
  if key == "" then return INTRO end
  local tries = { key, "mascon." .. key, "Array." .. key }
  for _, s in pairs(CLASSES) do tries[#tries + 1] = s[2] .. "." .. key end
  for _, try in ipairs(tries) do
    if h.byname[try] then return describe(h, h.byname[try]) end
  end
  for _, class in ipairs { key, "mascon." .. key } do
    if h.classes[class] then
      local prefix = class:gsub("^mascon%.(%u)", "%1")
      return describeclass(h, class, prefix)
    end
  end
  local names = similar(h, key)
  if #names == 0 then return ("nothing is known of '%s'"):format(name) end
  if #names == 1 then return describe(h, h.byname[names[1]]) end
  return table.concat(names, "\n")
end

-- the text for whatever help is asked of
local function textof(what)
  if not string then return "help needs the library 'string'" end
  local h = all()
  if #h.entries == 0 then return "the texts of the manual are not here" end
  if what == nil then return INTRO end
  if type(what) == "string" then return byname(h, what) end
  if rawequal(what, core) then
    return "mascon " .. core.info().version .. "\n\n" .. INTRO .. "\n\n" ..
      table.concat(similar(h, "mascon."), "\n")
  end
  local class, prefix = classof(what)
  if class then return describeclass(h, class, prefix) end
  local e = byvalue(h, what)
  if e then return describe(h, e) end
  return ("nothing is known of this %s"):format(type(what))
end

---Print what a function or a value of ours is for.
---
---    help(mascon.topn)
---    help "Array:take"
---
---@param what? any  a function, an array, or a name; nothing: what the prompt knows
local function help(what)
  print(textof(what))
end

-- -------}


-- {------- the manual -------

local GROUPS = { { "^mascon%.[%w_]+$", "Functions" }, { "^mascon%.", "Parts" },
                 { "^Array", "Methods of arrays" }, { "", "Methods of other values" } }

-- what stands in a column of a table of Markdown
local function cell(text)
  return (text:gsub("|", "\\|"))
end

local function item(lines, e, aliased)
  lines[#lines + 1] = ("\n### `%s`\n"):format(signature(e))
  for _, line in ipairs(trimmed(e.text)) do lines[#lines + 1] = line end
  if aliased then lines[#lines + 1] = "\nAlso a method of arrays." end
  local list = {}
  for _, p in ipairs(e.params) do list[#list + 1] = p end
  for _, r in ipairs(e.returns) do
    list[#list + 1] = { "-> " .. r[1], r[2], r[3] }
  end
  if #list == 0 then return end
  lines[#lines + 1] = "\n| | | |\n|---|---|---|"
  for _, d in ipairs(list) do
    lines[#lines + 1] = ("| `%s` | `%s` | %s |"):format(d[1], cell(d[2]), cell(d[3]))
  end
end

local function classes(lines, h)
  local names = {}
  for name, c in pairs(h.classes) do
    if #c.fields > 0 then names[#names + 1] = name end
  end
  table.sort(names)
  lines[#lines + 1] = "\n## Options and fields"
  for _, name in ipairs(names) do
    local c = h.classes[name]
    lines[#lines + 1] = ("\n### `%s`%s\n"):format(name,
      c.parents ~= "" and (", and all of `%s`"):format(c.parents) or "")
    for _, line in ipairs(trimmed(c.text)) do lines[#lines + 1] = line end
    lines[#lines + 1] = "\n| | | |\n|---|---|---|"
    for _, d in ipairs(c.fields) do
      lines[#lines + 1] = ("| `%s` | `%s` | %s |"):format(d[1], cell(d[2]), cell(d[3]))
    end
  end
end

---The reference part of the manual, in Markdown.
---@return string
local function reference()
  local h = all()
  local lines = { "# mascon from Lua: the reference\n\nMade by `make docs` from what " ..
    "editors and `?name` show; the manual is [README.md](README.md)." }
  local done, aliased = {}, {}
  for key, e in pairs(h.byname) do
    if key ~= e.name:gsub(":", ".") then aliased[e] = true end
  end
  for _, group in ipairs(GROUPS) do
    lines[#lines + 1] = ("\n## %s"):format(group[2])
    for _, e in ipairs(h.entries) do
      if not done[e] and e.name:find(group[1]) then
        done[e] = true
        item(lines, e, aliased[e])
      end
    end
  end
  classes(lines, h)
  return table.concat(lines, "\n") .. "\n"
end

-- -------}


return { all = all, classof = classof, fields = fields, help = help,
         reference = reference, textof = textof }

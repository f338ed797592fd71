---The prompt: what a statement is, how values are shown.
---
---The program supplies the terminal (line editing, history, Ctrl-C) and calls
---what `read` compiles; a test supplies tables of lines.
local core = require "mascon.core"
local manual = require "mascon.help"
local completion = require "mascon.complete"

---@class mascon.Session
---@field private line fun(prompt: string): string|false|nil
---@field private remember fun(line: string)
---@field private files fun(folder: string): string[]
---@field private silent boolean
local Session = {}
Session.__index = Session

local FIRST, MORE = "> ", ">> "
local MOST = 40  -- fields of a table that are shown

-- {------- what a statement is -------

-- an expression is a statement that returns its values; whether a ";" ends it
local function compile(text)
  local silent = text:match "^(.-)%s*;%s*$"
  local f = load("return " .. (silent or text), "=stdin", "t")
  if f then return f, silent ~= nil end
  return load(text, "=stdin", "t")
end

-- whether more lines could still make a statement of it
local function incomplete(message)
  return message:find "<eof>'?$"
end

-- "1.23 ms"
local function duration(seconds)
  for _, unit in ipairs { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" } } do
    if seconds >= unit[1] then return ("%.3g %s"):format(seconds / unit[1], unit[2]) end
  end
  return ("%.0f ns"):format(seconds * 1e9)
end

-- f, which also prints how long it took
local function timed(f)
  local function finish(began, ...)
    print(duration(core.clock() - began))
    return ...
  end
  return function() return finish(core.clock(), f()) end
end

-- ?name: of the value that has it, else of the name
local function explain(name)
  return function()
    local value = completion.resolve(name, _G)
    local text = value ~= nil and type(value) ~= "string" and manual.textof(value)
    if not text or text:find "^nothing is known" then text = manual.textof(name) end
    print(text)
  end
end

-- "!time x" is x, timed
local function prepare(text)
  local name = text:match "^%s*%?%s*(.-)%s*$"
  if name then return explain(name) end
  local command, rest = text:match "^%s*!%s*(%w*)%s*(.*)$"
  if not command then return compile(text) end
  if command ~= "time" then
    return nil, ("there is no command '!%s', only !time"):format(command)
  end
  local f, message = compile(rest)
  if f then return timed(f), message end
  return f, message
end

---Read lines until they are a statement, and compile it.
---
---@return function|false|nil chunk  false: Ctrl-C or an error; nil: the end
---@return string? message  what is wrong with a text that is no statement
function Session:read()
  local text = self.line(FIRST)
  if not text then return text end
  while true do
    self.remember(text:match "[^\n]*$")
    local f, message = prepare(text)
    if f then
      self.silent = message == true
      return f
    end
    if not incomplete(message) then return false, message end
    local more = self.line(MORE)
    if more == false then return false end
    if more == nil then return false, message end
    text = text .. "\n" .. more
  end
end

-- -------}


-- {------- how values are shown -------

-- a value within a table, in one line
local function brief(v)
  if type(v) == "string" then return ("%q"):format(v):gsub("\\\n", "\\n") end
  if type(v) == "table" then return next(v) == nil and "{}" or "{...}" end
  return (tostring(v):match "^[^\n]*")
end

-- a table of the user's as a constructor, its first fields
local function constructor(t)
  local parts, keys, names = {}, {}, {}
  for i = 1, math.min(#t, MOST) do parts[i] = brief(t[i]) end
  for k in next, t do
    if type(k) ~= "number" or k < 1 or k > #t or k % 1 ~= 0 then
      keys[#keys + 1] = k
      names[k] = tostring(k)
    end
  end
  table.sort(keys, function(a, b) return names[a] < names[b] end)
  for _, k in ipairs(keys) do
    local name = type(k) == "string" and k:find "^[%a_][%w_]*$" and k or
      "[" .. brief(k) .. "]"
    parts[#parts + 1] = name .. " = " .. brief(rawget(t, k))
  end
  local more = #parts > MOST or #t > MOST
  local text = "{" .. table.concat(parts, ", ", 1, math.min(#parts, MOST))
  return text .. (more and ", ...}" or "}")
end

local function look(v)
  if type(v) == "table" and getmetatable(v) == nil and next(v) ~= nil then
    return constructor(v)
  end
  return v
end

---Show the values of a statement, as `print` does; the first becomes `_`.
function Session:show(...)
  local n = select("#", ...)
  if n == 0 then return end
  local first = ...
  if first ~= nil then rawset(_G, "_", first) end
  if self.silent then return end
  local values = { ... }
  for i = 1, n do values[i] = look(values[i]) end
  print((table.unpack or unpack)(values, 1, n))
end

-- -------}


---What Tab adds to the text before the cursor; it never raises.
---@param text string
---@return string insert
---@return string? list  what it could be, in lines
function Session:complete(text)
  local ok, insert, list = pcall(completion.complete, text, _G, self.files)
  if not ok then return "" end
  return insert, list
end

local M = {}

---Make a session.
---@param line fun(prompt: string): string|false|nil  reads one; false: Ctrl-C; nil: the end
---@param remember fun(line: string)  adds one to the history
---@param files? fun(folder: string): string[]  the names in a folder
---@return mascon.Session
function M.new(line, remember, files)
  return setmetatable({ line = line, remember = remember, silent = false,
    files = files or function() return {} end }, Session)
end

---Make the session of a terminal: with `help` as a global, and bars of what takes
---long.
---@param line fun(prompt: string): string|false|nil
---@param remember fun(line: string)
---@param files fun(folder: string): string[]
---@return mascon.Session
function M.start(line, remember, files)
  if rawget(_G, "help") == nil then rawset(_G, "help", manual.help) end
  if core.progress and core.terminal "stderr" then core.progress(true) end
  return M.new(line, remember, files)
end

return M

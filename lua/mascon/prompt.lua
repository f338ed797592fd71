---The prompt: what a statement is, how values are shown.
---
---The program supplies the terminal (line editing, history, Ctrl-C) and calls
---what `read` compiles; a test supplies tables of lines.

---@class mascon.Session
---@field private line fun(prompt: string): string|false|nil
---@field private remember fun(line: string)
local Session = {}
Session.__index = Session

local FIRST, MORE = "> ", ">> "

-- an expression is a statement that returns its values
local function compile(text)
  local f = load("return " .. text, "=stdin", "t")
  if f then return f end
  return load(text, "=stdin", "t")
end

-- whether more lines could still make a statement of it
local function incomplete(message)
  return message:find "<eof>'?$"
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
    local f, message = compile(text)
    if f then return f end
    if not incomplete(message) then return false, message end
    local more = self.line(MORE)
    if more == false then return false end
    if more == nil then return false, message end
    text = text .. "\n" .. more
  end
end

---Show the values of a statement, as `print` does.
function Session.show(_, ...)
  if select("#", ...) > 0 then print(...) end
end

local M = {}

---Make a session.
---@param line fun(prompt: string): string|false|nil  reads one; false: Ctrl-C; nil: the end
---@param remember fun(line: string)  adds one to the history
---@return mascon.Session
function M.new(line, remember)
  return setmetatable({ line = line, remember = remember }, Session)
end

return M

---Command lines of tools: options, what is said when they end.
local M = {}

---How a tool ends early: 0 after help, 1 where it failed, 2 where it was
---called wrongly.
---@class mascon.Stop
---@field status integer
---@field text string
local Stop = {}

local function stop(status, ...)
  error(setmetatable({ status = status, text = table.concat { ... } }, Stop))
end

---The work failed.
function M.fail(...) stop(1, ...) end

---The command line is none.
function M.misuse(...) stop(2, ...) end

---What a message of the library says to who has not called it.
function M.plain(message)
  message = tostring(message):gsub("^[^%s:]+:%d+: ", "")
  return message:match "^bad argument #%d+ to '[^']*' %((.*)%)$" or message
end

---The results of f(...); its error is the tool's.
function M.try(f, ...)
  local function results(ok, ...)
    if ok then return ... end
    M.fail(M.plain((...)))
  end
  return results(pcall(f, ...))
end

---The options and the other words of a command line, negative numbers among them.
---@param args string[]
---@param usage string  what --help shows; TOOL in it becomes the tool's name
---@param valued table<string, string>  options with a value: under which name it is kept
---@param flags table<string, table>  the others: a name and what is kept under it
---@return table<string, any> opts
---@return string[] words
function M.parse(args, usage, valued, flags)
  local opts, words, i, options = {}, {}, 1, true
  while args[i] do
    local a = args[i]
    local name, value = a:match "^(%-%-[^=]+)=(.*)$"
    name = name or a
    if not options then words[#words + 1] = a
    elseif a == "--" then options = false
    elseif a == "--help" or a == "-h" then stop(0, usage)
    elseif valued[name] then
      if not value then
        i = i + 1
        value = args[i] or M.misuse(a, " needs a value; see --help")
      end
      opts[valued[name]] = value
    elseif flags[a] then opts[flags[a][1]] = flags[a][2]
    elseif a:match "^%-." and not tonumber(a) then
      M.misuse("unknown option '", a, "'; --help lists them")
    else words[#words + 1] = a
    end
    i = i + 1
  end
  return opts, words
end

-- "name" as it is written: -n, --name
local function dashed(name)
  return (#name == 1 and "-" or "--") .. name
end

---Make the text of an option, if it was given, an integer.
function M.integer(opts, name, low, high)
  local text = opts[name]
  if not text then return end
  local n = tonumber(text)
  if not n or n % 1 ~= 0 or n < low or n > high then
    M.misuse(("%s: an integer from %d to %d expected, got '%s'"):format(dashed(name), low,
      high, text))
  end
  opts[name] = math.floor(n)
end

---Can the files that options name be written?  The longest work is worth
---nothing without.
function M.outputs(opts, ...)
  for _, name in ipairs { ... } do
    local path = opts[name]
    local folder = path and (path:match "^(.*/)[^/]*$" or "./")
    local f = folder and io.open(folder .. ".", "r")
    if f then f:close()
    elseif folder then M.fail(path, ": there is no folder ", folder) end
  end
end

---Run a tool: what it has to say goes to stderr, behind its name; its exit status.
---@param name string
---@param run fun(args: string[])
---@param args string[]
---@return integer status
function M.main(name, run, args)
  local ok, e = pcall(run, args)
  if ok then
    local flushed, why = io.stdout:flush()
    if flushed then return 0 end
    e = { status = 1, text = why }
  elseif getmetatable(e) ~= Stop then
    e = { status = 1, text = M.plain(e) }
  end
  if e.status == 0 then io.write((e.text:gsub("TOOL", name)))
  else io.stderr:write(name, ": ", e.text, "\n") end
  return e.status
end

---Run a tool as the script that this is.
---@param run fun(args: string[])
function M.script(run)
  local status = M.main(arg[0]:match "[^/]*$", run, arg)
  if status ~= 0 then os.exit(status) end
end

return M

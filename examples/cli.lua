-- cli.lua - the command lines of the tools beside it

local M = {}

function M.fail(...)
  io.stderr:write(arg[0]:match "[^/]*$", ": ", table.concat { ... }, "\n")
  os.exit(1)
end

-- the library
function M.mascon()
  local found, mascon = pcall(require, "mascon")
  if found then return mascon end
  M.fail('mascon is not found; in its source tree: eval "$(make -s env)"')
end

-- the options and the other words of a command line, negative numbers among them
-- valued: the names under which options that take a value are kept
-- flags: for the others a name and what is kept under it
function M.parse(args, usage, valued, flags)
  local opts, words, i = {}, {}, 1
  while args[i] do
    local a = args[i]
    local name, value = a:match "^(%-%-[^=]+)=(.*)$"
    name = name or a
    if a == "--help" or a == "-h" then
      io.write(usage)
      os.exit(0)
    elseif valued[name] then
      if not value then
        i = i + 1
        value = args[i] or M.fail(a, " needs a value")
      end
      opts[valued[name]] = value
    elseif flags[a] then
      opts[flags[a][1]] = flags[a][2]
    elseif a:match "^%-." and not tonumber(a) then
      M.fail("unknown option '", a, "'; --help lists them")
    else
      words[#words + 1] = a
    end
    i = i + 1
  end
  return opts, words
end

-- make the text of an option, if it was given, an integer
function M.integer(opts, name, low, high)
  local text = opts[name]
  if not text then return end
  local n = tonumber(text)
  if not n or n % 1 ~= 0 or n < low or n > high then
    M.fail(("%s: an integer from %d to %d expected, got '%s'"):format(name, low,
      high, text))
  end
  opts[name] = math.floor(n)
end

-- can the files that options name be written?  The longest work is worth
-- nothing without
function M.outputs(opts, ...)
  for _, name in ipairs { ... } do
    local path = opts[name]
    local folder = path and (path:match "^(.*/)[^/]*$" or "./")
    local f = folder and io.open(folder .. ".", "r")
    if f then f:close()
    elseif folder then M.fail(path, ": there is no folder ", folder) end
  end
end

return M

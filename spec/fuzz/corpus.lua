-- corpus.lua - cases of a fuzz target, as one file or as a folder of files
--
--   lua5.4 corpus.lua unpack NAME.corpus FOLDER
--   lua5.4 corpus.lua pack NAME.corpus FILE ...   the shortest first

local command, path = arg[1], arg[2]

local function read(name)
  local f = assert(io.open(name, "rb"))
  local text = f:read "a"
  f:close()
  return text
end

local function write(name, text)
  local f = assert(io.open(name, "wb"))
  f:write(text)
  f:close()
end

if command == "unpack" then
  local text, at, n = read(path), 1, 0
  while at <= #text do
    local case
    case, at = ("<s4"):unpack(text, at)
    n = n + 1
    write(("%s/kept%d"):format(arg[3], n), case)
  end
else
  local cases = {}
  for i = 3, #arg do cases[#cases + 1] = read(arg[i]) end
  table.sort(cases, function(a, b)
    if #a ~= #b then return #a < #b end
    return a < b
  end)
  for i, case in ipairs(cases) do cases[i] = ("<s4"):pack(case) end
  write(path, table.concat(cases))
end

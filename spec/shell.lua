-- shell.lua - for specs that run programs

local M = {}

M.build = os.getenv "MASCON_BUILD" or "build"
M.mascon = M.build .. "/mascon"
M.lua = os.getenv "MASCON_LUA" or "lua5.4"

-- "asan" or "tsan" where this is such a build: a plain Lua cannot load it
M.sanitizer = os.getenv "MASCON_SAN"
if M.sanitizer == "" then M.sanitizer = nil end

function M.read(path)
  local f = assert(io.open(path, "rb"))
  local text = f:read "a"
  f:close()
  return text
end

-- what stands in a new file; its name
function M.file(text)
  local path = os.tmpname()
  local f = assert(io.open(path, "wb"))
  f:write(text)
  f:close()
  return path
end

function M.quote(s)
  return "'" .. s:gsub("'", "'\\''") .. "'"
end

-- stdout, stderr and exit status of a command, given 'input' on stdin
function M.run(command, input)
  local inpath, errpath = M.file(input or ""), os.tmpname()
  local p = assert(io.popen(("{ %s\n} <%s 2>%s"):format(command, inpath, errpath)))
  local out = p:read "a"
  local _, _, code = p:close()
  local err = M.read(errpath)
  os.remove(inpath)
  os.remove(errpath)
  return out, err, code
end

-- whether a command of this name can be run
function M.has(name)
  return (os.execute("command -v " .. name .. " >/dev/null"))
end

-- wait until 'test' is true, for a machine that has much else to do
function M.wait(test, what)
  for _ = 1, 600 do
    local result = test()
    if result then return result end
    os.execute "sleep 0.05"
  end
  error("waited in vain for " .. what, 2)
end

-- a program on a terminal of its own
local Session = {}
Session.__index = Session

function M.session(command)
  local path = os.tmpname()
  local input = assert(io.popen(("script -qfec %s %s >/dev/null 2>&1"):format(
    M.quote(command), path), "w"))
  return setmetatable({ path = path, input = input, seen = 1 }, Session)
end

function Session:send(text)
  self.input:write(text)
  self.input:flush()
end

-- wait for a text after what was seen so far
function Session:expect(text)
  M.wait(function()
    local _, last = M.read(self.path):find(text, self.seen, true)
    if last then self.seen = last + 1 end
    return last
  end, ("%q; got %q"):format(text, M.read(self.path):sub(self.seen)))
end

-- end the input, wait for the program
function Session:close()
  if io.type(self.input) ~= "file" then return end
  self.input:close()
  os.remove(self.path)
end

return M

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

-- put a text into a file; its name
function M.write(path, text)
  local f = assert(io.open(path, "wb"))
  f:write(text)
  f:close()
  return path
end

-- what stands in a new file; its name
function M.file(text)
  return M.write(os.tmpname(), text)
end

function M.exists(path)
  local f = io.open(path)
  return f ~= nil and f:close()
end

-- a new folder; its name
function M.folder()
  local path = os.tmpname()
  os.remove(path)
  assert(os.execute("mkdir " .. path))
  return path
end

function M.remove(folder)
  os.execute("rm -rf " .. folder)
end

-- how many files this process has open
function M.descriptors()
  local n = 0
  for fd = 0, 255 do
    if M.exists("/proc/self/fdinfo/" .. fd) then n = n + 1 end
  end
  return n
end

function M.quote(s)
  return "'" .. s:gsub("'", "'\\''") .. "'"
end

-- stdout, stderr and exit status of a command, given 'input' on stdin
function M.run(command, input)
  local inpath, errpath = M.file(input or ""), os.tmpname()
  -- LuaJIT does not tell the status: the shell does
  local p = assert(io.popen(("( %s\n) <%s 2>%s\necho $?"):format(command, inpath, errpath)))
  local out, code = p:read "a":match "^(.-)(%d+)\n$"
  p:close()
  local err = M.read(errpath)
  os.remove(inpath)
  os.remove(errpath)
  return out, err, tonumber(code)
end

-- whether a command of this name can be run
function M.has(name)
  return (os.execute("command -v " .. name .. " >/dev/null"))
end

-- what a script of Python prints, in a folder; nil where no Python has the
-- modules
function M.python(modules, script, folder)
  for _, program in ipairs { "python3", "/usr/bin/python3" } do
    if os.execute(("%s -c 'import %s' >/dev/null 2>&1"):format(program, modules)) then
      local out, err, code = M.run(("cd %s && %s -"):format(folder, program), script)
      if code ~= 0 then error(err, 2) end
      return out
    end
  end
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

-- what is to precede a command so that it finds a locale "de_DE.UTF-8", made
-- in a folder; nil where none can be made
function M.comma(folder)
  local made = os.execute(("localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1")
    :format(folder))
  return made and "LOCPATH=" .. folder .. " "
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

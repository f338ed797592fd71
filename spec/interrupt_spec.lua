local shell = require "spec.shell"

-- The kernel says that it runs by its first progress; then comes Ctrl-C, and
-- what it raises is shown.  The loop would run for ever.
local script = [[
local mascon = require "mascon"
local a, ready = mascon.zeros(2000, 2000, "f32"), false
local b, opts = a:matmul(a), {}
function opts.progress()
  if not ready then io.stdout:write "ready\n" io.stdout:flush() end
  ready = true
end
local function work() while true do a:matmul(a, b, opts) end end
if arg[1] == "coroutine" then work = coroutine.wrap(work) end
print(pcall(work))
for i = 1, 1000 do a:close() end  -- no hook is left
print "went on"
]]

-- what a program writes that gets a Ctrl-C once it is ready; its exit status
local function interrupt(program, text, arg)
  local path, out = shell.file(text), os.tmpname()
  local p = assert(io.popen(("%s %s %s >%s 2>&1 & echo $!; wait $!; echo $?"):format(
    program, path, arg or "", out)))
  local pid = p:read "l"
  shell.wait(function() return shell.read(out):find "ready" end, "the program")
  os.execute("kill -INT " .. pid)
  local code = tonumber(p:read "l")
  p:close()
  local written = shell.read(out)
  os.remove(path)
  os.remove(out)
  return written, code
end

describe("Ctrl-C", function()
  for name, program in pairs { mascon = shell.mascon, lua = shell.lua } do
    for _, where in ipairs { "main", "coroutine" } do
      it(("stops a kernel of %s, called in a %s"):format(name, where), function()
        if name == "lua" and shell.sanitizer then
          return pending "a plain Lua cannot load a sanitized module"
        end
        local written, code
        for _ = 1, 20 do  -- it may come between two kernels, or in progress
          written, code = interrupt(program, script, where)
          assert.matches("^ready\nfalse\t.-interrupted.-\nwent on\n$", written)
          assert.equal(0, code)
          if written:find "done" then break end
        end
        if shell.sanitizer ~= "tsan" then  -- it lets no signal into a kernel
          assert.matches("interrupted %(done %d+ of %d+%)\n", written)
        end
      end)
    end
  end

  it("stops a loop of kernels too short to notice it, in a coroutine", function()
    local written = interrupt(shell.mascon, [[
      print(pcall(coroutine.wrap(function()
        local a, n = mascon.zeros(2), 0
        while true do
          n = n + 1
          if n == 10 then print "ready" io.flush() end
          a:copy()
        end
      end)))
      print "went on"]])
    assert.matches("^ready\nfalse\t.-interrupted.-\nwent on\n$", written)
  end)

  for _, where in ipairs { "main", "coroutine" } do
    it(("stops workers of mascon.parallel, called in a %s"):format(where), function()
      local written = interrupt(shell.mascon, [[
        package.path = "./?.lua;" .. package.path
        local flag = require "spec.flag"
        local function work()
          local ran = { flag.new(), flag.new() }
          mascon.parallel({ n = 2, chunk = 1, threads = 2, progress = function()
            if flag.up(ran[1]) and flag.up(ran[2]) then print "ready" io.flush() end
          end }, function(i, _, f, r)
            flag.raise(f[i])
            while true do r:sum() end
          end, ran, mascon.zeros(3))
        end
        if arg[1] == "coroutine" then work = coroutine.wrap(work) end
        print(pcall(work))
        print "went on"]], where)
      assert.matches("^ready\n.-false\t.-interrupted %(done 0 of 2%).-\nwent on\n$", written)
    end)
  end

  it("ends waiting for a job, which goes on", function()
    local written = interrupt(shell.mascon, [[
      package.path = "./?.lua;" .. package.path
      local flag = require "spec.flag"
      local gate = flag.new()
      local job = mascon.spawn(function(f)
        flag.wait(f)
        return "done"
      end, gate)
      print "ready" io.flush()
      print(pcall(job.result, job))
      flag.raise(gate)
      print(job:result())]])
    assert.matches("^ready\nfalse\t.-interrupted.-\ndone\n$", written)
  end)

  it("ends a script in the middle of Lua code", function()
    if jit then return pending "LuaJIT's compiled loops look at no hook" end
    if shell.sanitizer == "tsan" then
      return pending "it delivers signals at calls into libc, and there is none"
    end
    local written, code = interrupt(shell.mascon,
      "print 'ready' io.flush() while true do end")
    assert.matches("^ready\n.-: interrupted\nstack traceback:\n", written)
    assert.equal(1, code)
  end)
end)

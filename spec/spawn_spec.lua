local mascon = require "mascon"

local flag = require "spec.flag"
local shell = require "spec.shell"

local spawn = mascon.spawn

local function wait(job)
  while not job:done() do mascon.ones(10):sum() end
end

-- what is raised by the result of a job
local function raised(job)
  local ok, message = pcall(job.result, job)
  assert.is_false(ok)
  return message
end

describe("a job", function()
  it("runs while its caller goes on", function()
    local gate = flag.new()
    local job = spawn(function(g)
      flag.wait(g)
      return "through", 5
    end, gate)
    assert.is_false(job:done())
    assert.equal("job (running)", tostring(job))
    flag.raise(gate)
    wait(job)
    assert.equal("job (done)", tostring(job))
    assert.same({ "through", 5 }, { job:result() })
    assert.same({ "through", 5 }, { job:result() })  -- as often as wanted
    job:cancel()
    assert.equal("through", (job:result()))
  end)

  it("may return nothing, or nils", function()
    assert.equal(0, select("#", spawn(function() end):result()))
    assert.equal(3, select("#", spawn(function() return nil, nil, nil end):result()))
  end)

  it("raises what its function raised", function()
    local job = spawn(function(x) error("no " .. x) end, "luck")
    assert.matches("spawn_spec.lua:%d+: no luck\nstack traceback", raised(job))
    assert.matches("no luck", raised(job))
    assert.equal("job (failed)", tostring(job))
    assert.same({ 1 }, raised(spawn(function() error { 1 } end)))
  end)

  it("is one of many", function()
    local jobs = {}
    for i = 1, 20 do jobs[i] = spawn(function(k) return k * k end, i) end
    for i = 20, 1, -1 do assert.equal(i * i, jobs[i]:result()) end
  end)

  it("can start jobs", function()
    assert.equal(7, spawn(function()
      return mascon.spawn(function(x) return x + 1 end, 6):result()
    end):result())
  end)

  it("has methods, and no others", function()
    local job = spawn(function() end)
    assert.is_nil(job.x)
    assert.matches("mascon.job expected, got table", select(2, pcall(job.done, {})))
    job:result()
  end)
end)

describe("cancelling", function()
  local loops = {
    ["of kernels"] = function(f, r) flag.raise(f) while true do r:sum() end end,
    ["of one long kernel"] = function(f)
      local m = mascon.ones(3000, 3000)
      flag.raise(f)
      while true do m:matmul(m) end
    end,
    ["of kernels that catches errors"] = function(f, r)
      flag.raise(f)
      while true do pcall(function() while true do r:sum() end end) end
    end,
    ["that waits for another job"] = function(f, r)
      local job = mascon.spawn(function(g, s)
        flag.raise(g)
        while true do s:sum() end
      end, f, r)
      job:result()
    end,
  }
  if not jit then  -- its compiled loops look at nothing
    loops["that does nothing else"] = function(f) flag.raise(f) while true do end end
    loops["of calls"] = function(f)
      local function g(x) return x + 1 end
      flag.raise(f)
      while true do g(1) end
    end
    loops["that allocates"] = function(f, r) flag.raise(f) while true do r = { r } and r end end
    loops["that catches errors"] = function(f, r)
      flag.raise(f)
      while true do pcall(function() while true do r = { r } and r end end) end
    end
    loops["of coroutines"] = function(f, r)
      flag.raise(f)
      while true do coroutine.wrap(function() r = { r } and r end)() end
    end
  end
  for name, f in pairs(loops) do
    it("ends a loop " .. name, function()
      local running = flag.new()
      local job = spawn(f, running, mascon.zeros(3))
      flag.wait(running)
      job:cancel()
      assert.matches("cancelled", raised(job))
      assert.equal("job (cancelled)", tostring(job))
      assert.is_true(job:done())
    end)
  end

  it("before it has begun is fine, twice too", function()
    for _ = 1, 20 do
      local job = spawn(function() while true do mascon.ones(3):sum() end end)
      job:cancel()
      job:cancel()
      assert.matches("cancelled", raised(job))
    end
  end)

  it("is what the collector does to a job that nobody holds", function()
    local function threads()
      return tonumber(shell.read "/proc/self/status":match "Threads:%s*(%d+)")
    end
    local before, running = threads(), flag.new()
    local job = spawn(function(f)
      flag.raise(f)
      while true do mascon.ones(3):sum() end
    end, running)
    flag.wait(running)
    assert.is_false(job:done())
    assert.is_true(threads() > before)
    job = nil  -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    shell.wait(function() return threads() == before end, "the job's end")
  end)

  it("is what the end of a block does", function()
    if _VERSION ~= "Lua 5.4" then return pending "only Lua 5.4 closes variables" end
    local keep = assert(load [[
      local spawn, flag, running = ...
      local keep
      do
        local job <close> = spawn(function(f)
          flag.raise(f)
          while true do flag.new() end
        end, running)
        keep = job
        flag.wait(running)
      end
      return keep]])(spawn, flag, flag.new())
    assert.equal("job (closed)", tostring(keep))
    for _, name in ipairs { "done", "result", "cancel" } do
      assert.matches("job is closed", select(2, pcall(keep[name], keep)))
    end
  end)
end)

describe("a program", function()
  it("ends while jobs run", function()
    local path = shell.file [[
      package.path = "./?.lua;" .. package.path
      local flag = require "spec.flag"
      flags, jobs = {}, {}
      for i, f in ipairs {
        function(r) flag.raise(r) while true do flag.up(r) end end,
        function(r) flag.raise(r) while not jit do local t = {{}} end end,
        function(r) local m = mascon.ones(3000, 3000) flag.raise(r) m:matmul(m) end,
        function(r) flag.raise(r) while not jit do end end
      } do
        flags[i] = flag.new()
        jobs[i] = mascon.spawn(f, flags[i])
      end
      for i = 1, 4 do flag.wait(flags[i]) end
      print "bye"]]
    finally(function() os.remove(path) end)
    local out, err, code = shell.run(("timeout 60 %s %s"):format(shell.mascon, path))
    assert.same({ "bye\n", "", 0 }, { out, err, code })
  end)
end)

describe("states on threads", function()
  it("have what their sandbox has; a C host has teams; a fork and lua_close are survived", function()
    local out, err, code = shell.run(("timeout 300 %s/spec/worker"):format(shell.build))
    assert.same({ "ok\n", "", 0 }, { out, err, code })
  end)

  it("have the environment of their function", function()
    local env = { mascon = mascon, type = type, next = next, tostring = print, string = { rep = string.rep } }
    env._G = env
    local code = [[
      return mascon.parallel(1, function(first)
        if _G == nil or _G.type ~= type then return "no globals" end
        if io or os or require or load or tostring or string.dump then return "too much" end
        return string.rep("x", 3) .. mascon.ones(2):sum() + first
      end)[1] ]]
    local f = assert(load(code, "=code", "t", env))
    assert.equal(jit and "xxx3" or "xxx3.0", f())
    env.mascon = { parallel = mascon.parallel }
    assert.matches("attempt to index", select(2, pcall(f)))
    -- one that inherits has what it inherits
    env = setmetatable({ io = false }, { __index = _G })
    assert.same({ 1 }, assert(load([[
      return require "mascon".parallel(1, function(i)
        if io ~= nil then return "io" end
        return os.time() > 0 and i
      end)]], "=code", "t", env))())
  end)
end)

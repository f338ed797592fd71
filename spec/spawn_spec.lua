local mascon = require "mascon"

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
    local gate = mascon.zeros(1)
    local job = spawn(function(g)
      while g[1] == 0 do g:sum() end
      return "through", g[1]
    end, gate)
    assert.is_false(job:done())
    assert.equal("job (running)", tostring(job))
    gate[1] = 5
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
    ["of kernels"] = function(r) r[1] = 1 while true do r:sum() end end,
    ["of one long kernel"] = function(r)
      local m = mascon.ones(3000, 3000)
      r[1] = 1
      while true do m:matmul(m) end
    end,
    ["of kernels that catches errors"] = function(r)
      r[1] = 1
      while true do pcall(function() while true do r:sum() end end) end
    end,
    ["that waits for another job"] = function(r)
      local job = mascon.spawn(function(s)
        s[1] = 1
        while true do s:sum() end
      end, r)
      job:result()
    end,
  }
  if not jit then  -- its compiled loops look at nothing
    loops["that does nothing else"] = function(r) r[1] = 1 while true do end end
    loops["of calls"] = function(r)
      local function f(x) return x + 1 end
      r[1] = 1
      while true do f(1) end
    end
    loops["that allocates"] = function(r) r[1] = 1 while true do r = { r } and r end end
    loops["that catches errors"] = function(r)
      r[1] = 1
      while true do pcall(function() while true do r = { r } and r end end) end
    end
    loops["of coroutines"] = function(r)
      r[1] = 1
      while true do coroutine.wrap(function() r = { r } and r end)() end
    end
  end
  for name, f in pairs(loops) do
    it("ends a loop " .. name, function()
      local running = mascon.zeros(1)
      local job = spawn(f, running)
      while running[1] == 0 do running:sum() end
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
    local running = mascon.zeros(1)
    do spawn(function(r) r[1] = 1 while true do r:sum() end end, running) end
    while running[1] == 0 do running:sum() end
    local before = select(2, mascon.memory())
    collectgarbage()
    collectgarbage()
    shell.wait(function() return select(2, mascon.memory()) < before end, "the job's end")
  end)

  it("is what the end of a block does", function()
    if _VERSION ~= "Lua 5.4" then return pending "only Lua 5.4 closes variables" end
    local keep = assert(load [[
      local spawn, running = ...
      local keep
      do
        local job <close> = spawn(function(r) r[1] = 1 while true do r:sum() end end, running)
        keep = job
        while running[1] == 0 do running:sum() end
      end
      return keep]])(spawn, mascon.zeros(1))
    assert.equal("job (closed)", tostring(keep))
    for _, name in ipairs { "done", "result", "cancel" } do
      assert.matches("job is closed", select(2, pcall(keep[name], keep)))
    end
  end)
end)

describe("a program", function()
  it("ends while jobs run", function()
    local path = shell.file [[
      local mascon = require "mascon"
      local r = mascon.zeros(4)
      jobs = {}
      jobs[1] = mascon.spawn(function(r) r[1] = 1 while true do r:sum() end end, r)
      jobs[2] = mascon.spawn(function(r) r[2] = 1 while not jit do local t = {{}} end end, r)
      jobs[3] = mascon.spawn(function(r) local m = mascon.ones(3000, 3000) r[3] = 1 m:matmul(m) end, r)
      jobs[4] = mascon.spawn(function(r) r[4] = 1 if not jit then while true do end end end, r)
      while r:sum() < 4 do mascon.ones(3):sum() end
      print "bye"]]
    finally(function() os.remove(path) end)
    local out, err, code = shell.run(("timeout 60 %s %s"):format(shell.mascon, path))
    assert.same({ "bye\n", "", 0 }, { out, err, code })
  end)
end)

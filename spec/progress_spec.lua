local mascon = require "mascon"
local progress = require "mascon.progress"
local shell = require "spec.shell"

describe("the progress bar", function()
  -- a bar on a clock that is set by hand, and what it wrote
  local function new(terminal)
    local written, time = {}, { 0 }
    local bar = progress.bar(nil, function(s) written[#written + 1] = s end, terminal,
      function() return time[1] end)
    return bar, written, time
  end

  it("shows rate, time gone and time left", function()
    assert.equal(" 25 % |######                  | 50 of 200  10/s  0:05, 0:15 left",
      progress.line(50, 200, 5))
    assert.equal(" 99 % |####################### | 999 of 1000  0.25/s  1:06:36, 0:04 left",
      progress.line(999, 1000, 3996))
    assert.equal("100 % |########################| 20000000 of 20000000  2M/s  0:10",
      progress.line(20000000, 20000000, 10))
    assert.equal("  0 % |                        | 0 of 9  0/s  0:00", progress.line(0, 9, 0))
  end)

  it("ends at exactly 100 %", function()
    for _, total in ipairs { 0, 1, 3, 101, 2 ^ 53 } do
      assert.matches("^100 %% |########################| ",
        progress.line(total, total, 1))
    end
    assert.matches("^ 99 %% |####################### |", progress.line(2 ^ 53 - 2, 2 ^ 53, 1))
  end)

  it("is one line on a terminal", function()
    local bar, written, time = new(true)
    bar(1, 2)
    time[1] = 1
    bar(2, 2)
    assert.same({ "\r" .. progress.line(1, 2, 0) .. "\27[K",
      "\r" .. progress.line(2, 2, 1) .. "\27[K\n" }, written)
    bar()
    assert.equal(2, #written)
  end)

  it("ends its line where the work is given up", function()
    local bar, written = new(true)
    bar()
    assert.same({}, written)
    bar(1, 2)
    bar()
    assert.equal("\n", written[2])
  end)

  it("ends its line where a hook, as Ctrl-C sets it, stops the call", function()
    local bar, ended = progress.bar, false
    function progress.bar()
      return function(done)
        if done == nil then ended = true
        else debug.sethook(function() error "the hook ran" end, "c") end
      end
    end
    local _, message = pcall(mascon.sqrt, mascon.ones(10), nil, { progress = true })
    debug.sethook()
    progress.bar = bar
    assert.equal("interrupted (done 1 of 1)", message)
    assert.is_true(ended)
  end)

  it("is a line now and then elsewhere", function()
    local bar, written, time = new(false)
    for i = 1, 100 do
      time[1] = i / 10
      bar(i, 100)
    end
    assert.same({ progress.line(50, 100, 5) .. "\n", progress.line(100, 100, 10) .. "\n" },
      written)
  end)

  it("is what progress = true shows, on stderr", function()
    local _, err, code = shell.run(shell.mascon .. [[ -e '
      local a = mascon.zeros(300, 300)
      a:matmul(a, nil, {progress = true})']])
    assert.equal(0, code)
    assert.matches("^100 %% |########################| (%d+) of %1  %S+/s  0:%d%d\n$", err)
  end)

  it("shows what a terminal can take", function()
    if not shell.has "script" then return pending "there is no 'script' here" end
    local s = shell.session(shell.mascon .. [[ -e '
      local a = mascon.zeros(300, 300)
      a:matmul(a, nil, {progress = true})
      print(mascon.terminal "stderr", "end")']])
    finally(function() s:close() end)
    s:expect "100 % |#"
    s:expect "\27[K\r\n80\tend"  -- a terminal that does not know its width
  end)
end)

describe("progress = function", function()
  local a = mascon.zeros(1000, 1000)

  it("is called in order, the last time with all", function()
    local calls = {}
    a:matmul(a, nil, { progress = function(done, total)
      calls[#calls + 1] = done
      assert.is_true(done <= total)
      calls.total = total
    end })
    assert.equal(calls.total, calls[#calls])
    for i = 2, #calls do assert.is_true(calls[i - 1] <= calls[i]) end
  end)

  it("passes its own error on", function()
    local mine = {}
    local ok, message = pcall(a.matmul, a, a, nil, { progress = function() error(mine) end })
    assert.is_false(ok)
    assert.equal(mine, message)
    assert.equal(1000, a:matmul(a).nrows)
  end)
end)

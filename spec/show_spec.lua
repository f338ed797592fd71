local mascon = require "mascon"

-- what 'f' writes to standard output
local function captured(f)
  local real, lines = io.write, {}
  io.write = function(text) lines[#lines + 1] = text end
  local ok, message = pcall(f)
  io.write = real
  assert(ok, message)
  return lines
end

local function pixels(line)
  local n = 0
  for _ in line:gmatch "\u{2580}" do n = n + 1 end
  return n
end

describe("show", function()
  it("prints two rows in one line", function()
    local lines = captured(function() mascon.show(mascon.array { { 0, 1 }, { 1, 0 },
                                                                { 0, 0 } }) end)
    assert.equal(2, #lines)
    assert.equal("\27[38;2;0;0;0;48;2;255;255;255m\u{2580}" ..
      "\27[38;2;255;255;255;48;2;0;0;0m\u{2580}\27[0m\n", lines[1])
  end)

  it("fits the width, scales by max and percentile", function()
    local g = mascon.gauss(101, 333, 50, 150, 10, 30)
    for _, o in ipairs { { width = 50 }, { width = 33, max = 1 },
                         { width = 50, percentile = 99 } } do
      local lines = captured(function() mascon.show(g, o) end)
      assert.equal(o.width, pixels(lines[1]))
      assert.equal(math.ceil(math.ceil(101 / (333 / o.width)) / 2), #lines)
    end
    assert.equal(80, pixels(captured(function() mascon.show(g) end)[1]))
  end)

  it("shows images of zeros, NaN and without pixels", function()
    captured(function() mascon.show(mascon.zeros(3, 3)) end)
    captured(function() mascon.show(mascon.array { { 0 / 0, 1 }, { 0 / 0, 0 / 0 } }) end)
    assert.equal(0, #captured(function() mascon.show(mascon.zeros(0, 3)) end))
  end)
end)

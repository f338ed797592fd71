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

describe("pgm", function()
  local name = os.tmpname()
  teardown(function() os.remove(name) end)

  local function written(...)
    mascon.pgm(name, ...)
    local f <close> = assert(io.open(name, "rb"))
    return f:read "a"
  end

  it("writes 16 bits, the largest value white", function()
    assert.equal("P5\n3 2\n65535\n\0\0\255\255\128\0\0\0\0\0\0\1",
      written(mascon.array { { 0, 2, 1 }, { -1, 0 / 0, 2 / 65535 } }))
  end)

  it("writes 8 bits, and integers as they are", function()
    assert.equal("P5\n2 1\n255\n\0\255", written(mascon.array { { 0, 9 } },
                                                { bits = 8, max = 3 }))
    assert.equal("P5\n2 1\n255\n\7\9", written(mascon.array({ { 7, 9 } }, "u8")))
    assert.equal("P5\n2 1\n65535\n\1\2\0\9",
                 written(mascon.array({ { 258, 9 } }, "u16")))
  end)

  it("raises what is wrong", function()
    assert.error_matches(function() mascon.pgm("/nowhere/x.pgm", mascon.ones(2, 2)) end,
      "/nowhere/x.pgm: No such file")
    assert.error_matches(function() mascon.pgm(name, mascon.ones(2)) end,
      "#2 to 'pgm' %(matrix expected, got 1 axes%)")
    assert.error_matches(function() mascon.pgm(name, mascon.ones(2, 2), { bits = 7 }) end,
      "option 'bits': 8 or 16 expected, got 7")
  end)
end)

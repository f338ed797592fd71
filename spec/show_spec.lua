local mascon = require "mascon"
local shell = require "spec.shell"

-- what 'f' writes to standard output
local function captured(f)
  local real, lines = io.write, {}
  io.write = function(text) lines[#lines + 1] = text end  -- luacheck: ignore
  local ok, message = pcall(f)
  io.write = real  -- luacheck: ignore
  assert(ok, message)
  return lines
end

local function shown(image, opts)
  return captured(function() mascon.show(image, opts) end)
end

local function pixels(line)
  local n = 0
  for _ in line:gmatch "\u{2580}" do n = n + 1 end
  return n
end

describe("show", function()
  local small = mascon.array { { 0, 1 }, { 1, 0 }, { 0, 0 } }

  it("prints two rows in one line, with 24 bits, 256 colours and none", function()
    local lines = shown(small, { colours = 24 })
    assert.equal(2, #lines)
    assert.equal("\27[38;2;0;0;0;48;2;255;255;255m\u{2580}" ..
      "\27[38;2;255;255;255;48;2;0;0;0m\u{2580}\27[0m\n", lines[1])
    assert.equal("\27[38;5;16;48;5;231m\u{2580}\27[38;5;231;48;5;16m\u{2580}\27[0m\n",
                 shown(small, { colours = 256 })[1])
    assert.same({ "++\n", "  \n" }, shown(small, { colours = 0 }))
  end)

  it("prints characters where there is no terminal", function()
    assert.same({ "- @\n" }, shown(mascon.array { { 0, -1, 2 } }))
  end)

  it("names a colour only where it changes", function()
    assert.equal("\27[38;2;0;0;0;48;2;0;0;0m\u{2580}\u{2580}\27[0m\n",
                 shown(mascon.zeros(2, 2), { colours = 24 })[1])
  end)

  it("finds the nearest of 256 colours", function()
    local rgb = mascon.array({ { { 8, 8, 8 } }, { { 95, 135, 175 } } }, "u8")
    assert.equal("\27[38;5;232;48;5;67m\u{2580}\27[0m\n", shown(rgb, { colours = 256 })[1])
  end)

  it("fits width and height", function()
    local g = mascon.gauss(101, 333, 50, 150, 10, 30)
    for _, o in ipairs { { width = 50 }, { width = 33, range = { 0, 1 } },
                         { width = 50, percentiles = { 0, 99 } } } do
      o.colours = 24
      local lines = shown(g, o)
      assert.equal(o.width, pixels(lines[1]))
      assert.equal(math.ceil(math.ceil(101 / (333 / o.width)) / 2), #lines)
    end
    assert.equal(80, pixels(shown(g, { colours = 24 })[1]))
    assert.equal(7, #shown(g:t(), { colours = 24, height = 7 }))
  end)

  it("shows colours, zeros, NaN and images without pixels", function()
    local rgb = mascon.image.colour(mascon.gauss(9, 9, 4, 4, 2, 2))
    assert.equal(5, #shown(rgb, { colours = 24 }))
    shown(mascon.zeros(3, 3))
    shown(mascon.array { { 0 / 0, 1 }, { 0 / 0, 0 / 0 } })
    shown(mascon.full(2, 2, 0 / 0))
    assert.equal(0, #shown(mascon.zeros(0, 3)))
  end)

  it("asks the environment what a terminal has", function()
    if shell.sanitizer or not shell.has "script" then return pending "no script" end
    local function run(env)
      local out = shell.run(("script -qec %s /dev/null"):format(shell.quote(
        "env -u COLORTERM -u NO_COLOR TERM=xterm " .. env .. " " .. shell.mascon ..
        " -e 'mascon = require \"mascon\" mascon.show(mascon.ones(2, 1))'")))
      return out
    end
    assert.match("38;2;255;255;255", run "COLORTERM=truecolor", 1, true)
    assert.match("38;5;231", run "A=1", 1, true)
    assert.match("@", run "NO_COLOR=1", 1, true)
  end)

  it("says what is wrong", function()
    for text, f in pairs {
      ["#1 to 'show' %(matrix, .* got f64 array 3%)"] = function() mascon.show(mascon.ones(3)) end,
      ["unknown option 'max'"] = function() mascon.show(small, { max = 1 }) end,
      ["option 'width': integer from 1 up expected, got 0"] = function() mascon.show(small, { width = 0 }) end,
      ["option 'colours': 24, 256 or 0"] = function() mascon.show(small, { colours = 16 }) end
    } do assert.error_matches(f, text) end
  end)
end)

-- plots by gnuplot, where there is one
local mascon = require "mascon"
local shell = require "spec.shell"

describe("plots", function()
  local dir, written
  local write = io.write

  setup(function() dir = shell.folder() .. "/" end)
  teardown(function() shell.remove(dir) end)
  after_each(function() io.write = write end)  -- luacheck: ignore

  local function test(name, f)
    it(name, function()
      if not shell.has "gnuplot" then return pending "there is no gnuplot" end
      f()
    end)
  end

  -- what goes to the terminal
  local function printed(f, ...)
    written = {}
    io.write = function(...)  -- luacheck: ignore
      written[#written + 1] = table.concat { ... }
    end
    f(...)
    io.write = write  -- luacheck: ignore
    return table.concat(written)
  end

  local x = mascon.linspace(0, 6, 50)
  local EVIL = "It's `touch " -- and the file

  test("are PNG and SVG files", function()
    mascon.plot(x, { x:sin(), x:cos() }, { output = dir .. "a.png", labels = { "sin", "cos" },
      width = 320, height = 200 })
    mascon.hist(x, { output = dir .. "b.png", bins = 7 })
    mascon.heatmap(mascon.gauss(20, 30, 5, 20, 3, 4), { output = dir .. "c.png" })
    for _, name in ipairs { "a", "b", "c" } do
      assert.matches("^\137PNG", shell.read(dir .. name .. ".png"))
    end
    if pcall(require, "mascon.png") then
      local h, w = mascon.image.load(dir .. "a.png"):shape()
      assert.same({ 200, 320 }, { h, w })
      -- the colours of the map are there: a bright spot to the right, above the middle
      local image = mascon.image.load(dir .. "c.png")
      local green = image:select(3, 2)(210, 440)
      assert.is_true(green > 150, tostring(green))
    end
    mascon.plot(x, x, { output = dir .. "a.svg", style = "points", logx = true, xrange = { 1, 6 } })
    assert.matches("^<%?xml.*<svg.*</svg>", shell.read(dir .. "a.svg"))
    assert.equal("a.png\na.svg\nb.png\nc.png\n", shell.run("ls -A " .. dir))
  end)

  test("appear in the terminal", function()
    local text = printed(mascon.plot, x, x:sin(), { width = 60, height = 15, title = "a wave" })
    assert.matches("a wave", text)
    assert.matches("%*%*%*", text)
    assert.is_nil(text:find("\27", 1, true))
    local lines = select(2, text:gsub("\n", ""))
    assert.is_true(12 <= lines and lines <= 16)
    assert.matches("%*%*%*", printed(mascon.plot, x:sin()))
    assert.matches("%*%*%*", printed(mascon.plot, x:sin(), { height = 12 }))
    assert.matches("%*    %*", printed(mascon.hist, x))
    assert.matches("^spot\n.*=%*#%*=", printed(mascon.heatmap, mascon.gauss(9, 9, 4, 4, 2, 2), { title = "spot" }))
  end)

  test("take texts and names of files as they are", function()
    local evil = EVIL .. dir .. "evil` $(touch " .. dir .. "evil) \"; '' ! touch " .. dir .. "evil\n{/=30 x}\\"
    mascon.plot(x, x:sin(), { output = dir .. "`x'\"$y; .svg", title = evil, xlabel = evil,
      ylabel = evil, labels = { evil } })
    assert.is_false(shell.exists(dir .. "evil") or false)
    local svg = shell.read(dir .. "`x'\"$y; .svg")
    assert.matches("{/=30 x}\\", svg)
    local text = printed(mascon.plot, x, x, { title = "a_b^c & <d>" })
    assert.is_truthy(text:find("a_b^c & <d>", 1, true))
  end)

  test("count what is in bins", function()
    local v = mascon.array { 0, 0.5, 1, 1, 2, 3, 0 / 0, 1 / 0, 4 }
    local counts, edges
    printed(function() counts, edges = mascon.hist(v, { bins = 4 }) end)
    assert.same({ 2, 2, 1, 2 }, counts:totable())
    assert.same({ 0, 1, 2, 3, 4 }, edges:totable())
    printed(function() counts, edges = mascon.hist(v:reshape(3, 3), { bins = 2, range = { 1, 3 } }) end)
    assert.same({ 2, 2 }, counts:totable())
    printed(function() counts, edges = mascon.hist(mascon.full(3, 7, "u8"), { bins = 1 }) end)
    assert.same({ { 3 }, { 6.5, 7.5 } }, { counts:totable(), edges:totable() })
    local r = mascon.random(1):normal(5000)
    printed(function() counts, edges = mascon.hist(r, { bins = 31 }) end)
    assert.equal(5000, counts:sum())
    local list, want = r:totable(), {}
    for k = 1, 31 do
      want[k] = 0
      for _, e in ipairs(list) do
        if e >= edges[k] and (e < edges[k + 1] or k == 31 and e == edges[32]) then want[k] = want[k] + 1 end
      end
    end
    assert.same(want, counts:totable())
  end)

  it("say what is wrong, where the caller is", function()
    local m = mascon.ones(2, 2)
    for text, f in pairs {
      ["bad argument #1 to 'plot' (vector with elements expected, got nil)"] = function() mascon.plot() end,
      ["bad argument #2 to 'plot' (vectors of 50 elements expected"] = function()
        mascon.plot(x, { x, mascon.ones(3) }) end,
      ["bad argument #1 to 'plot' (vector of 50 elements expected"] = function() mascon.plot(mascon.ones(3), x) end,
      ["(option 'output': name of a file that ends in .png or .svg expected, got \"x.gif\")"] = function()
        mascon.plot(x, { output = "x.gif" }) end,
      ["bad argument #2 to 'plot' (unknown option 'colour')"] = function() mascon.plot(x, { colour = 1 }) end,
      ["bad argument #3 to 'plot' (option 'style'"] = function() mascon.plot(x, x, { style = "dots" }) end,
      ["(option 'labels': list of 1 strings"] = function() mascon.plot(x, x, { labels = { "a", "b" } }) end,
      ["(option 'xrange': {from, to} expected"] = function() mascon.plot(x, x, { xrange = { 1 } }) end,
      ["(option 'width': integer from 10"] = function() mascon.plot(x, x, { width = 0.5 }) end,
      ["(option 'title': string expected, got table)"] = function() mascon.plot(x, x, { title = {} }) end,
      ["bad argument #1 to 'hist' (array expected"] = function() mascon.hist {} end,
      ["it has no finite value"] = function() mascon.hist(mascon.full(2, 0 / 0)) end,
      ["(option 'bins': integer from 1"] = function() mascon.hist(x, { bins = 0 }) end,
      ["bad argument #1 to 'heatmap' (matrix expected"] = function() mascon.heatmap(x) end,
      ["option 'colormap'"] = function() mascon.heatmap(m, { colormap = "no" }) end,
    } do
      local ok, message = pcall(f)
      assert.is_false(ok)
      assert.is_truthy(message:find(text, 1, true), message)
      assert.matches("plot_spec", message)
    end
    if not shell.has "gnuplot" then return end
    local ok, message = pcall(mascon.plot, x, { output = dir .. "no/x.png" })
    assert.is_false(ok)
    assert.is_truthy(message:find(dir .. "no/x.png: ", 1, true), message)
  end)

  it("say that there is no gnuplot", function()
    local _, err, code = shell.run(("PATH=/nowhere %s -e 'mascon.plot(mascon.ones(3))'"):format(
      shell.run("realpath " .. shell.mascon):match "[^\n]*"))
    assert.equal(1, code)
    assert.matches("'plot' draws by gnuplot, which is not found %(Debian: gnuplot%-nox%)", err)
  end)
end)

-- .npy files when things go wrong: memory, disk, names, threads, other users

local mascon = require "mascon"
local shell = require "spec.shell"

local dir

local function name(file) return dir .. "/" .. file end

local function capture(command)
  local p = assert(io.popen(command))
  local text = p:read "a"
  p:close()
  return text
end

local bytes, write = shell.read, shell.write
local descriptors = shell.descriptors

-- a .npy file
local function npy(file, descr, shape, fortran, elements)
  local text = ("{'descr': '%s', 'fortran_order': %s, 'shape': %s}"):format(
    descr, fortran and "True" or "False", shape)
  text = text .. (" "):rep(-(10 + #text) % 64)
  return write(name(file), "\x93NUMPY\1\0" .. ("<s2"):pack(text) .. elements)
end

-- what is in the folder, hidden files too
local function list() return (capture("ls -A " .. dir):gsub("\n", " ")) end

-- run a script in the program just built, in our folder
local function script(before, text)
  local build = os.getenv "MASCON_BUILD" or "build"
  write(name "script.lua", "local mascon = require 'mascon'\n" .. text)
  local out = capture(("top=$PWD; cd %s; %s $top/%s/mascon script.lua 2>&1")
    :format(dir, before, build))
  os.remove(name "script.lua")
  return out
end

setup(function()
  dir = shell.folder()
end)

teardown(function() shell.remove(dir) end)

before_each(function() os.execute("rm -rf " .. dir .. "/* " .. dir .. "/.m*") end)


describe("a .npy file and its blocks", function()
  -- 137,000 int16 are two blocks when read and three, gathered, when written
  for _, shape in ipairs { { 2, 68501 }, { 68501, 2 }, { 371, 370 } } do
    it(("are the same for any threads, %d x %d"):format(shape[1], shape[2]),
    function()
      local rows, cols = shape[1], shape[2]
      local little, big, want = {}, {}, {}
      for i = 0, rows - 1 do
        for j = 0, cols - 1 do
          local k = j * rows + i  -- the first index runs fastest
          local x = k * 7919 % 65536 - 32768
          little[k + 1] = ("<i2"):pack(x)
          big[k + 1] = (">i2"):pack(x)
          want[#want + 1] = ("<i4"):pack(x)
        end
      end
      want = table.concat(want)
      for descr, elements in pairs { ["<i2"] = little, [">i2"] = big } do
        local file = npy("f.npy", descr, ("(%d, %d)"):format(rows, cols), true,
          table.concat(elements))
        for _, threads in ipairs { 1, 2, 3, 8 } do
          local a = assert(mascon.load(file, { threads = threads }))
          a:save(name "o.npy", { threads = threads })
          assert.is_true(bytes(name "o.npy"):sub(129) == want)
          a:close()
          a = mascon.load(name "o.npy", { threads = threads })
          a:save(name "p.npy", { threads = threads })
          assert.is_true(bytes(name "o.npy") == bytes(name "p.npy"))
        end
      end
    end)
  end
end)


describe("saving", function()
  local function vector(...)
    local v = mascon.zeros(select("#", ...))
    for i = 1, select("#", ...) do v[i] = select(i, ...) end
    return v
  end

  it("leaves one file, with the permissions of the old one", function()
    local v = vector(1, 2)
    v:save(name "v.npy")
    os.execute("chmod 640 " .. name "v.npy")
    vector(3, 4, 5):save(name "v.npy")
    assert.equal("640\n", capture("stat -c %a " .. name "v.npy"))
    assert.equal(5, mascon.load(name "v.npy")[3])
    assert.equal("v.npy ", list())
    local mask = capture "umask"
    v:save(name "w.npy")
    assert.equal(("%o\n"):format(438 - tonumber(mask, 8) % 128),
      capture("stat -c %a " .. name "w.npy"))
  end)

  it("follows a link", function()
    vector(1):save(name "v.npy")
    os.execute("ln -s v.npy " .. name "link.npy")
    vector(2):save(name "link.npy")
    assert.equal(2, mascon.load(name "v.npy")[1])
    assert.equal("link.npy\n", capture("find " .. dir .. " -type l -printf %f\\\\n"))
    os.execute("ln -s nowhere " .. name "lost.npy")
    assert.has_error(function() vector(2):save(name "lost.npy") end,
      name "lost.npy" .. ": is a link that leads nowhere")
  end)

  it("takes any name, or says that it is too long", function()
    for _, n in ipairs { "a b.npy", "m\u{e4}\u{df}.npy", "no suffix",
                         ("x"):rep(255) } do
      vector(7):save(name(n))
      assert.equal(7, mascon.load(name(n))[1])
    end
    for _, n in ipairs { 256, 9999 } do
      local long = name(("x"):rep(n))
      local why = "..." .. ("x"):rep(256) .. ": File name too long"
      assert.has_error(function() vector(7):save(long) end, why)
      assert.same({ nil, why }, { mascon.load(long) })
    end
  end)

  it("takes a relative name", function()
    vector(1):save(name "v.npy")
    os.execute("mkdir " .. name "sub")
    assert.matches("^2%.?0?\n$", script("", [[
      local v = mascon.load "v.npy"
      v[1] = 2
      v:save "sub/../v.npy"
      mascon.create("sub/c.npy", 3):close()
      print(mascon.load("v.npy")[1])
    ]]))
    assert.equal("sub v.npy ", list())
    assert.equal("c.npy\n", capture("ls -A " .. name "sub"))
  end)

  it("leaves the old file where the disk is full", function()
    vector(1, 2, 3):save(name "v.npy")
    local out = script("trap '' XFSZ; ulimit -f 8;", ([[
      local file = "%s"
      print(pcall(mascon.zeros(10000).save, mascon.zeros(10000), file))
      print(pcall(mascon.create, file, 10000))
      print(pcall(mascon.create, file, 2^59))
      print(pcall(mascon.create, file, 2^60, 2^60))
    ]]):format(name "v.npy"))
    local file = name "v.npy"
    assert.equal(("false\t%s: File too large\n"):rep(2):format(file, file)
      .. "false\t" .. file .. ": No space left on device\nfalse\t" .. file .. ": size exceeds what can be addressed\n", out)
    assert.equal(3, mascon.load(file)[3])
    assert.equal("v.npy ", list())
  end)

  it("raises what its progress function raises, when all is done too",
  function()
    local v = vector(1, 2, 3)
    local function fail() error("stop", 0) end
    assert.has_error(function() v:save(name "v.npy", { progress = fail }) end,
      "stop")
    v:save(name "v.npy")
    assert.has_error(function()
      mascon.load(name "v.npy", { progress = fail })
    end, "stop")
  end)

  it("survives that its progress function wants to close the array", function()
    local v = vector(1, 2, 3)
    local calls = {}
    v:save(name "v.npy", { progress = function(done, total)
      assert.is_false(pcall(v.close, v))
      calls[#calls + 1] = done .. " of " .. total
    end })
    assert.same({ "3 of 3" }, calls)
    assert.equal(3, mascon.load(name "v.npy")[3])
  end)
end)


describe("a map", function()
  it("keeps the old file when a new one takes its name", function()
    local a = mascon.create(name "m.npy", 3)
    a[1] = 5
    local b = mascon.create(name "m.npy", 2)
    b[1] = 6
    assert.equal(5, a[1])
    local c = mascon.load(name "m.npy", { map = "r+" })
    assert.equal(6, c[1])
    c:save(name "m.npy")  -- onto itself
    c[2] = 7
    assert.equal(0, mascon.load(name "m.npy")[2])
  end)

  it("lives as long as its views", function()
    mascon.create(name "m.npy", 2, 3):close()
    local a = mascon.load(name "m.npy", { map = "r+" })
    local row = a[2]
    a:set(2, 1, 8)
    a:close()
    a:close()
    assert.error_matches(function() return a:get(1, 1) end, "closed")
    assert.error_matches(function() a:flush() end, "closed")
    assert.equal(8, row[1])
    row[2] = 9
    row:flush()
    row:close()
    assert.equal(9, mascon.load(name "m.npy"):get(2, 2))
  end)

  it("is closed by the end of its block", function()
    if _VERSION ~= "Lua 5.4" then return pending "a variable of Lua 5.4" end
    collectgarbage()
    local function maps()
      return select(2, bytes("/proc/self/maps"):gsub("m%.npy", ""))
    end
    local block = assert(load [[
      local a <close> = ...
      a[4] = 1
    ]])
    local a = mascon.create(name "m.npy", 4)
    assert.equal(1, maps())
    block(a)
    assert.equal(0, maps())
    assert.equal(1, mascon.load(name "m.npy")[4])
  end)

  it("may be empty", function()
    for _, how in ipairs { true, "r", "r+" } do
      mascon.create(name "m.npy", 3, 0, "u16"):close()
      local a = mascon.load(name "m.npy", { map = how })
      assert.same({ 3, 0 }, { a:shape() })
      a:flush()
    end
  end)

  it("wants its elements aligned", function()
    local text = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}"
    write(name "m.npy", "\x93NUMPY\1\0" .. ("<s2"):pack(text) ..
      ("<d"):pack(3))
    assert.equal(3, mascon.load(name "m.npy")[1])
    assert.same({ nil, name "m.npy" ..
      ": cannot be mapped: its elements are not aligned" },
      { mascon.load(name "m.npy", { map = true }) })
  end)
end)


it("create names what it cannot make", function()
  local file = name "c.npy"
  assert.error_matches(function() mascon.create(file) end, "1 to 4 sizes")
  assert.error_matches(function() mascon.create(file, 1, 1, 1, 1, 1) end,
    "1 to 4 sizes")
  assert.error_matches(function() mascon.create(file, 3, "i8") end,
    "bad argument #3 to '.*create' %(dtype .* expected, got \"i8\"%)")
  assert.error_matches(function() mascon.create(file, -1) end,
    "bad argument #2 to '.*create' %(size is negative%)")
  assert.error_matches(function() mascon.create(file, 1.5) end, "integer")
  assert.equal("", list())
end)


describe("failing allocations", function()
  after_each(function() mascon.memory(-1) end)

  local function each(action)
    local fds = descriptors()
    collectgarbage()
    local held, blocks = mascon.memory()
    for n = 0, 20 do
      mascon.memory(n)
      local ok, a, why = pcall(action)
      mascon.memory(-1)
      local failed = not ok or why
      if a and ok then a:close() end
      collectgarbage()
      local held2, blocks2 = mascon.memory()
      assert.equal(held, held2)
      assert.equal(blocks, blocks2)
      assert.equal(fds, descriptors())
      if not failed then return n end
      assert.match("%.npy: not enough memory$", why or a)
    end
    error "never worked"
  end

  it("are reported by load, and leave nothing", function()
    local file = npy("a.npy", "<i2", "(2,)", false, "\1\0\2\0")
    -- elements with their buffer, scratch
    assert.equal(2, each(function() return mascon.load(file) end))
    file = npy("b.npy", "<i4", "(2,)", true, ("\0"):rep(8))
    assert.equal(1, each(function() return mascon.load(file) end))
    assert.equal(1, each(function()
      return mascon.load(file, { map = true })
    end))
  end)

  it("are reported by save and create, and leave the old file", function()
    local file = npy("a.npy", "<i4", "(2, 2)", true, ("\1"):rep(16))
    local a = mascon.load(file)
    assert.equal(1, each(function() a:save(name "o.npy") end))
    os.remove(name "o.npy")
    mascon.memory(0)
    assert.has_error(function() a:save(file) end, file ..
      ": not enough memory")
    assert.has_error(function() mascon.create(file, 9) end, file ..
      ": not enough memory")
    mascon.memory(-1)
    assert.equal(16843009, mascon.load(file):get(2, 2))
    assert.equal("a.npy ", list())
    assert.equal(1, each(function() return mascon.create(file, 9) end))
  end)
end)

-- examples/cmodule: somebody else's module, built against headers of other versions

local mascon = require "mascon"
local shell = require "spec.shell"

describe("a Lua C module that links nothing", function()
  local dir, count = nil, 0
  setup(function() dir = shell.folder() end)
  teardown(function() shell.remove(dir) end)

  -- build the example against the headers as 'edit' (of file name, text) changes
  -- them; a function that opens it
  local function build(edit)
    count = count + 1
    local own = ("%s/%d"):format(dir, count)
    assert(shell.run("mkdir " .. own))
    for _, name in ipairs { "mascon.h", "mascon_lua.h" } do
      local text = shell.read("include/" .. name)
      shell.write(own .. "/" .. name, edit and edit(name, text) or text)
    end
    local cc = os.getenv "MASCON_CC" or "cc -std=c11 -D_DEFAULT_SOURCE -fPIC"
    local flags = (os.getenv "MASCON_LUAFLAGS" or "-I/usr/include/lua5.4"):gsub("%-l%S+", "")
    assert.same({ "", "", 0 }, { shell.run(("%s -Werror %s -I%s -shared examples/cmodule/affine.c -o %s/affine.so")
      :format(cc, flags, own, own)) })
    return assert(package.loadlib(own .. "/affine.so", "luaopen_affine"))
  end

  local function works(affine)
    local y = affine.map(mascon.range(5), 2, 1)
    assert.same({ 3, 5, 7, 9, 11 }, y:totable())
    affine.add(y, 10, y)
    assert.equal(85, affine.sum(y))
    assert.equal(13 + 21, affine.sum(y:sub(1, 5, 4)))
    local back = affine.keep(y)
    y:close()
    collectgarbage()
    assert.same({ 13, 15, 17, 19, 21 }, back():totable())
    assert.error_matches(function() affine.sum(y) end, "f64 vector expected")
    assert.error_matches(function() affine.map(y, 1, 1) end, "f64 vector expected, got closed array")
    assert.error_matches(function() affine.map(mascon.zeros(2, "i32"), 1, 1) end,
      "bad argument #1 to 'map' %(f64 vector expected, got i32 vector 2%)")
    assert.error_matches(function() affine.map({}, 1, 1) end, "f64 vector expected, got table")
    assert.error_matches(function() affine.add(back(), 1, mascon.zeros(5):freeze()) end,
      "writable f64 vector expected, got read%-only f64 vector 5")
  end

  it("works with the header of this version", function()
    works(build()())
  end)

  it("works with a header that has more fields of arrays", function()
    works(build(function(name, text)
      if name ~= "mascon.h" then return end
      local more, n = text:gsub("(mascon_buffer %*buffer;[^\n]*\n)(} mascon_array;)",
        "%1  double later[4];\n%2")
      assert.equal(1, n)
      return more
    end)())
  end)

  it("works with a header of before mascon_register", function()
    works(build(function(name, text)
      if name ~= "mascon_lua.h" then return end
      local less, n = text:gsub("%s*/%* mascon_register, mascon_parallel_for.-\n} mascon_functions;",
        "\n} mascon_functions;")
      assert.equal(1, n)
      return less
    end)())
  end)

  it("is told that mascon is older where it was built for more functions", function()
    local open = build(function(name, text)
      if name ~= "mascon_lua.h" then return end
      local more, n = text:gsub("\n} mascon_functions;", "\n  void (*later) (void);%0")
      assert.equal(1, n)
      return more
    end)
    assert.error_matches(open, "mascon is older than this module, which was built for mascon %d")
  end)

  it("is told that mascon has another abi", function()
    local function other(name, text)
      if name ~= "mascon.h" then return end
      local more, n = text:gsub("#define MASCON_ABI 1", "#define MASCON_ABI 2")
      assert.equal(1, n)
      return more
    end
    assert.error_matches(build(other), "mascon has abi 1; this module was built for abi 2")
    -- and where it needs no functions, by the first array
    local affine = build(function(name, text)
      if name == "mascon.h" then return other(name, text) end
      return (text:gsub("else if %(f%->abi != MASCON_ABI%)", "else if (f->abi == 99)"))
    end)()
    assert.error_matches(function() affine.sum(mascon.zeros(2)) end, "f64 vector expected")
    assert.error_matches(function() affine.map(mascon.zeros(2), 1, 1) end,
      "f64 vector expected, got array of abi 1; this module was built for abi 2 of mascon")
  end)

  it("is told that mascon is not loaded", function()
    if shell.sanitizer then return pending "a plain Lua cannot load a sanitized module" end
    build()
    local out = shell.run(("%s -e 'print(pcall(package.loadlib(\"%s/%d/affine.so\", \"luaopen_affine\")))'")
      :format(shell.lua, dir, count))
    assert.matches('false\t.*mascon is not loaded: require "mascon" first', out)
  end)
end)

local mascon = require "mascon"
local shell = require "spec.shell"

local build = os.getenv "MASCON_BUILD" or "build"

local function load()
  local open, why = package.loadlib(build .. "/spec/door.so", "luaopen_door")
  return assert(open, why)()
end

describe("the door of the header alone", function()
  local door = load()

  it("sees arrays and nothing else", function()
    assert.equal("f32 matrix 2 x 3", door.kind(mascon.zeros(2, 3, "f32")))
    assert.equal("u16 4-D array 1 x 2 x 3 x 4",
      door.kind(mascon.zeros(1, 2, 3, 4, "u16")))
    for _, v in ipairs { door.nothing(), door.light(), io.stdout, {}, 1, "a", true } do
      assert.is_nil(door.kind(v))
    end
    assert.is_nil(door.kind(nil))
    local a = mascon.zeros(3)
    a:close()
    assert.is_nil(door.kind(a))
  end)

  it("reads through strides", function()
    local a = mascon.range(10)
    assert.equal(55, door.sum(a))
    assert.equal(10 + 7 + 4 + 1, door.sum(a:sub(10, 1, -3)))
    assert.equal(5 + 6, door.sum(a:reshape(5, 2):row(3)))
  end)

  it("takes what is wanted", function()
    local m, v = mascon.zeros(2, 3, "f32"), mascon.zeros(4, "i32")
    for _, want in ipairs { "any", "array", "f32", "matrix", "f32 matrix", "f64|f32",
      "f32|f64 matrix", "writable f32 matrix", "any matrix" } do
      assert.is_true(door.check(m, want))
    end
    assert.is_true(door.check(v, "i64|i32|u16 vector"))
  end)

  it("says what was wanted and what came", function()
    local function message(v, want)
      return select(2, pcall(door.check, v, want)):match "%((.*)%)$"
    end
    local m = mascon.zeros(2, 3, "f32")
    assert.equal("f64 matrix expected, got f32 matrix 2 x 3", message(m, "f64 matrix"))
    assert.equal("f32|f64 vector expected, got f32 matrix 2 x 3",
      message(m, "f32|f64 vector"))
    assert.equal("array expected, got table", message({}, "any"))
    assert.equal("f64 vector expected, got number", message(1, "f64 vector"))
    m:close()
    assert.equal("f32 expected, got closed array", message(m, "f32"))
  end)

  it("is not forced by another module's userdata", function()
    local forged, zero = door.forged(), door.nothing()
    for _, v in ipairs { forged, zero, door.light(), io.stdout } do
      assert.error_matches(function() door.check(v, "any") end, "array expected, got .*userdata")
      for name, f in pairs(mascon) do  -- nor is any function of ours
        if type(f) == "function" and name ~= "memory" and name ~= "threads"
          and name ~= "help" then
          pcall(f, v)
          pcall(f, 1, v)
        end
      end
      for _, method in ipairs { "copy", "t", "fill", "take", "get", "set", "close",
        "totable", "shape", "addr", "assign" } do
        local f = mascon.zeros(1)[method]
        assert.error_matches(function() f(v, 1) end, "array expected")
        pcall(f, mascon.zeros(1), v)
      end
      assert.is_false(mascon.zeros(1) == v)
    end
  end)
end)

describe("a host that links", function()
  it("lends memory to Lua and gets it back once", function()
    local p = assert(io.popen(build .. "/spec/push"))
    assert.equal("ok\n", p:read "a")
    assert.is_true(p:close())
  end)

  -- B47: static data; B49: loading from two threads
  it("may open mascon in eight threads at once, again and again", function()
    local out, err = shell.run(build .. "/spec/open link 60")
    assert.same({ "0 of 480 failed\n", "" }, { out, err })
    for _ = 1, 5 do  -- the first load of a process is the one that may race
      out, err = shell.run(("%s/spec/open load 10 %s/lib"):format(build, build))
      assert.same({ "0 of 80 failed\n", "" }, { out, err })
    end
  end)

  -- B53: another module's metatable under a name of ours
  it("is refused where a name of a type is taken", function()
    for _, name in ipairs { "mascon.array", "mascon.csr", "mascon.random", "mascon.index" } do
      local path = shell.file(([[
        local registry = debug.getregistry()
        for _, part in ipairs { "mascon.array", "mascon.csr", "mascon.random", "mascon.index" } do
          registry[part] = nil
        end
        registry["%s"] = { __name = "%s" }
        package.loaded["mascon.core"] = nil
        print(pcall(require, "mascon.core"))]]):format(name, name))
      local out = shell.run(shell.mascon .. " " .. path)
      os.remove(path)
      assert.matches("^false\t.*type '" .. name:gsub("%.", "%%.") ..
        "' is already registered by another module", out)
    end
  end)
end)

local mascon = require "mascon"

local shell = require "spec.shell"

describe("a token", function()
  it("gives the same elements, as often as was said", function()
    local a = mascon.range(10)
    local token = mascon.share(a:sub(3, 9, 2), 2)
    assert.equal("number", type(token))
    local b, c = mascon.attach(token), mascon.attach(token)
    assert.same({ 3, 5, 7, 9 }, b:totable())
    assert.is_true(b == c)
    c[1] = 30
    assert.equal(30, a[3])
    assert.has_error(function() mascon.attach(token) end,
      "bad argument #1 to 'attach' (token is used up)")
  end)

  it("is good once unless told", function()
    local token = mascon.share(mascon.ones(2))
    assert.same({ 1, 1 }, mascon.attach(token):totable())
    assert.error_matches(function() mascon.attach(token) end, "used up")
  end)

  it("holds the elements", function()
    collectgarbage()
    local before = mascon.memory()
    local a = mascon.zeros(1000)
    local token = mascon.share(a)
    a:close()
    collectgarbage()
    assert.is_true(mascon.memory() >= before + 8000)
    mascon.attach(token):close()
    collectgarbage()
    assert.equal(before, (mascon.memory()))
  end)

  it("can be given up", function()
    collectgarbage()
    local before = mascon.memory()
    local token = mascon.share(mascon.zeros(1000), 5)
    mascon.attach(token):close()
    mascon.unshare(token)
    collectgarbage()
    assert.equal(before, (mascon.memory()))
    assert.error_matches(function() mascon.unshare(token) end, "used up")
  end)

  it("is found among very many", function()
    local a, tokens = mascon.zeros(3), {}
    for i = 1, 20000 do tokens[i] = mascon.share(a, 2) end
    for i = 1, 20000, 7 do mascon.attach(tokens[i]):close() end
    for i = 20000, 1, -1 do mascon.unshare(tokens[i]) end
    assert.error_matches(function() mascon.attach(tokens[777]) end, "used up")
    assert.equal(3, mascon.attach(mascon.share(a)).size)
  end)

  it("that nobody gave out is refused", function()
    local token = mascon.share(mascon.ones(1))
    for _, x in ipairs { 0, -1, 1, token + 1, 2 ^ 40, math.maxinteger or 2 ^ 62,
        math.mininteger or -2 ^ 63 } do
      assert.has_error(function() mascon.attach(x) end,
        "bad argument #1 to 'attach' (no token of this library)")
      assert.has_error(function() mascon.unshare(x) end,
        "bad argument #1 to 'unshare' (no token of this library)")
    end
    mascon.unshare(token)
    for value, got in pairs { [1.5] = "1.5", a = '"a"', ["1"] = '"1"', [true] = "boolean" } do
      for _, name in ipairs { "attach", "unshare" } do
        local f = mascon[name]
        assert.error_matches(function() f(value) end, "token expected, got " .. got, 1, true)
        assert.error_matches(function() f() end, "token expected, got no value")
      end
    end
  end)

  it("is made of an array, for one use or more", function()
    assert.error_matches(function() mascon.share {} end,
      "bad argument #1 to 'share' %(array expected, got table%)")
    assert.error_matches(function() mascon.share(mascon.ones(1), 0) end,
      "bad argument #2 to 'share' %(integer from 1 up expected, got 0%)")
    for value, got in pairs { [1.5] = "1.5", ["2"] = '"2"' } do
      assert.has_error(function() mascon.share(mascon.ones(1), value) end,
        "bad argument #2 to 'share' (integer from 1 up expected, got " .. got .. ")")
    end
    local closed = mascon.ones(1)
    closed:close()
    assert.error_matches(function() mascon.share(closed) end, "closed")
  end)
end)

describe("a frozen array", function()
  local function frozen(...)
    local a = mascon.zeros(...)
    local view = a:sub(1, -1)
    assert.is_true(rawequal(a, a:freeze()))
    return a, view
  end

  it("is read-only in all its views, old and new", function()
    local a, view = frozen(3, 2)
    for _, v in ipairs { a, view, a:t(), a:row(1), view:reshape(6) } do
      assert.is_true(v.readonly)
    end
    assert.matches("read%-only", tostring(view))
    local attached = mascon.attach(mascon.share(a))
    assert.is_true(attached.readonly)
    assert.is_false(a:copy().readonly)
  end)

  it("is not written by anything", function()
    local a, view = frozen(3, 3)
    local ids = mascon.zeros(3, 1, "i32"):freeze()
    local writes = {
      function() a[1] = 2 end,
      function() a[1] = { 1, 2, 3 } end,
      function() a:set(1, 1, 2) end,
      function() view:row(1)[1] = 2 end,
      function() a:fill(1) end,
      function() a:assign(1) end,
      function() mascon.add(view, 1, view) end,
      function() a:exp(a) end,
      function() a:sort(1, view) end,
      function() a:sum(1, view:row(1)) end,
      function() mascon.ones(3, 3):matmul(mascon.ones(3, 3), a) end,
      function() mascon.gauss(a, 1, 1, 1, 1) end,
      function() mascon.render({ x = 1, y = 1, sx = 1, sy = 1 }, { out = view }) end,
      function() mascon.topn(a, 1, { out = { ids = ids } }) end,
    }
    for _, write in ipairs(writes) do
      assert.error_matches(write, "read%-only")
      assert.equal(0, a:sum())
    end
  end)

  it("is refused by a C module that wants to write", function()
    local door = assert(package.loadlib(shell.build .. "/spec/door.so", "luaopen_door"))()
    local a = frozen(2, 2)
    assert.is_true(door.check(a, "f64 matrix"))
    assert.error_matches(function() door.check(a, "writable f64 matrix") end,
      "writable f64 matrix expected, got read%-only f64 matrix 2 x 2")
  end)

  it("may be frozen again, but not where it is closed", function()
    local a = frozen(1)
    a:freeze()
    a:close()
    assert.error_matches(function() a:freeze() end, "closed")
  end)
end)

describe("states on eight threads", function()
  it("are opened, share and are closed; a second copy keeps apart", function()
    local core = shell.sanitizer and "" or shell.build .. "/lib/mascon/core.so"
    local out, err, code = shell.run(("timeout 300 %s/spec/states %s"):format(
      shell.build, core))
    assert.same({ "ok\n", "", 0 }, { out, err, code })
  end)
end)

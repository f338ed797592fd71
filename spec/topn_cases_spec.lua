-- What went wrong elsewhere and needs files, programs or several calls to
-- show; the rest of its kind is in topn_spec.lua.
local mascon = require "mascon"
local shell = require "spec.shell"

local function same(a, b)
  assert.same(a:totable(), b:totable())
end

describe("topn and recommend, where others went wrong:", function()
  -- half numbers go through a file, and are f32 then
  local function halves(bits)
    local name = os.tmpname()
    local header = ("{'descr': '<f2', 'fortran_order': False, 'shape': (1, %d), }")
      :format(#bits)
    header = header .. (" "):rep(-(#header + 11) % 64) .. "\n"
    local f = assert(io.open(name, "wb"))
    f:write("\x93NUMPY\1\0", string.pack("<s2", header))
    for _, b in ipairs(bits) do f:write(string.pack("<I2", b)) end
    f:close()
    local a = assert(mascon.load(name))
    os.remove(name)
    return a
  end

  it("half precision: NaN, strided views, any place", function()
    local a = halves { 0x7e00, 0x3c00, 0x4000 }  -- NaN, 1, 2
    assert.same({ { 2, 1 } }, mascon.topn(a, 2, { base = 0 })[1] and
                mascon.topn(a, 2, { base = 0 }):totable())
    local bits = {}
    for j = 1, 64 do bits[j] = 0x3c00 + j * 37 % 64 end  -- 64 different numbers
    a = halves(bits)
    local ids = mascon.topn(a, 29)
    for k = 1, 29 do assert.equal(64 - k, bits[ids(1, k)] - 0x3c00) end
    local odd = a:narrow(2, 1, 19, 2)
    same(mascon.topn(odd:copy(), 5), mascon.topn(odd, 5))
  end)

  it("a query scores alone what it scores among others", function()
    for _, rank in ipairs { 3, 17, 64, 200 } do
      local r = mascon.random(rank)
      local users, items = r:normal(33, rank, "f32"), r:normal(700, rank, "f32")
      local ids, scores = mascon.recommend(users, items, 8)
      for u = 1, 33, 8 do
        local i, s = mascon.recommend(users:rows(u, u), items, 8)
        assert.same(ids[u]:totable(), i[1]:totable())
        assert.same(scores[u]:totable(), s[1]:totable())
      end
    end
  end)

  it("1, 2, 3, 7 and 64 threads agree", function()
    local r = mascon.random(9)
    local users, items = r:integers(-2, 2, 500, 6):copy "f32",
                         r:integers(-2, 2, 900, 6):copy "f32"
    local scores = users:matmul(items:t())
    local want = mascon.topn(scores, 7, { threads = 1 })
    for _, threads in ipairs { 1, 2, 3, 7, 64 } do
      same(want, mascon.topn(scores, 7, { threads = threads }))
      same(want, mascon.recommend(users, items, 7, { threads = threads }))
    end
  end)

  it("a selection is obeyed on every processor", function()
    local path = shell.file [[
      local mascon, t = require "mascon", {}
      local r = mascon.random(5)
      local users, items = r:normal(60, 9, "f32"), r:normal(3000, 9, "f32")
      local seen = mascon.csr.from_pairs(r:integers(1, 60, 9000),
        r:integers(1, 3000, 9000), 60, 3000, { base = 1 })
      local some = r:integers(1, 3000, 800)
      for _, o in ipairs { { allow = { 2, 5 } }, { allow = some }, { allow = seen },
                           { exclude = seen }, { exclude_items = some },
                           { allow = seen, exclude_items = some, min = 0.5 } } do
        local ids, scores, counts = mascon.recommend(users, items, 20, o)
        local i, s, c = mascon.topn(users:copy "f64":matmul(items:copy "f64":t())
          :copy "f32", 20, o)
        if o.min == nil then assert(ids:eq(i):all() and counts:eq(c):all()) end
        for u = 1, 60 do
          for k = 1, 20 do
            t[#t + 1] = ("%d %.17g"):format(ids(u, k), scores(u, k))
          end
        end
      end
      print(table.concat(t, " "))]]
    local first
    for _, cpu in ipairs { "base", "avx2", "avx512", "avx512vnni", "amx" } do
      local out, err = shell.run(("MASCON_CPU=%s %s %s"):format(cpu, shell.mascon,
                                                               path))
      first = first or out
      assert.is_true(#out > 60 * 20 * 6, err)
      assert.equal(first, out)
    end
    os.remove(path)
  end)

  it("offsets beyond 2^31", function()
    local name = os.tmpname()
    local width = 2 ^ 30  -- three rows are 12 GB, of which little is on the disk
    local header = ("{'descr': '<f4', 'fortran_order': False, 'shape': (3, %d), }")
      :format(width)
    header = header .. (" "):rep(-(#header + 11) % 64) .. "\n"
    local f = assert(io.open(name, "wb"))
    f:write("\x93NUMPY\1\0", string.pack("<s2", header))
    local data = f:seek()
    for row = 0, 2 do
      f:seek("set", data + (row * width + 5 + row) * 4)
      f:write(string.pack("<f", row + 1))
    end
    local ok = f:seek("set", data + 3 * width * 4 - 4) and f:write "\0\0\0\0"
    ok = f:close() and ok
    if not ok then
      os.remove(name)
      return pending "no file of 12 GB can be made here"
    end
    local a = assert(mascon.load(name, { map = true }))
    os.remove(name)
    local ids, scores = mascon.topn(a:cols(1, 100), 1)
    assert.same({ { 6 }, { 7 }, { 8 } }, ids:totable())
    assert.same({ { 1 }, { 2 }, { 3 } }, scores:totable())
    ids = mascon.recommend(a:cols(1, 10), a:narrow(1, -1, 1, -1):cols(1, 10), 3)
    assert.same({ { 3, 1, 2 }, { 2, 1, 3 }, { 1, 2, 3 } }, ids:totable())
    a:close()
  end)

  it("row pointers beyond 2^31", function()
    assert.error_matches(function()
      mascon.csr(mascon.array({ 0, (2 ^ 32) + 1 }, "i64"), mascon.ones(3, "i32"), 3,
                 { base = 1 })
    end, "4294967297 at position 2 is beyond the 3 indices")
  end)

  it("memory that grows with the number of users", function()
    local r = mascon.random(2)
    local items = r:normal(100, 4, "f32")
    local function most(nusers)
      local users, peak = r:normal(nusers, 4, "f32"), 0
      local before = mascon.memory()
      mascon.recommend(users, items, 10, { threads = 2, sink = function()
        peak = math.max(peak, (mascon.memory()))
      end })
      users:close()
      return peak - before
    end
    most(100)
    collectgarbage()
    assert.is_true(most(100000) < most(40000) + 1000)
  end)
end)

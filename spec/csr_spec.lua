local mascon = require "mascon"

local function ids(t, dtype)
  if #t == 0 then return mascon.zeros(0, dtype or "i32") end
  return mascon.array(t, dtype or "i32")
end

local function lists(c)
  local t = {}
  for r = 1, #c do
    t[r] = {}
    for k = c.indptr[r] + 1, c.indptr[r + 1] do
      t[r][#t[r] + 1] = c.indices[k]
    end
  end
  return t
end

describe("csr", function()
  it("says what it is", function()
    local c = mascon.csr(ids { 0, 2, 2, 5 }, ids({ 4, 0, 1, 1, 3 }, "i64"), 5,
                         { base = 0 })
    assert.equal(3, c.nrows)
    assert.equal(5, c.ncols)
    assert.equal(5, c.nnz)
    assert.equal(0, c.base)
    assert.equal(3, #c)
    assert.equal("csr 3 x 5, base 0", tostring(c))
    assert.same({ { 4, 0 }, {}, { 1, 1, 3 } }, lists(c))
    assert.error_matches(function() return c.rows end,
                         "csr has no field or method 'rows'")
  end)

  it("keeps the caller's arrays as they are", function()
    local indptr, indices = ids { 0, 1 }, ids { 3 }
    local c = mascon.csr(indptr, indices, 3, { base = 1 })
    assert.is_true(rawequal(indptr, c.indptr))
    assert.is_true(rawequal(indices, c.indices))
    mascon.topn(mascon.zeros(1, 3), 1, { exclude = c, base = 0 })
    assert.same({ 0, 1 }, indptr:totable())
    assert.same({ 3 }, indices:totable())
  end)

  it("takes views, and more indices than it uses", function()
    local c = mascon.csr(ids({ 9, 2, 9, 1, 9, 0 }):sub(-1, 1, -2),
                         ids({ 7, 1, 0 }):sub(-1, 1, -1), 2, { base = 0 })
    assert.same({ { 0 }, { 1 } }, lists(c))
  end)

  it("must be told its base", function()
    local missing = "option 'base' is missing: 0 or 1"
    assert.error_matches(function()
      mascon.csr(ids { 0 }, ids {}, 3)
    end, missing)
    assert.error_matches(function()
      mascon.csr(ids { 0 }, ids {}, 3, {})
    end, missing)
    assert.error_matches(function()
      mascon.csr.from_pairs(ids {}, ids {}, 3, 3)
    end, missing)
    assert.error_matches(function()
      mascon.csr(ids { 0 }, ids {}, 3, { base = 2 })
    end, "option 'base': integer from 0 to 1 expected, got 2")
  end)

  it("names the position of what is wrong", function()
    local function refuses(what, indptr, indices, ncols, base)
      assert.error_matches(function()
        mascon.csr(indptr, indices, ncols, { base = base })
      end, what)
    end
    refuses("#1 to .- %(indptr counts from 0, but starts with 1%)", ids { 1, 2 },
            ids { 1, 2 }, 3, 0)
    refuses("1 at position 3 is below 2 before it", ids { 0, 2, 1 },
            ids { 1, 2 }, 3, 0)
    refuses("3 at position 2 is beyond the 2 indices", ids { 0, 3 },
            ids { 1, 2 }, 3, 0)
    refuses("#2 to .- %(id 3 at position 2 is outside 0 to 2%)", ids { 0, 2 },
            ids { 1, 3 }, 3, 0)
    refuses("id 0 at position 1 is outside 1 to 3", ids { 0, 2 }, ids { 0, 3 },
            3, 1)
    refuses("3000000000 at position 2 is beyond", ids({ 0, 3000000000 }, "i64"),
            ids { 1 }, 3, 0)
    refuses("i32 or i64 vector, or table of ids expected, got f64 vector 2", mascon.zeros(2),
            ids {}, 3, 0)
    refuses("vector of rows %+ 1 expected, got i32 vector 0", ids {}, ids {}, 3, 0)
    refuses("integer from 0 up expected, got %-1", ids { 0 }, ids {}, -1, 0)
  end)

  it("is made of pairs, each row in their order", function()
    for _, dtype in ipairs { "i32", "i64" } do
      local c = mascon.csr.from_pairs(ids({ 2, 1, 2, 4, 2, 1 }, dtype),
        ids({ 3, 1, 1, 2, 3, 9 }, dtype), 4, 9, { base = 1 })
      assert.same({ { 1, 9 }, { 3, 1, 3 }, {}, { 2 } }, lists(c))
      assert.equal(dtype, c.indices.dtype)
      assert.equal(1, c.base)
    end
    local t = mascon.csr.from_pairs({ 2, 1, 2 }, { 3, 1, 1 }, 2, 3, { base = 1 })
    assert.same({ { 1 }, { 3, 1 } }, lists(t))
    assert.same({ { 3, 1 } }, lists(t:take { 2 }))
    assert.same({ { 1 }, { 0, 0 } }, lists(mascon.csr({ 0, 1, 3 }, { 1, 0, 0 }, 2, { base = 0 })))
    assert.error_matches(function()
      mascon.csr.from_pairs({ 1, 1.5 }, { 1, 1 }, 2, 2, { base = 1 })
    end, "bad argument #1 to 'from_pairs' %(element %[2%]: ")
    local c = mascon.csr.from_pairs(ids {}, ids {}, 2, 0, { base = 0 })
    assert.same({ {}, {} }, lists(c))
  end)

  it("names the pair that is wrong", function()
    assert.error_matches(function()
      mascon.csr.from_pairs(ids { 1, 5 }, ids { 1, 1 }, 4, 4, { base = 1 })
    end, "#1 to .- %(id 5 at position 2 is outside 1 to 4%)")
    assert.error_matches(function()
      mascon.csr.from_pairs(ids { 0, 3 }, ids { -1, 1 }, 4, 4, { base = 0 })
    end, "#2 to .- %(id %-1 at position 1 is outside 0 to 3%)")
    assert.error_matches(function()
      mascon.csr.from_pairs(ids { 1, 2 }, ids { 1 }, 4, 4, { base = 1 })
    end, "vector 2, as argument #1, expected, got i32 vector 1")
  end)

  it("gives some of its rows", function()
    local c = mascon.csr(ids { 0, 2, 2, 5 }, ids { 4, 0, 1, 1, 3 }, 5,
                         { base = 0 })
    local d = c:take(ids { 3, 1, 3 })
    assert.same({ { 1, 1, 3 }, { 4, 0 }, { 1, 1, 3 } }, lists(d))
    assert.equal(0, d.base)
    assert.equal(5, d.ncols)
    assert.same({ { 4, 0 } }, lists(c:take(ids { 0 }, { base = 0 })))
    assert.same({}, lists(c:take(ids {})))
    assert.error_matches(function() c:take(ids { 1, 4 }) end,
                         "row 4 at position 2 is outside 1 to 3")
  end)

  it("says what changed in its arrays, wherever it is used", function()
    local scores, items = mascon.zeros(2, 8), mascon.zeros(8, 3)
    for what, ends in pairs {
        ["indptr: -5 at position 3 is below 1 before it"] = { 0, 1, -5 },
        ["indptr: 7 at position 3 is beyond the 3 indices"] = { 0, 1, 7 },
        ["indptr counts from 0, but starts with 1"] = { 1, 1, 2 } } do
      local indptr = ids { 0, 1, 3 }
      local c = mascon.csr(indptr, ids { 1, 2, 3 }, 8, { base = 1 })
      indptr:assign(ends)
      local text = "the csr is no longer valid (" .. what .. ")"
      for _, f in ipairs { function() c:take { 1 } end,
          function() mascon.csr.save(c, "/no/where.npz") end,
          function() mascon.topn(scores, 1, { exclude = c }) end,
          function() mascon.recommend(scores, mascon.zeros(8, 8), 1, { allow = c }) end,
          function() mascon.recommend(items:rows(1, 2), items, 1, { ranks = c }) end } do
        assert.error_matches(f, text, 1, true)
      end
      if ends[3] < 0 then assert.error_matches(function() return c.nnz end, text, 1, true) end
    end
  end)

  it("notices when its arrays change or close", function()
    local indices = ids { 2 }
    local c = mascon.csr(ids { 0, 1 }, indices, 3, { base = 0 })
    local m = mascon.zeros(1, 3)
    indices[1] = 3
    assert.error_matches(function() mascon.topn(m, 1, { exclude = c }) end,
                         "indices: id 3 at position 1 is outside 0 to 2")
    indices:close()
    assert.error_matches(function() mascon.topn(m, 1, { exclude = c }) end,
                         "closed")
  end)
end)

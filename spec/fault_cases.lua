-- fault_cases.lua - every public operation, for specs in which memory fails
--
-- cases[name](folder) prepares one and returns a function that does it, and
-- what it must leave as it was if it fails; name is that of the annotation. It
-- is a chunk for a plain host too, so it asks for nothing but mascon.

local mascon = require "mascon"

local cases = {}

local function matrix(dtype) return mascon.random(1):uniform(40, 30, dtype or "f64") end
local function whole(dtype) return mascon.random(2):integers(1, 2, 40, 30, dtype or "i32") end

local function case(names, prepare)
  for name in names:gmatch "%S+" do
    cases[name] = function(folder) return prepare(name:match "[%w_]+$", folder) end
  end
end

-- {------- makers -------

case("mascon.zeros mascon.ones mascon.empty mascon.eye", function(name)
  return function() return mascon[name](10, 10, "f32") end
end)
case("mascon.full", function() return function() return mascon.full(9, 9, 2.5) end end)
case("mascon.range", function() return function() return mascon.range(1, 5000) end end)
case("mascon.linspace", function()
  return function() return mascon.linspace(0, 1, 5000) end
end)
case("mascon.array", function()
  local t = { { 1, 2 }, { 3, 4 } }
  return function() return mascon.array(t, "f32"), mascon.array(t, 4) end
end)
case("mascon.concat", function()
  local a, b = matrix(), matrix "f32"
  return function() return mascon.concat(2, a, b:t():t(), a) end
end)
case("mascon.stack", function()
  local a, b = matrix(), whole()
  return function() return mascon.stack(a, b, a) end
end)
case("mascon.random", function() return function() return mascon.random(3) end end)
case("Random:uniform Random:normal", function(name)
  return function()
    local r = mascon.random(3)
    return r[name](r, 50, 40), r[name](r, 3, "f32"), r[name](r)
  end
end)
case("Random:integers", function()
  return function() return mascon.random(3):integers(1, 6, 500, "u8") end
end)
case("Random:permutation", function()
  return function() return mascon.random(3):permutation(3000) end
end)
case("mascon.philox", function()
  return function() return mascon.philox(1, 2, 3, 4, 5) end
end)
case("mascon.share mascon.attach", function()
  local a = matrix()
  return function()
    local token = mascon.share(a)
    local ok, b = pcall(mascon.attach, token)
    if ok then return b end
    pcall(mascon.unshare, token)  -- it holds the elements otherwise
    error(b, 0)
  end
end)
case("mascon.unshare", function()
  local a = matrix()
  return function() mascon.unshare(mascon.share(a, 3)) end
end)

-- -------}


-- {------- elements -------

case([[mascon.add mascon.subtract mascon.multiply mascon.divide mascon.mod mascon.power
  mascon.minimum mascon.maximum mascon.atan2 mascon.hypot mascon.lt mascon.le mascon.gt
  mascon.ge mascon.eq mascon.ne mascon.idiv]], function(name)
  local a, b, out = whole(), whole "i64":t():copy():t(), mascon.full(40, 30, 7)
  return function()
    mascon[name](a, b, out)
    return mascon[name](a, 2.5), mascon[name](3, b), a + b, a / b
  end, out
end)
case("mascon.land mascon.lor mascon.lxor", function(name)
  local a, b = whole "u8", matrix():lt(0.5)
  return function() return mascon[name](a, b), a:ne(0) end
end)
case([[mascon.negate mascon.abs mascon.sign mascon.floor mascon.ceil mascon.round
  mascon.trunc mascon.sqrt mascon.cbrt mascon.exp mascon.expm1 mascon.log mascon.log1p
  mascon.log2 mascon.log10 mascon.sin mascon.cos mascon.tan mascon.asin mascon.acos
  mascon.atan mascon.sinh mascon.cosh mascon.tanh mascon.erf mascon.erfc mascon.isnan
  mascon.isinf mascon.isfinite]], function(name)
  local a = matrix()
  return function() return mascon[name](a), a[name](a:t()), -a end
end)
case("mascon.lnot", function()
  local a = whole "u8"
  return function() return a:lnot(), mascon.lnot(a:t()) end
end)
case("mascon.where", function()
  local mask, a, b = matrix():lt(0.5), matrix(), whole()
  return function() return mascon.where(mask, a, b), mascon.where(mask, 1, a:t():t()) end
end)
case("Array:get Array:set Array:fill", function()
  local a = matrix()
  return function()
    a:set(1, 2, a:get(2, 1))
    return a(1, 1), a:copy():fill(3)
  end
end)
case("Array:assign", function()
  local a, b, t = matrix(), whole(), { 1, 2, 3 }
  local row = mascon.zeros(3)
  return function()
    row:assign(t)
    a:copy():assign(b)
    a:rows(2, 40):assign(a:rows(1, 39))
  end
end)
case("Array:copy Array:cast", function()
  local a = matrix()
  return function() return a:copy "f32", a:t():copy(), a:cast("u8", "round") end
end)

-- -------}


-- {------- lines -------

case([[mascon.sum mascon.prod mascon.mean mascon.var mascon.std mascon.min mascon.max
  mascon.argmin mascon.argmax mascon.any mascon.all]], function(name)
  local a, b = matrix(), whole()
  return function()
    return mascon[name](a), mascon[name](a:t(), 1), mascon[name](b, 2, nil, { threads = 2 })
  end
end)
case("mascon.median", function()
  local a, out = matrix(), mascon.full(30, 7)
  return function()
    mascon.median(a, 1, out)
    return a:median(), a:t():median(1)
  end
end)
case("mascon.percentile", function()
  local a = matrix()
  return function() return a:percentile(30), a:percentile(70, 1) end
end)
case("mascon.sort mascon.argsort mascon.cumsum", function(name)
  local a, b = matrix(), whole()
  return function() return mascon[name](a, 1), mascon[name](b:t(), 2), mascon[name](a, 2) end
end)
case("mascon.matmul", function()
  local a, b, v = matrix(), matrix():t(), mascon.ones(30)
  local out = mascon.full(40, 40, 7)
  return function()
    mascon.matmul(a, b, out)
    return a:matmul(b), a:matmul(v), a:matmul(b, nil, { threads = 2 })
  end, out
end)
case("Array:take Array:nonzero", function()
  local a, ids, mask = matrix(), mascon.array({ 3, 1, 3 }, "i32"), matrix():lt(0.5)
  return function()
    return a:take(ids), a:take({ 1, 2 }, 2), a:take(mask), mask:nonzero(), a:t():take(mask:t())
  end
end)

-- -------}


-- {------- views, and what only looks -------

case([[Array:row Array:col Array:rows Array:cols Array:block Array:sub Array:narrow
  Array:select Array:t Array:permute Array:reshape]], function()
  local a = matrix()
  return function()
    return a:row(1), a:col(2), a:rows(1, 2), a:cols(2, -1), a:block(1, 2, 3, 4),
      a:row(1):sub(1, 9, 2), a:narrow(1, 2, 3), a:select(1, 2), a:t(), a:permute(2, 1),
      a:reshape(30, 40), a[3]
  end
end)
case([[Array:shape Array:addr Array:totable Array:flush mascon.clock mascon.threads
  mascon.printoptions mascon.info mascon.memory mascon.progress mascon.terminal]], function()
  local a = matrix()
  return function()
    a:flush()
    mascon.threads(0)
    mascon.printoptions {}
    return a:shape(), a:addr(), a:totable(), tostring(a), mascon.clock(), mascon.info(),
      mascon.terminal(), mascon.progress()
  end
end)
case("Array:close Array:freeze", function()
  return function()
    local a = matrix()
    a:copy():freeze()
    a:close()
    a:close()
  end
end)

-- -------}


-- {------- spots -------

case("mascon.gauss", function()
  local out = mascon.full(20, 30, 7)
  return function()
    mascon.gauss(out, 3, 4, 2, 2)
    return mascon.gauss(20, 30, 3, 4, 2, 2, { sample = "integrated" }),
      mascon.gauss(20, 30, 3, 4, 2, 1, { angle = 1 })
  end, out
end)
case("mascon.render", function()
  local r = mascon.random(4)
  local x, y = r:uniform(500) * 50, r:uniform(500) * 40
  local out = mascon.full(40, 50, 7, "f32")
  return function()
    mascon.render({ x = x, y = y, sx = 1, sy = 1 }, { out = out })
    return mascon.render({ x = x, y = y, sx = 2, sy = 1, angle = 0.5, value = x },
      { shape = { 40, 50 }, threads = 2 })
  end
end)

-- -------}


-- {------- the best -------

local function seen()
  return mascon.csr.from_pairs({ 1, 2, 2, 40 }, { 1, 1, 30, 3 }, 40, 30, { base = 1 })
end

case("mascon.topn", function()
  local a, c = matrix "f32", seen()
  local ids = mascon.full(40, 3, 7, "i32")
  return function()
    mascon.topn(a, 3, { out = { ids = ids } })
    return mascon.topn(a, 3, { exclude = c, threads = 2, exclude_items = { 1, 2 } }),
      mascon.topn(a:t(), 5, { allow = { 1, 2, 3 }, smallest = true })
  end, ids
end)
case("mascon.topn_stream", function()
  local a, c = matrix(), seen()
  return function()
    return mascon.topn_stream({ rows = 40, cols = 30, batch = 7,
      score = function(block, first, last) block:assign(a:rows(first, last)) end },
      3, { exclude = c })
  end
end)
case("mascon.recommend", function()
  local users, items = matrix "f32", matrix "f32"
  local c = mascon.csr.from_pairs({ 1, 2 }, { 1, 40 }, 40, 40, { base = 1 })
  local ids = mascon.full(40, 3, 7, "i32")
  return function()
    mascon.recommend(users, items, 3, { out = { ids = ids } })
    return mascon.recommend(users, items, 3, { exclude = c, threads = 2, normalize = true,
      exclude_self = true }), mascon.recommend(users, items, 3, { bias = mascon.ones(40, "f32"),
      rows = { 1, 7 }, ranks = c, check = 2 })
  end
end)
case([[mascon.index.load mascon.index.wrap mascon.index:image mascon.index:recommend
  mascon.index:similar mascon.index:save mascon.index:close]], function(_, folder)
  local users, items = matrix "f32", matrix "f32"
  local path = folder .. "/x.index"
  return function()
    local index = mascon.index(items)
    index:save(path)
    local r = index:recommend(users, 3)
    local s = index:similar({ 1, 2 }, 3)
    local w = mascon.index.wrap(index:image())
    index:close()
    return r, s, w, assert(mascon.index.load(path)), assert(mascon.index.load(path, { map = true }))
  end
end)
case("mascon.csr.from_pairs mascon.csr:take", function()
  local u, i = mascon.array({ 1, 2, 2 }, "i32"), { 3, 1, 2 }
  return function()
    local c = mascon.csr.from_pairs(u, i, 5, 4, { base = 1 })
    return c:take { 1, 2 }, mascon.csr(c.indptr, c.indices, 4, { base = 1 }), tostring(c)
  end
end)

-- -------}


-- {------- files -------

case("mascon.load Array:save mascon.create mascon.npy.decode mascon.npy.head",
  function(_, folder)
    local a = whole()
    local path = folder .. "/x.npy"
    return function()
      a:t():save(path)
      local m = mascon.create(folder .. "/y.npy", 20, 10, "f32")
      m:close()
      return assert(mascon.load(path)), assert(mascon.load(path, { map = true })),
        mascon.npy.head(a), mascon.npy.decode(mascon.zeros(20, "u8"))
    end
  end)
case("mascon.csv.load mascon.csv.codes mascon.csv.save", function(_, folder)
  local a, b = mascon.range(1, 900), mascon.ones(900)
  local path = folder .. "/x.csv"
  return function()
    mascon.csv.save(path, { "a", "b" }, { a, b })
    return assert(mascon.csv.load(path)), assert(mascon.csv.codes(path, { columns = { "a" } }))
  end
end)
case("mascon.csv.hits Hits:write Hits:close Hits:drop", function(_, folder)
  local ids, scores = mascon.ones(40, 3, "i32"), matrix():cols(1, 3)
  local items, path = { "a", "b" }, folder .. "/hits.csv"
  return function()
    local t = mascon.csv.hits(path, { items = items })
    t:write(1, 40, ids, scores)
    t:close()
    mascon.csv.hits(path):drop()
  end
end)
case([[mascon.pixels.scale mascon.pixels.paint mascon.pixels.colormap mascon.pixels.replace
  mascon.pixels.loadpnm mascon.pixels.savepnm]], function(_, folder)
  local a = matrix()
  local path = folder .. "/x.pnm"
  return function()
    local map = mascon.pixels.colormap "viridis"
    local p = mascon.pixels.scale(a, 0, 1, 0.5, "u8")
    local rgb = mascon.pixels.paint(a, 0, 1, 1, map)
    assert(mascon.pixels.savepnm(path, p))
    assert(mascon.pixels.replace(folder .. "/y", function(temp) return temp end))
    return assert(mascon.pixels.loadpnm(path)), rgb
  end
end)

-- -------}


-- {------- parts in Lua -------

case("mascon.image.convert mascon.image.colour mascon.image.merge", function()
  local a = matrix()
  return function()
    return mascon.image.convert(a, "u16"), mascon.image.colour(a),
      mascon.image.merge({ a, a }, { colours = { "red", "cyan" } })
  end
end)

-- -------}

return cases

-- bench.lua - how fast, beside what this machine can do and what others do
--
--   make bench                 every case
--   make bench CASES="topn sum"   those whose name contains one of the words
--   make bench CASES=recommend_full   minutes: ranks, N, distributions
--   make bench PEERS=0         without the Python peers
--
-- Each case first verifies its result, then runs in turn with the limit it is
-- held against (a plain loop over the same memory, the FMA loop, an empty C
-- call), so that both meet the same machine; medians are printed.  Peers run in a
-- process of their own right after, each where it is installed.

local mascon = require "mascon"
local limits = require "limits"

local RUNS = 7
local dir = (arg and arg[0] or ""):match("^(.*/)") or "./"
local want = {}
for word in (os.getenv "CASES" or ""):gmatch("%S+") do want[#want + 1] = word end

local function selected(name)
  if #want == 0 then return true end
  for _, w in ipairs(want) do
    if name:find(w, 1, true) then return true end
  end
  return false
end

local function median(t)
  table.sort(t)
  return t[(#t + 1) // 2]
end

-- median seconds of each function of 'fs', run in turn, one warm-up
local function interleave(fs, runs)
  local times = {}
  for i = 1, #fs do times[i] = {} end
  for r = 0, runs or RUNS do
    for i, f in ipairs(fs) do
      local start = mascon.clock()
      local own = f()  -- a limit may say its own seconds
      local t = own or mascon.clock() - start
      if r > 0 then table.insert(times[i], t) end
    end
  end
  for i = 1, #fs do times[i] = median(times[i]) end
  return table.unpack(times)
end

local function seconds(t)
  if t < 1e-6 then return ("%7.1f ns"):format(t * 1e9) end
  if t < 1e-3 then return ("%7.2f us"):format(t * 1e6) end
  if t < 1 then return ("%7.2f ms"):format(t * 1e3) end
  return ("%7.3f s "):format(t)
end

-- one row of the table
local function row(name, threads, t, limitname, ratio, goal)
  print(("%-40s %2d thr %s  %6.2f x %s%s"):format(name, threads, seconds(t),
    ratio, limitname, goal and "   (reach " .. goal .. ")" or ""))
  io.flush()
end

local function peer(name, threads, t, ours)
  print(("    %-36s %2d thr %s  %6.2f x ours"):format(name, threads, seconds(t), t / ours))
end

-- what the Python peers of 'case' need, for the same work
local function peers(case, threads, ours, args)
  if os.getenv "PEERS" == "0" then return end
  local p = io.popen(("OMP_NUM_THREADS=%d OPENBLAS_CORETYPE=%s /usr/bin/python3 %speers.py %s %d %s 2>/dev/null")
    :format(threads, os.getenv "PEER_CORETYPE" or "SKYLAKEX", dir, case, threads, args or ""))
  for line in p:lines() do
    local name, t = line:match("^(.-)\t(.*)$")
    t = tonumber(t)
    if t then
      peer(name, threads, t, ours)
    end
  end
  p:close()
end

local function close(a, b, rel, what)
  if not (math.abs(a - b) <= rel * math.abs(b)) then
    error(("wrong result in %s: %.17g, expected %.17g"):format(what, a, b))
  end
end


-- {------- limits -------

local function scaling()
  local n = 4e7 // 1
  local one, two = interleave({ function() return (limits.fma(n, 1)) end,
                                function() return (limits.fma(n, 2)) end })
  return 2 * one / two
end

local function fmapeak(threads)
  local n = 2e7 // 1
  local _, ops = limits.fma(1, threads)
  return ops * n / interleave { function() return (limits.fma(n, threads)) end }
end

-- nanoseconds of an empty one-argument C call from Lua, the loop taken off
local function emptycall()
  local nop, n = limits.nop, 2000000
  return interleave {
    function()
      local start = mascon.clock()
      for i = 1, n do nop(i) end
      local mid = mascon.clock()
      for _ = 1, n do end
      return (mid - start - (mascon.clock() - mid)) / n
    end }
end

-- }-------


local cases = {}

-- {------- gauss -------

local function checkgauss(g, y0, x0, sy, sx)
  for _, p in ipairs { { 1, 1 }, { #g // 2, #g // 3 }, { #g // 2 + 1, #g // 2 } } do
    local y, x = p[1] - 1 - y0, p[2] - 1 - x0
    local e = math.exp(-(y / sy) ^ 2 / 2 - (x / sx) ^ 2 / 2) / (2 * math.pi * sy * sx)
    close(g(p[1], p[2]), e, 1e-12, "gauss")
  end
end

local function gauss(n, limit, goal, threads)
  local g = mascon.zeros(n, n)
  local y0, x0, s = n / 2 + .3, n / 2 - .2, n / 3
  local opts = { threads = threads }
  local reps = math.max(1, 2 ^ 24 // (n * n)) // 1
  mascon.gauss(g, y0, x0, s, s, opts)
  checkgauss(g, y0, x0, s, s)
  local ours, fill = interleave {
    function() for _ = 1, reps do mascon.gauss(g, y0, x0, s, s, opts) end end,
    function() return limits.run(limit, g, nil, reps, threads) end }
  row(("gauss %d x %d f64 in place"):format(n, n), threads, ours / reps, limit .. " fill", ours / fill, goal)
  if threads == 1 then peers("gauss", 1, ours / reps, n) end
end

function cases.gauss_4096() gauss(4096, "stream", "1.15", 1) gauss(4096, "stream", nil, 2) end
function cases.gauss_512() gauss(512, "store", "1.15", 1) end
function cases.gauss_64() gauss(64, "store", "3", 1) end

function cases.gauss_10()
  local g, n, gauss_ = mascon.zeros(10, 10), 200000, mascon.gauss
  gauss_(g, 4.5, 4.4, 2, 2)
  checkgauss(g, 4.5, 4.4, 2, 2)
  local ours, empty = interleave { function()
    local start = mascon.clock()
    for _ = 1, n do gauss_(g, 4.5, 4.4, 2, 2) end
    return (mascon.clock() - start) / n
  end, emptycall }
  row("gauss 10 x 10 f64 in place, from Lua", 1, ours, "empty C call", ours / empty, "30")
  peers("gauss", 1, ours, 10)
end

-- }-------


-- {------- render -------

-- no mass is gone
local function checkrender(spots, opts, n)
  local image, info = mascon.render(spots, opts)
  close(image:sum() + info.clipped + info.lost, n, 1e-2, "render")
end

-- microseconds a spot, on 1 and 2 threads, and how that scales
local function render(name, spots, n, opts, goals, others)
  local t, fma = {}, scaling()
  for threads = 1, 2 do
    opts.threads = threads
    checkrender(spots, opts, n)
    t[threads] = interleave { function() mascon.render(spots, opts) end }
    row(name, threads, t[threads], "us a spot", t[threads] / n * 1e6, goals[threads])
    if others and threads == 1 then peers(others, 1, t[1], ("%d"):format(n)) end
  end
  row(name .. ", 1 to 2 threads", 2, t[2], ("the FMA loop's scaling (%.2f)"):format(fma),
      t[1] / t[2] / fma, "0.93")
end

function cases.render()
  local r, n = mascon.random(1), 1000000
  local x, y = r:uniform(n) * 2048, r:uniform(n) * 2048
  local spots = { x = x, y = y, sx = r:uniform(n) * .5 + 1, sy = r:uniform(n) * .5 + 1 }
  local out = mascon.zeros(2048, 2048, "f32")
  render("render 1e6 spots, point, 3 sigma", spots, n,
         { out = out, sample = "point", cutoff = 3 }, { "0.060", "0.032" }, "render")
  render("render 1e6 spots, integrated, tol 1e-6", spots, n, { out = out }, { "0.144", "0.077" })
  spots = { x = x, y = y, sx = 1.5, sy = 3 }
  render("render 1e6 spots, sigma 1.5 x 3", spots, n,
         { out = out, sample = "point", cutoff = 3 }, {})
  spots.angle = r:uniform(n) * 6
  render("render 1e6 spots, sigma 1.5 x 3, turned", spots, n, { out = out, cutoff = 3 }, {})
end

function cases.render_wide()
  local r, n = mascon.random(2), 100000
  local spots = { x = r:uniform(n) * 800, y = r:uniform(n) * 800, sx = r:uniform(n) * 25,
                  sy = r:uniform(n) * 25 }
  render("render 1e5 spots, sigma 0 to 25, f64", spots, n, { shape = { 800, 800 },
         dtype = "f64", sample = "integrated", cutoff = 3 }, {})
  local out = mascon.zeros(800, 800)
  for threads = 1, 2 do
    local t = interleave { function()
      mascon.render(spots, { out = out, sample = "point", cutoff = 3, threads = threads })
    end }
    row("the same, sampled", threads, t, "110 ms", t / 0.110, threads == 1 and "1" or nil)
  end
end

function cases.render_points()
  local r, n = mascon.random(3), 10000000
  local spots = { x = r:uniform(n) * 2048, y = r:uniform(n) * 2048, sx = 0, sy = 0 }
  render("render 1e7 spots, sigma 0", spots, n, { out = mascon.zeros(2048, 2048, "f32") }, {}, "points")
end

-- }-------


-- {------- top-N -------

-- the best ten of some rows, in the plainest way
local function checktop(scores, ids)
  for _, r in ipairs { 1, #scores // 2, #scores } do
    local order = scores[r]:argsort()
    local last = scores.ncols
    for k = 1, ids.ncols do
      close(scores(r, ids(r, k)), scores(r, order[last + 1 - k]), 0, "topn")
    end
  end
end

function cases.topn_wide()
  local scores = mascon.random(1):uniform(2000, 134751, "f32")
  for threads = 1, 2 do
    for _, n in ipairs { 10, 1000 } do
      local opts = { threads = threads }
      checktop(scores, (mascon.topn(scores, n, opts)))
      local ours, read = interleave {
        function() mascon.topn(scores, n, opts) end,
        function() return limits.run("read", scores, nil, 1, threads) end }
      row("topn 2000 x 134751 f32, N = " .. n, threads, ours, "read", ours / read,
          n == 10 and "1.25" or nil)
      if n == 10 then peers("topn", threads, ours, "2000 134751 float32") end
    end
  end
  for _, kind in ipairs { "rising", "constant", "NaN" } do
    local odd = kind == "rising" and mascon.range(1, 134751, 1, "f32") or
      kind == "constant" and mascon.ones(134751, "f32") or mascon.full(134751, 0 / 0, "f32")
    local rows = mascon.zeros(500, 134751, "f32") + odd
    for _, n in ipairs { 10, 1000 } do
      local ours, random = interleave {
        function() mascon.topn(rows, n, { threads = 1 }) end,
        function() mascon.topn(scores:rows(1, 500), n, { threads = 1 }) end }
      row(("topn 500 x 134751 f32, %s, N = %d"):format(kind, n), 1, ours, "random rows",
          ours / random, "3")
    end
  end
end

function cases.topn_narrow()
  local scores = mascon.random(1):uniform(11402, 1347)
  for threads = 1, 2 do
    local opts = { threads = threads }
    local ids = mascon.topn(scores, 10, opts)
    checktop(scores, ids)
    local rows, raw = 800, mascon.zeros(11402, 10, "i32")
    limits.qsorttop(scores, raw, rows, threads)
    for r = 1, rows do
      for k = 1, 10 do assert(raw(r, k) + 1 == ids(r, k)) end
    end
    local ours, sorted, read = interleave {
      function() mascon.topn(scores, 10, opts) end,
      function() return limits.qsorttop(scores, raw, rows, threads) * 11402 / rows end,
      function() return limits.run("read", scores, nil, 1, threads) end }
    row("topn 11402 x 1347 f64, N = 10", threads, ours, "read", ours / read)
    peer("qsort of every row (reach 80)", threads, sorted, ours)
    peers("topn", threads, ours, "11402 1347 float64")
  end
end

function cases.recommend()
  local r = mascon.random(1)
  local users, items = r:normal(8192, 64, "f32"), r:normal(134751, 64, "f32")
  local pairs_ = 8192 * 134751
  local t = {}
  for threads = 1, 2 do
    local ids, scores = mascon.recommend(users, items, 10, { threads = threads })
    for _, u in ipairs { 1, 4000, 8192 } do
      local all = items:matmul(users[u])
      local top = mascon.topn(all, 10)
      for k = 1, 10 do close(scores(u, k), all[top[k]], 1e-4, "recommend") end
      assert(ids(u, 1) == top[1])
    end
    local peak = fmapeak(threads)
    t[threads] = interleave({ function()
      mascon.recommend(users, items, 10, { threads = threads })
    end }, 3)
    row("recommend 8192 x 134751, rank 64, N = 10", threads, t[threads], "FMA peak (2 ops a product)",
        2 * 64 * pairs_ / t[threads] / peak)
    peers("recommend", threads, t[threads], "8192 134751 64")
  end
  local fma = scaling()
  row("recommend, 1 to 2 threads", 2, t[2], ("the FMA loop's scaling (%.2f)"):format(fma),
      t[1] / t[2] / fma, "0.95")
end

-- factors of one distribution: r:normal, reshaped by what it is called
local shapes = {
  gauss = function(_, a) return a end,
  lognormal = function(r, a) return a * (r:normal(#a, 1, "f32") * 0.5):exp() end,
  equal_norms = function(_, a)
    return a / ((a * a):sum(2) ^ 0.5):reshape(#a, 1):copy("f32")
  end,
  outlier = function(_, a)
    a:col(1):assign(a:col(1) * 300)
    return a
  end,
  clusters = function(_, a)
    local far = a:copy()
    for i = 1001, #a do far[i] = a[1 + i % 1000] end
    return far + a * 1e-3
  end,
  duplicates = function(_, a)
    for i = 1001, #a do a[i] = a[1 + i % 1000] end
    return a
  end
}

-- 100 exclusions a user beside none, with an index
local function exclusions(nusers, nitems)
  local r = mascon.random(1)
  local users, index = r:normal(nusers, 64, "f32"), mascon.index(r:normal(nitems, 64, "f32"))
  local seen = mascon.csr(mascon.range(0, 100 * nusers, 100, "i64"),
    r:integers(1, nitems, 100 * nusers):cast "i32", nitems, { base = 1 })
  local with, without = interleave({
    function() index:recommend(users, 10, { threads = 1, exclude = seen }) end,
    function() index:recommend(users, 10, { threads = 1 }) end }, 5)
  row("100 exclusions a user, rank 64, N = 10", 1, with, "the same without", with / without, "1.03")
end

-- the factors of a real factorisation, each repeated with noise up to full width
local function factorised(nusers, nitems)
  local path = dir .. "../../../shared/data/ml100k_"
  local f = io.open(path .. "users.npy", "rb")
  if not f then return end
  f:close()
  local function wide(name, n)
    local a = mascon.load(path .. name):copy "f32"
    local all = a:take((mascon.range(0, n - 1, 1, "i32") % #a + 1):cast "i32", 1)
    return all + mascon.random(1):normal(n, a.ncols, "f32") * (0.05 * (a * a):mean() ^ 0.5)
  end
  local users, items = wide("users.npy", nusers):copy "f32", wide("items.npy", nitems):copy "f32"
  for _, n in ipairs { 10, 100, 1000 } do
    local info
    local t = interleave({ function()
      info = select(4, mascon.recommend(users, items, n, { threads = 1 }))
    end }, 3)
    row(("recommend ml100k, rank %d, N = %d"):format(users.ncols, n), 1, t,
        "FMA peak (2 ops a product)", 2 * users.ncols * nusers * nitems / t / fmapeak(1))
    print(("    passed over by norm %.3f, compared in bytes %.3f; scored a user: %.0f"):format(
      info.norm / info.pairs, info.int8 / info.pairs, info.rescored / nusers))
  end
end

-- not in the default run: each rank, N and distribution
function cases.recommend_full()
  local nusers, nitems = 8192, 134751
  local function one(shape, rank, n, goal)
    local r = mascon.random(1)
    local users = shape == "lognormal" and shapes.lognormal(r, r:normal(nusers, rank, "f32"))
      or r:normal(nusers, rank, "f32")
    local items = shapes[shape](r, r:normal(nitems, rank, "f32"))
    local _, scores = mascon.recommend(users, items, n)
    local all = items:matmul(users[nusers])
    local top = mascon.topn(all, n)
    for k = 1, n do close(scores(nusers, k), all[top[k]], 1e-4, "recommend") end
    for threads = 1, 2 do
      local t = interleave({ function()
        mascon.recommend(users, items, n, { threads = threads })
      end }, 3)
      row(("recommend %s, rank %d, N = %d"):format(shape, rank, n), threads, t,
          "FMA peak (2 ops a product)", 2 * rank * nusers * nitems / t / fmapeak(threads), goal)
    end
  end
  one("gauss", 64, 10, "2.3")
  one("gauss", 64, 100, "1.4")
  one("gauss", 64, 1000, "0.7")
  one("gauss", 16, 10, "0.8")
  one("gauss", 32, 10, "1.5")
  one("gauss", 128, 10, "2.1")
  one("gauss", 256, 10, "2.1")
  one("lognormal", 64, 10, "7")
  one("equal_norms", 64, 10)
  one("outlier", 64, 10)
  one("clusters", 64, 10)
  one("duplicates", 64, 10)
  exclusions(nusers, nitems)
  factorised(nusers, nitems)
end

-- }-------


-- {------- arrays -------

function cases.matmul()
  for _, dtype in ipairs { "f32", "f64" } do
    local r, n = mascon.random(1), 2048
    local a, b = r:integers(-4, 4, n, n):copy(dtype), r:integers(-4, 4, n, n):copy(dtype)
    local c, t = mascon.zeros(n, n, dtype), {}
    for threads = 1, 2 do
      mascon.threads(threads)
      a:matmul(b, c)
      close(c(7, 2048), (a[7] * b:col(2048)):sum(), 0, "matmul")
      t[threads] = interleave { function() a:matmul(b, c) end }
      row(("matmul 2048 square, %s"):format(dtype), threads, t[threads], "FMA peak",
          2 * n ^ 3 / t[threads] / fmapeak(threads) * (dtype == "f64" and 2 or 1))
      peers("matmul", threads, t[threads], ("%d %s"):format(n, dtype == "f32" and "float32" or "float64"))
    end
    mascon.threads(0)
    local fma = scaling()
    row(("matmul %s, 1 to 2 threads"):format(dtype), 2, t[2],
        ("the FMA loop's scaling (%.2f)"):format(fma), t[1] / t[2] / fma, "0.95")
  end
end

-- copying as many bytes as the operation moves
local function stream(name, f, a, out, moved, threads, goal)
  local ours, copy = interleave { f, function()
    return math.min(limits.run("copy", out, a, 1, threads), limits.run("copystream", out, a, 1, threads))
  end }
  row(name, threads, ours, "copy of the bytes it moves", ours / (copy * moved / 2), goal)
end

function cases.elementwise()
  local n = 10000000
  local r = mascon.random(1)
  local a, b, out = r:uniform(n), r:uniform(n), mascon.zeros(n)
  for threads = 1, 2 do
    mascon.threads(threads)
    for _, op in ipairs { "add", "multiply" } do
      local f = mascon[op]
      f(a, b, out)
      close(out[77], op == "add" and a[77] + b[77] or a[77] * b[77], 0, op)
      stream(op .. "(a, b, out), 1e7 f64", function() f(a, b, out) end, a, out, 3, threads, "1.1")
      stream(op .. "(a, 2, out), 1e7 f64", function() f(a, 2, out) end, a, out, 2, threads, "1.1")
    end
    local sum, read = interleave { function() a:sum() end,
      function() return limits.run("read", a, nil, 1, threads) end }
    close(a:sum(), n / 2, 1e-3, "sum")
    row("sum, 1e7 f64", threads, sum, "read", sum / read, "1.1")
    peers("elementwise", threads, sum, n)
  end
  mascon.threads(0)
end

-- a loop in mascon.parallel: one worker, two, and the same without any
local function workers(name, n, total, f, ...)
  local args, fma = table.pack(...), scaling()
  local function run(threads)
    return function()
      local s = 0
      for _, x in ipairs(mascon.parallel({ n = n, threads = threads }, f, table.unpack(args))) do
        s = s + x
      end
      close(s, total, 1e-9, name)
    end
  end
  local alone, one, two = interleave { function() f(1, n, table.unpack(args)) end, run(1), run(2) }
  row(name .. ", against no worker", 1, one, "the loop alone", one / alone)
  row(name .. ", 1 to 2 workers", 2, two, ("one worker (the FMA loop: %.2f)"):format(fma), one / two, "1.9")
end

function cases.parallel()
  local n = 2e7 // 1
  workers("parallel: a Lua loop", n, n * (n + 1) / 2, function(first, last)
    local s = 0
    for i = first, last do s = s + i end
    return s
  end)
  local m = mascon.random(1):uniform(2048, 4096)
  workers("parallel: kernels on rows", 2048, m:exp():sum(), function(first, last, a)
    local s = 0
    for i = first, last do s = s + mascon.sum(mascon.exp(a:row(i))) end
    return s
  end, m)
end

-- }-------


local info = mascon.info()
print(("mascon %s, %s, %d threads; FMA peak f32 %.0f GFLOP/s (1 thread), scaling 1 to 2 %.2f; empty C call %.1f ns")
  :format(info.version, info.cpu, info.threads, fmapeak(1) / 1e9, scaling(), emptycall() * 1e9))
for _, name in ipairs { "gauss_4096", "gauss_512", "gauss_64", "gauss_10", "render",
                        "render_wide", "render_points", "topn_wide", "topn_narrow",
                        "recommend", "matmul", "elementwise", "parallel" } do
  if selected(name) then
    cases[name]()
    collectgarbage()
  end
end
for _, word in ipairs(want) do
  if word == "recommend_full" then cases.recommend_full() end
end

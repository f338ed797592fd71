---Plots by gnuplot: curves, histograms, heat maps.
local core = require "mascon.core"
local contrast = require "mascon.contrast"
contrast.inside()

---How plots are drawn.
---@class mascon.PlotOpts
---@field output? string  a file, .png or .svg (default: the terminal)
---@field title? string
---@field xlabel? string
---@field ylabel? string
---@field labels? string[]  of the curves
---@field style? "lines"|"points"|"linespoints"|"steps"|"impulses"  ("lines")
---@field logx? boolean
---@field logy? boolean
---@field xrange? number[]  {from, to}
---@field yrange? number[]
---@field width? integer  pixels (800), or columns of the terminal
---@field height? integer  pixels (600), or lines of the terminal

local KNOWN = { "output", "title", "xlabel", "ylabel", "logx", "logy", "xrange", "yrange",
                "width", "height" }
local STYLES = contrast.set("lines", "points", "linespoints", "steps", "impulses")

local function known(...)
  local s = contrast.set(...)
  for _, name in ipairs(KNOWN) do s[name] = true end
  return s
end

-- {------- the words of gnuplot -------

-- a text as it is: all that could mean something to gnuplot becomes its number, and
-- digits, which it would take for more of one.  Within single quotes, too, it does
-- not read every text as it is written
local function quote(text)
  return '"' .. text:gsub("%c", " "):gsub("[^A-Za-z ]", function(c)
    return ("\\%03o"):format(c:byte())
  end) .. '"'
end

-- a number, whatever the locale
local function number(x)
  return (("%.17g"):format(x):gsub(",", "."))
end

local function range(at, opts, name, reverse)
  local r = opts[name]
  if r == nil then return reverse and ("set %s [*:*] reverse noextend\n"):format(name) or "" end
  if type(r) ~= "table" or type(r[1]) ~= "number" or type(r[2]) ~= "number" or #r ~= 2
     or r[1] - r[1] ~= 0 or r[2] - r[2] ~= 0 or r[1] == r[2] then
    contrast.badoption(at, name, "{from, to}", r)
  end
  return ("set %s [%s:%s]%s\n"):format(name, number(r[1]), number(r[2]),
    reverse and " reverse" or "")
end

local function text(at, opts, name)
  local s = opts[name]
  if s ~= nil and type(s) ~= "string" then contrast.badoption(at, name, "string", s) end
  return s and ("set %s %s\n"):format(name, quote(s)) or ""
end

local function size(at, opts, name, default)
  local n = opts[name] or default
  if not contrast.whole(n) or n < 10 or n > 20000 then
    contrast.badoption(at, name, "integer from 10 to 20000", n)
  end
  return ("%.0f"):format(n)
end

-- the format that a file name asks for; nil: the terminal
local function format(at, opts)
  local path = opts.output
  if path == nil then return end
  local suffix = type(path) == "string" and (path:match "%.(%w+)$" or ""):lower()
  if suffix ~= "png" and suffix ~= "svg" then
    contrast.badoption(at, "output", "name of a file that ends in .png or .svg", path)
  end
  return suffix
end

local function coloured()
  local none = os.getenv "NO_COLOR"
  return core.terminal "stdout" and (none == nil or none == "") and os.getenv "TERM" ~= "dumb"
end

local function terminal(at, opts)
  local kind = format(at, opts)
  local cols, lines = core.terminal "stdout"
  local w = size(at, opts, "width", kind and 800 or math.max(10, cols or 80))
  local h = size(at, opts, "height", kind and 600 or math.max(10, math.min(lines or 25, 40) - 1))
  if kind == "svg" then
    return ("set terminal svg noenhanced background 'white' size %s,%s\n"):format(w, h)
  elseif kind then
    return ("if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) { set terminal pngcairo noenhanced " ..
      "size %s,%s } else { set terminal png noenhanced size %s,%s }\n"):format(w, h, w, h)
  end
  return ("set terminal dumb noenhanced size %s,%s %s\n"):format(w, h,
    coloured() and "ansi256" or "mono")
end

-- what all plots have in common
local function head(at, opts, reverse)
  local parts = { "set encoding utf8\n", terminal(at, opts) }
  for _, name in ipairs { "title", "xlabel", "ylabel" } do
    parts[#parts + 1] = text(at, opts, name)
  end
  parts[#parts + 1] = range(at, opts, "xrange")
  parts[#parts + 1] = range(at, opts, "yrange", reverse)
  if opts.logx then parts[#parts + 1] = "set logscale x\n" end
  if opts.logy then parts[#parts + 1] = "set logscale y\n" end
  return table.concat(parts)
end

-- how gnuplot reads the rows of a matrix in a .npy file
local function records(path, a)
  return ("%s binary skip=%d record=(%.0f) format='%s'"):format(quote(path), #core.npy.head(a),
    a.nrows, ("%float64"):rep(a.ncols))
end

-- -------}


-- {------- running it -------

-- does a command of our own succeed?
local function execute(command)
  local ok = os.execute(command)
  return ok == true or ok == 0
end

local function check(name)
  if not (io and io.open and os and os.execute and os.tmpname) then
    contrast.raise(("'%s' needs the libraries io and os"):format(name))
  elseif not execute "command -v gnuplot >/dev/null 2>&1" then
    contrast.raise(("'%s' draws by gnuplot, which is not found (Debian: gnuplot-nox)"):format(name))
  end
end

local function contents(path)
  local f = io.open(path, "rb")
  local all = f and f:read "*a"
  if f then f:close() end
  return all or ""
end

local function fill(path, bytes)
  local f, why = io.open(path, "wb")
  if not f then error(why, 0) end
  local ok, wrong = f:write(bytes)
  local closed, late = f:close()
  if not (ok and closed) then error(path .. ": " .. tostring(wrong or late), 0) end
end

-- no name of the caller's reaches gnuplot or a shell: it reads and writes files
-- whose names we made
local function run(opts, a, script)
  local data, code, drawn, said = os.tmpname(), os.tmpname(), os.tmpname(), os.tmpname()
  local ok, message = pcall(function()
    a:save(data)
    fill(code, script(data) .. "\n")
    local done = execute(("gnuplot -d -e \"set output '%s'\" %s >%s 2>&1"):format(drawn, code, said))
    local picture = contents(drawn)
    if not done or picture == "" then
      error("gnuplot says: " .. contents(said):gsub("^%s+", ""):gsub("%s+$", ""), 0)
    end
    if not opts.output then return io.write((picture:gsub("^\f", ""))) end
    local written, why = core.pixels.replace(opts.output, function(temp) fill(temp, picture) end)
    if not written then error(why, 0) end
  end)
  for _, path in ipairs { data, code, drawn, said } do os.remove(path) end
  if not ok then contrast.raise(message) end
end

-- -------}


-- {------- curves -------

local function vector(at, arg, x)
  if not contrast.isarray(x) or x.ndim ~= 1 or x.size == 0 then
    contrast.bad(at.name, arg, "vector with elements expected, got " .. contrast.describe(x))
  end
  return x
end

-- the curves of an argument: a vector, a matrix of columns, or a list of vectors
local function curves(at, arg, y)
  local list = {}
  if contrast.isarray(y) and y.ndim == 2 and y.size > 0 then
    for k = 1, y.ncols do list[k] = y:col(k) end
  elseif type(y) == "table" and y[1] ~= nil then
    for k, v in ipairs(y) do list[k] = vector(at, arg, v) end
  else
    list[1] = vector(at, arg, y)
  end
  return list
end

-- the columns x, y1, y2, ... side by side
local function sideby(at, x, list)
  local a = core.empty(list[1].size, #list + 1)
  for k, v in ipairs(list) do
    if v.size ~= a.nrows then
      contrast.bad(at.name, 2, ("vectors of %.0f elements expected, got %s"):format(a.nrows,
        contrast.describe(v)))
    end
    a:col(k + 1):assign(v:copy "f64")
  end
  if x and x.size ~= a.nrows then
    contrast.bad(at.name, 1, ("vector of %.0f elements expected, got %s"):format(a.nrows,
      contrast.describe(x)))
  end
  a:col(1):assign(x and x:copy "f64" or core.range(1, a.nrows))
  return a
end

local function labelsof(at, opts, n)
  local labels = opts.labels or {}
  if type(labels) ~= "table" or #labels > n then
    contrast.badoption(at, "labels", ("list of %d strings"):format(n), labels)
  end
  for _, label in ipairs(labels) do
    if type(label) ~= "string" then contrast.badoption(at, "labels", "list of strings", label) end
  end
  return labels
end

---Draw curves through points, by gnuplot: into a PNG or SVG file, or in the terminal.
---
---`y` is a vector, a matrix whose columns are curves, or a list of vectors. With one
---argument besides options, that is `y`, and x counts from 1. NaN are gaps.
---
---    local x = mascon.linspace(0, 10, 500)
---    mascon.plot(x, {x:sin(), x:cos()}, {labels = {"sin", "cos"}, output = "waves.png"})
---    mascon.plot(x:sin())
---
---@param x mascon.Array
---@param y? mascon.Array|mascon.Array[]
---@param opts? mascon.PlotOpts
local function plot(x, y, opts)
  local at = { name = "plot", arg = 3 }
  if y == nil or (type(y) == "table" and y[1] == nil) then
    at.arg = 2
    x, y, opts = nil, x, opts or y
  end
  opts = contrast.checkoptions("plot", at.arg, opts, known("labels", "style"))
  local list = curves(at, x and 2 or 1, y)
  local a = sideby(at, x and vector(at, 1, x), list)
  local style, labels = opts.style or "lines", labelsof(at, opts, #list)
  if not STYLES[style] then
    contrast.badoption(at, "style", "lines, points, linespoints, steps or impulses", style)
  end
  local begin = head(at, opts)
  check "plot"
  run(opts, a, function(data)
    local parts = {}
    for k = 1, #list do
      parts[k] = ("%s using 1:%d with %s %s"):format(records(data, a), k + 1, style,
        labels[k] and "title " .. quote(labels[k]) or "notitle")
    end
    return begin .. "plot " .. table.concat(parts, ", ")
  end)
end

-- -------}


-- {------- histograms -------

-- how many elements of a sorted vector are below x
local function below(sorted, x)
  local low, high = 0, sorted.size
  while low < high do
    local middle = math.floor((low + high) / 2) + 1
    if sorted[middle] < x then low = middle else high = middle - 1 end
  end
  return low
end

---@class mascon.HistOpts : mascon.PlotOpts
---@field bins? integer  (1 + log2 of the number of values, at least 10)
---@field range? number[]  {from, to} (the least and the greatest value)

-- where the bins begin and end
local function edgesof(at, v, opts)
  local r = opts.range or { v:min(), v:max() }
  range(at, { range = opts.range }, "range")
  local low, high = r[1], r[2]
  if low == high then low, high = low - 0.5, high + 0.5 end
  local bins = opts.bins or math.max(10, math.ceil(math.log(v.size) / math.log(2)) + 1)
  if not contrast.whole(bins) or bins < 1 or bins > 100000 then
    contrast.badoption(at, "bins", "integer from 1 to 100000", bins)
  end
  return core.linspace(low, high, bins + 1)
end

---Draw how often values are in bins of one width, as `mascon.plot` draws. What is not
---finite, or outside `range`, is not counted; the last bin has its end in it.
---
---    local counts, edges = mascon.hist(mascon.random(1):normal(10000))
---
---@param v mascon.Array
---@param opts? mascon.HistOpts
---@return mascon.Array counts  i64, one for each bin
---@return mascon.Array edges  f64, one more
local function hist(v, opts)
  local at = { name = "hist", arg = 2 }
  opts = contrast.checkoptions("hist", 2, opts, known("bins", "range"))
  if not contrast.isarray(v) then
    contrast.bad("hist", 1, "array expected, got " .. contrast.describe(v))
  end
  v = v:copy "f64":reshape(v.size)
  v = v:take((v - v):eq(0)):sort()
  if v.size == 0 then contrast.bad("hist", 1, "it has no finite value") end
  local edges = edgesof(at, v, opts)
  local n = edges.size - 1
  local counts, a = core.zeros(n, "i64"), core.empty(n, 2)
  for k = 1, n do
    local last = k == n and v.size - below(-v:sub(-1, 1, -1), -edges[k + 1]) or below(v, edges[k + 1])
    counts[k] = last - below(v, edges[k])
  end
  a:col(1):assign((edges:sub(1, n) + edges:sub(2, n + 1)) / 2)
  a:col(2):assign(counts:copy "f64")
  local begin = head(at, opts)
  check "hist"
  run(opts, a, function(data)
    return begin .. ("set style fill solid 0.6 border\nset boxwidth %s\n%splot %s using 1:2 " ..
      "with boxes notitle"):format(number(edges[2] - edges[1]),
      (opts.yrange or opts.logy) and "" or "set yrange [0:*]\n", records(data, a))
  end)
  return counts, edges
end

-- -------}


-- {------- heat maps -------

---@class mascon.HeatmapOpts : mascon.PlotOpts
---@field colormap? string|mascon.Array  ("viridis"; in the terminal, that of `mascon.show`)
---@field range? number[]  of the colours (the least and the greatest value)

-- colours as gnuplot has them
local function palette(at, map)
  map = contrast.checkmap(at, map)
  local parts = {}
  for k = 1, map.nrows do
    parts[k] = ("%d '#%02x%02x%02x'"):format(k, map(k, 1), map(k, 2), map(k, 3))
  end
  if #parts == 1 then parts[2] = parts[1]:gsub("^1", "2") end
  return "set palette defined (" .. table.concat(parts, ", ") .. ")\n"
end

---Draw a matrix in colours, its first row at the top, with axes that count from 1 and a
---scale: into a PNG or SVG file by gnuplot. In the terminal it is `mascon.show`.
---
---    mascon.heatmap(mascon.gauss(40, 60, 20, 30, 6, 9), {output = "spot.png"})
---
---@param m mascon.Array  a matrix
---@param opts? mascon.HeatmapOpts
local function heatmap(m, opts)
  local at = { name = "heatmap", arg = 2 }
  contrast.checkmatrix("heatmap", 1, m)
  opts = contrast.checkoptions("heatmap", 2, opts, known("colormap", "range"))
  if m.size == 0 then contrast.bad("heatmap", 1, "the matrix has no elements") end
  local colours = palette(at, opts.colormap or "viridis")
  local begin = head(at, opts, true) .. range(at, { cbrange = opts.range }, "cbrange")
  if not format(at, opts) then
    if opts.title then io.write(opts.title:gsub("%c", " "), "\n") end
    return core.show(m, { colormap = opts.colormap, range = opts.range,
      width = opts.width, height = opts.height })
  end
  check "heatmap"
  local a = m:copy "f64"
  run(opts, a, function(data)
    return begin .. colours .. (opts.xrange and "" or "set xrange [*:*] noextend\n") ..
      ("set tics out nomirror\nset rmargin at screen 0.84\nplot %s binary skip=%d array=(%.0f,%.0f) origin=(1,1) " ..
      "format='%%float64' with image notitle"):format(quote(data), #core.npy.head(a),
      a.ncols, a.nrows)
  end)
end

-- -------}

return { plot = plot, hist = hist, heatmap = heatmap }

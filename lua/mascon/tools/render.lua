---The tool render: a table of localisations to an image.
local core = require "mascon.core"
local cli = require "mascon.cli"

local usage = [[
usage: TOOL LOCS -o OUT.png [options]

Draws localisations as gaussians as wide as their precision.  LOCS is a
ThunderSTORM CSV file, a Picasso HDF5 file or any CSV with a header.

  -o, --output FILE    .png, .tif (values, for ImageJ), .npy, .pgm, .ppm
  --pixel NM           size of a pixel (10); in camera pixels (0.1) or the table's
                       unit (1) where the table does not say how many nm they have
  --preset P           picasso or thunderstorm: draw as that program does
  --sigma COLUMN       a column, or a number, instead of the precision
  --weight COLUMN      a column, or a number (1)
  --colour COLUMN      hue by the mean of a column, light by the density
  --colour-range A,B   where the colours begin and end (percentiles 1 and 99)
  --colormap NAME      viridis, magma, inferno, turbo, hot or gray (gray; with
                       --colour turbo)
  --extent Y0,X0,Y1,X1 only this part (the camera's field, or all there is)
  --percentiles A,B    black and white (0,99.9); for .png, .pgm, .ppm
  --gamma G            (1); below 1 brightens what is dim
  --x COLUMN, --y COLUMN, --unit nm|um|mm|px, --camera-pixel NM
                       where the file does not say
  --threads T          threads (as many as there are cores)
  --show               print it in the terminal, too
  --quiet              no progress, no summary
  --help               this text
]]

local fail, misuse = cli.fail, cli.misuse

-- options that take a value, by the name that they are kept under
local valued = { ["-o"] = "output" }
for name in ([[output pixel preset sigma weight colour colour-range colormap extent
    percentiles gamma x y unit camera-pixel threads]]):gmatch "%S+" do
  valued["--" .. name] = name
end
local flags = { ["--show"] = { "show", true }, ["--quiet"] = { "quiet", true } }

-- what the files that are written show of numbers
local SHOWN = { png = true, pgm = true, ppm = true, tif = false, tiff = false, npy = false }

-- {------- the command line -------

local function positive(opts, name)
  local text = opts[name]
  if not text then return end
  local x = tonumber(text)
  if not x or not (x > 0 and x < math.huge) then
    misuse(("--%s: a number above 0 expected, got '%s'"):format(name, text))
  end
  opts[name] = x
end

-- n numbers with commas between them
local function list(opts, name, n)
  local text = opts[name]
  if not text then return end
  local t = {}
  for word in (text .. ","):gmatch "([^,]*)," do t[#t + 1] = tonumber(word) or false end
  local good = #t == n
  for i = 1, #t do good = good and t[i] end
  if not good then
    misuse(("--%s: %d numbers with commas between expected, got '%s'"):format(name, n, text))
  end
  opts[name] = t
end

local function oneof(opts, name, words)
  local text = opts[name]
  if text and not (" " .. words .. " "):find(" " .. text .. " ", 1, true) then
    misuse(("--%s: one of %s expected, got '%s'"):format(name, words, text))
  end
end

-- is it a name of a file that can be written?
local function checkoutput(path)
  local suffix = (path:match "%.(%w+)$" or ""):lower()
  if SHOWN[suffix] == nil then
    misuse("-o: a name that ends in .png, .tif, .npy, .pgm or .ppm expected, got '", path, "'")
  end
  return SHOWN[suffix]
end

local function parse(args)
  local opts, files = cli.parse(args, usage, valued, flags)
  if #files ~= 1 then misuse("one file expected, got ", #files, "; see --help") end
  if not opts.output and not opts.show then misuse "where to write to is missing: -o OUT.png" end
  cli.integer(opts, "threads", 1, 1024)
  for _, name in ipairs { "pixel", "gamma", "camera-pixel" } do positive(opts, name) end
  list(opts, "extent", 4)
  list(opts, "percentiles", 2)
  list(opts, "colour-range", 2)
  oneof(opts, "preset", "picasso thunderstorm")
  oneof(opts, "unit", "nm um mm px")
  oneof(opts, "colormap", "viridis magma inferno turbo hot gray")
  if opts["colour-range"] and not opts.colour then misuse "--colour-range goes with --colour" end
  opts.percentiles = opts.percentiles or { 0, 99.9 }
  cli.outputs(opts, "output")
  return opts, files[1], opts.output and checkoutput(opts.output)
end

-- -------}

-- {------- the table -------

local function load(path, opts)
  local columns
  if opts.x or opts.y then columns = { x = opts.x or "x", y = opts.y or "y" } end
  local L, message = cli.try(core.locs.load, path, { columns = columns, unit = opts.unit,
    pixel_size = opts["camera-pixel"], threads = opts.threads })
  return L or fail((message:gsub("the option 'columns'", "--x and --y")))
end

-- the column of this name, or the number
local function column(L, path, opts, option)
  local name = opts[option]
  if not name or tonumber(name) and not L.columns[name] then return tonumber(name) end
  if not L.columns[name] then
    fail(("--%s: %s has no column '%s'; it has %s"):format(option, path, name,
      table.concat(L.names, ", ")))
  end
  return name
end

-- the options that name columns, by the table
local function choose(L, path, opts)
  for _, option in ipairs { "sigma", "weight", "colour" } do
    opts[option] = column(L, path, opts, option)
  end
  if type(opts.colour) == "number" then misuse "--colour: the name of a column expected" end
  if not opts.sigma and not (L.sx and L.sy) then
    fail(("%s has no precision (uncertainty, lpx, lpy): say --sigma COLUMN or --sigma NUMBER; it has %s")
      :format(path, table.concat(L.names, ", ")))
  end
end

-- -------}

-- {------- the image -------

-- a pixel is 10 nm; a tenth of a camera pixel, or one unit, where nm are not known
local function size(L, opts)
  local unit = (L.unit ~= "px" and L.unit or L.pixel_size) and "nm" or L.unit
  return opts.pixel or unit == "nm" and 10 or unit == "px" and 0.1 or nil, unit
end

local function render(L, opts, pixel)
  local o = { pixel = pixel, preset = opts.preset, sigma = opts.sigma, weight = opts.weight,
    extent = opts.extent, threads = opts.threads, progress = not opts.quiet }
  if opts.colour then
    o.colour = { opts.colour, range = opts["colour-range"],
                 percentiles = not opts["colour-range"] and { 1, 99 } or nil }
    o.percentiles, o.gamma, o.colormap = opts.percentiles, opts.gamma, opts.colormap
  end
  return core.render(L, o)
end

local function save(image, opts, shown, pixel, unit)
  local o = { pixel = pixel, unit = unit, threads = opts.threads }
  if shown and not opts.colour then
    o.percentiles, o.gamma = opts.percentiles, opts.gamma
    if opts.colormap and opts.colormap ~= "gray" then o.colormap = opts.colormap end
  end
  return core.image.save(opts.output, image, o)
end

local function summarise(image, info, clipped, pixel, unit, seconds)
  local h, w = image:shape()
  io.stderr:write(("%d x %d pixels%s, %.2f s; %d drawn, %d outside, %d skipped; mass %.4g " ..
    "clipped, %.4g lost%s\n"):format(h, w,
    pixel and (" of %.4g %s"):format(pixel, unit or "units") or "", seconds,
    info.drawn, info.culled, info.skipped, info.clipped, info.lost,
    clipped and clipped.high > 0 and ("; %d pixels are saturated"):format(clipped.high) or ""))
end

local function run(args)
  local opts, path, shown = parse(args)
  local L = load(path, opts)
  choose(L, path, opts)
  local pixel, unit = size(L, opts)
  local began = core.clock()
  local image, info = render(L, opts, pixel)
  if image.size == 0 then fail "the image has no pixels: nothing lies in it" end
  local clipped = opts.output and save(image, opts, shown, pixel, unit)
  if opts.show then
    core.show(image, not opts.colour and { percentiles = opts.percentiles, gamma = opts.gamma } or nil)
  end
  if not opts.quiet then
    summarise(image, info, clipped, pixel, unit, core.clock() - began)
  end
end

-- -------}

return { summary = "a table of localisations into an image", run = run }

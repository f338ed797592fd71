---The tool gauss: one gaussian into a file, or in the terminal.
local core = require "mascon.core"
local cli = require "mascon.cli"

local usage = [[
usage: TOOL ROWS COLUMNS Y X SIGMA_Y SIGMA_X [options]

Draws a gaussian with its centre at (Y, X) into an image of ROWS x COLUMNS
pixels.  The centre of the first pixel is at (0, 0); a sigma of 0 puts the
weight into one pixel.

  -o, --output FILE   write FILE.npy (numpy) or FILE.pgm (grey, 16 bits)
  --show              print it in the terminal
  --integrated        integrate over each pixel instead of sampling its centre
  --peak              as high as the weight, instead of adding up to it
  --weight W          (1)
  --edge              the first pixel spans 0 to 1 instead: its centre is 0.5
  --f32               32-bit floats
  --threads T         threads (as many as there are cores)
  --help              this text
]]

local misuse = cli.misuse

local valued = { ["-o"] = "output", ["--output"] = "output",
                 ["--weight"] = "weight", ["--threads"] = "threads" }
local flags = { ["--show"] = { "show", true }, ["--peak"] = { "norm", "peak" },
                ["--integrated"] = { "sample", "integrated" },
                ["--edge"] = { "origin", "edge" }, ["--f32"] = { "dtype", "f32" } }

local function number(name, text)
  return tonumber(text) or misuse(name, ": a number expected, got '", text, "'")
end

local function size(name, text)
  local n = tonumber(text)
  return n and n >= 0 and n % 1 == 0 and n or
         misuse(name, ": a whole number expected, got '", text, "'")
end

local function sigma(name, text)
  local x = number(name, text)
  return x >= 0 and x or misuse(name, ": sigma >= 0 expected, got ", text)
end

local arguments = { { "ROWS", size }, { "COLUMNS", size }, { "Y", number },
                    { "X", number }, { "SIGMA_Y", sigma }, { "SIGMA_X", sigma } }

local function parse(args)
  local opts, words = cli.parse(args, usage, valued, flags)
  local numbers = {}
  for i, word in ipairs(words) do
    local what = arguments[i] or
                 misuse("'", word, "' is one number too many (see --help)")
    numbers[i] = what[2](what[1], word)
  end
  if #numbers < #arguments then
    misuse("ROWS COLUMNS Y X SIGMA_Y SIGMA_X expected (see --help)")
  end
  cli.integer(opts, "threads", 1, 1024)
  cli.outputs(opts, "output")
  return opts, numbers
end

-- what writes an image to the file that is asked for
local function writer(path)
  if path:find "%.npy$" then return function(image) image:save(path) end end
  if path:find "%.pgm$" then
    return function(image) core.image.save(path, image, { bits = 16 }) end
  end
  misuse("--output: a name that ends in .npy or .pgm expected, got '", path, "'")
end

local function run(args)
  local opts, numbers = parse(args)
  local show, save = opts.show, opts.output and writer(opts.output)
  if not save and not show then misuse "nothing to do: say --output FILE or --show" end
  opts.output, opts.show = nil, nil
  opts.weight = opts.weight and number("--weight", opts.weight)
  local image = core.gauss(numbers[1], numbers[2], numbers[3], numbers[4], numbers[5],
                           numbers[6], opts)
  if save then save(image) end
  if show then core.show(image) end
end

return { summary = "one gaussian into a file, or in the terminal", run = run }

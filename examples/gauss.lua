-- gauss.lua - draw one gaussian into a file, or in the terminal

local usage = [[
usage: gauss.lua ROWS COLUMNS Y X SIGMA_Y SIGMA_X [options]

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

local cli = dofile((arg[0]:match "^.*/" or "") .. "cli.lua")
local fail = cli.fail

local valued = { ["-o"] = "output", ["--output"] = "output",
                 ["--weight"] = "weight", ["--threads"] = "threads" }
local flags = { ["--show"] = { "show", true }, ["--peak"] = { "norm", "peak" },
                ["--integrated"] = { "sample", "integrated" },
                ["--edge"] = { "origin", "edge" }, ["--f32"] = { "dtype", "f32" } }

local function number(name, text)
  return tonumber(text) or fail(name, ": a number expected, got '", text, "'")
end

local function size(name, text)
  local n = tonumber(text)
  return n and n >= 0 and n % 1 == 0 and n or
         fail(name, ": a whole number expected, got '", text, "'")
end

local function sigma(name, text)
  local x = number(name, text)
  return x >= 0 and x or fail(name, ": sigma >= 0 expected, got ", text)
end

local arguments = { { "ROWS", size }, { "COLUMNS", size }, { "Y", number },
                    { "X", number }, { "SIGMA_Y", sigma }, { "SIGMA_X", sigma } }

local function parse(args)
  local opts, words = cli.parse(args, usage, valued, flags)
  local numbers = {}
  for i, word in ipairs(words) do
    local what = arguments[i] or
                 fail("'", word, "' is one number too many (see --help)")
    numbers[i] = what[2](what[1], word)
  end
  if #numbers < #arguments then
    fail("ROWS COLUMNS Y X SIGMA_Y SIGMA_X expected (see --help)")
  end
  cli.outputs(opts, "output")
  return opts, numbers
end

local function main(args)
  local mascon = require "mascon"
  local opts, numbers = parse(args)
  local output, show = opts.output, opts.show
  local save
  if output then
    save = output:find "%.npy$" and function(image) image:save(output) end or
           output:find "%.pgm$" and function(image) mascon.image.save(output, image, { bits = 16 }) end or
           fail("--output: a name that ends in .npy or .pgm expected, got '",
                output, "'")
  elseif not show then
    fail("nothing to do: say --output FILE or --show")
  end
  opts.output, opts.show = nil, nil
  for _, name in ipairs { "weight", "threads" } do
    opts[name] = opts[name] and number("--" .. name, opts[name])
  end
  local image = mascon.gauss(numbers[1], numbers[2], numbers[3], numbers[4],
                             numbers[5], numbers[6], opts)
  if save then save(image) end
  if show then mascon.show(image) end
end

local ok, message = pcall(main, arg)
if not ok then fail((tostring(message):gsub("^[^%s:]+:%d+: ", ""))) end

-- parallel.lua - a loop over rows with script code inside, on several cores

local usage = [[
usage: TOOL [SCORES.npy] [options]

The N best columns of every row of a matrix of scores, found by code in Lua:
'best' in this script, where your own rule goes.  Every thread has a Lua state
of its own, so there is no lock, and no variable that two of them could share;
the matrix and the ids are shared, and each row belongs to one thread.
The result is compared with mascon.topn.  Without a file, scores are random.

  -n N                  columns for each row (10)
  -o, --output FILE     write ids (from 1) as .npy: rows x N
  --rows R              of random scores (2850)
  --columns C           (1347)
  --threads T           threads (as many as there are cores)
  --chunk K             rows in each call (a 256th of all)
  --scaling             time it with one thread, too
  --quiet               no progress
  --help                this text
]]

local cli = dofile((arg[0]:match "^.*/" or "") .. "start.lua")
local mascon = require "mascon"
local fail, misuse = cli.fail, cli.misuse

local valued = { ["-n"] = "n", ["-o"] = "output", ["--output"] = "output", ["--rows"] = "rows",
  ["--columns"] = "columns", ["--threads"] = "threads", ["--chunk"] = "chunk" }
local flags = { ["--quiet"] = { "quiet", true }, ["--scaling"] = { "scaling", true } }

local function parse(args)
  local opts, files = cli.parse(args, usage, valued, flags)
  if #files > 1 then misuse("one file or none expected, got ", #files, "; see --help") end
  opts.n, opts.rows, opts.columns = opts.n or "10", opts.rows or "2850", opts.columns or "1347"
  cli.outputs(opts, "output")
  for _, name in ipairs { "n", "rows", "columns", "chunk" } do
    cli.integer(opts, name, 1, 2147483648)
  end
  cli.integer(opts, "threads", 1, 1024)
  return opts, files[1]
end

local function load(path)
  local scores, message = mascon.load(path)
  if not scores then fail(message) end
  if scores.ndim ~= 2 then fail(path, ": a matrix expected, not ", scores.ndim, " axes") end
  return scores
end

-- What runs in each thread.  It sees its arguments and its own locals.
local function rows(first, last, scores, ids)
  -- the columns of the n highest scores, best first; of equal ones the first
  local function best(row, n)
    local columns, values = {}, {}
    for j = 1, #row do
      local x, held = row[j], #values
      if x == x and (held < n or x > values[held]) then
        local i = held < n and held + 1 or n
        while i > 1 and x > values[i - 1] do
          columns[i], values[i] = columns[i - 1], values[i - 1]
          i = i - 1
        end
        columns[i], values[i] = j, x
      end
    end
    return columns
  end

  for u = first, last do
    local mine = ids[u]
    for i, column in ipairs(best(scores[u], #mine)) do mine[i] = column end
  end
end

-- the ids, and the seconds it took
local function run(scores, opts, threads)
  local ids = mascon.zeros(scores.nrows, opts.n, "i32")
  local began = mascon.clock()
  cli.try(mascon.parallel, { n = scores.nrows, threads = threads, chunk = opts.chunk,
    progress = not opts.quiet }, rows, scores, ids)
  return ids, mascon.clock() - began
end

cli.script(function(args)
  local opts, path = parse(args)
  local scores = path and load(path) or mascon.random(1):uniform(opts.rows, opts.columns)
  local threads = opts.threads or mascon.threads()
  local ids, seconds = run(scores, opts, threads)
  local wrong = ids:ne((mascon.topn(scores, opts.n))):any(2):sum()
  print(("%d rows x %d columns, threads: %d, %.2f s, %.0f rows/s, wrong rows: %d"):format(
    scores.nrows, scores.ncols, threads, seconds, scores.nrows / seconds, wrong))
  if opts.scaling then
    local _, one = run(scores, opts, 1)
    print(("one thread: %.2f s, %.2f times as long"):format(one, one / seconds))
  end
  if opts.output then cli.try(ids.save, ids, opts.output) end
end)

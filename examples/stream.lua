-- stream.lua - top-N of scores that a Lua function makes, batch by batch

local usage = [[
usage: TOOL [USERS.npy ITEMS.npy] [options]

The N best items of every user where scores come from a function of your own:
'score' in this script, which fills a block of scores for a batch of users.
Here it multiplies the users' factors (users x rank) with the items' (items x
rank); without files, random ones of 11402 users, 1347 items and rank 32.
Only one batch of scores is in memory.

  -n N                  items per user (10)
  -o, --output FILE     write ids (from 1) as .npy: users x N
  --batch B             users per batch (about 8 MB of scores)
  --threads T           threads (as many as there are cores)
  --quiet               no progress
  --help                this text
]]

local cli = dofile((arg[0]:match "^.*/" or "") .. "start.lua")
local mascon = require "mascon"
local fail, misuse = cli.fail, cli.misuse

local valued = {
  ["-n"] = "n", ["-o"] = "output", ["--output"] = "output",
  ["--batch"] = "batch", ["--threads"] = "threads"
}

local function parse(args)
  local opts, files = cli.parse(args, usage, valued,
    {["--quiet"] = {"quiet", true}})
  opts.n = opts.n or "10"
  if #files ~= 0 and #files ~= 2 then
    misuse("two files or none expected, got ", #files, "; see --help")
  end
  cli.outputs(opts, "output")
  cli.integer(opts, "n", 1, 2147483648)
  cli.integer(opts, "batch", 1, 2147483648)
  cli.integer(opts, "threads", 1, 1024)
  return opts, files
end

cli.script(function(args)
  local opts, files = parse(args)

  local function factors(path)
    local a, message = mascon.load(path)
    if not a then fail(message) end
    if a.ndim ~= 2 or a.dtype ~= "f32" and a.dtype ~= "f64" then
      fail(path, ": a matrix of floats expected")
    end
    return a
  end

  local users, items
  if files[1] then
    users, items = factors(files[1]), factors(files[2])
    if users.ncols ~= items.ncols or users.dtype ~= items.dtype then
      fail(("%s is %s with %d factors, %s is %s with %d"):format(files[1],
        users.dtype, users.ncols, files[2], items.dtype, items.ncols))
    end
  else
    local random = mascon.random(1)
    users, items = random:normal(11402, 32), random:normal(1347, 32)
  end

  -- the scores of users first to last, into block: your own model goes here
  local columns = items:t()
  local function score(block, first, last)
    users:rows(first, last):matmul(columns, block)
  end

  local began = mascon.clock()
  local ok, ids = pcall(mascon.topn_stream, {
    rows = users.nrows, cols = items.nrows, batch = opts.batch,
    dtype = users.dtype, score = score
  }, opts.n, {
    out = {ids = true}, threads = opts.threads, progress = not opts.quiet
  })
  if not ok then fail(ids) end
  local seconds = mascon.clock() - began

  if opts.output then
    local saved, message = pcall(ids.save, ids, opts.output)
    if not saved then fail(message) end
  end
  if not opts.quiet then
    io.stderr:write(("%d users x %d items, %.2f s, %.0f users/s\n"):format(
      users.nrows, items.nrows, seconds, users.nrows / seconds))
  end
end)

-- fullsize.lua - the question at its full size, on factors that it makes

local usage = [[
usage: TOOL [options]

The N best of 134,751 items for each of 11,402,139 users, whose factors are
random numbers made on the way, by their position in a stream: they are never
all there.  The ids go to a mapped file.  Prints users/s, wall time and peak
resident memory.

  --users U             users (11402139)
  --items I             items (134751)
  --rank R              factors (64)
  -n N                  items per user (10)
  --norms KIND          gaussian: normal factors; lognormal: their vectors
                        scaled by exp(0.5 z), z normal (gaussian)
  -o, --output FILE     keep the ids, users x N, from 1 (else they are removed)
  --batch B             users made at a time (about 8 MB of factors)
  --check K             compute K random users again by brute force
  --threads T           threads (as many as there are cores)
  --seed S              another stream of random numbers (1)
  --quiet               no progress
  --help                this text
]]

local cli = dofile((arg[0]:match "^.*/" or "") .. "start.lua")
local mascon = require "mascon"
local fail, misuse = cli.fail, cli.misuse

local valued = {
  ["--users"] = "users", ["--items"] = "items", ["--rank"] = "rank", ["-n"] = "n",
  ["--norms"] = "norms", ["-o"] = "output", ["--output"] = "output",
  ["--batch"] = "batch", ["--check"] = "check", ["--threads"] = "threads",
  ["--seed"] = "seed"
}

local function parse(args)
  local opts, words = cli.parse(args, usage, valued, {["--quiet"] = {"quiet", true}})
  if words[1] then misuse("'", words[1], "' is no option; see --help") end
  opts.norms = opts.norms or "gaussian"
  if opts.norms ~= "gaussian" and opts.norms ~= "lognormal" then
    misuse("norms: gaussian or lognormal expected, got '", opts.norms, "'")
  end
  for name, default in pairs {users = "11402139", items = "134751", rank = "64", n = "10",
                              seed = "1"} do
    opts[name] = opts[name] or default
    cli.integer(opts, name, 1, 2147483583)
  end
  cli.outputs(opts, "output")
  cli.integer(opts, "batch", 1, 2147483583)
  cli.integer(opts, "check", 0, 2147483583)
  cli.integer(opts, "threads", 1, 1024)
  return opts
end

cli.script(function(args)
  local opts = parse(args)
  if opts.threads then mascon.threads(opts.threads) end

  -- fill 'block' with rows 'first' on of the factors of a seed
  local function fill(block, first, seed)
    local r = mascon.random(seed)
    r.position = (first - 1) * opts.rank
    r:normal(block)
    if opts.norms == "gaussian" then return end
    local z = mascon.random(seed + 1)
    z.position = first - 1
    local scale = (z:normal(#block, 1, "f32") * 0.5):exp()
    block:multiply(scale, block)
  end

  -- the most memory that was resident so far, in MB, mapped pages included; or nil
  local function peak()
    local f = io.open "/proc/self/status"
    local kb = f and f:read "*a":match "VmHWM:%s*(%d+)"
    if f then f:close() end
    return kb and tonumber(kb) / 1024
  end

  local began = mascon.clock()
  local items = mascon.empty(opts.items, opts.rank, "f32")
  fill(items, 1, 4 * opts.seed)
  local index = mascon.index(items)
  items:close()
  local packed = mascon.clock()

  local name = opts.output or os.tmpname()
  local ok, ids = pcall(mascon.create, name, opts.users, opts.n, "i32")
  if not ok then fail(ids) end
  local making = 0
  local done, message, _, _, info = pcall(index.recommend, index, {
    rows = opts.users, batch = opts.batch, users = function(block, first)
      local start = mascon.clock()
      fill(block, first, 4 * opts.seed + 2)
      making = making + mascon.clock() - start
    end
  }, opts.n, {out = {ids = ids}, check = opts.check, progress = not opts.quiet})
  local seconds = mascon.clock() - packed
  ids:close()
  if not opts.output then os.remove(name) end
  if not done then fail(message) end

  local function share(x) return 100 * x / info.pairs end

  print(("%d users x %d items, rank %d, n %d, %s, %s, %d threads"):format(opts.users, opts.items,
    opts.rank, opts.n, opts.norms, info.cpu, mascon.threads()))
  print(("items packed    %10.2f s"):format(packed - began))
  print(("users made      %10.2f s"):format(making))
  print(("wall time       %10.2f s, %.0f users/s"):format(seconds, opts.users / seconds))
  print(("pairs           %10.2f %% by norm, %.2f %% in 8 bits, %.2f %% in floats, %.4f %% rescored")
    :format(share(info.norm), share(info.int8), share(info.float), share(info.rescored)))
  if peak() then print(("peak resident   %10.1f MB"):format(peak())) end
end)

-- recommend.lua - the best items of every user, from .npy files to .npy files

local usage = [[
usage: recommend.lua USERS.npy ITEMS.npy -o IDS.npy [options]

For every row of USERS (users x rank) the N rows of ITEMS (items x rank) whose
sum of products with it is highest, best first.  Equal scores rank by smaller
id.  The result is exact.

  -o, --output FILE     ids, users x N; beyond the items that were found,
                        base - 1
  -n N                  items per user (10)
  --scores FILE         write the scores too; -inf beyond the items found
  --seen-indptr FILE    items to leave out, row by row, as SciPy keeps them:
  --seen-indices FILE   the indptr and indices (from 0) of users x items
  --base 0|1            what the first item is called in IDS (0)
  --normalize           cosine instead of the sum of products
  --threads T           threads (as many as there are cores)
  --quiet               no progress
  --help                this text
]]

local cli = dofile((arg[0]:match "^.*/" or "") .. "cli.lua")
local fail = cli.fail

-- options that take a value, by the name that they are kept under
local valued = {
  ["-o"] = "output", ["--output"] = "output", ["-n"] = "n",
  ["--scores"] = "scores", ["--seen-indptr"] = "indptr",
  ["--seen-indices"] = "indices", ["--base"] = "base", ["--threads"] = "threads"
}
local flags = {
  ["--normalize"] = {"normalize", true}, ["--quiet"] = {"quiet", true}
}

local function parse(args)
  local opts, files = cli.parse(args, usage, valued, flags)
  opts.n, opts.base = opts.n or "10", opts.base or "0"
  if #files ~= 2 then fail("two files expected, got ", #files, "; see --help") end
  if not opts.output then fail "where to write to is missing: -o IDS.npy" end
  if (opts.indptr == nil) ~= (opts.indices == nil) then
    fail "--seen-indptr and --seen-indices go together"
  end
  cli.integer(opts, "n", 1, 2147483648)
  cli.integer(opts, "base", 0, 1)
  cli.integer(opts, "threads", 1, 1024)
  return opts, files[1], files[2]
end

local opts, userfile, itemfile = parse(arg)

local found, mascon = pcall(require, "mascon")
if not found then
  fail('mascon is not found; in its source tree: eval "$(make -s env)"')
end

local function load(path)
  local a, message = mascon.load(path, {map = true})
  if not a then a, message = mascon.load(path) end  -- what cannot be mapped
  return a or fail(message)
end

local function factors(path)
  local a = load(path)
  if a.ndim ~= 2 then fail(path, ": a matrix expected, got ", a.ndim, " axes") end
  if a.dtype ~= "f32" and a.dtype ~= "f64" then
    fail(path, ": floats expected, got ", a.dtype)
  end
  return a
end

local users, items = factors(userfile), factors(itemfile)
if users.ncols ~= items.ncols then
  fail(("%s has %d factors and %s has %d"):format(userfile, users.ncols,
    itemfile, items.ncols))
end

local function seen()
  if not opts.indptr then return end
  local indptr, indices = load(opts.indptr), load(opts.indices)
  local ok, csr = pcall(mascon.csr, indptr, indices, items.nrows, {base = 0})
  if not ok then fail(opts.indptr, ", ", opts.indices, ": ", csr) end
  if csr.nrows ~= users.nrows then
    fail(("%s has %d rows, not %d as %s"):format(opts.indptr, csr.nrows,
      users.nrows, userfile))
  end
  return csr
end

local began = mascon.clock()
local ok, ids, scores = pcall(mascon.recommend, users, items, opts.n, {
  base = opts.base, exclude = seen(), normalize = opts.normalize,
  threads = opts.threads, progress = not opts.quiet
})
if not ok then fail(ids) end
local seconds = mascon.clock() - began

local function save(a, path)
  local saved, message = pcall(a.save, a, path)
  if not saved then fail(message) end
end

save(ids, opts.output)
if opts.scores then save(scores, opts.scores) end
if not opts.quiet then
  io.stderr:write(("%d users x %d items, %.2f s, %.0f users/s\n"):format(
    users.nrows, items.nrows, seconds, users.nrows / seconds))
end

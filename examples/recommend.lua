-- recommend.lua - the best items of every user, from files to files

local usage = [[
usage: recommend.lua USERS.npy ITEMS.npy -o IDS.npy [options]
       recommend.lua USERS.npy --index FILE -o IDS.npy [options]

For every row of USERS (users x rank) the N rows of ITEMS (items x rank) whose
sum of products with it is highest, best first.  Equal scores rank by smaller
id.  The result is exact.  Files are mapped, also those that are written: memory
does not grow with the users.

  -o, --output FILE     ids, users x N; beyond the items that were found,
                        base - 1
  -n N                  items per user (10)
  --scores FILE         write the scores too; -inf beyond the items found
  --save-index FILE     keep the packed items for other runs
  --index FILE          items that were kept so; with --normalize if they were
                        made with it
  --seen-indptr FILE    items to leave out, row by row, as SciPy keeps them:
  --seen-indices FILE   the indptr and indices (from 0) of users x items
  --test-indptr FILE    pairs that were held out, the same way: prints how many
  --test-indices FILE   of them are among the best 10, 100, 1000
  --ranks FILE          write the rank of each of those pairs; 1 is the best, 0
                        where the item may not be had
  --resume ROW          go on from this row (from 1) with files that a run which
                        was interrupted has left
  --check K             compute K random users again by brute force
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
  ["--scores"] = "scores", ["--seen-indptr"] = "seen-indptr",
  ["--seen-indices"] = "seen-indices", ["--test-indptr"] = "test-indptr",
  ["--test-indices"] = "test-indices", ["--ranks"] = "ranks", ["--index"] = "index",
  ["--save-index"] = "save-index", ["--resume"] = "resume", ["--check"] = "check",
  ["--base"] = "base", ["--threads"] = "threads"
}
local flags = {
  ["--normalize"] = {"normalize", true}, ["--quiet"] = {"quiet", true}
}

local function parse(args)
  local opts, files = cli.parse(args, usage, valued, flags)
  opts.n, opts.base, opts.resume = opts.n or "10", opts.base or "0", opts.resume or "1"
  if opts.index and #files ~= 1 then
    fail("one file expected beside --index, got ", #files, "; see --help")
  elseif not opts.index and #files ~= 2 then
    fail("two files expected, got ", #files, "; see --help")
  end
  if not opts.output then fail "where to write to is missing: -o IDS.npy" end
  for _, of in ipairs {"seen", "test"} do
    if (opts[of .. "-indptr"] == nil) ~= (opts[of .. "-indices"] == nil) then
      fail(("--%s-indptr and --%s-indices go together"):format(of, of))
    end
  end
  if opts.ranks and not opts["test-indptr"] then
    fail "--ranks needs --test-indptr and --test-indices"
  end
  cli.outputs(opts, "output", "scores", "ranks", "save-index")
  cli.integer(opts, "n", 1, 2147483648)
  cli.integer(opts, "base", 0, 1)
  cli.integer(opts, "resume", 1, 2147483648)
  cli.integer(opts, "check", 0, 2147483648)
  cli.integer(opts, "threads", 1, 1024)
  return opts, files[1], files[2]
end

local opts, userfile, itemfile = parse(arg)

local mascon = cli.mascon()

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

local function makeindex()
  if opts.index then
    local x, message = mascon.index.load(opts.index, {map = true})
    return x or fail(message)
  end
  return mascon.index(factors(itemfile), {normalize = opts.normalize, threads = opts.threads})
end

local users, index = factors(userfile), makeindex()
if users.ncols ~= index.rank then
  fail(("%s has %d factors and %s has %d"):format(userfile, users.ncols,
    opts.index or itemfile, index.rank))
end
if opts["save-index"] then
  local ok, message = pcall(index.save, index, opts["save-index"])
  if not ok then fail(message) end
end

-- the compressed rows of --seen or --test, if they are given
local function rows(of)
  local from, to = opts[of .. "-indptr"], opts[of .. "-indices"]
  if not from then return end
  local indptr, indices = load(from), load(to)
  local ok, csr = pcall(mascon.csr, indptr, indices, index.nitems, {base = 0})
  if not ok then fail(from, ", ", to, ": ", csr) end
  if csr.nrows ~= users.nrows then
    fail(("%s has %d rows, not %d as %s"):format(from, csr.nrows, users.nrows, userfile))
  end
  return csr
end

-- a mapped file for results: a new one, or the one to go on with
local function create(path, ncols, dtype)
  if not path then return end
  if opts.resume > 1 then
    local a, message = mascon.load(path, {map = "r+"})
    return a or fail(message)
  end
  local ok, a = pcall(mascon.create, path, users.nrows, ncols, dtype)
  return ok and a or fail(a)
end

local seen, test = rows "seen", rows "test"
local dtype = users.dtype == "f32" and index.dtype == "f32" and "f32" or "f64"
local ids, scores = create(opts.output, opts.n, "i32"), create(opts.scores, opts.n, dtype)
local began = mascon.clock()
local ok, message, _, _, info = pcall(index.recommend, index, users, opts.n, {
  base = opts.base, exclude = seen, normalize = opts.normalize, ranks = test,
  first = opts.resume, check = opts.check, out = {ids = ids, scores = scores},
  threads = opts.threads, progress = not opts.quiet
})
local seconds = mascon.clock() - began
if not ok then
  local done = message:match "interrupted %(done (%d+)"
  fail(message, done and "; go on with --resume " .. done + 1 or "")
end
ids:close()
if scores then scores:close() end

if test then
  for _, n in ipairs {10, 100, 1000} do
    print(("recall at %-5d %.4f"):format(n,
      info.ranks:le(n):land(info.ranks:gt(0)):copy "f64":sum() / test.nnz))
  end
end
if opts.ranks then
  local saved, what = pcall(info.ranks.save, info.ranks, opts.ranks)
  if not saved then fail(what) end
end
if not opts.quiet then
  io.stderr:write(("%d users x %d items, %.2f s, %.0f users/s; %.1f %% left out by norm\n")
    :format(info.rows, index.nitems, seconds, info.rows / seconds,
            100 * info.norm / info.pairs))
end

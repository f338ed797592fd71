---The tool recommend: the best items of every user, from files to files.
local core = require "mascon.core"
local cli = require "mascon.cli"

local usage = [[
usage: TOOL USERS.npy ITEMS.npy -o OUT [options]
       TOOL USERS.npy --index FILE -o OUT [options]

For every row of USERS (users x rank) the N rows of ITEMS (items x rank) whose
sum of products with it is highest, best first.  Equal scores rank by smaller
id.  The result is exact.  Files are mapped or written block by block: memory
does not grow with the users.

  -o, --output FILE     .npy: ids, users x N; beyond the items that were found,
                        base - 1.  .csv: lines of user, item, score
  -n N                  items per user (10)
  --scores FILE         write the scores too; -inf beyond the items found
  --user-ids FILE       what users and items are called in a .csv file: an integer
  --item-ids FILE       vector (.npy), or a text file with one a line
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
  --base 0|1            the number of the first item, and in .csv of the first user
                        (0)
  --normalize           cosine instead of the sum of products
  --threads T           threads (as many as there are cores)
  --quiet               no progress
  --help                this text
]]

local fail, misuse = cli.fail, cli.misuse

-- options that take a value, by the name that they are kept under
local valued = {
  ["-o"] = "output", ["--output"] = "output", ["-n"] = "n",
  ["--scores"] = "scores", ["--seen-indptr"] = "seen-indptr",
  ["--seen-indices"] = "seen-indices", ["--test-indptr"] = "test-indptr",
  ["--test-indices"] = "test-indices", ["--ranks"] = "ranks", ["--index"] = "index",
  ["--save-index"] = "save-index", ["--user-ids"] = "user-ids",
  ["--item-ids"] = "item-ids", ["--resume"] = "resume", ["--check"] = "check",
  ["--base"] = "base", ["--threads"] = "threads"
}
local flags = {
  ["--normalize"] = {"normalize", true}, ["--quiet"] = {"quiet", true}
}

-- what goes with a .csv file, and what does not
local function checktable(opts)
  opts.table = opts.output:find "%.csv$" ~= nil
  for _, name in ipairs(opts.table and {"scores", "resume"} or {"user-ids", "item-ids"}) do
    if opts[name] then
      misuse(("--%s goes with -o FILE.%s"):format(name, opts.table and "npy" or "csv"))
    end
  end
  opts.resume = opts.resume or "1"
end

local function parse(args)
  local opts, files = cli.parse(args, usage, valued, flags)
  opts.n, opts.base = opts.n or "10", opts.base or "0"
  if opts.index and #files ~= 1 then
    misuse("one file expected beside --index, got ", #files, "; see --help")
  elseif not opts.index and #files ~= 2 then
    misuse("two files expected, got ", #files, "; see --help")
  end
  if not opts.output then misuse "where to write to is missing: -o FILE" end
  checktable(opts)
  for _, of in ipairs {"seen", "test"} do
    if (opts[of .. "-indptr"] == nil) ~= (opts[of .. "-indices"] == nil) then
      misuse(("--%s-indptr and --%s-indices go together"):format(of, of))
    end
  end
  if opts.ranks and not opts["test-indptr"] then
    misuse "--ranks needs --test-indptr and --test-indices"
  end
  cli.outputs(opts, "output", "scores", "ranks", "save-index")
  cli.integer(opts, "n", 1, 2147483648)
  cli.integer(opts, "base", 0, 1)
  cli.integer(opts, "resume", 1, 2147483648)
  cli.integer(opts, "check", 0, 2147483648)
  cli.integer(opts, "threads", 1, 1024)
  return opts, files[1], files[2]
end

-- {------- what is read -------

local function load(path)
  local a, message = core.load(path, {map = true})
  if not a then a, message = core.load(path) end  -- what cannot be mapped
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

local function loadindex(path)
  local index, message = core.index.load(path, {map = true})
  return index or fail(message)
end

-- the users, and the items as an index
local function models(opts, userfile, itemfile)
  local users = factors(userfile)
  local index = opts.index and loadindex(opts.index) or cli.try(core.index,
    factors(itemfile), {normalize = opts.normalize, threads = opts.threads})
  if users.ncols ~= index.rank then
    fail(("%s has %d factors and %s has %d"):format(userfile, users.ncols,
      opts.index or itemfile, index.rank))
  end
  if opts["save-index"] then cli.try(index.save, index, opts["save-index"]) end
  return users, index
end

-- the compressed rows of --seen or --test, if they are given
local function rows(opts, of, users, index)
  local from, to = opts[of .. "-indptr"], opts[of .. "-indices"]
  if not from then return end
  local ok, csr = pcall(core.csr, load(from), load(to), index.nitems, {base = 0})
  if not ok then fail(from, ", ", to, ": ", cli.plain(csr)) end
  if csr.nrows ~= users.nrows then
    fail(("%s has %d rows, not %d as the users"):format(from, csr.nrows, users.nrows))
  end
  return csr
end

-- the texts of a file with one a line
local function listed(path)
  local codes, labels = core.csv.codes(path, {columns = {1}, header = false, comment = "",
    sep = "\1"})
  if not codes then fail(labels) end
  if #labels[1] ~= codes[1].size then fail(path, ": an id is there twice") end
  return labels[1]
end

-- what users or items are called: a list or a vector, one for each
local function names(opts, option, n, of)
  local path = opts[option]
  if not path then return end
  local ids = (path:find "%.npy$" and load or listed)(path)
  if #ids ~= n then fail(("%s has %d ids, the matrix of %s has %d rows"):format(path, #ids, of, n)) end
  return ids
end

-- -------}

-- {------- what is written -------

-- a mapped file for results: a new one, or the one to go on with
local function create(opts, path, nrows, dtype)
  if not path then return end
  if opts.resume == 1 then return cli.try(core.create, path, nrows, opts.n, dtype) end
  local a, message = core.load(path, {map = "r+"})
  return a or fail(message)
end

-- how the results are written: options of recommend, and what ends the files
local function arrays(opts, users, index)
  local dtype = users.dtype == "f32" and index.dtype == "f32" and "f32" or "f64"
  local ids = create(opts, opts.output, users.nrows, "i32")
  local scores = create(opts, opts.scores, users.nrows, dtype)
  return {out = {ids = ids, scores = scores}}, function()
    ids:close()
    if scores then scores:close() end
  end
end

-- the same for a table
local function lines(opts, users, index)
  local t = cli.try(core.csv.hits, opts.output, {base = opts.base, threads = opts.threads,
    users = names(opts, "user-ids", users.nrows, "users"),
    items = names(opts, "item-ids", index.nitems, "items")})
  return {sink = function(...) t:write(...) end}, function() cli.try(t.close, t) end
end

local function summarise(opts, info, index, test, seconds)
  if test then
    for _, n in ipairs {10, 100, 1000} do
      print(("recall at %-5d %.4f"):format(n,
        info.ranks:le(n):land(info.ranks:gt(0)):copy "f64":sum() / test.nnz))
    end
  end
  if opts.ranks then cli.try(info.ranks.save, info.ranks, opts.ranks) end
  if opts.quiet then return end
  io.stderr:write(("%d users x %d items, %.2f s, %.0f users/s; %.1f %% left out by norm\n")
    :format(info.rows, index.nitems, seconds, info.rows / seconds,
            100 * info.norm / info.pairs))
end

-- -------}

local function run(args)
  local opts, userfile, itemfile = parse(args)
  local users, index = models(opts, userfile, itemfile)
  local seen, test = rows(opts, "seen", users, index), rows(opts, "test", users, index)
  local o, finish = (opts.table and lines or arrays)(opts, users, index)
  o.base, o.exclude, o.ranks, o.first = opts.base, seen, test, opts.resume
  o.normalize, o.check = opts.normalize, opts.check
  o.threads, o.progress = opts.threads, not opts.quiet
  local began = core.clock()
  local ok, message, _, _, info = pcall(index.recommend, index, users, opts.n, o)
  if not ok then
    local done = not opts.table and message:match "interrupted %(done (%d+)"
    fail(cli.plain(message), done and "; go on with --resume " .. done + 1 or "")
  end
  finish()
  summarise(opts, info, index, test, core.clock() - began)
end

return { summary = "the best items of every user, from factors", run = run }

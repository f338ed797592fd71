---@meta mascon

-- What the C module offers, for editors that speak LuaLS; never run.  The manual
-- is the README.md of the folder above.

---@alias mascon.dtype "f64"|"f32"|"i64"|"i32"|"u16"|"u8"
---@alias mascon.operand mascon.Array|number
---@alias mascon.ids mascon.Array|integer[]
---@alias mascon.progress boolean|fun(done: integer, total: integer): boolean?

---How to run one call.
---@class mascon.RunOpts
---@field threads? integer  workers, 1 to 1024 (default: the state's setting)
---@field progress? mascon.progress  a bar, or a function; returning false stops

---Reductions.
---@class mascon.ReduceOpts: mascon.RunOpts
---@field keepdims? boolean  keep the axis, with length 1
---@field ddof? integer  var and std divide by n - ddof (0)

---An array of one dtype and one to four axes; indices count from 1.
---
---`a[i]` is an element of a vector or a view of row i; `a(i, j)` an element.
---`a == b` asks whether both are the same view; values: `a:eq(b)`.
---@class mascon.Array
---@field dtype mascon.dtype
---@field ndim integer  number of axes
---@field size integer  number of elements
---@field nrows integer  length of the first axis
---@field ncols integer  length of the second axis; 1 for a vector
---@field readonly boolean  is writing an error?
---@operator add(mascon.operand): mascon.Array
---@operator sub(mascon.operand): mascon.Array
---@operator mul(mascon.operand): mascon.Array
---@operator div(mascon.operand): mascon.Array
---@operator idiv(mascon.operand): mascon.Array
---@operator mod(mascon.operand): mascon.Array
---@operator pow(mascon.operand): mascon.Array
---@operator band(mascon.Array): mascon.Array
---@operator bor(mascon.Array): mascon.Array
---@operator bxor(mascon.Array): mascon.Array
---@operator unm: mascon.Array
---@operator bnot: mascon.Array
---@operator len: integer
---@operator call(integer): number
local Array = {}

---@class mascon
local mascon = {}

---A token for `a`: any Lua state of this process changes it into the same
---elements by `mascon.attach`, `n` times. It holds the elements meanwhile.
---@param a mascon.Array
---@param n? integer  how many times (1)
---@return integer token
function mascon.share(a, n) end

---The elements that a token stands for; nothing is copied.
---@param token integer
---@return mascon.Array a
function mascon.attach(token) end

---Give up the uses of a token that are left.
---@param token integer
function mascon.unshare(token) end

---What mascon.parallel is to do.
---@class mascon.ParallelOpts: mascon.RunOpts
---@field n integer  how many
---@field chunk? integer  as many in each call of the function (a 256th of n)

---Lua code on several cores: `f(first, last, ...)` for chunks of 1 to `n`, each
---chunk in one of several Lua states that run at once.
---
---Arrays, csr and indexes among the arguments are shared; nil, booleans, numbers,
---strings and tables of all these are copied. `f` sees its arguments, its own
---locals, modules that are its upvalues, and what is global in a new state; any
---other upvalue is an error. Chunks go to whoever is free. Kernels inside use one
---thread unless told otherwise. An error ends all and is raised here.
---
---    local m = mascon.random(1):normal(1000, 100)
---    local best = mascon.zeros(1000)
---    mascon.parallel(1000, function(first, last, m, best)
---      for i = first, last do best[i] = m:row(i):max() end
---    end, m, best)
---
---    local sums = mascon.parallel({ n = 1000, chunk = 100 }, function(first, last)
---      local s = 0
---      for i = first, last do s = s + i end
---      return s
---    end)
---
---@param n integer|mascon.ParallelOpts  how many, or a table of it and options
---@param f fun(first: integer, last: integer, ...): ...
---@param ... any  arguments of f
---@return table results  what f returned, by chunk: its first value, in a second
---table its second value, and so on
function mascon.parallel(n, f, ...) end

---Start `f(...)` on a thread and in a Lua state of its own, and go on. What can
---be passed is as for `mascon.parallel`.
---
---    local job = mascon.spawn(function(n)
---      local s = 0
---      for i = 1, n do s = s + i end
---      return s
---    end, 1000)
---    print(job:result())
---
---@param f fun(...): ...
---@param ... any  arguments of f
---@return mascon.Job job
function mascon.spawn(f, ...) end

---A function that `mascon.spawn` has started. One that is collected, or whose state
---is closed, is cancelled.
---@class mascon.Job
local Job = {}

---Whether it has ended, well or not; never waits.
---@return boolean
function Job:done() end

---What it returned. Waits until it has; Ctrl-C ends the waiting only. Raises what
---the function raised, or "cancelled".
---@return any ...
function Job:result() end

---Tell it to stop. Lua code, kernels and waiting for other jobs end; never waits.
function Job:cancel() end

---An array of the numbers of a table, or a copy of an array.
---
---    mascon.array {{1, 2}, {3, 4}}
---    mascon.array({1, 2, 3, 4}, 2, 2, "f32")
---
---@param t table|mascon.Array  numbers, nested up to four deep
---@param ... integer|mascon.dtype  sizes to read a flat table as; a dtype
---@return mascon.Array a
function mascon.array(t, ...) end

---Zeros.
---
---    local m = mascon.zeros(3, 4, "f32")
---
---@param n1 integer
---@param n2? integer
---@param n3? integer
---@param n4? integer
---@param dtype? mascon.dtype  "f64" unless named
---@return mascon.Array a
function mascon.zeros(n1, n2, n3, n4, dtype) end

---Ones.
---@param n1 integer
---@param n2? integer
---@param n3? integer
---@param n4? integer
---@param dtype? mascon.dtype  "f64" unless named
---@return mascon.Array a
function mascon.ones(n1, n2, n3, n4, dtype) end

---Whatever memory held.
---@param n1 integer
---@param n2? integer
---@param n3? integer
---@param n4? integer
---@param dtype? mascon.dtype  "f64" unless named
---@return mascon.Array a
function mascon.empty(n1, n2, n3, n4, dtype) end

---One value everywhere.
---@param ... number|mascon.dtype  one to four sizes, the value, a dtype
---@return mascon.Array a
function mascon.full(...) end

---Ones on the diagonal of n x m.
---@param n integer
---@param m? integer
---@param dtype? mascon.dtype  "f64" unless named
---@return mascon.Array a
function mascon.eye(n, m, dtype) end

---1 to n, or first to last in steps, both ends included.
---
---    mascon.range(3)  --> 1 2 3
---    mascon.range(10, 0, -5)  --> 10 5 0
---
---@param first number
---@param last? number
---@param step? number
---@param dtype? mascon.dtype  "f64" unless named
---@return mascon.Array v
function mascon.range(first, last, step, dtype) end

---`n` numbers, evenly spaced, both ends exact.
---
---    mascon.linspace(0, 1, 5)  --> 0 0.25 0.5 0.75 1
---
---@param first number
---@param last number
---@param n integer
---@param dtype? mascon.dtype  "f64" unless named
---@return mascon.Array v
function mascon.linspace(first, last, n, dtype) end

---Arrays one after the other along an axis; a copy.
---
---    mascon.concat(2, a, b)  -- side by side
---
---@param axis integer
---@param ... mascon.Array|mascon.Array[]
---@return mascon.Array a
function mascon.concat(axis, ...) end

---Arrays of one shape along a new first axis; a copy.
---@param ... mascon.Array|mascon.Array[]
---@return mascon.Array a
function mascon.stack(...) end

---Read or map a .npy file.
---
---    local a = assert(mascon.load "a.npy")
---    local big = assert(mascon.load("big.npy", {map = true}))
---
---@param path string
---@param opts? {map?: boolean|"r"|"r+", threads?: integer, progress?: mascon.progress}
---@return mascon.Array? a  nil on failure
---@return string? message
function mascon.load(path, opts) end

---.npy files in memory, as archives and sockets have them.
mascon.npy = {}

---The array of a .npy file that a u8 vector holds: a view of it where its
---elements can be used as they stand. Or nil and a message.
---@param bytes mascon.Array  u8 vector, its elements side by side
---@param name? string  what messages call it
---@return mascon.Array? a
---@return string? message
function mascon.npy.decode(bytes, name) end

---What stands before the elements in a row-major .npy file of the array.
---@param a mascon.Array
---@return string head
---@return boolean contiguous  whether the elements of `a` stand in that order
function mascon.npy.head(a) end

---A new mapped .npy file of zeros, written in place; raises on failure.
---
---    local c = mascon.create("new.npy", 1000000, 10, "f32")
---
---@param path string
---@param n1 integer
---@param n2? integer
---@param n3? integer
---@param n4? integer
---@param dtype? mascon.dtype  "f64" unless named
---@return mascon.Array a
function mascon.create(path, n1, n2, n3, n4, dtype) end

---Elements of `a` where the mask is not zero, else of `b`.
---
---    mascon.where(a:gt(0), a, 0)
---
---@param mask mascon.Array  u8
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.where(mask, a, b, out, opts) end

---A generator of random numbers: a seed and a position.
---
---    local v = mascon.random(7):normal(1000)
---
---@param seed integer
---@return mascon.Random r
function mascon.random(seed) end

---Philox4x32-10 of a counter: four words of 32 bits.
---@param key integer
---@param c0 integer
---@param c1 integer
---@param c2 integer
---@param c3 integer
---@return integer ...
function mascon.philox(key, c0, c1, c2, c3) end

---How many threads kernels of this state use; with `n`, from now on.
---
---    mascon.threads(1)
---
---@param n? integer  0: the default again
---@return integer n
function mascon.threads(n) end

---Whether calls without the option `progress` show a bar once they take longer
---than a second; with `on`, from now on. So it is at the prompt.
---@param on? boolean
---@return boolean on
function mascon.progress(on) end

---How arrays are printed in this Lua state, from now on; returns how they are.
---
---    mascon.printoptions {precision = 3}
---
---@param opts? mascon.PrintOpts
---@return mascon.PrintOpts now
function mascon.printoptions(opts) end

---@class mascon.PrintOpts
---@field precision? integer  digits that tell, at most (6)
---@field threshold? integer  elements up to which all are printed (1000)
---@field edge? integer  how many are at either end otherwise (3)
---@field width? integer  columns at which vectors wrap (80)

---Seconds of a clock that only goes forward.
---@return number t
function mascon.clock() end

---What memory the whole process holds.
---
---Freed blocks from 8 KB to 36 MB are kept for reuse, 64 MB at most, as fresh pages cost
---more than most of what is done with them; blocks to 512 bytes by each thread for itself,
---2 MB at most. They are given back where memory is short, and by `trim`.
---
---With a limit, what would exceed it is an error, after a full collection has not freed
---enough: "not enough memory: 80000 bytes asked for, 950000 held, the limit is 1000000".
---@param opts? {limit?: integer|false, trim?: boolean}|integer  limit: bytes that all states
---of the process may hold together, false: no limit; trim: give back what is kept; an
---integer, for tests: let all but the next n allocations fail; < 0: none
---@return integer bytes  held
---@return integer blocks  held
---@return integer calls  allocations made so far
---@return integer peak  the most bytes that were held
---@return integer kept  bytes of freed blocks that are kept for reuse, not among the first
---@return integer handles  arrays of this state that are not closed or collected
---@return integer? limit
function mascon.memory(opts) end

---Which version, instruction set, threads and bytes are in use.
---@return {version: string, cpu: string, threads: integer, memory: integer, memory_limit: integer} t
function mascon.info() end

---Columns and rows of the terminal behind a stream; nil where there is none.
---@param stream? file*  io.stderr
---@return integer? columns
---@return integer? rows
function mascon.terminal(stream) end

---@class mascon.GaussOpts: mascon.RunOpts
---@field sample? "point"|"integrated"  at the centre of each pixel, or over it ("point")
---@field norm? "sum"|"peak"  what the weight is ("sum")
---@field weight? number  1
---@field origin? "centre"|"edge"  what is at 0 ("centre")
---@field angle? number  radians from +x towards +y, turns sigma x's axis; point-sampled (0)
---@field dtype? "f64"|"f32"  of a new matrix
---@field add? boolean  add to the matrix

---One normalised gaussian, into a new matrix or the one that is given.
---
---    local g = mascon.gauss(100, 120, 50, 60.5, 4, 6)
---    mascon.gauss(g, 50, 60.5, 4, 6)
---
---@param yw integer|mascon.Array  rows; or the matrix to draw into, without `xw`
---@param xw integer  columns
---@param y0 number
---@param x0 number
---@param sy number  sigma in pixels, >= 0
---@param sx number
---@param opts? mascon.GaussOpts
---@return mascon.Array g
function mascon.gauss(yw, xw, y0, x0, sy, sx, opts) end

---A column: a vector of any dtype, or a number for all spots.
---@alias mascon.column mascon.Array|number

---@class mascon.Spots
---@field x mascon.column
---@field y mascon.column
---@field sx? mascon.column  sigmas, >= 0
---@field sy? mascon.column
---@field angle? mascon.column  radians from +x towards +y, turns sx's axis
---@field sxx? mascon.column  instead of sx, sy, angle: variance of x,
---@field sxy? mascon.column  covariance,
---@field syy? mascon.column  variance of y
---@field weight? mascon.column  1
---@field value? mascon.column  a third result: the image with weights times it

---@class mascon.RenderOpts: mascon.RunOpts
---@field shape? integer[]  {rows, columns}
---@field view? integer[]  {row, column}: whole pixels from the full image's corner
---@field extent? number[]  {y0, x0, y1, x1} in units
---@field pixel? number  1
---@field sample? "integrated"|"point"  "integrated"
---@field norm? "sum"|"peak"  what the weight is ("sum")
---@field tol? number  mass that a spot may lose (1e-6)
---@field cutoff? number  sigmas to keep instead
---@field min_sigma? number  smaller sigmas become it (0)
---@field origin? "edge"|"centre"  what is at 0 ("edge")
---@field dtype? "f32"|"f64"  of a new image
---@field out? mascon.Array  draw into this matrix
---@field add? boolean  add to `out`
---@field renormalise? boolean  divide by the mass inside the cut-off
---@field preset? "picasso"|"thunderstorm"  the convention of another program

---Many gaussians into one image.
---
---    local image = mascon.render({x = x, y = y, sx = 12, sy = 12}, {pixel = 10})
---    local rgb = mascon.render({x = x, y = y, sx = 12, sy = 12}, {pixel = 10, colour = z})
---
---@param spots mascon.Spots|mascon.Locs
---@param opts? mascon.RenderOpts|mascon.HueOpts
---@return mascon.Array image
---@return {drawn: integer, culled: integer, skipped: integer, clipped: number, lost: number, extent: number[]} info
---@return mascon.Array? values  with a column `value`
function mascon.render(spots, opts) end

---What topn, topn_stream and recommend share.
---@class mascon.TopOpts: mascon.RunOpts
---@field base? 0|1  what the first id is called (1)
---@field pad_id? integer  beyond the count of a row (0; -1 with base 0)
---@field pad_score? number  -inf
---@field exclude? mascon.csr  ids left out, row by row
---@field exclude_items? mascon.ids  ids left out everywhere
---@field allow? mascon.csr|mascon.ids  only these
---@field min? number  only scores >= min
---@field out? {ids?: true|mascon.Array, scores?: true|mascon.Array, counts?: true|mascon.Array, ranks?: mascon.Array}
---@field sink? fun(first: integer, last: integer, ids: mascon.Array, scores: mascon.Array, counts: mascon.Array): boolean?
---@field first? integer  resume: rows before it are left
---@field smallest? boolean  topn, topn_stream: the smallest
---@field rows? mascon.ids  recommend: only these users
---@field bias? mascon.Array|number[]  recommend: a number for every item
---@field normalize? boolean  recommend: cosine
---@field exclude_self? boolean  recommend: user u never gets item u
---@field ranks? mascon.csr  recommend: pairs whose ranks are wanted; info.ranks
---@field check? integer  recommend: rows to compute again by brute force

---The best `n` of every row.
---
---    local ids, scores = mascon.topn(m, 10)
---    mascon.topn(m, 10, {exclude = seen, threads = 2})
---
---@param scores mascon.Array  f32 or f64 matrix, or a vector
---@param n integer
---@param opts? mascon.TopOpts
---@return mascon.Array? ids  rows x n, i32
---@return mascon.Array? scores  rows x n, best first
---@return mascon.Array? counts  how many were found in each row
---@return table info
function mascon.topn(scores, n, opts) end

---The best `n` of every row of scores that a function fills in, batch by batch.
---@param source {rows: integer, cols: integer, score: fun(block: mascon.Array, first: integer, last: integer): boolean?, batch?: integer, dtype?: "f64"|"f32"}
---@param n integer
---@param opts? mascon.TopOpts
---@return mascon.Array? ids  rows x n, i32
---@return mascon.Array? scores  rows x n, best first
---@return mascon.Array? counts  how many were found in each row
---@return table info
function mascon.topn_stream(source, n, opts) end

---Users whose factors a function fills in, batch by batch.
---@alias mascon.users mascon.Array|{rows: integer, users: (fun(block: mascon.Array, first: integer, last: integer): boolean?), batch?: integer, dtype?: "f64"|"f32"}

---The best `n` items of every user, by the product of their factors; exact.
---
---    local ids, scores = mascon.recommend(users, items, 10, {exclude = seen})
---
---@param users mascon.users  users x rank, f32 or f64; or what makes them
---@param items mascon.Array  items x rank, of the same dtype
---@param n integer
---@param opts? mascon.TopOpts
---@return mascon.Array? ids  rows x n, i32
---@return mascon.Array? scores  rows x n, best first
---@return mascon.Array? counts  how many were found in each row
---@return table info
function mascon.recommend(users, items, n, opts) end

---Items packed once, for any number of calls.
---@class mascon.index
---@field nitems integer
---@field rank integer
---@field dtype string
---@field normalize boolean  made for cosines
---@field bias boolean  made with a bias
---@field bytes integer
---@overload fun(items: mascon.Array, opts?: {normalize?: boolean, bias?: mascon.Array|number[], threads?: integer, progress?: mascon.progress}): mascon.index
---@operator len: integer
mascon.index = {}

---Read or map the file of an index.
---@param path string
---@param opts? {map?: boolean, check?: boolean, threads?: integer, progress?: mascon.progress}
---@return mascon.index? x
---@return string? message
function mascon.index.load(path, opts) end

---An index over the bytes that x:image() gave.
---@param bytes mascon.Array  read-only u8 vector
---@param opts? {check?: boolean, threads?: integer, progress?: mascon.progress}
---@return mascon.index? x
---@return string? message
function mascon.index.wrap(bytes, opts) end

---Its bytes, which it shares.
---@return mascon.Array bytes  read-only u8 vector
function mascon.index:image() end

---As mascon.recommend, for the items of the index.
---@param users mascon.users
---@param n integer
---@param opts? mascon.TopOpts
---@return mascon.Array? ids  rows x n, i32
---@return mascon.Array? scores  rows x n, best first
---@return mascon.Array? counts  how many were found in each row
---@return table info
function mascon.index:recommend(users, n, opts) end

---The items most like each of `ids`, without itself.
---@param ids integer|mascon.ids
---@param n integer
---@param opts? mascon.TopOpts
---@return mascon.Array? ids
---@return mascon.Array? scores
---@return mascon.Array? counts
---@return table info
function mascon.index:similar(ids, n, opts) end

---Write it as a file, whole or not at all.
---@param path string
---@param opts? mascon.RunOpts
function mascon.index:save(path, opts) end

---Give it up now. Twice is no error.
function mascon.index:close() end

---Compressed rows, as SciPy keeps them.
---@class mascon.csr
---@field nrows integer
---@field ncols integer
---@field nnz integer
---@field base 0|1  what the first column is called
---@field indptr mascon.Array  from 0, nrows + 1 elements
---@field indices mascon.Array
---@overload fun(indptr: mascon.Array, indices: mascon.Array, ncols: integer, opts: {base: 0|1}): mascon.csr
---@operator len: integer
mascon.csr = {}

---Compressed rows of pairs, in their order.
---
---    local seen = mascon.csr.from_pairs({1, 1, 2}, {3, 1, 2}, 2, 3, {base = 1})
---
---@param users mascon.ids
---@param items mascon.ids
---@param nrows integer
---@param ncols integer
---@param opts {base: 0|1}
---@return mascon.csr c
function mascon.csr.from_pairs(users, items, nrows, ncols, opts) end

---These rows, in this order.
---@param ids mascon.ids
---@param opts? {base: 0|1}
---@return mascon.csr c
function mascon.csr:take(ids, opts) end

---CSV tables.
mascon.csv = {}

---Read a table: a list of f64 vectors, one a column, and their `names`.
---
---    local t = assert(mascon.csv.load "table.csv")
---    print(t.names[1], t[1]:mean())
---
---@param path string
---@param opts? {sep?: string, point?: string, comment?: string, header?: boolean, text?: "error"|"skip", columns?: (string|integer)[], threads?: integer, progress?: mascon.progress}
---@return table? columns  nil on failure
---@return string? message
function mascon.csv.load(path, opts) end

---Columns of text as numbers of their texts, from 1 as they are first seen; or
---nil and a message. A text that a given list of labels does not have is 0.
---@param path string
---@param opts {columns: (string|integer)[], labels?: (string[]|false)[], sep?: string, comment?: string, header?: boolean, progress?: mascon.progress}
---@return mascon.Array[]? codes  i32 vectors
---@return string[][]|string labels  or the message
function mascon.csv.codes(path, opts) end

---Write a table, whole or not at all; raises on failure.
---
---    mascon.csv.save("out.csv", {"a", "b"}, {a, b})
---
---@param path string
---@param names string[]
---@param columns mascon.Array[]  vectors of one length
---@param opts? mascon.RunOpts
function mascon.csv.save(path, names, columns, opts) end

---A table of results that is written; it appears when it is closed.
---@class mascon.Hits
local Hits = {}

---Write the hits of users `first` to `last`, as a sink gets them.
---@param first integer
---@param last integer
---@param ids mascon.Array  i32 or i64, a row for each of these users
---@param scores mascon.Array  f32 or f64, of the same shape
---@param counts? mascon.Array  hits of each row; default: a row ends before its first id below `base`
function Hits:write(first, last, ids, scores, counts) end

---Bring the file to its place, whole; raises on failure. Twice is no error.
function Hits:close() end

---Give the table up: what was at its path stays.
function Hits:drop() end

---Begin a CSV table of results: lines of user, item, score under that header, the
---users in their order, the best item first. What users and items are called is
---given by `users` and `items`, else they are numbers that count from `base`.
---Texts are quoted where they have to be. Numbers are written by all threads.
---
---    local t = mascon.csv.hits("best.csv", {users = names, items = titles})
---    mascon.recommend(u, v, 10, {sink = function(...) t:write(...) end})
---    t:close()
---
---@param path string
---@param opts? {users?: string[]|mascon.Array, items?: string[]|mascon.Array, base?: 0|1, threads?: integer}
---@return mascon.Hits t
function mascon.csv.hits(path, opts) end

---What `mascon.image` stands on: levels and colours, without defaults.
mascon.pixels = {}

---Numbers to pixels of 0 to 255 (u8), to 65535 (u16), to 1; and how many were below
---black, above white, and NaN.
---@param image mascon.Array
---@param black number
---@param white number
---@param gamma number
---@param dtype? "u8"|"u16"|"f32"|"f64"
---@param opts? mascon.RunOpts
---@return mascon.Array pixels
---@return integer low
---@return integer high
---@return integer nan
function mascon.pixels.scale(image, black, white, gamma, dtype, opts) end

---A matrix in the colours of an n x 3 map of bytes, new or added to `out`, darkened
---by a matrix `light` with levels of its own.
---@param image mascon.Array
---@param black number
---@param white number
---@param gamma number
---@param map mascon.Array
---@param opts? mascon.RunOpts
---@param out? mascon.Array  h x w x 3, u8
---@param light? mascon.Array
---@param lightblack? number
---@param lightwhite? number
---@param lightgamma? number
---@return mascon.Array rgb
---@return integer low
---@return integer high
---@return integer nan
function mascon.pixels.paint(image, black, white, gamma, map, opts, out, light, lightblack, lightwhite, lightgamma) end

---The 256 colours of a map.
---@param name "viridis"|"magma"|"inferno"|"turbo"|"hot"|"gray"
---@return mascon.Array map  256 x 3, u8
function mascon.pixels.colormap(name) end

---Make a file by a function that writes the one it is given; whole or not at all.
---@param path string
---@param write fun(temp: string)
---@return boolean? ok  nil on failure
---@return any message  or what `write` raised
function mascon.pixels.replace(path, write) end

---Read a binary PGM or PPM file.
---@param path string
---@return mascon.Array? image  nil on failure
---@return string? message
function mascon.pixels.loadpnm(path) end

---Write one, of u8 or u16.
---@param path string
---@param image mascon.Array
---@return boolean? ok  nil on failure
---@return string? message
function mascon.pixels.savepnm(path, image) end

---A stream of random numbers; the number at a position depends on the seed alone.
---@class mascon.Random
---@field seed integer
---@field position integer  of the next number; may be set
local Random = {}

---Between 0 and 1, both excluded.
---@param ... integer|mascon.dtype|mascon.Array  sizes and a dtype, or an array to fill; nothing: one number
---@return mascon.Array|number r
function Random:uniform(...) end

---Mean 0, deviation 1.
---@param ... integer|mascon.dtype|mascon.Array  sizes and a dtype, or an array to fill; nothing: one number
---@return mascon.Array|number r
function Random:normal(...) end

---From `lo` to `hi`, both included.
---@param lo integer
---@param hi integer
---@param ... integer|mascon.dtype|mascon.Array  sizes and a dtype, or an array to fill; nothing: one number
---@return mascon.Array|integer r
function Random:integers(lo, hi, ...) end

---1 to `n` in random order.
---@param n integer
---@return mascon.Array ids
function Random:permutation(n) end

---a + b.
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.add(a, b, out, opts) end

---a - b.
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.subtract(a, b, out, opts) end

---a * b.
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.multiply(a, b, out, opts) end

---a / b; integers give f64.
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.divide(a, b, out, opts) end

---a // b, floored.
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.idiv(a, b, out, opts) end

---a % b, as Lua.
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.mod(a, b, out, opts) end

---a ^ b; floats.
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.power(a, b, out, opts) end

---The smaller of both; NaN only where both are.
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.minimum(a, b, out, opts) end

---The larger of both; NaN only where both are.
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.maximum(a, b, out, opts) end

---The angle of (b, a).
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.atan2(a, b, out, opts) end

---sqrt(a^2 + b^2)..
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.hypot(a, b, out, opts) end

---Mask of a < b.
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.lt(a, b, out, opts) end

---Mask of a <= b.
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.le(a, b, out, opts) end

---Mask of a > b.
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.gt(a, b, out, opts) end

---Mask of a >= b.
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.ge(a, b, out, opts) end

---Mask of a == b.
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.eq(a, b, out, opts) end

---Mask of a ~= b.
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.ne(a, b, out, opts) end

---Mask of a and b.
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.land(a, b, out, opts) end

---Mask of a or b.
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.lor(a, b, out, opts) end

---Mask of a xor b.
---@param a mascon.operand
---@param b mascon.operand
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.lxor(a, b, out, opts) end

---negate of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.negate(a, out, opts) end

---abs of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.abs(a, out, opts) end

---sign of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.sign(a, out, opts) end

---floor of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.floor(a, out, opts) end

---ceil of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.ceil(a, out, opts) end

---Nearest integer, halves to even.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.round(a, out, opts) end

---trunc of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.trunc(a, out, opts) end

---sqrt of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.sqrt(a, out, opts) end

---cbrt of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.cbrt(a, out, opts) end

---exp of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.exp(a, out, opts) end

---expm1 of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.expm1(a, out, opts) end

---log of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.log(a, out, opts) end

---log1p of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.log1p(a, out, opts) end

---log2 of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.log2(a, out, opts) end

---log10 of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.log10(a, out, opts) end

---sin of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.sin(a, out, opts) end

---cos of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.cos(a, out, opts) end

---tan of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.tan(a, out, opts) end

---asin of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.asin(a, out, opts) end

---acos of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.acos(a, out, opts) end

---atan of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.atan(a, out, opts) end

---sinh of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.sinh(a, out, opts) end

---cosh of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.cosh(a, out, opts) end

---tanh of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.tanh(a, out, opts) end

---erf of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.erf(a, out, opts) end

---erfc of every element.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.erfc(a, out, opts) end

---Mask of NaN.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.isnan(a, out, opts) end

---Mask of infinities.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.isinf(a, out, opts) end

---Mask of finite elements.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.isfinite(a, out, opts) end

---Mask of not a.
---@param a mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.lnot(a, out, opts) end

---Sum; integers exactly, in i64.
---
---    mascon.ones(2, 3):sum()   --> 6
---    mascon.ones(2, 3):sum(2)  --> 3 3
---
---@param a mascon.Array
---@param axis? integer  from 1, negative from the end
---@param out? mascon.Array  where to put it
---@param opts? mascon.ReduceOpts
---@return mascon.Array|number|boolean r
function mascon.sum(a, axis, out, opts) end

---Product; integers exactly, in i64.
---@param a mascon.Array
---@param axis? integer  from 1, negative from the end
---@param out? mascon.Array  where to put it
---@param opts? mascon.ReduceOpts
---@return mascon.Array|number|boolean r
function mascon.prod(a, axis, out, opts) end

---Mean.
---@param a mascon.Array
---@param axis? integer  from 1, negative from the end
---@param out? mascon.Array  where to put it
---@param opts? mascon.ReduceOpts
---@return mascon.Array|number|boolean r
function mascon.mean(a, axis, out, opts) end

---Variance.
---@param a mascon.Array
---@param axis? integer  from 1, negative from the end
---@param out? mascon.Array  where to put it
---@param opts? mascon.ReduceOpts
---@return mascon.Array|number|boolean r
function mascon.var(a, axis, out, opts) end

---Standard deviation.
---@param a mascon.Array
---@param axis? integer  from 1, negative from the end
---@param out? mascon.Array  where to put it
---@param opts? mascon.ReduceOpts
---@return mascon.Array|number|boolean r
function mascon.std(a, axis, out, opts) end

---Smallest; NaN is skipped.
---@param a mascon.Array
---@param axis? integer  from 1, negative from the end
---@param out? mascon.Array  where to put it
---@param opts? mascon.ReduceOpts
---@return mascon.Array|number|boolean r
function mascon.min(a, axis, out, opts) end

---Largest; NaN is skipped.
---@param a mascon.Array
---@param axis? integer  from 1, negative from the end
---@param out? mascon.Array  where to put it
---@param opts? mascon.ReduceOpts
---@return mascon.Array|number|boolean r
function mascon.max(a, axis, out, opts) end

---Index of the first smallest; without an axis, one for each axis.
---@param a mascon.Array
---@param axis? integer  from 1, negative from the end
---@param out? mascon.Array  where to put it
---@param opts? mascon.ReduceOpts
---@return mascon.Array|number|boolean r
function mascon.argmin(a, axis, out, opts) end

---Index of the first largest; without an axis, one for each axis.
---@param a mascon.Array
---@param axis? integer  from 1, negative from the end
---@param out? mascon.Array  where to put it
---@param opts? mascon.ReduceOpts
---@return mascon.Array|number|boolean r
function mascon.argmax(a, axis, out, opts) end

---Is any element not zero?
---@param a mascon.Array
---@param axis? integer  from 1, negative from the end
---@param out? mascon.Array  where to put it
---@param opts? mascon.ReduceOpts
---@return mascon.Array|number|boolean r
function mascon.any(a, axis, out, opts) end

---Is no element zero?
---@param a mascon.Array
---@param axis? integer  from 1, negative from the end
---@param out? mascon.Array  where to put it
---@param opts? mascon.ReduceOpts
---@return mascon.Array|number|boolean r
function mascon.all(a, axis, out, opts) end

---Running sums.
---@param a mascon.Array
---@param axis? integer  from 1, negative from the end
---@param out? mascon.Array  where to put it
---@param opts? mascon.ReduceOpts
---@return mascon.Array|number|boolean r
function mascon.cumsum(a, axis, out, opts) end

---In ascending order along an axis (the last); NaN last.
---@param a mascon.Array
---@param axis? integer  from 1, negative from the end
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.sort(a, axis, out, opts) end

---Where sorted elements were, from 1; stable.
---
---    local ids = a:argsort()  -- a:take(ids) is sorted
---
---@param a mascon.Array
---@param axis? integer  from 1, negative from the end
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array ids
function mascon.argsort(a, axis, out, opts) end

---Median.
---@param a mascon.Array
---@param axis? integer  from 1, negative from the end
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array|number r
function mascon.median(a, axis, out, opts) end

---Percentile, interpolated linearly.
---
---    a:percentile(99.5)
---
---@param a mascon.Array
---@param p number  0 to 100
---@param axis? integer  from 1, negative from the end
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array|number r
function mascon.percentile(a, p, axis, out, opts) end

---Matrix product; f64 or f32, one factor may be a vector.
---
---    local p = a:matmul(b:t())
---
---@param a mascon.Array
---@param b mascon.Array
---@param out? mascon.Array  where to put it
---@param opts? mascon.RunOpts
---@return mascon.Array r
function mascon.matmul(a, b, out, opts) end

Array.add = mascon.add
Array.subtract = mascon.subtract
Array.multiply = mascon.multiply
Array.divide = mascon.divide
Array.idiv = mascon.idiv
Array.mod = mascon.mod
Array.power = mascon.power
Array.minimum = mascon.minimum
Array.maximum = mascon.maximum
Array.atan2 = mascon.atan2
Array.hypot = mascon.hypot
Array.lt = mascon.lt
Array.le = mascon.le
Array.gt = mascon.gt
Array.ge = mascon.ge
Array.eq = mascon.eq
Array.ne = mascon.ne
Array.land = mascon.land
Array.lor = mascon.lor
Array.lxor = mascon.lxor
Array.negate = mascon.negate
Array.abs = mascon.abs
Array.sign = mascon.sign
Array.floor = mascon.floor
Array.ceil = mascon.ceil
Array.round = mascon.round
Array.trunc = mascon.trunc
Array.sqrt = mascon.sqrt
Array.cbrt = mascon.cbrt
Array.exp = mascon.exp
Array.expm1 = mascon.expm1
Array.log = mascon.log
Array.log1p = mascon.log1p
Array.log2 = mascon.log2
Array.log10 = mascon.log10
Array.sin = mascon.sin
Array.cos = mascon.cos
Array.tan = mascon.tan
Array.asin = mascon.asin
Array.acos = mascon.acos
Array.atan = mascon.atan
Array.sinh = mascon.sinh
Array.cosh = mascon.cosh
Array.tanh = mascon.tanh
Array.erf = mascon.erf
Array.erfc = mascon.erfc
Array.isnan = mascon.isnan
Array.isinf = mascon.isinf
Array.isfinite = mascon.isfinite
Array.lnot = mascon.lnot
Array.sum = mascon.sum
Array.prod = mascon.prod
Array.mean = mascon.mean
Array.var = mascon.var
Array.std = mascon.std
Array.min = mascon.min
Array.max = mascon.max
Array.argmin = mascon.argmin
Array.argmax = mascon.argmax
Array.any = mascon.any
Array.all = mascon.all
Array.cumsum = mascon.cumsum
Array.sort = mascon.sort
Array.argsort = mascon.argsort
Array.median = mascon.median
Array.percentile = mascon.percentile
Array.matmul = mascon.matmul

---All sizes.
---@return integer ...
function Array:shape() end

---An element.
---@param ... integer  an index for every axis
---@return number x
function Array:get(...) end

---Store an element.
---@param ... number  an index for every axis, the value
function Array:set(...) end

---View of row i.
---@param i integer
---@return mascon.Array v
function Array:row(i) end

---View of column j.
---@param j integer
---@return mascon.Array v
function Array:col(j) end

---View of some rows.
---@param first integer
---@param last integer
---@return mascon.Array v
function Array:rows(first, last) end

---View of some columns.
---@param first integer
---@param last integer
---@return mascon.Array v
function Array:cols(first, last) end

---View of a block.
---@param r1 integer
---@param r2 integer
---@param c1 integer
---@param c2 integer
---@return mascon.Array v
function Array:block(r1, r2, c1, c2) end

---View of part of the first axis.
---
---    v:sub(-1, 1, -1)  -- backwards
---
---@param first integer
---@param last integer
---@param step? integer  may be negative
---@return mascon.Array v
function Array:sub(first, last, step) end

---View of part of an axis.
---@param axis integer
---@param first integer
---@param last integer
---@param step? integer  may be negative
---@return mascon.Array v
function Array:narrow(axis, first, last, step) end

---View of one slice of an axis, which is dropped.
---@param axis integer
---@param i integer
---@return mascon.Array v
function Array:select(axis, i) end

---View with the axes reversed.
---@return mascon.Array v
function Array:t() end

---View with the axes in another order.
---@param ... integer
---@return mascon.Array v
function Array:permute(...) end

---View under another shape; an error where no strides can give it.
---
---    mascon.range(6):reshape(2, -1)
---
---@param ... integer  sizes; one may be -1
---@return mascon.Array v
function Array:reshape(...) end

---Store one value everywhere.
---@param x number
---@return mascon.Array a
function Array:fill(x) end

---Store `b`, broadcast.
---@param b mascon.operand|table
---@return mascon.Array a
function Array:assign(b) end

---A row-major copy; an error if a value does not fit.
---@param dtype? mascon.dtype
---@return mascon.Array c
function Array:copy(dtype) end

---A copy with rounding.
---
---    a:cast("u8", "clip")
---
---@param dtype mascon.dtype
---@param mode? "round"|"floor"|"ceil"|"trunc"|"clip"
---@return mascon.Array c
function Array:cast(dtype, mode) end

---A copy of some slices, or of the elements under a mask.
---
---    m:take {3, 1}      -- rows 3 and 1
---    v:take(v:gt(0))   -- the elements that are positive
---
---@param ids mascon.ids|mascon.Array  ids from 1, or a u8 mask
---@param axis? integer
---@return mascon.Array c
function Array:take(ids, axis) end

---Indices of the elements that are not zero.
---@return mascon.Array ids
function Array:nonzero() end

---Tables of Lua, nested for each axis.
---@return table t
function Array:totable() end

---The address of the first element.
---@return integer address
function Array:addr() end

---Write a .npy file, whole or not at all; raises on failure.
---
---    a:save "a.npy"
---
---@param path string
---@param opts? mascon.RunOpts
function Array:save(path, opts) end

---Bring a mapped file's changes to the disk; raises on failure.
function Array:flush() end

---Free the memory now; views keep theirs. Closing twice is no error.
function Array:close() end

---Make the elements read-only from now on, for every view of them in every
---Lua state; nothing undoes it. An error in callbacks of a call that uses the
---array, and while `topn`, `recommend` or their kin write results there.
---@return mascon.Array self
function Array:freeze() end

---A table read from a CSV file: f64 columns in order.
---@class mascon.CsvTable
---@field [integer] mascon.Array
---@field names string[]  of the columns; "column1", ... without a header
---@field places integer[]  where they are in the file, from 1
---@field allnames string[]  of all columns of the file

---@class mascon.CsvOpts: mascon.RunOpts
---@field sep? string  one character; " ": one or more blanks (default: found in the first line)
---@field point? string  the decimal point (".")
---@field comment? string  lines that begin with it are left out ("#"; "": none)
---@field header? boolean  has the first line names? (default: if it has a field that is no number; a line that
---  may be a row with a broken number as well is refused)
---@field text? "error"|"skip"  skip: leave columns out that are no numbers in most of the first rows
---@field columns? (string|integer)[]  load only these, by name or place

---CSV tables of numbers.
mascon.csv = {}

---Read a table: the nearest doubles, whatever the locale; empty fields are NaN.
---@param path string
---@param opts? mascon.CsvOpts
---@return mascon.CsvTable? table  nil where it fails
---@return string? message  "x.csv:17: 9 fields expected, got 8"
function mascon.csv.load(path, opts) end

---Write vectors as a table, whole or not at all; raises on failure.
---@param path string
---@param names string[]
---@param columns mascon.Array[]  of one length
---@param opts? mascon.RunOpts
function mascon.csv.save(path, names, columns, opts) end

---Localisation tables.
---@type mascon.locs
mascon.locs = {}

---C declarations of arrays and some functions, for `ffi.cdef`; twice is no error.
---@type string
mascon.cdef = ""

---The library that `ffi.load` takes to call them; nil where it is inside the program,
---whose functions are in `ffi.C`.
---@type string?
mascon.libpath = nil

---Images: contrast, colours, files.
mascon.image = {}

mascon.image.colormap = mascon.pixels.colormap

---Several arrays in one file, as NumPy's .npz.
mascon.npz = {}

return mascon

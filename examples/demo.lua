-- demo.lua - the main jobs, on data that it makes; --help says which

local mascon = require "mascon"

local usage = [[
usage: demo.lua [FOLDER]

The main jobs, on data that it makes:
  - the best 10 of 10,000 items for each of 20,000 users, by rank-32 factors,
    without what a user has seen already: FOLDER/ids.npy
  - 100,000 spots drawn into one image: FOLDER/spots.pgm
FOLDER must exist; it is build/demo unless given.
]]

local folder = arg[1] or "build/demo"
if folder == "--help" or folder == "-h" then
  io.write(usage)
  os.exit(true)
elseif folder:sub(1, 1) == "-" or #arg > 1 then
  io.stderr:write("demo.lua: one folder expected; see --help\n")
  os.exit(2)
end

do  -- first: can the results be kept?
  local probe = folder .. "/ids.npy"
  local file, why = io.open(probe, "ab")
  if not file then
    io.stderr:write("demo.lua: ", why, "\n")
    os.exit(false)
  end
  file:close()
end

local function timed(what, f, ...)
  local began = mascon.clock()
  local results = table.pack(f(...))
  print(("%s: %.2f s"):format(what, mascon.clock() - began))
  return table.unpack(results, 1, results.n)
end

local function recommend()
  local users, items, rank, n = 20000, 10000, 32, 10
  local random = mascon.random(1)
  local u = random:normal(users, rank, "f32")
  local v = random:normal(items, rank, "f32")
  local pairs = 50 * users
  local seen = mascon.csr.from_pairs(random:integers(1, users, pairs, "i32"),
    random:integers(1, items, pairs, "i32"), users, items, { base = 1 })

  print(("The best %d of %d items for %d users, rank %d, seen items left out")
    :format(n, items, users, rank))
  local ids, scores = timed("recommend", mascon.recommend, u, v, n,
    { exclude = seen, progress = true })
  local path = folder .. "/ids.npy"
  ids:save(path)
  print(("user 1: item %d scores %.3f, item %d scores %.3f, ...; all in %s")
    :format(ids(1, 1), scores(1, 1), ids(1, 2), scores(1, 2), path))
end

local function render()
  local h, w, spots = 600, 800, 100000
  local random = mascon.random(2)
  -- a spiral of spots around the middle
  local turn = random:uniform(spots) * 6 * math.pi
  local radius = turn * 14 + random:normal(spots) * 8
  local columns = {
    x = w / 2 + radius * turn:cos(), y = h / 2 + radius * turn:sin(),
    sx = 1.5, sy = 1.5, weight = 1,
  }
  print(("%d spots in an image of %d x %d"):format(spots, h, w))
  local image, info = timed("render", mascon.render, columns,
    { shape = { h, w }, progress = true })
  mascon.show(image)
  local path = folder .. "/spots.pgm"
  mascon.image.save(path, image)
  print(("%d drawn; the image is in %s"):format(info.drawn, path))
end

print(("mascon %s on %s, %d threads"):format(mascon.info().version,
  mascon.info().cpu, mascon.info().threads))
recommend()
render()

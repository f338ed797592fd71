-- mascon.csv.hits: results as a table; mascon recommend, which writes it
local mascon = require "mascon"
local shell = require "spec.shell"

describe("csv.hits", function()
  local dir, path
  setup(function()
    dir = shell.folder()
    path = dir .. "/t.csv"
  end)
  teardown(function() shell.remove(dir) end)

  local ids = mascon.array({ { 2, 1, 0 }, { 0, 0, 0 }, { 3, 1, 2 } }, "i32")
  local scores = mascon.array({ { 7, 0.1, -1 }, { 0, 0, 0 }, { 1e-9, -0.5, 1e30 } }, "f32")

  -- what a table of these holds
  local function written(opts, ...)
    local t = mascon.csv.hits(path, opts)
    t:write(...)
    t:close()
    return shell.read(path)
  end

  local HEAD = "user,item,score\n"

  it("writes a line for every hit", function()
    assert.equal(HEAD .. "1,2,7\n1,1,0.1\n3,3,0.000000001\n3,1,-0.5\n3,2,1e+30\n",
      (written(nil, 1, 3, ids, scores):gsub("1e%-9", "0.000000001")
        :gsub("1000000000000000000000000000000", "1e+30"))) -- however they are written
    assert.equal(HEAD .. "7,2,7\n", written({ base = 0 }, 8, 8, ids:rows(1, 1), scores:rows(1, 1),
      mascon.array({ 1 }, "i64")))
    assert.equal(HEAD, written({}, 1, 1, ids:rows(2, 2), scores:rows(2, 2)))
    assert.equal(HEAD, written({}, 1, 0, ids:sub(1, 0), scores:sub(1, 0)))
    assert.equal(HEAD .. "0,2,7\n0,1,0.1\n0,0,-1\n", written({ base = 0 }, 1, 1, ids:rows(1, 1),
      scores:rows(1, 1)))
  end)

  it("takes counts, i64, f64 and any strides", function()
    local counts = mascon.array({ 1, 0, 2 }, "i32")
    local want = HEAD .. "1,2,7\n3,3,0.25\n3,1,-0.5\n"
    local s = scores:copy "f64"
    s:set(3, 1, 0.25)
    assert.equal(want, written(nil, 1, 3, ids, s, counts))
    assert.equal(want, written(nil, 1, 3, ids:copy "i64":t():copy():t(), s:t():copy():t(), counts))
    assert.equal(HEAD .. "1,3,0.25\n1,1,-0.5\n3,2,7\n",
      written(nil, 1, 3, ids:narrow(1, -1, 1, -1), s:narrow(1, -1, 1, -1), counts:sub(-1, 1, -1)))
  end)

  it("calls users and items by their texts or integers, quoted where they must be", function()
    local items = { 'a "b"', "c,d", "", "x" }
    local users = { "#1", " blank", "plain" }
    assert.equal(HEAD .. '"#1","c,d",7\n"#1","a ""b""",0.1\nplain,"",0.5\n',
      written({ users = users, items = items }, 1, 3, ids, mascon.array({ { 7, 0.1, 0 },
        { 0, 0, 0 }, { 0.5, 0, 0 } }), mascon.array({ 2, 0, 1 }, "i32")))
    local codes, labels = mascon.csv.codes(path, { columns = { "user", "item" } })
    assert.same({ 1, 1, 2 }, codes[1]:totable())
    assert.same({ { "#1", "plain" }, { "c,d", 'a "b"', "" } }, labels)
    assert.equal(HEAD .. "-5,200,7\n-5,100,0.1\n",
      written({ users = mascon.array({ -5 }, "i32"), items = mascon.array({ 100, 200 }, "i64") }, 1, 1,
        ids:rows(1, 1), scores:rows(1, 1)))
    assert.equal(HEAD .. "ana,20,7\nana,10,0.1\n", written({ users = { "ana" }, items = { "10", 20 } }, 1, 1,
        ids:rows(1, 1), scores:rows(1, 1)))
  end)

  it("writes the same for any number of threads and blocks", function()
    local r, n = mascon.random(5), 9000
    local many, s = r:integers(1, 50, n, 4, "i32"), r:integers(-9, 9, n, 4, "i32"):copy "f32"
    local names, want = {}, { HEAD }
    for i = 1, 50 do names[i] = ("item"):rep(i % 9) .. i end
    local i, x = many:totable(), s:copy "i32":totable()
    for u = 1, n do
      for k = 1, 4 do want[#want + 1] = ("%d,%s,%d\n"):format(u, names[i[u][k]], x[u][k]) end
    end
    want = table.concat(want)
    for threads = 1, 3 do
      local t = mascon.csv.hits(path, { items = names, threads = threads })
      for first = 1, n, 4001 do
        local last = math.min(n, first + 4000)
        t:write(first, last, many:rows(first, last), s:rows(first, last))
      end
      t:close()
      assert.is_true(want == shell.read(path), threads)
    end
  end)

  it("is whole or not at all", function()
    shell.write(path, "old")
    local t = mascon.csv.hits(path)
    t:write(1, 3, ids, scores)
    assert.equal("old", shell.read(path))
    t:drop()
    t:drop()
    t:close()
    assert.has_error(function() t:write(1, 3, ids, scores) end,
      "calling 'write' on bad self (table is closed)")
    t = nil  -- luacheck: ignore
    mascon.csv.hits(path)
    collectgarbage()
    collectgarbage()
    assert.equal("old", shell.read(path))
    assert.equal("t.csv\n", shell.run("ls -A " .. dir))
  end)

  it("says what is wrong", function()
    local function raises(text, opts, ...)
      local t = mascon.csv.hits(path, opts)
      local ok, message = pcall(t.write, t, ...)
      assert.is_false(ok)
      assert.is_truthy(message:find(text, 1, true), message)
      t:drop()
    end
    raises("2 items have names, got item 3", { items = { "a", "b" } }, 1, 3, ids, scores)
    raises("2 users have names, got user 3", { users = { "a", "b" } }, 1, 3, ids, scores)
    raises("count 4 of 3 hits", {}, 1, 3, ids, scores, mascon.array({ 1, 4, 1 }, "i32"))
    raises("item 0 is below the base", { base = 1 }, 1, 3, ids, scores, mascon.array({ 3, 0, 0 }, "i32"))
    raises("(i32 or i64 ids and f32 or f64 scores of one shape", {}, 1, 3, ids, ids)
    raises("(i32 or i64 ids and f32 or f64 scores of one shape", {}, 1, 3, ids, scores:cols(1, 2))
    raises("(a row for each user expected)", {}, 1, 2, ids, scores)
    raises("(a row for each user expected)", {}, 1, -2 ^ 53, ids, scores)
    raises("(a user from 1 on expected)", {}, 0, 2, ids, scores)
    for text, f in pairs {
      ["option 'items': 'a' at position 2 was there before"] = function()
        mascon.csv.hits(path, { items = { "a", "a" } }) end,
      ["option 'users': list of strings or integer vector expected, got f64 vector 2"] = function()
        mascon.csv.hits(path, { users = mascon.zeros(2) }) end,
      ["unknown option 'user'"] = function() mascon.csv.hits(path, { user = {} }) end,
      ["option 'base': integer from 0 to 1"] = function() mascon.csv.hits(path, { base = 2 }) end,
      ["/no/t.csv: "] = function() mascon.csv.hits(dir .. "/no/t.csv") end,
    } do
      local ok, message = pcall(f)
      assert.is_false(ok)
      assert.is_truthy(message:find(text, 1, true), message)
    end
  end)

  it("is what mascon recommend writes", function()
    mascon.array({ { 1 }, { -1 }, { 0 } }, "f32"):save(dir .. "/u.npy")
    mascon.array({ { 1 }, { 2 } }, "f32"):save(dir .. "/i.npy")
    mascon.array({ 30, 20, 10 }, "i64"):save(dir .. "/uid.npy")
    shell.write(dir .. "/titles", 'The "Big", one\nTwo, too\n')
    local function run(args)
      local out, err, code = shell.run(("cd %s && $OLDPWD/%s recommend u.npy i.npy --quiet %s")
        :format(dir, shell.mascon, args))
      assert.equal("", out)
      return err, code
    end
    assert.same({ "", 0 }, { run "-o o.csv --user-ids uid.npy --item-ids titles -n 3" })
    assert.equal(HEAD .. '30,"Two, too",2\n30,"The ""Big"", one",1\n20,"The ""Big"", one",-1\n' ..
      '20,"Two, too",-2\n10,"The ""Big"", one",0\n10,"Two, too",0\n', shell.read(dir .. "/o.csv"))
    assert.same({ "", 0 }, { run "-o o.csv -n 1 --base 1" })
    assert.equal(HEAD .. "1,2,2\n2,1,-1\n3,1,0\n", shell.read(dir .. "/o.csv"))
    for args, text in pairs {
      ["-o o.npy --item-ids titles"] = "--item-ids goes with -o FILE.csv",
      ["-o o.csv --scores s.npy"] = "--scores goes with -o FILE.npy",
      ["-o o.csv --resume 2"] = "--resume goes with -o FILE.npy",
      ["-o o.csv --user-ids titles"] = "titles has 2 ids, the matrix of users has 3 rows",
      ["-o o.csv --item-ids u.npy"] = "u.npy has 3 ids, the matrix of items has 2 rows",
    } do
      local err, code = run(args)
      assert.equal("mascon recommend: " .. text .. "\n", err)
      assert.equal(text:find "goes" and 2 or 1, code)
    end
  end)
end)

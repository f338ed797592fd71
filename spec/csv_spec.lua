-- CSV tables: every dialect, every number, what is broken and where

local mascon = require "mascon"
local shell = require "spec.shell"
local csv = mascon.csv

local shared = "../shared/data/"
local dir

local function name(file) return dir .. "/" .. file end

-- a file of this text
local function file(text)
  return shell.write(name "t.csv", text)
end

-- what is loaded from a text, as tables; NaN as "nan"
local function load(text, opts)
  local t, why = csv.load(file(text), opts)
  if not t then return nil, (why:gsub("^" .. name "t.csv", "")) end
  local columns = {}
  for k, c in ipairs(t) do
    assert(c.dtype == "f64")
    columns[k] = c:totable()
    for r, x in ipairs(columns[k]) do
      if x ~= x then columns[k][r] = "nan" end
    end
  end
  return columns, t.names
end

local function bits(x) return ("<d"):pack(x) end

-- any 64 bits
local function anydouble()
  local bytes = {}
  for k = 1, 8 do bytes[k] = string.char(math.random(0, 255)) end
  return (("d"):unpack(table.concat(bytes)))
end

setup(function()
  dir = shell.folder()
end)

teardown(function() shell.remove(dir) end)


describe("csv.load", function()
  local want = { { 1, 3.5 }, { 2, -4 } }

  for what, text in pairs {
    ["lines that end in LF"] = "a,b\n1,2\n3.5,-4\n",
    ["lines that end in CR LF"] = "a,b\r\n1,2\r\n3.5,-4\r\n",
    ["a last line without an end"] = "a,b\n1,2\n3.5,-4",
    ["a last line that ends in CR"] = "a,b\r\n1,2\r\n3.5,-4\r",
    ["a byte order mark"] = "\xef\xbb\xbfa,b\n1,2\n3.5,-4\n",
    ["blank lines"] = "\n \r\na,b\n\n1,2\n\t\n3.5,-4\n\n\n",
    ["comments"] = "# one\n#two\na,b\n1,2\n#3,4,5\n  # x\n3.5,-4\n#",
    ["blanks around fields"] = " a , b \n  1 ,\t2\n3.5\t, -4 \n",
    ["semicolons"] = "a;b\n1;2\n3.5;-4\n",
    ["tabs"] = "a\tb\n1\t2\n3.5 \t -4\n",
    ["blanks"] = "a b\n1  2\n \t3.5 \t-4  \n",
    ["quotes"] = '"a","b"\n"1",2\n" 3.5 ","-4"\n',
    ["quotes and blanks"] = '"a" "b"\n"1" 2\n " 3.5 " "-4" \n',
    ["a damaged header"] = '"a,""b"""\n1,2\n3.5,-4\n',
    ["another damaged header"] = '"""a"";""b"""\r\n1;2\r\n3.5;-4',
    ["odd ways to write numbers"] = "a,b\n+1.,.2e1\n35E-1,-4e0\n",
  } do
    it("reads " .. what, function()
      local columns, names = load(text)
      assert.same(want, columns)
      assert.same({ "a", "b" }, names)
    end)
  end

  it("takes a first line of numbers for a row, unless told", function()
    local columns, names = load "1,2\n3.5,-4\n"
    assert.same(want, columns)
    assert.same({ "column1", "column2" }, names)
    columns, names = load("1,2\n3.5,-4\n", { header = true })
    assert.same({ { 3.5 }, { -4 } }, columns)
    assert.same({ "1", "2" }, names)
    assert.same({ nil, ":1: column 'column1': number expected, got 'a'" },
      { load("a,b\n1,2\n", { header = false }) })
  end)

  it("refuses a first line that may be a broken row", function()
    local why = ": the first line has numbers and words over columns of numbers: " ..
      "option 'header' says if it is a header"
    for _, text in ipairs { "1.5,2.5,N/A\n1,2,3\n4,5,6\n", "1.5 2.5 bad\n1 2 3\n" } do
      assert.same({ nil, why }, { load(text) })
      assert.equal("1.5", select(2, load(text, { header = true }))[1])
    end
    -- years over numbers, beside a name over texts, are a header
    local _, names = load("id,2019,2020\na,1,2\nb,3,4\n", { text = "skip" })
    assert.same({ "2019", "2020" }, names)
  end)

  it("takes quoted names over numbers for a header", function()
    local f, a = name "digits.csv", mascon.range(3)
    csv.save(f, { "1", "2" }, { a, a })
    local t = assert(csv.load(f))
    assert.same({ "1", "2" }, t.names)
    assert.equal(3, #t[1])
    assert.same({ { 1, 3 }, { 2, 4 } }, load '"1","2"\n"3","4"\n')
  end)

  it("is no text for a broken number in its first row", function()
    local rows = { "a,b,c" }
    for i = 1, 5 do rows[i + 1] = ("%d,%s,%d"):format(i, i == 1 and "N/A" or i, i) end
    for _, mode in ipairs { "skip", "error" } do
      assert.same({ nil, ":2: column 'b': number expected, got 'N/A'" },
        { load(table.concat(rows, "\n"), { text = mode }) })
    end
    local columns, names = load("a,b,c\n,x,1\n2,,3\n4,3,5\n7,z,9", { text = "skip" })
    assert.same({ "a", "c" }, names)  -- two words, a number, nothing
    assert.same({ 1, 3, 5, 9 }, columns[2])
  end)

  it("keeps names as they are", function()
    local _, names = load '"x [nm]", "say ""y""","",plain name,"a,b"\n1,2,3,4,5\n'
    assert.same({ "x [nm]", 'say "y"', "column3", "plain name", "a,b" }, names)
  end)

  it("reads missing and special values", function()
    local inf = math.huge
    assert.same({ { "nan", "nan", "nan", 5, inf }, { 1, 2, 3, 4, -inf } },
      load 'a,b\n,1\n  ,2\n"",3\n5,4\nInf,-INFINITY\n')
    assert.same({ { "nan", "nan" } }, load "a\nNaN\nnan\n")
    assert.same({ {}, {} }, load "a,b\n")
    assert.same({ {}, {} }, load "a,b")
    assert.same({ { 1 }, { "nan" }, { "nan" } }, load "1,,")
  end)

  it("obeys its options", function()
    assert.same(want, load("a;b\n1,0;2\n3,5;-4\n", { point = "," }))
    assert.same(want, load("a|b\n1|2\n3.5|-4\n", { sep = "|" }))
    assert.same(want, load("%x\na,b\n1,2\n3.5,-4\n", { comment = "%" }))
    assert.same({ nil, ":2: 2 fields expected, got 3" },
      { load("#x,y\n1,2,3\n", { comment = "" }) })
    local text = "a,b,c\n1,2,x\n3.5,-4,y\n"
    assert.same({ nil, ":2: column 'c': number expected, got 'x'" },
      { load(text) })
    assert.same(want, load(text, { text = "skip" }))
    assert.same(want, load(text, { columns = { "a", 2 } }))
    local columns, names = load(text, { columns = { 2, "a" } })
    assert.same({ want[2], want[1] }, columns)
    assert.same({ "b", "a" }, names)
    local t = csv.load(file(text), { columns = { "b" } })
    assert.same({ 2 }, t.places)
    assert.same({ "a", "b", "c" }, t.allnames)
  end)

  it("names the line that is broken", function()
    for text, why in pairs {
      ["a,b\n1,2\n3\n"] = ":3: 2 fields expected, got 1",
      ["a,b\n1,2\n3,4,5\n"] = ":3: 2 fields expected, got 3",
      ["a,b\n1,2\n3,4,\n"] = ":3: 2 fields expected, got 3",
      ["a b\n1 2 3\n"] = ":2: 2 fields expected, got 3",
      ["#\n\na,b\r\n\r\n1,x y\r\n"] = ":5: column 'b': number expected, got 'x y'",
      ["a,b\n1,2\n1,2x\n"] = ":3: column 'b': number expected, got '2x'",
      ["a,b\n1,0x10\n"] = ":2: column 'b': number expected, got '0x10'",
      ["a,b\n1,1e\n"] = ":2: column 'b': number expected, got '1e'",
      ["a,b\n1,-\n"] = ":2: column 'b': number expected, got '-'",
      ["a,b\n1,.\n"] = ":2: column 'b': number expected, got '.'",
      ["a,b\n1,1\0\n"] = ":2: column 'b': number expected, got '1?'",
      ["a,b\n1,infinit\n"] = ":2: column 'b': number expected, got 'infinit'",
      ["a,b\n1,\"2\n"] = ":2: a quoted field does not end, or something follows it",
      ["a,\"b\n1,2\n"] = ":1: a quoted field does not end, or something follows it",
      ["a,b\n\"1\"2,3\n"] = ":2: a quoted field does not end, or something follows it",
      ["a,b\n1," .. ("z"):rep(50)] = ":2: column 'b': number expected, got '" ..
        ("z"):rep(40) .. "...'",
      [""] = ": holds no table",
      ["\n\n#x\n  \n"] = ": holds no table",
      ["a,b\0\n1,2\n"] = ": is no text: a zero byte is in its first line",
      ["\xff\xfea\0,\0b\0"] = ": is in UTF-16, not in UTF-8",
    } do
      assert.same({ nil, why }, { load(text) })
    end
  end)

  it("says what is wrong with a file or an argument", function()
    assert.same({ nil, name "no.csv" .. ": No such file or directory" },
      { csv.load(name "no.csv") })
    assert.same({ nil, dir .. ": Is a directory" }, { csv.load(dir) })
    local f = file "a,b\n1,2\n"
    assert.same({ nil, f .. ": has no column 'c'" },
      { csv.load(f, { columns = { "c" } }) })
    for _, place in ipairs { 0, 1.5, -1 } do
      assert.error_matches(function() csv.load(f, { columns = { place } }) end,
        "option 'columns': names or places from 1 up expected, got " .. tostring(place), 1, true)
    end
    assert.same({ nil, f .. ": has no column '3'" },
      { csv.load(f, { columns = { 3 } }) })
    assert.same({ nil, f .. ": column 1 is asked for twice" },
      { csv.load(f, { columns = { 1, "a" } }) })
    assert.has_error(function() csv.load(f, { sep = ",," }) end, "bad argument" ..
      " #2 to 'load' (option 'sep': one character expected, got \",,\")")
    assert.has_error(function() csv.load(f, { seperator = "," }) end,
      "bad argument #2 to 'load' (unknown option 'seperator')")
    assert.has_error(function() csv.load(f, { columns = {} }) end, "bad argument"
      .. " #2 to 'load' (option 'columns': list of names or places expected, " ..
      "got table)")
    assert.has_error(function() csv.load "a\0b" end,
      "bad argument #1 to 'load' (file name holds a zero byte)")
    assert.has_error(function() csv.load(f, { sep = "." }) end,
      "bad argument #2 to 'load' (options 'sep' and 'point' are the same)")
    for _, sep in ipairs { '"', "\n", "\r" } do
      assert.has_error(function() csv.load(f, { sep = sep }) end, ("bad argument " ..
        "#2 to 'load' (option 'sep': one character, no quote and no line break " ..
        "expected, got \"%s\")"):format(sep))
    end
  end)
end)


describe("a number", function()
  -- tonumber is the C library's, which in the "C" locale is exact
  local function check(texts)
    local t = assert(csv.load(file(table.concat(texts, "\n") .. "\n"),
      { header = false, sep = "," }))
    for i, text in ipairs(texts) do
      local x = tonumber(text)  -- LuaJIT knows no huge exponents
      if x and bits(t[1][i]) ~= bits(x * 1.0) then
        assert.equal(text, t[1][i])
      end
    end
  end

  it("is the nearest double, however it is written", function()
    math.randomseed(11)
    local texts = {}
    for i = 1, 30000 do
      local u, x = math.random() * 2 ^ 63, anydouble()
      local kind = i % 6
      if kind < 3 and (x ~= x or x == math.huge or x == -math.huge) then x = 1.5 end
      texts[i] =
        kind == 0 and ("%.17g"):format(x) or
        kind == 1 and ("%." .. math.random(0, 24) .. "e"):format(x) or
        kind == 2 and ("%." .. math.random(0, 18) .. "f"):format((u - 2 ^ 62) / 1e12) or
        kind == 3 and ("%.0f%03de%d"):format(u, math.random(0, 999),
                                             math.random(-60, 40)) or
        kind == 4 and ("%.0fe%d"):format(u / 2 ^ math.random(0, 62),
                                         math.random(-30, 30)) or
        ("%.0fe%d"):format(u / 2 ^ math.random(0, 62), math.random(-360, 340))
    end
    check(texts)
  end)

  it("is right where two doubles are equally near, and around", function()
    local texts = {}
    for _, text in ipairs { "9007199254740993", "9007199254740995",
        "4503599627370497.5", "1.00000000000000011102230246251565404236316680908203125",
        "2.4703282292062327208299990285e-324", "1.7976931348623158079e308",
        "2.22507385850720113605740979670913197593481954635164564e-308" } do
      texts[#texts + 1] = text
      local mantissa, exp = text:match "^([^e]*)(.*)$"
      if not mantissa:find "%." then mantissa = mantissa .. "." end
      for _, more in ipairs { 1, 30, 900 } do
        texts[#texts + 1] = mantissa .. ("0"):rep(more) .. exp
        texts[#texts + 1] = mantissa .. ("0"):rep(more) .. "1" .. exp
        texts[#texts + 1] = ("0"):rep(more) .. mantissa .. exp
      end
      local last = tonumber(mantissa:match "(%d)%.?$")
      if last > 0 then
        texts[#texts + 1] = mantissa:gsub("%d(%.?)$", (last - 1) .. "%1") ..
          (mantissa:find "%.$" and "" or "") .. ("9"):rep(40) .. exp
      end
    end
    check(texts)
  end)

  it("may be as large and as small as can be", function()
    check { "0", "-0.0", "-0e5", "-0.0e99", "1e308", "1e309", "-1e400", "1e-307", "1e-323",
      "5e-324", "3e-324", "2e-324", "1e-400", "0e999999999999", "1e999999999999",
      "1e-999999999999", "18446744073709551615", "18446744073709551616",
      "99999999999999999999", "1e22", "1e23", "1e27", "1e28", "1e-22", "1e-23",
      "1e-27", "1e-28", "0." .. ("0"):rep(400) .. "1e401",
      "1" .. ("0"):rep(400) .. "e-400", ("9"):rep(1000) .. "e-700" }
  end)

  it("does not depend on the locale", function()
    local comma = shell.comma(dir)
    if not comma then return pending "no locale can be made (Debian: locales)" end
    shell.write(name "l.lua", [[
      local mascon = require "mascon"
local shell = require "spec.shell"
      assert(os.setlocale "de_DE.UTF-8")
      io.write(("%.1f"):format(1.5), "\n")
      local t = assert(mascon.csv.load(arg[1]))
      os.setlocale "C"
      io.write(t[1][1], " ", t[1][2], " ", t[2][1], "\n")
      os.setlocale "de_DE.UTF-8"
      mascon.csv.save(arg[1], { "a" }, { mascon.array { 1.5, 1 / 3, 1e-300 } })
    ]])
    local out = shell.run(comma .. shell.mascon .. " " .. name "l.lua" .. " " ..
      file "a,b\n1.5,0.30000000000000004e0\n1e-320,1\n")
    assert.equal((jit and "1.5" or "1,5") .. "\n1.5 9.9998886718268e-321 0.3\n", out)
    assert.equal('"a"\n1.5\n0.3333333333333333\n1e-300\n', shell.read(name "t.csv"))
    os.execute("rm -r " .. dir .. "/de_DE.UTF-8")
  end)
end)


describe("a large table", function()
  -- lines of many lengths, so that blocks of 262144 bytes end anywhere
  local rows, text, lines = 40000

  setup(function()
    lines = { "a,b,c" }
    for r = 1, rows do
      lines[#lines + 1] = ("%d,%s,%d.%d"):format(r, ("0"):rep(r % 37) .. r * 7,
        r, r % 10)
      if r % 1000 == 0 then lines[#lines + 1] = r % 2000 == 0 and "" or "#x" end
    end
    text = table.concat(lines, "\n")
  end)

  for _, threads in ipairs { 1, 2, 3, 8 } do
    it("is the same with " .. threads .. " threads", function()
      local t = assert(csv.load(file(text), { threads = threads }))
      assert.equal(rows, #t[1])
      for r = 1, rows do
        assert(t[1][r] == r and t[2][r] == r * 7 and t[3][r] == r + r % 10 / 10)
      end
    end)

    it("has its first broken row named with " .. threads, function()
      local broken = {}
      for i, line in ipairs(lines) do broken[i] = line end
      broken[39000] = "1,2,x"
      broken[31001] = "1,2"
      broken[31000] = "1,2,3,4"
      broken[35000] = "1"
      local f = file(table.concat(broken, "\n"))
      for _ = 1, 5 do
        assert.same({ nil, f .. ":31000: 3 fields expected, got 4" },
          { csv.load(f, { threads = threads }) })
      end
    end)
  end

  it("may have long lines, up to a megabyte", function()
    local long = (" "):rep(2^20 - 100)
    for _, before in ipairs { 1, 20000, 23800, 23830, 60000 } do
      local head = "a,b\n" .. ("1,2345678\n"):rep(before)
      local t = assert(csv.load(file(head .. "7," .. long .. "8\n9,9\n")))
      assert.equal(before + 2, #t[1])
      assert.equal(8, t[2][before + 1])
      assert.equal(9, t[2][before + 2])
      for _, tail in ipairs { "8\n9,9\n", "8", "" } do
        local f = file(head .. "7," .. long:rep(2) .. tail)
        assert.same({ nil, f .. ":" .. before + 2 .. ": longer than a megabyte" },
          { csv.load(f) })
      end
    end
    assert.same({ nil, ": has a line longer than a megabyte" },
      { load(("x"):rep(2^20 + 1)) })
    assert.same({ nil, ": has more than 65536 columns" }, { load((","):rep(65536)) })
    local columns = load((","):rep(65535) .. "\n")
    assert.equal(65536, #columns)
  end)

  it("does not take memory for rows that are none", function()
    -- 65536 columns and 500,000 rows would be 262 GB
    local f = file((","):rep(65535) .. "\n" .. ("1\n"):rep(500000))
    assert.same({ nil, f .. ":2: 65536 fields expected, got 1" }, { csv.load(f) })
  end)

  it("reports progress", function()
    local calls, total = 0, nil
    assert(csv.load(file(text), { progress = function(d, n)
      calls, total = d, n
    end }))
    assert.is_true(calls == total and total >= 4)
  end)

  it("survives every failing allocation", function()
    local f = file "a,b\n1,2\n"
    local n = 0
    repeat
      mascon.memory(n)
      local t, why = csv.load(f)
      mascon.memory(-1)
      if not t then assert.equal(f .. ": not enough memory", why) end
      n = n + 1
    until t
    assert.is_true(n > 6)
  end)
end)


describe("csv.save", function()
  local column = mascon.array

  it("writes few digits, and enough", function()
    math.randomseed(5)
    local x = { 0, -0.0, 1, -1, 0.1, 1 / 3, 1e15, 2^53, 2^60, 1e22, 1e300, 1e-5,
      1e-300, 5e-324, 1.7976931348623157e308, 7057.682, 14270506.039, math.huge,
      -math.huge, 0 / 0 }
    for _ = 1, 5000 do
      x[#x + 1] = anydouble()
      x[#x + 1] = math.random(-1000000, 1000000) / 1000
      x[#x + 1] = math.random()
    end
    csv.save(name "o.csv", { "x" }, { column(x) })
    local t = assert(csv.load(name "o.csv"))
    for i, v in ipairs(x) do
      assert(v ~= v and t[1][i] ~= t[1][i] or bits(v) == bits(t[1][i]))
    end
    assert.equal('"x"\n0\n-0\n1\n-1\n0.1\n0.3333333333333333\n1000000000000000' ..
      "\n9007199254740992\n1.152921504606847e+18\n1e+22\n1e+300\n0.00001\n" ..
      "1e-300\n5e-324\n1.797693134862316e+308\n7057.682\n14270506.039\ninf\n" ..
      "-inf\nnan\n", (shell.read(name "o.csv"):match("^" .. ("[^\n]*\n"):rep(21))
        :gsub("4.94065645841247e%-324", "5e-324")
        :gsub("1.7976931348623157e%+308", "1.797693134862316e+308")))
  end)

  it("writes every dtype, through any stride", function()
    local m = mascon.array({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, "i64")
    csv.save(name "o.csv", { "a", 'say "b"', "c", "d,", "e" }, {
      m:col(2), column({ 0.1, -2.5, 16777216 }, "f32"), column({ 255, 0, 1 }, "u8"),
      column({ 65535, 0, 1 }, "u16"):sub(-1, 1, -1),
      column({ -2147483648, 0, 1 }, "i32") })
    assert.equal('"a","say ""b""","c","d,","e"\n2,0.1,255,1,-2147483648\n' ..
      "4,-2.5,0,0,0\n6,16777216,1,65535,1\n", shell.read(name "o.csv"))
    local least = column({ math.mininteger, math.maxinteger }, "i64")
    csv.save(name "o.csv", { "a" }, { least })
    assert.equal('"a"\n-9223372036854775808\n' ..
      (jit and "9223372036854774784\n" or "9223372036854775807\n"), shell.read(name "o.csv"))
    csv.save(name "o.csv", { "a", "b" }, { mascon.zeros(0), mascon.zeros(0) })
    assert.equal('"a","b"\n', shell.read(name "o.csv"))
  end)

  it("writes the same with any threads", function()
    local a = mascon.range(20000)
    local b = a * 0.37
    local first
    for _, threads in ipairs { 1, 2, 3, 8 } do
      csv.save(name "o.csv", { "a", "b" }, { a, b }, { threads = threads })
      first = first or shell.read(name "o.csv")
      assert.is_true(first == shell.read(name "o.csv"))
    end
    local t = csv.load(name "o.csv")
    for i = 1, 20000 do assert(t[1][i] == a[i] and t[2][i] == b[i]) end
  end)

  it("writes whole or not at all", function()
    csv.save(name "o.csv", { "a" }, { mascon.zeros(2) })
    local a = mascon.zeros(100000)
    assert.has_error(function()
      csv.save(name "o.csv", { "a" }, { a }, { progress = function()
        a:close()  -- whether this is the only report or one of many
        error("stop", 0)
      end })
    end, "stop")
    local size = #shell.read(name "o.csv")
    assert.is_true(size == 8 or size == 200004)
    assert.has_error(function()
      csv.save(name "no/o.csv", { "a" }, { mascon.zeros(2) })
    end, name "no/o.csv" .. ": No such file or directory")
    for n = 0, 3 do
      local z = mascon.zeros(2)
      mascon.memory(n)
      local ok = pcall(csv.save, name "p.csv", { "a" }, { z })
      mascon.memory(-1)
      assert.equal(n == 3, ok)
    end
    local p = io.popen("ls -A " .. dir .. "| grep -c mascon-")
    assert.equal("0\n", p:read "a")
    p:close()
  end)

  it("checks what it is given", function()
    local a, f = mascon.zeros(3), name "o.csv"
    for why, args in pairs {
      ["#3 to 'save' (2 vectors of one length expected, got f64 vector 4 at 2)"] =
        { f, { "a", "b" }, { a, mascon.zeros(4) } },
      ["#3 to 'save' (1 vectors of one length expected, got f64 matrix 2 x 2 at 1)"] =
        { f, { "a" }, { mascon.zeros(2, 2) } },
      ["#3 to 'save' (1 vectors of one length expected, got 1 at 1)"] =
        { f, { "a" }, { 1 } },
      ["#3 to 'save' (1 vectors of one length expected (a name for each), got 2)"] =
        { f, { "a" }, { a, a } },
      ["#2 to 'save' (list of names expected)"] = { f, { 1 }, { a } },
      ["#2 to 'save' (a table needs a column)"] = { f, {}, {} },
      ["#2 to 'save' (name 1 holds a line break or a zero byte)"] = { f, { "a\0" }, { a } },
      ["#2 to 'save' (name 2 holds a line break or a zero byte)"] =
        { f, { "a", "a\nb" }, { a, a } },
    } do
      assert.has_error(function() csv.save(table.unpack(args)) end,
        "bad argument " .. why)
    end
  end)
end)


describe("the real tables", function()
  for f, rows in pairs { ["ecoli_01_storm.csv"] = 29995,
      ["storm_table.csv"] = 48, ["thunderstorm_quoted_header.csv"] = 19,
      ["five_blobs.txt"] = 50 } do
    it("are what Lua reads: " .. f, function()
      local h = io.open(shared .. f)
      if not h then return pending "no ../shared/data" end
      h:read "l"
      local t = assert(csv.load(shared .. f))
      assert.equal(rows, #t[1])
      local r = 0
      for line in h:lines() do
        local k = 0
        r = r + 1
        for field in line:gmatch "[^,\r]+" do
          k = k + 1
          assert(t[k][r] == tonumber(field))
        end
        assert(k == #t)
      end
      h:close()
      assert.equal(rows, r)
    end)
  end

  it("are written as they were", function()
    local f = shared .. "ecoli_01_storm.csv"
    local t = csv.load(f)
    if not t then return pending "no ../shared/data" end
    csv.save(name "e.csv", t.names, t)
    assert.is_true(shell.read(f):gsub("\r", "") == shell.read(name "e.csv"))
  end)
end)

-- .npy files both ways between mascon and numpy itself

local mascon = require "mascon"
local shell = require "spec.shell"

local dir

local function numpy(script)
  return shell.python("numpy", "import numpy as np, os, struct\n" .. script, dir)
end

-- files of every type, order, version and shape; one line of 'list' a file:
-- name, our dtype, shape, values as text
local make = [[
ours = {'b1': 'u1', 'i1': 'i4', 'i2': 'i4', 'i4': 'i4', 'i8': 'i8', 'u1': 'u1',
        'u2': 'u2', 'u4': 'i8', 'u8': 'i8', 'f2': 'f4', 'f4': 'f4', 'f8': 'f8'}
names = {'u1': 'u8', 'u2': 'u16', 'i4': 'i32', 'i8': 'i64', 'f4': 'f32',
         'f8': 'f64'}

def text(x):
  return float(x).hex() if isinstance(x, np.floating) else str(int(x))

def values(t, n):
  d = np.dtype(t)
  if d.kind == 'b': few = [True, False]
  elif d.kind == 'f': few = [0.1, -0.0, np.inf, -np.inf, np.nan, 2.0**-24, -3,
                             np.finfo(d).max, np.finfo(d).tiny]
  elif t == 'u8': few = [0, 1, 2**63 - 1]
  else: few = [0, 1, np.iinfo(d).min, np.iinfo(d).max, 77]
  return np.resize(np.array(few, d), n)

def cases():
  shapes = [(), (0,), (1,), (7,), (3, 5), (0, 3), (5, 1), (2, 3, 4),
            (2, 1, 3, 2)]
  k = 0
  for t in ours:
    for byteorder in '<>':
      for order in 'CF':
        for shape in shapes:
          a = values(t, int(np.prod(shape))).reshape(shape)
          a = np.array(a, order=order, dtype=a.dtype.newbyteorder(byteorder))
          k += 1
          yield '%d.npy' % k, ours[t], a, (k % 3 + 1, 0)
]]

local write = [[
import warnings
warnings.simplefilter('ignore')
list = open('list', 'w')
for name, our, a, version in cases():
  with open(name, 'wb') as f: np.lib.format.write_array(f, a, version)
  shape = a.shape or (1,)
  list.write('%s %s %s : %s\n' % (name, names[our],
    'x'.join(map(str, shape)), ' '.join(text(x) for x in a.reshape(-1))))
]]

-- what mascon saved of them equals what numpy would save, byte for byte
local check = [[
bad = n = 0
for name, our, a, version in cases():
  np.save('want.npy', np.ascontiguousarray(a.astype(our)))
  same = open('want.npy', 'rb').read() == open(name + '.out', 'rb').read()
  n += 1
  if not same:
    bad += 1
    print(name, a.dtype, a.shape)
print(n, bad)
]]

local function number(text)
  if text == "nan" then return 0 / 0 end
  if text == "inf" then return math.huge end
  if text == "-inf" then return -math.huge end
  return tonumber(text)
end

-- every element in row-major order, by 'get' alone
local function elements(a)
  local out, shape = {}, { a:shape() }
  local function walk(k, at)
    if k > #shape then
      local ok, x = pcall(a.get, a, table.unpack(at))  -- LuaJIT may have no such number
      out[#out + 1] = ok and x or not jit and error(x) or "not exact"
      return
    end
    for i = 1, shape[k] do
      at[k] = i
      walk(k + 1, at)
    end
  end
  walk(1, {})
  return out
end

-- equal, NaN to NaN and -0.0 to -0.0
local function identical(x, y)
  return x ~= x and y ~= y or x == y and math.type(x) == math.type(y) and
    (x ~= 0 or 1 / x == 1 / y)
end

describe("numpy", function()
  if not shell.python("numpy", "", ".") then
    it("is absent", function() pending "python3-numpy is not installed" end)
    return
  end

  setup(function()
    dir = shell.folder()
  end)
  teardown(function() shell.remove(dir) end)

  it("writes what load reads, and reads what save writes", function()
    local count = 0
    numpy(make .. write)
    for line in io.lines(dir .. "/list") do
      local name, dtype, shape, rest = line:match "^(%S+) (%S+) (%S+) : ?(.*)$"
      local a = assert(mascon.load(dir .. "/" .. name))
      assert.equal(dtype, a.dtype)
      assert.equal(shape, table.concat({ a:shape() }, "x"))
      local i, got = 0, elements(a)
      for word in rest:gmatch "%S+" do
        i = i + 1
        if got[i] ~= "not exact" and not identical(number(word), got[i]) then
          assert.equal(line, tostring(got[i]))
        end
      end
      assert.equal(i, #got)
      a:save(dir .. "/" .. name .. ".out")
      count = count + 1
    end
    -- a file of no axes comes back as a vector
    local text = numpy((make .. check):gsub("%(%), %(0,%)", "(1,), (0,)"))
    assert.equal(count .. " 0\n", text)
  end)

  it("writes what load refuses, clearly", function()
    numpy [[
np.save('c8.npy', np.zeros(3, 'c8'))
np.save('c16.npy', np.zeros(3, 'c16'))
np.save('g.npy', np.zeros(3, 'g'))
np.save('O.npy', np.array([1, None], object))
np.save('U.npy', np.array(['abc', 'd']))
np.save('S.npy', np.array([b'abc', b'd']))
np.save('M.npy', np.array(['2020-01-01'], 'M8[D]'))
np.save('m.npy', np.array([3], 'm8[s]'))
np.save('r.npy', np.zeros(3, [('x', 'f8'), ('y', 'i4')]))
np.save('v.npy', np.zeros(3, 'V5'))
np.save('s.npy', np.zeros(3, [('x', 'f8', (2, 2))]))
np.save('5.npy', np.zeros((1, 2, 1, 2, 1)))
np.save('u8.npy', np.array([2**63], 'u8'))
np.savez('z.npz', a=np.zeros(3))
open('two.npy', 'wb').write(open('c8.npy', 'rb').read())
with open('two.npy', 'wb') as f:
  np.save(f, np.zeros(3))
  np.save(f, np.zeros(3))
]]
    for name, why in pairs {
      c8 = "complex64 is not supported", c16 = "complex128 is not supported",
      g = "float128 is not supported", O = "dtype object is not supported",
      U = "dtype str is not supported", S = "dtype bytes is not supported",
      M = "dtype datetime64 is not supported",
      m = "dtype timedelta64 is not supported",
      r = "structured dtype is not supported",
      s = "structured dtype is not supported",
      v = "dtype void is not supported",
      ["5"] = "an array of 5 axes (more than 4) is not supported",
      u8 = "has uint64 values above 2^63 - 1, which no dtype holds",
      two = "has 304 bytes, but its array ends at 152"
    } do
      local file = dir .. "/" .. name .. ".npy"
      assert.same({ nil, file .. ": " .. why }, { mascon.load(file) })
    end
    assert.equal(dir .. "/z.npz: not a .npy file",
      select(2, mascon.load(dir .. "/z.npz")))
  end)

  it("reads what is created and written in place", function()
    local a = mascon.create(dir .. "/c.npy", 40, 30, "f32")
    for i = 1, 40 do a:set(i, 7, i / 2) end
    a:close()
    mascon.create(dir .. "/e.npy", 0, 3, "u16"):close()
    assert.equal("float32 (40, 30) 410.0 410.0 True uint16 (0, 3)\n", numpy [[
a = np.load('c.npy', mmap_mode='r')
e = np.load('e.npy')
print(a.dtype, a.shape, a.sum(), a[:, 6].sum(), a.flags.c_contiguous, e.dtype,
      e.shape)
]])
  end)

  it("and mascon see each other's changes in a map", function()
    numpy "np.save('m.npy', np.arange(12, dtype='i8').reshape(3, 4))"
    local a = mascon.load(dir .. "/m.npy", { map = true })
    local b = mascon.load(dir .. "/m.npy", { map = "r+" })
    b:set(1, 1, 100)
    assert.equal("100\n", numpy [[
a = np.load('m.npy', mmap_mode='r+')
print(a[0, 0])
a[2, 3] = -5
]])
    assert.equal(-5, a:get(3, 4))
    assert.equal(100, a:get(1, 1))
  end)

  it("refuses to map what is not laid out as memory is", function()
    numpy [[
for t in ['>f8', '<f2', 'i1', 'i2', 'u4', 'u8', '?', '>u2']:
  np.save(t + '.npy', np.zeros(3, t))
]]
    for t, why in pairs {
      [">f8"] = "its byte order is not this machine's: float64",
      [">u2"] = "its byte order is not this machine's: uint16",
      ["<f2"] = "no dtype is float16", i1 = "no dtype is int8",
      i2 = "no dtype is int16", u4 = "no dtype is uint32",
      u8 = "no dtype is uint64"
    } do
      local file = dir .. "/" .. t .. ".npy"
      assert.same({ nil, file .. ": cannot be mapped: " .. why },
        { mascon.load(file, { map = true }) })
    end
    assert.equal("u8", mascon.load(dir .. "/?.npy", { map = true }).dtype)
    assert.same({ nil, dir ..
      "/?.npy: cannot be mapped for writing: no dtype is bool" },
      { mascon.load(dir .. "/?.npy", { map = "r+" }) })
  end)
end)

-- the plain library needs no Makefile, its header no C; what is visible

local shell = require "spec.shell"

local function run(command)
  local text, _, code = shell.run("{ " .. command .. "; } 2>&1")
  return code == 0, text
end

local function have(program)
  return (run("command -v " .. program))
end

-- what a host does first: an array, a file, the file again
local host = [[
#include <stdio.h>
#include <mascon.h>

static int atonce (void *ud) {
  (void)ud;
  return 1;
}

int main (int argc, char **argv) {
  const int64_t shape[2] = {3, 5}, many = 1 << 20;
  double *p;
  mascon_array a, b;
  mascon_why why;
  mascon_exec ex = MASCON_EXEC_INIT;
  if (argc != 2 || mascon_zeros(&a, MASCON_F64, 2, shape) != MASCON_OK)
    return 2;
  p = (double *)a.data;
  for (int i = 0; i < 15; i++) p[i] = i / 4.0;
  if (mascon_npy_save(&a, argv[1], &why, NULL) != MASCON_OK ||
      mascon_npy_load(argv[1], &b, &why, NULL) != MASCON_OK) {
    puts(why.text);
    return 1;
  }
  p = (double *)b.data;
  printf("%s %d %g\n", mascon_dtype_name(mascon_dtype_of(&b)),
         (int)mascon_count(&b), p[14]);
  mascon_release(&a);
  mascon_release(&b);
  ex.cancel = atonce;
  ex.threads = 1;
  if (mascon_zeros(&b, MASCON_U8, 1, &many) != MASCON_OK) return 2;
  puts(mascon_strerror(mascon_npy_save(&b, argv[1], &why, &ex)));
  printf("%s %d %d\n", why.text, (int)ex.done, (int)ex.total);
  mascon_release(&b);
  return 0;
}
]]

describe("the plain library", function()
  local dir
  setup(function()
    dir = os.tmpname()
    os.remove(dir)
    assert(os.execute("mkdir " .. dir))
    for _, ext in ipairs { "c", "cc" } do
      local f = assert(io.open(dir .. "/host." .. ext, "w"))
      f:write(host)
      f:close()
    end
  end)
  teardown(function() os.execute("rm -r " .. dir) end)

  local flags = " -Wall -Wextra -Werror -Iinclude -Isrc/core -Isrc/kern" ..
    " -Isrc/ops -Isrc/io "
  local files = " src/core/*.c src/kern/*.c src/ops/*.c src/io/file.c" ..
    " src/io/npy*.c src/io/csv*.c src/io/number.c "

  for _, cc in ipairs { "cc", "clang" } do
    it("is built by a bare line of " .. cc, function()
      if not have(cc) then return pending("no " .. cc) end
      assert.same({ true, "" }, { run(cc .. flags .. files .. dir ..
        "/host.c -lm -lpthread -o " .. dir .. "/host") })
      assert.same({ true, ("f64 15 3.5\ninterrupted\n%s/a.npy: interrupted" ..
        " 262144 1048576\n"):format(dir) }, { run(dir .. "/host " .. dir ..
        "/a.npy") })
      -- the file of before stands, and nothing else
      assert.same({ true, "a.npy\nhost\nhost.c\nhost.cc\n" },
        { run("ls -A " .. dir) })
      assert.equal(15, require "mascon".load(dir .. "/a.npy").size)
      os.remove(dir .. "/a.npy")
      assert.same({ false, dir .. "/no/a.npy: No such file or directory\n" },
        { run(dir .. "/host " .. dir .. "/no/a.npy") })
    end)
  end

  for _, cxx in ipairs { "g++", "clang++" } do
    it("has a header for " .. cxx, function()
      if not have(cxx) then return pending("no " .. cxx) end
      assert.same({ true, "" }, { run(cxx .. " -std=c++11 -Wpedantic" .. flags
        .. "-fsyntax-only " .. dir .. "/host.cc") })
    end)
  end
end)

describe("the libraries", function()
  local build = os.getenv "MASCON_BUILD" or "build"

  for file, names in pairs {
    ["libmascon.so"] = { "^mascon_" },
    ["libmascon_lua.so"] = { "^mascon_", "^luaopen_mascon" },
    ["lib/mascon/core.so"] = { "^mascon_", "^luaopen_mascon" },
  } do
    it("show only names of ours: " .. file, function()
      local ok, text = run("nm -D --defined-only " .. build .. "/" .. file)
      assert.is_true(ok, text)
      local count, foreign = 0, {}
      for symbol in text:gmatch "%S+ %a (%S+)" do
        local ours = symbol:find "^_"  -- the tool chain's
        for _, pattern in ipairs(names) do
          ours = ours or symbol:find(pattern)
        end
        if not ours then foreign[#foreign + 1] = symbol end
        count = count + 1
      end
      assert.same({}, foreign)
      assert.is_true(count > 20)
    end)
  end
end)

-- 'make install' into a folder, and what stands there used from outside

local shell = require "spec.shell"

describe("make install", function()
  local dest
  local prefix = "/opt/mascon"

  local function sh(text)
    local out, err, code = shell.run(("P=%s%s V=%s\n"):format(dest, prefix, _VERSION:match "[%d.]+") .. text)
    assert.same({ "", 0 }, { err, code })
    return out
  end

  setup(function()
    dest = os.tmpname()
    os.remove(dest)
    if shell.sanitizer then return end
    local _, err, code = shell.run(("env -u MAKEFLAGS -u MAKELEVEL make -s install LUA=%s B=%s PREFIX=%s DESTDIR=%s"):format(
      shell.lua, shell.build, prefix, dest))
    assert.same({ "", 0 }, { err, code })
  end)

  teardown(function() os.execute("rm -rf " .. dest) end)

  local function test(name, f)
    it(name, function()
      if shell.sanitizer then return pending "a sanitized build is not installed" end
      f()
    end)
  end

  test("lets a C host build and run by pkg-config", function()
    if not shell.has "pkg-config" then return pending "there is no pkg-config" end
    local out = sh [[
      cp examples/host.c $P && cd $P
      export PKG_CONFIG_SYSROOT_DIR=${P%/opt/mascon} PKG_CONFIG_PATH=$P/lib/pkgconfig
      gcc -Wall host.c $(pkg-config --cflags --libs mascon) -o host
      LD_LIBRARY_PATH=$P/lib ./host
      gcc host.c $(pkg-config --cflags mascon) $P/lib/libmascon.a \
        $(pkg-config --static --libs-only-l --libs-only-other mascon | sed s/-lmascon//) \
        -o host
      ./host
      pkg-config --modversion mascon mascon_lua]]
    assert.matches("all right\n.-all right\n(%d+%.%d+%.%d+)\n%1\n$", out)
  end)

  test("lets a C host with Lua inside do so, too", function()
    if not shell.has "pkg-config" then return pending "there is no pkg-config" end
    local out = sh [[
      cp examples/host_lua.c $P && cd $P
      export PKG_CONFIG_PATH=$P/lib/pkgconfig
      sed -i "s,=/opt/mascon,=$P," lib/pkgconfig/mascon_lua.pc
      gcc -Wall host_lua.c $(pkg-config --cflags --libs mascon_lua) -o host
      LD_LIBRARY_PATH=$P/lib ./host
      gcc host_lua.c $(pkg-config --cflags mascon_lua) $P/lib/libmascon_lua.a \
        $(pkg-config --static --libs mascon_lua | sed s/-lmascon_lua//) -o host
      ./host
      rm host host_lua.c]]
    assert.matches("all right\n.-all right\n$", out)
  end)

  test("lets a plain Lua find the module", function()
    local out = sh([[
      cd /
      export LUA_PATH="$P/share/lua/$V/?.lua;$P/share/lua/$V/?/init.lua"
      export LUA_CPATH="$P/lib/lua/$V/?.so"
      ]] .. shell.lua .. [[ -e 'print(require "mascon".zeros(2, 3).size)'
      $P/bin/mascon -e 'print(mascon.zeros(2, 4).size)']])
    assert.equal("6\n8\n", out)
  end)

  test("brings a man page that says the version", function()
    assert.matches('\n%.TH MASCON 1 "" "mascon %d+%.%d+%.%d+" ', "\n" ..
      sh "cat $P/share/man/man1/mascon.1")
    assert.equal(sh "$P/bin/mascon -v":match "mascon (%S+)",
      sh "cat $P/share/man/man1/mascon.1":match "mascon (%d%S+)\"")
  end)

  test("links libraries by their sonames", function()
    local out = sh "cd $P/lib; for l in libmascon libmascon_lua; do readlink $l.so $l.so.0; done"
    assert.matches("^libmascon%.so%.0\nlibmascon%.so%.0%.%d+%.%d+\n" ..
      "libmascon_lua%.so%.0\nlibmascon_lua%.so%.0%.%d+%.%d+\n$", out)
  end)

  test("is undone by make uninstall", function()
    sh "rm -f $P/host $P/host.c"
    sh(("env -u MAKEFLAGS -u MAKELEVEL make -s uninstall LUA=%s PREFIX=%s DESTDIR=%s"):format(
      shell.lua, prefix, dest))
    assert.equal("", sh("find " .. dest .. " -type f -o -type l"))
  end)
end)

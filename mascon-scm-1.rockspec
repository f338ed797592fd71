-- the Lua module, by luarocks --lua-version 5.4 make; the program and the C
-- libraries are installed by make install
rockspec_format = "3.0"
package = "mascon"
version = "scm-1"
source = { url = "." }
description = {
  summary = "Array kernels in C: gaussians, exact top-N, recommendations",
  detailed = [[
An embeddable C library of array kernels with a Lua front end: matrices, views,
gaussians and localisation images, the exact best N of every row, recommendations
from factors; on every core, with no global lock.]],
  license = "MIT",
}
dependencies = { "lua >= 5.3, < 5.5" }
build = {
  type = "make",
  build_target = "module",
  build_variables = { LUA_INC = "-I$(LUA_INCDIR)" },
  install_target = "install-module",
  install_variables = { LUA_INC = "-I$(LUA_INCDIR)", LUADIR = "$(LUADIR)",
                        LUACDIR = "$(LIBDIR)" },
}

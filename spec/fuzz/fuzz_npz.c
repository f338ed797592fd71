/*
** fuzz_npz.c - a .npz file of any bytes, by a Lua state: arrays, or nil and a
** message
*/

#include "fuzz.h"

#include <lualib.h>
#include "mascon_lua.h"

/* where the modules of formats are: MASCON_MODULES/?.so */
static lua_State *newstate (void) {
  static const char open[] =
    "local path, names = ...\n"
    "local arrays, list = require 'mascon'.npz.load(path)\n"
    "if not arrays then assert(type(list) == 'string'); return false end\n"
    "for name, a in pairs(arrays) do a:any(); a:close() end\n"
    "assert(#list > 0 or next(arrays) == nil)\n"
    "return true";
  lua_State *L = luaL_newstate();
  const char *modules = getenv("MASCON_MODULES");
  CHECK(L != NULL);
  luaL_openlibs(L);
  luaopen_mascon(L);
  lua_pop(L, 1);
  lua_getglobal(L, "package");
  lua_pushfstring(L, "%s/?.so", modules ? modules : "build/lib");
  lua_setfield(L, -2, "cpath");
  lua_pop(L, 1);
  if (luaL_dostring(L, "require 'mascon.zip'") != LUA_OK) {
    printf("%s\n", lua_tostring(L, -1));
    exit(1);
  }
  CHECK(luaL_loadstring(L, open) == LUA_OK);
  return L;
}


int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size) {
  static lua_State *L;
  int64_t before;
  fuzz_file f;
  if (L == NULL) L = newstate();
  before = fuzz_blocks();
  fuzz_open(&f, bytes, size);
  lua_pushvalue(L, -1);
  lua_pushstring(L, f.path);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
    printf("%s\n", lua_tostring(L, -1));
    exit(1);
  }
  fclose(f.f);
  lua_gc(L, LUA_GCCOLLECT, 0);
  CHECK(fuzz_blocks() == before);
  return 0;
}

/*
** mcl_open.c - mascon for hosts that link libmascon_lua: no file is looked up
*/

#include <string.h>

#include "mascon_lua.h"
#include "mcl.h"
#include "mcl_text.h"


/* the loader of a module that is carried as text; upvalue: its mcl_text */
static int load (lua_State *L) {
  const mcl_text *t = lua_touserdata(L, lua_upvalueindex(1));
  const char *chunk = lua_pushfstring(L, "=%s", t->name);
  if (luaL_loadbufferx(L, (const char *)t->text, t->size, chunk, "t") !=
      LUA_OK) return lua_error(L);
  lua_pushstring(L, t->name);
  lua_call(L, 1, 1);
  return 1;
}


/*
** Where 'require' looks first.  A state without the package library has no
** 'require': then only "mascon" itself can be had, and its parts are called
** in by a private one.
*/
static void preload (lua_State *L, int table) {
  for (const mcl_text *t = mcl_texts; t->name != NULL; t++) {
    lua_pushlightuserdata(L, (void *)t);
    lua_pushcclosure(L, load, 1);
    lua_setfield(L, table, t->name);
  }
  lua_pushcfunction(L, luaopen_mascon_core);
  lua_setfield(L, table, "mascon.core");
}


int luaopen_mascon (lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  preload(L, lua_gettop(L));
  lua_pop(L, 1);
  for (const mcl_text *t = mcl_texts; t->name != NULL; t++)
    if (strcmp(t->name, "mascon") == 0) {
      lua_pushlightuserdata(L, (void *)t);
      lua_pushcclosure(L, load, 1);
      lua_call(L, 0, 1);
    }
  return 1;
}

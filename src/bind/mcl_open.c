/*
** mcl_open.c - mascon for hosts that link libmascon_lua: no file is looked up
*/

#include <string.h>

#include "mascon_lua.h"
#include "mcl_job.h"
#include "mcl_text.h"


/* {------- a state without the package library ------- */

/*
** require(name) for our parts: what is loaded already, or preloaded.  The
** registry has both tables whether there is a package library or not.
*/
static int require (lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, name) != LUA_TNIL) return 1;
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  if (lua_getfield(L, -1, name) == LUA_TNIL)
    return luaL_error(L, "module '%s' not found", name);
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, name);  /* loaded */
  return 1;
}


/* push the globals of this state, but with a 'require' */
static void pushenv (lua_State *L) {
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, require);
  lua_setfield(L, -2, "require");
  lua_createtable(L, 0, 1);
  lua_pushglobaltable(L);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

/* -------} */


/* the loader of a module that is carried as text; upvalue: its mcl_text */
static int load (lua_State *L) {
  const mcl_text *t = lua_touserdata(L, lua_upvalueindex(1));
  const char *chunk = lua_pushfstring(L, "=%s", t->name);
  if (luaL_loadbufferx(L, (const char *)t->text, t->size, chunk, "t") !=
      LUA_OK) return lua_error(L);
  if (lua_getglobal(L, "require") == LUA_TNIL) {
    pushenv(L);
    mcl_setglobals(L, -3);
  }
  lua_pop(L, 1);
  lua_pushstring(L, t->name);
  lua_call(L, 1, 1);
  return 1;
}


/* text(name): the source of a part, with its annotations; nil for others */
static int text (lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  for (const mcl_text *t = mcl_texts; t->name != NULL; t++)
    if (strcmp(t->name, name) == 0) {
      lua_pushlstring(L, (const char *)t->text, t->size);
      return 1;
    }
  lua_pushnil(L);
  return 1;
}


/* the module mascon.text is that function */
static int opentext (lua_State *L) {
  lua_pushcfunction(L, text);
  return 1;
}


/* where 'require', ours or Lua's, looks first */
static int preload (lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  for (const mcl_text *t = mcl_texts; t->name != NULL; t++) {
    lua_pushlightuserdata(L, (void *)t);
    lua_pushcclosure(L, load, 1);
    lua_setfield(L, -2, t->name);
  }
  lua_pushcfunction(L, luaopen_mascon_core);
  lua_setfield(L, -2, "mascon.core");
  lua_pushcfunction(L, opentext);
  lua_setfield(L, -2, "mascon.text");
  lua_pop(L, 1);
  return 0;
}


int luaopen_mascon (lua_State *L) {
  preload(L);
  mcl_setparts(L, preload);
  lua_pushcfunction(L, require);
  lua_pushliteral(L, "mascon");
  lua_call(L, 1, 1);
  return 1;
}

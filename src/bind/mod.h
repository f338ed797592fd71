/*
** mod.h - what the Lua C modules for formats that need a library share
**
** Such a module stands alone: it links its library and nothing of ours, and
** is loaded by 'require' only where somebody uses it.  So it gets its arrays
** where a script does, from "mascon.core", and sees them as mascon.h says.
*/

#ifndef MOD_H
#define MOD_H

#include <string.h>

#include "mascon_lua.h"

/* first upvalue of a module's functions: mascon.core's 'empty' */
#define MOD_EMPTY lua_upvalueindex(1)


/* push a new module table with 'funcs', each with MOD_EMPTY */
static inline void mod_newlib (lua_State *L, const luaL_Reg *funcs) {
  luaL_checkversion(L);
  lua_newtable(L);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "mascon.core");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "empty");
  lua_remove(L, -2);
  luaL_setfuncs(L, funcs, 1);
}


/*
** Push a new array, its elements not set.  Where there is no memory for it,
** push the message instead and return NULL.
*/
static inline mascon_array *mod_newarray (lua_State *L, const char *dtype,
                                          int ndim, const int64_t *shape) {
  luaL_checkstack(L, ndim + 2, NULL);
  lua_pushvalue(L, MOD_EMPTY);
  for (int k = 0; k < ndim; k++) lua_pushinteger(L, shape[k]);
  lua_pushstring(L, dtype);
  return lua_pcall(L, ndim + 1, 1, 0) == LUA_OK ? mascon_toarray(L, -1)
                                                : NULL;
}


/* a file name: C would take a part of one that holds a zero byte */
static inline const char *mod_checkpath (lua_State *L, int arg) {
  size_t n;
  const char *path = luaL_checklstring(L, arg, &n);
  luaL_argcheck(L, strlen(path) == n, arg, "file name holds a zero byte");
  return path;
}

#endif

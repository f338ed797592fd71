/*
** mascon_lua.h - arrays between C and Lua
*/

#ifndef MASCON_LUA_H
#define MASCON_LUA_H

#include <lauxlib.h>
#include <lua.h>

#include "mascon.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
** For hosts that link libmascon_lua: open mascon in a state, leaving the
** module on the stack.  luaL_requiref(L, "mascon", luaopen_mascon, 0) makes
** 'require "mascon"' find it.  No file is looked up.
*/
MASCON_API int luaopen_mascon (lua_State *L);

/* the C part alone, what 'require "mascon.core"' loads */
MASCON_API int luaopen_mascon_core (lua_State *L);

#ifdef __cplusplus
}
#endif

#endif

/*
** mcl_memory.c - what memory is held, and how much may be
*/

#include "mcl.h"


int mcl_nomemory (lua_State *L, int64_t asked) {
  const char *what = mascon_strerror(MASCON_ENOMEM);
  mascon_memory m;
  mascon_memory_now(&m);
  if (m.limit < 0)
    return asked > 0 ? luaL_error(L, "%s: %I bytes asked for", what,
                                  (lua_Integer)asked)
                     : luaL_error(L, "%s", what);
  if (asked == 0)
    return luaL_error(L, "%s: %I bytes held, the limit is %I", what,
                      (lua_Integer)m.bytes, (lua_Integer)m.limit);
  return luaL_error(L, "%s: %I bytes asked for, %I held, the limit is %I",
                    what, (lua_Integer)asked, (lua_Integer)m.bytes,
                    (lua_Integer)m.limit);
}


/* {trim =, limit =}: the limit is false where there is to be none */
static void options (lua_State *L) {
  static const char *const names[] = {"trim", "limit", NULL};
  static const char limit[] = "limit";
  mcl_options(L, 1, names);
  if (mcl_optvalue(L, 1, limit) == LUA_TNUMBER)
    mascon_memory_setlimit(mcl_optint(L, 1, limit, -1, 0, INT64_MAX));
  else if (lua_isboolean(L, -1) && !lua_toboolean(L, -1))
    mascon_memory_setlimit(-1);
  else if (!lua_isnil(L, -1))
    mcl_opterror(L, 1, limit, "integer from 0 up or false");
  lua_pop(L, 1);
  if (mcl_optbool(L, 1, "trim", false)) mascon_memory_trim();
}


/*
** memory([{limit =, trim = false}]): of the whole process: bytes held, blocks
** held, allocations made so far, the most bytes that were held, bytes of freed
** blocks that are kept for reuse; the arrays of this state that are not closed
** or collected; the limit, or nil.  trim: what is kept is given back first.
** memory(n): for tests, let all but the next n allocations fail (n < 0: none)
*/
static int memory (lua_State *L) {
  mascon_memory m;
  if (lua_type(L, 1) == LUA_TNUMBER)
    mascon_memory_fail(luaL_checkinteger(L, 1));
  else options(L);
  mascon_memory_now(&m);
  lua_pushinteger(L, m.bytes);
  lua_pushinteger(L, m.blocks);
  lua_pushinteger(L, m.calls);
  lua_pushinteger(L, m.peak);
  lua_pushinteger(L, m.kept);
  lua_pushinteger(L, mcl_handles(L));
  if (m.limit >= 0) lua_pushinteger(L, m.limit);
  else lua_pushnil(L);
  return 7;
}


void mcl_openmemory (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"memory", memory},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
}

/*
** mcl_memory.c - what memory is held
*/

#include "mcl.h"


static void options (lua_State *L) {
  static const char *const names[] = {"trim", NULL};
  mcl_options(L, 1, names);
  if (mcl_optbool(L, 1, "trim", false)) mascon_memory_trim();
}


/*
** memory([{trim = false}]): of the whole process: bytes held, blocks held,
** allocations made so far, the most bytes that were held, bytes of freed
** blocks that are kept for reuse; trim: these are given back first.
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
  return 5;
}


void mcl_openmemory (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"memory", memory},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
}

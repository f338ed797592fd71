/*
** mcl_core.c - the module: its table, the metatable of arrays
*/

#include "mascon_lua.h"
#include "mcl.h"


/* 'funcs' into the table at 'index', each with the metatable as upvalue */
static void add (lua_State *L, int index, const luaL_Reg *funcs) {
  lua_pushvalue(L, index);
  luaL_getmetatable(L, MCL_ARRAY);
  luaL_setfuncs(L, funcs, 1);
  lua_pop(L, 1);
}


void mcl_addfuncs (lua_State *L, const luaL_Reg *funcs) {
  add(L, lua_gettop(L), funcs);
}


void mcl_addmeta (lua_State *L, const luaL_Reg *funcs) {
  luaL_getmetatable(L, MCL_ARRAY);
  add(L, lua_gettop(L), funcs);
  lua_pop(L, 1);
}


void mcl_addmethods (lua_State *L, const luaL_Reg *funcs) {
  luaL_getmetatable(L, MCL_ARRAY);
  lua_getfield(L, -1, "methods");
  add(L, lua_gettop(L), funcs);
  lua_pop(L, 2);
}


static const char marker;


bool mcl_getmeta (lua_State *L) {
  bool ours;
  luaL_getmetatable(L, MCL_ARRAY);
  if (!lua_istable(L, -1)) return false;
  lua_getfield(L, -1, "marker");
  ours = lua_touserdata(L, -1) == &marker;
  lua_pop(L, 1);
  return ours;
}


bool mcl_newtype (lua_State *L, const char *name) {
  if (luaL_newmetatable(L, name)) {
    lua_pushlightuserdata(L, (void *)&marker);
    lua_setfield(L, -2, "marker");
    lua_pushstring(L, name);  /* not in every Lua there already */
    lua_setfield(L, -2, "__name");
    return true;
  }
  lua_getfield(L, -1, "marker");
  if (lua_touserdata(L, -1) != &marker)
    luaL_error(L, "type '%s' is already registered by another module", name);
  lua_pop(L, 1);
  return false;
}


void mcl_newclass (lua_State *L, const char *name, const luaL_Reg *meta,
                   const luaL_Reg *methods) {
  mcl_newtype(L, name);
  mcl_addfuncs(L, meta);
  lua_newtable(L);
  mcl_addfuncs(L, methods);
  lua_setfield(L, -2, "__index");
  lua_pushstring(L, name);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}


static void newmeta (lua_State *L) {
  if (mcl_newtype(L, MCL_ARRAY)) {
    lua_newtable(L);
    lua_setfield(L, -2, "methods");
    lua_pushliteral(L, MCL_ARRAY);
    lua_setfield(L, -2, "__metatable");
  }
  lua_pop(L, 1);
}


int luaopen_mascon_core (lua_State *L) {
  luaL_checkversion(L);
  newmeta(L);
  lua_newtable(L);
  mcl_openarray(L);
  mcl_opendoor(L);
  mcl_openelement(L);
  mcl_openmake(L);
  mcl_openview(L);
  mcl_opencopy(L);
  mcl_openprint(L);
  mcl_opentake(L);
  mcl_openexec(L);
  mcl_openelem(L);
  mcl_opengauss(L);
  mcl_openimage(L);
  mcl_openrender(L);
  mcl_openmatmul(L);
  mcl_openmemory(L);
  mcl_opennpy(L);
  mcl_openrandom(L);
  mcl_openreduce(L);
  mcl_opentopn(L);
  mcl_openrecommend(L);
  mcl_openindex(L);
  mcl_opencsr(L);
  mcl_opencsv(L);
  mcl_opensort(L);
  mcl_openshare(L);
  mcl_openparallel(L);
  mcl_openstream(L);
  return 1;
}

/*
** door_module.c - a Lua C module that includes mascon_lua.h and links nothing
*/

#include "mascon_lua.h"


/* kind(v): what the quick door sees, or nil */
static int kind (lua_State *L) {
  const mascon_array *a = mascon_toarray(L, 1);
  if (a == NULL) lua_pushnil(L);
  else mascon_pushkind(L, a);
  return 1;
}


/* sum(a): of an f64 vector, by its strides */
static int sum (lua_State *L) {
  mascon_array *a;
  double s = 0;
  mascon_checkarray(L, 1, "f64 vector", &a);
  for (int64_t i = 0; i < a->shape[0]; i++)
    s += ((const double *)a->data)[i * a->stride[0]];
  lua_pushnumber(L, s);
  return 1;
}


/* check(v, want): raises, or true */
static int check (lua_State *L) {
  mascon_array *a;
  mascon_checkarray(L, 1, luaL_checkstring(L, 2), &a);
  lua_pushboolean(L, 1);
  return 1;
}


/* nothing(): a userdata of no bytes */
static int nothing (lua_State *L) {
  lua_newuserdata(L, 0);
  return 1;
}


/* forged(): the bytes of an array in a userdata that is none of mascon's */
static int forged (lua_State *L) {
  mascon_array *a = lua_newuserdata(L, sizeof *a);
  memset(a, 0, sizeof *a);
  a->magic = MASCON_MAGIC;
  a->abi = MASCON_ABI;
  a->dtype.code = 2;
  a->dtype.bits = 64;
  a->dtype.lanes = 1;
  a->ndim = 1;
  a->data = (void *)(uintptr_t)64;
  a->shape[0] = 1000;
  return 1;
}


/* light(): a light userdata */
static int light (lua_State *L) {
  lua_pushlightuserdata(L, L);
  return 1;
}


MASCON_API int luaopen_door (lua_State *L);

int luaopen_door (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"kind", kind},
    {"sum", sum},
    {"check", check},
    {"nothing", nothing},
    {"forged", forged},
    {"light", light},
    {NULL, NULL}
  };
  luaL_newlib(L, funcs);
  return 1;
}

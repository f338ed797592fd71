/*
** mcl_gauss.c - gauss
*/

#include "mcl.h"


/* gauss(yw, xw, y0, x0, sy, sx [, opts]) */
static int gauss (lua_State *L) {
  int64_t shape[2];
  mascon_array *out;
  mcl_call c;
  shape[0] = luaL_checkinteger(L, 1);
  shape[1] = luaL_checkinteger(L, 2);
  for (int i = 3; i <= 6; i++) luaL_checknumber(L, i);
  lua_settop(L, 7);
  mcl_begin(L, &c, 7);
  out = mcl_newarray(L, MASCON_F64, 2, shape, false);
  mcl_end(L, &c, mascon_gauss(lua_tonumber(L, 3), lua_tonumber(L, 4),
                              lua_tonumber(L, 5), lua_tonumber(L, 6), NULL,
                              out, &c.ex));
  return 1;
}


void mcl_opengauss (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"gauss", gauss},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
}

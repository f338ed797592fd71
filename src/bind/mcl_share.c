/*
** mcl_share.c - one array in many states: tokens, freezing
*/

#include "mcl.h"


/* the integer at 'arg', which no string stands for */
static lua_Integer checkint (lua_State *L, int arg, const char *expected) {
  int isint;
  lua_Integer i = lua_tointegerx(L, arg, &isint);
  if (!isint || lua_type(L, arg) != LUA_TNUMBER) mcl_typeerror(L, arg, expected);
  return i;
}


/*
** share(a [, n = 1]): an integer, the token; attach(token) in any state of the
** process gives the same elements, n times.  The token holds them meanwhile.
*/
static int share (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  lua_Integer n = lua_isnoneornil(L, 2) ? 1 : checkint(L, 2, "integer from 1 up");
  int64_t token;
  if (n < 1) mcl_typeerror(L, 2, "integer from 1 up");
  mcl_check(L, mascon_share(a, n, &token));
  lua_pushinteger(L, (lua_Integer)token);
  return 1;
}


/* raise what is wrong with the token at 1 */
static void checktoken (lua_State *L, int status) {
  if (status == MASCON_ERANGE)
    luaL_argerror(L, 1, "token is used up");
  if (status == MASCON_EVALUE)
    luaL_argerror(L, 1, "no token of this library");
  mcl_check(L, status);
}


/* attach(token): the array that it stands for */
static int attach (lua_State *L) {
  lua_Integer token = checkint(L, 1, "token");
  mascon_array *a = mcl_pushhandle(L);
  checktoken(L, mascon_attach(token, a));
  mcl_adopt(L, a);
  return 1;
}


/* unshare(token): the uses that are left are given up */
static int unshare (lua_State *L) {
  checktoken(L, mascon_unshare(checkint(L, 1, "token")));
  return 0;
}


/*
** a:freeze(): the elements are read-only from now on, for every view of them
** in every state; returns a.  Raises where a callback of a call that uses them
** asks, and where results of one that is not over are among them
*/
static int freeze (lua_State *L) {
  int status;
  mcl_checkarray(L, 1);
  mcl_checkidle(L, 1);
  status = mascon_freeze(lua_touserdata(L, 1));
  if (status == MASCON_EBUSY) luaL_argerror(L, 1, mascon_strerror(status));
  mcl_check(L, status);
  lua_settop(L, 1);
  return 1;
}


void mcl_openshare (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"share", share},
    {"attach", attach},
    {"unshare", unshare},
    {NULL, NULL}
  };
  static const luaL_Reg methods[] = {
    {"freeze", freeze},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
  mcl_addmethods(L, methods);
}

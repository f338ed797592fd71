/*
** affine.c - a Lua C module of your own that works on arrays of mascon
**
** It includes mascon_lua.h and links nothing: neither mascon nor Lua.
**
**   cc -O2 -shared -fPIC $(pkg-config --cflags mascon_lua) affine.c -o affine.so
**
**   local mascon, affine = require "mascon", require "affine"
**   local y = affine.map(mascon.range(5), 2, 1)   --> 3 5 7 9 11
**   affine.add(y, 10, y)
**   print(affine.sum(y))
*/

#include <mascon_lua.h>

/* the table of functions, an upvalue of those that make arrays */
#define FUNCTIONS \
  ((const mascon_functions *)lua_touserdata(L, lua_upvalueindex(1)))


static double *at (const mascon_array *a, int64_t i) {
  return (double *)a->data + i * a->stride[0];
}


/* sum(x): the quick door, for an f64 vector that is known to be one */
static int sum (lua_State *L) {
  const mascon_array *x = mascon_toarray(L, 1);
  double s = 0;
  if (x == NULL || x->ndim != 1 || x->dtype.code != 2 || x->dtype.bits != 64)
    return luaL_argerror(L, 1, "f64 vector expected");
  for (int64_t i = 0; i < x->shape[0]; i++) s += *at(x, i);
  lua_pushnumber(L, s);
  return 1;
}


/* add(x, b, y): y[i] = x[i] + b; errors are those of mascon's own functions */
static int add (lua_State *L) {
  mascon_array *x, *y;
  double b = luaL_checknumber(L, 2);
  mascon_checkarray(L, 1, "f64 vector", &x);
  mascon_checkarray(L, 3, "writable f64 vector", &y);
  luaL_argcheck(L, x->shape[0] == y->shape[0], 3, "as long as the first");
  for (int64_t i = 0; i < x->shape[0]; i++) *at(y, i) = *at(x, i) + b;
  return 0;
}


/* map(x, a, b): a new array, a * x[i] + b */
static int map (lua_State *L) {
  mascon_array *x, *y;
  double a = luaL_checknumber(L, 2), b = luaL_checknumber(L, 3);
  mascon_checkarray(L, 1, "f64 vector", &x);
  y = FUNCTIONS->make(L, MASCON_F64, 1, x->shape, 0);
  for (int64_t i = 0; i < x->shape[0]; i++) *at(y, i) = a * *at(x, i) + b;
  return 1;
}


static int forget (lua_State *L) {
  FUNCTIONS->release((mascon_array *)lua_touserdata(L, 1));
  return 0;
}


/*
** keep(x): a function that returns x, also after x was closed: the module
** holds the elements by a handle of its own
*/
static int kept (lua_State *L) {
  const mascon_array *mine =
    (const mascon_array *)lua_touserdata(L, lua_upvalueindex(2));
  int status = FUNCTIONS->push(L, mine);
  if (status != MASCON_OK) luaL_error(L, "%s", FUNCTIONS->strerror(status));
  return 1;
}


static int keep (lua_State *L) {
  mascon_array *x, *mine;
  mascon_checkarray(L, 1, "any", &x);
  lua_pushvalue(L, lua_upvalueindex(1));
  mine = (mascon_array *)lua_newuserdata(L, sizeof *mine);
  memset(mine, 0, sizeof *mine);  /* releasing it does nothing yet */
  lua_newtable(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, forget, 1);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  FUNCTIONS->retain(mine, x);
  lua_pushcclosure(L, kept, 2);
  return 1;
}


MASCON_API int luaopen_affine (lua_State *L);

int luaopen_affine (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"sum", sum}, {"add", add}, {"map", map}, {"keep", keep}, {NULL, NULL}
  };
  lua_newtable(L);
  for (const luaL_Reg *f = funcs; f->name != NULL; f++) {
    lua_pushlightuserdata(L, (void *)mascon_getfunctions(L));
    lua_pushcclosure(L, f->func, 1);
    lua_setfield(L, -2, f->name);
  }
  return 1;
}

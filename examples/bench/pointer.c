/*
** pointer.c - what bench_pointer.lua calls: y = x * x + 1 by every door
**
** Without Lua (-DPLAIN) it is a plain library, for FFIs and Python's ctypes.
*/

#if defined(__GNUC__)
#define SHOWN __attribute__((visibility("default")))
#else
#define SHOWN
#endif

SHOWN void pointer_work (double *y, const double *x, long n);
SHOWN void pointer_nothing (void *p);


void pointer_work (double *y, const double *x, long n) {
  for (long i = 0; i < n; i++) y[i] = x[i] * x[i] + 1;
}


void pointer_nothing (void *p) {
  (void)p;
}


#if !defined(PLAIN)

#include <mascon_lua.h>

#define OTHER "pointer.other"  /* a userdata as most modules have them */


static int nothing (lua_State *L) {
  (void)L;
  return 0;
}


static int toarray (lua_State *L) {
  if (mascon_toarray(L, 1) == NULL) return luaL_argerror(L, 1, "no array");
  return 0;
}


/* quick(y, x, n): door 1, two calls of the Lua API for an array */
static int quick (lua_State *L) {
  mascon_array *y = mascon_toarray(L, 1), *x = mascon_toarray(L, 2);
  if (y == NULL || x == NULL) return luaL_argerror(L, 1, "no array");
  pointer_work((double *)y->data, (const double *)x->data,
               (long)luaL_checkinteger(L, 3));
  return 0;
}


/* checked(y, x, n): door 1 with all checks and messages */
static int checked (lua_State *L) {
  mascon_array *y, *x;
  mascon_checkarray(L, 1, "writable f64 vector", &y);
  mascon_checkarray(L, 2, "f64 vector", &x);
  pointer_work((double *)y->data, (const double *)x->data,
               (long)luaL_checkinteger(L, 3));
  return 0;
}


/* other(y, x, n): luaL_checkudata, for userdata of 'new' */
static int other (lua_State *L) {
  double *y = (double *)luaL_checkudata(L, 1, OTHER);
  double *x = (double *)luaL_checkudata(L, 2, OTHER);
  pointer_work(y, x, (long)luaL_checkinteger(L, 3));
  return 0;
}


static int new (lua_State *L) {
  size_t bytes = (size_t)luaL_checkinteger(L, 1) * sizeof(double);
  memset(lua_newuserdata(L, bytes), 0, bytes);
  luaL_newmetatable(L, OTHER);
  lua_setmetatable(L, -2);
  return 1;
}


/* plain(y, x, n, times): calls from C */
static int plain (lua_State *L) {
  mascon_array *y = mascon_toarray(L, 1), *x = mascon_toarray(L, 2);
  void (*volatile work) (double *, const double *, long) = pointer_work;
  long n = (long)luaL_checkinteger(L, 3), times = (long)luaL_checkinteger(L, 4);
  if (y == NULL || x == NULL) return luaL_argerror(L, 1, "no array");
  for (long i = 0; i < times; i++)
    work((double *)y->data, (const double *)x->data, n);
  return 0;
}


SHOWN int luaopen_pointer (lua_State *L);

int luaopen_pointer (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"nothing", nothing}, {"toarray", toarray}, {"quick", quick},
    {"checked", checked}, {"other", other}, {"new", new}, {"plain", plain},
    {NULL, NULL}
  };
  lua_newtable(L);
  for (const luaL_Reg *f = funcs; f->name != NULL; f++) {
    lua_pushcfunction(L, f->func);
    lua_setfield(L, -2, f->name);
  }
  return 1;
}

#endif

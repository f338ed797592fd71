/*
** mcl_make.c - constructors; the last argument of each may name the dtype
*/

#include <math.h>

#include "mcl.h"


/* {------- sizes ------- */

int mcl_checkshape (lua_State *L, int first, int last, int64_t *shape) {
  int n = last - first + 1;
  luaL_argcheck(L, n >= 1 && n <= MASCON_MAXDIM, first,
                "1 to 4 sizes expected");
  for (int i = 0; i < n; i++) {
    shape[i] = luaL_checkinteger(L, first + i);
    if (shape[i] < 0)
      luaL_argerror(L, first + i, lua_pushfstring(L,
                    "size %I is negative", (lua_Integer)shape[i]));
  }
  return n;
}


mascon_dtype mcl_lastdtype (lua_State *L, int *last) {
  *last = lua_gettop(L);
  if (*last == 0 || lua_type(L, *last) != LUA_TSTRING) return MASCON_F64;
  return mcl_optdtype(L, (*last)--, MASCON_F64);
}


/* a new array of the sizes at 1 to 'last' */
static mascon_array *sized (lua_State *L, int last, mascon_dtype t,
                            bool zero) {
  int64_t shape[MASCON_MAXDIM];
  int n = mcl_checkshape(L, 1, last, shape);
  return mcl_newarray(L, t, n, shape, zero);
}


/* zeros(n1, ..., n4 [, dtype]): 1 to 4 sizes */
static int zeros (lua_State *L) {
  int last;
  mascon_dtype t = mcl_lastdtype(L, &last);
  sized(L, last, t, true);
  return 1;
}


/* empty(n1, ..., n4 [, dtype]): the elements are whatever memory held */
static int empty (lua_State *L) {
  int last;
  mascon_dtype t = mcl_lastdtype(L, &last);
  sized(L, last, t, false);
  return 1;
}


/* ones(n1, ..., n4 [, dtype]) */
static int ones (lua_State *L) {
  int last;
  mascon_dtype t = mcl_lastdtype(L, &last);
  mascon_array *a = sized(L, last, t, false);
  lua_pushinteger(L, 1);
  mcl_assign(L, lua_gettop(L), a);
  lua_pop(L, 1);
  return 1;
}


/* full(n1, ..., n4, x [, dtype]): every element is x */
static int full (lua_State *L) {
  int last;
  mascon_dtype t = mcl_lastdtype(L, &last);
  mascon_array *a;
  luaL_checktype(L, last, LUA_TNUMBER);
  a = sized(L, last - 1, t, false);
  mcl_assign(L, last, a);
  return 1;
}


/* eye(n [, m] [, dtype]): n x m (n), ones on the diagonal */
static int eye (lua_State *L) {
  int last;
  mascon_dtype t = mcl_lastdtype(L, &last);
  int64_t shape[MASCON_MAXDIM], n, step;
  mascon_array *a, diagonal;
  luaL_argcheck(L, last <= 2, 3, "1 or 2 sizes expected");
  if (mcl_checkshape(L, 1, last, shape) == 1) shape[1] = shape[0];
  n = shape[0] < shape[1] ? shape[0] : shape[1];
  step = shape[1] + 1;
  a = mcl_newarray(L, t, 2, shape, true);
  mcl_check(L, mascon_describe(&diagonal, a->data, t, 1, &n, &step, 0));
  mcl_check(L, mascon_fill(1, &diagonal, NULL));
  return 1;
}

/* -------} */


/* {------- sequences ------- */

/* numbers from first to last in steps of step: how many? */
static int64_t countint (lua_Integer first, lua_Integer last,
                         lua_Integer step) {
  uint64_t span = step > 0 ? (uint64_t)last - (uint64_t)first
                           : (uint64_t)first - (uint64_t)last;
  uint64_t width = step > 0 ? (uint64_t)step : 0 - (uint64_t)step, n;
  if (step > 0 ? last < first : last > first) return 0;
  n = span / width;
  return n < INT64_MAX ? (int64_t)n + 1 : INT64_MAX;
}


/* the last one is not lost to rounding: range(0, 0.3, 0.1) has 4 */
static int64_t countnum (lua_State *L, double first, double last,
                         double step) {
  double n = (last - first) / step;
  n = floor(n + 1e-10 * (fabs(n) + 1)) + 1;
  if (isnan(n)) luaL_error(L, "range is of numbers, got nan");
  if (!(n < 0x1p62)) luaL_error(L, "range has too many numbers");
  return n < 0 ? 0 : (int64_t)n;
}


/* raise for the number on top of the stack if 't' does not hold it */
static void checkfit (lua_State *L, mascon_dtype t) {
  if (lua_isinteger(L, -1) ? !mascon_dtype_fits_int(t, lua_tointeger(L, -1))
                           : !mascon_dtype_fits(t, lua_tonumber(L, -1)))
    luaL_error(L, "%s", mcl_misfit(L, -1, t));
}


/* raise for the first of 'n' numbers, from 'first' in steps of 'step' (stack
   indices), that 't' does not hold */
static void checkfits (lua_State *L, int first, int step, int64_t n,
                       mascon_dtype t) {
  bool ints = lua_isinteger(L, first) && lua_isinteger(L, step);
  for (int64_t i = 0; i < n; i++) {
    if (ints)  /* all are in range, the products need not be */
      lua_pushinteger(L, (lua_Integer)((uint64_t)lua_tointeger(L, first) +
                      (uint64_t)i * (uint64_t)lua_tointeger(L, step)));
    else
      lua_pushnumber(L, lua_tonumber(L, first) +
                        (double)i * lua_tonumber(L, step));
    checkfit(L, t);
    lua_pop(L, 1);
  }
}


/*
** range(n [, dtype]): 1 to n; range(first, last [, step] [, dtype]): both
** included, as in a numeric 'for'; step may be negative
*/
static int range (lua_State *L) {
  int last;
  bool ints = true;
  mascon_dtype t = mcl_lastdtype(L, &last);
  mascon_array *a;
  mcl_call c;
  int64_t n;
  int status;
  luaL_argcheck(L, last >= 1 && last <= 3, 1, "1 to 3 numbers expected");
  lua_settop(L, last);
  if (last == 1) {  /* from 1 */
    lua_pushinteger(L, 1);
    lua_insert(L, 1);
  }
  if (last < 3) lua_pushinteger(L, 1);
  for (int i = 1; i <= 3; i++) {
    if (lua_type(L, i) != LUA_TNUMBER) mcl_typeerror(L, i, "number");
    ints = ints && lua_isinteger(L, i);
  }
  luaL_argcheck(L, lua_tonumber(L, 3) != 0, 3, "step is 0");
  n = ints ? countint(lua_tointeger(L, 1), lua_tointeger(L, 2),
                      lua_tointeger(L, 3))
           : countnum(L, lua_tonumber(L, 1), lua_tonumber(L, 2),
                      lua_tonumber(L, 3));
  mcl_begin(L, &c, 0);
  a = mcl_newarray(L, t, 1, &n, false);
  status = ints ? mascon_range_int(lua_tointeger(L, 1), lua_tointeger(L, 3), a,
                                   &c.ex)
                : mascon_range(lua_tonumber(L, 1), lua_tonumber(L, 3), a,
                               &c.ex);
  if (status == MASCON_EINEXACT) checkfits(L, 1, 3, n, t);
  mcl_end(L, &c, status);
  return 1;
}


/*
** linspace(first, last, n [, dtype]): n numbers, evenly spaced, both ends
** exact; first alone for n = 1
*/
static int linspace (lua_State *L) {
  int last;
  mascon_dtype t = mcl_lastdtype(L, &last);
  double x = luaL_checknumber(L, 1), y = luaL_checknumber(L, 2);
  int64_t n = luaL_checkinteger(L, 3);
  mascon_array *a;
  mcl_call c;
  int status;
  luaL_argcheck(L, last == 3, 4, "dtype expected");
  luaL_argcheck(L, n >= 0, 3, "size is negative");
  mcl_begin(L, &c, 0);
  a = mcl_newarray(L, t, 1, &n, false);
  status = mascon_linspace(x, y, a, &c.ex);
  if (status == MASCON_EINEXACT) {
    lua_pushnumber(L, n > 1 ? (y - x) / (double)(n - 1) : 0);
    checkfits(L, 1, lua_gettop(L), n > 1 ? n - 1 : n, t);
    lua_pushnumber(L, y);
    checkfit(L, t);
  }
  mcl_end(L, &c, status);
  return 1;
}

/* -------} */


/* {------- tables ------- */

/* sizes of the nested tables at 'arg', as its first elements tell */
static int measure (lua_State *L, int arg, int64_t *shape) {
  int n = 0;
  lua_pushvalue(L, arg);
  while (lua_type(L, -1) == LUA_TTABLE) {
    if (n == MASCON_MAXDIM)
      luaL_argerror(L, arg, "tables are nested more than 4 deep");
    shape[n++] = (int64_t)lua_rawlen(L, -1);
    lua_rawgeti(L, -1, 1);
  }
  lua_pop(L, n + 1);
  return n;
}


typedef struct filler {
  const mascon_array *a;
  int arg;
  int64_t at[MASCON_MAXDIM];  /* the element that is next */
  int64_t done;               /* elements */
  mcl_call call;
} filler;


/* raise what is wrong with the element at at[0], ..., at[axis] */
static void elementerror (lua_State *L, const filler *f, int axis,
                          const char *why) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addstring(&b, "element ");
  for (int i = 0; i <= axis; i++) {
    lua_pushfstring(L, "[%I]", (lua_Integer)f->at[i] + 1);
    luaL_addvalue(&b);
  }
  luaL_pushresult(&b);
  luaL_argerror(L, f->arg, lua_pushfstring(L, "%s: %s", lua_tostring(L, -1),
                                           why));
}


/* is the value on top fit for axis 'axis' of the array? */
static void checktable (lua_State *L, const filler *f, int axis) {
  int64_t n = f->a->shape[axis];
  if (lua_type(L, -1) != LUA_TTABLE)
    elementerror(L, f, axis - 1, lua_pushfstring(L, "table expected, got %s",
                 mcl_describe(L, lua_gettop(L))));
  if ((int64_t)lua_rawlen(L, -1) != n)
    elementerror(L, f, axis - 1, lua_pushfstring(L, "%I elements, %I expected",
                 (lua_Integer)lua_rawlen(L, -1), (lua_Integer)n));
}


/* the table on top into the part of the array at 'p', from 'axis' on */
static void filltable (lua_State *L, filler *f, int axis, char *p) {
  const mascon_array *a = f->a;
  for (int64_t i = 0; i < a->shape[axis]; i++) {
    f->at[axis] = i;
    lua_rawgeti(L, -1, i + 1);
    if (axis + 1 < a->ndim) {
      checktable(L, f, axis + 1);
      filltable(L, f, axis + 1, p);
    }
    else {
      const char *why = mcl_store(L, lua_gettop(L), mascon_dtype_of(a), p);
      mcl_poll(L, &f->call, ++f->done, mascon_count(a));
      if (why != NULL) elementerror(L, f, axis, why);
    }
    p += a->stride[axis] * (a->dtype.bits / 8);
    lua_pop(L, 1);
  }
}


mascon_array *mcl_fromtable (lua_State *L, int arg, mascon_dtype t) {
  int64_t shape[MASCON_MAXDIM];
  filler f;
  mascon_array *a;
  int n;
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  n = measure(L, arg, shape);
  a = mcl_newarray(L, t, n, shape, false);
  f.a = a;
  f.arg = arg;
  f.done = 0;
  mcl_begin(L, &f.call, 0);
  lua_pushvalue(L, arg);
  filltable(L, &f, 0, a->data);
  lua_pop(L, 1);
  return a;
}


/*
** array(t [, n1, ..., n4] [, dtype]): from a table of numbers, nested up to 4
** deep; with sizes, its elements in row-major order under that shape.  An
** array in place of the table is copied; its dtype is then the default.
*/
static int array (lua_State *L) {
  int64_t shape[MASCON_MAXDIM];
  int last, ndim = 0;
  const mascon_array *from = mcl_toarray(L, 1);
  mascon_dtype t = mcl_lastdtype(L, &last);
  mascon_array *a;
  if (from == NULL && lua_type(L, 1) != LUA_TTABLE)
    mcl_typeerror(L, 1, "table or array");
  if (last > 1) ndim = mcl_checkshape(L, 2, last, shape);
  if (from == NULL) a = mcl_fromtable(L, 1, t);
  else {
    if (last == lua_gettop(L)) t = mascon_dtype_of(from);
    a = mcl_newarray(L, t, from->ndim, from->shape, false);
    mcl_assign(L, 1, a);
  }
  if (ndim > 0) mcl_reshape(L, a, ndim, shape);
  return 1;
}

/* -------} */


void mcl_openmake (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"array", array},
    {"empty", empty},
    {"eye", eye},
    {"full", full},
    {"linspace", linspace},
    {"ones", ones},
    {"range", range},
    {"zeros", zeros},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
}

/*
** mcl_sort.c - sort, argsort, median, percentile
*/

#include "mcl.h"

static const char *const optnames[] = {"threads", "progress", NULL};


/* the axis at 'arg', from 0; 'def' where there is none */
static int optaxis (lua_State *L, int arg, const mascon_array *a, int def) {
  return lua_isnoneornil(L, arg) ? def
                                 : mcl_checkaxis(L, arg, a->ndim);
}


/*
** a:sort([axis [, out [, opts]]]): the elements in ascending order along an
** axis (default: the last), in a new array or in 'out', which may be 'a'.
** NaN comes last.  opts: threads, progress.
*/
static int sort (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  int axis = optaxis(L, 2, a, a->ndim - 1);
  mascon_array *out;
  mcl_call c;
  lua_settop(L, 4);
  mcl_options(L, 4, optnames);
  mcl_begin(L, &c, 4);
  out = mcl_optout(L, 3, mascon_dtype_of(a), false, a->ndim, a->shape);
  mcl_end(L, &c, mascon_sort(a, axis, out, &c.ex));
  return 1;
}


/*
** a:argsort([axis [, out [, opts]]]): the places, from 1, of the elements in
** ascending order along an axis (default: the last); i32, or i64 from 2^31
** elements on.  Equal elements keep their order, -0.0 equals 0.0, NaN comes
** last.  opts: threads, progress.
*/
static int argsort (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  int axis = optaxis(L, 2, a, a->ndim - 1);
  mascon_dtype t = a->shape[axis] > INT32_MAX ? MASCON_I64 : MASCON_I32;
  mascon_array *out;
  mcl_call c;
  lua_settop(L, 4);
  mcl_options(L, 4, optnames);
  mcl_begin(L, &c, 4);
  if (!lua_isnil(L, 3) &&
      mascon_dtype_of(mcl_checkarray(L, 3)) == MASCON_I64) t = MASCON_I64;
  out = mcl_optout(L, 3, t, false, a->ndim, a->shape);
  mcl_end(L, &c, mascon_argsort(a, axis, 1, out, &c.ex));
  return 1;
}


/* median (p < 0) or percentile; axis, out and opts stand from 'arg' on */
static int quantile (lua_State *L, double p, int arg) {
  const mascon_array *a = mcl_checkarray(L, 1);
  int axis = optaxis(L, arg, a, MASCON_ALL_AXES), ndim = 0;
  mascon_dtype t = mascon_dtype_of(a) == MASCON_F32 ? MASCON_F32 : MASCON_F64;
  int64_t shape[MASCON_MAXDIM] = {1};
  mascon_array *out;
  mcl_call c;
  lua_settop(L, arg + 2);
  mcl_options(L, arg + 2, optnames);
  mcl_begin(L, &c, arg + 2);
  for (int i = 0; axis >= 0 && i < a->ndim; i++)
    if (i != axis) shape[ndim++] = a->shape[i];
  out = mcl_optout(L, arg + 1, t, false, ndim > 0 ? ndim : 1, shape);
  mcl_end(L, &c, p < 0 ? mascon_median(a, axis, out, &c.ex)
                       : mascon_percentile(a, axis, p, out, &c.ex));
  if (ndim == 0 && lua_isnil(L, arg + 1)) mcl_pushelement(L, t, out->data);
  return 1;
}


/*
** a:median([axis [, out [, opts]]]): a number for all elements; with an axis,
** an array without it, which of a vector is a number too.  f32 of f32, else
** f64.  NaN where there is a NaN, or no element.  opts: threads, progress.
*/
static int median (lua_State *L) {
  return quantile(L, -1, 2);
}


/*
** a:percentile(p [, axis [, out [, opts]]]): as median, for the value below
** which p per cent of the elements are, interpolated linearly
*/
static int percentile (lua_State *L) {
  double p;
  mcl_checkarray(L, 1);
  p = luaL_checknumber(L, 2);
  if (!(p >= 0 && p <= 100)) mcl_typeerror(L, 2, "number from 0 to 100");
  return quantile(L, p, 3);
}


void mcl_opensort (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"sort", sort},
    {"argsort", argsort},
    {"median", median},
    {"percentile", percentile},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
  mcl_addmethods(L, funcs);
}

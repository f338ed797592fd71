/*
** mcl_view.c - views: other arrays over the same elements; nothing is copied
*/

#include "mcl.h"


int mcl_checkaxis (lua_State *L, int arg, int ndim) {
  lua_Integer k = luaL_checkinteger(L, arg);
  if (k >= 1 && k <= ndim) return (int)k - 1;
  if (k < 0 && k >= -ndim) return (int)(ndim + k);
  return luaL_argerror(L, arg, lua_pushfstring(L,
                       "axis %I is outside 1 to %d", k, ndim));
}


/* an array of at least 'ndim' axes */
static const mascon_array *checkrank (lua_State *L, int ndim) {
  const mascon_array *a = mcl_checkarray(L, 1);
  if (a->ndim < ndim) mcl_typeerror(L, 1, "array of 2 or more axes");
  return a;
}


/* {------- slices ------- */

/*
** One end of a slice of 'n': 1 to n, negative from the end; 'beyond' (0 or
** n + 1) is where an empty slice may end or begin.
*/
static int64_t bound (lua_State *L, int arg, int64_t n, int64_t def,
                      int64_t beyond) {
  lua_Integer i = luaL_optinteger(L, arg, def);
  if (i < 0 && i >= -n) i += n + 1;
  else if ((i < 1 || i > n) && i != beyond)
    luaL_argerror(L, arg, lua_pushfstring(L, "index %I is outside 1 to %I",
                                          i, (lua_Integer)n));
  return i;
}


/*
** Replace 'v' by its elements first, first + step, ... last along 'axis', as
** the arguments from 'arg' on say.  A slice is empty where last is one step
** of 1 before first.  'v' holds no reference, since errors may be raised.
*/
static void slice (lua_State *L, mascon_array *v, int axis, int arg,
                   int64_t step) {
  mascon_array whole = *v;
  int64_t n = v->shape[axis], dir = step < 0 ? -1 : 1;
  int64_t first = bound(L, arg, n, dir > 0 ? 1 : n, dir > 0 ? n + 1 : 0);
  int64_t last = bound(L, arg + 1, n, dir > 0 ? n : 1, dir > 0 ? 0 : n + 1);
  int64_t span = (last - first) * dir, count = 0;
  if (span < -1)
    luaL_argerror(L, arg + 1, lua_pushfstring(L, "slice from %I to %I",
                  (lua_Integer)first, (lua_Integer)last));
  if (span >= 0)
    count = 1 + (int64_t)((uint64_t)span / ((uint64_t)step * (uint64_t)dir));
  mcl_check(L, mascon_narrow(v, &whole, axis, first - 1, count, step));
}


static int64_t checkstep (lua_State *L, int arg) {
  int64_t step = luaL_optinteger(L, arg, 1);
  luaL_argcheck(L, step != 0, arg, "step is 0");
  return step;
}


/* push part of 'a', described by 'v'; a new handle may run a finalizer, and
   that may close 'a' */
static int pushpart (lua_State *L, const mascon_array *a, mascon_array *v) {
  mascon_array *part = mcl_pushsibling(L, a);
  if (a->magic != MASCON_MAGIC) mcl_check(L, MASCON_ECLOSED);
  v->buffer = a->buffer;
  mcl_check(L, mascon_view(part, v));
  return 1;
}


/* push the slice of 'a' along 'axis' that the arguments from 'arg' on say */
static int pushslice (lua_State *L, const mascon_array *a, int axis, int arg,
                      int64_t step) {
  mascon_array v = *a;
  v.buffer = NULL;
  slice(L, &v, axis, arg, step);
  return pushpart(L, a, &v);
}


/* v:sub(first, last [, step]): part of the first axis */
static int sub (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  return pushslice(L, a, 0, 2, checkstep(L, 4));
}


/* a:narrow(axis, first, last [, step]): part of an axis */
static int narrow (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  return pushslice(L, a, mcl_checkaxis(L, 2, a->ndim), 3, checkstep(L, 5));
}


/* a:rows(first, last): part of the first axis */
static int rows (lua_State *L) {
  return pushslice(L, mcl_checkarray(L, 1), 0, 2, 1);
}


/* a:cols(first, last): part of the second axis */
static int cols (lua_State *L) {
  return pushslice(L, checkrank(L, 2), 1, 2, 1);
}


/* a:block(r1, r2, c1, c2): rows r1 to r2, columns c1 to c2 */
static int block (lua_State *L) {
  const mascon_array *a = checkrank(L, 2);
  mascon_array v = *a;
  v.buffer = NULL;
  slice(L, &v, 0, 2, 1);
  slice(L, &v, 1, 4, 1);
  return pushpart(L, a, &v);
}


static int pushselected (lua_State *L, const mascon_array *a, int axis,
                         int arg) {
  int64_t i = mcl_checkindex(L, arg, a->shape[axis]);
  mcl_check(L, mascon_select(mcl_pushsibling(L, a), a, axis, i));
  return 1;
}


/* a:select(axis, i): the slice at i, without that axis */
static int selectaxis (lua_State *L) {
  const mascon_array *a = checkrank(L, 2);
  return pushselected(L, a, mcl_checkaxis(L, 2, a->ndim), 3);
}


/* a:row(i): the i-th slice of the first axis */
static int row (lua_State *L) {
  return pushselected(L, checkrank(L, 2), 0, 2);
}


/* a:col(j): the j-th slice of the second axis */
static int col (lua_State *L) {
  return pushselected(L, checkrank(L, 2), 1, 2);
}

/* -------} */


/* {------- other orders and shapes ------- */

/* a:t(): the axes in reverse order; a vector stays as it is */
static int transpose (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  int axes[MASCON_MAXDIM];
  for (int i = 0; i < a->ndim; i++) axes[i] = a->ndim - 1 - i;
  mcl_check(L, mascon_permute(mcl_pushsibling(L, a), a, axes));
  return 1;
}


/* a:permute(k1, k2, ...): axis i of the view is axis ki of 'a' */
static int permute (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  int axes[MASCON_MAXDIM], n = lua_gettop(L) - 1;
  if (n != a->ndim)
    return luaL_error(L, "%d axes expected for %s, got %d", (int)a->ndim,
                      mcl_describe(L, 1), n);
  for (int i = 0; i < a->ndim; i++) {
    axes[i] = mcl_checkaxis(L, i + 2, a->ndim);
    for (int j = 0; j < i; j++)
      if (axes[i] == axes[j])
        return luaL_argerror(L, i + 2, "axis is named twice");
  }
  mcl_check(L, mascon_permute(mcl_pushsibling(L, a), a, axes));
  return 1;
}


/* raise "6 elements do not fit 4 x 5" */
static int shapeerror (lua_State *L, const mascon_array *a, int ndim,
                       const int64_t *shape) {
  return luaL_error(L, "%I elements do not fit %s",
                    (lua_Integer)mascon_count(a),
                    mcl_pushshape(L, ndim, shape));
}


/* the elements per unit of the size that is left open; raises if none */
static int64_t fillin (lua_State *L, const mascon_array *a, int ndim,
                       const int64_t *shape, int open) {
  int64_t n = mascon_count(a);
  for (int i = 0; i < ndim; i++)
    if (i != open) {
      if (shape[i] == 0 || n % shape[i] != 0) shapeerror(L, a, ndim, shape);
      n /= shape[i];
    }
  return n;
}


void mcl_reshape (lua_State *L, const mascon_array *a, int ndim,
                  const int64_t *shape) {
  int status = mascon_reshape(mcl_pushsibling(L, a), a, ndim, shape);
  if (status == MASCON_ESHAPE) {
    int64_t n = 1;
    for (int i = 0; i < ndim; i++)
      if (__builtin_mul_overflow(n, shape[i], &n)) n = -1;
    if (n != mascon_count(a)) shapeerror(L, a, ndim, shape);
    luaL_error(L, "no strides over this view give that shape: copy first");
  }
  mcl_check(L, status);
}


/*
** a:reshape(n1, ..., n4): the same elements in row-major order under another
** shape; one size may be -1: what is left.  An error where no strides can
** give it: a:copy():reshape(...) then.
*/
static int reshape (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  int64_t shape[MASCON_MAXDIM];
  int n = lua_gettop(L) - 1, open = -1;
  for (int i = 0; i < n && open < 0; i++)
    if (lua_isinteger(L, i + 2) && lua_tointeger(L, i + 2) == -1) {
      open = i;
      lua_pushinteger(L, 0);
      lua_replace(L, i + 2);
    }
  mcl_checkshape(L, 2, n + 1, shape);
  if (open >= 0) {
    shape[open] = -1;
    shape[open] = fillin(L, a, n, shape, open);
  }
  mcl_reshape(L, a, n, shape);
  return 1;
}

/* -------} */


void mcl_openview (lua_State *L) {
  static const luaL_Reg methods[] = {
    {"block", block},
    {"col", col},
    {"cols", cols},
    {"narrow", narrow},
    {"permute", permute},
    {"reshape", reshape},
    {"row", row},
    {"rows", rows},
    {"select", selectaxis},
    {"sub", sub},
    {"t", transpose},
    {NULL, NULL}
  };
  mcl_addmethods(L, methods);
}

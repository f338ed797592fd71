/*
** mcl_reduce.c - reductions and running sums
**
** A reduction is a closure: upvalue 1 is the metatable of arrays, upvalue 2
** the number of the operation.
*/

#include "mcl.h"

#define OP (int)lua_tointeger(L, lua_upvalueindex(2))


/* the axis at 'arg', counted from 0; none or nil: all of them */
static int optaxis (lua_State *L, int arg, const mascon_array *a) {
  return lua_isnoneornil(L, arg) ? MASCON_ALL_AXES
                                 : mcl_checkaxis(L, arg, a->ndim);
}


static bool isarg (int op) {
  return op == MASCON_REDUCE_ARGMIN || op == MASCON_REDUCE_ARGMAX;
}


/* raise a status that is better said in the words of this call */
static void finish (lua_State *L, mcl_call *c, int status) {
  if (status == MASCON_EOVERFLOW)
    luaL_error(L, "a result does not fit i64 (convert to f64 first)");
  if (status == MASCON_EVALUE)
    luaL_error(L, "an empty line has no least or greatest element");
  if (status == MASCON_EALIAS)  /* only an output of the caller's does */
    luaL_argerror(L, 3, mascon_strerror(status));
  mcl_end(L, c, status);
}


/* push the indices of element 'flat' in row-major order, one an axis */
static int pushindices (lua_State *L, const mascon_array *a, int64_t flat) {
  int64_t at[MASCON_MAXDIM];
  if (flat < 0) {
    lua_pushnil(L);
    return 1;
  }
  for (int i = a->ndim; i-- > 0; flat /= a->shape[i])
    at[i] = flat % a->shape[i];
  for (int i = 0; i < a->ndim; i++) lua_pushinteger(L, at[i] + 1);
  return a->ndim;
}


/* over all axes: a number; a boolean of any, all; indices of argmin, argmax */
static int whole (lua_State *L, int op, const mascon_array *a,
                  const mascon_reduce_opts *opts, mcl_call *c) {
  static const int64_t one = 1;
  union {
    double f64;
    int64_t i64;
  } r = {0};
  mascon_dtype t = mascon_reduce_dtype(op, mascon_dtype_of(a));
  mascon_array out;
  t = t == MASCON_F64 || t == MASCON_F32 ? MASCON_F64 : MASCON_I64;
  mcl_check(L, mascon_describe(&out, &r, t, 1, &one, NULL, 0));
  finish(L, c, mascon_reduce(op, a, MASCON_ALL_AXES, opts, &out, &c->ex));
  if (isarg(op)) return pushindices(L, a, r.i64);
  if (op == MASCON_REDUCE_ANY || op == MASCON_REDUCE_ALL)
    lua_pushboolean(L, r.i64 != 0);
  else if (t == MASCON_F64) lua_pushnumber(L, r.f64);
  else mcl_pushint(L, r.i64);
  return 1;
}


/* the sizes of a result, which keeps the axis as one of 1 or loses it: how
   many there are, at least one */
static int resultshape (const mascon_array *a, int axis, bool keep,
                        int64_t *shape) {
  int n = 0;
  shape[0] = 1;
  for (int i = 0; i < a->ndim; i++) {
    if (axis != MASCON_ALL_AXES && i != axis) shape[n++] = a->shape[i];
    else if (keep) shape[n++] = 1;
  }
  return n > 0 ? n : 1;
}


/* 0-based indices in 'out' to Lua's: -1 (nothing but NaN) becomes 0 */
static void toluaindex (lua_State *L, mascon_array *out) {
  static const int64_t one = 1;
  int64_t x = 1;
  mascon_array by;
  mcl_check(L, mascon_describe(&by, &x, MASCON_I64, 1, &one, NULL, 0));
  mcl_check(L, mascon_binary(MASCON_OP_ADD, out, &by, out, NULL));
}


/*
** sum(a [, axis [, out [, opts]]]), a:sum(...): without an axis, of all
** elements: a number (any, all: a boolean; argmin, argmax: one index an axis,
** nil if there is nothing but NaN).  Of a vector along its axis the same.
** Else an array without the axis.  opts: ddof (var, std), keepdims, threads,
** progress; they may stand in the place of 'out'.
*/
static int reduce (lua_State *L) {
  static const char *const names[] = {"threads", "progress", "keepdims",
                                      "ddof", NULL};
  mascon_reduce_opts opts = MASCON_REDUCE_INIT;
  const mascon_array *a = mcl_checkarray(L, 1);
  int axis = optaxis(L, 2, a), op = OP;
  int64_t shape[MASCON_MAXDIM];
  mascon_dtype t = mascon_reduce_dtype(op, mascon_dtype_of(a));
  mascon_array *out;
  mcl_call c;
  int ndim, status;
  bool keep;
  lua_settop(L, 4);
  if (lua_type(L, 3) == LUA_TTABLE && lua_isnil(L, 4)) {
    lua_insert(L, 3);  /* sum(a, axis, opts) */
  }
  mcl_options(L, 4, names);
  keep = mcl_optbool(L, 4, "keepdims", false);
  opts.ddof = mcl_optint(L, 4, "ddof", 0, 0, INT64_MAX);
  out = lua_isnil(L, 3) ? NULL : mcl_checkout(L, 3);
  mcl_begin(L, &c, 4);
  if (out == NULL && !keep && (axis == MASCON_ALL_AXES || a->ndim == 1))
    return whole(L, op, a, &opts, &c);
  ndim = resultshape(a, axis, keep, shape);
  if (out != NULL) lua_pushvalue(L, 3);
  else out = mcl_newarray(L, t, ndim, shape, false);
  status = mascon_reduce(op, a, axis, &opts, out, &c.ex);
  if (status == MASCON_ESHAPE || status == MASCON_ETYPE)
    mcl_outerror(L, 3, t, ndim, shape);
  finish(L, &c, status);
  if (isarg(op)) toluaindex(L, out);
  return 1;
}


/*
** cumsum(a [, axis [, out [, opts]]]), a:cumsum(...): running sums along an
** axis, of the shape of a; without an axis a vector of all, row by row
*/
static int cumsum (lua_State *L) {
  static const char *const names[] = {"threads", "progress", NULL};
  const mascon_array *a = mcl_checkarray(L, 1);
  int axis = optaxis(L, 2, a);
  int64_t count = mascon_count(a);
  bool all = axis == MASCON_ALL_AXES;
  mascon_dtype t = mascon_reduce_dtype(MASCON_REDUCE_SUM, mascon_dtype_of(a));
  mascon_array *out;
  mcl_call c;
  lua_settop(L, 4);
  mcl_options(L, 4, names);
  mcl_begin(L, &c, 4);
  out = mcl_optout(L, 3, t, true, all ? 1 : a->ndim, all ? &count : a->shape);
  finish(L, &c, mascon_cumsum(a, axis, out, &c.ex));
  return 1;
}


static void addall (lua_State *L) {
  static const struct {
    const char *name;
    int op;
  } list[] = {
    {"sum", MASCON_REDUCE_SUM},
    {"prod", MASCON_REDUCE_PROD},
    {"mean", MASCON_REDUCE_MEAN},
    {"var", MASCON_REDUCE_VAR},
    {"std", MASCON_REDUCE_STD},
    {"min", MASCON_REDUCE_MIN},
    {"max", MASCON_REDUCE_MAX},
    {"argmin", MASCON_REDUCE_ARGMIN},
    {"argmax", MASCON_REDUCE_ARGMAX},
    {"any", MASCON_REDUCE_ANY},
    {"all", MASCON_REDUCE_ALL}
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    luaL_getmetatable(L, MCL_ARRAY);
    lua_pushinteger(L, list[i].op);
    lua_pushcclosure(L, reduce, 2);
    lua_setfield(L, -2, list[i].name);
  }
}


void mcl_openreduce (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"cumsum", cumsum},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
  mcl_addmethods(L, funcs);
  addall(L);
  luaL_getmetatable(L, MCL_ARRAY);
  lua_getfield(L, -1, "methods");
  addall(L);
  lua_pop(L, 2);
}

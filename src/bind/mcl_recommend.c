/*
** mcl_recommend.c - recommend
*/

#include "mcl_topn.h"


/* f32 or f64 matrix of factors at 'arg' */
static const mascon_array *checkfactors (lua_State *L, int arg) {
  const mascon_array *a = mcl_toarray(L, arg);
  mascon_dtype t = a != NULL ? mascon_dtype_of(a) : MASCON_NDTYPE;
  if ((t != MASCON_F32 && t != MASCON_F64) || a->ndim != 2)
    mcl_typeerror(L, arg, "f32 or f64 matrix");
  return a;
}


static void checkbias (lua_State *L, const mascon_array *bias, int64_t n) {
  mascon_dtype t = bias != NULL ? mascon_dtype_of(bias) : MASCON_F64;
  const char *expected;
  if (bias == NULL || ((t == MASCON_F32 || t == MASCON_F64) &&
                       bias->ndim == 1 && bias->shape[0] == n)) return;
  expected = lua_pushfstring(L, "f32 or f64 vector %I", (lua_Integer)n);
  mcl_optvalue(L, 4, "bias");
  mcl_opterror(L, 4, "bias", expected);
}


/*
** recommend(users, items, n [, opts]): for every row of 'users' (users x
** rank, f32 or f64) the n rows of 'items' (items x rank) with the highest
** score: the sum of the products of their factors, in double, in order of the
** factors; with opts.normalize divided by the product of both norms (0 where
** that is 0); plus opts.bias[item]; rounded once to f32 if both matrices are
** f32.  Returns ids (i32, rows x n), scores, counts (i32) and info.  Best
** first: higher score, then smaller id; NaN never.  opts.rows: ids of the
** users to do, whose rows of exclude and allow are then used; result row i
** belongs to rows[i].  opts.exclude_self: nobody gets the item of his number.
*/
static int recommend (lua_State *L) {
  const mascon_array *users = checkfactors(L, 1);
  const mascon_array *items = checkfactors(L, 2);
  int64_t nrows = users->shape[0];
  mcl_top t;
  if (items->shape[1] != users->shape[1])
    mcl_typeerror(L, 2, lua_pushfstring(L, "matrix of %I columns, as users",
                                        (lua_Integer)users->shape[1]));
  lua_settop(L, 4);
  mcl_topoptions(L, &t, 4, MCL_KRECOMMEND, users->shape[0], items->shape[0]);
  checkbias(L, t.opts.bias, items->shape[0]);
  if (t.opts.exclude_self && users->shape[0] != items->shape[0])
    luaL_argerror(L, 4, lua_pushfstring(L, "option 'exclude_self': as many "
                  "users as items expected, got %I and %I",
                  (lua_Integer)users->shape[0], (lua_Integer)items->shape[0]));
  if (t.opts.rows != NULL) nrows = t.opts.rows->shape[0];
  mcl_topresults(L, &t, 4, nrows,
                 mascon_dtype_join(mascon_dtype_of(users),
                                   mascon_dtype_of(items)), false);
  return mcl_topreturn(L, &t, mascon_recommend(users, items, &t.opts, &t.out,
                                               &t.call.ex));
}


void mcl_openrecommend (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"recommend", recommend},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
}

/*
** mcl_recommend.c - recommend, for items as they are and for an index
*/

#include "mcl_topn.h"

/* one call: the users are there, or a function makes them */
typedef struct users {
  mcl_top t;  /* the exec's callbacks get &t.call */
  const mascon_array *array;  /* NULL: from the source */
  mascon_users source;
  int fill;   /* stack index of its function */
  int64_t n;
  mascon_dtype type;
} users;


const mascon_array *mcl_checkfactors (lua_State *L, int arg) {
  const mascon_array *a = mcl_toarray(L, arg);
  mascon_dtype t = a != NULL ? mascon_dtype_of(a) : MASCON_NDTYPE;
  if ((t != MASCON_F32 && t != MASCON_F64) || a->ndim != 2)
    mcl_typeerror(L, arg, "f32 or f64 matrix");
  return a;
}


/* the table of numbers on top of the stack becomes a vector */
static const mascon_array *fromtable (lua_State *L, int arg) {
  int64_t n = (int64_t)lua_rawlen(L, -1);
  mascon_array *a = mcl_newarray(L, MASCON_F64, 1, &n, false);
  for (int64_t i = 0; i < n; i++) {
    if (lua_rawgeti(L, -2, i + 1) != LUA_TNUMBER)
      mcl_opterror(L, arg, "bias", "table of numbers");
    ((double *)a->data)[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  lua_remove(L, -2);
  return a;
}


const mascon_array *mcl_optbias (lua_State *L, int arg, int64_t n) {
  const mascon_array *a;
  mascon_dtype t;
  const char *expected;
  if (mcl_optvalue(L, arg, "bias") == LUA_TTABLE) a = fromtable(L, arg);
  else {
    lua_pop(L, 1);
    a = mcl_optarray(L, arg, "bias", "f32 or f64 vector, or table of numbers,");
  }
  t = a != NULL ? mascon_dtype_of(a) : MASCON_F64;
  if (a == NULL || ((t == MASCON_F32 || t == MASCON_F64) && a->ndim == 1 &&
                    a->shape[0] == n)) return a;
  expected = lua_pushfstring(L, "f32 or f64 vector %I", (lua_Integer)n);
  lua_insert(L, -2);
  mcl_opterror(L, arg, "bias", expected);
  return NULL;  /* not reached */
}


/* {------- users ------- */

static int fill (void *ud, mascon_array *block, int64_t first, int64_t last) {
  users *u = ud;
  mcl_handover h = {first, last, {block, NULL, NULL}, 1, true};
  return mcl_handoff(&u->t.call, u->fill, &h);
}


/* {rows =, users = function(block, first, last) [, batch =] [, dtype =]} */
static void checksource (lua_State *L, users *u, int arg, mascon_dtype t) {
  static const char *const names[] = {"rows", "users", "batch", "dtype", NULL};
  static const char *const types[] = {"f64", "f32", NULL};
  static const mascon_users init = MASCON_USERS_INIT;
  mascon_users *s = &u->source;
  *s = init;
  mcl_options(L, arg, names);
  if (mcl_optvalue(L, arg, "rows") == LUA_TNIL)
    mcl_opterror(L, arg, "rows", "integer from 0 up");
  lua_pop(L, 1);
  s->rows = mcl_optint(L, arg, "rows", 0, 0, INT64_MAX);
  s->batch = mcl_optint(L, arg, "batch", 0, 1, INT64_MAX);
  s->dtype = mcl_optenum(L, arg, "dtype", t == MASCON_F32, types) == 0
               ? MASCON_F64 : MASCON_F32;
  s->fill = fill;
  s->ud = u;
  if (mcl_optvalue(L, arg, "users") != LUA_TFUNCTION)
    mcl_opterror(L, arg, "users", "function");
  u->fill = lua_gettop(L);
  mcl_pushhandover(L);
  u->array = NULL;
  u->n = s->rows;
  u->type = (mascon_dtype)s->dtype;
}


static void checkusers (lua_State *L, users *u, int arg,
                        const mcl_items *items) {
  if (lua_type(L, arg) == LUA_TTABLE) {
    checksource(L, u, arg, items->type);
    return;
  }
  u->array = mcl_checkfactors(L, arg);
  if (u->array->shape[1] == items->rank) {
    u->n = u->array->shape[0];
    u->type = mascon_dtype_of(u->array);
  }
  else if (items->index == NULL)
    mcl_typeerror(L, 2, lua_pushfstring(L, "matrix of %I columns, as users",
                                        (lua_Integer)u->array->shape[1]));
  else
    mcl_typeerror(L, arg, lua_pushfstring(L, "matrix of %I columns, as items",
                                          (lua_Integer)items->rank));
}

/* -------} */


static int run (users *u, const mcl_items *items) {
  const mascon_topn_opts *o = &u->t.opts;
  const mascon_topn_out *out = &u->t.out;
  mascon_exec *ex = &u->t.call.ex;
  if (items->index != NULL)
    return u->array != NULL
      ? mascon_index_recommend(items->index, u->array, o, out, ex)
      : mascon_index_recommend_stream(items->index, &u->source, o, out, ex);
  return u->array != NULL
    ? mascon_recommend(u->array, items->array, o, out, ex)
    : mascon_recommend_stream(&u->source, items->array, o, out, ex);
}


int mcl_recommend (lua_State *L, int arg, const mcl_items *items) {
  int64_t nrows;
  users u;
  checkusers(L, &u, arg, items);
  mcl_topoptions(L, &u.t, 4, MCL_KRECOMMEND, u.n, items->n);
  if (u.t.opts.exclude_self && u.n != items->n)
    luaL_argerror(L, 4, lua_pushfstring(L, "option 'exclude_self': as many "
                  "users as items expected, got %I and %I", (lua_Integer)u.n,
                  (lua_Integer)items->n));
  nrows = u.t.opts.rows != NULL ? u.t.opts.rows->shape[0] : u.n;
  mcl_topresults(L, &u.t, 4, nrows, mascon_dtype_join(u.type, items->type),
                 false);
  return mcl_topreturn(L, &u.t, run(&u, items));
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
** 'users' may be {rows =, users = function(block, first, last) [, batch =]
** [, dtype =]}: the function fills 'block' with the factors of users first to
** last (with opts.rows, of those users), as for topn_stream.
*/
static int recommend (lua_State *L) {
  mcl_items items = {.index = NULL};
  if (lua_type(L, 1) != LUA_TTABLE) mcl_checkfactors(L, 1);
  items.array = mcl_checkfactors(L, 2);
  items.n = items.array->shape[0];
  items.rank = items.array->shape[1];
  items.type = mascon_dtype_of(items.array);
  lua_settop(L, 4);
  return mcl_recommend(L, 1, &items);
}


void mcl_openrecommend (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"recommend", recommend},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
}

/*
** mcl_topn.c - topn, and the options of its whole family
*/

#include <math.h>
#include <string.h>

#include "mcl_topn.h"

#define NVALUES 24  /* options, results and callbacks kept on the stack */


/* {------- options ------- */

static void checknames (lua_State *L, int arg, mcl_kind kind) {
#define FAMILY "base", "pad_id", "pad_score", "exclude", "exclude_items", \
               "allow", "min", "out", "sink", "first", "threads", "progress"
  static const char *const stream[] = {FAMILY, "smallest", NULL};
  static const char *const similar[] = {FAMILY, "bias", "normalize", "check",
                                        NULL};
  static const char *const recommend[] = {FAMILY, "bias", "normalize", "check",
                                          "rows", "exclude_self", "ranks",
                                          NULL};
#undef FAMILY
  mcl_options(L, arg, kind == MCL_KRECOMMEND ? recommend
                      : kind == MCL_KSIMILAR ? similar : stream);
}


/* raise that the value on top of the stack, of 'name' in 'arg', is not such */
static int badids (lua_State *L, int arg, const char *name,
                   const char *expected) {
  if (name != NULL) return mcl_opterror(L, arg, name, expected);
  return luaL_argerror(L, arg, lua_pushfstring(L, "%s expected, got %s",
                       expected, mcl_describe(L, lua_gettop(L))));
}


/* push a vector of the integers of the table on top of the stack, instead */
static const mascon_array *idsfromtable (lua_State *L, int arg,
                                         const char *name) {
  int table = lua_gettop(L);
  int64_t n = (int64_t)lua_rawlen(L, table);
  mascon_array *a = mcl_newarray(L, MASCON_I64, 1, &n, false);
  for (int64_t i = 0; i < n; i++) {
    int isint;
    lua_rawgeti(L, table, i + 1);
    ((int64_t *)a->data)[i] = lua_tointegerx(L, -1, &isint);
    if (!isint) badids(L, arg, name, "table of integers");
    lua_pop(L, 1);
  }
  lua_replace(L, table);
  return a;
}


const mascon_array *mcl_toids (lua_State *L, int arg, const char *name) {
  const mascon_array *a;
  mascon_dtype t;
  if (lua_type(L, -1) == LUA_TTABLE) return idsfromtable(L, arg, name);
  a = mcl_livearray(L, lua_gettop(L));
  t = a != NULL ? mascon_dtype_of(a) : MASCON_NDTYPE;
  if ((t != MASCON_I32 && t != MASCON_I64) || a->ndim != 1)
    badids(L, arg, name, name != NULL ? "i32 or i64 vector, or table, of ids"
           : "id, or i32 or i64 vector, or table, of ids");
  return a;
}


const mascon_array *mcl_optids (lua_State *L, int arg, const char *name) {
  if (mcl_optvalue(L, arg, name) != LUA_TNIL) return mcl_toids(L, arg, name);
  lua_pop(L, 1);
  return NULL;
}


void mcl_checkids (lua_State *L, int arg, const char *name,
                   const mascon_array *a, int base, int64_t n) {
  for (int64_t i = 0; a != NULL && i < a->shape[0]; i++) {
    int64_t k = i * a->stride[0];
    int64_t id = a->dtype.bits == 32 ? ((const int32_t *)a->data)[k]
                                     : ((const int64_t *)a->data)[k];
    if (id < base || id - base >= n)
      luaL_argerror(L, arg, lua_pushfstring(L,
        "%s%s%sid %I at position %I is outside %d to %I",
        name != NULL ? "option '" : "", name != NULL ? name : "",
        name != NULL ? "': " : "", (lua_Integer)id, (lua_Integer)i + 1, base,
        (lua_Integer)(base + n - 1)));
  }
}


/* the compressed rows of option 'name'; on the stack if there are any */
static const mascon_csr *optcsr (lua_State *L, int arg, const char *name,
                                 int64_t nrows, int64_t ncols) {
  const mascon_csr *c;
  if (mcl_optvalue(L, arg, name) == LUA_TNIL) {
    lua_pop(L, 1);
    return NULL;
  }
  c = mcl_tocsr(L, lua_gettop(L));
  if (c == NULL) mcl_opterror(L, arg, name, "csr");
  if (c->nrows != nrows || c->ncols != ncols)
    luaL_argerror(L, arg, lua_pushfstring(L,
      "option '%s': csr %I x %I expected, got csr %I x %I", name,
      (lua_Integer)nrows, (lua_Integer)ncols, (lua_Integer)c->nrows,
      (lua_Integer)c->ncols));
  return c;
}


/* allow is either compressed rows or ids that hold for all of them */
static void optallow (lua_State *L, mcl_top *t, int arg, int64_t users,
                      int64_t ncols) {
  bool rows;
  if (mcl_optvalue(L, arg, "allow") == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  rows = mcl_tocsr(L, lua_gettop(L)) != NULL;
  lua_pop(L, 1);
  if (rows) t->opts.allow = optcsr(L, arg, "allow", users, ncols);
  else {
    t->opts.allow_items = mcl_optids(L, arg, "allow");
    mcl_checkids(L, arg, "allow", t->opts.allow_items, t->opts.base, ncols);
  }
}


static void optrecommend (lua_State *L, mcl_top *t, int arg, int64_t users) {
  if (mcl_optvalue(L, arg, "normalize") != LUA_TNIL)
    t->opts.normalize = mcl_optbool(L, arg, "normalize", false) ? 1 : -1;
  lua_pop(L, 1);
  t->opts.bias = mcl_optbias(L, arg, t->ncols);
  t->opts.exclude_self = mcl_optbool(L, arg, "exclude_self", false);
  t->opts.rows = mcl_optids(L, arg, "rows");
  mcl_checkids(L, arg, "rows", t->opts.rows, t->opts.base, users);
  t->opts.ranks = optcsr(L, arg, "ranks", users, t->ncols);
  t->opts.check = mcl_optint(L, arg, "check", 0, 0, INT64_MAX);
  t->out.stats = &t->stats;
  t->stats.size = sizeof t->stats;
}


static int64_t checkn (lua_State *L, int arg) {
  int isint;
  lua_Integer n = lua_tointegerx(L, arg, &isint);
  if (!isint || lua_type(L, arg) != LUA_TNUMBER || n < 1)
    mcl_typeerror(L, arg, "integer from 1 up");
  return n;
}


void mcl_topoptions (lua_State *L, mcl_top *t, int arg, mcl_kind kind,
                     int64_t users, int64_t ncols) {
  static const mascon_topn_opts opts = MASCON_TOPN_INIT;
  static const mascon_topn_out out = MASCON_TOPN_OUT_INIT;
  luaL_checkstack(L, NVALUES + LUA_MINSTACK, NULL);
  t->opts = opts;
  t->out = out;
  t->arg = arg;
  t->ncols = ncols;
  t->opts.n = checkn(L, arg - 1);
  checknames(L, arg, kind);
  t->opts.base = (int)mcl_optint(L, arg, "base", 1, 0, 1);
  t->opts.pad_id = mcl_optint(L, arg, "pad_id", t->opts.base - 1, INT64_MIN,
                              INT64_MAX);
  t->opts.pad_score = mcl_optnum(L, arg, "pad_score", -HUGE_VAL);
  if (mcl_optvalue(L, arg, "min") != LUA_TNIL) {
    t->opts.min = mcl_optnum(L, arg, "min", 0);
    if (isnan(t->opts.min))
      mcl_opterror(L, arg, "min", "number other than NaN");
  }
  lua_pop(L, 1);
  t->opts.exclude = optcsr(L, arg, "exclude", users, ncols);
  t->opts.exclude_items = mcl_optids(L, arg, "exclude_items");
  mcl_checkids(L, arg, "exclude_items", t->opts.exclude_items, t->opts.base,
             ncols);
  optallow(L, t, arg, users, ncols);
  if (kind == MCL_KRECOMMEND || kind == MCL_KSIMILAR)
    optrecommend(L, t, arg, users);
  else t->opts.smallest = mcl_optbool(L, arg, "smallest", false);
}

/* -------} */


/*
** topn(scores, n [, opts]): the n best of each row of a matrix (or of one
** vector), f32 or f64.  Returns ids (i32, rows x n), scores, counts (i32) and
** info; for a vector, ids and scores are vectors of n and counts has one
** element.  Best first: higher score (lower with opts.smallest), then smaller
** id; NaN never.
*/
static int topn (lua_State *L) {
  const mascon_array *scores = mcl_toarray(L, 1);
  mascon_dtype type;
  int64_t nrows, ncols;
  mcl_top t;
  type = scores != NULL ? mascon_dtype_of(scores) : MASCON_NDTYPE;
  if ((type != MASCON_F32 && type != MASCON_F64) || scores->ndim > 2)
    mcl_typeerror(L, 1, "f32 or f64 matrix");
  nrows = scores->ndim == 2 ? scores->shape[0] : 1;
  ncols = scores->shape[scores->ndim - 1];
  lua_settop(L, 3);
  mcl_topoptions(L, &t, 3, MCL_KTOPN, nrows, ncols);
  mcl_topresults(L, &t, 3, nrows, type, scores->ndim == 1);
  return mcl_topreturn(L, &t, mascon_topn(scores, &t.opts, &t.out,
                                          &t.call.ex));
}


void mcl_opentopn (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"topn", topn},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
}

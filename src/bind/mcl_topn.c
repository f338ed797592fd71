/*
** mcl_topn.c - topn, and the options and results of its whole family
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
    if (!isint) mcl_opterror(L, arg, name, "table of integers");
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
    mcl_opterror(L, arg, name, "i32 or i64 vector of ids");
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
        "option '%s': id %I at position %I is outside %d to %I", name,
        (lua_Integer)id, (lua_Integer)i + 1, base,
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


/* {------- callbacks that get arrays ------- */

/* handover(f, h): call f as 'h' says; returns what it returns */
static int handover (lua_State *L) {
  const mcl_handover *h = lua_touserdata(L, 2);
  mascon_array *a[3];
  lua_settop(L, 2);
  for (int i = 0; i < h->n; i++) {
    a[i] = mcl_pushhandle(L);
    mcl_check(L, mascon_view(a[i], h->arrays[i]));
  }
  lua_pushvalue(L, 1);
  for (int i = 0; i < h->n && h->arraysfirst; i++) lua_pushvalue(L, i + 3);
  lua_pushinteger(L, h->first + 1);
  lua_pushinteger(L, h->last);
  for (int i = 0; i < h->n && !h->arraysfirst; i++) lua_pushvalue(L, i + 3);
  lua_call(L, h->n + 2, 1);
  for (int i = 0; i < h->n; i++) mascon_release(a[i]);  /* not to be kept */
  return 1;
}


void mcl_pushhandover (lua_State *L) {
  lua_pushvalue(L, MCL_META);
  lua_pushcclosure(L, handover, 1);
}


int mcl_handoff (mcl_call *c, int func, mcl_handover *h) {
  lua_pushvalue(c->L, func + 1);
  lua_pushvalue(c->L, func);
  lua_pushlightuserdata(c->L, h);
  return mcl_callback(c, 2);
}


static int sink (void *ud, int64_t first, int64_t last,
                 const mascon_array *ids, const mascon_array *scores,
                 const mascon_array *counts) {
  mcl_top *t = ud;
  mcl_handover h = {first, last, {ids, scores, counts}, 3, false};
  return mcl_handoff(&t->call, t->sink, &h);
}


static void optsink (lua_State *L, mcl_top *t, int arg) {
  t->sink = 0;
  switch (mcl_optvalue(L, arg, "sink")) {
    case LUA_TNIL: lua_pop(L, 1); return;
    case LUA_TFUNCTION: break;
    default: mcl_opterror(L, arg, "sink", "function");
  }
  t->sink = lua_gettop(L);
  mcl_pushhandover(L);
  t->out.sink = sink;
  t->out.ud = t;
}

/* -------} */


/* {------- results ------- */

static const char *const names[] = {"ids", "scores", "counts", "ranks"};


/* push what option 'out' has for result 'k' (nil: nothing) */
static void pushwanted (lua_State *L, int arg, int k, bool sunk) {
  if (mcl_optvalue(L, arg, "out") == LUA_TNIL) {
    lua_pushboolean(L, !sunk);  /* what a sink takes is not kept besides */
    lua_replace(L, -2);
    return;
  }
  if (lua_type(L, -1) != LUA_TTABLE)
    mcl_opterror(L, arg, "out", "table of ids, scores, counts");
  lua_getfield(L, -1, names[k]);
  lua_remove(L, -2);
}


static void checkout (lua_State *L, int arg, int n) {
  if (mcl_optvalue(L, arg, "out") == LUA_TTABLE) {
    lua_pushnil(L);
    while (lua_next(L, -2)) {
      const char *key = luaL_tolstring(L, -2, NULL);
      int k = 0;
      while (k < n && strcmp(names[k], key) != 0) k++;
      if (k == n)
        luaL_argerror(L, arg, lua_pushfstring(L, "unknown option 'out.%s'",
                                              key));
      lua_pop(L, 2);
    }
  }
  lua_pop(L, 1);
}


/* raise that the value on top of the stack is no place for result 'k' */
static void badresult (lua_State *L, const mcl_top *t, int arg, int k) {
  static const char *const types[] = {"i32 or i64", NULL, "i32"};
  const char *type = types[k] != NULL ? types[k] : mascon_dtype_name(t->type);
  const char *expected = k == 2
    ? lua_pushfstring(L, "%s vector %I", type, (lua_Integer)t->nrows)
    : lua_pushfstring(L, "%s matrix %I x %I", type, (lua_Integer)t->nrows,
                      (lua_Integer)t->opts.n);
  const char *name = lua_pushfstring(L, "out.%s", names[k]);
  lua_pushvalue(L, -3);
  mcl_opterror(L, arg, name, expected);
}


/* raise that the caller's array for result 'k', which suits, cannot take
   what is to be written */
static void checkwritable (lua_State *L, const mcl_top *t, int arg, int k,
                           const mascon_array *a) {
  if (mascon_isreadonly(a))
    luaL_argerror(L, arg, lua_pushfstring(L,
                  "option 'out.%s': array is read-only", names[k]));
  if (k == 0 && !mascon_dtype_fits_int(mascon_dtype_of(a), t->opts.pad_id))
    luaL_argerror(L, arg, lua_pushfstring(L,
                  "option 'pad_id': %I does not fit %s, the dtype of out.ids",
                  (lua_Integer)t->opts.pad_id,
                  mascon_dtype_name(mascon_dtype_of(a))));
}


/* does the caller's array suit? */
static bool suits (const mcl_top *t, const mascon_array *a, int k) {
  mascon_dtype d = mascon_dtype_of(a);
  if (k == 0 ? d != MASCON_I32 && d != MASCON_I64
             : d != (k == 1 ? t->type : MASCON_I32)) return false;
  if (k == 2) return a->ndim == 1 && a->shape[0] == t->nrows;
  if (t->flat && a->ndim == 1) return a->shape[0] == t->opts.n;
  return a->ndim == 2 && a->shape[0] == t->nrows && a->shape[1] == t->opts.n;
}


/* push result 'k': the caller's array, a new one, or nil */
static mascon_array *pushresult (lua_State *L, mcl_top *t, int arg, int k) {
  mascon_dtype types[] = {MASCON_I32, t->type, MASCON_I32};
  int64_t shape[2] = {t->nrows, t->opts.n};
  mascon_array *a;
  pushwanted(L, arg, k, t->sink != 0);
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    lua_pushnil(L);
    return NULL;
  }
  if (!lua_isboolean(L, -1)) {
    a = mcl_livearray(L, lua_gettop(L));
    if (a == NULL || !suits(t, a, k)) badresult(L, t, arg, k);
    checkwritable(L, t, arg, k, a);
    return a;
  }
  lua_pop(L, 1);
  if (t->ncols > INT32_MAX || !mascon_dtype_fits_int(MASCON_I32,
                                                     t->opts.pad_id))
    types[0] = MASCON_I64;
  return mcl_newarray(L, types[k], k == 2 || t->flat ? 1 : 2,
                      k < 2 && t->flat ? shape + 1 : shape,
                      t->opts.first > 0);
}


/* push the ranks, one for each pair: the caller's array, a new one, or nil */
static mascon_array *pushranks (lua_State *L, const mcl_top *t, int arg) {
  const mascon_csr *c = t->opts.ranks;
  const mascon_array *ends = c != NULL ? c->indptr : NULL;
  mascon_array *a;
  int64_t n, last;
  mascon_dtype d;
  if (ends == NULL || ends->magic != MASCON_MAGIC) {
    lua_pushnil(L);
    return NULL;
  }
  last = c->nrows * ends->stride[0];
  n = ends->dtype.bits == 32 ? ((const int32_t *)ends->data)[last]
                             : ((const int64_t *)ends->data)[last];
  if (mcl_optvalue(L, arg, "out") != LUA_TTABLE) lua_pushnil(L);
  else lua_getfield(L, -1, "ranks");
  lua_remove(L, -2);
  if (lua_isnil(L, -1) || lua_isboolean(L, -1)) {
    lua_pop(L, 1);
    return mcl_newarray(L, MASCON_I32, 1, &n, true);
  }
  a = mcl_livearray(L, lua_gettop(L));
  d = a != NULL ? mascon_dtype_of(a) : MASCON_NDTYPE;
  if ((d != MASCON_I32 && d != MASCON_I64) || a->ndim != 1 ||
      a->shape[0] != n) {
    const char *expected = lua_pushfstring(L, "i32 or i64 vector %I",
                                           (lua_Integer)n);
    lua_insert(L, -2);
    mcl_opterror(L, arg, "out.ranks", expected);
  }
  checkwritable(L, t, arg, 3, a);
  return a;
}


void mcl_topresults (lua_State *L, mcl_top *t, int arg, int64_t nrows,
                     mascon_dtype type, bool flat) {
  t->nrows = nrows;
  t->type = type;
  t->flat = flat;
  t->opts.first = mcl_optint(L, arg, "first", 1, 1, nrows + 1) - 1;
  optsink(L, t, arg);
  checkout(L, arg, t->opts.ranks != NULL ? 4 : 3);
  mcl_begin(L, &t->call, arg);
  t->out.ids = pushresult(L, t, arg, 0);
  t->out.scores = pushresult(L, t, arg, 1);
  t->out.counts = pushresult(L, t, arg, 2);
  t->out.ranks = pushranks(L, t, arg);
  t->results = lua_gettop(L) - 3;
  t->began = mascon_clock();
}


/* raise that the arrays of a csr were closed, or changed, since it was made */
static void checkcsr (lua_State *L, int arg, const char *name,
                      const mascon_csr *c) {
  int64_t where;
  int status = c != NULL ? mascon_csr_check(c, &where, NULL) : MASCON_OK;
  if (status == MASCON_OK) return;
  luaL_argerror(L, arg, lua_pushfstring(L,
                "option '%s': the csr is no longer valid (%s)", name,
                mascon_strerror(status)));
}


/* raise a status that an option is to blame for, naming it */
static void blame (lua_State *L, const mcl_top *t, int status) {
  if (status == MASCON_ECHECK)
    luaL_error(L, "check: row %I differs from brute force",
               (lua_Integer)t->call.ex.done + 1);
  if (status == MASCON_EALIAS)
    luaL_argerror(L, t->arg, "option 'out': an array overlaps an input or "
                             "another result");
  if (status == MASCON_ECLOSED || status == MASCON_EVALUE ||
      status == MASCON_ESHAPE || status == MASCON_ERANGE) {
    checkcsr(L, t->arg, "exclude", t->opts.exclude);
    checkcsr(L, t->arg, "allow", t->opts.allow);
    checkcsr(L, t->arg, "ranks", t->opts.ranks);
  }
}


static void pushinfo (lua_State *L, const mcl_top *t) {
  const mascon_recommend_stats *s = &t->stats;
  lua_createtable(L, 0, 9);
  lua_pushinteger(L, t->nrows - t->opts.first);
  lua_setfield(L, -2, "rows");
  lua_pushnumber(L, mascon_clock() - t->began);
  lua_setfield(L, -2, "seconds");
  lua_pushstring(L, mascon_cpu());
  lua_setfield(L, -2, "cpu");
  if (t->out.stats == NULL) return;
  lua_pushinteger(L, s->pairs);
  lua_setfield(L, -2, "pairs");
  lua_pushinteger(L, s->norm);
  lua_setfield(L, -2, "norm");
  lua_pushinteger(L, s->int8);
  lua_setfield(L, -2, "int8");
  lua_pushinteger(L, s->floats);
  lua_setfield(L, -2, "float");
  lua_pushinteger(L, s->rescored);
  lua_setfield(L, -2, "rescored");
}


int mcl_topreturn (lua_State *L, mcl_top *t, int status) {
  if (!t->call.failed) blame(L, t, status);
  mcl_end(L, &t->call, status);
  lua_settop(L, t->results + 3);
  pushinfo(L, t);
  lua_pushvalue(L, t->results + 3);
  lua_setfield(L, -2, "ranks");
  lua_remove(L, t->results + 3);
  return 4;
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

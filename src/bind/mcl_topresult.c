/*
** mcl_topresult.c - results of topn and its family: arrays, sinks, info
*/

#include <string.h>

#include "mcl_topn.h"


#define MOST 0x1p47  /* results of a call: more than can be addressed */


/* {------- callbacks that get arrays ------- */

/* handover(f, h): call f as 'h' says; returns what it returns */
static int handover (lua_State *L) {
  const mcl_handover *h = lua_touserdata(L, 2);
  mascon_array *a[3];
  int64_t owners[3];
  lua_settop(L, 2);
  for (int i = 0; i < h->n; i++) {
    owners[i] = mcl_owners(h->arrays[i]);
    a[i] = mcl_pushhandle(L);
  }
  for (int i = 0; i < h->n; i++)
    mcl_check(L, mascon_view(a[i], h->arrays[i]));
  lua_pushvalue(L, 1);
  for (int i = 0; i < h->n && h->arraysfirst; i++) lua_pushvalue(L, i + 3);
  lua_pushinteger(L, h->first + 1);
  lua_pushinteger(L, h->last);
  for (int i = 0; i < h->n && !h->arraysfirst; i++) lua_pushvalue(L, i + 3);
  lua_call(L, h->n + 2, 1);
  for (int i = 0; i < h->n; i++) mascon_release(a[i]);  /* not to be kept */
  for (int i = 0; i < h->n; i++) mcl_leave(L, h->arrays[i], owners[i]);
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


/* raise that results have no room, as there are so many */
static int toomany (lua_State *L, const mcl_top *t, int status) {
  return luaL_error(L, "%s: n is %I, of %I columns, for %I rows",
                    mascon_strerror(status), (lua_Integer)t->opts.n,
                    (lua_Integer)t->ncols, (lua_Integer)t->nrows);
}


/* 'n': how many of the names it may have; 'ranked': 'ranks' is an option */
static void checkout (lua_State *L, int arg, int n, bool ranked) {
  if (mcl_optvalue(L, arg, "out") == LUA_TTABLE) {
    lua_pushnil(L);
    while (lua_next(L, -2)) {
      const char *key = luaL_tolstring(L, -2, NULL);
      int k = 0;
      while (k < n && strcmp(names[k], key) != 0) k++;
      if (k == n && ranked && strcmp(key, "ranks") == 0)
        luaL_argerror(L, arg, "option 'out.ranks' needs option 'ranks'");
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
  if (k < 2 && (double)t->nrows * (double)t->opts.n > MOST)
    toomany(L, t, MASCON_ETOOBIG);
  if (t->ncols > INT32_MAX || !mascon_dtype_fits_int(MASCON_I32,
                                                     t->opts.pad_id))
    types[0] = MASCON_I64;
  return mcl_newarray(L, types[k], k == 2 || t->flat ? 1 : 2,
                      k < 2 && t->flat ? shape + 1 : shape,
                      t->opts.first > 0);
}


/* raise that the arrays of a csr were closed, or changed, since it was made */
static void checkcsr (lua_State *L, int arg, const char *name,
                      const mascon_csr *c) {
  const char *fault = c != NULL ? mcl_csrfault(L, c) : NULL;
  if (fault == NULL) return;
  luaL_argerror(L, arg, lua_pushfstring(L, "option '%s': %s", name, fault));
}


/* push the ranks, one for each pair: the caller's array, a new one, or nil */
static mascon_array *pushranks (lua_State *L, const mcl_top *t, int arg) {
  const mascon_csr *c = t->opts.ranks;
  const mascon_array *ends = c != NULL ? c->indptr : NULL;
  mascon_array *a;
  int64_t n, last;
  mascon_dtype d;
  if (c == NULL) {
    lua_pushnil(L);
    return NULL;
  }
  checkcsr(L, arg, "ranks", c);
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
  t->opts.first = mcl_optint(L, arg, "first", 1, 1,
                             nrows < INT64_MAX ? nrows + 1 : nrows) - 1;
  optsink(L, t, arg);
  checkout(L, arg, t->opts.ranks != NULL ? 4 : 3, t->out.stats != NULL);
  mcl_begin(L, &t->call, arg);
  t->out.ids = pushresult(L, t, arg, 0);
  t->out.scores = pushresult(L, t, arg, 1);
  t->out.counts = pushresult(L, t, arg, 2);
  t->out.ranks = pushranks(L, t, arg);
  t->results = lua_gettop(L) - 3;
  t->began = mascon_clock();
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
  if ((status == MASCON_ENOMEM || status == MASCON_ETOOBIG) &&
      t->opts.n > t->ncols) toomany(L, t, status);
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

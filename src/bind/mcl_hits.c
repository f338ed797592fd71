/*
** mcl_hits.c - csv.hits: results as a table that is written block by block
*/

#include "mcl.h"

#define HITS "mascon.csv.hits"

typedef struct box {
  mascon_hits *hits;  /* NULL: ended, or given up */
  int threads;        /* option of all calls */
} box;


static box *self (lua_State *L) {
  box *b = luaL_checkudata(L, 1, HITS);
  if (b->hits == NULL) luaL_argerror(L, 1, "table is closed");
  return b;
}


/* the texts of an option, in a set that is pushed; NULL: not given */
static mascon_labels *opttexts (lua_State *L, int arg, const char *name) {
  mascon_labels *l = mcl_newlabels(L);
  if (mcl_optvalue(L, arg, name) == LUA_TNIL) {
    lua_pop(L, 1);
    return NULL;
  }
  mcl_addlabels(L, arg, name, l);
  return l;
}


/*
** csv.hits(path [, opts]) -> a table that is written; it appears when it is
** closed.
** opts: users, items (what they are called: lists of strings, integer vectors;
** default: their numbers), base (of the ids that are written, 1), threads
*/
static int hits (lua_State *L) {
  static const char *const names[] = {"users", "items", "base", "threads", NULL};
  const char *path = mcl_checkpath(L, 1);
  mascon_hits_opts opts = MASCON_HITS_INIT;
  mascon_why why;
  box *b;
  lua_settop(L, 2);
  mcl_options(L, 2, names);
  opts.base = (int)mcl_optint(L, 2, "base", 1, 0, 1);
  b = lua_newuserdatauv(L, sizeof *b, 0);
  b->hits = NULL;
  b->threads = (int)mcl_optint(L, 2, "threads", 0, 1, 1024);
  luaL_setmetatable(L, HITS);
  opts.users = opttexts(L, 2, "users");
  opts.items = opttexts(L, 2, "items");
  if (mascon_hits_begin(path, &opts, &b->hits, &why) != MASCON_OK)
    return luaL_error(L, "%s", why.text);
  lua_pushvalue(L, 3);
  return 1;
}


/* after a failure: give up, raise */
static int giveup (lua_State *L, box *b, const char *text) {
  mascon_hits_drop(b->hits);
  b->hits = NULL;
  return luaL_error(L, "%s", text);
}


/*
** t:write(first, last, ids, scores [, counts]): the hits of users first to last,
** as a sink gets them.  What raises gives the table up, but for its arguments.
*/
static int writehits (lua_State *L) {
  box *b = self(L);
  lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3);
  const mascon_array *ids = mcl_checkarray(L, 4);
  const mascon_array *scores = mcl_checkarray(L, 5);
  const mascon_array *counts = lua_isnoneornil(L, 6) ? NULL
                                                     : mcl_checkarray(L, 6);
  mascon_why why;
  mcl_call c;
  int status;
  lua_settop(L, 6);
  luaL_argcheck(L, first >= 1, 2, "a user from 1 on expected");
  luaL_argcheck(L, ids->ndim == 2 && last >= first - 1 &&
                ids->shape[0] - 1 == last - first, 4,
                "a row for each user expected");
  mcl_begin(L, &c, 0);
  if (b->threads > 0) c.ex.threads = b->threads;
  status = mascon_hits_add(b->hits, first - 1, ids, scores, counts, &why,
                           &c.ex);
  if (status == MASCON_ETYPE || status == MASCON_ESHAPE)
    luaL_argerror(L, 5, "i32 or i64 ids and f32 or f64 scores of one shape, and "
                  "a count for each row expected");
  if (status != MASCON_OK && status != MASCON_ECANCEL)
    return giveup(L, b, why.text);
  if (status == MASCON_ECANCEL) {
    mascon_hits_drop(b->hits);
    b->hits = NULL;
  }
  mcl_end(L, &c, status);
  return 0;
}


/* t:close(): bring the file to its place; twice is no error */
static int closehits (lua_State *L) {
  box *b = luaL_checkudata(L, 1, HITS);
  mascon_hits *h = b->hits;
  mascon_why why;
  mcl_call c;
  int status;
  if (h == NULL) return 0;
  mcl_begin(L, &c, 0);
  b->hits = NULL;
  status = mascon_hits_end(h, &why, &c.ex);
  if (status != MASCON_OK && status != MASCON_ECANCEL)
    return luaL_error(L, "%s", why.text);
  mcl_end(L, &c, status);
  return 0;
}


/* __gc, and t:drop(): give it up; what was at its path stays */
static int drop (lua_State *L) {
  box *b = luaL_checkudata(L, 1, HITS);
  mascon_hits_drop(b->hits);
  b->hits = NULL;
  return 0;
}


/* __close: an error gives it up */
static int leave (lua_State *L) {
  return lua_isnoneornil(L, 2) ? closehits(L) : drop(L);
}


void mcl_addhits (lua_State *L) {
  static const luaL_Reg methods[] = {
    {"write", writehits},
    {"close", closehits},
    {"drop", drop},
    {NULL, NULL}
  };
  static const luaL_Reg meta[] = {
    {"__gc", drop},
    {"__close", leave},
    {NULL, NULL}
  };
  static const luaL_Reg funcs[] = {
    {"hits", hits},
    {NULL, NULL}
  };
  mcl_newclass(L, HITS, meta, methods);
  mcl_addfuncs(L, funcs);
}

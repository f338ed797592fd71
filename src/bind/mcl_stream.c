/*
** mcl_stream.c - topn_stream: scores that a Lua function makes
*/

#include "mcl_topn.h"

typedef struct stream {
  mcl_top t;     /* the exec's callbacks get &t.call */
  int score;     /* stack index of the function */
} stream;


static int score (void *ud, mascon_array *block, int64_t first,
                  int64_t last) {
  stream *s = ud;
  mcl_handover h = {first, last, {block, NULL, NULL}, 1, true};
  return mcl_handoff(&s->t.call, s->score, &h);
}


/* a size that must be given */
static int64_t checksize (lua_State *L, const char *name) {
  if (mcl_optvalue(L, 1, name) == LUA_TNIL)
    mcl_opterror(L, 1, name, "integer from 0 up");
  lua_pop(L, 1);
  return mcl_optint(L, 1, name, 0, 0, INT64_MAX);
}


/*
** topn_stream({rows =, cols =, score = function(block, first, last)
** [, batch =] [, dtype = "f64"]}, n [, opts]): topn of rows x cols scores that
** are never there at once.  The function fills 'block' with the scores of
** rows first to last; the last block may be shorter.  It runs on the calling
** thread, selecting on all.  An error in it, or false from it, stops: rows
** before are final.  Options and results as for topn.
*/
static int topnstream (lua_State *L) {
  static const char *const names[] = {"rows", "cols", "batch", "dtype",
                                      "score", NULL};
  static const char *const types[] = {"f64", "f32", NULL};
  mascon_stream m = MASCON_STREAM_INIT;
  stream s;
  if (lua_type(L, 1) != LUA_TTABLE)
    mcl_typeerror(L, 1, "table of rows, cols, score");
  lua_settop(L, 3);
  mcl_options(L, 1, names);
  m.rows = checksize(L, "rows");
  m.cols = checksize(L, "cols");
  m.batch = mcl_optint(L, 1, "batch", 0, 1, INT64_MAX);
  m.dtype = mcl_optenum(L, 1, "dtype", 0, types) == 0 ? MASCON_F64
                                                      : MASCON_F32;
  m.score = score;
  m.ud = &s;
  m.serial = 1;  /* Lua is on this thread only */
  if (mcl_optvalue(L, 1, "score") != LUA_TFUNCTION)
    mcl_opterror(L, 1, "score", "function");
  s.score = lua_gettop(L);
  mcl_pushhandover(L);
  mcl_topoptions(L, &s.t, 3, MCL_KSTREAM, m.rows, m.cols);
  mcl_topresults(L, &s.t, 3, m.rows, (mascon_dtype)m.dtype, false);
  return mcl_topreturn(L, &s.t, mascon_topn_stream(&m, &s.t.opts, &s.t.out,
                                                   &s.t.call.ex));
}


void mcl_openstream (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"topn_stream", topnstream},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
}

/*
** mcl_topn.h - what topn, topn_stream and recommend share: options, results
*/

#ifndef MCL_TOPN_H
#define MCL_TOPN_H

#include "mcl.h"

#define MCL_CSR "mascon.csr"

/* the compressed rows at 'arg', or NULL where it is something else */
const mascon_csr *mcl_tocsr (lua_State *L, int arg);

/* push a csr over the two arrays at the given indices, which are right */
mascon_csr *mcl_pushcsr (lua_State *L, int indptr, int indices, int64_t ncols,
                         int base);

/* the index at 'arg'; NULL where it is something else, or closed */
mascon_index *mcl_toindex (lua_State *L, int arg);

/* push and return what is wrong with a csr whose arrays were closed, or
   changed, since it was made; NULL: nothing */
const char *mcl_csrfault (lua_State *L, const mascon_csr *c);

/* which of the family is called: what options it knows */
typedef enum mcl_kind {
  MCL_KTOPN, MCL_KSTREAM, MCL_KRECOMMEND, MCL_KSIMILAR
} mcl_kind;

/* one call of the family */
typedef struct mcl_top {
  mcl_call call;  /* its exec is &call.ex */
  mascon_topn_opts opts;
  mascon_topn_out out;
  mascon_recommend_stats stats;  /* recommend and similar: of out.stats */
  int64_t nrows;      /* rows of the results */
  int64_t ncols;      /* ids there are */
  mascon_dtype type;  /* of the scores */
  int arg;            /* stack index of the options */
  int sink;           /* stack index of the sink; 0: none */
  bool flat;          /* the scores are a vector: so are ids and scores */
  int results;        /* stack index of ids; scores, counts, ranks follow */
  double began;       /* when */
} mcl_top;

/*
** Options at 'arg' (a table, nil or none) and 'n' at arg - 1.
**
** mcl_topoptions reads and checks them; it leaves values on the stack that
** must stay until the call is over.  'users' x 'ncols' is what exclude and
** allow must be.  After it t->opts.rows is known (recommend).
** mcl_topresults begins the call (mcl_begin) and pushes or finds the results
** for 'nrows' rows of scores of dtype 'type'.
** mcl_topreturn raises what 'status' says, or returns from the function:
** ids, scores, counts (nil for what is not made) and info, a table of rows,
** seconds, cpu and, of recommend, ranks and what was done to pairs.  "return mcl_topreturn(L, &t, mascon_topn(...));"
*/
void mcl_topoptions (lua_State *L, mcl_top *t, int arg, mcl_kind kind,
                     int64_t users, int64_t ncols);
void mcl_topresults (lua_State *L, mcl_top *t, int arg, int64_t nrows,
                     mascon_dtype type, bool flat);
int mcl_topreturn (lua_State *L, mcl_top *t, int status);

/* the i32 or i64 vector of option 'name' (or a table of integers, which
   becomes one); NULL if there is none.  Stays on the stack if there is */
const mascon_array *mcl_optids (lua_State *L, int arg, const char *name);

/* the same of the value on top of the stack, called 'name' in argument 'arg';
   NULL: it is the argument */
const mascon_array *mcl_toids (lua_State *L, int arg, const char *name);

/* raise where an id of 'a' (called so as above) is none of base .. base + n - 1 */
void mcl_checkids (lua_State *L, int arg, const char *name,
                   const mascon_array *a, int base, int64_t n);


/* {------- recommending (mcl_recommend.c) ------- */

/* what has items: an array, or an index and how it was made */
typedef struct mcl_items {
  const mascon_array *array;
  const mascon_index *index;
  int64_t n, rank;
  mascon_dtype type;
} mcl_items;

/* recommend for the users at 'arg', which are a matrix or a source; n and
   options are at 3 and 4 */
int mcl_recommend (lua_State *L, int arg, const mcl_items *items);

/* the bias at option 'bias' of the table at 'arg', for 'n' items, or NULL */
const mascon_array *mcl_optbias (lua_State *L, int arg, int64_t n);

/* f32 or f64 matrix of factors at 'arg' */
const mascon_array *mcl_checkfactors (lua_State *L, int arg);

/* -------} */


/* {------- callbacks that get arrays ------- */

/* the arguments: first + 1, last and the arrays, or the arrays first */
typedef struct mcl_handover {
  int64_t first, last;
  const mascon_array *arrays[3];
  int n;
  bool arraysfirst;
} mcl_handover;

/* push what mcl_handoff needs right above the Lua function */
void mcl_pushhandover (lua_State *L);

/*
** Call the Lua function at the absolute index 'func'.  Its arrays are closed
** when it returns.  Nonzero: it returned false, or raised (mcl_end tells).
*/
int mcl_handoff (mcl_call *c, int func, mcl_handover *h);

/* -------} */

#endif

/*
** mcl_csr.c - compressed rows: which items each user has seen, or may get
**
** A csr is a userdata with the C struct; the two arrays are its user values.
*/

#include <string.h>

#include "mcl_topn.h"

enum {INDPTR = 1, INDICES};  /* user values */


const mascon_csr *mcl_tocsr (lua_State *L, int arg) {
  return luaL_testudata(L, arg, MCL_CSR);
}


static const mascon_csr *self (lua_State *L) {
  return luaL_checkudata(L, 1, MCL_CSR);
}


/* the base, which must be said: off by one leaks silently */
static int checkbase (lua_State *L, int arg) {
  static const char *const names[] = {"base", NULL};
  mcl_options(L, arg, names);
  if (mcl_optvalue(L, arg, "base") == LUA_TNIL)
    luaL_argerror(L, arg, "option 'base' is missing: 0 or 1, whichever the "
                          "ids count from");
  lua_pop(L, 1);
  return (int)mcl_optint(L, arg, "base", 0, 0, 1);
}


static int64_t checkcount (lua_State *L, int arg) {
  int isint;
  lua_Integer n = lua_tointegerx(L, arg, &isint);
  if (!isint || n < 0) mcl_typeerror(L, arg, "integer from 0 up");
  return n;
}


/* a vector of ids; a table of them is replaced by one */
static const mascon_array *checkids (lua_State *L, int arg) {
  const mascon_array *a = mcl_toarray(L, arg);
  mascon_dtype t;
  if (a == NULL && lua_type(L, arg) == LUA_TTABLE) {
    a = mcl_fromtable(L, arg, MASCON_I64);
    lua_replace(L, arg);
  }
  t = a != NULL ? mascon_dtype_of(a) : MASCON_NDTYPE;
  if (a == NULL || a->ndim != 1 || (t != MASCON_I32 && t != MASCON_I64))
    mcl_typeerror(L, arg, "i32 or i64 vector, or table of ids");
  return a;
}


/* element 'i' of a vector of ids */
static lua_Integer at (const mascon_array *a, int64_t i) {
  return a->dtype.bits == 32 ? ((const int32_t *)a->data)[i * a->stride[0]]
                             : ((const int64_t *)a->data)[i * a->stride[0]];
}


/* push that a vector has an id outside base .. base + n - 1 */
static const char *pushbadid (lua_State *L, const char *what,
                              const mascon_array *a, int64_t i, int base,
                              int64_t n) {
  return lua_pushfstring(L, "%s %I at position %I is outside %d to %I", what,
                         at(a, i), (lua_Integer)i + 1, base,
                         (lua_Integer)(base + n - 1));
}


/* raise that of argument 'arg' */
static int badid (lua_State *L, int arg, const char *what,
                  const mascon_array *a, int64_t i, int base, int64_t n) {
  return luaL_argerror(L, arg, pushbadid(L, what, a, i, base, n));
}


mascon_csr *mcl_pushcsr (lua_State *L, int indptr, int indices, int64_t ncols,
                         int base) {
  static const mascon_csr init = MASCON_CSR_INIT;
  mascon_csr *c = lua_newuserdatauv(L, sizeof *c, 2);
  *c = init;
  c->indptr = lua_touserdata(L, indptr);
  c->indices = lua_touserdata(L, indices);
  c->nrows = c->indptr->shape[0] - 1;
  c->ncols = ncols;
  c->base = base;
  lua_pushvalue(L, indptr);
  lua_setiuservalue(L, -2, INDPTR);
  lua_pushvalue(L, indices);
  lua_setiuservalue(L, -2, INDICES);
  luaL_setmetatable(L, MCL_CSR);
  return c;
}


/*
** Push what mascon_csr_check says by 'status' and 'i'; returns which of the
** arrays is to blame (1 or 2), or 0 with nothing pushed: neither.
*/
static int pushfault (lua_State *L, const mascon_csr *c, int status,
                      int64_t i) {
  if (status == MASCON_EVALUE && i == 0)
    lua_pushfstring(L, "indptr counts from 0, but starts with %I",
                    at(c->indptr, 0));
  else if (status == MASCON_EVALUE)
    lua_pushfstring(L, "%I at position %I is below %I before it",
                    at(c->indptr, i), (lua_Integer)i + 1,
                    at(c->indptr, i - 1));
  else if (status == MASCON_ESHAPE)
    lua_pushfstring(L, "%I at position %I is beyond the %I indices",
                    at(c->indptr, i), (lua_Integer)i + 1,
                    (lua_Integer)c->indices->shape[0]);
  else if (status == MASCON_ERANGE)
    pushbadid(L, "id", c->indices, i, c->base, c->ncols);
  else return 0;
  return status == MASCON_ERANGE ? 2 : 1;
}


const char *mcl_csrfault (lua_State *L, const mascon_csr *c) {
  int64_t i = 0;
  int status = mascon_csr_check(c, &i, NULL), which;
  if (status == MASCON_OK) return NULL;
  which = pushfault(L, c, status, i);
  return lua_pushfstring(L, "the csr is no longer valid (%s%s)",
                         which == 2 ? "indices: "
                           : which == 1 && i > 0 ? "indptr: " : "",
                         which == 0 ? mascon_strerror(status)
                                    : lua_tostring(L, -1));
}


/* raise what is wrong with the arrays at 1 and 2 */
static void checkcsr (lua_State *L, const mascon_csr *c) {
  int64_t i;
  mcl_call call;
  int status, which;
  mcl_begin(L, &call, 0);
  status = mascon_csr_check(c, &i, &call.ex);
  which = pushfault(L, c, status, i);
  if (which != 0) luaL_argerror(L, which, lua_tostring(L, -1));
  mcl_end(L, &call, status);
}


/* the results of a call that made the two arrays of a csr, at 'indptr' and
   behind it: anchored before anything raises */
static void adopt (lua_State *L, int indptr, mcl_call *call, int status) {
  if (status == MASCON_OK) {
    mcl_adopt(L, lua_touserdata(L, indptr));
    mcl_adopt(L, lua_touserdata(L, indptr + 1));
  }
  mcl_end(L, call, status);
}


/*
** csr(indptr, indices, ncols, {base = 0 or 1}): compressed rows over the two
** arrays (i32 or i64 vectors, which are kept, not copied or changed; or
** tables).  indptr
** has one more element than there are rows and counts from 0; ids of columns
** count from the base, which must be given.
*/
static int csr (lua_State *L) {
  const mascon_array *indptr = checkids(L, 1);
  int64_t ncols;
  int base;
  checkids(L, 2);
  ncols = checkcount(L, 3);
  lua_settop(L, 4);
  base = checkbase(L, 4);
  if (indptr->shape[0] < 1) mcl_typeerror(L, 1, "vector of rows + 1");
  checkcsr(L, mcl_pushcsr(L, 1, 2, ncols, base));
  return 1;
}


/*
** csr.from_pairs(users, items, nrows, ncols, {base = 0 or 1}): compressed
** rows of pairs of ids (i32 or i64 vectors, or tables), which count from the
** base and come in any order; a row keeps the order of its pairs, and
** repeated ones.
*/
static int frompairs (lua_State *L) {
  const mascon_array *users = checkids(L, 1), *items = checkids(L, 2);
  int64_t nrows = checkcount(L, 3), ncols = checkcount(L, 4), where;
  mascon_array *indptr, *indices;
  int base, status;
  mcl_call c;
  lua_settop(L, 5);
  base = checkbase(L, 5);
  if (items->shape[0] != users->shape[0])
    mcl_typeerror(L, 2, lua_pushfstring(L, "vector %I, as argument #1,",
                                        (lua_Integer)users->shape[0]));
  mcl_begin(L, &c, 0);
  indptr = mcl_pushhandle(L);
  indices = mcl_pushhandle(L);
  status = mascon_csr_from_pairs(users, items, nrows, ncols, base, indptr,
                                 indices, &where, &c.ex);
  if (status == MASCON_ERANGE) {
    if (where < users->shape[0])
      badid(L, 1, "id", users, where, base, nrows);
    badid(L, 2, "id", items, where - users->shape[0], base, ncols);
  }
  adopt(L, 6, &c, status);
  mcl_pushcsr(L, 6, 7, ncols, base);
  return 1;
}


/*
** c:take(rows [, {base = 1}]): a new csr of the rows that 'rows' (i32 or i64
** vector, counted from the base, 1 unless given) names, in its order
*/
static int take (lua_State *L) {
  static const char *const names[] = {"base", NULL};
  const mascon_csr *c = self(L);
  const mascon_array *rows = checkids(L, 2);
  mascon_array *indptr, *indices;
  int64_t where;
  int base, status;
  mcl_call call;
  lua_settop(L, 3);
  mcl_options(L, 3, names);
  base = (int)mcl_optint(L, 3, "base", 1, 0, 1);
  mcl_begin(L, &call, 0);
  indptr = mcl_pushhandle(L);
  indices = mcl_pushhandle(L);
  where = -1;
  status = mascon_csr_take(c, rows, base, indptr, indices, &where, &call.ex);
  if (status == MASCON_ERANGE && where >= 0)
    badid(L, 2, "row", rows, where, base, c->nrows);
  if (status != MASCON_OK) {
    const char *fault = mcl_csrfault(L, c);
    if (fault != NULL) luaL_argerror(L, 1, fault);
  }
  adopt(L, 4, &call, status);
  mcl_pushcsr(L, 4, 5, c->ncols, c->base);
  return 1;
}


static int len (lua_State *L) {
  lua_pushinteger(L, self(L)->nrows);
  return 1;
}


static int tostring (lua_State *L) {
  const mascon_csr *c = self(L);
  lua_pushfstring(L, "csr %I x %I, base %d", (lua_Integer)c->nrows,
                  (lua_Integer)c->ncols, c->base);
  return 1;
}


/* c.nrows, c.ncols, c.nnz, c.base, c.indptr, c.indices; c:take */
static int metaindex (lua_State *L) {
  const mascon_csr *c = self(L);
  const char *name = luaL_checkstring(L, 2);
  if (strcmp(name, "nrows") == 0) lua_pushinteger(L, c->nrows);
  else if (strcmp(name, "ncols") == 0) lua_pushinteger(L, c->ncols);
  else if (strcmp(name, "base") == 0) lua_pushinteger(L, c->base);
  else if (strcmp(name, "indptr") == 0) lua_getiuservalue(L, 1, INDPTR);
  else if (strcmp(name, "indices") == 0) lua_getiuservalue(L, 1, INDICES);
  else if (strcmp(name, "nnz") == 0) {
    lua_Integer n;
    if (c->indptr->magic != MASCON_MAGIC) mcl_check(L, MASCON_ECLOSED);
    n = at(c->indptr, c->nrows);
    if (n < 0) luaL_error(L, "%s", mcl_csrfault(L, c));
    lua_pushinteger(L, n);
  }
  else {
    lua_getmetatable(L, 1);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, -2) != LUA_TFUNCTION || name[0] == '_')
      return luaL_error(L, "csr has no field or method '%s'", name);
  }
  return 1;
}


/* csr(...): the module's field is a table, for csr.from_pairs */
static int call (lua_State *L) {
  lua_remove(L, 1);
  return csr(L);
}


void mcl_opencsr (lua_State *L) {
  static const luaL_Reg meta[] = {
    {"__index", metaindex},
    {"__len", len},
    {"__tostring", tostring},
    {"take", take},
    {NULL, NULL}
  };
  static const luaL_Reg funcs[] = {
    {"from_pairs", frompairs},
    {NULL, NULL}
  };
  static const luaL_Reg callable[] = {
    {"__call", call},
    {NULL, NULL}
  };
  mcl_newtype(L, MCL_CSR);
  mcl_addfuncs(L, meta);
  lua_pushliteral(L, MCL_CSR);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
  lua_newtable(L);
  mcl_addfuncs(L, funcs);
  lua_newtable(L);
  mcl_addfuncs(L, callable);
  lua_setmetatable(L, -2);
  lua_setfield(L, -2, "csr");
}

/*
** mcl_index.c - index: items packed once
**
** A userdata holds a reference to the index.  A call holds one of its own, in
** a userdata on its stack, so that a callback may close the index.
*/

#include <stdlib.h>
#include <string.h>

#include "mcl_topn.h"

#define MCL_INDEX "mascon.index"

typedef struct box {
  mascon_index *index;  /* NULL: closed */
  int64_t charged;      /* bytes on the collector's account */
} box;


/* {------- handles ------- */

static box *checkbox (lua_State *L) {
  return luaL_checkudata(L, 1, MCL_INDEX);
}


static mascon_index *self (lua_State *L) {
  mascon_index *x = checkbox(L)->index;
  if (x == NULL) luaL_argerror(L, 1, "index is closed");
  return x;
}


mascon_index *mcl_toindex (lua_State *L, int arg) {
  const box *b = luaL_testudata(L, arg, MCL_INDEX);
  return b != NULL ? b->index : NULL;
}


/* push an empty handle */
static box *pushbox (lua_State *L) {
  box *b = lua_newuserdatauv(L, sizeof *b, 0);
  b->index = NULL;
  b->charged = 0;
  luaL_setmetatable(L, MCL_INDEX);
  return b;
}


static mascon_index_facts factsof (const mascon_index *x) {
  mascon_index_facts f = {.size = sizeof f};
  mascon_index_describe(x, &f);
  return f;
}


/* tell the collector what now hangs on the handle */
static void adopt (lua_State *L, box *b) {
  b->charged = factsof(b->index).bytes;
  mcl_charge(L, b->charged);
}


/* x:close(), __gc, __close: give it up; twice is no error */
static int closenow (lua_State *L) {
  box *b = checkbox(L);
  mcl_charge(L, -b->charged);
  b->charged = 0;
  mascon_index_release(b->index);
  b->index = NULL;
  return 0;
}


/* push a reference for the time of a call */
static mascon_index *hold (lua_State *L) {
  mascon_index *x = self(L);
  pushbox(L)->index = mascon_index_retain(x);
  return x;
}

/* -------} */


/* {------- making, saving, loading ------- */

/*
** index(items [, {normalize =, bias =, threads =, progress =}]): the items
** (items x rank, f32 or f64), packed for any number of calls
*/
static int newindex (lua_State *L) {
  static const char *const names[] = {"normalize", "bias", "threads",
                                      "progress", NULL};
  const mascon_array *items;
  mascon_index_opts o = MASCON_INDEX_INIT;
  mcl_call c;
  box *b;
  int status;
  lua_remove(L, 1);  /* the callable table */
  items = mcl_checkfactors(L, 1);
  lua_settop(L, 2);
  mcl_options(L, 2, names);
  o.normalize = mcl_optbool(L, 2, "normalize", false);
  o.bias = mcl_optbias(L, 2, items->shape[0]);
  mcl_begin(L, &c, 2);
  b = pushbox(L);
  status = mascon_index_new(items, &o, &b->index, &c.ex);
  if (status == MASCON_ENOMEM) {  /* what is garbage may be enough */
    mcl_collect(L);
    status = mascon_index_new(items, &o, &b->index, &c.ex);
  }
  mcl_end(L, &c, status);
  adopt(L, b);
  return 1;
}


/* x:save(path [, {threads =, progress =}]): whole or not at all; raises what
   goes wrong */
static int save (lua_State *L) {
  static const char *const names[] = {"threads", "progress", NULL};
  const char *path = mcl_checkpath(L, 2);
  const mascon_index *x;
  mascon_why why;
  mcl_call c;
  int status;
  lua_settop(L, 3);
  mcl_options(L, 3, names);
  x = hold(L);
  mcl_begin(L, &c, 3);
  status = mascon_index_save(x, path, &why, &c.ex);
  if (status != MASCON_OK && status != MASCON_ECANCEL)
    return luaL_error(L, "%s", why.text);
  mcl_end(L, &c, status);
  return 0;
}


/*
** index.load(path [, opts]) -> index, or nil and a message.  opts: map = true
** (pages are the file's, shared by processes), check = false (do not look at
** every byte), threads, progress
*/
static int load (lua_State *L) {
  static const char *const names[] = {"map", "check", "threads", "progress",
                                      NULL};
  const char *path = mcl_checkpath(L, 1);
  unsigned flags = 0;
  mascon_why why;
  mcl_call c;
  box *b;
  int status;
  lua_settop(L, 2);
  mcl_options(L, 2, names);
  if (mcl_optbool(L, 2, "map", false)) flags |= MASCON_INDEX_MAP;
  if (!mcl_optbool(L, 2, "check", true)) flags |= MASCON_INDEX_UNCHECKED;
  mcl_begin(L, &c, 2);
  b = pushbox(L);
  status = mascon_index_load(path, flags, &b->index, &why, &c.ex);
  if (status == MASCON_ENOMEM) {
    mcl_collect(L);
    status = mascon_index_load(path, flags, &b->index, &why, &c.ex);
  }
  if (status == MASCON_OK || status == MASCON_ECANCEL) {
    mcl_end(L, &c, status);
    if (!(flags & MASCON_INDEX_MAP)) adopt(L, b);
    return 1;
  }
  luaL_pushfail(L);
  lua_pushstring(L, why.text);
  return 2;
}

/* -------} */


/* {------- the bytes of an index ------- */

static void dropindex (void *ctx, void *image) {
  (void)image;
  mascon_index_release(ctx);
}


/* x:image() -> its bytes, a read-only u8 vector that shares them */
static int image (lua_State *L) {
  mascon_index *x = self(L);
  mascon_array *a = mcl_pushhandle(L);
  size_t bytes;
  const void *p = mascon_index_image(x, &bytes);
  int64_t n = (int64_t)bytes;
  int status;
  mascon_index_retain(x);
  status = mascon_wrap(a, (void *)(uintptr_t)p, MASCON_U8, 1, &n, NULL,
                       dropindex, x, MASCON_READONLY);
  if (status != MASCON_OK) mascon_index_release(x);
  mcl_check(L, status);
  mcl_adopt(L, a);
  return 1;
}


static void dropview (void *ctx, void *image) {
  (void)image;
  mascon_release(ctx);
  free(ctx);
}


/* an index over the bytes of 'a', of which it keeps a view */
static int wrap (const mascon_array *a, unsigned flags, mascon_index **index,
                 const char **what, mascon_exec *ex) {
  mascon_array *view = malloc(sizeof *view);
  int status;
  *what = mascon_strerror(MASCON_ENOMEM);
  if (view == NULL) return MASCON_ENOMEM;
  mascon_view(view, a);
  status = mascon_index_wrap(a->data, (size_t)a->shape[0], dropview, view,
                             flags, index, what, ex);
  if (status != MASCON_OK) dropview(view, NULL);
  return status;
}


/*
** index.wrap(bytes [, {check =}]) -> an index over what x:image() gave, or nil
** and a message: in another state, from a file that is mapped.  'bytes' is a
** read-only u8 vector, so that nobody changes them
*/
static int wrapbytes (lua_State *L) {
  static const char *const names[] = {"check", "threads", "progress", NULL};
  const mascon_array *a = mcl_toarray(L, 1);
  const char *what;
  unsigned flags;
  mcl_call c;
  box *b;
  int status;
  if (a == NULL || mascon_dtype_of(a) != MASCON_U8 || a->ndim != 1)
    mcl_typeerror(L, 1, "read-only u8 vector");
  if (a->shape[0] > 1 && a->stride[0] != 1)
    luaL_argerror(L, 1, lua_pushfstring(L, "bytes side by side expected, got "
                  "a view of stride %I", (lua_Integer)a->stride[0]));
  if (!mascon_isreadonly(a))
    luaL_argerror(L, 1, "read-only bytes expected, that nobody changes: "
                        "bytes:freeze()");
  lua_settop(L, 2);
  mcl_options(L, 2, names);
  flags = mcl_optbool(L, 2, "check", true) ? 0 : MASCON_INDEX_UNCHECKED;
  mcl_begin(L, &c, 2);
  b = pushbox(L);
  status = wrap(a, flags, &b->index, &what, &c.ex);
  if (status == MASCON_OK || status == MASCON_ECANCEL) {
    mcl_end(L, &c, status);
    return 1;
  }
  luaL_pushfail(L);
  lua_pushstring(L, what);
  return 2;
}


int mascon_index_push (lua_State *L, mascon_index *index) {
  if (index == NULL) return MASCON_ECLOSED;
  if (!lua_checkstack(L, 3)) return MASCON_ENOMEM;
  if (luaL_getmetatable(L, MCL_INDEX) != LUA_TTABLE) {
    lua_pop(L, 1);
    return MASCON_EVALUE;
  }
  lua_pop(L, 1);
  pushbox(L)->index = mascon_index_retain(index);
  return MASCON_OK;
}

/* -------} */


/* {------- recommending ------- */

/* x:recommend(users, n [, opts]): as recommend(users, items, n, opts) */
static int recommend (lua_State *L) {
  const mascon_index *x = self(L);
  mascon_index_facts f = factsof(x);
  mcl_items items = {.index = x, .n = f.nitems, .rank = f.rank,
                     .type = (mascon_dtype)f.dtype};
  lua_settop(L, 4);
  hold(L);
  return mcl_recommend(L, 2, &items);
}


/* push the ids at 2, an integer, a table or a vector, as a vector */
static const mascon_array *checkids (lua_State *L) {
  int isint;
  lua_Integer id = lua_tointegerx(L, 2, &isint);
  if (isint && lua_type(L, 2) == LUA_TNUMBER) {
    int64_t one = 1;
    mascon_array *a = mcl_newarray(L, MASCON_I64, 1, &one, false);
    *(int64_t *)a->data = id;
    return a;
  }
  lua_pushvalue(L, 2);
  return mcl_toids(L, 2, NULL);
}


/*
** x:similar(ids, n [, opts]): for each of the items 'ids' (an integer, a table
** or a vector) the n items most like it, without itself: recommend, with its
** factors as a user's
*/
static int similar (lua_State *L) {
  const mascon_index *x = self(L);
  mascon_index_facts f = factsof(x);
  const mascon_array *ids;
  mcl_top t;
  lua_settop(L, 4);
  hold(L);
  ids = checkids(L);
  mcl_topoptions(L, &t, 4, MCL_KSIMILAR, f.nitems, f.nitems);
  mcl_checkids(L, 2, NULL, ids, t.opts.base, f.nitems);
  mcl_topresults(L, &t, 4, ids->shape[0], (mascon_dtype)f.dtype, false);
  return mcl_topreturn(L, &t, mascon_index_similar(x, ids, &t.opts, &t.out,
                                                   &t.call.ex));
}

/* -------} */


/* {------- what an index is ------- */

static int len (lua_State *L) {
  const box *b = checkbox(L);
  if (b->index == NULL) luaL_error(L, "index is closed");
  lua_pushinteger(L, factsof(b->index).nitems);
  return 1;
}


static int tostring (lua_State *L) {
  const box *b = checkbox(L);
  mascon_index_facts f;
  if (b->index == NULL) {
    lua_pushliteral(L, "closed index");
    return 1;
  }
  f = factsof(b->index);
  lua_pushfstring(L, "index of %I items, rank %I, %s%s%s",
                  (lua_Integer)f.nitems, (lua_Integer)f.rank,
                  mascon_dtype_name((mascon_dtype)f.dtype),
                  f.normalize ? ", normalized" : "",
                  f.bias ? ", with bias" : "");
  return 1;
}


/* x.nitems, x.rank, x.dtype, x.normalize, x.bias, x.bytes; methods */
static int metaindex (lua_State *L) {
  const box *b = checkbox(L);
  const char *name = luaL_checkstring(L, 2);
  mascon_index_facts f;
  lua_getmetatable(L, 1);
  lua_pushvalue(L, 2);
  if (name[0] != '_' && lua_rawget(L, -2) == LUA_TFUNCTION) return 1;
  if (b->index == NULL) luaL_error(L, "index is closed");
  f = factsof(b->index);
  if (strcmp(name, "nitems") == 0) lua_pushinteger(L, f.nitems);
  else if (strcmp(name, "rank") == 0) lua_pushinteger(L, f.rank);
  else if (strcmp(name, "bytes") == 0) lua_pushinteger(L, f.bytes);
  else if (strcmp(name, "dtype") == 0)
    lua_pushstring(L, mascon_dtype_name((mascon_dtype)f.dtype));
  else if (strcmp(name, "normalize") == 0) lua_pushboolean(L, f.normalize);
  else if (strcmp(name, "bias") == 0) lua_pushboolean(L, f.bias);
  else return luaL_error(L, "index has no field or method '%s'", name);
  return 1;
}

/* -------} */


void mcl_openindex (lua_State *L) {
  static const luaL_Reg meta[] = {
    {"__index", metaindex},
    {"__len", len},
    {"__tostring", tostring},
    {"__gc", closenow},
    {"__close", closenow},
    {"close", closenow},
    {"image", image},
    {"recommend", recommend},
    {"save", save},
    {"similar", similar},
    {NULL, NULL}
  };
  static const luaL_Reg funcs[] = {
    {"load", load},
    {"wrap", wrapbytes},
    {NULL, NULL}
  };
  static const luaL_Reg callable[] = {
    {"__call", newindex},
    {NULL, NULL}
  };
  mcl_newtype(L, MCL_INDEX);
  mcl_addfuncs(L, meta);
  lua_pushliteral(L, MCL_INDEX);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
  lua_newtable(L);
  mcl_addfuncs(L, funcs);
  lua_newtable(L);
  mcl_addfuncs(L, callable);
  lua_setmetatable(L, -2);
  lua_setfield(L, -2, "index");
}

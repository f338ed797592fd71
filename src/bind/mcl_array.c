/*
** mcl_array.c - the array userdata: handles, what hangs on them, closing
*/

#include <string.h>
#include <unistd.h>

#include "mcl.h"

#define OVERHEAD 384      /* bytes that an array costs besides its elements */

/* the userdata: the struct of mascon.h at offset 0, and what it weighs */
typedef struct box {
  mcl_head head;
  mcl_account *account; /* of its state; NULL: it is not among the handles */
  int64_t charged;  /* bytes on the account; 0 for a view */
  int64_t uses;     /* calls that must find it open after their callback */
} box;

_Atomic uint64_t mcl_secret;


/* {------- handles ------- */

mascon_array *mcl_toarray (lua_State *L, int arg) {
  mascon_array *a = mcl_peek(L, arg);
  if (a != NULL && a->magic != MASCON_MAGIC)
    luaL_argerror(L, arg, "array is closed");
  return a;
}


mascon_array *mcl_livearray (lua_State *L, int arg) {
  mascon_array *a = mcl_peek(L, arg);
  return a != NULL && a->magic == MASCON_MAGIC ? a : NULL;
}


mascon_array *mcl_noarray (lua_State *L, int arg) {
  if (mcl_toarray(L, arg) == NULL) mcl_typeerror(L, arg, "array");
  return NULL;  /* not reached */
}


static void drawsecret (void) {
  uint64_t none = 0, new;
  if (getentropy(&new, sizeof new) != 0)
    new = (uint64_t)(uintptr_t)&new ^ (uint64_t)(mascon_clock() * 1e9) << 20;
  atomic_compare_exchange_strong(&mcl_secret, &none, new | 1);
}


/* push an empty handle with the metatable at 'meta' */
static box *pushbox (lua_State *L, int meta, mcl_account *c) {
  box *b;
  mcl_makeway(L, c);
  b = lua_newuserdatauv(L, sizeof *b, 0);
  memset(b, 0, sizeof *b);
  b->head.secret = atomic_load_explicit(&mcl_secret, memory_order_relaxed);
  lua_pushvalue(L, meta);
  lua_setmetatable(L, -2);
  b->account = c;
  c->handles++;
  return b;
}


mascon_array *mcl_pushhandle (lua_State *L) {
  return &pushbox(L, MCL_META, mcl_account_of(L, MCL_META))->head.a;
}


mascon_array *mcl_pushsibling (lua_State *L, const mascon_array *a) {
  return &pushbox(L, MCL_META, ((const box *)a)->account)->head.a;
}


const char *mcl_pushshape (lua_State *L, int ndim, const int64_t *shape) {
  lua_pushfstring(L, "%I", (lua_Integer)shape[0]);
  for (int i = 1; i < ndim; i++)
    lua_pushfstring(L, " x %I", (lua_Integer)shape[i]);
  lua_concat(L, ndim);
  return lua_tostring(L, -1);
}


/* push "{1, 2}" for the short list of numbers at 'arg', else "table" */
static const char *describelist (lua_State *L, int arg) {
  luaL_Buffer b;
  int n = (int)lua_rawlen(L, arg);
  for (int i = 1; i <= n && n <= 4; i++) {
    bool number = lua_rawgeti(L, arg, i) == LUA_TNUMBER;
    lua_pop(L, 1);
    if (!number) n = 0;
  }
  if (n < 1 || n > 4) return lua_pushliteral(L, "table");
  luaL_buffinit(L, &b);
  for (int i = 1; i <= n; i++) {
    luaL_addstring(&b, i == 1 ? "{" : ", ");
    lua_rawgeti(L, arg, i);
    luaL_addvalue(&b);
  }
  luaL_addchar(&b, '}');
  luaL_pushresult(&b);
  return lua_tostring(L, -1);
}


const char *mcl_describe (lua_State *L, int arg) {
  const mascon_array *a = mcl_peek(L, arg);
  if (a == NULL) {
    if (lua_type(L, arg) == LUA_TSTRING)
      return lua_pushfstring(L, "\"%s\"", lua_tostring(L, arg));
    if (lua_type(L, arg) == LUA_TNUMBER) {
      lua_pushvalue(L, arg);
      return lua_pushfstring(L, "%s", lua_tostring(L, -1));
    }
    if (luaL_getmetafield(L, arg, "__name") == LUA_TSTRING)
      return lua_tostring(L, -1);
    if (lua_type(L, arg) == LUA_TTABLE) return describelist(L, arg);
    return lua_pushstring(L, luaL_typename(L, arg));
  }
  if (a->magic != MASCON_MAGIC) return lua_pushliteral(L, "closed array");
  return mascon_pushkind(L, a);
}


int mcl_typeerror (lua_State *L, int arg, const char *expected) {
  const char *got = lua_isnone(L, arg) ? "no value" : mcl_describe(L, arg);
  return luaL_argerror(L, arg, lua_pushfstring(L, "%s expected, got %s",
                                               expected, got));
}

/* -------} */


/* {------- elements ------- */

/* bytes of an array to be, 0 where there are more than can be */
static int64_t bytesof (mascon_dtype t, int ndim, const int64_t *shape) {
  double n = (double)mascon_dtype_size(t);
  for (int i = 0; i < ndim; i++) n *= (double)shape[i];
  return n < 1e18 ? (int64_t)n : 0;
}


/* the account of 'b' is charged with it */
static void chargebox (box *b, int64_t bytes) {
  b->charged = bytes;
  mcl_put(b->account, bytes);
}


int64_t mcl_owners (const mascon_array *a) {
  return a->buffer != NULL
    ? __atomic_load_n(&a->buffer->refs, __ATOMIC_RELAXED) : 1;
}


void mcl_adopt (lua_State *L, mascon_array *a) {
  box *b = (box *)a;
  /* what others hold too lives on without us: an equal part is ours */
  chargebox(b, (int64_t)mascon_buffer_bytes(a) / mcl_owners(a) + OVERHEAD);
  mcl_makeroom(L, b->account, 0);
}


/* the charge is a handle's that is garbage at once, as the views may be */
void mcl_leave (lua_State *L, const mascon_array *lent, int64_t owners) {
  box *b;
  if (mcl_owners(lent) <= owners) return;
  b = pushbox(L, MCL_META, mcl_account_of(L, MCL_META));
  chargebox(b, mascon_count(lent) * (lent->dtype.bits / 8));
  mcl_makeroom(L, b->account, 0);
  lua_pop(L, 1);
}


mascon_array *mcl_newarray (lua_State *L, mascon_dtype t, int ndim,
                            const int64_t *shape, bool zero) {
  int (*make) (mascon_array *, mascon_dtype, int, const int64_t *) =
    zero ? mascon_zeros : mascon_new;
  mascon_array *a = mcl_pushhandle(L);
  int64_t bytes = bytesof(t, ndim, shape);
  int status;
  mcl_makeroom(L, ((box *)a)->account, bytes);
  status = make(a, t, ndim, shape);
  if (status == MASCON_ENOMEM) {  /* what is garbage may be enough */
    mcl_collect(L);
    status = make(a, t, ndim, shape);
  }
  if (status == MASCON_ENOMEM) mcl_nomemory(L, bytes);
  mcl_check(L, status);
  chargebox((box *)a, bytes + OVERHEAD);
  return a;
}


int mascon_push (lua_State *L, const mascon_array *a) {
  mascon_array *new;
  int meta;
  if (a == NULL || a->magic != MASCON_MAGIC || a->abi != MASCON_ABI)
    return MASCON_ECLOSED;
  if (a->buffer == NULL) return MASCON_EVALUE;
  if (!lua_checkstack(L, 4)) return MASCON_ENOMEM;
  if (!mcl_getmeta(L)) {
    lua_pop(L, 1);
    return MASCON_EVALUE;
  }
  meta = lua_gettop(L);
  new = &pushbox(L, meta, mcl_account_of(L, meta))->head.a;
  lua_remove(L, meta);
  mascon_view(new, a);
  new->flags = a->flags;  /* a view only if it was one */
  mcl_adopt(L, new);
  return MASCON_OK;
}


/* what is in the handle is given up, and it counts no longer */
static void closebox (box *b) {
  if (b->account == NULL) return;
  mcl_put(b->account, -b->charged);
  b->account->handles--;
  b->account = NULL;
  mascon_release(&b->head.a);
}


/* a:close(), __close: free at once; closing twice is no error */
static int closenow (lua_State *L) {
  mascon_array *a = mcl_peek(L, 1);
  if (a == NULL) return mcl_typeerror(L, 1, "array");
  mcl_checkidle(L, 1);
  closebox((box *)a);
  return 0;
}


/* one use more or less of the array at 'arg', if it is one */
static void adduse (lua_State *L, int arg, int by) {
  mascon_array *a = mcl_peek(L, arg);
  if (a != NULL) ((box *)a)->uses += by;
}


void mcl_checkidle (lua_State *L, int arg) {
  const mascon_array *a = mcl_peek(L, arg);
  if (a != NULL && ((const box *)a)->uses > 0)
    luaL_argerror(L, arg, "array is in use by the call that runs this");
}


void mcl_adduses (lua_State *L, int top, int by) {
  for (int i = 1; i <= top; i++) {
    if (lua_type(L, i) != LUA_TUSERDATA) continue;
    adduse(L, i, by);
    for (int k = 1; k <= 2; k++) {
      lua_getiuservalue(L, i, k);
      adduse(L, lua_gettop(L), by);
      lua_pop(L, 1);
    }
  }
}


/* does the collector call this, as none but it can?  Not known in LuaJIT */
static bool finalized (lua_State *L) {
  lua_Debug ar;
  return lua_getstack(L, 0, &ar) != 0 && lua_getinfo(L, "n", &ar) != 0 &&
         ar.name != NULL && strcmp(ar.namewhat, "metamethod") == 0 &&
         strcmp(ar.name, "__gc") == 0;
}


/*
** The secret goes too: others may get this memory next.  What is in use comes
** here when the state is closed within the call, or from a script by hand
*/
static int gc (lua_State *L) {
  mascon_array *a = mcl_peek(L, 1);
  if (a == NULL || (((box *)a)->uses > 0 && !finalized(L))) return 0;
  closebox((box *)a);
  ((box *)a)->head.secret = 0;
  return 0;
}

/* -------} */


/* {------- outputs ------- */

mascon_array *mcl_checkout (lua_State *L, int arg) {
  mascon_array *out = mcl_checkarray(L, arg);
  if (mascon_isreadonly(out))
    luaL_argerror(L, arg, mascon_strerror(MASCON_EREADONLY));
  return out;
}


int mcl_outerror (lua_State *L, int arg, mascon_dtype t, int ndim,
                  const int64_t *shape) {
  double dummy;  /* an address: no element is looked at */
  mascon_array want;
  mcl_check(L, mascon_describe(&want, &dummy, t, ndim, shape, NULL, 0));
  return mcl_typeerror(L, arg, mascon_pushkind(L, &want));
}


mascon_array *mcl_optout (lua_State *L, int arg, mascon_dtype t, bool wider,
                          int ndim, const int64_t *shape) {
  mascon_array *out;
  mascon_dtype d;
  if (lua_isnoneornil(L, arg)) return mcl_newarray(L, t, ndim, shape, false);
  out = mcl_checkout(L, arg);
  d = mascon_dtype_of(out);
  if (out->ndim != ndim ||
      memcmp(out->shape, shape, (size_t)ndim * sizeof *shape) != 0 ||
      (wider ? mascon_dtype_join(t, d) != d : t != d))
    mcl_outerror(L, arg, t, ndim, shape);
  lua_pushvalue(L, arg);
  return out;
}

/* -------} */


/* {------- what an array is ------- */

/* a:shape() -> n1, n2, ...: the sizes of its axes */
static int shape (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  for (int i = 0; i < a->ndim; i++) lua_pushinteger(L, a->shape[i]);
  return a->ndim;
}


/* #a: the size of the first axis */
static int len (lua_State *L) {
  lua_pushinteger(L, mcl_checkarray(L, 1)->shape[0]);
  return 1;
}


/* a:addr() -> the address of the first element, an integer, for an FFI */
static int addr (lua_State *L) {
  lua_pushinteger(L, (lua_Integer)(intptr_t)mcl_checkarray(L, 1)->data);
  return 1;
}


/*
** a == b: the same elements in memory, seen the same way (buffer, first
** element, shape, strides, dtype).  a:eq(b) compares values.  What is no
** array, or is closed, is equal to nothing but itself.
*/
static int eq (lua_State *L) {
  const mascon_array *a = mcl_peek(L, 1), *b = mcl_peek(L, 2);
  lua_pushboolean(L, a != NULL && b != NULL && a->magic == MASCON_MAGIC &&
                  b->magic == MASCON_MAGIC && a->data == b->data &&
                  a->buffer == b->buffer && a->ndim == b->ndim &&
                  memcmp(&a->dtype, &b->dtype, sizeof a->dtype) == 0 &&
                  memcmp(a->shape, b->shape, sizeof a->shape) == 0 &&
                  memcmp(a->stride, b->stride, sizeof a->stride) == 0);
  return 1;
}

/* -------} */


void mcl_openarray (lua_State *L) {
  static const luaL_Reg methods[] = {
    {"addr", addr},
    {"close", closenow},
    {"shape", shape},
    {NULL, NULL}
  };
  static const luaL_Reg meta[] = {
    {"__len", len},
    {"__eq", eq},
    {"__gc", gc},
    {"__close", closenow},
    {NULL, NULL}
  };
  mcl_openaccount(L);
  drawsecret();
  mcl_addmethods(L, methods);
  mcl_addmeta(L, meta);
}

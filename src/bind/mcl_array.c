/*
** mcl_array.c - the array userdata: handles, elements, closing, the collector
**
** The struct of mascon.h stands at offset 0 of the userdata, and there is
** nothing else in it.
*/

#include <math.h>
#include <string.h>

#include "mcl.h"

/* garbage beyond this, and beyond what is live, is worth a full collection */
#define SLACK (64 << 20)
#define OVERHEAD 192  /* bytes that a small array costs besides its elements */

static const char accountkey;  /* key of the account in the registry */

/*
** What the collector is to feel.  Lua sees a userdata of a hundred bytes,
** whatever hangs on it.
*/
typedef struct account {
  int64_t held;   /* bytes made by this state and not known to be freed */
  int64_t floor;  /* held after the last full collection */
} account;


/* {------- handles ------- */

/* the array at 'arg', live or closed, or NULL */
static mascon_array *handle (lua_State *L, int arg) {
  void *p = lua_touserdata(L, arg);
  if (p == NULL || !lua_getmetatable(L, arg)) return NULL;
  if (lua_topointer(L, -1) != lua_topointer(L, MCL_META) ||
      lua_rawlen(L, arg) < sizeof(mascon_array)) p = NULL;
  lua_pop(L, 1);
  return p;
}


mascon_array *mcl_toarray (lua_State *L, int arg) {
  mascon_array *a = handle(L, arg);
  if (a != NULL && a->magic != MASCON_MAGIC)
    luaL_argerror(L, arg, "array is closed");
  return a;
}


mascon_array *mcl_livearray (lua_State *L, int arg) {
  mascon_array *a = handle(L, arg);
  return a != NULL && a->magic == MASCON_MAGIC ? a : NULL;
}


mascon_array *mcl_checkarray (lua_State *L, int arg) {
  mascon_array *a = mcl_toarray(L, arg);
  if (a == NULL) mcl_typeerror(L, arg, "array");
  return a;
}


mascon_array *mcl_pushhandle (lua_State *L) {
  mascon_array *a = lua_newuserdatauv(L, sizeof *a, 0);
  memset(a, 0, sizeof *a);
  lua_pushvalue(L, MCL_META);
  lua_setmetatable(L, -2);
  return a;
}


static const char *rankname (int ndim) {
  static const char *const names[] = {"", " vector", " matrix", " 3-D array",
                                      " 4-D array"};
  return names[ndim];
}


const char *mcl_describe (lua_State *L, int arg) {
  const mascon_array *a = handle(L, arg);
  if (a == NULL) {
    if (lua_type(L, arg) == LUA_TSTRING)
      return lua_pushfstring(L, "\"%s\"", lua_tostring(L, arg));
    if (lua_type(L, arg) == LUA_TNUMBER) {
      lua_pushvalue(L, arg);
      return lua_pushfstring(L, "%s", lua_tostring(L, -1));
    }
    if (luaL_getmetafield(L, arg, "__name") == LUA_TSTRING)
      return lua_tostring(L, -1);
    return lua_pushstring(L, luaL_typename(L, arg));
  }
  if (a->magic != MASCON_MAGIC) return lua_pushliteral(L, "closed array");
  lua_pushfstring(L, "%s%s ", mascon_dtype_name(mascon_dtype_of(a)),
                  rankname(a->ndim));
  for (int i = 0; i < a->ndim; i++)
    lua_pushfstring(L, i == 0 ? "%I" : " x %I", (lua_Integer)a->shape[i]);
  lua_concat(L, a->ndim + 1);
  return lua_tostring(L, -1);
}


int mcl_typeerror (lua_State *L, int arg, const char *expected) {
  const char *got = lua_isnone(L, arg) ? "no value" : mcl_describe(L, arg);
  return luaL_argerror(L, arg, lua_pushfstring(L, "%s expected, got %s",
                                               expected, got));
}

/* -------} */


/* {------- memory and the collector ------- */

static account *getaccount (lua_State *L) {
  account *c;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &accountkey);
  c = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return c;
}


/* charge 'bytes' of a new array; collect when garbage may have piled up */
static void charge (lua_State *L, int64_t bytes) {
  account *c = getaccount(L);
  int64_t grown = c->held + bytes - c->floor;
  if (grown > SLACK && grown > c->floor) {
    lua_gc(L, LUA_GCCOLLECT);
    c->floor = c->held;
  }
  c->held += bytes;
}


/* what closing 'a' gives back to its state's account */
static int64_t weight (const mascon_array *a) {
  return (int64_t)mascon_buffer_bytes(a) + OVERHEAD;
}


void mcl_adopt (lua_State *L, const mascon_array *a) {
  charge(L, weight(a));
}


mascon_array *mcl_newarray (lua_State *L, mascon_dtype t, int ndim,
                            const int64_t *shape, bool zero) {
  int (*make) (mascon_array *, mascon_dtype, int, const int64_t *) =
    zero ? mascon_zeros : mascon_new;
  mascon_array *a = mcl_pushhandle(L);
  int status = make(a, t, ndim, shape);
  if (status == MASCON_ENOMEM) {  /* what is garbage may be enough */
    lua_gc(L, LUA_GCCOLLECT);
    status = make(a, t, ndim, shape);
  }
  mcl_check(L, status);
  mcl_adopt(L, a);
  return a;
}


static void closearray (lua_State *L, mascon_array *a) {
  account *c;
  if (a == NULL || a->magic != MASCON_MAGIC) return;
  c = getaccount(L);
  if (c != NULL) c->held -= weight(a);
  mascon_release(a);
}


/* a:close(), __close, __gc: free at once; closing twice is no error */
static int close (lua_State *L) {
  mascon_array *a = handle(L, 1);
  if (a == NULL) mcl_typeerror(L, 1, "array");
  closearray(L, a);
  return 0;
}


static int gc (lua_State *L) {
  closearray(L, handle(L, 1));
  return 0;
}

/* -------} */


/* {------- elements ------- */

void mcl_pushelement (lua_State *L, mascon_dtype t, const void *p) {
  switch (t) {
    case MASCON_F64: lua_pushnumber(L, *(const double *)p); break;
    case MASCON_F32: lua_pushnumber(L, *(const float *)p); break;
    case MASCON_I64: lua_pushinteger(L, *(const int64_t *)p); break;
    case MASCON_I32: lua_pushinteger(L, *(const int32_t *)p); break;
    case MASCON_U16: lua_pushinteger(L, *(const uint16_t *)p); break;
    default: lua_pushinteger(L, *(const uint8_t *)p); break;
  }
}


static void storeint (mascon_dtype t, void *p, lua_Integer x) {
  switch (t) {
    case MASCON_F64: *(double *)p = (double)x; break;
    case MASCON_F32: *(float *)p = (float)x; break;
    case MASCON_I64: *(int64_t *)p = x; break;
    case MASCON_I32: *(int32_t *)p = (int32_t)x; break;
    case MASCON_U16: *(uint16_t *)p = (uint16_t)x; break;
    default: *(uint8_t *)p = (uint8_t)x; break;
  }
}


void mcl_setelement (lua_State *L, int arg, mascon_dtype t, void *p) {
  if (lua_isinteger(L, arg)) {
    lua_Integer x = lua_tointeger(L, arg);
    if (mascon_dtype_fits_int(t, x)) {
      storeint(t, p, x);
      return;
    }
  }
  else if (lua_type(L, arg) == LUA_TNUMBER) {
    double x = lua_tonumber(L, arg);
    if (t == MASCON_F64) *(double *)p = x;
    else if (t == MASCON_F32) *(float *)p = (float)x;
    else if (mascon_dtype_fits(t, x)) storeint(t, p, (lua_Integer)x);
    else goto inexact;
    return;
  }
  else mcl_typeerror(L, arg, "number");
inexact:
  lua_pushvalue(L, arg);
  luaL_argerror(L, arg, lua_pushfstring(L, "%s does not fit %s exactly",
                lua_tostring(L, -1), mascon_dtype_name(t)));
}


/* address of element 'i' (0-based) of the first axis */
static void *first (const mascon_array *a, int64_t i) {
  return (char *)a->data + i * a->stride[0] * (a->dtype.bits / 8);
}


/*
** The integer at 'arg' as a 0-based index of 'n', or -1: 1 to n, and negative
** from the end.  False for what is no integer.
*/
static bool toindex (lua_State *L, int arg, int64_t n, int64_t *i) {
  int isint;
  lua_Integer x = lua_tointegerx(L, arg, &isint);
  *i = x >= 1 && x <= n ? x - 1 : x < 0 && x >= -n ? n + x : -1;
  return isint;
}


static int badindex (lua_State *L, int arg, int64_t n) {
  return luaL_error(L, "index %s is outside 1 to %I",
                    luaL_tolstring(L, arg, NULL), (lua_Integer)n);
}


/* a[i]: an element, or the i-th slice of the first axis; nil at n + 1 */
static int number (lua_State *L, const mascon_array *a) {
  int64_t i, n = a->shape[0];
  if (!toindex(L, 2, n, &i)) return badindex(L, 2, n);
  if (i < 0) {
    if (lua_tointeger(L, 2) != n + 1) return badindex(L, 2, n);
    lua_pushnil(L);
  }
  else if (a->ndim == 1) mcl_pushelement(L, mascon_dtype_of(a), first(a, i));
  else mcl_check(L, mascon_select(mcl_pushhandle(L), a, 0, i));
  return 1;
}


/* a.name: a field */
static int field (lua_State *L, const mascon_array *a) {
  const char *name = lua_tostring(L, 2);
  if (strcmp(name, "dtype") == 0)
    lua_pushstring(L, mascon_dtype_name(mascon_dtype_of(a)));
  else if (strcmp(name, "ndim") == 0) lua_pushinteger(L, a->ndim);
  else if (strcmp(name, "size") == 0) lua_pushinteger(L, mascon_count(a));
  else if (strcmp(name, "nrows") == 0) lua_pushinteger(L, a->shape[0]);
  else if (strcmp(name, "ncols") == 0) lua_pushinteger(L, a->shape[1]);
  else return luaL_error(L, "array has no field or method '%s'", name);
  return 1;
}


/* __index; upvalue 2: the methods */
static int metaindex (lua_State *L) {
  const mascon_array *a = handle(L, 1);
  if (a == NULL) mcl_typeerror(L, 1, "array");
  if (lua_type(L, 2) == LUA_TNUMBER) return number(L, mcl_toarray(L, 1));
  if (lua_type(L, 2) != LUA_TSTRING)
    return luaL_error(L, "array index is a number or a name, got %s",
                      mcl_describe(L, 2));
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) return 1;
  return field(L, mcl_toarray(L, 1));
}


/* __newindex: one element of a vector */
static int metanewindex (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  int64_t i;
  if (lua_type(L, 2) != LUA_TNUMBER)
    return luaL_error(L, "array has no field '%s' to set",
                      luaL_tolstring(L, 2, NULL));
  if (!toindex(L, 2, a->shape[0], &i) || i < 0)
    return badindex(L, 2, a->shape[0]);
  if (a->flags & MASCON_READONLY) mcl_check(L, MASCON_EREADONLY);
  if (a->ndim > 1) return luaL_error(L, "rows cannot be assigned yet");
  mcl_setelement(L, 3, mascon_dtype_of(a), first(a, i));
  return 0;
}


static void *element (lua_State *L, const mascon_array *a) {
  char *p = a->data;
  for (int k = 0; k < a->ndim; k++)
    p += mcl_checkindex(L, k + 2, a->shape[k]) * a->stride[k] *
         (a->dtype.bits / 8);
  return p;
}


/* a:get(i, j, ...), a(i, j, ...) */
static int get (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  mcl_pushelement(L, mascon_dtype_of(a), element(L, a));
  return 1;
}


/* a:set(i, j, ..., x) */
static int set (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  void *p = element(L, a);
  if (a->flags & MASCON_READONLY) mcl_check(L, MASCON_EREADONLY);
  mcl_setelement(L, a->ndim + 2, mascon_dtype_of(a), p);
  return 0;
}

/* -------} */


static int shape (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  for (int i = 0; i < a->ndim; i++) lua_pushinteger(L, a->shape[i]);
  return a->ndim;
}


static int len (lua_State *L) {
  lua_pushinteger(L, mcl_checkarray(L, 1)->shape[0]);
  return 1;
}


/* zeros(n1, ..., n4 [, dtype]) */
static int zeros (lua_State *L) {
  int n = lua_gettop(L);
  int64_t dims[MASCON_MAXDIM];
  mascon_dtype t = MASCON_F64;
  if (lua_type(L, n) == LUA_TSTRING) t = mcl_optdtype(L, n--, t);
  luaL_argcheck(L, n >= 1 && n <= MASCON_MAXDIM, 1, "1 to 4 sizes expected");
  for (int i = 0; i < n; i++) dims[i] = luaL_checkinteger(L, i + 1);
  mcl_newarray(L, t, n, dims, true);
  return 1;
}


void mcl_openarray (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"zeros", zeros},
    {NULL, NULL}
  };
  static const luaL_Reg methods[] = {
    {"close", close},
    {"get", get},
    {"set", set},
    {"shape", shape},
    {NULL, NULL}
  };
  static const luaL_Reg meta[] = {
    {"__newindex", metanewindex},
    {"__call", get},
    {"__len", len},
    {"__gc", gc},
    {"__close", close},
    {NULL, NULL}
  };
  account *c = lua_newuserdatauv(L, sizeof *c, 0);
  c->held = c->floor = 0;
  lua_rawsetp(L, LUA_REGISTRYINDEX, &accountkey);
  mcl_addfuncs(L, funcs);
  mcl_addmethods(L, methods);
  mcl_addmeta(L, meta);
  luaL_getmetatable(L, MCL_ARRAY);
  lua_pushvalue(L, -1);
  lua_getfield(L, -2, "methods");
  lua_pushcclosure(L, metaindex, 2);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

/*
** mcl_element.c - elements and fields of arrays, one at a time
*/

#include <string.h>

#include "mcl.h"


/* {------- values ------- */

void mcl_pushint (lua_State *L, int64_t x) {
#if LUA_VERSION_NUM < 503
  if (!mascon_dtype_fits(MASCON_I64, (double)x) || (int64_t)(double)x != x)
    luaL_error(L, "%I is no number of LuaJIT: cast to f64", (lua_Integer)x);
#endif
  lua_pushinteger(L, x);
}


void mcl_pushelement (lua_State *L, mascon_dtype t, const void *p) {
  switch (t) {
    case MASCON_F64: lua_pushnumber(L, *(const double *)p); break;
    case MASCON_F32: lua_pushnumber(L, *(const float *)p); break;
    case MASCON_I64: mcl_pushint(L, *(const int64_t *)p); break;
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


const char *mcl_misfit (lua_State *L, int arg, mascon_dtype t) {
  lua_pushvalue(L, arg);
  return lua_pushfstring(L, "%s does not fit %s exactly",
                         lua_tostring(L, -1), mascon_dtype_name(t));
}


const char *mcl_store (lua_State *L, int arg, mascon_dtype t, void *p) {
  if (lua_isinteger(L, arg)) {
    lua_Integer x = lua_tointeger(L, arg);
    if (!mascon_dtype_fits_int(t, x)) return mcl_misfit(L, arg, t);
    storeint(t, p, x);
  }
  else if (lua_type(L, arg) == LUA_TNUMBER) {
    double x = lua_tonumber(L, arg);
    if (t == MASCON_F64) *(double *)p = x;
    else if (t == MASCON_F32) *(float *)p = (float)x;
    else if (mascon_dtype_fits(t, x)) storeint(t, p, (lua_Integer)x);
    else return mcl_misfit(L, arg, t);
  }
  else
    return lua_pushfstring(L, "number expected, got %s",
                           lua_isnone(L, arg) ? "no value"
                                              : mcl_describe(L, arg));
  return NULL;
}


void mcl_setelement (lua_State *L, int arg, mascon_dtype t, void *p) {
  const char *why = mcl_store(L, arg, t, p);
  if (why != NULL) luaL_argerror(L, arg, why);
}

/* -------} */


/* {------- a[i] and a.name ------- */

/* is it f64?  Most arrays are, and this is quicker than a call */
static bool isf64 (const mascon_array *a) {
  return a->dtype.code == 2 && a->dtype.bits == 64;
}


static void push (lua_State *L, const mascon_array *a, const void *p) {
  if (isf64(a)) lua_pushnumber(L, *(const double *)p);
  else mcl_pushelement(L, mascon_dtype_of(a), p);
}


/* store the value at 'arg', as mcl_store does */
static const char *store (lua_State *L, int arg, const mascon_array *a,
                          void *p) {
  if (isf64(a) && lua_type(L, arg) == LUA_TNUMBER) {
    *(double *)p = lua_tonumber(L, arg);
    return NULL;
  }
  return mcl_store(L, arg, mascon_dtype_of(a), p);
}


static void *at (const mascon_array *a, int64_t i) {
  return (char *)a->data + i * a->stride[0] * (a->dtype.bits / 8);
}


/*
** The number at 2 as a 0-based index of the first axis: 1 to n, and negative
** from the end; -1 for what is outside, and for what is not whole.
*/
static int64_t toindex (lua_State *L, int64_t n) {
  lua_Integer x = lua_tointegerx(L, 2, NULL);  /* 0: no integer */
  return x >= 1 && x <= n ? x - 1 : x < 0 && x >= -n ? n + x : -1;
}


static int badindex (lua_State *L, int64_t n) {
  return luaL_error(L, "index %s is outside 1 to %I",
                    luaL_tolstring(L, 2, NULL), (lua_Integer)n);
}


/* a[i]: an element, or a view of the i-th slice; nil at n + 1 */
static int number (lua_State *L, const mascon_array *a) {
  int64_t n = a->shape[0], i = toindex(L, n);
  if (i >= 0) {
    if (a->ndim == 1) push(L, a, at(a, i));
    else mcl_check(L, mascon_select(mcl_pushsibling(L, a), a, 0, i));
  }
  else if (lua_tointeger(L, 2) == n + 1) lua_pushnil(L);
  else return badindex(L, n);
  return 1;
}


/*
** a.name: dtype, ndim, size (elements), nrows, ncols (1 for a vector),
** readonly
*/
static int field (lua_State *L, const mascon_array *a) {
  const char *name = lua_tostring(L, 2);
  if (strcmp(name, "dtype") == 0)
    lua_pushstring(L, mascon_dtype_name(mascon_dtype_of(a)));
  else if (strcmp(name, "ndim") == 0) lua_pushinteger(L, a->ndim);
  else if (strcmp(name, "size") == 0) lua_pushinteger(L, mascon_count(a));
  else if (strcmp(name, "nrows") == 0) lua_pushinteger(L, a->shape[0]);
  else if (strcmp(name, "ncols") == 0) lua_pushinteger(L, a->shape[1]);
  else if (strcmp(name, "readonly") == 0)
    lua_pushboolean(L, mascon_isreadonly(a));
  else return luaL_error(L, "array has no field or method '%s'", name);
  return 1;
}


static int badkey (lua_State *L) {
  return luaL_error(L, "array index is a number or a name, got %s",
                    mcl_describe(L, 2));
}


/* __index; upvalue 2: the methods */
static int metaindex (lua_State *L) {
  int kind = lua_type(L, 2);
  if (kind == LUA_TNUMBER) return number(L, mcl_checkarray(L, 1));
  if (kind != LUA_TSTRING) return badkey(L);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) return 1;
  return field(L, mcl_checkarray(L, 1));
}


/* a[i] = x: an element; or a slice, x broadcast to it and converted */
static int metanewindex (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  int kind = lua_type(L, 2);
  int64_t i;
  if (kind == LUA_TSTRING)
    return luaL_error(L, "array has no field '%s' to set",
                      lua_tostring(L, 2));
  if (kind != LUA_TNUMBER) return badkey(L);
  if ((i = toindex(L, a->shape[0])) < 0) return badindex(L, a->shape[0]);
  if (mascon_isreadonly(a)) mcl_check(L, MASCON_EREADONLY);
  if (a->ndim == 1) {
    const char *why = store(L, 3, a, at(a, i));
    if (why != NULL) return luaL_error(L, "%s", why);
  }
  else if (lua_type(L, 3) == LUA_TTABLE) {
    mascon_array *slice = mcl_pushsibling(L, a);  /* reading the table may run a
                              finalizer, and that may close 'a' */
    mcl_check(L, mascon_select(slice, a, 0, i));
    mcl_assign(L, 3, slice);
  }
  else {
    mascon_array bare = *a, slice;
    bare.buffer = NULL;  /* no reference is taken: nothing to release */
    mcl_check(L, mascon_select(&slice, &bare, 0, i));
    mcl_assign(L, 3, &slice);
  }
  return 0;
}


/* mcl_checkindex, quickly for what is mostly there */
static int64_t place (lua_State *L, int arg, int64_t n) {
  lua_Integer x = lua_tointegerx(L, arg, NULL);  /* 0: no integer */
  return x >= 1 && x <= n ? x - 1 : mcl_checkindex(L, arg, n);
}


static void *element (lua_State *L, const mascon_array *a) {
  int64_t offset = 0;
  for (int k = 0; k < a->ndim; k++)
    offset += place(L, k + 2, a->shape[k]) * a->stride[k];
  return (char *)a->data + offset * (a->dtype.bits / 8);
}


/* an index for every axis: 'n' of them are there */
static void checkrank (lua_State *L, const mascon_array *a, int n) {
  if (n != a->ndim)
    luaL_error(L, "%d indices expected for %s, got %d", (int)a->ndim,
               mcl_describe(L, 1), n);
}


/* a:get(i, j, ...), a(i, j, ...): one element; an index for every axis */
static int get (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  checkrank(L, a, lua_gettop(L) - 1);
  push(L, a, element(L, a));
  return 1;
}


/* a:set(i, j, ..., x): one element; an error if x does not fit exactly */
static int set (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  void *p;
  checkrank(L, a, lua_gettop(L) - 2);
  p = element(L, a);
  if (mascon_isreadonly(a)) mcl_check(L, MASCON_EREADONLY);
  mcl_setelement(L, a->ndim + 2, mascon_dtype_of(a), p);
  return 0;
}

/* -------} */


void mcl_openelement (lua_State *L) {
  static const luaL_Reg methods[] = {
    {"get", get},
    {"set", set},
    {NULL, NULL}
  };
  static const luaL_Reg meta[] = {
    {"__newindex", metanewindex},
    {"__call", get},
    {NULL, NULL}
  };
  mcl_addmethods(L, methods);
  mcl_addmeta(L, meta);
  luaL_getmetatable(L, MCL_ARRAY);
  lua_pushvalue(L, -1);
  lua_getfield(L, -2, "methods");
  lua_pushcclosure(L, metaindex, 2);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

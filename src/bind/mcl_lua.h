/*
** mcl_lua.h - Lua 5.3 and LuaJIT (the API of 5.1), seen as Lua 5.4
**
** Include it before, or in place of, lua.h and lauxlib.h.  What an older API
** lacks, or does otherwise, is a function here that takes its place; with 5.4
** nothing is.  Two things no header can give:
**   - lua_toclose does nothing: the collector closes what is left open; nor
**     does lua_warning;
**   - the numbers of LuaJIT are doubles.  A number is an integer to it where
**     it is whole and in the range of 64 bits, and not -0.0.  Use mcl_pushint
**     (mcl.h) for elements, which may have more than 53 bits.
*/

#ifndef MCL_LUA_H
#define MCL_LUA_H

#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#if LUA_VERSION_NUM < 503
#include <luajit.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#endif


/* {------- what each of them does in its own way ------- */

/* the main thread of a state; NULL where hooks belong to no thread */
static inline lua_State *mcl_mainthread (lua_State *L) {
#if LUA_VERSION_NUM < 502
  (void)L;
  return NULL;
#else
  lua_State *main;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  main = lua_tothread(L, -1);
  lua_pop(L, 1);
  return main;
#endif
}


/* pop a table, and let the chunk at 'i' find its globals there */
static inline void mcl_setglobals (lua_State *L, int i) {
#if LUA_VERSION_NUM < 502
  lua_setfenv(L, i);
#else
  lua_setupvalue(L, i, 1);
#endif
}


#if defined(LUAJIT_VERSION)
#define MCL_LUANAME LUAJIT_VERSION
#else
#define MCL_LUANAME LUA_RELEASE
#endif

/* -------} */


#if LUA_VERSION_NUM < 504  /* {------- 5.3 and LuaJIT ------- */

#if LUA_VERSION_NUM < 502
#define lua_setuservalue lua_setfenv
#define lua_getuservalue lua_getfenv
#endif


/* the user values are in a table, which is the one that there is */
static inline void *mcl_newuserdatauv (lua_State *L, size_t size, int n) {
  void *p = lua_newuserdata(L, size);
  if (n == 0) return p;
  lua_createtable(L, n, 0);
  lua_setuservalue(L, -2);
  return p;
}


static inline int mcl_setiuservalue (lua_State *L, int i, int n) {
  lua_getuservalue(L, i);
  lua_insert(L, -2);
  lua_rawseti(L, -2, n);
  lua_pop(L, 1);
  return 1;
}


/* also of userdata that others made, which may have anything */
static inline int mcl_getiuservalue (lua_State *L, int i, int n) {
  lua_getuservalue(L, i);
  if (lua_istable(L, -1)) lua_rawgeti(L, -1, n);
  else lua_pushnil(L);
  lua_remove(L, -2);
  return lua_type(L, -1);
}


static inline int mcl_gc (lua_State *L, int what, ...) {
  return lua_gc(L, what, 0);
}


#define lua_newuserdatauv mcl_newuserdatauv
#define lua_setiuservalue mcl_setiuservalue
#define lua_getiuservalue mcl_getiuservalue
#define lua_gc mcl_gc
#define lua_toclose(L, i) ((void)(L), (void)(i))
#define lua_warning(L, s, more) ((void)(L))
#define luaL_pushfail(L) lua_pushnil(L)

#endif  /* -------} */


#if LUA_VERSION_NUM < 503  /* {------- LuaJIT ------- */

#define LUA_VERSION_MAJOR "5"
#define LUA_VERSION_MINOR "1"
#define LUA_VERSUFFIX "_5_1"
#define LUA_LOADED_TABLE "_LOADED"
#define LUA_PRELOAD_TABLE "_PRELOAD"

#define lua_dump(L, write, ud, strip) (lua_dump)(L, write, ud)
#define lua_rawlen lua_objlen
#define lua_pushglobaltable(L) lua_pushvalue((L), LUA_GLOBALSINDEX)
#define luaL_checkversion(L) ((void)(L))


static inline int mcl_absindex (lua_State *L, int i) {
  return i > 0 || i <= LUA_REGISTRYINDEX ? i : lua_gettop(L) + 1 + i;
}


/* pushes and getters that return something */

static inline const char *mcl_pushlstring (lua_State *L, const char *s,
                                           size_t n) {
  lua_pushlstring(L, s, n);
  return lua_tostring(L, -1);
}


static inline const char *mcl_pushstring (lua_State *L, const char *s) {
  lua_pushstring(L, s);
  return lua_tostring(L, -1);
}


static inline int mcl_getfield (lua_State *L, int i, const char *name) {
  lua_getfield(L, i, name);
  return lua_type(L, -1);
}


static inline int mcl_rawget (lua_State *L, int i) {
  lua_rawget(L, i);
  return lua_type(L, -1);
}


static inline int mcl_rawgeti (lua_State *L, int i, int n) {
  lua_rawgeti(L, i, n);
  return lua_type(L, -1);
}


static inline int mcl_getmetafield (lua_State *L, int i, const char *name) {
  return luaL_getmetafield(L, i, name) ? lua_type(L, -1) : LUA_TNIL;
}


#define lua_pushlstring mcl_pushlstring
#define lua_pushstring mcl_pushstring
#define lua_absindex mcl_absindex
#define lua_getfield mcl_getfield
#define lua_rawget mcl_rawget
#define lua_rawgeti mcl_rawgeti
#define luaL_getmetafield mcl_getmetafield


static inline int mcl_rawgetp (lua_State *L, int i, const void *key) {
  i = lua_absindex(L, i);
  lua_pushlightuserdata(L, (void *)key);
  return lua_rawget(L, i);
}


static inline void mcl_rawsetp (lua_State *L, int i, const void *key) {
  i = lua_absindex(L, i);
  lua_pushlightuserdata(L, (void *)key);
  lua_insert(L, -2);
  lua_rawset(L, i);
}


static inline int mcl_getsubtable (lua_State *L, int i, const char *name) {
  if (lua_getfield(L, i, name) == LUA_TTABLE) return 1;
  lua_pop(L, 1);
  i = lua_absindex(L, i);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setfield(L, i, name);
  return 0;
}


static inline void mcl_requiref (lua_State *L, const char *name,
                                 lua_CFunction open, int global) {
  mcl_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, name) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_pushcfunction(L, open);
    lua_pushstring(L, name);
    lua_call(L, 1, 1);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, name);
  }
  lua_remove(L, -2);
  if (!global) return;
  lua_pushvalue(L, -1);
  lua_setglobal(L, name);
}


static inline int mcl_newmetatable (lua_State *L, const char *name) {
  if (!luaL_newmetatable(L, name)) return 0;
  lua_pushstring(L, name);
  lua_setfield(L, -2, "__name");
  return 1;
}


#define luaL_newmetatable mcl_newmetatable
#define lua_rawgetp mcl_rawgetp
#define lua_rawsetp mcl_rawsetp
#define luaL_getsubtable mcl_getsubtable
#define luaL_requiref mcl_requiref


/* integers: a fraction is never cut off */

#define MCL_2TO63 9223372036854775808.0


static inline lua_Integer mcl_tointegerx (lua_State *L, int i, int *isint) {
  lua_Number x = lua_tonumber(L, i);
  int whole = x >= -MCL_2TO63 && x < MCL_2TO63 && x == floor(x) &&
              (x != 0 || lua_isnumber(L, i));
  if (isint != NULL) *isint = whole;
  return whole ? (lua_Integer)x : 0;
}


static inline int mcl_isinteger (lua_State *L, int i) {
  int isint;
  lua_Integer x = mcl_tointegerx(L, i, &isint);
  return lua_type(L, i) == LUA_TNUMBER && isint &&
         (x != 0 || !signbit(lua_tonumber(L, i)));
}


static inline int mcl_argerror (lua_State *L, int arg, const char *what);
static inline lua_Number mcl_checknumber (lua_State *L, int arg);


static inline lua_Integer mcl_checkinteger (lua_State *L, int arg) {
  int isint;
  lua_Integer x = mcl_tointegerx(L, arg, &isint);
  if (!isint) {
    mcl_checknumber(L, arg);
    mcl_argerror(L, arg, "number has no integer representation");
  }
  return x;
}


static inline lua_Integer mcl_optinteger (lua_State *L, int arg,
                                          lua_Integer def) {
  return lua_isnoneornil(L, arg) ? def : mcl_checkinteger(L, arg);
}


#undef lua_tointeger
#define lua_isinteger mcl_isinteger
#define lua_tointegerx mcl_tointegerx
#define lua_tointeger(L, i) mcl_tointegerx((L), (i), NULL)
#define luaL_checkinteger mcl_checkinteger
#define luaL_optinteger mcl_optinteger


/* texts */

/* lua_pushvfstring with %I */
static inline const char *mcl_pushvfstring (lua_State *L, const char *format,
                                            va_list ap) {
  const char *next;
  char digits[32];
  lua_pushliteral(L, "");
  for (; (next = strchr(format, '%')) != NULL; format = next + 2) {
    lua_pushlstring(L, format, (size_t)(next - format));
    switch (next[1]) {
      case 's': lua_pushstring(L, va_arg(ap, const char *)); break;
      case 'c': *digits = (char)va_arg(ap, int);
                lua_pushlstring(L, digits, 1); break;
      case 'd': lua_pushinteger(L, va_arg(ap, int)); break;
      case 'f': lua_pushnumber(L, va_arg(ap, double)); break;
      case 'p': lua_pushfstring(L, "%p", va_arg(ap, void *)); break;
      case 'I':
        snprintf(digits, sizeof digits, "%lld",
                 (long long)va_arg(ap, lua_Integer));
        lua_pushstring(L, digits);
        break;
      default: lua_pushlstring(L, next + 1, 1);
    }
    lua_concat(L, 3);
  }
  lua_pushstring(L, format);
  lua_concat(L, 2);
  return lua_tostring(L, -1);
}


static inline const char *mcl_pushfstring (lua_State *L, const char *format,
                                           ...) {
  const char *s;
  va_list ap;
  va_start(ap, format);
  s = mcl_pushvfstring(L, format, ap);
  va_end(ap);
  return s;
}


static inline int mcl_error (lua_State *L, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  luaL_where(L, 1);
  mcl_pushvfstring(L, format, ap);
  va_end(ap);
  lua_concat(L, 2);
  return lua_error(L);
}


#define lua_pushfstring mcl_pushfstring
#define luaL_error mcl_error


static inline const char *mcl_tolstring (lua_State *L, int i, size_t *n) {
  i = lua_absindex(L, i);
  if (!luaL_callmeta(L, i, "__tostring")) {
    switch (lua_type(L, i)) {
      case LUA_TNUMBER: case LUA_TSTRING: lua_pushvalue(L, i); break;
      case LUA_TNIL: lua_pushliteral(L, "nil"); break;
      case LUA_TBOOLEAN:
        lua_pushstring(L, lua_toboolean(L, i) ? "true" : "false");
        break;
      default: {
        int named = luaL_getmetafield(L, i, "__name") == LUA_TSTRING;
        const char *kind = named ? lua_tostring(L, -1) : luaL_typename(L, i);
        lua_pushfstring(L, "%s: %p", kind, (void *)lua_topointer(L, i));
        if (named) lua_remove(L, -2);
      }
    }
  }
  return lua_tolstring(L, -1, n);
}


#define luaL_tolstring mcl_tolstring

#endif  /* -------} */


#if LUA_VERSION_NUM < 504  /* {------- errors name functions as in 5.4 ------- */

/* the name of the running function, by how it was called or in the module */
static inline const char *mcl_name (lua_State *L, lua_Debug *ar) {
  if (ar->name != NULL)  /* that of an operator without its underscores */
    return strncmp(ar->name, "__", 2) == 0 ? ar->name + 2 : ar->name;
  lua_getinfo(L, "f", ar);
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, "mascon.core") == LUA_TTABLE) {
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
      if (lua_rawequal(L, -1, -5) && lua_type(L, -2) == LUA_TSTRING)
        return lua_tostring(L, -2);  /* the module keeps it */
  }
  return "?";
}


static inline int mcl_argerror (lua_State *L, int arg, const char *what) {
  lua_Debug ar;
  const char *name;
  lua_getstack(L, 0, &ar);
  lua_getinfo(L, "n", &ar);
  name = mcl_name(L, &ar);
  if (strcmp(ar.namewhat, "method") == 0 && --arg == 0)
    return luaL_error(L, "calling '%s' on bad self (%s)", name, what);
  return luaL_error(L, "bad argument #%d to '%s' (%s)", arg, name, what);
}


/* what luaL_typeerror is in 5.4 */
static inline int mcl_kinderror (lua_State *L, int arg, const char *want) {
  return mcl_argerror(L, arg, lua_pushfstring(L, "%s expected, got %s", want,
                                              luaL_typename(L, arg)));
}


static inline lua_Number mcl_checknumber (lua_State *L, int arg) {
  if (!lua_isnumber(L, arg)) mcl_kinderror(L, arg, "number");
  return lua_tonumber(L, arg);
}


static inline void mcl_checktype (lua_State *L, int arg, int type) {
  if (lua_type(L, arg) != type)
    mcl_kinderror(L, arg, lua_typename(L, type));
}


static inline const char *mcl_checklstring (lua_State *L, int arg,
                                            size_t *n) {
  if (!lua_isstring(L, arg)) mcl_kinderror(L, arg, "string");
  return lua_tolstring(L, arg, n);
}


#define luaL_argerror mcl_argerror
#define luaL_checknumber mcl_checknumber
#define luaL_checktype mcl_checktype
#define luaL_checklstring mcl_checklstring

#endif  /* -------} */

#endif

/*
** mcl_args.c - checking arguments and options
*/

#include <string.h>

#include "mcl.h"


void mcl_check (lua_State *L, int status) {
  if (status == MASCON_ENOMEM) mcl_nomemory(L, 0);
  if (status != MASCON_OK) luaL_error(L, "%s", mascon_strerror(status));
}


const char *mcl_checkpath (lua_State *L, int arg) {
  size_t n;
  const char *path = luaL_checklstring(L, arg, &n);
  luaL_argcheck(L, strlen(path) == n, arg, "file name holds a zero byte");
  return path;
}


mascon_dtype mcl_optdtype (lua_State *L, int arg, mascon_dtype def) {
  const char *name;
  if (lua_isnoneornil(L, arg)) return def;
  if (lua_type(L, arg) == LUA_TSTRING) {
    name = lua_tostring(L, arg);
    for (int t = 0; t < MASCON_NDTYPE; t++)
      if (strcmp(name, mascon_dtype_name((mascon_dtype)t)) == 0)
        return (mascon_dtype)t;
  }
  mcl_typeerror(L, arg, "dtype \"f64\", \"f32\", \"i64\", \"i32\", \"u16\" or "
                "\"u8\"");
  return def;  /* not reached */
}


int64_t mcl_checkindex (lua_State *L, int arg, int64_t n) {
  lua_Integer i = luaL_checkinteger(L, arg);
  if (i >= 1 && i <= n) return i - 1;
  if (i < 0 && i >= -n) return n + i;
  luaL_argerror(L, arg, lua_pushfstring(L,
                "index %I is outside 1 to %I", i, (lua_Integer)n));
  return 0;  /* not reached */
}


/* {------- options ------- */

unsigned mcl_options (lua_State *L, int arg, const char *const names[]) {
  unsigned have = 0;
  if (lua_isnoneornil(L, arg)) return have;
  if (lua_type(L, arg) != LUA_TTABLE) mcl_typeerror(L, arg, "table of options");
  lua_pushnil(L);
  while (lua_next(L, arg)) {
    const char *key;
    int i = 0;
    if (lua_type(L, -2) != LUA_TSTRING)
      luaL_argerror(L, arg, lua_pushfstring(L,
                    "option names are strings, got a %s", luaL_typename(L, -2)));
    key = lua_tostring(L, -2);
    while (names[i] != NULL &&
           (names[i][0] != key[0] || strcmp(names[i], key) != 0)) i++;
    if (names[i] == NULL)
      luaL_argerror(L, arg, lua_pushfstring(L, "unknown option '%s'", key));
    have |= 1u << i;
    lua_pop(L, 1);
  }
  return have;
}


void mcl_noarguments (lua_State *L, int last) {
  if (!lua_isnoneornil(L, last + 1))
    luaL_argerror(L, last + 1, "no argument is taken here");
}


void mcl_nooptions (lua_State *L, int last) {
  for (int i = last + 1; i <= lua_gettop(L); i++)
    if (lua_type(L, i) == LUA_TTABLE)
      luaL_argerror(L, i, "no options are taken here");
}


int mcl_optvalue (lua_State *L, int arg, const char *name) {
  if (arg == 0 || lua_isnoneornil(L, arg)) {
    lua_pushnil(L);
    return LUA_TNIL;
  }
  lua_pushstring(L, name);
  return lua_rawget(L, arg);
}


int mcl_opterror (lua_State *L, int arg, const char *name,
                  const char *expected) {
  const char *got = mcl_describe(L, lua_gettop(L));
  return luaL_argerror(L, arg, lua_pushfstring(L,
                       "option '%s': %s expected, got %s", name, expected,
                       got));
}


mascon_array *mcl_optarray (lua_State *L, int arg, const char *name,
                            const char *expected) {
  mascon_array *a;
  if (mcl_optvalue(L, arg, name) == LUA_TNIL) {
    lua_pop(L, 1);
    return NULL;
  }
  a = mcl_livearray(L, lua_gettop(L));
  if (a == NULL) mcl_opterror(L, arg, name, expected);
  return a;
}


int64_t mcl_optint (lua_State *L, int arg, const char *name, int64_t def,
                    int64_t lo, int64_t hi) {
  int isint;
  lua_Integer x;
  if (mcl_optvalue(L, arg, name) == LUA_TNIL) {
    lua_pop(L, 1);
    return def;
  }
  x = lua_tointegerx(L, -1, &isint);
  if (!isint || lua_type(L, -1) != LUA_TNUMBER || x < lo || x > hi) {
    const char *expected = hi == INT64_MAX && lo == INT64_MIN
      ? lua_pushliteral(L, "integer") : hi == INT64_MAX
      ? lua_pushfstring(L, "integer from %I up", (lua_Integer)lo)
      : lua_pushfstring(L, "integer from %I to %I", (lua_Integer)lo,
                        (lua_Integer)hi);
    lua_insert(L, -2);
    mcl_opterror(L, arg, name, expected);
  }
  lua_pop(L, 1);
  return x;
}


double mcl_optnum (lua_State *L, int arg, const char *name, double def) {
  if (mcl_optvalue(L, arg, name) != LUA_TNIL) {
    if (lua_type(L, -1) != LUA_TNUMBER) mcl_opterror(L, arg, name, "number");
    def = lua_tonumber(L, -1);
  }
  lua_pop(L, 1);
  return def;
}


bool mcl_optbool (lua_State *L, int arg, const char *name, bool def) {
  if (mcl_optvalue(L, arg, name) != LUA_TNIL) {
    if (lua_type(L, -1) != LUA_TBOOLEAN) mcl_opterror(L, arg, name, "boolean");
    def = lua_toboolean(L, -1);
  }
  lua_pop(L, 1);
  return def;
}


int mcl_optenum (lua_State *L, int arg, const char *name, int def,
                 const char *const list[]) {
  if (mcl_optvalue(L, arg, name) != LUA_TNIL) {
    const char *s = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    int i = 0;
    while (list[i] != NULL && strcmp(list[i], s) != 0) i++;
    if (list[i] == NULL) {
      luaL_Buffer b;
      luaL_buffinit(L, &b);
      for (i = 0; list[i] != NULL; i++) {
        luaL_addstring(&b, i == 0 ? "\"" : list[i + 1] ? ", \"" : " or \"");
        luaL_addstring(&b, list[i]);
        luaL_addstring(&b, "\"");
      }
      luaL_pushresult(&b);
      lua_insert(L, -2);
      mcl_opterror(L, arg, name, lua_tostring(L, -2));
    }
    def = i;
  }
  lua_pop(L, 1);
  return def;
}

/* -------} */

/*
** mcl_ship.c - a function of Lua on its way to a state of its own
**
** It goes as bytecode.  Of its upvalues only modules and _ENV can follow it:
** a module is loaded again by its name.  The new state has Lua's libraries, but
** no standard function that the old one lacks, or has replaced; where the
** function's own environment is not the globals, it gets one that lacks what
** that one does.  To know what is standard, a state is opened that has it all.
*/

#include <lualib.h>

#include "mcl_job.h"

/* a host that is linked statically may be without */
#pragma weak luaL_openlibs

/* what is packed */
enum {
  CODE = 1,   /* bytecode */
  UPVALUES,   /* list: name of a module, or true for _ENV */
  PATH,       /* of package; false where it is none or there is no package */
  CPATH,
  LACKS,      /* list: table, name, table, name, ... */
  ENVLACKS,   /* the same of the function's environment; false: the globals */
  GLOBAL,     /* is mascon a global? */
  ENVGLOBAL,  /* ... in that environment? */
  LAST = ENVGLOBAL
};

#define PRELOAD "preload"  /* the table of that name; no library has it */

static const char partskey;  /* key in the registry */


void mcl_setparts (lua_State *L, lua_CFunction parts) {
  lua_pushcfunction(L, parts);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &partskey);
}


lua_CFunction mcl_getparts (lua_State *L) {
  lua_CFunction parts;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &partskey);
  parts = lua_tocfunction(L, -1);
  lua_pop(L, 1);
  return parts;
}


/* {------- what a state has ------- */

static int indexed (lua_State *L) {
  lua_gettable(L, 1);
  return 1;
}


/* push t[name] for what is at 't', nil where that raises or is no table */
static void get (lua_State *L, int t, const char *name) {
  if (!lua_istable(L, t)) {
    lua_pushnil(L);
    return;
  }
  lua_pushstring(L, name);
  if (lua_rawget(L, t) != LUA_TNIL || !lua_getmetatable(L, t)) return;
  lua_pop(L, 2);
  lua_pushcfunction(L, indexed);
  lua_pushvalue(L, t);
  lua_pushstring(L, name);
  if (lua_pcall(L, 2, 1, 0) == LUA_OK) return;
  lua_pop(L, 1);
  lua_pushnil(L);
}


/*
** Does t[name] of 'L' stand for what is on top of 'R', a state that has all?
** A function must be the same; LuaJIT tells some of its own not apart, none
** that does harm.
*/
static bool has (lua_State *L, int t, const char *name, lua_State *R) {
  bool same;
  get(L, t, name);
  if (lua_isfunction(R, -1))
    same = lua_isfunction(L, -1) &&
           lua_iscfunction(L, -1) == lua_iscfunction(R, -1) &&
           lua_tocfunction(L, -1) == lua_tocfunction(R, -1);
  else same = !lua_isnil(L, -1) && lua_istable(L, -1) == lua_istable(R, -1);
  lua_pop(L, 1);
  return same;
}


/* append "table, name" to the list at 'list' */
static void lack (lua_State *L, int list, const char *table,
                  const char *name) {
  int n = (int)lua_rawlen(L, list);
  lua_pushstring(L, table);
  lua_rawseti(L, list, n + 1);
  lua_pushstring(L, name);
  lua_rawseti(L, list, n + 2);
}


/*
** What is in the library on top of 'R' and not in both of 'L', of which one
** may be absent: stack indices 'a', 'b'
*/
static void walklibrary (lua_State *L, int list, lua_State *R,
                         const char *name, int a, int b) {
  bool one = lua_istable(L, a), other = lua_istable(L, b);
  for (lua_pushnil(R); lua_next(R, -2); lua_pop(R, 1)) {
    const char *key = lua_tostring(R, -2);
    if (lua_type(R, -2) != LUA_TSTRING) continue;
    if ((one && !has(L, a, key, R)) || (other && !has(L, b, key, R)) ||
        (!one && !other)) lack(L, list, name, key);
  }
}


/*
** The list at 'list' gets what the globals at 'env' lack.  Where 'loaded' is
** the table of modules, what is lacking there too; the other way, 0, it is
** about an environment, whose libraries are its own.
*/
static void walk (lua_State *L, int list, lua_State *R, int env, int loaded) {
  int top = lua_gettop(L);
  lua_pushglobaltable(R);
  for (lua_pushnil(R); lua_next(R, -2); lua_pop(R, 1)) {
    const char *name = lua_tostring(R, -2);
    if (!has(L, env, name, R)) lack(L, list, "_G", name);
  }
  lua_pop(R, 1);
  lua_getfield(R, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  for (lua_pushnil(R); lua_next(R, -2); lua_pop(R, 1)) {
    const char *name = lua_tostring(R, -2);
    if (!lua_istable(R, -1) || strcmp(name, "_G") == 0) continue;
    get(L, env, name);
    get(L, loaded != 0 ? loaded : list, name);  /* the list has no names */
    walklibrary(L, list, R, name, top + 1, top + 2);
    lua_settop(L, top);
    if (loaded != 0 && !has(L, loaded, name, R)) lack(L, list, "", name);
  }
  lua_pop(R, 1);
}


/* the same of modules that wait to be required, as LuaJIT's ffi does */
static void walkpreload (lua_State *L, int list, lua_State *R, int loaded) {
  int top = lua_gettop(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_getfield(R, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  for (lua_pushnil(R); lua_next(R, -2); lua_pop(R, 1)) {
    const char *name = lua_tostring(R, -2);
    get(L, loaded, name);
    if (lua_isnil(L, -1) && !has(L, top + 1, name, R))
      lack(L, list, PRELOAD, name);
    lua_pop(L, 1);
  }
  lua_pop(R, 1);
  lua_settop(L, top);
}


/* protected; 1: the state that has all, 2: an environment or nil.  Returns
   what the globals lack, and what the environment does, or false */
static int compare (lua_State *L) {
  lua_State *R = lua_touserdata(L, 1);
  lua_settop(L, 2);
  lua_newtable(L);
  lua_pushglobaltable(L);
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  walk(L, 3, R, 4, 5);
  walkpreload(L, 3, R, 5);
  lua_pushboolean(L, 0);
  if (!lua_isnil(L, 2)) {
    lua_newtable(L);
    lua_replace(L, 6);
    walk(L, 6, R, 2, 0);
  }
  lua_pushvalue(L, 3);
  lua_pushvalue(L, 6);
  return 2;
}


static int openlibs (lua_State *R) {
  luaL_openlibs(R);
  return 0;
}


/* push LACKS and ENVLACKS for the environment at 'env' (nil: the globals) */
static void pushlacks (lua_State *L, int env) {
  int status = LUA_ERRMEM;
  lua_State *R;
  if (luaL_openlibs == NULL)
    luaL_error(L, "this program has no libraries of Lua for a worker");
  lua_pushcfunction(L, compare);
  if ((R = luaL_newstate()) != NULL) {
    lua_pushcfunction(R, openlibs);
    status = lua_pcall(R, 0, 0, 0);
    if (status == LUA_OK) {
      lua_pushlightuserdata(L, R);
      lua_pushvalue(L, env);
      status = lua_pcall(L, 2, 2, 0);
      lua_close(R);
      if (status != LUA_OK) lua_error(L);
      return;
    }
    lua_close(R);
  }
  mcl_check(L, MASCON_ENOMEM);
}

/* -------} */


/* {------- shipping ------- */

typedef struct writer {
  luaL_Buffer b;
  bool begun;
} writer;


/* a buffer uses the stack, where lua_dump looks for the function first */
static int write (lua_State *L, const void *p, size_t n, void *ud) {
  writer *w = ud;
  if (!w->begun) luaL_buffinit(L, &w->b);
  w->begun = true;
  luaL_addlstring(&w->b, p, n);
  return 0;
}


/* push the bytecode of the function at 'arg' */
static void pushcode (lua_State *L, int arg) {
  writer w;
  w.begun = false;
  lua_pushvalue(L, arg);
  if (lua_dump(L, write, &w, 0) != 0)
    luaL_argerror(L, arg, "function cannot be shipped");
  luaL_pushresult(&w.b);
  lua_remove(L, -2);
}


/* push the name by which the value on top of the stack is loaded, the first
   of several in the order of strings; or nil */
static void pushmodule (lua_State *L) {
  int value = lua_gettop(L), loaded = value + 1, name = value + 2;
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_pushnil(L);
  if (lua_istable(L, value))
    for (lua_pushnil(L); lua_next(L, loaded); lua_pop(L, 1)) {
      if (!lua_rawequal(L, -1, value) || lua_type(L, -2) != LUA_TSTRING ||
          (!lua_isnil(L, name) &&
           strcmp(lua_tostring(L, name), lua_tostring(L, -2)) < 0)) continue;
      lua_pushvalue(L, -2);
      lua_replace(L, name);
    }
  lua_remove(L, loaded);
}


/* push UPVALUES of the function at 'arg', and its environment (nil: none, or
   the globals) */
static void pushupvalues (lua_State *L, int arg) {
  int list = lua_gettop(L) + 1, env = list + 1;
  const char *name;
  lua_newtable(L);
  lua_pushnil(L);
#if LUA_VERSION_NUM < 502
  lua_getfenv(L, arg);
  lua_replace(L, env);
#endif
  for (int i = 1; (name = lua_getupvalue(L, arg, i)) != NULL; i++) {
    if (strcmp(name, "_ENV") == 0 && lua_istable(L, -1)) {
      lua_pushvalue(L, -1);
      lua_replace(L, env);
      lua_pushboolean(L, 1);
    }
    else {
      pushmodule(L);
      if (lua_isnil(L, -1)) {
        const char *got = mcl_describe(L, env + 1);
        luaL_argerror(L, arg, lua_pushfstring(L, "upvalue '%s': a loaded module "
                      "expected, got %s; pass other values as arguments",
                      name, got));
      }
    }
    lua_rawseti(L, list, i);
    lua_pop(L, 1);
  }
  lua_pushglobaltable(L);
  if (lua_rawequal(L, env, -1)) {
    lua_pushnil(L);
    lua_replace(L, env);
  }
  lua_pop(L, 1);
}


/* push package.path or package.cpath, false where there is none */
static void pushpath (lua_State *L, const char *name) {
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  get(L, lua_gettop(L), "package");
  get(L, lua_gettop(L), name);
  if (lua_type(L, -1) != LUA_TSTRING) {
    lua_pop(L, 1);
    lua_pushboolean(L, 0);
  }
  lua_replace(L, -3);
  lua_pop(L, 1);
}


/* push whether the table at 't' has mascon under its name */
static void pushglobal (lua_State *L, int t) {
  bool has;
  get(L, t, "mascon");
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  get(L, lua_gettop(L), "mascon");
  has = !lua_isnil(L, -1) && lua_rawequal(L, -1, -3);
  lua_pop(L, 3);
  lua_pushboolean(L, has);
}


void mcl_checkfunction (lua_State *L, int arg) {
  if (lua_iscfunction(L, arg))
    luaL_argerror(L, arg, "Lua function expected, got C function");
  if (!lua_isfunction(L, arg)) mcl_typeerror(L, arg, "Lua function");
}


void mcl_ship (lua_State *L, int arg, mcl_packet *p) {
  int base = lua_gettop(L), env, which;
  const char *wrong;
  luaL_checkstack(L, LUA_MINSTACK + LAST, NULL);
  lua_pushglobaltable(L);
  pushupvalues(L, arg);
  env = base + 3;
  pushcode(L, arg);
  lua_pushvalue(L, base + 2);
  pushpath(L, "path");
  pushpath(L, "cpath");
  pushlacks(L, env);
  pushglobal(L, base + 1);
  pushglobal(L, env);
  wrong = mcl_pack(L, env + CODE, env + LAST, p, &which);
  if (wrong != NULL) luaL_argerror(L, arg, wrong);
  lua_settop(L, base);
}

/* -------} */


/* {------- unshipping: the stack is that of what was packed ------- */

enum {REQUIRE = LAST + 1, LOADED, GLOBALS, ENV, FUNCTION};

/* let go of what the caller lacks: of the table 'top' ("_G"), of the libraries
   that are found in the table at 'from' */
static void forget (lua_State *W, int list, int top, int from) {
  int n = (int)lua_rawlen(W, list);
  for (int i = 1; i <= n; i += 2) {
    const char *table;
    lua_rawgeti(W, list, i);
    lua_rawgeti(W, list, i + 1);
    table = lua_tostring(W, -2);
    if (strcmp(table, "_G") == 0) lua_pushvalue(W, top);
    else if (*table == '\0') lua_pushvalue(W, from);
    else if (strcmp(table, PRELOAD) == 0)
      lua_getfield(W, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    else lua_getfield(W, from, table);
    if (lua_istable(W, -1)) {
      lua_insert(W, -2);
      lua_pushnil(W);
      lua_rawset(W, -3);
      lua_pop(W, 2);
    }
    else lua_pop(W, 3);
  }
}


/* push a table with what is in the one at 't' */
static void copy (lua_State *W, int t) {
  lua_newtable(W);
  for (lua_pushnil(W); lua_next(W, t); lua_pop(W, 1)) {
    lua_pushvalue(W, -2);
    lua_pushvalue(W, -2);
    lua_rawset(W, -5);
  }
}


/* push an environment of its own for the function: a copy of the globals and
   of their libraries, without what the caller's lacks */
static void pushenv (lua_State *W) {
  int env = lua_gettop(W) + 1;
  copy(W, GLOBALS);
  for (lua_pushnil(W); lua_next(W, env); lua_settop(W, env + 1)) {
    if (!lua_istable(W, -1)) continue;
    lua_pushvalue(W, env + 1);
    if (lua_rawequal(W, env + 2, GLOBALS)) lua_pushvalue(W, env);
    else copy(W, env + 2);
    lua_rawset(W, env);
  }
  forget(W, ENVLACKS, env, env);
}


/* push the module 'name' as the caller's 'require' would find it */
static void load (lua_State *W, const char *name) {
  int top = lua_gettop(W) + 1;
  if (lua_getfield(W, LOADED, name) != LUA_TNIL) return;
  if (lua_getfield(W, LOADED, "package") == LUA_TTABLE)
    lua_pushvalue(W, REQUIRE);
  else {  /* no file is looked for */
    lua_getfield(W, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    if (lua_getfield(W, -1, name) == LUA_TNIL)
      luaL_error(W, "module '%s' not found", name);
  }
  lua_pushstring(W, name);
  lua_call(W, 1, 1);
  lua_pushvalue(W, -1);
  lua_setfield(W, LOADED, name);
  lua_replace(W, top);
  lua_settop(W, top);
}


static void setpath (lua_State *W, int i, const char *name) {
  if (lua_getfield(W, LOADED, "package") == LUA_TTABLE && lua_toboolean(W, i)) {
    lua_pushvalue(W, i);
    lua_setfield(W, -2, name);
  }
  lua_pop(W, 1);
}


/* make mascon known; its kernels use one thread */
static void openmascon (lua_State *W, lua_CFunction parts) {
  luaL_getsubtable(W, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(W, luaopen_mascon_core);
  lua_setfield(W, -2, "mascon.core");
  lua_pop(W, 1);
  if (parts != NULL) {
    lua_pushcfunction(W, parts);
    lua_call(W, 0, 0);
  }
  luaL_requiref(W, "mascon.core", luaopen_mascon_core, 0);
  lua_getfield(W, -1, "threads");
  lua_pushinteger(W, 1);
  lua_call(W, 1, 0);
  lua_pop(W, 1);
}


/* mascon is a global in 't', where it is one of the caller's */
static void setglobal (lua_State *W, int yes, int t) {
  if (!lua_toboolean(W, yes)) return;
  load(W, "mascon");
  lua_setfield(W, t, "mascon");
}


/* push the function, its upvalues set */
static void pushfunction (lua_State *W) {
  size_t n;
  const char *code = lua_tolstring(W, CODE, &n);
  int count = (int)lua_rawlen(W, UPVALUES);
  if (luaL_loadbufferx(W, code, n, "=function", "b") != LUA_OK) lua_error(W);
#if LUA_VERSION_NUM < 502
  lua_pushvalue(W, ENV);
  lua_setfenv(W, -2);
#endif
  for (int i = 1; i <= count; i++) {
    if (lua_rawgeti(W, UPVALUES, i) == LUA_TSTRING)
      load(W, lua_tostring(W, -1));
    else lua_pushvalue(W, ENV);
    lua_setupvalue(W, FUNCTION, i);
    lua_settop(W, FUNCTION);
  }
}


/*
** While modules are loaded 'require' is a global, as it was when the caller
** loaded them; no file is looked for where the caller has no package library.
*/
int mcl_unship (lua_State *W) {
  const mcl_job *j = lua_touserdata(W, 1);
  size_t at = 0;
  bool keeps;
  luaL_openlibs(W);
  lua_settop(W, 0);
  mcl_unpack(W, &j->function, &at);
  lua_getglobal(W, "require");
  lua_getfield(W, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_pushglobaltable(W);
  forget(W, LACKS, GLOBALS, LOADED);
  setpath(W, PATH, "path");
  setpath(W, CPATH, "cpath");
  keeps = lua_getfield(W, GLOBALS, "require") != LUA_TNIL;
  lua_pop(W, 1);
  if (lua_getfield(W, LOADED, "package") == LUA_TTABLE) {
    lua_pushvalue(W, REQUIRE);
    lua_setfield(W, GLOBALS, "require");
  }
  lua_pop(W, 1);
  openmascon(W, j->parts);
  if (lua_istable(W, ENVLACKS)) pushenv(W);
  else lua_pushvalue(W, GLOBALS);
  setglobal(W, GLOBAL, GLOBALS);
  setglobal(W, ENVGLOBAL, ENV);
  pushfunction(W);
  if (!keeps) {
    lua_pushnil(W);
    lua_setfield(W, GLOBALS, "require");
  }
  return 1;
}

/* -------} */

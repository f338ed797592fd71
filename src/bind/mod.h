/*
** mod.h - what the Lua C modules for formats that need a library share
**
** Such a module stands alone: it links its library and nothing of ours, and
** is loaded by 'require' only where somebody uses it.  So it gets its arrays
** where a script does, from "mascon.core", and sees them as mascon.h says.
*/

#ifndef MOD_H
#define MOD_H

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "mcl_lua.h"

#include "mascon_lua.h"

/* first upvalue of a module's functions: mascon.core's 'empty' */
#define MOD_EMPTY lua_upvalueindex(1)


/* push a new module table with 'funcs', each with MOD_EMPTY */
static inline void mod_newlib (lua_State *L, const luaL_Reg *funcs) {
  luaL_checkversion(L);
  lua_newtable(L);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "mascon.core");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "empty");
  lua_remove(L, -2);
  luaL_setfuncs(L, funcs, 1);
}


/*
** Push a new array, its elements not set.  Where there is no memory for it,
** push the message instead and return NULL.
*/
static inline mascon_array *mod_newarray (lua_State *L, const char *dtype,
                                          int ndim, const int64_t *shape) {
  luaL_checkstack(L, ndim + 2, NULL);
  lua_pushvalue(L, MOD_EMPTY);
  for (int k = 0; k < ndim; k++) lua_pushinteger(L, shape[k]);
  lua_pushstring(L, dtype);
  return lua_pcall(L, ndim + 1, 1, 0) == LUA_OK ? mascon_toarray(L, -1)
                                                : NULL;
}


/* a file name: C would take a part of one that holds a zero byte */
static inline const char *mod_checkpath (lua_State *L, int arg) {
  size_t n;
  const char *path = luaL_checklstring(L, arg, &n);
  luaL_argcheck(L, strlen(path) == n, arg, "file name holds a zero byte");
  return path;
}


/*
** Open a regular file for reading, and set '*size' to its bytes.  NULL where
** that fails; then '*why' says why.
*/
static inline FILE *mod_openread (const char *path, int64_t *size,
                                  const char **why) {
  struct stat s;
  FILE *f;
  if (stat(path, &s) == 0 && !S_ISREG(s.st_mode)) {
    *why = "not a regular file";
    return NULL;
  }
  f = fopen(path, "rb");
  if (f != NULL && fstat(fileno(f), &s) == 0) {
    *size = (int64_t)s.st_size;
    return f;
  }
  *why = strerror(errno);
  if (f != NULL) fclose(f);
  return NULL;
}


/* raise "interrupted" where the hook that Ctrl-C sets is not 'hook' */
static inline void mod_checkhook (lua_State *L, lua_Hook hook) {
  if (lua_gethook(L) == hook) return;
  lua_pushliteral(L, "interrupted");
  lua_error(L);
}


/*
** Push a new handle of 'size' bytes, cleared, that 'collect' frees: at the
** latest when the running function returns or raises.
*/
static inline void *mod_newhandle (lua_State *L, size_t size, const char *name,
                                   lua_CFunction collect) {
  void *h = lua_newuserdatauv(L, size, 0);
  memset(h, 0, size);
  if (luaL_newmetatable(L, name)) {
    lua_pushcfunction(L, collect);
    lua_setfield(L, -2, "__gc");
    lua_pushcfunction(L, collect);
    lua_setfield(L, -2, "__close");
  }
  lua_setmetatable(L, -2);
  lua_toclose(L, -1);
  return h;
}


/* bytes of a[0], its elements side by side */
static inline size_t mod_rowbytes (const mascon_array *a) {
  int64_t n = a->dtype.bits / 8;
  for (int k = 1; k < a->ndim; k++) n *= a->shape[k];
  return (size_t)n;
}


/*
** The elements of a[i], side by side: where they are, or in 'block' (of
** mod_rowbytes), to which they are copied.
*/
static inline const void *mod_row (const mascon_array *a, int64_t i,
                                   void *block) {
  int64_t size = a->dtype.bits / 8, run = 1, n = 1, at[MASCON_MAXDIM] = {0};
  const char *p = (const char *)a->data + i * a->stride[0] * size;
  char *to = block;
  int last = a->ndim - 1;
  for (int k = last; k > 0; k--) {
    if (a->shape[k] != 1 && a->stride[k] != n) run = 0;
    n *= a->shape[k];
  }
  if (run) return p;
  for (; n > 0; n--, to += size) {
    const char *from = p;
    for (int k = 1; k <= last; k++) from += at[k] * a->stride[k] * size;
    memcpy(to, from, (size_t)size);
    for (int k = last; k > 0 && ++at[k] == a->shape[k]; k--) at[k] = 0;
  }
  return block;
}

#endif

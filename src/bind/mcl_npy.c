/*
** mcl_npy.c - .npy files: load, save, map, create
*/

#include <errno.h>
#include <string.h>

#include "mcl.h"


/* do the elements stand in row-major order without gaps? */
static int iscontiguous (const mascon_array *a) {
  int64_t n = 1;
  for (int k = a->ndim - 1; k >= 0; n *= a->shape[k--])
    if (a->shape[k] != 1 && a->stride[k] != n) return 0;
  return 1;
}


/* option 'map': 0 none, 1 for reading, 2 for writing */
static int optmap (lua_State *L, int arg) {
  static const char *const modes[] = {"r", "r+", NULL};
  int mode;
  if (mcl_optvalue(L, arg, "map") == LUA_TBOOLEAN) mode = lua_toboolean(L, -1);
  else mode = mcl_optenum(L, arg, "map", -1, modes) + 1;
  lua_pop(L, 1);
  return mode;
}


static int loadinto (const char *path, int map, mascon_array *a,
                     mascon_why *why, mascon_exec *ex) {
  return map != 0 ? mascon_npy_map(path, map == 2, a, why)
                  : mascon_npy_load(path, a, why, ex);
}


/* the array 'a', the topmost handle, or nil and a message */
static int answer (lua_State *L, mcl_call *c, int status, mascon_array *a,
                   const mascon_why *why) {
  if (status == MASCON_OK || status == MASCON_ECANCEL) {
    mcl_end(L, c, status);
    mcl_adopt(L, a);
    return 1;
  }
  luaL_pushfail(L);
  lua_pushstring(L, why->text);
  return 2;
}


/*
** load(path [, opts]) -> array, or nil and a message.
** opts: map = true or "r" (mapped, read-only), "r+" (mapped, writing changes
** the file), false (read; the default); threads, progress
*/
static int load (lua_State *L) {
  static const char *const names[] = {"map", "threads", "progress", NULL};
  const char *path = mcl_checkpath(L, 1);
  mascon_array *a;
  mascon_why why;
  mcl_call c;
  int status, map;
  lua_settop(L, 2);
  mcl_options(L, 2, names);
  map = optmap(L, 2);
  mcl_begin(L, &c, 2);
  a = mcl_pushhandle(L);
  status = loadinto(path, map, a, &why, &c.ex);
  if (status == MASCON_ENOMEM) {  /* what is garbage may be enough */
    mcl_collect(L);
    status = loadinto(path, map, a, &why, &c.ex);
  }
  return answer(L, &c, status, a, &why);
}


/*
** a:save(path [, opts]): write a .npy file, whole or not at all; raises what
** goes wrong.  opts: threads, progress
*/
static int save (lua_State *L) {
  static const char *const names[] = {"threads", "progress", NULL};
  const mascon_array *a = mcl_checkarray(L, 1);
  const char *path = mcl_checkpath(L, 2);
  mascon_why why;
  mcl_call c;
  int status;
  lua_settop(L, 3);
  mcl_options(L, 3, names);
  mcl_begin(L, &c, 3);
  status = mascon_npy_save(a, path, &why, &c.ex);
  if (status != MASCON_OK && status != MASCON_ECANCEL)
    return luaL_error(L, "%s", why.text);
  mcl_end(L, &c, status);
  return 0;
}


/*
** create(path, n1 [, n2 [, n3 [, n4]]] [, dtype]) -> array: a new .npy file
** of zeros, mapped: what is written into the array is in the file.  Closing
** the array and its views brings it to the disk.  Raises what goes wrong.
*/
static int create (lua_State *L) {
  const char *path = mcl_checkpath(L, 1);
  int n = lua_gettop(L), ndim = n - 1;
  int64_t shape[MASCON_MAXDIM];
  mascon_dtype t = MASCON_F64;
  mascon_array *a;
  mascon_why why;
  if (n > 1 && lua_type(L, n) == LUA_TSTRING) {
    t = mcl_optdtype(L, n, t);
    ndim--;
  }
  luaL_argcheck(L, ndim >= 1 && ndim <= MASCON_MAXDIM, 2,
                "1 to 4 sizes expected");
  for (int k = 0; k < ndim; k++) {
    shape[k] = luaL_checkinteger(L, k + 2);
    luaL_argcheck(L, shape[k] >= 0, k + 2, "size is negative");
  }
  a = mcl_pushhandle(L);
  if (mascon_npy_create(path, t, ndim, shape, a, &why) != MASCON_OK)
    return luaL_error(L, "%s", why.text);
  mcl_adopt(L, a);
  return 1;
}


/*
** npy.decode(bytes [, name]) -> array, or nil and a message: the .npy file
** that a u8 vector holds.  A view of it where its elements can be used as
** they stand.
*/
static int decode (lua_State *L) {
  const mascon_array *bytes = mcl_checkarray(L, 1);
  const char *name = luaL_optstring(L, 2, "bytes");
  mascon_why why;
  mcl_call c;
  int status;
  mascon_array *a;
  if (mascon_dtype_of(bytes) != MASCON_U8 || bytes->ndim != 1 ||
      !iscontiguous(bytes))
    mcl_typeerror(L, 1, "contiguous u8 vector");
  lua_settop(L, 2);
  mcl_begin(L, &c, 0);
  a = mcl_pushhandle(L);
  status = mascon_npy_decode(bytes, name, a, &why, &c.ex);
  if (status == MASCON_ENOMEM) {  /* as above */
    mcl_collect(L);
    status = mascon_npy_decode(bytes, name, a, &why, &c.ex);
  }
  return answer(L, &c, status, a, &why);
}


/*
** npy.head(a) -> what precedes the elements in a row-major .npy file; whether
** those of 'a' stand so
*/
static int head (lua_State *L) {
  char text[MASCON_NPYHEAD];
  size_t n;
  const mascon_array *a = mcl_checkarray(L, 1);
  mcl_check(L, mascon_npy_head(a, text, &n));
  lua_pushlstring(L, text, n);
  lua_pushboolean(L, iscontiguous(a));
  return 2;
}


/* a:flush(): wait until what was written into a mapped file is on the disk */
static int flush (lua_State *L) {
  int status = mascon_flush(mcl_checkarray(L, 1));
  if (status == MASCON_EIO) return luaL_error(L, "%s", strerror(errno));
  mcl_check(L, status);
  return 0;
}


void mcl_opennpy (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"load", load},
    {"create", create},
    {NULL, NULL}
  };
  static const luaL_Reg methods[] = {
    {"save", save},
    {"flush", flush},
    {NULL, NULL}
  };
  static const luaL_Reg npy[] = {
    {"decode", decode},
    {"head", head},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
  mcl_addmethods(L, methods);
  lua_newtable(L);
  mcl_addfuncs(L, npy);
  lua_setfield(L, -2, "npy");
}

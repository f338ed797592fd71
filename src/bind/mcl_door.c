/*
** mcl_door.c - ways to arrays for other people's code: the table of functions
** for C modules, the library's path for an FFI
*/

#define _GNU_SOURCE  /* dladdr */

#include <dlfcn.h>
#include <elf.h>
#include <sys/auxv.h>

#include "mcl.h"


typedef struct request {
  mascon_dtype t;
  int ndim;
  const int64_t *shape;
  int zeroed;
} request;


/* the array of the request at 1; upvalue 1 is what all our functions have */
static int answer (lua_State *L) {
  const request *r = lua_touserdata(L, 1);
  mcl_newarray(L, r->t, r->ndim, r->shape, r->zeroed);
  return 1;
}


/* in a function of another module, which has no such upvalue */
static mascon_array *make (lua_State *L, mascon_dtype t, int ndim,
                           const int64_t *shape, int zeroed) {
  request r = {t, ndim, shape, zeroed};
  luaL_checkstack(L, 3, NULL);
  mcl_getmeta(L);
  lua_pushcclosure(L, answer, 1);
  lua_pushlightuserdata(L, &r);
  lua_call(L, 1, 1);
  return lua_touserdata(L, -1);
}


static const mascon_functions functions = {
  sizeof functions, MASCON_ABI, make, mascon_push, mascon_wrap,
  mascon_view, mascon_release, mascon_strerror, mascon_register,
  mascon_parallel_for, mascon_cancelled
};


/*
** Push the file that an FFI loads to find mascon's functions; nil where they
** are part of the program, among whose own symbols it finds them then.
*/
static void pushlibpath (lua_State *L) {
  Dl_info ours, program;
  void *headers = (void *)(uintptr_t)getauxval(AT_PHDR);  /* the program's */
  if (dladdr((const void *)&functions, &ours) == 0 ||
      (headers != NULL && dladdr(headers, &program) != 0 &&
       program.dli_fbase == ours.dli_fbase)) lua_pushnil(L);
  else lua_pushstring(L, ours.dli_fname);
}


void mcl_opendoor (lua_State *L) {
  lua_pushlightuserdata(L, (void *)&functions);
  lua_setfield(L, LUA_REGISTRYINDEX, MASCON_FUNCTIONS);
  pushlibpath(L);
  lua_setfield(L, -2, "libpath");
}

/*
** cpath.c - where the program finds the C modules of formats
**
** They are no part of the program, as each needs a library.  They stand beside
** it, in "lib" where it was built or in "../lib/lua/5.4" where it is
** installed, and are looked for there first: whatever version of them is
** elsewhere belongs to another mascon.
*/

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "app.h"

#if !defined(PATH_MAX)
#define PATH_MAX 4096
#endif

#define LUAVERSION LUA_VERSION_MAJOR "." LUA_VERSION_MINOR


void app_addcpath (lua_State *L) {
  char exe[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
  char *slash;
  if (n <= 0) return;
  exe[n] = '\0';
  slash = strrchr(exe, '/');
  if (slash == NULL || strpbrk(exe, ";?") != NULL) return;
  *slash = '\0';
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "cpath");
  lua_pushfstring(L, "%s/lib/?.so;%s/../lib/lua/" LUAVERSION "/?.so;%s", exe,
                  exe, lua_tostring(L, -1));
  lua_setfield(L, -3, "cpath");
  lua_pop(L, 2);
}

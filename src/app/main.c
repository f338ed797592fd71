/*
** main.c - the mascon program: runs a script
*/

#include <stdio.h>
#include <stdlib.h>

#include <lua.h>
#include <lualib.h>

#include "mascon_lua.h"


int main (int argc, char **argv) {
  lua_State *L = luaL_newstate();
  int status;
  if (L == NULL) return EXIT_FAILURE;
  luaL_openlibs(L);
  luaL_requiref(L, "mascon", luaopen_mascon, 1);
  lua_pop(L, 1);
  lua_createtable(L, argc, 1);
  for (int i = 0; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - 1);
  }
  lua_setglobal(L, "arg");
  status = luaL_dofile(L, argc > 1 ? argv[1] : NULL);
  if (status != LUA_OK) fprintf(stderr, "mascon: %s\n", lua_tostring(L, -1));
  lua_close(L);
  return status == LUA_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

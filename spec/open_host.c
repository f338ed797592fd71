/*
** open_host.c - many threads open mascon at once, each in states of its own
**
**   open link COUNT       luaopen_mascon, linked in
**   open load COUNT DIR   require "mascon.core" from DIR/mascon/core.so
*/

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lualib.h>
#include <mascon_lua.h>

#define WORKERS 8

static int count;
static const char *folder;    /* NULL: what is linked in */
static pthread_barrier_t gate;
static atomic_int failed;


/* one state: open, use, close */
static int once (void) {
  lua_State *L = luaL_newstate();
  int ok;
  if (L == NULL) return 0;
  luaL_openlibs(L);
  if (folder == NULL) luaopen_mascon(L);
  else {
    lua_getglobal(L, "package");
    lua_pushfstring(L, "%s/?.so", folder);
    lua_setfield(L, -2, "cpath");
  }
  ok = luaL_dostring(L, "local m = require 'mascon.core'\n"
                        "return m.ones(3):sum() == 3") == LUA_OK;
  if (!ok) fprintf(stderr, "%s\n", lua_tostring(L, -1));
  ok = ok && lua_toboolean(L, -1);
  lua_close(L);
  return ok;
}


static void *work (void *ud) {
  (void)ud;
  pthread_barrier_wait(&gate);  /* the first time at the same instant */
  for (int i = 0; i < count; i++)
    if (!once()) atomic_fetch_add(&failed, 1);
  return NULL;
}


int main (int argc, char **argv) {
  pthread_t threads[WORKERS];
  if (argc < 3) return EXIT_FAILURE;
  count = atoi(argv[2]);
  if (strcmp(argv[1], "load") == 0) folder = argv[3];
  pthread_barrier_init(&gate, NULL, WORKERS);
  for (int i = 0; i < WORKERS; i++)
    if (pthread_create(&threads[i], NULL, work, NULL) != 0) return EXIT_FAILURE;
  for (int i = 0; i < WORKERS; i++) pthread_join(threads[i], NULL);
  printf("%d of %d failed\n", failed, WORKERS * count);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

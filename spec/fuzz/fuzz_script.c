/*
** fuzz_script.c - scripts of random calls; script.lua makes them of the bytes
*/

#include "fuzz.h"

#include <signal.h>
#include <sys/resource.h>

#include <lualib.h>
#include "mascon_lua.h"

static char folder[] = "/tmp/mascon_XXXXXX";


static void leave (void) {
  char command[64];
  snprintf(command, sizeof command, "rm -r %s", folder);
  if (system(command) != 0) printf("%s is left\n", folder);
}


/* no more memory and disk than a careful host gives */
static void limit (void) {
  struct rlimit file = {1 << 20, 1 << 20};
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &file);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__)  /* sanitizers want terabytes of addresses */
  struct rlimit memory = {(rlim_t)1 << 29, (rlim_t)1 << 29};
  setrlimit(RLIMIT_AS, &memory);
#endif
}


static lua_State *newstate (void) {
  lua_State *L = luaL_newstate();
  CHECK(L != NULL && mkdtemp(folder) != NULL);
  atexit(leave);
  limit();
  luaL_openlibs(L);
  luaopen_mascon(L);
  lua_pop(L, 1);
  if (luaL_dofile(L, "spec/fuzz/script.lua") != LUA_OK) {
    printf("%s\n", lua_tostring(L, -1));
    exit(1);
  }
  return L;
}


int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size) {
  static lua_State *L;
  static int64_t before;
  static int home;
  if (L == NULL) {
    home = open(".", O_RDONLY | O_DIRECTORY);
    L = newstate();
    lua_gc(L, LUA_GCCOLLECT, 0);
    before = fuzz_blocks();
  }
  /* any word may be the name of a file: none of ours */
  CHECK(chdir(folder) == 0);
  lua_pushvalue(L, -1);
  lua_pushlstring(L, (const char *)bytes, size);
  lua_pushstring(L, folder);
  if (lua_pcall(L, 2, 0, 0) != LUA_OK) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    abort();
  }
  lua_gc(L, LUA_GCCOLLECT, 0);
  lua_gc(L, LUA_GCCOLLECT, 0);
  CHECK(fchdir(home) == 0);
  CHECK(fuzz_blocks() <= before);
  return 0;
}

/*
** host_lua.c - a C program that gives its own memory to a Lua script
**
**   cc host_lua.c $(pkg-config --cflags --libs mascon_lua) -o host_lua
*/

#include <stdio.h>
#include <stdlib.h>

#include <lualib.h>
#include <mascon_lua.h>

#define ROWS 4
#define COLS 6

/* the script gets the host's matrix as its argument */
static const char script[] =
  "local mascon = require 'mascon'\n"
  "local m = ...\n"
  "print(m.dtype, m:shape())\n"
  "for i = 1, m.nrows do m:set(i, 1, -i) end\n"  /* writes to the host's memory */
  "kept = m[2]\n"                                /* a view that outlives the call */
  "return mascon.topn(m, 2, {out = {ids = true}})\n";


/* the memory goes back to the host: here it only says so */
static void release (void *ctx, void *data) {
  (void)data;
  ++*(int *)ctx;
}


/* push what the script is to work on; nothing is copied */
static int pushmatrix (lua_State *L, double *cells, int *released) {
  static const int64_t shape[2] = {ROWS, COLS};
  mascon_array m;
  int status = mascon_wrap(&m, cells, MASCON_F64, 2, shape, NULL, release,
                           released, 0);
  if (status != MASCON_OK) return status;
  status = mascon_push(L, &m);
  mascon_release(&m);  /* now the state's array is the only one */
  return status;
}


/* run the script on 'cells'; true if all came out as it should */
static int work (lua_State *L, double *cells, int *released) {
  const mascon_array *ids;
  const int32_t *id;
  int right = 1;
  if (luaL_loadstring(L, script) != LUA_OK ||
      pushmatrix(L, cells, released) != MASCON_OK ||
      lua_pcall(L, 1, 1, 0) != LUA_OK) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    return 0;
  }
  ids = mascon_toarray(L, -1);
  if (ids == NULL) return 0;
  id = ids->data;
  for (int r = 0; r < ROWS; r++) {
    printf("row %d: the best are columns %d and %d\n", r + 1, id[2 * r],
           id[2 * r + 1]);
    right &= id[2 * r] == COLS && id[2 * r + 1] == COLS - 1 &&
             cells[r * COLS] == -(r + 1);
  }
  lua_pop(L, 1);  /* from here on 'ids' may be collected */
  return right;
}


int main (void) {
  static double cells[ROWS * COLS];
  int released = 0, right;
  lua_State *L = luaL_newstate();
  if (L == NULL) return EXIT_FAILURE;
  luaL_openlibs(L);
  luaopen_mascon(L);  /* and 'require "mascon"' finds it */
  lua_settop(L, 0);
  for (int i = 0; i < ROWS * COLS; i++) cells[i] = i % COLS;
  right = work(L, cells, &released);
  lua_gc(L, LUA_GCCOLLECT, 0);
  right &= released == 0;  /* the script has kept a row */
  lua_close(L);
  right &= released == 1;
  printf(right ? "all right\n" : "something is wrong\n");
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

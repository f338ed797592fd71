/*
** push_host.c - a host that lends its memory to Lua, and how long it lives
*/

#include <lualib.h>
#include <pthread.h>
#include <stdio.h>

#include "check.h"
#include "mascon_lua.h"

static int released;  /* calls of 'giveback' */


static void giveback (void *ctx, void *data) {
  CHECK(ctx == &released);
  released++;
  free(data);
}


/* 'n' zeros of the host's own, wrapped */
static void lend (mascon_array *a, int64_t n) {
  double *p = calloc((size_t)n, sizeof *p);
  CHECK(mascon_wrap(a, p, MASCON_F64, 1, &n, NULL, giveback, &released, 0) ==
        MASCON_OK);
}


static lua_State *newstate (void) {
  lua_State *L = luaL_newstate();
  CHECK(L != NULL);
  luaL_openlibs(L);
  luaopen_mascon(L);
  lua_setglobal(L, "mascon");
  return L;
}


static void run (lua_State *L, const char *code) {
  if (luaL_dostring(L, code) != LUA_OK) {
    printf("%s\n", lua_tostring(L, -1));
    exit(1);
  }
}


/* Lua writes into the host's memory; the last handle that goes frees it */
static void shares (void) {
  lua_State *L = newstate();
  mascon_array a, *b;
  lend(&a, 3);
  CHECK(mascon_push(L, &a) == MASCON_OK);
  lua_setglobal(L, "a");
  run(L, "a[2] = 7; v = a:sub(2, 3); assert(#a == 3)");
  CHECK(((double *)a.data)[1] == 7);
  mascon_release(&a);
  mascon_release(&a);  /* twice is once */
  run(L, "assert(v[1] == 7); a:close(); a:close(); assert(v[1] == 7)");
  CHECK(released == 0);
  lua_getglobal(L, "v");
  b = mascon_toarray(L, -1);
  CHECK(b != NULL && ((double *)b->data)[0] == 7);
  lua_pop(L, 1);
  run(L, "v = nil; a = nil; collectgarbage()");
  CHECK(released == 1);
  lua_close(L);
  CHECK(released == 1);
}


static void *releaselater (void *ud) {
  mascon_release(ud);
  return NULL;
}


/* a handle of the host's own outlives the value, the state and the thread */
static void outlives (void) {
  lua_State *L = newstate();
  mascon_array mine;
  pthread_t thread;
  run(L, "return require 'mascon'.array {1, 2, 3}");
  CHECK(mascon_view(&mine, mascon_toarray(L, -1)) == MASCON_OK);
  lua_pop(L, 1);
  lua_gc(L, LUA_GCCOLLECT, 0);
  CHECK(((double *)mine.data)[2] == 3);
  lua_close(L);
  CHECK(((double *)mine.data)[2] == 3);
  CHECK(pthread_create(&thread, NULL, releaselater, &mine) == 0);
  pthread_join(thread, NULL);
  CHECK(mine.magic == 0);
}


/* lua_close releases what Lua holds; the callback may run after it */
static void closes (void) {
  lua_State *L = newstate();
  mascon_array a;
  released = 0;
  lend(&a, 1000);
  CHECK(mascon_push(L, &a) == MASCON_OK);
  lua_setglobal(L, "a");
  lua_close(L);
  CHECK(released == 0 && ((double *)a.data)[999] == 0);
  mascon_release(&a);
  CHECK(released == 1);
}


/* what nobody owns, is closed, or comes before mascon is not pushed */
static void refuses (void) {
  lua_State *L = newstate();
  double x = 0;
  int64_t one = 1;
  mascon_array a;
  int top = lua_gettop(L);
  CHECK(mascon_describe(&a, &x, MASCON_F64, 1, &one, NULL, 0) == MASCON_OK);
  CHECK(mascon_push(L, &a) == MASCON_EVALUE);
  CHECK(mascon_push(L, NULL) == MASCON_ECLOSED);
  mascon_release(&a);
  CHECK(mascon_push(L, &a) == MASCON_ECLOSED);
  CHECK(mascon_wrap(&a, &x, MASCON_F64, 1, &one, NULL, NULL, NULL, 0) ==
        MASCON_EVALUE);
  CHECK(mascon_wrap(&a, &x, MASCON_F64, 1, &one, NULL, NULL, NULL,
                    MASCON_STATIC | MASCON_READONLY) == MASCON_OK);
  CHECK(mascon_push(L, &a) == MASCON_OK);
  lua_setglobal(L, "a");
  run(L, "assert(a.readonly and not pcall(a.fill, a, 1))");
  CHECK(lua_gettop(L) == top);
  lua_close(L);
  L = luaL_newstate();
  CHECK(mascon_push(L, &a) == MASCON_EVALUE && lua_gettop(L) == 0);
  lua_close(L);
  mascon_release(&a);
}


/* one index in two states, which outlives both and then goes */
static void indexes (void) {
  lua_State *L[2] = {newstate(), newstate()};
  float items[6] = {1, 0, 0, 1, 1, 1};
  int64_t shape[2] = {3, 2};
  mascon_array a;
  mascon_index *x;
  CHECK(mascon_describe(&a, items, MASCON_F32, 2, shape, NULL, 0) ==
        MASCON_OK);
  CHECK(mascon_index_new(&a, NULL, &x, NULL) == MASCON_OK);
  for (int i = 0; i < 2; i++) {
    CHECK(mascon_index_push(L[i], x) == MASCON_OK);
    lua_setglobal(L[i], "x");
    run(L[i], "assert(x:similar(1, 1)(1, 1) == 3 and #x == 3)");
    if (i == 0) run(L[i], "x:close()");
  }
  CHECK(mascon_index_push(L[0], NULL) == MASCON_ECLOSED);
  lua_close(L[0]);
  lua_close(L[1]);
  L[0] = luaL_newstate();
  CHECK(mascon_index_push(L[0], x) == MASCON_EVALUE);
  lua_close(L[0]);
  mascon_index_release(x);
}


int main (void) {
  mascon_memory m;
  indexes();
  shares();
  outlives();
  closes();
  refuses();
  mascon_memory_now(&m);
  CHECK(m.blocks == 0);
  printf("ok\n");
  return 0;
}

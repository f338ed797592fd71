/*
** states_host.c - many states on many threads: open, share, close
**
**   states path/of/core.so
*/

#include <dlfcn.h>
#include <lualib.h>
#include <pthread.h>
#include <stdio.h>

#include "check.h"
#include "mascon_lua.h"

#define THREADS 8
#define ROUNDS 1000


static lua_State *newstate (lua_CFunction open, const char *name) {
  lua_State *L = luaL_newstate();
  CHECK(L != NULL);
  luaL_openlibs(L);
  lua_pushcfunction(L, open);
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
  lua_setglobal(L, "mascon");
  return L;
}


/* run 'code' with a token; what it returns, a number */
static double run (lua_State *L, const char *code, int64_t token) {
  double x;
  CHECK(luaL_loadstring(L, code) == LUA_OK);
  lua_pushinteger(L, (lua_Integer)token);
  if (lua_pcall(L, 1, 1, 0) != LUA_OK) {
    printf("%s\n", lua_tostring(L, -1));
    exit(1);
  }
  x = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return x;
}


static int released;  /* calls of 'count' */


static void count (void *ctx, void *data) {
  (void)ctx;
  (void)data;
  __atomic_add_fetch(&released, 1, __ATOMIC_RELAXED);
}


/* {------- tokens and freezing, in C ------- */

static void tokens (void) {
  double x[3] = {1, 2, 3};
  int64_t three = 3, token, other;
  mascon_array a, b;
  CHECK(mascon_describe(&a, x, MASCON_F64, 1, &three, NULL, 0) == MASCON_OK);
  CHECK(mascon_share(&a, 1, &token) == MASCON_EVALUE);
  CHECK(mascon_freeze(&a) == MASCON_EVALUE);
  CHECK(mascon_wrap(&a, x, MASCON_F64, 1, &three, NULL, count, NULL, 0) ==
        MASCON_OK);
  CHECK(mascon_share(&a, 0, &token) == MASCON_ERANGE);
  CHECK(mascon_share(&a, 2, &token) == MASCON_OK);
  CHECK(mascon_share(&a, 5, &other) == MASCON_OK && other != token);
  CHECK(token > 0 && token < (int64_t)1 << 53);
  mascon_release(&a);
  CHECK(mascon_share(&a, 1, &token) == MASCON_ECLOSED);
  CHECK(mascon_attach(token, &a) == MASCON_OK && a.data == x);
  mascon_release(&a);
  CHECK(mascon_unshare(other) == MASCON_OK && released == 0);
  CHECK(mascon_attach(other, &b) == MASCON_ERANGE);
  CHECK(mascon_attach(token, &a) == MASCON_OK && a.shape[0] == 3);
  CHECK(mascon_attach(token, &b) == MASCON_ERANGE);
  CHECK(mascon_unshare(token) == MASCON_ERANGE);
  CHECK(mascon_attach(other + 1, &b) == MASCON_EVALUE);
  CHECK(mascon_attach(0, &b) == MASCON_EVALUE);
  CHECK(mascon_attach(-1, &b) == MASCON_EVALUE);
  CHECK(!mascon_isreadonly(&a) && mascon_fill(4, &a, NULL) == MASCON_OK);
  CHECK(mascon_view(&b, &a) == MASCON_OK && mascon_freeze(&b) == MASCON_OK);
  CHECK(mascon_isreadonly(&a) && x[0] == 4);
  CHECK(mascon_fill(5, &a, NULL) == MASCON_EREADONLY && x[0] == 4);
  mascon_release(&b);
  CHECK(released == 0);
  mascon_release(&a);
  CHECK(released == 1);
}

/* -------} */


/* {------- eight threads that open and close states ------- */

typedef struct worker {
  pthread_t thread;
  int64_t token;  /* of the matrix that all read */
} worker;


static void *openclose (void *ud) {
  worker *w = ud;
  int64_t mine = 0;
  for (int i = 0; i < ROUNDS; i++) {
    int all = i % 50 == 0;  /* the Lua parts too */
    lua_State *L = all ? newstate(luaopen_mascon, "mascon")
                       : newstate(luaopen_mascon_core, "mascon.core");
    if (i == 0) {  /* a vector of this thread's, handed from state to state */
      CHECK(run(L, "m = mascon.attach(...); return m.nrows", w->token) == 9);
      mine = (int64_t)run(L, "return mascon.share(m:col(1):copy())", 0);
    }
    CHECK(run(L, "local v = mascon.attach(...); local w = v + 1\n"
                 "token = mascon.share(w); v:close()\n"
                 "return w:sum()", mine) == 9 * (1 + i + 1));
    mine = (int64_t)run(L, "return token", 0);
    lua_close(L);
  }
  CHECK(mascon_unshare(mine) == MASCON_OK);
  return NULL;
}


static void crowd (void) {
  static const int64_t shape[2] = {9, 2};
  static worker workers[THREADS];
  mascon_array m, v;
  int64_t token;
  CHECK(mascon_new(&m, MASCON_F64, 2, shape) == MASCON_OK);
  CHECK(mascon_fill(1, &m, NULL) == MASCON_OK);
  CHECK(mascon_freeze(&m) == MASCON_OK);
  CHECK(mascon_share(&m, THREADS, &token) == MASCON_OK);
  mascon_release(&m);
  for (int i = 0; i < THREADS; i++) {
    workers[i].token = token;
    CHECK(pthread_create(&workers[i].thread, NULL, openclose, &workers[i]) ==
          0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(workers[i].thread, NULL);
  CHECK(mascon_attach(token, &v) == MASCON_ERANGE);
}

/* -------} */


/* memory of the host's: freed by the last state, on a thread, after close */

static void *closestate (void *ud) {
  lua_close(ud);
  return NULL;
}


static void lasts (void) {
  lua_State *L = newstate(luaopen_mascon_core, "mascon.core");
  double x = 7;
  int64_t one = 1, token;
  mascon_array a;
  pthread_t thread;
  released = 0;
  CHECK(mascon_wrap(&a, &x, MASCON_F64, 1, &one, NULL, count, NULL, 0) ==
        MASCON_OK);
  CHECK(mascon_push(L, &a) == MASCON_OK);
  mascon_release(&a);
  lua_setglobal(L, "a");
  token = (int64_t)run(L, "return mascon.share(a)", 0);
  lua_close(L);
  CHECK(released == 0);
  L = newstate(luaopen_mascon_core, "mascon.core");
  CHECK(run(L, "b = mascon.attach(...); return b[1]", token) == 7);
  CHECK(pthread_create(&thread, NULL, closestate, L) == 0);
  pthread_join(thread, NULL);
  CHECK(released == 1);
}


/*
** Another copy of the library: in a state of its own it works, and takes
** arrays through C; tokens and states of ours are refused.
*/
static void copies (const char *path) {
  void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  lua_State *L = newstate(luaopen_mascon_core, "mascon.core");
  lua_CFunction open;
  int64_t token;
  mascon_array mine;
  CHECK(lib != NULL);
  *(void **)&open = dlsym(lib, "luaopen_mascon_core");
  CHECK(open != NULL && open != luaopen_mascon_core);
  token = (int64_t)run(L, "return mascon.share(mascon.full(3, 5))", 0);
  lua_pushcfunction(L, open);  /* two in one state */
  CHECK(lua_pcall(L, 0, 0, 0) != LUA_OK);
  CHECK(strstr(lua_tostring(L, -1), "'mascon.array' is already registered"));
  CHECK(run(L, "return mascon.attach(...):sum()", token) == 15);
  token = (int64_t)run(L, "return mascon.share(mascon.full(3, 5))", 0);
  lua_close(L);
  L = newstate(open, "mascon.core");
  CHECK(run(L, "local ok, why = pcall(mascon.attach, ...)\n"
               "assert(not ok and why:find 'no token of this library')\n"
               "a = mascon.full(4, 2)\n"
               "return a:sum()", token) == 8);
  CHECK(mascon_attach(token, &mine) == MASCON_OK);
  CHECK(mascon_push(L, &mine) == MASCON_EVALUE);
  mascon_release(&mine);
  lua_getglobal(L, "a");
  CHECK(mascon_view(&mine, mascon_toarray(L, -1)) == MASCON_OK);
  CHECK(mascon_freeze(&mine) == MASCON_OK);
  CHECK(run(L, "assert(a.readonly and not pcall(a.fill, a, 1))\n"
               "a = nil; collectgarbage()\n"
               "return 1", 0) == 1);
  lua_close(L);
  CHECK(((double *)mine.data)[3] == 2);
  mascon_release(&mine);  /* by the function of the copy that made it */
}


int main (int argc, char **argv) {
  mascon_memory m;
  tokens();
  lasts();
  crowd();
  if (argc > 1) copies(argv[1]);
  mascon_memory_now(&m);
  CHECK(m.blocks == 0);
  printf("ok\n");
  return 0;
}

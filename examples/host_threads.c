/*
** host_threads.c - eight threads, each with a Lua state, share one matrix
**
** All of them are in kernels at once, and no thread waits for another.
**
**   cc host_threads.c $(pkg-config --cflags --libs mascon_lua) -pthread
*/

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <lualib.h>
#include <mascon_lua.h>

#define WORKERS 8
#define ROWS 400
#define COLS 300

/* a share of the product m m', and the best columns of each of its rows */
static const char script[] =
  "local mascon = require 'mascon'\n"
  "local m, n = ...\n"
  "for i = 1, 20 do\n"
  "  local p = m:matmul(m:t())\n"
  "  local ids = mascon.topn(p, 10, {out = {ids = true}})\n"
  "  for row = n, m.nrows, 8 do\n"  /* a row is most like itself */
  "    if ids(row, 1) ~= row then error('row ' .. row) end\n"
  "  end\n"
  "end\n"
  "return m:matmul(m:t())\n";

typedef struct worker {
  pthread_t thread;
  const mascon_array *matrix;  /* shared; only read */
  mascon_array product;        /* the result: outlives the worker's state */
  int number;
  int failed;
} worker;


static void *run (void *ud) {
  worker *w = ud;
  lua_State *L = luaL_newstate();
  w->failed = 1;
  if (L == NULL) return NULL;
  luaL_openlibs(L);
  luaopen_mascon(L);  /* and 'require "mascon"' finds it */
  if (luaL_loadstring(L, script) == LUA_OK &&
      mascon_push(L, w->matrix) == MASCON_OK) {
    lua_pushinteger(L, w->number);
    if (lua_pcall(L, 2, 1, 0) == LUA_OK)
      w->failed = mascon_view(&w->product, mascon_toarray(L, -1)) != MASCON_OK;
    else fprintf(stderr, "worker %d: %s\n", w->number, lua_tostring(L, -1));
  }
  lua_close(L);
  return NULL;
}


/* whole numbers, with rows that are most like themselves */
static void fill (mascon_array *m) {
  double *p = m->data;
  unsigned x = 1;
  for (int i = 0; i < ROWS * COLS; i++) {
    x = x * 1664525u + 1013904223u;
    p[i] = (x >> 16) % 2 != 0 ? 1 : -1;
  }
}


/* is it m m'? sums of whole numbers are exact */
static int verify (const mascon_array *m, const mascon_array *product) {
  const double *p = m->data, *q = product->data;
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < ROWS; j++) {
      double s = 0;
      for (int k = 0; k < COLS; k++) s += p[i * COLS + k] * p[j * COLS + k];
      if (q[i * ROWS + j] != s) return 0;
    }
  return 1;
}


int main (void) {
  static const int64_t shape[2] = {ROWS, COLS};
  static worker workers[WORKERS];
  mascon_array m;
  int wrong = 0, started = 0;
  if (mascon_new(&m, MASCON_F64, 2, shape) != MASCON_OK) return EXIT_FAILURE;
  fill(&m);
  for (; started < WORKERS; started++) {
    worker *w = &workers[started];
    w->matrix = &m;
    w->number = started + 1;
    if (pthread_create(&w->thread, NULL, run, w) != 0) break;
  }
  for (int i = 0; i < started; i++) {
    worker *w = &workers[i];
    pthread_join(w->thread, NULL);
    wrong |= w->failed || !verify(&m, &w->product);
    mascon_release(&w->product);
  }
  mascon_release(&m);
  wrong |= started < WORKERS;
  printf(wrong ? "something is wrong\n" : "%d threads: all right\n", started);
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

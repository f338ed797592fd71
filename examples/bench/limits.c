/*
** limits.c - what this machine can do at best, for bench.lua
**
** A Lua C module of somebody else's would look like this one: it uses
** mascon_lua.h alone and links nothing of mascon.  Each function repeats its
** work 'reps' times on 'threads' threads and returns the seconds of each run.
*/

#include <lauxlib.h>
#include <lua.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mascon_lua.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define VBYTES 64
#elif defined(__AVX__)
#define VBYTES 32
#else
#define VBYTES 16
#endif

typedef double vd __attribute__((vector_size(VBYTES), may_alias));
typedef float vf __attribute__((vector_size(VBYTES), may_alias));

static volatile double sink;


static double now (void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}


/* the bytes of the contiguous array at 'arg' */
static double *bytes (lua_State *L, int arg, size_t *n) {
  mascon_array *a = mascon_toarray(L, arg);
  luaL_argcheck(L, a != NULL, arg, "array expected");
  *n = a->dtype.bits / 8;
  for (int i = 0; i < a->ndim; i++) *n *= (size_t)a->shape[i];
  return a->data;
}


/* {------- one thread's share of each loop ------- */

static double doread (const double *a, const double *b, size_t n) {
  vd s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
  const vd *p = (const vd *)(const void *)a;
  (void)b;
  for (size_t i = 0; i + 4 <= n / VBYTES; i += 4) {
    s0 += p[i];
    s1 += p[i + 1];
    s2 += p[i + 2];
    s3 += p[i + 3];
  }
  s0 = s0 + s1 + s2 + s3;
  return s0[0];
}


static double dostore (double *a, const double *b, size_t n) {
  vd *p = (vd *)(void *)a, v = {1};
  (void)b;
  for (size_t i = 0; i < n / VBYTES; i++) p[i] = v;
  return 0;
}


static inline void stream (vd *p, vd v) {
#if defined(__AVX512F__)
  _mm512_stream_pd((double *)p, (__m512d)v);
#elif defined(__AVX__)
  _mm256_stream_pd((double *)p, (__m256d)v);
#elif defined(__x86_64__)
  _mm_stream_pd((double *)p, (__m128d)v);
#else
  *p = v;
#endif
}


static double dostream (double *a, const double *b, size_t n) {
  vd *p = (vd *)(void *)a, v = {1};
  (void)b;
  for (size_t i = 0; i < n / VBYTES; i++) stream(p + i, v);
#if defined(__x86_64__)
  _mm_sfence();
#endif
  return 0;
}


static double docopy (double *a, const double *b, size_t n) {
  memcpy(a, b, n);
  return 0;
}


static double docopystream (double *a, const double *b, size_t n) {
  vd *p = (vd *)(void *)a;
  const vd *q = (const vd *)(const void *)b;
  for (size_t i = 0; i < n / VBYTES; i++) stream(p + i, q[i]);
#if defined(__x86_64__)
  _mm_sfence();
#endif
  return 0;
}

/* -------} */


typedef struct loop {
  const char *name;
  double (*body) (double *a, const double *b, size_t n);
} loop;


static double readwrap (double *a, const double *b, size_t n) {
  return doread(a, b, n);
}


static const loop loops[] = {
  {"read", readwrap}, {"store", dostore}, {"stream", dostream},
  {"copy", docopy}, {"copystream", docopystream}, {NULL, NULL}
};


/* run(name, a, b or nil, reps, threads) -> seconds */
static int run (lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  size_t n, m = 0;
  double *a = bytes(L, 2, &n), *b = NULL, start;
  lua_Integer reps = luaL_checkinteger(L, 4);
  int threads = (int)luaL_checkinteger(L, 5), i = 0;
  if (!lua_isnil(L, 3)) b = bytes(L, 3, &m);
  luaL_argcheck(L, b == NULL || m == n, 3, "same size expected");
  while (loops[i].name != NULL && strcmp(loops[i].name, name) != 0) i++;
  luaL_argcheck(L, loops[i].name != NULL, 1, "unknown loop");
  start = now();
  #pragma omp parallel num_threads(threads)
  {
    size_t part = n / (size_t)omp_get_num_threads() & ~(size_t)255;
    size_t at = part * (size_t)omp_get_thread_num() / sizeof(double);
    for (lua_Integer r = 0; r < reps; r++)
      sink = loops[i].body(a + at, b != NULL ? b + at : NULL, part);
  }
  lua_pushnumber(L, now() - start);
  return 1;
}


/* 12 chains: two ports with a latency of four need at least eight */
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

#if defined(__AVX512F__)
#define FMA(c) c = (vf)_mm512_fmadd_ps((__m512)c, (__m512)x, (__m512)y);
#elif defined(__FMA__)
#define FMA(c) c = (vf)_mm256_fmadd_ps((__m256)c, (__m256)x, (__m256)y);
#else
#define FMA(c) c = c * x + y;
#endif

#define DECLARE(i) vf c ## i = {(float)i};
#define STEP(i) FMA(c ## i) __asm__ volatile ("" : "+v"(c ## i));
#define SUM(i) s += c ## i;


static float fmachain (lua_Integer n) {
  vf x = {0.5f}, y = {0.25f}, s = {0};
  EACH(DECLARE)
  for (lua_Integer i = 0; i < n; i++) {
    EACH(STEP)
  }
  EACH(SUM)
  return s[0];
}


/* fma(n, threads) -> seconds, operations (an FMA is two) */
static int fma_ (lua_State *L) {
  lua_Integer n = luaL_checkinteger(L, 1);
  int threads = (int)luaL_checkinteger(L, 2);
  double start = now();
  #pragma omp parallel num_threads(threads)
  sink = (double)fmachain(n);
  lua_pushnumber(L, now() - start);
  lua_pushnumber(L, 2.0 * (VBYTES / 4) * 12 * (double)n * threads);
  return 2;
}


/* nop(x): an empty C call with one argument */
static int nop (lua_State *L) {
  (void)L;
  return 0;
}


/* {------- the question's second solution: qsort every row ------- */

typedef struct scored {
  int item;
  double score;
} scored;


static int better (const void *p, const void *q) {
  const scored *a = p, *b = q;
  return (b->score > a->score) - (b->score < a->score);
}


/* qsorttop(scores, ids, rows, threads) -> seconds for the first 'rows' */
static int qsorttop (lua_State *L) {
  const mascon_array *s = mascon_toarray(L, 1), *o = mascon_toarray(L, 2);
  int64_t rows = luaL_checkinteger(L, 3), n = s->shape[1];
  int threads = (int)luaL_checkinteger(L, 4);
  double start = now();
  #pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t r = 0; r < rows; r++) {
    scored *d = malloc((size_t)n * sizeof *d);
    const double *row = (const double *)s->data + r * s->stride[0];
    for (int i = 0; i < n; i++) d[i] = (scored) {i, row[i]};
    qsort(d, (size_t)n, sizeof *d, better);
    for (int i = 0; i < o->shape[1]; i++)
      ((int32_t *)o->data)[r * o->stride[0] + i] = d[i].item;
    free(d);
  }
  lua_pushnumber(L, now() - start);
  return 1;
}

/* -------} */


__attribute__((visibility("default"))) int luaopen_limits (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"run", run},
    {"fma", fma_},
    {"nop", nop},
    {"qsorttop", qsorttop},
    {NULL, NULL}
  };
  luaL_newlib(L, funcs);
  return 1;
}

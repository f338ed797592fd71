/*
** trecommend.h - template of the kernels of krecommend.h
**
** The tile is 6 users by NV vectors of items, one accumulator each, all in
** registers: 24 of 32 for AVX-512, 12 of 16 for the others.  They are single
** variables and not an array, which gcc would keep in memory.  A product may
** be fused with its sum here: these scores only say which items can be left
** out, and the margin of the bar (src/ops/recommend_scan.c) covers either.
*/

#if ISA_AVX512
#define NV 4
#define FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#else
#define NV 2
#if ISA_AVX2
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#else
#define FMA(a, b, c) ((a) * (b) + (c))
#endif
#endif

#if ISA_VNNI
#define BYTES 1  /* there is a tile for bytes */
#else
#define BYTES 0
#endif

#define STEP (NV * VF)  /* items of a tile */

#if ISA_AVX512
#define EACH(F, r) F(r, 0) F(r, 1) F(r, 2) F(r, 3)
#else
#define EACH(F, r) F(r, 0) F(r, 1)
#endif
#define SIX(F) F(0) F(1) F(2) F(3) F(4) F(5)

INLINE vf K(maxf) (vf a, vf b) {
#if ISA_AVX512
  return _mm512_max_ps(a, b);
#elif ISA_AVX2
  return _mm256_max_ps(a, b);
#elif defined(__SSE__)
  return _mm_max_ps(a, b);
#else
  vi m = a > b;
  return (vf)(((vi)a & m) | ((vi)b & ~m));
#endif
}


#include "tlist.h"


/*
** Append what reaches 'bar' in 'tile' (MCK_SIX rows of STEP scores) to the
** lists of users 'r' on; 'first' is the position of column 0.  Return whether
** one is full.
*/
static __attribute__((noinline)) int K(collect) (mck_recgroup *g, int r,
                                                 const float *tile,
                                                 const float *bar, float norm,
                                                 int32_t first) {
  int full = 0;
  for (int i = 0; i < MCK_SIX; i++, tile += STEP) {
    K(place) p = K(placeof)(g, r + i);
    vf e = allf(g->slack[r + i] * norm);
    for (int j = 0; j < (int)STEP; j += (int)VF) {
      vf v = loadf(tile + j);
      unsigned m = K(reaches)(v, bar[i]);
      if (m != 0) p = K(note)(p, first + j, v, e, m);
    }
    full |= K(noted)(g, r + i, p);
  }
  return full;
}


#define ZERO(r, j) vf a##r##j = {0};
#define ZEROS(r) EACH(ZERO, r)
#define LOAD(r, j) vf y##j = loadf(y + k * MCK_BLOCK + j * VF);
#define MULADD(r, j) a##r##j = FMA(u##r, y##j, a##r##j);
#define USER(r) { vf u##r = allf(x[k * MCK_SIX + r]); EACH(MULADD, r) }
#if ISA_AVX512
#define HIT(r) \
  | K(reaches)(K(maxf)(K(maxf)(a##r##0, a##r##1), \
                       K(maxf)(a##r##2, a##r##3)), bar[r])
#else
#define HIT(r) | K(reaches)(K(maxf)(a##r##0, a##r##1), bar[r])
#endif
#define STORE(r, j) storef(tile + r * (int)STEP + j * (int)VF, a##r##j);
#define STORES(r) EACH(STORE, r)

/* one tile; returns whether a list is full */
INLINE int K(tile) (mck_recgroup *g, int r, const float *restrict y, size_t n,
                    const float *bar, float norm, int32_t first) {
  const float *restrict x = g->x + (size_t)r * n;
  SIX(ZEROS)
  #pragma GCC unroll 2
  for (size_t k = 0; k < n; k++) {
    EACH(LOAD, 0)
    SIX(USER)
  }
  if (__builtin_expect(0 SIX(HIT), 0)) {
    float tile[MCK_SIX * STEP];
    SIX(STORES)
    return K(collect)(g, r, tile, bar, norm, first);
  }
  return 0;
}


/* set the bars of users 'r' on for a block; can anybody in it reach his? */
INLINE int K(bars) (const mck_recgroup *g, int r, float norm, float *bar) {
  int any = 0;
  for (int i = 0; i < MCK_SIX; i++) {
    bar[i] = g->bar[r + i] - g->slack[r + i] * norm;
    any |= g->length[r + i] * norm >= g->bar[r + i];
  }
  return any;
}


/*
** The 'i'-th of 'n' shares of the next block into the cache: the memory has
** the time of all groups to bring it.
*/
INLINE void K(fetch) (const mck_recblock *b, int coarse, int i, int n) {
  size_t quads = (b->k + 3) / 4 * 4;
  size_t lines = coarse ? quads : b->k * 4, m = (size_t)n;
  const char *p = coarse ? (const char *)b->bytes : (const char *)b->panel;
  p += b->next * lines * 64;
  for (size_t j = (size_t)i * lines / m; j < (size_t)(i + 1) * lines / m; j++)
    __builtin_prefetch(p + j * 64, 0, 3);
}


/* a group against one block, by floats; returns whether a list is full */
INLINE int K(byfloats) (const mck_recblock *b, mck_recgroup *g) {
  float bar[MCK_SIX], norm = b->stat.norm;
  int full = 0;
  for (int r = 0; r < MCK_GROUP; r += MCK_SIX) {
    if (!K(bars)(g, r, norm, bar)) continue;
    for (int i = r; i < r + MCK_SIX; i++) g->blocks[0][i]++;
    for (int j = 0; j < MCK_BLOCK; j += (int)STEP)
      full |= K(tile)(g, r, b->panel + j, b->k, bar, norm, b->first + j);
  }
  return full;
}


#if BYTES

#include "tbytes.h"

#else

INLINE int K(bybytes) (const mck_recblock *b, mck_recgroup *g) {
  return K(byfloats)(b, g);
}

#endif


static int K(recommend_scan) (const mck_recblock *b, mck_recgroup *g,
                              size_t n) {
  int full = 0;
  for (size_t i = 0; i < n; i++) {
    int coarse = BYTES && g[i].coarse;
    K(fetch)(b, coarse, (int)i, (int)n);
    full |= coarse ? K(bybytes)(b, &g[i]) : K(byfloats)(b, &g[i]);
  }
  return full;
}


#if BYTES

static int K(recommend_scanwave) (const mck_recblock *b, mck_recgroup *g,
                                  size_t n) {
  int full = 0;
  K(openwave)(mck_linefours(b->k));
  for (size_t i = 0; i < n; i += WAVE)
    full |= K(bywave)(b, g + i, n - i < WAVE ? n - i : WAVE);
  __asm__ volatile ("tilerelease");
  for (size_t i = 0; i < n; i++)
    if (!g[i].coarse) full |= K(byfloats)(b, &g[i]);
  return full;
}

#endif


static int K(recommend_alive) (const mck_recgroup *g, size_t n, float norm) {
  float bar[MCK_SIX];
  for (size_t i = 0; i < n; i++)
    for (int r = 0; r < MCK_GROUP; r += MCK_SIX)
      if (K(bars)(&g[i], r, norm, bar)) return 1;
  return 0;
}


/* the line with factor 'f' of the next items, where it begins: all lines at
   once are more than the CPU waits for at a time */
#define FETCH(next, f, s1) \
  if ((f) % (64 / sizeof **(next)) == 0) \
    for (int j = 0; j < 8; j++) \
      __builtin_prefetch((next)[j] + (ptrdiff_t)(f) * (s1));

#if ISA_AVX512

#define PAIR(i, j) \
  __m512d even ## i = _mm512_unpacklo_pd(r[i], r[j]), \
          odd ## i = _mm512_unpackhi_pd(r[i], r[j]);
/* of items i to i + 3: lanes 0 and 2 of 'v', then lanes 1 and 3 */
#define FOUR(v, i, j, lo, hi) \
  __m512d lo = _mm512_shuffle_f64x2(v ## i, v ## j, 0x88), \
          hi = _mm512_shuffle_f64x2(v ## i, v ## j, 0xdd);

/*
** Add the products r[j][f] of item j and factor f to s[j], in order of f: the
** square is turned, so that an addition serves all eight items.
*/
INLINE __m512d K(addeight) (__m512d s, const __m512d *r) {
  PAIR(0, 1) PAIR(2, 3) PAIR(4, 5) PAIR(6, 7)
  FOUR(even, 0, 2, a04, a26) FOUR(even, 4, 6, b04, b26)
  FOUR(odd, 0, 2, a15, a37) FOUR(odd, 4, 6, b15, b37)
  s += _mm512_shuffle_f64x2(a04, b04, 0x88);
  s += _mm512_shuffle_f64x2(a15, b15, 0x88);
  s += _mm512_shuffle_f64x2(a26, b26, 0x88);
  s += _mm512_shuffle_f64x2(a37, b37, 0x88);
  s += _mm512_shuffle_f64x2(a04, b04, 0xdd);
  s += _mm512_shuffle_f64x2(a15, b15, 0xdd);
  s += _mm512_shuffle_f64x2(a26, b26, 0xdd);
  return s + _mm512_shuffle_f64x2(a37, b37, 0xdd);
}

#undef PAIR
#undef FOUR

/* sums of the first factors, as many as come in eights; return how many */
#define EIGHTS(name, type, LOAD8) \
INLINE size_t K(name) (const double *x, size_t k, const type *const *p, \
                       const type *const *next, double *s) { \
  __m512d sum = _mm512_setzero_pd(); \
  size_t f = 0; \
  for (; f + 8 <= k; f += 8) { \
    __m512d r[8], v = _mm512_loadu_pd(x + f); \
    FETCH(next, f, 1) \
    for (int j = 0; j < 8; j++) r[j] = v * LOAD8(p[j] + f); \
    sum = K(addeight)(sum, r); \
  } \
  _mm512_storeu_pd(s, sum); \
  return f; \
}

#define LOAD8F(p) _mm512_cvtps_pd(_mm256_loadu_ps(p))
EIGHTS(eights_f32, float, LOAD8F)
EIGHTS(eights_f64, double, _mm512_loadu_pd)
#undef LOAD8F
#undef EIGHTS

#else

/* turning pays with wide vectors only */
INLINE size_t K(eights_f32) (const double *x, size_t k, const float *const *p,
                             const float *const *next, double *s) {
  (void)x; (void)k; (void)p; (void)next; (void)s;
  return 0;
}


INLINE size_t K(eights_f64) (const double *x, size_t k,
                             const double *const *p,
                             const double *const *next, double *s) {
  (void)x; (void)k; (void)p; (void)next; (void)s;
  return 0;
}

#endif


/*
** Eight items at a time, so that eight sums hide the latency of one, and
** while the next eight are on their way.  No fused products: of f64 factors
** they would change the result.
*/
#define DOTS(name, type, eights) \
static void K(name) (const double *x, size_t k, const type *items, \
                     ptrdiff_t s0, ptrdiff_t s1, const int32_t *ids, \
                     size_t n, double *out) { \
  for (size_t i = 0; i < n; i += 8) { \
    const type *p[8], *next[8]; \
    double s[8] = {0}; \
    size_t f; \
    for (size_t j = 0; j < 8; j++) { \
      p[j] = items + ids[i + j < n ? i + j : i] * s0; \
      next[j] = items + ids[i + 8 + j < n ? i + 8 + j : i] * s0; \
    } \
    f = s1 == 1 ? eights(x, k, p, next, s) : 0; \
    for (; f < k; f++) { \
      FETCH(next, f, s1) \
      for (size_t j = 0; j < 8; j++) \
        s[j] += x[f] * (double)p[j][(ptrdiff_t)f * s1]; \
    } \
    for (size_t j = 0; j < 8 && i + j < n; j++) out[i + j] = s[j]; \
  } \
}

DOTS(recommend_dots_f32, float, K(eights_f32))
DOTS(recommend_dots_f64, double, K(eights_f64))


#define PARTS (16 / (int)VF)

/* sixteen of them; the errors and the squares are added lane by lane */
INLINE void K(sixteen) (const float *x, float inverse, uint8_t *bytes, vf *e,
                        vf *l) {
  int32_t q[16];
  for (int i = 0; i < PARTS; i++) {
    vf y = loadf(x + i * (int)VF) * inverse;
    vf half = (vf)(((vi)y & (vi)allf(-0.0f)) | (vi)allf(0.5f));
    vi n = __builtin_convertvector(y + half, vi);
    vf r = __builtin_convertvector(n, vf);
    e[i] += (y - r) * (y - r);
    l[i] += r * r;
    n += 128;
    __builtin_memcpy(q + i * (int)VF, &n, sizeof n);
  }
  for (int i = 0; i < 16; i++) bytes[i] = (uint8_t)q[i];
}


static void K(recommend_tobytes) (const float *x, size_t k, float inverse,
                                  uint8_t *bytes, float *error,
                                  float *length) {
  vf e[PARTS] = {{0}}, l[PARTS] = {{0}};
  size_t i = 0;
  for (; i + 16 <= k; i += 16) K(sixteen)(x + i, inverse, bytes + i, e, l);
  if (i < k) {
    float rest[16] = {0};
    uint8_t last[16];
    __builtin_memcpy(rest, x + i, (k - i) * sizeof *rest);
    K(sixteen)(rest, inverse, last, e, l);
    __builtin_memcpy(bytes + i, last, k - i);
  }
  *error = *length = 0;
  for (int j = 0; j < 16; j++) {
    *error += e[j / (int)VF][j % (int)VF];
    *length += l[j / (int)VF][j % (int)VF];
  }
}

#undef PARTS


static void K(recommend_widen) (const float *x, size_t k, double *y) {
  for (size_t i = 0; i < k; i++) y[i] = x[i];
}


static void K(recommend_narrow) (const double *y, size_t k, double scale,
                                 float *out) {
  for (size_t i = 0; i < k; i++) out[i] = (float)(y[i] * scale);
}


static void K(recommend_scale) (const float *y, size_t k, float scale,
                                float *out) {
  for (size_t i = 0; i < k; i++) out[i] = y[i] * scale;
}


#define EIGHT (8 / (int)VD)

/* the lanes of 'm' and 's' are for every eighth number each */
INLINE void K(addsquares) (const double *x, vd *m, vd *s) {
  for (int j = 0; j < EIGHT; j++) {
    vd a = (vd)((vl)loadd(x + j * (int)VD) & INT64_MAX);
    vl more = a > m[j];
    m[j] = (vd)(((vl)a & more) | ((vl)m[j] & ~more));
    s[j] += a * a;
  }
}


/* eight sums, in the same order everywhere */
#define MEASURE(name, type) \
static void K(name) (const type *y, size_t k, double *max, \
                     double *squares) { \
  vd m[EIGHT] = {{0}}, s[EIGHT] = {{0}}; \
  for (size_t i = 0; i < k; i += 8) { \
    double x[8] = {0}; \
    if (k - i >= 8) for (size_t j = 0; j < 8; j++) x[j] = y[i + j]; \
    else for (size_t j = 0; j < k - i; j++) x[j] = y[i + j]; \
    K(addsquares)(x, m, s); \
  } \
  *max = *squares = 0; \
  for (int j = 0; j < 8; j++) { \
    double a = m[j / (int)VD][j % (int)VD]; \
    *max = a > *max ? a : *max; \
    *squares += s[j / (int)VD][j % (int)VD]; \
  } \
}

MEASURE(recommend_measure_f64, double)
MEASURE(recommend_measure_f32, float)

#undef MEASURE
#undef EIGHT


static float K(recommend_largest) (const float *x, size_t k) {
  vf m[4] = {{0}};
  float max = 0;
  size_t i = 0;
  for (; i + 4 * VF <= k; i += 4 * VF)
    for (int j = 0; j < 4; j++)
      m[j] = K(maxf)((vf)((vi)loadf(x + i + (size_t)j * VF) & INT32_MAX), m[j]);
  for (; i < k; i++) max = __builtin_fabsf(x[i]) > max ? __builtin_fabsf(x[i])
                                                       : max;
  m[0] = K(maxf)(K(maxf)(m[0], m[1]), K(maxf)(m[2], m[3]));
  for (int j = 0; j < (int)VF; j++) max = m[0][j] > max ? m[0][j] : max;
  return max;
}


#define RECOMMEND(how) { \
  .bytes = BYTES, \
  .scan = how, \
  .alive = K(recommend_alive), \
  .drop = K(recommend_drop), \
  .reached = K(recommend_reached), \
  .tobytes = K(recommend_tobytes), \
  .widen = K(recommend_widen), \
  .narrow = K(recommend_narrow), \
  .scale = K(recommend_scale), \
  .measure_f64 = K(recommend_measure_f64), \
  .measure_f32 = K(recommend_measure_f32), \
  .largest = K(recommend_largest), \
  .dots_f32 = K(recommend_dots_f32), \
  .dots_f64 = K(recommend_dots_f64) \
}

static const mck_recommend K(recommend) = RECOMMEND(K(recommend_scan));
#if BYTES
static const mck_recommend K(recommendwave) = RECOMMEND(K(recommend_scanwave));
#endif

#undef RECOMMEND
#undef NV
#undef BYTES
#undef FMA
#undef STEP
#undef EACH
#undef SIX
#undef ZERO
#undef ZEROS
#undef LOAD
#undef MULADD
#undef USER
#undef HIT
#undef STORE
#undef STORES
#undef DOTS
#undef FETCH

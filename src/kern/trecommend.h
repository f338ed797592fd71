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


/* bit i of the result: a[i] >= t */
INLINE unsigned K(reaches) (vf a, float t) {
#if ISA_AVX512
  return _mm512_cmp_ps_mask(a, allf(t), _CMP_GE_OQ);
#elif ISA_AVX2
  return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, allf(t), _CMP_GE_OQ));
#elif defined(__SSE__)
  return (unsigned)_mm_movemask_ps(_mm_cmpge_ps(a, allf(t)));
#else
  unsigned m = 0;
  for (int i = 0; i < (int)VF; i++) m |= (unsigned)(a[i] >= t) << i;
  return m;
#endif
}


/* an item for user 'r' whose score is 'v', off by 'e' at most */
INLINE void K(note) (mck_recgroup *g, int r, int32_t at, float v, float e) {
  mck_reccand *c = g->list + (size_t)r * g->room + g->count[r]++;
  e += __builtin_fabsf(v) * 0x1p-20f;  /* what rounding may lose */
  c->at = at;
  c->lo = v - e;
  c->hi = v + e;
}


/* count what has come to row 'r'; is its list full? */
INLINE int K(noted) (mck_recgroup *g, int r, int32_t before) {
  if (g->bar[r] > -__builtin_inff()) g->hits += g->count[r] - before;
  return g->count[r] >= g->full;
}


/*
** Append what reaches 'bar' in 'tile' (MCK_SIX rows of STEP scores) to the
** lists; 'first' is the position of column 0.  Return whether one is full.
*/
static __attribute__((noinline)) int K(collect) (mck_recgroup *g,
                                                 const float *tile,
                                                 const float *bar, float norm,
                                                 int32_t first) {
  int full = 0;
  for (int r = 0; r < MCK_SIX; r++) {
    int32_t before = g->count[r];
    float e = g->slack[r] * norm;
    for (int j = 0; j < (int)STEP; j += (int)VF) {
      const float *v = tile + r * (int)STEP + j;
      unsigned m = K(reaches)(loadf(v), bar[r]);
      for (; m != 0; m &= m - 1) {
        int i = __builtin_ctz(m);
        K(note)(g, r, first + j + i, v[i], e);
      }
    }
    full |= K(noted)(g, r, before);
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
INLINE int K(tile) (mck_recgroup *g, const float *restrict y, size_t n,
                    const float *bar, float norm, int32_t first) {
  const float *restrict x = g->x;
  SIX(ZEROS)
  #pragma GCC unroll 2
  for (size_t k = 0; k < n; k++) {
    EACH(LOAD, 0)
    SIX(USER)
  }
  if (__builtin_expect(0 SIX(HIT), 0)) {
    float tile[MCK_SIX * STEP];
    SIX(STORES)
    return K(collect)(g, tile, bar, norm, first);
  }
  return 0;
}


/* set the group's bars for a block; can anybody in it reach his? */
INLINE int K(bars) (const mck_recgroup *g, float norm, float *bar) {
  int any = 0;
  for (int r = 0; r < 8; r++) {
    bar[r] = g->bar[r] - g->slack[r] * norm;
    any |= g->length[r] * norm >= g->bar[r];
  }
  return any;
}


/* a group against one block, by floats; returns whether a list is full */
INLINE int K(byfloats) (const mck_recblock *b, mck_recgroup *g) {
  float bar[8];
  int full = 0;
  if (!K(bars)(g, b->stat.norm, bar)) return 0;
  g->blocks[0]++;
  for (int j = 0; j < MCK_BLOCK; j += (int)STEP)
    full |= K(tile)(g, b->panel + j, b->k, bar, b->stat.norm, b->first + j);
  return full;
}


#if BYTES

#define ROW(r) IROW(r, 0) IROW(r, 1) IROW(r, 2) IROW(r, 3)
#define IROW(r, j) __m512i a##r##j = start##r;
#define START(r) __m512i start##r = _mm512_set1_epi32(-t[r]); ROW(r)
#define ILOAD(r, j) \
  __m512i y##j = _mm512_loadu_si512(y + (k * MCK_BLOCK + j * 16) * 4);
/* by name: gcc copies the intrinsic's sums, and runs out of registers */
#define DOT(r, j) \
  __asm__ ("vpdpbusd %2, %1, %0" : "+v"(a##r##j) : "v"(y##j), "v"(u##r));
#define IUSER(r) \
  { __m512i u##r = _mm512_set1_epi32(x[k * MCK_SIX + r]); EACH(DOT, r) }
/* the lanes' sign bits: is any of them clear? */
#define BOTH(a, b, c) _mm512_ternarylogic_epi32(a, b, c, 0x80)
#define LESS(r) \
  all = BOTH(all, a##r##0, a##r##1); all = BOTH(all, a##r##2, a##r##3);
#define ISTORE(r, j) \
  _mm512_store_si512(tile + (r) * MCK_BLOCK + j * 16, a##r##j);
#define ISTORES(r) EACH(ISTORE, r)

/*
** Append what is not negative in 'tile', whose rows are integer scores less
** t[r]; 'e': what scores may be off by.
*/
static __attribute__((noinline)) int K(collect8) (mck_recgroup *g,
    const int32_t *tile, const int32_t *t, const float *e, float step,
    int32_t first) {
  int full = 0;
  for (int r = 0; r < MCK_SIX; r++, tile += MCK_BLOCK) {
    int32_t before = g->count[r];
    float unit = g->step[r] * step;
    __m512i zero = _mm512_setzero_si512();
    uint64_t m = 0;
    for (int j = 0; j < 4; j++)
      m |= (uint64_t)_mm512_cmpge_epi32_mask(
             _mm512_load_si512(tile + j * 16), zero) << 16 * j;
    if (m == 0) continue;
    for (; m != 0; m &= m - 1) {
      int i = __builtin_ctzll(m);
      float v = (float)(tile[i] + t[r]) * unit;
      K(note)(g, r, first + i, v, e[r]);
    }
    full |= K(noted)(g, r, before);
  }
  return full;
}


/* one tile: integer scores of at least 'least' are candidates */
INLINE int K(tile8) (const mck_recblock *b, mck_recgroup *g,
                     const int32_t *least, const float *e) {
  const uint8_t *restrict y = b->bytes;
  const int32_t *restrict x = (const int32_t *)(const void *)g->bytes;
  size_t n = (b->k + 3) / 4;
  int32_t t[8];
  __m512i all = _mm512_set1_epi32(-1);
  for (int r = 0; r < 8; r++) t[r] = least[r] + g->sum[r];
  SIX(START)
  for (size_t k = 0; k < n; k++) {
    EACH(ILOAD, 0)
    SIX(IUSER)
  }
  SIX(LESS)
  if (__builtin_expect(_mm512_movepi32_mask(all) != 0xffff, 0)) {
    int32_t tile[MCK_SIX * MCK_BLOCK] __attribute__((aligned(64)));
    SIX(ISTORES)
    return K(collect8)(g, tile, least, e, b->stat.step, b->first);
  }
  return 0;
}


/*
** A group against one block, by bytes.  The integer score is Q = x'.y' /
** (both steps); one below 'least' is of no use (recommend_scan.c, 7).
*/
INLINE int K(bybytes) (const mck_recblock *b, mck_recgroup *g) {
  const __m256 most = _mm256_set1_ps(1.07e9f);
  __m256 bar = _mm256_loadu_ps(g->bar), length = _mm256_loadu_ps(g->length);
  __m256 norm = _mm256_set1_ps(b->stat.norm), e, t, off;
  float es[8];
  int32_t least[8];
  if (_mm256_cmp_ps_mask(length * norm, bar, _CMP_GE_OQ) == 0) return 0;
  g->blocks[1]++;
  e = length * _mm256_set1_ps(b->stat.error) +
      _mm256_loadu_ps(g->error) * _mm256_set1_ps(b->stat.length) +
      _mm256_loadu_ps(g->slack) * norm;
  t = (bar - e) * (_mm256_loadu_ps(g->inverse) *
                   _mm256_set1_ps(1 / b->stat.step));
  t = _mm256_max_ps(_mm256_min_ps(t, most), -most);
  off = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), t) * _mm256_set1_ps(0x1p-19f);
  t = t - off - _mm256_set1_ps(2);
  _mm256_storeu_si256((__m256i *)(void *)least, _mm256_cvttps_epi32(t));
  _mm256_storeu_ps(es, e);
  return K(tile8)(b, g, least, es);
}

#undef ROW
#undef IROW
#undef START
#undef ILOAD
#undef DOT
#undef IUSER
#undef BOTH
#undef LESS
#undef ISTORE
#undef ISTORES

#else

INLINE int K(bybytes) (const mck_recblock *b, mck_recgroup *g) {
  return K(byfloats)(b, g);
}

#endif


/*
** The 'i'-th of 'n' shares of the next block into the cache: the memory has
** the time of all groups to bring it.
*/
INLINE void K(fetch) (const mck_recblock *b, int coarse, size_t i, size_t n) {
  size_t quads = (b->k + 3) / 4 * 4;
  size_t lines = coarse ? quads : b->k * 4;
  const char *p = coarse ? (const char *)b->bytes : (const char *)b->panel;
  p += b->next * lines * 64;
  for (size_t j = i * lines / n; j < (i + 1) * lines / n; j++)
    __builtin_prefetch(p + j * 64, 0, 2);
}


static size_t K(recommend_scan) (const mck_recblock *b, mck_recgroup *g,
                                 size_t n) {
  for (size_t i = 0; i < n; i++) {
    int coarse = BYTES && g[i].coarse;
    K(fetch)(b, coarse, i, n);
    if (coarse ? K(bybytes)(b, &g[i]) : K(byfloats)(b, &g[i])) return i + 1;
  }
  return n;
}


static int K(recommend_alive) (const mck_recgroup *g, size_t n, float norm) {
  float bar[8];
  for (size_t i = 0; i < n; i++)
    if (K(bars)(&g[i], norm, bar)) return 1;
  return 0;
}


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
                       double *s) { \
  __m512d sum = _mm512_setzero_pd(); \
  size_t f = 0; \
  for (; f + 8 <= k; f += 8) { \
    __m512d r[8], v = _mm512_loadu_pd(x + f); \
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
                             double *s) {
  (void)x; (void)k; (void)p; (void)s;
  return 0;
}


INLINE size_t K(eights_f64) (const double *x, size_t k,
                             const double *const *p, double *s) {
  (void)x; (void)k; (void)p; (void)s;
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
    const type *p[8]; \
    double s[8] = {0}; \
    size_t f; \
    for (size_t j = 0; j < 8; j++) \
      p[j] = items + ids[i + j < n ? i + j : i] * s0; \
    for (size_t j = i + 8; j < i + 16 && j < n; j++) \
      for (size_t l = 0; l < k; l += 64 / sizeof(type)) \
        __builtin_prefetch(items + ids[j] * s0 + (ptrdiff_t)l * s1); \
    f = s1 == 1 ? eights(x, k, p, s) : 0; \
    for (; f < k; f++) \
      for (size_t j = 0; j < 8; j++) \
        s[j] += x[f] * (double)p[j][(ptrdiff_t)f * s1]; \
    for (size_t j = 0; j < 8 && i + j < n; j++) out[i + j] = s[j]; \
  } \
}

DOTS(recommend_dots_f32, float, K(eights_f32))
DOTS(recommend_dots_f64, double, K(eights_f64))


static void K(recommend_tobytes) (const float *x, size_t k, float inverse,
                                  uint8_t *bytes, float *error,
                                  float *length) {
  float e[16] = {0}, l[16] = {0};
  for (size_t i = 0; i < k; i += 16) {
    float y[16];
    size_t n = k - i < 16 ? k - i : 16;
    for (size_t j = 0; j < 16; j++) y[j] = j < n ? x[i + j] * inverse : 0;
    for (size_t j = 0; j < 16; j++) {
      float q = (float)(int)(y[j] + __builtin_copysignf(0.5f, y[j]));
      e[j] += (y[j] - q) * (y[j] - q);
      l[j] += q * q;
      y[j] = q + 128;
    }
    for (size_t j = 0; j < n; j++) bytes[i + j] = (uint8_t)y[j];
  }
  *error = *length = 0;
  for (size_t j = 0; j < 16; j++) {
    *error += e[j];
    *length += l[j];
  }
}


static const mck_recommend K(recommend) = {
  .bytes = BYTES,
  .scan = K(recommend_scan),
  .alive = K(recommend_alive),
  .tobytes = K(recommend_tobytes),
  .dots_f32 = K(recommend_dots_f32),
  .dots_f64 = K(recommend_dots_f64)
};

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

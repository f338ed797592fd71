/*
** trecommend.h - template of the kernels of krecommend.h
**
** The tile is 6 users by NV vectors of items, one accumulator each, all in
** registers: 24 of 32 for AVX-512, 12 of 16 for the others.  They are single
** variables and not an array, which gcc would keep in memory.  A product may
** be fused with its sum here: these scores only say which items can be left
** out, and the margin of the bar (see recommend_margin.c) covers either.
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


/*
** Append what reaches 'bar' in 'tile' (MCK_SIX rows of STEP scores) to the
** lists; 'first' is the position of column 0.  Return whether one is full.
*/
static __attribute__((noinline)) int K(collect) (mck_recgroup *g,
                                                 const float *tile,
                                                 const float *bar,
                                                 int32_t first) {
  int full = 0;
  for (int r = 0; r < MCK_SIX; r++) {
    int32_t *list = g->list + (size_t)r * g->room;
    int32_t count = g->count[r];
    for (int j = 0; j < (int)STEP; j += (int)VF) {
      unsigned m = K(reaches)(loadf(tile + r * (int)STEP + j), bar[r]);
      for (; m != 0; m &= m - 1)
        list[count++] = first + j + __builtin_ctz(m);
    }
    g->count[r] = count;
    full |= count >= g->full;
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
                    const float *bar, int32_t first) {
  const float *restrict x = g->x;
  SIX(ZEROS)
  for (size_t k = 0; k < n; k++) {
    EACH(LOAD, 0)
    SIX(USER)
  }
  if (__builtin_expect(0 SIX(HIT), 0)) {
    float tile[MCK_SIX * STEP];
    SIX(STORES)
    return K(collect)(g, tile, bar, first);
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


static size_t K(recommend_scan) (const mck_recblock *b, mck_recgroup *g,
                                 size_t n) {
  for (size_t i = 0; i < n; i++) {
    float bar[8];
    int full = 0;
    if (!K(bars)(&g[i], b->norm, bar)) continue;
    for (int j = 0; j < MCK_BLOCK; j += (int)STEP)
      full |= K(tile)(&g[i], b->panel + j, b->k, bar, b->first + j);
    if (full) return i + 1;
  }
  return n;
}


static int K(recommend_alive) (const mck_recgroup *g, size_t n, float norm) {
  float bar[8];
  for (size_t i = 0; i < n; i++)
    if (K(bars)(&g[i], norm, bar)) return 1;
  return 0;
}


/*
** Eight items at a time, so that eight sums hide the latency of one.  No
** fused products: of f64 factors they would change the result.
*/
#define DOTS(name, type) \
static void K(name) (const double *x, size_t k, const type *items, \
                     ptrdiff_t s0, ptrdiff_t s1, const int32_t *ids, \
                     size_t n, double *out) { \
  for (size_t i = 0; i < n; i += 8) { \
    const type *p[8]; \
    double s[8] = {0}; \
    for (size_t j = 0; j < 8; j++) \
      p[j] = items + (i + j < n ? ids[i + j] : ids[i]) * s0; \
    for (size_t f = 0; f < k; f++) \
      for (size_t j = 0; j < 8; j++) \
        s[j] += x[f] * (double)p[j][(ptrdiff_t)f * s1]; \
    for (size_t j = 0; j < 8 && i + j < n; j++) out[i + j] = s[j]; \
  } \
}

DOTS(recommend_dots_f32, float)
DOTS(recommend_dots_f64, double)


static const mck_recommend K(recommend) = {
  .scan = K(recommend_scan),
  .alive = K(recommend_alive),
  .dots_f32 = K(recommend_dots_f32),
  .dots_f64 = K(recommend_dots_f64)
};

#undef NV
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

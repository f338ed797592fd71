/*
** tranks.h - template of the kernels of kranks.h
**
** Products may be fused with their sums, as in trecommend.h.
*/

#if ISA_AVX512
#define FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#elif ISA_AVX2
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#else
#define FMA(a, b, c) ((a) * (b) + (c))
#endif


/* two users, x[0] and x[1] at each factor, by four vectors of items */
INLINE void K(ranks_two) (const float *restrict y, size_t n,
                          const float *restrict x, float *restrict s) {
  vf a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0};
  vf b0 = {0}, b1 = {0}, b2 = {0}, b3 = {0};
  for (size_t k = 0; k < n; k++, y += MCK_BLOCK, x += MCK_SIX) {
    vf u = allf(x[0]), v = allf(x[1]);
    vf y0 = loadf(y), y1 = loadf(y + VF);
    vf y2 = loadf(y + 2 * VF), y3 = loadf(y + 3 * VF);
    a0 = FMA(u, y0, a0);
    a1 = FMA(u, y1, a1);
    a2 = FMA(u, y2, a2);
    a3 = FMA(u, y3, a3);
    b0 = FMA(v, y0, b0);
    b1 = FMA(v, y1, b1);
    b2 = FMA(v, y2, b2);
    b3 = FMA(v, y3, b3);
  }
  storef(s, a0);
  storef(s + VF, a1);
  storef(s + 2 * VF, a2);
  storef(s + 3 * VF, a3);
  storef(s + MCK_BLOCK, b0);
  storef(s + MCK_BLOCK + VF, b1);
  storef(s + MCK_BLOCK + 2 * VF, b2);
  storef(s + MCK_BLOCK + 3 * VF, b3);
}


static void K(ranks_tile) (const float *panel, size_t k, const float *x,
                           float *score) {
  for (int r = 0; r < MCK_SIX; r += 2)
    for (size_t j = 0; j < MCK_BLOCK; j += 4 * VF)
      K(ranks_two)(panel + j, k, x + r, score + r * MCK_BLOCK + j);
}


/* bit i of the result: a[i] > t, or a[i] >= t */
#if ISA_AVX512

INLINE uint64_t K(ranks_above) (const float *s, float t) {
  uint64_t m = 0;
  for (int j = 0; j < 4; j++)
    m |= (uint64_t)_mm512_cmp_ps_mask(loadf(s + j * 16), allf(t), _CMP_GT_OQ)
         << 16 * j;
  return m;
}


INLINE uint64_t K(ranks_from) (const float *s, float t) {
  uint64_t m = 0;
  for (int j = 0; j < 4; j++)
    m |= (uint64_t)_mm512_cmp_ps_mask(loadf(s + j * 16), allf(t), _CMP_GE_OQ)
         << 16 * j;
  return m;
}

#elif ISA_AVX2

INLINE uint64_t K(ranks_above) (const float *s, float t) {
  uint64_t m = 0;
  for (int j = 0; j < 8; j++)
    m |= (uint64_t)(unsigned)_mm256_movemask_ps(_mm256_cmp_ps(
           loadf(s + j * 8), allf(t), _CMP_GT_OQ)) << 8 * j;
  return m;
}


INLINE uint64_t K(ranks_from) (const float *s, float t) {
  uint64_t m = 0;
  for (int j = 0; j < 8; j++)
    m |= (uint64_t)(unsigned)_mm256_movemask_ps(_mm256_cmp_ps(
           loadf(s + j * 8), allf(t), _CMP_GE_OQ)) << 8 * j;
  return m;
}

#else

INLINE uint64_t K(ranks_above) (const float *s, float t) {
  uint64_t m = 0;
  for (int i = 0; i < MCK_BLOCK; i++) m |= (uint64_t)(s[i] > t) << i;
  return m;
}


INLINE uint64_t K(ranks_from) (const float *s, float t) {
  uint64_t m = 0;
  for (int i = 0; i < MCK_BLOCK; i++) m |= (uint64_t)(s[i] >= t) << i;
  return m;
}

#endif


/* 2^-19 is more than what computing a bound loses */
static uint64_t K(ranks_count) (const float *score, float e,
                                const mck_bounds *b, size_t n,
                                int64_t *better) {
  uint64_t open = 0;
  for (size_t q = 0; q < n; q++) {
    float hi = b[q].upper + e, lo = b[q].lower - e;
    uint64_t above, from;
    hi += __builtin_fabsf(hi) * 0x1p-19f;
    lo -= __builtin_fabsf(lo) * 0x1p-19f;
    above = K(ranks_above)(score, hi);
    from = K(ranks_from)(score, lo);
    better[q] += __builtin_popcountll(above);
    open |= from & ~above;
  }
  return open;
}


static const mck_ranks K(ranks) = {
  .tile = K(ranks_tile),
  .count = K(ranks_count)
};

#undef FMA

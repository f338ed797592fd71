/*
** tlist.h - template of the lists of candidates of krecommend.h
*/

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


/* x[0] to x[n - 1]; what is beyond is above all or below all */
INLINE vf K(upto) (const float *x, int32_t n, float beyond) {
  vf v = allf(beyond);
  if (n >= (int32_t)VF) return loadf(x);
#if ISA_AVX512
  return _mm512_mask_loadu_ps(v, (__mmask16)((1u << n) - 1), x);
#else
  for (int32_t i = 0; i < n; i++) v[i] = x[i];
  return v;
#endif
}


/* where the next candidate of a user goes */
typedef struct K(place) {
  int32_t *at;
  float *lo, *hi;
} K(place);


INLINE K(place) K(placeof) (const mck_recgroup *g, int r) {
  size_t n = (size_t)r * g->room + (size_t)g->count[r];
  return (K(place)) {g->list.at + n, g->list.lo + n, g->list.hi + n};
}


/*
** The items of 'mask' become candidates; item 0, whose score is v[0], is at
** position 'at'.  Scores are off by 'e' at most, and by what rounding may
** lose.  Returns where the next one goes.
*/
INLINE K(place) K(note) (K(place) p, int32_t at, vf v, vf e, unsigned mask) {
  vf off = e + (vf)((vi)v & 0x7fffffff) * 0x1p-20f;
  vf lo = v - off, hi = v + off;
#if ISA_AVX512
  const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5,
                                         4, 3, 2, 1, 0);
  __m512i ats = _mm512_add_epi32(lanes, _mm512_set1_epi32(at));
  __mmask16 m = (__mmask16)mask;
  int n = __builtin_popcount(mask);
  _mm512_storeu_si512(p.at, _mm512_maskz_compress_epi32(m, ats));
  storef(p.lo, _mm512_maskz_compress_ps(m, lo));
  storef(p.hi, _mm512_maskz_compress_ps(m, hi));
  return (K(place)) {p.at + n, p.lo + n, p.hi + n};
#else
  for (; mask != 0; mask &= mask - 1) {
    int i = __builtin_ctz(mask);
    *p.at++ = at + i;
    *p.lo++ = lo[i];
    *p.hi++ = hi[i];
  }
  return p;
#endif
}


/* count what has come to user 'r', whose next one goes to 'p'; is his list
   full? */
INLINE int K(noted) (mck_recgroup *g, int r, K(place) p) {
  int32_t before = g->count[r];
  g->count[r] = (int32_t)(p.at - g->list.at - (ptrdiff_t)((size_t)r * g->room));
  if (g->bar[r] > -__builtin_inff()) g->hits += g->count[r] - before;
  return g->count[r] >= g->full;
}


static int32_t K(recommend_drop) (mck_reclist l, size_t first, int32_t n,
                                  float bar, int32_t end) {
  int32_t *at = l.at + first;
  float *lo = l.lo + first, *hi = l.hi + first;
  int32_t left = 0;
#if ISA_AVX512
  for (int32_t i = 0; i < n; i += 16) {  /* never before what is yet unread */
    __m512 his = K(upto)(hi + i, n - i, -__builtin_inff());
    __m512i ats = _mm512_loadu_si512(at + i);
    __mmask16 m = (__mmask16)(K(reaches)(his, bar) &
      _mm512_cmplt_epi32_mask(ats, _mm512_set1_epi32(end)));
    if (n - i < 16) m &= (__mmask16)((1u << (n - i)) - 1);
    storef(lo + left, _mm512_maskz_compress_ps(m, loadf(lo + i)));
    storef(hi + left, _mm512_maskz_compress_ps(m, his));
    _mm512_storeu_si512(at + left, _mm512_maskz_compress_epi32(m, ats));
    left += __builtin_popcount(m);
  }
#else
  for (int32_t i = 0; i < n; i++) {
    int keep = (hi[i] >= bar) & (at[i] < end);
    at[left] = at[i];
    lo[left] = lo[i];
    hi[left] = hi[i];
    left += keep;
  }
#endif
  return left;
}


static int32_t K(reaching) (const float *x, int32_t n, float t) {
  int32_t count = 0;
  for (int32_t i = 0; i < n; i += (int32_t)VF)
    count += __builtin_popcount(K(reaches)(K(upto)(x + i, n - i,
                                                   -__builtin_inff()), t));
  return count;
}


/*
** By halving the range; always, 'low' is reached by enough.  They need not be
** found exactly: a few more than wanted make the bar but a little lower.
*/
static float K(recommend_reached) (const float *x, int32_t n, int32_t want) {
  vf least = allf(__builtin_inff()), most = -least;
  float low, high;
  for (int32_t i = 0; i < n; i += (int32_t)VF) {
    vf a = K(upto)(x + i, n - i, -__builtin_inff());
    vf b = K(upto)(x + i, n - i, __builtin_inff());
    most = K(maxf)(most, a);
    least = -K(maxf)(-least, -b);
  }
  low = least[0];
  high = most[0];
  for (int i = 1; i < (int)VF; i++) {
    if (least[i] < low) low = least[i];
    if (most[i] > high) high = most[i];
  }
  for (int round = 0; round < 32; round++) {
    float mid = low + (high - low) * 0.5f;
    int32_t count;
    if (!(mid > low && mid < high)) break;
    count = K(reaching)(x, n, mid);
    if (count < want) high = mid;
    else low = mid;
    if (count >= want && count <= want + want / 32) break;
  }
  return low;
}

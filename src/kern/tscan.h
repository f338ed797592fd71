/*
** tscan.h - template of the scan of scores, for one element type
**
** Included by ttopn.h, which says REAL (and VEC, BITS, LOAD, ALL, MAX, GE,
** KEY for it) and S to name functions; takes back what the type defined.
*/

#define W (VBYTES / (int)sizeof(REAL))
#define UNROLL 4

/* a vector of scores; 'sign' has only the sign bits, or nothing, set */
INLINE VEC S(topn_load) (const REAL *p, BITS sign) {
  return (VEC)((BITS)LOAD(p) ^ sign);
}

INLINE BITS S(topn_sign) (int flip) {
  return (BITS)ALL(flip ? (REAL)-0.0 : (REAL)0);
}


/* the scores of 'mask', from row[0] on, that pass and reach the limit */
static void S(topn_take) (mck_best *b, const REAL *row, uint64_t mask,
                          int64_t id, int flip, const uint64_t *pass) {
  for (; mask != 0; mask &= mask - 1) {
    int k = __builtin_ctzll(mask);
    if (mck_passes(pass, id + k))
      mck_best_offer(b, flip ? -row[k] : row[k], id + k);
  }
}


static void S(topn_scan) (mck_best *b, const void *scores, int64_t n,
                          int64_t first, int flip, const uint64_t *pass) {
  const REAL *row = scores;
  VEC limit = ALL((REAL)b->limit);
  BITS sign = S(topn_sign)(flip);
  int64_t i = 0;
  for (; i + UNROLL * W <= n; i += UNROLL * W) {
    uint64_t m0 = GE(S(topn_load)(row + i, sign), limit);
    uint64_t m1 = GE(S(topn_load)(row + i + W, sign), limit);
    uint64_t m2 = GE(S(topn_load)(row + i + 2 * W, sign), limit);
    uint64_t m3 = GE(S(topn_load)(row + i + 3 * W, sign), limit);
    if (__builtin_expect((m0 | m1 | m2 | m3) != 0, 0)) {
      S(topn_take)(b, row + i, m0 | m1 << W | m2 << 2 * W | m3 << 3 * W,
                   first + i, flip, pass);
      limit = ALL((REAL)b->limit);
    }
  }
  for (; i < n; i++)
    if (mck_passes(pass, first + i))
      mck_best_offer(b, flip ? -row[i] : row[i], first + i);
}


/*
** The maxima of 'groups' * W classes of the row's elements; a class takes an
** element of every 'step' vectors, all along the row.
*/
INLINE void S(topn_maxima) (const REAL *row, int64_t step, int64_t rounds,
                            int groups, int flip, VEC *best) {
  BITS sign = S(topn_sign)(flip);
  for (int g = 0; g < groups; g++) best[g] = ALL((REAL)-__builtin_inf());
  for (int64_t r = 0; r < rounds; r++)
    for (int g = 0; g < groups; g++)
      best[g] = MAX(S(topn_load)(row + (r * groups + g) * step * W, sign),
                    best[g]);
}


static int64_t S(topn_count) (const VEC *v, int n, REAL x) {
  VEC limit = ALL(x);
  int64_t count = 0;
  for (int i = 0; i < n; i++) count += __builtin_popcount(GE(v[i], limit));
  return count;
}


/*
** A score that at least 'want' of the maxima reach, and not many more: found
** by halving the range of the scores seen as integers in the same order.
*/
static REAL S(topn_reached) (const VEC *v, int n, int64_t want) {
  VEC least = v[0], most = v[0];
  KEY lo, hi;
  for (int i = 1; i < n; i++) {
    least = -MAX(-v[i], -least);
    most = MAX(v[i], most);
  }
  lo = S(topn_key)(least[0]);
  hi = S(topn_key)(most[0]);
  for (int k = 1; k < W; k++) {  /* none is NaN */
    if (S(topn_key)(least[k]) < lo) lo = S(topn_key)(least[k]);
    if (S(topn_key)(most[k]) > hi) hi = S(topn_key)(most[k]);
  }
  while (hi - 1 > lo) {
    KEY mid = (lo & hi) + ((lo ^ hi) >> 1);
    int64_t count = S(topn_count)(v, n, S(topn_value)(mid));
    if (count < want) hi = mid;
    else lo = mid;
    if (count == want) break;
  }
  return S(topn_value)(lo);
}


static double S(topn_guess) (const void *scores, int64_t n, int64_t want,
                             int flip) {
  VEC best[MAXIMA / W];
  mck_sample s;
  int groups;
  if (!mck_topn_sample(&s, n, want, W)) return -__builtin_inf();
  groups = s.groups > FEW ? s.groups : FEW;
  if (groups == FEW)
    S(topn_maxima)(scores, s.step, s.rounds, FEW, flip, best);
  else S(topn_maxima)(scores, s.step, s.rounds, groups, flip, best);
  return S(topn_reached)(best, groups, s.want);
}


static const mck_scan S(topn) = {
  .scan = S(topn_scan),
  .guess = S(topn_guess)
};

#undef W
#undef UNROLL
#undef REAL
#undef VEC
#undef BITS
#undef LOAD
#undef ALL
#undef MAX
#undef GE
#undef KEY
#undef S

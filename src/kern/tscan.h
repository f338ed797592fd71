/*
** tscan.h - template of the scan of scores, for one element type
**
** Included by ttopn.h, which says REAL (and VEC, BITS, LOAD, ALL, MAX, GE,
** KEY for it) and S to name functions; takes back what the type defined.
*/

#define W (VBYTES / (int)sizeof(REAL))
#define UNROLL 4
#define NOTES 32
#define AHEAD 2048  /* bytes; 1024 is too near */

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


/* a bit for each of UNROLL * W scores that reaches the limit */
INLINE uint64_t S(topn_mask) (const REAL *p, BITS sign, VEC limit) {
  uint64_t mask = 0;
  for (int u = 0; u < UNROLL; u++)
    mask |= (uint64_t)GE(S(topn_load)(p + u * W, sign), limit) << (u * W);
  return mask;
}


/*
** Whether a few scores have one among them that reaches the limit cannot be
** predicted, so the masks of those that do are noted without a branch, and
** looked at together.
*/
static void S(topn_scan) (mck_best *b, const void *scores, int64_t n,
                          int64_t first, int flip, const uint64_t *pass) {
  const REAL *row = scores;
  BITS sign = S(topn_sign)(flip);
  int64_t i = 0, end = n - n % (UNROLL * W), step = UNROLL * VBYTES;
  const char *ahead = (const char *)row + AHEAD;
  if (n <= MCK_SAMPLE) {  /* in the cache: likely, another row follows */
    ahead = (const char *)(row + n);
    step = 2 * VBYTES;
  }
  while (i < end) {
    uint64_t masks[NOTES];
    int64_t at[NOTES];
    int64_t stop = end - i < NOTES * UNROLL * W ? end
                                                : i + NOTES * UNROLL * W;
    VEC limit = ALL((REAL)b->limit);
    int noted = 0;
    for (; i < stop; i += UNROLL * W) {
      uint64_t mask = S(topn_mask)(row + i, sign, limit);
      for (int u = 0; u < UNROLL * VBYTES; u += 64)  /* memory is the limit */
        __builtin_prefetch(ahead + u);
      ahead += step;
      masks[noted] = mask;
      at[noted] = i;
      noted += mask != 0;
    }
    for (int k = 0; k < noted; k++)
      S(topn_take)(b, row + at[k], masks[k], first + at[k], flip, pass);
  }
  for (; i < n; i++)
    if (mck_passes(pass, first + i))
      mck_best_offer(b, flip ? -row[i] : row[i], first + i);
}


/*
** The maxima of 'groups' * W classes of the row's elements; a class takes an
** element of each of 'rounds' runs of 'groups' vectors, one every 'step'.
*/
INLINE void S(topn_maxima) (const REAL *row, int64_t step, int64_t rounds,
                            int groups, int flip, VEC *best) {
  BITS sign = S(topn_sign)(flip);
  for (int g = 0; g < groups; g++) best[g] = ALL((REAL)-__builtin_inf());
  for (int64_t r = 0; r < rounds; r++, row += step * W)
    for (int g = 0; g < groups; g++) {
      best[g] = MAX(S(topn_load)(row + g * W, sign), best[g]);
      __builtin_prefetch(row + (2 * step + g) * W);
    }
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


/*
** The last run leaves just 'want' scores after it, if runs are that far apart:
** where scores rise these reach the limit, and no more do than are wanted.
** Where they fall the best come first, and raise the limit by themselves.
*/
static double S(topn_guess) (const void *scores, int64_t n, int64_t want,
                             int flip) {
  const REAL *row = scores;
  VEC best[MAXIMA / W];
  mck_sample s;
  int64_t rest;
  int groups;
  if (!mck_topn_sample(&s, n, want, W)) return -__builtin_inf();
  groups = s.groups > FEW ? s.groups : FEW;
  rest = (s.step - groups) * W;
  if (rest > want) rest = want;
  row += n - rest - ((s.rounds - 1) * s.step + groups) * W;
  if (groups == FEW) S(topn_maxima)(row, s.step, s.rounds, FEW, flip, best);
  else S(topn_maxima)(row, s.step, s.rounds, groups, flip, best);
  return S(topn_reached)(best, groups, s.want);
}


#undef W
#undef UNROLL
#undef NOTES
#undef AHEAD

/*
** tshort.h - template of the few best of a short row, for one element type
**
** Included by ttopn.h, which says REAL (and VEC, BITS, LOAD, ALL, MAX, GE,
** TOP for it) and S to name functions; takes back what the type defined.
**
** The row is read from memory once.  It is seen as groups of BUNCH scores,
** and of each group the maxima of its lanes are kept.  The lanes of all groups
** together are CLASSES classes: the want-th largest maximum of a class is
** reached by 'want' scores for certain, and by half as many more on average.
** Only groups with a maximum that reaches it are looked at again.
**
** A row takes less time than a few mispredicted branches, so none depends on
** which scores are good: what is found is appended, and put in order by
** counting for each how many are better.
*/

#define W (VBYTES / (int)sizeof(REAL))
#define VECS (BUNCH / W)                /* vectors of a group */
#define NACC (W < 16 ? 16 / W : 2)      /* vectors of classes */
#define CLASSES (NACC * W)
#define LINES (BUNCH * (int)sizeof(REAL) / 64)  /* of memory, of a group */

/* what has been found, in order of ids, or of results and then of ids */
typedef struct S(found) {
  REAL score[FOUND + BUNCH];
  int32_t id[FOUND + BUNCH];
  int64_t held;
} S(found);


INLINE VEC S(short_load) (const REAL *p, BITS sign) {
  return (VEC)((BITS)LOAD(p) ^ sign);
}


/* the maxima of a group's lanes */
INLINE VEC S(short_max) (const REAL *p, BITS sign) {
  VEC m = ALL((REAL)-__builtin_inf());
  for (int v = 0; v < VECS; v++) m = MAX(S(short_load)(p + v * W, sign), m);
  return m;
}


/* the largest of all classes' maxima that 'want' of them reach */
INLINE REAL S(short_limit) (const VEC *acc, int64_t want) {
  VEC best = ALL((REAL)-__builtin_inf());
  BITS rank[NACC] = {{0}};
  REAL v[CLASSES];
  memcpy(v, acc, sizeof v);
  for (int j = 0; j < CLASSES; j++) {
    VEC x = ALL(v[j]);
    for (int g = 0; g < NACC; g++) rank[g] -= (BITS)(x >= acc[g]);
  }
  for (int g = 0; g < NACC; g++) {
    BITS m = (BITS)(rank[g] >= (KEY)want);
    best = MAX((VEC)(((BITS)acc[g] & m) | ((BITS)best & ~m)), best);
  }
  return TOP(best);
}


/* the scores of a group that reach the limit, to the end of 'f' */
INLINE void S(short_take) (S(found) *f, const REAL *p, int32_t id, int flip,
                           BITS sign, REAL limit) {
  const VEC x = ALL(limit);
  uint32_t mask = 0, more;
  for (int v = 0; v < VECS; v++)
    mask |= (uint32_t)GE(S(short_load)(p + v * W, sign), x) << (v * W);
  more = mask & (mask - 1);
  for (int k = 0; k < 2; k++) {  /* whether they are there or not */
    uint32_t m = k == 0 ? mask : more;
    int i = __builtin_ctz(m | (uint32_t)1 << (BUNCH - 1));
    f->score[f->held] = flip ? -p[i] : p[i];
    f->id[f->held] = id + i;
    f->held += m != 0;
  }
  for (more &= more - 1; more != 0; more &= more - 1) {
    int i = __builtin_ctz(more);
    f->score[f->held] = flip ? -p[i] : p[i];
    f->id[f->held++] = id + i;
  }
}


/*
** The 'want' best of what was found, in order, to 'hits', which has room for
** one more.  Of equal scores the first found has the smaller id.  'vecs'
** vectors hold all that was found.
*/
INLINE void S(short_order) (const S(found) *f, int vecs, int64_t want,
                            mck_hit *hits) {
  uint8_t equal[FOUND + BUNCH] = {0};
  KEY rank[FOUND + BUNCH];
  BITS better[(FOUND + BUNCH) / W];
  for (int k = 0; k < vecs; k++) better[k] = (BITS){0};
  for (int64_t j = 0; j < f->held; j++) {
    VEC x = ALL(f->score[j]);
    for (int k = 0; k < vecs; k++)
      better[k] -= (BITS)(x > LOAD(f->score + k * W));
  }
  memcpy(rank, better, (size_t)vecs * sizeof *better);
  for (int64_t j = 0; j < f->held; j++) {
    int64_t at = rank[j] + equal[rank[j]]++;
    hits[at < want ? at : want] = (mck_hit) {f->score[j], f->id[j]};
  }
}


/* the same, however many there are; returns how many */
static int64_t S(short_best) (const S(found) *f, int64_t want,
                              mck_hit *hits) {
  if (f->held <= 16) S(short_order)(f, 16 / W, want, hits);
  else if (f->held <= OFTEN)
    S(short_order)(f, (OFTEN + W - 1) / W, want, hits);
  else S(short_order)(f, (FOUND + BUNCH) / W, want, hits);
  return f->held < want ? f->held : want;
}


/* go on with the 'want' best; returns what others must reach from now on */
static REAL S(short_cut) (S(found) *f, int64_t want, mck_hit *hits) {
  f->held = S(short_best)(f, want, hits);
  for (int64_t k = 0; k < want; k++) {
    f->score[k] = (REAL)hits[k].score;
    f->id[k] = (int32_t)hits[k].id;
  }
  return S(topn_next)(f->score[want - 1]);
}


/*
** The maxima of all groups, and of all classes.  'next' is fetched, all but a
** line for each group: what memory does not bring now it brings while other
** things are done, if it is asked for all the time.
*/
INLINE const char *S(short_maxima) (const REAL *row, int64_t groups, BITS sign,
                                    VEC *max, VEC *acc, const char *next) {
  int64_t i = 0;
  for (int g = 0; g < NACC; g++) acc[g] = ALL((REAL)-__builtin_inf());
  for (; i + NACC <= groups; i += NACC)
    for (int g = 0; g < NACC; g++) {
      max[i + g] = S(short_max)(row + (i + g) * BUNCH, sign);
      acc[g] = MAX(max[i + g], acc[g]);
      for (int u = 0; u < LINES - 1; u++, next += 64)
        __builtin_prefetch(next, 0, 2);
    }
  for (; i < groups; i++) {
    max[i] = S(short_max)(row + i * BUNCH, sign);
    acc[0] = MAX(max[i], acc[0]);
  }
  return next;
}


static void S(topn_brief) (mck_best *b, const void *scores, int64_t n,
                           int flip, const void *next) {
  const REAL *row = scores;
  BITS sign = S(topn_sign)(flip);
  VEC max[MCK_BRIEF / BUNCH], acc[NACC], x;
  int32_t note[MCK_BRIEF / BUNCH];
  int64_t groups = n / BUNCH, noted = 0;
  REAL limit, floor = (REAL)b->floor;
  const char *ahead = S(short_maxima)(row, groups, sign, max, acc, next);
  S(found) f;
  limit = S(short_limit)(acc, b->n);
  if (limit < floor) limit = floor;
  x = ALL(limit);
  for (int64_t i = 0; i < groups; i++) {
    note[noted] = (int32_t)i * BUNCH;
    noted += GE(max[i], x) != 0;
    __builtin_prefetch(ahead + i * 64, 0, 2);
  }
  f.held = 0;
  for (int64_t i = 0; i < noted; i++) {
    S(short_take)(&f, row + note[i], note[i], flip, sign, limit);
    if (f.held > FOUND) limit = S(short_cut)(&f, b->n, b->hits);
  }
  for (int64_t i = groups * BUNCH; i < n; i++) {  /* fewer than BUNCH */
    f.score[f.held] = flip ? -row[i] : row[i];
    f.id[f.held] = (int32_t)i;
    f.held += f.score[f.held] >= limit;
  }
  b->held = S(short_best)(&f, b->n, b->hits);
}


static const mck_scan S(topn) = {
  .scan = S(topn_scan),
  .guess = S(topn_guess),
  .brief = S(topn_brief)
};

#undef VECS
#undef NACC
#undef CLASSES
#undef LINES
#undef W
#undef REAL
#undef VEC
#undef BITS
#undef LOAD
#undef ALL
#undef MAX
#undef GE
#undef TOP
#undef KEY
#undef S

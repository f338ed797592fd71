/*
** tbytes.h - template of the scan by bytes of krecommend.h
**
** Integer scores of all users of a group, less what they have to reach, are
** laid down in 'tile': a row of MCK_BLOCK for each.  Whether a row holds a
** candidate cannot be predicted, so rows that do are noted without a branch
** and looked at together.
*/

#define TALL 16  /* users whose goals are set at once */

/* what users have to reach in a block, and what scores may be off by */
typedef struct K(goals) {
  int32_t least[MCK_GROUP];
  float e[MCK_GROUP];
} K(goals);


/*
** Set the goals of users r to r + 15.  The integer score is Q = x'.y' / (both
** steps); one below 'least' is of no use (recommend_scan.c, 7).  Who is not
** there has no room for candidates, whatever a damaged block says of itself.
** Returns who can be reached at all.
*/
INLINE unsigned K(setgoals) (const mck_recblock *b, const mck_recgroup *g,
                             int r, int32_t *least, float *es) {
  const __m512 most = _mm512_set1_ps(1.07e9f);
  __m512 bar = loadf(g->bar + r), length = loadf(g->length + r);
  __m512 norm = allf(b->stat.norm), e, t;
  e = length * allf(b->stat.error) + loadf(g->error + r) *
      allf(b->stat.length) + loadf(g->slack + r) * norm;
  t = (bar - e) * (loadf(g->inverse + r) * allf(1 / b->stat.step));
  t = _mm512_max_ps(_mm512_min_ps(t, most), -most);
  t = _mm512_mask_mov_ps(t, K(reaches)(bar, __builtin_inff()), most);
  t = t - _mm512_abs_ps(t) * 0x1p-19f - 2;
  _mm512_storeu_si512(least, _mm512_cvttps_epi32(t));
  storef(es, e);
  return _mm512_cmp_ps_mask(length * norm, bar, _CMP_GE_OQ);
}


/*
** Append what reaches 'least' in row 'r' to the list of its user; 'more' makes
** what is in the row an integer score.
*/
INLINE int K(noterow) (const mck_recblock *b, mck_recgroup *g, int r,
                       const int32_t *row, int32_t least, int32_t more,
                       float e) {
  const __m512i bar = _mm512_set1_epi32(least);
  const vf unit = allf(g->step[r] * b->stat.step), off = allf(e);
  K(place) p = K(placeof)(g, r);
  uint64_t m = 0;
  for (int j = 0; j < MCK_BLOCK; j += 16)
    m |= (uint64_t)_mm512_cmpge_epi32_mask(_mm512_load_si512(row + j), bar)
         << j;
  while (m != 0) {
    int j = __builtin_ctzll(m) & 48;
    __m512i q = _mm512_add_epi32(_mm512_load_si512(row + j),
                                 _mm512_set1_epi32(more));
    p = K(note)(p, b->first + j, _mm512_cvtepi32_ps(q) * unit, off,
                (unsigned)(m >> j & 0xffff));
    m &= ~((uint64_t)0xffff << j);
  }
  return K(noted)(g, r, p);
}


/* {------- six users at a time ------- */

#define ROW(r) IROW(r, 0) IROW(r, 1) IROW(r, 2) IROW(r, 3)
#define IROW(r, j) __m512i a##r##j = start##r;
#define START(r) \
  __m512i start##r = _mm512_set1_epi32(-least[r] - sum[r]); ROW(r)
#define ILOAD(r, j) \
  __m512i y##j = _mm512_loadu_si512(y + j * 64);
/* by name: gcc copies the intrinsic's sums, and runs out of registers */
#define DOT(r, j) \
  __asm__ ("vpdpbusd %2, %1, %0" : "+v"(a##r##j) : "v"(y##j), "v"(u##r));
#define IUSER(r) \
  { __m512i u##r = _mm512_set1_epi32(K(four)(x + r * width)); EACH(DOT, r) }
/* the lanes' sign bits: is any of them clear? */
#define BOTH(a, b, c) _mm512_ternarylogic_epi32(a, b, c, 0x80)
#define LESS(r) \
  all = BOTH(all, a##r##0, a##r##1); all = BOTH(all, a##r##2, a##r##3);
#define ISTORE(r, j) \
  _mm512_store_si512(tile + (r) * MCK_BLOCK + j * 16, a##r##j);
#define ISTORES(r) EACH(ISTORE, r)

INLINE int32_t K(four) (const int8_t *p) {
  int32_t i;
  __builtin_memcpy(&i, p, 4);
  return i;
}


/* one tile; returns whether there are candidates in it */
INLINE unsigned K(sixbytes) (const mck_recblock *b, const int8_t *x,
                             const int32_t *least, const int32_t *sum,
                             int32_t *tile) {
  const uint8_t *y = b->bytes;
  size_t width = mck_lines(b->k) * MCK_LINE, used = mck_linefours(b->k);
  __m512i all = _mm512_set1_epi32(-1);
  SIX(START)
  for (size_t left = (b->k + 3) / 4; left > 0; x += MCK_LINE) {
    size_t n = left < used ? left : used;
    const int8_t *next = x;
    left -= n;
    for (; n > 0; n--, x += 4, y += 4 * MCK_BLOCK) {
      EACH(ILOAD, 0)
      SIX(IUSER)
    }
    x = next;
  }
  SIX(LESS)
  SIX(ISTORES)
  return _mm512_movepi32_mask(all) != 0xffff;
}


/* the groups against one block, by bytes; returns whether a list is full */
INLINE int K(bybytes) (const mck_recblock *b, mck_recgroup *g) {
  int32_t tile[MCK_GROUP * MCK_BLOCK] __attribute__((aligned(64)));
  size_t width = mck_lines(b->k) * MCK_LINE;
  K(goals) o;
  uint64_t alive = 0;
  unsigned hit = 0;
  int full = 0;
  for (int r = 0; r < MCK_GROUP; r += TALL)
    alive |= (uint64_t)K(setgoals)(b, g, r, o.least + r, o.e + r) << r;
  for (int r = 0; r < MCK_GROUP; r += MCK_SIX)
    if ((alive >> r & 63) != 0) {
      for (int i = r; i < r + MCK_SIX; i++) g->blocks[1][i]++;
      hit |= K(sixbytes)(b, g->bytes + (size_t)r * width, o.least + r,
                         g->sum + r, tile + r * MCK_BLOCK) << r / MCK_SIX;
    }
  for (; hit != 0; hit &= hit - 1) {
    int r = __builtin_ctz(hit) * MCK_SIX;
    for (int i = r; i < r + MCK_SIX; i++)
      full |= K(noterow)(b, g, i, tile + i * MCK_BLOCK, 0, o.least[i],
                         o.e[i]);
  }
  return full;
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

/* -------} */


/* {------- sixteen users at a time ------- */

/*
** Tiles of the CPU: 0 to 3 are the sums of 16 users and 64 items, 4 has a line
** of the users, 5 and 6 the same factors of 16 items each.  While half of the
** sums are made the other half, made before, is laid down.
*/
#define WAVE 8  /* groups at a time */
#define LAG 2   /* tiles that are being made while one is looked at */
#define RING (2 * LAG)

typedef struct K(wave) {
  int32_t tile[RING][TALL * MCK_BLOCK] __attribute__((aligned(64)));
  int32_t least[WAVE * MCK_GROUP / TALL][TALL];
  float e[WAVE * MCK_GROUP / TALL][TALL];
  int user[WAVE * MCK_GROUP / TALL];  /* the first of each tile */
} K(wave);

/* these say nothing of their registers, which no compiler uses */
#define TZERO(t) __asm__ volatile ("tilezero %%tmm" #t : : : "memory");
#define TLOAD(t, p, stride) \
  __asm__ volatile ("tileloadd (%0,%1,1), %%tmm" #t \
                    : : "r"(p), "r"((size_t)(stride)) : "memory");
#define TSTORE(t, p, stride) \
  __asm__ volatile ("tilestored %%tmm" #t ", (%0,%1,1)" \
                    : : "r"(p), "r"((size_t)(stride)) : "memory");
#define TDOT(t, i) \
  __asm__ volatile ("tdpbsud %%tmm" #i ", %%tmm4, %%tmm" #t : : : "memory");


/* say what tiles are like: four bytes of 'fours' factors each */
static void K(openwave) (size_t fours) {
  struct {
    uint8_t palette, row, unused[14];
    uint16_t bytes[16];
    uint8_t rows[16];
  } config = {.palette = 1};
  for (int i = 0; i < 8; i++) {
    config.bytes[i] = (uint16_t)(i == 4 ? 4 * fours : 64);
    config.rows[i] = (uint8_t)(i > 4 ? fours : 16);
  }
  __asm__ volatile ("ldtilecfg %0" : : "m"(config));
}


#define HALF(one, two) \
  TZERO(one) \
  TZERO(two) \
  for (size_t l = 0; l < lines; l++) { \
    const uint8_t *z = y + l * used * 256; \
    TLOAD(4, x + l * MCK_LINE, lines * MCK_LINE) \
    TLOAD(5, z + one * 64, 256) \
    TDOT(one, 5) \
    TLOAD(6, z + two * 64, 256) \
    TDOT(two, 6) \
  }

/* half the sums of the users at 'x' */
INLINE void K(half0) (const int8_t *x, const uint8_t *y, size_t lines,
                      size_t used) {
  HALF(0, 1)
}


INLINE void K(half1) (const int8_t *x, const uint8_t *y, size_t lines,
                      size_t used) {
  HALF(2, 3)
}

#undef HALF


/* the rows of a tile that have anything that reaches their 'bars' */
INLINE unsigned K(hitrows) (const int32_t *tile, const int32_t *bars) {
  uint16_t m[TALL];
  #pragma GCC unroll 16
  for (int r = 0; r < TALL; r++) {
    const int32_t *p = tile + r * MCK_BLOCK;
    __m512i a = _mm512_max_epi32(_mm512_load_si512(p),
                                 _mm512_load_si512(p + 16));
    a = _mm512_max_epi32(a, _mm512_load_si512(p + 32));
    a = _mm512_max_epi32(a, _mm512_load_si512(p + 48));
    m[r] = _mm512_cmpge_epi32_mask(a, _mm512_set1_epi32(bars[r]));
  }
  return _mm256_test_epi16_mask(_mm256_loadu_si256((const void *)m),
                                _mm256_set1_epi16(-1));
}


/* note the candidates in tiles 'first' on: row r is of tile r / 16 of those */
static int K(notewave) (const mck_recblock *b, mck_recgroup *g, K(wave) *w,
                        int first, uint64_t rows) {
  int full = 0;
  for (; rows != 0; rows &= rows - 1) {
    int bit = __builtin_ctzll(rows), i = first + bit / TALL, r = bit % TALL;
    int u = w->user[i] + r, own = u % MCK_GROUP;
    mck_recgroup *his = &g[u / MCK_GROUP];
    full |= K(noterow)(b, his, own, w->tile[i % RING] + r * MCK_BLOCK,
                       w->least[i][r], -his->sum[own], w->e[i][r]);
  }
  return full;
}


/* set the goals of at most WAVE groups, as far as they compare bytes; returns
   how many tiles there are */
static int K(fillwave) (const mck_recblock *b, mck_recgroup *g, size_t n,
                        K(wave) *w) {
  int tiles = 0;
  for (int u = 0; u < (int)n * MCK_GROUP; u += TALL) {
    mck_recgroup *his = &g[u / MCK_GROUP];
    int32_t *least = w->least[tiles];
    w->user[tiles] = u;
    if (!his->coarse || !K(setgoals)(b, his, u % MCK_GROUP, least,
                                     w->e[tiles])) continue;
    _mm512_storeu_si512(least, _mm512_add_epi32(_mm512_loadu_si512(least),
      _mm512_loadu_si512(his->sum + u % MCK_GROUP)));
    for (int i = u % MCK_GROUP; i < u % MCK_GROUP + TALL; i++)
      his->blocks[1][i]++;
    tiles++;
  }
  return tiles;
}


/* at most WAVE groups by tiles of the CPU */
static int K(bywave) (const mck_recblock *b, mck_recgroup *g, size_t n) {
  size_t lines = mck_lines(b->k), used = mck_linefours(b->k);
  K(wave) w;
  int tiles = K(fillwave)(b, g, n, &w), full = 0;
  uint64_t rows = 0;
  if (tiles == 0) return 0;
  for (int i = 0; i < tiles + LAG; i++) {
    int done = i - LAG, u = i < tiles ? w.user[i] : 0;
    const int8_t *x = g[u / MCK_GROUP].bytes +
                      (size_t)(u % MCK_GROUP) * lines * MCK_LINE;
    int32_t *tile = w.tile[i % RING], *last = w.tile[(i + RING - 1) % RING];
    if (done >= 0)
      rows |= (uint64_t)K(hitrows)(w.tile[done % RING], w.least[done])
              << done % LAG * TALL;
    if (i < tiles) {
      K(half0)(x, b->bytes, lines, used);
      K(fetch)(b, 1, i, tiles);
    }
    if (i > 0 && i <= tiles) {
      TSTORE(2, last + 32, 256)
      TSTORE(3, last + 48, 256)
    }
    if (i < tiles) K(half1)(x, b->bytes, lines, used);
    if (i < tiles) {
      TSTORE(0, tile, 256)
      TSTORE(1, tile + 16, 256)
    }
    if (done >= 0 && (done % LAG == LAG - 1 || done == tiles - 1)) {
      full |= K(notewave)(b, g, &w, done - done % LAG, rows);
      rows = 0;
    }
  }
  return full;
}

/* -------} */

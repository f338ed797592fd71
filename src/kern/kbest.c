/*
** kbest.c - cutting and sorting the candidates of a row
**
** Small buffers are sorted by insertion, large ones by the digits of their
** scores: both ways nothing can be made slow by the data, as a quicksort's
** pivots could.  Scores are seen as unsigned integers in the same order, and
** only the bits in which they differ are looked at.
*/

#include <math.h>
#include <string.h>

#include "ktopn.h"

#define MAXIMA 1024   /* classes of a sample, at most */
#define SMALL 64      /* buffers with room for at most this many: by insertion */
#define FEW 24        /* what insertion sorts best */
#define DIGIT 8       /* bits selected by in one pass */
#define WIDEST 10     /* bits of a digit sorted by, at most */
#define NDIGITS (1 << DIGIT)


/* {------- scores and their order ------- */

static uint64_t bitsof (double x) {
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}


/* an integer that orders as the score does; both zeros have the same */
static uint64_t key (double x) {
  uint64_t u = bitsof(x + 0.0);  /* -0.0 + 0.0 is 0.0 */
  return u >> 63 ? ~u : u | (uint64_t)1 << 63;
}


/* the next double (or float) up; NaN, which no score reaches, after infinity */
static double nextup (double x) {
  uint64_t u = bitsof(x + 0.0);
  u = u >> 63 ? u - 1 : u + 1;
  memcpy(&x, &u, sizeof x);
  return x;
}


static double nextupf (double x) {
  float f = (float)(x + 0.0);
  uint32_t u;
  memcpy(&u, &f, sizeof u);
  u = u >> 31 ? u - 1 : u + 1;
  memcpy(&f, &u, sizeof f);
  return f;
}


static int better (mck_hit a, mck_hit b) {
  return a.score > b.score || (a.score == b.score && a.id < b.id);
}

/* -------} */


/* {------- small buffers ------- */

/* the best 'n' of h[0..m-1] in order at its front; returns their number */
static int64_t insertion (mck_hit *h, int64_t m, int64_t n) {
  int64_t held = 0;
  for (int64_t i = 0; i < m; i++) {
    mck_hit x = h[i];
    int64_t j = held;
    if (held == n && !better(x, h[--j])) continue;
    for (; j > 0 && better(x, h[j - 1]); j--) h[j] = h[j - 1];
    h[j] = x;
    if (held < n) held++;
  }
  return held;
}

/* -------} */


/* {------- large buffers ------- */

/* what is looked at: scores or, among equal ones, ids (smaller is better) */
static uint64_t field (const mck_hit *h, int ids) {
  return ids ? ~(uint64_t)h->id : key(h->score);
}


/* one past the highest bit in which fields differ; 'common': the rest */
static int spread (const mck_hit *h, int64_t m, int ids, uint64_t *common) {
  uint64_t all = ~(uint64_t)0, any = 0;
  int top = 0;
  for (int64_t i = 0; i < m; i++) {
    uint64_t k = field(&h[i], ids);
    all &= k;
    any |= k;
  }
  while (top < 64 && (all ^ any) >> top) top++;
  *common = top < 64 ? all >> top << top : 0;
  return top;
}


/* the n-th largest field of those hits whose score's key is 'equal' (ids),
   or of all; '*rest': how many of the n have just that field */
static uint64_t nth (const mck_hit *h, int64_t m, int ids, uint64_t equal,
                     int64_t n, int64_t *rest) {
  uint64_t prefix;
  int bits = spread(h, m, ids, &prefix);
  while (bits > 0) {  /* 'bits' low ones are not known yet */
    int64_t count[NDIGITS] = {0};
    int shift = bits > DIGIT ? bits - DIGIT : 0;
    int d = NDIGITS - 1;
    uint64_t mask = bits < 64 ? ~(uint64_t)0 << bits : 0;
    for (int64_t i = 0; i < m; i++) {
      uint64_t k = field(&h[i], ids);
      if ((k & mask) == prefix && (!ids || key(h[i].score) == equal))
        count[(k & ~mask) >> shift]++;
    }
    for (; count[d] < n; d--) n -= count[d];
    prefix |= (uint64_t)d << shift;
    bits = shift;
  }
  *rest = n;
  return prefix;
}


/* keep the n best of h[0..m-1], m > n, in the order in which they stand */
static void keep (mck_hit *h, int64_t m, int64_t n, int anyorder) {
  int64_t rest, one, held = 0;
  uint64_t worst = nth(h, m, 0, 0, n, &rest), last = 0;
  if (anyorder) last = nth(h, m, 1, worst, rest, &one);
  for (int64_t i = 0; i < m; i++) {
    uint64_t k = key(h[i].score);
    if (k < worst) continue;
    if (k == worst) {  /* only the smallest ids of these */
      if (anyorder ? field(&h[i], 1) < last : rest-- <= 0) continue;
    }
    h[held++] = h[i];
  }
}


/* the least of all fields; '*range': how far the greatest is above it */
static uint64_t extent (const mck_hit *h, int64_t m, int ids,
                        uint64_t *range) {
  uint64_t least = ~(uint64_t)0, most = 0;
  for (int64_t i = 0; i < m; i++) {
    uint64_t k = field(&h[i], ids);
    least = k < least ? k : least;
    most = k > most ? k : most;
  }
  *range = most - least;
  return least;
}


/* turn the counts of digits into where each begins, largest first */
static void places (int64_t *count, int64_t n) {
  int64_t sum = 0;
  while (n-- > 0) {
    int64_t c = count[n];
    count[n] = sum;
    sum += c;
  }
}


/* what hits are sorted by at once: fields less 'least', cut by 'shift', in two
   digits of 'bits' bits */
typedef struct digits {
  uint64_t least;
  int ids, shift, bits;
} digits;


static inline uint64_t digitsof (const digits *d, const mck_hit *h) {
  return (field(h, d->ids) - d->least) >> d->shift;
}


/* sort by both digits, stably */
static void radix (const digits *d, mck_hit *h, mck_hit *spare, int64_t m) {
  int64_t low[1 << WIDEST], high[1 << WIDEST], n = (int64_t)1 << d->bits;
  uint64_t mask = (uint64_t)n - 1;
  memset(low, 0, (size_t)n * sizeof *low);
  memset(high, 0, (size_t)n * sizeof *high);
  for (int64_t i = 0; i < m; i++) {
    uint64_t k = digitsof(d, &h[i]);
    low[k & mask]++;
    high[k >> d->bits]++;
  }
  places(low, n);
  places(high, n);
  for (int64_t i = 0; i < m; i++)
    spare[low[digitsof(d, &h[i]) & mask]++] = h[i];
  for (int64_t i = 0; i < m; i++)
    h[high[digitsof(d, &spare[i]) >> d->bits]++] = spare[i];
}


/*
** Put h[0..m-1] in order: by the highest bits in which their fields differ, as
** many as leave few of them alike, then those that are alike in these.  Hits
** whose scores are equal are ordered by 'ids', or stand in order already.
*/
static void sort (mck_hit *h, mck_hit *spare, int64_t m, int ids,
                  int anyorder) {
  digits d = {.ids = ids, .bits = 4};
  uint64_t range, last;
  int64_t first = 0;
  if (m <= FEW) {
    insertion(h, m, m);
    return;
  }
  d.least = extent(h, m, ids, &range);
  if (range == 0) {
    if (!ids && anyorder) sort(h, spare, m, 1, 0);
    return;
  }
  while (d.bits < WIDEST && (int64_t)1 << d.bits < m) d.bits++;
  while (range >> d.shift >> 2 * d.bits != 0) d.shift++;
  radix(&d, h, spare, m);
  last = digitsof(&d, h);
  for (int64_t i = 1; i <= m; i++) {
    uint64_t k = i < m ? digitsof(&d, &h[i]) : ~last;
    if (k == last) continue;
    if (i - first > 1) sort(h + first, spare, i - first, ids, anyorder);
    first = i;
    last = k;
  }
}

/* -------} */


void mck_best_cut (mck_best *b) {
  double worst;
  if (b->cap <= SMALL) {
    b->held = insertion(b->hits, b->held, b->n);
    if (b->held < b->n) return;
    worst = b->hits[b->n - 1].score;
  }
  else {
    if (b->held > b->n) keep(b->hits, b->held, b->n, b->anyorder);
    if (b->held < b->n) return;
    b->held = b->n;
    worst = b->hits[0].score;
    for (int64_t i = 1; i < b->n; i++)
      if (b->hits[i].score < worst) worst = b->hits[i].score;
  }
  b->limit = b->anyorder ? worst : b->single ? nextupf(worst) : nextup(worst);
}


int64_t mck_best_finish (mck_best *b, mck_hit *spare) {
  if (b->cap <= SMALL) b->held = insertion(b->hits, b->held, b->n);
  else {
    sort(b->hits, spare, b->held, 0, b->anyorder);
    if (b->held > b->n) b->held = b->n;
  }
  return b->held;
}


/*
** Of all elements, the want-th largest maximum is reached by 'want' scores for
** certain.  Of a part of them, 'want' times that part is expected above the
** limit; three deviations more make a second scan rare.  Three classes for
** each keep two of the largest from sharing one.
*/
int mck_topn_sample (mck_sample *s, int64_t n, int64_t want, int width) {
  int64_t size = n < MCK_SAMPLE ? n : MCK_SAMPLE;
  double part;
  if (want > n / 4) return 0;
  if (want > MAXIMA / 5 && size > n / want * (MAXIMA / 5))
    size = n / want * (MAXIMA / 5);
  part = (double)want * (double)size / (double)n;
  s->want = size == n ? want : (int64_t)(part + 3 * sqrt(part) + 2);
  if (s->want > want) s->want = want;
  s->groups = n > MCK_SAMPLE ? 16 : 8;
  while (s->groups * width < 3 * s->want && s->groups * width < MAXIMA)
    s->groups *= 2;
  s->rounds = size / (s->groups * width);
  if (s->rounds == 0 || s->want > s->groups * width / 2) return 0;
  s->step = n / width / s->rounds;
  return 1;
}

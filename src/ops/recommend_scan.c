/*
** recommend_scan.c - the best items of a few users
**
** A worker takes a batch of users against block after block of packed items.
** The scan's scores only say who may be left out.  Who may not becomes a
** candidate, with bounds of his score.  A full list of candidates is emptied:
** those that pass the user's filter get their score (recommend_score.c), and
** the N best so far raise the user's bar.  If N is not small, it is thinned
** instead: as N candidates are sure to reach the N-th best lower bound, all
** whose upper bounds are smaller go, and scores wait for the end.
**
** In that case the bar starts as a guess, from every 16th block.  A guess that
** fewer than N candidates are sure to reach was too high: such a user is
** scanned again without one.
**
** Why nobody is left out who belongs in.  Let X be a user's vector and Y an
** item's: scaled by powers of two, the user's 'unit' the product of both,
** divided by the computed norms for a cosine, extended by 1 and by the bias.
** Let K be their length, S = X.Y exactly, u = 2^-24, and
** Z = |X| |Y| >= sum |X_k Y_k|.  |X| >= 1 and |Y| >= 2^-60 may be assumed:
** 'length' and 'norm' are rounded up to that.  As magnitudes are below 2, and
** K is at most 2^20, nothing overflows.
**
** 1. Packed x, y are X, Y rounded to float: each factor is off by at most
**    u (1 + 2^-28) of itself (the 2^-28 is the cosine's division in double),
**    or 2^-150 where it is tiny.  So |x.y - S| <= (2u + u^2 + 2^-50) Z plus
**    2^-149 K (|X| + |Y|) < 2^-60 u Z.
** 2. The tile adds K products, each fused or rounded before: at most 2 K
**    roundings, of which a product sees at most K + 1.  The float score a is
**    off from x.y by at most ((1 + u)^(K + 1) - 1) sum |x_k y_k|, plus
**    2^-149 K < 2^-60 u Z for underflow.
** 3. The score in double, s (before it is rounded to the result's dtype, and
**    times unit), is off from S by at most (K + 4) 2^-53 (1 + 2^-30) Z: sum,
**    norms, quotient, bias.  Products of f64 may underflow: K 2^-1074 unit
**    more, see 5.
** Together |a - s| <= (K + 8) u 1.01 Z while K u < 2^-7, which the K of a
** fast user fulfills; 'slack' times the block's norm is no less.
** 4. With N scores >= limit at hand, an item is of no use if its rounded score
**    is below limit (equal ones may still have the smaller id).  It is if
**    s / unit < limit - 2^-22 |limit| - 2^-149: no rounding bridges more than
**    a spacing of floats.
** 5. 'bar' is unit times limit - 2^-20 |limit| - 2^-147 (for results in f64
**    2^-1040 instead, which is above the underflow of 3), rounded down.  The
**    second half of each term pays for the tile's rounding of
**    bar - slack * norm, with 1 % of slack for its own part.
** So a < bar - slack * norm, as computed, makes an item of no use; and so does
** length * norm < bar: then s is below bar, as |s| <= Z (1 + 2^-30) and
** 'length' is rounded up by more than that.
**
** 6. A candidate's score (times unit) is in [lo, hi], where lo and hi are
**    a -+ (slack * norm + 2^-20 |a|) as computed: the last term pays for the
**    rounding of both.
** 7. In bytes, x' = step q and y' = step' q' with q, q' integers of at most
**    127, and x.y - x'.y' = x.(y - y') + (x - x').y', so
**      |x.y - x'.y'| <= |X| |y - y'| + |x - x'| |y'|,
**    whose factors are measured in double, for a block the largest, and
**    rounded up by 2^-20, which is more than the measuring and the three
**    float operations of e = length * error' + error * length' + slack * norm
**    can lose.  'slack' also covers 1, 3 and 5 as before.  So Q = q.q' with
**    step step' Q + e < bar makes an item of no use.  The kernel computes
**    t = (bar - e) / step / step' with a relative error of at most 2^-21,
**    takes 2^-19 |t| and 2 off, which also covers cutting it to an integer,
**    and leaves out Q < t.  Q is exact: sums stay below K 255 127 < 2^31, and
**    t is cut at +-1.07e9, beyond the K 127^2 that Q can reach.  Then
**    v = step step' Q, as computed, is off by at most 2^-22 |v|, and 6 holds
**    with e in place of slack * norm.
** 8. If N candidates have lo >= limit' (times unit), their rounded scores are
**    no less than limit = limit' (1 -+ 2^-24) - 2^-149, so 'lower' of it, which
**    takes 2^-20 off, serves as the bar as in 5.
** Steps are above 2^-68, and |t| loses nothing to underflow.
** Where this does not hold (infinite factors, scores that f32 cannot hold, a
** unit beyond reason), the user is 'whole': he gets every score computed.  So
** does one whose filter leaves but few items.
*/

#include <math.h>
#include <string.h>

#include "recommend.h"

#define BYTES (3 << 20)  /* about what a worker may hold */
#define CHUNK 64         /* scores computed at a time */
#define WORTH 16         /* scores that cost what one computed alone does */
#define LOOKS 4096       /* items between two looks whether to go on */
#define RESTS 16         /* blocks between two looks whether to go on */
#define FEW 32           /* hits for which thinning does not pay */
#define MANY 2048        /* and those for which lists would be too long */
#define BINS 256         /* of a histogram of lower bounds */
#define COST 100         /* cycles that a candidate takes */
#define COSTTHIN 25      /* the same where lists are thinned */
#define GAIN 8           /* cycles that bytes save, per block and factor */
#define KEEP 32          /* periods of RESTS blocks for which floats stay */
#define SPARSE 16        /* blocks from one that a guess is made from to the
                            next */
#define LONGEST (1 << 16)  /* factors for which the proof holds */

/* one user of the batch */
typedef struct seat {
  mck_best best;
  int64_t id;
  double unit;  /* scaled score = unit * score; 0: the user is whole */
  float sure;   /* a bar that N hits or candidates are known to reach */
  float guess;  /* one that they are likely to reach; -INFINITY: none */
} seat;

/* whether bytes pay for a group: they may let too many candidates through */
typedef struct trial {
  int blocks;   /* seen since hits were last counted */
  int rest;     /* periods to go on as it is */
  int64_t rate; /* what candidates cost per block with bytes */
  int kept;     /* periods that floats stayed for, when last they were better;
                   0: bytes were */
  bool tried;   /* floats have just been kept */
} trial;

struct mc_recworker {
  seat *seats;
  mck_hit *hits;         /* of all seats */
  mck_hit *spare;        /* for sorting */
  mck_recgroup *groups;
  trial *trials;
  float *x;              /* packed users */
  int8_t *bytes;         /* the same in bytes */
  mck_reccand *lists;
  int32_t *ids;          /* candidates that pass */
  double *scores;
  int32_t want;          /* candidates that a bar is raised by: n, or fewer
                            for a guess */
  mc_user user;          /* the one whose scores are being computed */
  int64_t loaded;        /* his id; -1: none */
};


/* {------- memory ------- */

/* are lists thinned? */
static bool thins (const mc_recjob *j) {
  return FEW <= j->n && j->n <= MANY;
}


/* how long a list of candidates may grow: the longer, the later a bar rises */
static int64_t full (const mc_recjob *j) {
  return j->n < FEW ? 16 : thins(j) ? 2 * j->n + (j->n < 800 ? 400 : j->n / 2)
         : 512;
}


static int64_t room (const mc_recjob *j) {
  return full(j) + MCK_BLOCK;
}


static size_t packedrank (const mc_recjob *j) {
  return j->p != NULL ? j->p->k : 0;
}


/* bytes of one user */
static size_t bytesrank (const mc_recjob *j) {
  return (packedrank(j) + 3) / 4 * 4;
}


int64_t mc_rec_batch (const mc_recjob *j, int64_t want) {
  int64_t one = (int64_t)sizeof(seat) +
                mck_best_room(j->n) * (int64_t)sizeof(mck_hit) +
                room(j) * (int64_t)sizeof(mck_reccand) +
                (int64_t)(packedrank(j) * 4 + bytesrank(j));
  int64_t most = BYTES / one;
  if (most > want) most = want;
  return most > MCK_SIX ? most - most % MCK_SIX : most > 0 ? most : 1;
}


static bool makeworker (const mc_recjob *j, mc_recworker *w, int64_t batch) {
  int64_t cap = mck_best_room(j->n);
  size_t six = (size_t)((batch + MCK_SIX - 1) / MCK_SIX);
  w->seats = mc_alloc((size_t)batch, sizeof *w->seats);
  w->hits = mc_alloc((size_t)(batch * cap), sizeof *w->hits);
  w->spare = mc_alloc((size_t)cap, sizeof *w->spare);
  w->groups = mc_alloc(six, sizeof *w->groups);
  w->trials = mc_alloc(six, sizeof *w->trials);
  w->x = mc_alloc(six * MCK_SIX, packedrank(j) * sizeof *w->x);
  w->bytes = mc_alloc(six * MCK_SIX, bytesrank(j));
  w->lists = mc_alloc(six * MCK_SIX, (size_t)room(j) * sizeof *w->lists);
  w->ids = mc_alloc((size_t)room(j), sizeof *w->ids);
  w->scores = mc_alloc((size_t)room(j), sizeof *w->scores);
  w->user.x = mc_alloc((size_t)j->f->rank + 1, sizeof *w->user.x);
  return w->seats != NULL && w->hits != NULL && w->spare != NULL &&
         w->groups != NULL && w->trials != NULL && w->x != NULL &&
         w->bytes != NULL && w->lists != NULL && w->ids != NULL &&
         w->scores != NULL && w->user.x != NULL;
}


mc_recworker *mc_rec_open (const mc_recjob *j, int64_t batch, int count) {
  mc_recworker *w = mc_zalloc((size_t)count, sizeof *w);
  for (int i = 0; w != NULL && i < count; i++)
    if (!makeworker(j, &w[i], batch)) {
      mc_rec_close(w, count);
      return NULL;
    }
  return w;
}


void mc_rec_close (mc_recworker *w, int count) {
  for (int i = 0; w != NULL && i < count; i++) {
    mc_free(w[i].seats);
    mc_free(w[i].hits);
    mc_free(w[i].spare);
    mc_free(w[i].groups);
    mc_free(w[i].trials);
    mc_free(w[i].x);
    mc_free(w[i].bytes);
    mc_free(w[i].lists);
    mc_free(w[i].ids);
    mc_free(w[i].scores);
    mc_free(w[i].user.x);
  }
  mc_free(w);
}

/* -------} */


/* {------- users ------- */

int64_t mc_rec_user (const mc_recjob *j, int64_t row) {
  return j->rows != NULL ? mc_idat(j->rows, row) - j->base : row;
}


static int64_t own (const mc_recjob *j, const seat *s) {
  return j->self ? s->id : -1;
}


static void load (const mc_recjob *j, mc_recworker *w, int64_t id) {
  if (w->loaded != id) mc_getuser(j->f, id, &w->user);
  w->loaded = id;
}


/*
** Scale the loaded user in place to X, extended by 1 if there is a bias; set
** '*length' to |X|, rounded up, and at least 1.  Return his unit, or 0 if he
** must be whole.
*/
static double scale (const mc_recjob *j, mc_user *u, float *length) {
  const mc_factors *f = j->f;
  const mc_pack *p = j->p;
  double max = 0, s, unit, top, norm;
  if (p->k > LONGEST) return 0;
  if (f->inorm != NULL && u->norm != 0) {
    if (!mc_tame(u->norm)) return 0;
    for (int64_t k = 0; k < f->rank; k++) u->x[k] /= u->norm;
  }
  if (f->bias != NULL) u->x[f->rank] = 1;
  for (size_t k = 0; k < p->k; k++) {
    if (isnan(u->x[k])) return 0;
    if (fabs(u->x[k]) > max) max = fabs(u->x[k]);
  }
  if (max == 0 || isinf(max)) return 0;
  s = mc_unit(max);
  for (size_t k = 0; k < p->k; k++) u->x[k] *= s;
  norm = mc_norm(u->x, (int64_t)p->k) * (1 + 0x1p-24);
  *length = mc_above(norm < 1 ? 1 : norm);
  unit = s * p->scale;
  top = f->single ? 0x1p126 : 0x1p1000;  /* no score comes near overflow */
  if (!(unit <= 0x1p900) || !(2 * sqrt((double)p->k) * *length < top * unit))
    return 0;
  return unit;
}


/* the bar for a limit, times unit */
static float lower (const mc_recjob *j, const seat *s, double limit) {
  double least = j->f->single ? 0x1p-147 : 0x1p-1040;
  if (isinf(limit)) return (float)limit;
  return mc_below(limit - fabs(limit) * 0x1p-20 - s->unit * least);
}


/* raise what user 'r' of 'g' is sure of, and his bar */
static void lift (seat *s, mck_recgroup *g, int r, float bar) {
  if (bar > s->sure) s->sure = bar;
  g->bar[r] = s->sure > s->guess ? s->sure : s->guess;
}


/* the same from the limit of his hits */
static void lifthits (const mc_recjob *j, seat *s, mck_recgroup *g, int r) {
  lift(s, g, r, lower(j, s, s->unit * s->best.limit));
}


/* begin again, with no candidates */
static void restart (const mc_recjob *j, seat *s, mck_recgroup *g, int r) {
  mck_best_start(&s->best);
  g->count[r] = 0;
  s->sure = s->guess = -INFINITY;
  lifthits(j, s, g, r);
}


/* may the user have so few items that looking at all would be a waste? */
static bool choosy (const mc_recjob *j, int thread, const seat *s) {
  int64_t passing;
  if (j->filter->slots == NULL) return false;
  mc_filter_begin(j->filter, thread, s->id, own(j, s), &passing);
  mc_filter_end(j->filter, thread, s->id, own(j, s));
  return passing < j->p->n / WORTH;
}


/* put the loaded user, scaled, into place 'r' of a group */
static void packuser (const mc_recjob *j, const mc_user *u, mck_recgroup *g,
                      int r, float *x, int8_t *bytes) {
  size_t n = j->p->k;
  float max = 0, step;
  double error = 0;
  int sum = 0;
  for (size_t k = 0; k < n; k++) {
    float f = (float)u->x[k];
    x[k * MCK_SIX + (size_t)r] = f;
    if (fabsf(f) > max) max = fabsf(f);
  }
  step = g->step[r] = mc_above(max / 127.0);
  g->inverse[r] = 1 / step;
  for (size_t k = 0; k < n; k++) {
    float f = x[k * MCK_SIX + (size_t)r];
    int q = mc_byte(f * g->inverse[r]);
    double d = f - (double)step * q;
    bytes[(k / 4 * MCK_SIX + (size_t)r) * 4 + k % 4] = (int8_t)q;
    error += d * d;
    sum += q;
  }
  g->sum[r] = 128 * sum;
  g->error[r] = mc_above(sqrt(error) * (1 + 0x1p-20));
}


static void seatuser (const mc_recjob *j, mc_recworker *w, int thread,
                      int64_t i, int64_t row) {
  mck_recgroup *g = &w->groups[i / MCK_SIX];
  int r = (int)(i % MCK_SIX);
  seat *s = &w->seats[i];
  mck_best best = {.hits = w->hits + i * mck_best_room(j->n), .n = j->n,
                   .cap = mck_best_room(j->n), .floor = j->floor,
                   .single = j->f->single, .anyorder = 1};
  s->best = best;
  mck_best_start(&s->best);
  s->id = mc_rec_user(j, row);
  s->unit = 0;
  if (j->p == NULL || choosy(j, thread, s)) return;
  load(j, w, s->id);
  w->loaded = -1;  /* scaled now */
  s->unit = scale(j, &w->user, &g->length[r]);
  if (s->unit == 0) return;
  restart(j, s, g, r);
  g->slack[r] = mc_above((double)g->length[r] * (double)(j->p->k + 8) *
                         (1.01 * 0x1p-24));
  packuser(j, &w->user, g, r, w->x + (size_t)(i - r) * packedrank(j),
           w->bytes + (size_t)(i - r) * bytesrank(j));
}


/* all users of rows first to last - 1; empty seats reach nothing */
static void seatall (const mc_recjob *j, mc_recworker *w, int thread,
                     int64_t first, int64_t last) {
  int64_t six = (last - first + MCK_SIX - 1) / MCK_SIX;
  memset(w->x, 0, (size_t)six * MCK_SIX * packedrank(j) * sizeof *w->x);
  memset(w->bytes, 0, (size_t)six * MCK_SIX * bytesrank(j));
  for (int64_t i = 0; i < six; i++) {
    mck_recgroup *g = &w->groups[i];
    memset(g, 0, sizeof *g);
    w->trials[i] = (trial) {.blocks = 0};
    for (int r = 0; r < 8; r++) {
      g->bar[r] = INFINITY;
      g->inverse[r] = 1;
    }
    g->x = w->x + (size_t)i * MCK_SIX * packedrank(j);
    g->bytes = w->bytes + (size_t)i * MCK_SIX * bytesrank(j);
    g->coarse = 1;
    g->list = w->lists + i * MCK_SIX * room(j);
    g->room = (size_t)room(j);
    g->full = (int32_t)full(j);
  }
  w->loaded = -1;
  for (int64_t row = first; row < last; row++)
    seatuser(j, w, thread, row - first, row);
}

/* -------} */


/* {------- candidates ------- */

/* offer the scores of the 'n' items in w->ids */
static void offer (const mc_recjob *j, mc_recworker *w, seat *s, int64_t n) {
  load(j, w, s->id);
  mc_scores(j->f, &w->user, w->ids, n, w->scores);
  for (int64_t i = 0; i < n; i++)
    mck_best_offer(&s->best, w->scores[i], w->ids[i]);
}


/* drop the candidates that cannot reach 'bar' */
static void drop (const mc_recjob *j, mck_reccand *list, int32_t *count,
                  float bar) {
  int32_t n = 0, packed = (int32_t)j->p->n;
  for (int32_t c = 0; c < *count; c++) {
    list[n] = list[c];
    n += (list[c].hi >= bar) & (list[c].at < packed);
  }
  *count = n;
}


/* drop those that do not pass */
static void filter (const mc_recjob *j, const seat *s, int thread,
                    mck_reccand *list, int32_t *count) {
  int64_t passing;
  int32_t n = 0;
  const uint64_t *pass = mc_filter_begin(j->filter, thread, s->id, own(j, s),
                                         &passing);
  for (int32_t c = 0; pass != NULL && c < *count; c++) {
    list[n] = list[c];
    n += mck_passes(pass, j->p->ids[list[c].at]);
  }
  mc_filter_end(j->filter, thread, s->id, own(j, s));
  if (pass != NULL) *count = n;
}


/* shrink the range to the candidates of bin 'b' */
static void shrink (const mck_reccand *c, int32_t m, int b, float f,
                    float *low, float *high) {
  float from = *low, to = *high;
  *low = INFINITY;
  *high = -INFINITY;
  for (int32_t i = 0; i < m; i++) {
    float x = c[i].lo;
    if (!(x >= from && x <= to) || (int)((x - from) * f) != b) continue;
    if (x < *low) *low = x;
    if (x > *high) *high = x;
  }
}


/* a number that at least n lower bounds of m reach, and few more */
static float reached (const mck_reccand *c, int32_t m, int32_t n) {
  float low = INFINITY, high = -INFINITY;
  int32_t above = 0;  /* the range */
  for (int32_t i = 0; i < m; i++) {
    if (c[i].lo < low) low = c[i].lo;
    if (c[i].lo > high) high = c[i].lo;
  }
  for (int round = 0; round < 4; round++) {
    int32_t count[BINS] = {0};
    int b = BINS - 1;
    float f = (BINS - 1) / (high - low);
    if (!(f < 0x1p60f)) break;  /* they are as good as equal */
    for (int32_t i = 0; i < m; i++)
      if (c[i].lo >= low && c[i].lo <= high)
        count[(int)((c[i].lo - low) * f)]++;
    for (; above + count[b] < n; b--) above += count[b];
    shrink(c, m, b, f, &low, &high);
    if (count[b] <= n / 32) break;
  }
  return low;
}


/*
** Drop those candidates of user 'i' that are of no use by what the others are
** sure of, and raise his bar.
*/
static void thin (const mc_recjob *j, mc_recworker *w, int thread, int64_t i) {
  mck_recgroup *g = &w->groups[i / MCK_SIX];
  int r = (int)(i % MCK_SIX);
  mck_reccand *list = g->list + (size_t)r * g->room;
  seat *s = &w->seats[i];
  float least;
  drop(j, list, &g->count[r], g->bar[r]);
  filter(j, s, thread, list, &g->count[r]);
  if (!thins(j) || g->count[r] < w->want) return;
  least = reached(list, g->count[r], w->want);
  if (w->want == j->n) lift(s, g, r, lower(j, s, least));
  else {
    if (least > s->guess) s->guess = least;
    lift(s, g, r, s->sure);
  }
  drop(j, list, &g->count[r], g->bar[r]);
}


/* score the candidates of user 'i' and raise his bar */
static void empty (const mc_recjob *j, mc_recworker *w, int64_t i) {
  mck_recgroup *g = &w->groups[i / MCK_SIX];
  int r = (int)(i % MCK_SIX);
  const mck_reccand *list = g->list + (size_t)r * g->room;
  seat *s = &w->seats[i];
  for (int32_t c = 0; c < g->count[r]; c++)
    w->ids[c] = j->p->ids[list[c].at];
  offer(j, w, s, g->count[r]);
  g->count[r] = 0;
  mck_best_cut(&s->best);
  lifthits(j, s, g, r);
}


/* make room in the lists that are full */
static void makeroom (const mc_recjob *j, mc_recworker *w, int thread,
                      int64_t group) {
  mck_recgroup *g = &w->groups[group];
  for (int r = 0; r < MCK_SIX; r++) {
    if (g->count[r] < g->full) continue;
    thin(j, w, thread, group * MCK_SIX + r);
    if (!thins(j) || g->count[r] > g->full - g->full / 8)
      empty(j, w, group * MCK_SIX + r);
  }
}


/*
** Bytes or floats?  Bytes save time by the block, and may cost candidates.
** Where they cost much, floats are tried, and kept if that helps: for longer
** each time in turn, as the first bars are low and rise fast.
*/
static void judge (const mc_recjob *j, mck_recgroup *g, trial *t) {
  int64_t gain = GAIN * (int64_t)j->p->k;
  int64_t cost = g->hits * (thins(j) ? COSTTHIN : COST);
  if (++t->blocks < RESTS && cost <= RESTS * gain) return;
  cost /= t->blocks;
  g->hits = 0;
  t->blocks = 0;
  if (t->rest > 0) t->rest--;
  else if (g->coarse) {
    t->rate = cost;
    if (cost > gain) g->coarse = 0;
  }
  else if (!t->tried && t->rate - cost > gain) {
    t->kept = t->kept == 0 ? 1 : t->kept < KEEP ? 2 * t->kept : KEEP;
    t->rest = t->kept - 1;
    t->tried = true;
  }
  else {
    g->coarse = 1;
    if (!t->tried) {
      t->rest = KEEP;
      t->kept = 0;
    }
    t->tried = false;
  }
}


static void scanblock (const mc_recjob *j, mc_recworker *w, int thread,
                       int64_t b, int64_t from, int64_t six) {
  const mc_pack *p = j->p;
  mck_recblock block = {
    .panel = p->panels + (size_t)b * mc_pack_panel(p->k),
    .bytes = p->bytes + (size_t)b * mc_pack_quads(p->k),
    .next = b + 1 < p->nblocks, .k = p->k, .stat = p->stats[b],
    .first = (int32_t)(b * MCK_BLOCK)
  };
  for (int64_t i = from; i < six; ) {
    i += (int64_t)j->f->kern->scan(&block, w->groups + i, (size_t)(six - i));
    makeroom(j, w, thread, i - 1);
  }
  for (int64_t i = from; i < six && j->f->kern->bytes; i++)
    judge(j, &w->groups[i], &w->trials[i]);
}


/* groups from to six - 1 against those of blocks first to last - 1 whose
   number is a multiple of SPARSE (sparse 1), or is not (0), or all (-1) */
static void scan (const mc_recjob *j, mc_recworker *w, int thread,
                  int64_t from, int64_t six, int64_t first, int64_t last,
                  int sparse) {
  int looks = 0;
  for (int64_t b = first; b < last; b++) {
    if (sparse >= 0 && (b % SPARSE == 0) != sparse) continue;
    if (looks++ % RESTS == 0 && (mc_cancelled() ||
        !j->f->kern->alive(w->groups + from, (size_t)(six - from),
                           j->p->stats[b].norm))) break;
    scanblock(j, w, thread, b, from, six);
  }
}


/* let bars be raised by 'want' candidates */
static void setwant (const mc_recjob *j, mc_recworker *w, int64_t six,
                     int64_t want) {
  w->want = (int32_t)want;
  for (int64_t i = 0; i < six; i++)
    w->groups[i].full = (int32_t)(want == j->n || 4 * want + 64 > full(j)
                                    ? full(j) : 4 * want + 64);
}


/* guess the bars from a part of the blocks */
static void guess (const mc_recjob *j, mc_recworker *w, int thread,
                   int64_t users, int64_t first, int64_t last) {
  double part = (double)j->n / SPARSE;
  int64_t six = (users + MCK_SIX - 1) / MCK_SIX;
  setwant(j, w, six, (int64_t)(part + 3 * sqrt(part) + 2));
  scan(j, w, thread, 0, six, first, last, 1);
  for (int64_t i = 0; i < users; i++)
    if (w->seats[i].unit != 0) thin(j, w, thread, i);
  setwant(j, w, six, j->n);
}


/* score who is left of user 'i'; false if his guess was wrong */
static bool finish (const mc_recjob *j, mc_recworker *w, int thread,
                    int64_t i) {
  const seat *s = &w->seats[i];
  if (s->unit == 0) return true;
  thin(j, w, thread, i);
  empty(j, w, i);
  return s->sure >= s->guess;
}


/* once more, for user 'i' alone: the others of his group are done */
static void again (const mc_recjob *j, mc_recworker *w, int thread,
                   int64_t i, int64_t first, int64_t last) {
  mck_recgroup *g = &w->groups[i / MCK_SIX];
  for (int r = 0; r < MCK_SIX; r++) g->bar[r] = INFINITY;
  restart(j, &w->seats[i], g, (int)(i % MCK_SIX));
  scan(j, w, thread, i / MCK_SIX, i / MCK_SIX + 1, first, last, -1);
  finish(j, w, thread, i);
}


/* blocks first to last - 1 for all users */
static void scanall (const mc_recjob *j, mc_recworker *w, int thread,
                     int64_t users, int64_t first, int64_t last) {
  int64_t six = (users + MCK_SIX - 1) / MCK_SIX;
  uint64_t wrong[4] = {0};
  bool guesses = thins(j) && j->f->kern->bytes && users <= 256 &&
                 (last - first) * MCK_BLOCK > 8 * j->n;
  setwant(j, w, six, j->n);
  if (guesses) guess(j, w, thread, users, first, last);
  scan(j, w, thread, 0, six, first, last, guesses ? 0 : -1);
  for (int64_t i = 0; i < users; i++)
    if (!finish(j, w, thread, i))
      wrong[i / 64] |= (uint64_t)1 << (i % 64);
  for (int64_t i = 0; guesses && i < users; i++)
    if (wrong[i / 64] >> (i % 64) & 1) again(j, w, thread, i, first, last);
}

/* -------} */


/* {------- users and items that are not packed ------- */

/* offer what has come together in w->ids once it is much */
static int64_t gather (const mc_recjob *j, mc_recworker *w, seat *s,
                       int64_t n, int32_t id) {
  w->ids[n++] = id;
  if (n < CHUNK) return n;
  offer(j, w, s, n);
  return 0;
}


/*
** Has a zero user all he can get?  Without a bias his scores are 0 (or NaN),
** so the first items are the best.
*/
static bool sated (const mc_recjob *j, const mc_recworker *w, const seat *s) {
  if (j->f->bias != NULL || s->best.held < j->n) return false;
  for (int64_t k = 0; k < j->f->rank; k++)
    if (w->user.x[k] != 0) return false;
  return true;
}


/* items first to last - 1 that pass, for a user who is whole */
static void whole (const mc_recjob *j, mc_recworker *w, int thread, seat *s,
                   int64_t first, int64_t last) {
  int64_t passing, n = 0, i = first;
  const uint64_t *pass = mc_filter_begin(j->filter, thread, s->id, own(j, s),
                                         &passing);
  while (i < last) {
    if (i % LOOKS == 0 && mc_cancelled()) break;
    if (pass != NULL && i % 64 == 0 && pass[i / 64] == 0) i += 64;
    else {
      if (mck_passes(pass, i)) n = gather(j, w, s, n, (int32_t)i);
      i++;
      if (n == 0 && sated(j, w, s)) break;
    }
  }
  offer(j, w, s, n);
  mc_filter_end(j->filter, thread, s->id, own(j, s));
}


/* the odd items for a user who is not */
static void odds (const mc_recjob *j, mc_recworker *w, int thread, seat *s) {
  int64_t passing, n = 0;
  const uint64_t *pass;
  if (j->p->nodd == 0) return;
  pass = mc_filter_begin(j->filter, thread, s->id, own(j, s), &passing);
  for (int64_t i = 0; i < j->p->nodd; i++)
    if (mck_passes(pass, j->p->odd[i]))
      n = gather(j, w, s, n, j->p->odd[i]);
  offer(j, w, s, n);
  mc_filter_end(j->filter, thread, s->id, own(j, s));
}

/* -------} */


bool mc_rec_find (const mc_recjob *j, mc_recworker *workers, int thread,
                  int64_t first, int64_t last, int part, int parts) {
  mc_recworker *w = &workers[thread];
  seatall(j, w, thread, first, last);
  if (j->p != NULL)
    scanall(j, w, thread, last - first, j->p->nblocks * part / parts,
            j->p->nblocks * (part + 1) / parts);
  for (int64_t i = 0; i < last - first; i++) {
    seat *s = &w->seats[i];
    if (s->unit == 0)
      whole(j, w, thread, s, j->f->nitems * part / parts,
            j->f->nitems * (part + 1) / parts);
    else if (part == 0) odds(j, w, thread, s);
  }
  return !mc_cancelled();
}


void mc_rec_merge (mc_recworker *w, int to, int from, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    const mck_best *b = &w[from].seats[i].best;
    for (int64_t h = 0; h < b->held; h++)
      mck_best_offer(&w[to].seats[i].best, b->hits[h].score, b->hits[h].id);
  }
}


void mc_rec_put (const mc_recjob *j, mc_recworker *workers, int thread,
                 int64_t first, int64_t last) {
  mc_recworker *w = &workers[thread];
  for (int64_t row = first; row < last; row++) {
    mck_best *b = &w->seats[row - first].best;
    mc_result_put(j->result, row, b->hits, mck_best_finish(b, w->spare));
  }
}

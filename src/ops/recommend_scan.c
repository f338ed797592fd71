/*
** recommend_scan.c - the best items of a few users
**
** A worker takes a batch of users against block after block of packed items.
** The scan's scores only say who may be left out.  Who may not becomes a
** candidate, with bounds of his score.  A full list of candidates is thinned:
** as N candidates are sure to reach the N-th best lower bound, that raises the
** user's bar, and all whose upper bounds are smaller go.  Those left at the
** end get their score (recommend_score.c), the likely N best first, which
** raise the bar once more.  If N is huge, or thinning leaves too many, the
** list is emptied instead: the candidates get their score, and the N best so
** far raise the bar.
**
** If N is not small the bar starts as a guess, from every 16th block.  A guess
** that fewer than N scores reach was too high: such users are scanned again
** without one.
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
**    whose factors are measured, for a block the largest, and rounded up by
**    at least 2^-20 more than the measuring can lose (recommend_pack.c,
**    fillbytes), so that the float operations of
**      e = length * error' + error * length' + slack * norm
**    cannot fall short.  'slack' also covers 1, 3 and 5 as before.  So
**    Q = q.q' with step step' Q + e < bar makes an item of no use.  The
**    kernel computes
**    t = (bar - e) / step / step' with a relative error of at most 2^-21,
**    takes 2^-19 |t| and 2 off, which also covers cutting it to an integer,
**    and leaves out Q < t.  Q is exact: sums stay below K 255 127 < 2^31, and
**    t is cut at +-1.07e9, beyond the K 127^2 that Q can reach.  Then
**    v = step step' Q, as computed, is off by at most 2^-22 |v|, and 6 holds
**    with e in place of slack * norm.
** 8. If N candidates have lo >= limit' (times unit), their rounded scores are
**    no less than limit = limit' (1 -+ 2^-24) - 2^-149, so 'lower' of it, which
**    takes 2^-20 off, serves as the bar as in 5.  The same holds for N scores
**    that are limit' or more, as doubles, times unit.
** Steps are above 2^-68, and |t| loses nothing to underflow.
** Where this does not hold (infinite factors, scores that f32 cannot hold, a
** unit beyond reason), the user is 'whole': he gets every score computed.  So
** does one whose filter leaves but few items.
*/

#include <math.h>

#include "recommend_scan.h"

#define CHUNK 64         /* scores computed at a time */
#define LOOKS 4096       /* items between two looks whether to go on */
#define RESTS 16         /* blocks between two looks whether to go on */
#define COST 100         /* cycles that a candidate takes */
#define COSTTHIN 25      /* the same where lists are thinned */
#define GAIN 64          /* cycles that bytes save, per block and factor */
#define FEW 32           /* hits for which guesses do not pay */
#define KEEP 32          /* periods of RESTS blocks for which floats stay */
#define SPARSE 16        /* blocks from one that a guess is made from to the
                            next */


/* {------- scanning ------- */

/*
** Bytes or floats?  Bytes save time by the block, and may cost candidates.
** Where they cost much, floats are tried, and kept if that helps: for longer
** each time in turn, as the first bars are low and rise fast.
*/
static void judge (const mc_recjob *j, mck_recgroup *g, mc_trial *t) {
  int64_t gain = GAIN * (int64_t)j->p->k;
  int64_t cost = g->hits * (mc_rec_thins(j) ? COSTTHIN : COST);
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


/* have the panel of block 'b' there if one of 'n' groups compares floats */
static void needpanel (const mc_recjob *j, mc_recworker *w, int64_t b,
                       int64_t n) {
  bool needed = false;
  for (int64_t i = 0; i < n; i++) needed |= !w->groups[i].coarse;
  if (!needed || j->p->made == NULL) return;
  w->loaded = -1;
  mc_pack_needpanel(j->p, j->f, b, w->user.x);
}


/* 'n' groups against block 'b' */
static void scanblock (const mc_recjob *j, mc_recworker *w, int thread,
                       int64_t b, int64_t n) {
  const mc_pack *p = j->p;
  const mck_recommend *kern = j->f->kern;
  mck_recblock block = {
    .panel = p->panels + (size_t)b * mc_pack_panel(p->k),
    .bytes = p->bytes + (size_t)b * mc_pack_quads(p->k),
    .next = b + 1 < p->nblocks, .k = p->k, .stat = p->stats[b],
    .first = (int32_t)(b * MCK_BLOCK)
  };
  needpanel(j, w, b, n);
  if (kern->scan(&block, w->groups, (size_t)n))
    mc_rec_makeroom(j, w, thread, n);
  for (int64_t i = 0; i < n && kern->bytes; i++)
    judge(j, &w->groups[i], &w->trials[i]);
}


/* may a user not get every packed item? */
static bool filtered (const mc_recjob *j) {
  return j->self || j->filter->common != NULL || j->filter->slots != NULL;
}


/* 'n' groups against those of blocks first to last - 1 whose number is a
   multiple of SPARSE (sparse 1), or is not (0), or all (-1); none whose items
   all have N equal ones with smaller ids */
static void scan (const mc_recjob *j, mc_recworker *w, int thread, int64_t n,
                  int64_t first, int64_t last, int sparse) {
  const int32_t *runs = filtered(j) ? NULL : j->p->runs;
  int looks = 0;
  for (int64_t b = first; b < last; b++) {
    if (sparse >= 0 && (b % SPARSE == 0) != sparse) continue;
    if (runs != NULL && runs[b] >= j->n) continue;
    if (looks++ % RESTS == 0 && (mc_cancelled() ||
        !j->f->kern->alive(w->groups, (size_t)n, j->p->stats[b].norm))) break;
    scanblock(j, w, thread, b, n);
  }
}


/* let bars be raised by 'want' candidates */
static void setwant (const mc_recjob *j, mc_recworker *w, int64_t n,
                     int64_t want) {
  int64_t full = 4 * want + 64;
  if (want == j->n || full > mc_rec_full(j)) full = mc_rec_full(j);
  w->want = (int32_t)want;
  for (int64_t i = 0; i < n; i++) w->groups[i].full = (int32_t)full;
}


/* guess the bars from a part of the blocks */
static void guess (const mc_recjob *j, mc_recworker *w, int thread,
                   int64_t users, int64_t first, int64_t last) {
  double part = (double)j->n / SPARSE;
  int64_t n = (users + MCK_GROUP - 1) / MCK_GROUP;
  setwant(j, w, n, (int64_t)(part + 3 * sqrt(part) + 2));
  scan(j, w, thread, n, first, last, 1);
  for (int64_t i = 0; i < users; i++)
    if (w->seats[i].unit != 0) mc_rec_thin(j, w, thread, i);
  setwant(j, w, n, j->n);
}


/* score who is left of user 'i'; false if his guess was wrong */
static bool finish (const mc_recjob *j, mc_recworker *w, int thread,
                    int64_t i) {
  mc_seat *s = &w->seats[i];
  if (s->unit == 0) return true;
  mc_rec_thin(j, w, thread, i);
  mc_rec_empty(j, w, i);
  s->wrong = s->sure < s->guess;
  return !s->wrong;
}


/* note what was done with 'blocks' blocks for so many users */
static void tally (mc_recworker *w, int64_t users, int64_t blocks) {
  for (int64_t i = 0; i < users; i++) {
    const mck_recgroup *g = &w->groups[i / MCK_GROUP];
    int64_t floats = g->blocks[0][i % MCK_GROUP];
    int64_t bytes = g->blocks[1][i % MCK_GROUP];
    if (w->seats[i].unit == 0) continue;
    w->bytewise += bytes * MCK_BLOCK;
    w->floatwise += floats * MCK_BLOCK;
    w->norm += (blocks - floats - bytes) * MCK_BLOCK;
  }
}


/* once more, for the users whose guess was wrong: the others are done */
static void again (const mc_recjob *j, mc_recworker *w, int thread,
                   int64_t users, int64_t first, int64_t last) {
  for (int64_t i = 0; i < users; i++) {
    mck_recgroup *g = &w->groups[i / MCK_GROUP];
    int r = (int)(i % MCK_GROUP);
    if (w->seats[i].wrong) mc_rec_restart(j, &w->seats[i], g, r);
    else g->bar[r] = INFINITY;
  }
  scan(j, w, thread, (users + MCK_GROUP - 1) / MCK_GROUP, first, last, -1);
  for (int64_t i = 0; i < users; i++)
    if (w->seats[i].wrong) finish(j, w, thread, i);
}


/* blocks first to last - 1 for all users */
static void scanall (const mc_recjob *j, mc_recworker *w, int thread,
                     int64_t users, int64_t first, int64_t last) {
  int64_t n = (users + MCK_GROUP - 1) / MCK_GROUP;
  bool right = true, guesses = mc_rec_thins(j) && j->n >= FEW &&
                               j->f->kern->bytes &&
                               (last - first) * MCK_BLOCK > 8 * j->n;
  setwant(j, w, n, j->n);
  if (guesses) guess(j, w, thread, users, first, last);
  scan(j, w, thread, n, first, last, guesses ? 0 : -1);
  tally(w, users, last - first);
  for (int64_t i = 0; i < users; i++) right &= finish(j, w, thread, i);
  if (!right) again(j, w, thread, users, first, last);
}

/* -------} */


/* {------- users and items that are not packed ------- */

/* offer what has come together in w->ids once it is much */
static int64_t gather (const mc_recjob *j, mc_recworker *w, mc_seat *s,
                       int64_t n, int32_t id) {
  w->ids[n++] = id;
  if (n < CHUNK) return n;
  mc_rec_offer(j, w, s, n);
  return 0;
}


/*
** Has a zero user all he can get?  Without a bias his scores are 0 (or NaN),
** so the first items are the best.
*/
static bool sated (const mc_recjob *j, const mc_recworker *w,
                   const mc_seat *s) {
  if (j->f->bias != NULL || s->best.held < j->n) return false;
  for (int64_t k = 0; k < j->f->rank; k++)
    if (w->user.x[k] != 0) return false;
  return true;
}


/* items first to last - 1 that pass, for a user who is whole */
static void whole (const mc_recjob *j, mc_recworker *w, int thread, mc_seat *s,
                   int64_t first, int64_t last) {
  int64_t passing, n = 0, i = first;
  const uint64_t *pass = mc_filter_begin(j->filter, thread, s->id,
                                         mc_rec_own(j, s), &passing);
  while (i < last) {
    if (i % LOOKS == 0 && mc_cancelled()) break;
    if (pass != NULL && i % 64 == 0 && pass[i / 64] == 0) i += 64;
    else {
      if (mck_passes(pass, i)) n = gather(j, w, s, n, (int32_t)i);
      i++;
      if (n == 0 && sated(j, w, s)) break;
    }
  }
  mc_rec_offer(j, w, s, n);
  mc_filter_end(j->filter, thread, s->id, mc_rec_own(j, s));
}


/* the odd items for a user who is not */
static void odds (const mc_recjob *j, mc_recworker *w, int thread, mc_seat *s) {
  int64_t passing, n = 0;
  const uint64_t *pass;
  if (j->p->nodd == 0) return;
  pass = mc_filter_begin(j->filter, thread, s->id, mc_rec_own(j, s), &passing);
  for (int64_t i = 0; i < j->p->nodd; i++)
    if (mck_passes(pass, j->p->odd[i]))
      n = gather(j, w, s, n, j->p->odd[i]);
  mc_rec_offer(j, w, s, n);
  mc_filter_end(j->filter, thread, s->id, mc_rec_own(j, s));
}

/* -------} */


bool mc_rec_find (const mc_recjob *j, mc_recworker *workers, int thread,
                  int64_t first, int64_t last, int part, int parts) {
  mc_recworker *w = &workers[thread];
  mc_rec_seat(j, w, thread, first, last);
  if (j->p != NULL)
    scanall(j, w, thread, last - first, j->p->nblocks * part / parts,
            j->p->nblocks * (part + 1) / parts);
  for (int64_t i = 0; i < last - first; i++) {
    mc_seat *s = &w->seats[i];
    if (s->unit == 0)
      whole(j, w, thread, s, j->f->nitems * part / parts,
            j->f->nitems * (part + 1) / parts);
    else if (part == 0) odds(j, w, thread, s);
  }
  return !mc_cancelled();
}


void mc_rec_stats (const mc_recworker *w, int count,
                   mascon_recommend_stats *s) {
  for (int i = 0; i < count; i++) {
    s->norm += w[i].norm;
    s->int8 += w[i].bytewise;
    s->floats += w[i].floatwise;
    s->rescored += w[i].scored;
  }
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

/*
** recommend_list.c - lists of candidates: dropping, thinning, scoring
*/

#include <math.h>

#include "recommend_scan.h"


/* offer the scores of the 'n' items in w->ids */
void mc_rec_offer (const mc_recjob *j, mc_recworker *w, mc_seat *s, int64_t n) {
  mc_rec_load(j, w, s->at);
  mc_scores(j->f, &w->user, w->ids, n, w->scores);
  w->scored += n;
  for (int64_t i = 0; i < n; i++)
    mck_best_offer(&s->best, w->scores[i], w->ids[i]);
}


/* drop the candidates of user 'r' from 'from' on that cannot reach his bar */
static void drop (const mc_recjob *j, mck_recgroup *g, int r, int32_t from) {
  g->count[r] = from + j->f->kern->drop(g->list,
                                        (size_t)r * g->room + (size_t)from,
                                        g->count[r] - from, g->bar[r],
                                        (int32_t)j->p->n);
}


/* drop those that do not pass; the first ones are known to */
static void filter (const mc_recjob *j, const mc_seat *s, int thread,
                    mck_recgroup *g, int r) {
  const mc_filter *f = j->filter;
  int64_t passing, own = mc_rec_own(j, s);
  const uint64_t *pass = NULL;
  int32_t n = s->passed, *at = g->list.at + (size_t)r * g->room;
  float *lo = g->list.lo + (size_t)r * g->room;
  float *hi = g->list.hi + (size_t)r * g->room;
  if (f->common == NULL && f->slots == NULL) return;
  if (s->sieve.bitmap)
    pass = mc_filter_begin(f, thread, s->id, own, &passing);
  for (int32_t c = n; c < g->count[r]; c++) {
    int32_t id = j->p->ids[at[c]];
    at[n] = at[c];
    lo[n] = lo[c];
    hi[n] = hi[c];
    n += pass != NULL ? mck_passes(pass, id)
                      : mc_sieve_passes(f, &s->sieve, s->id, own, id);
  }
  if (pass != NULL) mc_filter_end(f, thread, s->id, own);
  g->count[r] = n;
}


/* raise the guess of a user with 'n' candidates of the blocks it is made from;
   errors are far smaller as a rule than their bounds */
static void guess (const mc_recjob *j, mc_recworker *w, mc_seat *s,
                   const float *lo, const float *hi, int32_t n) {
  float *likely = w->likely, least;
  for (int32_t c = 0; c < n; c++)
    likely[c] = lo[c] + (hi[c] - lo[c]) * 0.375f;
  least = j->f->kern->reached(likely, n, w->want);
  if (least > s->guess) s->guess = least;
}


/*
** Drop those candidates of user 'i' that are of no use by what the others are
** sure of, and raise his bar.
*/
void mc_rec_thin (const mc_recjob *j, mc_recworker *w, int thread, int64_t i) {
  mck_recgroup *g = &w->groups[i / MCK_GROUP];
  int r = (int)(i % MCK_GROUP);
  mc_seat *s = &w->seats[i];
  const float *lo = g->list.lo + (size_t)r * g->room;
  float least;
  drop(j, g, r, s->passed);
  filter(j, s, thread, g, r);
  s->passed = g->count[r];
  if (!mc_rec_thins(j) || g->count[r] < w->want) return;
  if (w->want == j->n) {
    least = j->f->kern->reached(lo, g->count[r], w->want);
    mc_rec_lift(s, g, r, mc_rec_lower(j, s, least));
  }
  else {
    guess(j, w, s, lo, g->list.hi + (size_t)r * g->room, g->count[r]);
    mc_rec_lift(s, g, r, s->sure);
  }
  drop(j, g, r, 0);
  s->passed = g->count[r];
}


/* compute the scores of the 'n' items at w->ids + 'from'; set 'x' from 'from'
   on to what they are times unit, rounded down */
static void score (const mc_recjob *j, mc_recworker *w, const mc_seat *s,
                   int64_t from, int64_t n, float *x) {
  mc_rec_load(j, w, s->at);
  mc_scores(j->f, &w->user, w->ids + from, n, w->scores + from);
  w->scored += n;
  for (int64_t c = from; c < from + n; c++)
    x[c] = mc_below(s->unit * w->scores[c]);
}


/*
** Offer the scores of user 'i', who has no hits yet and more candidates than
** are wanted.  Those first that are best by their lower bounds: they raise
** the bar so far that many others need no score.
*/
static void offerbest (const mc_recjob *j, mc_recworker *w, int64_t i) {
  mck_recgroup *g = &w->groups[i / MCK_GROUP];
  int r = (int)(i % MCK_GROUP);
  int32_t *at = g->list.at + (size_t)r * g->room, want = (int32_t)j->n;
  float *lo = g->list.lo + (size_t)r * g->room, bar;
  float *hi = g->list.hi + (size_t)r * g->room;
  int32_t n = 0, first, rest = 0, count = g->count[r];
  mc_seat *s = &w->seats[i];
  double limit;
  bar = j->f->kern->reached(lo, count, want);
  for (int32_t c = 0; c < count; c++) {
    int best = lo[c] >= bar;
    w->ids[n] = j->p->ids[at[c]];
    at[rest] = at[c];
    hi[rest] = hi[c];
    n += best;
    rest += !best;
  }
  first = n;
  score(j, w, s, 0, n, lo);
  bar = mc_rec_lower(j, s, j->f->kern->reached(lo, n, want));
  for (int32_t c = 0; c < rest; c++) {
    w->ids[n] = j->p->ids[at[c]];
    n += hi[c] >= bar;
  }
  score(j, w, s, first, n - first, lo);
  bar = j->f->kern->reached(lo, n, want);
  for (int32_t c = 0; c < n; c++)
    if (lo[c] >= bar) mck_best_offer(&s->best, w->scores[c], w->ids[c]);
  limit = bar / s->unit;
  if (limit * s->unit <= bar && limit > s->best.limit) s->best.limit = limit;
}


/* score the candidates of user 'i' and raise his bar */
void mc_rec_empty (const mc_recjob *j, mc_recworker *w, int64_t i) {
  mck_recgroup *g = &w->groups[i / MCK_GROUP];
  int r = (int)(i % MCK_GROUP);
  const int32_t *at = g->list.at + (size_t)r * g->room;
  mc_seat *s = &w->seats[i];
  bool many = s->best.held == 0 && g->count[r] > j->n && mc_rec_thins(j);
  if (many) offerbest(j, w, i);
  else {
    for (int32_t c = 0; c < g->count[r]; c++)
      w->ids[c] = j->p->ids[at[c]];
    mc_rec_offer(j, w, s, g->count[r]);
  }
  g->count[r] = s->passed = 0;
  if (many) mc_rec_lifthits(j, s, g, r);
  if (!many || s->sure < s->guess) {
    mck_best_cut(&s->best);
    mc_rec_lifthits(j, s, g, r);
  }
}


/* make room in the lists of 'n' groups, where they are full */
void mc_rec_makeroom (const mc_recjob *j, mc_recworker *w, int thread,
                      int64_t n) {
  for (int64_t i = 0; i < n * MCK_GROUP; i++) {
    const mck_recgroup *g = &w->groups[i / MCK_GROUP];
    int r = (int)(i % MCK_GROUP);
    if (g->count[r] < g->full) continue;
    mc_rec_thin(j, w, thread, i);
    if (!mc_rec_thins(j) || g->count[r] > g->full - g->full / 8)
      mc_rec_empty(j, w, i);
  }
}

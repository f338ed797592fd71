/*
** recommend_list.c - lists of candidates: dropping, thinning, scoring
*/

#include <math.h>

#include "recommend_scan.h"

#define BINS 256         /* of a histogram of lower bounds */


/* offer the scores of the 'n' items in w->ids */
void mc_rec_offer (const mc_recjob *j, mc_recworker *w, mc_seat *s, int64_t n) {
  mc_rec_load(j, w, s->at);
  mc_scores(j->f, &w->user, w->ids, n, w->scores);
  w->scored += n;
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
static void filter (const mc_recjob *j, const mc_seat *s, int thread,
                    mck_reccand *list, int32_t *count) {
  const mc_filter *f = j->filter;
  int64_t passing, own = mc_rec_own(j, s);
  const uint64_t *pass = NULL;
  int32_t n = 0;
  if (f->common == NULL && f->slots == NULL) return;
  if (s->sieve.bitmap)
    pass = mc_filter_begin(f, thread, s->id, own, &passing);
  for (int32_t c = 0; c < *count; c++) {
    int32_t id = j->p->ids[list[c].at];
    list[n] = list[c];
    n += pass != NULL ? mck_passes(pass, id)
                      : mc_sieve_passes(f, &s->sieve, s->id, own, id);
  }
  if (pass != NULL) mc_filter_end(f, thread, s->id, own);
  *count = n;
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
void mc_rec_thin (const mc_recjob *j, mc_recworker *w, int thread, int64_t i) {
  mck_recgroup *g = &w->groups[i / MCK_SIX];
  int r = (int)(i % MCK_SIX);
  mck_reccand *list = g->list + (size_t)r * g->room;
  mc_seat *s = &w->seats[i];
  float least;
  drop(j, list, &g->count[r], g->bar[r]);
  filter(j, s, thread, list, &g->count[r]);
  if (!mc_rec_thins(j) || g->count[r] < w->want) return;
  least = reached(list, g->count[r], w->want);
  if (w->want == j->n) mc_rec_lift(s, g, r, mc_rec_lower(j, s, least));
  else {
    if (least > s->guess) s->guess = least;
    mc_rec_lift(s, g, r, s->sure);
  }
  drop(j, list, &g->count[r], g->bar[r]);
}


/* score the candidates of user 'i' and raise his bar */
void mc_rec_empty (const mc_recjob *j, mc_recworker *w, int64_t i) {
  mck_recgroup *g = &w->groups[i / MCK_SIX];
  int r = (int)(i % MCK_SIX);
  const mck_reccand *list = g->list + (size_t)r * g->room;
  mc_seat *s = &w->seats[i];
  for (int32_t c = 0; c < g->count[r]; c++)
    w->ids[c] = j->p->ids[list[c].at];
  mc_rec_offer(j, w, s, g->count[r]);
  g->count[r] = 0;
  mck_best_cut(&s->best);
  mc_rec_lifthits(j, s, g, r);
}


/* make room in the lists that are full */
void mc_rec_makeroom (const mc_recjob *j, mc_recworker *w, int thread,
                      int64_t group) {
  mck_recgroup *g = &w->groups[group];
  for (int r = 0; r < MCK_SIX; r++) {
    if (g->count[r] < g->full) continue;
    mc_rec_thin(j, w, thread, group * MCK_SIX + r);
    if (!mc_rec_thins(j) || g->count[r] > g->full - g->full / 8)
      mc_rec_empty(j, w, group * MCK_SIX + r);
  }
}

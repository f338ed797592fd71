/*
** recommend_seat.c - users in the seats of a worker: their memory, what the
** scan needs to know of them, and their bars
*/

#include <math.h>
#include <string.h>

#include "recommend_scan.h"

#define BYTES (3 << 20)  /* about what a worker may hold */
#define WORTH 16         /* scores that cost what one computed alone does */
#define MANY 2048        /* hits for which lists would be too long */
#define LONGEST (1 << 16)  /* factors for which the proof holds */


/* {------- memory ------- */

/* are lists thinned? */
bool mc_rec_thins (const mc_recjob *j) {
  return j->n <= MANY;
}


/* how long a list of candidates may grow: the longer, the later a bar rises */
int64_t mc_rec_full (const mc_recjob *j) {
  if (!mc_rec_thins(j)) return 512;
  if (j->n < 32) return 2 * j->n + 48;
  return 2 * j->n + (j->n < 800 ? 400 : j->n / 2);
}


static int64_t room (const mc_recjob *j) {
  return (mc_rec_full(j) + MCK_SPARE + 15) / 16 * 16;  /* whole lines */
}


static size_t packedrank (const mc_recjob *j) {
  return j->p != NULL ? j->p->k : 0;
}


/* bytes of one user */
static size_t bytesrank (const mc_recjob *j) {
  return mck_lines(packedrank(j)) * MCK_LINE;
}


int64_t mc_rec_batch (const mc_recjob *j, int64_t want) {
  int64_t one = (int64_t)sizeof(mc_seat) +
                mck_best_room(j->n) * (int64_t)sizeof(mck_hit) +
                room(j) * 12 + (int64_t)sizeof(mck_recgroup) / MCK_GROUP +
                (int64_t)(packedrank(j) * 4 + bytesrank(j));
  int64_t most = BYTES / one;
  if (most > want) most = want;
  if (most > MCK_GROUP) return most - most % MCK_GROUP;
  return most > 16 ? most - most % 16 : most > 0 ? most : 1;
}


static bool makeworker (const mc_recjob *j, mc_recworker *w, int64_t batch) {
  int64_t cap = mck_best_room(j->n);
  size_t groups = (size_t)((batch + MCK_GROUP - 1) / MCK_GROUP);
  w->seats = mc_alloc((size_t)batch, sizeof *w->seats);
  w->hits = mc_alloc((size_t)(batch * cap), sizeof *w->hits);
  w->spare = mc_alloc((size_t)cap, sizeof *w->spare);
  w->groups = mc_alloc(groups, sizeof *w->groups);
  w->trials = mc_alloc(groups, sizeof *w->trials);
  w->x = mc_alloc(groups * MCK_GROUP, packedrank(j) * sizeof *w->x);
  w->bytes = mc_alloc(groups * MCK_GROUP, bytesrank(j));
  w->lists.at = mc_alloc((size_t)batch, (size_t)room(j) * 4);
  w->lists.lo = mc_alloc((size_t)batch, (size_t)room(j) * 4);
  w->lists.hi = mc_alloc((size_t)batch, (size_t)room(j) * 4);
  w->ids = mc_alloc((size_t)room(j), sizeof *w->ids);
  w->scores = mc_alloc((size_t)room(j), sizeof *w->scores);
  w->likely = mc_alloc((size_t)room(j), sizeof *w->likely);
  w->user.x = mc_alloc((size_t)j->f->rank + 1, sizeof *w->user.x);
  return w->seats != NULL && w->hits != NULL && w->spare != NULL &&
         w->groups != NULL && w->trials != NULL && w->x != NULL &&
         w->bytes != NULL && w->lists.at != NULL &&
         w->lists.lo != NULL && w->lists.hi != NULL && w->ids != NULL &&
         w->scores != NULL && w->likely != NULL && w->user.x != NULL;
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
    mc_free(w[i].lists.at);
    mc_free(w[i].lists.lo);
    mc_free(w[i].lists.hi);
    mc_free(w[i].ids);
    mc_free(w[i].scores);
    mc_free(w[i].likely);
    mc_free(w[i].user.x);
  }
  mc_free(w);
}

/* -------} */


/* {------- users ------- */

int64_t mc_rec_user (const mc_recjob *j, int64_t row) {
  return j->rows != NULL ? mc_idat(j->rows, row) - j->base : row;
}


int64_t mc_rec_own (const mc_recjob *j, const mc_seat *s) {
  return j->self ? s->id : -1;
}


int64_t mc_rec_at (const mc_recjob *j, int64_t row) {
  return j->block ? row - j->origin : mc_rec_user(j, row);
}


void mc_rec_load (const mc_recjob *j, mc_recworker *w, int64_t at) {
  if (w->loaded != at) mc_getuser(j->f, at, &w->user);
  w->loaded = at;
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
  if (f->inorm != NULL) {
    if (u->norm != 0 && !mc_tame(u->norm)) return 0;
    for (int64_t k = 0; k < f->rank; k++)  /* 0: so is the product */
      u->x[k] = u->norm != 0 ? u->x[k] / u->norm : 0;
  }
  if (f->bias != NULL) u->x[f->rank] = 1;
  for (size_t k = 0; k < p->k; k++) {
    if (isnan(u->x[k])) return 0;
    if (fabs(u->x[k]) > max) max = fabs(u->x[k]);
  }
  if (max == 0 || isinf(max)) return 0;
  if (f->inorm != NULL && u->norm == 0) return 0;  /* lost: all score 0 */
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
float mc_rec_lower (const mc_recjob *j, const mc_seat *s, double limit) {
  double least = j->f->single ? 0x1p-147 : 0x1p-1040;
  if (isinf(limit)) return (float)limit;
  return mc_below(limit - fabs(limit) * 0x1p-20 - s->unit * least);
}


/* raise what user 'r' of 'g' is sure of, and his bar */
void mc_rec_lift (mc_seat *s, mck_recgroup *g, int r, float bar) {
  if (bar > s->sure) s->sure = bar;
  g->bar[r] = s->sure > s->guess ? s->sure : s->guess;
}


/* the same from the limit of his hits */
void mc_rec_lifthits (const mc_recjob *j, mc_seat *s, mck_recgroup *g, int r) {
  mc_rec_lift(s, g, r, mc_rec_lower(j, s, s->unit * s->best.limit));
}


/* begin again, with no candidates */
void mc_rec_restart (const mc_recjob *j, mc_seat *s, mck_recgroup *g, int r) {
  mck_best_start(&s->best);
  g->count[r] = s->passed = 0;
  s->sure = s->guess = -INFINITY;
  mc_rec_lifthits(j, s, g, r);
}


/* may the user have so few items that looking at all would be a waste? */
static bool choosy (const mc_recjob *j, int thread, const mc_seat *s) {
  int64_t passing;
  if (mc_filter_least(j->filter, s->id) >= j->p->n / WORTH) return false;
  mc_filter_begin(j->filter, thread, s->id, mc_rec_own(j, s), &passing);
  mc_filter_end(j->filter, thread, s->id, mc_rec_own(j, s));
  return passing < j->p->n / WORTH;
}


/* put the loaded user, scaled, into place 'r' of a group with these factors */
static void packuser (const mc_recjob *j, const mc_user *u, mck_recgroup *g,
                      int r, float *x, int8_t *bytes) {
  size_t n = j->p->k;
  float max = 0, step;
  double error = 0;
  int sum = 0;
  for (size_t k = 0; k < n; k++) {
    float f = (float)u->x[k];
    x[mck_floatat((size_t)r, k, n)] = f;
    if (fabsf(f) > max) max = fabsf(f);
  }
  step = g->step[r] = mc_above(max / 127.0);
  g->inverse[r] = 1 / step;
  bytes += (size_t)r * bytesrank(j);
  for (size_t k = 0; k < n; k++) {
    float f = x[mck_floatat((size_t)r, k, n)];
    int q = mc_byte(f * g->inverse[r]);
    double d = f - (double)step * q;
    bytes[mck_byteat(k, n)] = (int8_t)q;
    error += d * d;
    sum += q;
  }
  g->sum[r] = 128 * sum;
  g->error[r] = mc_above(sqrt(error) * (1 + 0x1p-20));
}


void mc_rec_cleargroup (mck_recgroup *g) {
  memset(g, 0, sizeof *g);
  for (int r = 0; r < MCK_GROUP; r++) {
    g->bar[r] = INFINITY;
    g->inverse[r] = 1;
  }
  g->coarse = 1;
}


double mc_rec_place (const mc_recjob *j, mc_user *u, mck_recgroup *g, int r,
                     float *x, int8_t *bytes) {
  double unit = scale(j, u, &g->length[r]);
  if (unit == 0) return 0;
  g->slack[r] = mc_above((double)g->length[r] * (double)(j->p->k + 8) *
                         (1.01 * 0x1p-24));
  packuser(j, u, g, r, x, bytes);
  return unit;
}


static void seatuser (const mc_recjob *j, mc_recworker *w, int thread,
                      int64_t i, int64_t row) {
  mck_recgroup *g = &w->groups[i / MCK_GROUP];
  int r = (int)(i % MCK_GROUP);
  mc_seat *s = &w->seats[i];
  mck_best best = {.hits = w->hits + i * mck_best_room(j->n), .n = j->n,
                   .cap = mck_best_room(j->n), .floor = j->floor,
                   .single = j->f->single, .anyorder = 1};
  s->best = best;
  mck_best_start(&s->best);
  s->id = mc_rec_user(j, row);
  s->at = mc_rec_at(j, row);
  s->unit = 0;
  s->wrong = false;
  if (j->p == NULL || choosy(j, thread, s)) return;
  mc_rec_load(j, w, s->at);
  w->loaded = -1;  /* scaled now */
  s->unit = mc_rec_place(j, &w->user, g, r,
                         w->x + (size_t)(i - r) * packedrank(j),
                         w->bytes + (size_t)(i - r) * bytesrank(j));
  if (s->unit == 0) return;
  mc_rec_restart(j, s, g, r);
  mc_sieve_make(j->filter, s->id, &s->sieve);
}


/* all users of rows first to last - 1; empty seats reach nothing */
void mc_rec_seat (const mc_recjob *j, mc_recworker *w, int thread,
                     int64_t first, int64_t last) {
  int64_t n = (last - first + MCK_GROUP - 1) / MCK_GROUP;
  memset(w->x, 0, (size_t)n * MCK_GROUP * packedrank(j) * sizeof *w->x);
  memset(w->bytes, 0, (size_t)n * MCK_GROUP * bytesrank(j));
  for (int64_t i = 0; i < n; i++) {
    mck_recgroup *g = &w->groups[i];
    int64_t list = i * MCK_GROUP * room(j);
    mc_rec_cleargroup(g);
    w->trials[i] = (mc_trial) {.blocks = 0};
    g->x = w->x + (size_t)i * MCK_GROUP * packedrank(j);
    g->bytes = w->bytes + (size_t)i * MCK_GROUP * bytesrank(j);
    g->list = (mck_reclist) {.at = w->lists.at + list,
                             .lo = w->lists.lo + list,
                             .hi = w->lists.hi + list};
    g->room = (size_t)room(j);
    g->full = (int32_t)mc_rec_full(j);
  }
  w->loaded = -1;
  for (int64_t row = first; row < last; row++)
    seatuser(j, w, thread, row - first, row);
}

/* -------} */

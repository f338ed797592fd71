/*
** recommend_check.c - results held against brute force
**
** It shares nothing with the way the results were found but the factors: an
** item's score is the formula of recommend_score.c in plain C, whether it may
** be had is read from the lists themselves, and all items are sorted.
*/

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "recommend_check.h"

typedef struct hit {
  double score;
  int64_t id;
} hit;

typedef struct checker {
  const mc_check_call *c;
  const int64_t *rows;
  hit *hits;           /* nitems for each thread */
  uint8_t *allowed;    /* the same */
  double *x;           /* two rows of factors for each thread */
  _Atomic int64_t bad; /* the first row that differs */
} checker;


/* {------- who may be had ------- */

/* allowed[id] = value for the ids of a row; somebody may be writing them */
static void mark (const mascon_csr *c, int64_t row, uint8_t *allowed,
                  uint8_t value) {
  int64_t i = mc_idat(c->indptr, row), last = mc_idat(c->indptr, row + 1);
  if (last > c->indices->shape[0]) last = c->indices->shape[0];
  for (i = i < 0 ? last : i; i < last; i++) {
    int64_t id = mc_idat(c->indices, i) - c->base;
    if (id >= 0 && id < c->ncols) allowed[id] = value;
  }
}


/* allowed[id] &= mask for the ids of a list */
static void keep (const mascon_array *ids, int base, int64_t n,
                  uint8_t *allowed, uint8_t mask) {
  for (int64_t i = 0; ids != NULL && i < ids->shape[0]; i++) {
    int64_t id = mc_idat(ids, i) - base;
    if (id >= 0 && id < n) allowed[id] &= mask;
  }
}


static void allow (const mc_check_call *c, int64_t user, uint8_t *allowed) {
  const mascon_topn_opts *o = c->opts;
  int64_t n = c->job->f->nitems;
  memset(allowed, o->allow == NULL, (size_t)n);
  if (o->allow != NULL) mark(o->allow, user, allowed, 1);
  for (int64_t i = 0; o->allow_items != NULL && i < n; i++)
    allowed[i] |= 2;  /* is not among those */
  keep(o->allow_items, o->base, n, allowed, 1);
  if (o->exclude != NULL) mark(o->exclude, user, allowed, 0);
  keep(o->exclude_items, o->base, n, allowed, 0);
  if (o->exclude_self) allowed[user] = 0;
}

/* -------} */


/* {------- scores ------- */

static double scoreof (const mc_factors *f, const double *x, double *y,
                       int64_t item) {
  double s = 0;
  mc_getrow(f->items, item, y);
  for (int64_t k = 0; k < f->rank; k++) s += x[k] * y[k];
  if (f->inorm != NULL) {
    double norms = mc_norm(x, f->rank) * mc_norm(y, f->rank);
    s = norms == 0 ? 0 : s / norms;
  }
  if (f->bias != NULL) s += mc_getelement(f->bias, item);
  return f->single ? (float)s : s;
}


static int order (const void *a, const void *b) {
  const hit *p = a, *q = b;
  if (p->score != q->score) return p->score > q->score ? -1 : 1;
  return p->id < q->id ? -1 : p->id > q->id;
}


/* all that a user may have, best first; how many they are */
static int64_t list (const mc_check_call *c, int64_t row, double *x,
                     uint8_t *allowed, hit *hits) {
  const mc_factors *f = c->job->f;
  int64_t n = 0;
  allow(c, mc_rec_user(c->job, row), allowed);
  mc_getrow(f->users, mc_rec_at(c->job, row), x);
  for (int64_t i = 0; i < f->nitems; i++) {
    double s;
    if (allowed[i] != 1) continue;
    s = scoreof(f, x, x + f->rank + 1, i);
    if (s >= c->job->floor) hits[n++] = (hit) {s, i};
  }
  qsort(hits, (size_t)n, sizeof *hits, order);
  return n;
}

/* -------} */


/* {------- comparing ------- */

static double element (const mascon_array *a, int64_t i, int64_t k) {
  const char *p = mc_at(a, i, k);
  switch (mascon_dtype_of(a)) {
    case MASCON_F32: return *(const float *)(const void *)p;
    case MASCON_F64: return *(const double *)(const void *)p;
    case MASCON_I32: return *(const int32_t *)(const void *)p;
    default: return (double)*(const int64_t *)(const void *)p;
  }
}


static bool samerow (const mc_check_call *c, int64_t row, const hit *hits,
                     int64_t n) {
  const mc_result *r = c->job->result;
  const mc_column *ids = &r->column[MC_IDS], *scores = &r->column[MC_SCORES];
  const mc_column *counts = &r->column[MC_COUNTS];
  int64_t held = n < r->n ? n : r->n;
  if (counts->have &&
      element(&counts->a, row - (counts->own ? r->origin : 0), 0) !=
      (double)held) return false;
  for (int64_t k = 0; k < r->n; k++) {
    double id = (double)(k < held ? hits[k].id + r->base : r->pad_id);
    double score = k < held ? hits[k].score : r->pad_score;
    if (c->job->f->single) score = (float)score;
    if (ids->have &&
        element(&ids->a, row - (ids->own ? r->origin : 0), k) != id)
      return false;
    if (scores->have &&
        element(&scores->a, row - (scores->own ? r->origin : 0), k) != score &&
        !isnan(score)) return false;
  }
  return true;
}


/* are the ranks of a user's pairs those of his list? */
static bool sameranks (const mc_check_call *c, int64_t row, const hit *hits,
                       int64_t n) {
  const mascon_csr *p = c->opts->ranks;
  int64_t user = mc_rec_user(c->job, row);
  if (p == NULL) return true;
  for (int64_t i = mc_idat(p->indptr, user); i < mc_idat(p->indptr, user + 1);
       i++) {
    int64_t id = mc_idat(p->indices, i) - p->base, k = 0;
    while (k < n && hits[k].id != id) k++;
    if (element(c->ranks, i, 0) != (double)(k < n ? k + 1 : 0)) return false;
  }
  return true;
}


static void somerows (void *ud, int64_t first, int64_t last, int thread) {
  checker *k = ud;
  const mc_check_call *c = k->c;
  int64_t nitems = c->job->f->nitems, rank = c->job->f->rank;
  hit *hits = k->hits + thread * nitems;
  for (int64_t i = first; i < last; i++) {
    int64_t row = k->rows[i], bad;
    int64_t n = list(c, row, k->x + thread * 2 * (rank + 1),
                     k->allowed + thread * nitems, hits);
    if (samerow(c, row, hits, n) && sameranks(c, row, hits, n)) continue;
    for (bad = k->bad; (bad < 0 || row < bad) &&
                       !atomic_compare_exchange_weak(&k->bad, &bad, row); ) ;
  }
}

/* -------} */


/* the rows among first to last - 1 that are chosen; how many they are */
static int64_t choose (const mc_check_call *c, int64_t first, int64_t last,
                       int64_t *rows) {
  const mc_result *r = c->job->result;
  int64_t n = 0, all = r->nrows - r->first;
  for (int64_t i = 0; i < c->opts->check && i < all; i++) {
    uint32_t words[4] = {(uint32_t)i, (uint32_t)(i >> 32), 0, 0};
    int64_t row;
    mascon_philox(c->seed, words, words);
    row = r->first + (c->opts->check >= all ? i : (int64_t)
          ((words[0] | (uint64_t)words[1] << 32) % (uint64_t)all));
    if (row >= first && row < last) rows[n++] = row;
  }
  return n;
}


int mc_rec_check (const mc_check_call *c, int64_t first, int64_t last,
                  mascon_exec *ex, int64_t *bad) {
  size_t threads = (size_t)c->threads, nitems = (size_t)c->job->f->nitems;
  size_t rank = (size_t)c->job->f->rank + 1;
  int64_t *rows = mc_alloc((size_t)c->opts->check, sizeof *rows);
  checker k = {.c = c, .rows = rows, .bad = -1};
  int status = MASCON_ENOMEM;
  k.hits = mc_alloc(nitems, threads * sizeof *k.hits);
  k.allowed = mc_alloc(nitems, threads);
  k.x = mc_alloc(rank, threads * 2 * sizeof *k.x);
  if (rows != NULL && k.hits != NULL && k.allowed != NULL && k.x != NULL)
    status = mc_parallel(ex, choose(c, first, last, rows), 1, c->threads,
                         somerows, &k);
  mc_free(rows);
  mc_free(k.hits);
  mc_free(k.allowed);
  mc_free(k.x);
  if (status != MASCON_OK || k.bad < 0) return status;
  *bad = k.bad;
  return MASCON_ECHECK;
}

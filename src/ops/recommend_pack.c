/*
** recommend_pack.c - items packed for the scan
**
** Order of falling norm serves twice: the first blocks raise every user's bar
** early, and once a block's norm is too small for a user's bar, so are all
** that follow.  An item that cannot be packed (infinite factors, a norm that
** makes the cosine inexact) is odd: its score is computed for everybody.  One
** with NaN never has a score and is dropped.
*/

#include <math.h>
#include <string.h>

#include "recommend.h"

#define GRAIN 1024  /* items measured at a time */
#define STRIP 16    /* items packed at a time */

enum {PACKED, ODD, DROPPED};

typedef struct packer {
  mc_pack *p;
  const mc_factors *f;
  const uint64_t *common;
  uint8_t *kind;    /* of each item */
  double *norm;     /* of each item */
  float *key;       /* the same, scaled and rounded up */
  double *scratch;  /* a row for each thread */
  float *rows;      /* STRIP rows for each thread */
  double *max;      /* largest magnitude seen by each thread */
} packer;


double mc_unit (double max) {
  int e;
  if (max == 0) return 1;
  frexp(max, &e);
  if (e > 1000) e = 1000;
  if (e < -1000) e = -1000;
  return ldexp(1, 1 - e);
}


float mc_above (double x) {
  float f = (float)x;
  return (double)f < x ? nextafterf(f, INFINITY) : f;
}


float mc_below (double x) {
  float f = (float)x;
  return (double)f > x ? nextafterf(f, -INFINITY) : f;
}


/* {------- measuring ------- */

/* the item as it is packed, but for the scale, in doubles */
static void getitem (const mc_factors *f, int64_t i, double *y) {
  mc_getrow(f->items, i, y);
  if (f->inorm != NULL && f->inorm[i] != 0)
    for (int64_t k = 0; k < f->rank; k++) y[k] /= f->inorm[i];
  if (f->bias != NULL) y[f->rank] = mc_getelement(f->bias, i);
}


static uint8_t kindof (const packer *k, int64_t i, const double *y,
                       double *max) {
  const mc_factors *f = k->f;
  double m = 0;
  if (!mck_passes(k->common, i)) return DROPPED;
  for (size_t j = 0; j < k->p->k; j++) {
    if (isnan(y[j])) return DROPPED;  /* or infinite, for a cosine */
    if (fabs(y[j]) > m) m = fabs(y[j]);
  }
  if (isinf(m)) return ODD;
  if (f->inorm != NULL && f->inorm[i] != 0 && !mc_tame(f->inorm[i]))
    return ODD;
  if (m > *max) *max = m;
  return PACKED;
}


/* which items are packed, their norms, and the largest magnitude in them */
static void measure (void *ud, int64_t first, int64_t last, int thread) {
  packer *k = ud;
  double *y = k->scratch + (size_t)thread * k->p->k;
  for (int64_t i = first; i < last; i++) {
    getitem(k->f, i, y);
    k->kind[i] = kindof(k, i, y, &k->max[thread]);
    if (k->kind[i] == PACKED) k->norm[i] = mc_norm(y, (int64_t)k->p->k);
  }
}


/* norms as they are with the scale; 'y' has room for a row */
static void scalenorms (packer *k, double *y) {
  int64_t n = (int64_t)k->p->k;
  for (int64_t i = 0; i < k->f->nitems; i++) {
    if (k->kind[i] != PACKED) continue;
    if (mc_tame(k->norm[i])) k->norm[i] *= k->p->scale;
    else {  /* the squares may have been too large or too small */
      getitem(k->f, i, y);
      for (int64_t j = 0; j < n; j++) y[j] *= k->p->scale;
      k->norm[i] = mc_norm(y, n);
    }
    k->key[i] = mc_above(k->norm[i] * (1 + 0x1p-30));
  }
}

/* -------} */


/* {------- order ------- */

/* bits of a float >= 0: they order as it does */
static uint32_t bitsof (float x) {
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}


/* one pass of a radix sort, by 11 bits, largest first; stable */
static void pass (const float *key, const int32_t *from, int32_t *to,
                  int64_t n, int shift) {
  int64_t start[2048] = {0}, sum = 0;
  for (int64_t i = 0; i < n; i++)
    start[bitsof(key[from[i]]) >> shift & 2047]++;
  for (int d = 2047; d >= 0; d--) {
    int64_t count = start[d];
    start[d] = sum;
    sum += count;
  }
  for (int64_t i = 0; i < n; i++)
    to[start[bitsof(key[from[i]]) >> shift & 2047]++] = from[i];
}


/* list the items: those to pack in p->ids, sorted, and the odd ones */
static void list (packer *k, int32_t *spare) {
  mc_pack *p = k->p;
  for (int64_t i = 0; i < k->f->nitems; i++) {
    if (k->kind[i] == PACKED) spare[p->n++] = (int32_t)i;
    else if (k->kind[i] == ODD) p->odd[p->nodd++] = (int32_t)i;
  }
  pass(k->key, spare, p->ids, p->n, 0);
  pass(k->key, p->ids, spare, p->n, 11);
  pass(k->key, spare, p->ids, p->n, 22);
  p->nblocks = (p->n + MCK_BLOCK - 1) / MCK_BLOCK;
  for (int64_t i = p->n; i < p->nblocks * MCK_BLOCK; i++) p->ids[i] = -1;
}

/* -------} */


/* items ids[0..STRIP-1] as floats, into columns of a panel */
static void fillstrip (packer *k, const int32_t *ids, double *y, float *rows,
                       float *panel) {
  size_t n = k->p->k;
  for (size_t j = 0; j < STRIP; j++) {
    if (ids[j] >= 0) getitem(k->f, ids[j], y);
    else memset(y, 0, n * sizeof *y);
    for (size_t i = 0; i < n; i++)
      rows[j * n + i] = (float)(y[i] * k->p->scale);
  }
  for (size_t i = 0; i < n; i++)  /* whole lines of the cache are written */
    for (size_t j = 0; j < STRIP; j++)
      panel[i * MCK_BLOCK + j] = rows[j * n + i];
}


/* blocks first to last - 1 */
static void fill (void *ud, int64_t first, int64_t last, int thread) {
  packer *k = ud;
  mc_pack *p = k->p;
  double *y = k->scratch + (size_t)thread * p->k;
  float *rows = k->rows + (size_t)thread * p->k * STRIP;
  for (int64_t b = first; b < last; b++) {
    float *panel = p->panels + (size_t)b * p->k * MCK_BLOCK;
    const int32_t *ids = p->ids + b * MCK_BLOCK;
    float norm = k->key[ids[0]];
    p->norms[b] = norm > MC_SHORTEST ? norm : MC_SHORTEST;
    for (int j = 0; j < MCK_BLOCK; j += STRIP)
      fillstrip(k, ids + j, y, rows, panel + j);
  }
}


static bool makescratch (packer *k, int threads) {
  int64_t n = k->f->nitems;
  size_t room = (size_t)(n + MCK_BLOCK);
  mc_pack *p = k->p;
  p->ids = mc_alloc(room, sizeof *p->ids);
  p->odd = mc_alloc((size_t)n, sizeof *p->odd);
  k->kind = mc_alloc((size_t)n, 1);
  k->norm = mc_alloc((size_t)n, sizeof *k->norm);
  k->key = mc_alloc((size_t)n, sizeof *k->key);
  k->scratch = mc_alloc((size_t)threads * p->k, sizeof *k->scratch);
  k->rows = mc_alloc((size_t)threads * p->k, STRIP * sizeof *k->rows);
  k->max = mc_zalloc((size_t)threads, sizeof *k->max);
  return p->ids != NULL && p->odd != NULL && k->kind != NULL &&
         k->norm != NULL && k->key != NULL && k->scratch != NULL &&
         k->rows != NULL && k->max != NULL;
}


static int pack (packer *k, mascon_exec *ex, int threads) {
  mc_pack *p = k->p;
  int64_t n = k->f->nitems, size;
  int32_t *spare;
  int status = mc_parallel(ex, n, GRAIN, threads, measure, k);
  if (status != MASCON_OK) return status;
  for (int i = 1; i < threads; i++)
    if (k->max[i] > k->max[0]) k->max[0] = k->max[i];
  p->scale = k->f->inorm != NULL && k->f->bias == NULL ? 1
                                                       : mc_unit(k->max[0]);
  scalenorms(k, k->scratch);
  spare = mc_alloc((size_t)n, sizeof *spare);
  if (spare == NULL) return MASCON_ENOMEM;
  list(k, spare);
  mc_free(spare);
  if (!mc_mul(p->nblocks * MCK_BLOCK, (int64_t)p->k, &size))
    return MASCON_ETOOBIG;
  p->panels = mc_alloc((size_t)size, sizeof *p->panels);
  p->norms = mc_alloc((size_t)p->nblocks, sizeof *p->norms);
  if (p->panels == NULL || p->norms == NULL) return MASCON_ENOMEM;
  return mc_parallel(ex, p->nblocks, 16, threads, fill, k);
}


int mc_pack_open (mc_pack *p, const mc_factors *f, const uint64_t *common,
                  mascon_exec *ex, int threads) {
  packer k = {.p = p, .f = f, .common = common};
  int status = MASCON_ENOMEM;
  memset(p, 0, sizeof *p);
  p->k = (size_t)(f->rank + (f->bias != NULL));
  if (makescratch(&k, threads)) status = pack(&k, ex, threads);
  mc_free(k.kind);
  mc_free(k.norm);
  mc_free(k.key);
  mc_free(k.scratch);
  mc_free(k.rows);
  mc_free(k.max);
  if (status != MASCON_OK) mc_pack_close(p);
  return status;
}


void mc_pack_close (mc_pack *p) {
  mc_free(p->panels);
  mc_free(p->norms);
  mc_free(p->ids);
  mc_free(p->odd);
  memset(p, 0, sizeof *p);
}

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
#define ROW 256     /* factors of a row made bytes at a time */
#define STRIP 16    /* items turned at a time */

enum {PACKED, ODD, DROPPED};

typedef struct packer {
  mc_packhead head; /* of the image to be */
  mc_packhead *image;
  const mc_factors *f;
  const uint64_t *common;
  uint8_t *kind;    /* of each item */
  double *norm;     /* of each item */
  float *key;       /* the same, scaled and rounded up */
  double *scratch;  /* a row for each thread, and one more */
  float *rows;      /* a block's rows for each thread */
  int32_t *ids;     /* those to pack */
  int32_t *odd;
  double *max;      /* largest magnitude seen by each thread */
  int32_t *runs;    /* as in mc_pack */
  _Atomic uint8_t *made;  /* the same */
  bool late;        /* panels are made when they are needed */
} packer;


double mc_unit (double max) {
  int e;
  if (max == 0) return 1;
  frexp(max, &e);
  if (e > 1000) e = 1000;
  if (e < -1000) e = -1000;
  return ldexp(1, 1 - e);
}


/* {------- measuring ------- */

/* the item's factors where they are if they are packed just scaled, or NULL */
static const float *plain (const mc_factors *f, int64_t i) {
  const mascon_array *a = f->items;
  if (a->dtype.bits != 32 || a->stride[1] != 1 || f->inorm != NULL ||
      f->bias != NULL) return NULL;
  return (const float *)a->data + i * a->stride[0];
}


/* what becomes of item 'i'; '*norm' is its length, and 'y' has room for it */
static uint8_t kindof (const packer *k, int64_t i, double *y, double *max,
                       double *norm) {
  const mc_factors *f = k->f;
  const float *row = plain(f, i);
  double m, squares;
  if (!mck_passes(k->common, i)) return DROPPED;
  if (row != NULL) f->kern->measure_f32(row, (size_t)k->head.k, &m, &squares);
  else {
    mc_pack_getitem(f, i, y);
    f->kern->measure_f64(y, (size_t)k->head.k, &m, &squares);
  }
  *norm = sqrt(squares);
  if (isnan(squares)) return DROPPED;  /* or infinite, for a cosine */
  if (isinf(m)) return ODD;
  if (f->inorm != NULL && f->inorm[i] != 0 && !mc_tame(f->inorm[i]))
    return ODD;
  if (m > *max) *max = m;
  return PACKED;
}


/* which items are packed, their norms, and the largest magnitude in them */
static void measure (void *ud, int64_t first, int64_t last, int thread) {
  packer *k = ud;
  double *y = k->scratch + thread * k->head.k;
  for (int64_t i = first; i < last; i++)
    k->kind[i] = kindof(k, i, y, &k->max[thread], &k->norm[i]);
}


/* norms as they are with the scale; 'y' has room for a row */
static void scalenorms (packer *k, double *y) {
  int64_t n = k->head.k;
  for (int64_t i = 0; i < k->f->nitems; i++) {
    if (k->kind[i] != PACKED) continue;
    if (mc_tame(k->norm[i])) k->norm[i] *= k->head.scale;
    else {  /* the squares may have been too large or too small */
      mc_pack_getitem(k->f, i, y);
      for (int64_t j = 0; j < n; j++) y[j] *= k->head.scale;
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


/* list the items: those to pack in k->ids, sorted, and the odd ones */
static void list (packer *k, int32_t *spare) {
  mc_packhead *h = &k->head;
  for (int64_t i = 0; i < k->f->nitems; i++) {
    if (k->kind[i] == PACKED) spare[h->n++] = (int32_t)i;
    else if (k->kind[i] == ODD) k->odd[h->nodd++] = (int32_t)i;
  }
  pass(k->key, spare, k->ids, h->n, 0);
  pass(k->key, k->ids, spare, h->n, 11);
  pass(k->key, spare, k->ids, h->n, 22);
  h->nblocks = (h->n + MCK_BLOCK - 1) / MCK_BLOCK;
  for (int64_t i = h->n; i < h->nblocks * MCK_BLOCK; i++) k->ids[i] = -1;
}

/* -------} */


/* {------- filling ------- */

/* the rows of a block as floats; of floats, the product with a power of two
   is the same in float as it is in double */
static void fillrows (packer *k, const int32_t *ids, double *y, float *rows) {
  const mck_recommend *kern = k->f->kern;
  size_t n = (size_t)k->head.k;
  double scale = k->head.scale;
  bool small = scale >= 0x1p-126 && scale <= 0x1p127;
  for (size_t j = 0; j < MCK_BLOCK; j++) {
    const float *row = ids[j] >= 0 && small ? plain(k->f, ids[j]) : NULL;
    if (row != NULL) kern->scale(row, n, (float)scale, rows + j * n);
    else {
      if (ids[j] >= 0) mc_pack_getitem(k->f, ids[j], y);
      else memset(y, 0, n * sizeof *y);
      kern->narrow(y, n, scale, rows + j * n);
    }
  }
}


static void fillpanel (const float *rows, size_t n, float *panel) {
  for (size_t s = 0; s < MCK_BLOCK; s += STRIP)
    for (size_t i = 0; i < n; i++)  /* whole lines of the cache are written */
      for (size_t j = s; j < s + STRIP; j++)
        panel[i * MCK_BLOCK + j] = rows[j * n + i];
}


/*
** The rows in bytes; sets what 'stat' says of them.  In units of 'step' a
** factor, times 'inverse', is off by at most 127 2^-22 < 2^-15 before it is
** rounded to an integer; sums of floats lose less than 2^-10.
*/
static void fillbytes (const mck_recommend *kern, const float *rows, size_t n,
                       uint8_t *bytes, mck_recstat *stat) {
  float max = kern->largest(rows, n * MCK_BLOCK), inverse;
  float error = 0, length = 0;
  uint8_t row[ROW];
  if (max < MC_SHORTEST) max = MC_SHORTEST;
  stat->step = mc_above(max / 127.0);
  inverse = 1 / stat->step;
  for (size_t j = 0; j < MCK_BLOCK; j++) {
    float e = 0, l = 0;
    for (size_t i = 0; i < n; i += ROW) {
      size_t m = n - i < ROW ? n - i : ROW;
      float epart, lpart;
      memset(row, 128, sizeof row);
      kern->tobytes(rows + j * n + i, m, inverse, row, &epart, &lpart);
      for (size_t q = 0; q < m; q += 4)
        memcpy(bytes + ((i + q) / 4 * MCK_BLOCK + j) * 4, row + q, 4);
      e += epart;
      l += lpart;
    }
    if (e > error) error = e;
    if (l > length) length = l;
  }
  stat->error = mc_above(stat->step * (sqrt(error) * (1 + 0x1p-10) +
                                       0x1p-15 * sqrt((double)n)));
  stat->length = mc_above(stat->step * sqrt(length) * (1 + 0x1p-10));
}


/* blocks first to last - 1 */
static void fill (void *ud, int64_t first, int64_t last, int thread) {
  packer *k = ud;
  size_t n = (size_t)k->head.k;
  double *y = k->scratch + (size_t)thread * n;
  float *rows = k->rows + (size_t)thread * n * MCK_BLOCK;
  float *panels = mc_pack_section(k->image, MC_PACK_PANELS);
  uint8_t *bytes = mc_pack_section(k->image, MC_PACK_BYTES);
  mck_recstat *stats = mc_pack_section(k->image, MC_PACK_STATS);
  for (int64_t b = first; b < last; b++) {
    const int32_t *ids = k->ids + b * MCK_BLOCK;
    float norm = k->key[ids[0]];
    stats[b].norm = norm > MC_SHORTEST ? norm : MC_SHORTEST;
    fillrows(k, ids, y, rows);
    if (k->made == NULL)
      fillpanel(rows, n, panels + (size_t)b * mc_pack_panel(n));
    fillbytes(k->f->kern, rows, n, bytes + (size_t)b * mc_pack_quads(n),
              &stats[b]);
  }
}


/* are two items the same as they were given, so that their scores are? */
static bool equal (const packer *k, int64_t a, int64_t b, double *y) {
  const mc_factors *f = k->f;
  double *z = y + f->rank;
  const float *p = plain(f, a), *q = plain(f, b);
  if (p != NULL && f->rank > 0 && *p != *q) return false;  /* most are not */
  mc_getrow(f->items, a, y);
  mc_getrow(f->items, b, z);
  for (int64_t i = 0; i < f->rank; i++)
    if (y[i] != z[i]) return false;
  return f->bias == NULL ||
         mc_getelement(f->bias, a) == mc_getelement(f->bias, b);
}


/*
** Set the runs of all blocks; 'y' has room for two rows.  Items of equal norms
** stand in order of their ids, so equal ones follow each other as a rule.
*/
static void findruns (const packer *k, double *y, int32_t *runs) {
  const int32_t *ids = k->ids;
  int32_t run = 0;
  float last = -1;
  for (int64_t i = 0; i < k->head.n; i++) {
    int64_t b = i / MCK_BLOCK;
    float key = k->key[ids[i]];
    run = key == last && equal(k, ids[i - 1], ids[i], y) ? run + 1 : 0;
    if (i % MCK_BLOCK == 0) runs[b] = run;
    else if (run < runs[b]) runs[b] = run;
    last = key;
  }
}


static void putelement (void *p, int bits, int64_t i, double x) {
  if (bits == 64) ((double *)p)[i] = x;
  else ((float *)p)[i] = (float)x;
}


/* the factors as they are, without gaps */
static void keepfactors (const mc_factors *f, mc_packhead *h, double *row) {
  void *factors = mc_pack_section(h, MC_PACK_FACTORS);
  void *bias = mc_pack_section(h, MC_PACK_BIAS);
  double *norms = mc_pack_section(h, MC_PACK_NORMS);
  for (int64_t i = 0; factors != NULL && i < h->nitems; i++) {
    mc_getrow(f->items, i, row);
    for (int64_t k = 0; k < h->rank; k++)
      putelement(factors, h->factors, i * h->rank + k, row[k]);
  }
  for (int64_t i = 0; bias != NULL && i < h->nitems; i++)
    putelement(bias, h->bias, i, mc_getelement(f->bias, i));
  if (norms != NULL)
    memcpy(norms, f->inorm, (size_t)h->nitems * sizeof *norms);
}

/* -------} */


static void closescratch (packer *k) {
  mc_free(k->ids);
  mc_free(k->odd);
  mc_free(k->kind);
  mc_free(k->norm);
  mc_free(k->key);
  mc_free(k->scratch);
  mc_free(k->rows);
  mc_free(k->max);
}


static bool makescratch (packer *k, int threads) {
  size_t n = (size_t)k->head.nitems, row = (size_t)threads * (size_t)k->head.k;
  k->ids = mc_alloc(n + MCK_BLOCK, sizeof *k->ids);
  k->odd = mc_alloc(n, sizeof *k->odd);
  k->kind = mc_alloc(n, 1);
  k->norm = mc_alloc(n, sizeof *k->norm);
  k->key = mc_alloc(n, sizeof *k->key);
  k->scratch = mc_alloc(row + (size_t)k->head.k, sizeof *k->scratch);
  k->rows = mc_alloc(row, MCK_BLOCK * sizeof *k->rows);
  k->max = mc_zalloc((size_t)threads, sizeof *k->max);
  return k->ids != NULL && k->odd != NULL && k->kind != NULL &&
         k->norm != NULL && k->key != NULL && k->scratch != NULL &&
         k->rows != NULL && k->max != NULL;
}


/* allocate the image, its sizes known, and fill in what is at hand */
static int makeimage (packer *k) {
  mc_packhead *h = &k->head;
  int status = mc_pack_layout(h);
  int32_t *ids, *odd;
  if (status != MASCON_OK) return status;
  k->image = mc_alloc((size_t)h->bytes, 1);
  if (k->image == NULL) return MASCON_ENOMEM;
  memset(k->image, 0, (size_t)h->at[MC_PACK_BYTES]);
  for (int s = MC_PACK_BYTES + 1; s <= MC_PACK_SECTIONS; s++)  /* the gaps */
    memset((char *)k->image - 64 + (s < MC_PACK_SECTIONS ? h->at[s]
                                                         : h->bytes), 0, 64);
  *k->image = *h;
  ids = mc_pack_section(k->image, MC_PACK_IDS);
  odd = mc_pack_section(k->image, MC_PACK_ODD);
  if (ids != NULL)
    memcpy(ids, k->ids, (size_t)(h->nblocks * MCK_BLOCK) * sizeof *ids);
  if (odd != NULL) memcpy(odd, k->odd, (size_t)h->nodd * sizeof *odd);
  keepfactors(k->f, k->image, k->scratch);
  return MASCON_OK;
}


static int pack (packer *k, mascon_exec *ex, int threads) {
  int64_t n = k->f->nitems;
  mascon_exec q = mc_quiet(ex);  /* progress counts blocks */
  int32_t *spare;
  int status = mc_parallel(&q, n, GRAIN, threads, measure, k);
  if (status != MASCON_OK) return status;
  for (int i = 1; i < threads; i++)
    if (k->max[i] > k->max[0]) k->max[0] = k->max[i];
  k->head.scale = k->f->inorm != NULL && k->f->bias == NULL
                    ? 1 : mc_unit(k->max[0]);
  scalenorms(k, k->scratch);
  spare = mc_alloc((size_t)n, sizeof *spare);
  if (spare == NULL) return MASCON_ENOMEM;
  list(k, spare);
  mc_free(spare);
  status = makeimage(k);
  if (status != MASCON_OK) return status;
  if (k->late) {
    k->made = mc_zalloc((size_t)k->head.nblocks, sizeof *k->made);
    if (k->made == NULL) return MASCON_ENOMEM;
  }
  status = mc_parallel(ex, k->head.nblocks, 16, threads, fill, k);
  if (status != MASCON_OK) return status;
  k->runs = mc_alloc((size_t)k->head.nblocks, sizeof *k->runs);
  if (k->runs == NULL) return MASCON_ENOMEM;
  findruns(k, k->scratch, k->runs);
  return MASCON_OK;
}


int mc_pack_open (mc_pack *p, const mc_factors *f, const uint64_t *common,
                  bool keep, bool late, mascon_exec *ex, int threads) {
  packer k = {.f = f, .common = common, .late = late && f->kern->bytes};
  int status = MASCON_ENOMEM;
  memset(p, 0, sizeof *p);
  k.head.nitems = f->nitems;
  k.head.rank = f->rank;
  k.head.k = f->rank + (f->bias != NULL);
  k.head.cosine = f->inorm != NULL;
  if (keep) {
    k.head.factors = f->items->dtype.bits;
    k.head.bias = f->bias != NULL ? f->bias->dtype.bits : 0;
  }
  if (makescratch(&k, threads)) status = pack(&k, ex, threads);
  closescratch(&k);
  if (status == MASCON_OK) {
    mc_pack_show(p, k.image);
    p->owned = k.image;
    p->runs = k.runs;
    p->made = k.made;
  }
  else {
    mc_free(k.image);
    mc_free(k.runs);
    mc_free(k.made);
  }
  return status;
}


void mc_pack_close (mc_pack *p) {
  mc_free(p->owned);
  mc_free(p->runs);
  mc_free(p->made);
  memset(p, 0, sizeof *p);
}

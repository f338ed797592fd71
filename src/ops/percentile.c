/*
** percentile.c - medians and percentiles, by selection instead of sorting
*/

#include <math.h>

#include "core.h"
#include "kern.h"
#include "lines.h"

#define ELEMENTS (1 << 14)  /* of the lines that are done at a time */

typedef struct job {
  const mck_key *key;
  const mck_copy *copy;
  mascon_dtype t;       /* of the elements */
  mc_lines in;          /* 'all' of them are one, or each is one */
  bool all;
  int64_t n;            /* elements of one */
  double p;             /* fraction, 0 to 1 */
  bool median;
  mc_lines out;
  mascon_dtype to;
  char *keys;           /* for each worker: keys, and as many to spare */
} job;


static double number (const job *j, uint64_t key) {
  uint32_t narrow = (uint32_t)key;
  uint64_t element;  /* of any type */
  double x;
  j->key->values(&element, 1,
                 j->key->record->size == sizeof narrow ? (void *)&narrow
                                                       : &key, 1);
  j->copy->convert[MASCON_F64][j->t](&x, 1, &element, 1, 1);
  return x;
}


/* between a <= b at 0 <= t < 1, as NumPy computes it */
static double between (double a, double b, double t, bool median) {
  double d = b - a, x;
  if (t == 0 || a == b) return a;
  if (!isfinite(d)) return a * (1 - t) + b * t;
  if (!median) return t < 0.5 ? a + d * t : b - d * (1 - t);
  x = a + b;
  return isfinite(x) ? x / 2 : a / 2 + b / 2;
}


/* of n keys, n > 0 */
static double quantile (const job *j, void *keys, void *spare) {
  const mck_record *r = j->key->record;
  size_t n = (size_t)j->n, rank;
  double at = (double)(n - 1) * j->p, a, b;
  uint64_t low, high;
  if (r->upto(keys, n, j->key->last, &high) < n) return NAN;
  rank = (size_t)at;
  low = r->select(keys, spare, n, rank, j->key->bits);
  a = b = number(j, low);
  if (at > (double)rank && r->upto(keys, n, low, &high) <= rank + 1)
    b = number(j, high);
  return between(a, b, at - (double)rank, j->median);
}


static void somelines (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  size_t size = j->key->record->size, bytes = (size_t)j->n * size;
  char *keys = j->keys + 2 * bytes * (size_t)thread;
  for (int64_t i = first; i < last; i++) {
    int64_t from = j->all ? 0 : i, lines = j->all ? j->in.count : 1;
    double x;
    for (int64_t k = 0; k < lines; k++)
      j->key->keys(keys + (size_t)(k * j->in.n) * size,
                   mc_line(&j->in, from + k), j->in.step, (size_t)j->in.n);
    x = j->n > 0 ? quantile(j, keys, keys + bytes) : (double)NAN;
    j->copy->convert[j->to][MASCON_F64](mc_line(&j->out, i), 1, &x, 1, 1);
  }
}


/* is 'out' what is left of 'a' without 'axis', or one element? */
static bool fits (const mascon_array *a, int axis, const mascon_array *out) {
  int k = 0;
  if (axis < 0 || a->ndim == 1) return mascon_count(out) == 1;
  if (out->ndim != a->ndim - 1) return false;
  for (int i = 0; i < a->ndim; i++)
    if (i != axis && a->shape[i] != out->shape[k++]) return false;
  return true;
}


/* the lines of one element that 'out' consists of */
static mc_lines elements (const mascon_array *out) {
  mc_lines l = {.data = out->data, .size = out->dtype.bits / 8, .n = 1,
                .step = 1, .count = mascon_count(out), .ndim = out->ndim};
  for (int i = 0; i < out->ndim; i++) {
    l.shape[i] = out->shape[i];
    l.stride[i] = out->stride[i];
  }
  return l;
}


static int run (const mascon_array *a, int axis, double p, bool median,
                mascon_array *out, mascon_exec *ex) {
  job j = {.median = median, .p = p, .all = axis < 0};
  int threads, status;
  if ((status = mc_check(a)) != MASCON_OK ||
      (status = mc_checkout(out)) != MASCON_OK) return status;
  if (axis >= a->ndim) return MASCON_ERANGE;
  j.t = mascon_dtype_of(a);
  j.to = mascon_dtype_of(out);
  if (j.to != (j.t == MASCON_F32 ? MASCON_F32 : MASCON_F64))
    return MASCON_ETYPE;
  if (!fits(a, axis, out)) return MASCON_ESHAPE;
  if (mc_overlap(out, a)) return MASCON_EALIAS;
  j.key = &mck_sorting.keys[j.t];
  j.copy = mck_get()->copy;
  j.in = mc_linesof(a, j.all ? a->ndim - 1 : axis);
  j.out = elements(out);
  j.n = j.all ? mascon_count(a) : j.in.n;
  threads = mc_threads(ex, 4 * (double)j.n * (double)j.out.count);
  if (threads > j.out.count) threads = j.out.count > 0 ? (int)j.out.count : 1;
  j.keys = mc_alloc((size_t)j.n * 2 * j.key->record->size, (size_t)threads);
  if (j.keys == NULL) return MASCON_ENOMEM;
  status = mc_parallel(ex, j.out.count, ELEMENTS / (j.n + 1) + 1, threads,
                       somelines, &j);
  mc_free(j.keys);
  return status;
}


int mascon_median (const mascon_array *a, int axis, mascon_array *out,
                   mascon_exec *ex) {
  return run(a, axis, 0.5, true, out, ex);
}


int mascon_percentile (const mascon_array *a, int axis, double p,
                       mascon_array *out, mascon_exec *ex) {
  if (!(p >= 0 && p <= 100)) return MASCON_ERANGE;
  return run(a, axis, p / 100, false, out, ex);
}

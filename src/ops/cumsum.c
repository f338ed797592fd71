/*
** cumsum.c - running sums
*/

#include <stdatomic.h>
#include <string.h>

#include "core.h"
#include "kern.h"
#include "line.h"

#define SPAN (4 << 20)  /* bytes of the output that a block lies over */
#define LEAST 16        /* elements of a block */

typedef struct job {
  mc_lines in, out;
  mascon_dtype work;  /* f64 or i64 */
  mascon_dtype to;
  bool write;
  int64_t block;      /* elements done at a time */
  _Atomic bool overflow;
} job;


/* running sums of 'm' numbers, on from '*sum' */
static void addup_f64 (double *x, size_t m, double *sum) {
  for (size_t i = 0; i < m; i++) x[i] = *sum += x[i];
}


static bool addup_i64 (int64_t *x, size_t m, int64_t *sum) {
  bool over = false;
  for (size_t i = 0; i < m; i++) {
    over |= __builtin_add_overflow(*sum, x[i], sum);
    x[i] = *sum;
  }
  return over;
}


/* one line: fetched, summed and written back block by block */
static void oneline (job *j, const char *in, char *out) {
  const mck_copy *copy = mck_get()->copy;
  union {
    double f64[LINE_BLOCK];
    int64_t i64[LINE_BLOCK];
  } x;
  double fsum = 0;
  int64_t isum = 0;
  ptrdiff_t so = (ptrdiff_t)(j->out.istep[0] /
                             (int64_t)mascon_dtype_size(j->to));
  for (int64_t i = 0; i < j->in.n; i += j->block) {
    size_t m = (size_t)(j->in.n - i < j->block ? j->in.n - i : j->block);
    const void *p;
    if (i > 0 && mc_cancelled()) return;
    p = mc_line_fetch(&j->in, in, i, m, j->work, &x);
    if (p != &x) memcpy(&x, p, m * 8);
    if (j->work == MASCON_F64) addup_f64(x.f64, m, &fsum);
    else if (addup_i64(x.i64, m, &isum))
      atomic_store_explicit(&j->overflow, true, memory_order_relaxed);
    if (j->write)
      copy->convert[j->to][j->work](out + i * j->out.istep[0], so, &x, 1, m);
  }
}


static void somelines (void *ud, int64_t first, int64_t last, int thread) {
  job *j = ud;
  (void)thread;
  for (int64_t i = first; i < last; i++) {
    char *in, *out;
    mc_line_at(&j->in, i, &in, &out);
    oneline(j, in, out);
  }
}


static int pass (job *j, bool write, mascon_exec *ex) {
  double ops = (double)j->in.n * (double)j->in.count;
  int64_t grain = 32768 / (j->in.n + 1) + 1;
  int status;
  j->write = write;
  status = mc_parallel(ex, j->in.count, grain, mc_threads(ex, ops), somelines,
                       j);
  return status == MASCON_OK && j->overflow ? MASCON_EOVERFLOW : status;
}


/* elements 'step' bytes apart: where that is far, each is in a fresh page */
static int64_t blockof (int64_t step) {
  int64_t n = SPAN / (step < 0 ? -step : step > 0 ? step : 1);
  return n > LINE_BLOCK ? LINE_BLOCK : n < LEAST ? LEAST : n;
}


static int check (const mascon_array *a, int axis, const mascon_array *out) {
  mascon_dtype made, t;
  int status = mc_check(a);
  if (status == MASCON_OK) status = mc_checkout(out);
  if (status != MASCON_OK) return status;
  if (axis < MASCON_ALL_AXES || axis >= a->ndim) return MASCON_ERANGE;
  made = mascon_reduce_dtype(MASCON_REDUCE_SUM, mc_dtype(a->dtype));
  t = mc_dtype(out->dtype);
  if (mascon_dtype_join(made, t) != t) return MASCON_ETYPE;
  if (axis == MASCON_ALL_AXES ? out->ndim != 1 ||
                                out->shape[0] != mascon_count(a)
                              : !mc_sameshape(a, out)) return MASCON_ESHAPE;
  for (int i = 0; i < out->ndim; i++)
    if (out->shape[i] > 1 && out->stride[i] == 0) return MASCON_EALIAS;
  return mc_elementwise(out, a) ? MASCON_OK : MASCON_EALIAS;
}


int mascon_cumsum (const mascon_array *a, int axis, mascon_array *out,
                   mascon_exec *ex) {
  job j;
  int status = check(a, axis, out);
  if (status != MASCON_OK) return status;
  memset(&j, 0, sizeof j);
  mc_lines_init(&j.in, a, axis, out, out->stride);
  mc_lines_init(&j.out, out, axis, out, out->stride);
  if (j.in.n == 0 || j.in.count == 0) return MASCON_OK;
  j.work = mc_isfloat(j.in.in) ? MASCON_F64 : MASCON_I64;
  j.to = j.out.in;
  j.block = blockof(j.out.istep[0]);
  if (j.work == MASCON_I64 && (status = pass(&j, false, ex)) != MASCON_OK)
    return status;
  return pass(&j, true, ex);
}

/*
** ramp.c - evenly spaced numbers
*/

#include <math.h>
#include <stdatomic.h>

#include "core.h"
#include "kern.h"

#define CHUNK 512    /* elements that pass through the stack at a time */
#define GRAIN 16384

typedef struct job {
  const mck_copy *kern;
  mascon_array *out;
  mascon_dtype to;
  double first, step;
  int64_t ifirst, istep;
  bool ints, write;
  _Atomic bool misfit;
} job;


/* elements at to at + n - 1, n <= CHUNK */
static void chunk (job *j, int64_t at, size_t n) {
  mascon_dtype from = j->ints ? MASCON_I64 : MASCON_F64;
  int (*fits) (const void *, ptrdiff_t, size_t) = j->kern->fits[j->to][from];
  union {
    int64_t i[CHUNK];
    double d[CHUNK];
  } x;
  if (j->ints) j->kern->ramp_i64(x.i, j->ifirst, j->istep, at, n);
  else j->kern->ramp_f64(x.d, j->first, j->step, at, n);
  if (j->write)
    j->kern->convert[j->to][from](mc_at(j->out, at, 0), j->out->stride[0], &x,
                                  1, n);
  else if (fits != NULL && !fits(&x, 1, n))
    atomic_store_explicit(&j->misfit, true, memory_order_relaxed);
}


static void some (void *ud, int64_t first, int64_t last, int thread) {
  (void)thread;
  for (int64_t i = first; i < last; i += CHUNK)
    chunk(ud, i, (size_t)(last - i < CHUNK ? last - i : CHUNK));
}


/* look first, then write */
static int run (job *j, mascon_exec *ex) {
  int64_t n;
  int status = mc_checkout(j->out), threads;
  if (status != MASCON_OK) return status;
  if (j->out->ndim != 1) return MASCON_ESHAPE;
  n = j->out->shape[0];
  j->kern = mck_get()->copy;
  j->to = mc_dtype(j->out->dtype);
  threads = mc_threads(ex, (double)n);
  if (!mc_isfloat(j->to)) {
    status = mc_parallel(ex, n, GRAIN, threads, some, j);
    if (status != MASCON_OK) return status;
    if (j->misfit) return MASCON_EINEXACT;
  }
  j->write = true;
  return mc_parallel(ex, n, GRAIN, threads, some, j);
}


int mascon_range (double first, double step, mascon_array *out,
                  mascon_exec *ex) {
  job j = {.out = out, .first = first, .step = step};
  return run(&j, ex);
}


int mascon_range_int (int64_t first, int64_t step, mascon_array *out,
                      mascon_exec *ex) {
  job j = {.out = out, .ifirst = first, .istep = step, .ints = true};
  return run(&j, ex);
}


/* numbers first + i * step to elements from to to - 1; i counts from 'from' */
static int part (double first, double step, mascon_array *out, int64_t from,
                 int64_t to, mascon_exec *ex) {
  mascon_array some = *out;
  if (to <= from) return MASCON_OK;
  some.shape[0] = to - from;
  some.data = mc_at(out, from, 0);
  return mascon_range(first, step, &some, ex);
}


/* all but the last of 'n' numbers whose distance no double holds: each half
   counts from its own end */
static int wide (double first, double last, mascon_array *out, int64_t n,
                 mascon_exec *ex) {
  double step = n > 2 ? last / (double)(n - 1) - first / (double)(n - 1) : 0;
  int64_t half = n / 2;
  int status = part(first, step, out, 0, half, ex);
  return status != MASCON_OK ? status
         : part(last - (double)(n - 1 - half) * step, step, out, half, n - 1,
                ex);
}


int mascon_linspace (double first, double last, mascon_array *out,
                     mascon_exec *ex) {
  mascon_array end;
  int64_t n;
  int status = mc_checkout(out);
  if (status != MASCON_OK) return status;
  n = out->shape[0];
  if (out->ndim != 1 || n < 2) return mascon_range(first, 0, out, ex);
  if (!mascon_dtype_fits(mc_dtype(out->dtype), last)) return MASCON_EINEXACT;
  end = *out;
  end.shape[0] = 1;
  end.data = mc_at(out, n - 1, 0);
  status = isfinite(first) && isfinite(last) && !isfinite(last - first)
             ? wide(first, last, out, n, ex)
             : part(first, (last - first) / (double)(n - 1), out, 0, n - 1, ex);
  return status == MASCON_OK ? mascon_fill(last, &end, NULL) : status;
}

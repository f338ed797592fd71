/*
** copy.c - copying, converting and filling
**
** A conversion that may fail is made in two passes: the first only looks, so
** that the output is untouched where an element does not fit.
*/

#include <stdatomic.h>
#include <string.h>

#include "core.h"
#include "kern.h"

_Static_assert((int)MASCON_F64 == 0 && (int)MASCON_F32 == 1 &&
               (int)MASCON_I64 == 2 && (int)MASCON_I32 == 3 &&
               (int)MASCON_U16 == 4 && (int)MASCON_U8 == 5 &&
               MASCON_NDTYPE == MCK_COPYTYPES, "kcopy.h counts as we do");

#define CHUNK 512  /* elements that pass through the stack at a time */

typedef struct job {
  mc_loop loop;
  const mck_copy *kern;
  mascon_dtype to, from;
  int mode;
  _Atomic bool misfit;  /* an element was found that does not fit */
  bool write;           /* second pass */
} job;


/* {------- rows ------- */

static ptrdiff_t elements (int64_t bytes, mascon_dtype t) {
  return (ptrdiff_t)bytes / (ptrdiff_t)mascon_dtype_size(t);
}


static void convertrow (void *ud, char *const *p, const int64_t *step,
                        int64_t n) {
  job *j = ud;
  j->kern->convert[j->to][j->from](p[0], elements(step[0], j->to), p[1],
                                   elements(step[1], j->from), (size_t)n);
}


static void misfit (job *j) {
  atomic_store_explicit(&j->misfit, true, memory_order_relaxed);
}


static void testrow (void *ud, char *const *p, const int64_t *step,
                     int64_t n) {
  job *j = ud;
  if (!j->kern->fits[j->to][j->from](p[1], elements(step[1], j->from),
                                     (size_t)n)) misfit(j);
}


/* 'n' (at most CHUNK) floats at 'in', rounded; into integers if they fit */
static void roundchunk (job *j, char *out, ptrdiff_t so, const char *in,
                        ptrdiff_t si, size_t n) {
  double x[CHUNK];
  j->kern->convert[MASCON_F64][j->from](x, 1, in, si, n);
  j->kern->round(x, n, (mck_rounding)(j->mode - MASCON_ROUND));
  if (j->write) j->kern->convert[j->to][MASCON_F64](out, so, x, 1, n);
  else if (!j->kern->fits[j->to][MASCON_F64](x, 1, n)) misfit(j);
}


/* the same, for the nearest that the dtype has; only NaN does not fit */
static void clipchunk (job *j, char *out, ptrdiff_t so, const char *in,
                       ptrdiff_t si, size_t n) {
  int64_t k[CHUNK], lo, hi;
  if (mc_isfloat(j->from)) {
    double x[CHUNK];
    j->kern->convert[MASCON_F64][j->from](x, 1, in, si, n);
    j->kern->round(x, n, MCK_NEAREST);
    if (!j->kern->saturate(k, x, n)) misfit(j);
  }
  else j->kern->convert[MASCON_I64][j->from](k, 1, in, si, n);
  if (!j->write) return;
  mc_range(j->to, &lo, &hi);
  j->kern->clip(k, lo, hi, n);
  j->kern->convert[j->to][MASCON_I64](out, so, k, 1, n);
}


static void castrow (void *ud, char *const *p, const int64_t *step,
                     int64_t n) {
  job *j = ud;
  void (*chunk) (job *, char *, ptrdiff_t, const char *, ptrdiff_t, size_t) =
    j->mode == MASCON_CLIP ? clipchunk : roundchunk;
  for (int64_t i = 0; i < n; i += CHUNK)
    chunk(j, p[0] + i * step[0], elements(step[0], j->to),
          p[1] + i * step[1], elements(step[1], j->from),
          (size_t)(n - i < CHUNK ? n - i : CHUNK));
}

/* -------} */


/* {------- passes ------- */

typedef struct pass {
  job *j;
  mc_rowfn row;
} pass;


static void somerows (void *ud, int64_t first, int64_t last, int thread) {
  pass *p = ud;
  (void)thread;
  if (!p->j->write &&
      atomic_load_explicit(&p->j->misfit, memory_order_relaxed)) return;
  mc_loop_run(&p->j->loop, first, last, p->row, p->j);
}


static int run (job *j, mc_rowfn row, bool write, mascon_exec *ex) {
  pass p = {j, row};
  double ops = (double)j->loop.rows *
               (double)(j->loop.n < j->loop.piece ? j->loop.n : j->loop.piece);
  int status;
  j->write = write;
  status = mc_parallel(ex, j->loop.rows, j->loop.grain,
                       mc_threads(ex, ops / 4), somerows, &p);
  if (status != MASCON_OK) return status;
  return j->misfit ? MASCON_EINEXACT : MASCON_OK;
}


/* 'in' and 'out' share nothing */
static int convert (const mascon_array *in, int mode, mascon_array *out,
                    mascon_exec *ex) {
  const mascon_array *args[2];
  job j;
  int status;
  memset(&j, 0, sizeof j);
  args[0] = out;
  args[1] = in;
  j.kern = mck_get()->copy;
  j.to = mc_dtype(out->dtype);
  j.from = mc_dtype(in->dtype);
  j.mode = mode;
  if ((status = mc_loop_init(&j.loop, 2, args)) != MASCON_OK) return status;
  if (j.kern->fits[j.to][j.from] == NULL)  /* whatever the mode */
    return run(&j, convertrow, true, ex);
  if (mode == MASCON_EXACT ||
      (mode != MASCON_CLIP && !mc_isfloat(j.from))) {
    if ((status = run(&j, testrow, false, ex)) != MASCON_OK) return status;
    return run(&j, convertrow, true, ex);
  }
  if (mc_isfloat(j.from) &&
      (status = run(&j, castrow, false, ex)) != MASCON_OK) return status;
  return run(&j, castrow, true, ex);
}

/* -------} */


int mascon_cast (const mascon_array *in, int mode, mascon_array *out,
                 mascon_exec *ex) {
  mascon_array own;
  int status = mc_check(in);
  if (status == MASCON_OK) status = mc_checkout(out);
  if (status != MASCON_OK) return status;
  if (mode < MASCON_EXACT || mode > MASCON_CLIP) return MASCON_EVALUE;
  if (!mc_overlap(out, in)) return convert(in, mode, out, ex);
  if (mc_elementwise(out, in) && memcmp(&out->dtype, &in->dtype,
                                        sizeof in->dtype) == 0)
    return MASCON_OK;  /* onto itself */
  status = mascon_new(&own, mc_dtype(in->dtype), in->ndim, in->shape);
  if (status != MASCON_OK) return status;
  status = convert(in, MASCON_EXACT, &own, ex);
  if (status == MASCON_OK) status = convert(&own, mode, out, ex);
  mascon_release(&own);
  return status;
}


int mascon_assign (const mascon_array *in, mascon_array *out,
                   mascon_exec *ex) {
  return mascon_cast(in, MASCON_EXACT, out, ex);
}


/* a scalar is an array of one element */
static int fill (void *x, mascon_dtype t, mascon_array *out,
                 mascon_exec *ex) {
  static const int64_t one = 1;
  mascon_array a;
  int status = mascon_describe(&a, x, t, 1, &one, NULL, 0);
  return status == MASCON_OK ? mascon_assign(&a, out, ex) : status;
}


int mascon_fill (double x, mascon_array *out, mascon_exec *ex) {
  return fill(&x, MASCON_F64, out, ex);
}


int mascon_fill_int (int64_t x, mascon_array *out, mascon_exec *ex) {
  return fill(&x, MASCON_I64, out, ex);
}

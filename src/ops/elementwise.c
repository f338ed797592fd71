/*
** elementwise.c - operations, functions, comparisons and choice by element
**
** The kernels take blocks without gaps, of one dtype.  An operand that stands
** so in memory is used where it is; any other passes through a block on the
** stack, widened.  Operations on integers that may fail are made twice: the
** first pass only looks, so that the output is untouched if one does not fit.
*/

#include <stdatomic.h>
#include <string.h>

#include "core.h"
#include "kern.h"

_Static_assert((int)MASCON_OP_XOR == (int)MCK_B_XOR &&
               (int)MASCON_NUNARY == (int)MCK_NUNARY &&
               (int)MASCON_OP_NOT == (int)MCK_U_NOT,
               "kelem.h counts operations as we do");

#define CHUNK 1024  /* elements of a block */
#define MAXIN 3
#define STREAM (32 << 20)  /* bytes of output that no cache will keep */

typedef struct job {
  mc_loop loop;  /* argument 0 is the output */
  const mck_copy *copy;
  const mck_elem *elem;
  mck_binary binary;  /* just one of the three is not NULL */
  mck_binary streamed;  /* 'binary' that writes past the caches, or NULL */
  mck_unary unary;
  mck_where where;
  int nin;
  mascon_dtype in[MAXIN], work[MAXIN];  /* what an input is and is to be */
  mascon_dtype made, out;               /* what a kernel makes, what we store */
  bool write;                           /* false: only look */
  bool stream;                          /* by way of a block on the stack */
  _Atomic unsigned bad;
} job;


/* {------- one block ------- */

static ptrdiff_t elements (int64_t bytes, mascon_dtype t) {
  return (ptrdiff_t)bytes / (ptrdiff_t)mascon_dtype_size(t);
}


/* does an operand of dtype 't' stand as kernels of dtype 'u' want it? */
static bool direct (mascon_dtype t, mascon_dtype u, int64_t step) {
  return t == u && step == (int64_t)mascon_dtype_size(t);
}


/* where the kernel itself can write past the caches, let it */
static void streamdirect (job *j) {
  if (j->stream && j->streamed != NULL &&
      direct(j->out, j->made, j->loop.step[0])) {
    j->binary = j->streamed;
    j->stream = false;
  }
  else j->streamed = NULL;
}


static unsigned compute (const job *j, const void *const *x, void *out,
                         size_t n) {
  if (j->binary != NULL) return j->binary(x[0], x[1], out, n);
  if (j->unary != NULL) return j->unary(x[0], out, n);
  j->where(x[0], x[1], x[2], out, n);
  return 0;
}


static void put (const job *j, char *out, int64_t step, const void *made,
                 size_t n) {
  if (j->stream && direct(j->out, j->made, step))
    j->elem->stream(out, made, n * mascon_dtype_size(j->out));
  else j->copy->convert[j->out][j->made](out, elements(step, j->out), made, 1,
                                         n);
}


static void somerow (void *ud, char *const *p, const int64_t *step,
                     int64_t n) {
  job *j = ud;
  _Alignas(64) double space[MAXIN + 1][CHUNK];
  const void *x[MAXIN];
  unsigned bad = 0;
  bool inplace = j->write && !j->stream && direct(j->out, j->made, step[0]);
  for (int64_t i = 0; i < n; i += CHUNK) {
    size_t m = (size_t)(n - i < CHUNK ? n - i : CHUNK);
    void *made = inplace ? (void *)(p[0] + i * step[0]) : space[MAXIN];
    for (int k = 0; k < j->nin; k++) {
      const char *in = p[k + 1] + i * step[k + 1];
      x[k] = space[k];
      if (direct(j->in[k], j->work[k], step[k + 1])) x[k] = in;
      else if (step[k + 1] != 0 || i == 0)  /* one value is spread once */
        j->copy->convert[j->work[k]][j->in[k]](space[k], 1, in,
          elements(step[k + 1], j->in[k]), m);
    }
    bad |= compute(j, x, made, m);
    if (j->write && !inplace) put(j, p[0] + i * step[0], step[0], made, m);
  }
  if (bad != 0)
    atomic_fetch_or_explicit(&j->bad, bad, memory_order_relaxed);
}


static void somerows (void *ud, int64_t first, int64_t last, int thread) {
  job *j = ud;
  (void)thread;
  mc_loop_run(&j->loop, first, last, somerow, j);
  if ((j->stream && j->write) || j->streamed != NULL) j->elem->fence();
}

/* -------} */


/* {------- running ------- */

/* 'cost': simple operations an element */
static int pass (job *j, double cost, int64_t base, int64_t total,
                 mascon_exec *ex) {
  double n = (double)j->loop.rows *
             (double)(j->loop.n < j->loop.piece ? j->loop.n : j->loop.piece);
  int status = mc_parallel_part(ex, j->loop.rows, j->loop.grain,
                                mc_threads(ex, n * cost), somerows, j, base,
                                total);
  if (status != MASCON_OK) return status;
  if (j->bad & MCK_DIVZERO) return MASCON_EVALUE;
  return j->bad != 0 ? MASCON_EOVERFLOW : MASCON_OK;
}


static int run (job *j, bool fallible, double cost,
                const mascon_array *const *args, mascon_exec *ex) {
  const mascon_array *out = args[0];
  int64_t rows;
  int status = mc_loop_init(&j->loop, j->nin + 1, args);
  if (status != MASCON_OK) return status;
  j->copy = mck_get()->copy;
  j->elem = mck_get()->elem;
  j->out = mc_dtype(out->dtype);
  j->stream = mascon_count(out) * (out->dtype.bits / 8) >= STREAM;
  for (int k = 0; k < j->nin; k++) {
    j->in[k] = mc_dtype(args[k + 1]->dtype);
    if (args[k + 1]->data == out->data) j->stream = false;  /* is cached */
  }
  streamdirect(j);
  rows = j->loop.rows;
  if (fallible) {
    status = pass(j, cost, 0, 2 * rows, ex);
    if (status != MASCON_OK) return status;
  }
  j->write = true;
  return pass(j, cost, fallible ? rows : 0, fallible ? 2 * rows : rows, ex);
}


int mascon_broadcast (int n, const mascon_array *const *arrays,
                      int64_t shape[MASCON_MAXDIM], int *ndim) {
  int64_t s[MASCON_MAXDIM] = {1, 1, 1, 1};
  int d = 1;
  for (int k = 0; k < n; k++) {
    const mascon_array *a = arrays[k];
    int status = mc_check(a);
    if (status != MASCON_OK) return status;
    if (a->ndim > d) d = a->ndim;
    for (int i = 1; i <= a->ndim; i++) {  /* from the last axis */
      int64_t *have = &s[MASCON_MAXDIM - i], want = a->shape[a->ndim - i];
      if (*have == 1) *have = want;
      else if (want != 1 && want != *have) return MASCON_ESHAPE;
    }
  }
  memcpy(shape, s + MASCON_MAXDIM - d, (size_t)d * sizeof *shape);
  *ndim = d;
  return MASCON_OK;
}


/* may the result of 'nin' inputs, of dtype 'made', go to 'out'? */
static int check (int nin, const mascon_array *const *in, mascon_dtype made,
                  const mascon_array *out) {
  int64_t shape[MASCON_MAXDIM];
  int ndim, status = mascon_broadcast(nin, in, shape, &ndim);
  if (status == MASCON_OK) status = mc_checkout(out);
  if (status != MASCON_OK) return status;
  if (made == MASCON_NDTYPE ||
      mascon_dtype_join(made, mc_dtype(out->dtype)) != mc_dtype(out->dtype))
    return MASCON_ETYPE;
  if (ndim != out->ndim ||
      memcmp(shape, out->shape, (size_t)ndim * sizeof *shape) != 0)
    return MASCON_ESHAPE;
  for (int i = 0; i < ndim; i++)
    if (shape[i] > 1 && out->stride[i] == 0) return MASCON_EALIAS;
  for (int k = 0; k < nin; k++)
    if (!mc_elementwise(out, in[k])) return MASCON_EALIAS;
  return MASCON_OK;
}

/* -------} */


/* {------- dtypes of results ------- */

static mascon_dtype real (mascon_dtype t) {
  return t == MASCON_F32 ? t : MASCON_F64;
}


static bool isreal (int op) {
  return op == MASCON_OP_DIVIDE || op == MASCON_OP_POWER ||
         op == MASCON_OP_ATAN2 || op == MASCON_OP_HYPOT;
}


/* in which a binary operation is made */
static mascon_dtype common (int op, mascon_dtype s, mascon_dtype t) {
  mascon_dtype both = mascon_dtype_join(s, t);
  if (isreal(op)) return real(both);
  if (op >= MASCON_OP_AND && op <= MASCON_OP_XOR && both != MASCON_U8)
    return MASCON_NDTYPE;
  return both;
}


mascon_dtype mascon_binary_dtype (int op, mascon_dtype s, mascon_dtype t) {
  mascon_dtype both;
  if (op < 0 || op >= MASCON_NBINARY ||
      mascon_dtype_join(s, t) == MASCON_NDTYPE) return MASCON_NDTYPE;
  both = common(op, s, t);
  return op < MASCON_OP_LT || both == MASCON_NDTYPE ? both : MASCON_U8;
}


mascon_dtype mascon_unary_dtype (int op, mascon_dtype t) {
  if (op < 0 || op >= MASCON_NUNARY || (unsigned)t >= MASCON_NDTYPE ||
      (op == MASCON_OP_NOT && t != MASCON_U8)) return MASCON_NDTYPE;
  if (op >= MASCON_OP_ISNAN) return MASCON_U8;
  return op >= MASCON_OP_SQRT ? real(t) : t;
}

/* -------} */


int mascon_binary (int op, const mascon_array *a, const mascon_array *b,
                   mascon_array *out, mascon_exec *ex) {
  const mascon_array *args[3];
  bool libm = op == MASCON_OP_POWER || op == MASCON_OP_ATAN2 ||
              op == MASCON_OP_HYPOT || op == MASCON_OP_MOD;
  job j;
  int status, swap = op == MASCON_OP_GT || op == MASCON_OP_GE;
  mascon_dtype s, t;
  memset(&j, 0, sizeof j);
  args[0] = out;
  args[1] = swap ? b : a;
  args[2] = swap ? a : b;
  if (mc_check(a) != MASCON_OK || mc_check(b) != MASCON_OK)
    return MASCON_ECLOSED;
  s = mc_dtype(a->dtype);
  t = mc_dtype(b->dtype);
  j.nin = 2;
  j.made = mascon_binary_dtype(op, s, t);
  status = check(j.nin, args + 1, j.made, out);
  if (status != MASCON_OK) return status;
  j.work[0] = j.work[1] = common(op, s, t);
  if (swap) op = op == MASCON_OP_GT ? MASCON_OP_LT : MASCON_OP_LE;
  j.binary = mck_get()->elem->binary[op][j.work[0]];
  if (op <= MASCON_OP_DIVIDE && mc_isfloat(j.work[0]))
    j.streamed = mck_get()->elem->streamed[op][j.work[0]];
  return run(&j, op <= MASCON_OP_MOD && !mc_isfloat(j.work[0]),
             libm ? 16 : 0.25, args, ex);
}


int mascon_unary (int op, const mascon_array *a, mascon_array *out,
                  mascon_exec *ex) {
  const mascon_array *args[2];
  job j;
  int status = mc_check(a);
  mascon_dtype t;
  if (status != MASCON_OK) return status;
  memset(&j, 0, sizeof j);
  args[0] = out;
  args[1] = a;
  t = mc_dtype(a->dtype);
  j.nin = 1;
  j.made = mascon_unary_dtype(op, t);
  status = check(j.nin, args + 1, j.made, out);
  if (status != MASCON_OK) return status;
  /* whole numbers are as finite as any float */
  j.work[0] = op >= MASCON_OP_ISNAN && op <= MASCON_OP_ISFINITE ? real(t)
                                                                : j.made;
  j.unary = mck_get()->elem->unary[op][j.work[0]];
  return run(&j, op <= MASCON_OP_ABS && !mc_isfloat(t),
             op >= MASCON_OP_CBRT && op <= MASCON_OP_ERFC ? 16 : 0.25, args,
             ex);
}


int mascon_where (const mascon_array *mask, const mascon_array *a,
                  const mascon_array *b, mascon_array *out, mascon_exec *ex) {
  const mascon_array *args[4];
  job j;
  int status;
  memset(&j, 0, sizeof j);
  args[0] = out;
  args[1] = mask;
  args[2] = a;
  args[3] = b;
  if (mc_check(a) != MASCON_OK || mc_check(b) != MASCON_OK ||
      mc_check(mask) != MASCON_OK) return MASCON_ECLOSED;
  j.nin = 3;
  j.made = mascon_dtype_join(mc_dtype(a->dtype), mc_dtype(b->dtype));
  if (mc_dtype(mask->dtype) != MASCON_U8) return MASCON_ETYPE;
  status = check(j.nin, args + 1, j.made, out);
  if (status != MASCON_OK) return status;
  j.work[0] = MASCON_U8;
  j.work[1] = j.work[2] = j.made;
  j.where = mck_get()->elem->where[j.made];
  return run(&j, false, 0.25, args, ex);
}

/*
** reduce.c - one value of each line: sums, means, the best, any and all
**
** A block of 1024 elements becomes a 'part', the parts of a line, in order,
** its 'total'.  Where lines are many, threads share them; where one is long,
** its blocks.  Either way the same parts are added in the same order.  Lines
** that run across the grain of the memory are fetched 16 at a time, so that a
** cache line is used up while it is there; floats that are neighbours there
** are added up where they stand, up to 128 lines together.
*/

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core.h"
#include "kern.h"
#include "line.h"

#define WIDTH 16               /* lines that are fetched together */
#define PITCH (LINE_BLOCK + 8) /* elements from one to the next */
#define BLOCKS 32              /* blocks of a long line that a thread takes */

/* what is known of a block */
typedef struct part {
  double d;
  int64_t i, k;
} part;

/* what is known of a line */
typedef struct total {
  double lane[MCK_LANES];  /* of float sums and products */
  double mean;
  part p;                  /* of all else */
  bool over;               /* an integer sum left even 96 bits */
} total;

typedef struct job {
  mc_lines lines;
  const mck_reduce *kern;
  int op;
  mascon_dtype work, out;  /* dtype of fetched elements; of the result */
  int64_t nblocks;         /* of a line */
  int64_t ddof;
  bool second;             /* summing squares now */
  char *space;             /* threads times 'spacesize' bytes, or NULL */
  size_t spacesize;
  int64_t width;           /* lines that are done together */
  bool columns;            /* ... by the kernels for columns */
  const char *line;        /* the long one, its total and parts */
  total *total;
  part *parts;
  _Atomic bool overflow;
} job;


/* {------- a block ------- */

static bool isfloatsum (const job *j) {
  return j->op <= MASCON_REDUCE_STD && mc_isfloat(j->work);
}


/*
** Factors as sign and magnitude.  UINT64_MAX stands for all that is larger,
** which is associative, and 0 wins over it.
*/
static void times (part *p, int64_t sign, uint64_t m) {
  uint64_t r;
  p->i *= sign;
  if (p->i == 0 || __builtin_mul_overflow((uint64_t)p->k, m, &r))
    r = p->i == 0 ? 0 : UINT64_MAX;
  p->k = (int64_t)r;
}


static part product (const int64_t *x, size_t m) {
  part p = {0, 1, 1};
  for (size_t i = 0; i < m && p.i != 0; i++)
    times(&p, (x[i] > 0) - (x[i] < 0),
          x[i] < 0 ? 0 - (uint64_t)x[i] : (uint64_t)x[i]);
  return p;
}


/* the element at 'x' as a double and, of integers, as an i64 */
static void value (mascon_dtype t, const void *x, part *p) {
  p->k = 0;
  switch (t) {
    case MASCON_F64: p->d = *(const double *)x; return;
    case MASCON_F32: p->d = *(const float *)x; return;
    case MASCON_I64: p->k = *(const int64_t *)x; break;
    case MASCON_I32: p->k = *(const int32_t *)x; break;
    case MASCON_U16: p->k = *(const uint16_t *)x; break;
    default: p->k = *(const uint8_t *)x; break;
  }
  p->d = 0;
}


static bool isleast (const job *j) {
  return j->op == MASCON_REDUCE_MIN || j->op == MASCON_REDUCE_ARGMIN;
}


/* the best of a block in d or k, its index in i; -1 if all are NaN */
static part best (const job *j, const void *x, size_t m, int64_t first) {
  part p = {0, 0, 0};
  double b;  /* room for any element */
  (isleast(j) ? j->kern->min : j->kern->max)[j->work](x, m, &b);
  value(j->work, &b, &p);
  p.i = p.d == p.d ? first + (int64_t)j->kern->find[j->work](x, m, &b) : -1;
  return p;
}


static part measure (const job *j, const total *t, const void *x, size_t m,
                     int64_t first) {
  part p = {0, 0, 0};
  mck_wide w;
  if (isfloatsum(j)) {
    if (j->second) p.d = j->kern->squares[j->work](x, m, t->mean);
    else p.d = (j->op == MASCON_REDUCE_PROD ? j->kern->prod
                                            : j->kern->sum)[j->work](x, m);
    return p;
  }
  switch (j->op) {
    case MASCON_REDUCE_SUM:
      w = j->kern->sum_i64(x, m);
      p.i = w.high;
      p.k = w.low;
      return p;
    case MASCON_REDUCE_PROD: return product(x, m);
    case MASCON_REDUCE_ANY: case MASCON_REDUCE_ALL:
      p.i = (int64_t)j->kern->nonzero[j->work](x, m);
      return p;
    default: return best(j, x, m, first);
  }
}

/* -------} */


/* {------- a line ------- */

static void start (const job *j, total *t) {
  bool prod = j->op == MASCON_REDUCE_PROD;
  for (int i = 0; i < MCK_LANES; i++) t->lane[i] = prod;
  t->p.d = 0;
  t->p.k = prod;
  t->p.i = prod ? 1 : j->op >= MASCON_REDUCE_MIN &&
                      j->op <= MASCON_REDUCE_ARGMAX ? -1 : 0;
  t->over = false;
}


/* is part 'p' better than the best so far? */
static bool better (const job *j, const part *p, const part *so) {
  if (p->i < 0 || so->i < 0) return p->i >= 0;
  if (mc_isfloat(j->work)) return isleast(j) ? p->d < so->d : p->d > so->d;
  return isleast(j) ? p->k < so->k : p->k > so->k;
}


/* take in the part of block 'b' */
static void absorb (const job *j, total *t, const part *p, int64_t b) {
  double *lane = &t->lane[b % MCK_LANES];
  if (isfloatsum(j)) {
    if (j->op == MASCON_REDUCE_PROD) *lane *= p->d;
    else *lane += p->d;
    return;
  }
  switch (j->op) {
    case MASCON_REDUCE_SUM:
      t->p.k += p->k;  /* below 2^43: carry it at once */
      if (__builtin_add_overflow(t->p.i, p->i + (t->p.k >> 32), &t->p.i))
        t->over = true;
      t->p.k &= 0xffffffff;
      break;
    case MASCON_REDUCE_PROD: times(&t->p, p->i, (uint64_t)p->k); break;
    case MASCON_REDUCE_ANY: case MASCON_REDUCE_ALL: t->p.i += p->i; break;
    default: if (better(j, p, &t->p)) t->p = *p; break;
  }
}


/* the mean of a line whose sum is known; and on to its squares */
static void turn (const job *j, total *t) {
  t->mean = j->kern->fold_sum(t->lane) / (double)j->lines.n;
  start(j, t);
}

/* -------} */


/* {------- its result ------- */

static void store (const job *j, char *out, double d, int64_t i, bool real) {
  switch (j->out) {
    case MASCON_F64: *(double *)(void *)out = real ? d : (double)i; break;
    case MASCON_F32: *(float *)(void *)out = real ? (float)d : (float)i;
      break;
    case MASCON_I64: *(int64_t *)(void *)out = i; break;
    case MASCON_I32: *(int32_t *)(void *)out = (int32_t)i; break;
    case MASCON_U16: *(uint16_t *)(void *)out = (uint16_t)i; break;
    default: *(uint8_t *)(void *)out = (uint8_t)i; break;
  }
}


/* an exact sum or product; false if it does not fit */
static bool exact (const job *j, const total *t, int64_t *r) {
  const part *p = &t->p;
  if (j->op == MASCON_REDUCE_SUM) {
    *r = (int64_t)((uint64_t)p->i << 32 | (uint64_t)p->k);
    return !t->over && p->i >= INT32_MIN && p->i <= INT32_MAX;
  }
  *r = (int64_t)(p->i < 0 ? 0 - (uint64_t)p->k : (uint64_t)p->k);
  return (uint64_t)p->k <= (uint64_t)INT64_MAX + (p->i < 0);
}


static double floatresult (const job *j, const total *t) {
  double n = (double)(j->lines.n - j->ddof), sum;
  if (j->op == MASCON_REDUCE_PROD) return j->kern->fold_prod(t->lane);
  sum = j->kern->fold_sum(t->lane);
  if (j->op == MASCON_REDUCE_SUM) return sum;
  if (j->op == MASCON_REDUCE_MEAN) return sum / (double)j->lines.n;
  sum = n > 0 ? sum / n : (double)NAN;
  return j->op == MASCON_REDUCE_STD ? sqrt(sum) : sum;
}


static void finish (job *j, const total *t, char *out) {
  const part *p = &t->p;
  int64_t r;
  if (isfloatsum(j)) {
    store(j, out, floatresult(j, t), 0, true);
    return;
  }
  switch (j->op) {
    case MASCON_REDUCE_SUM: case MASCON_REDUCE_PROD:
      if (exact(j, t, &r)) store(j, out, 0, r, false);
      else atomic_store_explicit(&j->overflow, true, memory_order_relaxed);
      break;
    case MASCON_REDUCE_ANY: store(j, out, 0, p->i > 0, false); break;
    case MASCON_REDUCE_ALL: store(j, out, 0, p->i == j->lines.n, false); break;
    case MASCON_REDUCE_ARGMIN: case MASCON_REDUCE_ARGMAX:
      store(j, out, 0, p->i, false);
      break;
    default:  /* + 0.0: a zero is never -0.0 */
      store(j, out, p->i < 0 ? (double)NAN : p->d + 0.0, p->k,
            mc_isfloat(j->work));
      break;
  }
}

/* -------} */


/* {------- many lines ------- */

static int64_t blocksize (const job *j, int64_t b) {
  int64_t left = j->lines.n - b * LINE_BLOCK;
  return left < LINE_BLOCK ? left : LINE_BLOCK;
}


static int64_t lastaxis (const job *j) {
  return j->lines.outer[j->lines.nouter - 1];
}


/* do neighbouring lines lie closer than the elements of a line? */
static bool crosswise (const job *j) {
  const mc_lines *l = &j->lines;
  int64_t s = l->step[l->nouter - 1], t = l->istep[0];
  if (l->ninner > 1 || l->n < 2 || lastaxis(j) < 2) return false;
  return (s < 0 ? -s : s) < (t < 0 ? -t : t);
}


/* block 'b' of 'w' lines from 'in' on, each PITCH elements after the last */
static void fetchacross (const job *j, const char *in, int64_t w, int64_t b,
                         char *space) {
  const mc_lines *l = &j->lines;
  int64_t size = (int64_t)mascon_dtype_size(l->in), m = blocksize(j, b);
  ptrdiff_t step = (ptrdiff_t)(l->step[l->nouter - 1] / size);
  in += b * LINE_BLOCK * l->istep[0];
  for (int64_t i = 0; i < m; i++, in += l->istep[0])
    mck_get()->copy->convert[j->work][l->in](
      space + (size_t)i * mascon_dtype_size(j->work), PITCH, in, step,
      (size_t)w);
}


/* block 'b' of 'w' columns from 'in' on */
static void docolumns (const job *j, const char *in, int64_t w, int64_t b,
                       total *t) {
  double d[MCK_COLUMNS], mean[MCK_COLUMNS];
  int64_t step = j->lines.istep[0];
  mck_columns *const *f = j->second ? j->kern->colsquares
                        : j->op == MASCON_REDUCE_PROD ? j->kern->colprod
                                                      : j->kern->colsum;
  for (int64_t k = 0; k < w; k++) mean[k] = t[k].mean;
  f[j->work](in + b * LINE_BLOCK * step,
             (ptrdiff_t)(step / (int64_t)mascon_dtype_size(j->work)),
             (size_t)blocksize(j, b), (size_t)w, mean, d);
  for (int64_t k = 0; k < w; k++) {
    part p = {d[k], 0, 0};
    absorb(j, &t[k], &p, b);
  }
}


/* all blocks of 'w' lines from 'in' on */
static void dolines (const job *j, const char *in, int64_t w, total *t,
                     char *space) {
  const mc_lines *l = &j->lines;
  bool across = crosswise(j);
  size_t pitch = PITCH * mascon_dtype_size(j->work);
  for (int64_t b = 0; b < j->nblocks; b++) {
    size_t m = (size_t)blocksize(j, b);
    if (j->columns) {
      docolumns(j, in, w, b, t);
      continue;
    }
    if (across) fetchacross(j, in, w, b, space);
    for (int64_t k = 0; k < w; k++) {
      const void *x = across ? space + (size_t)k * pitch
        : mc_line_fetch(l, in + k * l->step[l->nouter - 1], b * LINE_BLOCK, m,
                        j->work, space);
      part p = measure(j, &t[k], x, m, b * LINE_BLOCK);
      absorb(j, &t[k], &p, b);
    }
  }
}


/* groups of neighbouring lines */
static void somelines (void *ud, int64_t first, int64_t last, int thread) {
  job *j = ud, mine = *j;  /* 'second' is a matter of each thread here */
  total t[MCK_COLUMNS];
  int64_t groups = (lastaxis(j) - 1) / j->width + 1;
  char *space = j->space != NULL ? j->space + (size_t)thread * j->spacesize
                                 : NULL;
  for (int64_t g = first; g < last; g++) {
    int64_t k = g % groups * j->width, w = lastaxis(j) - k;
    char *in, *out;
    if (w > j->width) w = j->width;
    mc_line_at(&j->lines, g / groups * lastaxis(j) + k, &in, &out);
    for (int64_t i = 0; i < w; i++) start(j, &t[i]);
    mine.second = false;
    dolines(&mine, in, w, t, space);
    if (j->op == MASCON_REDUCE_VAR || j->op == MASCON_REDUCE_STD) {
      for (int64_t i = 0; i < w; i++) turn(j, &t[i]);
      mine.second = true;
      dolines(&mine, in, w, t, space);
    }
    for (int64_t i = 0; i < w; i++)
      finish(j, &t[i], out + i * j->lines.outstep[j->lines.nouter - 1]);
  }
}


static int manylines (job *j, int threads, mascon_exec *ex) {
  int64_t groups = (lastaxis(j) - 1) / j->width + 1;
  int64_t units = j->lines.count / lastaxis(j) * groups;
  int64_t grain = 65536 / (j->width * (j->lines.n + 1)) + 1;
  return mc_parallel(ex, units, grain, threads, somelines, j);
}

/* -------} */


/* {------- long lines ------- */

static void someblocks (void *ud, int64_t first, int64_t last, int thread) {
  job *j = ud;
  char *space = j->space != NULL ? j->space + (size_t)thread * j->spacesize
                                 : NULL;
  for (int64_t b = first; b < last; b++) {
    size_t m = (size_t)blocksize(j, b);
    const void *x = mc_line_fetch(&j->lines, j->line, b * LINE_BLOCK, m,
                                  j->work, space);
    j->parts[b] = measure(j, j->total, x, m, b * LINE_BLOCK);
  }
}


static int longlines (job *j, int threads, mascon_exec *ex) {
  int passes = j->op == MASCON_REDUCE_VAR || j->op == MASCON_REDUCE_STD ? 2
                                                                        : 1;
  int64_t all = j->lines.count * passes * j->nblocks, done = 0;
  int status = MASCON_OK;
  total t;
  j->total = &t;
  for (int64_t i = 0; i < j->lines.count && status == MASCON_OK; i++) {
    char *in, *out;
    mc_line_at(&j->lines, i, &in, &out);
    j->line = in;
    start(j, &t);
    for (int pass = 0; pass < passes && status == MASCON_OK; pass++) {
      if (pass == 1) turn(j, &t);
      j->second = pass == 1;
      status = mc_parallel_part(ex, j->nblocks, BLOCKS, threads, someblocks,
                                j, done, all);
      done += j->nblocks;
      if (status == MASCON_OK)
        for (int64_t b = 0; b < j->nblocks; b++)
          absorb(j, &t, &j->parts[b], b);
    }
    if (status == MASCON_OK) finish(j, &t, out);
  }
  return status;
}

/* -------} */


/* {------- checks ------- */

static mascon_dtype worktype (int op, mascon_dtype t) {
  if (mc_isfloat(t) || op >= MASCON_REDUCE_MIN) return t;
  return op <= MASCON_REDUCE_PROD ? MASCON_I64 : MASCON_F64;
}


mascon_dtype mascon_reduce_dtype (int op, mascon_dtype t) {
  if (op < 0 || op >= MASCON_NREDUCE || (unsigned)t >= MASCON_NDTYPE)
    return MASCON_NDTYPE;
  if (op >= MASCON_REDUCE_ANY) return MASCON_U8;
  if (op >= MASCON_REDUCE_ARGMIN) return MASCON_I64;
  return worktype(op, t);
}


/* the strides of 'out' for the axes of 'a'; MASCON_ESHAPE if it does not fit */
static int align (const mascon_array *a, int axis, const mascon_array *out,
                  int64_t *ostride) {
  bool keep = out->ndim == a->ndim;
  int k = 0;
  if (axis == MASCON_ALL_AXES)
    return mascon_count(out) == 1 ? MASCON_OK : MASCON_ESHAPE;
  if (!keep && out->ndim != (a->ndim > 1 ? a->ndim - 1 : 1))
    return MASCON_ESHAPE;
  if (a->ndim == 1) return out->shape[0] == 1 ? MASCON_OK : MASCON_ESHAPE;
  for (int i = 0; i < a->ndim; i++) {
    if (i == axis && !keep) continue;
    if (out->shape[k] != (i == axis ? 1 : a->shape[i])) return MASCON_ESHAPE;
    if (out->shape[k] > 1 && out->stride[k] == 0) return MASCON_EALIAS;
    ostride[i] = out->stride[k++];
  }
  return MASCON_OK;
}


static int check (int op, const mascon_array *a, int axis,
                  const mascon_array *out, int64_t *ostride) {
  mascon_dtype made;
  int status = mc_check(a);
  if (status == MASCON_OK) status = mc_checkout(out);
  if (status != MASCON_OK) return status;
  if (op < 0 || op >= MASCON_NREDUCE || axis < MASCON_ALL_AXES ||
      axis >= a->ndim) return MASCON_ERANGE;
  made = mascon_reduce_dtype(op, mc_dtype(a->dtype));
  if (mascon_dtype_join(made, mc_dtype(out->dtype)) != mc_dtype(out->dtype))
    return MASCON_ETYPE;
  if ((status = align(a, axis, out, ostride)) != MASCON_OK) return status;
  return mc_overlap(a, out) ? MASCON_EALIAS : MASCON_OK;
}

/* -------} */


/* how many lines to do together: every thread should have some */
static void setwidth (job *j, int threads) {
  const mc_lines *l = &j->lines;
  int64_t size = (int64_t)mascon_dtype_size(j->work);
  j->width = WIDTH;
  j->columns = crosswise(j) && isfloatsum(j) && l->in == j->work &&
               l->ninner == 1 && l->step[l->nouter - 1] == size;
  if (!j->columns) return;
  while (j->width < MCK_COLUMNS && lastaxis(j) >= 2 * j->width * threads)
    j->width *= 2;
}


/* many lines keep every thread busy; a few long ones are shared */
static int run (job *j, mascon_exec *ex) {
  double ops = (double)j->lines.n * (double)j->lines.count;
  int threads = mc_threads(ex, ops / 4), status;
  bool many;
  setwidth(j, threads);
  many = j->nblocks <= BLOCKS ||
         j->lines.count >= (int64_t)(j->columns ? 1 : 4) * WIDTH * threads;
  if (!(many && j->columns) && !mc_line_direct(&j->lines, j->work)) {
    size_t lines = many && crosswise(j) ? WIDTH : 1;
    j->spacesize = lines * PITCH * mascon_dtype_size(j->work);
    j->spacesize = (j->spacesize + 63) / 64 * 64;
    j->space = mc_alloc((size_t)threads, j->spacesize);
    if (j->space == NULL) return MASCON_ENOMEM;
  }
  if (!many) j->parts = mc_alloc((size_t)j->nblocks, sizeof *j->parts);
  if (!many && j->parts == NULL) status = MASCON_ENOMEM;
  else status = many ? manylines(j, threads, ex) : longlines(j, threads, ex);
  mc_free(j->parts);
  mc_free(j->space);
  if (status == MASCON_OK && j->overflow) status = MASCON_EOVERFLOW;
  return status;
}


int mascon_reduce (int op, const mascon_array *a, int axis,
                   const mascon_reduce_opts *opts, mascon_array *out,
                   mascon_exec *ex) {
  int64_t ostride[MASCON_MAXDIM] = {0};
  job j;
  int status = check(op, a, axis, out, ostride);
  if (status != MASCON_OK) return status;
  memset(&j, 0, sizeof j);
  mc_lines_init(&j.lines, a, axis, out, ostride);
  if (j.lines.count == 0) return MASCON_OK;
  if (j.lines.n == 0 && op >= MASCON_REDUCE_MIN && op <= MASCON_REDUCE_ARGMAX)
    return MASCON_EVALUE;
  j.kern = mck_get()->reduce;
  j.op = op;
  j.work = worktype(op, mc_dtype(a->dtype));
  j.out = mc_dtype(out->dtype);
  j.nblocks = j.lines.n == 0 ? 0 : (j.lines.n - 1) / LINE_BLOCK + 1;
  j.ddof = opts != NULL ? opts->ddof : 0;
  return run(&j, ex);
}

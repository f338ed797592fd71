/*
** percentile.c - medians and percentiles, by selection instead of sorting
**
** Many results are shared by the workers.  Where a result has many elements
** all of them work on it, digit by digit of the key, block by block.
*/

#include <math.h>

#include "core.h"
#include "kern.h"
#include "lines.h"

#define ELEMENTS (1 << 14)  /* of the lines that are done at a time */
#define LONG (1 << 18)      /* elements that all workers share */
#define BLOCK (1 << 16)     /* ... in blocks of at least so many */
#define BLOCKS 64           /* ... of which there are at most so many */

/* what is found in a block */
typedef struct part {
  size_t counts[MCK_DIGITS];
  size_t upto;
  uint64_t next;
} part;

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
  /* one result of all workers */
  int64_t which, block;
  part *parts;          /* one a block */
  unsigned low;         /* digit that is looked at */
  uint64_t known;       /* the key above it, or all of it */
  double result;
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


/* where in the order it is, n > 0 */
static double place (const job *j) {
  return (double)(j->n - 1) * j->p;
}


/* of n keys, n > 0 */
static double quantile (const job *j, void *keys, void *spare) {
  const mck_record *r = j->key->record;
  size_t n = (size_t)j->n, rank;
  double at = place(j), a, b;
  uint64_t low, next;
  if (r->upto(keys, n, j->key->last, &next) < n) return NAN;
  rank = (size_t)at;
  low = r->select(keys, spare, n, rank, j->key->bits);
  a = b = number(j, low);
  if (at > (double)rank && r->upto(keys, n, low, &next) <= rank + 1)
    b = number(j, next);
  return between(a, b, at - (double)rank, j->median);
}


/* elements first to last - 1 of result 'i' to keys */
static void take (const job *j, char *keys, int64_t i, int64_t first,
                  int64_t last) {
  const mc_lines *l = &j->in;
  size_t size = j->key->record->size;
  while (first < last) {
    int64_t line = first / l->n, k = first % l->n, m = l->n - k;
    if (m > last - first) m = last - first;
    j->key->keys(keys, mc_line(l, j->all ? line : i) + k * l->step * l->size,
                 l->step, (size_t)m);
    keys += (size_t)m * size;
    first += m;
  }
}


static void put (const job *j, int64_t i, double x) {
  j->copy->convert[j->to][MASCON_F64](mc_line(&j->out, i), 1, &x, 1, 1);
}


static void someresults (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  size_t bytes = (size_t)j->n * j->key->record->size;
  char *keys = j->keys + 2 * bytes * (size_t)thread;
  for (int64_t i = first; i < last; i++) {
    take(j, keys, i, 0, j->n);
    put(j, i, j->n > 0 ? quantile(j, keys, keys + bytes) : (double)NAN);
  }
}


/* {------- all workers on one result ------- */

static char *keysat (const job *j, int64_t first) {
  return j->keys + (size_t)first * j->key->record->size;
}


static void takeblock (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  (void)thread;
  take(j, keysat(j, first), j->which, first, last);
}


static void amongblock (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  (void)thread;
  j->key->record->among(keysat(j, first), (size_t)(last - first), j->low,
                        j->known, j->parts[first / j->block].counts);
}


static void uptoblock (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  part *p = &j->parts[first / j->block];
  (void)thread;
  p->upto = j->key->record->upto(keysat(j, first), (size_t)(last - first),
                                 j->known, &p->next);
}


static void putresult (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  (void)first, (void)last, (void)thread;
  put(j, j->which, j->result);
}


/* how many keys are at most 'key', and the smallest that is larger */
static int upto (job *j, uint64_t key, int threads, mascon_exec *ex,
                 size_t *count, uint64_t *next) {
  int status;
  j->known = key;
  status = mc_parallel(ex, j->n, j->block, threads, uptoblock, j);
  *count = 0;
  *next = UINT64_MAX;
  for (int64_t b = 0; status == MASCON_OK && b * j->block < j->n; b++) {
    *count += j->parts[b].upto;
    if (j->parts[b].next < *next) *next = j->parts[b].next;
  }
  return status;
}


/* the key with 'rank' before it, to j->known */
static int select (job *j, size_t rank, int threads, mascon_exec *ex) {
  int status = MASCON_OK;
  j->known = 0;
  for (j->low = j->key->bits; status == MASCON_OK && j->low > 0; ) {
    unsigned digit = 0;
    j->low -= 8;
    status = mc_parallel(ex, j->n, j->block, threads, amongblock, j);
    for (; status == MASCON_OK && digit < MCK_DIGITS; digit++) {
      size_t c = 0;
      for (int64_t b = 0; b * j->block < j->n; b++)
        c += j->parts[b].counts[digit];
      if (rank < c) break;
      rank -= c;
    }
    j->known = j->known << 8 | digit;
  }
  return status;
}


/* as quantile, into j->result */
static int together (job *j, int threads, mascon_exec *ex) {
  double at = place(j), a, b;
  size_t rank = (size_t)at, count;
  uint64_t low, next;
  int status = mc_parallel(ex, j->n, j->block, threads, takeblock, j);
  if (status != MASCON_OK ||
      (status = upto(j, j->key->last, threads, ex, &count, &next)) !=
      MASCON_OK) return status;
  j->result = NAN;
  if (count < (size_t)j->n) return MASCON_OK;
  if ((status = select(j, rank, threads, ex)) != MASCON_OK) return status;
  low = j->known;
  a = b = number(j, low);
  if (at > (double)rank) {
    status = upto(j, low, threads, ex, &count, &next);
    if (status == MASCON_OK && count <= rank + 1) b = number(j, next);
  }
  j->result = between(a, b, at - (double)rank, j->median);
  return status;
}


static int oneatatime (job *j, mascon_exec *ex) {
  int threads = mc_threads(ex, 4 * (double)j->n);
  mascon_exec quiet = mc_quiet(ex);
  int status = MASCON_ENOMEM;
  j->block = (j->n - 1) / BLOCKS + 1;
  if (j->block < BLOCK) j->block = BLOCK;
  j->keys = mc_alloc((size_t)j->n, j->key->record->size);
  j->parts = mc_alloc(BLOCKS, sizeof *j->parts);
  if (j->keys != NULL && j->parts != NULL) {
    status = MASCON_OK;
    for (; status == MASCON_OK && j->which < j->out.count; j->which++) {
      status = together(j, threads, &quiet);
      if (status == MASCON_OK)
        status = mc_parallel_part(ex, 1, 1, 1, putresult, j, j->which,
                                  j->out.count);
      else if (ex != NULL) {
        ex->done = j->which;
        ex->total = j->out.count;
      }
    }
  }
  mc_free(j->parts);
  mc_free(j->keys);
  return status;
}

/* -------} */


static int manyatatime (job *j, mascon_exec *ex) {
  int threads = mc_threads(ex, 4 * (double)j->n * (double)j->out.count);
  int status;
  if (threads > j->out.count) threads = (int)j->out.count;
  j->keys = mc_alloc((size_t)j->n * 2 * j->key->record->size,
                     (size_t)threads);
  if (j->keys == NULL) return MASCON_ENOMEM;
  status = mc_parallel(ex, j->out.count, ELEMENTS / (j->n + 1) + 1, threads,
                       someresults, j);
  mc_free(j->keys);
  return status;
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
  int status;
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
  return j.n >= LONG ? oneatatime(&j, ex) : manyatatime(&j, ex);
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

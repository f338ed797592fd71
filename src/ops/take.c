/*
** take.c - slices of an array by their ids
**
** Ids are brought to one form first: counted from 0, i64, side by side.  Then
** either whole slices are copied, one for each id, or, where slices are small
** or lie across memory, elements are gathered along the axis.
*/

#include <string.h>

#include "core.h"
#include "kern.h"

#define IDS 4096         /* ids that one block gathers by */
#define SMALL 16         /* elements of a slice not worth a copy of its own */
#define BLOCK 32768      /* elements of a block of slices */

typedef struct job {
  mc_loop slice;         /* one slice of the output and one of the input */
  const mck_copy *kern;
  mascon_dtype type;
  const int64_t *ids;
  int64_t count;         /* ids */
  int64_t blocks;        /* gathering: blocks of ids */
  int64_t so, si;        /* strides along the axis, in elements */
} job;

/* gathering: the ids from 'first' to last - 1 */
typedef struct part {
  const job *j;
  int64_t first, last;
} part;


/* {------- ids ------- */

/* '*own' becomes the ids as i64 from 0; all must be in [0, n) */
static int checkids (const mascon_array *ids, int base, int64_t n,
                     mascon_array *own, mascon_exec *ex) {
  int64_t *p;
  int status;
  if (ids->ndim != 1) return MASCON_ESHAPE;
  if (mc_isfloat(mc_dtype(ids->dtype))) return MASCON_ETYPE;
  status = mascon_new(own, MASCON_I64, 1, ids->shape);
  if (status != MASCON_OK) return status;
  status = mascon_assign(ids, own, ex);
  p = own->data;
  for (int64_t i = 0; status == MASCON_OK && i < ids->shape[0]; i++) {
    if (p[i] < base || p[i] - base >= n) status = MASCON_ERANGE;
    else p[i] -= base;
  }
  if (status != MASCON_OK) mascon_release(own);
  return status;
}

/* -------} */


/* {------- bodies ------- */

static void copyrow (void *ud, char *const *p, const int64_t *step,
                     int64_t n) {
  const job *j = ud;
  int64_t size = (int64_t)mascon_dtype_size(j->type);
  j->kern->convert[j->type][j->type](p[0], step[0] / size, p[1],
                                     step[1] / size, (size_t)n);
}


/* slices for ids first to last - 1 */
static void copyslices (void *ud, int64_t first, int64_t last, int thread) {
  job *j = ud;
  int64_t size = (int64_t)mascon_dtype_size(j->type);
  mc_loop l = j->slice;
  (void)thread;
  for (int64_t k = first; k < last; k++) {
    l.data[0] = j->slice.data[0] + k * j->so * size;
    l.data[1] = j->slice.data[1] + j->ids[k] * j->si * size;
    for (int64_t r = 0; r < l.rows; r += l.grain) {
      if (r > 0 && mc_cancelled()) return;
      mc_loop_run(&l, r, l.rows - r < l.grain ? l.rows : r + l.grain, copyrow,
                  j);
    }
  }
}


/* 'n' elements of the slices: all that the ids name, for each of them */
static void gatherrow (void *ud, char *const *p, const int64_t *step,
                       int64_t n) {
  const part *d = ud;
  const job *j = d->j;
  size_t size = mascon_dtype_size(j->type);
  int64_t count = d->last - d->first, left = BLOCK;
  for (int64_t i = 0; i < n; i++, left -= count) {
    if (left < 0) {
      if (mc_cancelled()) return;
      left = BLOCK;
    }
    j->kern->gather(p[0] + i * step[0] + d->first * j->so * (int64_t)size,
                    j->so, p[1] + i * step[1], j->si, j->ids + d->first,
                    (size_t)count, size);
  }
}


static void gatherblocks (void *ud, int64_t first, int64_t last, int thread) {
  job *j = ud;
  (void)thread;
  for (int64_t k = first; k < last; k++) {
    part d = {j, k % j->blocks * IDS, k % j->blocks * IDS + IDS};
    if (d.last > j->count) d.last = j->count;
    mc_loop_run(&j->slice, k / j->blocks, k / j->blocks + 1, gatherrow, &d);
  }
}

/* -------} */


/* the slice at 0 of 'axis', kept as an axis of one element; no owner */
static mascon_array slice0 (const mascon_array *a, int axis) {
  mascon_array s = *a;
  s.buffer = NULL;
  s.shape[axis] = 1;
  return s;
}


/* does 'axis' step through memory less than all others? */
static bool finest (const mascon_array *a, int axis) {
  int64_t s = a->stride[axis] < 0 ? -a->stride[axis] : a->stride[axis];
  for (int i = 0; i < a->ndim; i++) {
    int64_t t = a->stride[i] < 0 ? -a->stride[i] : a->stride[i];
    if (i != axis && a->shape[i] > 1 && t < s) return false;
  }
  return true;
}


static int run (const mascon_array *a, const mascon_array *ids, int axis,
                mascon_array *out, mascon_exec *ex) {
  mascon_array from = slice0(a, axis), to = slice0(out, axis);
  const mascon_array *args[2];
  int64_t n = mascon_count(&to);
  int threads = mc_threads(ex, (double)mascon_count(out));
  job j = {.kern = mck_get()->copy, .type = mc_dtype(a->dtype),
           .ids = ids->data, .count = ids->shape[0],
           .so = out->stride[axis], .si = a->stride[axis]};
  int status;
  args[0] = &to;
  args[1] = &from;
  if ((status = mc_loop_init(&j.slice, 2, args)) != MASCON_OK) return status;
  if (n < SMALL || finest(a, axis) || finest(out, axis)) {
    j.blocks = (j.count - 1) / IDS + 1;
    return mc_parallel(ex, j.slice.rows * j.blocks, 1, threads, gatherblocks,
                       &j);
  }
  return mc_parallel(ex, j.count, n < BLOCK ? BLOCK / n : 1, threads,
                     copyslices, &j);
}


int mascon_take (const mascon_array *a, const mascon_array *ids, int axis,
                 int base, mascon_array *out, mascon_exec *ex) {
  mascon_array own;
  int status = mc_check(a);
  if (status == MASCON_OK) status = mc_check(ids);
  if (status == MASCON_OK) status = mc_checkout(out);
  if (status != MASCON_OK) return status;
  if (axis < 0 || axis >= a->ndim) return MASCON_ERANGE;
  if (memcmp(&a->dtype, &out->dtype, sizeof a->dtype) != 0)
    return MASCON_ETYPE;
  if (out->ndim != a->ndim) return MASCON_ESHAPE;
  for (int i = 0; i < a->ndim; i++)
    if (out->shape[i] != (i == axis ? ids->shape[0] : a->shape[i]))
      return MASCON_ESHAPE;
  if (mc_overlap(out, a)) return MASCON_EALIAS;
  status = checkids(ids, base, a->shape[axis], &own, ex);
  if (status != MASCON_OK) return status;
  if (mascon_count(out) > 0) status = run(a, &own, axis, out, ex);
  mascon_release(&own);
  return status;
}

/*
** nonzero.c - where an array is not zero
*/

#include "core.h"
#include "kern.h"

#define CHUNK 512  /* elements that pass through the stack at a time */
#define GRAIN 256  /* chunks of a block */

/* a walk over chunks of the rows of the last axis, in row-major order */
typedef struct walk {
  const mck_copy *kern;
  const mascon_array *a;
  mascon_array *out;          /* NULL: only count */
  int64_t base;
  int64_t chunks;             /* of a row */
  int64_t at[MASCON_MAXDIM];  /* the row */
  int64_t found;
} walk;


/* the next 'hits' rows of the output: this row, and columns 'id' */
static void emit (walk *w, const int64_t *id, int64_t hits) {
  mascon_dtype to = mc_dtype(w->out->dtype);
  int last = w->a->ndim - 1;
  for (int i = 0; i <= last; i++) {
    int64_t own = w->base + w->at[i];
    w->kern->convert[to][MASCON_I64](mc_at(w->out, w->found, i),
                                     w->out->stride[0], i < last ? &own : id,
                                     i == last, (size_t)hits);
  }
}


/* 'n' elements at 'p', the first of them in column 'first' */
static void chunk (walk *w, const char *p, int64_t first, int64_t n) {
  double x[CHUNK];
  int64_t id[CHUNK], hits = 0;
  w->kern->convert[MASCON_F64][mc_dtype(w->a->dtype)](
    x, 1, p, w->a->stride[w->a->ndim - 1], (size_t)n);
  for (int64_t i = 0; i < n; i++) {  /* no branch */
    id[hits] = w->base + first + i;
    hits += x[i] != 0;
  }
  if (w->out != NULL) emit(w, id, hits);
  w->found += hits;
}


/* the chunk 'c', counted through all rows */
static void chunkat (walk *w, int64_t c) {
  const mascon_array *a = w->a;
  int last = a->ndim - 1;
  int64_t first = c % w->chunks * CHUNK, n = a->shape[last], row = c / w->chunks;
  const char *p = a->data;
  int64_t size = a->dtype.bits / 8;
  for (int i = last; i-- > 0; row /= a->shape[i]) {
    w->at[i] = row % a->shape[i];
    p += w->at[i] * a->stride[i] * size;
  }
  chunk(w, p + first * a->stride[last] * size, first,
        n - first < CHUNK ? n - first : CHUNK);
}


static void somechunks (void *ud, int64_t first, int64_t last, int thread) {
  (void)thread;
  for (; first < last; first++) chunkat(ud, first);
}


/* one thread, as what is found before tells where an index goes */
static int scan (const mascon_array *a, int base, mascon_array *out,
                 int64_t *found, mascon_exec *ex) {
  walk w = {.kern = mck_get()->copy, .a = a, .out = out, .base = base};
  int64_t n = a->shape[a->ndim - 1], count = mascon_count(a);
  int status = MASCON_OK;
  w.chunks = (n - 1) / CHUNK + 1;
  if (count > 0)
    status = mc_parallel(ex, count / n * w.chunks, GRAIN, 1, somechunks, &w);
  *found = w.found;
  return status;
}


int mascon_nonzero_count (const mascon_array *a, int64_t *count,
                          mascon_exec *ex) {
  int status = mc_check(a);
  return status == MASCON_OK ? scan(a, 0, NULL, count, ex) : status;
}


int mascon_nonzero (const mascon_array *a, int base, mascon_array *out,
                    mascon_exec *ex) {
  mascon_exec quiet = mc_quiet(ex);
  int64_t count;
  int status = mc_checkout(out);
  if (status == MASCON_OK) status = mascon_nonzero_count(a, &count, &quiet);
  if (status != MASCON_OK) return status;
  if (mc_isfloat(mc_dtype(out->dtype))) return MASCON_ETYPE;
  if (out->ndim > 2 || out->shape[0] != count || out->shape[1] != a->ndim)
    return MASCON_ESHAPE;
  for (int i = 0; i < a->ndim; i++)
    if (!mascon_dtype_fits_int(mc_dtype(out->dtype), a->shape[i] + base))
      return MASCON_EINEXACT;
  if (mc_overlap(out, a)) return MASCON_EALIAS;
  return scan(a, base, out, &count, ex);
}

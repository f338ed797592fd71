/*
** nonzero.c - where an array is not zero
*/

#include "core.h"
#include "kern.h"

#define CHUNK 512  /* elements that pass through the stack at a time */

/* a walk over the rows of the last axis, in row-major order */
typedef struct walk {
  const mck_copy *kern;
  const mascon_array *a;
  mascon_array *out;          /* NULL: only count */
  int64_t base;
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


static void row (walk *w) {
  const mascon_array *a = w->a;
  int last = a->ndim - 1;
  int64_t size = a->dtype.bits / 8, n = a->shape[last];
  const char *p = a->data;
  for (int i = 0; i < last; i++) p += w->at[i] * a->stride[i] * size;
  for (int64_t j = 0; j < n; j += CHUNK)
    chunk(w, p + j * a->stride[last] * size, j, n - j < CHUNK ? n - j : CHUNK);
}


/* on to the next row; false after the last */
static bool next (walk *w) {
  int i = w->a->ndim - 1;
  while (i-- > 0) {
    if (++w->at[i] < w->a->shape[i]) return true;
    w->at[i] = 0;
  }
  return false;
}


static int64_t scan (const mascon_array *a, int base, mascon_array *out) {
  walk w = {.kern = mck_get()->copy, .a = a, .out = out, .base = base};
  if (mascon_count(a) == 0) return 0;
  do row(&w); while (next(&w));
  return w.found;
}


int mascon_nonzero_count (const mascon_array *a, int64_t *count) {
  int status = mc_check(a);
  if (status == MASCON_OK) *count = scan(a, 0, NULL);
  return status;
}


int mascon_nonzero (const mascon_array *a, int base, mascon_array *out) {
  int64_t count;
  int status = mc_checkout(out);
  if (status == MASCON_OK) status = mascon_nonzero_count(a, &count);
  if (status != MASCON_OK) return status;
  if (mc_isfloat(mc_dtype(out->dtype))) return MASCON_ETYPE;
  if (out->ndim > 2 || out->shape[0] != count || out->shape[1] != a->ndim)
    return MASCON_ESHAPE;
  for (int i = 0; i < a->ndim; i++)
    if (!mascon_dtype_fits_int(mc_dtype(out->dtype), a->shape[i] + base))
      return MASCON_EINEXACT;
  if (mc_overlap(out, a)) return MASCON_EALIAS;
  scan(a, base, out);
  return MASCON_OK;
}

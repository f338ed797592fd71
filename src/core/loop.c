/*
** loop.c - visiting the elements of several arrays of one shape
**
** The first array decides the order: its axes are sorted so that the last is
** the one that steps least through memory, axes that run on in every array
** are merged, and what is left of the last axis is cut into pieces.  A row,
** the unit that threads share, is one piece.
**
** Where another array steps least along another axis (a transposed copy),
** pieces are short and the rows of that axis come one after the other, so
** that each cache line that is fetched is used up while it is there.
*/

#include <string.h>

#include "core.h"

#define PIECE 8192  /* elements of a piece */
#define TILE 64     /* the same, across the grain of another array */
#define BLOCK 32768 /* elements of a block of rows: what a thread takes */
#define SPAN (2 << 20)  /* bytes that its rows may lie apart, first to last */


/* exchange axes 'i' and 'j' */
static void swapaxes (mc_loop *l, int i, int j) {
  int64_t n = l->shape[i];
  l->shape[i] = l->shape[j];
  l->shape[j] = n;
  for (int k = 0; k < l->narg; k++) {
    int64_t s = l->stride[k][i];
    l->stride[k][i] = l->stride[k][j];
    l->stride[k][j] = s;
  }
}


/* does axis 'i' step less than axis 'j'?  Earlier arrays matter more */
static bool finer (const mc_loop *l, int i, int j) {
  for (int k = 0; k < l->narg; k++) {
    int64_t s = l->stride[k][i], t = l->stride[k][j];
    if (s < 0) s = -s;
    if (t < 0) t = -t;
    if (s != t) return s < t;
  }
  return false;
}


/* let the first array step upwards */
static void flip (mc_loop *l, int axis) {
  if (l->stride[0][axis] >= 0) return;
  for (int k = 0; k < l->narg; k++) {
    l->data[k] += (l->shape[axis] - 1) * l->stride[k][axis];
    l->stride[k][axis] = -l->stride[k][axis];
  }
}


/* do axes 'i' and 'i + 1' run on in every array? */
static bool mergeable (const mc_loop *l, int i) {
  for (int k = 0; k < l->narg; k++)
    if (l->stride[k][i] != l->stride[k][i + 1] * l->shape[i + 1])
      return false;
  return true;
}


static void dropaxis (mc_loop *l, int axis) {
  l->ndim--;
  for (int i = axis; i < l->ndim; i++) {
    l->shape[i] = l->shape[i + 1];
    for (int k = 0; k < l->narg; k++)
      l->stride[k][i] = l->stride[k][i + 1];
  }
}


static void simplify (mc_loop *l) {
  for (int i = l->ndim; i-- > 0; )
    if (l->shape[i] == 1 && l->ndim > 1) dropaxis(l, i);
  for (int i = 0; i < l->ndim; i++) flip(l, i);
  for (int i = 1; i < l->ndim; i++)
    for (int j = i; j > 0 && finer(l, j - 1, j); j--) swapaxes(l, j - 1, j);
  for (int i = l->ndim - 1; i-- > 0; )
    if (mergeable(l, i)) {
      l->shape[i + 1] *= l->shape[i];
      for (int k = 0; k < l->narg; k++)
        l->stride[k][i] = l->stride[k][i + 1];
      l->shape[i] = l->shape[i + 1];
      dropaxis(l, i + 1);
    }
}


/* does some array step less along the axis before the last? */
static bool crossgrained (const mc_loop *l) {
  int last = l->ndim - 1;
  if (last < 1) return false;
  for (int k = 1; k < l->narg; k++) {
    int64_t s = l->stride[k][last], t = l->stride[k][last - 1];
    if (s < 0) s = -s;
    if (t < 0) t = -t;
    if (t != 0 && t < s) return true;
  }
  return false;
}


/*
** Cut the last axis.  Its pieces become an axis of their own, before the rows
** of the axis above where the grain is crossed, else after them.
*/
static void cut (mc_loop *l) {
  int last = l->ndim - 1;
  bool cross = crossgrained(l);
  int axis = cross ? last - 1 : last;  /* where the pieces go */
  int64_t n = l->shape[last];
  l->n = n;
  l->piece = cross ? TILE : PIECE;
  l->pieceaxis = axis;
  for (int k = 0; k < l->narg; k++) l->step[k] = l->stride[k][last];
  for (int i = last; i > axis; i--) {
    l->shape[i] = l->shape[i - 1];
    for (int k = 0; k < l->narg; k++)
      l->stride[k][i] = l->stride[k][i - 1];
  }
  l->shape[axis] = n == 0 ? 0 : (n - 1) / l->piece + 1;
  for (int k = 0; k < l->narg; k++)
    l->stride[k][axis] = l->step[k] * l->piece;
  l->rows = 1;
  for (int i = 0; i < l->ndim; i++) l->rows *= l->shape[i];
  l->grain = BLOCK / (n < l->piece ? (n > 0 ? n : 1) : l->piece);
  if (cross && l->stride[0][last] > 0 && l->grain > SPAN / l->stride[0][last])
    l->grain = SPAN / l->stride[0][last];  /* fresh pages cost milliseconds */
  if (l->grain < 1) l->grain = 1;
}


int mc_loop_init (mc_loop *l, int narg, const mascon_array *const args[]) {
  const mascon_array *a = args[0];
  memset(l, 0, sizeof *l);
  l->narg = narg;
  l->ndim = a->ndim;
  memcpy(l->shape, a->shape, sizeof l->shape);
  for (int k = 0; k < narg; k++) {
    const mascon_array *b = args[k];
    int skip = a->ndim - b->ndim;
    if (skip < 0) return MASCON_ESHAPE;
    l->data[k] = b->data;
    for (int i = 0; i < b->ndim; i++) {
      if (b->shape[i] == a->shape[i + skip])
        l->stride[k][i + skip] = b->stride[i] * (b->dtype.bits / 8);
      else if (b->shape[i] != 1) return MASCON_ESHAPE;
    }
  }
  simplify(l);
  cut(l);
  return MASCON_OK;
}


void mc_loop_run (const mc_loop *l, int64_t first, int64_t last,
                  mc_rowfn row, void *ud) {
  int64_t at[MASCON_MAXDIM] = {0}, r = first;
  char *p[MC_MAXARG];
  memcpy(p, l->data, sizeof p);
  for (int i = l->ndim; i-- > 0; r /= l->shape[i]) {
    at[i] = r % l->shape[i];
    for (int k = 0; k < l->narg; k++) p[k] += at[i] * l->stride[k][i];
  }
  for (r = first; r < last; r++) {
    int64_t left = l->n - at[l->pieceaxis] * l->piece;
    row(ud, p, l->step, left < l->piece ? left : l->piece);
    for (int i = l->ndim; i-- > 0; ) {  /* on to the next row */
      for (int k = 0; k < l->narg; k++) p[k] += l->stride[k][i];
      if (++at[i] < l->shape[i]) break;
      for (int k = 0; k < l->narg; k++)
        p[k] -= l->shape[i] * l->stride[k][i];
      at[i] = 0;
    }
  }
}

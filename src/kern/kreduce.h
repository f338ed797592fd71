/*
** kreduce.h - kernels that reduce a block of elements to one value
**
** Sums and products of floats are made in double, in 16 lanes: element i
** belongs to lane i % 16, a lane takes its elements in order, and the lanes
** are folded by halves (lane i and i + 8, then + 4, + 2, + 1).  So the bits do
** not depend on the width of a vector.
*/

#ifndef KREDUCE_H
#define KREDUCE_H

#include <stddef.h>
#include <stdint.h>

#include "kcopy.h"

#define MCK_LANES 16
#define MCK_REDUCE_BLOCK 1024  /* elements of a block, at most */

#define MCK_COLUMNS 128        /* columns that are reduced together, at most */

/*
** out[c] = what sum, prod or squares (with m[c]) make of the n elements
** x[c], x[c + stride], ... for each of w <= MCK_COLUMNS columns
*/
typedef void mck_columns (const void *x, ptrdiff_t stride, size_t n, size_t w,
                          const double *m, double *out);

/* a sum of i64 that cannot overflow: high * 2^32 + low */
typedef struct mck_wide {
  int64_t high, low;
} mck_wide;

typedef struct mck_reduce {
  /* f64 and f32; 'm' is subtracted and the difference squared */
  double (*sum[2]) (const void *x, size_t n);
  double (*prod[2]) (const void *x, size_t n);
  double (*squares[2]) (const void *x, size_t n, double m);
  mck_columns *colsum[2], *colprod[2], *colsquares[2];
  double (*fold_sum) (const double *lanes);
  double (*fold_prod) (const double *lanes);
  mck_wide (*sum_i64) (const void *x, size_t n);
  /* the least and the greatest into '*best'; NaN only if all are (n >= 1) */
  void (*min[MCK_COPYTYPES]) (const void *x, size_t n, void *best);
  void (*max[MCK_COPYTYPES]) (const void *x, size_t n, void *best);
  /* the first that equals '*best'; n if none does */
  size_t (*find[MCK_COPYTYPES]) (const void *x, size_t n, const void *best);
  /* how many are not zero (NaN is not) */
  size_t (*nonzero[MCK_COPYTYPES]) (const void *x, size_t n);
} mck_reduce;

#endif

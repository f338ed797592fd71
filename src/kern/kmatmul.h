/*
** kmatmul.h - kernels of the matrix product
**
** The product is made from packed panels.  A panel holds 'r' lines (rows of
** the left matrix, columns of the right one) side by side: first element of
** each line, second element of each line, ...  The last panel is filled up
** with zeros, so that a tile is always whole.
*/

#ifndef KMATMUL_H
#define KMATMUL_H

#include <stddef.h>

/* one element type; pointers are to its elements, strides count them */
typedef struct mck_gemm {
  size_t size;    /* bytes of an element */
  size_t mr, nr;  /* rows and columns of a tile: lines of a panel */
  size_t kc;      /* the sum is cut into parts of so many products */

  /*
  ** n lines of k elements into panels of r lines.  Element p of line i is at
  ** from[i * across + p * along].
  */
  void (*pack) (void *to, const void *from, ptrdiff_t across, ptrdiff_t along,
                size_t n, size_t k, size_t r);

  /*
  ** The m x n block 'c' from panels a and b of k elements: overwritten, or
  ** added to if 'add'.  Every element is summed in index order.
  */
  void (*block) (void *c, ptrdiff_t rs, ptrdiff_t cs, const void *a,
                 const void *b, size_t m, size_t n, size_t k, int add);

  /*
  ** y[i * ys] = sum over p of a[i * rs + p] * x[p], for m rows of k; the sum
  ** runs in lanes, the same for every m.
  */
  void (*rows) (void *y, ptrdiff_t ys, const void *a, ptrdiff_t rs,
                const void *x, size_t m, size_t k);

  /*
  ** y[i * ys] = sum over p of a[i + p * cs] * x[p], for m rows of k, each in
  ** index order.
  */
  void (*cols) (void *y, ptrdiff_t ys, const void *a, ptrdiff_t cs,
                const void *x, size_t m, size_t k);
} mck_gemm;

typedef struct mck_matmul {
  mck_gemm f64, f32;
} mck_matmul;

#endif

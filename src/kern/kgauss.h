/*
** kgauss.h - kernels that draw gaussians
*/

#ifndef KGAUSS_H
#define KGAUSS_H

#include <stddef.h>

typedef struct mck_gauss {
  /* out[i] = f * profile[i] for n contiguous elements, added if 'add' */
  void (*row_f64) (double *out, const double *profile, double f, size_t n,
                   int add);
  void (*row_f32) (float *out, const double *profile, double f, size_t n,
                   int add);
} mck_gauss;

#endif

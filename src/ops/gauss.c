/*
** gauss.c - one gaussian over a matrix
*/

#include <math.h>

#include "core.h"
#include "kern.h"


int mascon_gauss (double y0, double x0, double sy, double sx,
                  const mascon_gauss_opts *opts, mascon_array *out,
                  mascon_exec *ex) {
  double pi = 3.14159265358979323846;
  int status = mc_checkout(out);
  (void)opts;
  (void)ex;
  if (status != MASCON_OK) return status;
  if (out->ndim != 2) return MASCON_ESHAPE;
  if (mascon_dtype_of(out) != MASCON_F64) return MASCON_ETYPE;
  for (int64_t i = 0; i < out->shape[0]; i++) {
    for (int64_t j = 0; j < out->shape[1]; j++) {
      double gx = exp(-(((double)j - x0) / sx) * (((double)j - x0) / sx) / 2);
      double gy = exp(-(((double)i - y0) / sy) * (((double)i - y0) / sy) / 2);
      mck_get()->gauss->row_f64((double *)(void *)mc_at(out, i, j), &gx,
                                gy / (2 * pi * sy * sx), 1, 0);
    }
  }
  return MASCON_OK;
}

/*
** kcopy.h - kernels that convert elements
**
** Types are counted as the dtypes of mascon.h are: f64 f32 i64 i32 u16 u8.
** Strides are in elements.  Outputs and inputs do not overlap.
*/

#ifndef KCOPY_H
#define KCOPY_H

#include <stddef.h>
#include <stdint.h>

#define MCK_COPYTYPES 6

typedef enum mck_rounding {
  MCK_NEAREST,  /* halves to even */
  MCK_FLOOR, MCK_CEIL, MCK_TRUNC
} mck_rounding;

typedef struct mck_copy {
  /* [to][from]: out[i * so] = in[i * si]; what does not fit is undefined */
  void (*convert[MCK_COPYTYPES][MCK_COPYTYPES]) (void *out, ptrdiff_t so,
                                                 const void *in, ptrdiff_t si,
                                                 size_t n);
  /* [to][from]: does every in[i * si] fit exactly?  NULL: always */
  int (*fits[MCK_COPYTYPES][MCK_COPYTYPES]) (const void *in, ptrdiff_t si,
                                             size_t n);
  /* x[i] to a whole number; NaN and infinities stay */
  void (*round) (double *x, size_t n, mck_rounding mode);
  /* whole x[i] to the nearest i64; false if there was a NaN */
  int (*saturate) (int64_t *out, const double *x, size_t n);
  void (*clip) (int64_t *x, int64_t lo, int64_t hi, size_t n);
  /* out[i * so] = in[ids[i] * si], elements of 'size' bytes */
  void (*gather) (void *out, ptrdiff_t so, const void *in, ptrdiff_t si,
                  const int64_t *ids, size_t n, size_t size);
  /* out[i] = first + (from + i) * step */
  void (*ramp_f64) (double *out, double first, double step, int64_t from,
                    size_t n);
  void (*ramp_i64) (int64_t *out, int64_t first, int64_t step, int64_t from,
                    size_t n);
} mck_copy;

#endif

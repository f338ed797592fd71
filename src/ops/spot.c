/*
** spot.c - profiles of gaussians, and blocks of images
*/

#include <float.h>
#include <math.h>
#include <string.h>

#include "spot.h"

#define SQRT_2PI 2.50662827463100050242

/* from this sigma on, a pixel's mean is a series around its centre */
#define WIDE 64

#define PIECE 256  /* elements of a strided row that are moved at a time */


/*
** Factors of the powers of z = d*d in the mean of exp(-d*d/2) over a pixel
** that is 1/s wide, divided by its value at the centre:
**
**   1 + sum over n of (1/2s)^(2n) / (2n+1)! * He_2n(d)
**
** with Hermite's polynomials He.  Where exp(-d*d/2) is a normal number,
** |d| < 38, and d/2s < 0.3: six terms are enough for 1e-16.
*/
static void widen (double k[6], double s) {
  double q = 0.25 / (s * s);
  double g1 = q / 6, g2 = g1 * q / 20, g3 = g2 * q / 42, g4 = g3 * q / 72,
         g5 = g4 * q / 110, amp = k[0];
  k[0] = amp * (1 - g1 + 3 * g2 - 15 * g3 + 105 * g4 - 945 * g5);
  k[1] = amp * (g1 - 6 * g2 + 45 * g3 - 420 * g4 + 4725 * g5);
  k[2] = amp * (g2 - 15 * g3 + 210 * g4 - 3150 * g5);
  k[3] = amp * (g3 - 28 * g4 + 630 * g5);
  k[4] = amp * (g4 - 45 * g5);
  k[5] = amp * g5;
}


void mc_axis (mck_axis *a, double c, double s, int sample, int norm,
              double weight) {
  double amp;
  a->centre = c;
  a->inverse = 1 / s;
  if (s < DBL_MIN) {
    a->kind = MCK_IMPULSE;
    amp = weight;
  }
  else if (sample == MASCON_POINT || s >= WIDE) {
    a->kind = sample == MASCON_POINT ? MCK_BELL : MCK_WIDE;
    amp = norm == MASCON_PEAK ? weight : weight / (SQRT_2PI * s);
  }
  else {
    a->kind = MCK_TAILS;
    amp = norm == MASCON_PEAK ? weight * (SQRT_2PI * s) : weight;
  }
  if (fabs(amp) > DBL_MAX) amp = copysign(DBL_MAX, amp);  /* 0 * inf is NaN */
  a->k[0] = amp;
  if (a->kind == MCK_WIDE) widen(a->k, s);
}


/* move n elements of 'size' bytes between a row and one with a stride */
static void gather (char *row, const char *out, ptrdiff_t stride, size_t size,
                    size_t n) {
  for (size_t j = 0; j < n; j++, out += stride)
    memcpy(row + j * size, out, size);
}


static void scatter (char *out, ptrdiff_t stride, const char *row, size_t size,
                     size_t n) {
  for (size_t j = 0; j < n; j++, out += stride)
    memcpy(out, row + j * size, size);
}


void mc_block (const mc_brush *b, char *out, const ptrdiff_t stride[2],
               const void *f, size_t m, const void *p, double least, size_t n,
               int how) {
  _Alignas(64) char row[PIECE * sizeof(double)];
  ptrdiff_t down = stride[0] * (ptrdiff_t)b->size;
  ptrdiff_t right = stride[1] * (ptrdiff_t)b->size;
  if (stride[1] == 1) {
    b->block(out, stride[0], f, m, p, least, n, how);
    return;
  }
  if (how == MCK_STREAM) how = MCK_SET;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j += PIECE) {
      size_t some = n - j < PIECE ? n - j : PIECE;
      char *at = out + (ptrdiff_t)i * down + (ptrdiff_t)j * right;
      if (how == MCK_ADD) gather(row, at, right, b->size, some);
      b->block(row, 0, (const char *)f + i * b->fsize, 1,
               (const char *)p + j * b->fsize, least, some, how);
      scatter(at, right, row, b->size, some);
    }
}

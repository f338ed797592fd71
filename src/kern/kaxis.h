/*
** kaxis.h - the profile of a gaussian along one axis, from its parameters
*/

#ifndef KAXIS_H
#define KAXIS_H

#include <float.h>

#include "kgauss.h"

#define MCK_SQRT_2PI 2.50662827463100050242

/* from this sigma on, a pixel's mean is a series around its centre */
#define MCK_WIDEST 64


/*
** Factors of the powers of z = d*d in the mean of exp(-d*d/2) over a pixel
** that is 1/s wide, divided by its value at the centre:
**
**   1 + sum over n of (1/2s)^(2n) / (2n+1)! * He_2n(d)
**
** with Hermite's polynomials He.  Where exp(-d*d/2) is a normal number,
** |d| < 38, and d/2s < 0.3: six terms are enough for 1e-16.
*/
static inline void mck_widen (double k[6], double s) {
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


/*
** The profile with centre 'c' and sigma 's' >= 0 (both in pixels; a sigma that
** is not normal counts as 0), 'integrated' over each pixel or sampled at its
** centre, times 'weight'.  Its sum is 1, or its 'peak'.  The outer product of
** two profiles, one of them weighted, is the image.
*/
static inline void mck_setaxis (mck_axis *a, double c, double s,
                                int integrated, int peak, double weight) {
  double amp;
  a->centre = c;
  a->inverse = 1 / s;
  if (s < DBL_MIN) {
    a->kind = MCK_IMPULSE;
    amp = weight;
  }
  else if (!integrated || s >= MCK_WIDEST) {
    a->kind = integrated ? MCK_WIDE : MCK_BELL;
    amp = peak ? weight : weight / (MCK_SQRT_2PI * s);
  }
  else {
    a->kind = MCK_TAILS;
    amp = peak ? weight * (MCK_SQRT_2PI * s) : weight;
  }
  if (amp > DBL_MAX) amp = DBL_MAX;  /* 0 * inf is NaN */
  else if (amp < -DBL_MAX) amp = -DBL_MAX;
  a->k[0] = amp;
  if (a->kind == MCK_WIDE) mck_widen(a->k, s);
}

#endif

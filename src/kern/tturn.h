/*
** tturn.h - gaussians that do not lie along the axes
**
** Each row of one is a bell that has moved by the 'slope' against the row
** before, and that is 'narrow': so it is drawn row by row, and the profile down
** the rows is that of its shadow on the axis.
*/

#include <float.h>

/* sigmas of the shadows on the axes; slope and sigma of a row */
typedef struct turned {
  vd sy, sx;
  vd slope, narrow;
} turned;


/* sine and cosine: polynomials within a quarter of pi around n pi / 2 */
INLINE vd sincosd (vd a, vd *cosine) {
  const double shift = 0x1.8p52;
  vd t = a * 0x1.45f306dc9c883p-1 + shift, n = t - shift;
  vd r = a - n * 1.57079632673412561417e+00 - n * 6.07710050630396597660e-11 -
         n * 2.02226624871116645580e-21;
  vd z = r * r;
  vd s = r + r * z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z *
         (1.0 / 362880 + z * (-1.0 / 39916800 + z * (1.0 / 6227020800))))));
  vd c = 1 - z * 0.5 + z * z * (1.0 / 24 + z * (-1.0 / 720 + z *
         (1.0 / 40320 + z * (-1.0 / 3628800 + z * (1.0 / 479001600 + z *
         (-1.0 / 87178291200))))));
  vl q = (vl)t, odd = -(q & 1);
  *cosine = (vd)((vl)choosed(odd, s, c) ^ (((q + 1) & 2) << 62));
  return (vd)((vl)choosed(odd, c, s) ^ ((q & 2) << 62));
}


/* of a covariance; 'root' is that of its determinant */
INLINE turned turnedd (vd yy, vd xx, vd xy, vd root) {
  vl flat = yy < DBL_MIN;  /* no rows but one */
  turned t;
  t.sy = rootd(yy);
  t.sx = rootd(xx);
  t.slope = choosed(flat, alld(0), xy / yy);
  t.narrow = choosed(flat, t.sx, root / t.sy);
  return t;
}


/* of sigmas whose axes are turned by 'angle'; beyond MCK_TURNS angles are not
   exact */
INLINE turned turnedby (vd angle, vd sy, vd sx) {
  vd c, s = sincosd(angle, &c);
  return turnedd(sx * sx * (s * s) + sy * sy * (c * c),
                 sx * sx * (c * c) + sy * sy * (s * s),
                 (sx - sy) * (sx + sy) * (s * c), sx * sy);
}

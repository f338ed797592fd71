/*
** kgauss.h - kernels that draw gaussians
**
** A gaussian is the outer product of two profiles, one along each axis.
*/

#ifndef KGAUSS_H
#define KGAUSS_H

#include <stddef.h>

/* how a profile is computed */
enum {
  MCK_BELL,     /* k[0] * exp(-d*d/2), d = (pixel - centre) * inverse */
  MCK_WIDE,     /* the same times 1 + k[1]/k[0] d^2 + ... (5 powers of d^2) */
  MCK_TAILS,    /* k[0] * (difference of normal tails at the pixel's edges) */
  MCK_IMPULSE   /* k[0] in the pixel that contains the centre, else 0 */
};

typedef struct mck_axis {
  int kind;
  double centre;  /* in pixels */
  double inverse;  /* 1 / sigma */
  double k[6];
} mck_axis;

/* a gaussian that does not lie along the axes: sigmas of its shadows on them
   (y, x); each row is a bell of sigma 'narrow', moved by 'slope' a row */
typedef struct mck_turned {
  double s[2];
  double slope, narrow;
} mck_turned;

#define MCK_TURNS 0x1p31  /* angles up to it are good to 1e-6 */

/* what becomes of the values of a block */
enum {
  MCK_SET,     /* written */
  MCK_STREAM,  /* written past the caches */
  MCK_ADD      /* added to what is there */
};

#define MCK_PAD 16  /* elements that a profile's buffer has beyond its end */

/*
** out[i * stride + j] = f[i] * p[j] for m rows of n contiguous elements; what
** is below the smallest normal number becomes 0.  'p' has MCK_PAD readable
** elements beyond its end; 'least' is not above the least nonzero |p[j]|.
** Every f and p is finite, and 0 or a normal number.
*/
typedef void mck_blockfn (void *out, ptrdiff_t stride, const void *f, size_t m,
                          const void *p, double least, size_t n, int how);

typedef struct mck_gauss {
  /*
  ** out[j] = value at the pixel whose centre is first + j, for n pixels; 0
  ** where that is below the smallest normal number.  'out' has room for
  ** MCK_PAD more.  Returns a lower bound of the nonzero |out[j]|.
  */
  double (*profile) (double *out, const mck_axis *a, double first, size_t n);
  /* out[j] = in[j] rounded to float (0 for what is not normal there), n
     elements and MCK_PAD more; returns as above */
  double (*narrow) (float *out, const double *in, size_t n);
  mck_blockfn *f64;   /* of double: f, p and out */
  mck_blockfn *f32d;  /* out is float; f, p and their product are double */
  /* out[i] = erfc(|d[i]| / sqrt(2)) / 2; room as for a profile */
  void (*tail) (double *out, const double *d, size_t n);
  /* sigmas along axes that are turned by 'angle', at most MCK_TURNS */
  void (*turn) (mck_turned *t, double angle, double sy, double sx);
} mck_gauss;

#endif

/*
** tgauss.h - template of the kernels of kgauss.h
*/

#include <float.h>

#include "tmath.h"
#include "tturn.h"


/* {------- profiles ------- */

/* x, or 0 where |x| < least */
INLINE vd flushd (vd x, double least) {
  return maskd(x, absd(x) >= least);
}


INLINE vf flushf (vf x, float least) {
  vf a = (vf)((vi)x & INT32_MAX);
  return (vf)((vi)x & (vi)(a >= least));
}


/* 0, 1, 2, ... */
INLINE vd ramp (void) {
  vd v;
  for (int i = 0; i < VD; i++) v[i] = i;
  return v;
}


/* v, 0 from the n-th lane on */
INLINE vd firstd (vd v, size_t n) {
  vl lane;
  for (int i = 0; i < VD; i++) lane[i] = i;
  return maskd(v, lane < (int64_t)n);
}


/* the profile at 'd' sigmas from the centre */
INLINE vd bellat (vd d, double amp, const double k[6], int wide) {
  vd z = d * d;
  vd v = vexp(z * -0.5);
  if (wide) {  /* beyond 1600 (also infinity, NaN) the exponential is 0 */
    z = maskd(z, z < 1600);
    v *= amp + z * (k[1] + z * (k[2] + z * (k[3] + z * (k[4] + z * k[5]))));
  }
  else v *= amp;
  return flushd(v, DBL_MIN);
}


INLINE void bell (double *out, const mck_axis *a, double first, size_t n,
                  int wide) {
  vd x = first + ramp();
  double centre = a->centre, inverse = a->inverse, amp = a->k[0];
  size_t j = 0;
  for (; j + VD <= n; j += VD, x += VD)
    stored(out + j, bellat((x - centre) * inverse, amp, a->k, wide));
  if (j < n)
    stored(out + j, firstd(bellat((x - centre) * inverse, amp, a->k, wide),
                           n - j));
}


/*
** The tail beyond each edge, negative for those left of the centre, goes to
** 'out' and is then replaced by differences.  Both edges lie on one side of
** the centre, except for the pixel that contains it.
*/
INLINE void tails (double *out, const mck_axis *a, double first, size_t n) {
  vd x = first - 0.5 + ramp();
  for (size_t j = 0; j <= n; j += VD, x += VD) {
    vd d = (x - a->centre) * a->inverse;
    stored(out + j, (vd)((vl)vtail(d) | ((vl)d & INT64_MIN)));
  }
  for (size_t j = 0; j < n; j += VD) {
    vd l = loadd(out + j), r = loadd(out + j + 1);
    vd one = maskd(alld(1), ((vl)l < 0) & ((vl)r >= 0));
    stored(out + j, firstd(flushd((one + (l - r)) * a->k[0], DBL_MIN),
                           n - j));
  }
}


INLINE void impulse (double *out, const mck_axis *a, double first, size_t n) {
  vd x = first + ramp(), v = alld(a->k[0]);
  for (size_t j = 0; j < n; j += VD, x += VD) {
    vl in = (x - 0.5 <= a->centre) & (a->centre < x + 0.5);
    stored(out + j, firstd(flushd(maskd(v, in), DBL_MIN), n - j));
  }
}


/* a lower bound of the nonzero |out[j]|: there is one hill, so where both ends
   are not 0 nothing is less, but for the rounding of the last bits */
INLINE double lowest (const double *out, size_t n) {
  double l = out[0] < 0 ? -out[0] : out[0];
  double r = out[n - 1] < 0 ? -out[n - 1] : out[n - 1];
  double least = (l < r ? l : r) * 0.5;
  return least > DBL_MIN ? least : DBL_MIN;
}


static double K(gauss_profile) (double *out, const mck_axis *a, double first,
                                size_t n) {
  switch (a->kind) {
    case MCK_BELL: bell(out, a, first, n, 0); break;
    case MCK_WIDE: bell(out, a, first, n, 1); break;
    case MCK_TAILS: tails(out, a, first, n); break;
    default: impulse(out, a, first, n);
  }
  /* a store across the last one would keep loads waiting for both */
  for (size_t j = (n + VD - 1) / VD * VD; j + VD <= n + MCK_PAD; j += VD)
    stored(out + j, alld(0));
  return lowest(out, n);
}


static double K(gauss_narrow) (float *out, const double *in, size_t n) {
  double least = DBL_MAX;
  for (size_t j = 0; j < n; j++) {
    float v = (float)in[j];
    double a = v < 0 ? -(double)v : (double)v;
    if (!(a >= (double)FLT_MIN)) v = 0;
    else if (a < least) least = a;
    out[j] = v;
  }
  for (size_t j = n; j < n + MCK_PAD; j++) out[j] = 0;
  return least;
}


static void K(gauss_tail) (double *out, const double *d, size_t n) {
  for (size_t j = 0; j + VD <= n; j += VD) stored(out + j, vtail(loadd(d + j)));
  if (n % VD != 0)
    stored(out + n - n % VD, vtail(loadnd(d + n - n % VD, n % VD)));
}



static void K(gauss_turn) (mck_turned *t, double angle, double sy, double sx) {
  turned v = turnedby(alld(angle), alld(sy), alld(sx));
  t->s[0] = v.sy[0];
  t->s[1] = v.sx[0];
  t->slope = v.slope[0];
  t->narrow = v.narrow[0];
}

/* -------} */


/* {------- outer products ------- */

#define SHORT 8  /* vectors of a row that fit the registers */

/*
** f * p, 0 where that is below 'least'.  A product that would not be normal
** costs a hundred times another: most are turned away by the size of p.
*/
INLINE vd productd (double f, vd p, double least) {
  double t = least / (f < 0 ? -f : f) * (1 - 0x1p-50);  /* infinity for 0 */
  return flushd(f * flushd(p, t), least);
}


INLINE vf productf (float f, vf p) {
  float t = FLT_MIN / (f < 0 ? -f : f) * (1 - 0x1p-20f);
  return flushf(f * flushf(p, t), FLT_MIN);
}


/* can no product of the row be below the smallest normal number 'min'? */
INLINE int allnormal (double f, double least, double min) {
  return (f < 0 ? -f : f) * least >= min;
}


/* elements before the first whose address is a multiple of a vector's size */
INLINE size_t headroom (const void *p, size_t size, size_t n) {
  size_t h = (VBYTES - (uintptr_t)p % VBYTES) % VBYTES / size;
  return h < n ? h : n;
}


INLINE void row_f64 (double *out, double f, const double *p, size_t n,
                        int how, int normal) {
  size_t j = 0;
#define VALUE(p) \
  (normal ? f * loadd(p) : productd(f, loadd(p), DBL_MIN))
  if (how == MCK_STREAM) {
    j = headroom(out, sizeof *out, n);
    storend(out, VALUE(p), j);
    for (; j + VD <= n; j += VD) streamd(out + j, VALUE(p + j));
  }
  else if (how == MCK_SET)
    for (; j + VD <= n; j += VD) stored(out + j, VALUE(p + j));
  else
    for (; j + VD <= n; j += VD)
      stored(out + j, loadd(out + j) + VALUE(p + j));
  if (j < n) {
    vd v = VALUE(p + j);
    if (how == MCK_ADD) v += loadnd(out + j, n - j);
    storend(out + j, v, n - j);
  }
#undef VALUE
}


/* can no product of any row be? */
INLINE int allrowsnormal (const double *f, size_t m, double least) {
  int all = 1;
  for (size_t i = 0; i < m; i++) all &= allnormal(f[i], least, DBL_MIN);
  return all;
}


/* rows of 'nv' vectors and n % VD more: the profile stays in registers */
INLINE void shortrows (double *out, ptrdiff_t stride, const double *f,
                       size_t m, const double *p, size_t n, size_t nv) {
  vd v[SHORT + 1];
  for (size_t k = 0; k <= nv; k++) v[k] = loadd(p + k * VD);
  n %= VD;
  for (size_t i = 0; i < m; i++, out += stride) {
    double x = f[i];  /* 'out' might change it, for all the compiler knows */
    for (size_t k = 0; k < nv; k++) stored(out + k * VD, x * v[k]);
    if (n > 0) storend(out + nv * VD, x * v[nv], n);
  }
}


static void K(gauss_f64) (void *out, ptrdiff_t stride, const void *f, size_t m,
                          const void *p, double least, size_t n, int how) {
  double *o = out;
  const double *fs = f;
  if (how == MCK_SET && n / VD <= SHORT && allrowsnormal(fs, m, least)) {
    switch (n / VD) {
#define CASE(nv) case nv: shortrows(o, stride, fs, m, p, n, nv); return;
      CASE(0) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
#undef CASE
    }
  }
  for (size_t i = 0; i < m; i++, o += stride) {
    if (!allnormal(fs[i], least, DBL_MIN))
      row_f64(o, fs[i], p, n, how, 0);
    else if (how == MCK_SET) row_f64(o, fs[i], p, n, MCK_SET, 1);
    else row_f64(o, fs[i], p, n, how, 1);
  }
  if (how == MCK_STREAM) streamed();
}


INLINE void row_f32d (float *out, double f, const double *p, size_t n,
                         int how, int normal) {
  size_t j = 0;
#define HALF(p) (normal ? f * loadd(p) \
                        : productd(f, loadd(p), (double)FLT_MIN))
#define VALUE(p) joinf(HALF(p), HALF((p) + VD))
  if (how == MCK_STREAM) {
    j = headroom(out, sizeof *out, n);
    storenf(out, VALUE(p), j);
    for (; j + VF <= n; j += VF) streamf(out + j, VALUE(p + j));
  }
  else if (how == MCK_SET)
    for (; j + VF <= n; j += VF) storef(out + j, VALUE(p + j));
  else
    for (; j + VF <= n; j += VF)
      storef(out + j, loadf(out + j) + VALUE(p + j));
  if (j < n) {
    vf v = VALUE(p + j);
    if (how == MCK_ADD) v += loadnf(out + j, n - j);
    storenf(out + j, v, n - j);
  }
#undef VALUE
#undef HALF
}


static void K(gauss_f32d) (void *out, ptrdiff_t stride, const void *f,
                           size_t m, const void *p, double least, size_t n,
                           int how) {
  float *o = out;
  const double *fs = f;
  for (size_t i = 0; i < m; i++, o += stride) {
    if (allnormal(fs[i], least, (double)FLT_MIN))
      row_f32d(o, fs[i], p, n, how, 1);
    else row_f32d(o, fs[i], p, n, how, 0);
  }
  if (how == MCK_STREAM) streamed();
}

/* -------} */


static const mck_gauss K(gauss) = {
  .profile = K(gauss_profile),
  .narrow = K(gauss_narrow),
  .f64 = K(gauss_f64),
  .f32d = K(gauss_f32d),
  .tail = K(gauss_tail),
  .turn = K(gauss_turn)
};

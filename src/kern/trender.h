/*
** trender.h - template of the kernels of krender.h
*/

#include "kaxis.h"


/* {------- windows ------- */

INLINE vd choosed (vl mask, vd a, vd b) {
  return (vd)(((vl)a & mask) | ((vl)b & ~mask));
}


INLINE vd floord (vd x) {
  const double shift = 0x1.8p52;
  vd t = x + shift - shift;
  t -= maskd(alld(1), t > x);
  return choosed(absd(x) < 0x1p51, t, x);  /* others are whole, or NaN */
}


INLINE int anyl (vl mask) {
#if ISA_AVX512
  return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#else
  int64_t any = 0;
  for (int i = 0; i < VD; i++) any |= mask[i];
  return any != 0;
#endif
}


/* the pixel that contains 'c'; pixel j spans 'centre' + j - 0.5 to + 0.5 */
INLINE vd pixelofd (vd c, double centre) {
  vd j = floord(c + (0.5 - centre));
  return j - maskd(alld(1), j + (centre - 0.5) > c);  /* was it rounded up? */
}


/* the next number below x, which is finite */
INLINE vd below (vd x) {
  vl up = (vl)x + ((vl)(x > 0) | ((vl)(x < 0) & 1));
  return choosed((vl)(x == 0), alld(-0x1p-1074), (vd)up);
}


INLINE vd largerd (vd x, double y) { return choosed(x > y, x, alld(y)); }
INLINE vd smallerd (vd x, double y) { return choosed(x < y, x, alld(y)); }


/*
** Along axis 'a': pixels, window, and its part in the image.  Returns the part
** of the mass outside the window.  A centre on the edge of two pixels leaves
** half to each, however small the sigma.
*/
INLINE vd axis (mck_batch *b, const mck_frame *f, int a, size_t i, vl *ok,
                vd *mass) {
  vd c = (loadd(b->c[a] + i) - f->corner[a]) / f->pixel;
  vd s = loadd(b->s[a] + i);
  vl wide, touches;
  vd low, high, inverse, first, last;
  *ok &= s >= 0;
  s = choosed(s < f->min_sigma, alld(f->min_sigma), s) / f->pixel;
  *ok &= (absd(c) <= DBL_MAX) & (absd(s) <= DBL_MAX);
  wide = s >= DBL_MIN;
  low = c - f->k * s;
  high = c + f->k * s;
  touches = wide & (low == c);
  if (anyl(touches)) low = choosed(touches, below(low), low);
  first = pixelofd(low, f->centre);
  last = pixelofd(high, f->centre) + 1;
  stored(b->c[a] + i, c);
  stored(b->s[a] + i, s);
  stored(b->first[a] + i, first);
  stored(b->last[a] + i, last);
  stored(b->from[a] + i, largerd(first, f->first[a]));
  stored(b->to[a] + i, smallerd(last, f->last[a]));
  if (f->peak) *mass = choosed(wide, *mass * (MCK_SQRT_2PI * s), *mass);
  inverse = 1 / s;
  return maskd(vtail((first + (f->centre - 0.5) - c) * inverse) +
               vtail((last + (f->centre - 0.5) - c) * inverse), wide);
}


static void K(render_prepare) (mck_batch *b, const mck_frame *f, size_t n) {
  for (size_t i = 0; i < n; i += VD) {
    vd mass = loadd(b->weight + i), y, x;
    vl ok = absd(mass) <= DBL_MAX;
    y = axis(b, f, 0, i, &ok, &mass);
    x = axis(b, f, 1, i, &ok, &mass);
    stored(b->lost + i, y + x - y * x);
    stored(b->mass + i, choosed(ok, mass, alld(__builtin_nan(""))));
  }
}

/* -------} */


/* {------- drawing ------- */

#define GROUP 16  /* spots whose profiles are computed before they are drawn */
#define SMALL 32  /* most pixels of such a profile */

/* the part of a spot in a tile; 'm' is 0 if it is not a small one */
typedef struct part {
  int32_t row, col, m, n;
} part;


INLINE part clippart (const mck_canvas *t, const mck_spot *s) {
  int32_t lo[2], hi[2];
  for (int a = 0; a < 2; a++) {
    lo[a] = s->from[a] - t->corner[a];
    hi[a] = s->to[a] - t->corner[a];
    if (lo[a] < 0) lo[a] = 0;
    if (hi[a] > t->size[a]) hi[a] = t->size[a];
  }
  return (part) {lo[0], lo[1], hi[0] - lo[0], hi[1] - lo[1]};
}


/* are all of the n values |x| >= least?  Those after them become 0 */
INLINE vd bounded (vd x, vl lane, int64_t n, double least, vl *bad) {
  vl in = lane < n;
  *bad |= in & (absd(x) < least);
  return maskd(x, in);
}


INLINE vl lanes (void) {
  vl v;
  for (int i = 0; i < VD; i++) v[i] = i;
  return v;
}

#define REAL float
#define VEC vf
#define LOAD loadf
#define STORE storef
#define LANES VF
#define LEAST 0x1p-62   /* products are normal */
#define MIN FLT_MIN
#define PRODUCT productf
#define PAIR(out, a, b) storef(out, joinf(a, b))
#define G(name) K(name ## _f32)
#include "tspots.h"

#define REAL double
#define VEC vd
#define LOAD loadd
#define STORE stored
#define LANES VD
#define LEAST 0x1p-510
#define MIN DBL_MIN
#define PRODUCT(f, p) productd(f, p, DBL_MIN)
#define PAIR(out, a, b) (stored(out, a), stored((out) + VD, b))
#define G(name) K(name ## _f64)
#include "tspots.h"

/* -------} */


static const mck_render K(render) = {
  .prepare = K(render_prepare),
  .f64 = K(render_draw_f64),
  .f32 = K(render_draw_f32)
};

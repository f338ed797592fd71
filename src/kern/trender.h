/*
** trender.h - template of the kernels of krender.h
*/

#include "kaxis.h"


/* {------- windows ------- */

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
INLINE vd largestd (vd x, vd y) { return choosed(x > y, x, y); }


/* rounded to float and back */
INLINE vd singled (vd x) {
  typedef float half __attribute__((vector_size(VBYTES / 2)));
  return __builtin_convertvector(__builtin_convertvector(x, half), vd);
}


/* centres or sigmas in pixels */
INLINE vd inpixels (const mck_frame *f, vd x) {
  if (f->pixel != 1) x /= f->pixel;
  return f->single ? singled(x) : x;
}


/* the spot's own sigmas become those of its shadows on the axes */
INLINE void puttilt (mck_batch *b, size_t i, turned t, vd s[2]) {
  stored(b->slope + i, t.slope);
  stored(b->narrow + i, t.narrow);
  s[0] = t.sy;
  s[1] = t.sx;
}


/* sigmas along both axes, turned by an angle if there is one; which are good */
INLINE vl sigmas (mck_batch *b, const mck_frame *f, size_t i, vd s[2]) {
  vd angle = loadd(b->angle + i);
  vl ok = absd(angle) <= MCK_TURNS;
  for (int a = 0; a < 2; a++) {
    s[a] = loadd(b->s[a] + i);
    ok &= s[a] >= 0;
    s[a] = inpixels(f, choosed(s[a] < f->min_sigma, alld(f->min_sigma), s[a]));
  }
  if (f->tilted) puttilt(b, i, turnedby(angle, s[0], s[1]), s);
  return ok;
}


/* the principal sigmas of a covariance, in pixels, are at least 'least' */
INLINE void thicken (vd *yy, vd *xx, vd *xy, vd least) {
  vd mean = (*yy + *xx) * 0.5, half = (*xx - *yy) * 0.5, v = least * least;
  vd gap = rootd(half * half + *xy * *xy), low = mean - gap, high = mean + gap;
  vl thin = low < v;
  vd k = choosed(high > v, (high - v) * 0.5 / gap, alld(0));
  mean = choosed(high > v, (high + v) * 0.5, v);
  *yy = choosed(thin, mean - half * k, *yy);
  *xx = choosed(thin, mean + half * k, *xx);
  *xy = choosed(thin, *xy * k, *xy);
}


/* the same of a covariance.  One that is not quite positive semidefinite only
   as it was rounded, to float at worst, is good */
INLINE vl covariances (mck_batch *b, const mck_frame *f, size_t i, vd s[2]) {
  vd yy = inpixels(f, inpixels(f, loadd(b->s[0] + i)));
  vd xx = inpixels(f, inpixels(f, loadd(b->s[1] + i)));
  vd xy = inpixels(f, inpixels(f, loadd(b->angle + i))), root;
  vl ok = (yy >= 0) & (xx >= 0) & (absd(xy) <= DBL_MAX) &
          (xx * yy * (1 + 0x1p-20) >= xy * xy);
  if (f->min_sigma > 0)
    thicken(&yy, &xx, &xy, inpixels(f, alld(f->min_sigma)));
  root = rootd(largerd(xx * yy - xy * xy, 0));
  puttilt(b, i, turnedd(yy, xx, xy, root), s);
  return ok;
}


/* the sum of both halves, as double */
INLINE vd foldf (vf v) {
  typedef float half __attribute__((vector_size(VBYTES / 2)));
  half h[2];
  __builtin_memcpy(h, &v, sizeof v);
  return __builtin_convertvector(h[0], vd) + __builtin_convertvector(h[1], vd);
}


/* pairs of float: of the lanes of a and b, rounded */
INLINE vd pairs (vd a, vd b) {
  vf v = joinf(a, b);
#if VBYTES == 64
  return (vd)__builtin_shufflevector(v, v, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5,
                                     13, 6, 14, 7, 15);
#elif VBYTES == 32
  return (vd)__builtin_shufflevector(v, v, 0, 4, 1, 5, 2, 6, 3, 7);
#else
  return (vd)__builtin_shufflevector(v, v, 0, 2, 1, 3);
#endif
}


INLINE void storepixels (int32_t *p, vd v) {
  typedef int32_t half __attribute__((vector_size(VBYTES / 2), aligned(4),
                                      may_alias));
  *(half *)p = __builtin_convertvector(v, half);
}


/* the tile along an axis that holds a window, or -1 */
INLINE vd tilealong (vd from, vd to, int shift) {
  double size = (double)(1 << shift), inverse = 1 / size;
  vd tile = floord(from * inverse);
  return choosed(to - tile * size <= size, tile, alld(-1));
}


/*
** The window along axis 'a', and its part in the image.  Returns the part of
** the mass outside the window.  A centre on the edge of two pixels leaves half
** to each, however small the sigma.
*/
INLINE vd window (mck_batch *b, const mck_frame *f, int a, size_t i, vd c,
                  vd s, vl *what, vd home[2]) {
  vl wide = s >= DBL_MIN, touches;
  vd low = c - f->k * s, high = c + f->k * s;
  vd inverse, first, last, from, to;
  touches = wide & (low == c);
  if (anyl(touches)) low = choosed(touches, below(low), low);
  if (f->whole) {
    vd reach = -floord(-(f->k * s));
    first = pixelofd(c, f->centre) - reach;
    last = pixelofd(c, f->centre) + reach + 1;
  }
  else {
    first = pixelofd(low, f->centre);
    last = pixelofd(high, f->centre) + 1;
  }
  stored(b->c[a] + i, c);
  stored(b->s[a] + i, s);
  stored(b->first[a] + i, first);
  stored(b->last[a] + i, last);
  from = largerd(first, f->first[a]);
  to = smallerd(last, f->last[a]);
  *what |= ((from > first) | (to < last)) & MCK_CLIPPED;
  *what |= ~(vl)(from < to) & MCK_CULLED;
  from = smallerd(from, f->last[a]) - f->first[a];
  to = largerd(to, f->first[a]) - f->first[a];
  storepixels(b->from[a] + i, from);
  storepixels(b->to[a] + i, to);
  home[a] = tilealong(from, to, f->shift[a]);
  inverse = 1 / s;
  low = (first + (f->centre - 0.5) - c) * inverse;
  high = (last + (f->centre - 0.5) - c) * inverse;
  return maskd(f->fine ? vtail(low) + vtail(high) : foldf(vtailf(joinf(low, high))),
               wide);
}


#include "tbell.h"


/* the volume of a spot that is 1 high */
INLINE vd volume (vd sy, vd sx) {
  vd y = choosed(sy >= DBL_MIN, MCK_SQRT_2PI * sy, alld(1));
  return choosed(sx >= DBL_MIN, y * (MCK_SQRT_2PI * sx), y);
}


static void K(render_prepare) (mck_batch *b, const mck_frame *f, size_t n) {
  for (size_t i = 0; i < n; i += VD) {
    vd weight = loadd(b->weight + i), c[2], s[2], home[2], y, x, lost;
    vl ok = absd(weight) <= DBL_MAX, what = {0};
    for (int a = 0; a < 2; a++)
      c[a] = inpixels(f, loadd(b->c[a] + i) - f->corner[a]);
    ok &= f->covariant ? covariances(b, f, i, s) : sigmas(b, f, i, s);
    for (int a = 0; a < 2; a++)
      ok &= (absd(c[a]) <= DBL_MAX) & (absd(s[a]) <= DBL_MAX);
    y = window(b, f, 0, i, c[0], s[0], &what, home);
    x = window(b, f, 1, i, c[1], s[1], &what, home);
    lost = y + x - y * x;
    storepixels((int32_t *)b->home + i,
                choosed((home[0] >= 0) & (home[1] >= 0),
                        home[0] * f->row + home[1], alld(-1)));
    if (f->renormalise) {
      weight /= 1 - lost;
      ok &= absd(weight) <= DBL_MAX;
      lost = alld(0);
      stored(b->weight + i, weight);
    }
    if (f->tilted) s[1] = loadd(b->narrow + i);
    if (f->bells) setshapes(b, f, i, s);
    else
      for (int a = 0; a < 2; a++) stored(b->shape[a] + i, s[a]);
    if (f->peak) weight *= volume(s[0], s[1]);
    stored(b->lost + i, lost);
    stored(b->mass + i, weight);
    stored((double *)(void *)(b->what + i),
           (vd)(what | (~ok & MCK_SKIPPED)));
  }
}

/* -------} */


/* {------- drawing ------- */

#define GROUP 16  /* spots whose profiles are computed before they are drawn */
#define ROWS 12   /* as many rows are drawn of spots with less */

/* the part of a spot in a tile; 'm' is 0 if it is not a small one */
typedef struct part {
  int32_t row, col, m, n;
} part;


/* where the centres of the tile's pixels are, and of some beyond */
typedef struct pixels {
  double rows[MCK_TILEH + MCK_SMALL];
  double cols[MCK_TILEB / sizeof(float) + MCK_SMALL];
} pixels;


INLINE void setpixels (pixels *at, const mck_canvas *t) {
  for (size_t j = 0; j < sizeof at->rows / sizeof *at->rows; j += VD)
    stored(at->rows + j, t->first[0] + ((double)j + ramp()));
  for (size_t j = 0; j < sizeof at->cols / sizeof *at->cols; j += VD)
    stored(at->cols + j, t->first[1] + ((double)j + ramp()));
}


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

#define BELLS 1
#define REAL float
#define VEC vf
#define LOAD loadf
#define STORE storef
#define LANES VF
#define LEAST 0x1p-62   /* products are normal */
#define MIN FLT_MIN
#define MAX (double)FLT_MAX
#define PRODUCT productf
#define FLUSH flushf
#define PAIR(out, a, b) storef(out, joinf(a, b))
#define G(name) K(name ## _f32)
#include "tspots.h"

#define BELLS 0
#define REAL double
#define VEC vd
#define LOAD loadd
#define STORE stored
#define LANES VD
#define LEAST 0x1p-510
#define MIN DBL_MIN
#define MAX DBL_MAX
#define PRODUCT(f, p) productd(f, p, DBL_MIN)
#define FLUSH flushd
#define PAIR(out, a, b) (stored(out, a), stored((out) + VD, b))
#define G(name) K(name ## _f64)
#include "tspots.h"

/* -------} */


static const mck_render K(render) = {
  .prepare = K(render_prepare),
  .f64 = K(render_draw_f64),
  .f32 = K(render_draw_f32)
};

/*
** ttopn.h - template of the kernels of ktopn.h: both element types
**
** MAX takes 'b' where 'a' is NaN.  GE has a bit for each lane with a >= b.
*/

#include <string.h>

#define FEW 8        /* vectors of maxima that stay in registers */
#define MAXIMA 1024  /* at most */
#define BUNCH 32     /* scores of a group */
#define FOUND 32     /* no more are held after a group; at least MCK_FEW */
#define OFTEN 24     /* no more are found in most rows */

#if ISA_AVX512
INLINE vd topn_maxd (vd a, vd b) { return _mm512_max_pd(a, b); }
INLINE vf topn_maxf (vf a, vf b) { return _mm512_max_ps(a, b); }
INLINE unsigned topn_ged (vd a, vd b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_GE_OQ);
}
INLINE unsigned topn_gef (vf a, vf b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ);
}
#elif ISA_AVX2
INLINE vd topn_maxd (vd a, vd b) { return _mm256_max_pd(a, b); }
INLINE vf topn_maxf (vf a, vf b) { return _mm256_max_ps(a, b); }
INLINE unsigned topn_ged (vd a, vd b) {
  return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GE_OQ));
}
INLINE unsigned topn_gef (vf a, vf b) {
  return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GE_OQ));
}
#elif defined(__x86_64__)
INLINE vd topn_maxd (vd a, vd b) { return _mm_max_pd(a, b); }
INLINE vf topn_maxf (vf a, vf b) { return _mm_max_ps(a, b); }
INLINE unsigned topn_ged (vd a, vd b) {
  return (unsigned)_mm_movemask_pd(_mm_cmpge_pd(a, b));
}
INLINE unsigned topn_gef (vf a, vf b) {
  return (unsigned)_mm_movemask_ps(_mm_cmpge_ps(a, b));
}
#else
INLINE vd topn_maxd (vd a, vd b) {
  vl m = a > b;
  return (vd)(((vl)a & m) | ((vl)b & ~m));
}
INLINE vf topn_maxf (vf a, vf b) {
  vi m = a > b;
  return (vf)(((vi)a & m) | ((vi)b & ~m));
}
INLINE unsigned topn_ged (vd a, vd b) {
  unsigned mask = 0;
  for (int k = 0; k < VD; k++) mask |= (unsigned)(a[k] >= b[k]) << k;
  return mask;
}
INLINE unsigned topn_gef (vf a, vf b) {
  unsigned mask = 0;
  for (int k = 0; k < VF; k++) mask |= (unsigned)(a[k] >= b[k]) << k;
  return mask;
}
#endif

/* the largest lane */
INLINE double topn_topd (vd a) {
#if ISA_AVX512
  return _mm512_reduce_max_pd(a);
#else
  double m = a[0];
  for (int k = 1; k < VD; k++) m = a[k] > m ? a[k] : m;
  return m;
#endif
}

INLINE float topn_topf (vf a) {
#if ISA_AVX512
  return _mm512_reduce_max_ps(a);
#else
  float m = a[0];
  for (int k = 1; k < VF; k++) m = a[k] > m ? a[k] : m;
  return m;
#endif
}

/* {------- scores as integers in the same order, and back ------- */

INLINE int64_t K(topn_key_f64) (double x) {
  union {double x; int64_t k;} u = {x};
  return u.k >= 0 ? u.k : u.k ^ INT64_MAX;
}

INLINE double K(topn_value_f64) (int64_t k) {
  union {int64_t k; double x;} u = {k >= 0 ? k : k ^ INT64_MAX};
  return u.x;
}

INLINE int32_t K(topn_key_f32) (float x) {
  union {float x; int32_t k;} u = {x};
  return u.k >= 0 ? u.k : u.k ^ INT32_MAX;
}

INLINE float K(topn_value_f32) (int32_t k) {
  union {int32_t k; float x;} u = {k >= 0 ? k : k ^ INT32_MAX};
  return u.x;
}

/* the next up; NaN, which no score reaches, after infinity */
INLINE double K(topn_next_f64) (double x) {
  return K(topn_value_f64)(K(topn_key_f64)(x + 0.0) + 1);
}

INLINE float K(topn_next_f32) (float x) {
  return K(topn_value_f32)(K(topn_key_f32)(x + 0.0f) + 1);
}

/* -------} */

#define REAL double
#define VEC vd
#define BITS vl
#define LOAD loadd
#define ALL alld
#define MAX topn_maxd
#define GE topn_ged
#define TOP topn_topd
#define KEY int64_t
#define S(name) K(name ## _f64)
#include "tscan.h"
#include "tshort.h"

#define REAL float
#define VEC vf
#define BITS vi
#define LOAD loadf
#define ALL allf
#define MAX topn_maxf
#define GE topn_gef
#define TOP topn_topf
#define KEY int32_t
#define S(name) K(name ## _f32)
#include "tscan.h"
#include "tshort.h"

static const mck_topn K(topn) = {
  .f64 = &K(topn_f64),
  .f32 = &K(topn_f32)
};

#undef FEW
#undef BUNCH
#undef FOUND
#undef OFTEN
#undef MAXIMA

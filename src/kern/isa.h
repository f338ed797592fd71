/*
** isa.h - vectors of the instruction set that a unit is compiled for
**
** A unit (kbase.c, kavx2.c, ...) defines ISA and VBYTES, switches the target
** on and includes kbody.h.  Vector types are the compiler's own, so that one
** text serves every instruction set; what the compiler cannot say (masks,
** streaming stores) has a small inline function here for each.
**
** Results must be the same bits for every unit, so nothing here may contract
** a multiplication and an addition; where a fused product cannot change a
** result, a kernel asks for it by name.
*/

#ifndef ISA_H
#define ISA_H

#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize ("fp-contract=off", "no-trapping-math")
#endif

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define K_(name, isa) name ## _ ## isa
#define K__(name, isa) K_(name, isa)
#define K(name) K__(name, ISA)  /* this unit's copy of 'name' */

/* before a loop whose output may be one of its inputs, element by element */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"  /* a call in the loop */
#define IVDEP _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define IVDEP _Pragma("GCC ivdep")
#else
#define IVDEP
#endif

#define INLINE static inline __attribute__((always_inline))

/* how many fit a vector */
#define VD (VBYTES / 8)
#define VF (VBYTES / 4)

typedef double vd __attribute__((vector_size(VBYTES)));
typedef float vf __attribute__((vector_size(VBYTES)));
typedef int64_t vl __attribute__((vector_size(VBYTES)));
typedef int32_t vi __attribute__((vector_size(VBYTES)));

/* the same without an alignment, to load and store anywhere */
typedef double vdu __attribute__((vector_size(VBYTES), aligned(8), may_alias));
typedef float vfu __attribute__((vector_size(VBYTES), aligned(4), may_alias));

INLINE vd loadd (const double *p) { return *(const vdu *)p; }
INLINE vf loadf (const float *p) { return *(const vfu *)p; }
INLINE void stored (double *p, vd v) { *(vdu *)p = v; }
INLINE void storef (float *p, vf v) { *(vfu *)p = v; }
/* the first n < VD (VF) elements only; the others are read as 0 */
#if ISA_AVX512

INLINE vd loadnd (const double *p, size_t n) {
  return _mm512_maskz_loadu_pd((__mmask8)((1u << n) - 1), p);
}
INLINE vf loadnf (const float *p, size_t n) {
  return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p);
}
INLINE void storend (double *p, vd v, size_t n) {
  _mm512_mask_storeu_pd(p, (__mmask8)((1u << n) - 1), v);
}
INLINE void storenf (float *p, vf v, size_t n) {
  _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), v);
}

#else

INLINE vd loadnd (const double *p, size_t n) {
  vd v = {0};
  for (size_t i = 0; i < n; i++) v[i] = p[i];
  return v;
}
INLINE vf loadnf (const float *p, size_t n) {
  vf v = {0};
  for (size_t i = 0; i < n; i++) v[i] = p[i];
  return v;
}
INLINE void storend (double *p, vd v, size_t n) {
  for (size_t i = 0; i < n; i++) p[i] = v[i];
}
INLINE void storenf (float *p, vf v, size_t n) {
  for (size_t i = 0; i < n; i++) p[i] = v[i];
}

#endif

/* past the caches, to an aligned place; after the last one, streamed() */
#if ISA_AVX512
INLINE void streamd (double *p, vd v) { _mm512_stream_pd(p, v); }
INLINE void streamf (float *p, vf v) { _mm512_stream_ps(p, v); }
INLINE void streamed (void) { _mm_sfence(); }
#elif ISA_AVX2
INLINE void streamd (double *p, vd v) { _mm256_stream_pd(p, v); }
INLINE void streamf (float *p, vf v) { _mm256_stream_ps(p, v); }
INLINE void streamed (void) { _mm_sfence(); }
#elif defined(__x86_64__)
INLINE void streamd (double *p, vd v) { _mm_stream_pd(p, v); }
INLINE void streamf (float *p, vf v) { _mm_stream_ps(p, v); }
INLINE void streamed (void) { _mm_sfence(); }
#else
INLINE void streamd (double *p, vd v) { *(vd *)p = v; }
INLINE void streamf (float *p, vf v) { *(vf *)p = v; }
INLINE void streamed (void) { }
#endif

INLINE vd alld (double x) { return x - (vd){0}; }
INLINE vf allf (float x) { return x - (vf){0}; }

INLINE vd rootd (vd x) {
#if ISA_AVX512
  return (vd)_mm512_sqrt_pd((__m512d)x);
#elif ISA_AVX2
  return (vd)_mm256_sqrt_pd((__m256d)x);
#elif defined(__x86_64__)
  return (vd)_mm_sqrt_pd((__m128d)x);
#else
  for (size_t i = 0; i < VD; i++) x[i] = __builtin_sqrt(x[i]);
  return x;
#endif
}

#endif

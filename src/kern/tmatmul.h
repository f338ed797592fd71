/*
** tmatmul.h - template of the kernels of kmatmul.h: both element types
**
** The one place that may fuse multiplication and addition into what changes
** a result: products differ between instruction sets in their last bits.
*/

#define MR_ROWS8(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define MR_ROWS4(X) X(0) X(1) X(2) X(3)

/*
** A tile is MR rows of three vectors: with AVX-512, 24 of 32 registers are
** sums; otherwise 12 of 16.
*/
#if ISA_AVX512
#define MR 8
#define EACHROW(X) MR_ROWS8(X)
#else
#define MR 4
#define EACHROW(X) MR_ROWS4(X)
#endif

#if ISA_AVX512
INLINE vd fusedd (vd a, vd b, vd c) { return _mm512_fmadd_pd(a, b, c); }
INLINE vf fusedf (vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }
#elif ISA_AVX2
INLINE vd fusedd (vd a, vd b, vd c) { return _mm256_fmadd_pd(a, b, c); }
INLINE vf fusedf (vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
#else
INLINE vd fusedd (vd a, vd b, vd c) { return a * b + c; }
INLINE vf fusedf (vf a, vf b, vf c) { return a * b + c; }
#endif

#define REAL double
#define VEC vd
#define LOAD loadd
#define STORE stored
#define ALL alld
#define FUSED fusedd
#define G(name) K(name ## _f64)
#include "tgemm.h"

#define REAL float
#define VEC vf
#define LOAD loadf
#define STORE storef
#define ALL allf
#define FUSED fusedf
#define G(name) K(name ## _f32)
#include "tgemm.h"

static const mck_matmul K(matmul) = {
  .f64 = {sizeof(double), MR, 3 * VD, 256, K(pack_f64), K(block_f64),
          K(rows_f64), K(cols_f64)},
  .f32 = {sizeof(float), MR, 3 * VF, 256, K(pack_f32), K(block_f32),
          K(rows_f32), K(cols_f32)}
};

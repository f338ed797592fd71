/* kavx2.c - kernels for CPUs with AVX2 and FMA */

#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push \
  (__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target ("avx2,fma")
#endif

#define ISA avx2
#define ISA_AVX2 1
#define VBYTES 32
#include "kbody.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#else
typedef int nothing;  /* a unit must declare something */
#endif

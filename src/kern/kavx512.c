/* kavx512.c - kernels for CPUs with AVX-512 F, BW, DQ, VL */

#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push \
  (__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#else
#pragma GCC target ("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
#endif

#define ISA avx512
#define ISA_AVX512 1
#define VBYTES 64
#include "kbody.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#else
typedef int nothing;  /* a unit must declare something */
#endif

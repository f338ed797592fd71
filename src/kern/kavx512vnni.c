/* kavx512vnni.c - kernels for CPUs with AVX-512 and VNNI, and AMX too */

#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push \
  (__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,amx-int8,amx-tile,avx2,fma"))), apply_to = function)
#else
#pragma GCC target ("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,amx-int8,amx-tile,avx2,fma")
#endif

#define ISA avx512vnni
#define ISA_AVX512 1
#define ISA_VNNI 1
#define VBYTES 64
#include "kbody.h"

const mck_table mck_table_amx = TABLE("amx", K(recommendwave));

#if defined(__clang__)
#pragma clang attribute pop
#endif

#else
typedef int nothing;  /* a unit must declare something */
#endif

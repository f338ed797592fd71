/*
** kselect.c - which instruction set to use
*/

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "kern.h"


#if defined(__x86_64__)

/* does MASCON_CPU allow the 'level'-th name of 'names' (or say nothing)? */
static int allowed (int level) {
  static const char *const names[] = {"base", "avx2", "avx512", "avx512vnni",
                                      "amx"};
  const char *cap = getenv("MASCON_CPU");
  if (cap == NULL) return 1;
  for (int i = 0; i < 5; i++)
    if (strcmp(cap, names[i]) == 0) return level <= i;
  return 1;
}


/*
** Does the CPU have tiles of bytes, and the system let this process use them?
** It has to be asked, as signals then need more of an alternate stack.
*/
static int amx (void) {
#if defined(__linux__)
  const unsigned tile = 1u << 24, bytes = 1u << 25;
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & tile) && (d & bytes) &&
         syscall(SYS_arch_prctl, 0x1023 /* ARCH_REQ_XCOMP_PERM */, 18) == 0;
#else
  return 0;
#endif
}


static const mck_table *choose (void) {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !allowed(1)) return &mck_table_base;
  if (!__builtin_cpu_supports("avx512f") ||
      !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512vl") || !allowed(2))
    return &mck_table_avx2;
  if (!__builtin_cpu_supports("avx512vnni") || !allowed(3))
    return &mck_table_avx512;
  return allowed(4) && amx() ? &mck_table_amx : &mck_table_avx512vnni;
}

#else

static const mck_table *choose (void) {
  return &mck_table_base;
}

#endif


/*
** No lock: every thread chooses the same table, and tables are constants, so
** a race only stores one pointer twice.
*/
const mck_table *mck_get (void) {
  static _Atomic(const mck_table *) chosen;
  const mck_table *t = atomic_load_explicit(&chosen, memory_order_relaxed);
  if (t == NULL) {
    t = choose();
    atomic_store_explicit(&chosen, t, memory_order_relaxed);
  }
  return t;
}

/*
** memory.c - every byte the library allocates comes from here
**
** calloc rather than posix_memalign, because it hands out fresh pages for
** large blocks without clearing them; a header of one cache line before the
** block keeps what free needs.  A host may give us memory in place of libc.
*/

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "memory.h"

#define ALIGN 64
#define PAGE 4096  /* bytes of memory that come at a time, or more do */
#define HUGE ((uintptr_t)2 << 20)  /* a huge page, or a multiple of one */

static _Atomic int64_t allowed = -1;  /* allocations until failure; < 0: off */
static mascon_allocator host;  /* alloc NULL: libc */


/* is this allocation to fail? */
static bool refused (void) {
  int64_t n = atomic_load_explicit(&allowed, memory_order_relaxed);
  while (n > 0) {
    if (atomic_compare_exchange_weak(&allowed, &n, n - 1)) return false;
  }
  return n == 0;
}


/*
** Ask for huge pages: the first touch of fresh memory then costs two fifths
** as much.  Only whole ones, and only where there are some, as they may hold
** more memory than is touched.
*/
static void askhuge (char *p, size_t bytes) {
#if defined(MADV_HUGEPAGE)
  uintptr_t lo = ((uintptr_t)p + HUGE - 1) & ~(HUGE - 1);
  uintptr_t hi = ((uintptr_t)p + bytes) & ~(HUGE - 1);
  if (bytes >= 2 * HUGE && lo < hi) madvise((void *)lo, hi - lo, MADV_HUGEPAGE);
#else
  (void)p;
  (void)bytes;
#endif
}


static char *fromlibc (size_t bytes, bool clear) {
  char *p = clear ? calloc(bytes, 1) : malloc(bytes);
  if (p != NULL) askhuge(p, bytes);
  return p;
}


static char *fromhost (size_t bytes, bool clear) {
  char *p = host.alloc(host.ud, bytes);
  if (p != NULL && clear) memset(p, 0, bytes);
  return p;
}


/* a block that was never used, of 'room' bytes */
static mc_block *fresh (size_t room, bool clear) {
  char *(*from) (size_t, bool) = host.alloc != NULL ? fromhost : fromlibc;
  char *origin = from(room + 2 * ALIGN, clear);
  mc_block *b;
  if (origin == NULL && mc_kept() > 0) {
    mascon_memory_trim();
    origin = from(room + 2 * ALIGN, clear);
  }
  if (origin == NULL) return NULL;
  b = (mc_block *)(((uintptr_t)origin + ALIGN) & ~(uintptr_t)(ALIGN - 1));
  b->origin = origin;
  b->room = room;
  return b;
}


void mc_dropblock (mc_block *b) {
  if (host.alloc != NULL)
    host.release(host.ud, b->origin, b->room + 2 * ALIGN);
  else free(b->origin);
}


/* a block for 'bytes' that are counted */
static mc_block *getblock (size_t bytes, bool clear) {
  size_t room = host.alloc == NULL ? mc_keeproom(bytes) : bytes;
  mc_block *b = host.alloc == NULL ? mc_unkeep(room) : NULL;
  if (b == NULL) return fresh(room, clear);
  if (clear) memset((char *)b + ALIGN, 0, bytes);
  return b;
}


static void *get (size_t count, size_t size, bool clear) {
  size_t bytes;
  mc_block *b;
  if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
  if (bytes > PTRDIFF_MAX / 2 || refused()) return NULL;
  if (bytes == 0) bytes = 1;
  if (!mc_countnew((int64_t)bytes)) return NULL;
  b = getblock(bytes, clear);
  if (b == NULL) {
    mc_countfree((int64_t)bytes);
    return NULL;
  }
  b->bytes = bytes;
  return (char *)b + ALIGN;
}


void *mc_alloc (size_t count, size_t size) {
  return get(count, size, false);
}


void *mc_zalloc (size_t count, size_t size) {
  return get(count, size, true);
}


void mc_free (void *p) {
  mc_block *b;
  if (p == NULL) return;
  b = (mc_block *)((char *)p - ALIGN);
  mc_countfree((int64_t)b->bytes);
  if (host.alloc != NULL || !mc_keep(b)) mc_dropblock(b);
}


int mascon_memory_use (const mascon_allocator *a) {
  mascon_memory m;
  mascon_memory_now(&m);
  if (m.blocks != 0) return MASCON_EVALUE;
  if (a != NULL && (a->size < sizeof *a || a->alloc == NULL ||
      a->release == NULL)) return MASCON_EVALUE;
  mascon_memory_trim();
  host = a != NULL ? *a : (mascon_allocator){0};
  return MASCON_OK;
}


void mc_touch (char *p, const char *end) {
  for (; p < end; p += PAGE) *p = 0;
}


bool mc_mul (int64_t a, int64_t b, int64_t *r) {
  return !__builtin_mul_overflow(a, b, r);
}


void mascon_memory_fail (int64_t n) {
  atomic_store(&allowed, n);
}


/* {------- what there is ------- */

/* the number in a file of the system, INT64_MAX where there is none */
static int64_t numberin (const char *path) {
  FILE *f = fopen(path, "r");
  long long n = -1;
  if (f != NULL) {
    if (fscanf(f, "%lld", &n) != 1) n = -1;
    fclose(f);
  }
  return n >= 0 ? (int64_t)n : INT64_MAX;
}


static int64_t least (int64_t a, int64_t b) { return a < b ? a : b; }


static int64_t resource (int which) {
  struct rlimit l;
  if (getrlimit(which, &l) != 0 || l.rlim_cur == RLIM_INFINITY ||
      l.rlim_cur > (rlim_t)INT64_MAX) return INT64_MAX;
  return (int64_t)l.rlim_cur;
}


int64_t mascon_memory_limit (void) {
  int64_t pages = (int64_t)sysconf(_SC_PHYS_PAGES);
  int64_t size = (int64_t)sysconf(_SC_PAGESIZE), n = INT64_MAX;
  mascon_memory m;
  mascon_memory_now(&m);
  if (pages > 0 && size > 0) n = pages * size;
  if (m.limit >= 0) n = least(n, m.limit);
  n = least(n, least(resource(RLIMIT_AS), resource(RLIMIT_DATA)));
  return least(n, numberin("/sys/fs/cgroup/memory.max"));
}

/* -------} */

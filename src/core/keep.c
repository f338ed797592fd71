/*
** keep.c - freed blocks are kept for reuse
**
** Fresh pages cost more than most kernels do with them.  Blocks of a room are
** a stack; a block is taken by taking the whole stack and putting back the
** rest, so that no lock is needed, no block is seen twice, and a fork at any
** time leaves the child nothing worse than a stack that it does not find.
** All rooms together are bounded; what is in the way of others is given up in
** turn.
*/

#include "memory.h"

#define LEAST 13  /* log2 of the least room that is kept */
#define MOST ((size_t)36 << 20)  /* the largest: 32 MiB and what goes with it */
#define STEPS 8   /* rooms between two powers of two */
#define NROOMS ((25 - LEAST) * STEPS + 2)

#define BOUND ((int64_t)64 << 20)

static struct {
  _Atomic int64_t bytes;
  _Atomic unsigned victim;  /* the stack to be given up next */
  _Atomic(mc_block *) stack[NROOMS];
} kept;


static bool fits (size_t room) {
  return (size_t)1 << LEAST <= room && room <= MOST;
}


/* the distance of rooms near 'room' */
static size_t step (size_t room) {
  return ((size_t)1 << (63 - __builtin_clzll(room))) / STEPS;
}


/* a multiple of the step, which is what tells rooms apart */
size_t mc_keeproom (size_t bytes) {
  size_t s;
  if (bytes <= MC_SMALL) return (bytes + 63) & ~(size_t)63;
  if (!fits(bytes)) return bytes;
  s = step(bytes);
  return (bytes + s - 1) / s * s;
}


/* the stack for a room, or -1 */
static int place (size_t room) {
  int log = 63 - __builtin_clzll(room);
  if (!fits(room)) return -1;
  return (log - LEAST) * STEPS + (int)(room / step(room)) - STEPS;
}


static mc_block *takeall (int i) {
  return atomic_exchange_explicit(&kept.stack[i], NULL, memory_order_acq_rel);
}


/* put a stack back; what others have put there meanwhile goes on top */
static void putback (int i, mc_block *b) {
  mc_block *none = NULL;
  while (b != NULL && !atomic_compare_exchange_strong_explicit(
         &kept.stack[i], &none, b, memory_order_acq_rel,
         memory_order_relaxed)) {
    mc_block *more = takeall(i), *last = more;
    none = NULL;
    if (more == NULL) continue;
    while (last->next != NULL) last = last->next;
    last->next = b;
    b = more;
  }
}


static void count (int64_t bytes) {
  atomic_fetch_add_explicit(&kept.bytes, bytes, memory_order_relaxed);
}


static void dropall (int i) {
  mc_block *b = takeall(i);
  while (b != NULL) {
    mc_block *next = b->next;
    count(-(int64_t)b->room);
    mc_dropblock(b);
    b = next;
  }
}


void mascon_memory_trim (void) {
  mc_emptypocket();
  for (int i = 0; i < NROOMS; i++) dropall(i);
}


int64_t mc_kept (void) {
  return atomic_load_explicit(&kept.bytes, memory_order_relaxed);
}


/* count 'room' bytes more; false where the bound does not allow it */
static bool reserve (int64_t room) {
  if (atomic_fetch_add_explicit(&kept.bytes, room, memory_order_relaxed) +
      room <= BOUND) return true;
  count(-room);
  return false;
}


bool mc_keep (mc_block *b) {
  int i = place(b->room);
  if (MC_CHECKED || mc_spare() < (int64_t)b->room) return false;
  if (b->room <= MC_SMALL) return mc_pocket(b);
  if (i < 0) return false;
  for (int tries = 0; !reserve((int64_t)b->room); tries++) {
    if (tries == NROOMS) return false;
    dropall((int)(atomic_fetch_add_explicit(&kept.victim, 1,
                                            memory_order_relaxed) % NROOMS));
  }
  b->next = atomic_load_explicit(&kept.stack[i], memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&kept.stack[i], &b->next, b,
         memory_order_acq_rel, memory_order_relaxed)) {}
  return true;
}


mc_block *mc_unkeep (size_t room) {
  int i = place(room);
  mc_block *b;
  if (room <= MC_SMALL) return mc_unpocket(room);
  if (i < 0 || atomic_load_explicit(&kept.stack[i], memory_order_relaxed) ==
      NULL || (b = takeall(i)) == NULL) return NULL;
  putback(i, b->next);
  count(-(int64_t)b->room);
  return b;
}

/*
** tally.c - what memory a thread holds, and small blocks that it keeps
**
** Each thread counts for itself, as one counter for all would be what many
** states wait for.  A thread may free what another has allocated, so that one
** tally alone may be below 0; the sum is right at any time.  What would make
** it exceed the limit is not counted, and must not be allocated.
*/

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define LOOK (64 << 10)  /* a thread looks for a new peak after so many bytes */

#define POCKET (2 << 20)  /* bytes of small blocks that a thread keeps */

/* what one thread has allocated, less what it has freed; only it writes */
typedef struct tally {
  _Alignas(64) _Atomic int64_t bytes;
  _Atomic int64_t blocks, calls;
  _Atomic int64_t kept;  /* bytes of what is in the pocket, by room */
  mc_block *pocket[MC_SMALL / 64];
  int64_t grown;  /* since it looked for a peak */
  atomic_bool taken;
  struct tally *next;
} tally;

static tally common;  /* of threads that could not get their own */
static _Atomic(tally *) tallies = &common;
static _Thread_local tally *mine;
static pthread_key_t atend;
static _Atomic int64_t peak;
static _Atomic int64_t limit = -1;  /* < 0: none */


static void empty (tally *t) {
  for (int i = 0; i < MC_SMALL / 64; i++)
    for (mc_block *b = t->pocket[i], *next; b != NULL; b = next) {
      next = b->next;
      mc_dropblock(b);
    }
  memset(t->pocket, 0, sizeof t->pocket);
  atomic_store_explicit(&t->kept, 0, memory_order_relaxed);
}


/* a thread ends: its tally waits for another one */
static void giveback (void *ud) {
  tally *t = ud;
  empty(t);
  mine = NULL;
  atomic_store_explicit(&t->taken, false, memory_order_release);
}


static void makekey (void) {
  pthread_key_create(&atend, giveback);
}


static tally *newtally (void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  tally *t = atomic_load(&tallies);
  pthread_once(&once, makekey);
  for (; t != &common; t = t->next) {
    bool no = false;
    if (atomic_compare_exchange_strong(&t->taken, &no, true)) break;
  }
  if (t == &common) {
    if ((t = aligned_alloc(64, sizeof *t)) == NULL) return &common;
    memset(t, 0, sizeof *t);
    atomic_init(&t->taken, true);
    t->next = atomic_load(&tallies);
    while (!atomic_compare_exchange_weak(&tallies, &t->next, t)) {}
  }
  pthread_setspecific(atend, t);
  return mine = t;
}


static tally *gettally (void) {
  return mine != NULL ? mine : newtally();
}


static void add (const tally *t, _Atomic int64_t *n, int64_t by) {
  if (t == &common) atomic_fetch_add_explicit(n, by, memory_order_relaxed);
  else
    atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) +
                          by, memory_order_relaxed);
}


/* 'now' bytes are held: is it a new peak?  Return the peak */
static int64_t raisepeak (int64_t now) {
  int64_t top = atomic_load_explicit(&peak, memory_order_relaxed);
  while (top < now && !atomic_compare_exchange_weak(&peak, &top, now)) {}
  return top < now ? now : top;
}


/* what all threads hold; no peak, which is not theirs */
static mascon_memory sum (void) {
  mascon_memory m = {.kept = mc_kept()};
  for (tally *t = atomic_load(&tallies); t != NULL; t = t->next) {
    m.bytes += atomic_load_explicit(&t->bytes, memory_order_relaxed);
    m.blocks += atomic_load_explicit(&t->blocks, memory_order_relaxed);
    m.calls += atomic_load_explicit(&t->calls, memory_order_relaxed);
    m.kept += atomic_load_explicit(&t->kept, memory_order_relaxed);
  }
  m.limit = atomic_load_explicit(&limit, memory_order_relaxed);
  return m;
}


void mascon_memory_now (mascon_memory *m) {
  *m = sum();
  m->peak = raisepeak(m->bytes);
}


void mascon_memory_setlimit (int64_t bytes) {
  atomic_store(&limit, bytes < 0 ? -1 : bytes);
}


int64_t mc_spare (void) {
  mascon_memory m;
  if (atomic_load_explicit(&limit, memory_order_relaxed) < 0) return INT64_MAX;
  m = sum();
  return m.limit - m.bytes - m.kept;
}


/*
** This thread has counted what it is about to allocate: is that too much?  Of
** two threads that ask at once, the one that comes to 'turn' later sees what
** the other has counted.
*/
static bool toomuch (int64_t most) {
  static _Atomic int turn;
  mascon_memory m;
  if (most < 0) return false;
  atomic_fetch_add_explicit(&turn, 1, memory_order_acq_rel);
  m = sum();
  if (m.bytes > most) return true;
  if (m.bytes + m.kept > most) mascon_memory_trim();
  return false;
}


bool mc_countnew (int64_t bytes) {
  tally *t = gettally();
  int64_t most = atomic_load_explicit(&limit, memory_order_relaxed);
  add(t, &t->bytes, bytes);
  add(t, &t->blocks, 1);
  if (toomuch(most)) {
    mc_countfree(bytes);
    return false;
  }
  add(t, &t->calls, 1);
  if (t != &common && (t->grown += bytes) < LOOK) return true;
  if (t != &common) t->grown = 0;
  raisepeak(sum().bytes);
  return true;
}


void mc_countfree (int64_t bytes) {
  tally *t = gettally();
  add(t, &t->bytes, -bytes);
  add(t, &t->blocks, -1);
}


void mc_emptypocket (void) {
  if (mine != NULL) empty(mine);
}


bool mc_pocket (mc_block *b) {
  tally *t = gettally();
  int64_t room = (int64_t)b->room;
  if (t == &common || room +
      atomic_load_explicit(&t->kept, memory_order_relaxed) > POCKET)
    return false;
  b->next = t->pocket[room / 64 - 1];
  t->pocket[room / 64 - 1] = b;
  add(t, &t->kept, room);
  return true;
}


mc_block *mc_unpocket (size_t room) {
  tally *t = gettally();
  mc_block *b = t->pocket[room / 64 - 1];
  if (b == NULL) return NULL;
  t->pocket[room / 64 - 1] = b->next;
  add(t, &t->kept, -(int64_t)room);
  return b;
}

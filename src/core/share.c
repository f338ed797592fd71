/*
** share.c - tokens: arrays that wait to be taken by another thread or state
**
** A token is the number of this copy of the library above a serial number.
** Two copies in one process lie at different pages, which is what tells them
** apart, unless they are a multiple of 4 GiB from each other.
*/

#include <pthread.h>

#include "core.h"

#define FEW 64
#define SERIALS ((int64_t)1 << 32)

typedef struct entry {
  struct entry *next;
  int64_t serial, uses;
  mascon_array array;
} entry;

/* of a serial, the bits in 'mask' say in which bucket its entry hangs */
static entry *few[FEW];
static struct {
  pthread_mutex_t lock;
  int64_t last;   /* serial given out last */
  int64_t count;  /* of entries */
  int64_t mask;
  entry **bucket;
} tokens = {PTHREAD_MUTEX_INITIALIZER, 0, 0, FEW - 1, few};


/* {------- the lock; a forked child finds it open ------- */

static void lock (void) {
  pthread_mutex_lock(&tokens.lock);
}


static void unlock (void) {
  pthread_mutex_unlock(&tokens.lock);
}


static void watchfork (void) {
  pthread_atfork(lock, unlock, unlock);
}

/* -------} */


/* 20 bits of where this copy lies, above the serials */
static int64_t copy (void) {
  return (int64_t)(((uintptr_t)&tokens >> 12) & 0xfffff) * SERIALS;
}


/* where the entry of 'token' hangs: '*place' is NULL where there is none */
static int find (int64_t token, entry ***place) {
  int64_t serial;
  if (token <= copy() || token > copy() + tokens.last) return MASCON_EVALUE;
  serial = token - copy();
  *place = &tokens.bucket[serial & tokens.mask];
  while (**place != NULL && (**place)->serial != serial)
    *place = &(**place)->next;
  return **place != NULL ? MASCON_OK : MASCON_ERANGE;
}


/* hang all entries into 'n' buckets, a power of two */
static void rehang (entry **bucket, int64_t n) {
  for (int64_t i = 0; i <= tokens.mask; i++) {
    entry *e = tokens.bucket[i], *next;
    for (; e != NULL; e = next) {
      next = e->next;
      e->next = bucket[e->serial & (n - 1)];
      bucket[e->serial & (n - 1)] = e;
    }
    tokens.bucket[i] = NULL;
  }
  if (tokens.bucket != few) mc_free(tokens.bucket);
  tokens.bucket = bucket;
  tokens.mask = n - 1;
}


/* an entry more, or, unhung already, one less */
static void addentry (entry *e) {
  entry **more = NULL, **bucket;
  int64_t n = 4 * (tokens.mask + 1);
  if (tokens.count > tokens.mask) more = mc_zalloc((size_t)n, sizeof *more);
  if (more != NULL) rehang(more, n);  /* else lists are longer, that is all */
  bucket = &tokens.bucket[e->serial & tokens.mask];
  e->next = *bucket;
  *bucket = e;
  tokens.count++;
}


static void cutentry (entry **place) {
  *place = (*place)->next;
  if (--tokens.count == 0) rehang(few, FEW);
}


int mascon_share (const mascon_array *a, int64_t uses, int64_t *token) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  int status = mc_check(a);
  entry *e;
  if (status != MASCON_OK) return status;
  if (a->buffer == NULL) return MASCON_EVALUE;
  if (uses < 1) return MASCON_ERANGE;
  if ((e = mc_alloc(1, sizeof *e)) == NULL) return MASCON_ENOMEM;
  mascon_view(&e->array, a);
  e->array.flags = a->flags;  /* a view only if it was one */
  e->uses = uses;
  pthread_once(&once, watchfork);
  lock();
  if (tokens.last + 1 < SERIALS) {
    e->serial = ++tokens.last;
    addentry(e);
    *token = copy() + e->serial;
  }
  else status = MASCON_ENOMEM;
  unlock();
  if (status != MASCON_OK) {
    mascon_release(&e->array);
    mc_free(e);
  }
  return status;
}


int mascon_attach (int64_t token, mascon_array *a) {
  entry **place, *used = NULL;
  int status;
  lock();
  status = find(token, &place);
  if (status == MASCON_OK) {
    entry *e = *place;
    if (--e->uses == 0) {  /* the last use takes the token's own reference */
      used = e;
      cutentry(place);
      *a = e->array;
    }
    else {
      mascon_view(a, &e->array);
      a->flags = e->array.flags;
    }
  }
  unlock();
  mc_free(used);
  return status;
}


int mascon_unshare (int64_t token) {
  entry **place, *e = NULL;
  int status;
  lock();
  status = find(token, &place);
  if (status == MASCON_OK) {
    e = *place;
    cutentry(place);
  }
  unlock();
  if (e != NULL) mascon_release(&e->array);  /* may call the host: no lock */
  mc_free(e);
  return status;
}

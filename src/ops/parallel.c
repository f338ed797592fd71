/*
** parallel.c - loops of the caller's own on the library's threads
*/

#include <stdatomic.h>

#include "core.h"

typedef struct loop {
  mascon_body_fn body;
  void *ud;
  atomic_flag failing;  /* a thread writes the two below */
  int64_t first;        /* of the first block that failed */
  int status;
} loop;


/* blocks fail seldom, and are soon the last: a spin is no wait */
static void fail (loop *l, int64_t first, int status) {
  while (atomic_flag_test_and_set(&l->failing)) {}
  if (first < l->first) {
    l->first = first;
    l->status = status;
  }
  atomic_flag_clear(&l->failing);
  mc_giveup();
}


static void run (void *ud, int64_t first, int64_t last, int thread) {
  loop *l = ud;
  int status = l->body(l->ud, first, last);
  (void)thread;
  if (status != MASCON_OK) fail(l, first, status);
}


int mascon_parallel_for (int64_t n, int64_t grain, mascon_body_fn body,
                         void *ud, mascon_exec *ex) {
  loop l = {body, ud, ATOMIC_FLAG_INIT, INT64_MAX, MASCON_ECANCEL};
  int status;
  if (n < 0 || grain < 0) return MASCON_ERANGE;
  if (body == NULL) return MASCON_EVALUE;
  status = mc_parallel(ex, n, grain, 0, run, &l);
  return status == MASCON_OK ? status : l.status;
}


int mascon_cancelled (void) {
  return mc_cancelled();
}


int mascon_overlap (const mascon_array *a, const mascon_array *b) {
  if (!mc_overlap(a, b)) return MASCON_APART;
  return mc_elementwise(a, b) ? MASCON_SAME : MASCON_PARTLY;
}

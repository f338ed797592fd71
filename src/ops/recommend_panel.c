/*
** recommend_panel.c - panels that are made when they are needed
**
** Where bytes are compared, floats are wanted of few blocks, if any.  An index
** has them all; items that are packed for one call get theirs one by one, from
** the worker who is first to want it.
*/

#include <sched.h>
#include <stdatomic.h>

#include "recommend.h"

enum {MISSING, COMING, MADE};


void mc_pack_getitem (const mc_factors *f, int64_t i, double *y) {
  mc_getrow(f->items, i, y);
  for (int64_t k = 0; f->inorm != NULL && k < f->rank; k++)
    y[k] = f->inorm[i] != 0 ? y[k] / f->inorm[i] : 0;
  if (f->bias != NULL) y[f->rank] = mc_getelement(f->bias, i);
}


/* block 'b' as recommend_pack.c makes it */
static void make (const mc_pack *p, const mc_factors *f, int64_t b,
                  double *y) {
  const int32_t *ids = p->ids + b * MCK_BLOCK;
  float *panel = mc_pack_section(p->owned, MC_PACK_PANELS);
  panel += (size_t)b * mc_pack_panel(p->k);
  for (size_t j = 0; j < MCK_BLOCK; j++) {
    if (ids[j] >= 0) mc_pack_getitem(f, ids[j], y);
    for (size_t k = 0; k < p->k; k++)
      panel[k * MCK_BLOCK + j] = ids[j] >= 0 ? (float)(y[k] * p->scale) : 0;
  }
}


void mc_pack_needpanel (const mc_pack *p, const mc_factors *f, int64_t b,
                        double *y) {
  uint8_t state = MISSING;
  if (p->made == NULL ||
      atomic_load_explicit(&p->made[b], memory_order_acquire) == MADE) return;
  if (atomic_compare_exchange_strong(&p->made[b], &state, COMING)) {
    make(p, f, b, y);
    atomic_store_explicit(&p->made[b], MADE, memory_order_release);
  }
  while (atomic_load_explicit(&p->made[b], memory_order_acquire) != MADE)
    sched_yield();
}

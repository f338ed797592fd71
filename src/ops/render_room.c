/*
** render_room.c - the memory of a call, all of it allocated before it draws
*/

#include "render.h"

#define CHUNK (INT64_C(1) << 18)  /* most spots of a chunk */
#define ENTRIES 4                 /* tiles of a spot, for which there is room */
#define MODEST (1 << 26)          /* bytes that need no question */


/* 'count' elements at '*at', which moves on; 'base' is NULL where sizes are
   summed only */
static void *place (char *base, size_t *at, int64_t count, size_t size) {
  char *p = base != NULL ? base + *at : NULL;
  *at += ((size_t)count * size + 63) & ~(size_t)63;
  return p;
}


/* what 'n' spots need besides the image and 'sum', placed from 'base' on;
   returns its bytes */
static size_t layout (mc_render *r, const mc_room *m, char *base) {
  size_t at = 0;
  r->entries = place(base, &at, m->entries, sizeof *r->entries);
  r->starts = place(base, &at, r->ntiles * r->nslices, sizeof *r->starts);
  r->state = place(base, &at, r->ntiles, sizeof *r->state);
  r->list = place(base, &at, m->chunk, sizeof *r->list);
  r->homes = place(base, &at, m->chunk, sizeof *r->homes);
  r->values = r->value == NULL ? NULL
              : place(base, &at, m->chunk, sizeof *r->values);
  r->loss = place(base, &at, m->chunk / MCK_SPOTS + 1, sizeof *r->loss);
  r->slices = place(base, &at, r->nslices, sizeof *r->slices);
  r->buffers = place(base, &at, r->nslices, MCK_TILESIZE);
  return at;
}


int mc_render_room (mc_render *r, int64_t n, mc_room *m) {
  m->chunk = n < CHUNK ? n : CHUNK;
  if (!mc_mul(n < MCK_SPOTS ? n : MCK_SPOTS, r->ntiles, &m->entries))
    return MASCON_ETOOBIG;
  if (m->entries < ENTRIES * m->chunk) m->entries = ENTRIES * m->chunk;
  if (m->entries > UINT32_MAX || r->ntiles > MCK_MOSTTILES)
    return MASCON_ETOOBIG;
  m->sums = 0;
  if (n > MC_RUN && r->size == sizeof(float))
    m->sums = r->ntiles << (r->frame.shift[0] + r->frame.shift[1]);
  m->bytes = layout(r, m, NULL);
  return MASCON_OK;
}


int64_t mc_render_bytes (const mc_render *r, const mc_room *m) {
  return (int64_t)m->bytes +
         m->sums * (int64_t)sizeof(double) * (r->value != NULL ? 2 : 1);
}


void mc_render_release (mc_render *r, mc_room *m) {
  mc_free(m->block);
  for (int i = 0; i < r->nlayers; i++) mc_free(r->layers[i].sum);
}


int mc_render_acquire (mc_render *r, mc_room *m) {
  int64_t bytes = mc_render_bytes(r, m);
  bool ok = bytes <= MODEST || bytes <= mascon_memory_limit();
  m->block = ok ? mc_alloc(m->bytes, 1) : NULL;
  ok = m->block != NULL;
  for (int i = 0; i < r->nlayers && ok && m->sums > 0; i++) {
    r->layers[i].sum = mc_zalloc((size_t)m->sums, sizeof(double));
    ok = r->layers[i].sum != NULL;
  }
  if (!ok) {
    mc_render_release(r, m);
    return MASCON_ENOMEM;
  }
  layout(r, m, m->block);
  return MASCON_OK;
}

/*
** recommend_image.c - the image of packed items: its layout, and its checks
*/

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "recommend_pack.h"

#define CHUNK (1 << 20)  /* bytes of an image that are summed up at a time */


/* bytes of section 's'; false if they are too many to count */
static bool sizeofsection (const mc_packhead *h, int s, int64_t *size) {
  int64_t n = h->nblocks * MCK_BLOCK;
  switch (s) {
    case MC_PACK_STATS:
      return mc_mul(h->nblocks, (int64_t)sizeof(mck_recstat), size);
    case MC_PACK_IDS: return mc_mul(n, 4, size);
    case MC_PACK_ODD: return mc_mul(h->nodd, 4, size);
    case MC_PACK_BYTES: return mc_mul(n, (h->k + 3) / 4 * 4, size);
    case MC_PACK_PANELS: return mc_mul(n, h->k * 4, size);
    case MC_PACK_FACTORS:
      return mc_mul(h->nitems, h->rank * (h->factors / 8), size);
    case MC_PACK_BIAS: return mc_mul(h->nitems, h->bias / 8, size);
    default:
      return mc_mul(h->nitems, h->cosine && h->factors ? 8 : 0, size);
  }
}


int mc_pack_layout (mc_packhead *h) {
  int64_t at = sizeof *h, size;
  memcpy(h->magic, MC_PACK_MAGIC, sizeof h->magic);
  h->version = MC_PACK_VERSION;
  h->order = MC_PACK_ORDER;
  for (int s = 0; s < MC_PACK_SECTIONS; s++) {
    at += (64 - at % 64) % 64;
    h->at[s] = at;
    if (!sizeofsection(h, s, &size) || size > INT64_MAX - 128 - at)
      return MASCON_ETOOBIG;
    at += size;
  }
  h->bytes = at + (64 - at % 64) % 64;
  return MASCON_OK;
}


void *mc_pack_section (const mc_packhead *h, mc_packsection s) {
  int64_t size;
  if (!sizeofsection(h, s, &size) || size == 0) return NULL;
  return (char *)h + h->at[s];
}


void mc_pack_show (mc_pack *p, const mc_packhead *h) {
  p->k = (size_t)h->k;
  p->n = h->n;
  p->nblocks = h->nblocks;
  p->nodd = h->nodd;
  p->scale = h->scale;
  p->stats = mc_pack_section(h, MC_PACK_STATS);
  p->ids = mc_pack_section(h, MC_PACK_IDS);
  p->odd = mc_pack_section(h, MC_PACK_ODD);
  p->bytes = mc_pack_section(h, MC_PACK_BYTES);
  p->panels = mc_pack_section(h, MC_PACK_PANELS);
  p->head = h;
  p->owned = NULL;
  p->runs = NULL;
  p->made = NULL;
}


/* {------- images from elsewhere ------- */

static bool validbits (int32_t bits) {
  return bits == 0 || bits == 32 || bits == 64;
}


static bool validhead (const mc_packhead *h, int64_t bytes) {
  mc_packhead want = *h;
  if (h->nitems < 0 || h->nitems > INT32_MAX - MCK_BLOCK || h->rank < 0 ||
      h->rank > INT32_MAX || h->n < 0 || h->n > h->nitems || h->nodd < 0 ||
      h->nodd > h->nitems - h->n) return false;
  if (h->nblocks != (h->n + MCK_BLOCK - 1) / MCK_BLOCK) return false;
  if (!validbits(h->factors) || !validbits(h->bias) || h->spare != 0 ||
      (h->cosine | 1) != 1) return false;
  if (h->k != h->rank && h->k != h->rank + 1) return false;
  if ((h->k == h->rank || h->factors == 0) && h->bias != 0) return false;
  if (!(h->scale > 0) || isinf(h->scale)) return false;
  return h->bytes <= bytes && mc_pack_layout(&want) == MASCON_OK &&
         memcmp(&want, h, sizeof want) == 0;
}


static bool validids (const mc_pack *p) {
  for (int64_t i = 0; i < p->nblocks * MCK_BLOCK; i++)
    if (p->ids[i] < (i < p->n ? 0 : -1) ||
        p->ids[i] >= (i < p->n ? p->head->nitems : 0)) return false;
  for (int64_t i = 0; i < p->nodd; i++)
    if (p->odd[i] < 0 || p->odd[i] >= p->head->nitems) return false;
  return true;
}


/* what an image must begin with */
static const char *badstart (const mc_packhead *h, int64_t bytes) {
  if (bytes < (int64_t)sizeof *h ||
      memcmp(h->magic, MC_PACK_MAGIC, sizeof h->magic) != 0)
    return "is no index";
  if (h->order == __builtin_bswap32(MC_PACK_ORDER))
    return "was made on a machine with another order of bytes";
  if (h->version != MC_PACK_VERSION)
    return "is an index of another version of mascon";
  if (h->bytes > bytes) return "is cut off";
  return validhead(h, bytes) ? NULL : "is damaged";
}


int mc_pack_view (mc_pack *p, const void *image, int64_t bytes,
                  const char **what) {
  memset(p, 0, sizeof *p);
  *what = badstart(image, bytes);
  if (*what != NULL) return MASCON_EFORMAT;
  mc_pack_show(p, image);
  if (validids(p)) return MASCON_OK;
  memset(p, 0, sizeof *p);
  *what = "is damaged";
  return MASCON_EFORMAT;
}

/* -------} */


/* {------- sums ------- */

/*
** Words go to four lanes in turn.  Each step maps its lane one to one, and
** so does what joins the lanes: no change of a single word is missed.
*/
static uint64_t turn (uint64_t x) {
  x *= 0x9e3779b97f4a7c15u;
  return x << 31 | x >> 33;
}


static uint64_t sumof (const void *p, size_t bytes, uint64_t seed) {
  const uint64_t *w = p;
  uint64_t lane[4], s = seed;
  size_t n = bytes / 8, i = 0;
  for (int j = 0; j < 4; j++) lane[j] = seed + (uint64_t)j;
  for (; i + 4 <= n; i += 4)
    for (size_t j = 0; j < 4; j++) lane[j] = turn(lane[j] ^ w[i + j]);
  for (; i < n; i++) lane[i % 4] = turn(lane[i % 4] ^ w[i]);
  for (int j = 0; j < 4; j++) s = turn(s ^ lane[j]);
  return turn(s ^ s >> 32);
}


typedef struct summer {
  const char *image;
  int64_t bytes;
  _Atomic uint64_t sum;
} summer;


static void sumchunks (void *ud, int64_t first, int64_t last, int thread) {
  summer *s = ud;
  (void)thread;
  for (int64_t c = first; c < last; c++) {
    int64_t at = c * CHUNK + (int64_t)sizeof(mc_packhead);
    int64_t n = s->bytes - at < CHUNK ? s->bytes - at : CHUNK;
    atomic_fetch_add_explicit(&s->sum, sumof(s->image + at, (size_t)n,
                                             (uint64_t)c + 1),
                              memory_order_relaxed);
  }
}


int mc_pack_sum (const mc_packhead *h, uint64_t *sum, mascon_exec *ex,
                 int threads) {
  mc_packhead head = *h;
  summer s = {(const char *)h, h->bytes, 0};
  int64_t chunks = (h->bytes - (int64_t)sizeof head + CHUNK - 1) / CHUNK;
  int status;
  head.sum = 0;
  s.sum = sumof(&head, sizeof head, 0);
  status = mc_parallel(ex, chunks, 1, threads, sumchunks, &s);
  *sum = s.sum;
  return status;
}

/* -------} */

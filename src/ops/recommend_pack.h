/*
** recommend_pack.h - items packed for the scan, as one piece of memory
**
** A packed set of items is an image: a head, then sections that start at
** multiples of 64 bytes.  Nothing in it is a pointer, so it can be written to
** a file and mapped again.  'mc_pack' is the view of an image that the scan
** works with.  Who changes what is in a section, or where, raises the version.
**
** Items stand in order of falling norm, in blocks of MCK_BLOCK.  Item y is
** packed as scale * y (cosine: y / |y|), followed by scale * bias if there is
** one; 'scale' is a power of two that brings all magnitudes below 2.
*/

#ifndef RECOMMEND_PACK_H
#define RECOMMEND_PACK_H

#include "core.h"
#include "kern.h"

typedef enum mc_packsection {
  MC_PACK_STATS,    /* mck_recstat of each block */
  MC_PACK_IDS,      /* i32: the item at each position; -1: none */
  MC_PACK_ODD,      /* i32: items that are not packed and may have a score */
  MC_PACK_BYTES,    /* u8: each block's factors in 8 bits (krecommend.h) */
  MC_PACK_PANELS,   /* f32: each block's factors (krecommend.h) */
  /* only where they are kept */
  MC_PACK_FACTORS,  /* nitems x rank, f32 or f64: as they were given */
  MC_PACK_BIAS,     /* f32 or f64: as it was given */
  MC_PACK_NORMS,    /* f64: the norm of every item, for a cosine */
  MC_PACK_SECTIONS
} mc_packsection;

#define MC_PACK_MAGIC "mascon\x1fI"  /* 8 bytes */
#define MC_PACK_VERSION 1
#define MC_PACK_ORDER 0x01020304u    /* tells the order of bytes */

typedef struct mc_packhead {
  char magic[8];
  uint32_t version, order;
  uint64_t sum;     /* mc_pack_sum, where factors are kept; else 0 */
  int64_t bytes;    /* of the image, with this head */
  int64_t nitems;   /* items there were */
  int64_t rank;     /* factors of an item */
  int64_t k;        /* factors of a packed item: one more with a bias */
  int64_t n;        /* items packed */
  int64_t nblocks;
  int64_t nodd;
  double scale;
  int32_t cosine;   /* 1: factors are divided by the norm */
  int32_t factors;  /* bits of an element kept: 32, 64, or 0: none are */
  int32_t bias;     /* the same of the bias */
  int32_t spare;    /* 0 */
  int64_t at[MC_PACK_SECTIONS];  /* where each begins, from the head */
} mc_packhead;

typedef struct mc_pack {
  size_t k;
  int64_t n, nblocks, nodd;
  double scale;
  const mck_recstat *stats;
  const int32_t *ids, *odd;
  const uint8_t *bytes;
  const float *panels;
  const mc_packhead *head;  /* the image */
  void *owned;              /* what mc_pack_close frees, or NULL */
  int32_t *runs;  /* also freed; each item of block b equals so many before it
                     with smaller ids.  NULL: not known */
  _Atomic uint8_t *made;  /* also freed; whether the panel of each block is
                             there (recommend_panel.c).  NULL: all are */
} mc_pack;

/* no block's norm is said to be below this */
#define MC_SHORTEST 0x1p-60f

/* sizes of one block */
static inline size_t mc_pack_panel (size_t k) {
  return k * MCK_BLOCK;
}
static inline size_t mc_pack_quads (size_t k) {
  return (k + 3) / 4 * 4 * MCK_BLOCK;
}

/* a section of an image, or NULL if it is empty */
void *mc_pack_section (const mc_packhead *h, mc_packsection s);

/*
** Set h->at and h->bytes from the sizes in the head.  MASCON_ETOOBIG if that
** is more than memory can hold.
*/
int mc_pack_layout (mc_packhead *h);

/* the view of an image whose head is in order */
void mc_pack_show (mc_pack *p, const mc_packhead *h);

/*
** The view of 'bytes' bytes at 'image' (aligned to 64) that may hold anything.
** Returns MASCON_OK or MASCON_EFORMAT: it is no image, or one that would lead
** outside of itself, as the constant '*what' says.  The memory stays the
** caller's and must outlive 'p'.
*/
int mc_pack_view (mc_pack *p, const void *image, int64_t bytes,
                  const char **what);

/*
** A number that depends on every bit of an image but h->sum; by 'threads'.
** Returns MASCON_OK or MASCON_ECANCEL.
*/
int mc_pack_sum (const mc_packhead *h, uint64_t *sum, mascon_exec *ex,
                 int threads);

#endif

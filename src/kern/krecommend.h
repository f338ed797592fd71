/*
** krecommend.h - kernels that find the best items from factors
**
** The scan compares six users at a time with a block of 64 items.  Scores
** stay in registers; what reaches a user's bar is appended to his list of
** candidates, and nothing else is ever stored.
*/

#ifndef KRECOMMEND_H
#define KRECOMMEND_H

#include <stddef.h>
#include <stdint.h>

#define MCK_SIX 6       /* users of a group */
#define MCK_BLOCK 64    /* items of a block */

/*
** What is known of a block: no item's vector is longer than 'norm'.  In bytes,
** item y is y' = step * (byte - 128), factor by factor; no |y'| is above
** 'length', and no |y - y'| above 'error'.
*/
typedef struct mck_recstat {
  float norm, step, length, error;
} mck_recstat;

/*
** A block of items as the scan reads it: factor k of item j is at
** panel[k * MCK_BLOCK + j] and at bytes[(k / 4 * MCK_BLOCK + j) * 4 + k % 4].
*/
typedef struct mck_recblock {
  const float *panel;
  const uint8_t *bytes;
  size_t next;    /* 1 if another block follows, 0 if not */
  size_t k;       /* factors of an item */
  int32_t first;  /* position of item 0, as candidates name it */
  mck_recstat stat;
} mck_recblock;

/* an item that may be among the best: its score is in [lo, hi] */
typedef struct mck_reccand {
  int32_t at;     /* position */
  float lo, hi;
} mck_reccand;

/*
** Six users.  Candidates are the items whose score, as far as the scan can
** tell, may reach 'bar'.  A user who is not there has an infinite bar, length
** 0 and inverse 1.
*/
typedef struct mck_recgroup {
  float bar[8];         /* 6 used; two more make vectors of 8 */
  float slack[8];       /* times a norm: what float scores may be off by */
  float length[8];      /* length * norm < bar: nobody in the block gets in */
  /* in bytes, user x is x' = step * byte, and |x - x'| <= error */
  float step[8], inverse[8], error[8];
  int32_t sum[8];       /* 128 * the sum of his bytes */
  const float *x;       /* factor k of user r at x[k * MCK_SIX + r] */
  const int8_t *bytes;  /* at bytes[(k / 4 * MCK_SIX + r) * 4 + k % 4] */
  mck_reccand *list;    /* user r's from list[r * room] on */
  size_t room;          /* entries a user has room for */
  int32_t full;         /* a list so long is to be emptied */
  int32_t coarse;       /* whether to compare bytes, if the kernel does that */
  int64_t hits;         /* candidates there were against finite bars */
  int64_t blocks[2];    /* compared so far, as floats, as bytes */
  int32_t count[MCK_SIX];
} mck_recgroup;

typedef struct mck_recommend {
  int bytes;  /* whether 'scan' compares bytes */

  /*
  ** Groups g[0] to g[n - 1] against one block.  Returns how many groups were
  ** done: fewer than n when the last of them has a full list.  A list must
  ** have room for MCK_BLOCK entries more than 'full'.
  */
  size_t (*scan) (const mck_recblock *b, mck_recgroup *g, size_t n);

  /* does a block of this norm hold a candidate for any of the groups? */
  int (*alive) (const mck_recgroup *g, size_t n, float norm);

  /*
  ** bytes[k] = 128 + x[k] * inverse, rounded, where that product is below
  ** 127.5; '*error' and '*length' get the sums of squares of what rounding
  ** changed and of the rounded products.
  */
  void (*tobytes) (const float *x, size_t k, float inverse, uint8_t *bytes,
                   float *error, float *length);

  /*
  ** out[i] = sum of x[k] * (item ids[i])[k], in double, for k = 0, 1, ...:
  ** the score itself.  Strides s0 (items) and s1 (factors) count elements.
  */
  void (*dots_f32) (const double *x, size_t k, const float *items,
                    ptrdiff_t s0, ptrdiff_t s1, const int32_t *ids, size_t n,
                    double *out);
  void (*dots_f64) (const double *x, size_t k, const double *items,
                    ptrdiff_t s0, ptrdiff_t s1, const int32_t *ids, size_t n,
                    double *out);
} mck_recommend;

#endif

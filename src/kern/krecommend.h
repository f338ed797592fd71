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
** A block of items as the scan reads it: factor k of item j at
** panel[k * MCK_BLOCK + j].
*/
typedef struct mck_recblock {
  const float *panel;
  const float *next;  /* the panel that comes next, or this one again */
  size_t k;       /* factors of an item */
  float norm;     /* no item's vector is longer */
  int32_t first;  /* position of item 0, as candidates name it */
} mck_recblock;

/*
** Six users.  A candidate is an item whose float score reaches
** bar - slack * (the block's norm).  A user who is not there has an
** infinite bar and length 0.
*/
typedef struct mck_recgroup {
  float bar[8];         /* 6 used; two more make vectors of 8 */
  float slack[8];
  float length[8];      /* length * norm < bar: nobody in the block gets in */
  const float *x;       /* factor k of user r at x[k * MCK_SIX + r] */
  int32_t *list;        /* positions: user r's from list[r * room] on */
  size_t room;          /* entries a user has room for */
  int32_t full;         /* a list so long is to be emptied */
  int32_t count[MCK_SIX];
} mck_recgroup;

typedef struct mck_recommend {
  /*
  ** Groups g[0] to g[n - 1] against one block.  Returns how many groups were
  ** done: fewer than n when the last of them has a full list.  A list must
  ** have room for MCK_BLOCK entries more than 'full'.
  */
  size_t (*scan) (const mck_recblock *b, mck_recgroup *g, size_t n);

  /* does a block of this norm hold a candidate for any of the groups? */
  int (*alive) (const mck_recgroup *g, size_t n, float norm);

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

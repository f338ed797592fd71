/*
** kranks.h - kernels that count who is better than given pairs
*/

#ifndef KRANKS_H
#define KRANKS_H

#include <stddef.h>
#include <stdint.h>

/* a score is above 'upper': better; below 'lower': worse; else it is open */
typedef struct mck_bounds {
  float lower, upper;
} mck_bounds;

typedef struct mck_ranks {
  /*
  ** Scores of MCK_SIX users and the MCK_BLOCK items of a panel (krecommend.h),
  ** item i for user r at score[r * MCK_BLOCK + i].
  */
  void (*tile) (const float *panel, size_t k, const float *x, float *score);

  /*
  ** MCK_BLOCK scores, each off by 'e' at most, against the bounds of n pairs:
  ** better[q] grows by those that are better for sure.  Returns bit i where
  ** score i is open for some pair.
  */
  uint64_t (*count) (const float *score, float e, const mck_bounds *b,
                     size_t n, int64_t *better);
} mck_ranks;

#endif

/*
** krandom.h - kernels of random numbers
**
** Philox4x32-10, a keyed bijection of counters (Salmon, Moraes, Dror, Shaw:
** Parallel random numbers: as easy as 1, 2, 3; SC 2011).  The key is the
** seed.  Position p of a stream is half (p >> 3) & 1 of the block with
** counter {b mod 2^32, b >> 32, attempt, 0}, b = (p >> 4) * 8 + (p & 7): a
** group of sixteen positions is the lower halves of eight blocks, then the
** upper ones, which vectors of any width write without a shuffle.
*/

#ifndef KRANDOM_H
#define KRANDOM_H

#include <stddef.h>
#include <stdint.h>

/* n elements from position 'pos' on */
typedef void (*mck_fill) (void *out, size_t n, uint64_t seed, uint64_t pos);

typedef struct mck_random {
  /* the bijection itself */
  void (*block) (uint32_t out[4], const uint32_t counter[4], uint64_t key);

  mck_fill words;  /* uint64_t, at attempt 0 */

  /* odd multiples of 2^-53 (f32: 2^-24), strictly between 0 and 1 */
  mck_fill uniform_f64, uniform_f32;

  /* Box and Muller: positions p and p + 8 are the two of one pair */
  mck_fill normal_f64, normal_f32;

  /*
  ** lo + a number below 'span' (0: 2^64), each as likely as any other: what
  ** would favour some is drawn again at the next attempt of its position.
  */
  void (*integers) (int64_t *out, size_t n, uint64_t seed, uint64_t pos,
                    int64_t lo, uint64_t span);
} mck_random;

#endif

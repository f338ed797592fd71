/*
** ksort.h - kernels that sort
**
** Elements become unsigned keys in the same order, with NaN last.  A record
** is a key of 32 bits, a key of 64 bits, or a key and an id; where key and
** id fit 64 bits together, the id is the lower half.  Sorting is stable.
** Nothing here gains from wider vectors, so these kernels exist once.
*/

#ifndef KSORT_H
#define KSORT_H

#include <stddef.h>
#include <stdint.h>

#define MCK_DIGITS 256  /* values of a digit: one byte of the key */

typedef struct mck_pair {
  uint64_t key, id;
} mck_pair;

/* one kind of record; pointers are to records */
typedef struct mck_record {
  size_t size;

  /*
  ** Sort n records by 'bits' bits of the key (a multiple of 8) from bit 'low'
  ** on, what is below being in order already.  'spare' has room for as many.
  ** Returns where they are then: 'r' or 'spare'.
  */
  void *(*sort) (void *r, void *spare, size_t n, unsigned low, unsigned bits);

  /* how often each value of the digit at bit 'low' occurs */
  void (*count) (const void *r, size_t n, unsigned low,
                 size_t counts[MCK_DIGITS]);

  /* the same for those whose key, above that digit, is 'high' */
  void (*among) (const void *r, size_t n, unsigned low, uint64_t high,
                 size_t counts[MCK_DIGITS]);

  /* each record to where its digit's next one goes, in order */
  void (*deal) (void *out, const void *r, size_t n, unsigned low,
                size_t next[MCK_DIGITS]);

  /* the key that has 'rank' smaller or earlier ones; 'spare' is overwritten */
  uint64_t (*select) (const void *r, void *spare, size_t n, size_t rank,
                      unsigned bits);

  /* how many keys are at most 'key'; '*next': the smallest that is larger */
  size_t (*upto) (const void *r, size_t n, uint64_t key, uint64_t *next);
} mck_record;

/* one element type */
typedef struct mck_key {
  unsigned bits;             /* of the key that vary */
  const mck_record *record;  /* of a key */
  const mck_record *paired;  /* of a key and an id */
  unsigned low;              /* where the key of the latter begins */
  uint64_t last;             /* the largest key that is not a NaN's */

  /* n elements, 'step' apart, to keys that give them back: -0.0 is just
     below 0.0, and NaN loses its sign */
  void (*keys) (void *r, const void *from, ptrdiff_t step, size_t n);

  /* the same with ids first, first + 1, ...; -0.0 equals 0.0, all NaN are
     equal */
  void (*pairs) (void *r, const void *from, ptrdiff_t step, size_t n,
                 uint64_t first);

  /* elements from keys */
  void (*values) (void *to, ptrdiff_t step, const void *r, size_t n);
} mck_key;

typedef struct mck_sort {
  mck_key keys[6];  /* f64 f32 i64 i32 u16 u8, as mascon.h counts them */
  /* ids of pairs; 'wide': pairs of a 64-bit key */
  void (*ids_i32) (int32_t *to, ptrdiff_t step, const void *r, size_t n,
                   int wide);
  void (*ids_i64) (int64_t *to, ptrdiff_t step, const void *r, size_t n,
                   int wide);
} mck_sort;

extern const mck_sort mck_sorting;  /* of no instruction set */

#endif

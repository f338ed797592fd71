/*
** ksort.c - keys of elements, and sorting by them
*/

#include <string.h>

#include "kern.h"

#define INLINE static inline __attribute__((always_inline))
#define SHORT 3  /* records for each bit to sort by that make a long row */


/* counts to positions of the first of each; true if all are of one value */
static int starts (size_t counts[MCK_DIGITS], size_t n) {
  size_t at = 0;
  int same = 0;
  for (size_t d = 0; d < MCK_DIGITS; d++) {
    size_t c = counts[d];
    if (c == n) same = 1;
    counts[d] = at;
    at += c;
  }
  return same;
}


#define REC uint32_t
#define KEY(r) (r)
#define S(name) name ## _32
#include "tsort.h"

#define REC uint64_t
#define KEY(r) (r)
#define S(name) name ## _64
#include "tsort.h"

#define REC mck_pair
#define KEY(r) ((r).key)
#define S(name) name ## _pair
#include "tsort.h"


/* {------- keys ------- */

#define TOP32 ((uint32_t)1 << 31)
#define TOP64 ((uint64_t)1 << 63)

/*
** Floats order as their bits do, once those of negative ones are inverted
** and the sign of the others is set.  'merge': equal ones have equal keys.
*/
INLINE uint64_t key_f64 (const void *p, int merge) {
  double x;
  uint64_t u;
  memcpy(&x, p, sizeof x);
  if (merge && x == 0) x = 0;
  memcpy(&u, &x, sizeof u);
  if (x != x) u = merge ? TOP64 - 1 : u & ~TOP64;
  return u & TOP64 ? ~u : u | TOP64;
}


INLINE uint32_t key_f32 (const void *p, int merge) {
  float x;
  uint32_t u;
  memcpy(&x, p, sizeof x);
  if (merge && x == 0) x = 0;
  memcpy(&u, &x, sizeof u);
  if (x != x) u = merge ? TOP32 - 1 : u & ~TOP32;
  return u & TOP32 ? ~u : u | TOP32;
}


INLINE uint64_t value_f64 (uint64_t k) {
  return k & TOP64 ? k & ~TOP64 : ~k;
}


INLINE uint32_t value_f32 (uint32_t k) {
  return k & TOP32 ? k & ~TOP32 : ~k;
}


INLINE uint64_t key_i64 (const void *p, int merge) {
  (void)merge;
  return *(const uint64_t *)p ^ TOP64;
}


INLINE uint32_t key_i32 (const void *p, int merge) {
  (void)merge;
  return *(const uint32_t *)p ^ TOP32;
}


INLINE uint64_t value_i64 (uint64_t k) {
  return k ^ TOP64;
}


INLINE uint32_t value_i32 (uint32_t k) {
  return k ^ TOP32;
}


INLINE uint32_t key_u16 (const void *p, int merge) {
  (void)merge;
  return *(const uint16_t *)p;
}


INLINE uint32_t key_u8 (const void *p, int merge) {
  (void)merge;
  return *(const uint8_t *)p;
}


INLINE uint16_t value_u16 (uint32_t k) {
  return (uint16_t)k;
}


INLINE uint8_t value_u8 (uint32_t k) {
  return (uint8_t)k;
}


INLINE mck_pair pair_64 (uint64_t key, uint64_t id) {
  mck_pair p = {key, id};
  return p;
}


INLINE uint64_t pair_32 (uint32_t key, uint64_t id) {
  return (uint64_t)key << 32 | id;
}


/* the functions of mck_key for elements of 'bits' bits, keys of 'kbits' */
#define CONVERT(type, bits, kbits, pair) \
static void keys_ ## type (void *r, const void *from, ptrdiff_t step, \
                           size_t n) { \
  uint ## kbits ## _t *k = r; \
  const uint ## bits ## _t *f = from; \
  for (size_t i = 0; i < n; i++) \
    k[i] = key_ ## type(f + (ptrdiff_t)i * step, 0); \
} \
static void pairs_ ## type (void *r, const void *from, ptrdiff_t step, \
                            size_t n, uint64_t first) { \
  pair *k = r; \
  const uint ## bits ## _t *f = from; \
  for (size_t i = 0; i < n; i++) \
    k[i] = pair_ ## kbits(key_ ## type(f + (ptrdiff_t)i * step, 1), \
                          first + i); \
} \
static void values_ ## type (void *to, ptrdiff_t step, const void *r, \
                             size_t n) { \
  const uint ## kbits ## _t *k = r; \
  uint ## bits ## _t *t = to; \
  for (size_t i = 0; i < n; i++) \
    t[(ptrdiff_t)i * step] = value_ ## type(k[i]); \
}

CONVERT(f64, 64, 64, mck_pair)
CONVERT(f32, 32, 32, uint64_t)
CONVERT(i64, 64, 64, mck_pair)
CONVERT(i32, 32, 32, uint64_t)
CONVERT(u16, 16, 32, uint64_t)
CONVERT(u8, 8, 32, uint64_t)

/* -------} */


INLINE uint64_t id (const void *r, size_t i, int wide) {
  if (wide) return ((const mck_pair *)r)[i].id;
  return (uint32_t)((const uint64_t *)r)[i];
}


static void ids_i32 (int32_t *to, ptrdiff_t step, const void *r, size_t n,
                     int wide) {
  for (size_t i = 0; i < n; i++)
    to[(ptrdiff_t)i * step] = (int32_t)id(r, i, wide);
}


static void ids_i64 (int64_t *to, ptrdiff_t step, const void *r, size_t n,
                     int wide) {
  for (size_t i = 0; i < n; i++)
    to[(ptrdiff_t)i * step] = (int64_t)id(r, i, wide);
}


#define WIDE(type, last) \
  {64, &record_64, &record_pair, 0, last, keys_ ## type, pairs_ ## type, \
   values_ ## type}
#define NARROW(type, bits, last) \
  {bits, &record_32, &record_64, 32, last, keys_ ## type, pairs_ ## type, \
   values_ ## type}

const mck_sort mck_sorting = {
  .keys = {
    WIDE(f64, 0xfff0000000000000u),  /* the key of infinity */
    NARROW(f32, 32, 0xff800000u),
    WIDE(i64, UINT64_MAX),
    NARROW(i32, 32, UINT32_MAX),
    NARROW(u16, 16, UINT16_MAX),
    NARROW(u8, 8, UINT8_MAX)
  },
  .ids_i32 = ids_i32,
  .ids_i64 = ids_i64
};

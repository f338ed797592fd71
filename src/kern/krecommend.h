/*
** krecommend.h - kernels that find the best items from factors
**
** The scan compares a group of users with a block of items, some at a time.
** Scores stay in registers, or no farther than the first cache; what reaches
** a user's bar is appended to his list of candidates, and nothing else is
** ever stored.
*/

#ifndef KRECOMMEND_H
#define KRECOMMEND_H

#include <stddef.h>
#include <stdint.h>

#define MCK_GROUP 48    /* users of a group */
#define MCK_SIX 6       /* users of a tile of floats; divides MCK_GROUP */
#define MCK_BLOCK 64    /* items of a block */
#define MCK_SPARE 80    /* a block, and a vector that begins before its end */
#define MCK_LINE 64     /* factors of a user that are bytes side by side */

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

/*
** Candidates: items that may be among the best.  The one at position at[c] has
** a score in [lo[c], hi[c]].  A list has room for MCK_SPARE entries more than
** make it full, and those that it does not hold may be overwritten.
*/
typedef struct mck_reclist {
  int32_t *at;
  float *lo, *hi;
} mck_reclist;

/*
** A group of users.  Candidates are the items whose score, as far as the scan
** can tell, may reach 'bar'.  A user who is not there has an infinite bar,
** length 0, inverse 1 and no factor but 0: he gets none, though the numbers of
** a block may be anything.
*/
typedef struct mck_recgroup {
  float bar[MCK_GROUP];
  float slack[MCK_GROUP];   /* times a norm: what float scores may be off by */
  float length[MCK_GROUP];  /* length * norm < bar: nobody gets in */
  /* in bytes, user x is x' = step * byte, and |x - x'| <= error */
  float step[MCK_GROUP], inverse[MCK_GROUP], error[MCK_GROUP];
  int32_t sum[MCK_GROUP];   /* 128 * the sum of his bytes */
  const float *x;           /* factor k of user r at x[mck_floatat(r, k, n)] */
  const int8_t *bytes;      /* at bytes[r * width + mck_byteat(k, n)] */
  mck_reclist list;         /* user r's from [r * room] on */
  size_t room;
  int32_t full;             /* a list so long is to be emptied */
  int32_t coarse;           /* whether to compare bytes, if the kernel can */
  int64_t hits;             /* candidates there were against finite bars */
  int32_t count[MCK_GROUP];
  int32_t blocks[2][MCK_GROUP];  /* compared so far, as floats, as bytes */
} mck_recgroup;

/* where a group's factor 'k' of 'n' of user 'r' is */
static inline size_t mck_floatat (size_t r, size_t k, size_t n) {
  return (r / MCK_SIX * n + k) * MCK_SIX + r % MCK_SIX;
}

/* bytes that are compared at once come in lines, all equally long */
static inline size_t mck_lines (size_t n) {
  return (n + MCK_LINE - 1) / MCK_LINE;
}

/* bytes of a line that are used, in fours */
static inline size_t mck_linefours (size_t n) {
  size_t fours = (n + 3) / 4, lines = mck_lines(n);
  return lines > 0 ? (fours + lines - 1) / lines : 0;
}

/* where factor 'k' of 'n' is among a user's bytes; the others are 0 */
static inline size_t mck_byteat (size_t k, size_t n) {
  size_t used = mck_linefours(n) * 4;
  return k / used * MCK_LINE + k % used;
}

typedef struct mck_recommend {
  int bytes;  /* whether 'scan' compares bytes */

  /*
  ** Groups g[0] to g[n - 1] against one block; returns whether a list is full.
  ** Where bytes are compared, as many behind those of the block as factors
  ** have in all must be readable.
  */
  int (*scan) (const mck_recblock *b, mck_recgroup *g, size_t n);

  /* does a block of this norm hold a candidate for any of the groups? */
  int (*alive) (const mck_recgroup *g, size_t n, float norm);

  /*
  ** Drop the 'n' candidates from 'first' on that cannot reach 'bar', or whose
  ** position is not below 'end'.  Returns how many are left.
  */
  int32_t (*drop) (mck_reclist l, size_t first, int32_t n, float bar,
                   int32_t end);

  /* a number that at least 'want' of x[0..n-1] reach, and few more */
  float (*reached) (const float *x, int32_t n, int32_t want);

  /*
  ** bytes[k] = 128 + x[k] * inverse, rounded, where that product is below
  ** 127.5; '*error' and '*length' get the sums of squares of what rounding
  ** changed and of the rounded products.
  */
  void (*tobytes) (const float *x, size_t k, float inverse, uint8_t *bytes,
                   float *error, float *length);

  /* y[k] = x[k], and out[k] = y[k] * scale as a float, of doubles and of
     floats */
  void (*widen) (const float *x, size_t k, double *y);
  void (*narrow) (const double *y, size_t k, double scale, float *out);
  void (*scale) (const float *y, size_t k, float scale, float *out);

  /* the largest magnitude, but for NaN, and the sum of the squares: NaN if and
     only if there is one */
  void (*measure_f64) (const double *y, size_t k, double *max,
                       double *squares);
  void (*measure_f32) (const float *y, size_t k, double *max, double *squares);
  float (*largest) (const float *x, size_t k);

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

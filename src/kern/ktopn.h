/*
** ktopn.h - kernels that keep the N best of many scores
**
** What is held of one row is a buffer of candidates, 'mck_best', with one
** number in front of it: 'limit', which a score must reach to matter at all.
** A vector compare with the limit turns away almost every score.  The rest
** are appended; when the buffer is full it is cut to the N best and the limit
** rises to the worst of them.  Appending beats a heap because a cut costs
** less than half a buffer of sift-downs, and because it needs no branch that
** depends on the data.
**
** The order of results: higher score, then smaller id.
*/

#ifndef KTOPN_H
#define KTOPN_H

#include <stddef.h>
#include <stdint.h>

/* a float is held as a double, which changes neither its value nor its order */
typedef struct mck_hit {
  double score;
  int64_t id;
} mck_hit;

typedef struct mck_best {
  mck_hit *hits;  /* room for 'cap' */
  int64_t n;      /* how many are wanted; at least 1 */
  int64_t cap;    /* mck_best_room(n) */
  int64_t held;
  double limit;   /* only scores >= limit can still get in */
  double floor;   /* the limit to start with; -INFINITY: all but NaN */
  int single;     /* scores are values of a float */
  int anyorder;   /* ids may come in any order.  Otherwise they ascend, so that
                     once N are held an equal score comes too late */
} mck_best;

/* hits that the buffer for 'n' must have room for */
static inline int64_t mck_best_room (int64_t n) {
  return 2 * n + 16;
}

/* hold nothing */
static inline void mck_best_start (mck_best *b) {
  b->held = 0;
  b->limit = b->floor;
}

/* keep the N best only (if there are more), and raise the limit */
void mck_best_cut (mck_best *b);

/*
** The N best (or all that are held) in order, best first, at b->hits; returns
** their number.  'spare' has room for 'cap' hits; it may serve many buffers.
*/
int64_t mck_best_finish (mck_best *b, mck_hit *spare);

/* does the bitmap have 'id'?  NULL has all */
static inline int mck_passes (const uint64_t *pass, int64_t id) {
  return pass == NULL || (pass[id >> 6] >> (id & 63) & 1);
}

/* take a score that has reached the limit */
static inline void mck_best_add (mck_best *b, double score, int64_t id) {
  b->hits[b->held++] = (mck_hit) {score, id};
  if (b->held == b->cap) mck_best_cut(b);
}

/* one score, whatever it is */
static inline void mck_best_offer (mck_best *b, double score, int64_t id) {
  if (score >= b->limit) mck_best_add(b, score, id);  /* never NaN */
}


/* {------- scanning rows ------- */

#define MCK_FEW 10      /* what is few among 16 classes */
#define MCK_BRIEF 4096  /* rows that stay in the cache nearest to the core */

/* for one element type; all see -x for every x if 'flip' */
typedef struct mck_scan {
  /* offer scores[0..n-1], with ids from 'first' on, as far as they pass */
  void (*scan) (mck_best *b, const void *scores, int64_t n, int64_t first,
                int flip, const uint64_t *pass);
  /* a limit that 'want' of the n scores, and not many more, are likely to
     reach: from a sample spread all along the row, so that rising scores are
     no worse than others; -INFINITY where that would not pay */
  double (*guess) (const void *scores, int64_t n, int64_t want, int flip);
  /* the n best of a row of up to MCK_BRIEF scores, n <= MCK_FEW: held in
     order, ready; the row at 'next' is fetched meanwhile */
  void (*brief) (mck_best *b, const void *scores, int64_t n, int flip,
                 const void *next);
} mck_scan;

typedef struct mck_topn {
  const mck_scan *f64, *f32;
} mck_topn;

#define MCK_SAMPLE 4096  /* of longer rows a sample is looked at */

/*
** How 'guess' samples: the maxima of 'groups' vectors of classes, each of
** 'rounds' elements.  The 'want'-th largest of them is a good guess.  A run of
** 'groups' vectors is looked at in one piece: memory is slow to give single
** ones.
*/
typedef struct mck_sample {
  int64_t step;    /* vectors from one run to the next */
  int64_t rounds;
  int64_t want;
  int groups;
} mck_sample;

/* lay out a sample with vectors of 'width'; 0 where there is none */
int mck_topn_sample (mck_sample *s, int64_t n, int64_t want, int width);

/* -------} */

#endif

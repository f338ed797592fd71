/*
** recommend.h - what the files of recommend share
**
** recommend.c checks a call and runs it, for items as they are and for those of
** an index (index.c); recommend_pack.c packs the items for the scan,
** recommend_panel.c makes what it left for later, and recommend_image.c knows
** how they lie in memory; recommend_score.c knows what a score is;
** recommend_scan.c and its kin find the best items of a few users.
*/

#ifndef RECOMMEND_H
#define RECOMMEND_H

#include <math.h>

#include "filter.h"
#include "kern.h"
#include "recommend_pack.h"
#include "result.h"


/* {------- what a score is (recommend_score.c) ------- */

/*
** The factors as they were given, and what else makes a score:
**
**   dot = sum over k of users[u][k] * items[i][k], in double, in order of k
**   cosine: dot / (|u| |i|), with |v| = sqrt(sum of squares, in order of k);
**           0 where the product of the norms is 0
**   + bias[i], rounded once to f32 if both factors are
*/
typedef struct mc_factors {
  const mck_recommend *kern;
  const mascon_array *users; /* those that are at hand */
  const mascon_array *items;
  const mascon_array *bias;  /* NULL: none */
  const double *inorm;       /* |i| of every item; NULL: no cosine */
  int64_t nusers, nitems, rank;
  bool single;               /* scores are f32 */
} mc_factors;

/* one user: his factors, and their norm if there is a cosine */
typedef struct mc_user {
  double *x;
  double norm;
} mc_user;

/* row 'i' of 'a' (f32 or f64) as doubles */
void mc_getrow (const mascon_array *a, int64_t i, double *x);

/* sqrt of the sum of squares, in order */
double mc_norm (const double *x, int64_t n);

/* the norms of all items: new, or NULL where memory is short */
double *mc_norms (const mascon_array *items);

/* element 'i' of the f32 or f64 vector 'a' */
double mc_getelement (const mascon_array *a, int64_t i);

/* fill in 'u' (u->x has room for a row) from row 'at' of f->users */
void mc_getuser (const mc_factors *f, int64_t at, mc_user *u);

/* the scores of 'n' items */
void mc_scores (const mc_factors *f, const mc_user *u, const int32_t *ids,
                int64_t n, double *out);

/* -------} */


/* {------- packed items (recommend_pack.c) ------- */

/* a norm with which a cosine is sure neither to overflow nor to underflow */
static inline bool mc_tame (double norm) {
  return norm >= 0x1p-400 && norm <= 0x1p400;
}

/* the power of two that brings 'max' (finite, >= 0) into [1, 2), or near */
double mc_unit (double max);

/* 'x', whose magnitude is below 127.5, as a byte holds it */
static inline int mc_byte (float x) {
  return (int)(x < 0 ? x - 0.5f : x + 0.5f);
}

/* 'x' as a float that is not below it (not above it) */
static inline float mc_above (double x) {
  float f = (float)x;
  return (double)f < x ? nextafterf(f, INFINITY) : f;
}
static inline float mc_below (double x) {
  float f = (float)x;
  return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

/*
** Pack all items of 'f' that pass 'common' (NULL: all do).  'keep': the image
** gets the factors, the bias and the norms too, so that it can stand alone.
** 'late': panels may be made when they are needed.
** Returns MASCON_OK, MASCON_ENOMEM, MASCON_ETOOBIG or MASCON_ECANCEL; then
** nothing is held.
*/
int mc_pack_open (mc_pack *p, const mc_factors *f, const uint64_t *common,
                  bool keep, bool late, mascon_exec *ex, int threads);
void mc_pack_close (mc_pack *p);

/* the item as it is packed, but for the scale, in doubles */
void mc_pack_getitem (const mc_factors *f, int64_t i, double *y);

/* have the panel of block 'b' made if it is not there; 'y' has room for an
   item, with its bias */
void mc_pack_needpanel (const mc_pack *p, const mc_factors *f, int64_t b,
                        double *y);

/* -------} */


/* {------- finding (recommend_scan.c) ------- */

/* what all workers share */
typedef struct mc_recjob {
  const mc_factors *f;
  const mc_pack *p;         /* NULL: every score is computed */
  bool narrow;              /* it has only items that pass filter->common */
  const mc_filter *filter;
  const mc_result *result;
  const mascon_array *rows; /* ids of the users; NULL: all */
  int base;                 /* of 'rows' */
  bool block;               /* f->users has the users of rows 'origin' on, in
                               the order of the results */
  int64_t origin;
  bool self;                /* nobody gets the item of his own number */
  int64_t n;                /* hits wanted, at most the number of items */
  double floor;             /* only scores from here on */
} mc_recjob;

typedef struct mc_recworker mc_recworker;

/* users that a worker takes at a time within the memory it may have */
int64_t mc_rec_batch (const mc_recjob *j, int64_t want);

/* 'count' workers for 'batch' users each, or NULL */
mc_recworker *mc_rec_open (const mc_recjob *j, int64_t batch, int count);
void mc_rec_close (mc_recworker *w, int count);

/* add what the workers have done to 's' */
void mc_rec_stats (const mc_recworker *w, int count,
                   mascon_recommend_stats *s);

/* the id of the user whose results are row 'row', and which of f->users he
   is */
int64_t mc_rec_user (const mc_recjob *j, int64_t row);
int64_t mc_rec_at (const mc_recjob *j, int64_t row);

/*
** Worker 'thread': the candidates of rows 'first' to 'last' - 1 among part
** 'part' of 'parts' of the items.  False: the call is cancelled.
*/
bool mc_rec_find (const mc_recjob *j, mc_recworker *w, int thread,
                  int64_t first, int64_t last, int part, int parts);

/* give the hits of worker 'from' to worker 'to'; both had the same rows */
void mc_rec_merge (mc_recworker *w, int to, int from, int64_t count);

/* sort and put the rows that worker 'thread' has found */
void mc_rec_put (const mc_recjob *j, mc_recworker *w, int thread,
                 int64_t first, int64_t last);

/* -------} */


/* {------- a call (recommend.c) ------- */

/* what a call is about */
typedef struct mc_recinput {
  const mascon_array *users;
  const mascon_users *source;  /* makes them where 'users' is NULL */
  const mascon_array *items;
  const mascon_array *bias;    /* unless an option says another */
  int normalize;               /* unless an option does; 1: cosine */
  const mc_pack *pack;         /* items as those say; NULL: not packed */
} mc_recinput;

/* check all and run */
int mc_recommend (const mc_recinput *in, const mascon_topn_opts *opts,
                  const mascon_topn_out *out, mascon_exec *ex);

/* -------} */


/* {------- what a call gets (recommend_input.c) ------- */

/* how many users there are */
int64_t mc_rec_users (const mc_recinput *in);

/* are scores to be cosines? */
bool mc_rec_cosine (const mc_recinput *in, const mascon_topn_opts *o);

/* check input and options, but for what is checked where results and filters
   are opened; the second checks where ranks go */
int mc_rec_checkinput (const mc_recinput *in, const mascon_topn_opts *o);
int mc_rec_checkranks (const mc_recinput *in, const mascon_topn_opts *o,
                       const mascon_topn_out *out);

/* the structs as this version knows them */
mascon_users mc_users (const mascon_users *from);
mascon_topn_out mc_topn_outof (const mascon_topn_out *from);

/* MASCON_OK for a live f32 or f64 matrix, or a vector of 'n' of those */
int mc_rec_checkmatrix (const mascon_array *a);
int mc_rec_checkbias (const mascon_array *a, int64_t n);

/* -------} */

#endif

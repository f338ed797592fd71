/*
** recommend_ranks.h - the ranks of given pairs among all that a user may get
*/

#ifndef RECOMMEND_RANKS_H
#define RECOMMEND_RANKS_H

#include "recommend.h"

/* what one thread needs */
typedef struct mc_ranker mc_ranker;

/*
** Rankers for 'threads' threads, for the pairs of j->pairs; their ranks go to
** 'out' (i32 or i64, one element a pair).  NULL where memory is short.
*/
mc_ranker *mc_rank_open (const mc_recjob *j, const mascon_csr *pairs,
                         const mascon_array *out, int threads);
void mc_rank_close (mc_ranker *k, int threads);

/*
** Put the ranks of the pairs that the users of rows 'first' to 'last' - 1
** have: 1 for the best; 0 where an item may not be had, or has no score.
** It looks whether the call is cancelled, and then leaves.
*/
void mc_rank_rows (const mc_recjob *j, mc_ranker *k, int thread,
                   int64_t first, int64_t last);

#endif

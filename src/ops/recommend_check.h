/*
** recommend_check.h - results held against brute force
*/

#ifndef RECOMMEND_CHECK_H
#define RECOMMEND_CHECK_H

#include "recommend.h"

typedef struct mc_check_call {
  const mc_recjob *job;
  const mascon_topn_opts *opts;
  const mascon_array *ranks;  /* of opts->ranks */
  uint64_t seed;              /* which rows are looked at */
  int threads;
} mc_check_call;

/*
** Compute those of the opts->check rows again that are among 'first' to
** 'last' - 1, whose results are put.  Returns MASCON_OK; MASCON_ECHECK and,
** in '*bad', the first row that differs; MASCON_ENOMEM or MASCON_ECANCEL.
*/
int mc_rec_check (const mc_check_call *c, int64_t first, int64_t last,
                  mascon_exec *ex, int64_t *bad);

#endif

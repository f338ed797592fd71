/*
** topn.h - selecting from rows that are there, for topn and topn_stream
*/

#ifndef TOPN_H
#define TOPN_H

#include "filter.h"
#include "kern.h"
#include "result.h"

typedef struct mc_topn {
  mascon_array matrix;     /* rows 'origin' on of the call */
  int64_t origin;
  int64_t ncols;
  int64_t n;               /* no more than there are columns */
  double floor;            /* what a score must reach */
  double least;            /* smallest: what is below is as good as NaN */
  bool flip;
  const mck_scan *kern;
  int threads;
  int64_t grain;           /* rows that are worth handing out */
  int64_t parts, partlen;  /* a row is done in parts; whole words of bits */
  int64_t room;            /* of a buffer of hits */
  mck_hit *hits, *spare;   /* a buffer a thread */
  mck_hit *found;          /* parts: n hits each */
  int64_t *nfound;         /* their number */
  char *block;             /* a thread's block of scores from strided rows */
  int64_t turned;          /* rows of a thread's panel */
  char *panel;             /* rows of a transposed matrix; NULL: none */
  mc_filter filter;
  mc_result result;
} mc_topn;

/*
** mc_topn_open: check all but the scores, and allocate for matrices of up to
** 'batch' rows of the call's 'nrows'; INT64_MAX: every thread has one of its
** own.  'sunk': rows that a sink gets at a
** time, 0 for any.  On failure nothing is held.
** mc_topn_parts: if rows are done in parts, do those of 'count' rows from
** 'first' on.  Then mc_topn_body is what mc_result_run or mc_result_part is
** to run.
*/
int mc_topn_open (mc_topn *t, const mascon_topn_opts *opts,
                  const mascon_topn_out *out, const mascon_exec *ex,
                  int64_t nrows, int64_t ncols, mascon_dtype type,
                  int64_t batch, int64_t sunk, bool flat);
void mc_topn_close (mc_topn *t);
int mc_topn_parts (mc_topn *t, mascon_exec *ex, int64_t first, int64_t count);
void mc_topn_body (void *ud, int64_t first, int64_t last, int thread);

#endif

/*
** result.h - where the top-N family puts its results: arrays and sinks
**
** A driver opens the result, which checks what the caller gave, runs a body
** over the rows, which puts each row's hits, and closes it.  Rows go to the
** caller's arrays, whatever their strides; a sink gets them batch by batch,
** from the caller's arrays or from ones that hold one batch.
*/

#ifndef RESULT_H
#define RESULT_H

#include "core.h"
#include "kern.h"

enum {MC_IDS, MC_SCORES, MC_COUNTS, MC_NCOLUMN};

/* one of the results; described as a matrix (counts: as a vector) */
typedef struct mc_column {
  mascon_array a;
  bool have;  /* wanted by the caller or by the sink */
  bool own;   /* ours, for one batch: its row 0 is the batch's first */
  bool held;  /* the caller's, and nobody may freeze it */
} mc_column;

typedef struct mc_result {
  int64_t nrows;
  int64_t n;       /* width of ids and scores */
  int64_t first;   /* rows before it are left */
  int64_t batch;   /* rows done at a time */
  int64_t origin;  /* first row of the batch that is being done */
  int64_t pad_id;
  double pad_score;
  int base;
  bool flip;       /* scores come with the other sign (smallest) */
  mc_column column[MC_NCOLUMN];
  mascon_sink_fn sink;
  void *ud;
  /* looks at rows that are put, before a sink gets them; a status.  NULL:
     nobody does */
  int (*look) (void *looker, int64_t first, int64_t last, mascon_exec *ex);
  void *looker;
} mc_result;

/* 'opts' (or the defaults for NULL) as this version knows them */
mascon_topn_opts mc_topn_options (const mascon_topn_opts *opts);

/*
** mc_result_open: check 'o' and 'out' for 'nrows' rows of scores of dtype 't'
** with ids below 'ncols', and allocate what a sink needs.  'batch': rows that
** a sink gets at a time; 0: as seems good.  'flat': the scores are a vector,
** and so may ids and scores be.  On failure nothing is held.
** Returns MASCON_OK, MASCON_ERANGE (n, first, ids that i32 cannot hold),
** MASCON_EVALUE (base), MASCON_EINEXACT (pad_id), MASCON_ETYPE,
** MASCON_ESHAPE, MASCON_EALIAS, MASCON_EREADONLY, MASCON_ECLOSED,
** MASCON_ETOOBIG or MASCON_ENOMEM.
*/
int mc_result_open (mc_result *r, const mascon_topn_opts *o,
                    const mascon_topn_out *out, int64_t nrows, int64_t ncols,
                    mascon_dtype t, int64_t batch, bool flat);
void mc_result_close (mc_result *r);

/* may an output share a byte with the input 'a' (NULL: no)? */
bool mc_result_overlaps (const mc_result *r, const mascon_array *a);

/* row 'row' is done: 'held' hits (at most n) in order; the rest is padded */
void mc_result_put (const mc_result *r, int64_t row, const mck_hit *hits,
                    int64_t held);

/*
** mc_result_run: 'body' over all rows from r->first on, in blocks of 'grain',
** and each finished batch to the sink.  'body' gets row numbers of the whole
** call.  mc_result_part does the batch of 'count' rows from 'first'.
** Progress, cancelling and ex->done are as for mc_parallel; with a sink, rows
** count as done when the sink has taken them.
** Return MASCON_OK or MASCON_ECANCEL.
*/
int mc_result_run (mc_result *r, mascon_exec *ex, int64_t grain, int threads,
                   mc_body body, void *ud);
int mc_result_part (mc_result *r, mascon_exec *ex, int64_t first,
                    int64_t count, int64_t grain, int threads, mc_body body,
                    void *ud);

#endif

/*
** topn.c - the best of each row of a matrix
*/

#include <math.h>

#include "filter.h"
#include "result.h"


typedef struct job {
  const mascon_array *scores;
  int64_t ncols;
  int64_t n;            /* no more than there are columns */
  double floor;
  int flip;
  mc_filter filter;
  mc_result result;
  mck_hit *hits, *spare;  /* a buffer a thread */
} job;


static double at (const mascon_array *a, int64_t i, int64_t j) {
  const void *p = mc_at(a, i, j);
  return a->dtype.bits == 32 ? *(const float *)p : *(const double *)p;
}


static void dorows (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  int64_t cap = mck_best_room(j->n), passing;
  mck_best b = {.hits = j->hits + thread * cap, .n = j->n, .cap = cap,
                .floor = j->floor, .single = j->scores->dtype.bits == 32};
  for (int64_t i = first; i < last; i++) {
    const uint64_t *pass = mc_filter_begin(&j->filter, thread, i, -1,
                                           &passing);
    mck_best_start(&b);
    for (int64_t k = 0; k < j->ncols; k++) {
      double x = at(j->scores, i, k);
      if (mck_passes(pass, k)) mck_best_offer(&b, j->flip ? -x : x, k);
    }
    mc_filter_end(&j->filter, thread, i, -1);
    mc_result_put(&j->result, i, b.hits,
                  mck_best_finish(&b, j->spare + thread * cap));
  }
}


int mascon_topn (const mascon_array *scores, const mascon_topn_opts *opts,
                 mascon_topn_out *out, mascon_exec *ex) {
  mascon_topn_opts o = mc_topn_options(opts);
  job j = {.scores = scores, .flip = o.smallest != 0};
  int status = mc_check(scores), threads;
  mascon_array matrix;
  mascon_dtype t;
  if (status != MASCON_OK) return status;
  if (scores->ndim > 2) return MASCON_ESHAPE;
  t = mascon_dtype_of(scores);
  if (t != MASCON_F32 && t != MASCON_F64) return MASCON_ETYPE;
  matrix = *scores;
  if (scores->ndim == 1) {
    matrix.ndim = 2;
    matrix.shape[0] = 1; matrix.stride[0] = 0;
    matrix.shape[1] = scores->shape[0]; matrix.stride[1] = scores->stride[0];
  }
  j.scores = &matrix;
  j.ncols = matrix.shape[1];
  j.n = o.n < j.ncols ? o.n : j.ncols > 0 ? j.ncols : 1;
  j.floor = isnan(o.min) ? -INFINITY : o.min;
  threads = mc_threads(ex, (double)mascon_count(scores));
  status = mc_result_open(&j.result, &o, out, matrix.shape[0], j.ncols, t, 0,
                          scores->ndim == 1);
  if (status != MASCON_OK) return status;
  status = mc_filter_open(&j.filter, &o, matrix.shape[0], j.ncols, threads,
                          false);
  if (status == MASCON_OK) {
    j.hits = mc_alloc((size_t)(threads * mck_best_room(j.n)), sizeof *j.hits);
    j.spare = mc_alloc((size_t)(threads * mck_best_room(j.n)), sizeof *j.hits);
    if (j.hits == NULL || j.spare == NULL) status = MASCON_ENOMEM;
    else status = mc_result_run(&j.result, ex, 1, threads, dorows, &j);
    mc_free(j.hits);
    mc_free(j.spare);
    mc_filter_close(&j.filter);
  }
  mc_result_close(&j.result);
  return status;
}

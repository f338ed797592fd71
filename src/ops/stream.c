/*
** stream.c - the best of scores that a callback makes, batch by batch
*/

#include <string.h>

#include "topn.h"

#define BATCH (8 << 20)  /* bytes of scores, about */


/* fill in what was not said; false where something is impossible */
static bool complete (mascon_stream *s, const mascon_stream *from) {
  mascon_stream init = MASCON_STREAM_INIT;
  size_t size = mascon_dtype_size((mascon_dtype)from->dtype);
  *s = init;
  memcpy(s, from, from->size < sizeof *s ? from->size : sizeof *s);
  if (s->score == NULL || s->rows < 0 || s->cols < 0 || s->batch < 0)
    return false;
  if (s->batch == 0 && s->cols > 0 && size > 0)
    s->batch = BATCH / (int64_t)size / s->cols;
  if (s->batch < 1) s->batch = 1;
  if (s->batch > s->rows) s->batch = s->rows;
  return true;
}


/* rows first to first + count - 1: score them, then select */
static int dobatch (mc_topn *t, const mascon_stream *s, mascon_array *block,
                    mascon_exec *ex, int64_t first, int64_t count) {
  int status = mascon_narrow(&t->matrix, block, 0, 0, count, 1);
  t->origin = first;
  if (count > 0 && s->score(s->ud, &t->matrix, first, first + count)) {
    ex->done = first;
    ex->total = s->rows;
    status = MASCON_ECANCEL;
  }
  if (status == MASCON_OK) status = mc_topn_parts(t, ex, first, count);
  if (status == MASCON_OK)
    status = mc_result_part(&t->result, ex, first, count, t->grain,
                            t->threads, mc_topn_body, t);
  mascon_release(&t->matrix);
  return status;
}


int mascon_topn_stream (const mascon_stream *from,
                        const mascon_topn_opts *opts, mascon_topn_out *out,
                        mascon_exec *ex) {
  mascon_exec quiet = MASCON_EXEC_INIT;
  mascon_array block;
  mascon_stream s;
  int64_t shape[2], first;
  mc_topn t;
  int status;
  if (!complete(&s, from)) return MASCON_EVALUE;
  if (ex == NULL) ex = &quiet;
  status = mc_topn_open(&t, opts, out, ex, s.rows, s.cols,
                        (mascon_dtype)s.dtype, s.batch, s.batch, false);
  if (status != MASCON_OK) return status;
  shape[0] = s.batch;
  shape[1] = s.cols;
  status = mascon_zeros(&block, (mascon_dtype)s.dtype, 2, shape);
  first = t.result.first;
  if (status == MASCON_OK) {
    do {
      int64_t count = s.rows - first < s.batch ? s.rows - first : s.batch;
      status = dobatch(&t, &s, &block, ex, first, count);
      first += count;
    } while (status == MASCON_OK && first < s.rows);
    mascon_release(&block);
  }
  mc_topn_close(&t);
  return status;
}

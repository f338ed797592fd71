/*
** stream.c - the best of scores that a callback makes, block by block
**
** A block of scores that a thread has just made is in its cache: so it selects
** from it itself.  Where the callback is for the calling thread only, as in
** languages of one, all threads select from one block.
*/

#include <string.h>

#include "topn.h"

#define BLOCK (1 << 20)  /* bytes of scores of a thread, about */
#define BATCH (8 << 20)  /* of all threads */
#define SHARES 4         /* blocks that a thread should get, at least */
#define SUNK 8           /* blocks of a thread between two calls of a sink */


/* fill in what was not said; false where something is impossible */
static bool complete (mascon_stream *s, const mascon_stream *from,
                      int threads) {
  mascon_stream init = MASCON_STREAM_INIT;
  size_t size = mascon_dtype_size((mascon_dtype)from->dtype);
  *s = init;
  memcpy(s, from, from->size < sizeof *s ? from->size : sizeof *s);
  if (s->score == NULL || s->rows < 0 || s->cols < 0 || s->batch < 0)
    return false;
  if (s->batch == 0 && s->cols > 0 && size > 0) {
    int64_t share = s->rows / threads / SHARES;
    s->batch = (s->serial ? BATCH : BLOCK) / (int64_t)size / s->cols;
    if (!s->serial && s->batch > share) s->batch = share;
  }
  if (s->batch < 1) s->batch = 1;
  if (s->batch > s->rows) s->batch = s->rows;
  return true;
}


/* the rows that a sink gets at a time */
static int64_t sunk (const mascon_stream *s, int threads) {
  int64_t rows;
  if (s->serial) return s->batch;
  return mc_mul((int64_t)SUNK * threads, s->batch, &rows) ? rows : s->rows;
}


/* as many blocks as are in use at once */
static int makeblocks (const mascon_stream *s, int threads,
                       mascon_array *blocks) {
  int64_t n = s->serial || s->batch == 0 ? 1 : (s->rows - 1) / s->batch + 1;
  int64_t shape[2] = {0, s->cols};
  if (n > threads) n = threads;
  if (!mc_mul(n, s->batch, &shape[0])) return MASCON_ETOOBIG;
  return mascon_zeros(blocks, (mascon_dtype)s->dtype, 2, shape);
}


/* {------- a block for all threads ------- */

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
  if (status == MASCON_OK && first + count < s->rows)
    status = mc_renew(block);  /* the callback may keep parts of it */
  return status;
}


static int inorder (mc_topn *t, const mascon_stream *s, mascon_array *block,
                    mascon_exec *ex) {
  int64_t first = t->result.first;
  int status;
  do {
    int64_t count = s->rows - first < s->batch ? s->rows - first : s->batch;
    status = dobatch(t, s, block, ex, first, count);
    first += count;
  } while (status == MASCON_OK && first < s->rows);
  return status;
}

/* -------} */


/* {------- a block for each thread ------- */

typedef struct job {
  const mc_topn *t;
  const mascon_stream *s;
  const mascon_array *blocks;
} job;


static void doblock (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  const mascon_stream *s = j->s;
  mc_topn own = *j->t;
  own.origin = first;
  mascon_narrow(&own.matrix, j->blocks, 0, thread * s->batch, last - first,
                1);
  if (s->score(s->ud, &own.matrix, first, last)) mc_giveup();
  else mc_topn_body(&own, first, last, thread);
  mascon_release(&own.matrix);
}


static int onall (mc_topn *t, const mascon_stream *s, mascon_array *blocks,
                  mascon_exec *ex) {
  job j = {t, s, blocks};
  return mc_result_run(&t->result, ex, s->batch > 0 ? s->batch : 1,
                       t->threads, doblock, &j);
}

/* -------} */


int mascon_topn_stream (const mascon_stream *from,
                        const mascon_topn_opts *opts, mascon_topn_out *out,
                        mascon_exec *ex) {
  mascon_exec quiet = MASCON_EXEC_INIT;
  mascon_array blocks;
  mascon_stream s;
  int threads = mc_threads(ex, INFINITY), status;
  mc_topn t;
  if (!complete(&s, from, threads)) return MASCON_EVALUE;
  if (ex == NULL) ex = &quiet;
  status = mc_topn_open(&t, opts, out, ex, s.rows, s.cols,
                        (mascon_dtype)s.dtype, s.serial ? s.batch : INT64_MAX,
                        sunk(&s, threads), false);
  if (status != MASCON_OK) return status;
  status = makeblocks(&s, t.threads, &blocks);
  if (status == MASCON_OK) {
    status = (s.serial ? inorder : onall)(&t, &s, &blocks, ex);
    mascon_release(&blocks);
  }
  mc_topn_close(&t);
  return status;
}

/*
** csvblocks.c - rows become text by all threads
*/

#include <errno.h>

#include "csv.h"

#define BLOCK ((size_t)1 << 17)  /* bytes of a block's text, about */
#define BATCH 32                 /* blocks for each thread: they wait for each
                                    other once in a batch */

typedef struct job {
  const mc_csvblocks *b;
  int64_t step;       /* rows of a block */
  int64_t base;       /* the first row of this batch */
  char *text;         /* 'size' bytes for each block of the batch */
  size_t size, *length;
} job;


/* a block of a batch: 'first' is its number */
static void format (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  (void)thread;
  for (int64_t k = first; k < last; k++) {
    int64_t r = j->base + k * j->step, end = r + j->step;
    char *text = j->text + (size_t)k * j->size;
    if (end > j->b->rows) end = j->b->rows;
    j->length[k] = (size_t)(j->b->put(j->b->ud, r, end, text) - text);
  }
}


static int64_t blocksof (const job *j, int64_t rows) {
  return rows / j->step + (rows % j->step != 0);
}


static int writeall (job *j, int fd, int64_t *at, int64_t batch, int threads,
                     mascon_exec *ex) {
  for (; j->base < j->b->rows; j->base += batch * j->step) {
    int64_t blocks = blocksof(j, j->b->rows - j->base);
    int status;
    if (blocks > batch) blocks = batch;
    status = mc_parallel_part(ex, blocks, 1, threads, format, j,
                              j->base / j->step, blocksof(j, j->b->rows));
    if (status != MASCON_OK) return status;
    for (int64_t k = 0; k < blocks; k++) {
      errno = mc_writeat(fd, j->text + (size_t)k * j->size, j->length[k], *at);
      if (errno != 0) return MASCON_EIO;
      *at += (int64_t)j->length[k];
    }
  }
  return MASCON_OK;
}


int mc_csvwrite (const mc_csvblocks *b, int fd, int64_t *at, double ops,
                 mascon_exec *ex) {
  int threads = mc_threads(ex, (double)b->rows * ops);
  job j = {.b = b, .step = b->rowsize < BLOCK ? (int64_t)(BLOCK / b->rowsize)
                                              : 1};
  int64_t batch = blocksof(&j, b->rows);
  int status = MASCON_ENOMEM, keep;
  j.size = (size_t)j.step * b->rowsize;
  if (batch > BATCH * threads) batch = BATCH * threads;
  if (j.size > BLOCK && batch > 2 * threads) batch = 2 * threads;
  j.text = mc_alloc((size_t)batch, j.size);
  j.length = mc_alloc((size_t)batch, sizeof *j.length);
  if (j.text != NULL && j.length != NULL)
    status = writeall(&j, fd, at, batch, threads, ex);
  keep = errno;
  mc_free(j.text);
  mc_free(j.length);
  errno = keep;
  return status;
}

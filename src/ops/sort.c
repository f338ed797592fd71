/*
** sort.c - sort and argsort along an axis
**
** Many lines are shared by the workers, each of which sorts its lines alone.
** A long line is sorted by all of them together: every pass of the radix
** sort counts and deals block by block, and as a block knows where those
** before it put theirs, the result is that of one worker.
*/

#include "core.h"
#include "kern.h"
#include "lines.h"

#define LONG (1 << 18)    /* elements of a line that is sorted together */
#define BLOCK (1 << 16)   /* ... in blocks of at least so many */
#define BLOCKS 256        /* ... of which there are at most so many */
#define ELEMENTS (1 << 14)  /* of the lines that are sorted at a time */

typedef struct job {
  const mck_key *key;
  const mck_record *record;
  unsigned low;         /* where the key begins in a record */
  bool ids;             /* argsort */
  int base;             /* ... counts from it */
  mc_lines in, out;
  char *records;        /* for each worker: a line's records, and as many to
                           spare */
  /* a line that is sorted together */
  int64_t line, block;
  char *r, *spare;
  size_t *next;         /* a table of MCK_DIGITS for each block */
} job;


/* {------- parts of a line ------- */

static char *element (const mc_lines *l, int64_t line, int64_t i) {
  return mc_line(l, line) + i * l->step * l->size;
}


/* elements first to first + n - 1 of a line, to records */
static void take (const job *j, void *r, int64_t line, int64_t first,
                  size_t n) {
  const char *from = element(&j->in, line, first);
  if (j->ids)
    j->key->pairs(r, from, j->in.step, n, (uint64_t)(first + j->base));
  else j->key->keys(r, from, j->in.step, n);
}


/* records to elements first to first + n - 1 of a line of the output */
static void put (const job *j, const void *r, int64_t line, int64_t first,
                 size_t n) {
  void *to = element(&j->out, line, first);
  if (!j->ids) j->key->values(to, j->out.step, r, n);
  else if (j->out.size == sizeof(int64_t))
    mck_sorting.ids_i64(to, j->out.step, r, n, j->low == 0);
  else mck_sorting.ids_i32(to, j->out.step, r, n, j->low == 0);
}

/* -------} */


static void somelines (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  size_t n = (size_t)j->in.n, bytes = n * j->record->size;
  char *r = j->records + 2 * bytes * (size_t)thread;
  for (int64_t i = first; i < last; i++) {
    take(j, r, i, 0, n);
    put(j, j->record->sort(r, r + bytes, n, j->low, j->key->bits), i, 0, n);
  }
}


/* {------- all together ------- */

static char *record (const job *j, char *r, int64_t i) {
  return r + (size_t)i * j->record->size;
}


static void takeblock (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  (void)thread;
  if (j->line == 0)  /* a block that deals reaches all of it */
    mc_touch(record(j, j->spare, first), record(j, j->spare, last));
  take(j, record(j, j->r, first), j->line, first, (size_t)(last - first));
}


static void putblock (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  (void)thread;
  put(j, record(j, j->r, first), j->line, first, (size_t)(last - first));
}


static void countblock (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  (void)thread;
  j->record->count(record(j, j->r, first), (size_t)(last - first), j->low,
                   j->next + first / j->block * MCK_DIGITS);
}


static void dealblock (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  (void)thread;
  j->record->deal(j->spare, record(j, j->r, first), (size_t)(last - first),
                  j->low, j->next + first / j->block * MCK_DIGITS);
}


/* counts of all blocks to where each puts its first; false: nothing moves */
static bool starts (job *j, int64_t n) {
  int64_t blocks = (n - 1) / j->block + 1;
  size_t at = 0;
  for (size_t d = 0; d < MCK_DIGITS; d++) {
    size_t before = at;
    for (int64_t b = 0; b < blocks; b++) {
      size_t *next = &j->next[b * MCK_DIGITS + (int64_t)d], c = *next;
      *next = at;
      at += c;
    }
    if (at - before == (size_t)n) return false;
  }
  return true;
}


static int together (job *j, int threads, mascon_exec *ex) {
  int64_t n = j->in.n;
  unsigned low = j->low, end = low + j->key->bits;
  mascon_exec quiet = mc_quiet(ex);
  int status;
  j->r = j->records;
  j->spare = record(j, j->records, n);
  status = mc_parallel(&quiet, n, j->block, threads, takeblock, j);
  for (; status == MASCON_OK && j->low < end; j->low += 8) {
    char *t = j->r;
    status = mc_parallel(&quiet, n, j->block, threads, countblock, j);
    if (status != MASCON_OK || !starts(j, n)) continue;
    status = mc_parallel(&quiet, n, j->block, threads, dealblock, j);
    j->r = j->spare;
    j->spare = t;
  }
  j->low = low;
  if (status == MASCON_OK)
    status = mc_parallel_part(ex, n, j->block, threads, putblock, j,
                              j->line * n, j->in.count * n);
  if (ex != NULL) {  /* so far in elements, or not at all */
    ex->done = j->line + (status == MASCON_OK);
    ex->total = j->in.count;
  }
  return status;
}

/* -------} */


static int longlines (job *j, int threads, mascon_exec *ex) {
  int64_t n = j->in.n;
  int status = MASCON_OK;
  j->block = (n - 1) / BLOCKS + 1;
  if (j->block < BLOCK) j->block = BLOCK;
  j->next = mc_alloc(BLOCKS * MCK_DIGITS, sizeof *j->next);
  if (j->next == NULL) return MASCON_ENOMEM;
  for (; status == MASCON_OK && j->line < j->in.count; j->line++)
    status = together(j, threads, ex);
  mc_free(j->next);
  return status;
}


static int run (job *j, mascon_exec *ex) {
  int64_t n = j->in.n, count = n == 0 ? 0 : j->in.count;
  int threads = mc_threads(ex, 8 * (double)n * (double)count);
  bool one = n >= LONG;
  int status = MASCON_ENOMEM;
  if (count == 0) return mc_parallel(ex, 0, 1, 1, NULL, NULL);
  j->records = mc_alloc((size_t)n * 2 * j->record->size,
                        one ? 1 : (size_t)threads);
  if (j->records == NULL) return MASCON_ENOMEM;
  status = one ? longlines(j, threads, ex)
               : mc_parallel(ex, count, ELEMENTS / n + 1, threads, somelines,
                             j);
  mc_free(j->records);
  return status;
}


/* what both share; sets up all but what the records are */
static int setup (job *j, const mascon_array *a, int axis,
                  const mascon_array *out) {
  int status;
  if ((status = mc_check(a)) != MASCON_OK ||
      (status = mc_checkout(out)) != MASCON_OK) return status;
  if (!mc_sameshape(a, out)) return MASCON_ESHAPE;
  if (axis < 0 || axis >= a->ndim) return MASCON_ERANGE;
  if (!mc_elementwise(out, a)) return MASCON_EALIAS;
  j->key = &mck_sorting.keys[mascon_dtype_of(a)];
  j->in = mc_linesof(a, axis);
  j->out = mc_linesof(out, axis);
  return MASCON_OK;
}


int mascon_sort (const mascon_array *a, int axis, mascon_array *out,
                 mascon_exec *ex) {
  job j = {0};
  int status = setup(&j, a, axis, out);
  if (status != MASCON_OK) return status;
  if (mascon_dtype_of(out) != mascon_dtype_of(a)) return MASCON_ETYPE;
  j.record = j.key->record;
  return run(&j, ex);
}


int mascon_argsort (const mascon_array *a, int axis, int base,
                    mascon_array *out, mascon_exec *ex) {
  job j = {.ids = true, .base = base};
  int status = setup(&j, a, axis, out);
  mascon_dtype t;
  if (status != MASCON_OK) return status;
  t = mascon_dtype_of(out);
  if (t != MASCON_I64 && t != MASCON_I32) return MASCON_ETYPE;
  if (base != 0 && base != 1) return MASCON_EVALUE;
  if (t == MASCON_I32 && j.in.n - 1 + base > INT32_MAX) return MASCON_ETYPE;
  j.record = j.key->paired;
  j.low = j.key->low;
  if (j.low > 0 && j.in.n >= UINT32_MAX) return MASCON_ETOOBIG;
  return run(&j, ex);
}

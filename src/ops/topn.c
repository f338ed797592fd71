/*
** topn.c - the best of each row of a matrix
**
** A row is scanned with a limit that was guessed from a sample.  If fewer
** scores than wanted reach it, the row, which is in the cache by then, is
** scanned again with a lower one.  A limit never changes what comes out.  The
** few best of a short row have a kernel of their own.
**
** Where there are too few rows for the threads, a row is done in parts: each
** finds its own best, and the best of those are the row's.
*/

#include <math.h>
#include <string.h>

#include "topn.h"

#define BLOCK 4096          /* scores gathered at a time */
#define WORK (1 << 16)      /* scores that are worth handing out */
#define PART (1 << 15)      /* the shortest part of a row */
#define LONGEST (1 << 23)   /* the longest: a few milliseconds */
#define BRIEFEST 256        /* in shorter rows classes have too few scores */
#define SPARSE 16           /* one in so many passes: look at these only */
#define PANEL 64            /* rows turned together, at most: 256 bytes of a
                               column are had faster than 64 by 64 */
#define PANELBYTES (8 << 20)  /* what they may take */
#define TURN 32             /* columns turned together */


/* {------- one row, or part of it ------- */

static int64_t atmost (int64_t a, int64_t b) {
  return a < b ? a : b;
}


static double scoreat (const mascon_array *a, int64_t i, int64_t k) {
  const void *p = mc_at(a, i, k);
  return a->dtype.bits == 32 ? *(const float *)p : *(const double *)p;
}


/* columns first, first + step, ... of row 'i', 'count' of them, into 'to' */
static void gather (const mc_topn *t, int64_t i, int64_t first, int64_t step,
                    int64_t count, void *to) {
  const mascon_array *a = &t->matrix;
  int64_t stride = a->stride[1] * step;
  if (a->dtype.bits == 32) {
    const float *p = (const float *)(const void *)mc_at(a, i, first);
    float *q = to;
    for (int64_t k = 0; k < count; k++, p += stride)
      q[k] = *p < t->least ? NAN : *p;
  }
  else {
    const double *p = (const double *)(const void *)mc_at(a, i, first);
    double *q = to;
    for (int64_t k = 0; k < count; k++, p += stride)
      q[k] = *p < t->least ? NAN : *p;
  }
}


/* may the kernel read the rows where they are? */
static bool direct (const mc_topn *t) {
  return (t->matrix.stride[1] == 1 || t->matrix.shape[1] <= 1) &&
         t->least == -INFINITY;
}


/* columns lo to hi - 1 of row 'i' are a row's, or a part's */
typedef struct span {
  int64_t i, lo, hi;
  const char *scores;  /* from 'lo' on as the kernel reads them, or NULL */
  const uint64_t *pass;
  int64_t passing;  /* of all columns */
  char *block;
} span;


static void scan (const mc_topn *t, const span *s, mck_best *b) {
  if (s->scores != NULL) {
    t->kern->scan(b, s->scores, s->hi - s->lo, s->lo, t->flip, s->pass);
    return;
  }
  for (int64_t k = s->lo; k < s->hi; k += BLOCK) {
    int64_t count = s->hi - k < BLOCK ? s->hi - k : BLOCK;
    gather(t, s->i, k, 1, count, s->block);
    t->kern->scan(b, s->block, count, k, t->flip, s->pass);
  }
}


static double guess (const mc_topn *t, const span *s, int64_t want) {
  int64_t n = s->hi - s->lo, step = (n + BLOCK - 1) / BLOCK;
  if (s->scores != NULL) return t->kern->guess(s->scores, n, want, t->flip);
  if (n < step) return -INFINITY;
  gather(t, s->i, s->lo, step, n / step, s->block);
  want /= step;  /* and room for chance, as in mck_topn_sample */
  if (step > 1) want += (int64_t)(3 * sqrt((double)want)) + 3;
  return t->kern->guess(s->block, n / step, want, t->flip);
}


/* the few columns that pass, one by one */
static void scanfew (const mc_topn *t, const span *s, mck_best *b) {
  for (int64_t w = s->lo >> 6; w << 6 < s->hi; w++)
    for (uint64_t bits = s->pass[w]; bits != 0; bits &= bits - 1) {
      int64_t k = (w << 6) + __builtin_ctzll(bits);
      double x = scoreat(&t->matrix, s->i, k);
      if (!(x < t->least)) mck_best_offer(b, t->flip ? -x : x, k);
    }
}


/*
** The n best of the span are held by 'b'.  What is left out may be random, or
** may be just the best: first the one is hoped for, then the other feared.
*/
static void select (const mc_topn *t, const span *s, mck_best *b) {
  int64_t len = s->hi - s->lo, out = t->ncols - s->passing;
  int64_t want = t->n, need = t->n < s->passing ? t->n : s->passing;
  mck_best_start(b);
  if (s->passing == 0) return;
  if (s->pass != NULL && s->passing < t->ncols / SPARSE) {
    scanfew(t, s, b);
    return;
  }
  if (out > 0) want = 2 * (t->n + t->n * (out / s->passing)) + 64;
  if (want > t->n + out) want = t->n + out;
  for (;;) {
    double limit = guess(t, s, want);
    mck_best_start(b);
    if (limit > b->limit) b->limit = limit;
    scan(t, s, b);
    if (b->held >= need || !(limit > b->floor)) return;
    want = want < t->n + out ? t->n + out : len;  /* len: no guess */
  }
}

/* -------} */


/* {------- rows, parts ------- */

static mck_best buffer (const mc_topn *t, int thread) {
  mck_best b = {
    .hits = t->hits + thread * t->room, .n = t->n, .cap = t->room,
    .floor = t->floor, .single = t->matrix.dtype.bits == 32
  };
  return b;
}


static span spanof (const mc_topn *t, int64_t row, int64_t lo, int64_t hi,
                    int thread) {
  span s = {row - t->origin, lo, hi, NULL, NULL, 0, t->block};
  if (direct(t)) s.scores = mc_at(&t->matrix, s.i, lo);
  if (t->block != NULL) s.block += thread * BLOCK * (t->matrix.dtype.bits / 8);
  s.pass = mc_filter_begin(&t->filter, thread, row, -1, &s.passing);
  return s;
}


/* are these the few best of a short row without a filter? */
static bool brief (const mc_topn *t, const span *s) {
  return t->n <= MCK_FEW && t->ncols <= MCK_BRIEF && t->ncols >= BRIEFEST &&
         s->scores != NULL && s->pass == NULL;
}


/* where the next row will be if there is one; not to be read */
static const void *nextrow (const mc_topn *t, const char *scores) {
  int64_t step = t->matrix.stride[0] * (t->matrix.dtype.bits / 8);
  return (const void *)((uintptr_t)scores + (uintptr_t)step);
}


/* 'turned': its scores where they were turned to, or NULL */
static void wholerow (const mc_topn *t, int64_t row, const char *turned,
                      int thread) {
  mck_best b = buffer(t, thread);
  span s = spanof(t, row, 0, t->ncols, thread);
  if (turned != NULL) s.scores = turned;
  if (brief(t, &s))
    t->kern->brief(&b, s.scores, t->ncols, t->flip, nextrow(t, s.scores));
  else {
    select(t, &s, &b);
    mc_filter_end(&t->filter, thread, row, -1);
    mck_best_finish(&b, t->spare + thread * t->room);
  }
  mc_result_put(&t->result, row, b.hits, b.held);
}


/* the best of the parts' best, which do not come in the order of ids */
static void mergerow (const mc_topn *t, int64_t row, int thread) {
  mck_best b = buffer(t, thread);
  int64_t part = (row - t->origin) * t->parts;
  b.anyorder = 1;
  mck_best_start(&b);
  for (int64_t p = part; p < part + t->parts; p++)
    for (int64_t k = 0; k < t->nfound[p]; k++)
      mck_best_offer(&b, t->found[p * t->n + k].score,
                     t->found[p * t->n + k].id);
  mck_best_finish(&b, t->spare + thread * t->room);
  mc_result_put(&t->result, row, b.hits, b.held);
}


/* bytes from one turned row to the next: an odd number of lines or halves,
   so that they do not fall into the same sets of a cache */
static int64_t turnedbytes (const mc_topn *t) {
  return ((t->ncols + 15) / 16 | 1) * 16 * (t->matrix.dtype.bits / 8);
}


/* 'count' rows of columns that are contiguous: row by row, each score would
   cost a line of the cache */
static void panel (const mc_topn *t, int64_t row, int64_t count, int thread) {
  int64_t bytes = turnedbytes(t), size = t->matrix.dtype.bits / 8;
  char *to = t->panel + thread * t->turned * bytes;
  int64_t i = row - t->origin;
  for (int64_t k = 0; k < t->ncols; k += TURN)
    for (int64_t r = 0; r < count; r++)
      gather(t, i + r, k, 1, atmost(TURN, t->ncols - k),
             to + r * bytes + k * size);
  for (int64_t r = 0; r < count; r++)
    wholerow(t, row + r, to + r * bytes, thread);
}


void mc_topn_body (void *ud, int64_t first, int64_t last, int thread) {
  const mc_topn *t = ud;
  if (t->panel != NULL) {
    for (int64_t row = first; row < last; row += t->turned)
      panel(t, row, atmost(t->turned, last - row), thread);
    return;
  }
  for (int64_t row = first; row < last; row++)
    if (t->parts > 1) mergerow(t, row, thread);
    else wholerow(t, row, NULL, thread);
}


/* parts of the rows from 'first' on */
typedef struct partjob {
  const mc_topn *t;
  int64_t first;
} partjob;


static void dopart (void *ud, int64_t part, int64_t last, int thread) {
  const partjob *j = ud;
  const mc_topn *t = j->t;
  for (; part < last; part++) {
    int64_t row = j->first + part / t->parts, lo = part % t->parts * t->partlen;
    int64_t hi = t->ncols - lo < t->partlen ? t->ncols : lo + t->partlen;
    int64_t at = (row - t->origin) * t->parts + part % t->parts;
    mck_best b = buffer(t, thread);
    span s = spanof(t, row, lo, hi, thread);
    select(t, &s, &b);
    mc_filter_end(&t->filter, thread, row, -1);
    mck_best_cut(&b);
    t->nfound[at] = b.held;
    memcpy(t->found + at * t->n, b.hits, (size_t)b.held * sizeof *b.hits);
  }
}


int mc_topn_parts (mc_topn *t, mascon_exec *ex, int64_t first,
                   int64_t count) {
  mascon_exec quiet = mc_quiet(ex);  /* progress counts rows */
  partjob j = {t, first};
  int status;
  if (t->parts == 1) return MASCON_OK;
  status = mc_parallel(&quiet, count * t->parts, 1, t->threads, dopart, &j);
  if (status != MASCON_OK && ex != NULL) {
    ex->done = first;
    ex->total = t->result.nrows;
  }
  return status;
}

/* -------} */


/* {------- opening and closing ------- */

/* how rows are shared out */
static void plan (mc_topn *t, int64_t batch) {
  int64_t want = 4 * t->threads, most = atmost(t->ncols / PART,
                                               t->ncols / (4 * t->n));
  t->grain = t->ncols > 0 ? WORK / t->ncols : WORK;
  if (t->grain > batch / want) t->grain = batch / want;
  if (t->grain < 1) t->grain = 1;
  t->parts = 1;
  if (batch > 0 && batch < want && most > 1) {
    if (t->threads > 1) t->parts = want / batch;
    if (t->parts < t->ncols / LONGEST) t->parts = t->ncols / LONGEST;
    t->parts = atmost(t->parts, most);
  }
  t->partlen = ((t->ncols + t->parts - 1) / t->parts + 63) & ~(int64_t)63;
  if (t->parts > 1) t->parts = (t->ncols + t->partlen - 1) / t->partlen;
}


static int allocate (mc_topn *t, int64_t batch) {
  int64_t all, parts = t->parts > 1 ? batch * t->parts : 0;
  if (t->n > INT64_MAX / 64 || !mc_mul(t->room, t->threads, &all))
    return MASCON_ETOOBIG;
  t->hits = mc_alloc((size_t)all, sizeof *t->hits);
  t->spare = mc_alloc((size_t)all, sizeof *t->spare);
  t->block = mc_alloc((size_t)t->threads * BLOCK, sizeof (double));
  if (t->hits == NULL || t->spare == NULL || t->block == NULL)
    return MASCON_ENOMEM;
  if (parts == 0) return MASCON_OK;
  t->found = mc_alloc((size_t)(parts * t->n), sizeof *t->found);
  t->nfound = mc_alloc((size_t)parts, sizeof *t->nfound);
  return t->found == NULL || t->nfound == NULL ? MASCON_ENOMEM : MASCON_OK;
}


/* turn rows where those next to each other share lines of the cache */
static int openpanel (mc_topn *t, int64_t nrows) {
  int64_t down = t->matrix.stride[0], along = t->matrix.stride[1];
  int64_t bytes = turnedbytes(t), share = (nrows - 1) / t->threads + 1;
  if (direct(t) || t->parts > 1 || nrows < 1) return MASCON_OK;
  if ((down < 0 ? -down : down) >= (along < 0 ? -along : along))
    return MASCON_OK;
  t->turned = atmost(atmost(PANEL, PANELBYTES / bytes), share);
  if (t->turned < 2) return MASCON_OK;
  if (t->grain < t->turned) t->grain = t->turned;
  t->panel = mc_alloc((size_t)(t->threads * t->turned), (size_t)bytes);
  return t->panel == NULL ? MASCON_ENOMEM : MASCON_OK;
}


/* 'min' in the dtype of the scores; for the smallest, which are scanned with
   the other sign, it is the far end */
static void setmin (mc_topn *t, double min, mascon_dtype type) {
  t->floor = t->least = -INFINITY;
  if (isnan(min)) return;
  if (type == MASCON_F32) min = (float)min;
  if (t->flip) t->least = min;
  else t->floor = min;
}


int mc_topn_open (mc_topn *t, const mascon_topn_opts *opts,
                  const mascon_topn_out *out, const mascon_exec *ex,
                  int64_t nrows, int64_t ncols, mascon_dtype type,
                  int64_t batch, int64_t sunk, bool flat) {
  mascon_topn_opts o = mc_topn_options(opts);
  mc_topn init = {.ncols = ncols, .flip = o.smallest != 0};
  int status;
  *t = init;
  if (type != MASCON_F32 && type != MASCON_F64) return MASCON_ETYPE;
  if (o.rows != NULL || o.bias != NULL || o.normalize || o.exclude_self ||
      o.ranks != NULL || o.check) return MASCON_EVALUE;
  t->kern = type == MASCON_F32 ? mck_get()->topn->f32 : mck_get()->topn->f64;
  t->n = atmost(o.n, ncols > 0 ? ncols : 1);
  t->room = mck_best_room(t->n);
  t->threads = mc_threads(ex, (double)batch * (double)ncols);
  setmin(t, o.min, type);
  status = mc_result_open(&t->result, &o, out, nrows, ncols, type, sunk, flat);
  if (status != MASCON_OK) return status;
  plan(t, batch);
  status = mc_filter_open(&t->filter, &o, nrows, ncols, t->threads, false);
  if (status == MASCON_OK) status = allocate(t, batch);
  if (status != MASCON_OK) mc_topn_close(t);
  return status;
}


void mc_topn_close (mc_topn *t) {
  mc_free(t->hits);
  mc_free(t->spare);
  mc_free(t->block);
  mc_free(t->panel);
  mc_free(t->found);
  mc_free(t->nfound);
  mc_filter_close(&t->filter);
  mc_result_close(&t->result);
}

/* -------} */


/* a vector as a matrix of one row */
static mascon_array asmatrix (const mascon_array *a) {
  mascon_array m = *a;
  if (a->ndim == 1) {
    m.ndim = 2;
    m.shape[0] = 1;
    m.shape[1] = a->shape[0];
    m.stride[0] = 0;
    m.stride[1] = a->stride[0];
  }
  return m;
}


int mascon_topn (const mascon_array *scores, const mascon_topn_opts *opts,
                 mascon_topn_out *out, mascon_exec *ex) {
  int status = mc_check(scores);
  mascon_array m;
  int64_t first;
  mc_topn t;
  if (status != MASCON_OK) return status;
  if (scores->ndim > 2) return MASCON_ESHAPE;
  m = asmatrix(scores);
  status = mc_topn_open(&t, opts, out, ex, m.shape[0], m.shape[1],
                        mascon_dtype_of(&m), m.shape[0], 0,
                        scores->ndim == 1);
  if (status != MASCON_OK) return status;
  t.matrix = m;
  first = t.result.first;
  if (mc_result_overlaps(&t.result, scores)) status = MASCON_EALIAS;
  if (status == MASCON_OK) status = openpanel(&t, m.shape[0] - first);
  if (status == MASCON_OK)
    status = mc_topn_parts(&t, ex, first, m.shape[0] - first);
  if (status == MASCON_OK)
    status = mc_result_run(&t.result, ex, t.grain, t.threads, mc_topn_body,
                           &t);
  mc_topn_close(&t);
  return status;
}

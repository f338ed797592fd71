/*
** result.c - where the top-N family puts its results
*/

#include <string.h>

#include "result.h"

#define BATCH (1 << 18)  /* hits that a sink gets at a time, about */


mascon_topn_opts mc_topn_options (const mascon_topn_opts *opts) {
  mascon_topn_opts o = MASCON_TOPN_INIT;
  if (opts != NULL)
    memcpy(&o, opts, opts->size < sizeof o ? opts->size : sizeof o);
  o.size = sizeof o;
  return o;
}


/* {------- checking ------- */

/* the caller's array 'a' as column 'k' */
static int adopt (mc_result *r, int k, mascon_array *a, bool flat) {
  mc_column *c = &r->column[k];
  int status;
  if (a == NULL) return MASCON_OK;
  if ((status = mc_checkout(a)) != MASCON_OK) return status;
  c->a = *a;
  c->have = true;
  if (k != MC_COUNTS && flat && a->ndim == 1) {  /* as a matrix of one row */
    c->a.ndim = 2;
    c->a.shape[0] = 1;
    c->a.shape[1] = a->shape[0];
    c->a.stride[0] = 0;
    c->a.stride[1] = a->stride[0];
  }
  if (c->a.ndim != (k == MC_COUNTS ? 1 : 2) || c->a.shape[0] != r->nrows ||
      (k != MC_COUNTS && c->a.shape[1] != r->n)) return MASCON_ESHAPE;
  for (int i = 0; i < c->a.ndim; i++)  /* elements that are one in memory */
    if (c->a.shape[i] > 1 && c->a.stride[i] == 0) return MASCON_EALIAS;
  return MASCON_OK;
}


static int checktypes (const mc_result *r, int64_t ncols, mascon_dtype t) {
  const mc_column *c = r->column;
  if (c[MC_SCORES].have && mascon_dtype_of(&c[MC_SCORES].a) != t)
    return MASCON_ETYPE;
  if (c[MC_COUNTS].have && mascon_dtype_of(&c[MC_COUNTS].a) != MASCON_I32)
    return MASCON_ETYPE;
  if (!c[MC_IDS].have) return MASCON_OK;
  switch (mascon_dtype_of(&c[MC_IDS].a)) {
    case MASCON_I64: return MASCON_OK;
    case MASCON_I32: break;
    default: return MASCON_ETYPE;
  }
  if (ncols > INT32_MAX) return MASCON_ERANGE;
  return mascon_dtype_fits_int(MASCON_I32, r->pad_id) ? MASCON_OK
                                                      : MASCON_EINEXACT;
}


static bool touches (const mc_column *c, const mascon_array *a) {
  return c->have && !c->own && a != NULL && mc_overlap(&c->a, a);
}


bool mc_result_overlaps (const mc_result *r, const mascon_array *a) {
  for (int k = 0; k < MC_NCOLUMN; k++)
    if (touches(&r->column[k], a)) return true;
  return false;
}


static bool overlapscsr (const mc_result *r, const mascon_csr *c) {
  return c != NULL && (mc_result_overlaps(r, c->indptr) ||
                       mc_result_overlaps(r, c->indices));
}


static bool aliased (const mc_result *r, const mascon_topn_opts *o) {
  const mc_column *c = r->column;
  return (c[MC_SCORES].have && touches(&c[MC_IDS], &c[MC_SCORES].a)) ||
         (c[MC_COUNTS].have && (touches(&c[MC_IDS], &c[MC_COUNTS].a) ||
                                touches(&c[MC_SCORES], &c[MC_COUNTS].a))) ||
         overlapscsr(r, o->exclude) || overlapscsr(r, o->allow) ||
         mc_result_overlaps(r, o->exclude_items) ||
         mc_result_overlaps(r, o->allow_items) ||
         mc_result_overlaps(r, o->rows) || mc_result_overlaps(r, o->bias);
}


static int check (mc_result *r, const mascon_topn_opts *o,
                  const mascon_topn_out *out, int64_t ncols, mascon_dtype t,
                  bool flat) {
  int status;
  if (o->n < 1 || o->first < 0 || o->first > r->nrows) return MASCON_ERANGE;
  if (o->base != 0 && o->base != 1) return MASCON_EVALUE;
  if (out == NULL) return MASCON_OK;
  if ((status = adopt(r, MC_IDS, out->ids, flat)) != MASCON_OK ||
      (status = adopt(r, MC_SCORES, out->scores, flat)) != MASCON_OK ||
      (status = adopt(r, MC_COUNTS, out->counts, flat)) != MASCON_OK ||
      (status = checktypes(r, ncols, t)) != MASCON_OK) return status;
  return aliased(r, o) ? MASCON_EALIAS : MASCON_OK;
}

/* -------} */


/* arrays of one batch for what the sink is to see and the caller has not */
static int makecolumns (mc_result *r, int64_t ncols, mascon_dtype t) {
  mascon_dtype types[MC_NCOLUMN] = {MASCON_I32, t, MASCON_I32};
  int64_t shape[2] = {r->batch, r->n};
  if (ncols > INT32_MAX || !mascon_dtype_fits_int(MASCON_I32, r->pad_id))
    types[MC_IDS] = MASCON_I64;
  for (int k = 0; k < MC_NCOLUMN; k++) {
    mc_column *c = &r->column[k];
    int status;
    if (c->have) continue;
    status = mascon_new(&c->a, types[k], k == MC_COUNTS ? 1 : 2, shape);
    if (status != MASCON_OK) return status;
    c->have = c->own = true;
  }
  return MASCON_OK;
}


/* nobody is to freeze the caller's arrays */
static void hold (mc_result *r) {
  for (int k = 0; k < MC_NCOLUMN; k++) {
    mc_column *c = &r->column[k];
    if (!c->have) continue;
    mc_writing(&c->a, 1);
    c->held = true;
  }
}


int mc_result_open (mc_result *r, const mascon_topn_opts *o,
                    const mascon_topn_out *out, int64_t nrows, int64_t ncols,
                    mascon_dtype t, int64_t batch, bool flat) {
  mc_result init = {
    .nrows = nrows, .n = o->n, .first = o->first, .batch = batch,
    .pad_id = o->pad_id, .pad_score = o->pad_score, .base = o->base,
    .flip = o->smallest != 0
  };
  int status;
  *r = init;
  status = check(r, o, out, ncols, t, flat);
  if (status != MASCON_OK) return status;
  hold(r);
  if (out == NULL || out->sink == NULL) {
    if (batch == 0) r->batch = nrows;
    return MASCON_OK;
  }
  r->sink = out->sink;
  r->ud = out->ud;
  if (batch == 0) r->batch = o->n < BATCH / 64 ? BATCH / o->n : 64;
  if (r->batch > nrows) r->batch = nrows;
  status = makecolumns(r, ncols, t);
  if (status != MASCON_OK) mc_result_close(r);
  return status;
}


void mc_result_close (mc_result *r) {
  for (int k = 0; k < MC_NCOLUMN; k++) {
    mc_column *c = &r->column[k];
    if (c->own) mascon_release(&c->a);
    if (c->held) mc_writing(&c->a, -1);
    c->have = c->own = c->held = false;
  }
}


/* {------- a row ------- */

static void putids (const mascon_array *a, int64_t i, int64_t n, int base,
                    int64_t pad, const mck_hit *hits, int64_t held) {
  int64_t step = a->stride[1], j = 0;
  if (a->dtype.bits == 32) {
    int32_t *p = (int32_t *)a->data + i * a->stride[0];
    for (; j < held; j++) p[j * step] = (int32_t)(hits[j].id + base);
    for (; j < n; j++) p[j * step] = (int32_t)pad;
  }
  else {
    int64_t *p = (int64_t *)a->data + i * a->stride[0];
    for (; j < held; j++) p[j * step] = hits[j].id + base;
    for (; j < n; j++) p[j * step] = pad;
  }
}


static void putscores (const mascon_array *a, int64_t i, int64_t n, bool flip,
                       double pad, const mck_hit *hits, int64_t held) {
  int64_t step = a->stride[1], j = 0;
  if (a->dtype.bits == 32) {
    float *p = (float *)a->data + i * a->stride[0];
    for (; j < held; j++)
      p[j * step] = (float)(flip ? -hits[j].score : hits[j].score);
    for (; j < n; j++) p[j * step] = (float)pad;
  }
  else {
    double *p = (double *)a->data + i * a->stride[0];
    for (; j < held; j++)
      p[j * step] = flip ? -hits[j].score : hits[j].score;
    for (; j < n; j++) p[j * step] = pad;
  }
}


void mc_result_put (const mc_result *r, int64_t row, const mck_hit *hits,
                    int64_t held) {
  const mc_column *c = r->column;
  int64_t i[MC_NCOLUMN];
  for (int k = 0; k < MC_NCOLUMN; k++)
    i[k] = c[k].own ? row - r->origin : row;
  if (c[MC_IDS].have)
    putids(&c[MC_IDS].a, i[MC_IDS], r->n, r->base, r->pad_id, hits, held);
  if (c[MC_SCORES].have)
    putscores(&c[MC_SCORES].a, i[MC_SCORES], r->n, r->flip, r->pad_score,
              hits, held);
  if (c[MC_COUNTS].have)
    *(int32_t *)(void *)mc_at(&c[MC_COUNTS].a, i[MC_COUNTS], 0) =
      (int32_t)held;
}

/* -------} */


/* {------- running ------- */

/* a body whose rows count from the start of the call */
typedef struct shifted {
  mc_body body;
  void *ud;
  int64_t first;
} shifted;


static void shift (void *ud, int64_t first, int64_t last, int thread) {
  const shifted *s = ud;
  s->body(s->ud, s->first + first, s->first + last, thread);
}


/* rows first to first + count - 1, which are done, to the sink; what he keeps
   of our arrays is his */
static int deliver (mc_result *r, int64_t first, int64_t count) {
  mascon_array a[MC_NCOLUMN];
  int stop, status = MASCON_OK;
  for (int k = 0; k < MC_NCOLUMN; k++) {
    const mc_column *c = &r->column[k];
    mascon_narrow(&a[k], &c->a, 0, c->own ? 0 : first, count, 1);
  }
  stop = r->sink(r->ud, first, first + count, &a[MC_IDS], &a[MC_SCORES],
                 &a[MC_COUNTS]);
  for (int k = 0; k < MC_NCOLUMN; k++) mascon_release(&a[k]);
  if (stop) return MASCON_ECANCEL;
  for (int k = 0; k < MC_NCOLUMN && status == MASCON_OK; k++)
    if (r->column[k].own && first + count < r->nrows)
      status = mc_renew(&r->column[k].a);
  return status;
}


int mc_result_part (mc_result *r, mascon_exec *ex, int64_t first,
                    int64_t count, int64_t grain, int threads, mc_body body,
                    void *ud) {
  shifted s = {body, ud, first};
  int status;
  r->origin = first;
  status = mc_parallel_part(ex, count, grain, threads, shift, &s, first,
                            r->nrows);
  if (status == MASCON_OK && r->look != NULL)
    status = r->look(r->looker, first, first + count, ex);
  if (r->sink == NULL) return status;
  if (status == MASCON_OK && count > 0) status = deliver(r, first, count);
  if (status != MASCON_OK && status != MASCON_ECHECK && ex != NULL)
    ex->done = first;
  return status;
}


int mc_result_run (mc_result *r, mascon_exec *ex, int64_t grain, int threads,
                   mc_body body, void *ud) {
  int64_t first = r->first;
  int status;
  do {
    int64_t count = r->nrows - first < r->batch ? r->nrows - first : r->batch;
    status = mc_result_part(r, ex, first, count, grain, threads, body, ud);
    first += count;
  } while (status == MASCON_OK && first < r->nrows);
  return status;
}

/* -------} */

/*
** recommend.c - the best items of every user, from factors
*/

#include <math.h>

#include "recommend.h"

#define RATE 5e10   /* operations a second that a worker may reach */
#define REST 0.025  /* seconds that a block of users should take */
#define MOST 192    /* users that a worker takes at a time */
#define LEAST 72    /* the same, however long it takes: panels are read once
                       for all of them */
#define FEW 32      /* users for whom packing the items does not pay */

/* a call, opened */
typedef struct call {
  mascon_topn_opts o;
  mc_factors f;
  mc_pack pack;
  mc_filter filter;
  mc_result result;
  mc_recjob job;
  mc_recworker *workers;
  int threads;
  int64_t batch;  /* users at a time */
  int64_t first;  /* of those being done in parts */
  int64_t count;
} call;


/* {------- checking ------- */

static int checkmatrix (const mascon_array *a) {
  int status = mc_check(a);
  if (status != MASCON_OK) return status;
  if (!mc_isfloat(mascon_dtype_of(a))) return MASCON_ETYPE;
  return a->ndim == 2 ? MASCON_OK : MASCON_ESHAPE;
}


static int checkbias (const mascon_array *a, int64_t nitems) {
  int status;
  if (a == NULL) return MASCON_OK;
  if ((status = mc_check(a)) != MASCON_OK) return status;
  if (!mc_isfloat(mascon_dtype_of(a))) return MASCON_ETYPE;
  return a->ndim == 1 && a->shape[0] == nitems ? MASCON_OK : MASCON_ESHAPE;
}


static int checkrows (const mascon_array *a, int base, int64_t nusers) {
  int status;
  if (a == NULL) return MASCON_OK;
  if ((status = mc_checkids(a)) != MASCON_OK) return status;
  for (int64_t i = 0; i < a->shape[0]; i++) {
    int64_t id = mc_idat(a, i);
    if (id < base || id - base >= nusers) return MASCON_ERANGE;
  }
  return MASCON_OK;
}


static int check (const mascon_array *users, const mascon_array *items,
                  const mascon_topn_opts *o) {
  int status;
  if (o->smallest) return MASCON_EVALUE;
  if ((status = checkmatrix(users)) != MASCON_OK ||
      (status = checkmatrix(items)) != MASCON_OK) return status;
  if (users->shape[1] != items->shape[1]) return MASCON_ESHAPE;
  if (items->shape[0] > INT32_MAX - MCK_BLOCK) return MASCON_ETOOBIG;
  if (o->exclude_self && users->shape[0] != items->shape[0])
    return MASCON_ESHAPE;
  if ((status = checkbias(o->bias, items->shape[0])) != MASCON_OK)
    return status;
  return checkrows(o->rows, o->base, users->shape[0]);
}

/* -------} */


/* {------- opening ------- */

static int opennorms (mc_factors *f) {
  double *y = mc_alloc((size_t)f->rank + 1, sizeof *y);
  f->inorm = mc_alloc((size_t)f->nitems, sizeof *f->inorm);
  if (y == NULL || f->inorm == NULL) {
    mc_free(y);
    return MASCON_ENOMEM;
  }
  for (int64_t i = 0; i < f->nitems; i++) {
    mc_getrow(f->items, i, y);
    f->inorm[i] = mc_norm(y, f->rank);
  }
  mc_free(y);
  return MASCON_OK;
}


static void openfactors (mc_factors *f, const mascon_array *users,
                         const mascon_array *items, const mascon_array *bias) {
  f->kern = mck_get()->recommend;
  f->users = users;
  f->items = items;
  f->bias = bias;
  f->inorm = NULL;
  f->nusers = users->shape[0];
  f->nitems = items->shape[0];
  f->rank = items->shape[1];
  f->single = mascon_dtype_of(users) == MASCON_F32 &&
              mascon_dtype_of(items) == MASCON_F32;
}


static void openjob (call *c) {
  mc_recjob *j = &c->job;
  j->f = &c->f;
  j->p = NULL;
  j->filter = &c->filter;
  j->result = &c->result;
  j->rows = c->o.rows;
  j->base = c->o.base;
  j->self = c->o.exclude_self != 0;
  j->n = c->o.n < c->f.nitems ? c->o.n : c->f.nitems;
  if (j->n < 1) j->n = 1;
  j->floor = isnan(c->o.min) ? -INFINITY
             : c->f.single ? (float)c->o.min : c->o.min;
}


/* users that a worker takes at a time: as many as keep a block of items in
   use for long, and not so many that the rest waits for the last worker */
static int64_t batchsize (const call *c, int64_t rows) {
  double one = (double)c->f.nitems * (double)(c->f.rank + 8) / RATE;
  double most = REST / one;
  int64_t batch = most < LEAST ? LEAST : most > MOST ? MOST : (int64_t)most;
  int64_t rounds = rows / (batch * c->threads) + 1;
  int64_t even = rows / (rounds * c->threads) + 1;
  even += (MCK_SIX - even % MCK_SIX) % MCK_SIX;
  return mc_rec_batch(&c->job, even < batch ? even : batch);
}


static int open (call *c, const mascon_array *users, const mascon_array *items,
                 const mascon_topn_out *out, mascon_exec *ex) {
  const mascon_topn_opts *o = &c->o;
  int64_t nrows = o->rows != NULL ? o->rows->shape[0] : users->shape[0];
  double ops;
  int status;
  openfactors(&c->f, users, items, o->bias);
  openjob(c);
  ops = (double)nrows * (double)c->f.nitems * (double)(c->f.rank + 1);
  c->threads = mc_threads(ex, ops);
  status = mc_result_open(&c->result, o, out, nrows, c->f.nitems,
                          c->f.single ? MASCON_F32 : MASCON_F64, 0, false);
  if (status != MASCON_OK) return status;
  if (mc_result_overlaps(&c->result, users) ||
      mc_result_overlaps(&c->result, items)) return MASCON_EALIAS;
  status = mc_filter_open(&c->filter, o, c->f.nusers, c->f.nitems, c->threads,
                          c->job.self);
  if (status == MASCON_OK && o->normalize) status = opennorms(&c->f);
  return status;
}


/* pack the items if there are users enough, and make the workers */
static int prepare (call *c, mascon_exec *ex) {
  int64_t rows = c->result.nrows - c->result.first;
  mascon_exec q = mc_quiet(ex);
  if (rows >= FEW && c->f.nitems > 0) {
    int status = mc_pack_open(&c->pack, &c->f, c->filter.common, false,
                              &q, c->threads);
    if (status == MASCON_ECANCEL && ex != NULL) {
      ex->done = c->result.first;
      ex->total = c->result.nrows;
    }
    if (status != MASCON_OK) return status;
    c->job.p = &c->pack;
  }
  c->batch = batchsize(c, rows);
  c->workers = mc_rec_open(&c->job, c->batch, c->threads);
  return c->workers != NULL ? MASCON_OK : MASCON_ENOMEM;
}


static void closecall (call *c) {
  mc_rec_close(c->workers, c->threads);
  mc_pack_close(&c->pack);
  mc_filter_close(&c->filter);
  mc_result_close(&c->result);
  mc_free(c->f.inorm);
}

/* -------} */


/* {------- running ------- */

/* many users: each worker has some */
static void someusers (void *ud, int64_t first, int64_t last, int thread) {
  call *c = ud;
  if (mc_rec_find(&c->job, c->workers, thread, first, last, 0, 1))
    mc_rec_put(&c->job, c->workers, thread, first, last);
}


/* few users: each worker has some of the items; part 'first' */
static void someitems (void *ud, int64_t first, int64_t last, int thread) {
  call *c = ud;
  (void)last;
  (void)thread;
  mc_rec_find(&c->job, c->workers, (int)first, c->first, c->first + c->count,
              (int)first, c->threads);
}


static void putusers (void *ud, int64_t first, int64_t last, int thread) {
  call *c = ud;
  (void)thread;
  for (int i = 1; i < c->threads; i++)
    mc_rec_merge(c->workers, 0, i, last - first);
  mc_rec_put(&c->job, c->workers, 0, first, last);
}


static int runparts (call *c, mascon_exec *ex) {
  int64_t n = c->result.nrows;
  int status = MASCON_OK;
  for (c->first = c->result.first; status == MASCON_OK && c->first < n;
       c->first += c->count) {
    mascon_exec q = mc_quiet(ex);
    c->count = n - c->first < c->batch ? n - c->first : c->batch;
    status = mc_parallel(&q, c->threads, 1, c->threads, someitems, c);
    if (status == MASCON_OK)
      status = mc_result_part(&c->result, ex, c->first, c->count, c->count, 1,
                              putusers, c);
    else if (ex != NULL) {
      ex->done = c->first;
      ex->total = n;
    }
  }
  return status;
}


static int run (call *c, mascon_exec *ex) {
  int64_t rows = c->result.nrows - c->result.first;
  if (c->threads > 1 && rows > 0 && rows < c->threads * (MCK_SIX + 1))
    return runparts(c, ex);
  return mc_result_run(&c->result, ex, c->batch, c->threads, someusers, c);
}

/* -------} */


int mascon_recommend (const mascon_array *users, const mascon_array *items,
                      const mascon_topn_opts *opts, const mascon_topn_out *out,
                      mascon_exec *ex) {
  call c = {.threads = 0};
  int status;
  c.o = mc_topn_options(opts);
  status = check(users, items, &c.o);
  if (status != MASCON_OK) return status;
  status = open(&c, users, items, out, ex);
  if (status == MASCON_OK) status = prepare(&c, ex);
  if (status == MASCON_OK) status = run(&c, ex);
  closecall(&c);
  return status;
}

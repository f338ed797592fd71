/*
** recommend.c - the best items of every user, from factors
*/

#include <math.h>
#include <string.h>

#include "recommend_check.h"
#include "recommend_ranks.h"

#define RATE 2e11   /* operations a second that a worker may reach */
#define REST 0.025  /* seconds that a block of users should take */
#define TILE 16     /* users that are compared at once */
#define MOST 384    /* users that a worker takes at a time */
#define LEAST 72    /* the same, however long it takes: panels are read once
                       for all of them */
#define FEW 32      /* users for whom packing the items does not pay */
#define BLOCK (8 << 20)  /* bytes of users that are made at a time, about */

/* a call, opened */
typedef struct call {
  mascon_topn_opts o;
  mascon_topn_out out;
  mc_factors f;
  double *norms;         /* of the items, where no index has them */
  const mc_pack *packed; /* the items, as an index has them; NULL: none has */
  mc_pack pack;          /* as they were packed for this call */
  mc_filter filter;
  mc_result result;
  mc_recjob job;
  mc_recworker *workers;
  mc_ranker *rankers;    /* NULL: no ranks are wanted */
  mc_check_call check;
  int threads;
  int64_t batch;         /* users at a time */
  int64_t first;         /* of those being done in parts */
  int64_t count;
  mascon_users source;   /* who makes users; fill NULL: they are there */
  mascon_array made;     /* what he fills */
  mascon_array some;     /* the part of it that is in use */
} call;


/* {------- opening ------- */

/* the norms of all items, as an index has them or new */
static int opennorms (call *c) {
  const mc_packhead *h = c->packed != NULL ? c->packed->head : NULL;
  if (h != NULL && h->cosine) c->f.inorm = mc_pack_section(h, MC_PACK_NORMS);
  else c->f.inorm = c->norms = mc_norms(c->f.items);
  return c->f.inorm != NULL || c->f.nitems == 0 ? MASCON_OK : MASCON_ENOMEM;
}


static void openfactors (call *c, const mc_recinput *in) {
  mc_factors *f = &c->f;
  mascon_dtype t = in->users != NULL ? mascon_dtype_of(in->users)
                                     : (mascon_dtype)in->source->dtype;
  f->kern = mck_get()->recommend;
  f->users = in->users != NULL ? in->users : &c->some;
  f->items = in->items;
  f->bias = c->o.bias != NULL ? c->o.bias : in->bias;
  f->nusers = mc_rec_users(in);
  f->nitems = in->items->shape[0];
  f->rank = in->items->shape[1];
  f->single = t == MASCON_F32 && mascon_dtype_of(in->items) == MASCON_F32;
  if (f->bias == in->bias && mc_rec_cosine(in, &c->o) == (in->normalize > 0))
    c->packed = in->pack;
}


static void openjob (call *c) {
  mc_recjob *j = &c->job;
  j->f = &c->f;
  j->p = NULL;
  j->filter = &c->filter;
  j->result = &c->result;
  j->rows = c->o.rows;
  j->base = c->o.base;
  j->block = c->source.fill != NULL;
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
  even += (TILE - even % TILE) % TILE;
  return mc_rec_batch(&c->job, even < batch ? even : batch);
}


/* how many users are made at a time */
static void opensource (call *c, const mc_recinput *in, int64_t nrows) {
  mascon_users *s = &c->source;
  int64_t rank = in->items->shape[1];
  if (in->users != NULL) return;
  *s = *in->source;
  if (s->batch == 0)
    s->batch = BLOCK / (int64_t)mascon_dtype_size((mascon_dtype)s->dtype) /
               (rank > 0 ? rank : 1);
  if (s->batch > nrows) s->batch = nrows;
  if (s->batch < 1) s->batch = 1;
}


/* do not share a byte with an input or an output, if there is an output for
   ranks */
static bool rankoverlaps (const call *c, const mc_recinput *in) {
  const mascon_array *a = c->out.ranks;
  const mascon_csr *lists[] = {c->o.ranks, c->o.exclude, c->o.allow};
  const mascon_array *others[] = {in->users, in->items, c->o.bias, c->o.rows,
                                  c->o.exclude_items, c->o.allow_items};
  if (a == NULL) return false;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (lists[i] != NULL && (mc_overlap(a, lists[i]->indptr) ||
                             mc_overlap(a, lists[i]->indices))) return true;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (others[i] != NULL && mc_overlap(a, others[i])) return true;
  return mc_result_overlaps(&c->result, a) ||
         mc_result_overlaps(&c->result, c->o.ranks->indptr) ||
         mc_result_overlaps(&c->result, c->o.ranks->indices);
}


static int open (call *c, const mc_recinput *in, mascon_exec *ex) {
  const mascon_topn_opts *o = &c->o;
  int64_t nrows = o->rows != NULL ? o->rows->shape[0] : mc_rec_users(in);
  double ops;
  int status;
  opensource(c, in, nrows);
  openfactors(c, in);
  openjob(c);
  ops = (double)nrows * (double)c->f.nitems * (double)(c->f.rank + 1);
  c->threads = mc_threads(ex, ops);
  status = mc_result_open(&c->result, o, &c->out, nrows, c->f.nitems,
                          c->f.single ? MASCON_F32 : MASCON_F64,
                          c->source.batch, false);
  if (status != MASCON_OK) return status;
  if (mc_result_overlaps(&c->result, in->users) ||
      mc_result_overlaps(&c->result, in->items) || rankoverlaps(c, in))
    return MASCON_EALIAS;
  status = mc_filter_open(&c->filter, o, c->f.nusers, c->f.nitems, c->threads,
                          c->job.self);
  return status == MASCON_OK && mc_rec_cosine(in, &c->o) ? opennorms(c) : status;
}


/*
** Find the items packed, or pack them if there are users enough.  Where few
** items pass for anybody, those alone make bars that an index knows nothing
** of: then packing pays, too; and where pairs are to be ranked, among items
** that pass.
*/
static int openpack (call *c, int64_t rows, mascon_exec *ex) {
  mascon_exec q = mc_quiet(ex);
  int status;
  if (c->f.nitems == 0) return MASCON_OK;
  if (c->packed != NULL && (rows < FEW || c->filter.common == NULL ||
      (c->o.ranks == NULL && c->filter.passing >= c->f.nitems / 2))) {
    c->job.p = c->packed;
    return MASCON_OK;
  }
  if (rows < FEW) return MASCON_OK;
  status = mc_pack_open(&c->pack, &c->f, c->filter.common, false,
                        c->o.ranks == NULL, &q, c->threads);
  if (status == MASCON_ECANCEL && ex != NULL) {
    ex->done = c->result.first;
    ex->total = c->result.nrows;
  }
  c->job.p = &c->pack;
  c->job.narrow = true;
  return status;
}


static int prepare (call *c, mascon_exec *ex) {
  const mascon_users *s = &c->source;
  int64_t rows = c->result.nrows - c->result.first;
  int64_t shape[2] = {s->batch, c->f.rank};
  int status = openpack(c, rows, ex);
  if (status == MASCON_OK && s->fill != NULL) {
    if (rows > s->batch) rows = s->batch;
    status = mascon_zeros(&c->made, (mascon_dtype)s->dtype, 2, shape);
  }
  if (status != MASCON_OK) return status;
  c->batch = batchsize(c, rows);
  c->workers = mc_rec_open(&c->job, c->batch, c->threads);
  if (c->o.ranks != NULL)
    c->rankers = mc_rank_open(&c->job, c->o.ranks, c->out.ranks, c->threads);
  if (c->rankers != NULL) mc_writing(c->out.ranks, 1);
  return c->workers != NULL && (c->o.ranks == NULL || c->rankers != NULL)
         ? MASCON_OK : MASCON_ENOMEM;
}


static int look (void *ud, int64_t first, int64_t last, mascon_exec *ex) {
  const call *c = ud;
  mascon_exec q = mc_quiet(ex);
  int64_t done = first;
  int status = mc_rec_check(&c->check, first, last, &q, &done);
  if (status != MASCON_OK && ex != NULL) ex->done = done;
  return status;
}


/* have results looked at, if that is wanted */
static void openlook (call *c) {
  int64_t rows = c->result.nrows - c->result.first;
  double now = mascon_clock();
  if (c->o.check <= 0) return;
  if (c->o.check > rows) c->o.check = rows;
  c->check.job = &c->job;
  c->check.opts = &c->o;
  c->check.ranks = c->out.ranks;
  c->check.threads = c->threads;
  memcpy(&c->check.seed, &now, sizeof now);
  c->result.look = look;
  c->result.looker = c;
}


static void closecall (call *c) {
  if (c->rankers != NULL) mc_writing(c->out.ranks, -1);
  mc_rank_close(c->rankers, c->threads);
  mc_rec_close(c->workers, c->threads);
  mc_pack_close(&c->pack);
  mc_filter_close(&c->filter);
  mc_result_close(&c->result);
  mc_free(c->norms);
  mascon_release(&c->made);
}

/* -------} */


/* {------- running ------- */

/* many users: each worker has some */
static void someusers (void *ud, int64_t first, int64_t last, int thread) {
  call *c = ud;
  if (!mc_rec_find(&c->job, c->workers, thread, first, last, 0, 1)) return;
  mc_rec_put(&c->job, c->workers, thread, first, last);
  if (c->rankers != NULL)
    mc_rank_rows(&c->job, c->rankers, thread, first, last);
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
  if (c->rankers != NULL) mc_rank_rows(&c->job, c->rankers, 0, first, last);
}


/* nothing from row 'first' on was done */
static int stopped (const call *c, mascon_exec *ex, int64_t first) {
  if (ex != NULL) {
    ex->done = first;
    ex->total = c->result.nrows;
  }
  return MASCON_ECANCEL;
}


static int runparts (call *c, mascon_exec *ex, int64_t first, int64_t last) {
  int status = MASCON_OK;
  for (c->first = first; status == MASCON_OK && c->first < last;
       c->first += c->count) {
    mascon_exec q = mc_quiet(ex);
    c->count = last - c->first < c->batch ? last - c->first : c->batch;
    status = mc_parallel(&q, c->threads, 1, c->threads, someitems, c);
    if (status != MASCON_OK) return stopped(c, ex, c->first);
    status = mc_result_part(&c->result, ex, c->first, c->count, c->count, 1,
                            putusers, c);
  }
  return status;
}


/* the users of rows first to last - 1, where they have to be made */
static int makeusers (call *c, mascon_exec *ex, int64_t first, int64_t last) {
  const mascon_users *s = &c->source;
  int status;
  if (s->fill == NULL || first == last) return MASCON_OK;
  status = mascon_narrow(&c->some, &c->made, 0, 0, last - first, 1);
  if (status != MASCON_OK) return status;
  c->job.origin = first;
  return s->fill(s->ud, &c->some, first, last) ? stopped(c, ex, first)
                                               : MASCON_OK;
}


static int runsome (call *c, mascon_exec *ex, int64_t first, int64_t last) {
  int64_t rows = last - first;
  int status = makeusers(c, ex, first, last);
  if (status == MASCON_OK)
    status = c->threads > 1 && rows > 0 && rows < c->threads * TILE
      ? runparts(c, ex, first, last)
      : mc_result_part(&c->result, ex, first, rows, c->batch, c->threads,
                       someusers, c);
  mascon_release(&c->some);
  if (status == MASCON_OK && c->source.fill != NULL &&
      last < c->result.nrows)
    status = mc_renew(&c->made);  /* the callback may keep parts of it */
  return status;
}


static int run (call *c, mascon_exec *ex) {
  const mc_result *r = &c->result;
  int64_t first = r->first;
  int status;
  do {
    int64_t count = r->nrows - first < r->batch ? r->nrows - first : r->batch;
    status = runsome(c, ex, first, first + count);
    first += count;
  } while (status == MASCON_OK && first < r->nrows);
  return status;
}

/* -------} */


static void setstats (const call *c) {
  mascon_recommend_stats s = {.size = c->out.stats->size};
  if (!mc_mul(c->result.nrows - c->result.first, c->f.nitems, &s.pairs))
    s.pairs = INT64_MAX;
  mc_rec_stats(c->workers, c->threads, &s);
  memcpy(c->out.stats, &s, s.size < sizeof s ? s.size : sizeof s);
}


int mc_recommend (const mc_recinput *in, const mascon_topn_opts *opts,
                  const mascon_topn_out *out, mascon_exec *ex) {
  call c = {.threads = 0};
  int status;
  c.o = mc_topn_options(opts);
  c.out = mc_topn_outof(out);
  if ((status = mc_rec_checkinput(in, &c.o)) != MASCON_OK ||
      (status = mc_rec_checkranks(in, &c.o, &c.out)) != MASCON_OK)
    return status;
  status = open(&c, in, ex);
  if (status == MASCON_OK) status = prepare(&c, ex);
  if (status == MASCON_OK) {
    openlook(&c);
    status = run(&c, ex);
    if (c.out.stats != NULL) setstats(&c);
  }
  closecall(&c);
  return status;
}


int mascon_recommend (const mascon_array *users, const mascon_array *items,
                      const mascon_topn_opts *opts, const mascon_topn_out *out,
                      mascon_exec *ex) {
  mc_recinput in = {.users = users, .items = items};
  int status = mc_check(users);
  return status != MASCON_OK ? status : mc_recommend(&in, opts, out, ex);
}


int mascon_recommend_stream (const mascon_users *users,
                             const mascon_array *items,
                             const mascon_topn_opts *opts,
                             const mascon_topn_out *out, mascon_exec *ex) {
  mascon_users s = mc_users(users);
  mc_recinput in = {.source = &s, .items = items};
  return mc_recommend(&in, opts, out, ex);
}

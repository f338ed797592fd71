/*
** index.c - items packed once, for as many calls as come
**
** All of an index is one image (recommend_pack.h), which it made or which
** somebody else has: a file that is mapped, memory that processes share.
*/

#include <string.h>

#include "index.h"


/* {------- making ------- */

/* describe what the image of 'x' keeps */
static int describe (mascon_index *x) {
  const mc_packhead *h = x->pack.head;
  static double none;
  int64_t shape[2] = {h->nitems, h->rank};
  void *items = mc_pack_section(h, MC_PACK_FACTORS);
  void *bias = mc_pack_section(h, MC_PACK_BIAS);
  int status = mascon_describe(&x->items, items != NULL ? items : &none,
                               h->factors == 64 ? MASCON_F64 : MASCON_F32, 2,
                               shape, NULL, MASCON_READONLY);
  x->bias.magic = 0;
  if (status != MASCON_OK || h->bias == 0) return status;
  return mascon_describe(&x->bias, bias != NULL ? bias : &none,
                         h->bias == 64 ? MASCON_F64 : MASCON_F32, 1, shape,
                         NULL, MASCON_READONLY);
}


/* pack the items that 'f' has */
static int pack (mascon_index *x, const mc_factors *f, mascon_exec *ex) {
  int threads = mc_threads(ex, (double)f->nitems * (double)(f->rank + 1) * 4);
  mascon_exec q = mc_quiet(ex);
  mc_packhead *h;
  int status = mc_pack_open(&x->pack, f, NULL, true, false, ex, threads);
  if (status != MASCON_OK) return status;
  h = x->pack.owned;
  status = mc_pack_sum(h, &h->sum, &q, threads);
  return status == MASCON_OK ? describe(x) : status;
}


static int check (const mascon_array *items, const mascon_index_opts *o) {
  int status = mc_rec_checkmatrix(items);
  if (status != MASCON_OK) return status;
  if (items->shape[0] > INT32_MAX - MCK_BLOCK) return MASCON_ETOOBIG;
  return mc_rec_checkbias(o->bias, items->shape[0]);
}


int mascon_index_new (const mascon_array *items, const mascon_index_opts *opts,
                      mascon_index **index, mascon_exec *ex) {
  mascon_index_opts o = MASCON_INDEX_INIT;
  mc_factors f = {.kern = mck_get()->recommend, .items = items};
  double *norms = NULL;
  mascon_index *x;
  int status;
  if (opts != NULL)
    memcpy(&o, opts, opts->size < sizeof o ? opts->size : sizeof o);
  status = check(items, &o);
  if (status != MASCON_OK) return status;
  x = mc_zalloc(1, sizeof *x);
  if (x == NULL) return MASCON_ENOMEM;
  atomic_init(&x->refs, 1);
  if (o.normalize) f.inorm = norms = mc_norms(items);
  f.bias = o.bias;
  f.nitems = items->shape[0];
  f.rank = items->shape[1];
  status = o.normalize && norms == NULL ? MASCON_ENOMEM : pack(x, &f, ex);
  mc_free(norms);
  if (status == MASCON_OK) *index = x;
  else mascon_index_release(x);
  return status;
}

/* -------} */


/* {------- images ------- */

const void *mascon_index_image (const mascon_index *x, size_t *bytes) {
  *bytes = (size_t)x->pack.head->bytes;
  return x->pack.head;
}


/* what of an image that can be looked at makes no index; NULL: nothing */
static const char *unfit (const mc_packhead *h, unsigned flags,
                          mascon_exec *ex, int *status) {
  uint64_t sum;
  *status = MASCON_EFORMAT;
  if (h->factors == 0 || (h->k > h->rank) != (h->bias != 0))
    return "is damaged";
  if (flags & MASCON_INDEX_UNCHECKED) return NULL;
  *status = mc_pack_sum(h, &sum, ex, mc_threads(ex, (double)h->bytes));
  if (*status != MASCON_OK) return mascon_strerror(*status);
  *status = MASCON_EFORMAT;
  return sum != h->sum ? "is damaged: its checksum is wrong" : NULL;
}


int mascon_index_wrap (const void *image, size_t bytes,
                       mascon_release_fn release, void *ctx, unsigned flags,
                       mascon_index **index, const char **what,
                       mascon_exec *ex) {
  mascon_index *x;
  mc_pack p;
  const char *text = "";
  int status;
  if (what == NULL) what = &text;
  *what = "is no memory that can be used";
  if (image == NULL || release == NULL || bytes > PTRDIFF_MAX)
    return MASCON_EVALUE;
  *what = "does not begin at a multiple of 64 bytes: copy it";
  if ((uintptr_t)image % 64 != 0) return MASCON_EVALUE;
  status = mc_pack_view(&p, image, (int64_t)bytes, what);
  if (status != MASCON_OK) return status;
  *what = unfit(p.head, flags, ex, &status);
  if (*what != NULL) return status;
  x = mc_zalloc(1, sizeof *x);
  *what = mascon_strerror(MASCON_ENOMEM);
  if (x == NULL) return MASCON_ENOMEM;
  x->pack = p;
  status = describe(x);
  *what = mascon_strerror(status);
  if (status != MASCON_OK) {
    mc_free(x);
    return status;
  }
  atomic_init(&x->refs, 1);
  x->release = release;
  x->ctx = ctx;
  *index = x;
  return MASCON_OK;
}

/* -------} */


/* {------- sharing ------- */

mascon_index *mascon_index_retain (mascon_index *x) {
  if (x != NULL)
    atomic_fetch_add_explicit(&x->refs, 1, memory_order_relaxed);
  return x;
}


void mascon_index_release (mascon_index *x) {
  if (x == NULL || atomic_fetch_sub_explicit(&x->refs, 1,
                                             memory_order_acq_rel) > 1)
    return;
  if (x->release != NULL) x->release(x->ctx, (void *)(uintptr_t)x->pack.head);
  mc_pack_close(&x->pack);
  mc_free(x);
}


void mascon_index_describe (const mascon_index *x, mascon_index_facts *facts) {
  const mc_packhead *h = x->pack.head;
  mascon_index_facts f = {
    .size = facts->size, .nitems = h->nitems, .rank = h->rank,
    .bytes = h->bytes, .dtype = (int)mascon_dtype_of(&x->items),
    .normalize = h->cosine, .bias = h->bias != 0
  };
  memcpy(facts, &f, facts->size < sizeof f ? facts->size : sizeof f);
}

/* -------} */


/* {------- recommending ------- */

static mc_recinput input (const mascon_index *x) {
  mc_recinput in = {
    .items = &x->items, .bias = x->bias.magic != 0 ? &x->bias : NULL,
    .normalize = x->pack.head->cosine, .pack = &x->pack
  };
  return in;
}


int mascon_index_recommend (const mascon_index *x, const mascon_array *users,
                            const mascon_topn_opts *opts,
                            const mascon_topn_out *out, mascon_exec *ex) {
  mc_recinput in = input(x);
  int status = mc_check(users);
  in.users = users;
  return status != MASCON_OK ? status : mc_recommend(&in, opts, out, ex);
}


int mascon_index_recommend_stream (const mascon_index *x,
                                   const mascon_users *users,
                                   const mascon_topn_opts *opts,
                                   const mascon_topn_out *out,
                                   mascon_exec *ex) {
  mascon_users s = mc_users(users);
  mc_recinput in = input(x);
  in.source = &s;
  return mc_recommend(&in, opts, out, ex);
}


int mascon_index_similar (const mascon_index *x, const mascon_array *ids,
                          const mascon_topn_opts *opts,
                          const mascon_topn_out *out, mascon_exec *ex) {
  mascon_topn_opts o = mc_topn_options(opts);
  mc_recinput in = input(x);
  if (o.rows != NULL) return MASCON_EVALUE;
  if (in.bias != NULL) {  /* how popular an item is says nothing of likeness */
    in.bias = NULL;
    in.pack = NULL;
  }
  in.users = &x->items;
  o.rows = ids;
  o.exclude_self = 1;
  return mc_recommend(&in, &o, out, ex);
}

/* -------} */

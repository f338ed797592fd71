/*
** csr.c - compressed rows: checking, building, taking some
*/

#include "filter.h"


#define GRAIN (1 << 17)  /* ids, or rows, of a block */

/* a walk through ids: one thread, block by block, so that it can be stopped */
typedef struct walk {
  const mascon_array *ids;   /* what is checked */
  int64_t base, n;           /* ... to lie in base .. base + n - 1 */
  int64_t bad;               /* the first that does not, or -1 */
  const mascon_array *users, *items;
  const mascon_csr *csr;
  mascon_array *indptr, *indices;
  int64_t at;                /* the next place in 'indices' */
} walk;


static int each (walk *w, int64_t n, mc_body body, const mascon_exec *ex) {
  mascon_exec quiet = mc_quiet(ex);
  return mc_parallel(&quiet, n, GRAIN, 1, body, w);
}


/* {------- checking ------- */

static int checkptr (const mascon_csr *c, int64_t *where) {
  int64_t before = 0;
  if (c->indptr->shape[0] - 1 != c->nrows) return MASCON_ESHAPE;
  for (*where = 0; *where <= c->nrows; ++*where) {
    int64_t now = mc_idat(c->indptr, *where);
    if (now < before || (*where == 0 && now != 0)) return MASCON_EVALUE;
    if (now > c->indices->shape[0]) return MASCON_ESHAPE;
    before = now;
  }
  return MASCON_OK;
}


static void checksome (void *ud, int64_t first, int64_t last, int thread) {
  walk *w = ud;
  (void)thread;
  for (; first < last && w->bad < 0; first++) {
    int64_t id = mc_idat(w->ids, first);
    if (id < w->base || id - w->base >= w->n) w->bad = first;
  }
}


/* 'ids' lie in base .. base + n - 1 up to 'count' */
static int checkids (const mascon_array *ids, int64_t count, int64_t base,
                     int64_t n, int64_t *where, const mascon_exec *ex) {
  walk w = {.ids = ids, .base = base, .n = n, .bad = -1};
  int status = each(&w, count, checksome, ex);
  if (w.bad < 0) return status;
  *where = w.bad;
  return MASCON_ERANGE;
}


int mascon_csr_check (const mascon_csr *c, int64_t *where, mascon_exec *ex) {
  int64_t unused;
  int status;
  if (where == NULL) where = &unused;
  *where = 0;
  if (c->base != 0 && c->base != 1) return MASCON_EVALUE;
  if ((status = mc_checkids(c->indptr)) != MASCON_OK ||
      (status = mc_checkids(c->indices)) != MASCON_OK ||
      (status = checkptr(c, where)) != MASCON_OK) return status;
  return checkids(c->indices, mc_idat(c->indptr, c->nrows), c->base, c->ncols,
                  where, ex);
}

/* -------} */


/* {------- building ------- */

/* new vectors for 'nrows' rows (zeroed) and 'nnz' ids below 'ncols' + base */
static int makerows (mascon_array *indptr, mascon_array *indices,
                     int64_t nrows, int64_t nnz, mascon_dtype ids) {
  int64_t n = nrows + 1;
  int status = mascon_zeros(indptr, MASCON_I64, 1, &n);
  if (status != MASCON_OK) return status;
  status = mascon_new(indices, ids, 1, &nnz);
  if (status != MASCON_OK) mascon_release(indptr);
  return status;
}


static void putid (const mascon_array *a, int64_t i, int64_t id) {
  if (a->dtype.bits == 32) ((int32_t *)a->data)[i] = (int32_t)id;
  else ((int64_t *)a->data)[i] = id;
}


static void drop (mascon_array *indptr, mascon_array *indices) {
  mascon_release(indptr);
  mascon_release(indices);
}


static void countpairs (void *ud, int64_t first, int64_t last, int thread) {
  walk *w = ud;
  int64_t *end = w->indptr->data;
  (void)thread;
  for (; first < last; first++) end[mc_idat(w->users, first) - w->base]++;
}


/* the ids go anywhere in 'indices' */
static void touchsome (void *ud, int64_t first, int64_t last, int thread) {
  const mascon_array *a = ((walk *)ud)->indices;
  int64_t size = a->dtype.bits / 8;
  (void)thread;
  mc_touch((char *)a->data + first * size, (char *)a->data + last * size);
}


static void addcounts (void *ud, int64_t first, int64_t last, int thread) {
  walk *w = ud;
  int64_t *end = w->indptr->data;
  (void)thread;
  for (; first < last; first++) end[first + 1] += end[first];
}


/* pairs are taken from the last on */
static void putpairs (void *ud, int64_t first, int64_t last, int thread) {
  walk *w = ud;
  int64_t *end = w->indptr->data, n = w->users->shape[0];
  (void)thread;
  for (; first < last; first++) {
    int64_t i = n - 1 - first;
    putid(w->indices, --end[mc_idat(w->users, i) - w->base],
          mc_idat(w->items, i));
  }
}


/*
** A stable counting sort: count each row's pairs, add up to where the rows
** end, and walk the pairs backwards, so that each row's end becomes its start.
*/
static int sortpairs (walk *w, int64_t nrows, const mascon_exec *ex) {
  int64_t nnz = w->users->shape[0];
  int status = each(w, nnz, countpairs, ex);
  if (status == MASCON_OK) status = each(w, nrows, addcounts, ex);
  if (status == MASCON_OK) status = each(w, nnz, touchsome, ex);
  return status == MASCON_OK ? each(w, nnz, putpairs, ex) : status;
}


int mascon_csr_from_pairs (const mascon_array *users,
                           const mascon_array *items, int64_t nrows,
                           int64_t ncols, int base, mascon_array *indptr,
                           mascon_array *indices, int64_t *where,
                           mascon_exec *ex) {
  walk w = {.users = users, .items = items, .base = base, .indptr = indptr,
            .indices = indices};
  int64_t unused;
  int status;
  if (where == NULL) where = &unused;
  *where = 0;
  if ((status = mc_checkids(users)) != MASCON_OK ||
      (status = mc_checkids(items)) != MASCON_OK) return status;
  if (users->shape[0] != items->shape[0]) return MASCON_ESHAPE;
  if ((base != 0 && base != 1) || nrows < 0 || ncols < 0) return MASCON_EVALUE;
  if (nrows == INT64_MAX) return MASCON_ETOOBIG;
  if ((status = checkids(items, items->shape[0], base, ncols, where,
                         ex)) != MASCON_OK) {
    *where += items->shape[0];  /* says that it is an item's */
    return status;
  }
  status = checkids(users, users->shape[0], base, nrows, where, ex);
  if (status == MASCON_OK)
    status = makerows(indptr, indices, nrows, users->shape[0],
                      mascon_dtype_of(items));
  if (status != MASCON_OK) return status;
  status = sortpairs(&w, nrows, ex);
  if (status != MASCON_OK) drop(indptr, indices);
  return status;
}


/* rows first to last - 1 of those that 'users' names here */
static void takerows (void *ud, int64_t first, int64_t last, int thread) {
  walk *w = ud;
  const mascon_csr *c = w->csr;
  (void)thread;
  for (; first < last; first++) {
    int64_t r = mc_idat(w->users, first) - w->base;
    int64_t end = mc_idat(c->indptr, r + 1);
    for (int64_t k = mc_idat(c->indptr, r); k < end; k++)
      putid(w->indices, w->at++, mc_idat(c->indices, k));
    ((int64_t *)w->indptr->data)[first + 1] = w->at;
    if (first % 256 == 0 && mc_cancelled()) return;
  }
}


int mascon_csr_take (const mascon_csr *c, const mascon_array *rows, int base,
                     mascon_array *indptr, mascon_array *indices,
                     int64_t *where, mascon_exec *ex) {
  walk w = {.csr = c, .users = rows, .base = base, .indptr = indptr,
            .indices = indices};
  int64_t n, nnz = 0;
  int64_t unused;
  int status = mascon_csr_check(c, NULL, ex);
  if (where == NULL) where = &unused;
  if (status != MASCON_OK || (status = mc_checkids(rows)) != MASCON_OK ||
      (status = checkids(rows, rows->shape[0], base, c->nrows, where, ex)) !=
      MASCON_OK) return status;
  n = rows->shape[0];
  for (int64_t i = 0; i < n; i++) {
    int64_t r = mc_idat(rows, i) - base, len;
    len = mc_idat(c->indptr, r + 1) - mc_idat(c->indptr, r);
    if (__builtin_add_overflow(nnz, len, &nnz)) return MASCON_ETOOBIG;
  }
  status = makerows(indptr, indices, n, nnz, mascon_dtype_of(c->indices));
  if (status != MASCON_OK) return status;
  status = each(&w, n, takerows, ex);
  if (status != MASCON_OK) drop(indptr, indices);
  return status;
}

/* -------} */

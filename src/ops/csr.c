/*
** csr.c - compressed rows: checking, building, taking some
*/

#include "filter.h"


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


/* 'ids' lie in base .. base + n - 1 up to 'count' */
static int checkids (const mascon_array *ids, int64_t count, int64_t base,
                     int64_t n, int64_t *where) {
  for (int64_t i = 0; i < count; i++) {
    int64_t id = mc_idat(ids, i);
    if (id < base || id - base >= n) {
      *where = i;
      return MASCON_ERANGE;
    }
  }
  return MASCON_OK;
}


int mascon_csr_check (const mascon_csr *c, int64_t *where) {
  int64_t unused;
  int status;
  if (where == NULL) where = &unused;
  *where = 0;
  if (c->base != 0 && c->base != 1) return MASCON_EVALUE;
  if ((status = mc_checkids(c->indptr)) != MASCON_OK ||
      (status = mc_checkids(c->indices)) != MASCON_OK ||
      (status = checkptr(c, where)) != MASCON_OK) return status;
  return checkids(c->indices, mc_idat(c->indptr, c->nrows), c->base, c->ncols,
                  where);
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


/*
** A stable counting sort: count each row's pairs, add up to where the rows
** end, and walk the pairs backwards, so that each row's end becomes its start.
*/
static void sortpairs (const mascon_array *users, const mascon_array *items,
                       int64_t nrows, int base, mascon_array *indptr,
                       mascon_array *indices) {
  int64_t *end = indptr->data, nnz = users->shape[0];
  for (int64_t i = 0; i < nnz; i++) end[mc_idat(users, i) - base]++;
  for (int64_t r = 1; r <= nrows; r++) end[r] += end[r - 1];
  for (int64_t i = nnz; i-- > 0; )
    putid(indices, --end[mc_idat(users, i) - base], mc_idat(items, i));
}


int mascon_csr_from_pairs (const mascon_array *users,
                           const mascon_array *items, int64_t nrows,
                           int64_t ncols, int base, mascon_array *indptr,
                           mascon_array *indices, int64_t *where) {
  int64_t unused;
  int status;
  if (where == NULL) where = &unused;
  *where = 0;
  if ((status = mc_checkids(users)) != MASCON_OK ||
      (status = mc_checkids(items)) != MASCON_OK) return status;
  if (users->shape[0] != items->shape[0]) return MASCON_ESHAPE;
  if ((base != 0 && base != 1) || nrows < 0 || ncols < 0) return MASCON_EVALUE;
  if (nrows == INT64_MAX) return MASCON_ETOOBIG;
  if ((status = checkids(items, items->shape[0], base, ncols, where)) !=
      MASCON_OK) {
    *where += items->shape[0];  /* says that it is an item's */
    return status;
  }
  status = checkids(users, users->shape[0], base, nrows, where);
  if (status == MASCON_OK)
    status = makerows(indptr, indices, nrows, users->shape[0],
                      mascon_dtype_of(items));
  if (status == MASCON_OK)
    sortpairs(users, items, nrows, base, indptr, indices);
  return status;
}


int mascon_csr_take (const mascon_csr *c, const mascon_array *rows, int base,
                     mascon_array *indptr, mascon_array *indices,
                     int64_t *where) {
  int64_t n, nnz = 0;
  int status = mascon_csr_check(c, NULL);
  if (status != MASCON_OK || (status = mc_checkids(rows)) != MASCON_OK ||
      (status = checkids(rows, rows->shape[0], base, c->nrows, where)) !=
      MASCON_OK) return status;
  n = rows->shape[0];
  for (int64_t i = 0; i < n; i++) {
    int64_t r = mc_idat(rows, i) - base, len;
    len = mc_idat(c->indptr, r + 1) - mc_idat(c->indptr, r);
    if (__builtin_add_overflow(nnz, len, &nnz)) return MASCON_ETOOBIG;
  }
  status = makerows(indptr, indices, n, nnz, mascon_dtype_of(c->indices));
  if (status != MASCON_OK) return status;
  nnz = 0;
  for (int64_t i = 0; i < n; i++) {
    int64_t r = mc_idat(rows, i) - base;
    int64_t last = mc_idat(c->indptr, r + 1);
    for (int64_t k = mc_idat(c->indptr, r); k < last; k++)
      putid(indices, nnz++, mc_idat(c->indices, k));
    ((int64_t *)indptr->data)[i + 1] = nnz;
  }
  return MASCON_OK;
}

/* -------} */

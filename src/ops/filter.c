/*
** filter.c - which ids a row may have
*/

#include <string.h>

#include "filter.h"


int mc_checkids (const mascon_array *a) {
  int status = mc_check(a);
  mascon_dtype t;
  if (status != MASCON_OK) return status;
  if (a->ndim != 1) return MASCON_ESHAPE;
  t = mascon_dtype_of(a);
  return t == MASCON_I32 || t == MASCON_I64 ? MASCON_OK : MASCON_ETYPE;
}


/* {------- bitmaps ------- */

/*
** The ids were checked, but they are the caller's and somebody may be writing
** them right now: what is outside is passed over.
*/
static bool inside (const mc_filter *f, int64_t id) {
  return (uint64_t)id < (uint64_t)f->ncols;
}


static uint64_t bit (int64_t id) {
  return (uint64_t)1 << (id & 63);
}


static void setall (uint64_t *bits, int64_t n) {
  memset(bits, 0xff, (size_t)(n >> 6) * sizeof *bits);
  if (n & 63) bits[n >> 6] = bit(n) - 1;
}


static int64_t count (const uint64_t *bits, int64_t words) {
  int64_t n = 0;
  for (int64_t i = 0; i < words; i++) {
    uint64_t w = bits[i];
    for (; w != 0; w &= w - 1) n++;
  }
  return n;
}

/* -------} */


/* {------- opening ------- */

static int checkcsr (const mascon_csr *c, int64_t nrows, int64_t ncols) {
  int64_t where;
  if (c == NULL) return MASCON_OK;
  if (c->nrows != nrows || c->ncols != ncols) return MASCON_ESHAPE;
  return mascon_csr_check(c, &where, NULL);
}


static int checkitems (const mascon_array *a, int base, int64_t ncols) {
  int status;
  if (a == NULL) return MASCON_OK;
  if ((status = mc_checkids(a)) != MASCON_OK) return status;
  for (int64_t i = 0; i < a->shape[0]; i++) {
    int64_t id = mc_idat(a, i);
    if (id < base || id - base >= ncols) return MASCON_ERANGE;
  }
  return MASCON_OK;
}


static int check (const mascon_topn_opts *o, int64_t nrows, int64_t ncols) {
  int status;
  if ((status = checkcsr(o->exclude, nrows, ncols)) != MASCON_OK ||
      (status = checkcsr(o->allow, nrows, ncols)) != MASCON_OK ||
      (status = checkitems(o->exclude_items, o->base, ncols)) != MASCON_OK)
    return status;
  return checkitems(o->allow_items, o->base, ncols);
}


/* the bitmap that all rows share */
static void fillcommon (mc_filter *f, const mascon_topn_opts *o) {
  const mascon_array *no = o->exclude_items, *yes = o->allow_items;
  if (yes == NULL) setall(f->common, f->ncols);
  else
    for (int64_t i = 0; i < yes->shape[0]; i++) {
      int64_t id = mc_idat(yes, i) - o->base;
      if (inside(f, id)) f->common[id >> 6] |= bit(id);
    }
  for (int64_t i = 0; no != NULL && i < no->shape[0]; i++) {
    int64_t id = mc_idat(no, i) - o->base;
    if (inside(f, id)) f->common[id >> 6] &= ~bit(id);
  }
  f->passing = count(f->common, f->words);
}


/* what every slot holds between two rows: all that may be excluded from, or
   nothing, for rows that say what is allowed */
static void fillslots (mc_filter *f, int64_t slots) {
  for (int64_t i = 0; i < slots && f->allow == NULL; i++) {
    uint64_t *bits = f->slots + i * f->words;
    if (f->common == NULL) setall(bits, f->ncols);
    else memcpy(bits, f->common, (size_t)f->words * sizeof *bits);
  }
}


int mc_filter_open (mc_filter *f, const mascon_topn_opts *o, int64_t nrows,
                    int64_t ncols, int64_t slots, bool own) {
  int status = check(o, nrows, ncols);
  int64_t words = (ncols + 63) / 64, size;
  mc_filter init = {.ncols = ncols, .passing = ncols, .words = words,
                    .exclude = o->exclude, .allow = o->allow};
  *f = init;
  if (status != MASCON_OK) return status;
  if (o->exclude_items != NULL || o->allow_items != NULL) {
    f->common = mc_zalloc((size_t)words, sizeof *f->common);
    if (f->common == NULL) return MASCON_ENOMEM;
    fillcommon(f, o);
  }
  if (f->exclude != NULL || f->allow != NULL || own) {
    if (!mc_mul(words, slots, &size)) status = MASCON_ETOOBIG;
    else if ((f->slots = mc_zalloc((size_t)size, sizeof *f->slots)) == NULL)
      status = MASCON_ENOMEM;
    else fillslots(f, slots);
    if (status != MASCON_OK) mc_filter_close(f);
  }
  return status;
}


void mc_filter_close (mc_filter *f) {
  mc_free(f->common);
  mc_free(f->slots);
  f->common = f->slots = NULL;
}

/* -------} */


/* {------- a row ------- */

/* the ids of 'row', counted from 0 */
typedef struct list {
  const mascon_csr *csr;
  int64_t i, last;
} list;


static list listof (const mascon_csr *c, int64_t row) {
  list l = {c, 0, 0};
  if (c == NULL) return l;
  l.i = mc_idat(c->indptr, row);
  l.last = mc_idat(c->indptr, row + 1);
  if (l.i < 0) l.i = l.last;
  if (l.last > c->indices->shape[0]) l.last = c->indices->shape[0];
  return l;
}


static bool next (list *l, int64_t *id) {
  if (l->i >= l->last) return false;
  *id = mc_idat(l->csr->indices, l->i++) - l->csr->base;
  return true;
}


static int64_t leaveout (uint64_t *bits, int64_t id) {
  int64_t had = (int64_t)(bits[id >> 6] >> (id & 63) & 1);
  bits[id >> 6] &= ~bit(id);
  return had;
}


const uint64_t *mc_filter_begin (const mc_filter *f, int64_t slot,
                                 int64_t row, int64_t own, int64_t *passing) {
  uint64_t *bits;
  int64_t id;
  list l;
  *passing = f->passing;
  if (f->slots == NULL) return f->common;
  bits = f->slots + slot * f->words;
  if (f->allow != NULL) {
    *passing = 0;
    for (l = listof(f->allow, row); next(&l, &id); )
      if (inside(f, id) && !(bits[id >> 6] & bit(id)) &&
          (f->common == NULL || (f->common[id >> 6] & bit(id)))) {
        bits[id >> 6] |= bit(id);
        ++*passing;
      }
  }
  for (l = listof(f->exclude, row); next(&l, &id); )
    if (inside(f, id)) *passing -= leaveout(bits, id);
  if (inside(f, own)) *passing -= leaveout(bits, own);
  return bits;
}


void mc_filter_end (const mc_filter *f, int64_t slot, int64_t row,
                    int64_t own) {
  uint64_t *bits;
  int64_t id;
  list l;
  if (f->slots == NULL) return;
  bits = f->slots + slot * f->words;
  if (f->allow != NULL) {
    for (l = listof(f->allow, row); next(&l, &id); )
      if (inside(f, id)) bits[id >> 6] = 0;
    return;  /* what was left out had been let in, or was not there */
  }
  for (l = listof(f->exclude, row); next(&l, &id); )
    if (inside(f, id) && (f->common == NULL || (f->common[id >> 6] & bit(id))))
      bits[id >> 6] |= bit(id);
  if (inside(f, own) &&
      (f->common == NULL || (f->common[own >> 6] & bit(own))))
    bits[own >> 6] |= bit(own);
}

/* -------} */


/* {------- one id ------- */

#define LONG 512  /* ids that are too many to look at each */


/* the ids of a list as they mostly are, i32 in a row; NULL: they are not */
static const int32_t *plain (const list *l) {
  const mascon_array *a = l->csr != NULL ? l->csr->indices : NULL;
  if (a == NULL || a->dtype.bits != 32 || a->stride[0] != 1) return NULL;
  return (const int32_t *)a->data;
}


static bool sieveid (mc_sieve *s, int64_t id, int64_t *before) {
  uint32_t h = mc_sieve_hash(id);
  bool rises = id >= *before;
  s->bits[h >> 6] |= bit(h);
  *before = id;
  return rises;
}


void mc_sieve_make (const mc_filter *f, int64_t row, mc_sieve *s) {
  list l = listof(f->exclude, row);
  const int32_t *p = plain(&l);
  int64_t id, before = INT64_MIN, n = l.last - l.i;
  bool rising = true;
  memset(s->bits, 0, sizeof s->bits);
  s->bitmap = f->allow != NULL;
  if (s->bitmap) return;
  if (p != NULL)
    for (int64_t i = l.i, base = l.csr->base; i < l.last; i++)
      rising &= sieveid(s, p[i] - base, &before);
  else
    while (next(&l, &id)) rising &= sieveid(s, id, &before);
  s->sorted = rising;
  s->bitmap = !rising && n > LONG;
}


bool mc_sieve_search (const mc_filter *f, const mc_sieve *s, int64_t row,
                      int64_t id) {
  list l = listof(f->exclude, row);
  const int32_t *p = plain(&l);
  int64_t other;
  unsigned found = 0;
  while (s->sorted && l.last - l.i > 8) {  /* it is not before the middle? */
    int64_t m = l.i + (l.last - l.i) / 2;
    if (mc_idat(l.csr->indices, m) - l.csr->base <= id) l.i = m;
    else l.last = m;
  }
  if (p == NULL) {
    while (next(&l, &other)) found |= other == id;
    return !found;
  }
  for (int64_t want = id + l.csr->base; l.i + 4 <= l.last; l.i += 4) {
    const int32_t *q = p + l.i;
    found |= (unsigned)((q[0] == want) | (q[1] == want) | (q[2] == want) |
                        (q[3] == want));
  }
  while (next(&l, &other)) found |= other == id;
  return !found;
}


int64_t mc_filter_least (const mc_filter *f, int64_t row) {
  list l = listof(f->exclude, row);
  return f->allow != NULL ? 0 : f->passing - (l.last - l.i) - 1;
}

/* -------} */

/*
** filter.h - which ids a row may have: exclude, exclude_items, allow
**
** What passes is a bitmap of one bit a column, so that testing a candidate is
** one load whatever the lists are: sorted or not, repeated, long.  Lists that
** hold for every row make one bitmap that all share.  A row's own lists are
** written into a bitmap of a slot, in time that grows with the lists alone,
** and taken back after the row.
*/

#ifndef FILTER_H
#define FILTER_H

#include "core.h"

typedef struct mc_filter {
  int64_t ncols;
  int64_t passing;           /* ids that pass 'common' */
  int64_t words;             /* of a bitmap */
  const mascon_csr *exclude, *allow;
  uint64_t *common;          /* for every row; NULL: all pass */
  uint64_t *slots;           /* a bitmap a slot; NULL: rows have no lists */
} mc_filter;

/*
** mc_filter_open: check the lists of 'o' for scores of 'nrows' (those that
** the lists count, so all users in recommend) and 'ncols', and allocate for
** 'slots' rows at a time.  'own': rows have an id of their own to leave out
** (exclude_self).  On failure nothing is held.
** Returns MASCON_OK, MASCON_ESHAPE, MASCON_ETYPE, MASCON_ERANGE (an id),
** MASCON_EVALUE (indptr), MASCON_ECLOSED or MASCON_ENOMEM.
*/
int mc_filter_open (mc_filter *f, const mascon_topn_opts *o, int64_t nrows,
                    int64_t ncols, int64_t slots, bool own);
void mc_filter_close (mc_filter *f);

/*
** The bitmap for 'row', in 'slot'; NULL: everything passes.  'own' is left
** out too; -1: none.  '*passing': how many ids pass.  Call mc_filter_end with
** the same arguments before the slot is used again.
*/
const uint64_t *mc_filter_begin (const mc_filter *f, int64_t slot,
                                 int64_t row, int64_t own, int64_t *passing);
void mc_filter_end (const mc_filter *f, int64_t slot, int64_t row,
                    int64_t own);

/*
** A row's filter for one id here and there: what begin and end cost grows with
** the row's list, and they would be called again and again.
*/
typedef struct mc_sieve {
  uint64_t bits[128];  /* of hashes of the ids that are left out */
  bool bitmap;        /* it is no use here: begin and end are better */
  bool sorted;        /* the row's ids rise */
} mc_sieve;

/* make it for 'row' */
void mc_sieve_make (const mc_filter *f, int64_t row, mc_sieve *s);

/* is 'id', whose hash is there, not in the row's list? */
bool mc_sieve_search (const mc_filter *f, const mc_sieve *s, int64_t row,
                      int64_t id);

static inline uint32_t mc_sieve_hash (int64_t id) {
  return (uint32_t)id * 0x9e3779b1u >> 19;
}

/* does 'id' pass for 'row'?  The sieve has no 'bitmap' */
static inline bool mc_sieve_passes (const mc_filter *f, const mc_sieve *s,
                                    int64_t row, int64_t own, int64_t id) {
  uint32_t h = mc_sieve_hash(id);
  if (id == own || (f->common != NULL &&
                    !(f->common[id >> 6] >> (id & 63) & 1))) return false;
  return !(s->bits[h >> 6] >> (h & 63) & 1) || mc_sieve_search(f, s, row, id);
}

/* the least number of ids that can pass for 'row', found at once */
int64_t mc_filter_least (const mc_filter *f, int64_t row);

/* element 'i' of an i32 or i64 vector */
static inline int64_t mc_idat (const mascon_array *a, int64_t i) {
  return a->dtype.bits == 32 ? ((const int32_t *)a->data)[i * a->stride[0]]
                             : ((const int64_t *)a->data)[i * a->stride[0]];
}

/* MASCON_OK for a live i32 or i64 vector; else ECLOSED, ESHAPE or ETYPE */
int mc_checkids (const mascon_array *a);

#endif

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

/* element 'i' of an i32 or i64 vector */
static inline int64_t mc_idat (const mascon_array *a, int64_t i) {
  return a->dtype.bits == 32 ? ((const int32_t *)a->data)[i * a->stride[0]]
                             : ((const int64_t *)a->data)[i * a->stride[0]];
}

/* MASCON_OK for a live i32 or i64 vector; else ECLOSED, ESHAPE or ETYPE */
int mc_checkids (const mascon_array *a);

#endif

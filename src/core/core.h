/*
** core.h - what the floors above use of core: memory, dtypes, threads
*/

#ifndef CORE_H
#define CORE_H

#include <stdbool.h>

#include "mascon.h"


/* {------- memory (memory.c) ------- */

/*
** 'count' times 'size' bytes, 64-byte aligned; at least one byte is had.  NULL
** when memory is short or the product overflows.  mc_zalloc clears them, at
** no cost for large ones.
*/
void *mc_alloc (size_t count, size_t size);
void *mc_zalloc (size_t count, size_t size);
void mc_free (void *p);

/* let the pages from 'p' to 'end' come now, here, and not all at once where
   they are needed; what is there is lost */
void mc_touch (char *p, const char *end);

/* a * b into '*r'; false when it overflows (all are >= 0) */
bool mc_mul (int64_t a, int64_t b, int64_t *r);

/* -------} */


/* {------- dtypes (dtype.c) ------- */

/* 't' in DLPack's words, and back (MASCON_NDTYPE for none of ours) */
mascon_dltype mc_dltype (mascon_dtype t);
mascon_dtype mc_dtype (mascon_dltype d);

bool mc_isfloat (mascon_dtype t);

/* the least and the greatest value of an integer dtype */
void mc_range (mascon_dtype t, int64_t *lo, int64_t *hi);

/* -------} */


/* {------- arrays (array.c) ------- */

/* MASCON_OK, or MASCON_ECLOSED for a NULL, closed or foreign one */
int mc_check (const mascon_array *a);

/* the same, and MASCON_EREADONLY */
int mc_checkout (const mascon_array *a);

bool mc_sameshape (const mascon_array *a, const mascon_array *b);

/* do the elements stand in row-major order without gaps? */
bool mc_contiguous (const mascon_array *a);

/* the first byte that 'a' touches, and one past the last; equal if empty */
void mc_extent (const mascon_array *a, const char **lo, const char **hi);

/* may the two share a byte?  True may be a false alarm, though never for
   disjoint runs of rows, of columns or of every k-th element of an array */
bool mc_overlap (const mascon_array *a, const mascon_array *b);

/* is it elementwise safe to write 'out' while reading 'in'?  True if they
   share nothing or have the very same layout */
bool mc_elementwise (const mascon_array *out, const mascon_array *in);

/* address of the element 'i' (and 'j') */
static inline char *mc_at (const mascon_array *a, int64_t i, int64_t j) {
  return (char *)a->data +
         (i * a->stride[0] + j * a->stride[1]) * (a->dtype.bits / 8);
}

/* one call more (by = 1) or less (by = -1) writes 'a': nobody freezes it
   meanwhile */
void mc_writing (const mascon_array *a, int by);

/*
** Let 'a', whose elements are of no use any more, be written anew: where
** others have views of it, or have frozen it, it becomes an array like it.
** MASCON_OK, or MASCON_ENOMEM with 'a' as before.
*/
int mc_renew (mascon_array *a);

/*
** An array over 'bytes' at 'p', freed by release(ctx, p): what mascon_new and
** mascon_wrap stand on, and what file maps use.  'owned' bytes count as ours.
*/
int mc_wrapbuffer (mascon_array *a, void *p, size_t owned,
                   mascon_release_fn release, void *ctx);

/* -------} */


/* {------- visiting elements (loop.c) ------- */

#define MC_MAXARG 4

/* how to visit the elements of up to MC_MAXARG arrays together */
typedef struct mc_loop {
  int64_t rows;   /* calls of the row function, to be shared by threads */
  int64_t grain;  /* rows that make a good block for one thread */
  int narg, ndim;
  int pieceaxis;                              /* this axis counts pieces */
  int64_t n, piece;                           /* elements of the cut axis */
  int64_t shape[MASCON_MAXDIM];
  char *data[MC_MAXARG];
  int64_t stride[MC_MAXARG][MASCON_MAXDIM];   /* in bytes */
  int64_t step[MC_MAXARG];                    /* in bytes, within a row */
} mc_loop;

/*
** 'n' elements of each array: the first of array k is at p[k], the next ones
** 'step[k]' bytes apart.
*/
typedef void (*mc_rowfn) (void *ud, char *const *p, const int64_t *step,
                          int64_t n);

/*
** Prepare to visit 'narg' arrays.  The first decides the shape; the others are
** broadcast to it as NumPy does.  MASCON_ESHAPE where they cannot be.
*/
int mc_loop_init (mc_loop *l, int narg, const mascon_array *const args[]);

/* visit rows first to last - 1; no order among elements is promised */
void mc_loop_run (const mc_loop *l, int64_t first, int64_t last,
                  mc_rowfn row, void *ud);

/* -------} */


/* {------- threads (par.c) ------- */

/*
** Rows first to last - 1, as worker 'thread' (0 is the calling one).  It
** cannot fail: whatever it needs was allocated before.
*/
typedef void (*mc_body) (void *ud, int64_t first, int64_t last, int thread);

/*
** How many workers a call should use: what 'ex' asks for; else the default,
** but no more than 'ops' simple operations can feed.  Scratch for the bodies
** is sized by it.
*/
int mc_threads (const mascon_exec *ex, double ops);

/*
** Run 'body' over blocks of 'grain' of the rows [0, n) on at most 'threads'
** workers (0: what 'ex' asks for, found out if there is more than one block);
** blocks are handed out in order.  A block should take well under 20 ms;
** 'grain' 0: as many rows as take a part of a millisecond, found by timing, the
** first of them on the calling thread.  Serial when inside another parallel
** region or in a forked child.
**
** Calls the exec's progress as (base + done, total) and its cancel; sets
** ex->done to base + the rows that are final.  'total' < 0 stands for n.
** Returns MASCON_OK or MASCON_ECANCEL.
*/
int mc_parallel_part (mascon_exec *ex, int64_t n, int64_t grain, int threads,
                      mc_body body, void *ud, int64_t base, int64_t total);
int mc_parallel (mascon_exec *ex, int64_t n, int64_t grain, int threads,
                 mc_body body, void *ud);

/*
** For a body whose block may take longer: is the call cancelled?  Ask it every
** few milliseconds, and if so return; rows from this block on are not done.
*/
bool mc_cancelled (void);

/* in a body: this block has failed, no more are handed out.  mc_parallel
   returns MASCON_ECANCEL, and rows from this block on are not done. */
void mc_giveup (void);

/* 'by' more threads (or fewer) are busy with other than kernels */
void mc_busy (int by);

/* an exec for a part of a call that is no progress, but can be cancelled */
mascon_exec mc_quiet (const mascon_exec *ex);

/* -------} */

#endif

/*
** memory.h - what the files of memory share: blocks, those that are kept, the
** count of both
*/

#ifndef MEMORY_H
#define MEMORY_H

#include <stdatomic.h>

#include "core.h"

/* what stands in the cache line before a block */
typedef struct mc_block {
  void *origin;  /* what was allocated */
  size_t room;   /* bytes that it can hold */
  size_t bytes;  /* bytes that were asked for */
  struct mc_block *next;  /* where it is kept */
} mc_block;

/* a memory checker is to see each use after free: nothing is kept then */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MC_CHECKED 1
#endif
#endif
#if !defined(MC_CHECKED)
#if defined(__SANITIZE_ADDRESS__)
#define MC_CHECKED 1
#else
#define MC_CHECKED 0
#endif
#endif

/* give a block back to whom it came from (memory.c) */
void mc_dropblock (mc_block *b);


/* {------- freed blocks that are kept for reuse (keep.c) ------- */

/* the room to ask for, at least one byte, so that others can use it later */
size_t mc_keeproom (size_t bytes);

/* keep a freed block; false where it is too small, too large or one too many */
bool mc_keep (mc_block *b);

/* a kept block of this very room, or NULL */
mc_block *mc_unkeep (size_t room);

/* bytes kept there */
int64_t mc_kept (void);

/* -------} */


/* {------- small ones, which a thread keeps for itself (tally.c) ------- */

#define MC_SMALL 512  /* bytes of the largest room; all are multiples of 64 */

bool mc_pocket (mc_block *b);
mc_block *mc_unpocket (size_t room);

/* give back what this thread keeps */
void mc_emptypocket (void);

/* -------} */


/* {------- counting (tally.c) ------- */

/* this thread is about to allocate 'bytes'; false where the limit forbids it,
   and where they are kept for reuse, these are given back */
bool mc_countnew (int64_t bytes);

/* this thread has freed 'bytes', or has not got them */
void mc_countfree (int64_t bytes);

/* bytes that the limit allows yet, to be held or kept */
int64_t mc_spare (void);

/* -------} */

#endif

/*
** spot.h - gaussians as profiles and windows: what gauss and render share
*/

#ifndef SPOT_H
#define SPOT_H

#include "core.h"
#include "kern.h"

/* profiles are kept on the stack: this many columns and rows at a time */
#define MC_COLS 2048
#define MC_ROWS 64

/*
** The profile along one axis: centre 'c', sigma 's' >= 0 (both in pixels; a
** sigma that is not normal counts as 0), sampling and norm as in mascon.h,
** times 'weight'.  The outer product of two profiles, one of them weighted,
** is the image.
*/
void mc_axis (mck_axis *a, double c, double s, int sample, int norm,
              double weight);

/* how blocks of an image are made */
typedef struct mc_brush {
  mck_blockfn *block;
  size_t size;   /* bytes of an element of the image */
  size_t fsize;  /* bytes of an element of a profile */
} mc_brush;

/*
** One block of an image through any strides (in elements): the m x n products
** of the profiles f and p, at 'out'.  'how' as MCK_SET.
*/
void mc_block (const mc_brush *b, char *out, const ptrdiff_t stride[2],
               const void *f, size_t m, const void *p, double least, size_t n,
               int how);

#endif

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

/*
** One block of an image through any strides (in elements): the m x n products
** of f and p at 'out', whose elements have 'size' bytes.  'how' as MCK_SET.
*/
void mc_block (mck_blockfn *block, size_t size, char *out,
               const ptrdiff_t stride[2], const void *f, size_t m,
               const void *p, double least, size_t n, int how);

#endif

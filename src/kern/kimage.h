/*
** kimage.h - kernels that make pixels of numbers
*/

#ifndef KIMAGE_H
#define KIMAGE_H

#include <stddef.h>
#include <stdint.h>

/* numbers that became black, white, and zero, as they were no numbers */
typedef struct mck_clipped {
  int64_t low, high, nan;
} mck_clipped;

typedef struct mck_image {
  /* x[i] = (x[i] - black) * scale, at least 0 and at most 'top'; 0 for NaN.
     What was below 'black' or above 'white' is added to 'c' */
  void (*level) (double *x, size_t n, double black, double white, double scale,
                 double top, mck_clipped *c);
  /* the three bytes at out + i * so, 'sc' bytes apart, become those of row
     x[i] (a whole number) of 'map', times light[i] (0 to 1) if there is such;
     'add': they are added, 255 at most */
  void (*paint) (uint8_t *out, ptrdiff_t so, ptrdiff_t sc, const double *x,
                 const double *light, const uint8_t *map, size_t n, int add);
} mck_image;

#endif

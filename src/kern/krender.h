/*
** krender.h - kernels that draw many gaussians into the tiles of an image
**
** A tile is drawn in a buffer of its own, whose rows are MCK_PITCH bytes apart
** whatever the image's are.  It has room for MCK_PAD elements beyond each row
** and for MCK_BELOW rows beyond the last one; what is there does not matter.
*/

#ifndef KRENDER_H
#define KRENDER_H

#include <stdint.h>

#include "kgauss.h"

#define MCK_TILEH 64     /* most rows */
#define MCK_TILEB 512    /* most bytes of a row */
#define MCK_PITCH 576
#define MCK_BELOW 12     /* rows that may be added to beyond the last one */
#define MCK_TILESIZE (MCK_PITCH * (MCK_TILEH + MCK_BELOW))  /* its bytes */

#define MCK_SPOTS 256    /* spots that are looked at together */

#define MCK_MANY UINT32_MAX  /* more tiles than one */
#define MCK_MOSTTILES INT32_MAX

/* what may be with a spot */
enum {
  MCK_CLIPPED = 1,  /* its window ends outside the image */
  MCK_CULLED = 2,   /* all of it is outside */
  MCK_SKIPPED = 4   /* something of it is not finite, or a sigma is negative */
};

/* the image, and how spots are drawn into it */
typedef struct mck_frame {
  double corner[2];           /* units at the full image's corner: y, x */
  double pixel, min_sigma;    /* units */
  double k;                   /* sigmas kept */
  double centre;              /* of pixel 0: 0 or 0.5 */
  double first[2], last[2];   /* the image: rows, columns of the full one */
  int shift[2];               /* log2 of the rows and columns of a tile */
  double row;                 /* tiles of a row */
  int integrated, peak;
  int fine;                   /* the mass that is lost matters beyond 1e-6 of
                                 it */
  int tilted;                 /* spots do not lie along the axes; they are not
                                 integrated */
  int covariant;              /* tilted: s is a covariance, see mck_batch */
  int renormalise;            /* the mass in the window is the weight */
  int bells;                  /* spots are bells of float: see mck_spot */
  int single;                 /* centres, sigmas in pixels are of float */
  int whole;                  /* k sigmas are rounded up to whole pixels, and
                                 counted from the pixel of the centre */
} mck_frame;

/* up to MCK_SPOTS spots, property by property; [0] is along y, [1] along x */
typedef struct mck_batch {
  double c[2][MCK_SPOTS];      /* centres: units, then pixels */
  double s[2][MCK_SPOTS];      /* sigmas: units, then pixels */
  double weight[MCK_SPOTS];
  double angle[MCK_SPOTS];     /* tilted: from +x towards +y, of sx's axis */
  /* covariant: s is Syy and Sxx, angle is Sxy, all in squares of units */
  double narrow[MCK_SPOTS];    /* tilted: see mck_spot */
  double first[2][MCK_SPOTS], last[2][MCK_SPOTS];  /* windows, full image */
  int32_t from[2][MCK_SPOTS], to[2][MCK_SPOTS];    /* in the image, from its
                                  first row and column */
  uint32_t home[MCK_SPOTS];    /* the tile, or MCK_MANY; of culled ones any */
  double lost[MCK_SPOTS];      /* part of the mass outside the window */
  double mass[MCK_SPOTS];      /* weight, or volume */
  double shape[2][MCK_SPOTS];  /* of mck_spot: s, or mark and q */
  double slope[MCK_SPOTS];     /* of mck_spot: the same, or amp */
  int64_t what[MCK_SPOTS];     /* bits of MCK_CLIPPED and so on, mostly 0 */
} mck_batch;

#define MCK_SMALL 32  /* most pixels of a small profile */

/*
** One spot, in pixels of the full image, and its window in those of the image:
** rows and columns 'from' to 'to' - 1.  A tilted one has in each row a bell of
** sigma s[1] around c[1] + slope * (row - c[0]).  Where spots are bells of
** float (tbell.h), plain ones, with windows of at most MCK_SMALL pixels, have a
** negative mark, and profiles amp * 2^(q * (x - c)^2).
*/
typedef struct mck_spot {
  double c[2];
  union {
    double s[2];
    struct {
      double mark;
      float q[2];
    };
  };
  double weight;
  union {
    double slope;
    float amp[2];
  };
  int32_t from[2], to[2];  /* 64 bytes in all: a cache line */
} mck_spot;

/* a tile at hand */
typedef struct mck_canvas {
  void *tile;
  int32_t corner[2], size[2];  /* rows and columns of the image */
  double first[2];             /* where the centre of its pixel 0 is */
  const mck_frame *frame;
} mck_canvas;

typedef struct mck_render {
  /* c, s and weight of n spots are set; set the others */
  void (*prepare) (mck_batch *b, const mck_frame *f, size_t n);
  /* add the spots whose numbers are which[0] to which[n - 1], in this order;
     each touches the tile, in which nothing is -0.0 */
  void (*f64) (const mck_canvas *t, const mck_spot *spots,
               const uint32_t *which, size_t n);
  void (*f32) (const mck_canvas *t, const mck_spot *spots,
               const uint32_t *which, size_t n);
} mck_render;

#endif

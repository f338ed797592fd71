/*
** render.h - what the files of render share
**
** Spots go through in chunks, in their order.  Each chunk is read and its
** spots are listed for every tile they touch (render_list.c), then each tile
** is drawn by one thread, in the order of its list (render_tile.c).
*/

#ifndef RENDER_H
#define RENDER_H

#include "core.h"
#include "kern.h"

/* columns, as doubles; a covariance stands at MC_SX, MC_SY and MC_ANGLE */
enum {MC_X, MC_Y, MC_SX, MC_SY, MC_WEIGHT, MC_ANGLE, MC_NCOLUMNS};

/* what a thread found in its slice of a chunk */
typedef struct mc_slice {
  int64_t first, last;     /* its spots, counted from the chunk's first */
  int64_t listed;          /* that touch the image: mck_spots from 'first' */
  int64_t culled, skipped;
  int64_t entries;
  double pixels;           /* in the windows */
} mc_slice;

/* an image that is drawn: the sum of weights, or of weights times values */
typedef struct mc_layer {
  char *out;
  ptrdiff_t stride[2];     /* in bytes */
  double *sum;             /* of earlier runs, tile after tile; or NULL */
} mc_layer;

/* mass that a block of spots did not bring into the image */
typedef struct mc_loss {
  double clipped, lost;
} mc_loss;

typedef struct mc_render {
  const mck_gauss *gauss;
  const mck_render *kern;
  const mascon_spots *spots;
  const mascon_render_opts *o;
  mck_frame frame;
  const mascon_array *value;  /* column of the second layer, or NULL */
  /* the image, or two of one dtype and shape */
  int nlayers;
  mc_layer layers[2];
  size_t size;             /* bytes of an element */
  int64_t shape[2];
  /* its tiles */
  int64_t grid[2], ntiles;
  int32_t *state;          /* of each tile: a run (see render_tile.c) */
  char *buffers;           /* a tile for each thread */
  /* the chunk at hand */
  int64_t base, n;         /* its first spot, and how many */
  int32_t run;
  int nslices;
  mc_slice *slices;
  mck_spot *list;
  uint32_t *homes;         /* of the spots of 'list': the tile, or MCK_MANY */
  double *values;          /* of the spots of 'list'; or NULL */
  mc_loss *loss;           /* of each MCK_SPOTS spots */
  uint32_t *starts;        /* of each slice and tile, in 'entries' */
  uint32_t *entries;       /* numbers of spots in 'list', tile by tile */
} mc_render;

#define MC_RUN (INT64_C(1) << 22)  /* spots that are summed in f32 */

/* the memory of a call besides its images */
typedef struct mc_room {
  int64_t chunk, entries;  /* spots of a chunk, places in its lists */
  int64_t sums;            /* elements of a layer's 'sum' */
  char *block;             /* all but 'sum' */
  size_t bytes;            /* of it */
} mc_room;

/* its sizes for 'n' spots; MASCON_ETOOBIG beyond 32-bit counts */
int mc_render_room (mc_render *r, int64_t n, mc_room *m);

/* all that mc_render_acquire allocates */
int64_t mc_render_bytes (const mc_render *r, const mc_room *m);

int mc_render_acquire (mc_render *r, mc_room *m);
void mc_render_release (mc_render *r, mc_room *m);

/* columns may be missing only where they have a default */
const mascon_array *mc_spots_column (const mascon_spots *s, int i);

/* elements first to first + n - 1 of a column */
void mc_spots_column_read (const mascon_array *a, int64_t first, int64_t n,
                           double *to);

/* spots first to first + n - 1, n <= MCK_SPOTS, as a kernel wants them */
void mc_spots_read (const mascon_spots *s, int64_t first, int64_t n,
                    mck_batch *b);

/* read one slice: make mck_spots, count what each tile gets */
void mc_render_read (void *r, int64_t first, int64_t last, int thread);

/* from counts to starts; and the lists themselves, slice by slice */
void mc_render_starts (mc_render *r);
void mc_render_list (void *r, int64_t first, int64_t last, int thread);

/* draw tiles first to last - 1 */
void mc_render_tiles (void *r, int64_t first, int64_t last, int thread);

/* after the last chunk: add the runs, clear tiles without spots */
void mc_render_finish (void *r, int64_t first, int64_t last, int thread);

#endif

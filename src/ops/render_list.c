/*
** render_list.c - spots are read, and listed for the tiles they touch
**
** A stable counting sort: every slice of a chunk counts what it has for each
** tile, sums of the counts say where it is to go, and every slice writes the
** numbers of its spots there.
*/

#include <math.h>

#include "render.h"

/* {------- reading ------- */

const mascon_array *mc_spots_column (const mascon_spots *s, int i) {
  bool covariant = s->sxx != NULL;
  switch (i) {
    case MC_X: return s->x;
    case MC_Y: return s->y;
    case MC_SX: return covariant ? s->sxx : s->sx;
    case MC_SY: return covariant ? s->syy : s->sy;
    case MC_WEIGHT: return s->weight;
    default: return covariant ? s->sxy : s->angle;
  }
}


void mc_spots_column_read (const mascon_array *a, int64_t first, int64_t n,
                           double *to) {
  mck_get()->copy->convert[MASCON_F64][mascon_dtype_of(a)](to, 1,
    (const char *)a->data + first * a->stride[0] * (a->dtype.bits / 8),
    (ptrdiff_t)a->stride[0], (size_t)n);
}


void mc_spots_read (const mascon_spots *s, int64_t first, int64_t n,
                    mck_batch *b) {
  double *to[MC_NCOLUMNS] = {b->c[1], b->c[0], b->s[1], b->s[0], b->weight,
                             b->angle};
  for (int i = 0; i < MC_NCOLUMNS; i++) {
    const mascon_array *a = mc_spots_column(s, i);
    if (a == NULL)  /* weight 1, angle 0 */
      for (int64_t k = 0; k < n; k++) to[i][k] = i == MC_WEIGHT;
    else mc_spots_column_read(a, first, n, to[i]);
  }
}

/* -------} */


/* {------- the mass of a spot ------- */

/* mass of a spot of 1 along axis 'a' in pixels lo to hi - 1 */
static double inside (const mc_render *r, const mck_batch *b, int a, int64_t i,
                      double lo, double hi) {
  double c = b->c[a][i], s = b->s[a][i], edge = r->frame.centre - 0.5;
  double d[2], t[2 + MCK_PAD];
  if (lo >= hi) return 0;
  if (s < 0x1p-1022) return lo + edge <= c && c < hi + edge;
  d[0] = (lo + edge - c) / s;
  d[1] = (hi + edge - c) / s;
  r->gauss->tail(t, d, 2);
  return d[0] < 0 && d[1] >= 0 ? 1 - t[0] - t[1] : fabs(t[0] - t[1]);
}


/* of a spot whose window is not in the image as a whole */
static double clipped (const mc_render *r, const mck_batch *b, int64_t i) {
  double in = 1;
  for (int a = 0; a < 2; a++)
    in *= inside(r, b, a, i, r->frame.first[a] + b->from[a][i],
                 r->frame.first[a] + b->to[a][i]);
  return b->mass[i] * (1 - b->lost[i] - in);
}


/* -------} */


/* {------- spots and tiles ------- */

static void tilesof (const mck_frame *f, const mck_spot *s, int64_t lo[2],
                     int64_t hi[2]) {
  for (int a = 0; a < 2; a++) {
    lo[a] = s->from[a] >> f->shift[a];
    hi[a] = (s->to[a] - 1) >> f->shift[a];
  }
}


static void fillspot (mck_spot *s, const mck_batch *b, int64_t i) {
  for (int a = 0; a < 2; a++) {
    s->c[a] = b->c[a][i];
    s->s[a] = b->shape[a][i];
    s->from[a] = b->from[a][i];
    s->to[a] = b->to[a][i];
  }
  s->weight = b->weight[i];
  s->slope = b->slope[i];
}


/* count a spot for each of its tiles, which are many; returns how many */
static int64_t countmany (const mc_render *r, const mck_spot *s,
                          uint32_t *counts) {
  int64_t lo[2], hi[2];
  tilesof(&r->frame, s, lo, hi);
  for (int64_t y = lo[0]; y <= hi[0]; y++)
    for (int64_t x = lo[1]; x <= hi[1]; x++) counts[y * r->grid[1] + x]++;
  return (hi[0] - lo[0] + 1) * (hi[1] - lo[1] + 1);
}


/* of a spot that is not simply inside: is it drawn nonetheless? */
static bool isdrawn (const mc_render *r, mc_slice *p, const mck_batch *b,
                     int64_t i, mc_loss *loss) {
  if (b->what[i] & MCK_SKIPPED) {
    p->skipped++;
    return false;
  }
  loss->clipped += clipped(r, b, i);
  if (!(b->what[i] & MCK_CULLED)) return true;
  loss->lost += b->mass[i] * b->lost[i];
  p->culled++;
  return false;
}


static void someread (mc_render *r, mc_slice *p, uint32_t *counts,
                      const mck_batch *b, const double *values, int64_t n,
                      mc_loss *loss) {
  int64_t at = p->first + p->listed, entries = 0, pixels = 0;
  double lost = 0;
  loss->lost = loss->clipped = 0;
  for (int64_t i = 0; i < n; i++) {
    mck_spot *s = &r->list[at];
    if (b->what[i] != 0 && !isdrawn(r, p, b, i, loss)) continue;
    lost += b->mass[i] * b->lost[i];
    fillspot(s, b, i);
    if (r->value != NULL) r->values[at] = values[i];
    r->homes[at++] = b->home[i];
    pixels += (int64_t)(s->to[0] - s->from[0]) * (s->to[1] - s->from[1]);
    if (b->home[i] == MCK_MANY) entries += countmany(r, s, counts);
    else counts[b->home[i]]++, entries++;
  }
  p->listed = at - p->first;
  p->entries += entries;
  p->pixels += (double)pixels;
  loss->lost += lost;
}


/* spots whose value is not finite are skipped */
static void skipvalues (mck_batch *b, const double *values, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    if (!isfinite(values[i])) b->what[i] |= MCK_SKIPPED;
}


void mc_render_read (void *ud, int64_t first, int64_t last, int thread) {
  mc_render *r = ud;
  mck_batch b;
  double values[MCK_SPOTS];
  (void)thread;
  for (; first < last; first++) {
    mc_slice *p = &r->slices[first];
    uint32_t *counts = r->starts + first * r->ntiles;
    for (int64_t t = 0; t < r->ntiles; t++) counts[t] = 0;
    for (int64_t i = p->first; i < p->last; i += MCK_SPOTS) {
      int64_t n = p->last - i < MCK_SPOTS ? p->last - i : MCK_SPOTS;
      if (mc_cancelled()) return;
      mc_spots_read(r->spots, r->base + i, n, &b);
      r->kern->prepare(&b, &r->frame, (size_t)n);
      if (r->value != NULL) {
        mc_spots_column_read(r->value, r->base + i, n, values);
        skipvalues(&b, values, n);
      }
      someread(r, p, counts, &b, values, n, &r->loss[i / MCK_SPOTS]);
    }
  }
}


void mc_render_starts (mc_render *r) {
  uint32_t at = 0;
  for (int64_t t = 0; t < r->ntiles; t++)
    for (int s = 0; s < r->nslices; s++) {
      uint32_t *p = &r->starts[s * r->ntiles + t], n = *p;
      *p = at;
      at += n;
    }
}


/* enter spot 'i' for all tiles it touches */
static void listmany (const mc_render *r, int64_t i, uint32_t *starts) {
  int64_t lo[2], hi[2];
  tilesof(&r->frame, &r->list[i], lo, hi);
  for (int64_t y = lo[0]; y <= hi[0]; y++)
    for (int64_t x = lo[1]; x <= hi[1]; x++)
      r->entries[starts[y * r->grid[1] + x]++] = (uint32_t)i;
}


void mc_render_list (void *ud, int64_t first, int64_t last, int thread) {
  const mc_render *r = ud;
  (void)thread;
  for (; first < last; first++) {
    const mc_slice *p = &r->slices[first];
    uint32_t *starts = r->starts + first * r->ntiles;
    for (int64_t i = p->first; i < p->first + p->listed; i++)
      if (r->homes[i] == MCK_MANY) listmany(r, i, starts);
      else r->entries[starts[r->homes[i]]++] = (uint32_t)i;
  }
}

/* -------} */

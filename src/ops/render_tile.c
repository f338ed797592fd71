/*
** render_tile.c - tiles are drawn
**
** A tile is taken from the image into a buffer, drawn there and put back.  In
** the buffer there is no -0.0, so that it does not matter whether 0 is added
** to a pixel or nothing; a pixel that has not changed is not written.
**
** The state of a tile is the run of spots that its pixels hold, or EMPTY for
** one that holds nothing yet.  When a later run reaches it, the pixels go to
** 'sum' first (SUMMED).
*/

#include <string.h>

#include "render.h"

#define EMPTY (-1)
#define SUMMED (1 << 30)
#define SOME 4096  /* spots that are drawn at a time */
#define VALUED 256 /* the same, of those whose weights are made on the way */

/* a tile in an image */
typedef struct tile {
  char *at;
  ptrdiff_t stride[2];
  int64_t h, w;
  double *sum;
} tile;


static tile tileof (const mc_render *r, const mc_layer *l, int64_t t) {
  int64_t row = (t / r->grid[1]) << r->frame.shift[0];
  int64_t col = (t % r->grid[1]) << r->frame.shift[1];
  int64_t h = INT64_C(1) << r->frame.shift[0];
  int64_t w = INT64_C(1) << r->frame.shift[1];
  tile a;
  a.at = l->out + row * l->stride[0] + col * l->stride[1];
  for (int i = 0; i < 2; i++) a.stride[i] = l->stride[i];
  a.h = r->shape[0] - row < h ? r->shape[0] - row : h;
  a.w = r->shape[1] - col < w ? r->shape[1] - col : w;
  a.sum = l->sum != NULL ? l->sum + t * h * w : NULL;
  return a;
}


/* {------- pixels ------- */

/* an element of the image, as double */
static double get (const mc_render *r, const char *p) {
  double d;
  float f;
  if (r->size == sizeof d) {
    memcpy(&d, p, sizeof d);
    return d;
  }
  memcpy(&f, p, sizeof f);
  return (double)f;
}


static void set (const mc_render *r, char *p, double d) {
  float f = (float)d;
  if (r->size == sizeof d) memcpy(p, &d, sizeof d);
  else memcpy(p, &f, sizeof f);
}


/* a row of pixels between the image, at 'p', and a buffer */
static void getrow (const mc_render *r, const tile *a, char *buffer,
                    const char *p) {
  if (a->stride[1] == (ptrdiff_t)r->size)
    memcpy(buffer, p, (size_t)a->w * r->size);
  else
    for (int64_t j = 0; j < a->w; j++, p += a->stride[1])
      memcpy(buffer + (size_t)j * r->size, p, r->size);
}


static void putrow (const mc_render *r, const tile *a, char *p,
                    const char *buffer) {
  if (a->stride[1] == (ptrdiff_t)r->size)
    memcpy(p, buffer, (size_t)a->w * r->size);
  else
    for (int64_t j = 0; j < a->w; j++, p += a->stride[1])
      memcpy(p, buffer + (size_t)j * r->size, r->size);
}


/* only what others have added to may hold -0.0 */
static void load (const mc_render *r, const tile *a, char *buffer) {
  for (int64_t i = 0; i < a->h; i++, buffer += MCK_PITCH) {
    getrow(r, a, buffer, a->at + i * a->stride[0]);
    for (int64_t j = 0; r->o->add && j < a->w; j++) {
      char *p = buffer + (size_t)j * r->size;
      set(r, p, get(r, p) + 0.0);
    }
  }
}


static void store (const mc_render *r, const tile *a, const char *buffer) {
  for (int64_t i = 0; i < a->h; i++, buffer += MCK_PITCH)
    putrow(r, a, a->at + i * a->stride[0], buffer);
}


/* the same, where a -0.0 may stand */
static void update (const mc_render *r, const tile *a, const char *buffer) {
  for (int64_t i = 0; i < a->h; i++, buffer += MCK_PITCH) {
    char *p = a->at + i * a->stride[0];
    for (int64_t j = 0; j < a->w; j++, p += a->stride[1]) {
      const char *q = buffer + (size_t)j * r->size;
      if (get(r, p) != get(r, q)) memcpy(p, q, r->size);
    }
  }
}


/* add the pixels of a run to 'sum' */
static void addrun (const mc_render *r, const tile *a) {
  double *sum = a->sum;
  for (int64_t i = 0; i < a->h; i++) {
    const char *p = a->at + i * a->stride[0];
    for (int64_t j = 0; j < a->w; j++, p += a->stride[1]) *sum++ += get(r, p);
  }
}


static void putsum (const mc_render *r, const tile *a) {
  const double *sum = a->sum;
  for (int64_t i = 0; i < a->h; i++) {
    char *p = a->at + i * a->stride[0];
    for (int64_t j = 0; j < a->w; j++, p += a->stride[1])
      set(r, p, *sum++ + get(r, p));
  }
}


static void clear (const mc_render *r, const tile *a) {
  static const char zeros[MCK_TILEB];
  for (int64_t i = 0; i < a->h; i++)
    putrow(r, a, a->at + i * a->stride[0], zeros);
}

/* -------} */


/* add spots to the tile of the canvas */
static void drawsome (const mc_render *r, const mck_canvas *c,
                      const mck_spot *spots, const uint32_t *which,
                      int64_t n) {
  (r->size == sizeof(double) ? r->kern->f64 : r->kern->f32)(c, spots, which,
                                                            (size_t)n);
}


/* the same, their weights times their values */
static void drawvalued (const mc_render *r, const mck_canvas *c,
                        const uint32_t *which, int64_t n) {
  mck_spot spots[VALUED];
  uint32_t numbers[VALUED];
  for (int64_t i = 0; i < n; i++) {
    spots[i] = r->list[which[i]];
    spots[i].weight *= r->values[which[i]];
    numbers[i] = (uint32_t)i;
  }
  drawsome(r, c, spots, numbers, n);
}


/* tile 't' of a layer, by way of the buffer in 'c'; 'there': it holds spots of
   this run */
static void drawlayer (mc_render *r, int layer, int64_t t, mck_canvas *c,
                       bool there, const uint32_t *which, int64_t n) {
  int64_t some = layer == 0 ? SOME : VALUED;
  tile a = tileof(r, &r->layers[layer], t);
  c->size[0] = (int32_t)a.h;
  c->size[1] = (int32_t)a.w;
  if (there) load(r, &a, c->tile);
  else {
    if (r->state[t] != EMPTY) addrun(r, &a);
    memset(c->tile, 0, MCK_TILESIZE);
  }
  for (int64_t i = 0; i < n && !mc_cancelled(); i += some) {
    int64_t m = n - i < some ? n - i : some;
    if (layer == 0) drawsome(r, c, r->list, which + i, m);
    else drawvalued(r, c, which + i, m);
  }
  if (there && r->o->add) update(r, &a, c->tile);
  else store(r, &a, c->tile);
}


static void drawtile (mc_render *r, int64_t t, char *buffer,
                      const uint32_t *which, int64_t n) {
  mck_canvas c;
  bool there = r->state[t] != EMPTY && (r->state[t] & ~SUMMED) == r->run;
  c.tile = buffer;
  c.frame = &r->frame;
  c.corner[0] = (int32_t)((t / r->grid[1]) << r->frame.shift[0]);
  c.corner[1] = (int32_t)((t % r->grid[1]) << r->frame.shift[1]);
  for (int i = 0; i < 2; i++)
    c.first[i] = r->frame.first[i] + r->frame.centre + (double)c.corner[i];
  for (int i = 0; i < r->nlayers; i++)
    drawlayer(r, i, t, &c, there, which, n);
  if (!there) r->state[t] = r->run | (r->state[t] != EMPTY ? SUMMED : 0);
}


void mc_render_tiles (void *ud, int64_t first, int64_t last, int thread) {
  mc_render *r = ud;
  /* where the lists of the last slice end, those of the next tile begin */
  const uint32_t *ends = r->starts + (r->nslices - 1) * r->ntiles;
  for (; first < last; first++) {
    uint32_t start = first > 0 ? ends[first - 1] : 0;
    if (ends[first] > start)
      drawtile(r, first, r->buffers + thread * (int64_t)MCK_TILESIZE,
               r->entries + start, ends[first] - start);
  }
}


void mc_render_finish (void *ud, int64_t first, int64_t last, int thread) {
  mc_render *r = ud;
  (void)thread;
  for (; first < last; first++)
    for (int i = 0; i < r->nlayers; i++) {
      tile a = tileof(r, &r->layers[i], first);
      if (r->state[first] == EMPTY) {
        if (!r->o->fresh) clear(r, &a);
      }
      else if (r->state[first] & SUMMED) putsum(r, &a);
    }
}

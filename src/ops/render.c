/*
** render.c - many gaussians into one image
**
** The contract of mascon_render says what each spot adds to which pixel; the
** sum of a pixel is taken in the order of the spots.  One thread draws all
** spots of a tile in their order, so the bits do not depend on the number of
** threads, on the tiles or on how many spots a chunk has.
*/

#include <float.h>
#include <math.h>

#include "render.h"

#define PIXELS 3e8        /* drawn between two reports of progress */
#define TILES 8           /* for a thread, where the image allows */
#define PIECES (1 << 18)  /* in which tiles are drawn, at most */


/* {------- sigmas ------- */

/* mass beyond 'd' (sigmas from the centre), on the side away from it */
static double tail (const mck_gauss *kern, double d) {
  double in[1], out[1 + MCK_PAD];
  in[0] = d;
  kern->tail(out, in, 1);
  return out[0];
}


/* the k of 'tol': two tails on each of two axes */
static double sigmas (const mck_gauss *kern, double tol) {
  double lo = 0, hi = 40;
  for (int i = 0; i < 64; i++) {
    double k = (lo + hi) / 2;
    if (tail(kern, k) > tol / 4) lo = k;
    else hi = k;
  }
  return hi;
}

/* -------} */


/* {------- arguments ------- */

/* are spots described in one way? */
static bool oneway (const mascon_spots *s) {
  if (s->sxx == NULL) return s->sxy == NULL && s->syy == NULL;
  return s->sxy != NULL && s->syy != NULL && s->sx == NULL && s->sy == NULL &&
         s->angle == NULL;
}


/* do spots lie along other directions than the axes? */
static bool istilted (const mascon_spots *s) {
  return s->angle != NULL || s->sxx != NULL;
}


static int checkspots (const mascon_spots *s, const mascon_array *out) {
  if (!oneway(s)) return MASCON_EVALUE;
  for (int i = 0; i < MC_NCOLUMNS; i++) {
    const mascon_array *a = mc_spots_column(s, i);
    int status;
    if (a == NULL && i < MC_WEIGHT) return MASCON_EVALUE;
    if (a == NULL) continue;
    if ((status = mc_check(a)) != MASCON_OK) return status;
    if (a->ndim != 1 || a->shape[0] != s->x->shape[0]) return MASCON_ESHAPE;
    if (out != NULL && mc_overlap(out, a)) return MASCON_EALIAS;
  }
  return MASCON_OK;
}


static int checkopts (const mascon_render_opts *o, const mascon_spots *s) {
  bool ok = (o->sample == MASCON_POINT || o->sample == MASCON_INTEGRATED) &&
            (o->norm == MASCON_SUM || o->norm == MASCON_PEAK) &&
            (o->origin == MASCON_CENTRE || o->origin == MASCON_EDGE) &&
            o->pixel > 0 && isfinite(o->pixel) && isfinite(o->y0) &&
            isfinite(o->x0) && o->tol >= 0 && o->tol < 1 && o->cutoff >= 0 &&
            isfinite(o->cutoff) && o->min_sigma >= 0 &&
            isfinite(o->min_sigma) &&
            (!istilted(s) || o->sample == MASCON_POINT);
  return ok ? MASCON_OK : MASCON_EVALUE;
}


/* the column of a second layer, and the layer */
static int checkvalues (const mascon_array *value, const mascon_array *values,
                        const mascon_spots *s, const mascon_array *out) {
  int status;
  if ((value != NULL) != (values != NULL)) return MASCON_EVALUE;
  if (value == NULL) return MASCON_OK;
  if ((status = mc_check(value)) != MASCON_OK ||
      (status = mc_checkout(values)) != MASCON_OK) return status;
  if (value->ndim != 1 || value->shape[0] != s->x->shape[0] ||
      !mc_sameshape(values, out)) return MASCON_ESHAPE;
  if (mascon_dtype_of(values) != mascon_dtype_of(out)) return MASCON_ETYPE;
  if (mc_overlap(values, out) || mc_overlap(out, value) ||
      mc_overlap(values, value)) return MASCON_EALIAS;
  return checkspots(s, values);
}


static int checkout (const mascon_array *out) {
  int status = mc_checkout(out);
  if (status != MASCON_OK) return status;
  if (out->ndim != 2) return MASCON_ESHAPE;
  if (out->shape[0] > INT32_MAX || out->shape[1] > INT32_MAX)
    return MASCON_ETOOBIG;
  return mc_isfloat(mascon_dtype_of(out)) ? MASCON_OK : MASCON_ETYPE;
}

/* -------} */


/* {------- preparing ------- */

static void setframe (mc_render *r) {
  const mascon_render_opts *o = r->o;
  mck_frame *f = &r->frame;
  f->corner[0] = o->y0;
  f->corner[1] = o->x0;
  f->pixel = o->pixel;
  f->min_sigma = o->min_sigma;
  f->k = o->cutoff > 0 ? o->cutoff : sigmas(r->gauss, o->tol);
  f->centre = o->origin == MASCON_EDGE ? 0.5 : 0;
  f->integrated = o->sample == MASCON_INTEGRATED;
  f->peak = o->norm == MASCON_PEAK;
  f->tilted = istilted(r->spots);
  f->bells = !f->integrated && !f->tilted && r->size == sizeof(float);
  f->covariant = r->spots->sxx != NULL;
  f->renormalise = o->renormalise;
  f->fine = o->renormalise || r->size == sizeof(double);
  f->single = o->single;
  f->whole = o->whole;
  f->first[0] = (double)o->row;
  f->first[1] = (double)o->col;
  for (int a = 0; a < 2; a++) f->last[a] = f->first[a] + (double)r->shape[a];
}


/* rows of tiles as low as needed to keep all threads busy */
static void settiles (mc_render *r, int threads) {
  r->frame.shift[0] = 6;
  r->frame.shift[1] = r->size == sizeof(double) ? 6 : 7;
  for (;;) {
    for (int a = 0; a < 2; a++)
      r->grid[a] = ((r->shape[a] - 1) >> r->frame.shift[a]) + 1;
    r->frame.row = (double)r->grid[1];
    r->ntiles = r->grid[0] * r->grid[1];
    if (threads == 1 || r->ntiles >= TILES * threads ||
        r->frame.shift[0] <= 3) return;
    r->frame.shift[0]--;
  }
}


static void setlayer (mc_render *r, const mascon_array *out) {
  mc_layer *l = &r->layers[r->nlayers++];
  l->out = out->data;
  for (int a = 0; a < 2; a++)
    l->stride[a] = (ptrdiff_t)(out->stride[a] * (int64_t)r->size);
}


static void setimage (mc_render *r, const mascon_spots *spots,
                      const mascon_render_opts *o, const mascon_array *out,
                      int threads) {
  r->gauss = mck_get()->gauss;
  r->kern = mck_get()->render;
  r->spots = spots;
  r->o = o;
  r->size = out->dtype.bits / 8;
  for (int a = 0; a < 2; a++) r->shape[a] = out->shape[a];
  setlayer(r, out);
  setframe(r);
  settiles(r, threads);
  r->nslices = threads;
}

/* -------} */


/* {------- chunks ------- */

/* share the chunk's spots among the slices, in whole blocks of MCK_SPOTS */
static void slice (mc_render *r) {
  static const mc_slice init = {0};
  int64_t blocks = (r->n + MCK_SPOTS - 1) / MCK_SPOTS;
  for (int s = 0; s < r->nslices; s++) {
    mc_slice *p = &r->slices[s];
    *p = init;
    p->first = blocks * s / r->nslices * MCK_SPOTS;
    p->last = blocks * (s + 1) / r->nslices * MCK_SPOTS;
    if (p->first > r->n) p->first = r->n;
    if (p->last > r->n) p->last = r->n;
  }
}


/* how full the chunk is: above 1 it has to be smaller */
static double fullness (const mc_render *r, const mc_room *m) {
  double entries = 0, pixels = 0;
  for (int s = 0; s < r->nslices; s++) {
    entries += (double)r->slices[s].entries;
    pixels += r->slices[s].pixels;
  }
  return fmax(entries / (double)m->entries, pixels / PIXELS);
}


/* read as many spots as fit, up to '*some'; which is set for the next chunk */
static int readchunk (mc_render *r, const mc_room *m, int64_t *some,
                      mascon_exec *ex) {
  int64_t n = r->n;
  int status;
  for (;;) {
    double full;
    r->n = n < *some ? n : *some;
    slice(r);
    status = mc_parallel(ex, r->nslices, 1, r->nslices, mc_render_read, r);
    if (status != MASCON_OK) return status;
    full = fullness(r, m);
    if (full <= 1 || r->n <= MCK_SPOTS) {
      if (full < 0.5 && *some < m->chunk) *some *= 2;
      return MASCON_OK;
    }
    *some = (int64_t)((double)r->n * 0.75 / full) / MCK_SPOTS * MCK_SPOTS;
    if (*some < MCK_SPOTS) *some = MCK_SPOTS;
  }
}


static void account (const mc_render *r, mascon_render_info *info) {
  for (int s = 0; s < r->nslices; s++) {
    info->drawn += r->slices[s].listed;
    info->culled += r->slices[s].culled;
    info->skipped += r->slices[s].skipped;
  }
  for (int64_t b = 0; b * MCK_SPOTS < r->n; b++) {
    info->clipped += r->loss[b].clipped;
    info->lost += r->loss[b].lost;
  }
}


/* read, list and draw the next spots */
static int onechunk (mc_render *r, const mc_room *m, int64_t *some, int threads,
                     mascon_exec *ex) {
  int status = readchunk(r, m, some, ex);
  if (status != MASCON_OK) return status;
  mc_render_starts(r);
  status = mc_parallel(ex, r->nslices, 1, threads, mc_render_list, r);
  if (status != MASCON_OK) return status;
  return mc_parallel(ex, r->ntiles, r->ntiles / PIECES + 1, threads,
                     mc_render_tiles, r);
}


static void reported (void *ud, int64_t first, int64_t last, int thread) {
  (void)ud, (void)first, (void)last, (void)thread;
}


static int drawall (mc_render *r, const mc_room *m, int64_t n, int threads,
                    mascon_render_info *info, mascon_exec *ex) {
  mascon_exec quiet = mc_quiet(ex);
  int64_t some = m->chunk, run = m->sums > 0 ? MC_RUN : n;
  int status = MASCON_OK;
  for (int64_t t = 0; t < r->ntiles; t++)
    r->state[t] = r->o->add ? 0 : -1;
  for (r->base = 0; r->base < n && status == MASCON_OK; r->base += r->n) {
    r->run = (int32_t)(r->base / run);
    r->n = n - r->base < run - r->base % run ? n - r->base
                                             : run - r->base % run;
    status = onechunk(r, m, &some, threads, &quiet);
    if (status != MASCON_OK) break;
    account(r, info);
    status = mc_parallel_part(ex, r->n, r->n, 1, reported, NULL, r->base, n);
  }
  if (ex != NULL) ex->done = r->base < n ? r->base : n, ex->total = n;
  quiet.cancel = NULL;
  if (!(r->o->add || r->o->fresh) || m->sums > 0)
    mc_parallel(&quiet, r->ntiles, 1, threads, mc_render_finish, r);
  return status;
}

/* -------} */


static void setextent (const mc_render *r, mascon_render_info *info) {
  for (int a = 0; a < 2; a++) {
    double unit = r->frame.corner[a];
    info->extent[a] = unit + r->frame.first[a] * r->o->pixel;
    info->extent[a + 2] = unit + r->frame.last[a] * r->o->pixel;
  }
}


/* checks of all calls; 'out' is an image, or only 'described' as one */
static int check (const mascon_spots *spots, const mascon_render_opts *o,
                  const mascon_array *out, bool described) {
  int status = checkout(out);
  if (status == MASCON_OK) status = checkspots(spots, described ? NULL : out);
  return status == MASCON_OK ? checkopts(o, spots) : status;
}


/* a thread is worth so many operations for each of 'n' spots */
static int workers (const mascon_exec *ex, int64_t n) {
  return mc_threads(ex, (double)n * 100);
}


int mascon_render_values (const mascon_spots *spots, const mascon_array *value,
                          const mascon_render_opts *opts, mascon_array *out,
                          mascon_array *values, mascon_render_info *info,
                          mascon_exec *ex) {
  static const mascon_render_opts init = MASCON_RENDER_INIT;
  static const mascon_render_info none = MASCON_RENDER_INFO_INIT;
  const mascon_render_opts *o = opts != NULL ? opts : &init;
  mascon_render_info found = none;
  mc_render r = {.value = value};
  mc_room m;
  int64_t n;
  int status = check(spots, o, out, false);
  if (status == MASCON_OK) status = checkvalues(value, values, spots, out);
  if (status != MASCON_OK) return status;
  n = spots->x->shape[0];
  setimage(&r, spots, o, out, workers(ex, n));
  if (value != NULL) setlayer(&r, values);
  status = mc_render_room(&r, n, &m);
  if (status == MASCON_OK) status = mc_render_acquire(&r, &m);
  if (status != MASCON_OK) return status;
  setextent(&r, &found);
  status = drawall(&r, &m, n, r.nslices, &found, ex);
  mc_render_release(&r, &m);
  if (info != NULL) *info = found;
  return status;
}


int mascon_render (const mascon_spots *spots, const mascon_render_opts *opts,
                   mascon_array *out, mascon_render_info *info,
                   mascon_exec *ex) {
  return mascon_render_values(spots, NULL, opts, out, NULL, info, ex);
}


int mascon_render_memory (const mascon_spots *spots, const mascon_array *value,
                          const mascon_render_opts *opts, mascon_dtype t,
                          const int64_t shape[2], const mascon_exec *ex,
                          int64_t *bytes) {
  static const mascon_render_opts init = MASCON_RENDER_INIT;
  const mascon_render_opts *o = opts != NULL ? opts : &init;
  double pixel = 0;  /* none is looked at */
  mascon_array out;
  mc_render r = {.value = value};
  mc_room m;
  int64_t n;
  int status = mascon_describe(&out, &pixel, t, 2, shape, NULL, 0);
  if (status == MASCON_OK) status = check(spots, o, &out, true);
  if (status != MASCON_OK) return status;
  n = spots->x->shape[0];
  setimage(&r, spots, o, &out, workers(ex, n));
  status = mc_render_room(&r, n, &m);
  if (status == MASCON_OK) *bytes = mc_render_bytes(&r, &m);
  return status;
}


int mascon_render_shape (const mascon_spots *spots,
                         const mascon_render_opts *opts, int64_t shape[2]) {
  static const mascon_render_opts init = MASCON_RENDER_INIT;
  const mascon_render_opts *o = opts != NULL ? opts : &init;
  double last[2] = {-1, -1};
  mck_batch b;
  mc_render r = {0};
  int status = checkspots(spots, NULL);
  if (status == MASCON_OK) status = checkopts(o, spots);
  if (status != MASCON_OK) return status;
  r.gauss = mck_get()->gauss;
  r.o = o;
  r.spots = spots;
  setframe(&r);
  r.frame.whole = 0;
  r.frame.k = 0;  /* a window that is the pixel of the centre, or its two */
  for (int64_t first = 0; first < spots->x->shape[0]; first += MCK_SPOTS) {
    int64_t n = spots->x->shape[0] - first;
    if (n > MCK_SPOTS) n = MCK_SPOTS;
    mc_spots_read(spots, first, n, &b);
    mck_get()->render->prepare(&b, &r.frame, (size_t)n);
    for (int64_t i = 0; i < n; i++)
      if (!(b.what[i] & MCK_SKIPPED))
        for (int a = 0; a < 2; a++) last[a] = fmax(last[a], b.last[a][i] - 1);
  }
  if (last[0] >= 0x1p31 || last[1] >= 0x1p31) return MASCON_ETOOBIG;
  for (int a = 0; a < 2; a++) shape[a] = (int64_t)last[a] + 1;
  return MASCON_OK;
}

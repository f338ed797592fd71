/*
** image.c - numbers to pixels, pixels to colours
**
** Elements pass through the stack as doubles, a chunk at a time, so that one
** kernel serves every dtype.
*/

#include <math.h>
#include <stdatomic.h>

#include "core.h"
#include "kern.h"

#define CHUNK 512

typedef struct scaling {
  double black, white, scale, top, gamma;
} scaling;

typedef struct job {
  mc_loop loop;
  mc_rowfn row;
  const mck_copy *copy;
  const mck_image *kern;
  scaling image, light;
  mascon_dtype from, to, lightfrom;
  bool islit;
  const uint8_t *map;
  ptrdiff_t channel;  /* bytes from red to green */
  int add;
  _Atomic int64_t low, high, nan;
} job;


/* 0 to 'top' for black to white; false where the levels are none */
static bool setscaling (scaling *s, const mascon_levels *l, double top) {
  double range = l->white - l->black;
  if (!(range >= 0) || !isfinite(range) || !(l->gamma > 0) ||
      !isfinite(l->gamma)) return false;
  s->black = l->black;
  s->white = l->white;
  s->scale = top / range;
  s->top = top;
  s->gamma = l->gamma;
  return true;
}


/* {------- rows ------- */

/* 'n' (at most CHUNK) elements as 0 to 'top' */
static void level (const job *j, const scaling *s, mascon_dtype t,
                   const char *in, int64_t step, size_t n, double *x,
                   mck_clipped *c) {
  j->copy->convert[MASCON_F64][t](x, 1, in,
                                  step / (ptrdiff_t)mascon_dtype_size(t), n);
  j->kern->level(x, n, s->black, s->white, s->scale, s->top, c);
  if (s->gamma != 1)
    for (size_t i = 0; i < n; i++)
      x[i] = pow(x[i] / s->top, s->gamma) * s->top;
}


static void count (job *j, const mck_clipped *c) {
  atomic_fetch_add_explicit(&j->low, c->low, memory_order_relaxed);
  atomic_fetch_add_explicit(&j->high, c->high, memory_order_relaxed);
  atomic_fetch_add_explicit(&j->nan, c->nan, memory_order_relaxed);
}


static void scalerow (void *ud, char *const *p, const int64_t *step,
                      int64_t n) {
  job *j = ud;
  double x[CHUNK];
  mck_clipped c = {0, 0, 0};
  for (int64_t i = 0; i < n; i += CHUNK) {
    size_t m = (size_t)(n - i < CHUNK ? n - i : CHUNK);
    level(j, &j->image, j->from, p[1] + i * step[1], step[1], m, x, &c);
    if (!mc_isfloat(j->to)) j->copy->round(x, m, MCK_NEAREST);
    j->copy->convert[j->to][MASCON_F64](
      p[0] + i * step[0], step[0] / (ptrdiff_t)mascon_dtype_size(j->to), x, 1,
      m);
  }
  count(j, &c);
}


static void colourrow (void *ud, char *const *p, const int64_t *step,
                       int64_t n) {
  job *j = ud;
  double x[CHUNK], light[CHUNK];
  mck_clipped c = {0, 0, 0}, unused = {0, 0, 0};
  for (int64_t i = 0; i < n; i += CHUNK) {
    size_t m = (size_t)(n - i < CHUNK ? n - i : CHUNK);
    level(j, &j->image, j->from, p[1] + i * step[1], step[1], m, x, &c);
    j->copy->round(x, m, MCK_NEAREST);
    if (j->islit)
      level(j, &j->light, j->lightfrom, p[2] + i * step[2], step[2], m, light,
            &unused);
    j->kern->paint((uint8_t *)p[0] + i * step[0], (ptrdiff_t)step[0],
                   j->channel, x, j->islit ? light : NULL, j->map, m, j->add);
  }
  count(j, &c);
}


static void somerows (void *ud, int64_t first, int64_t last, int thread) {
  job *j = ud;
  (void)thread;
  mc_loop_run(&j->loop, first, last, j->row, j);
}

/* -------} */


static int run (job *j, int narg, const mascon_array *const args[],
                mascon_clipped *info, mascon_exec *ex) {
  int threads = mc_threads(ex, 8 * (double)mascon_count(args[0]));
  int status = mc_loop_init(&j->loop, narg, args);
  if (status != MASCON_OK) return status;
  j->copy = mck_get()->copy;
  j->kern = mck_get()->image;
  status = mc_parallel(ex, j->loop.rows, j->loop.grain, threads, somerows, j);
  if (info != NULL) {
    info->low = j->low;
    info->high = j->high;
    info->nan = j->nan;
  }
  return status;
}


int mascon_image_scale (const mascon_array *a, const mascon_levels *levels,
                        mascon_array *out, mascon_clipped *info,
                        mascon_exec *ex) {
  static const mascon_levels init = MASCON_LEVELS_INIT;
  const mascon_array *args[2];
  job j = {.row = scalerow};
  int status;
  if ((status = mc_check(a)) != MASCON_OK ||
      (status = mc_checkout(out)) != MASCON_OK) return status;
  if (!mc_sameshape(a, out)) return MASCON_ESHAPE;
  j.from = mascon_dtype_of(a);
  j.to = mascon_dtype_of(out);
  if (j.to == MASCON_I32 || j.to == MASCON_I64) return MASCON_ETYPE;
  if (!setscaling(&j.image, levels != NULL ? levels : &init,
                  j.to == MASCON_U8 ? 255 : j.to == MASCON_U16 ? 65535 : 1))
    return MASCON_EVALUE;
  if (!mc_elementwise(out, a)) return MASCON_EALIAS;
  args[0] = out;
  args[1] = a;
  return run(&j, 2, args, info, ex);
}


/* may 'a' give a value to each pixel of 'out'? */
static int checkimage (const mascon_array *a, const mascon_array *out) {
  int status = mc_check(a);
  if (status != MASCON_OK) return status;
  if (a->ndim != 2 || a->shape[0] != out->shape[0] ||
      a->shape[1] != out->shape[1]) return MASCON_ESHAPE;
  return mc_overlap(out, a) ? MASCON_EALIAS : MASCON_OK;
}


static int checkcolours (const mascon_array *map, const mascon_array *out) {
  int status;
  if ((status = mc_check(map)) != MASCON_OK ||
      (status = mc_checkout(out)) != MASCON_OK) return status;
  if (mascon_dtype_of(map) != MASCON_U8 || mascon_dtype_of(out) != MASCON_U8)
    return MASCON_ETYPE;
  if (map->ndim != 2 || map->shape[0] < 1 || map->shape[1] != 3 ||
      !mc_contiguous(map) || out->ndim != 3 || out->shape[2] != 3)
    return MASCON_ESHAPE;
  return mc_overlap(out, map) ? MASCON_EALIAS : MASCON_OK;
}


int mascon_image_colour (const mascon_array *a, const mascon_array *map,
                         const mascon_colour_opts *opts, mascon_array *out,
                         mascon_clipped *info, mascon_exec *ex) {
  static const mascon_colour_opts init = MASCON_COLOUR_INIT;
  const mascon_colour_opts *o = opts != NULL ? opts : &init;
  const mascon_array *args[3];
  mascon_array pixels;  /* by their first byte */
  job j = {.row = colourrow, .islit = o->light != NULL, .add = o->add};
  int status;
  if ((status = checkcolours(map, out)) != MASCON_OK ||
      (status = checkimage(a, out)) != MASCON_OK ||
      (j.islit && (status = checkimage(o->light, out)) != MASCON_OK))
    return status;
  if (!setscaling(&j.image, &o->levels, (double)(map->shape[0] - 1)) ||
      (j.islit && !setscaling(&j.light, &o->lightlevels, 1)))
    return MASCON_EVALUE;
  j.from = mascon_dtype_of(a);
  if (j.islit) j.lightfrom = mascon_dtype_of(o->light);
  j.map = map->data;
  j.channel = (ptrdiff_t)out->stride[2];
  pixels = *out;
  pixels.ndim = 2;
  args[0] = &pixels;
  args[1] = a;
  args[2] = o->light;
  return run(&j, j.islit ? 3 : 2, args, info, ex);
}

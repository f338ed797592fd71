/*
** render.c - many gaussians into one image: the plain loop over the spots
**
** The contract of mascon_render says what each spot adds to which pixel; the
** sum of a pixel is taken in the order of the spots.  Anything faster must
** make the same bits.
*/

#include <float.h>
#include <math.h>

#include "spot.h"

#define RUN (INT64_C(1) << 22)  /* spots that are summed in f32 */
#define BLOCK 256               /* spots that are read at a time */
#define PIXELS (1 << 20)        /* that are surely drawn within 20 ms */

/* the columns, as doubles */
enum {X, Y, SX, SY, WEIGHT, NCOLUMNS};

/* a spot in pixels of the full image, whose corner is at 0 */
typedef struct spot {
  double c[2], s[2];  /* centre and sigma along y and x */
  double weight;
} spot;

/* pixels 'first' to 'last' - 1 along an axis; empty unless first < last */
typedef struct span {
  double first, last;
} span;

typedef struct job {
  const mck_gauss *kern;
  const mascon_spots *spots;
  const mascon_render_opts *o;
  double k;              /* sigmas kept */
  double centre;         /* of pixel 0: 0 or 0.5 */
  mc_brush brush;
  char *out;
  ptrdiff_t stride[2];
  span view[2];          /* the image: rows and columns of the full one */
  int64_t base;          /* spots of earlier runs */
  mascon_render_info info;
} job;


/* {------- reading spots ------- */

static const mascon_array *column (const mascon_spots *s, int i) {
  switch (i) {
    case X: return s->x;
    case Y: return s->y;
    case SX: return s->sx;
    case SY: return s->sy;
    default: return s->weight;
  }
}


/* spots first to first + n - 1, n <= BLOCK */
static void readspots (const mascon_spots *s, int64_t first, int64_t n,
                       double values[NCOLUMNS][BLOCK]) {
  for (int i = 0; i < NCOLUMNS; i++) {
    const mascon_array *a = column(s, i);
    if (a == NULL)
      for (int64_t k = 0; k < n; k++) values[i][k] = 1;
    else
      mck_get()->copy->convert[MASCON_F64][mascon_dtype_of(a)](values[i], 1,
        (const char *)a->data + first * a->stride[0] * (a->dtype.bits / 8),
        (ptrdiff_t)a->stride[0], (size_t)n);
  }
}


/* spot 'i' of those that were read; false: to be skipped */
static bool getspot (const mascon_render_opts *o, int64_t i,
                     double values[NCOLUMNS][BLOCK], spot *p) {
  for (int a = 0; a < 2; a++) {
    double sigma = values[a == 0 ? SY : SX][i];
    if (!(sigma >= 0)) return false;
    if (sigma < o->min_sigma) sigma = o->min_sigma;
    p->c[a] = (values[a == 0 ? Y : X][i] - (a == 0 ? o->y0 : o->x0)) /
              o->pixel;
    p->s[a] = sigma / o->pixel;
    if (!isfinite(p->c[a]) || !isfinite(p->s[a])) return false;
  }
  p->weight = values[WEIGHT][i];
  return isfinite(p->weight);
}

/* -------} */


/* {------- windows ------- */

/* the pixel that contains 'c'; pixel j spans 'centre' + j - 0.5 to + 0.5 */
static double pixelof (double c, double centre) {
  double j = floor(c + (0.5 - centre));
  return j + (centre - 0.5) > c ? j - 1 : j;  /* the sum was rounded up */
}


/* a centre on the edge of two pixels leaves half to each, however small 's' */
static span window (double c, double s, double k, double centre) {
  double low = c - k * s;
  span w;
  if (low == c && s >= DBL_MIN) low = nextafter(low, -(double)INFINITY);
  w.first = pixelof(low, centre);
  w.last = pixelof(c + k * s, centre) + 1;
  return w;
}


static span clip (span w, span view) {
  if (w.first < view.first) w.first = view.first;
  if (w.last > view.last) w.last = view.last;
  return w;
}


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


/* {------- the mass of a spot ------- */

/*
** Along one axis, the mass outside a window and the mass inside a part of it.
** A sigma of 0 has all of its mass at the centre.
*/
static void masses (const job *j, double c, double s, span w, span part,
                    double *outside, double *inside) {
  double d[4], t[4 + MCK_PAD], edge = j->centre - 0.5;
  if (s < DBL_MIN) {
    double at = pixelof(c, j->centre);
    *outside = 0;
    *inside = part.first <= at && at < part.last;
    return;
  }
  d[0] = (w.first + edge - c) / s;
  d[1] = (w.last + edge - c) / s;
  d[2] = (part.first + edge - c) / s;
  d[3] = (part.last + edge - c) / s;
  j->kern->tail(t, d, 4);
  *outside = t[0] + t[1];  /* the centre is in its window */
  *inside = part.first >= part.last ? 0
            : d[2] < 0 && d[3] >= 0 ? 1 - t[2] - t[3] : fabs(t[2] - t[3]);
}


static void account (job *j, const spot *p, const span w[2],
                     const span part[2]) {
  double out[2], in[2], mass = p->weight, lost;
  for (int a = 0; a < 2; a++) {
    masses(j, p->c[a], p->s[a], w[a], part[a], &out[a], &in[a]);
    if (j->o->norm == MASCON_PEAK && p->s[a] >= DBL_MIN)
      mass *= 2.50662827463100050242 * p->s[a];
  }
  lost = out[0] + out[1] - out[0] * out[1];
  j->info.lost += mass * lost;
  /* nothing is clipped of a window inside the image: no rounding errors then */
  if (part[0].first > w[0].first || part[0].last < w[0].last ||
      part[1].first > w[1].first || part[1].last < w[1].last)
    j->info.clipped += mass * (1 - lost - in[0] * in[1]);
}

/* -------} */


/* {------- drawing ------- */

/* a profile as the brush wants it; 'room' is used for narrowing */
static const void *profile (const job *j, const mck_axis *a, double first,
                            size_t n, double *values, float *room,
                            double *least) {
  *least = j->kern->profile(values, a, first + j->centre, n);
  if (j->brush.fsize == sizeof(double)) return values;
  *least = j->kern->narrow(room, values, n);
  return room;
}


/* the part of a spot that lies in the image */
static void paint (const job *j, const spot *p, const span part[2]) {
  double rows[MC_ROWS + MCK_PAD], columns[MC_COLS + MCK_PAD];
  float frows[MC_ROWS + MCK_PAD], fcolumns[MC_COLS + MCK_PAD];
  ptrdiff_t size = (ptrdiff_t)j->brush.size;
  mck_axis y, x;
  mc_axis(&y, p->c[0], p->s[0], j->o->sample, j->o->norm, p->weight);
  mc_axis(&x, p->c[1], p->s[1], j->o->sample, j->o->norm, 1);
  for (double c = part[1].first; c < part[1].last; c += MC_COLS) {
    size_t n = (size_t)fmin(MC_COLS, part[1].last - c);
    double least, unused;
    const void *px = profile(j, &x, c, n, columns, fcolumns, &least);
    for (double r = part[0].first; r < part[0].last; r += MC_ROWS) {
      size_t m = (size_t)fmin(MC_ROWS, part[0].last - r);
      const void *fy = profile(j, &y, r, m, rows, frows, &unused);
      mc_block(&j->brush, j->out +
               ((ptrdiff_t)(r - j->view[0].first) * j->stride[0] +
                (ptrdiff_t)(c - j->view[1].first) * j->stride[1]) * size,
               j->stride, fy, m, px, least, n, MCK_ADD);
    }
  }
}


static void drawspot (job *j, const spot *p) {
  span w[2], part[2];
  for (int a = 0; a < 2; a++) {
    w[a] = window(p->c[a], p->s[a], j->k, j->centre);
    part[a] = clip(w[a], j->view[a]);
  }
  if (part[0].first < part[0].last && part[1].first < part[1].last) {
    j->info.drawn++;
    paint(j, p, part);
  }
  else j->info.culled++;
  account(j, p, w, part);
}


static void somespots (void *ud, int64_t first, int64_t last, int thread) {
  job *j = ud;
  double values[NCOLUMNS][BLOCK];
  (void)thread;
  readspots(j->spots, j->base + first, last - first, values);
  for (int64_t i = 0; i < last - first; i++) {
    spot p;
    if (getspot(j->o, i, values, &p)) drawspot(j, &p);
    else j->info.skipped++;
  }
}


/* add the f32 image of a run to 'sum' (row-major), and clear it or, after the
   last run, set it to the rounded sum */
static void addrun (double *sum, mascon_array *out, bool last) {
  int64_t w = out->shape[1];
  for (int64_t r = 0; r < out->shape[0]; r++)
    for (int64_t c = 0; c < w; c++) {
      float *p = (float *)(void *)mc_at(out, r, c);
      sum[r * w + c] += (double)*p;
      *p = last ? (float)sum[r * w + c] : 0;
    }
}


/* how many of the widest spots are drawn in good time */
static int64_t blocksize (const job *j, int64_t n, const mascon_array *out) {
  double values[NCOLUMNS][BLOCK], s[2] = {0, 0}, pixels = 1;
  spot p;
  for (int64_t first = 0; first < n; first += BLOCK) {
    int64_t some = n - first < BLOCK ? n - first : BLOCK;
    readspots(j->spots, first, some, values);
    for (int64_t i = 0; i < some; i++)
      if (getspot(j->o, i, values, &p))
        for (int a = 0; a < 2; a++) s[a] = fmax(s[a], p.s[a]);
  }
  for (int a = 0; a < 2; a++)
    pixels *= fmin((double)out->shape[a], 2 * j->k * s[a] + 2);
  return pixels <= PIXELS / BLOCK ? BLOCK
         : pixels < PIXELS ? (int64_t)(PIXELS / pixels) : 1;
}


/* all spots in runs; 'sum' is NULL if one run is all */
static int drawall (job *j, int64_t n, double *sum, mascon_array *out,
                    mascon_exec *ex) {
  int64_t run = sum != NULL ? RUN : n, grain = blocksize(j, n, out);
  int status;
  do {
    int64_t some = n - j->base < run ? n - j->base : run;
    status = mc_parallel_part(ex, some, grain, 1, somespots, j, j->base, n);
    j->base += some;
    if (sum != NULL) addrun(sum, out, j->base >= n || status != MASCON_OK);
  } while (j->base < n && status == MASCON_OK);
  return status;
}

/* -------} */


/* {------- arguments ------- */

static int checkspots (const mascon_spots *s, const mascon_array *out) {
  for (int i = 0; i < NCOLUMNS; i++) {
    const mascon_array *a = column(s, i);
    int status;
    if (a == NULL && i != WEIGHT) return MASCON_EVALUE;
    if (a == NULL) continue;
    if ((status = mc_check(a)) != MASCON_OK) return status;
    if (a->ndim != 1 || a->shape[0] != s->x->shape[0]) return MASCON_ESHAPE;
    if (out != NULL && mc_overlap(out, a)) return MASCON_EALIAS;
  }
  return MASCON_OK;
}


static int checkopts (const mascon_render_opts *o) {
  bool ok = (o->sample == MASCON_POINT || o->sample == MASCON_INTEGRATED) &&
            (o->norm == MASCON_SUM || o->norm == MASCON_PEAK) &&
            (o->origin == MASCON_CENTRE || o->origin == MASCON_EDGE) &&
            o->pixel > 0 && isfinite(o->pixel) && isfinite(o->y0) &&
            isfinite(o->x0) && o->tol >= 0 && o->tol < 1 && o->cutoff >= 0 &&
            isfinite(o->cutoff) && o->min_sigma >= 0 &&
            isfinite(o->min_sigma);
  return ok ? MASCON_OK : MASCON_EVALUE;
}


static int checkout (const mascon_array *out) {
  int status = mc_checkout(out);
  if (status != MASCON_OK) return status;
  if (out->ndim != 2) return MASCON_ESHAPE;
  return mc_isfloat(mascon_dtype_of(out)) ? MASCON_OK : MASCON_ETYPE;
}

/* -------} */


static void prepare (job *j, const mascon_spots *spots,
                     const mascon_render_opts *o, const mascon_array *out) {
  static const mascon_render_info init = MASCON_RENDER_INFO_INIT;
  int64_t corner[2];
  corner[0] = o->row;
  corner[1] = o->col;
  j->kern = mck_get()->gauss;
  j->spots = spots;
  j->o = o;
  j->k = o->cutoff > 0 ? o->cutoff : sigmas(j->kern, o->tol);
  j->centre = o->origin == MASCON_EDGE ? 0.5 : 0;
  j->base = 0;
  j->info = init;
  j->brush.size = j->brush.fsize = out->dtype.bits / 8;
  j->brush.block = j->brush.size == sizeof(double) ? j->kern->f64
                                                   : j->kern->f32;
  j->out = out->data;
  for (int a = 0; a < 2; a++) {
    double unit = a == 0 ? o->y0 : o->x0;
    j->stride[a] = (ptrdiff_t)out->stride[a];
    j->view[a].first = (double)corner[a];
    j->view[a].last = (double)(corner[a] + out->shape[a]);
    j->info.extent[a] = unit + j->view[a].first * o->pixel;
    j->info.extent[a + 2] = unit + j->view[a].last * o->pixel;
  }
}


int mascon_render (const mascon_spots *spots, const mascon_render_opts *opts,
                   mascon_array *out, mascon_render_info *info,
                   mascon_exec *ex) {
  static const mascon_render_opts init = MASCON_RENDER_INIT;
  const mascon_render_opts *o = opts != NULL ? opts : &init;
  double *sum = NULL;
  job j;
  int64_t n;
  int status = checkout(out);
  if (status == MASCON_OK) status = checkspots(spots, out);
  if (status == MASCON_OK) status = checkopts(o);
  if (status != MASCON_OK) return status;
  prepare(&j, spots, o, out);
  n = spots->x->shape[0];
  if (n > RUN && j.brush.size == sizeof(float)) {
    sum = mc_zalloc((size_t)mascon_count(out), sizeof *sum);
    if (sum == NULL) return MASCON_ENOMEM;
  }
  if (!o->add) mascon_fill(0, out, NULL);
  status = drawall(&j, n, sum, out, ex);
  mc_free(sum);
  if (info != NULL) *info = j.info;
  return status;
}


int mascon_render_shape (const mascon_spots *spots,
                         const mascon_render_opts *opts, int64_t shape[2]) {
  static const mascon_render_opts init = MASCON_RENDER_INIT;
  const mascon_render_opts *o = opts != NULL ? opts : &init;
  double centre = o->origin == MASCON_EDGE ? 0.5 : 0, last[2] = {-1, -1};
  double values[NCOLUMNS][BLOCK];
  int status = checkspots(spots, NULL);
  if (status == MASCON_OK) status = checkopts(o);
  if (status != MASCON_OK) return status;
  for (int64_t first = 0; first < spots->x->shape[0]; first += BLOCK) {
    int64_t n = spots->x->shape[0] - first;
    spot p;
    if (n > BLOCK) n = BLOCK;
    readspots(spots, first, n, values);
    for (int64_t i = 0; i < n; i++)
      if (getspot(o, i, values, &p))
        for (int a = 0; a < 2; a++)
          last[a] = fmax(last[a], pixelof(p.c[a], centre));
  }
  if (last[0] >= 0x1p31 || last[1] >= 0x1p31) return MASCON_ETOOBIG;
  for (int a = 0; a < 2; a++) shape[a] = (int64_t)last[a] + 1;
  return MASCON_OK;
}

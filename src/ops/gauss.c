/*
** gauss.c - one gaussian over a matrix
**
** An outer product: the profile of some thousand columns is computed once, on
** the stack of the caller, that of some rows by whoever writes them.
*/

#include <math.h>

#include "spot.h"

#define GRAIN 65536    /* pixels of a block of rows */
#define STREAM (1 << 24)  /* bytes from which on caches only cost */

typedef struct job {
  const mck_gauss *kern;
  mc_brush brush;
  mck_axis axis[2];
  double first;            /* centre of pixel 0 */
  char *out;               /* of the columns at hand */
  ptrdiff_t stride[2];
  const double *columns;   /* their profile */
  double least;
  size_t n;
  int how;
} job;


static void somerows (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  double f[MC_ROWS + MCK_PAD];
  (void)thread;
  for (; first < last; first += MC_ROWS) {
    size_t m = (size_t)(last - first < MC_ROWS ? last - first : MC_ROWS);
    j->kern->profile(f, &j->axis[0], j->first + (double)first, m);
    mc_block(&j->brush,
             j->out + first * j->stride[0] * (ptrdiff_t)j->brush.size,
             j->stride, f, m, j->columns, j->least, j->n, j->how);
  }
}


static int check (double y0, double x0, double sy, double sx,
                  const mascon_gauss_opts *o, const mascon_array *out) {
  int status = mc_checkout(out);
  if (status != MASCON_OK) return status;
  if (out->ndim != 2) return MASCON_ESHAPE;
  if (!mc_isfloat(mascon_dtype_of(out))) return MASCON_ETYPE;
  if (isnan(y0) || isnan(x0) || !(sy >= 0) || !(sx >= 0) ||
      !isfinite(o->weight)) return MASCON_EVALUE;
  if (o->sample != MASCON_POINT && o->sample != MASCON_INTEGRATED)
    return MASCON_EVALUE;
  if (o->norm != MASCON_SUM && o->norm != MASCON_PEAK) return MASCON_EVALUE;
  if (o->origin != MASCON_CENTRE && o->origin != MASCON_EDGE)
    return MASCON_EVALUE;
  return MASCON_OK;
}


/* all rows, for one chunk of columns after another */
static int draw (job *j, int64_t h, int64_t w, mascon_exec *ex) {
  double columns[MC_COLS + MCK_PAD];
  int64_t chunks = (w + MC_COLS - 1) / MC_COLS;
  int threads = mc_threads(ex, (double)h * (double)w);
  int64_t chunk = w < MC_COLS ? w : MC_COLS;
  int64_t grain = chunk < GRAIN ? GRAIN / (chunk > 0 ? chunk : 1) : 1;
  int status = MASCON_OK;
  char *out = j->out;
  j->columns = columns;
  for (int64_t c = 0; c < chunks && status == MASCON_OK; c++) {
    int64_t first = c * MC_COLS;
    j->n = (size_t)(w - first < MC_COLS ? w - first : MC_COLS);
    j->out = out + first * j->stride[1] * (ptrdiff_t)j->brush.size;
    j->least = j->kern->profile(columns, &j->axis[1],
                                j->first + (double)first, j->n);
    status = mc_parallel_part(ex, h, grain, threads, somerows, j, c * h,
                              chunks * h);
  }
  if (ex != NULL) {  /* a row is final with its last chunk */
    int64_t before = (chunks - 1) * h;
    ex->done = ex->done > before ? ex->done - before : 0;
    ex->total = h;
  }
  return status;
}


int mascon_gauss (double y0, double x0, double sy, double sx,
                  const mascon_gauss_opts *opts, mascon_array *out,
                  mascon_exec *ex) {
  static const mascon_gauss_opts init = MASCON_GAUSS_INIT;
  const mascon_gauss_opts *o = opts != NULL ? opts : &init;
  int status = check(y0, x0, sy, sx, o, out);
  job j;
  int a = 0;  /* the axis that is down */
  if (status != MASCON_OK) return status;
  /* columns are those that lie side by side; bits do not depend on it */
  if (out->stride[0] == 1 && (out->stride[1] != 1 || out->shape[1] == 1))
    a = 1;
  j.kern = mck_get()->gauss;
  j.brush.block = mascon_dtype_of(out) == MASCON_F64 ? j.kern->f64
                                                     : j.kern->f32d;
  j.brush.size = out->dtype.bits / 8;
  j.brush.fsize = sizeof(double);
  mc_axis(&j.axis[a], y0, sy, o->sample, o->norm, o->weight);
  mc_axis(&j.axis[1 - a], x0, sx, o->sample, o->norm, 1);
  j.first = o->origin == MASCON_EDGE ? 0.5 : 0;
  j.out = out->data;
  j.stride[0] = (ptrdiff_t)out->stride[a];
  j.stride[1] = (ptrdiff_t)out->stride[1 - a];
  j.how = o->add ? MCK_ADD
          : mascon_count(out) * (int64_t)j.brush.size >= STREAM ? MCK_STREAM
                                                          : MCK_SET;
  return draw(&j, out->shape[a], out->shape[1 - a], ex);
}

/*
** gauss.c - one gaussian over a matrix
**
** An outer product: the profile of some thousand columns is computed once, on
** the stack of the caller, that of some rows by whoever writes them.  One that
** is turned has another profile in each row, as tturn.h says.
*/

#include <math.h>
#include <string.h>

#include "core.h"
#include "kern.h"

/* profiles are kept on the stack: this many columns and rows at a time */
#define COLS 2048
#define ROWS 64

#define PIECE 256      /* elements of a strided row that are moved at a time */
#define GRAIN 65536    /* pixels of a block of rows */
#define EXPS 8         /* an exponential takes as long as so many pixels */
#define STREAM (1 << 24)  /* bytes from which on caches only cost */

/* how blocks of an image are made */
typedef struct brush {
  mck_blockfn *block;
  size_t size;   /* bytes of an element of the image */
  size_t fsize;  /* bytes of an element of a profile */
} brush;

typedef struct job {
  const mck_gauss *kern;
  brush brush;
  mck_axis axis[2];
  double first;            /* centre of pixel 0 */
  char *out;               /* of the columns at hand */
  ptrdiff_t stride[2];
  const double *columns;   /* their profile */
  double least;
  size_t n;
  int how;
  mck_turned turned;       /* of one with an angle */
} job;


/* {------- blocks ------- */

/* move n elements of 'size' bytes between a row and one with a stride */
static void gather (char *row, const char *out, ptrdiff_t stride, size_t size,
                    size_t n) {
  for (size_t j = 0; j < n; j++, out += stride)
    memcpy(row + j * size, out, size);
}


static void scatter (char *out, ptrdiff_t stride, const char *row, size_t size,
                     size_t n) {
  for (size_t j = 0; j < n; j++, out += stride)
    memcpy(out, row + j * size, size);
}


/*
** One block of an image through any strides (in elements): the m x n products
** of the profiles f and p, at 'out'.  'how' as MCK_SET.
*/
static void drawblock (const brush *b, char *out, const ptrdiff_t stride[2],
                       const void *f, size_t m, const void *p, double least,
                       size_t n, int how) {
  _Alignas(64) char row[PIECE * sizeof(double)];
  ptrdiff_t down = stride[0] * (ptrdiff_t)b->size;
  ptrdiff_t right = stride[1] * (ptrdiff_t)b->size;
  if (stride[1] == 1) {
    b->block(out, stride[0], f, m, p, least, n, how);
    return;
  }
  if (how == MCK_STREAM) how = MCK_SET;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j += PIECE) {
      size_t some = n - j < PIECE ? n - j : PIECE;
      char *at = out + (ptrdiff_t)i * down + (ptrdiff_t)j * right;
      if (how == MCK_ADD) gather(row, at, right, b->size, some);
      b->block(row, 0, (const char *)f + i * b->fsize, 1,
               (const char *)p + j * b->fsize, least, some, how);
      scatter(at, right, row, b->size, some);
    }
}

/* -------} */


static void somerows (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  double f[ROWS + MCK_PAD];
  (void)thread;
  for (; first < last; first += ROWS) {
    size_t m = (size_t)(last - first < ROWS ? last - first : ROWS);
    j->kern->profile(f, &j->axis[0], j->first + (double)first, m);
    drawblock(&j->brush,
              j->out + first * j->stride[0] * (ptrdiff_t)j->brush.size,
              j->stride, f, m, j->columns, j->least, j->n, j->how);
  }
}


/* rows of one with an angle */
static void turnedrows (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  mck_axis x = j->axis[1];
  double f[1 + MCK_PAD], p[COLS + MCK_PAD];
  (void)thread;
  for (; first < last; first++) {
    double y = j->first + (double)first;
    char *out = j->out + first * j->stride[0] * (ptrdiff_t)j->brush.size;
    j->kern->profile(f, &j->axis[0], y, 1);
    x.centre = j->axis[1].centre + (y - j->axis[0].centre) * j->turned.slope;
    for (int64_t c = 0; c < (int64_t)j->n; c += COLS) {
      size_t n = (size_t)((int64_t)j->n - c < COLS ? (int64_t)j->n - c : COLS);
      double least = j->kern->profile(p, &x, j->first + (double)c, n);
      drawblock(&j->brush, out + c * j->stride[1] * (ptrdiff_t)j->brush.size,
                j->stride, f, 1, p, least, n, j->how);
    }
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
  if (!(fabs(o->angle) <= MCK_TURNS) ||
      (o->angle != 0 && o->sample != MASCON_POINT)) return MASCON_EVALUE;
  return MASCON_OK;
}


/* all rows, for one chunk of columns after another */
static int draw (job *j, int64_t h, int64_t w, mascon_exec *ex) {
  double columns[COLS + MCK_PAD];
  int64_t chunks = (w + COLS - 1) / COLS;
  int threads = mc_threads(ex, (double)h * (double)w);
  int64_t chunk = w < COLS ? w : COLS;
  int64_t grain = chunk < GRAIN ? GRAIN / (chunk > 0 ? chunk : 1) : 1;
  int status = MASCON_OK;
  char *out = j->out;
  j->columns = columns;
  for (int64_t c = 0; c < chunks && status == MASCON_OK; c++) {
    int64_t first = c * COLS;
    j->n = (size_t)(w - first < COLS ? w - first : COLS);
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


static int drawturned (job *j, int64_t h, int64_t w, mascon_exec *ex) {
  int64_t grain = w < GRAIN / EXPS ? GRAIN / EXPS / (w > 0 ? w : 1) : 1;
  j->n = (size_t)w;
  return mc_parallel(ex, h, grain, mc_threads(ex, EXPS * (double)h * (double)w),
                     turnedrows, j);
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
  j.kern = mck_get()->gauss;
  if (o->angle != 0) {
    j.kern->turn(&j.turned, o->angle, sy, sx);
    sy = j.turned.s[0];
    sx = j.turned.narrow;
  }
  /* columns are those that lie side by side; bits do not depend on it */
  else if (out->stride[0] == 1 && (out->stride[1] != 1 || out->shape[1] == 1))
    a = 1;
  j.brush.block = mascon_dtype_of(out) == MASCON_F64 ? j.kern->f64
                                                     : j.kern->f32d;
  j.brush.size = out->dtype.bits / 8;
  j.brush.fsize = sizeof(double);
  mck_setaxis(&j.axis[a], y0, sy, o->sample == MASCON_INTEGRATED,
              o->norm == MASCON_PEAK, o->weight);
  mck_setaxis(&j.axis[1 - a], x0, sx, o->sample == MASCON_INTEGRATED,
              o->norm == MASCON_PEAK, 1);
  j.first = o->origin == MASCON_EDGE ? 0.5 : 0;
  j.out = out->data;
  j.stride[0] = (ptrdiff_t)out->stride[a];
  j.stride[1] = (ptrdiff_t)out->stride[1 - a];
  j.how = o->add ? MCK_ADD
          : mascon_count(out) * (int64_t)j.brush.size >= STREAM ? MCK_STREAM
                                                          : MCK_SET;
  if (o->angle != 0) return drawturned(&j, out->shape[0], out->shape[1], ex);
  return draw(&j, out->shape[a], out->shape[1 - a], ex);
}

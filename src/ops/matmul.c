/*
** matmul.c - the matrix product
**
** The right matrix is packed into panels first, as many columns at a time as
** PACKED bytes hold; then workers take blocks of rows, pack the left matrix a
** part of the sum at a time and let the kernel run over both.  Packing the
** whole height of the right matrix costs memory where others loop over parts
** of the sum outermost, but makes one parallel region of the work, in which
** rows are finished in order.
*/

#include <string.h>

#include "core.h"
#include "kern.h"

#define PACKED (16 << 20)  /* bytes of the right matrix to pack at a time */
#define ROWS 192           /* rows of a block: its part stays in L2 */
#define LINE (1 << 18)     /* elements of a block of matrix times vector */

/* a matrix as the kernels see it; strides in elements */
typedef struct matrix {
  char *data;
  int64_t rows, cols, rs, cs;
} matrix;

typedef struct job {
  const mck_gemm *kern;
  matrix a, b, c;
  int64_t from, n;  /* columns of b and c at work */
  int64_t k;
  size_t padded;    /* n, up to whole panels */
  char *right;      /* they, packed: part after part of the sum */
  char *left;       /* a block of a for each worker */
  int64_t grain;    /* rows of a block */
} job;


static int64_t least (int64_t x, int64_t y) {
  return x < y ? x : y;
}


/* a vector is a matrix of one row, or of one column if 'upright' */
static matrix asmatrix (const mascon_array *a, bool upright) {
  matrix m = {a->data, 1, 1, 0, 0};
  if (a->ndim == 2) {
    m.rows = a->shape[0];
    m.rs = a->stride[0];
    m.cols = a->shape[1];
    m.cs = a->stride[1];
  }
  else if (upright) {
    m.rows = a->shape[0];
    m.rs = a->stride[0];
  }
  else {
    m.cols = a->shape[0];
    m.cs = a->stride[0];
  }
  return m;
}


static matrix transposed (matrix m) {
  matrix t = {m.data, m.cols, m.rows, m.cs, m.rs};
  return t;
}


static char *at (const job *j, const matrix *m, int64_t row, int64_t col) {
  return m->data + (row * m->rs + col * m->cs) * (int64_t)j->kern->size;
}


/* {------- matrix times matrix ------- */

/* where part 'p' of the sum begins in the packed columns */
static char *part (const job *j, int64_t p) {
  return j->right + (size_t)p * j->padded * j->kern->size;
}


/* pack panels first to last - 1, all parts of the sum */
static void packpanels (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  const mck_gemm *g = j->kern;
  int64_t nr = (int64_t)g->nr, col = first * nr;
  int64_t n = least(last * nr, j->n) - col;
  (void)thread;
  for (int64_t p = 0; p < j->k; p += (int64_t)g->kc) {
    int64_t kc = least((int64_t)g->kc, j->k - p);
    g->pack(part(j, p) + (size_t)(col * kc) * g->size,
            at(j, &j->b, p, j->from + col), j->b.cs, j->b.rs, (size_t)n,
            (size_t)kc, g->nr);
  }
}


static void somerows (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  const mck_gemm *g = j->kern;
  size_t m = (size_t)(last - first);
  char *left = j->left +
               (size_t)thread * (size_t)j->grain * g->kc * g->size;
  for (int64_t p = 0; p < j->k; p += (int64_t)g->kc) {
    size_t kc = (size_t)least((int64_t)g->kc, j->k - p);
    g->pack(left, at(j, &j->a, first, p), j->a.rs, j->a.cs, m, kc, g->mr);
    g->block(at(j, &j->c, first, j->from), j->c.rs, j->c.cs, left,
             part(j, p), m, (size_t)j->n, kc, p > 0);
  }
}


/* round 'n' up to whole panels of 'r' lines */
static int64_t whole (int64_t n, size_t r) {
  return (n + (int64_t)r - 1) / (int64_t)r * (int64_t)r;
}


/* columns to pack at a time: whole panels, few enough to bound the memory */
static int64_t width (const job *j) {
  int64_t fit = PACKED / (int64_t)j->kern->size / j->k;
  int64_t n = whole(j->c.cols, j->kern->nr);
  if (fit >= n) return n;
  return fit < (int64_t)j->kern->nr ? (int64_t)j->kern->nr
                                    : fit - fit % (int64_t)j->kern->nr;
}


/*
** Blocks of rows as large as fits, as many for each worker: of the next few
** numbers of rounds the one that leaves the last block least empty, as a worker
** idle for half a block of 12 costs 4 percent.
*/
static int64_t height (const job *j, int threads) {
  int64_t fewest = INT64_MAX, best = 0, mr = (int64_t)j->kern->mr;
  int64_t rounds = (j->c.rows - 1) / (ROWS * (int64_t)threads) + 1;
  for (int64_t r = rounds; r <= rounds + 8; r++) {
    int64_t rows = whole((j->c.rows - 1) / (r * threads) + 1, j->kern->mr);
    int64_t all = rows * r * threads;
    if (all < fewest) {
      fewest = all;
      best = rows;
    }
    if (rows <= mr) break;
  }
  return best;
}


/* all passes as one call, whose progress counts each row once */
typedef struct whole_call {
  mascon_exec *ex;
  int64_t passes;
} whole_call;


static int report (void *ud, int64_t done, int64_t total) {
  const whole_call *w = ud;
  return w->ex->progress(w->ex->ud, done / w->passes, total / w->passes);
}


static int cancelled (void *ud) {
  const whole_call *w = ud;
  return w->ex->cancel(w->ex->ud);
}


static int packed (job *j, int64_t columns, int threads, mascon_exec *ex) {
  int64_t passes = (j->c.cols - 1) / columns + 1, rows = j->c.rows;
  whole_call w = {ex, passes};
  mascon_exec init = MASCON_EXEC_INIT, each = ex != NULL ? *ex : init;
  int status = MASCON_OK;
  each.ud = &w;
  if (each.progress != NULL) each.progress = report;
  if (each.cancel != NULL) each.cancel = cancelled;
  for (int64_t pass = 0; status == MASCON_OK && pass < passes; pass++) {
    mascon_exec quiet = mc_quiet(ex);
    j->from = pass * columns;
    j->n = least(columns, j->c.cols - j->from);
    j->padded = (size_t)whole(j->n, j->kern->nr);
    status = mc_parallel(&quiet, (int64_t)(j->padded / j->kern->nr), 1,
                         threads, packpanels, j);
    if (status == MASCON_OK)
      status = mc_parallel_part(&each, rows, j->grain, threads, somerows, j,
                                pass * rows, passes * rows);
    if (ex == NULL) continue;
    /* rows are final in the last pass only */
    ex->done = pass == passes - 1 && quiet.done == (int64_t)(j->padded /
               j->kern->nr) ? each.done - pass * rows : 0;
    ex->total = rows;
    ex->due = each.due;
  }
  return status;
}


static int product (job *j, mascon_exec *ex) {
  const mck_gemm *g = j->kern;
  int threads = mc_threads(ex, (double)j->c.rows * (double)j->c.cols *
                               (double)j->k / 8);
  int64_t columns;
  int status = MASCON_ENOMEM;
  if (j->c.cs != 1 && (j->c.rs == 1 || j->c.rows < threads * ROWS)) {
    matrix a = j->a;  /* (a b)' = b' a': the same sums, stored in rows */
    j->a = transposed(j->b);
    j->b = transposed(a);
    j->c = transposed(j->c);
  }
  columns = width(j);
  j->grain = height(j, threads);
  j->right = mc_alloc((size_t)columns * g->size, (size_t)j->k);
  j->left = mc_alloc((size_t)j->grain * (size_t)threads,
                     g->kc * g->size);
  if (j->right != NULL && j->left != NULL)
    status = packed(j, columns, threads, ex);
  mc_free(j->left);
  mc_free(j->right);
  return status;
}

/* -------} */


/* {------- matrix times vector ------- */

static void somedots (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  const mck_gemm *g = j->kern;
  size_t m = (size_t)(last - first), k = (size_t)j->k;
  char *y = at(j, &j->c, first, 0), *a = at(j, &j->a, first, 0);
  if (j->a.cs == 1) g->rows(y, j->c.rs, a, j->a.rs, j->right, m, k);
  else if (j->a.rs == 1) g->cols(y, j->c.rs, a, j->a.cs, j->right, m, k);
  else {
    char *line = j->left + (size_t)thread * k * g->size;
    for (int64_t i = first; i < last; i++) {
      g->pack(line, at(j, &j->a, i, 0), 0, j->a.cs, 1, k, 1);
      g->rows(at(j, &j->c, i, 0), 0, line, 0, j->right, 1, k);
    }
  }
}


/* c and b are columns */
static int dots (job *j, mascon_exec *ex) {
  const mck_gemm *g = j->kern;
  int threads = mc_threads(ex, (double)j->c.rows * (double)j->k / 2);
  int64_t grain = whole(LINE / j->k + 1, 64);
  int status = MASCON_ENOMEM;
  j->right = mc_alloc((size_t)j->k, g->size);
  j->left = mc_alloc((size_t)j->k * g->size, (size_t)threads);
  if (j->right != NULL && j->left != NULL) {
    g->pack(j->right, j->b.data, 0, j->b.rs, 1, (size_t)j->k, 1);
    status = mc_parallel(ex, j->c.rows, grain, threads, somedots, j);
  }
  mc_free(j->left);
  mc_free(j->right);
  return status;
}

/* -------} */


static int check (const mascon_array *a, const mascon_array *b,
                  const mascon_array *out) {
  mascon_dtype t;
  int status;
  if ((status = mc_check(a)) != MASCON_OK ||
      (status = mc_check(b)) != MASCON_OK ||
      (status = mc_checkout(out)) != MASCON_OK) return status;
  t = mascon_dtype_of(a);
  if (!mc_isfloat(t) || mascon_dtype_of(b) != t || mascon_dtype_of(out) != t)
    return MASCON_ETYPE;
  if (a->ndim > 2 || b->ndim > 2 || a->ndim + b->ndim - 2 != out->ndim)
    return MASCON_ESHAPE;
  return mc_overlap(out, a) || mc_overlap(out, b) ? MASCON_EALIAS : MASCON_OK;
}


static void clear (const job *j) {
  for (int64_t i = 0; i < j->c.rows; i++)
    for (int64_t k = 0; k < j->c.cols; k++)
      memset(at(j, &j->c, i, k), 0, j->kern->size);
}


int mascon_matmul (const mascon_array *a, const mascon_array *b,
                   mascon_array *out, mascon_exec *ex) {
  job j = {0};
  int status = check(a, b, out);
  if (status != MASCON_OK) return status;
  j.kern = mascon_dtype_of(a) == MASCON_F64 ? &mck_get()->matmul->f64
                                            : &mck_get()->matmul->f32;
  j.a = asmatrix(a, false);
  j.b = asmatrix(b, true);
  j.c = asmatrix(out, b->ndim == 1);
  j.k = j.a.cols;
  if (j.b.rows != j.k || j.c.rows != j.a.rows || j.c.cols != j.b.cols)
    return MASCON_ESHAPE;
  if (j.c.rows == 0 || j.c.cols == 0 || j.k == 0) {
    clear(&j);
    return mc_parallel(ex, 0, 1, 1, NULL, NULL);
  }
  if (j.c.cols == 1) return dots(&j, ex);
  if (j.c.rows == 1) {
    matrix row = j.a;
    j.a = transposed(j.b);
    j.b = transposed(row);
    j.c = transposed(j.c);
    return dots(&j, ex);
  }
  return product(&j, ex);
}

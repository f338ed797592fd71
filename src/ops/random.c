/*
** random.c - counter-based random numbers
*/

#include "core.h"
#include "kern.h"
#include "lines.h"

#define GRAIN (1 << 15)  /* elements of a block */
#define PART 256         /* elements made at a time for what has gaps */

typedef struct job {
  const mck_random *kern;
  mck_fill fill;   /* NULL: integers */
  uint64_t seed, pos;
  int64_t lo;
  uint64_t span;
  mc_lines lines;  /* of the output */
  mascon_dtype t;
  bool straight;   /* made in place */
} job;


/* elements first to first + n - 1 of the draw */
static void draw (const job *j, void *to, int64_t first, size_t n) {
  uint64_t pos = j->pos + (uint64_t)first;
  if (j->fill != NULL) j->fill(to, n, j->seed, pos);
  else j->kern->integers(to, n, j->seed, pos, j->lo, j->span);
}


static void someelements (void *ud, int64_t first, int64_t last, int thread) {
  const job *j = ud;
  const mc_lines *l = &j->lines;
  mascon_dtype made = j->fill != NULL ? j->t : MASCON_I64;
  uint64_t part[PART];
  (void)thread;
  if (j->straight) {
    draw(j, l->data + first * l->size, first, (size_t)(last - first));
    return;
  }
  while (first < last) {
    int64_t col = first % l->n, m = l->n - col < PART ? l->n - col : PART;
    if (m > last - first) m = last - first;
    draw(j, part, first, (size_t)m);
    mck_get()->copy->convert[j->t][made](
      mc_line(l, first / l->n) + col * l->step * l->size, l->step, part, 1,
      (size_t)m);
    first += m;
  }
}


static int run (job *j, uint64_t seed, uint64_t position,
                const mascon_array *out, mascon_exec *ex) {
  int64_t n = mascon_count(out);
  j->seed = seed;
  j->pos = position;
  j->lines = mc_linesof(out, out->ndim - 1);
  j->straight = mc_contiguous(out) &&
                (j->fill != NULL || j->t == MASCON_I64);
  return mc_parallel(ex, n, GRAIN, mc_threads(ex, 4 * (double)n),
                     someelements, j);
}


/* floats by one of two kernels */
static int floats (uint64_t seed, uint64_t position, mascon_array *out,
                   mascon_exec *ex, mck_fill f64, mck_fill f32) {
  job j = {.kern = mck_get()->random};
  int status = mc_checkout(out);
  if (status != MASCON_OK) return status;
  j.t = mascon_dtype_of(out);
  if (!mc_isfloat(j.t)) return MASCON_ETYPE;
  j.fill = j.t == MASCON_F64 ? f64 : f32;
  return run(&j, seed, position, out, ex);
}


int mascon_random_uniform (uint64_t seed, uint64_t position,
                           mascon_array *out, mascon_exec *ex) {
  const mck_random *k = mck_get()->random;
  return floats(seed, position, out, ex, k->uniform_f64, k->uniform_f32);
}


int mascon_random_normal (uint64_t seed, uint64_t position,
                          mascon_array *out, mascon_exec *ex) {
  const mck_random *k = mck_get()->random;
  return floats(seed, position, out, ex, k->normal_f64, k->normal_f32);
}


int mascon_random_integers (uint64_t seed, uint64_t position, int64_t lo,
                            int64_t hi, mascon_array *out, mascon_exec *ex) {
  job j = {.kern = mck_get()->random};
  int status = mc_checkout(out);
  if (status != MASCON_OK) return status;
  j.t = mascon_dtype_of(out);
  if (mc_isfloat(j.t)) return MASCON_ETYPE;
  if (lo > hi) return MASCON_ERANGE;
  if (!mascon_dtype_fits_int(j.t, lo) || !mascon_dtype_fits_int(j.t, hi))
    return MASCON_EINEXACT;
  j.lo = lo;
  j.span = (uint64_t)hi - (uint64_t)lo + 1;
  return run(&j, seed, position, out, ex);
}


int mascon_random_permutation (uint64_t seed, uint64_t position, int base,
                               mascon_array *out, mascon_exec *ex) {
  mascon_exec quiet = mc_quiet(ex);
  mascon_array words;
  int status = mc_checkout(out);
  if (status != MASCON_OK) return status;
  if (out->ndim != 1) return MASCON_ESHAPE;
  status = mascon_new(&words, MASCON_I64, 1, out->shape);
  if (status != MASCON_OK) return status;
  if (ex != NULL) quiet.threads = ex->threads;
  status = mascon_random_integers(seed, position, INT64_MIN, INT64_MAX,
                                  &words, &quiet);
  if (status == MASCON_OK)
    status = mascon_argsort(&words, 0, base, out, ex);
  mascon_release(&words);
  return status;
}


void mascon_philox (uint64_t key, const uint32_t counter[4],
                    uint32_t out[4]) {
  mck_get()->random->block(out, counter, key);
}

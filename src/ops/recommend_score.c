/*
** recommend_score.c - what the score of a user and an item is
**
** Every score that is listed was computed here, so this file alone says what
** its bits are.
*/

#include <math.h>

#include "recommend.h"


void mc_getrow (const mascon_array *a, int64_t i, double *x) {
  int64_t n = a->shape[1], step = a->stride[1];
  const float *f = (const float *)a->data + i * a->stride[0];
  const double *d = (const double *)a->data + i * a->stride[0];
  if (a->dtype.bits == 64) for (int64_t k = 0; k < n; k++) x[k] = d[k * step];
  else if (step == 1) mck_get()->recommend->widen(f, (size_t)n, x);
  else for (int64_t k = 0; k < n; k++) x[k] = f[k * step];
}


double mc_norm (const double *x, int64_t n) {
  double s = 0;
  for (int64_t k = 0; k < n; k++) s += x[k] * x[k];
  return sqrt(s);
}


double mc_getelement (const mascon_array *a, int64_t i) {
  return a->dtype.bits == 32 ? ((const float *)a->data)[i * a->stride[0]]
                             : ((const double *)a->data)[i * a->stride[0]];
}


double *mc_norms (const mascon_array *items) {
  int64_t n = items->shape[0], rank = items->shape[1];
  double *y = mc_alloc((size_t)rank + 1, sizeof *y);
  double *norms = mc_alloc((size_t)n, sizeof *norms);
  if (y == NULL || norms == NULL) {
    mc_free(norms);
    norms = NULL;
  }
  for (int64_t i = 0; norms != NULL && i < n; i++) {
    mc_getrow(items, i, y);
    norms[i] = mc_norm(y, rank);
  }
  mc_free(y);
  return norms;
}


void mc_getuser (const mc_factors *f, int64_t at, mc_user *u) {
  mc_getrow(f->users, at, u->x);
  u->norm = f->inorm != NULL ? mc_norm(u->x, f->rank) : 1;
}


void mc_scores (const mc_factors *f, const mc_user *u, const int32_t *ids,
                int64_t n, double *out) {
  const mascon_array *y = f->items;
  if (y->dtype.bits == 32)
    f->kern->dots_f32(u->x, (size_t)f->rank, y->data, (ptrdiff_t)y->stride[0],
                      (ptrdiff_t)y->stride[1], ids, (size_t)n, out);
  else
    f->kern->dots_f64(u->x, (size_t)f->rank, y->data, (ptrdiff_t)y->stride[0],
                      (ptrdiff_t)y->stride[1], ids, (size_t)n, out);
  for (int64_t i = 0; f->inorm != NULL && i < n; i++) {
    double norms = u->norm * f->inorm[ids[i]];
    out[i] = norms == 0 ? 0 : out[i] / norms;
  }
  for (int64_t i = 0; f->bias != NULL && i < n; i++)
    out[i] += mc_getelement(f->bias, ids[i]);
  for (int64_t i = 0; f->single && i < n; i++) out[i] = (float)out[i];
}

/*
** line.c - lines of an array along one axis, or all of it as one line
*/

#include <string.h>

#include "line.h"


/* append an axis to a line; one that runs on from the last is merged */
static void addinner (mc_lines *l, int64_t n, int64_t step) {
  int k = l->ninner - 1;
  l->n *= n;
  if (n == 1) return;
  if (k >= 0 && l->istep[k] == n * step) {
    l->inner[k] *= n;
    l->istep[k] = step;
    return;
  }
  l->inner[l->ninner] = n;
  l->istep[l->ninner++] = step;
}


static int64_t magnitude (int64_t x) {
  return x < 0 ? -x : x;
}


/* append an axis of lines, before those that step less */
static void addouter (mc_lines *l, int64_t n, int64_t step, int64_t outstep) {
  int k = l->nouter++;
  l->count *= n;
  for (; k > 0 && magnitude(l->step[k - 1]) < magnitude(step); k--) {
    l->outer[k] = l->outer[k - 1];
    l->step[k] = l->step[k - 1];
    l->outstep[k] = l->outstep[k - 1];
  }
  l->outer[k] = n;
  l->step[k] = step;
  l->outstep[k] = outstep;
}


void mc_lines_init (mc_lines *l, const mascon_array *a, int axis,
                    const mascon_array *out, const int64_t *ostride) {
  int64_t size = a->dtype.bits / 8;
  memset(l, 0, sizeof *l);
  l->in = mc_dtype(a->dtype);
  l->n = l->count = 1;
  l->data = a->data;
  l->outdata = out->data;
  l->outsize = out->dtype.bits / 8;
  for (int i = 0; i < a->ndim; i++) {
    if (axis == MASCON_ALL_AXES || i == axis)
      addinner(l, a->shape[i], a->stride[i] * size);
    else addouter(l, a->shape[i], a->stride[i] * size,
                  ostride[i] * l->outsize);
  }
  if (l->ninner == 0) {
    l->inner[0] = 1;
    l->istep[0] = size;
    l->ninner = 1;
  }
  if (l->nouter == 0) l->outer[l->nouter++] = 1;
}


void mc_line_at (const mc_lines *l, int64_t i, char **in, char **out) {
  *in = l->data;
  *out = l->outdata;
  for (int k = l->nouter; k-- > 0; i /= l->outer[k]) {
    *in += i % l->outer[k] * l->step[k];
    *out += i % l->outer[k] * l->outstep[k];
  }
}


bool mc_line_direct (const mc_lines *l, mascon_dtype t) {
  return l->in == t && l->ninner == 1 &&
         l->istep[0] == (int64_t)mascon_dtype_size(t);
}


const void *mc_line_fetch (const mc_lines *l, const char *in, int64_t first,
                           size_t m, mascon_dtype t, void *space) {
  const mck_copy *copy = mck_get()->copy;
  int64_t size = (int64_t)mascon_dtype_size(l->in);
  int last = l->ninner - 1;
  size_t done = 0;
  if (mc_line_direct(l, t)) return in + first * size;
  while (done < m) {  /* a run along the last axis of the line */
    int64_t i = (first + (int64_t)done) / l->inner[last];
    int64_t at = (first + (int64_t)done) % l->inner[last];
    size_t run = (size_t)(l->inner[last] - at);
    const char *p = in + at * l->istep[last];
    for (int k = last; k-- > 0; i /= l->inner[k])
      p += i % l->inner[k] * l->istep[k];
    if (run > m - done) run = m - done;
    copy->convert[t][l->in]((char *)space + done * mascon_dtype_size(t), 1, p,
                            (ptrdiff_t)(l->istep[last] / size), run);
    done += run;
  }
  return space;
}

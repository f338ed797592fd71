/*
** lines.h - an array as lines along one of its axes, in row-major order of
** the others
*/

#ifndef LINES_H
#define LINES_H

#include "core.h"

typedef struct mc_lines {
  char *data;
  int64_t size;   /* bytes of an element */
  int64_t n;      /* elements of a line */
  int64_t step;   /* elements from one to the next */
  int64_t count;  /* lines */
  int ndim;       /* the other axes */
  int64_t shape[MASCON_MAXDIM], stride[MASCON_MAXDIM];
} mc_lines;


static inline mc_lines mc_linesof (const mascon_array *a, int axis) {
  mc_lines l = {.data = a->data, .size = a->dtype.bits / 8,
                .n = a->shape[axis], .step = a->stride[axis], .count = 1};
  for (int i = 0; i < a->ndim; i++) {
    if (i == axis) continue;
    l.shape[l.ndim] = a->shape[i];
    l.stride[l.ndim++] = a->stride[i];
    l.count *= a->shape[i];
  }
  return l;
}


/* the first element of line 'i' */
static inline char *mc_line (const mc_lines *l, int64_t i) {
  int64_t offset = 0;
  for (int k = l->ndim; k-- > 0; i /= l->shape[k])
    offset += i % l->shape[k] * l->stride[k];
  return l->data + offset * l->size;
}

#endif

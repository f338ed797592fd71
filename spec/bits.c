/*
** bits.c - a number for every domain, to compare the bits of two machines
*/

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mascon.h"

#define CHECK(call) \
  do { \
    int status_ = (call); \
    if (status_ != MASCON_OK) { \
      printf("line %d: %s\n", __LINE__, mascon_strerror(status_)); \
      exit(1); \
    } \
  } while (0)


/* of the elements, which are side by side; every NaN is the same */
static void show (const char *what, const mascon_array *a) {
  uint64_t h = 14695981039346656037u;
  const unsigned char *p = a->data;
  size_t n = (size_t)mascon_count(a) * (a->dtype.bits / 8);
  for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 1099511628211u;
  printf("%s %016llx\n", what, (unsigned long long)h);
}


static mascon_array new (mascon_dtype t, int64_t rows, int64_t cols) {
  int64_t shape[2] = {rows, cols};
  mascon_array a;
  CHECK(mascon_zeros(&a, t, 2, shape));
  return a;
}


static mascon_array normal (uint64_t seed, mascon_dtype t, int64_t rows,
                            int64_t cols) {
  mascon_array a = new(t, rows, cols);
  CHECK(mascon_random_normal(seed, 0, &a, NULL));
  return a;
}


static void draw (void) {
  for (int sample = MASCON_POINT; sample <= MASCON_INTEGRATED; sample++) {
    mascon_gauss_opts o = MASCON_GAUSS_INIT;
    mascon_array a = new(MASCON_F64, 61, 97), b = new(MASCON_F32, 61, 97);
    o.sample = sample;
    CHECK(mascon_gauss(30.3, 40.7, 2.1, 7.9, &o, &a, NULL));
    CHECK(mascon_gauss(30.3, 40.7, 2.1, 0, &o, &b, NULL));
    show("gauss f64", &a);
    show("gauss f32", &b);
    mascon_release(&a);
    mascon_release(&b);
  }
}


static void best (mascon_dtype t) {
  mascon_array users = normal(1, t, 200, 24), items = normal(2, t, 3000, 24);
  mascon_array m = normal(3, t, 40, 5000);
  mascon_array ids = new(MASCON_I32, 200, 10), scores = new(t, 200, 10);
  mascon_array ids2 = new(MASCON_I32, 40, 10), scores2 = new(t, 40, 10);
  mascon_topn_opts o = MASCON_TOPN_INIT;
  mascon_topn_out out = MASCON_TOPN_OUT_INIT;
  out.ids = &ids;
  out.scores = &scores;
  CHECK(mascon_recommend(&users, &items, &o, &out, NULL));
  show("recommend ids", &ids);
  show("recommend scores", &scores);
  out.ids = &ids2;
  out.scores = &scores2;
  CHECK(mascon_topn(&m, &o, &out, NULL));
  show("topn ids", &ids2);
  show("topn scores", &scores2);
  mascon_release(&users);
  mascon_release(&items);
  mascon_release(&m);
  mascon_release(&ids);
  mascon_release(&scores);
  mascon_release(&ids2);
  mascon_release(&scores2);
}


static void reduce (mascon_dtype t) {
  mascon_array a = normal(4, t, 300, 777);
  int64_t one = 1;
  double x;
  mascon_array s;
  CHECK(mascon_describe(&s, &x, MASCON_F64, 1, &one, NULL, 0));
  show("normal", &a);
  CHECK(mascon_reduce(MASCON_REDUCE_SUM, &a, MASCON_ALL_AXES, NULL, &s, NULL));
  show("sum", &s);
  CHECK(mascon_reduce(MASCON_REDUCE_VAR, &a, MASCON_ALL_AXES, NULL, &s, NULL));
  show("var", &s);
  mascon_release(&a);
}


int main (void) {
  draw();
  best(MASCON_F64);
  best(MASCON_F32);
  reduce(MASCON_F64);
  reduce(MASCON_F32);
  return 0;
}

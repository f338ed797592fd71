/*
** fuzz_csr.c - compressed rows of any numbers: the check finds what is wrong,
** and nobody who takes them reads beside them
*/

#include "fuzz.h"

#define MOST 8  /* rows, at most */


/* a vector of small numbers, i32 or i64, every 'step'-th of its memory */
static void numbers (fuzz_in *in, int64_t n, int lo, int hi, mascon_array *a) {
  int step = fuzz_from(in, 1, 2), wide = fuzz_from(in, 0, 1);
  int64_t room = n * step;
  mascon_array all;
  CHECK(mascon_zeros(&all, wide ? MASCON_I64 : MASCON_I32, 1, &room) ==
        MASCON_OK);
  CHECK(mascon_narrow(a, &all, 0, 0, n, step) == MASCON_OK);
  for (int64_t i = 0; i < n; i++) {
    int x = fuzz_byte(in) == 255 ? INT32_MIN : fuzz_from(in, lo, hi);
    if (wide) ((int64_t *)a->data)[i * step] = x;
    else ((int32_t *)a->data)[i * step] = x;
  }
  mascon_release(&all);
}


static int64_t at (const mascon_array *a, int64_t i) {
  int64_t k = i * a->stride[0];
  return mascon_dtype_of(a) == MASCON_I64 ? ((int64_t *)a->data)[k]
                                          : ((int32_t *)a->data)[k];
}


/* is it what it says?  As the contract has it, in plain C */
static int valid (const mascon_csr *c) {
  int64_t last = at(c->indptr, 0);
  if (c->indptr->shape[0] != c->nrows + 1 || last != 0) return 0;
  for (int64_t i = 1; i <= c->nrows; i++) {
    int64_t p = at(c->indptr, i);
    if (p < last || p > c->indices->shape[0]) return 0;
    last = p;
  }
  for (int64_t i = 0; i < last; i++) {
    int64_t id = at(c->indices, i) - c->base;
    if (id < 0 || id >= c->ncols) return 0;
  }
  return 1;
}


/* is 'id' in row 'i'? */
static int has (const mascon_csr *c, int64_t i, int64_t id) {
  for (int64_t k = at(c->indptr, i); k < at(c->indptr, i + 1); k++)
    if (at(c->indices, k) == id) return 1;
  return 0;
}


/* the best of a row, with what is excluded left out; or a refusal */
static void filters (const mascon_csr *c, int ok, int allow) {
  int64_t shape[2] = {c->nrows, c->ncols}, best[2] = {c->nrows, 3};
  mascon_topn_opts opts = MASCON_TOPN_INIT;
  mascon_topn_out out = MASCON_TOPN_OUT_INIT;
  mascon_array scores, ids;
  CHECK(mascon_zeros(&scores, MASCON_F32, 2, shape) == MASCON_OK);
  CHECK(mascon_zeros(&ids, MASCON_I32, 2, best) == MASCON_OK);
  out.ids = &ids;
  opts.n = 3;
  opts.base = c->base;
  if (allow) opts.allow = c;
  else opts.exclude = c;
  CHECK((mascon_topn(&scores, &opts, &out, NULL) == MASCON_OK) == ok);
  for (int64_t i = 0; ok && i < c->nrows; i++) {
    int32_t *got = (int32_t *)ids.data + i * 3;
    for (int64_t id = c->base; id < c->base + c->ncols; id++) {
      if (has(c, i, id) != allow || got == (int32_t *)ids.data + i * 3 + 3)
        continue;
      CHECK(*got == id);  /* equal scores: by id */
      got++;
    }
    while (got < (int32_t *)ids.data + i * 3 + 3) CHECK(*got++ == -1);
  }
  mascon_release(&scores);
  mascon_release(&ids);
}


static void takes (fuzz_in *in, const mascon_csr *c, int ok) {
  mascon_array rows, indptr, indices;
  int inside = 1, st;
  numbers(in, fuzz_from(in, 0, MOST), -1, MOST, &rows);
  st = mascon_csr_take(c, &rows, c->base, &indptr, &indices, NULL, NULL);
  for (int64_t i = 0; i < rows.shape[0]; i++) {
    int64_t r = at(&rows, i) - c->base;
    inside = inside && r >= 0 && r < c->nrows;
  }
  CHECK((st == MASCON_OK) == (ok && inside));
  if (st == MASCON_OK) {
    for (int64_t i = 0; i < rows.shape[0]; i++) {
      int64_t from = at(c->indptr, at(&rows, i) - c->base);
      int64_t to = at(c->indptr, at(&rows, i) - c->base + 1);
      CHECK(at(&indptr, i + 1) - at(&indptr, i) == to - from);
      for (int64_t k = from; k < to; k++)
        CHECK(at(&indices, at(&indptr, i) + k - from) == at(c->indices, k));
    }
    mascon_release(&indptr);
    mascon_release(&indices);
  }
  mascon_release(&rows);
}


static void pairs (fuzz_in *in) {
  mascon_array users, items, indptr, indices;
  int64_t n = fuzz_from(in, 0, 12), nrows = fuzz_from(in, 0, MOST);
  int64_t ncols = fuzz_from(in, 0, MOST);
  int base = fuzz_from(in, 0, 1);
  numbers(in, n, -1, MOST, &users);
  numbers(in, n, 0, MOST, &items);
  if (mascon_csr_from_pairs(&users, &items, nrows, ncols, base, &indptr,
                            &indices, NULL, NULL) == MASCON_OK) {
    mascon_csr c = {sizeof c, nrows, ncols, &indptr, &indices, base};
    CHECK(mascon_csr_check(&c, NULL, NULL) == MASCON_OK);
    CHECK(at(&indptr, nrows) == n);
    for (int64_t i = 0; i < n; i++)
      CHECK(has(&c, at(&users, i) - base, at(&items, i)));
    mascon_release(&indptr);
    mascon_release(&indices);
  }
  mascon_release(&users);
  mascon_release(&items);
}


int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size) {
  int64_t before = fuzz_blocks(), where;
  fuzz_in in = {bytes, size};
  mascon_array indptr, indices;
  mascon_csr c = MASCON_CSR_INIT;
  int ok;
  c.nrows = fuzz_from(&in, 0, MOST);
  c.ncols = fuzz_from(&in, 0, 2 * MOST);
  c.base = fuzz_from(&in, 0, 1);
  numbers(&in, c.nrows + (fuzz_byte(&in) == 7 ? 2 : 1), -1, 20, &indptr);
  numbers(&in, fuzz_from(&in, 0, 20), 0, 2 * MOST, &indices);
  c.indptr = &indptr;
  c.indices = &indices;
  ok = valid(&c);
  CHECK((mascon_csr_check(&c, &where, NULL) == MASCON_OK) == ok);
  filters(&c, ok, 0);
  filters(&c, ok, 1);
  takes(&in, &c, ok);
  pairs(&in);
  mascon_release(&indptr);
  mascon_release(&indices);
  CHECK(fuzz_blocks() == before);
  return 0;
}

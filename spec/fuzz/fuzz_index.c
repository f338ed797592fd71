/*
** fuzz_index.c - an index file of any bytes: refused, or used without touching
** anything beside it, even where its checksum is not compared
*/

#include "fuzz.h"

#define BEST 5
#define ROWS 3


static void release (void *ctx, void *image) {
  ++*(int *)ctx;
  free(image);
}


static void fill (mascon_array *a, mascon_dtype t, int64_t rows,
                  int64_t cols) {
  int64_t shape[2] = {rows, cols};
  CHECK(mascon_new(a, t, 2, shape) == MASCON_OK);
  CHECK(mascon_random_normal(1, 0, a, NULL) == MASCON_OK);
}


/* what is found is an item, each once */
static void honest (const mascon_array *ids, int64_t nitems) {
  for (int64_t i = 0; i < mascon_count(ids); i++) {
    int32_t id = ((int32_t *)ids->data)[i];
    CHECK(id >= -1 && id < nitems);
  }
}


static void use (const mascon_index *x) {
  int64_t shape[2] = {ROWS, BEST}, one = ROWS;
  mascon_topn_opts opts = MASCON_TOPN_INIT;
  mascon_topn_out out = MASCON_TOPN_OUT_INIT;
  mascon_index_facts facts = {.size = sizeof facts};
  mascon_array users, ids, like;
  int st;
  mascon_index_describe(x, &facts);
  if (facts.rank > 256) return;
  CHECK(mascon_new(&ids, MASCON_I32, 2, shape) == MASCON_OK);
  opts.n = BEST;
  out.ids = &ids;
  for (int t = MASCON_F64; t <= MASCON_F32; t++) {
    fill(&users, (mascon_dtype)t, ROWS, facts.rank);
    st = mascon_index_recommend(x, &users, &opts, &out, NULL);
    if (st == MASCON_OK) honest(&ids, facts.nitems);
    mascon_release(&users);
  }
  CHECK(mascon_zeros(&like, MASCON_I32, 1, &one) == MASCON_OK);
  ((int32_t *)like.data)[1] = 1;
  ((int32_t *)like.data)[2] = (int32_t)facts.nitems - 1;
  st = mascon_index_similar(x, &like, &opts, &out, NULL);
  if (st == MASCON_OK) honest(&ids, facts.nitems);
  mascon_release(&like);
  mascon_release(&ids);
}


/* the image as 'flags' say; was it taken? */
static int try (const uint8_t *bytes, size_t size, unsigned flags) {
  void *image = aligned_alloc(64, (size + 64) / 64 * 64);
  const char *what = NULL;
  int released = 0, st;
  mascon_index *x;
  CHECK(image != NULL);
  memcpy(image, bytes, size);
  st = mascon_index_wrap(image, size, release, &released, flags, &x, &what,
                         NULL);
  CHECK(released == 0 && (st == MASCON_OK || what != NULL));
  if (st != MASCON_OK) free(image);
  else {
    use(x);
    mascon_index_release(x);
    CHECK(released == 1);
  }
  return st == MASCON_OK;
}


/* by its path: no more than wrapping takes */
static int load (const uint8_t *bytes, size_t size, unsigned flags) {
  mascon_index *x;
  fuzz_file f;
  int st;
  fuzz_open(&f, bytes, size);
  st = mascon_index_load(f.path, flags, &x, NULL, NULL);
  fclose(f.f);
  if (st == MASCON_OK) mascon_index_release(x);
  return st == MASCON_OK;
}


int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size) {
  int64_t before = fuzz_blocks();
  int taken;
  if (size == 0) return 0;
  taken = try(bytes, size, MASCON_INDEX_UNCHECKED);
  CHECK(!try(bytes, size, 0) || taken);
  CHECK(!load(bytes, size, 0) || taken);
  CHECK(!load(bytes, size, MASCON_INDEX_MAP) || taken);
  CHECK(fuzz_blocks() == before);
  return 0;
}

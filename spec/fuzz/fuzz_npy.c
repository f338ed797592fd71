/*
** fuzz_npy.c - a .npy file of any bytes: decoded, read and mapped, it is the
** same array or the same refusal
*/

#include "fuzz.h"


/* are they the same elements in the same shape? */
static int equal (const mascon_array *a, const mascon_array *b) {
  mascon_array mask;
  int same = mascon_dtype_of(a) == mascon_dtype_of(b) && a->ndim == b->ndim &&
             memcmp(a->shape, b->shape, sizeof a->shape) == 0;
  if (!same) return 0;
  CHECK(mascon_new(&mask, MASCON_U8, a->ndim, a->shape) == MASCON_OK);
  CHECK(mascon_binary(MASCON_OP_NE, a, b, &mask, NULL) == MASCON_OK);
  for (int64_t i = 0; i < mascon_count(&mask); i++)
    same += ((uint8_t *)mask.data)[i];
  mascon_release(&mask);
  /* NaN differs from itself: of the same bits the same number of them */
  if (same == 1) return 1;
  CHECK(mascon_new(&mask, MASCON_U8, a->ndim, a->shape) == MASCON_OK);
  CHECK(mascon_unary(MASCON_OP_ISNAN, a, &mask, NULL) == MASCON_OK);
  for (int64_t i = 0; i < mascon_count(&mask); i++)
    same -= ((uint8_t *)mask.data)[i];
  mascon_release(&mask);
  return same == 1;
}


/* by a path: 'st' and 'a' are what decoding said */
static void files (const char *path, int st, const mascon_array *a) {
  mascon_array b;
  int got = mascon_npy_load(path, &b, NULL, NULL);
  CHECK(got == st);
  if (got == MASCON_OK) {
    CHECK(equal(a, &b));
    mascon_release(&b);
  }
  got = mascon_npy_map(path, 0, &b, NULL);
  CHECK(got != MASCON_OK || st == MASCON_OK);
  if (got == MASCON_OK) {
    CHECK(equal(a, &b));
    mascon_release(&b);
  }
}


int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size) {
  int64_t n = (int64_t)size, before = fuzz_blocks();
  char head[MASCON_NPYHEAD];
  mascon_array file, a;
  mascon_why why = {""};
  fuzz_file f;
  size_t length;
  int st;
  CHECK(mascon_new(&file, MASCON_U8, 1, &n) == MASCON_OK);
  if (size > 0) memcpy(file.data, bytes, size);
  st = mascon_npy_decode(&file, "name", &a, &why, NULL);
  CHECK(st == MASCON_OK || memchr(why.text, '\0', sizeof why.text) != NULL);
  CHECK(st == MASCON_OK || why.text[0] != '\0');
  fuzz_open(&f, bytes, size);
  files(f.path, st, &a);
  fclose(f.f);
  if (st == MASCON_OK) {
    fuzz_touch(&a);
    CHECK(mascon_npy_head(&a, head, &length) == MASCON_OK);
    CHECK(length % 64 == 0 && length <= sizeof head);
    mascon_release(&a);
  }
  mascon_release(&file);
  CHECK(fuzz_blocks() == before);
  return 0;
}

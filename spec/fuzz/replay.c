/*
** replay.c - run a fuzz target over the cases that were kept
**
**   fuzz_NAME NAME.corpus
**
** The file is a case after the other: four bytes of length, the lowest first,
** and the case.
*/

#include "fuzz.h"


int main (int argc, char **argv) {
  FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
  uint8_t head[4];
  int cases = 0;
  CHECK(f != NULL);
  while (fread(head, 1, 4, f) == 4) {
    size_t n = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16;
    uint8_t *bytes = malloc(n + (n == 0));
    CHECK(bytes != NULL && fread(bytes, 1, n, f) == n);
    LLVMFuzzerTestOneInput(bytes, n);
    free(bytes);
    cases++;
  }
  fclose(f);
  printf("%d cases\n", cases);
  return 0;
}

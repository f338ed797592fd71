/*
** fuzz_csv.c - a table of any bytes, read with any options
**
** The first five bytes are the options.
*/

#include "fuzz.h"


static void numbers (const char *path, const mascon_csv_opts *opts) {
  mascon_csv t, names;
  mascon_why why = {""};
  int st = mascon_csv_load(path, opts, &t, &why, NULL);
  CHECK(memchr(why.text, '\0', sizeof why.text) != NULL);
  CHECK(st == MASCON_OK || why.text[0] != '\0');
  if (mascon_csv_names(path, opts, &names, NULL) == MASCON_OK) {
    for (int k = 0; k < names.nall; k++) (void)strlen(names.allnames[k]);
    if (st == MASCON_OK) CHECK(names.nall == t.nall);
    mascon_csv_free(&names);
  }
  else CHECK(st != MASCON_OK);
  if (st != MASCON_OK) return;
  CHECK(t.ncols <= t.nall || opts->ncolumns > 0);
  for (int k = 0; k < t.ncols; k++) {
    CHECK(t.places[k] >= 0 && t.places[k] < t.nall);
    CHECK(strcmp(t.names[k], t.allnames[t.places[k]]) == 0);
  }
  if (t.ncols > 0) {
    CHECK(t.data.shape[0] == t.ncols);
    fuzz_touch(&t.data);
  }
  mascon_csv_free(&t);
  mascon_csv_free(&t);
}


/* texts as numbers: every number has its text */
static void texts (const char *path, const mascon_csv_opts *opts, int extend) {
  mascon_labels *l = mascon_labels_new();
  mascon_labels *labels[3] = {l, l, l};
  int extends[3] = {extend, 1, extend};
  mascon_array codes;
  CHECK(l != NULL);
  if (mascon_csv_codes(path, opts, labels, extends, &codes, NULL, NULL) ==
      MASCON_OK) {
    for (int64_t i = 0; i < mascon_count(&codes); i++) {
      int32_t k = ((int32_t *)codes.data)[i];
      size_t n;
      CHECK(k == -1 || mascon_labels_text(l, k, &n) != NULL);
    }
    mascon_release(&codes);
  }
  mascon_labels_free(l);
}


int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size) {
  static const char seps[] = {0, ',', ';', '\t', ' ', '|', '.', '"'};
  static const char comments[] = {'#', 0, '%', ','};
  int64_t before = fuzz_blocks();
  fuzz_in in = {bytes, size};
  mascon_csv_opts opts = MASCON_CSV_INIT;
  int columns[3], extend;
  fuzz_file f;
  opts.sep = seps[fuzz_byte(&in) % 8];
  opts.comment = comments[fuzz_byte(&in) % 4];
  opts.header = fuzz_from(&in, -1, 1);
  opts.skiptext = fuzz_from(&in, 0, 1);
  extend = fuzz_byte(&in);
  for (int k = 0; k < 3; k++) columns[k] = (extend >> (2 * k) & 3) - (k == 2);
  opts.columns = columns;
  opts.ncolumns = (extend >> 6) % 4;
  if (extend & 1) opts.point = ',';
  fuzz_open(&f, in.p, in.n);
  numbers(f.path, &opts);
  if (opts.ncolumns == 0) opts.ncolumns = 1;
  texts(f.path, &opts, extend >> 5 & 1);
  fclose(f.f);
  CHECK(fuzz_blocks() == before);
  return 0;
}

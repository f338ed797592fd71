/*
** csvcodes.c - columns of text in CSV tables, as numbers of their texts
**
** Numbers are given in the order of the file, so one thread reads it.
*/

#include <string.h>

#include "csv.h"
#include "csvlabels.h"

#define BLOCK ((int64_t)1 << 18)  /* bytes that are read at once */

typedef struct job {
  mc_csvfile f;
  const mascon_csv_opts *o;
  mascon_labels *const *labels;
  const int *extend;  /* of each column: new texts get numbers */
  int32_t **codes;    /* of each column */
  char *text;         /* of a field, without its quotes */
  int64_t rows, room;
  char *buf;          /* lines, and the begin of the next one */
  int64_t have, at;   /* bytes in it; where they stand in the file */
  int64_t broken;     /* where a broken row begins; -1: none */
  int status, error;  /* error: as mc_readat returns it */
} job;


/* {------- rows ------- */

static bool growcodes (job *j) {
  int64_t room = j->room > 0 ? 2 * j->room : 1024;
  for (int k = 0; k < j->o->ncolumns; k++) {
    int32_t *new = mc_alloc((size_t)room, sizeof *new);
    if (new == NULL) return false;
    if (j->rows > 0)
      memcpy(new, j->codes[k], (size_t)j->rows * sizeof *new);
    mc_free(j->codes[k]);
    j->codes[k] = new;
  }
  j->room = room;
  return true;
}


/* the number of the field's text in set 'i'; -1: it has none; -2: no memory */
static int64_t code (const job *j, int i, const mc_csvfield *f) {
  mascon_labels *l = j->labels[i];
  const char *p = f->p;
  size_t n = f->n;
  int64_t k;
  if (f->quoted && memchr(p, '"', n) != NULL) {
    size_t m = 0;
    for (size_t at = 0; at < n; at++) {
      j->text[m++] = p[at];
      if (p[at] == '"') at++;
    }
    p = j->text;
    n = m;
  }
  if (j->extend != NULL && !j->extend[i]) return mc_labels_find(l, p, n);
  k = mc_labels_add(l, p, n);
  return k >= 0 && k <= INT32_MAX ? k : -2;
}


/* the row at 'p'; false: it is broken, or 'status' says what else */
static bool readrow (job *j, const char *p) {
  const mascon_csv_opts *o = j->o;
  mc_csvfield f;
  if (j->rows == j->room && !growcodes(j)) {
    j->status = MASCON_ENOMEM;
    return false;
  }
  for (int place = 0; place < j->f.text.ncols; place++) {
    if (place > 0) p = mc_csvnext(&j->f.text, p);
    if (p != NULL) p = mc_csvfield_at(&j->f.text, p, &f);
    if (p == NULL) return false;
    for (int k = 0; k < o->ncolumns; k++)
      if (o->columns[k] == place) {
        int64_t c = code(j, k, &f);
        if (c == -2) j->status = MASCON_ENOMEM;
        j->codes[k][j->rows] = (int32_t)c;
      }
  }
  if (mc_csvnext(&j->f.text, p) != NULL) return false;
  j->rows++;
  return j->status == MASCON_OK;
}


/* all lines that end before 'end'; the next one comes to the front */
static void readlines (job *j, const char *end) {
  const char *p = j->buf;
  while (p < end) {
    const char *row = mc_csvrow(&j->f.text, p);
    if (row != NULL && !readrow(j, row)) {
      j->broken = j->at + (p - j->buf);
      return;
    }
    p = mc_csvskip(p);
  }
  j->at += p - j->buf;
  j->have -= p - j->buf;
  if (j->have > 0) memmove(j->buf, p, (size_t)j->have);
}


/* one past the last newline of 'n' bytes, or their begin */
static const char *lastline (const char *p, int64_t n) {
  while (n > 0 && p[n - 1] != '\n') n--;
  return p + n;
}


static void readblock (void *ud, int64_t first, int64_t last, int thread) {
  job *j = ud;
  (void)thread;
  for (int64_t b = first; b < last; b++) {
    int64_t from = j->f.begin + b * BLOCK, n = j->f.size - from;
    if (n > BLOCK) n = BLOCK;
    if (j->broken >= 0 || j->error != 0) return;
    if (j->have > MC_CSVLINE) {  /* a line without end */
      j->broken = j->at;
      return;
    }
    j->error = mc_readat(j->f.fd, j->buf + j->have, (size_t)n, from);
    if (j->error != 0) return;
    j->have += n;
    if (from + n == j->f.size && n > 0 && j->buf[j->have - 1] != '\n')
      j->buf[j->have++] = '\n';
    readlines(j, lastline(j->buf, j->have));
  }
}

/* -------} */


/* {------- the file ------- */

/*
** Names that are no numbers over a column of numbers are a header; texts over
** texts are none
*/
static bool isheader (const mc_csvfile *f) {
  for (int k = 0; k < f->text.ncols; k++) {
    mc_csvfield name = {f->names[k], strlen(f->names[k]), false};
    double x;
    if (!f->ignored[k] && !mc_csvnumber(&f->text, &name, &x)) return true;
  }
  return false;
}


static int openfile (job *j, const char *path, mascon_why *why) {
  mascon_csv_opts o = *j->o;
  int status;
  if (o.header < 0) o.header = 1;
  status = mc_csvopen(&j->f, path, &o, why);
  if (status == MASCON_OK && j->o->header < 0 &&
      (!isheader(&j->f) || j->f.begin == j->f.size)) {
    mc_csvclose(&j->f);
    o.header = 0;
    status = mc_csvopen(&j->f, path, &o, why);
  }
  for (int k = 0; status == MASCON_OK && k < j->o->ncolumns; k++)
    if (j->o->columns[k] < 0 || j->o->columns[k] >= j->f.text.ncols)
      status = mc_why(why, path, MASCON_ERANGE, "has %d columns, no column %d",
                      j->f.text.ncols, j->o->columns[k] + 1);
  return status;
}


/* the codes into an array of ours */
static int copycodes (const job *j, mascon_array *codes) {
  int64_t shape[2] = {j->o->ncolumns, j->rows};
  int status = mascon_new(codes, MASCON_I32, 2, shape);
  if (status != MASCON_OK) return status;
  for (int k = 0; k < j->o->ncolumns; k++)
    if (j->rows > 0)
      memcpy((int32_t *)codes->data + k * j->rows, j->codes[k],
             (size_t)j->rows * sizeof(int32_t));
  return MASCON_OK;
}


static int readall (job *j, const char *path, mascon_array *codes,
                    mascon_why *why, mascon_exec *ex) {
  int64_t blocks = (j->f.size - j->f.begin + BLOCK - 1) / BLOCK;
  int status = mc_parallel(ex, blocks, 1, 1, readblock, j);
  if (j->status == MASCON_OK) j->status = status;
  if (j->status != MASCON_OK) return mc_whystatus(why, path, j->status);
  if (j->error != 0) return mc_whyread(why, path, j->error);
  if (j->broken >= 0) {  /* it is not for want of a number */
    memset(j->f.ignored, true, (size_t)j->f.text.ncols);
    return mc_csvexplain(&j->f, j->broken, why);
  }
  status = copycodes(j, codes);
  return status == MASCON_OK ? status : mc_whystatus(why, path, status);
}


int mascon_csv_codes (const char *path, const mascon_csv_opts *opts,
                      mascon_labels *const *labels, const int *extend,
                      mascon_array *codes, mascon_why *why, mascon_exec *ex) {
  job j = {.o = opts, .labels = labels, .extend = extend, .broken = -1};
  int status;
  if (opts == NULL || opts->ncolumns < 1 || opts->columns == NULL)
    return mc_whystatus(why, path, MASCON_EVALUE);
  status = openfile(&j, path, why);
  j.codes = mc_zalloc((size_t)opts->ncolumns, sizeof *j.codes);
  j.buf = mc_alloc((size_t)(BLOCK + MC_CSVLINE + 1), 1);
  j.text = mc_alloc((size_t)(BLOCK + MC_CSVLINE + 1), 1);
  if (status == MASCON_OK) {
    j.at = j.f.begin;
    status = j.codes != NULL && j.buf != NULL && j.text != NULL
               ? readall(&j, path, codes, why, ex)
               : mc_whystatus(why, path, MASCON_ENOMEM);
  }
  for (int k = 0; j.codes != NULL && k < opts->ncolumns; k++)
    mc_free(j.codes[k]);
  mc_free(j.codes);
  mc_free(j.buf);
  mc_free(j.text);
  mc_csvclose(&j.f);
  return status;
}

/* -------} */

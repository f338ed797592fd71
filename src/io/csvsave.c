/*
** csvsave.c - columns to CSV tables
**
** Rows become text by all threads, a batch of blocks at a time, and the texts
** are written one after the other.
*/

#include <errno.h>
#include <string.h>

#include "csv.h"
#include "number.h"

#define ROWS 1024  /* of a block */

typedef struct job {
  mascon_array *columns;  /* views: progress may close what was given */
  int ncols;
  int64_t rows, base;  /* of all; the first of this batch */
  char *text;          /* 'size' bytes for each block of the batch */
  size_t size, *length;
} job;


/* a number of any dtype to 'p'; where it ends */
static char *put (const mascon_array *a, int64_t r, char *p) {
  const char *at = mc_at(a, r, 0);
  switch (mascon_dtype_of(a)) {
    case MASCON_F64: return p + mc_digits(p, *(const double *)at, false);
    case MASCON_F32: return p + mc_digits(p, *(const float *)at, true);
    case MASCON_I64: return p + mc_integer(p, *(const int64_t *)at);
    case MASCON_I32: return p + mc_integer(p, *(const int32_t *)at);
    case MASCON_U16: return p + mc_integer(p, *(const uint16_t *)at);
    default: return p + mc_integer(p, *(const uint8_t *)at);
  }
}


/* a block of a batch: 'first' is its number */
static void format (void *ud, int64_t first, int64_t last, int thread) {
  job *j = ud;
  (void)thread;
  for (int64_t b = first; b < last; b++) {
    int64_t r = j->base + b * ROWS, end = r + ROWS;
    char *text = j->text + (size_t)b * j->size, *p = text;
    if (end > j->rows) end = j->rows;
    for (; r < end; r++)
      for (int k = 0; k < j->ncols; k++) {
        p = put(&j->columns[k], r, p);
        *p++ = k + 1 < j->ncols ? ',' : '\n';
      }
    j->length[b] = (size_t)(p - text);
  }
}


/* "name","name" and a newline; '*at' is where the next byte goes */
static int writehead (int fd, int ncols, const char *const *names,
                      int64_t *at) {
  int error = 0;
  for (int k = 0; k < ncols && error == 0; k++) {
    const char *p = names[k], *rest;
    char end[3] = {'"', k + 1 < ncols ? ',' : '\n', '\0'};
    error = mc_writeat(fd, "\"", 1, (*at)++);
    for (; error == 0 && *p != '\0'; p = rest) {  /* up to a quote, twice it */
      size_t n = strcspn(p, "\"");
      rest = p + n + (p[n] == '"');
      error = mc_writeat(fd, p, (size_t)(rest - p), *at);
      *at += rest - p;
      if (error == 0 && p[n] == '"') error = mc_writeat(fd, "\"", 1, (*at)++);
    }
    if (error == 0) error = mc_writeat(fd, end, 2, *at);
    *at += 2;
  }
  return error;
}


/* all rows; an errno in '*error' */
static int writerows (job *j, int fd, int64_t at, int batch, int threads,
                      int *error, mascon_exec *ex) {
  int status = MASCON_OK;
  for (; j->base < j->rows && *error == 0; j->base += (int64_t)batch * ROWS) {
    int64_t blocks = (j->rows - j->base + ROWS - 1) / ROWS;
    if (blocks > batch) blocks = batch;
    status = mc_parallel_part(ex, blocks, 1, threads, format, j, j->base / ROWS,
                              (j->rows + ROWS - 1) / ROWS);
    if (status != MASCON_OK) break;
    for (int64_t b = 0; b < blocks && *error == 0; b++) {
      *error = mc_writeat(fd, j->text + (size_t)b * j->size, j->length[b], at);
      at += (int64_t)j->length[b];
    }
  }
  return status;
}


static int writeall (job *j, const mc_newfile *f, const char *const *names,
                     mascon_why *why, mascon_exec *ex) {
  int threads = mc_threads(ex, (double)j->rows * j->ncols * 64);
  int batch = 4 * threads, error, status = MASCON_OK;
  int64_t at = 0;
  j->size = (size_t)j->ncols * ROWS * MC_NUMBERSIZE;
  j->text = mc_alloc((size_t)batch, j->size);
  j->length = mc_alloc((size_t)batch, sizeof *j->length);
  error = writehead(f->fd, j->ncols, names, &at);
  if (j->text == NULL || j->length == NULL) status = MASCON_ENOMEM;
  else if (error == 0)
    status = writerows(j, f->fd, at, batch, threads, &error, ex);
  mc_free(j->text);
  mc_free(j->length);
  if (error != 0) {
    errno = error;
    return mc_whyerrno(why, f->path);
  }
  return status == MASCON_OK ? status : mc_whystatus(why, f->path, status);
}


static int check (int ncols, const char *const *names,
                  const mascon_array *const *columns) {
  if (ncols < 1 || ncols > MC_CSVCOLS) return MASCON_EVALUE;
  for (int k = 0; k < ncols; k++) {
    int status = mc_check(columns[k]);
    if (status != MASCON_OK) return status;
    if (columns[k]->ndim != 1 || columns[k]->shape[0] != columns[0]->shape[0])
      return MASCON_ESHAPE;
    if (mascon_dtype_of(columns[k]) == MASCON_NDTYPE) return MASCON_ETYPE;
    if (strpbrk(names[k], "\r\n") != NULL) return MASCON_EVALUE;
  }
  return MASCON_OK;
}


/* views of the columns, cleared ones behind them if that fails */
static int hold (job *j, const mascon_array *const *columns) {
  int status = MASCON_OK;
  j->columns = mc_zalloc((size_t)j->ncols, sizeof *j->columns);
  if (j->columns == NULL) return MASCON_ENOMEM;
  for (int k = 0; k < j->ncols && status == MASCON_OK; k++)
    status = mascon_view(&j->columns[k], columns[k]);
  return status;
}


static void drop (job *j) {
  for (int k = 0; j->columns != NULL && k < j->ncols; k++)
    mascon_release(&j->columns[k]);
  mc_free(j->columns);
}


int mascon_csv_save (const char *path, int ncols, const char *const *names,
                     const mascon_array *const *columns, mascon_why *why,
                     mascon_exec *ex) {
  job j = {.ncols = ncols};
  mc_newfile f;
  int status = check(ncols, names, columns);
  if (status != MASCON_OK) return mc_whystatus(why, path, status);
  j.rows = columns[0]->shape[0];
  status = hold(&j, columns);
  if (status != MASCON_OK) mc_whystatus(why, path, status);
  else status = mc_newfile_begin(&f, path, why);
  if (status == MASCON_OK) {
    status = writeall(&j, &f, names, why, ex);
    if (status == MASCON_OK) status = mc_newfile_commit(&f, why, ex);
    else mc_newfile_drop(&f);
  }
  drop(&j);
  return status;
}

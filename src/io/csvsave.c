/*
** csvsave.c - columns to CSV tables
*/

#include <errno.h>
#include <string.h>

#include "csv.h"
#include "number.h"

typedef struct job {
  mascon_array *columns;  /* views: progress may close what was given */
  int ncols;
  int64_t rows;
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


/* rows as mc_csvblocks has them */
static char *format (void *ud, int64_t first, int64_t last, char *p) {
  const job *j = ud;
  for (int64_t r = first; r < last; r++)
    for (int k = 0; k < j->ncols; k++) {
      p = put(&j->columns[k], r, p);
      *p++ = k + 1 < j->ncols ? ',' : '\n';
    }
  return p;
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


static int writeall (job *j, const mc_newfile *f, const char *const *names,
                     mascon_why *why, mascon_exec *ex) {
  mc_csvblocks b = {j->rows, (size_t)j->ncols * MC_NUMBERSIZE, format, j};
  int64_t at = 0;
  int status = MASCON_EIO;
  errno = writehead(f->fd, j->ncols, names, &at);
  if (errno == 0) status = mc_csvwrite(&b, f->fd, &at, j->ncols * 64.0, ex);
  return status == MASCON_EIO ? mc_whyerrno(why, f->path)
       : status != MASCON_OK ? mc_whystatus(why, f->path, status) : status;
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

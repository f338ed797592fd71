/*
** pnm.c - images in PGM and PPM files (binary ones: "P5", "P6")
**
** A pixel is one byte where the largest value is at most 255, else two, the
** high one first.
*/

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "file.h"

#define HEAD 4096  /* bytes in which the header must end */


/* {------- reading ------- */

typedef struct reader {
  const char *p, *end;
} reader;


static bool isspacing (int c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}


/* the next number, after blanks and comments; -1: there is none */
static int64_t number (reader *r) {
  int64_t n = 0;
  while (r->p < r->end && (isspacing(*r->p) || *r->p == '#')) {
    if (*r->p == '#') while (r->p < r->end && *r->p != '\n') r->p++;
    else r->p++;
  }
  if (r->p == r->end || *r->p < '0' || *r->p > '9') return -1;
  for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++) {
    n = n * 10 + (*r->p - '0');
    if (n > INT32_MAX) return -1;
  }
  return n;
}


/* shape, axes, largest value and size of the header; false: it is none */
static bool gethead (const char *text, size_t n, int64_t *shape, int *ndim,
                     int64_t *top, int64_t *size) {
  reader r = {text + 2, text + n};
  if (n < 2 || text[0] != 'P' || (text[1] != '5' && text[1] != '6'))
    return false;
  *ndim = text[1] == '6' ? 3 : 2;
  shape[1] = number(&r);
  shape[0] = number(&r);
  shape[2] = 3;
  *top = number(&r);
  if (shape[0] < 0 || shape[1] < 0 || *top < 1 || *top > 65535 ||
      r.p == r.end || !isspacing(*r.p)) return false;
  *size = r.p + 1 - text;
  return true;
}


/* bytes of the file to u16 elements, or back */
static void swap (void *p, int64_t n) {
  unsigned char *c = p;
  for (int64_t i = 0; i < n; i++, c += 2) {
    uint16_t v = (uint16_t)(c[0] << 8 | c[1]);
    memcpy(c, &v, 2);
  }
}


static int readall (int fd, int64_t bytes, const char *path, mascon_array *a,
                    mascon_why *why) {
  char head[HEAD];
  size_t n = (size_t)(bytes < HEAD ? bytes : HEAD);
  int64_t shape[3], top, start, count;
  int ndim, error = mc_readat(fd, head, n, 0), status;
  mascon_dtype t;
  if (error != 0 || !gethead(head, n, shape, &ndim, &top, &start))
    return mc_why(why, path, MASCON_EFORMAT, "is no binary PGM or PPM file");
  t = top > 255 ? MASCON_U16 : MASCON_U8;
  if (!mc_mul(shape[0], shape[1], &count) ||
      !mc_mul(count, ndim == 3 ? 3 : 1, &count) ||
      count > (bytes - start) / (int64_t)mascon_dtype_size(t))
    return mc_why(why, path, MASCON_EFORMAT, "ends too early");
  status = mascon_new(a, t, ndim, shape);
  if (status != MASCON_OK) return mc_whystatus(why, path, status);
  error = mc_readat(fd, a->data, (size_t)count * mascon_dtype_size(t), start);
  if (error != 0) {
    mascon_release(a);
    errno = error;
    return error < 0 ? mc_why(why, path, MASCON_EFORMAT, "ends too early")
                     : mc_whyerrno(why, path);
  }
  if (t == MASCON_U16) swap(a->data, count);
  return MASCON_OK;
}


int mascon_pnm_load (const char *path, mascon_array *a, mascon_why *why) {
  int fd;
  int64_t bytes;
  int status = mc_openfile(path, false, &fd, &bytes, why);
  if (status != MASCON_OK) return status;
  status = readall(fd, bytes, path, a, why);
  mc_closefile(fd);
  return status;
}

/* -------} */


/* {------- writing ------- */

/* row 'i' as it stands in the file, of 'n' bytes */
static void putrow (const mascon_array *a, int64_t i, char *row, size_t n) {
  int64_t samples = a->ndim == 3 ? 3 : 1, size = a->dtype.bits / 8;
  char *to = row;
  for (int64_t j = 0; j < a->shape[1]; j++)
    for (int64_t k = 0; k < samples; k++, to += size)
      memcpy(to, mc_at(a, i, j) + k * a->stride[2] * size, (size_t)size);
  if (size == 2) swap(row, (int64_t)n / 2);
}


static int writeall (const mascon_array *a, mc_newfile *f, mascon_why *why) {
  char head[80], *row;
  size_t samples = (size_t)(a->ndim == 3 ? a->shape[1] * 3 : a->shape[1]);
  size_t n = samples * (a->dtype.bits / 8);
  int64_t at = snprintf(head, sizeof head, "P%c\n%lld %lld\n%d\n",
                        a->ndim == 3 ? '6' : '5', (long long)a->shape[1],
                        (long long)a->shape[0], (1 << a->dtype.bits) - 1);
  int error = mc_writeat(f->fd, head, (size_t)at, 0);
  row = mc_alloc(n, 1);
  if (row == NULL) return mc_whystatus(why, f->path, MASCON_ENOMEM);
  for (int64_t i = 0; error == 0 && i < a->shape[0]; i++, at += (int64_t)n) {
    putrow(a, i, row, n);
    error = mc_writeat(f->fd, row, n, at);
  }
  mc_free(row);
  if (error == 0) return MASCON_OK;
  errno = error;
  return mc_whyerrno(why, f->path);
}


int mascon_pnm_save (const mascon_array *a, const char *path,
                     mascon_why *why) {
  mc_newfile f;
  int status = mc_check(a);
  if (status == MASCON_OK) {
    mascon_dtype t = mascon_dtype_of(a);
    if (t != MASCON_U8 && t != MASCON_U16) status = MASCON_ETYPE;
    else if (a->ndim != 2 && (a->ndim != 3 || a->shape[2] != 3))
      status = MASCON_ESHAPE;
  }
  if (status != MASCON_OK) return mc_whystatus(why, path, status);
  status = mc_newfile_begin(&f, path, why);
  if (status != MASCON_OK) return status;
  status = writeall(a, &f, why);
  if (status == MASCON_OK) return mc_newfile_commit(&f, why, NULL);
  mc_newfile_drop(&f);
  return status;
}

/* -------} */

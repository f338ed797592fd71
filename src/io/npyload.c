/*
** npyload.c - .npy files into memory
**
** The elements are read in blocks, by all threads, each block straight to
** where it belongs; types that are none of ours go through a block of
** scratch.  A body cannot fail, so it notes the first trouble, and no later
** block does anything.
*/

#include <stdatomic.h>
#include <string.h>

#include "npy.h"

typedef struct job {
  const mc_npyfile *f;
  char *out;
  size_t size;       /* bytes of an element of 'out' */
  int64_t block;     /* elements */
  char *scratch;     /* a block for each thread; NULL: none needed */
  atomic_int error;  /* as mc_readat returns it */
  atomic_bool inexact;
} job;


/* {------- elements ------- */

static void swapbytes (char *p, int64_t n, int size) {
  switch (size) {
    case 2:
      for (int64_t i = 0; i < n; i++) {
        uint16_t x;
        memcpy(&x, p + i * 2, 2);
        x = __builtin_bswap16(x);
        memcpy(p + i * 2, &x, 2);
      }
      break;
    case 4:
      for (int64_t i = 0; i < n; i++) {
        uint32_t x;
        memcpy(&x, p + i * 4, 4);
        x = __builtin_bswap32(x);
        memcpy(p + i * 4, &x, 4);
      }
      break;
    default:
      for (int64_t i = 0; i < n; i++) {
        uint64_t x;
        memcpy(&x, p + i * 8, 8);
        x = __builtin_bswap64(x);
        memcpy(p + i * 8, &x, 8);
      }
  }
}


/*
** float16: sign, 5 bits of exponent (bias 15), 10 of fraction.  Shifted into
** place the exponent is 112 too small, which a multiplication by 2^112 mends
** exactly, subnormals included; infinities and NaN keep all bits set.
*/
static float half (uint16_t x) {
  uint32_t sign = (uint32_t)(x & 0x8000) << 16;
  uint32_t bits = (uint32_t)(x & 0x7fff) << 13;
  float f;
  if (bits >= (uint32_t)0x7c00 << 13) bits |= 0x7f800000;
  else {
    memcpy(&f, &bits, 4);
    f *= 0x1p112f;
    memcpy(&bits, &f, 4);
  }
  bits |= sign;
  memcpy(&f, &bits, 4);
  return f;
}


/*
** 'n' elements of the file's type, in this machine's order, into ours.  False
** if one does not fit (uint64 only).
*/
static bool widen (const mc_npy *h, const char *from, char *to, int64_t n) {
  const void *p = from;  /* blocks are aligned */
  void *q = to;
  if (h->kind == 'f')
    for (int64_t i = 0; i < n; i++)
      ((float *)q)[i] = half(((const uint16_t *)p)[i]);
  else if (h->kind == 'i' && h->size == 1)
    for (int64_t i = 0; i < n; i++)
      ((int32_t *)q)[i] = ((const int8_t *)p)[i];
  else if (h->kind == 'i')
    for (int64_t i = 0; i < n; i++)
      ((int32_t *)q)[i] = ((const int16_t *)p)[i];
  else if (h->size == 4)
    for (int64_t i = 0; i < n; i++)
      ((int64_t *)q)[i] = ((const uint32_t *)p)[i];
  else {
    uint64_t all = 0;
    for (int64_t i = 0; i < n; i++) all |= ((const uint64_t *)p)[i];
    if (all > INT64_MAX) return false;
    memcpy(q, p, (size_t)n * 8);
  }
  return true;
}

/* -------} */


static int fetch (const mc_npyfile *f, char *to, size_t n, int64_t at) {
  if (f->bytes == NULL) return mc_readat(f->fd, to, n, at);
  memcpy(to, f->bytes + at, n);
  return 0;
}


static void readblock (void *ud, int64_t first, int64_t last, int thread) {
  job *j = ud;
  const mc_npy *h = &j->f->h;
  int64_t n = last - first;
  char *to = j->out + first * (int64_t)j->size;
  char *p = j->scratch != NULL ? j->scratch + thread * MC_NPYBLOCK : to;
  int error;
  if (atomic_load_explicit(&j->error, memory_order_relaxed) != 0) return;
  error = fetch(j->f, p, (size_t)(n * h->size), h->offset + first * h->size);
  if (error != 0) {
    atomic_store_explicit(&j->error, error, memory_order_relaxed);
    return;
  }
  if (h->swap) swapbytes(p, n, h->size);
  if (p != to && !widen(h, p, to, n))
    atomic_store_explicit(&j->inexact, true, memory_order_relaxed);
}


/* all elements of the file into 'a', which is row-major */
static int readall (const mc_npyfile *f, mascon_array *a, mascon_why *why,
                    mascon_exec *ex) {
  job j = {.f = f, .out = a->data, .size = a->dtype.bits / 8};
  int threads = mc_threads(ex, (double)f->h.bytes);
  int status;
  if (!f->h.direct) {
    j.scratch = mc_alloc((size_t)threads, (size_t)MC_NPYBLOCK);
    if (j.scratch == NULL)
      return mc_whystatus(why, f->path, MASCON_ENOMEM);
  }
  status = mc_parallel(ex, f->h.count, MC_NPYBLOCK / f->h.size, threads,
                       readblock, &j);
  mc_free(j.scratch);
  if (j.error != 0) return mc_whyread(why, f->path, j.error);
  if (j.inexact)
    return mc_why(why, f->path, MASCON_EINEXACT,
                  "has uint64 values above 2^63 - 1, which no dtype holds");
  return status == MASCON_OK ? status : mc_whystatus(why, f->path, status);
}


int mc_npyread (const mc_npyfile *f, mascon_array *a, mascon_why *why,
                mascon_exec *ex) {
  mascon_array new;
  int status = mascon_new(&new, f->h.type, f->h.ndim, f->h.shape);
  if (status != MASCON_OK) return mc_whystatus(why, f->path, status);
  status = readall(f, &new, why, ex);
  if (status != MASCON_OK) {
    mascon_release(&new);
    return status;
  }
  if (f->h.fortran) mc_npyreverse(&new);
  *a = new;
  return MASCON_OK;
}


int mascon_npy_load (const char *path, mascon_array *a, mascon_why *why,
                     mascon_exec *ex) {
  mc_npyfile f;
  int status = mc_npyopen(&f, path, false, why);
  if (status != MASCON_OK) return status;
  status = mc_npyread(&f, a, why, ex);
  mc_closefile(f.fd);
  return status;
}

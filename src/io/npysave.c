/*
** npysave.c - arrays into .npy files
**
** Blocks of elements in row-major order, written by all threads, each to its
** place: straight from memory where they stand so already, else gathered into
** a block of scratch.
*/

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "npy.h"

typedef struct job {
  const mascon_array *a;
  int fd;
  int64_t offset;    /* of the elements in the file */
  size_t size;       /* bytes of an element */
  char *scratch;     /* a block for each thread; NULL: none needed */
  atomic_int error;  /* as mc_writeat returns it */
} job;


/* 'n' elements, 'stride' bytes apart, side by side */
static void pack (char *to, const char *from, int64_t n, int64_t stride,
                  size_t size) {
  if (stride == (int64_t)size) {
    memcpy(to, from, (size_t)n * size);
    return;
  }
  switch (size) {
    case 1: for (; n > 0; n--, to += 1, from += stride) *to = *from; break;
    case 2: for (; n > 0; n--, to += 2, from += stride) memcpy(to, from, 2);
      break;
    case 4: for (; n > 0; n--, to += 4, from += stride) memcpy(to, from, 4);
      break;
    default: for (; n > 0; n--, to += 8, from += stride) memcpy(to, from, 8);
  }
}


/* the elements first to last - 1, counted in row-major order */
static void gather (const mascon_array *a, int64_t first, int64_t last,
                    char *to) {
  int64_t size = a->dtype.bits / 8;
  int inner = a->ndim - 1;
  while (first < last) {
    int64_t at = 0, rest = first, n = a->shape[inner] - first % a->shape[inner];
    for (int k = inner; k >= 0; k--) {
      at += rest % a->shape[k] * a->stride[k];
      rest /= a->shape[k];
    }
    if (n > last - first) n = last - first;
    pack(to, (const char *)a->data + at * size, n, a->stride[inner] * size,
         (size_t)size);
    first += n;
    to += n * size;
  }
}


static void writeblock (void *ud, int64_t first, int64_t last, int thread) {
  job *j = ud;
  const char *p = (const char *)j->a->data + first * (int64_t)j->size;
  int error;
  if (atomic_load_explicit(&j->error, memory_order_relaxed) != 0) return;
  if (j->scratch != NULL) {
    char *block = j->scratch + thread * MC_NPYBLOCK;
    gather(j->a, first, last, block);
    p = block;
  }
  error = mc_writeat(j->fd, p, (size_t)(last - first) * j->size,
                     j->offset + first * (int64_t)j->size);
  if (error != 0)
    atomic_store_explicit(&j->error, error, memory_order_relaxed);
}


/* header and elements of 'a' into the new file */
static int writeall (const mascon_array *a, const mc_newfile *f,
                     mascon_why *why, mascon_exec *ex) {
  char head[MC_NPYMADE];
  size_t n = mc_npyformat(head, mascon_dtype_of(a), a->ndim, a->shape);
  job j = {.a = a, .fd = f->fd, .offset = (int64_t)n,
           .size = a->dtype.bits / 8};
  int64_t count = mascon_count(a);
  int threads = mc_threads(ex, (double)count * (double)j.size);
  int status;
  if (!mc_contiguous(a)) {
    j.scratch = mc_alloc((size_t)threads, (size_t)MC_NPYBLOCK);
    if (j.scratch == NULL) return mc_whystatus(why, f->path, MASCON_ENOMEM);
  }
  j.error = mc_writeat(f->fd, head, n, 0);
  status = mc_parallel(ex, count, MC_NPYBLOCK / (int64_t)j.size, threads,
                       writeblock, &j);
  mc_free(j.scratch);
  if (j.error != 0) {
    errno = j.error;
    return mc_whyerrno(why, f->path);
  }
  return status == MASCON_OK ? status : mc_whystatus(why, f->path, status);
}


int mascon_npy_save (const mascon_array *a, const char *path, mascon_why *why,
                     mascon_exec *ex) {
  mc_newfile f;
  mascon_array v;  /* progress may close 'a' */
  int status = mascon_view(&v, a);
  if (status != MASCON_OK) return mc_whystatus(why, path, status);
  status = mc_newfile_begin(&f, path, why);
  if (status == MASCON_OK) {
    status = writeall(&v, &f, why, ex);
    if (status == MASCON_OK) status = mc_newfile_commit(&f, why, ex);
    else mc_newfile_drop(&f);
  }
  mascon_release(&v);
  return status;
}

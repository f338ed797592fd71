/*
** indexfile.c - files of indexes: the image, byte for byte
*/

#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

#include "file.h"

#define CHUNK (4 << 20)  /* bytes transferred at a time */


/* {------- transferring ------- */

/* a body cannot fail: it notes the first trouble */
typedef struct transfer {
  int fd;
  char *p;
  int64_t bytes;
  bool write;
  atomic_int error;  /* as mc_readat returns it */
} transfer;


static void chunks (void *ud, int64_t first, int64_t last, int thread) {
  transfer *t = ud;
  (void)thread;
  for (int64_t c = first; c < last && t->error == 0; c++) {
    int64_t at = c * CHUNK;
    size_t n = (size_t)(t->bytes - at < CHUNK ? t->bytes - at : CHUNK);
    int error = t->write ? mc_writeat(t->fd, t->p + at, n, at)
                         : mc_readat(t->fd, t->p + at, n, at);
    if (error != 0) t->error = error;
  }
}


static int run (transfer *t, const char *path, mascon_why *why,
                mascon_exec *ex) {
  int threads = mc_threads(ex, (double)t->bytes / 4);
  int status = mc_parallel(ex, (t->bytes + CHUNK - 1) / CHUNK, 1, threads,
                           chunks, t);
  if (t->error != 0) return mc_whyread(why, path, t->error);
  return status == MASCON_OK ? MASCON_OK : mc_whystatus(why, path, status);
}

/* -------} */


int mascon_index_save (const mascon_index *index, const char *path,
                       mascon_why *why, mascon_exec *ex) {
  size_t bytes;
  const void *image = mascon_index_image(index, &bytes);
  mc_newfile f;
  int status = mc_newfile_begin(&f, path, why);
  transfer t = {.p = (char *)(uintptr_t)image, .bytes = (int64_t)bytes,
                .write = true};
  if (status != MASCON_OK) return status;
  t.fd = f.fd;
  status = run(&t, path, why, ex);
  if (status == MASCON_OK) return mc_newfile_commit(&f, why, ex);
  mc_newfile_drop(&f);
  return status;
}


/* {------- loading ------- */

static void unmap (void *ctx, void *image) {
  munmap(image, (size_t)(uintptr_t)ctx);
}


static void drop (void *ctx, void *image) {
  (void)ctx;
  mc_free(image);
}


static int getimage (int fd, int64_t bytes, bool map, void **image,
                     const char *path, mascon_why *why, mascon_exec *ex) {
  mascon_exec q = mc_quiet(ex);
  transfer t = {.fd = fd, .bytes = bytes};
  int status;
  if (map) {
    *image = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (*image != MAP_FAILED) return MASCON_OK;
    return errno == ENOMEM ? mc_whystatus(why, path, MASCON_ENOMEM)
                           : mc_whyerrno(why, path);
  }
  *image = mc_alloc((size_t)bytes, 1);
  if (*image == NULL) return mc_whystatus(why, path, MASCON_ENOMEM);
  t.p = *image;
  status = run(&t, path, why, &q);
  if (status != MASCON_OK) mc_free(*image);
  return status;
}


/* an index of the file's bytes, which must be all it has */
static int wrap (void *image, int64_t bytes, unsigned flags,
                 mascon_index **index, const char *path, mascon_why *why,
                 mascon_exec *ex) {
  bool map = (flags & MASCON_INDEX_MAP) != 0;
  void *ctx = (void *)(uintptr_t)bytes;
  const char *what;
  size_t have;
  mascon_index *x;
  int status = mascon_index_wrap(image, (size_t)bytes, map ? unmap : drop, ctx,
                                 flags & MASCON_INDEX_UNCHECKED, &x, &what,
                                 ex);
  if (status != MASCON_OK) {
    (map ? unmap : drop)(ctx, image);
    return mc_why(why, path, status, "%s", what);
  }
  mascon_index_image(x, &have);
  if (have != (size_t)bytes) {
    mascon_index_release(x);
    return mc_why(why, path, MASCON_EFORMAT, "is longer than its index");
  }
  *index = x;
  return MASCON_OK;
}


int mascon_index_load (const char *path, unsigned flags, mascon_index **index,
                       mascon_why *why, mascon_exec *ex) {
  void *image;
  int64_t bytes;
  int fd, status;
  status = mc_openfile(path, false, &fd, &bytes, why);
  if (status != MASCON_OK) return status;
  if (bytes < 64 || (uint64_t)bytes > PTRDIFF_MAX)
    status = mc_why(why, path, MASCON_EFORMAT, "is no index");
  else {
    bool map = (flags & MASCON_INDEX_MAP) != 0;
    status = getimage(fd, bytes, map, &image, path, why, ex);
    if (status == MASCON_OK)
      status = wrap(image, bytes, flags, index, path, why, ex);
  }
  mc_closefile(fd);
  return status;
}

/* -------} */

/*
** npymap.c - .npy files as memory: mapping what is there, creating new ones
**
** The mapping holds the header too.  The descriptor is closed at once; a map
** needs none.
*/

#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "npy.h"


/* {------- releasing; 'ctx' is the length of the mapping ------- */

static void unmap (void *ctx, void *base) {
  munmap(base, (size_t)(uintptr_t)ctx);
}


static void flushunmap (void *ctx, void *base) {
  msync(base, (size_t)(uintptr_t)ctx, MS_SYNC);
  unmap(ctx, base);
}

/* -------} */


/* the elements that 'h' describes, in the file 'fd', as the array 'a' */
static int maparray (int fd, const mc_npy *h, bool write, mascon_array *a,
                     const char *path, mascon_why *why) {
  size_t length = (size_t)(h->offset + h->bytes);
  void *ctx = (void *)(uintptr_t)length;
  mascon_array new;
  char *base;
  int status;
  if ((uint64_t)(h->offset + h->bytes) > PTRDIFF_MAX)
    return mc_whystatus(why, path, MASCON_ETOOBIG);
  base = mmap(NULL, length, write ? PROT_READ | PROT_WRITE : PROT_READ,
              MAP_SHARED, fd, 0);
  if (base == MAP_FAILED)
    return errno == ENOMEM ? mc_whystatus(why, path, MASCON_ENOMEM)
                           : mc_whyerrno(why, path);
  status = mascon_describe(&new, base + h->offset, h->type, h->ndim, h->shape,
                           NULL, write ? 0 : MASCON_READONLY);
  if (status == MASCON_OK)
    status = mc_wrapbuffer(&new, base, 0, write ? flushunmap : unmap, ctx);
  if (status != MASCON_OK) {
    munmap(base, length);
    return mc_whystatus(why, path, status);
  }
  new.data = base + h->offset;
  if (h->fortran) mc_npyreverse(&new);
  *a = new;
  return MASCON_OK;
}


/* can the elements be used where they are? */
static int checkmap (const mc_npyfile *f, bool write, mascon_why *why) {
  const mc_npy *h = &f->h;
  const char *kind = h->kind == 'f' ? "float" : h->kind == 'i' ? "int" : "uint";
  const char *mode = write ? " for writing" : "";
  if (h->kind == 'b' && write)  /* a byte may be more than 0 and 1 */
    return mc_why(why, f->path, MASCON_EFORMAT,
                  "cannot be mapped%s: no dtype is bool", mode);
  if (!h->direct || h->swap)
    return mc_why(why, f->path, MASCON_EFORMAT, "cannot be mapped%s: %s %s%d",
                  mode, h->direct ? "its byte order is not this machine's:"
                  : "no dtype is", kind, h->size * 8);
  if (h->offset % h->size != 0)
    return mc_why(why, f->path, MASCON_EFORMAT,
                  "cannot be mapped%s: its elements are not aligned", mode);
  return MASCON_OK;
}


int mascon_npy_map (const char *path, int write, mascon_array *a,
                    mascon_why *why) {
  mc_npyfile f;
  int status = mc_npyopen(&f, path, write != 0, why);
  if (status != MASCON_OK) return status;
  status = checkmap(&f, write != 0, why);
  if (status == MASCON_OK)
    status = maparray(f.fd, &f.h, write != 0, a, path, why);
  mc_closefile(f.fd);
  return status;
}


/* {------- creating ------- */

/* has the disk so many bytes left?  Asking for more might fill it first */
static bool fits (int fd, int64_t size) {
  struct statvfs s;
  if (fstatvfs(fd, &s) != 0 || s.f_blocks == 0) return true;  /* who knows */
  return (double)size <= (double)s.f_bavail * (double)s.f_frsize;
}


/* give the file its size, all zeros, on the disk; an errno, 0 if done */
static int reserve (int fd, int64_t size) {
#if defined(__APPLE__)
  static const char zeros[1 << 16];
  int error = fits(fd, size) ? 0 : ENOSPC;
  for (int64_t at = 0; at < size && error == 0; at += (int64_t)sizeof zeros)
    error = mc_writeat(fd, zeros, size - at < (int64_t)sizeof zeros
                       ? (size_t)(size - at) : sizeof zeros, at);
  return error;
#else
  int error = fits(fd, size) ? EINTR : ENOSPC;
  while (error == EINTR) error = posix_fallocate(fd, 0, (off_t)size);
  return error;
#endif
}


/* the header of a new file and, parsed from it, what it says */
static int describe (char head[MC_NPYMADE], size_t *n, mascon_dtype t,
                     int ndim, const int64_t *shape, mc_npy *h,
                     const char *path, mascon_why *why) {
  int status = MASCON_OK;
  if (mascon_dtype_size(t) == 0) status = MASCON_ETYPE;
  else if (ndim < 1 || ndim > MASCON_MAXDIM) status = MASCON_ESHAPE;
  else
    for (int k = 0; k < ndim; k++)
      if (shape[k] < 0) status = MASCON_ESHAPE;
  if (status != MASCON_OK) return mc_whystatus(why, path, status);
  *n = mc_npyformat(head, t, ndim, shape);
  return mc_npyparse(head, *n, h, path, why);
}


int mascon_npy_create (const char *path, mascon_dtype t, int ndim,
                       const int64_t *shape, mascon_array *a,
                       mascon_why *why) {
  char head[MC_NPYMADE];
  size_t n = 0;
  mc_npy h;
  mc_newfile f;
  mascon_array new;
  int error, status;
  status = describe(head, &n, t, ndim, shape, &h, path, why);
  if (status != MASCON_OK) return status;
  status = mc_newfile_begin(&f, path, why);
  if (status != MASCON_OK) return status;
  error = reserve(f.fd, h.offset + h.bytes);
  if (error == 0) error = mc_writeat(f.fd, head, n, 0);
  if (error != 0) {
    errno = error;
    status = mc_whyerrno(why, path);
  }
  else status = maparray(f.fd, &h, true, &new, path, why);
  if (status != MASCON_OK) {
    mc_newfile_drop(&f);
    return status;
  }
  status = mc_newfile_commit(&f, why, NULL);
  if (status == MASCON_OK) *a = new;
  else mascon_release(&new);
  return status;
}

/* -------} */


int mascon_flush (const mascon_array *a) {
  const char *lo, *hi;
  uintptr_t page, start;
  int status = mc_check(a);
  if (status != MASCON_OK) return status;
  page = (uintptr_t)sysconf(_SC_PAGESIZE);
  mc_extent(a, &lo, &hi);
  start = (uintptr_t)lo & ~(page - 1);
  if (lo == hi) return MASCON_OK;
  return msync((void *)start, (size_t)((uintptr_t)hi - start), MS_SYNC) == 0
           ? MASCON_OK : MASCON_EIO;
}

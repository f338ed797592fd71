/*
** file.c - opening, transferring, replacing regular files
*/

#define _GNU_SOURCE  /* sync_file_range */
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

#define CHUNK ((size_t)1 << 30)  /* some systems refuse more in one call */
#define PIECE (4 << 20)  /* bytes that are waited for at a time */
#define AHEAD (16 << 20) /* bytes that are on their way meanwhile */


/* {------- words ------- */

int mc_why (mascon_why *why, const char *path, int status, const char *fmt,
            ...) {
  int keep = errno, n;
  va_list ap;
  if (why == NULL) return status;
  n = strlen(path) < sizeof why->text / 2
        ? snprintf(why->text, sizeof why->text, "%s: ", path)
        : snprintf(why->text, sizeof why->text, "...%s: ",
                   path + strlen(path) - sizeof why->text / 2);
  va_start(ap, fmt);
  vsnprintf(why->text + n, sizeof why->text - (size_t)n, fmt, ap);
  va_end(ap);
  errno = keep;
  return status;
}


int mc_whystatus (mascon_why *why, const char *path, int status) {
  return mc_why(why, path, status, "%s", mascon_strerror(status));
}


int mc_whyerrno (mascon_why *why, const char *path) {
  return mc_why(why, path, MASCON_EIO, "%s", strerror(errno));
}

/* -------} */


/* {------- reading ------- */

static int retryopen (const char *path, int flags) {
  int fd;
  do fd = open(path, flags | O_CLOEXEC, 0666);
  while (fd < 0 && errno == EINTR);
  return fd;
}


/* is it a file that can be read at any place, and whose size is known? */
static int checkregular (const char *path, const struct stat *s,
                         mascon_why *why) {
  if (S_ISREG(s->st_mode)) return MASCON_OK;
  errno = S_ISDIR(s->st_mode) ? EISDIR : ESPIPE;
  if (S_ISDIR(s->st_mode)) return mc_whyerrno(why, path);
  return mc_why(why, path, MASCON_EIO, "not a regular file");
}


int mc_openfile (const char *path, bool write, int *fd, int64_t *size,
                 mascon_why *why) {
  struct stat s;
  int status, f;
  f = retryopen(path, (write ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_NOCTTY);
  if (f < 0) return mc_whyerrno(why, path);
  status = fstat(f, &s) == 0 ? checkregular(path, &s, why)
                             : mc_whyerrno(why, path);
  if (status != MASCON_OK) {
    mc_closefile(f);
    return status;
  }
  *fd = f;
  *size = (int64_t)s.st_size;
  return MASCON_OK;
}


void mc_closefile (int fd) {
  int keep = errno;
  close(fd);
  errno = keep;
}


int mc_readat (int fd, void *p, size_t n, int64_t at) {
  while (n > 0) {
    ssize_t got = pread(fd, p, n < CHUNK ? n : CHUNK, (off_t)at);
    if (got == 0) return -1;
    if (got < 0) {
      if (errno != EINTR) return errno;
      continue;
    }
    p = (char *)p + got;
    n -= (size_t)got;
    at += got;
  }
  return 0;
}


int mc_whyread (mascon_why *why, const char *path, int error) {
  if (error < 0)
    return mc_why(why, path, MASCON_EFORMAT, "became shorter while read");
  errno = error;
  return mc_whyerrno(why, path);
}


int mc_writeat (int fd, const void *p, size_t n, int64_t at) {
  while (n > 0) {
    ssize_t put = pwrite(fd, p, n < CHUNK ? n : CHUNK, (off_t)at);
    if (put <= 0) {
      if (put == 0) return ENOSPC;
      if (errno != EINTR) return errno;
      continue;
    }
    p = (const char *)p + put;
    n -= (size_t)put;
    at += put;
  }
  return 0;
}

/* -------} */


/* {------- files that appear whole ------- */

/*
** The place to write to: 'path', or where it leads if it is a link.  What is
** there already must be a regular file that may be written; its permissions
** are those of the new one ('*mode'; 0: nothing is there).
*/
static int settarget (mc_newfile *f, const char *path, mode_t *mode,
                      mascon_why *why) {
  struct stat s;
  *mode = 0;
  if (stat(path, &s) == 0) {
    int status = checkregular(path, &s, why);
    if (status != MASCON_OK) return status;
    if (access(path, W_OK) != 0 || realpath(path, f->target) == NULL)
      return mc_whyerrno(why, path);
    *mode = s.st_mode & 0777;
    return MASCON_OK;
  }
  if (errno != ENOENT) return mc_whyerrno(why, path);
  if (lstat(path, &s) == 0)
    return mc_why(why, path, MASCON_EIO, "is a link that leads nowhere");
  if (strlen(path) >= sizeof f->target) {
    errno = ENAMETOOLONG;
    return mc_whyerrno(why, path);
  }
  strcpy(f->target, path);
  return MASCON_OK;
}


/* a name that nobody has, in the folder of the target; opens it */
static int opentemp (mc_newfile *f) {
  static _Atomic unsigned counter;
  const char *slash = strrchr(f->target, '/');
  int dir = slash != NULL ? (int)(slash - f->target) + 1 : 0;
  for (int tries = 0; tries < 100; tries++) {
    unsigned k = atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
    int n = snprintf(f->temp, sizeof f->temp, "%.*s.mascon-%ld-%u", dir,
                     f->target, (long)getpid(), k);
    if (n < 0 || (size_t)n >= sizeof f->temp) {
      errno = ENAMETOOLONG;
      return -1;
    }
    f->fd = retryopen(f->temp, O_RDWR | O_CREAT | O_EXCL);
    if (f->fd >= 0 || errno != EEXIST) return f->fd;
  }
  return -1;
}


int mc_newfile_begin (mc_newfile *f, const char *path, mascon_why *why) {
  mode_t mode;
  int status = settarget(f, path, &mode, why);
  if (status != MASCON_OK) return status;
  f->path = path;
  if (opentemp(f) < 0) return mc_whyerrno(why, path);
  if (mode != 0) (void)!fchmod(f->fd, mode);  /* not ours: then umask's */
  return MASCON_OK;
}


#if defined(SYNC_FILE_RANGE_WRITE)

static void flushpiece (void *ud, int64_t first, int64_t last, int thread) {
  const mc_newfile *f = ud;
  (void)thread;
  sync_file_range(f->fd, first, AHEAD, SYNC_FILE_RANGE_WRITE);
  sync_file_range(f->fd, first, last - first, SYNC_FILE_RANGE_WAIT_BEFORE |
                  SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
}


/* most of what fsync does, piece by piece: that alone could not be stopped.
   Whatever fails here fails there again */
static int flush (mc_newfile *f, mascon_exec *ex) {
  mascon_exec quiet = mc_quiet(ex);
  struct stat s;
  if (ex == NULL || fstat(f->fd, &s) != 0) return MASCON_OK;
  return mc_parallel(&quiet, s.st_size, PIECE, 1, flushpiece, f);
}

#else

static int flush (mc_newfile *f, mascon_exec *ex) {
  (void)f, (void)ex;
  return MASCON_OK;
}

#endif


int mc_newfile_commit (mc_newfile *f, mascon_why *why, mascon_exec *ex) {
  int status = flush(f, ex);
  if (status != MASCON_OK) {
    mc_newfile_drop(f);
    return mc_whystatus(why, f->path, status);
  }
  if (fsync(f->fd) != 0 || rename(f->temp, f->target) != 0) {
    status = mc_whyerrno(why, f->path);
    mc_newfile_drop(f);
  }
  else mc_closefile(f->fd);
  return status;
}


void mc_newfile_drop (mc_newfile *f) {
  int keep = errno;
  unlink(f->temp);
  close(f->fd);
  errno = keep;
}

/* -------} */


/* {------- files that others write ------- */

/* the file that has the name now: who wrote it may have renamed one to it */
static int reopen (mc_newfile *f) {
  int fd = retryopen(f->temp, O_RDWR | O_CLOEXEC);
  if (fd < 0) return -1;
  close(f->fd);
  f->fd = fd;
  return 0;
}


int mascon_file_replace (const char *path,
                         int (*fill) (void *ud, const char *temp), void *ud,
                         mascon_why *why) {
  mc_newfile f;
  int status = mc_newfile_begin(&f, path, why);
  if (status != MASCON_OK) return status;
  if (fill(ud, f.temp) != 0) status = mc_whystatus(why, path, MASCON_ECANCEL);
  else if (reopen(&f) != 0) status = mc_whyerrno(why, path);
  else return mc_newfile_commit(&f, why, NULL);
  mc_newfile_drop(&f);
  return status;
}

/* -------} */

/*
** file.h - regular files for readers and writers: words for what went wrong,
** transfers that are whole, files that appear whole or not at all
*/

#ifndef FILE_H
#define FILE_H

#include <limits.h>

#include "core.h"

#if !defined(PATH_MAX)
#define PATH_MAX 4096
#endif


/*
** Set '*why' (which may be NULL) to "<path>: <text>" and return 'status'.
** mc_whyerrno says what errno says and returns MASCON_EIO; errno is kept.
*/
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
int mc_why (mascon_why *why, const char *path, int status, const char *fmt,
            ...);
int mc_whystatus (mascon_why *why, const char *path, int status);
int mc_whyerrno (mascon_why *why, const char *path);

/*
** Open a regular file that exists, for reading ('write': also for writing).
** It never blocks: a pipe is refused, not waited for.  '*fd' is the caller's
** to close, '*size' its bytes.
*/
int mc_openfile (const char *path, bool write, int *fd, int64_t *size,
                 mascon_why *why);

/* close, keeping errno */
void mc_closefile (int fd);

/*
** Transfer exactly 'n' bytes at 'at', whatever interrupts.  Return 0, an
** errno, or -1 where the file ended before.
*/
int mc_readat (int fd, void *p, size_t n, int64_t at);
int mc_writeat (int fd, const void *p, size_t n, int64_t at);

/* say what such a result, not 0, of mc_readat means */
int mc_whyread (mascon_why *why, const char *path, int error);

/*
** A file that is being made: it has a name of its own beside 'target' until
** mc_commit moves it there, so that 'target' is the old file or the whole new
** one, and whoever reads or maps the old one keeps it.
*/
typedef struct mc_newfile {
  int fd;
  const char *path;       /* as the caller names it */
  char target[PATH_MAX];  /* links resolved */
  char temp[PATH_MAX];
} mc_newfile;

/* begin; MASCON_OK, or MASCON_EIO and nothing to undo */
int mc_newfile_begin (mc_newfile *f, const char *path, mascon_why *why);

/* bring it to the disk, which may be cancelled, and to its place; the
   descriptor is closed.  Either this or mc_newfile_drop ends what began */
int mc_newfile_commit (mc_newfile *f, mascon_why *why, mascon_exec *ex);
void mc_newfile_drop (mc_newfile *f);

#endif

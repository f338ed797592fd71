/*
** npy.h - what a .npy file says about itself
*/

#ifndef NPY_H
#define NPY_H

#include "file.h"

/*
** The most bytes that stand before the elements: numpy's own limit of 10,000
** for the text, and 12 before it.
*/
#define MC_NPYHEAD 10012

/* bytes that are transferred at once: in cache for a second use */
#define MC_NPYBLOCK ((int64_t)1 << 18)

typedef struct mc_npy {
  int64_t offset;     /* where the elements begin */
  int64_t count;      /* how many there are */
  int64_t bytes;      /* what they take in the file */
  char kind;          /* 'f' float, 'i' signed, 'u' unsigned, 'b' boolean */
  int size;           /* bytes of one in the file */
  bool swap;          /* their bytes are in the other order */
  bool direct;        /* unswapped, they are elements of 'type' */
  bool fortran;       /* its first axis runs fastest: reverse the array */
  int ndim;           /* from 1: a file of no axes has one of length 1 */
  int64_t shape[MASCON_MAXDIM];  /* as in memory: the last runs fastest */
  mascon_dtype type;  /* the smallest that holds every value */
} mc_npy;

/*
** Parse a file of which 'bytes' are the first 'n': all of it, or at least
** MC_NPYHEAD.  Nothing beyond is read, nothing that it says is trusted.
** MASCON_OK, or MASCON_EFORMAT or MASCON_ETOOBIG with the reason in 'why',
** "<path>: ...".  Needs no memory.
*/
int mc_npyparse (const char *bytes, size_t n, mc_npy *h, const char *path,
                 mascon_why *why);

/* a file whose header is sound and whose size is what it says */
typedef struct mc_npyfile {
  const char *path;   /* or what else a message names it by */
  const char *bytes;  /* all of it, in memory; NULL: on the disk, open at 'fd' */
  int fd;
  mc_npy h;
} mc_npyfile;

int mc_npyopen (mc_npyfile *f, const char *path, bool write, mascon_why *why);

/* parse the header, the first 'n' bytes of a file of 'size' bytes */
int mc_npyinspect (mc_npyfile *f, const char *head, size_t n, int64_t size,
                   mascon_why *why);

/* all elements of the file in a new row-major array */
int mc_npyread (const mc_npyfile *f, mascon_array *a, mascon_why *why,
                mascon_exec *ex);

/* the axes of 'a' in the other order */
void mc_npyreverse (mascon_array *a);

/*
** The header (version 1.0, as numpy writes it) of a row-major file; return
** its length, a multiple of 64 and at most MC_NPYMADE.
*/
#define MC_NPYMADE MASCON_NPYHEAD
size_t mc_npyformat (char out[MC_NPYMADE], mascon_dtype t, int ndim,
                     const int64_t *shape);

#endif

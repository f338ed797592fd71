/*
** csv.h - what the files that read CSV tables share
**
** Texts that are parsed are followed by a newline, their own or one that was
** put there: it stops every loop.
*/

#ifndef CSV_H
#define CSV_H

#include "file.h"

#define MC_CSVLINE ((int64_t)1 << 20)   /* bytes of a line, at most */
#define MC_CSVCOLS 65536

typedef struct mc_csvtext {
  char sep;      /* ' ': blanks */
  char point, comment;
  int ncols;
} mc_csvtext;

/* a field: what is in it, in its quotes if 'quoted' */
typedef struct mc_csvfield {
  const char *p;
  size_t n;
  bool quoted;
} mc_csvfield;


/* {------- rows (csvrow.c) ------- */

/* is there a row at 'p', the begin of a line?  Then where, without leading
   blanks if they are separators; NULL for a blank line or a comment */
const char *mc_csvrow (const mc_csvtext *t, const char *p);

/* one past the newline of the line that 'p' is in */
const char *mc_csvskip (const char *p);

bool mc_csvend (const char *p);  /* is a line's end at 'p'? */

/*
** The field at 'p' into '*f'.  Return where the separator or the line's end
** behind it is, or NULL where a quote has no end or something follows it.
*/
const char *mc_csvfield_at (const mc_csvtext *t, const char *p,
                            mc_csvfield *f);

/* where the field behind the separator at 'p' begins; NULL at a line's end */
const char *mc_csvnext (const mc_csvtext *t, const char *p);

/* is the field a number, or empty?  Then '*x' is it, or NaN */
bool mc_csvnumber (const mc_csvtext *t, const mc_csvfield *f, double *x);

/*
** Parse the row at 'p' (as mc_csvrow returns it): the number of column k goes
** to out[k][r] unless out[k] is NULL.  Return one past the row's newline, or
** NULL if it is broken.
*/
const char *mc_csvparse (const mc_csvtext *t, const char *p,
                         double *const *out, int64_t r);

/* -------} */


/* {------- writing (csvblocks.c) ------- */

/*
** Rows that become text by all threads, a batch of blocks at a time; the texts
** are written one after the other.
*/
typedef struct mc_csvblocks {
  int64_t rows;
  size_t rowsize;  /* bytes of a row's text, at most */
  /* rows 'first' to 'last' - 1 to 'p'; where their text ends */
  char *(*put) (void *ud, int64_t first, int64_t last, char *p);
  void *ud;
} mc_csvblocks;

/*
** Write them to 'fd' from '*at' on, which is moved.  'ops': simple operations
** for a row, about.  MASCON_OK, MASCON_ENOMEM, MASCON_ECANCEL; MASCON_EIO:
** errno says why.
*/
int mc_csvwrite (const mc_csvblocks *b, int fd, int64_t *at, double ops,
                 mascon_exec *ex);

/* -------} */


/* {------- the file (csvhead.c) ------- */

typedef struct mc_csvfile {
  const char *path;
  int fd;
  int64_t size, begin;  /* bytes; where the first line below the header is */
  mc_csvtext text;
  char **names;         /* 'ncols' of them; NULL: no memory yet */
  bool *ignored;        /* columns that need be no numbers: as opened, those
                           of which most first rows have none */
} mc_csvfile;

/* open, find out the dialect, read the header.  mc_csvclose ends it, also
   after a failure */
int mc_csvopen (mc_csvfile *f, const char *path, const mascon_csv_opts *opts,
                mascon_why *why);
void mc_csvclose (mc_csvfile *f);

/* say what is wrong with the row that begins at byte 'at'; MASCON_EFORMAT */
int mc_csvexplain (const mc_csvfile *f, int64_t at, mascon_why *why);

/* -------} */

#endif

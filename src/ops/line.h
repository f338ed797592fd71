/*
** line.h - lines of an array along one axis, or all of it as one line
*/

#ifndef LINE_H
#define LINE_H

#include "core.h"
#include "kern.h"

#define LINE_BLOCK MCK_REDUCE_BLOCK  /* elements that are fetched at a time */

typedef struct mc_lines {
  mascon_dtype in;
  int64_t n;          /* elements of a line, in row-major order */
  int ninner, nouter;
  int64_t inner[MASCON_MAXDIM], istep[MASCON_MAXDIM];  /* axes of a line */
  int64_t outer[MASCON_MAXDIM];                        /* axes of lines */
  int64_t step[MASCON_MAXDIM], outstep[MASCON_MAXDIM]; /* of 'a', 'out' */
  int64_t count;      /* lines */
  char *data, *outdata;
  int64_t outsize;    /* bytes of an element of 'out' */
} mc_lines;

/*
** The lines of 'a' along 'axis' (MASCON_ALL_AXES: one), line by line beside
** 'out', whose element of a line is found by its strides 'ostride' for the
** axes of 'a' (in elements; that of 'axis' is not used).  The last of the
** outer axes is the one that steps least.
*/
void mc_lines_init (mc_lines *l, const mascon_array *a, int axis,
                    const mascon_array *out, const int64_t *ostride);

/* where line 'i' begins, in the array and in 'out' */
void mc_line_at (const mc_lines *l, int64_t i, char **in, char **out);

/*
** 'm' elements of the line that begins at 'in', from the 'first'-th on, as
** dtype 't': where they are if they stand so, else converted into 'space'.
*/
const void *mc_line_fetch (const mc_lines *l, const char *in, int64_t first,
                           size_t m, mascon_dtype t, void *space);

/* do lines stand so that mc_line_fetch as 't' needs no space? */
bool mc_line_direct (const mc_lines *l, mascon_dtype t);

#endif

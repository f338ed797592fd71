/*
** fuzz.h - what the fuzz targets share
**
** A target is the function fuzz_one: any bytes are a case, and a case ends the
** process if something does not hold.  It is run by libFuzzer (make fuzz), and
** by replay.c over the cases that were kept (NAME.corpus).
*/

#ifndef FUZZ_H
#define FUZZ_H

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"
#include "mascon.h"

/* what libFuzzer calls */
int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);


/* {------- a case as a series of choices ------- */

typedef struct fuzz_in {
  const uint8_t *p;
  size_t n;
} fuzz_in;

/* the next byte; 0 when there are no more */
static inline int fuzz_byte (fuzz_in *in) {
  if (in->n == 0) return 0;
  in->n--;
  return *in->p++;
}


/* a number from 'lo' to 'hi' */
static inline int fuzz_from (fuzz_in *in, int lo, int hi) {
  return lo + fuzz_byte(in) % (hi - lo + 1);
}

/* -------} */


/*
** The bytes as a file, for the readers that take a path.  It has no name in
** any folder; 'path' is one that this process can open.
*/
typedef struct fuzz_file {
  FILE *f;
  char path[64];
} fuzz_file;

static inline void fuzz_open (fuzz_file *file, const uint8_t *bytes,
                              size_t size) {
  file->f = tmpfile();
  CHECK(file->f != NULL);
  CHECK(fwrite(bytes, 1, size, file->f) == size && fflush(file->f) == 0);
  snprintf(file->path, sizeof file->path, "/proc/self/fd/%d",
           fileno(file->f));
}


/* blocks that the library holds: as many after a case as before it */
static inline int64_t fuzz_blocks (void) {
  mascon_memory m;
  mascon_memory_now(&m);
  return m.blocks;
}


/* every element is read */
static inline void fuzz_touch (const mascon_array *a) {
  mascon_array one;
  int64_t shape = 1;
  CHECK(mascon_new(&one, MASCON_U8, 1, &shape) == MASCON_OK);
  CHECK(mascon_reduce(MASCON_REDUCE_ANY, a, MASCON_ALL_AXES, NULL, &one,
                      NULL) == MASCON_OK);
  mascon_release(&one);
}

#endif

/*
** kern.h - the kernels, as the drivers see them
**
** A kernel works on raw pointers and counts.  It cannot fail, allocates
** nothing, and knows neither arrays nor threads.  Each domain declares its
** kernels in a header of its own (kgauss.h, ktopn.h, ...) as a struct of
** function pointers, and writes them once in a template (tgauss.h, ...) that
** kbody.h instantiates for every instruction set.
*/

#ifndef KERN_H
#define KERN_H

#include "kaxis.h"
#include "kcopy.h"
#include "kelem.h"
#include "kgauss.h"
#include "kimage.h"
#include "kmatmul.h"
#include "krandom.h"
#include "kranks.h"
#include "ksort.h"
#include "krecommend.h"
#include "krender.h"
#include "ktopn.h"
#include "kreduce.h"

typedef struct mck_table {
  const char *name;  /* "base", "avx2", "avx512", "avx512vnni",
                       "amx" */
  const mck_copy *copy;
  const mck_elem *elem;
  const mck_gauss *gauss;
  const mck_image *image;
  const mck_matmul *matmul;
  const mck_random *random;
  const mck_ranks *ranks;
  const mck_recommend *recommend;
  const mck_render *render;
  const mck_topn *topn;
  const mck_reduce *reduce;
} mck_table;

/* the table for this CPU, capped by MASCON_CPU; chosen once */
const mck_table *mck_get (void);

extern const mck_table mck_table_base;
#if defined(__x86_64__)
extern const mck_table mck_table_avx2;
extern const mck_table mck_table_avx512;
extern const mck_table mck_table_avx512vnni;
extern const mck_table mck_table_amx;
#endif

#endif

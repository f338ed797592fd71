/*
** kbody.h - all kernels of one instruction set, and their table
**
** Included once by each of kbase.c, kavx2.c, kavx512.c and kavx512vnni.c.
*/

#include "isa.h"
#include "kern.h"

#include "tcopy.h"
#include "telem.h"
#include "tgauss.h"
#include "timage.h"
#include "tmatmul.h"
#include "trandom.h"
#include "tranks.h"
#include "trecommend.h"
#include "treduce.h"
#include "trender.h"
#include "ttopn.h"

#define NAME_(isa) #isa
#define NAME(isa) NAME_(isa)

#define TABLE(called, recommends) { \
  .name = called, \
  .copy = &K(copy), \
  .elem = &K(elem), \
  .gauss = &K(gauss), \
  .image = &K(image), \
  .matmul = &K(matmul), \
  .random = &K(random), \
  .ranks = &K(ranks), \
  .recommend = &recommends, \
  .reduce = &K(reduce), \
  .render = &K(render), \
  .topn = &K(topn) \
}

const mck_table K(mck_table) = TABLE(NAME(ISA), K(recommend));

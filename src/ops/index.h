/*
** index.h - an index: packed items that stand alone, shared by whoever has it
*/

#ifndef INDEX_H
#define INDEX_H

#include <stdatomic.h>

#include "recommend.h"

/* nothing but 'refs' changes once it is made */
struct mascon_index {
  atomic_int refs;
  mc_pack pack;       /* with factors, and all that belongs to them */
  mascon_array items; /* as they were given; lie in the image */
  mascon_array bias;  /* the same; magic 0: none */
  mascon_release_fn release;  /* of the image, with 'ctx'; NULL: it is ours */
  void *ctx;
};

#endif

/*
** mcl_signature.h - what a kernel of others takes and makes, as data
*/

#ifndef MCL_SIGNATURE_H
#define MCL_SIGNATURE_H

#include "mcl.h"

#define MCL_AXES 16  /* different ones in a signature */

typedef struct mcl_axis {
  char name[24];
  int64_t size;  /* -1: not said */
  bool known;    /* by an input, or a number */
} mcl_axis;

typedef struct mcl_argument {
  unsigned dtypes;          /* bit t: dtype t will do */
  int variable;             /* the letter that stands for the dtype, or 0 */
  int ndim;                 /* 0: a number */
  int axis[MASCON_MAXDIM];  /* which of the signature's */
} mcl_argument;

typedef struct mcl_signature {
  int nin, nout, naxes;
  mcl_argument arg[MASCON_KERNELARGS];  /* inputs, then outputs */
  mcl_axis axis[MCL_AXES];
} mcl_signature;

/* what the arguments of one call say about it */
typedef struct mcl_binding {
  const mcl_signature *s;
  int64_t size[MCL_AXES];               /* -1: not known yet */
  mascon_dtype dtype[MASCON_KERNELARGS];
} mcl_binding;

/* parse 'text' (see mascon_lua.h), or raise what is wrong in it */
void mcl_parse (lua_State *L, const char *text, mcl_signature *s);

void mcl_bind (const mcl_signature *s, mcl_binding *b);

/* is 'a' what input 'i' may be?  What it says is known from then on */
bool mcl_bindinput (mcl_binding *b, int i, const mascon_array *a);

/* the dtype of argument 'i', now that all arrays are known */
mascon_dtype mcl_bounddtype (const mcl_binding *b, int i);

/* push what input 'i' should be: "f64 or f32 matrix n x 3" */
const char *mcl_pushexpected (lua_State *L, const mcl_binding *b, int i);

#endif

/*
** kelem.h - kernels that work element by element
**
** All operands are blocks without gaps, of one element type; whatever is
** strided, broadcast or of another type is brought into such a block first
** (kcopy.h).  The output may be one of the inputs.
*/

#ifndef KELEM_H
#define KELEM_H

#include <stddef.h>

#include "kcopy.h"

/* rows of the table of binary kernels */
enum {
  MCK_B_ADD, MCK_B_SUB, MCK_B_MUL, MCK_B_DIV, MCK_B_IDIV, MCK_B_MOD,
  MCK_B_POW, MCK_B_MIN, MCK_B_MAX, MCK_B_ATAN2, MCK_B_HYPOT,
  MCK_B_LT, MCK_B_LE, MCK_B_EQ, MCK_B_NE,  /* output u8 */
  MCK_B_AND, MCK_B_OR, MCK_B_XOR,          /* u8 only */
  MCK_NBINARY
};

/* rows of the table of unary kernels */
enum {
  MCK_U_NEG, MCK_U_ABS, MCK_U_SIGN,
  MCK_U_FLOOR, MCK_U_CEIL, MCK_U_ROUND, MCK_U_TRUNC,
  MCK_U_SQRT, MCK_U_CBRT, MCK_U_EXP, MCK_U_EXPM1,
  MCK_U_LOG, MCK_U_LOG1P, MCK_U_LOG2, MCK_U_LOG10,
  MCK_U_SIN, MCK_U_COS, MCK_U_TAN, MCK_U_ASIN, MCK_U_ACOS, MCK_U_ATAN,
  MCK_U_SINH, MCK_U_COSH, MCK_U_TANH, MCK_U_ERF, MCK_U_ERFC,
  MCK_U_ISNAN, MCK_U_ISINF, MCK_U_ISFINITE,  /* output u8 */
  MCK_U_NOT,                                 /* u8 only */
  MCK_NUNARY
};

/* what a kernel reports of its block, or'ed: its output is then worthless */
enum {MCK_OVERFLOW = 1, MCK_DIVZERO = 2};

typedef unsigned (*mck_binary) (const void *a, const void *b, void *out,
                                size_t n);
typedef unsigned (*mck_unary) (const void *a, void *out, size_t n);
typedef void (*mck_where) (const void *mask, const void *a, const void *b,
                           void *out, size_t n);

typedef struct mck_elem {
  mck_binary binary[MCK_NBINARY][MCK_COPYTYPES];  /* NULL: not for this type */
  mck_unary unary[MCK_NUNARY][MCK_COPYTYPES];
  mck_where where[MCK_COPYTYPES];
  /* as 'binary', written past the caches (f64, f32; + - * / only); fence() */
  mck_binary streamed[MCK_B_DIV + 1][2];
  /* copy bytes past the caches; fence() before anybody else may read them */
  void (*stream) (void *out, const void *in, size_t bytes);
  void (*fence) (void);
} mck_elem;

#endif

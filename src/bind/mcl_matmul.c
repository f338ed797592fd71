/*
** mcl_matmul.c - the matrix product
*/

#include "mcl.h"


static bool isfloat (const mascon_array *a) {
  mascon_dtype t = mascon_dtype_of(a);
  return t == MASCON_F64 || t == MASCON_F32;
}


/* a second factor for 'a', or raise what was expected */
static const mascon_array *checkright (lua_State *L, const mascon_array *a) {
  const mascon_array *b = mcl_checkarray(L, 2);
  const char *type = mascon_dtype_name(mascon_dtype_of(a));
  int64_t k = a->shape[a->ndim - 1];
  if (b->ndim > 2 || mascon_dtype_of(b) != mascon_dtype_of(a) ||
      b->shape[0] != k || a->ndim + b->ndim == 2)
    mcl_typeerror(L, 2, lua_pushfstring(L,
                  a->ndim == 1 ? "%s matrix of %I rows"
                               : "%s matrix of %I rows or vector of as many",
                  type, (lua_Integer)k));
  return b;
}


/*
** matmul(a, b [, out [, opts]]), a:matmul(b [, out [, opts]]): the product
** of an M x K and a K x N matrix, in 'out' or a new M x N array.  Either may
** be a vector, whose axis is then missing in the result; both are f64, or
** both f32.  'out' shares no memory with them.  opts: threads, progress.
*/
static int matmul (lua_State *L) {
  static const char *const names[] = {"threads", "progress", NULL};
  const mascon_array *a = mcl_checkarray(L, 1), *b;
  mascon_array *out;
  mascon_dtype t = mascon_dtype_of(a);
  int64_t shape[2];
  int ndim = 0, status;
  mcl_call c;
  lua_settop(L, 4);
  if (!isfloat(a) || a->ndim > 2)
    mcl_typeerror(L, 1, "f32 or f64 matrix or vector");
  b = checkright(L, a);
  if (a->ndim == 2) shape[ndim++] = a->shape[0];
  if (b->ndim == 2) shape[ndim++] = b->shape[1];
  mcl_options(L, 4, names);
  mcl_begin(L, &c, 4);
  out = mcl_optout(L, 3, t, false, ndim, shape);
  status = mascon_matmul(a, b, out, &c.ex);
  luaL_argcheck(L, status != MASCON_EALIAS, 3,
                "output shares memory with a factor");
  mcl_end(L, &c, status);
  return 1;
}


void mcl_openmatmul (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"matmul", matmul},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
  mcl_addmethods(L, funcs);
}

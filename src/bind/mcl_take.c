/*
** mcl_take.c - slices by their ids or by a mask
*/

#include <string.h>

#include "mcl.h"


/* push the indices of what is not zero, counted from 1 */
static mascon_array *pushnonzero (lua_State *L, const mascon_array *a) {
  mascon_dtype t = MASCON_I32;
  int64_t shape[2];
  mascon_array *out;
  mcl_call c;
  mcl_begin(L, &c, 0);
  mcl_end(L, &c, mascon_nonzero_count(a, &shape[0], &c.ex));
  shape[1] = a->ndim;
  for (int i = 0; i < a->ndim; i++)
    if (a->shape[i] > INT32_MAX) t = MASCON_I64;
  out = mcl_newarray(L, t, a->ndim > 1 ? 2 : 1, shape, false);
  mcl_begin(L, &c, 0);
  mcl_end(L, &c, mascon_nonzero(a, 1, out, &c.ex));
  return out;
}


/*
** a:nonzero(): where a is not zero, in row-major order: a vector of indices
** for a vector, else a matrix with a row for each element found and a column
** for each axis; i32 (i64 where an axis is longer than 2^31 - 1)
*/
static int nonzero (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  mcl_noarguments(L, 1);
  pushnonzero(L, a);
  return 1;
}


/* replace the array at 'arg' by a vector of its elements in row-major order */
static const mascon_array *flatten (lua_State *L, int arg) {
  const mascon_array *a = mcl_checkarray(L, arg);
  int64_t n = mascon_count(a);
  mascon_array *v = mcl_pushhandle(L);
  if (mascon_reshape(v, a, 1, &n) != MASCON_OK) {
    lua_pop(L, 1);
    v = mcl_newarray(L, mascon_dtype_of(a), a->ndim, a->shape, false);
    mcl_assign(L, arg, v);
    mcl_reshape(L, v, 1, &n);
    lua_remove(L, -2);
  }
  lua_replace(L, arg);
  return mcl_checkarray(L, arg);
}


static bool sameshape (const mascon_array *a, const mascon_array *b) {
  return a->ndim == b->ndim && memcmp(a->shape, b->shape,
                                      sizeof a->shape) == 0;
}


/* the ids that the array or table at 2 stands for */
static const mascon_array *checkids (lua_State *L) {
  const mascon_array *ids = mcl_toarray(L, 2);
  if (ids == NULL) {
    if (lua_type(L, 2) != LUA_TTABLE)
      mcl_typeerror(L, 2, "vector of ids, table of ids or u8 mask");
    ids = mcl_fromtable(L, 2, MASCON_I64);
    lua_replace(L, 2);
  }
  if (ids->ndim != 1 || mascon_dtype_of(ids) <= MASCON_F32)
    mcl_typeerror(L, 2, "integer vector of ids or u8 mask");
  return ids;
}


/* raise which of the ids is not from 1 to 'n' */
static void badid (lua_State *L, const mascon_array *ids, int64_t n) {
  const char *p = ids->data;
  for (int64_t i = 0; i < ids->shape[0]; i++) {
    lua_Integer id;
    mcl_pushelement(L, mascon_dtype_of(ids), p);
    p += ids->stride[0] * (ids->dtype.bits / 8);
    id = lua_tointeger(L, -1);
    if (id < 1 || id > n)
      luaL_argerror(L, 2, lua_pushfstring(L, "id %I at %I is outside 1 to %I",
                    id, (lua_Integer)i + 1, (lua_Integer)n));
    lua_pop(L, 1);
  }
}


/*
** a:take(ids [, axis]): a new array, the slices along the axis (1) that a
** table or an integer vector names, in that order, also repeatedly.
** a:take(mask [, axis]): those where a u8 vector, one element for each slice,
** is not 0.  a:take(mask), where the mask has the shape of a matrix a: the
** elements where it is not 0, a vector in row-major order.
*/
static int take (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1), *ids = mcl_toarray(L, 2);
  bool mask = ids != NULL && mascon_dtype_of(ids) == MASCON_U8;
  int64_t shape[MASCON_MAXDIM];
  mascon_array *out;
  mcl_call c;
  int status, axis = 0;
  mcl_nooptions(L, 3);
  if (mask && a->ndim > 1 && lua_isnoneornil(L, 3) && sameshape(a, ids)) {
    a = flatten(L, 1);
    ids = flatten(L, 2);
  }
  if (!lua_isnoneornil(L, 3)) axis = mcl_checkaxis(L, 3, a->ndim);
  ids = checkids(L);
  if (mask) {
    if (ids->shape[0] != a->shape[axis])
      luaL_argerror(L, 2, lua_pushfstring(L, "mask of %I for %I slices",
                    (lua_Integer)ids->shape[0], (lua_Integer)a->shape[axis]));
    ids = pushnonzero(L, ids);
    lua_replace(L, 2);
  }
  memcpy(shape, a->shape, sizeof shape);
  shape[axis] = ids->shape[0];
  mcl_begin(L, &c, 0);
  out = mcl_newarray(L, mascon_dtype_of(a), a->ndim, shape, false);
  status = mascon_take(a, ids, axis, 1, out, &c.ex);
  if (status == MASCON_ERANGE) badid(L, ids, a->shape[axis]);
  mcl_end(L, &c, status);
  return 1;
}


void mcl_opentake (lua_State *L) {
  static const luaL_Reg methods[] = {
    {"nonzero", nonzero},
    {"take", take},
    {NULL, NULL}
  };
  mcl_addmethods(L, methods);
}

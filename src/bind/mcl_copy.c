/*
** mcl_copy.c - copies, and writing many elements at once
*/

#include <string.h>

#include "mcl.h"


/* {------- writing ------- */

/* raise what a copy of the array at 'arg' into 'out' came to */
static void checkcopy (lua_State *L, int arg, const mascon_array *out,
                       mcl_call *c, int status) {
  if (status == MASCON_ESHAPE)
    luaL_error(L, "%s does not broadcast to %s", mcl_describe(L, arg),
               mcl_pushshape(L, out->ndim, out->shape));
  if (status == MASCON_EINEXACT)
    luaL_error(L, "an element of %s does not fit %s",
               mcl_describe(L, arg), mascon_dtype_name(mascon_dtype_of(out)));
  mcl_end(L, c, status);
}


/* a number everywhere */
static void fillwith (lua_State *L, int arg, mascon_array *out) {
  mcl_call c;
  int status;
  mcl_begin(L, &c, 0);
  status = lua_isinteger(L, arg)
    ? mascon_fill_int(lua_tointeger(L, arg), out, &c.ex)
    : mascon_fill(lua_tonumber(L, arg), out, &c.ex);
  if (status == MASCON_EINEXACT)
    luaL_error(L, "%s", mcl_misfit(L, arg, mascon_dtype_of(out)));
  mcl_end(L, &c, status);
}


void mcl_assign (lua_State *L, int arg, mascon_array *out) {
  const mascon_array *in = mcl_toarray(L, arg);
  mcl_call c;
  if (in == NULL && lua_type(L, arg) == LUA_TNUMBER) {
    fillwith(L, arg, out);
    return;
  }
  if (in == NULL && lua_type(L, arg) == LUA_TTABLE) {
    in = mcl_fromtable(L, arg, mascon_dtype_of(out));
    lua_replace(L, arg);
  }
  if (in == NULL) mcl_typeerror(L, arg, "array, number or table");
  mcl_begin(L, &c, 0);
  checkcopy(L, arg, out, &c, mascon_assign(in, out, &c.ex));
}


/* a:fill(x) -> a: every element is x, which must fit exactly */
static int fill (lua_State *L) {
  mascon_array *a = mcl_checkout(L, 1);
  mcl_nooptions(L, 2);
  if (lua_type(L, 2) != LUA_TNUMBER) mcl_typeerror(L, 2, "number");
  fillwith(L, 2, a);
  lua_settop(L, 1);
  return 1;
}


/*
** a:assign(b) -> a: write the array, number or table b into a, broadcast to
** its shape.  A value that an integer dtype does not hold exactly is an error,
** and a is untouched then.  b may overlap a in any way.
*/
static int assign (lua_State *L) {
  mascon_array *a = mcl_checkout(L, 1);
  mcl_nooptions(L, 2);
  mcl_assign(L, 2, a);
  lua_settop(L, 1);
  return 1;
}

/* -------} */


/* {------- copies ------- */

/*
** a:copy([dtype]): a new array in row-major order.  A value that the dtype
** does not hold exactly is an error; float dtypes round.
*/
static int copy (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  mascon_dtype t = mcl_optdtype(L, 2, mascon_dtype_of(a));
  mcl_nooptions(L, 2);
  mcl_assign(L, 1, mcl_newarray(L, t, a->ndim, a->shape, false));
  return 1;
}


/*
** a:cast(dtype [, mode]): a new array.  Where an integer dtype does not hold
** a value: "round" (the default) takes the nearest whole number, halves to
** even; "floor", "ceil" and "trunc" the one below, above, or towards 0;
** "clip" the nearest number in the dtype's range.  NaN, and what is then still
** out of range, are errors.
*/
static int cast (lua_State *L) {
  static const char *const modes[] = {"round", "floor", "ceil", "trunc",
                                      "clip", NULL};
  const mascon_array *a = mcl_checkarray(L, 1);
  int mode = luaL_checkoption(L, 3, "round", modes) + MASCON_ROUND;
  mascon_array *out;
  mcl_call c;
  luaL_checkany(L, 2);
  mcl_nooptions(L, 3);
  mcl_begin(L, &c, 0);
  out = mcl_newarray(L, mcl_optdtype(L, 2, MASCON_F64), a->ndim, a->shape,
                     false);
  checkcopy(L, 1, out, &c, mascon_cast(a, mode, out, &c.ex));
  return 1;
}


/* an array that becomes tables */
typedef struct reader {
  const mascon_array *a;
  int64_t done;  /* elements */
  mcl_call call;
} reader;


/* push the part of the array at 'p', from 'axis' on, as a table */
static void pushtable (lua_State *L, reader *r, int axis, const char *p) {
  const mascon_array *a = r->a;
  int64_t n = a->shape[axis];
  lua_createtable(L, n < INT32_MAX ? (int)n : INT32_MAX, 0);
  for (int64_t i = 0; i < n; i++) {
    if (axis + 1 < a->ndim) pushtable(L, r, axis + 1, p);
    else {
      mcl_poll(L, &r->call, ++r->done, mascon_count(a));
      mcl_pushelement(L, mascon_dtype_of(a), p);
    }
    lua_rawseti(L, -2, i + 1);
    p += a->stride[axis] * (a->dtype.bits / 8);
  }
}


/* a:totable(): the elements in tables, nested for each axis */
static int totable (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  reader r = {0};
  mascon_array *v;
  mcl_noarguments(L, 1);
  v = mcl_pushhandle(L);  /* tables may run a finalizer, which may close 'a' */
  mcl_check(L, mascon_view(v, a));
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  mcl_begin(L, &r.call, 0);
  r.a = v;
  pushtable(L, &r, 0, v->data);
  return 1;
}

/* -------} */


/* {------- joining ------- */

/*
** The arrays to be joined, at 'from' to the top (unpacked from a table there,
** if that is all there is): how many.  '*t' becomes a dtype for all.
*/
static int checkparts (lua_State *L, int from, mascon_dtype *t) {
  int n = lua_gettop(L) - from + 1;
  if (n == 1 && lua_type(L, from) == LUA_TTABLE) {
    n = (int)lua_rawlen(L, from);
    luaL_checkstack(L, n + LUA_MINSTACK, "too many arrays");
    for (int i = 1; i <= n; i++) lua_rawgeti(L, from, i);
    lua_remove(L, from);
  }
  luaL_argcheck(L, n > 0, from, "array expected, got no value");
  for (int i = 0; i < n; i++) {
    mascon_dtype own = mascon_dtype_of(mcl_checkarray(L, from + i));
    *t = i == 0 ? own : mascon_dtype_join(*t, own);
  }
  return n;
}


/* 'part' may differ from 'a' along 'axis' (-1: nowhere) only */
static void checkfit (lua_State *L, int arg, const mascon_array *a,
                      const mascon_array *part, int axis) {
  bool same = part->ndim == a->ndim;
  for (int i = 0; same && i < a->ndim; i++)
    same = i == axis || part->shape[i] == a->shape[i];
  if (!same)
    luaL_argerror(L, arg, lua_pushfstring(L, "%s does not fit %s",
                  mcl_describe(L, arg),
                  mcl_pushshape(L, a->ndim, a->shape)));
}


/* write the array at 'arg' to 'count' places from 'first' of an axis */
static void place (lua_State *L, int arg, const mascon_array *out, int axis,
                   int64_t first, int64_t count, bool drop) {
  mascon_array bare = *out, part;
  bare.buffer = NULL;  /* no reference is taken: nothing to release */
  mcl_check(L, drop ? mascon_select(&part, &bare, axis, first)
                    : mascon_narrow(&part, &bare, axis, first, count, 1));
  mcl_assign(L, arg, &part);
}


/*
** concat(axis, a, b, ...), concat(axis, {a, b, ...}): a new array, the parts
** one after the other along an axis; the other sizes must be the same, and
** the dtype is the smallest that holds all
*/
static int concat (lua_State *L) {
  int64_t shape[MASCON_MAXDIM], at = 0;
  mascon_dtype t;
  int n = checkparts(L, 2, &t);
  const mascon_array *a = mcl_checkarray(L, 2);
  int axis = mcl_checkaxis(L, 1, a->ndim);
  mascon_array *out;
  memcpy(shape, a->shape, sizeof shape);
  shape[axis] = 0;
  for (int i = 0; i < n; i++) {
    const mascon_array *part = mcl_checkarray(L, 2 + i);
    checkfit(L, 2 + i, a, part, axis);
    if (__builtin_add_overflow(shape[axis], part->shape[axis], &shape[axis]))
      mcl_check(L, MASCON_ETOOBIG);
  }
  out = mcl_newarray(L, t, a->ndim, shape, false);
  for (int i = 0; i < n; i++) {
    int64_t count = mcl_checkarray(L, 2 + i)->shape[axis];
    place(L, 2 + i, out, axis, at, count, false);
    at += count;
  }
  return 1;
}


/*
** stack(a, b, ...), stack({a, b, ...}): a new array with one axis more, in
** front; the parts have one shape
*/
static int stack (lua_State *L) {
  int64_t shape[MASCON_MAXDIM];
  mascon_dtype t;
  int n = checkparts(L, 1, &t);
  const mascon_array *a = mcl_checkarray(L, 1);
  mascon_array *out;
  luaL_argcheck(L, a->ndim < MASCON_MAXDIM, 1, "array has 4 axes already");
  for (int i = 0; i < n; i++)
    checkfit(L, 1 + i, a, mcl_checkarray(L, 1 + i), -1);
  shape[0] = n;
  memcpy(shape + 1, a->shape, (size_t)a->ndim * sizeof *shape);
  out = mcl_newarray(L, t, a->ndim + 1, shape, false);
  for (int i = 0; i < n; i++) place(L, 1 + i, out, 0, i, 1, true);
  return 1;
}

/* -------} */


void mcl_opencopy (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"concat", concat},
    {"stack", stack},
    {NULL, NULL}
  };
  static const luaL_Reg methods[] = {
    {"assign", assign},
    {"cast", cast},
    {"copy", copy},
    {"fill", fill},
    {"totable", totable},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
  mcl_addmethods(L, methods);
}

/*
** mcl_random.c - random numbers: a seed and a position in its stream
*/

#include <string.h>

#include "mcl.h"

#define GENERATOR "mascon.random"  /* name of its metatable */

typedef struct generator {
  uint64_t seed;
  uint64_t position;  /* numbers drawn so far */
} generator;

/* one of the library's draws, for a call with arguments from 'arg' on */
typedef struct draw {
  int (*floats) (uint64_t seed, uint64_t position, mascon_array *out,
                 mascon_exec *ex);
  int64_t lo, hi;     /* where 'floats' is NULL: integers */
  mascon_dtype type;  /* default */
} draw;


static generator *check (lua_State *L) {
  return luaL_checkudata(L, 1, GENERATOR);
}


static int fill (const draw *d, const generator *g, mascon_array *out,
                 mascon_exec *ex) {
  return d->floats != NULL
         ? d->floats(g->seed, g->position, out, ex)
         : mascon_random_integers(g->seed, g->position, d->lo, d->hi, out,
                                  ex);
}


/* no shape: one number */
static int single (lua_State *L, generator *g, const draw *d) {
  double x = 0;
  int64_t i = 0, one = 1;
  mascon_array a;
  mcl_call c;
  mcl_begin(L, &c, 0);
  mascon_describe(&a, d->floats != NULL ? (void *)&x : &i, d->type, 1, &one,
                  NULL, 0);
  mcl_end(L, &c, fill(d, g, &a, &c.ex));
  if (d->floats != NULL) lua_pushnumber(L, x);
  else mcl_pushint(L, i);
  g->position++;
  return 1;
}


/* raise for an array or dtype at 'arg' that does not hold this draw */
static void checktype (lua_State *L, int arg, const draw *d, mascon_dtype t) {
  bool isfloat = t == MASCON_F64 || t == MASCON_F32;
  if (d->floats != NULL && !isfloat)
    mcl_typeerror(L, arg, "f32 or f64");
  if (d->floats == NULL && (isfloat || !mascon_dtype_fits_int(t, d->lo) ||
                            !mascon_dtype_fits_int(t, d->hi)))
    mcl_typeerror(L, arg, lua_pushfstring(L,
                  "integer dtype that holds %I to %I", (lua_Integer)d->lo,
                  (lua_Integer)d->hi));
}


/* arguments from 'arg' on: an array to fill, or sizes and perhaps a dtype */
static int drawn (lua_State *L, generator *g, const draw *d, int arg) {
  int top = lua_gettop(L), n = top - arg + 1;
  int64_t shape[MASCON_MAXDIM];
  mascon_dtype t = d->type;
  mascon_array *out;
  mcl_call c;
  mcl_nooptions(L, arg - 1);
  if (n <= 0) return single(L, g, d);
  if (n == 1 && mcl_toarray(L, arg) != NULL) {
    out = mcl_checkout(L, arg);
    checktype(L, arg, d, mascon_dtype_of(out));
    mcl_begin(L, &c, 0);
  }
  else {
    if (lua_type(L, top) == LUA_TSTRING) {
      t = mcl_optdtype(L, top, t);
      checktype(L, top, d, t);
      n--;
    }
    luaL_argcheck(L, n >= 1 && n <= MASCON_MAXDIM, arg,
                  "1 to 4 sizes or an array expected");
    for (int i = 0; i < n; i++) {
      shape[i] = luaL_checkinteger(L, arg + i);
      luaL_argcheck(L, shape[i] >= 0, arg + i, "size is negative");
    }
    mcl_begin(L, &c, 0);
    out = mcl_newarray(L, t, n, shape, false);
  }
  mcl_end(L, &c, fill(d, g, out, &c.ex));
  g->position += (uint64_t)mascon_count(out);
  return 1;
}


/*
** r:uniform(n1, ..., n4 [, dtype]): a new array of numbers in (0, 1), f64 or
** f32; r:uniform(a): fills 'a' and returns it; r:uniform(): one number
*/
static int uniform (lua_State *L) {
  static const draw d = {mascon_random_uniform, 0, 0, MASCON_F64};
  return drawn(L, check(L), &d, 2);
}


/* r:normal(...): as uniform; mean 0, deviation 1 */
static int normal (lua_State *L) {
  static const draw d = {mascon_random_normal, 0, 0, MASCON_F64};
  return drawn(L, check(L), &d, 2);
}


/*
** r:integers(lo, hi, n1, ..., n4 [, dtype]): as uniform; integers from lo to
** hi, both included; i64 or another integer dtype that holds both
*/
static int integers (lua_State *L) {
  generator *g = check(L);
  draw d = {NULL, luaL_checkinteger(L, 2), luaL_checkinteger(L, 3),
            MASCON_I64};
  luaL_argcheck(L, d.lo <= d.hi, 3, lua_pushfstring(L,
                "at least %I expected, got %I", (lua_Integer)d.lo,
                (lua_Integer)d.hi));
  return drawn(L, g, &d, 4);
}


/* r:permutation(n): the integers from 1 to n in random order; i32, or i64
   from 2^31 on */
static int permutation (lua_State *L) {
  generator *g = check(L);
  int64_t n = luaL_checkinteger(L, 2);
  mascon_array *out;
  mcl_call c;
  mcl_nooptions(L, 2);
  luaL_argcheck(L, n >= 0, 2, "size is negative");
  mcl_begin(L, &c, 0);
  out = mcl_newarray(L, n > INT32_MAX ? MASCON_I64 : MASCON_I32, 1, &n,
                     false);
  mcl_end(L, &c, mascon_random_permutation(g->seed, g->position, 1, out,
                                           &c.ex));
  g->position += (uint64_t)n;
  return 1;
}


/* r.seed, r.position, methods (upvalue 2) */
static int metaindex (lua_State *L) {
  const generator *g = check(L);
  const char *name = luaL_checkstring(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) return 1;
  if (strcmp(name, "seed") == 0) mcl_pushint(L, (int64_t)g->seed);
  else if (strcmp(name, "position") == 0)
    mcl_pushint(L, (int64_t)g->position);
  else return luaL_error(L, "generator has no field or method '%s'", name);
  return 1;
}


/* r.position = n: go on from there */
static int metanewindex (lua_State *L) {
  generator *g = check(L);
  const char *name = luaL_checkstring(L, 2);
  if (strcmp(name, "position") != 0)
    return luaL_error(L, "generator has no field '%s' to set", name);
  g->position = (uint64_t)luaL_checkinteger(L, 3);
  return 0;
}


/* random(seed): a generator at position 0 of the stream of an integer */
static int newgenerator (lua_State *L) {
  lua_Integer seed = luaL_checkinteger(L, 1);
  generator *g = lua_newuserdatauv(L, sizeof *g, 0);
  g->seed = (uint64_t)seed;
  g->position = 0;
  luaL_setmetatable(L, GENERATOR);
  return 1;
}


/*
** philox(key, c0, c1, c2, c3): the block of four 32-bit words at a counter
** of four, by which the generator is tested
*/
static int philox (lua_State *L) {
  uint32_t words[4];
  uint64_t key = (uint64_t)luaL_checkinteger(L, 1);
  for (int i = 0; i < 4; i++) {
    lua_Integer c = luaL_checkinteger(L, i + 2);
    luaL_argcheck(L, 0 <= c && c <= UINT32_MAX, i + 2,
                  "0 to 4294967295 expected");
    words[i] = (uint32_t)c;
  }
  mascon_philox(key, words, words);
  for (int i = 0; i < 4; i++) lua_pushinteger(L, words[i]);
  return 4;
}


void mcl_openrandom (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"random", newgenerator},
    {"philox", philox},
    {NULL, NULL}
  };
  static const luaL_Reg methods[] = {
    {"uniform", uniform},
    {"normal", normal},
    {"integers", integers},
    {"permutation", permutation},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
  mcl_newtype(L, GENERATOR);
  lua_pushcfunction(L, metanewindex);
  lua_setfield(L, -2, "__newindex");
  luaL_getmetatable(L, MCL_ARRAY);
  luaL_newlibtable(L, methods);
  luaL_getmetatable(L, MCL_ARRAY);
  luaL_setfuncs(L, methods, 1);
  lua_pushcclosure(L, metaindex, 2);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

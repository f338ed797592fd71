/*
** mcl_elem.c - operators, math functions, comparisons, masks, where
**
** A function of the table below is a closure: upvalue 1 is the metatable of
** arrays, upvalue 2 the number of the operation.
*/

#include <string.h>

#include "mcl.h"

#define OP (int)lua_tointeger(L, lua_upvalueindex(2))


/* {------- operands ------- */

/* an operand: an array, or a number that is to be one */
typedef struct operand {
  const mascon_array *a;
  mascon_array scalar;
  mcl_number value;
} operand;


/* the array or number at 'arg'; a number is stored later */
static bool isarray (lua_State *L, int arg, operand *x) {
  x->a = mcl_toarray(L, arg);
  if (x->a == NULL && lua_type(L, arg) != LUA_TNUMBER)
    mcl_typeerror(L, arg, "array or number");
  return x->a != NULL;
}


/* does 't' hold the number at 'arg'? */
static bool fits (lua_State *L, int arg, mascon_dtype t) {
  return lua_isinteger(L, arg)
    ? mascon_dtype_fits_int(t, lua_tointeger(L, arg))
    : mascon_dtype_fits(t, lua_tonumber(L, arg));
}


/* make the number at 'arg' a scalar for company of dtype 't' */
static void toscalar (lua_State *L, int arg, operand *x, mascon_dtype t) {
  static const int64_t one = 1;
  if (!fits(L, arg, t)) t = MASCON_F64;
  mcl_setelement(L, arg, t, &x->value);
  mcl_check(L, mascon_describe(&x->scalar, &x->value, t, 1, &one, NULL, 0));
  x->a = &x->scalar;
}


/* the two operands at 'arg' and 'arg + 1' */
static void operands (lua_State *L, int arg, operand *x, operand *y) {
  bool ax = isarray(L, arg, x), ay = isarray(L, arg + 1, y);
  if (!ax && ay) toscalar(L, arg, x, mascon_dtype_of(y->a));
  else if (ax && !ay) toscalar(L, arg + 1, y, mascon_dtype_of(x->a));
  else if (!ax) {
    bool whole = lua_isinteger(L, arg) && lua_isinteger(L, arg + 1);
    toscalar(L, arg, x, whole ? MASCON_I64 : MASCON_F64);
    toscalar(L, arg + 1, y, whole ? MASCON_I64 : MASCON_F64);
  }
}

/* -------} */


/* {------- results ------- */

static void badshapes (lua_State *L, int n, const mascon_array *const *in) {
  for (int k = 0; k < n; k++) {
    if (k > 0) lua_pushliteral(L, " and ");
    mcl_pushshape(L, in[k]->ndim, in[k]->shape);
  }
  lua_concat(L, 2 * n - 1);
  luaL_error(L, "shapes do not broadcast: %s", lua_tostring(L, -1));
}


/* the place of the result: 'out' at 'arg' if given, or a new array; pushed */
static mascon_array *pushout (lua_State *L, int arg, mascon_dtype t, int n,
                              const mascon_array *const *in) {
  int64_t shape[MASCON_MAXDIM];
  int ndim;
  if (mascon_broadcast(n, in, shape, &ndim) != MASCON_OK) badshapes(L, n, in);
  return mcl_optout(L, arg, t, true, ndim, shape);
}


/* raise a status that is better said in the words of this call */
static void finish (lua_State *L, mcl_call *c, int status, mascon_dtype t) {
  if (status == MASCON_EOVERFLOW)
    luaL_error(L, "a result does not fit %s (convert an operand first)",
               mascon_dtype_name(t));
  if (status == MASCON_EVALUE) luaL_error(L, "division of an integer by zero");
  mcl_end(L, c, status);
}

/* -------} */


/* {------- functions ------- */

/*
** add(a, b [, out [, opts]]), a:add(b ...), a + b: result of an operation on
** arrays or an array and a number.  opts: threads, progress.
*/
static int runbinary (lua_State *L, int op, int out, int opts) {
  operand x, y;
  const mascon_array *in[2];
  mascon_dtype t;
  mascon_array *r;
  mcl_call c;
  operands(L, 1, &x, &y);
  if (x.a == &x.scalar && y.a == &y.scalar) mcl_typeerror(L, 1, "array");
  in[0] = x.a;
  in[1] = y.a;
  t = mascon_binary_dtype(op, mascon_dtype_of(x.a), mascon_dtype_of(y.a));
  if (t == MASCON_NDTYPE) {
    int bad = mascon_dtype_of(x.a) != MASCON_U8 ? 1 : 2;
    mcl_typeerror(L, bad, "u8 mask");
  }
  mcl_begin(L, &c, opts);
  r = pushout(L, out, t, 2, in);
  finish(L, &c, mascon_binary(op, x.a, y.a, r, &c.ex), t);
  return 1;
}


static int binary (lua_State *L) {
  static const char *const names[] = {"threads", "progress", NULL};
  lua_settop(L, 4);
  mcl_options(L, 4, names);
  return runbinary(L, OP, 3, 4);
}


static int binarymeta (lua_State *L) {
  lua_settop(L, 3);
  return runbinary(L, OP, 3, 0);
}


static int rununary (lua_State *L, int op, int out, int opts) {
  const mascon_array *a = mcl_checkarray(L, 1);
  mascon_dtype t = mascon_unary_dtype(op, mascon_dtype_of(a));
  mascon_array *r;
  mcl_call c;
  if (t == MASCON_NDTYPE) mcl_typeerror(L, 1, "u8 mask");
  mcl_begin(L, &c, opts);
  r = pushout(L, out, t, 1, &a);
  finish(L, &c, mascon_unary(op, a, r, &c.ex), t);
  return 1;
}


/* exp(a [, out [, opts]]), a:exp(...) */
static int unary (lua_State *L) {
  static const char *const names[] = {"threads", "progress", NULL};
  lua_settop(L, 3);
  mcl_options(L, 3, names);
  return rununary(L, OP, 2, 3);
}


/* -a, ~a: Lua passes the operand twice */
static int unarymeta (lua_State *L) {
  lua_settop(L, 1);
  return rununary(L, OP, 2, 0);
}


/*
** where(mask, a, b [, out [, opts]]): elements of a where the u8 mask is not
** 0, else of b; either may be a number
*/
static int where (lua_State *L) {
  static const char *const names[] = {"threads", "progress", NULL};
  operand x, y;
  const mascon_array *in[3];
  mascon_array *r;
  mcl_call c;
  lua_settop(L, 5);
  mcl_options(L, 5, names);
  in[0] = mcl_toarray(L, 1);
  if (in[0] == NULL || mascon_dtype_of(in[0]) != MASCON_U8)
    mcl_typeerror(L, 1, "u8 mask");
  operands(L, 2, &x, &y);
  in[1] = x.a;
  in[2] = y.a;
  mcl_begin(L, &c, 5);
  r = pushout(L, 4, mascon_dtype_join(mascon_dtype_of(x.a),
                                      mascon_dtype_of(y.a)), 3, in);
  mcl_end(L, &c, mascon_where(in[0], x.a, y.a, r, &c.ex));
  return 1;
}

/* -------} */


/* {------- tables of contents ------- */

typedef struct entry {
  const char *name;
  int op;
} entry;


/* 'list' as closures of 'f' into the table on top of the stack */
static void addlist (lua_State *L, const entry *list, lua_CFunction f) {
  for (; list->name != NULL; list++) {
    luaL_getmetatable(L, MCL_ARRAY);
    lua_pushinteger(L, list->op);
    lua_pushcclosure(L, f, 2);
    lua_setfield(L, -2, list->name);
  }
}


static const entry binaries[] = {
  {"add", MASCON_OP_ADD},
  {"subtract", MASCON_OP_SUBTRACT},
  {"multiply", MASCON_OP_MULTIPLY},
  {"divide", MASCON_OP_DIVIDE},
  {"idiv", MASCON_OP_IDIV},
  {"mod", MASCON_OP_MOD},
  {"power", MASCON_OP_POWER},
  {"minimum", MASCON_OP_MINIMUM},
  {"maximum", MASCON_OP_MAXIMUM},
  {"atan2", MASCON_OP_ATAN2},
  {"hypot", MASCON_OP_HYPOT},
  {"lt", MASCON_OP_LT},
  {"le", MASCON_OP_LE},
  {"gt", MASCON_OP_GT},
  {"ge", MASCON_OP_GE},
  {"eq", MASCON_OP_EQ},
  {"ne", MASCON_OP_NE},
  {"land", MASCON_OP_AND},
  {"lor", MASCON_OP_OR},
  {"lxor", MASCON_OP_XOR},
  {NULL, 0}
};

static const entry unaries[] = {
  {"negate", MASCON_OP_NEGATE},
  {"abs", MASCON_OP_ABS},
  {"sign", MASCON_OP_SIGN},
  {"floor", MASCON_OP_FLOOR},
  {"ceil", MASCON_OP_CEIL},
  {"round", MASCON_OP_ROUND},
  {"trunc", MASCON_OP_TRUNC},
  {"sqrt", MASCON_OP_SQRT},
  {"cbrt", MASCON_OP_CBRT},
  {"exp", MASCON_OP_EXP},
  {"expm1", MASCON_OP_EXPM1},
  {"log", MASCON_OP_LOG},
  {"log1p", MASCON_OP_LOG1P},
  {"log2", MASCON_OP_LOG2},
  {"log10", MASCON_OP_LOG10},
  {"sin", MASCON_OP_SIN},
  {"cos", MASCON_OP_COS},
  {"tan", MASCON_OP_TAN},
  {"asin", MASCON_OP_ASIN},
  {"acos", MASCON_OP_ACOS},
  {"atan", MASCON_OP_ATAN},
  {"sinh", MASCON_OP_SINH},
  {"cosh", MASCON_OP_COSH},
  {"tanh", MASCON_OP_TANH},
  {"erf", MASCON_OP_ERF},
  {"erfc", MASCON_OP_ERFC},
  {"isnan", MASCON_OP_ISNAN},
  {"isinf", MASCON_OP_ISINF},
  {"isfinite", MASCON_OP_ISFINITE},
  {"lnot", MASCON_OP_NOT},
  {NULL, 0}
};

static const entry binarymetas[] = {
  {"__add", MASCON_OP_ADD},
  {"__sub", MASCON_OP_SUBTRACT},
  {"__mul", MASCON_OP_MULTIPLY},
  {"__div", MASCON_OP_DIVIDE},
  {"__idiv", MASCON_OP_IDIV},
  {"__mod", MASCON_OP_MOD},
  {"__pow", MASCON_OP_POWER},
  {"__band", MASCON_OP_AND},
  {"__bor", MASCON_OP_OR},
  {"__bxor", MASCON_OP_XOR},
  {NULL, 0}
};

static const entry unarymetas[] = {
  {"__unm", MASCON_OP_NEGATE},
  {"__bnot", MASCON_OP_NOT},
  {NULL, 0}
};


void mcl_openelem (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"where", where},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
  addlist(L, binaries, binary);
  addlist(L, unaries, unary);
  luaL_getmetatable(L, MCL_ARRAY);
  addlist(L, binarymetas, binarymeta);
  addlist(L, unarymetas, unarymeta);
  lua_getfield(L, -1, "methods");
  addlist(L, binaries, binary);
  addlist(L, unaries, unary);
  lua_pop(L, 2);
}

/* -------} */

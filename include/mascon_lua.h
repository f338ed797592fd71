/*
** mascon_lua.h - arrays between C and Lua
**
** Three doors.  The first is this header alone: a Lua C module that includes
** it reads and writes arrays without linking anything of mascon.  The second
** is a table of functions that mascon leaves in the registry, for such a
** module to make arrays and keep them.  The third is for hosts that link
** libmascon_lua.  It is written for Lua 5.1 (LuaJIT) to 5.4.
**
** How long a pointer lives.  The struct is the userdata's own memory, and it
** keeps the elements: both stay while the value is on the stack (or in a
** table, an upvalue, the registry) and is not closed.  After lua_pop the next
** step of the collector may free both.  A host that needs the elements longer
** takes a handle of its own, mascon_view(&mine, a), and gives it up by
** mascon_release(&mine): on any thread, also after lua_close.
*/

#ifndef MASCON_LUA_H
#define MASCON_LUA_H

#include <lauxlib.h>
#include <lua.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "mascon.h"

#define MASCON_METATABLE "mascon.array"  /* in the registry */
#define MASCON_FUNCTIONS "mascon.functions"

/* what every array has, of whatever version: fields are only appended */
#define MASCON_ARRAYSIZE (offsetof(mascon_array, buffer) + sizeof(void *))

#if LUA_VERSION_NUM < 502
#define mascon_rawlen lua_objlen  /* Lua 5.1's name, and LuaJIT's */
#else
#define mascon_rawlen lua_rawlen
#endif

#ifdef __cplusplus
extern "C" {
#endif


/* {====================================================================
** Header only
** ===================================================================== */

/*
** Ownership: the array is the value's on the stack; the pointer is good as long
** as that stays and is not closed. Texts are on the stack.
** Threads: that of the state; the elements may be used by any.
*/

/*
** The array at index 'i', or NULL where there is none, or it is closed.  The
** cheapest way to an array: two calls of the Lua API.  It trusts the first
** bytes of a userdata, which another module may let a script write; use
** mascon_checkarray for values that anybody may pass.
*/
static inline mascon_array *mascon_toarray (lua_State *L, int i) {
  mascon_array *a = (mascon_array *)lua_touserdata(L, i);
  if (a == NULL || mascon_rawlen(L, i) < MASCON_ARRAYSIZE) return NULL;
  return a->magic == MASCON_MAGIC && a->abi == MASCON_ABI ? a : NULL;
}


/* push what the array is, such as "f32 matrix 3 x 4" */
static inline const char *mascon_pushkind (lua_State *L,
                                           const mascon_array *a) {
  lua_pushfstring(L, "%c%d ", "iuf"[a->dtype.code % 3], (int)a->dtype.bits);
  if (a->ndim == 1) lua_pushliteral(L, "vector");
  else if (a->ndim == 2) lua_pushliteral(L, "matrix");
  else lua_pushfstring(L, "%d-D array", (int)a->ndim);
  for (int k = 0; k < a->ndim; k++) {
    lua_pushstring(L, k == 0 ? " " : " x ");
    lua_pushinteger(L, (lua_Integer)a->shape[k]);
  }
  lua_concat(L, 2 + 2 * a->ndim);
  return lua_tostring(L, -1);
}


/* is the word of 'n' bytes at 'w' ("any", "f32|f64", "matrix") true of 'a'? */
static inline int mascon_isword (const mascon_array *a, const char *w,
                                 size_t n) {
  static const char letters[] = "iuf";
  const char *end = w + n;
  if (n == 6 && memcmp(w, "vector", n) == 0) return a->ndim == 1;
  if (n == 6 && memcmp(w, "matrix", n) == 0) return a->ndim == 2;
  if (n == 8 && memcmp(w, "writable", n) == 0)
    return !mascon_isreadonly(a);
  if (n == 5 && memcmp(w, "array", n) == 0) return 1;
  if (n == 3 && memcmp(w, "any", n) == 0) return 1;
  for (; w < end; w++) {  /* dtypes between bars */
    if (*w == letters[a->dtype.code % 3] &&
        strtol(w + 1, NULL, 10) == a->dtype.bits) return 1;
    while (w < end && *w != '|') w++;
  }
  return 0;
}


/* push why the array at 'arg' is none for this module */
static inline const char *mascon_pushabsent (lua_State *L, int arg) {
  const mascon_array *a = (const mascon_array *)lua_touserdata(L, arg);
  if (a == NULL || a->magic != MASCON_MAGIC || a->abi == MASCON_ABI)
    return "closed array";
  return lua_pushfstring(L, "array of abi %d; this module was built for abi "
                         "%d of mascon", (int)a->abi, MASCON_ABI);
}


/*
** mascon_checkarray: the array that is argument 'arg', into '*a'; raises
** "bad argument #1 to 'f' (f64 matrix expected, got i32 vector 3)" where it is
** none, is closed, or is not what is wanted.  The metatable is checked, so no
** userdata of another module passes.
**
** want  words with one space between, all of which must be true:
**       f64 f32 i64 i32 u16 u8, or several with bars: f32|f64
**       vector, matrix    one axis, two axes
**       writable          not read-only
**       any, array        true of every array
**
**   mascon_checkarray(L, 1, "any", &a);
**   mascon_checkarray(L, 1, "f32|f64 vector", &a);
**   mascon_checkarray(L, 2, "writable f64 matrix", &a);
*/
static inline void mascon_checkarray (lua_State *L, int arg, const char *want,
                                      mascon_array **a) {
  const char *expected = strcmp(want, "any") == 0 ? "array" : want, *got;
  int ours = luaL_testudata(L, arg, MASCON_METATABLE) != NULL, fits;
  *a = mascon_toarray(L, arg);
  fits = ours && *a != NULL;
  for (const char *w = want; fits && *w != '\0'; ) {
    size_t n = strcspn(w, " ");
    fits = mascon_isword(*a, w, n);
    w += n + (w[n] == ' ');
  }
  if (fits) return;
  if (!ours) got = luaL_typename(L, arg);
  else if (*a == NULL) got = mascon_pushabsent(L, arg);
  else got = mascon_pushkind(L, *a);
  luaL_argerror(L, arg, lua_pushfstring(L, "%s expected, got %s%s", expected,
                ours && *a != NULL && mascon_isreadonly(*a) ? "read-only "
                                                            : "", got));
}

/* }==================================================================== */


/* {====================================================================
** Kernels of your own, as functions of Lua
** ===================================================================== */

/*
** Ownership: a descriptor and its texts are copied. 'ud' and the functions must
** stay as long as the function in Lua does, at most until the state is closed;
** then 'release' is called.
** Threads: that of the state registers and calls; 'body' runs on several at
** once, all else on the calling one. Other states register the kernel for
** themselves.
*/

/*
** Makes rows first to last - 1 (of the first axis) of every output.  Several
** threads call it at once, for other rows each, so it must not touch a
** lua_State.  in and out are in the order of the signature; elements are at
** data and stride, in elements.  Of the outputs nothing is set before.
** Returns 0; or nonzero, which stops the others and becomes an error of Lua: a
** status of mascon.h, or a negative number of your own (see 'message').
*/
typedef int (*mascon_kernel_fn) (void *ud, const mascon_array *in,
                                 const mascon_array *out, int64_t first,
                                 int64_t last);

/* for 'flags' */
#define MASCON_INPLACE 1u   /* an output may be an input (the same elements):
                               a row is read before it is written, by itself */
#define MASCON_ROWMAJOR 2u  /* 'body' knows only elements in row-major order
                               without gaps: what is not is copied for it */

#define MASCON_KERNELARGS 8  /* inputs and outputs together */

/*
** What a kernel is; start from MASCON_KERNEL_INIT.
**
** The signature says what the inputs and the outputs are:
**
**   "f64 (n, k), f64 (m, k) -> i32 (n), f64 (n)"
**
** An input or output is a dtype and its axes in parentheses.  An axis is a name
** (letters, digits, _), or a number, its size.  Axes of one name have one size.
** (n) is a vector, (n, k) a matrix, () a number, which 'body' gets (or is to
** put) as an array of one element.  A dtype is f64, f32, i64, i32, u16 or u8.
** Inputs may have several: f32|f64.  A capital letter stands for a dtype that is
** the same all over: "T:f32|f64 (n), T (n) -> T (n)"; it is explained where it
** comes first, in an input.  The first axis of all outputs is the same; its
** rows are what threads share.  Where all outputs are numbers there is one row.
*/
typedef struct mascon_kernel {
  size_t size;            /* sizeof(mascon_kernel) */
  const char *name;       /* for messages */
  const char *signature;
  mascon_kernel_fn body;
  void *ud;               /* what 'body' and the others get */

  /* NULL, or called once, by the collector of the state: 'ud' is needed no
     more */
  void (*release) (void *ud);

  int64_t grain;          /* rows of a block, as for mascon_parallel_for */
  unsigned flags;

  /* the size of an axis that no input has; called on the calling thread before
     anything runs, nonzero is an error as from 'body'.  NULL if there is none */
  int (*length) (void *ud, const mascon_array *in, const char *axis,
                 int64_t *n);

  /* NULL, or the text of a status of 'body' or 'length'; NULL from it: the
     usual one.  Called on the calling thread */
  const char *(*message) (void *ud, int status);
} mascon_kernel;

#define MASCON_KERNEL_INIT \
  {sizeof(mascon_kernel), NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL}

/*
** mascon_register (a function of libmascon_lua, and of the table below as
** register_kernel): push a function of Lua that runs the kernel,
**
**   out1, ... = f(in1, ... [, out1, ...] [, {threads =, progress =}])
**
** It takes the inputs, then arrays for the outputs (nil or none: new ones), then
** options.  Arguments are checked by the signature, and the errors are those of
** mascon's own functions ("bad argument #2 to 'f' (f64 matrix m x 3 expected, got
** f64 vector 4)").  An output that overlaps an input, or another output, is an
** error, but for MASCON_INPLACE.  Outputs that are numbers (an i64 beyond 53 bits
** is none in LuaJIT) take no argument.  Ctrl-C and progress work as for every
** call.  After an error a given output may have been written in part.
**
** Raises an error of Lua where the descriptor is wrong (which says how), memory
** is short, or mascon is not open in the state; 'ud' is the caller's then, and
** 'release' is not called.
*/
MASCON_API void mascon_register (lua_State *L, const mascon_kernel *k);

/* }==================================================================== */


/* {====================================================================
** The table of functions
** ===================================================================== */

/*
** Ownership: the table is a constant of the library. Of its functions see the
** comments in it, or those of the functions of this name.
** Threads: as for those; whatever takes a lua_State is for the thread of the
** state.
*/

/*
** What a module that links nothing calls.  The table is in the registry under
** MASCON_FUNCTIONS, from when "mascon.core" is loaded; functions are only
** appended, and 'size' tells which there are.  It is a constant of the library,
** and valid as long as the state is open.
*/
typedef struct mascon_functions {
  size_t size;  /* sizeof(mascon_functions) for who made it */
  int abi;      /* MASCON_ABI, of arrays */

  /* push a new array, elements not set (zeroed: each zero), and return it;
     raises where sizes or memory do not allow it */
  mascon_array *(*make) (lua_State *L, mascon_dtype t, int ndim,
                         const int64_t *shape, int zeroed);

  /* mascon_push: a value for Lua that shares the memory of 'a' */
  int (*push) (lua_State *L, const mascon_array *a);

  /* mascon_wrap: an array over the module's own memory; push it, release it */
  int (*wrap) (mascon_array *a, void *p, mascon_dtype t, int ndim,
               const int64_t *shape, const int64_t *stride,
               mascon_release_fn release, void *ctx, unsigned flags);

  /* mascon_view, mascon_release: 'mine' keeps the elements of 'a', whatever
     becomes of the value in Lua; give it up on any thread */
  int (*retain) (mascon_array *mine, const mascon_array *a);
  void (*release) (mascon_array *mine);

  const char *(*strerror) (int status);

  /* mascon_register, mascon_parallel_for, mascon_cancelled */
  void (*register_kernel) (lua_State *L, const mascon_kernel *k);
  int (*parallel_for) (int64_t n, int64_t grain, mascon_body_fn body, void *ud,
                       mascon_exec *ex);
  int (*cancelled) (void);
} mascon_functions;

/*
** The table of this state, or raise why there is none: mascon is not loaded,
** is of another abi, or older than the module ('mascon 0.1.0 or later ...').
** Call it when the module is opened and keep the pointer, in an upvalue say.
*/
static inline const mascon_functions *mascon_getfunctions (lua_State *L) {
  const mascon_functions *f;
  lua_getfield(L, LUA_REGISTRYINDEX, MASCON_FUNCTIONS);
  f = (const mascon_functions *)lua_touserdata(L, -1);
  lua_pop(L, 1);
  if (f == NULL)
    luaL_error(L, "mascon is not loaded: require \"mascon\" first");
  else if (f->abi != MASCON_ABI)
    luaL_error(L, "mascon has abi %d; this module was built for abi %d",
               f->abi, MASCON_ABI);
  else if (f->size < sizeof *f)
    luaL_error(L, "mascon is older than this module, which was built for "
               "mascon " MASCON_VERSION);
  return f;
}

/* }==================================================================== */


/* {====================================================================
** For hosts that link libmascon_lua
** ===================================================================== */

/*
** Ownership: what is pushed holds a reference of its own; the argument stays
** the caller's.
** Threads: that of the state. Any number of states on any threads may share an
** array.
*/

/*
** Open mascon in a state, leaving the module on the stack; 'require "mascon"'
** finds it from then on.  No file is looked up.  May raise a memory error of
** Lua.
*/
MASCON_API int luaopen_mascon (lua_State *L);

/* the C part alone, what 'require "mascon.core"' loads */
MASCON_API int luaopen_mascon_core (lua_State *L);

/*
** mascon_push: push 'a' as a value for Lua, which shares its memory and holds
** a reference of its own: 'a' stays the caller's, to be released whenever it
** likes.  Memory from malloc is wrapped by mascon_wrap first.
**
** Returns MASCON_OK; or, with nothing pushed: MASCON_ECLOSED, MASCON_EVALUE
** where 'a' has no buffer (it was only described: nobody could know when its
** memory goes) or mascon is not open in the state (or another copy of it is),
** MASCON_ENOMEM where the stack cannot grow.  May raise a memory error of Lua.
*/
MASCON_API int mascon_push (lua_State *L, const mascon_array *a);

/*
** mascon_index_push: push an index, of which the value in Lua holds a reference
** of its own.  The same index may be pushed to any number of states.  Returns
** as mascon_push.
*/
MASCON_API int mascon_index_push (lua_State *L, mascon_index *index);

/* }==================================================================== */

#ifdef __cplusplus
}
#endif

#endif

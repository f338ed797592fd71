/*
** mcl.h - what the files of the binding share
**
** A function of the binding fetches and checks every argument, pushes its
** results as handles (empty, with their metatable, before anything is
** allocated), makes one call into the library and raises on its status.  No
** memory is held by a C local alone while a Lua function that can raise runs.
*/

#ifndef MCL_H
#define MCL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "mcl_lua.h"

#include "mascon_lua.h"

#define MCL_ARRAY MASCON_METATABLE  /* name in the registry */


/* {------- registering (mcl_core.c) ------- */

/*
** Every function of the binding has the metatable of arrays as its first
** upvalue; that is what makes the check of an argument cheap.
*/
#define MCL_META lua_upvalueindex(1)

/* what it keeps for a state, by number */
enum { MCL_SETTINGS = 1, MCL_PRINTING, MCL_ACCOUNT };

/*
** Push the metatable of a type of ours; true: it is new.  Raise where another
** module has registered a type under that name.
*/
bool mcl_newtype (lua_State *L, const char *name);

/* register a type whose objects have methods, and hide its metatable */
void mcl_newclass (lua_State *L, const char *name, const luaL_Reg *meta,
                   const luaL_Reg *methods);

/* add 'funcs' to the table on top of the stack (the module), to the methods of
   arrays, to their metatable */
void mcl_addfuncs (lua_State *L, const luaL_Reg *funcs);
void mcl_addmethods (lua_State *L, const luaL_Reg *funcs);
void mcl_addmeta (lua_State *L, const luaL_Reg *funcs);

/*
** Push what is registered as the metatable of arrays: is it ours?  Our marker
** in it tells it from one of another module, or of another copy of this one.
*/
bool mcl_getmeta (lua_State *L);

/* -------} */


/* {------- the collector (mcl_account.c) ------- */

/* what hangs on the handles of a state */
typedef struct mcl_account {
  int64_t held;     /* bytes */
  int64_t floor;    /* the least held since the last full collection */
  int64_t heap;     /* bytes of Lua's own then */
  int64_t handles;  /* arrays that are not closed or collected */
  int64_t young;    /* handles pushed since then, ... */
  int64_t enough;   /* ... and how many are worth the next collection */
} mcl_account;

/* that of this state; 'meta' is the index of the arrays' metatable */
mcl_account *mcl_account_of (lua_State *L, int meta);

/*
** Before 'bytes' more are allocated, one more handle is pushed.  A full
** collection costs what lives in Lua, and frees what is garbage here: let it
** be worth that.  So the peak stays below twice what lives.  Inside a
** finalizer, and where the script has stopped the collector, it does not run.
*/
void mcl_makeroom (lua_State *L, mcl_account *c, int64_t bytes);
void mcl_makeway (lua_State *L, mcl_account *c);

/* memory is short: collect; a stopped collector stays stopped */
void mcl_collect (lua_State *L);

/* 'bytes' more hang on a handle, or less */
void mcl_put (mcl_account *c, int64_t bytes);

/* tell the collector of 'bytes' that hang on another userdata; less than 0: no
   more */
void mcl_charge (lua_State *L, int64_t bytes);

/* arrays of this state that are not closed or collected */
int64_t mcl_handles (lua_State *L);

/* -------} */


/* {------- arrays (mcl_array.c) ------- */

/* what every array of ours begins with */
typedef struct mcl_head {
  mascon_array a;
  uint64_t secret;  /* no userdata but ours has it */
} mcl_head;

/*
** What is checked instead of the metatable, which costs three calls of the
** API: bytes that no script can write into another module's userdata, as it
** cannot know them.  The first state of the process draws them.
*/
extern _Atomic uint64_t mcl_secret;

/* the array at 'arg', live or closed (magic 0), or NULL */
static inline mascon_array *mcl_peek (lua_State *L, int arg) {
  mcl_head *h = lua_touserdata(L, arg);
  if (h == NULL || lua_rawlen(L, arg) < sizeof *h ||
      h->secret != atomic_load_explicit(&mcl_secret, memory_order_relaxed))
    return NULL;
  return &h->a;
}

/* what is at 'arg' is no array, or a closed one: raise that */
mascon_array *mcl_noarray (lua_State *L, int arg);

/* the array at 'arg', or raise "... (array expected, got table)" */
static inline mascon_array *mcl_checkarray (lua_State *L, int arg) {
  mascon_array *a = mcl_peek(L, arg);
  return a != NULL && a->magic == MASCON_MAGIC ? a : mcl_noarray(L, arg);
}

/* the same, or NULL where it is no array; raises where it is a closed one */
mascon_array *mcl_toarray (lua_State *L, int arg);

/* the same, or NULL where it is no array or a closed one */
mascon_array *mcl_livearray (lua_State *L, int arg);

/* push an empty handle; what is put into it is collected.  The second is
   quicker, where there is an open array of this state */
mascon_array *mcl_pushhandle (lua_State *L);
mascon_array *mcl_pushsibling (lua_State *L, const mascon_array *a);

/* tell the collector of the new array that was put into a handle */
void mcl_adopt (lua_State *L, mascon_array *a);

/* how many arrays, and others, hold the buffer of 'a' */
int64_t mcl_owners (const mascon_array *a);

/*
** What was lent to a callback is back.  If it has more owners than before,
** views were made, to which C leaves the memory: the collector is told.
*/
void mcl_leave (lua_State *L, const mascon_array *lent, int64_t owners);


/*
** Push a new array (zeroed or not).  A failing allocation collects garbage
** and tries again; the collector is told of the bytes.
*/
mascon_array *mcl_newarray (lua_State *L, mascon_dtype t, int ndim,
                            const int64_t *shape, bool zero);

/*
** While Lua code runs inside a call, what the call works on cannot be closed:
** one use more (by = 1) of the arrays at 1 to 'top' and of those a csr there
** has, and one less (by = -1) after it
*/
void mcl_adduses (lua_State *L, int top, int by);

/* raise where the array at 'arg', if it is one, has such uses */
void mcl_checkidle (lua_State *L, int arg);

/* the array at 'arg', which is to be written; raises where it is read-only */
mascon_array *mcl_checkout (lua_State *L, int arg);

/*
** The output at 'arg', or a new array where there is none or nil; pushes it.
** Raises where a given one is read-only, has another shape or another dtype
** (with 'wider': one that does not hold 't').
*/
mascon_array *mcl_optout (lua_State *L, int arg, mascon_dtype t, bool wider,
                          int ndim, const int64_t *shape);

/* raise that the output at 'arg' is none of this dtype and shape */
int mcl_outerror (lua_State *L, int arg, mascon_dtype t, int ndim,
                  const int64_t *shape);

/* a text for messages, such as "f32 matrix 3 x 4" or "number"; pushes it */
const char *mcl_describe (lua_State *L, int arg);

/* raise "bad argument #arg to 'f' (<expected> expected, got <describe>)" */
int mcl_typeerror (lua_State *L, int arg, const char *expected);

/* the sizes as text, "3 x 4"; pushes it */
const char *mcl_pushshape (lua_State *L, int ndim, const int64_t *shape);

/* -------} */


/* {------- elements (mcl_element.c) ------- */

/* room for a number of any dtype */
typedef union mcl_number {
  double f64;
  float f32;
  int64_t i64;
  int32_t i32;
  uint16_t u16;
  uint8_t u8;
} mcl_number;

/*
** Push an integer of 64 bits.  LuaJIT's numbers hold no more than 53: there
** it raises for one that would be rounded.
*/
void mcl_pushint (lua_State *L, int64_t x);

/* push the element at 'p' */
void mcl_pushelement (lua_State *L, mascon_dtype t, const void *p);

/* store the value at 'arg' at 'p'; where it does not fit exactly, or is no
   number, push and return what is wrong */
const char *mcl_store (lua_State *L, int arg, mascon_dtype t, void *p);

/* the same, raising it as "bad argument #arg" */
void mcl_setelement (lua_State *L, int arg, mascon_dtype t, void *p);

/* push "1.5 does not fit i32 exactly" for the value at 'arg' */
const char *mcl_misfit (lua_State *L, int arg, mascon_dtype t);

/* -------} */


/* {------- making arrays (mcl_make.c) ------- */

/* the sizes at 'first' to 'last' (stack indices): how many they are */
int mcl_checkshape (lua_State *L, int first, int last, int64_t *shape);

/* the dtype that the last argument names, or f64; '*last' is set to the last
   argument before it */
mascon_dtype mcl_lastdtype (lua_State *L, int *last);

/* push a new array from the (nested) table at 'arg' */
mascon_array *mcl_fromtable (lua_State *L, int arg, mascon_dtype t);

/* -------} */


/* {------- views and copies (mcl_view.c, mcl_copy.c) ------- */

/* axis in 1..ndim, negative from the end, to 0-based; raise when outside */
int mcl_checkaxis (lua_State *L, int arg, int ndim);

/* push a view of 'a' in another shape, or raise why there is none */
void mcl_reshape (lua_State *L, const mascon_array *a, int ndim,
                  const int64_t *shape);

/* write the number, table or array at 'arg' into 'out', broadcast and
   converted exactly; raises where it does not fit, and 'out' is untouched */
void mcl_assign (lua_State *L, int arg, mascon_array *out);

/* -------} */


/* {------- arguments (mcl_args.c) ------- */

/* raise a status of the library as an error; nothing for MASCON_OK */
void mcl_check (lua_State *L, int status);

/* the file name at 'arg': C would take a part of one that holds a zero byte */
const char *mcl_checkpath (lua_State *L, int arg);

/* the dtype named at 'arg'; 'def' where it is none or nil */
mascon_dtype mcl_optdtype (lua_State *L, int arg, mascon_dtype def);

/* index in 1..n, negative from the end, to 0-based; raise when outside */
int64_t mcl_checkindex (lua_State *L, int arg, int64_t n);

/* raise if there is an argument behind the last that is taken */
void mcl_noarguments (lua_State *L, int last);

/*
** Options.  'arg' is a table, or none or nil for no options.  mcl_options
** raises "unknown option 'x'" for a key that is not in 'names' (ends with
** NULL) and returns which are there: bit i for names[i].  The others fetch one
** option, raising
** "bad argument #3 to 'f' (option 'n': integer from 1 to 9 expected, got x)".
*/
unsigned mcl_options (lua_State *L, int arg, const char *const names[]);
/* for what takes none: raise where a table follows argument 'last' */
void mcl_nooptions (lua_State *L, int last);
int64_t mcl_optint (lua_State *L, int arg, const char *name, int64_t def,
                    int64_t lo, int64_t hi);
double mcl_optnum (lua_State *L, int arg, const char *name, double def);
bool mcl_optbool (lua_State *L, int arg, const char *name, bool def);
/* index into 'list' (ends with NULL) of a string option */
int mcl_optenum (lua_State *L, int arg, const char *name, int def,
                 const char *const list[]);
/* push the option's value (nil if absent); return its type */
int mcl_optvalue (lua_State *L, int arg, const char *name);
/* the array of an option, which stays on the stack; NULL if absent, then
   nothing does */
mascon_array *mcl_optarray (lua_State *L, int arg, const char *name,
                            const char *expected);
/* the dtype option of what makes images: "f64" or "f32" */
mascon_dtype mcl_optfloat (lua_State *L, int arg, mascon_dtype def);
/* the options of gauss and render by these names (mcl_gauss.c) */
void mcl_optsampling (lua_State *L, int arg, int *sample, int *norm,
                      int *origin, int *add);
/* raise for an option whose value (on top of the stack) is not as expected */
int mcl_opterror (lua_State *L, int arg, const char *name,
                  const char *expected);

/* -------} */


/* {------- memory (mcl_memory.c) ------- */

/* raise that memory is short: what was asked for (0: not known), held, the
   limit */
int mcl_nomemory (lua_State *L, int64_t asked);

/* -------} */


/* {------- running a kernel (mcl_exec.c) ------- */

/* a debug hook of a state */
typedef struct mcl_hook {
  lua_Hook f;
  int mask, count;
} mcl_hook;

/*
** One call of a kernel: the exec it gets, wired to this Lua state's threads,
** to the options 'threads' and 'progress', and to the debug hook by which
** Ctrl-C is noticed.
*/
typedef struct mcl_call {
  mascon_exec ex;
  lua_State *L, *main;
  mcl_hook hook, mainhook;  /* as they were when the call began */
  int progress;             /* stack index of the function; 0: none */
  bool bar;                 /* it is our own bar, not the caller's */
  bool failed;              /* it raised: the message is on the stack */
} mcl_call;

/* begin: leaves at most one value on the stack.  'arg' 0: no options */
void mcl_begin (lua_State *L, mcl_call *c, int arg);

/*
** Call the function on the stack with the 'narg' arguments above it; all that
** the kernel uses lies on the stack below.  Nonzero: stop, as it returned
** false or raised (mcl_end tells).
*/
int mcl_callback (mcl_call *c, int narg);

/*
** end: raise what the call's status says ("interrupted (done D of T)" for a
** cancelled one, the progress function's own error if it raised)
*/
void mcl_end (lua_State *L, mcl_call *c, int status);

/* the same for what went wrong otherwise: raise the message on top */
int mcl_fail (lua_State *L, mcl_call *c);

/* for loops over Lua values, each time that one more is done: raise as mcl_end
   if Ctrl-C has come */
void mcl_poll (lua_State *L, mcl_call *c, int64_t done, int64_t total);

/* -------} */


/* {------- sets of texts (mcl_labels.c) ------- */

/* push a new set */
mascon_labels *mcl_newlabels (lua_State *L);

/*
** The strings or integers of the list, or the integers of the vector, on top of
** the stack, which is popped, into 'l'.  They are an option's of the argument
** 'arg'; one that is there already is an error.
*/
void mcl_addlabels (lua_State *L, int arg, const char *option,
                    mascon_labels *l);

/* push a list of the texts */
void mcl_pushlabels (lua_State *L, const mascon_labels *l);

/* -------} */


/* {------- one file a domain: its functions, each adds to the module table
   on top of the stack ------- */

void mcl_openaccount (lua_State *L);
void mcl_openarray (lua_State *L);
void mcl_opencopy (lua_State *L);
void mcl_opendoor (lua_State *L);
void mcl_openelement (lua_State *L);
void mcl_openmake (lua_State *L);
void mcl_openprint (lua_State *L);
void mcl_opentake (lua_State *L);
void mcl_openview (lua_State *L);
void mcl_openelem (lua_State *L);
void mcl_opengauss (lua_State *L);
void mcl_openexec (lua_State *L);
void mcl_openimage (lua_State *L);
void mcl_openindex (lua_State *L);
void mcl_openrender (lua_State *L);
void mcl_openrecommend (lua_State *L);
void mcl_openmatmul (lua_State *L);
void mcl_openmemory (lua_State *L);
void mcl_opennpy (lua_State *L);
void mcl_openrandom (lua_State *L);
void mcl_openreduce (lua_State *L);
void mcl_opentopn (lua_State *L);
void mcl_opencsr (lua_State *L);
void mcl_opencsv (lua_State *L);
void mcl_addhits (lua_State *L);  /* to the table 'csv' on top */
void mcl_openstream (lua_State *L);
void mcl_opensort (lua_State *L);
void mcl_openshare (lua_State *L);
void mcl_openparallel (lua_State *L);

/* -------} */

#endif

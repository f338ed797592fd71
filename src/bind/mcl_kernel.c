/*
** mcl_kernel.c - kernels of others, registered like ours
**
** A kernel is a closure: upvalue 1 is the metatable of arrays, upvalue 2 the
** kernel, upvalue 3 its name.
*/

#include <string.h>

#include "mcl_signature.h"

#define MCL_KERNEL "mascon.kernel"

typedef struct kernel {
  mascon_kernel k;
  mcl_signature s;
} kernel;

/* one call of it */
typedef struct job {
  const kernel *kernel;
  mcl_binding b;
  mascon_array a[MASCON_KERNELARGS];       /* what the body gets */
  mcl_number number[MASCON_KERNELARGS];    /* those of no axes */
  mascon_array *given[MASCON_KERNELARGS];  /* an output to be set from a[i] */
} job;


/* {------- errors ------- */

/* push what a status of the kernel's own functions says */
static void pushmessage (lua_State *L, const mascon_kernel *k, int status) {
  const char *text = NULL;
  if (k->message != NULL) text = k->message(k->ud, status);
  if (text == NULL && status > 0 && status < MASCON_NSTATUS)
    text = mascon_strerror(status);
  if (text != NULL) lua_pushfstring(L, "%s: %s", k->name, text);
  else lua_pushfstring(L, "%s: failed with status %d", k->name, status);
}

/* -------} */


/* {------- inputs ------- */

/* a number's place, as an array of one element */
static void describe (lua_State *L, job *j, int i) {
  static const int64_t one = 1;
  mcl_check(L, mascon_describe(&j->a[i], &j->number[i],
                               mcl_bounddtype(&j->b, i), 1, &one, NULL, 0));
}


static void checkarrays (lua_State *L, job *j) {
  const mcl_signature *s = &j->kernel->s;
  for (int i = 0; i < s->nin; i++) {
    const mascon_array *a;
    if (s->arg[i].ndim == 0) continue;
    a = mcl_toarray(L, i + 1);
    if (a == NULL || !mcl_bindinput(&j->b, i, a))
      mcl_typeerror(L, i + 1, mcl_pushexpected(L, &j->b, i));
    j->a[i] = *a;
  }
}


static void checknumbers (lua_State *L, job *j) {
  const mcl_signature *s = &j->kernel->s;
  for (int i = 0; i < s->nin; i++) {
    if (s->arg[i].ndim > 0) continue;
    describe(L, j, i);
    mcl_setelement(L, i + 1, mcl_bounddtype(&j->b, i), &j->number[i]);
  }
}


/* the sizes that no input has */
static void findsizes (lua_State *L, job *j) {
  const mascon_kernel *k = &j->kernel->k;
  const mcl_signature *s = &j->kernel->s;
  for (int x = 0; x < s->naxes; x++) {
    int status;
    if (s->axis[x].known) continue;
    status = k->length(k->ud, j->a, s->axis[x].name, &j->b.size[x]);
    if (status != MASCON_OK) {
      pushmessage(L, k, status);
      luaL_error(L, "%s", lua_tostring(L, -1));
    }
    if (j->b.size[x] < 0)
      luaL_error(L, "%s: size %I of axis %s", k->name,
                 (lua_Integer)j->b.size[x], s->axis[x].name);
  }
}

/* -------} */


/* {------- outputs ------- */

/* do several elements stand at one place? */
static bool folded (const mascon_array *a) {
  for (int k = 0; k < a->ndim; k++)
    if (a->shape[k] > 1 && a->stride[k] == 0) return true;
  return false;
}


/* raise where output 'i' lies over an array before it */
static void checkoverlap (lua_State *L, const job *j, int i) {
  const mcl_signature *s = &j->kernel->s;
  int arg = i + 1;
  bool inplace = (j->kernel->k.flags & MASCON_INPLACE) != 0;
  if (folded(&j->a[i])) luaL_argerror(L, arg, "its elements share memory");
  for (int k = 0; k < i; k++) {
    int how = MASCON_APART;
    if (s->arg[k].ndim > 0) how = mascon_overlap(&j->a[i], &j->a[k]);
    if (how == MASCON_APART || (k < s->nin && inplace && how == MASCON_SAME))
      continue;
    luaL_argerror(L, arg, lua_pushfstring(L, "overlaps argument #%d", k + 1));
  }
}


/* push the outputs, which are given or new */
static void makeoutputs (lua_State *L, job *j) {
  const mcl_signature *s = &j->kernel->s;
  for (int i = s->nin; i < s->nin + s->nout; i++) {
    const mcl_argument *want = &s->arg[i];
    int64_t shape[MASCON_MAXDIM];
    if (want->ndim == 0) {
      describe(L, j, i);
      memset(&j->number[i], 0, sizeof j->number[i]);
      continue;
    }
    for (int k = 0; k < want->ndim; k++) shape[k] = j->b.size[want->axis[k]];
    j->a[i] = *mcl_optout(L, i + 1, mcl_bounddtype(&j->b, i), false,
                          want->ndim, shape);
    if (!lua_isnil(L, i + 1)) checkoverlap(L, j, i);
  }
}

/* -------} */


/* {------- elements in row-major order ------- */

static bool isrowmajor (const mascon_array *a) {
  int64_t step = 1;
  for (int k = a->ndim; k-- > 0; step *= a->shape[k])
    if (a->shape[k] > 1 && a->stride[k] != step) return false;
  return true;
}


/* copies for what is otherwise; they stay on the stack */
static void straighten (lua_State *L, job *j, mcl_call *c) {
  const mcl_signature *s = &j->kernel->s;
  mascon_exec quiet = c->ex;  /* progress is the kernel's */
  quiet.progress = NULL;
  for (int i = 0; i < s->nin + s->nout; i++) {
    mascon_array *a = &j->a[i], *copy;
    if (isrowmajor(a)) continue;
    copy = mcl_newarray(L, mascon_dtype_of(a), a->ndim, a->shape, false);
    if (i < s->nin) mcl_end(L, c, mascon_assign(a, copy, &quiet));
    else j->given[i] = mcl_peek(L, i + 1);
    *a = *copy;
  }
}


/* what was written in row-major order to where it belongs */
static void putback (lua_State *L, const job *j) {
  for (int i = 0; i < MASCON_KERNELARGS; i++)
    if (j->given[i] != NULL)
      mcl_check(L, mascon_assign(&j->a[i], j->given[i], NULL));
}

/* -------} */


/* {------- a call ------- */

static int body (void *ud, int64_t first, int64_t last) {
  const job *j = ud;
  const mascon_kernel *k = &j->kernel->k;
  return k->body(k->ud, j->a, j->a + j->kernel->s.nin, first, last);
}


static void run (lua_State *L, job *j, mcl_call *c) {
  const mascon_kernel *k = &j->kernel->k;
  const mcl_signature *s = &j->kernel->s;
  int status = mascon_parallel_for(s->arg[s->nin].ndim > 0
                                     ? j->a[s->nin].shape[0] : 1,
                                   k->grain, body, j, &c->ex);
  if (status != MASCON_OK && status != MASCON_ECANCEL) {
    pushmessage(L, k, status);
    mcl_fail(L, c);
  }
  mcl_end(L, c, status);
}


/* push the results, of which the arrays are at 'arrays' on */
static int pushresults (lua_State *L, const job *j, int arrays) {
  const mcl_signature *s = &j->kernel->s;
  for (int i = s->nin; i < s->nin + s->nout; i++)
    if (s->arg[i].ndim > 0) lua_pushvalue(L, arrays++);
    else mcl_pushelement(L, mcl_bounddtype(&j->b, i), &j->number[i]);
  return s->nout;
}


/* out1, ... = f(in1, ... [, out1, ...] [, {threads =, progress =}]) */
static int call (lua_State *L) {
  static const char *const names[] = {"threads", "progress", NULL};
  const kernel *kern = lua_touserdata(L, lua_upvalueindex(2));
  const mcl_signature *s = &kern->s;
  int opts = s->nin + (s->arg[s->nin].ndim > 0 ? s->nout : 0) + 1, arrays;
  mcl_call c;
  job j;
  j.kernel = kern;
  memset(j.given, 0, sizeof j.given);
  mcl_noarguments(L, opts);
  lua_settop(L, opts);
  luaL_checkstack(L, LUA_MINSTACK + 2 * MASCON_KERNELARGS, NULL);
  mcl_bind(s, &j.b);
  checkarrays(L, &j);
  checknumbers(L, &j);
  mcl_options(L, opts, names);
  findsizes(L, &j);
  mcl_begin(L, &c, opts);
  arrays = lua_gettop(L) + 1;
  makeoutputs(L, &j);
  if (kern->k.flags & MASCON_ROWMAJOR) straighten(L, &j, &c);
  run(L, &j, &c);
  putback(L, &j);
  return pushresults(L, &j, arrays);
}

/* -------} */


/* {------- registering ------- */

static int gc (lua_State *L) {
  kernel *k = luaL_checkudata(L, 1, MCL_KERNEL);
  if (k->k.release != NULL) k->k.release(k->k.ud);
  k->k.release = NULL;
  return 0;
}


static void check (lua_State *L, const kernel *k) {
  if (k->k.body == NULL) luaL_error(L, "kernel '%s' has no body", k->k.name);
  if (k->k.grain < 0) luaL_error(L, "kernel '%s': grain below 0", k->k.name);
  if (k->k.flags & ~(MASCON_INPLACE | MASCON_ROWMAJOR))
    luaL_error(L, "kernel '%s': unknown flags", k->k.name);
  for (int x = 0; x < k->s.naxes && k->k.length == NULL; x++)
    if (!k->s.axis[x].known)
      luaL_error(L, "kernel '%s': no input has axis '%s', and there is no "
                 "'length'", k->k.name, k->s.axis[x].name);
}


/* the descriptor at 1 -> the function */
static int build (lua_State *L) {
  static const mascon_kernel init = MASCON_KERNEL_INIT;
  const mascon_kernel *from = lua_touserdata(L, 1);
  kernel *k = lua_newuserdatauv(L, sizeof *k, 0);
  void (*release) (void *ud);
  k->k = init;
  memcpy(&k->k, from, from->size < sizeof k->k ? from->size : sizeof k->k);
  release = k->k.release;  /* not before all has gone well */
  k->k.release = NULL;
  if (mcl_newtype(L, MCL_KERNEL)) {
    lua_pushcfunction(L, gc);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  if (k->k.name == NULL || k->k.signature == NULL)
    luaL_error(L, "a kernel needs a name and a signature");
  k->k.name = lua_pushstring(L, k->k.name);
  mcl_parse(L, k->k.signature, &k->s);
  k->k.signature = NULL;  /* the caller's */
  check(L, k);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, -3);
  lua_pushcclosure(L, call, 3);
  k->k.release = release;
  return 1;
}


void mascon_register (lua_State *L, const mascon_kernel *k) {
  luaL_checkstack(L, 3, NULL);
  if (!mcl_getmeta(L)) luaL_error(L, "mascon is not open in this state");
  lua_pushcclosure(L, build, 1);
  lua_pushlightuserdata(L, (void *)k);
  lua_call(L, 1, 1);
}

/* -------} */

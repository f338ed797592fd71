/*
** mcl_worker.c - the workers of a job: threads with a Lua state each
**
** Who is told to stop notices it at the end of a chunk, inside a kernel and,
** in the middle of Lua code, by a debug hook.  A hook that counts instructions
** from the beginning costs nothing in LuaJIT, but makes the others run at half
** their speed: there it is set when it is needed.  Lua allows that at any
** moment, as in a signal handler.  A worker that allocates sets its own; in one
** that does not, the thread that stops it does, while the gate holds back the
** worker's allocator: so nothing is freed meanwhile, and the frames that are
** marked stay where they are.
*/

#include <stdlib.h>
#include <time.h>

#include "mcl_job.h"

#define COUNTED (LUA_VERSION_NUM < 503)  /* the hook is set from the beginning */
#define EVERY 10000                      /* instructions between two looks */
#define SETTLE 1000000                   /* nanoseconds: see mcl_stop */

static _Thread_local mcl_worker *here;   /* what this thread is */


bool mcl_stopped (void) {
  return here != NULL &&
         atomic_load_explicit(&here->job->stop, memory_order_relaxed);
}


/* {------- stopping ------- */

static void onhook (lua_State *L, lua_Debug *ar) {
  (void)ar;
  if (mcl_stopped()) luaL_error(L, "cancelled");
}


/* from now on every instruction raises: no pcall of the worker goes on */
static void sethook (mcl_worker *w) {
  if (w->state != NULL) lua_sethook(w->state, onhook, LUA_MASKCOUNT, 1);
}


static void lock (mcl_worker *w) {
  const struct timespec rest = {0, SETTLE};
  while (atomic_flag_test_and_set_explicit(&w->gate, memory_order_acquire))
    nanosleep(&rest, NULL);
}


static void unlock (mcl_worker *w) {
  atomic_flag_clear_explicit(&w->gate, memory_order_release);
}


/* the allocator of a worker's state */
static void *allocate (void *ud, void *p, size_t old, size_t new) {
  mcl_worker *w = ud;
  atomic_store_explicit(&w->inside, true, memory_order_relaxed);
  if (atomic_load_explicit(&w->job->stop, memory_order_relaxed)) {
    lock(w);
    sethook(w);
    unlock(w);
  }
  p = w->alloc(w->allocud, p, old, new);
  atomic_store_explicit(&w->inside, false, memory_order_release);
  return p;
}


/*
** An allocator that has begun before 'stop' was set is seen inside after a
** moment; one that begins later waits at the gate.
*/
void mcl_stop (mcl_job *j) {
  const struct timespec moment = {0, SETTLE};
  if (!atomic_exchange(&j->stop, true)) nanosleep(&moment, NULL);
  if (COUNTED) return;
  for (int i = 0; i < j->nworkers; i++) {
    mcl_worker *w = &j->workers[i];
    lock(w);
    if (!atomic_load_explicit(&w->inside, memory_order_acquire)) sethook(w);
    unlock(w);
  }
}


/* let the state be stopped, or no more */
static void expose (mcl_worker *w, lua_State *W) {
  lock(w);
  w->state = W;
  unlock(w);
}


static void watch (mcl_worker *w, lua_State *W) {
  if (COUNTED) {
    lua_sethook(W, onhook, LUA_MASKCOUNT, EVERY);
    return;
  }
  w->alloc = lua_getallocf(W, &w->allocud);
  lua_setallocf(W, allocate, w);
  expose(w, W);
}


static void unwatch (mcl_worker *w, lua_State *W) {
  expose(w, NULL);
  lua_sethook(W, NULL, 0, 0);
}

/* -------} */


/* {------- chunks ------- */

/* the number of the next chunk, or -1 */
static int64_t nextchunk (mcl_job *j) {
  int64_t k;
  if (atomic_load_explicit(&j->stop, memory_order_relaxed)) return -1;
  k = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
  return k < j->span.nchunks ? k : -1;
}


/* keep what stands above 'base', which chunk 'k' has returned */
static void keep (lua_State *W, int base, int64_t k, mcl_packet *p) {
  const char *wrong;
  int which;
  if (lua_gettop(W) == base) return;
  lua_pushinteger(W, (lua_Integer)k + 1);
  lua_insert(W, base + 1);
  wrong = mcl_pack(W, base + 1, lua_gettop(W), p, &which);
  if (wrong != NULL)
    luaL_error(W, "bad result #%d of the function (%s)", which - base - 1,
               wrong);
}


/* the function at 1 and its arguments from 2 to the top: one chunk after the
   other */
static void chunks (lua_State *W, mcl_worker *w) {
  mcl_job *j = w->job;
  const mcl_span s = j->span;
  int base = lua_gettop(W);
  int64_t k;
  luaL_checkstack(W, base + LUA_MINSTACK, "too many arguments");
  while ((k = nextchunk(j)) >= 0) {
    int64_t first = k * s.chunk;
    int64_t last = s.n - first < s.chunk ? s.n : first + s.chunk;
    lua_pushvalue(W, 1);
    if (s.told) {
      lua_pushinteger(W, (lua_Integer)first + 1);
      lua_pushinteger(W, (lua_Integer)last);
    }
    for (int i = 2; i <= base; i++) lua_pushvalue(W, i);
    lua_call(W, base - 1 + 2 * s.told, LUA_MULTRET);
    keep(W, base, k, &w->results);
    lua_settop(W, base);
    atomic_fetch_add_explicit(&j->done, last - first, memory_order_relaxed);
  }
}


static int work (lua_State *W) {
  mcl_worker *w = lua_touserdata(W, 1);
  size_t at = 0;
  lua_pushcfunction(W, mcl_unship);
  lua_pushlightuserdata(W, w->job);
  lua_call(W, 1, 1);
  lua_replace(W, 1);
  mcl_unpack(W, &w->job->args, &at);
  chunks(W, w);
  return 0;
}

/* -------} */


/* {------- errors ------- */

/* message handler: a traceback for what has a text */
static int explain (lua_State *W) {
  if (mcl_stopped()) return 1;
  if (lua_type(W, 1) != LUA_TSTRING && !luaL_callmeta(W, 1, "__tostring"))
    return 1;
  if (lua_type(W, -1) == LUA_TSTRING)
    luaL_traceback(W, W, lua_tostring(W, -1), 1);
  return 1;
}


/* pack the error object at 1, or what can be said of it */
static int packerror (lua_State *W) {
  mcl_packet *error = &here->job->error;
  int which;
  if (mcl_pack(W, 1, 1, error, &which) == NULL) return 0;
  mcl_packfree(error);
  lua_pushfstring(W, "(error object is a %s value)", luaL_typename(W, 1));
  mcl_pack(W, lua_gettop(W), lua_gettop(W), error, &which);
  return 0;
}


/* the object on top of the stack (NULL: there was no memory for a state) is
   the job's error, if it is the first */
static void fail (mcl_worker *w, lua_State *W) {
  mcl_job *j = w->job;
  if (atomic_exchange(&j->stop, true)) return;
  if (W != NULL) {
    lua_pushcfunction(W, packerror);
    lua_insert(W, -2);
    if (lua_pcall(W, 1, 0, 0) != LUA_OK) mcl_packfree(&j->error);
  }
  atomic_store(&j->failed, true);
}

/* -------} */


void mcl_work (void *job, int i) {
  mcl_job *j = job;
  mcl_worker *w = &j->workers[i];
  lua_State *W = luaL_newstate();
  if (W == NULL) {
    fail(w, NULL);
    return;
  }
  here = w;
  watch(w, W);
  lua_pushcfunction(W, explain);
  lua_pushcfunction(W, work);
  lua_pushlightuserdata(W, w);
  if (lua_pcall(W, 1, 0, 1) != LUA_OK) {
    unwatch(w, W);
    fail(w, W);
  }
  unwatch(w, W);
  lua_close(W);
  here = NULL;
}


mcl_job *mcl_newjob (int nworkers) {
  mcl_job *j = calloc(1, sizeof *j + (size_t)nworkers * sizeof(mcl_worker));
  if (j == NULL) return NULL;
  j->nworkers = nworkers;
  for (int i = 0; i < nworkers; i++) {
    j->workers[i].job = j;
    atomic_flag_clear(&j->workers[i].gate);
  }
  return j;
}


void mcl_freejob (void *job) {
  mcl_job *j = job;
  if (j == NULL) return;
  for (int i = 0; i < j->nworkers; i++) mcl_packfree(&j->workers[i].results);
  mcl_packfree(&j->function);
  mcl_packfree(&j->args);
  mcl_packfree(&j->error);
  free(j);
}

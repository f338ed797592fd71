/*
** mcl_exec.c - running kernels: threads, progress, Ctrl-C
**
** The module installs no signal handler.  The standalone interpreter answers
** SIGINT by setting a debug hook on its main thread; a hook that appears
** during a call, there or on the coroutine that called, means: stop.  Lua
** runs into such a hook itself, but in a coroutine it never would: there one
** that is set already when a call begins, for every event, means it too.
*/

#include <sys/ioctl.h>
#include <unistd.h>

#include "mcl_job.h"

#define MAXTHREADS 1024

#define POLL 4096  /* Lua values between two looks at the hook */

typedef struct state {
  int threads;      /* mascon.threads(n); 0: not said */
  bool bars;        /* mascon.progress(true) */
  lua_State *main;  /* the main thread, or NULL */
} state;


/* every call of a kernel asks: by an upvalue, not through the registry */
static state *getstate (lua_State *L) {
  state *s;
  lua_rawgeti(L, MCL_META, MCL_SETTINGS);
  s = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return s;
}


/* {------- the debug hook ------- */

static mcl_hook gethook (lua_State *L) {
  mcl_hook h = {lua_gethook(L), 0, 0};
  if (h.f != NULL) {
    h.mask = lua_gethookmask(L);
    h.count = lua_gethookcount(L);
  }
  return h;
}


/* take back the hook that asked to stop: an error is its answer */
static void sethook (lua_State *L, mcl_hook h) {
  if (lua_gethook(L) != h.f) lua_sethook(L, h.f, h.mask, h.count);
}


/* was it set to run before whatever comes next, as for SIGINT? */
static bool urgent (mcl_hook h) {
  const int all = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;
  return h.f != NULL && h.mask == all && h.count == 1;
}


/* remember the hooks of the call's beginning */
static void watch (lua_State *L, lua_State *main, mcl_call *c) {
  static const mcl_hook none = {NULL, 0, 0};
  c->L = L;
  c->main = main;
  c->hook = c->mainhook = gethook(L);
  if (L == main) return;
  c->mainhook = gethook(main);
  if (urgent(c->mainhook)) {
    sethook(main, none);
    luaL_error(L, "interrupted");
  }
}

/* -------} */


/* {------- callbacks of the exec ------- */

/* inside the parallel region: only looks */
static int interrupted (void *ud) {
  const mcl_call *c = ud;
  return mcl_stopped() || lua_gethook(c->L) != c->hook.f ||
         (c->main != c->L && lua_gethook(c->main) != c->mainhook.f);
}


int mcl_callback (mcl_call *c, int narg) {
  lua_State *L = c->L;
  int top = lua_gettop(L) - narg - 1, status, stop;
  mcl_adduses(L, top, 1);
  status = lua_pcall(L, narg, 1, 0);
  mcl_adduses(L, top, -1);
  if (status != LUA_OK) {
    c->failed = true;  /* its message stays on the stack for mcl_end */
    return 1;
  }
  stop = lua_isboolean(L, -1) && !lua_toboolean(L, -1);
  lua_pop(L, 1);
  return stop;
}


static int report (void *ud, int64_t done, int64_t total) {
  mcl_call *c = ud;
  lua_pushvalue(c->L, c->progress);
  lua_pushinteger(c->L, done);
  lua_pushinteger(c->L, total);
  return mcl_callback(c, 2);
}

/* -------} */


#define LATE 1.0  /* seconds of work without a bar that nobody asked for */

/*
** Push a new bar, a function(done, total) that writes nothing for 'delay'
** seconds, or nil where the Lua part that makes them is not loaded.
*/
static void pushbar (lua_State *L, double delay) {
  int top = lua_gettop(L) + 1;
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, "mascon.progress") == LUA_TTABLE) {
    lua_getfield(L, -1, "bar");
    lua_pushnumber(L, delay);
    lua_call(L, 1, 1);
  }
  else lua_pushnil(L);
  lua_replace(L, top);
  lua_settop(L, top);
}


/* the function or nil on top of the stack is told of progress */
static void setprogress (lua_State *L, mcl_call *c) {
  if (lua_isfunction(L, -1)) {
    c->progress = lua_gettop(L);
    c->ex.progress = report;
  }
  else lua_pop(L, 1);
}


/* the options 'threads' and 'progress', which is 'bars' if absent */
static void options (lua_State *L, mcl_call *c, int arg, bool bars) {
  c->ex.threads = (int)mcl_optint(L, arg, "threads", c->ex.threads, 1,
                                  MAXTHREADS);
  switch (mcl_optvalue(L, arg, "progress")) {
    case LUA_TNIL:
      c->bar = bars;
      if (bars) pushbar(L, LATE);
      break;
    case LUA_TBOOLEAN:
      c->bar = lua_toboolean(L, -1);
      if (c->bar) pushbar(L, 0);
      break;
    case LUA_TFUNCTION: break;
    default: mcl_opterror(L, arg, "progress", "boolean or function");
  }
  if (c->bar) lua_remove(L, -2);  /* what the option was */
  setprogress(L, c);
}


void mcl_begin (lua_State *L, mcl_call *c, int arg) {
  static const mascon_exec init = MASCON_EXEC_INIT;
  const state *s = getstate(L);
  c->ex = init;
  c->ex.ud = c;
  c->ex.cancel = interrupted;
  c->ex.threads = s->threads;
  c->progress = 0;
  c->bar = c->failed = false;
  if (arg != 0 && (s->bars || !lua_isnoneornil(L, arg))) {
    luaL_checkstack(L, LUA_MINSTACK, NULL);
    options(L, c, arg, s->bars);
  }
  watch(L, s->main != NULL ? s->main : L, c);
}


/* a bar that will not reach its end: its line does */
static void endbar (lua_State *L, const mcl_call *c) {
  if (!c->bar || c->progress == 0) return;
  lua_pushvalue(L, c->progress);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) lua_pop(L, 1);
}


void mcl_end (lua_State *L, mcl_call *c, int status) {
  /* Ctrl-C may come during the last block: it is answered here, then */
  bool stopped = status == MASCON_ECANCEL ||
                 (status == MASCON_OK && interrupted(c));
  if (status == MASCON_OK && !stopped && !c->failed) return;
  if (stopped && !c->failed) {  /* else the bar's end runs into the hook */
    sethook(L, c->hook);
    sethook(c->main, c->mainhook);
  }
  endbar(L, c);
  if (c->failed) lua_error(L);  /* perhaps in the last report */
  if (!stopped) mcl_check(L, status);
  luaL_error(L, "interrupted (done %I of %I)", (lua_Integer)c->ex.done,
             (lua_Integer)c->ex.total);
}


int mcl_fail (lua_State *L, mcl_call *c) {
  endbar(L, c);
  luaL_where(L, 1);
  lua_insert(L, -2);
  lua_concat(L, 2);
  return lua_error(L);
}


void mcl_poll (lua_State *L, mcl_call *c, int64_t done, int64_t total) {
  if (done % POLL != 0 || !interrupted(c)) return;
  c->ex.done = done;
  c->ex.total = total;
  mcl_end(L, c, MASCON_ECANCEL);
}


/*
** threads([n]): how many threads kernels of this state use; with 'n', from
** now on (0: the default again)
*/
static int threads (lua_State *L) {
  state *s = getstate(L);
  if (!lua_isnoneornil(L, 1)) {
    lua_Integer n = luaL_checkinteger(L, 1);
    luaL_argcheck(L, 0 <= n && n <= MAXTHREADS, 1,
                  lua_pushfstring(L, "0 to %d expected, got %I", MAXTHREADS,
                                  n));
    s->threads = (int)n;
  }
  lua_pushinteger(L, s->threads > 0 ? s->threads : mascon_threads());
  return 1;
}


/*
** progress([on]): whether calls without the option 'progress' show a bar once
** they take longer than a second; with 'on', from now on
*/
static int progress (lua_State *L) {
  state *s = getstate(L);
  if (!lua_isnoneornil(L, 1)) {
    luaL_checktype(L, 1, LUA_TBOOLEAN);
    s->bars = lua_toboolean(L, 1);
  }
  lua_pushboolean(L, s->bars);
  return 1;
}


/* clock(): seconds of a clock that only goes forward */
static int clocknow (lua_State *L) {
  lua_pushnumber(L, mascon_clock());
  return 1;
}


/*
** terminal([stream]): columns and rows of the terminal that "stdout" (the
** default) or "stderr" is; nil where it is none
*/
static int terminal (lua_State *L) {
  static const char *const streams[] = {"stdout", "stderr", NULL};
  static const int fds[] = {STDOUT_FILENO, STDERR_FILENO};
  int fd = fds[luaL_checkoption(L, 1, "stdout", streams)];
  struct winsize size = {0};
  if (!isatty(fd)) {
    lua_pushnil(L);
    return 1;
  }
  ioctl(fd, TIOCGWINSZ, &size);
  lua_pushinteger(L, size.ws_col > 0 ? size.ws_col : 80);
  lua_pushinteger(L, size.ws_row > 0 ? size.ws_row : 24);
  return 2;
}


/* info(): table of version, cpu, threads, memory (bytes held), memory_limit
   (bytes that the process may have) */
static int info (lua_State *L) {
  mascon_memory m;
  mascon_memory_now(&m);
  lua_createtable(L, 0, 5);
  lua_pushliteral(L, MASCON_VERSION);
  lua_setfield(L, -2, "version");
  lua_pushstring(L, mascon_cpu());
  lua_setfield(L, -2, "cpu");
  lua_pushinteger(L, getstate(L)->threads > 0 ? getstate(L)->threads
                                              : mascon_threads());
  lua_setfield(L, -2, "threads");
  lua_pushinteger(L, m.bytes);
  lua_setfield(L, -2, "memory");
  lua_pushinteger(L, mascon_memory_limit());
  lua_setfield(L, -2, "memory_limit");
  return 1;
}


void mcl_openexec (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"threads", threads},
    {"progress", progress},
    {"clock", clocknow},
    {"terminal", terminal},
    {"info", info},
    {NULL, NULL}
  };
  state *s;
  luaL_getmetatable(L, MCL_ARRAY);
  s = lua_newuserdatauv(L, sizeof *s, 0);
  s->threads = 0;
  s->bars = false;
  s->main = mcl_mainthread(L);
  lua_rawseti(L, -2, MCL_SETTINGS);
  lua_pop(L, 1);
  mcl_addfuncs(L, funcs);
}

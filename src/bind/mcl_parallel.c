/*
** mcl_parallel.c - Lua code on several cores: parallel, spawn
**
** The calling thread starts the workers and waits; it alone reports progress
** and looks at the debug hook.  While it waits its state is as in any call of
** a kernel.  A job that is collected while it runs is told to stop and waited
** for a little; if it does not hear, it goes on without anybody.
*/

#include "mcl_job.h"

#define MCL_JOB "mascon.job"

#define MAXTHREADS 1024
#define MOST 9007199254740992  /* 2^53: what every Lua can count to */
#define CHUNKS 256             /* that there are unless said */
#define TICK 0.01              /* seconds between two looks */
#define REPORT 0.1             /* seconds between two reports */
#define FAREWELL 1.0           /* seconds that a collected job is waited for */

typedef struct box {
  mcl_job *job;       /* NULL: closed, or none yet */
  mascon_team *team;  /* NULL: not started */
} box;


/* {------- jobs ------- */

/* push an empty handle */
static box *pushbox (lua_State *L) {
  box *b = lua_newuserdatauv(L, sizeof *b, 0);
  b->job = NULL;
  b->team = NULL;
  luaL_setmetatable(L, MCL_JOB);
  return b;
}


/* give the job up; threads that still run free it when they are done */
static void drop (box *b) {
  if (b->team != NULL) mascon_team_release(b->team);
  else mcl_freejob(b->job);
  b->team = NULL;
  b->job = NULL;
}


/* a new job of 'nworkers' for 'b': the function at 'arg', and as arguments
   what stands behind it up to 'last' */
static void prepare (lua_State *L, box *b, int nworkers, const mcl_span *s,
                     int arg, int last) {
  mcl_job *j = b->job = mcl_newjob(nworkers);
  const char *wrong;
  int which;
  if (j == NULL) mcl_check(L, MASCON_ENOMEM);
  j->span = *s;
  j->parts = mcl_getparts(L);
  mcl_ship(L, arg, &j->function);
  wrong = mcl_pack(L, arg + 1, last, &j->args, &which);
  if (wrong != NULL) luaL_argerror(L, which, wrong);
}


static void start (lua_State *L, box *b) {
  mcl_check(L, mascon_team_start(b->job->nworkers, mcl_work, mcl_freejob,
                                 b->job, &b->team));
}


/* raise what a worker has raised; 'b' is given up unless it is 'kept' */
static int reraise (lua_State *L, mcl_call *c, box *b, bool kept) {
  size_t at = 0;
  if (b->job->error.n > 0) mcl_unpack(L, &b->job->error, &at);
  else lua_pushstring(L, mascon_strerror(MASCON_ENOMEM));
  if (!kept) drop(b);
  c->failed = true;
  mcl_end(L, c, MASCON_OK);
  return 0;  /* not reached */
}

/* -------} */


/* {------- parallel ------- */

/* is the progress function to be called, and says that it is enough? */
static bool enough (mcl_call *c, int64_t done, int64_t total) {
  double now;
  if (c->ex.progress == NULL || done >= total) return false;
  now = mascon_clock();
  if (c->ex.due == 0) c->ex.due = now + REPORT;
  if (now < c->ex.due) return false;
  c->ex.due = 0;
  return c->ex.progress(c->ex.ud, done, total) != 0;
}


/* until all workers have ended; true: they were told to, by the caller */
static bool follow (mcl_call *c, box *b) {
  mcl_job *j = b->job;
  bool cancelled = false;
  while (mascon_team_wait(b->team, TICK) > 0) {
    cancelled = cancelled || c->ex.cancel(c->ex.ud) ||
                (!j->stop && enough(c, j->done, j->span.n));
    if (cancelled || j->stop) mcl_stop(j);
  }
  c->ex.done = j->done;
  c->ex.total = j->span.n;
  if (c->ex.progress != NULL && !cancelled && !j->stop)
    c->ex.progress(c->ex.ud, j->span.n, j->span.n);
  return cancelled;
}


/*
** Push a table for each value that chunks have returned, at least one: entry i
** is that of chunk i.  Returns how many tables.
*/
static int pushresults (lua_State *L, const mcl_job *j) {
  int base = lua_gettop(L), ntables = 1;
  int size = j->span.nchunks <= 4 * CHUNKS ? (int)j->span.nchunks : 0;
  lua_createtable(L, size, 0);
  for (int i = 0; i < j->nworkers; i++) {
    const mcl_packet *p = &j->workers[i].results;
    size_t at = 0;
    while (at < p->n) {
      int n = mcl_unpack(L, p, &at) - 1, k = lua_gettop(L) - n;
      for (; ntables < n; k++) {
        luaL_checkstack(L, LUA_MINSTACK, "too many results");
        lua_createtable(L, size, 0);
        lua_insert(L, base + ++ntables);
      }
      for (; n > 0; n--) {
        lua_pushvalue(L, k);
        lua_insert(L, -2);
        lua_rawset(L, base + n);
      }
      lua_pop(L, 1);
    }
  }
  return ntables;
}


/* the count at 1, if it is one, as the table of options that it stands for */
static void wrapcount (lua_State *L) {
  int isint;
  lua_Integer n = lua_tointegerx(L, 1, &isint);
  if (lua_type(L, 1) == LUA_TTABLE) return;
  if (lua_type(L, 1) != LUA_TNUMBER || !isint || n < 0 || n > MOST)
    mcl_typeerror(L, 1, "integer from 0 up, or table of options,");
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "n");
  lua_replace(L, 1);
}


/* the options at 1 that say what there is to do */
static mcl_span getspan (lua_State *L) {
  static const char *const names[] = {"n", "threads", "chunk", "progress",
                                      NULL};
  mcl_span s = {0, 0, 0, true};
  if (!(mcl_options(L, 1, names) & 1))
    luaL_argerror(L, 1, "option 'n' is missing");
  s.n = mcl_optint(L, 1, "n", 0, 0, MOST);
  s.chunk = mcl_optint(L, 1, "chunk", s.n / CHUNKS + (s.n % CHUNKS != 0), 1,
                       MOST);
  if (s.n > 0) s.nchunks = (s.n - 1) / s.chunk + 1;
  return s;
}


/*
** parallel(n, f, ...), parallel({n =, threads =, chunk =, progress =}, f, ...):
** f(first, last, ...) for chunks of 1 to n, each in one of several states that
** run at once; returns a table for each value that f returns (at least one):
** at [i] that of chunk i
*/
static int parallel (lua_State *L) {
  int last = lua_gettop(L), threads, nresults;
  bool cancelled = false;
  mcl_span s;
  mcl_call c;
  box *b;
  wrapcount(L);
  s = getspan(L);
  mcl_checkfunction(L, 2);
  b = pushbox(L);
  mcl_begin(L, &c, 1);
  threads = c.ex.threads > 0 ? c.ex.threads : mascon_threads();
  if (threads > s.nchunks) threads = (int)s.nchunks;
  prepare(L, b, threads, &s, 2, last);
  if (threads > 0) {
    start(L, b);
    cancelled = follow(&c, b);
  }
  if (b->job->failed) return reraise(L, &c, b, false);
  if (cancelled) drop(b);
  mcl_end(L, &c, cancelled ? MASCON_ECANCEL : MASCON_OK);
  nresults = pushresults(L, b->job);
  drop(b);
  return nresults;
}

/* -------} */


/* {------- spawn ------- */

/* spawn(f, ...): a job; f(...) runs in a thread and a state of its own */
static int spawn (lua_State *L) {
  static const mcl_span once = {1, 1, 1, false};
  box *b;
  int last = lua_gettop(L);
  mcl_checkfunction(L, 1);
  b = pushbox(L);
  prepare(L, b, 1, &once, 1, last);
  start(L, b);
  return 1;
}


static box *checkjob (lua_State *L) {
  box *b = luaL_checkudata(L, 1, MCL_JOB);
  if (b->team == NULL) luaL_argerror(L, 1, "job is closed");
  return b;
}


/* has it ended?  One that was told to stop is told again */
static bool ended (lua_State *L, box *b, double seconds) {
  int running = mascon_team_wait(b->team, seconds);
  if (running < 0) luaL_error(L, "the job runs in the process that this one "
                              "was forked from");
  if (running > 0 && b->job->stop) mcl_stop(b->job);
  return running == 0;
}


/* job:done(): whether it has ended, well or not */
static int done (lua_State *L) {
  box *b = checkjob(L);
  lua_pushboolean(L, ended(L, b, 0));
  return 1;
}


/*
** job:result(): what the function has returned; waits until it has.  Raises
** what it raised, or "cancelled"
*/
static int result (lua_State *L) {
  box *b = checkjob(L);
  mcl_job *j = b->job;
  size_t at = 0;
  mcl_call c;
  int n;
  mcl_begin(L, &c, 0);
  c.ex.total = 1;
  while (!ended(L, b, TICK))
    if (c.ex.cancel(c.ex.ud)) mcl_end(L, &c, MASCON_ECANCEL);
  if (j->failed) return reraise(L, &c, b, true);
  if (j->done == 0) return luaL_error(L, "cancelled");
  if (j->workers[0].results.n == 0) return 0;
  n = mcl_unpack(L, &j->workers[0].results, &at) - 1;
  return n;  /* without the chunk's number below them */
}


/* job:cancel(): tell it to stop; does not wait */
static int cancel (lua_State *L) {
  box *b = checkjob(L);
  if (mascon_team_wait(b->team, 0) > 0) mcl_stop(b->job);
  return 0;
}


/* __gc, __close: stop it, and wait a little */
static int closejob (lua_State *L) {
  box *b = luaL_checkudata(L, 1, MCL_JOB);
  double end = mascon_clock() + FAREWELL;
  if (b->team != NULL)
    while (mascon_team_wait(b->team, 0) > 0 && mascon_clock() < end) {
      mcl_stop(b->job);
      mascon_team_wait(b->team, TICK);
    }
  drop(b);
  return 0;
}


static int tostring (lua_State *L) {
  const box *b = luaL_checkudata(L, 1, MCL_JOB);
  const char *state = "closed";
  if (b->team != NULL) {
    if (mascon_team_wait(b->team, 0) != 0) state = "running";
    else if (b->job->failed) state = "failed";
    else state = b->job->done > 0 ? "done" : "cancelled";
  }
  lua_pushfstring(L, "job (%s)", state);
  return 1;
}

/* -------} */


void mcl_openparallel (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"parallel", parallel},
    {"spawn", spawn},
    {NULL, NULL}
  };
  static const luaL_Reg methods[] = {
    {"cancel", cancel},
    {"done", done},
    {"result", result},
    {NULL, NULL}
  };
  static const luaL_Reg meta[] = {
    {"__gc", closejob},
    {"__close", closejob},
    {"__tostring", tostring},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
  mcl_newclass(L, MCL_JOB, meta, methods);
}

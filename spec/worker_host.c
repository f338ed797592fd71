/*
** worker_host.c - threads for code of hosts; Lua on threads, from a sandbox
*/

#define _GNU_SOURCE

#include <lualib.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "mascon_lua.h"

#define MANY 8

/* in a child, forked while threads run, the race detector starts none, and the
   address sanitizer's allocator may be locked for ever */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define FORKS 0
#else
#define FORKS 1
#endif


/* {------- teams ------- */

static int ran[MANY], released, blocked;
static int gate;  /* closed: 'hold' does not return */


static void release (void *ud) {
  CHECK(ud == ran);
  __atomic_add_fetch(&released, 1, __ATOMIC_SEQ_CST);
}


static void once (void *ud, int worker) {
  sigset_t now;
  CHECK(ud == ran && worker >= 0 && worker < MANY);
  pthread_sigmask(SIG_BLOCK, NULL, &now);
  if (sigismember(&now, SIGINT) && sigismember(&now, SIGTERM))
    __atomic_add_fetch(&blocked, 1, __ATOMIC_RELAXED);
  ran[worker]++;
}


static void hold (void *ud, int worker) {
  (void)ud;
  (void)worker;
  while (!__atomic_load_n(&gate, __ATOMIC_ACQUIRE)) usleep(1000);
}


static void teams (void) {
  mascon_team *team = NULL;
  sigset_t before, after;
  CHECK(mascon_team_start(0, once, release, ran, &team) == MASCON_ERANGE);
  CHECK(mascon_team_start(-1, once, release, ran, &team) == MASCON_ERANGE);
  CHECK(team == NULL && released == 0);
  pthread_sigmask(SIG_BLOCK, NULL, &before);
  for (int n = 1; n <= MANY; n++) {
    CHECK(mascon_team_start(n, once, release, ran, &team) == MASCON_OK);
    while (mascon_team_wait(team, 0.5) > 0) {}
    CHECK(mascon_team_wait(team, 0) == 0);
    CHECK(released == n - 1);
    mascon_team_release(team);
    CHECK(released == n);
  }
  for (int i = 0; i < MANY; i++) CHECK(ran[i] == MANY - i);
  CHECK(blocked == MANY * (MANY + 1) / 2);
  pthread_sigmask(SIG_BLOCK, NULL, &after);
  CHECK(!sigismember(&before, SIGINT) && !sigismember(&after, SIGINT));
  mascon_team_release(NULL);
}


/* threads that go on when nobody waits; those of the parent, in a child */
static void leaving (void) {
  mascon_team *team;
  int status;
  pid_t child;
  released = 0;
  CHECK(mascon_team_start(2, hold, release, ran, &team) == MASCON_OK);
  CHECK(mascon_team_wait(team, 0) == 2);
  CHECK(mascon_team_wait(team, 0.01) == 2);
  child = fork();
  if (child == 0) {
    alarm(60);
    mascon_team_release(team);
    _exit(mascon_team_wait(team, 100) == -1 && released == 0 ? 0 : 1);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  mascon_team_release(team);
  CHECK(released == 0);
  __atomic_store_n(&gate, 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(&released, __ATOMIC_SEQ_CST) == 0) usleep(1000);
}

/* -------} */


/* {------- sandboxes ------- */

static void run (lua_State *L, const char *code) {
  if (luaL_loadstring(L, code) || lua_pcall(L, 0, 0, 0)) {
    printf("%s\n", lua_tostring(L, -1));
    exit(1);
  }
}


static void openlib (lua_State *L, const char *name, lua_CFunction f) {
  lua_pushcfunction(L, f);
  lua_pushstring(L, name);
  lua_call(L, 1, 0);
}


/* the base library and no other; mascon by the host */
static void bare (void) {
  lua_State *L = luaL_newstate();
  openlib(L, "", luaopen_base);
  luaopen_mascon(L);
  lua_setglobal(L, "mascon");
  run(L, "local mascon = mascon\n"
         "local r = mascon.parallel(4, function(first, last, a)\n"
         "  for i = first, last do a[i] = i end\n"
         "  if string or table or io or os or debug or require or package or math then\n"
         "    return 'more than it should'\n"
         "  end\n"
         "  local ok = pcall(function() return ('x'):rep(2) end)\n"
         "  if ok then return 'strings' end\n"
         "  return mascon.ones(3):sum(), _VERSION, pcall(next, {})\n"
         "end, mascon.zeros(4))\n"
         "for _, x in ipairs(r) do if x ~= 3 then error(x) end end\n"
         "if mascon.parallel(1, function() return mascon.ones(2):sum() end)[1] ~= 2 then\n"
         "  error 'no global mascon'\n"
         "end\n");
  lua_close(L);
}


/* all libraries, but something taken away, and something put in its place */
static void pruned (void) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  luaopen_mascon(L);
  lua_setglobal(L, "mascon");
  run(L, "io, debug = nil, nil\n"
         "package.loaded.io, package.loaded.debug = nil, nil\n"
         "os.execute, os.exit, string.dump, package.loadlib = nil, nil, nil, nil\n"
         "package.cpath = '/nowhere/?.so'\n"
         "package.preload.ffi = nil\n"
         "print = function() end\n"
         "tostring = mascon.ones\n"
         "local mascon = mascon\n"
         "local r = mascon.parallel(2, function()\n"
         "  if io or debug or os.execute or os.exit or string.dump or print or tostring or\n"
         "      package.loaded.io or package.loadlib or ('').dump or pcall(require, 'io') or\n"
         "      pcall(require, 'ffi') then\n"
         "    return 'more than it should'\n"
         "  end\n"
         "  if not (os.time and string.rep and table.concat and pcall(require, 'os')) then\n"
         "    return 'less than it should'\n"
         "  end\n"
         "  return package.cpath\n"
         "end)\n"
         "for _, x in ipairs(r) do if x ~= '/nowhere/?.so' then error(x) end end\n"
         "require = nil\n"
         "r = mascon.parallel(1, function()\n"
         "  return require == nil and mascon.ones(2):sum()\n"
         "end)\n"
         "if r[1] ~= 2 then error 'require is there' end\n");
  lua_close(L);
}

/* -------} */


/* a token is a flag: raised when its uses are given up */
#define FLAGS \
  "local function new() return mascon.share(mascon.ones(1), 1e9) end\n" \
  "local function up(f) return not pcall(mascon.attach, f) end\n"


/* a state that is closed while its jobs run, from another thread, too */

static lua_State *newstate (void) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  luaopen_mascon(L);
  lua_setglobal(L, "mascon");
  return L;
}


static void *closestate (void *ud) {
  lua_close(ud);
  return NULL;
}


static void closing (void) {
  const char *start =
    FLAGS
    "for i = 1, 3 do\n"
    "  local running = new()\n"
    "  jobs = {jobs, mascon.spawn(function(f)\n"
    "    mascon.unshare(f)\n"
    "    while true do mascon.ones(3):sum() end\n"
    "  end, running)}\n"
    "  while not up(running) do end\n"
    "end\n";
  lua_State *L = newstate();
  pthread_t thread;
  run(L, start);
  lua_close(L);
  L = newstate();
  run(L, start);
  CHECK(pthread_create(&thread, NULL, closestate, L) == 0);
  pthread_join(thread, NULL);
}


/* parallel in a forked child; a job of the parent's there */
static void forking (void) {
  lua_State *L = newstate();
  int status;
  pid_t child;
  run(L, FLAGS
         "gate = new()\n"
         "job = mascon.spawn(function(f)\n"
         "  while pcall(mascon.attach, f) do end\n"
         "  return 7\n"
         "end, gate)\n");
  child = fork();
  if (child == 0) {
    alarm(60);
    run(L, "local r = mascon.parallel({n = 2, chunk = 1, threads = 2}, function(i)\n"
           "  return i\n"
           "end)\n"
           "assert(r[1] == 1 and r[2] == 2)\n"
           "local ok, why = pcall(job.result, job)\n"
           "assert(not ok and why:find 'forked from')\n"
           "assert(not pcall(job.done, job))\n"
           "job:cancel()\n"
           "job = nil\n"
           "collectgarbage()\n");
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  run(L, "mascon.unshare(gate) assert(job:result() == 7)");
  lua_close(L);
}


int main (void) {
  mascon_memory m;
  teams();
  leaving();
  bare();
  pruned();
  closing();
  if (FORKS) forking();
  mascon_memory_now(&m);
  CHECK(m.blocks == 0);
  printf("ok\n");
  return 0;
}

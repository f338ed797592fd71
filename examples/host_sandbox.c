/*
** host_sandbox.c - scripts of strangers: a state without io, os and package
**
** A script sees what is on the lists below and nothing else: functions that
** reach no file, the host's readings, which it cannot change, and a row of
** results, which it is to fill.  It has a share of memory and of processor
** time, also inside kernels.  Whatever it does wrong is an error that the host
** reads, and the next script runs.
**
**   cc host_sandbox.c $(pkg-config --cflags --libs mascon_lua) -o host_sandbox
*/

#define _XOPEN_SOURCE 700  /* sigaction, setitimer */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include <lualib.h>
#include <mascon_lua.h>

#if LUA_VERSION_NUM < 502
#include <luajit.h>
#endif

#define ROWS 4
#define COLS 1000
#define HEAP (8 << 20)     /* bytes that the values of a script may have */
#define ARRAYS (64 << 20)  /* and the elements of all arrays of the process */
#define MILLISECONDS 500  /* of processor time, all threads */

/* what a script may call: no loading of code, no metatables, no patterns,
   which may take for ever where no limit of time is looked at */
static const char *const base[] = {
  "assert", "error", "ipairs", "next", "pairs", "pcall", "print", "select",
  "tonumber", "tostring", "type", NULL
};
static const char *const strings[] = {
  "byte", "char", "format", "len", "lower", "rep", "reverse", "sub", "upper",
  NULL
};
static const char *const tables[] = {
  "concat", "insert", "remove", "sort", "unpack", NULL
};
static const char *const kernels[] = {
  "array", "zeros", "ones", "full", "range", "linspace", "add", "subtract",
  "multiply", "divide", "minimum", "maximum", "where", "concat", "stack",
  "gauss", "topn", "random", NULL
};

/* methods of arrays that reach files, or tell addresses */
static const char *const forbidden[] = {"save", "flush", "addr", NULL};


/* {------- a state with limits ------- */

static size_t used;  /* bytes of Lua's values */


static void *allocate (void *ud, void *p, size_t old, size_t size) {
  void *q = NULL;
  (void)ud;
  if (p == NULL) old = 0;
  if (size == 0) free(p);
  else if (used - old + size > HEAP) return NULL;
  else if ((q = realloc(p, size)) == NULL) return NULL;
  used += size - old;
  return q;
}


/* a LuaJIT of an old kind takes no allocator */
static lua_State *newstate (void) {
  lua_State *L;
  used = 0;
#if LUA_VERSION_NUM >= 505
  L = lua_newstate(allocate, NULL, 1);
#else
  L = lua_newstate(allocate, NULL);
#endif
  if (L == NULL) L = luaL_newstate();
#if LUA_VERSION_NUM < 502
  if (L != NULL)  /* compiled code would not look at the hook */
    luaJIT_setmode(L, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
#endif
  return L;
}


/* the table at 'from' has fields that the one at 'to' may have, too */
static void allow (lua_State *L, int from, int to, const char *const *names) {
  for (; *names != NULL; names++) {
    lua_getfield(L, from, *names);
    lua_setfield(L, to, *names);
  }
}


/* field 'name' of the table at 1: some functions of the table on top, which
   is popped */
static void give (lua_State *L, const char *name, const char *const *names) {
  lua_newtable(L);
  allow(L, lua_gettop(L) - 1, lua_gettop(L), names);
  lua_setfield(L, 1, name);
  lua_pop(L, 1);
}


static void call (lua_State *L, lua_CFunction open, int nresults) {
  lua_pushcfunction(L, open);
  lua_pushliteral(L, "");
  lua_call(L, 1, nresults);
}


/* -> the table of all that a script sees.  May raise */
static int prepare (lua_State *L) {
  lua_settop(L, 0);
  lua_newtable(L);
  call(L, luaopen_base, 0);
  lua_getglobal(L, "_G");
  allow(L, 2, 1, base);
  call(L, luaopen_table, 1);
  give(L, "table", tables);
  call(L, luaopen_math, 1);
  lua_setfield(L, 1, "math");
  call(L, luaopen_string, 1);
  give(L, "string", strings);
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);  /* ("x"):rep(3) finds its functions here */
  lua_getfield(L, 1, "string");
  lua_setfield(L, -2, "__index");
  lua_settop(L, 2);
  luaopen_mascon(L);
  give(L, "mascon", kernels);
  luaL_getmetatable(L, MASCON_METATABLE);
  lua_getfield(L, -1, "methods");
  for (const char *const *name = forbidden; *name != NULL; name++) {
    lua_pushnil(L);
    lua_setfield(L, -2, *name);
  }
  lua_settop(L, 1);
  return 1;
}

/* -------} */


/* {------- time ------- */

static lua_State *running;


static void timeup (lua_State *L, lua_Debug *ar) {
  (void)ar;
  luaL_error(L, "time is up");
}


/*
** A signal may set a hook and no more.  Lua runs into it, also out of a pcall,
** and a kernel that sees it ends.  It comes again, as an error may be caught.
*/
static void alarmed (int sig) {
  const int all = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;
  (void)sig;
  lua_sethook(running, timeup, all, 1);
}


static void settimer (lua_State *L, int ms) {
  struct itimerval t = {{0, ms > 0 ? 10000 : 0}, {0, ms * 1000}};
  if (ms > 0) running = L;
  setitimer(ITIMER_PROF, &t, NULL);
  if (ms == 0) lua_sethook(L, NULL, 0, 0);
}

/* -------} */


/* {------- a script ------- */

static double readings[ROWS][COLS];
static double results[ROWS];


static void release (void *ctx, void *data) {
  (void)data;
  ++*(int *)ctx;
}


/* field 'name' of the table at 1: the host's memory; nothing is copied */
static int hand (lua_State *L, const char *name, double *p, int ndim,
                 unsigned flags, int *released) {
  static const int64_t shape[2] = {ROWS, COLS};
  mascon_array a;
  int status = mascon_wrap(&a, p, MASCON_F64, ndim, shape, NULL, release,
                           released, flags);
  if (status != MASCON_OK) return status;
  status = mascon_push(L, &a);
  mascon_release(&a);  /* the state's is the only one */
  if (status == MASCON_OK) lua_setfield(L, 1, name);
  return status;
}


/* load it as text: bytecode can do anything.  Its globals are what is at 1 */
static int load (lua_State *L, const char *script) {
  int status = luaL_loadbufferx(L, script, strlen(script), "=script", "t");
  if (status != LUA_OK) return status;
  lua_pushvalue(L, 1);
#if LUA_VERSION_NUM < 502
  lua_setfenv(L, -2);
#else
  lua_setupvalue(L, -2, 1);
#endif
  return LUA_OK;
}


/* script, count of what was released (both light) -> what the script returns */
static int protected (lua_State *L) {
  const char *script = (const char *)lua_touserdata(L, 1);
  int *released = (int *)lua_touserdata(L, 2);
  prepare(L);
  if (hand(L, "readings", readings[0], 2, MASCON_READONLY, released) ||
      hand(L, "results", results, 1, 0, released))
    return luaL_error(L, "no memory for the host's arrays");
  if (load(L, script) != LUA_OK) return lua_error(L);
  settimer(L, MILLISECONDS);
  lua_call(L, 0, 1);
  return 1;
}


/* run a script in a state of its own, say what it returns or has done wrong.
   True if 'expected' is in that, and the host has its memory back */
static int run (const char *script, const char *expected) {
  const char *text;
  int released = 0, right;
  lua_State *L = newstate();
  if (L == NULL) return 0;
  lua_pushcfunction(L, protected);
  lua_pushlightuserdata(L, (void *)script);
  lua_pushlightuserdata(L, &released);
  lua_pcall(L, 2, 1, 0);
  settimer(L, 0);
  text = lua_tostring(L, -1);
  if (text == NULL) text = "(no text)";
  right = strstr(text, expected) != NULL;
  printf("%s\n  %s\n", script, text);
  lua_close(L);  /* gives the host's memory back */
  if (!right || released != 2) printf("  expected: %s\n", expected);
  return right && released == 2;
}

/* -------} */


static const struct {
  const char *script, *expected;
} cases[] = {
  {"readings:mean(2, results) return 'done'", "done"},
  {"return table.concat(mascon.topn(readings, 2)[2]:totable(), ' ')",
   "1000 999"},
  {"return type(io or os or require or load or debug or _G or getmetatable)",
   "nil"},
  {"return ('x'):dump()", "dump"},
  {"readings:fill(0)", "array is read-only"},
  {"readings:save('/tmp/stolen.npy')", "save"},
  {"results[5] = 1", "outside 1 to 4"},
  {"return 1 +", "unexpected symbol"},
  {"error {}", "(no text)"},
  {"while true do end", "time is up"},
  {"while true do pcall(function() while true do end end) end", "time is up"},
  {"local m, out = mascon.ones(900, 900), mascon.zeros(900, 900)\n"
   "while true do m:matmul(m, out) end", "script:2: "},  /* interrupted */
  {"local t = {} while true do t[#t + 1] = ('x'):rep(1e5) .. #t end",
   "not enough memory"},
  {"return mascon.zeros(3000, 3000)", "not enough memory"},
  {"local t = {} for i = 1, 60 do t[i] = mascon.ones(1e6) end",
   "not enough memory"}
};


int main (void) {
  struct sigaction act = {.sa_handler = alarmed, .sa_flags = SA_RESTART};
  int wrong = 0;
  sigaction(SIGPROF, &act, NULL);
  mascon_memory_setlimit(ARRAYS);
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLS; c++) readings[r][c] = r + c;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    wrong |= !run(cases[i].script, cases[i].expected);
  for (int r = 0; r < ROWS; r++) wrong |= results[r] != r + 499.5;
  printf(wrong ? "something is wrong\n" : "all right\n");
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

/*
** run.c - calling Lua from the program: tracebacks, Ctrl-C
**
** A signal handler can do nothing to a Lua state but set a debug hook.  Lua
** code runs into it at once; a kernel sees that it is there and stops.
*/

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app.h"

#define MOSTCALLS 10  /* lines of a short traceback */
#define STUBBORN 2    /* seconds after which a second Ctrl-C ends a session */

static lua_State *watched;
static bool persistent;
static volatile sig_atomic_t asked;  /* Ctrl-C has come during this call */
static volatile time_t since;        /* ... first at this time */


/* {------- Ctrl-C ------- */

static time_t now (void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec;
}


static void stop (lua_State *L, lua_Debug *ar) {
  (void)ar;
  lua_sethook(L, NULL, 0, 0);
  luaL_error(L, "interrupted");
}


static void onsignal (int sig) {
  const int everything = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE |
                         LUA_MASKCOUNT;
  if (asked && (!persistent || now() - since >= STUBBORN)) {
    signal(sig, SIG_DFL);
    raise(sig);  /* comes when the handler returns */
    return;
  }
  if (!asked) since = now();
  asked = 1;
  lua_sethook(watched, stop, everything, 1);
}


void app_watch (lua_State *L) {
  watched = L;
}


void app_persist (void) {
  persistent = true;
}

/* -------} */


/* {------- tracebacks ------- */

/* is it code of the user's that the message does not place already: no C, none
   of our parts, no statement of the session */
static bool isusers (const lua_Debug *ar) {
  if (*ar->what == 'C') return false;
  if (strncmp(ar->source, "=mascon.", 8) == 0) return false;
  return *ar->what != 'm' || strcmp(ar->source, "=stdin") != 0;
}


/* the message with a line for every call of the user's code, MOSTCALLS of them */
static void pushshort (lua_State *L, const char *message) {
  lua_Debug ar;
  int n = 0;
  lua_pushstring(L, message);
  for (int level = 1; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sln", &ar);
    if (!isusers(&ar)) continue;
    if (n++ == MOSTCALLS) {
      lua_pushliteral(L, "\n\t...");
      lua_concat(L, 2);
      return;
    }
    if (*ar.what == 'm')
      lua_pushfstring(L, "\n\t%s:%d: in main chunk", ar.short_src,
                      ar.currentline);
    else if (ar.name != NULL)
      lua_pushfstring(L, "\n\t%s:%d: in '%s'", ar.short_src, ar.currentline,
                      ar.name);
    else
      lua_pushfstring(L, "\n\t%s:%d: in the function of line %d",
                      ar.short_src, ar.currentline, ar.linedefined);
    lua_concat(L, 2);
  }
}


/* message handler: a traceback for what has a text; in a session, a short one */
static int explain (lua_State *L) {
  const char *message = lua_tostring(L, 1);
  if (message == NULL) {
    if (luaL_callmeta(L, 1, "__tostring") && lua_type(L, -1) == LUA_TSTRING)
      return 1;
    message = lua_pushfstring(L, "(error object is a %s value)",
                              luaL_typename(L, 1));
  }
  if (persistent) pushshort(L, message);
  else luaL_traceback(L, L, message, 1);
  return 1;
}

/* -------} */


int app_call (lua_State *L, int nargs, int nresults) {
  struct sigaction action, before;
  int status, base = lua_gettop(L) - nargs;
  memset(&action, 0, sizeof action);
  action.sa_handler = onsignal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  lua_pushcfunction(L, explain);
  lua_insert(L, base);
  asked = 0;
  sigaction(SIGINT, &action, &before);
  status = lua_pcall(L, nargs, nresults, base);
  sigaction(SIGINT, &before, NULL);
  lua_sethook(L, NULL, 0, 0);  /* one that came too late */
  lua_remove(L, base);
  return status;
}


int app_report (lua_State *L, int status, const char *who) {
  if (status == LUA_OK) return status;
  fflush(stdout);
  if (who != NULL) fprintf(stderr, "%s: ", who);
  fprintf(stderr, "%s\n", lua_tostring(L, -1));
  lua_pop(L, 1);
  return status;
}

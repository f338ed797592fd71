/*
** main.c - the mascon program: takes what 'lua' takes, with mascon inside; and
** tools, which are Lua
*/

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app.h"

#include <lualib.h>

#include "mascon_lua.h"

/* the command line */
typedef struct command {
  char **argv;
  int argc;
  int script;        /* index of the script's name; argc where there is none */
  bool interactive;  /* -i */
  bool version;      /* -v, -i */
  bool noenv;        /* -E */
  bool executes;     /* -e */
  bool help;         /* -h, --help */
  const char *bad;   /* an option that is none, or lacks its argument */
  int code;          /* what a tool returned */
} command;


/* {------- the command line ------- */

/* one option; return how many arguments it takes up, 0 where it is bad */
static int option (command *c, int i) {
  const char *s = c->argv[i];
  char name = s[1];
  bool alone = name != '\0' && s[2] == '\0';
  switch (name) {
    case 'i': c->interactive = true;  /* FALLTHROUGH */
    case 'v': c->version = true; return alone;
    case 'E': c->noenv = true; return alone;
    case 'W': return alone;
    case 'e': c->executes = true;  /* FALLTHROUGH */
    case 'l':
      if (!alone) return 1;  /* the argument is in the same word */
      return i + 1 < c->argc && c->argv[i + 1][0] != '-' ? 2 : 0;
    default: return 0;
  }
}


static command parse (int argc, char **argv) {
  command c = {.argv = argv, .argc = argc};
  int i = 1;
  while (i < argc && argv[i][0] == '-' && argv[i][1] != '\0') {
    int used;
    if (strcmp(argv[i], "--") == 0) {
      i++;
      break;
    }
    if (strcmp(argv[i], "--version") == 0) {
      c.version = true;
      i++;
      continue;
    }
    if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
      c.help = true;
      break;
    }
    used = option(&c, i);
    if (used == 0) {
      c.bad = argv[i];
      break;
    }
    i += used;
  }
  c.script = i;
  return c;
}


static void usage (FILE *f, const command *c) {
  fprintf(f,
          "usage: %s [options] [script [args]]\n"
          "       %s TOOL [args]\n"
          "  -e stat  execute string 'stat'\n"
          "  -i       enter the prompt after executing 'script'\n"
          "  -l mod   require library 'mod' into global 'mod'\n"
          "  -l g=mod require library 'mod' into global 'g'\n"
          "  -v       show version information, as --version does\n"
          "  -E       ignore environment variables\n"
          "  -W       turn warnings on\n"
          "  -h       show this text, as --help does\n"
          "  --       stop handling options\n"
          "  -        stop handling options and execute stdin\n",
          c->argv[0], c->argv[0]);
}


static void refuse (const command *c) {
  fprintf(stderr, "%s: ", c->argv[0]);
  if (c->bad[1] == 'e' || c->bad[1] == 'l')
    fprintf(stderr, "'%s' needs argument\n", c->bad);
  else
    fprintf(stderr, "unrecognized option '%s'\n", c->bad);
  usage(stderr, c);
}

/* -------} */


/* {------- running ------- */

/* call the chunk that a luaL_load function left, if it did */
static int run (lua_State *L, const command *c, int status) {
  if (status == LUA_OK) status = app_call(L, 0, 0);
  return app_report(L, status, c->argv[0]);
}


static int runtext (lua_State *L, const command *c, const char *text,
                    const char *name) {
  return run(L, c, luaL_loadbuffer(L, text, strlen(text), name));
}


/* "mod" or "g=mod" */
static int runlibrary (lua_State *L, const command *c, const char *spec) {
  const char *equals = strchr(spec, '=');
  int status;
  lua_getglobal(L, "require");
  lua_pushstring(L, equals != NULL ? equals + 1 : spec);
  status = app_call(L, 1, 1);
  if (status == LUA_OK) {
    lua_pushlstring(L, spec, equals != NULL ? (size_t)(equals - spec)
                                            : strlen(spec));
    lua_insert(L, -2);
    lua_pushglobaltable(L);
    lua_insert(L, -3);
    lua_settable(L, -3);
    lua_pop(L, 1);
  }
  return app_report(L, status, c->argv[0]);
}


/* what the environment asks to do first: code, or @file */
static int runinit (lua_State *L, const command *c) {
  const char *name = "LUA_INIT" LUA_VERSUFFIX;
  const char *init = getenv(name);
  if (init == NULL) init = getenv(name = "LUA_INIT");
  if (c->noenv || init == NULL) return LUA_OK;
  if (init[0] == '@') return run(L, c, luaL_loadfile(L, init + 1));
  return runtext(L, c, init, lua_pushfstring(L, "=%s", name));
}


/* the options that run something, in their order */
static int runoptions (lua_State *L, const command *c) {
  for (int i = 1; i < c->script; i++) {
    const char *s = c->argv[i];
    int status = LUA_OK;
    if (s[1] == 'W') lua_warning(L, "@on", 0);
    else if (s[1] == 'e' || s[1] == 'l') {
      const char *value = s[2] != '\0' ? s + 2 : c->argv[++i];
      status = s[1] == 'e' ? runtext(L, c, value, "=(command line)")
                           : runlibrary(L, c, value);
    }
    if (status != LUA_OK) return status;
  }
  return LUA_OK;
}


/* push a function of mascon.tools */
static void pushtools (lua_State *L, const char *function) {
  lua_getglobal(L, "require");
  lua_pushliteral(L, "mascon.tools");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, function);
  lua_remove(L, -2);
}


/* is the script's name a tool's, and no file's?  Then push what runs it */
static bool findtool (lua_State *L, const char *name) {
  struct stat s;
  if (strchr(name, '/') != NULL) return false;
  if (stat(name, &s) == 0 && !S_ISDIR(s.st_mode)) return false;
  pushtools(L, "find");
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
  if (lua_isfunction(L, -1)) return true;
  lua_pop(L, 1);
  return false;
}


static void usagetools (lua_State *L) {
  pushtools(L, "list");
  lua_call(L, 0, 1);
  printf("tools, which have --help:\n%s", lua_tostring(L, -1));
}


/* push what the script's name is: a tool, or a file's chunk; or a message */
static int loadscript (lua_State *L, const command *c, bool *tool) {
  const char *name = c->argv[c->script];
  if (strcmp(name, "-") == 0 && strcmp(c->argv[c->script - 1], "--") != 0)
    name = NULL;  /* stdin */
  int status;
  *tool = name != NULL && findtool(L, name);
  status = *tool ? LUA_OK : luaL_loadfile(L, name);
  if (status == LUA_ERRFILE && name != NULL && strpbrk(name, "/.") == NULL)
    lua_pushfstring(L, "%s, and there is no such tool (-h lists them)",
                    lua_tostring(L, -1));
  return status;
}


static int runscript (lua_State *L, command *c) {
  bool tool;
  int status = loadscript(L, c, &tool);
  if (status == LUA_OK) {
    int n = c->argc - c->script - 1;
    luaL_checkstack(L, n + LUA_MINSTACK, "too many arguments to script");
    for (int i = 1; i <= n; i++) lua_pushstring(L, c->argv[c->script + i]);
    status = app_call(L, n, tool);
    if (status == LUA_OK && tool) {
      c->code = (int)lua_tointeger(L, -1);
      lua_pop(L, 1);
    }
  }
  return app_report(L, status, c->argv[0]);
}


/* the table 'arg': the script at 0, what precedes it below */
static void pusharg (lua_State *L, const command *c) {
  int zero = c->script < c->argc ? c->script : 0;
  lua_createtable(L, c->argc - zero, zero + 1);
  for (int i = 0; i < c->argc; i++) {
    lua_pushstring(L, c->argv[i]);
    lua_rawseti(L, -2, i - zero);
  }
}


static void version (void) {
  printf("mascon %s (%s)\n", MASCON_VERSION, MCL_LUANAME);
  fflush(stdout);
}


static void prompt (lua_State *L, const command *c) {
  if (!c->version) version();
  app_prompt(L);
}


static int runall (lua_State *L, command *c) {
  bool script = c->script < c->argc;
  int status = runinit(L, c);
  if (status == LUA_OK) status = runoptions(L, c);
  if (status == LUA_OK && script) status = runscript(L, c);
  if (status != LUA_OK) return status;
  if (c->interactive) prompt(L, c);
  else if (!script && !c->executes && !c->version) {
    if (isatty(STDIN_FILENO)) prompt(L, c);
    else status = run(L, c, luaL_loadfile(L, NULL));
  }
  return status;
}

/* -------} */


/* everything that may raise; the command is argument 1; the exit status */
static int protected (lua_State *L) {
  command *c = lua_touserdata(L, 1);
  luaL_checkversion(L);
  if (c->noenv) {
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
  }
  luaL_openlibs(L);
  app_addcpath(L);
  luaL_requiref(L, "mascon", luaopen_mascon, 1);
  pusharg(L, c);
  lua_setglobal(L, "arg");
  lua_settop(L, 0);
  app_watch(L);
  if (c->help) usagetools(L);
  else if (runall(L, c) != LUA_OK) c->code = EXIT_FAILURE;
  lua_pushinteger(L, c->code);
  return 1;
}


int main (int argc, char **argv) {
  command c = parse(argc, argv);
  int code;
  lua_State *L;
  if (c.bad != NULL) {
    refuse(&c);
    return EXIT_FAILURE;
  }
  if (c.help) usage(stdout, &c);
  else if (c.version) version();
  L = luaL_newstate();
  if (L == NULL) {
    fprintf(stderr, "%s: not enough memory\n", argv[0]);
    return EXIT_FAILURE;
  }
  lua_pushcfunction(L, protected);
  lua_pushlightuserdata(L, &c);
  code = app_report(L, lua_pcall(L, 1, 1, 0), argv[0]) == LUA_OK
           ? (int)lua_tointeger(L, -1) : EXIT_FAILURE;
  lua_close(L);
  return code;
}

/*
** prompt.c - the session: read, call, show
**
** What a statement is and how values look is mascon.prompt's business, in
** Lua.  The loop is here so that a traceback ends where the user's code does.
*/

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "app.h"

static const char session;  /* its address: where the registry keeps it */


/* read(prompt): a line; nil at the end of the input; false after Ctrl-C */
static int readline (lua_State *L) {
  const char *line;
  size_t size;
  switch (edit_read(luaL_checkstring(L, 1), &line, &size)) {
    case EDIT_LINE: lua_pushlstring(L, line, size); break;
    case EDIT_END: lua_pushnil(L); break;
    case EDIT_CLEARED: lua_pushboolean(L, 0); break;
  }
  return 1;
}


/* remember(line): add to the history */
static int remember (lua_State *L) {
  edit_remember(luaL_checkstring(L, 1));
  return 0;
}


/* files(folder): the names in it, those of folders with a "/" behind */
static int files (lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  DIR *d = opendir(path);
  const struct dirent *entry;
  int n = 0;
  lua_newtable(L);
  if (d == NULL) return 1;
  while (n < 10000 && (entry = readdir(d)) != NULL) {
    struct stat s;
    bool folder = fstatat(dirfd(d), entry->d_name, &s, 0) == 0 &&
                  S_ISDIR(s.st_mode);
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
      continue;
    lua_pushfstring(L, "%s%s", entry->d_name, folder ? "/" : "");
    lua_rawseti(L, -2, ++n);
  }
  closedir(d);
  return 1;
}


/* Tab: what the session's 'complete' says of the text before the cursor */
static void complete (void *ud, const char *text, size_t size) {
  lua_State *L = ud;
  int top = lua_gettop(L);
  if (!lua_checkstack(L, LUA_MINSTACK)) return;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &session);
  lua_getfield(L, -1, "complete");
  lua_insert(L, -2);
  lua_pushlstring(L, text, size);
  if (lua_pcall(L, 2, 2, 0) == LUA_OK) {
    if (lua_isstring(L, -1)) edit_list(lua_tostring(L, -1));
    if (lua_isstring(L, -2)) edit_insert(lua_tostring(L, -2));
  }
  lua_settop(L, top);
}


/* push a method of the session at 1, and the session */
static void pushmethod (lua_State *L, const char *name) {
  luaL_checkstack(L, LUA_MINSTACK, "too many results to show");
  lua_getfield(L, 1, name);
  lua_pushvalue(L, 1);
}


/* push a new session */
static int open (lua_State *L) {
  int status;
  lua_getglobal(L, "require");
  lua_pushliteral(L, "mascon.prompt");
  if (app_call(L, 1, 1) != LUA_OK) return LUA_ERRRUN;
  lua_getfield(L, -1, "start");
  lua_remove(L, -2);
  lua_pushcfunction(L, readline);
  lua_pushcfunction(L, remember);
  lua_pushcfunction(L, files);
  status = app_call(L, 3, 1);
  if (status != LUA_OK) return status;
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &session);
  return status;
}


/* one statement of the session at 1; false at the end of the input */
static bool step (lua_State *L) {
  lua_settop(L, 1);
  pushmethod(L, "read");
  if (app_report(L, app_call(L, 1, 2), NULL) != LUA_OK) return true;
  if (lua_isnil(L, 2)) return false;
  if (!lua_isfunction(L, 2)) {  /* Ctrl-C, or no statement: the reason */
    if (lua_isstring(L, 3)) app_report(L, LUA_ERRSYNTAX, NULL);
    return true;
  }
  lua_settop(L, 2);
  if (app_report(L, app_call(L, 0, LUA_MULTRET), NULL) != LUA_OK) return true;
  pushmethod(L, "show");
  lua_insert(L, 2);
  lua_insert(L, 2);
  app_report(L, app_call(L, lua_gettop(L) - 2, 0), NULL);
  return true;
}


void app_prompt (lua_State *L) {
  lua_settop(L, 0);
  if (app_report(L, open(L), NULL) != LUA_OK) return;
  edit_open(complete, L);
  app_persist();
  while (step(L)) {}
  edit_close();
}

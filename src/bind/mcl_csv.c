/*
** mcl_csv.c - CSV tables: load, save
*/

#include <string.h>

#include "mcl.h"

#define TABLE "mascon.csv.table"


/* {------- options ------- */

/* an option of one byte; 'none': what the empty string means, -1: nothing */
static char optchar (lua_State *L, int arg, const char *name, char def,
                     int none) {
  size_t n;
  if (mcl_optvalue(L, arg, name) != LUA_TNIL) {
    const char *s = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &n)
                                                   : NULL;
    if (s == NULL || n > 1 || (n == 0 && none < 0))
      mcl_opterror(L, arg, name, "one character");
    def = n == 1 ? s[0] : (char)none;
  }
  lua_pop(L, 1);
  return def;
}


static int opthead (lua_State *L, int arg) {
  bool given = mcl_optvalue(L, arg, "header") != LUA_TNIL;
  lua_pop(L, 1);
  return given ? mcl_optbool(L, arg, "header", true) : -1;
}


/* the options that say how lines are read */
static void getdialect (lua_State *L, int arg, mascon_csv_opts *o) {
  const mascon_csv_opts init = MASCON_CSV_INIT;
  *o = init;
  o->sep = optchar(L, arg, "sep", o->sep, -1);
  if (o->sep != '\0' && strchr("\"\r\n", o->sep) != NULL) {
    mcl_optvalue(L, arg, "sep");
    mcl_opterror(L, arg, "sep", "one character, no quote and no line break");
  }
  o->comment = optchar(L, arg, "comment", o->comment, '\0');
  o->header = opthead(L, arg);
}


static void getoptions (lua_State *L, int arg, mascon_csv_opts *o) {
  static const char *const names[] = {"sep", "point", "comment", "header",
    "text", "columns", "threads", "progress", NULL};
  static const char *const texts[] = {"error", "skip", NULL};
  mcl_options(L, arg, names);
  getdialect(L, arg, o);
  o->point = optchar(L, arg, "point", o->point, -1);
  if (o->sep == o->point)
    luaL_argerror(L, arg, "options 'sep' and 'point' are the same");
  o->skiptext = mcl_optenum(L, arg, "text", 0, texts);
}


/*
** The list of columns on top of the stack, of which 'all' are the names, as
** places.  Return NULL, or the name or place that is none.
*/
static const char *findcolumns (lua_State *L, const mascon_csv *all,
                                int *places, int n) {
  for (int i = 0; i < n; i++) {
    int k = 0;
    if (lua_rawgeti(L, -1, i + 1) == LUA_TSTRING) {
      const char *name = lua_tostring(L, -1);
      while (k < all->nall && strcmp(all->allnames[k], name) != 0) k++;
      if (k == all->nall) return name;
    }
    else {
      lua_Integer place = lua_tointeger(L, -1);
      if (place < 1 || place > all->nall) return luaL_tolstring(L, -1, NULL);
      k = (int)place - 1;
    }
    places[i] = k;
    lua_pop(L, 1);
  }
  return NULL;
}

/* -------} */


/* {------- loading ------- */

static int collect (lua_State *L) {
  mascon_csv_free(lua_touserdata(L, 1));
  return 0;
}


/* push a table that holds nothing yet */
static mascon_csv *newcsv (lua_State *L) {
  mascon_csv *t = lua_newuserdatauv(L, sizeof *t, 0);
  memset(t, 0, sizeof *t);
  if (mcl_newtype(L, TABLE)) {
    lua_pushcfunction(L, collect);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return t;
}


/* nil and a message */
static int refuse (lua_State *L, const char *why) {
  luaL_pushfail(L);
  lua_pushstring(L, why);
  return 2;
}


/* option 'columns', in memory that is pushed; false: the message is, too */
static bool optcolumns (lua_State *L, int arg, const char *path,
                        mascon_csv_opts *o) {
  mascon_csv *all = newcsv(L);
  const char *wrong;
  mascon_why why;
  int *places, n;
  if (mcl_optvalue(L, arg, "columns") == LUA_TNIL) return true;
  n = lua_type(L, -1) == LUA_TTABLE ? (int)lua_rawlen(L, -1) : 0;
  if (n == 0) mcl_opterror(L, arg, "columns", "list of names or places");
  for (int i = 1; i <= n; i++) {
    if (lua_rawgeti(L, -1, i) != LUA_TSTRING &&
        !(lua_isinteger(L, -1) && lua_tointeger(L, -1) > 0))
      mcl_opterror(L, arg, "columns", "names or places from 1 up");
    lua_pop(L, 1);
  }
  places = lua_newuserdatauv(L, (size_t)n * sizeof *places, 0);
  lua_insert(L, -2);
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  if (mascon_csv_names(path, o, all, &why) != MASCON_OK) {
    lua_pushstring(L, why.text);
    return false;
  }
  wrong = findcolumns(L, all, places, n);
  if (wrong != NULL) {
    lua_pushfstring(L, "%s: has no column '%s'", path, wrong);
    return false;
  }
  o->columns = places;
  o->ncolumns = n;
  return true;
}


static void setnames (lua_State *L, const char *field, int n,
                      const char *const *names) {
  lua_createtable(L, n, 0);
  for (int k = 0; k < n; k++) {
    lua_pushstring(L, names[k]);
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -2, field);
}


/* push what a script gets; the columns are rows of the array at 'data' */
static void pushtable (lua_State *L, const mascon_csv *t,
                       const mascon_array *data) {
  lua_createtable(L, t->ncols, 3);
  for (int k = 0; k < t->ncols; k++) {
    mcl_check(L, mascon_select(mcl_pushhandle(L), data, 0, k));
    lua_rawseti(L, -2, k + 1);
  }
  setnames(L, "names", t->ncols, t->names);
  setnames(L, "allnames", t->nall, t->allnames);
  lua_createtable(L, t->ncols, 0);
  for (int k = 0; k < t->ncols; k++) {
    lua_pushinteger(L, t->places[k] + 1);
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -2, "places");
}


/*
** csv.load(path [, opts]) -> a list of f64 vectors, one a column, with names
** (list), places (in the file, from 1) and allnames (of the file); or nil and
** a message.
** opts: sep (one character; " ": blanks; default: found), point ("."),
** comment ("#"; "": none), header (boolean; default: if a field of the first
** line is no number), text ("error", or "skip": columns that are no numbers in
** most of the first rows are left out), columns (list of names or places), threads,
** progress
*/
static int load (lua_State *L) {
  const char *path = mcl_checkpath(L, 1);
  mascon_csv_opts opts;
  mascon_csv *t;
  mascon_array *data;
  mascon_why why;
  mcl_call c;
  int status;
  lua_settop(L, 2);
  getoptions(L, 2, &opts);
  if (!optcolumns(L, 2, path, &opts)) return refuse(L, lua_tostring(L, -1));
  t = newcsv(L);
  mcl_begin(L, &c, 2);
  data = mcl_pushhandle(L);
  status = mascon_csv_load(path, &opts, t, &why, &c.ex);
  if (status == MASCON_ENOMEM) {  /* what is garbage may be enough */
    mcl_collect(L);
    status = mascon_csv_load(path, &opts, t, &why, &c.ex);
  }
  if (status != MASCON_OK && status != MASCON_ECANCEL)
    return refuse(L, why.text);
  mcl_end(L, &c, status);
  mcl_check(L, mascon_view(data, &t->data));
  mcl_adopt(L, data);
  pushtable(L, t, data);
  return 1;
}

/* -------} */


/* {------- codes ------- */

/*
** Push a set for each of 'n' columns, and what memory has them in a list.
** Those that option 'labels' gives are not extended.
*/
static mascon_labels **optlabels (lua_State *L, int arg, int n, int **extend) {
  mascon_labels **sets = lua_newuserdatauv(L, (size_t)n * sizeof *sets, 0);
  *extend = lua_newuserdatauv(L, (size_t)n * sizeof **extend, 0);
  luaL_checkstack(L, n + LUA_MINSTACK, NULL);
  for (int k = 0; k < n; k++) sets[k] = mcl_newlabels(L);
  if (mcl_optvalue(L, arg, "labels") != LUA_TNIL && !lua_istable(L, -1))
    mcl_opterror(L, arg, "labels", "list, of a list or false for each column");
  for (int k = 0; k < n; k++) {
    (*extend)[k] = 1;
    if (!lua_istable(L, -1)) continue;
    if (lua_rawgeti(L, -1, k + 1) == LUA_TTABLE) {
      (*extend)[k] = 0;
      mcl_addlabels(L, arg, "labels", sets[k]);
    }
    else if (lua_toboolean(L, -1))
      mcl_opterror(L, arg, "labels", "list, of a list or false for each "
                   "column");
    else lua_pop(L, 1);
  }
  return sets;
}


/*
** csv.codes(path, opts) -> codes, labels; or nil and a message: columns of
** text as numbers of their texts, which count from 1 as they are first seen.
** codes: a list of i32 vectors; labels: a list of lists of strings.
** opts: columns (list of names or places; must be given), labels (a list for
** each column, false: none; texts that it does not have are 0), sep, comment,
** header, progress
*/
static int codes (lua_State *L) {
  static const char *const names[] = {"columns", "labels", "sep", "comment",
                                      "header", "progress", NULL};
  const char *path = mcl_checkpath(L, 1);
  mascon_csv_opts opts;
  mascon_labels **sets;
  mascon_array *data;
  mascon_why why;
  mcl_call c;
  int status, *extend;
  lua_settop(L, 2);
  mcl_options(L, 2, names);
  getdialect(L, 2, &opts);
  if (mcl_optvalue(L, 2, "columns") == LUA_TNIL)
    mcl_opterror(L, 2, "columns", "list of names or places");
  if (!optcolumns(L, 2, path, &opts)) return refuse(L, lua_tostring(L, -1));
  sets = optlabels(L, 2, opts.ncolumns, &extend);
  mcl_begin(L, &c, 2);
  data = mcl_pushhandle(L);
  status = mascon_csv_codes(path, &opts, sets, extend, data, &why, &c.ex);
  if (status != MASCON_OK && status != MASCON_ECANCEL)
    return refuse(L, why.text);
  mcl_end(L, &c, status);
  mcl_adopt(L, data);
  /* the caller's ids count from 1 */
  for (int64_t i = 0; i < mascon_count(data); i++) ((int32_t *)data->data)[i]++;
  lua_createtable(L, opts.ncolumns, 0);
  lua_createtable(L, opts.ncolumns, 0);
  for (int k = 0; k < opts.ncolumns; k++) {
    mcl_check(L, mascon_select(mcl_pushhandle(L), data, 0, k));
    lua_rawseti(L, -3, k + 1);
    mcl_pushlabels(L, sets[k]);
    lua_rawseti(L, -2, k + 1);
  }
  return 2;
}

/* -------} */


/* {------- saving ------- */

/* the names and vectors of two lists of 'n', for a call */
static void getlists (lua_State *L, const char **names,
                      const mascon_array **columns, int n) {
  for (int k = 0; k < n; k++) {
    size_t size;
    if (lua_rawgeti(L, 2, k + 1) != LUA_TSTRING)
      luaL_argerror(L, 2, "list of names expected");
    names[k] = lua_tolstring(L, -1, &size);  /* the list keeps it */
    if (strlen(names[k]) != size || strpbrk(names[k], "\r\n") != NULL)
      luaL_argerror(L, 2, lua_pushfstring(L, "name %d holds a line break or a "
                    "zero byte", k + 1));
    lua_rawgeti(L, 3, k + 1);
    columns[k] = mcl_livearray(L, lua_gettop(L));
    if (columns[k] == NULL || columns[k]->ndim != 1 ||
        columns[k]->shape[0] != columns[0]->shape[0])
      luaL_argerror(L, 3, lua_pushfstring(L, "%d vectors of one length "
                    "expected, got %s at %d", n, mcl_describe(L, lua_gettop(L)), k + 1));
    lua_pop(L, 2);
  }
}


/*
** csv.save(path, names, columns [, opts]): write a table, whole or not at
** all; raises what goes wrong.  names, columns: lists of strings and vectors.
** opts: threads, progress
*/
static int save (lua_State *L) {
  static const char *const options[] = {"threads", "progress", NULL};
  const char *path = mcl_checkpath(L, 1);
  const char **names;
  const mascon_array **columns;
  mascon_why why;
  mcl_call c;
  int status, n;
  lua_settop(L, 4);
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checktype(L, 3, LUA_TTABLE);
  n = (int)lua_rawlen(L, 2);
  luaL_argcheck(L, n > 0, 2, "a table needs a column");
  if (lua_rawlen(L, 3) != (size_t)n)
    luaL_argerror(L, 3, lua_pushfstring(L, "%d vectors of one length expected "
                  "(a name for each), got %d", n, (int)lua_rawlen(L, 3)));
  mcl_options(L, 4, options);
  names = lua_newuserdatauv(L, (size_t)n * sizeof *names, 0);
  columns = lua_newuserdatauv(L, (size_t)n * sizeof *columns, 0);
  getlists(L, names, columns, n);
  mcl_begin(L, &c, 4);
  status = mascon_csv_save(path, n, names, columns, &why, &c.ex);
  if (status != MASCON_OK && status != MASCON_ECANCEL)
    return luaL_error(L, "%s", why.text);
  mcl_end(L, &c, status);
  return 0;
}

/* -------} */


void mcl_opencsv (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"load", load},
    {"codes", codes},
    {"save", save},
    {NULL, NULL}
  };
  lua_newtable(L);
  mcl_addfuncs(L, funcs);
  mcl_addhits(L);
  lua_setfield(L, -2, "csv");
}

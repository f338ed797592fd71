/*
** mcl_labels.c - sets of texts: from lists of strings or integers, to lists
*/

#include <limits.h>
#include <stdio.h>

#include "mcl.h"

#define LABELS "mascon.csv.labels"


static int freelabels (lua_State *L) {
  mascon_labels **l = lua_touserdata(L, 1);
  mascon_labels_free(*l);
  *l = NULL;
  return 0;
}


mascon_labels *mcl_newlabels (lua_State *L) {
  mascon_labels **l = lua_newuserdatauv(L, sizeof *l, 0);
  *l = NULL;
  if (mcl_newtype(L, LABELS)) {
    lua_pushcfunction(L, freelabels);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  *l = mascon_labels_new();
  if (*l == NULL) mcl_check(L, MASCON_ENOMEM);
  return *l;
}


/* one more, the 'i'-th that is given */
static void add (lua_State *L, int arg, const char *option, mascon_labels *l,
                 const char *text, size_t n, lua_Integer i) {
  int status = mascon_labels_add(l, text, n);
  if (status == MASCON_EVALUE)
    luaL_argerror(L, arg, lua_pushfstring(L, "option '%s': '%s' at "
                  "position %I was there before", option, text, i));
  mcl_check(L, status);
}


/* the numbers of the integer vector on top */
static void addnumbers (lua_State *L, int arg, const char *option,
                        mascon_labels *l) {
  const mascon_array *a = mcl_livearray(L, lua_gettop(L));
  char text[32];
  mascon_dtype t = a != NULL ? mascon_dtype_of(a) : MASCON_F64;
  if (t == MASCON_F64 || t == MASCON_F32 || a->ndim != 1)
    mcl_opterror(L, arg, option, "list of strings or integer vector");
  for (int64_t i = 0; i < a->shape[0]; i++) {
    const char *p = (const char *)a->data + i * a->stride[0] *
                    (a->dtype.bits / 8);
    int n;
    mcl_pushelement(L, t, p);
    n = snprintf(text, sizeof text, "%lld", (long long)lua_tointeger(L, -1));
    add(L, arg, option, l, text, (size_t)n, i + 1);
    lua_pop(L, 1);
  }
}


void mcl_addlabels (lua_State *L, int arg, const char *option,
                    mascon_labels *l) {
  if (!lua_istable(L, -1)) {
    addnumbers(L, arg, option, l);
    lua_pop(L, 1);
    return;
  }
  for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; i++) {
    size_t n;
    const char *text = lua_isstring(L, -1) ? lua_tolstring(L, -1, &n) : NULL;
    if (text == NULL) mcl_opterror(L, arg, option, "lists of strings");
    add(L, arg, option, l, text, n, i);
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
}


void mcl_pushlabels (lua_State *L, const mascon_labels *l) {
  int64_t count = mascon_labels_count(l);
  lua_createtable(L, count < INT_MAX ? (int)count : 0, 0);
  for (int64_t i = 0; i < count; i++) {
    size_t n;
    const char *text = mascon_labels_text(l, i, &n);
    lua_pushlstring(L, text, n);
    lua_rawseti(L, -2, i + 1);
  }
}

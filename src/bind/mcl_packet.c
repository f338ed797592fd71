/*
** mcl_packet.c - values on their way from one Lua state to another
**
** A packet is bytes: a tag, then what the tag says.  Arrays, and what is made
** of them, are not copied: the packet holds a reference to each.
**
** A table that is met again is the same table on the other side, too.  Tables
** are numbered as they are met; the number is negative while one is open.
*/

#include <stdlib.h>
#include <string.h>

#include "mcl_job.h"

#define MAXDEPTH 100  /* of tables in tables: each takes some of C's stack */

#define KINDS "nil, boolean, number, string, array, csr, index or a table of " \
              "these"

enum {
  TNIL, TFALSE, TTRUE, TINTEGER, TNUMBER, TSTRING, TTABLE, TEND, TAGAIN,
  TARRAY, TCSR, TINDEX
};

typedef struct packer {
  lua_State *L;
  mcl_packet *p;
  int seen;      /* stack index of the table of tables: their numbers */
  int ntables;
  int depth;
} packer;

/* where a value stands: keys on the stack, the innermost first */
typedef struct place {
  const struct place *outer;
  int key;
} place;


/* {------- room ------- */

static bool grow (void **p, size_t *size, size_t need, size_t unit) {
  size_t more = *size < 64 ? 64 : *size;
  void *new;
  if (need <= *size) return true;
  while (more < need) more *= 2;
  new = realloc(*p, more * unit);
  if (new == NULL) return false;
  *p = new;
  *size = more;
  return true;
}


static void put (packer *k, const void *s, size_t n) {
  mcl_packet *p = k->p;
  void *bytes = p->bytes;
  if (!grow(&bytes, &p->size, p->n + n, 1)) mcl_check(k->L, MASCON_ENOMEM);
  p->bytes = bytes;
  if (n > 0) memcpy(p->bytes + p->n, s, n);
  p->n += n;
}


static void puttag (packer *k, int tag) {
  char c = (char)tag;
  put(k, &c, 1);
}


static void putint (packer *k, int64_t x) {
  put(k, &x, sizeof x);
}


/* a new reference, empty, whose number is put */
static mcl_ref *putref (packer *k) {
  mcl_packet *p = k->p;
  void *refs = p->refs;
  if (!grow(&refs, &p->refsize, p->nrefs + 1, sizeof *p->refs))
    mcl_check(k->L, MASCON_ENOMEM);
  p->refs = refs;
  memset(&p->refs[p->nrefs], 0, sizeof *p->refs);
  putint(k, (int64_t)p->nrefs);
  return &p->refs[p->nrefs++];
}


void mcl_packfree (mcl_packet *p) {
  static const mcl_packet empty = {NULL, 0, 0, NULL, 0, 0};
  for (size_t i = 0; i < p->nrefs; i++) {
    mascon_release(&p->refs[i].array);
    mascon_index_release(p->refs[i].index);
  }
  free(p->refs);
  free(p->bytes);
  *p = empty;
}

/* -------} */


/* {------- what cannot be packed ------- */

/* push ".name" or "[key]" */
static void pushkey (lua_State *L, int key) {
  const char *s = lua_type(L, key) == LUA_TSTRING ? lua_tostring(L, key) : "";
  if (*s != '\0' && strspn(s, "abcdefghijklmnopqrstuvwxyz_"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") ==
                    strlen(s) && (*s < '0' || *s > '9'))
    lua_pushfstring(L, ".%s", s);
  else if (lua_type(L, key) == LUA_TSTRING) lua_pushfstring(L, "[\"%s\"]", s);
  else {
    luaL_tolstring(L, key, NULL);
    lua_pushfstring(L, "[%s]", lua_tostring(L, -1));
    lua_remove(L, -2);
  }
}


/* push the keys that lead to 'at', outermost first, as one text */
static void pushpath (lua_State *L, const place *at) {
  if (at == NULL) {
    lua_pushliteral(L, "");
    return;
  }
  pushpath(L, at->outer);
  pushkey(L, at->key);
  lua_concat(L, 2);
}


/* "<path>: <what>", or what alone where there is no path */
static const char *refuse (packer *k, const place *at, const char *what) {
  const char *path;
  if (at == NULL) return what;
  luaL_checkstack(k->L, MAXDEPTH + LUA_MINSTACK, NULL);
  pushpath(k->L, at);
  path = lua_tostring(k->L, -1);
  return lua_pushfstring(k->L, "%s: %s", path + (*path == '.'), what);
}


static const char *misfit (packer *k, int i, const place *at,
                           const char *expected) {
  const char *got = mcl_describe(k->L, i);
  return refuse(k, at, lua_pushfstring(k->L, "%s expected, got %s", expected,
                                       got));
}

/* -------} */


/* {------- packing ------- */

static const char *packvalue (packer *k, int i, const place *at);


static void putarray (packer *k, const mascon_array *a) {
  mcl_ref *r = putref(k);
  mascon_view(&r->array, a);
  r->array.flags = a->flags;  /* a view only if it was one */
}


static const char *packuserdata (packer *k, int i, const place *at) {
  const mascon_array *a = mcl_peek(k->L, i);
  const mascon_csr *c;
  mascon_index *x;
  if (a != NULL) {
    if (a->magic != MASCON_MAGIC) return misfit(k, i, at, KINDS);
    puttag(k, TARRAY);
    putarray(k, a);
  }
  else if ((c = mcl_tocsr(k->L, i)) != NULL) {
    if (c->indptr->magic != MASCON_MAGIC || c->indices->magic != MASCON_MAGIC)
      return refuse(k, at, "an array of the csr is closed");
    puttag(k, TCSR);
    putarray(k, c->indptr);
    putarray(k, c->indices);
    putint(k, c->ncols);
    putint(k, c->base);
  }
  else if ((x = mcl_toindex(k->L, i)) != NULL) {
    puttag(k, TINDEX);
    putref(k)->index = mascon_index_retain(x);
  }
  else return misfit(k, i, at, KINDS);
  return NULL;
}


static const char *packstring (packer *k, int i) {
  size_t n;
  const char *s = lua_tolstring(k->L, i, &n);
  puttag(k, TSTRING);
  putint(k, (int64_t)n);
  put(k, s, n);
  return NULL;
}


static const char *packkey (packer *k, int i, const place *at) {
  int type = lua_type(k->L, i);
  if (type != LUA_TSTRING && type != LUA_TNUMBER && type != LUA_TBOOLEAN) {
    const char *got = mcl_describe(k->L, i);
    return refuse(k, at, lua_pushfstring(k->L, "boolean, number or string "
                         "expected as a key, got %s", got));
  }
  return packvalue(k, i, NULL);
}


/* set the number of the table at 'i' */
static void number (packer *k, int i, int n) {
  lua_pushvalue(k->L, i);
  lua_pushinteger(k->L, n);
  lua_rawset(k->L, k->seen);
}


static const char *packpairs (packer *k, int i, const place *at) {
  lua_State *L = k->L;
  const char *wrong = NULL;
  lua_pushnil(L);
  while (wrong == NULL && lua_next(L, i)) {
    place here = {at, lua_gettop(L) - 1};
    wrong = packkey(k, here.key, at);
    if (wrong == NULL) wrong = packvalue(k, here.key + 1, &here);
    if (wrong == NULL) lua_pop(L, 1);
  }
  return wrong;
}


static const char *packtable (packer *k, int i, const place *at) {
  lua_State *L = k->L;
  const char *wrong;
  int n;
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  if (lua_getmetatable(L, i))
    return refuse(k, at, KINDS " expected, got a table with a metatable");
  lua_pushvalue(L, i);
  lua_rawget(L, k->seen);
  n = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  if (n < 0) return refuse(k, at, "the table contains itself");
  if (n > 0) {
    puttag(k, TAGAIN);
    putint(k, n);
    return NULL;
  }
  if (++k->depth > MAXDEPTH)
    return refuse(k, NULL, "tables are nested too deep");
  number(k, i, -(n = ++k->ntables));
  puttag(k, TTABLE);
  putint(k, (int64_t)lua_rawlen(L, i));
  wrong = packpairs(k, i, at);
  if (wrong != NULL) return wrong;
  puttag(k, TEND);
  number(k, i, n);
  k->depth--;
  return NULL;
}


static const char *packvalue (packer *k, int i, const place *at) {
  lua_State *L = k->L;
  switch (lua_type(L, i)) {
    case LUA_TNIL: puttag(k, TNIL); break;
    case LUA_TBOOLEAN: puttag(k, lua_toboolean(L, i) ? TTRUE : TFALSE); break;
    case LUA_TNUMBER: {
      lua_Number x = lua_tonumber(L, i);
      if (lua_isinteger(L, i)) {
        puttag(k, TINTEGER);
        putint(k, lua_tointeger(L, i));
      }
      else {
        puttag(k, TNUMBER);
        put(k, &x, sizeof x);
      }
      break;
    }
    case LUA_TSTRING: return packstring(k, i);
    case LUA_TTABLE: return packtable(k, i, at);
    case LUA_TUSERDATA: return packuserdata(k, i, at);
    default: return misfit(k, i, at, KINDS);
  }
  return NULL;
}


const char *mcl_pack (lua_State *L, int first, int last, mcl_packet *p,
                      int *which) {
  packer k = {L, p, lua_gettop(L) + 1, 0, 0};
  const char *wrong = NULL;
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  lua_newtable(L);
  putint(&k, last - first + 1);
  for (int i = first; wrong == NULL && i <= last; i++) {
    *which = i;
    wrong = packvalue(&k, i, NULL);
  }
  if (wrong == NULL) lua_pop(L, 1);
  return wrong;
}

/* -------} */


/* {------- unpacking ------- */

typedef struct unpacker {
  lua_State *L;
  const mcl_packet *p;
  const char *at;
  int seen;      /* stack index of the list of tables */
  int ntables;
} unpacker;


static int64_t getint (unpacker *u) {
  int64_t x;
  memcpy(&x, u->at, sizeof x);
  u->at += sizeof x;
  return x;
}


static const mcl_ref *getref (unpacker *u) {
  return &u->p->refs[getint(u)];
}


static void unpackvalue (unpacker *u, int tag);


static void unpacktable (unpacker *u) {
  int64_t n = getint(u);
  int tag;
  luaL_checkstack(u->L, LUA_MINSTACK, NULL);
  lua_createtable(u->L, n < 1 << 26 ? (int)n : 0, 0);
  lua_pushvalue(u->L, -1);
  lua_rawseti(u->L, u->seen, ++u->ntables);
  while ((tag = *u->at++) != TEND) {
    unpackvalue(u, tag);
    unpackvalue(u, *u->at++);
    lua_rawset(u->L, -3);
  }
}


static void unpackcsr (unpacker *u) {
  int64_t ncols;
  mcl_check(u->L, mascon_push(u->L, &getref(u)->array));
  mcl_check(u->L, mascon_push(u->L, &getref(u)->array));
  ncols = getint(u);
  mcl_pushcsr(u->L, lua_gettop(u->L) - 1, lua_gettop(u->L), ncols,
              (int)getint(u));
  lua_replace(u->L, -3);
  lua_pop(u->L, 1);
}


static void unpackvalue (unpacker *u, int tag) {
  lua_State *L = u->L;
  switch (tag) {
    case TNIL: lua_pushnil(L); break;
    case TFALSE: case TTRUE: lua_pushboolean(L, tag == TTRUE); break;
    case TINTEGER: lua_pushinteger(L, (lua_Integer)getint(u)); break;
    case TNUMBER: {
      lua_Number x;
      memcpy(&x, u->at, sizeof x);
      u->at += sizeof x;
      lua_pushnumber(L, x);
      break;
    }
    case TSTRING: {
      size_t n = (size_t)getint(u);
      lua_pushlstring(L, u->at, n);
      u->at += n;
      break;
    }
    case TTABLE: unpacktable(u); break;
    case TAGAIN: lua_rawgeti(L, u->seen, (int)getint(u)); break;
    case TARRAY: mcl_check(L, mascon_push(L, &getref(u)->array)); break;
    case TCSR: unpackcsr(u); break;
    case TINDEX: mcl_check(L, mascon_index_push(L, getref(u)->index)); break;
  }
}


int mcl_unpack (lua_State *L, const mcl_packet *p, size_t *at) {
  unpacker u = {L, p, p->bytes + *at, lua_gettop(L) + 1, 0};
  int n = (int)getint(&u);
  luaL_checkstack(L, n + LUA_MINSTACK, "too many values");
  lua_newtable(L);
  for (int i = 0; i < n; i++) unpackvalue(&u, *u.at++);
  lua_remove(L, u.seen);
  *at = (size_t)(u.at - p->bytes);
  return n;
}

/* -------} */

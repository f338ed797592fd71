/*
** mcl_account.c - what the collector is to feel, and when it runs
**
** Lua sees a userdata of a hundred bytes, whatever hangs on it.  A buffer
** weighs on the handle that it was made for; if views outlive that one, we
** only collect more often than we need.
*/

#include <string.h>

#include "mcl.h"

#define SLACK (32 << 20)  /* garbage below this is not worth a collection */
#define HANDLE 176        /* bytes of Lua's own in a handle */
#define FEW 4096          /* handles that are not worth a collection */


mcl_account *mcl_account_of (lua_State *L, int meta) {
  mcl_account *c;
  lua_rawgeti(L, meta, MCL_ACCOUNT);
  c = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return c;
}


/*
** A full collection.  Lua itself is slow to feel userdata that have finalizers
** (what these leave counts as living for one more cycle), so that its heap
** grows far beyond the caches, and each handle costs several times as much.
*/
static void collectall (lua_State *L, mcl_account *c) {
  int64_t before = c->handles;
  lua_gc(L, LUA_GCCOLLECT);
  c->floor = c->held;
  c->heap = (int64_t)lua_gc(L, LUA_GCCOUNT) * 1024 -
            (before - c->handles) * HANDLE;
  c->young = 0;
  c->enough = c->heap / HANDLE > FEW ? c->heap / HANDLE : FEW;
}


void mcl_makeroom (lua_State *L, mcl_account *c, int64_t bytes) {
  int64_t most = c->floor > c->heap ? c->floor : c->heap;
  if (c->held == c->floor ||  /* nothing new, so no garbage */
      c->held - c->floor + bytes <= (most > SLACK ? most : SLACK) ||
      lua_gc(L, LUA_GCISRUNNING) <= 0) return;
  collectall(L, c);
}


void mcl_makeway (lua_State *L, mcl_account *c) {
  if (c->young++ < c->enough) return;
  c->young = 0;
  if (lua_gc(L, LUA_GCISRUNNING) > 0) collectall(L, c);
}


void mcl_collect (lua_State *L) {
  int running = lua_gc(L, LUA_GCISRUNNING);
  lua_gc(L, LUA_GCCOLLECT);
  if (running == 0) lua_gc(L, LUA_GCSTOP);  /* some start it by that */
}


void mcl_put (mcl_account *c, int64_t bytes) {
  c->held += bytes;
  if (c->held < c->floor) c->floor = c->held;
}


void mcl_charge (lua_State *L, int64_t bytes) {
  mcl_account *c = mcl_account_of(L, MCL_META);
  mcl_put(c, bytes);
  if (bytes > 0) mcl_makeroom(L, c, 0);
}


int64_t mcl_handles (lua_State *L) {
  return mcl_account_of(L, MCL_META)->handles;
}


void mcl_openaccount (lua_State *L) {
  luaL_getmetatable(L, MCL_ARRAY);
  if (mcl_account_of(L, lua_gettop(L)) == NULL) {
    mcl_account *c = lua_newuserdatauv(L, sizeof *c, 0);
    memset(c, 0, sizeof *c);
    c->enough = FEW;
    lua_rawseti(L, -2, MCL_ACCOUNT);
  }
  lua_pop(L, 1);
}

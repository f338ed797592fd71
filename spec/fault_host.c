/*
** fault_host.c - every public operation, with every allocation failing once
**
**   fault core|lua on|two FOLDER
**
** core: the library's allocations fail; lua: those of the Lua state.  on: from
** the n-th on; two: only the n-th and the next, since one that fails may be
** tried again after a collection.  For n from 0 until the operation passes.
*/

#include <string.h>

#include <lualib.h>

#include "check.h"
#include "mascon_lua.h"

static int64_t calls;     /* allocations since faults were armed */
static int64_t first;     /* the first that fails; < 0: none does */
static int two;           /* only it and the next */
static int64_t held;      /* blocks of the state */
static const char *name;  /* of the operation */


static int fails (void) {
  int64_t n = __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  return first >= 0 && n >= first && (!two || n <= first + 1);
}


/* {------- the library's ------- */

static void *give (void *ud, size_t bytes) {
  (void)ud;
  if (__atomic_load_n(&first, __ATOMIC_RELAXED) >= 0 && fails()) return NULL;
  return malloc(bytes);
}


static void take (void *ud, void *p, size_t bytes) {
  (void)ud;
  (void)bytes;
  free(p);
}

/* -------} */


/* {------- Lua's ------- */

static void *lualloc (void *ud, void *p, size_t osize, size_t nsize) {
  void *q;
  int core = *(int *)ud;
  if (nsize == 0) {
    held -= p != NULL;
    free(p);
    return NULL;
  }
  /* what becomes smaller never fails, as Lua expects */
  if (!core && first >= 0 && (p == NULL || nsize > osize) && fails())
    return NULL;
  q = realloc(p, nsize);
  held += p == NULL && q != NULL;
  return q;
}

/* -------} */


static int64_t blocks (void) {
  mascon_memory m;
  mascon_memory_now(&m);
  return m.blocks;
}


static void bad (lua_State *L, int64_t n, const char *what) {
  printf("%s, allocation %d: %s: %s\n", name, (int)n, what,
         lua_tostring(L, -1));
  exit(1);
}


/* what an operation must write as a whole or not at all */
typedef struct output {
  mascon_array *a;  /* NULL: nothing */
  size_t bytes;
  char *before, *after;
} output;


/* the bytes of 'o' as they are */
static char *bytesof (const output *o) {
  char *copy = malloc(o->bytes + 1);
  CHECK(copy != NULL);
  if (o->bytes > 0) memcpy(copy, o->a->data, o->bytes);
  return copy;
}


static int whole (const output *o) {
  return o->a == NULL || memcmp(o->a->data, o->before, o->bytes) == 0 ||
         memcmp(o->a->data, o->after, o->bytes) == 0;
}


/* did the call fail, by an error or by nil and a message? */
static int failed (lua_State *L, int base, int st) {
  if (st != LUA_OK) return 1;
  if (lua_gettop(L) == base + 2 && lua_isnil(L, base + 1)) {
    lua_settop(L, base + 2);
    return 1;
  }
  return 0;
}


static void collect (lua_State *L) {
  lua_gc(L, LUA_GCCOLLECT, 0);
  lua_gc(L, LUA_GCCOLLECT, 0);
}


/* luaL_checkstack says the other where memory is short */
static int clear (const char *why) {
  return strstr(why, "not enough memory") != NULL ||
         strstr(why, "stack overflow") != NULL;
}


/* the operation at 'f', from whose allocation 'n' on all fails; did it pass? */
static int once (lua_State *L, int f, int64_t n, const output *o) {
  int st, passed;
  if (o->a != NULL) memcpy(o->a->data, o->before, o->bytes);
  /* a finalizer that Lua has no memory to call is lost, whoever's it is */
  lua_gc(L, LUA_GCSTOP, 0);
  lua_pushvalue(L, f);
  calls = 0;
  first = n;
  st = lua_pcall(L, 0, LUA_MULTRET, 0);
  first = -1;
  lua_gc(L, LUA_GCRESTART, 0);
  passed = calls <= n;
  if (failed(L, f, st)) {
    const char *why = lua_tostring(L, -1);
    if (passed || why == NULL || !clear(why))
      bad(L, n, "is unclear");
    if (!whole(o)) bad(L, n, "wrote a part");
  }
  lua_settop(L, f);
  return passed;
}


/*
** The operation at 'f' of the stack, for each of its allocations; 'o' is what
** it writes.  Nothing may be left of it, and the state must be of use.  Returns
** how many allocations there are.
*/
static int64_t every (lua_State *L, int f, output *o) {
  int64_t before, n;
  if (o->a != NULL) {
    o->bytes = (size_t)mascon_count(o->a) *
               mascon_dtype_size(mascon_dtype_of(o->a));
    o->before = bytesof(o);
  }
  lua_pushvalue(L, f);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) bad(L, -1, "fails");
  if (o->a != NULL) o->after = bytesof(o);
  collect(L);
  before = blocks();
  for (n = 0; !once(L, f, n, o); n++) {
    collect(L);
    if (blocks() != before) bad(L, n, "leaks a block");
    if (luaL_dostring(L, "assert(require'mascon'.ones(3):sum() == 3)"))
      bad(L, n, "leaves a bad state");
    CHECK(n < 3000);
  }
  free(o->before);
  free(o->after);
  return n;
}


int main (int argc, char **argv) {
  mascon_allocator own = {.size = sizeof own, .alloc = give, .release = take};
  int64_t failures = 0;
  int core, n = 0;
  lua_State *L;
  CHECK(argc > 3);
  core = strcmp(argv[1], "core") == 0;
  two = strcmp(argv[2], "two") == 0;
  first = -1;
  if (core) CHECK(mascon_memory_use(&own) == MASCON_OK);
  L = lua_newstate(lualloc, &core);
  CHECK(L != NULL);
  luaL_openlibs(L);
  luaopen_mascon(L);
  lua_settop(L, 0);
  name = "fault_cases.lua";
  if (luaL_dofile(L, "spec/fault_cases.lua") != LUA_OK) bad(L, -1, "fails");
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
    output o = {0};
    name = lua_tostring(L, 2);
    lua_pushvalue(L, 3);
    lua_pushstring(L, argv[3]);
    if (lua_pcall(L, 1, 2, 0) != LUA_OK) bad(L, -1, "cannot be prepared");
    o.a = lua_isnil(L, 5) ? NULL : mascon_toarray(L, 5);
    lua_insert(L, 4);  /* what it must keep is held below the function */
    failures += every(L, 5, &o);
    lua_settop(L, 3);
    n++;
  }
  lua_close(L);
  CHECK(held == 0 && blocks() == 0);
  printf("%d operations, %d failures\n", n, (int)failures);
  return 0;
}

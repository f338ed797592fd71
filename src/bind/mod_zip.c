/*
** mod_zip.c - mascon.zip: files in zip archives, by libzip
**
** What an archive says is not trusted: no entry is given more memory than
** deflate can make of the bytes that are there.
*/

#include <stdbool.h>
#include <zip.h>

#include "mod.h"

#define HANDLE "mascon.zip.handle"

#define BLOCK ((zip_uint64_t)1 << 20)  /* bytes between looks for Ctrl-C */
#define EXPANSION 1032         /* bytes that deflate makes of one, at best */

typedef struct handle {
  zip_t *zip;
  zip_file_t *file;
} handle;

/* an entry that is written: some text, then the elements of an array */
typedef struct entry {
  const char *part[2];
  zip_uint64_t size[2];
  zip_uint64_t at;
} entry;

/* who writes, to see whether Ctrl-C has come */
typedef struct watch {
  lua_State *L;
  lua_Hook hook;
} watch;


static int collect (lua_State *L) {
  handle *h = lua_touserdata(L, 1);
  if (h->file != NULL) zip_fclose(h->file);
  if (h->zip != NULL) zip_discard(h->zip);
  h->file = NULL;
  h->zip = NULL;
  return 0;
}


static int refuse (lua_State *L, const char *why) {
  luaL_pushfail(L);
  lua_pushstring(L, why);
  return 2;
}


/* push a handle with the open archive; else NULL, and the message */
static handle *pushopen (lua_State *L, const char *path, int flags) {
  handle *h = mod_newhandle(L, sizeof *h, HANDLE, collect);
  zip_error_t error;
  int code;
  h->zip = zip_open(path, flags, &code);
  if (h->zip != NULL) return h;
  zip_error_init_with_code(&error, code);
  lua_pushstring(L, code == ZIP_ER_NOZIP ? "is no zip archive"
                                         : zip_error_strerror(&error));
  zip_error_fini(&error);
  return NULL;
}


/* {------- reading ------- */

/* push the bytes of entry 'i' as a u8 vector; else false, and the message */
static bool pushbytes (lua_State *L, handle *h, zip_uint64_t i,
                       int64_t filesize) {
  lua_Hook hook = lua_gethook(L);
  zip_uint64_t at = 0, size;
  zip_int64_t n = 1;
  int64_t shape[1];
  mascon_array *a;
  zip_stat_t s;
  char end;
  if (zip_stat_index(h->zip, i, 0, &s) != 0 || !(s.valid & ZIP_STAT_SIZE) ||
      s.size / EXPANSION > (zip_uint64_t)filesize) {
    lua_pushliteral(L, "its size is wrong");
    return false;
  }
  size = s.size;
  shape[0] = (int64_t)size;
  h->file = zip_fopen_index(h->zip, i, 0);
  if (h->file == NULL) {
    lua_pushstring(L, zip_strerror(h->zip));
    return false;
  }
  a = mod_newarray(L, "u8", 1, shape);
  if (a == NULL) return false;
  while (at < size && n > 0) {
    n = zip_fread(h->file, (char *)a->data + at,
                  size - at < BLOCK ? size - at : BLOCK);
    if (n > 0) at += (zip_uint64_t)n;
    mod_checkhook(L, hook);
  }
  if (n > 0) n = zip_fread(h->file, &end, 1);  /* checks the sum */
  if (at < size || n != 0) {
    lua_pushstring(L, n < 0 ? zip_file_strerror(h->file)
                            : "its size is wrong");
    return false;
  }
  zip_fclose(h->file);
  h->file = NULL;
  return true;
}


/* is entry 'name' one of the list at index 'arg', or is there no list? */
static bool wanted (lua_State *L, int arg, const char *name) {
  bool found = lua_isnoneornil(L, arg);
  for (lua_Integer k = 1; !found; k++) {
    if (lua_rawgeti(L, arg, k) == LUA_TNIL) break;
    found = lua_type(L, -1) == LUA_TSTRING &&
            strcmp(lua_tostring(L, -1), name) == 0;
    lua_pop(L, 1);
  }
  if (!found) lua_pop(L, 1);
  return found;
}


/*
** read(path [, names]) -> table, or nil and why: the bytes of each entry of
** the archive (only those in the list 'names') by its name, as u8 vectors,
** and a list of all names
*/
static int readall (lua_State *L) {
  const char *path = mod_checkpath(L, 1), *why;
  int64_t size;
  FILE *f = mod_openread(path, &size, &why);
  handle *h;
  zip_int64_t n;
  if (f == NULL) return refuse(L, why);
  fclose(f);
  lua_settop(L, 2);
  if (!lua_isnil(L, 2)) luaL_checktype(L, 2, LUA_TTABLE);
  h = pushopen(L, path, ZIP_RDONLY);
  if (h == NULL) return refuse(L, lua_tostring(L, -1));
  lua_newtable(L);  /* 4: entries */
  lua_newtable(L);  /* 5: their names */
  n = zip_get_num_entries(h->zip, 0);
  for (zip_int64_t i = 0; i < n; i++) {
    const char *name = zip_get_name(h->zip, (zip_uint64_t)i, 0);
    if (name == NULL) return refuse(L, zip_strerror(h->zip));
    lua_pushstring(L, name);
    lua_rawseti(L, 5, i + 1);
    if (!wanted(L, 2, name)) continue;
    if (!pushbytes(L, h, (zip_uint64_t)i, size))
      return refuse(L, lua_pushfstring(L, "%s: %s", name,
                                       lua_tostring(L, -1)));
    lua_setfield(L, 4, name);
  }
  lua_pushvalue(L, 5);
  lua_pushvalue(L, 4);
  lua_insert(L, -2);
  return 2;
}

/* -------} */


/* {------- writing ------- */

/* up to 'n' of the bytes that are left, as libzip asks for them */
static zip_int64_t take (entry *e, char *to, zip_uint64_t n) {
  zip_uint64_t done = 0, from = e->at;
  for (int k = 0; k < 2; k++) {
    if (from < e->size[k] && done < n) {
      zip_uint64_t m = e->size[k] - from < n - done ? e->size[k] - from
                                                    : n - done;
      memcpy(to + done, e->part[k] + from, (size_t)m);
      done += m;
      from += m;
    }
    from -= e->size[k];
  }
  e->at += done;
  return (zip_int64_t)done;
}


static zip_int64_t source (void *ud, void *data, zip_uint64_t n,
                           zip_source_cmd_t command) {
  entry *e = ud;
  switch (command) {
    case ZIP_SOURCE_OPEN: e->at = 0; return 0;
    case ZIP_SOURCE_READ: return take(e, data, n);
    case ZIP_SOURCE_STAT: {
      zip_stat_t *s = data;
      zip_stat_init(s);
      s->size = e->size[0] + e->size[1];
      s->valid = ZIP_STAT_SIZE;
      return sizeof *s;
    }
    case ZIP_SOURCE_ERROR: return zip_error_to_data(NULL, data, n);
    case ZIP_SOURCE_SUPPORTS: return ZIP_SOURCE_SUPPORTS_READABLE;
    default: return 0;
  }
}


static int cancelled (zip_t *zip, void *ud) {
  watch *w = ud;
  (void)zip;
  return lua_gethook(w->L) != w->hook;
}


/*
** The entry at index -1, {name, text, array}, into the archive.  What it
** points into stays on the stack's table.
*/
static bool add (lua_State *L, handle *h, entry *e, int level) {
  const mascon_array *a;
  const char *name;
  size_t n;
  zip_source_t *s;
  zip_int64_t i;
  lua_rawgeti(L, -1, 1);
  lua_rawgeti(L, -2, 2);
  lua_rawgeti(L, -3, 3);
  name = luaL_checkstring(L, -3);
  e->part[0] = luaL_checklstring(L, -2, &n);
  e->size[0] = n;
  a = mascon_toarray(L, -1);
  luaL_argcheck(L, a != NULL, 2, "an entry has no array");
  e->part[1] = a->data;
  e->size[1] = a->shape[0] > 0 ? mod_rowbytes(a) * (size_t)a->shape[0] : 0;
  lua_pop(L, 3);
  s = zip_source_function(h->zip, source, e);
  if (s == NULL) return false;
  i = zip_file_add(h->zip, name, s, ZIP_FL_ENC_UTF_8);
  if (i < 0) {
    zip_source_free(s);
    return false;
  }
  return zip_set_file_compression(h->zip, (zip_uint64_t)i, level > 0
                                  ? ZIP_CM_DEFLATE : ZIP_CM_STORE,
                                  (zip_uint32_t)level) == 0;
}


/* an archive of nothing, which libzip removes instead of writing it */
static int writenone (lua_State *L, const char *path) {
  static const char end[22] = {'P', 'K', 5, 6};
  FILE *f = fopen(path, "wb");
  bool ok = f != NULL && fwrite(end, 1, sizeof end, f) == sizeof end;
  int error = errno;
  if (f != NULL && fclose(f) != 0 && ok) {
    ok = false;
    error = errno;
  }
  if (!ok) return refuse(L, strerror(error));
  lua_pushboolean(L, 1);
  return 1;
}


/*
** write(path, entries, level) -> true, or nil and why: a new archive of
** entries {name, text, array}, where each is the text and then the elements,
** which are side by side.  level 0: not compressed; 1 to 9: deflate
*/
static int writeall (lua_State *L) {
  const char *path = mod_checkpath(L, 1);
  int level = (int)luaL_checkinteger(L, 3), n;
  watch w = {L, lua_gethook(L)};
  handle *h;
  entry *e;
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_argcheck(L, level >= 0 && level <= 9, 3, "0 to 9 expected");
  lua_settop(L, 3);
  n = (int)lua_rawlen(L, 2);
  if (n == 0) return writenone(L, path);
  e = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *e, 0);
  h = pushopen(L, path, ZIP_CREATE | ZIP_TRUNCATE);
  if (h == NULL) return refuse(L, lua_tostring(L, -1));
  for (int k = 0; k < n; k++) {
    lua_rawgeti(L, 2, k + 1);
    luaL_checktype(L, -1, LUA_TTABLE);
    if (!add(L, h, &e[k], level)) return refuse(L, zip_strerror(h->zip));
    lua_pop(L, 1);
  }
  zip_register_cancel_callback_with_state(h->zip, cancelled, NULL, &w);
  if (zip_close(h->zip) != 0) {
    lua_pushstring(L, zip_strerror(h->zip));
    mod_checkhook(L, w.hook);
    return refuse(L, lua_tostring(L, -1));
  }
  h->zip = NULL;
  lua_pushboolean(L, 1);
  return 1;
}

/* -------} */


MASCON_API int luaopen_mascon_zip (lua_State *L);

int luaopen_mascon_zip (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"read", readall},
    {"write", writeall},
    {NULL, NULL}
  };
  mod_newlib(L, funcs);
  return 1;
}

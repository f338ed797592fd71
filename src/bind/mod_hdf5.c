/*
** mod_hdf5.c - mascon.hdf5: tables and arrays in HDF5 files, by libhdf5
**
** The library may be called by one thread at a time, so all of its calls are
** made under a lock; no Lua function is, as it might not come back.
*/

#include <errno.h>
#include <hdf5.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "mod.h"

#define MAXFIELD 256
#define BLOCK ((size_t)1 << 22)  /* bytes of rows that are read at once */
#define MAXNAMES ((size_t)1 << 20)  /* bytes of names of datasets */
#define READER "mascon.hdf5.reader"

/* a column of a table, or all of a dataset that is none */
typedef struct field {
  char *name;         /* the library's */
  const char *dtype;  /* ours */
  hid_t type;         /* the library's constant for it */
  size_t size, offset;
  bool wide;          /* uint64, which an i64 holds up to 2^63 - 1 */
  char *data;         /* of the array; set when it is made */
} field;

typedef struct reader {
  const char *path;
  hid_t file, set, space, filetype, memtype;  /* < 0: not open */
  int ndim;
  int64_t shape[MASCON_MAXDIM];
  bool table;
  int nfield;
  field fields[MAXFIELD];
  size_t rowsize;
  char *names;        /* of datasets, each with its '\0', for 'names' */
  size_t namesize;
  char why[512];
} reader;


/* {------- the lock ------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct quiet {
  H5E_auto2_t report;
  void *ud;
} quiet;


/* the library prints its errors unless told otherwise */
static void enter (quiet *q) {
  pthread_mutex_lock(&lock);
  H5Eget_auto2(H5E_DEFAULT, &q->report, &q->ud);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}


static void leave (const quiet *q) {
  H5Eset_auto2(H5E_DEFAULT, q->report, q->ud);
  pthread_mutex_unlock(&lock);
}

/* -------} */


/* {------- opening (under the lock) ------- */

__attribute__((format(printf, 2, 3)))
static bool fail (reader *r, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(r->why, sizeof r->why, fmt, ap);
  va_end(ap);
  return false;
}


static herr_t innermost (unsigned n, const H5E_error2_t *e, void *ud) {
  reader *r = ud;
  if (n == 0) snprintf(r->why, sizeof r->why, "%s", e->desc);
  return 0;
}


/* what the library says, its first cause */
static bool failhdf5 (reader *r, const char *what) {
  fail(r, "%s", what);
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, r);
  return false;
}


/* the dtype for numbers of the file's type 't': the smallest that holds all */
static bool settype (field *f, hid_t t) {
  H5T_class_t class = H5Tget_class(t);
  size_t size = H5Tget_size(t);
  bool isint = class == H5T_INTEGER || class == H5T_ENUM;
  bool sign = false;
  if (size == 0 || size > 8 || !(isint || class == H5T_FLOAT)) return false;
  if (class == H5T_ENUM) {  /* booleans of Python are */
    hid_t base = H5Tget_super(t);
    sign = H5Tget_sign(base) == H5T_SGN_2;
    H5Tclose(base);
  }
  else if (isint) sign = H5Tget_sign(t) == H5T_SGN_2;
  f->wide = isint && !sign && size > 4;
#define is(code, native, bytes) \
  (f->dtype = code, f->type = native, f->size = bytes)
  if (!isint && size <= 4) is("f32", H5T_NATIVE_FLOAT, 4);
  else if (!isint) is("f64", H5T_NATIVE_DOUBLE, 8);
  else if (f->wide) is("i64", H5T_NATIVE_UINT64, 8);
  else if (sign && size <= 4) is("i32", H5T_NATIVE_INT32, 4);
  else if (sign || size > 2) is("i64", H5T_NATIVE_INT64, 8);
  else if (size == 1) is("u8", H5T_NATIVE_UINT8, 1);
  else is("u16", H5T_NATIVE_UINT16, 2);
#undef is
  return true;
}


/* a compound type: its members are columns */
static bool addfields (reader *r) {
  int n = H5Tget_nmembers(r->filetype);
  if (n < 1 || n > MAXFIELD)
    return fail(r, "1 to %d columns expected, it has %d", MAXFIELD, n);
  for (int i = 0; i < n; i++) {
    field *f = &r->fields[i];
    hid_t t = H5Tget_member_type(r->filetype, (unsigned)i);
    bool known = t >= 0 && settype(f, t);
    if (t >= 0) H5Tclose(t);
    f->name = H5Tget_member_name(r->filetype, (unsigned)i);
    r->nfield++;
    if (f->name == NULL) return failhdf5(r, "a column has no name");
    if (!known) return fail(r, "column '%s' is not of numbers", f->name);
    f->offset = r->rowsize;
    r->rowsize += f->size;
  }
  r->memtype = H5Tcreate(H5T_COMPOUND, r->rowsize);
  if (r->memtype < 0) return failhdf5(r, "no type for it");
  for (int i = 0; i < n; i++)
    if (H5Tinsert(r->memtype, r->fields[i].name, r->fields[i].offset,
                  r->fields[i].type) < 0)
      return failhdf5(r, "no type for it");
  return true;
}


static bool setshape (reader *r) {
  hsize_t shape[H5S_MAX_RANK];
  int n = H5Sget_simple_extent_dims(r->space, shape, NULL);
  if (n < 0) return failhdf5(r, "has no shape");
  if (n > MASCON_MAXDIM) return fail(r, "has more than 4 axes");
  if (n == 0) {  /* one element */
    r->shape[0] = H5Sget_simple_extent_npoints(r->space) > 0;
    n = 1;
  }
  else for (int k = 0; k < n; k++) {
    if (shape[k] > INT64_MAX) return fail(r, "has too many elements");
    r->shape[k] = (int64_t)shape[k];
  }
  r->ndim = n;
  return true;
}


static bool openhdf5 (reader *r) {
  if (H5Fis_hdf5(r->path) <= 0) return fail(r, "is no HDF5 file");
  r->file = H5Fopen(r->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  return r->file >= 0 || failhdf5(r, "cannot be opened");
}


static bool openset (reader *r, const char *name) {
  if (!openhdf5(r)) return false;
  r->set = H5Dopen2(r->file, name, H5P_DEFAULT);
  if (r->set < 0) return fail(r, "has no dataset '%s'", name);
  r->space = H5Dget_space(r->set);
  r->filetype = H5Dget_type(r->set);
  if (r->space < 0 || r->filetype < 0) return failhdf5(r, "has no type");
  if (!setshape(r)) return false;
  r->table = H5Tget_class(r->filetype) == H5T_COMPOUND;
  if (r->table)
    return r->ndim == 1 ? addfields(r) : fail(r, "table has two axes");
  r->nfield = 1;
  return settype(r->fields, r->filetype) || fail(r, "is not of numbers");
}


static void closeall (reader *r) {
  hid_t *const types[] = {&r->memtype, &r->filetype};
  for (int i = 0; i < r->nfield; i++)
    if (r->fields[i].name != NULL) H5free_memory(r->fields[i].name);
  r->nfield = 0;
  free(r->names);
  r->names = NULL;
  for (int i = 0; i < 2; i++)
    if (*types[i] >= 0) H5Tclose(*types[i]);
  if (r->space >= 0) H5Sclose(r->space);
  if (r->set >= 0) H5Dclose(r->set);
  if (r->file >= 0) H5Fclose(r->file);
  r->memtype = r->filetype = r->space = r->set = r->file = -1;
}

/* -------} */


/* {------- reading (under the lock) ------- */

static bool checkwide (reader *r, const field *f, int64_t n) {
  const int64_t *p = (const int64_t *)(const void *)f->data;
  if (!f->wide) return true;
  for (int64_t i = 0; i < n; i++)
    if (p[i] < 0)
      return fail(r, "has uint64 values above 2^63 - 1, which no dtype holds");
  return true;
}


/* rows first to first + n - 1 of a table, by way of 'block' */
static bool readrows (reader *r, int64_t first, int64_t n, char *block) {
  hsize_t start = (hsize_t)first, count = (hsize_t)n;
  hid_t memory = H5Screate_simple(1, &count, NULL);
  bool ok = memory >= 0 &&
            H5Sselect_hyperslab(r->space, H5S_SELECT_SET, &start, NULL,
                                &count, NULL) >= 0 &&
            H5Dread(r->set, r->memtype, memory, r->space, H5P_DEFAULT,
                    block) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (!ok) return failhdf5(r, "cannot be read");
  for (int i = 0; i < r->nfield; i++) {
    const field *f = &r->fields[i];
    const char *from = block + f->offset;
    char *to = f->data + (size_t)first * f->size;
#define scatter(bytes) \
  for (int64_t k = 0; k < n; k++) \
    memcpy(to + k * bytes, from + (size_t)k * r->rowsize, bytes)
    switch (f->size) {
      case 1: scatter(1); break;
      case 2: scatter(2); break;
      case 4: scatter(4); break;
      default: scatter(8);
    }
#undef scatter
  }
  return true;
}


/* all of a dataset that is no table */
static bool readarray (reader *r) {
  if (H5Dread(r->set, r->fields->type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
              r->fields->data) < 0) return failhdf5(r, "cannot be read");
  return true;
}

/* -------} */


/* {------- the module ------- */

static void closereader (reader *r) {
  quiet q;
  enter(&q);
  closeall(r);
  leave(&q);
}


static int collect (lua_State *L) {
  closereader(lua_touserdata(L, 1));
  return 0;
}


/* push a reader that holds nothing yet */
static reader *newreader (lua_State *L, const char *path) {
  reader *r = lua_newuserdatauv(L, sizeof *r, 0);
  memset(r, 0, sizeof *r);
  r->file = r->set = r->space = r->filetype = r->memtype = -1;
  r->path = path;
  if (luaL_newmetatable(L, READER)) {
    lua_pushcfunction(L, collect);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return r;
}


/* nil and the message */
static int refuse (lua_State *L, reader *r, const char *why) {
  closereader(r);
  luaL_pushfail(L);
  lua_pushfstring(L, "%s: %s", r->path, why);
  return 2;
}


/* do 'open' with the file under the lock */
static bool openfile (reader *r, bool (*open) (reader *r, const char *name),
                      const char *name) {
  struct stat s;
  quiet q;
  bool ok;
  if (stat(r->path, &s) != 0) return fail(r, "%s", strerror(errno));
  if (!S_ISREG(s.st_mode)) return fail(r, "not a regular file");
  enter(&q);
  ok = open(r, name);
  leave(&q);
  return ok;
}


/* the arrays into the table on top of the stack, their names too */
static bool newcolumns (lua_State *L, reader *r) {
  int t = lua_gettop(L);
  lua_createtable(L, r->nfield, 0);
  for (int i = 0; i < r->nfield; i++) {
    field *f = &r->fields[i];
    mascon_array *a = mod_newarray(L, f->dtype, r->ndim, r->shape);
    if (a == NULL) return false;
    f->data = a->data;
    lua_rawseti(L, t, i + 1);
    if (r->table) {
      lua_pushstring(L, f->name);
      lua_rawseti(L, t + 1, i + 1);
    }
  }
  lua_setfield(L, t, "names");
  return true;
}


static int64_t blockrows (const reader *r) {
  return r->rowsize < BLOCK ? (int64_t)(BLOCK / r->rowsize) : 1;
}


/* read all; between blocks, Ctrl-C is noticed by the hook that it sets */
static bool readall (lua_State *L, reader *r, char *block) {
  lua_Hook hook = lua_gethook(L);
  int64_t rows = r->shape[0], step = r->table ? blockrows(r) : rows, n;
  bool ok = true;
  quiet q;
  for (int64_t first = 0; ok && first < rows; first += n) {
    n = rows - first < step ? rows - first : step;
    enter(&q);
    ok = r->table ? readrows(r, first, n, block) : readarray(r);
    leave(&q);
    if (lua_gethook(L) != hook)
      luaL_error(L, "interrupted (done %I of %I)", (lua_Integer)(first + n),
                 (lua_Integer)rows);
  }
  return ok;
}


/* do all the numbers that were read fit? */
static bool checkall (reader *r) {
  int64_t count = 1;
  for (int k = 0; k < r->ndim; k++) count *= r->shape[k];
  for (int i = 0; i < r->nfield; i++)
    if (!checkwide(r, &r->fields[i], count)) return false;
  return true;
}


/*
** load(path, dataset) -> what the dataset holds, or nil and a message.  A
** table (a compound type of numbers): {array, array, ..., names = {name,
** name, ...}}, a vector for each column.  Numbers: an array of its shape.
** Dtypes are the smallest that hold the file's types, as for .npy.
*/
static int load (lua_State *L) {
  const char *path = mod_checkpath(L, 1);
  const char *name = luaL_checkstring(L, 2);
  reader *r;
  char *block;
  lua_settop(L, 2);
  r = newreader(L, path);
  if (!openfile(r, openset, name)) return refuse(L, r, r->why);
  block = lua_newuserdatauv(L, r->table ? (size_t)blockrows(r) * r->rowsize : 0,
                            0);
  lua_createtable(L, r->nfield, 1);
  if (!newcolumns(L, r)) return refuse(L, r, lua_tostring(L, -1));
  if (!readall(L, r, block) || !checkall(r)) return refuse(L, r, r->why);
  closereader(r);
  if (!r->table) lua_rawgeti(L, -1, 1);
  return 1;
}


/* a link of the file: keep the name if it leads to a dataset in this file */
static herr_t addname (hid_t group, const char *name, const H5L_info_t *info,
                       void *ud) {
  reader *r = ud;
  size_t n = strlen(name) + 1;
  bool found;
  hid_t o;
  if (info->type != H5L_TYPE_HARD) return 0;
  o = H5Oopen(group, name, H5P_DEFAULT);
  found = o >= 0 && H5Iget_type(o) == H5I_DATASET;
  if (o >= 0) H5Oclose(o);
  if (!found) return 0;
  if (n > MAXNAMES - r->namesize) return 1;
  memcpy(r->names + r->namesize, name, n);
  r->namesize += n;
  return 0;
}


static bool opennames (reader *r, const char *name) {
  (void)name;
  if (!openhdf5(r)) return false;
  r->names = malloc(MAXNAMES);
  if (r->names == NULL) return fail(r, "not enough memory");
  switch (H5Lvisit(r->file, H5_INDEX_NAME, H5_ITER_INC, addname, r)) {
    case 0: return true;
    case 1: return fail(r, "has too many datasets to list");
    default: return failhdf5(r, "cannot be listed");
  }
}


/* names(path) -> the names of the datasets, or nil and a message */
static int names (lua_State *L) {
  const char *path = mod_checkpath(L, 1);
  reader *r = newreader(L, path);
  lua_Integer n = 0;
  if (!openfile(r, opennames, NULL)) return refuse(L, r, r->why);
  lua_newtable(L);
  for (const char *p = r->names; p < r->names + r->namesize; p += strlen(p) + 1) {
    lua_pushstring(L, p);
    lua_rawseti(L, -2, ++n);
  }
  closereader(r);
  return 1;
}


MASCON_API int luaopen_mascon_hdf5 (lua_State *L);

int luaopen_mascon_hdf5 (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"load", load},
    {"names", names},
    {NULL, NULL}
  };
  mod_newlib(L, funcs);
  return 1;
}

/* -------} */

/*
** mod_png.c - mascon.png: images in PNG files, by libpng
**
** libpng leaves by longjmp where something is wrong.  So each function that
** calls it sets its own place to come back to, and calls nothing of Lua.
*/

#include <errno.h>
#include <png.h>
#include <stdbool.h>

#include "mod.h"

#define HANDLE "mascon.png.handle"

/*
** Rows as they are: most of an image of spots is black, which no filter makes
** shorter; the search for the best one takes longer than deflate.
*/
#define FILTER PNG_FILTER_NONE

#define BLOCK ((size_t)1 << 20)  /* bytes between looks for Ctrl-C */
#define EXPANSION 1032           /* bytes that deflate makes of one, at best */

typedef struct handle {
  png_structp png;
  png_infop info;
  FILE *file;
  bool writes;
  int64_t shape[3];  /* rows, columns, samples of a pixel */
  int bits;
  int passes;        /* over all rows, where the file is interlaced */
  double ppm;        /* pixels per metre; 0: not said */
  char size[32];     /* metres of a pixel, as a number in ASCII; "": not said */
  char why[256];
} handle;


static bool fail (handle *h, const char *why) {
  snprintf(h->why, sizeof h->why, "%s", why);
  return false;
}


/* {------- what libpng calls ------- */

static void onerror (png_structp png, png_const_charp text) {
  fail(png_get_error_ptr(png), text);
  png_longjmp(png, 1);
}


static void onwarning (png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}


static void readbytes (png_structp png, png_bytep p, size_t n) {
  handle *h = png_get_io_ptr(png);
  if (fread(p, 1, n, h->file) == n) return;
  png_error(png, ferror(h->file) ? strerror(errno) : "ends too early");
}


static void writebytes (png_structp png, png_bytep p, size_t n) {
  handle *h = png_get_io_ptr(png);
  if (fwrite(p, 1, n, h->file) != n) png_error(png, strerror(errno));
}


static void flushbytes (png_structp png) {
  (void)png;
}

/* -------} */


/* {------- steps; where one is false, 'why' is set ------- */

/* samples in this machine's order */
static void setorder (handle *h) {
  const union { uint16_t u; unsigned char c[2]; } one = {1};
  if (h->bits == 16 && one.c[0] == 1) png_set_swap(h->png);
}


static bool openread (handle *h, const char *path, int64_t *size) {
  unsigned char head[8];
  const char *why;
  h->file = mod_openread(path, size, &why);
  if (h->file == NULL) return fail(h, why);
  if (fread(head, 1, 8, h->file) != 8 || png_sig_cmp(head, 0, 8) != 0)
    return fail(h, "is no PNG file");
  h->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, h, onerror,
                                  onwarning);
  if (h->png != NULL) h->info = png_create_info_struct(h->png);
  return h->info != NULL || fail(h, "not enough memory");
}


/* the size of a pixel: sCAL has all its digits, pHYs whole pixels per metre */
static void readsize (handle *h) {
  png_uint_32 x, y;
  png_charp width, height;
  int unit;
  if (png_get_pHYs(h->png, h->info, &x, &y, &unit) != 0 && x == y &&
      unit == PNG_RESOLUTION_METER) h->ppm = x;
  if (png_get_sCAL_s(h->png, h->info, &unit, &width, &height) != 0 &&
      unit == PNG_SCALE_METER && strcmp(width, height) == 0 &&
      strlen(width) < sizeof h->size) strcpy(h->size, width);
}


static void writesize (handle *h) {
  if (h->ppm >= 1 && h->ppm <= (double)PNG_UINT_31_MAX) {
    png_uint_32 n = (png_uint_32)(h->ppm + 0.5);
    png_set_pHYs(h->png, h->info, n, n, PNG_RESOLUTION_METER);
  }
  if (h->size[0] != '\0')
    png_set_sCAL_s(h->png, h->info, PNG_SCALE_METER, h->size, h->size);
}


/* colours are made of palettes, bytes of bits; what is transparent is not */
static bool readhead (handle *h) {
  if (setjmp(png_jmpbuf(h->png)) != 0) return false;
  png_set_read_fn(h->png, h, readbytes);
  png_set_user_limits(h->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_sig_bytes(h->png, 8);
  png_read_info(h->png, h->info);
  png_set_palette_to_rgb(h->png);
  png_set_expand_gray_1_2_4_to_8(h->png);
  png_set_strip_alpha(h->png);
  h->bits = png_get_bit_depth(h->png, h->info) == 16 ? 16 : 8;
  setorder(h);
  h->passes = png_set_interlace_handling(h->png);
  png_read_update_info(h->png, h->info);
  h->shape[0] = png_get_image_height(h->png, h->info);
  h->shape[1] = png_get_image_width(h->png, h->info);
  h->shape[2] = png_get_channels(h->png, h->info);
  readsize(h);
  return true;
}


/* 'n' rows that stand side by side at 'p' */
static bool readrows (handle *h, unsigned char *p, int64_t n) {
  size_t bytes = (size_t)(h->shape[1] * h->shape[2] * (h->bits / 8));
  if (setjmp(png_jmpbuf(h->png)) != 0) return false;
  for (int64_t i = 0; i < n; i++)
    png_read_row(h->png, p + (size_t)i * bytes, NULL);
  return true;
}


static bool readend (handle *h) {
  if (setjmp(png_jmpbuf(h->png)) != 0) return false;
  png_read_end(h->png, NULL);
  return true;
}


static bool openwrite (handle *h, const char *path) {
  h->writes = true;
  h->file = fopen(path, "wb");
  if (h->file == NULL) return fail(h, strerror(errno));
  h->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, h, onerror,
                                   onwarning);
  if (h->png != NULL) h->info = png_create_info_struct(h->png);
  return h->info != NULL || fail(h, "not enough memory");
}


static bool writehead (handle *h, int level) {
  if (setjmp(png_jmpbuf(h->png)) != 0) return false;
  png_set_write_fn(h->png, h, writebytes, flushbytes);
  png_set_user_limits(h->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_compression_level(h->png, level);
  png_set_filter(h->png, 0, FILTER);
  png_set_IHDR(h->png, h->info, (png_uint_32)h->shape[1],
               (png_uint_32)h->shape[0], h->bits,
               h->shape[2] == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  writesize(h);
  png_write_info(h->png, h->info);
  setorder(h);
  return true;
}


static bool writerow (handle *h, const unsigned char *p) {
  if (setjmp(png_jmpbuf(h->png)) != 0) return false;
  png_write_row(h->png, p);
  return true;
}


static bool writeend (handle *h) {
  FILE *f = h->file;
  if (setjmp(png_jmpbuf(h->png)) != 0) return false;
  png_write_end(h->png, NULL);
  h->file = NULL;
  return fclose(f) == 0 || fail(h, strerror(errno));
}

/* -------} */


/* {------- the module ------- */

static int collect (lua_State *L) {
  handle *h = lua_touserdata(L, 1);
  if (h->writes) png_destroy_write_struct(&h->png, &h->info);
  else png_destroy_read_struct(&h->png, &h->info, NULL);
  if (h->file != NULL) fclose(h->file);
  h->file = NULL;
  return 0;
}


static int refuse (lua_State *L, const handle *h) {
  luaL_pushfail(L);
  lua_pushstring(L, h->why);
  return 2;
}


/* all rows; Ctrl-C is noticed between blocks of them */
static bool readall (lua_State *L, handle *h, unsigned char *p) {
  size_t bytes = (size_t)(h->shape[1] * h->shape[2] * (h->bits / 8));
  int64_t step = bytes < BLOCK ? (int64_t)(BLOCK / bytes) : 1, n;
  lua_Hook hook = lua_gethook(L);
  for (int k = 0; k < h->passes; k++)
    for (int64_t i = 0; i < h->shape[0]; i += n) {
      n = h->shape[0] - i < step ? h->shape[0] - i : step;
      if (!readrows(h, p + (size_t)i * bytes, n)) return false;
      mod_checkhook(L, hook);
    }
  return readend(h);
}


/*
** load(path) -> image, pixels per metre (0: not said), metres of a pixel (text
** or nil), or nil and why: h x w or h x w x 3, u8 or u16.  Transparency is left
** out.
*/
static int load (lua_State *L) {
  const char *path = mod_checkpath(L, 1);
  mascon_array *a;
  int64_t size;
  handle *h;
  lua_settop(L, 1);
  h = mod_newhandle(L, sizeof *h, HANDLE, collect);
  if (!openread(h, path, &size) || !readhead(h)) return refuse(L, h);
  if ((double)h->shape[0] * (double)h->shape[1] * (double)h->shape[2] *
      (h->bits / 8) > (double)size * EXPANSION) {
    fail(h, "ends too early");
    return refuse(L, h);
  }
  a = mod_newarray(L, h->bits == 16 ? "u16" : "u8", h->shape[2] == 3 ? 3 : 2,
                   h->shape);
  if (a == NULL) {
    fail(h, lua_tostring(L, -1));
    return refuse(L, h);
  }
  if (!readall(L, h, a->data)) return refuse(L, h);
  lua_pushnumber(L, h->ppm);
  if (h->size[0] == '\0') return 2;
  lua_pushstring(L, h->size);
  return 3;
}


/*
** write(path, image, level, metres) -> true, or nil and why.  The image is
** h x w or h x w x 3, u8 or u16, any strides; level 0 to 9; metres: the size of
** a pixel, or 0.
*/
static int write (lua_State *L) {
  const char *path = mod_checkpath(L, 1);
  const mascon_array *a = mascon_toarray(L, 2);
  int level = (int)luaL_checkinteger(L, 3);
  double metres = luaL_checknumber(L, 4);
  lua_Hook hook = lua_gethook(L);
  unsigned char *row;
  handle *h;
  luaL_argcheck(L, a != NULL && (a->ndim == 2 ||
                (a->ndim == 3 && a->shape[2] == 3)) && a->dtype.code == 1,
                2, "image of u8 or u16 expected");
  luaL_argcheck(L, level >= 0 && level <= 9, 3, "0 to 9 expected");
  h = mod_newhandle(L, sizeof *h, HANDLE, collect);
  memcpy(h->shape, a->shape, sizeof h->shape);
  h->bits = a->dtype.bits;
  if (metres > 0) {
    h->ppm = 1 / metres;
    snprintf(h->size, sizeof h->size, "%.15g", metres);
    for (char *p = h->size; *p != '\0'; p++)  /* whatever the locale has */
      if (*p == ',') *p = '.';
  }
  row = lua_newuserdatauv(L, mod_rowbytes(a), 0);
  if (!openwrite(h, path) || !writehead(h, level)) return refuse(L, h);
  for (int64_t i = 0; i < h->shape[0]; i++) {
    if (!writerow(h, mod_row(a, i, row))) return refuse(L, h);
    mod_checkhook(L, hook);
  }
  if (!writeend(h)) return refuse(L, h);
  lua_pushboolean(L, 1);
  return 1;
}


MASCON_API int luaopen_mascon_png (lua_State *L);

int luaopen_mascon_png (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"load", load},
    {"write", write},
    {NULL, NULL}
  };
  mod_newlib(L, funcs);
  return 1;
}

/* -------} */

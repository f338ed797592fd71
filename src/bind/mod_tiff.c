/*
** mod_tiff.c - mascon.tiff: images and stacks in TIFF files, by libtiff
**
** Messages come by handlers of the open file (libtiff 4.5), as older
** versions have only one for the whole process.
*/

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <tiffio.h>

#include "mod.h"

#define HANDLE "mascon.tiff.handle"
#define STRIP ((size_t)1 << 18)      /* bytes of a strip that is written */
#define CLASSIC 4000000000.0         /* bytes that a file of 32 bits holds */
#define EXPANSION 1100               /* bytes that any codec makes of one */
#define BLOCK 268435456.0            /* bytes of a tile, at most */

typedef struct page {
  uint32_t rows, cols;
  uint16_t samples, bits, format, planar;
} page;

typedef struct handle {
  TIFF *tiff;
  page page;          /* the first; all others are as it is */
  int64_t pages;
  const char *dtype;
  char why[256];
} handle;


__attribute__((format(printf, 2, 0)))
static int vfail (handle *h, const char *fmt, va_list ap) {
  vsnprintf(h->why, sizeof h->why, fmt, ap);
  return 1;
}


__attribute__((format(printf, 2, 3)))
static bool fail (handle *h, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  vfail(h, fmt, ap);
  va_end(ap);
  return false;
}


/* 'what', where libtiff did not say why */
static bool failed (handle *h, const char *what) {
  return h->why[0] != '\0' ? false : fail(h, "%s", what);
}


/* the first message is the cause */
static int onerror (TIFF *t, void *ud, const char *module, const char *fmt,
                    va_list ap) {
  handle *h = ud;
  (void)t;
  (void)module;
  return h->why[0] != '\0' ? 1 : vfail(h, fmt, ap);
}


static int onwarning (TIFF *t, void *ud, const char *module, const char *fmt,
                      va_list ap) {
  (void)t;
  (void)ud;
  (void)module;
  (void)fmt;
  (void)ap;
  return 1;
}


static bool opentiff (handle *h, const char *path, const char *mode) {
  TIFFOpenOptions *o = TIFFOpenOptionsAlloc();
  if (o == NULL) return fail(h, "not enough memory");
  TIFFOpenOptionsSetErrorHandlerExtR(o, onerror, h);
  TIFFOpenOptionsSetWarningHandlerExtR(o, onwarning, h);
  TIFFOpenOptionsSetMaxSingleMemAlloc(o, (tmsize_t)1 << 30);
  h->tiff = TIFFOpenExt(path, mode, o);
  TIFFOpenOptionsFree(o);
  return h->tiff != NULL || failed(h, "cannot be opened");
}


static int collect (lua_State *L) {
  handle *h = lua_touserdata(L, 1);
  if (h->tiff != NULL) TIFFClose(h->tiff);
  h->tiff = NULL;
  return 0;
}


static int refuse (lua_State *L, const handle *h) {
  luaL_pushfail(L);
  lua_pushstring(L, h->why[0] != '\0' ? h->why : "not enough memory");
  return 2;
}


/* nil and the message on top of the stack */
static int refusearray (lua_State *L, handle *h) {
  fail(h, "%s", lua_tostring(L, -1));
  return refuse(L, h);
}


/* {------- reading ------- */

static bool getpage (handle *h, page *p) {
  uint16_t colours = PHOTOMETRIC_MINISBLACK;
  memset(p, 0, sizeof *p);
  TIFFGetField(h->tiff, TIFFTAG_IMAGEWIDTH, &p->cols);
  TIFFGetField(h->tiff, TIFFTAG_IMAGELENGTH, &p->rows);
  TIFFGetFieldDefaulted(h->tiff, TIFFTAG_SAMPLESPERPIXEL, &p->samples);
  TIFFGetFieldDefaulted(h->tiff, TIFFTAG_BITSPERSAMPLE, &p->bits);
  TIFFGetFieldDefaulted(h->tiff, TIFFTAG_SAMPLEFORMAT, &p->format);
  TIFFGetFieldDefaulted(h->tiff, TIFFTAG_PLANARCONFIG, &p->planar);
  TIFFGetField(h->tiff, TIFFTAG_PHOTOMETRIC, &colours);
  if (p->format == SAMPLEFORMAT_VOID) p->format = SAMPLEFORMAT_UINT;
  if (colours != PHOTOMETRIC_MINISBLACK && colours != PHOTOMETRIC_RGB)
    return fail(h, colours == PHOTOMETRIC_PALETTE
                   ? "colours by a palette are not supported"
                   : "pixels are neither gray (black is 0) nor RGB");
  if (p->samples != 1 && p->samples != 3)
    return fail(h, "pixels of %d samples are not supported", p->samples);
  return true;
}


/* the smallest dtype that holds the samples of 'p'; NULL: none does */
static const char *dtypeof (const page *p) {
  switch (p->format * 100 + p->bits) {
    case SAMPLEFORMAT_UINT * 100 + 8: return "u8";
    case SAMPLEFORMAT_UINT * 100 + 16: return "u16";
    case SAMPLEFORMAT_UINT * 100 + 32: return "i64";
    case SAMPLEFORMAT_INT * 100 + 8:
    case SAMPLEFORMAT_INT * 100 + 16:
    case SAMPLEFORMAT_INT * 100 + 32: return "i32";
    case SAMPLEFORMAT_IEEEFP * 100 + 32: return "f32";
    case SAMPLEFORMAT_IEEEFP * 100 + 64: return "f64";
    default: return NULL;
  }
}


/* all pages, which must be alike: ends at the first again */
static bool scan (handle *h, int64_t size) {
  page p;
  if (!getpage(h, &h->page)) return false;
  h->dtype = dtypeof(&h->page);
  if (h->dtype == NULL)
    return fail(h, "samples of %d bits in format %d are not supported",
                h->page.bits, h->page.format);
  for (h->pages = 1; TIFFReadDirectory(h->tiff); h->pages++) {
    if (!getpage(h, &p)) return false;
    if (memcmp(&p, &h->page, sizeof p) != 0)
      return fail(h, "page %lld is not as the first one",
                  (long long)h->pages + 1);
  }
  if (h->why[0] != '\0') return false;
  if ((double)h->pages * h->page.rows * h->page.cols * h->page.samples *
      (h->page.bits / 8) > (double)size * EXPANSION)
    return fail(h, "ends too early");
  return TIFFSetDirectory(h->tiff, 0) != 0;
}


/* 'n' samples at 'in' to every 'step'-th element at 'out' */
static void spread (const page *p, char *out, int64_t step, const char *in,
                    int64_t n) {
#define each(from, to) \
  for (int64_t i = 0; i < n; i++) { \
    from v; \
    to w; \
    memcpy(&v, in + i * (int64_t)sizeof v, sizeof v); \
    w = (to)v; \
    memcpy(out + i * step * (int64_t)sizeof w, &w, sizeof w); \
  }
  switch (p->format * 100 + p->bits) {
    case SAMPLEFORMAT_UINT * 100 + 8: each(uint8_t, uint8_t) break;
    case SAMPLEFORMAT_UINT * 100 + 16: each(uint16_t, uint16_t) break;
    case SAMPLEFORMAT_UINT * 100 + 32: each(uint32_t, int64_t) break;
    case SAMPLEFORMAT_INT * 100 + 8: each(int8_t, int32_t) break;
    case SAMPLEFORMAT_INT * 100 + 16: each(int16_t, int32_t) break;
    case SAMPLEFORMAT_IEEEFP * 100 + 64: each(double, double) break;
    default: each(uint32_t, uint32_t)
  }
#undef each
}


/* where a page goes, and how the file cuts it */
typedef struct cut {
  char *out;            /* the page's first element */
  int64_t size;         /* bytes of an element */
  char *block;
  int64_t bytes;        /* of a block */
  uint32_t rows, cols;  /* of a block */
  bool tiled;
} cut;


/* the samples of a block whose first pixel is (row, col) to their place */
static void place (const page *p, const cut *c, uint32_t row, uint32_t col,
                   int plane) {
  int each = p->planar == PLANARCONFIG_SEPARATE ? 1 : p->samples;
  int64_t line = (int64_t)c->cols * each * (p->bits / 8);
  uint32_t rows = p->rows - row < c->rows ? p->rows - row : c->rows;
  uint32_t cols = p->cols - col < c->cols ? p->cols - col : c->cols;
  for (uint32_t i = 0; i < rows; i++)
    spread(p, c->out + (((int64_t)(row + i) * p->cols + col) * p->samples +
                        plane) * c->size,
           each == 1 ? p->samples : 1, c->block + i * line,
           (int64_t)cols * each);
}


static bool readblock (handle *h, const cut *c, uint32_t row, uint32_t col,
                       int plane) {
  uint16_t s = (uint16_t)plane;
  tmsize_t got;
  memset(c->block, 0, (size_t)c->bytes);
  got = c->tiled
        ? TIFFReadEncodedTile(h->tiff, TIFFComputeTile(h->tiff, col, row, 0, s),
                              c->block, c->bytes)
        : TIFFReadEncodedStrip(h->tiff, TIFFComputeStrip(h->tiff, row, s),
                               c->block, c->bytes);
  if (got < 0) return failed(h, "cannot be read");
  place(&h->page, c, row, col, plane);
  return true;
}


static bool readpage (lua_State *L, handle *h, const cut *c) {
  const page *p = &h->page;
  lua_Hook hook = lua_gethook(L);
  int planes = p->planar == PLANARCONFIG_SEPARATE ? p->samples : 1;
  for (int k = 0; k < planes; k++)
    for (int64_t row = 0; row < p->rows; row += c->rows) {
      for (int64_t col = 0; col < p->cols; col += c->cols)
        if (!readblock(h, c, (uint32_t)row, (uint32_t)col, k)) return false;
      mod_checkhook(L, hook);
    }
  return true;
}


/* how the current page is cut; false: not as its size says */
static bool getcut (handle *h, cut *c) {
  const page *p = &h->page;
  int64_t each = p->planar == PLANARCONFIG_SEPARATE ? 1 : p->samples;
  c->rows = p->rows;
  c->cols = p->cols;
  c->tiled = TIFFIsTiled(h->tiff) != 0;
  if (c->tiled) {
    TIFFGetField(h->tiff, TIFFTAG_TILELENGTH, &c->rows);
    TIFFGetField(h->tiff, TIFFTAG_TILEWIDTH, &c->cols);
    c->bytes = TIFFTileSize(h->tiff);
  }
  else {
    TIFFGetFieldDefaulted(h->tiff, TIFFTAG_ROWSPERSTRIP, &c->rows);
    if (c->rows > p->rows) c->rows = p->rows;
    c->bytes = TIFFStripSize(h->tiff);
  }
  if (c->rows == 0 || c->cols == 0 || c->bytes <= 0 ||
      (double)c->rows * c->cols * (double)each * (p->bits / 8) >
      (double)c->bytes || (c->tiled && (double)c->bytes > BLOCK)) return fail(h, "is cut in no sensible way");
  return true;
}


/* push a table of what the first page says of its pixels */
static void pushinfo (lua_State *L, handle *h) {
  char *text = NULL;
  float x = 0;
  uint16_t unit = RESUNIT_INCH;
  lua_newtable(L);
  if (TIFFGetField(h->tiff, TIFFTAG_IMAGEDESCRIPTION, &text) && text != NULL) {
    lua_pushstring(L, text);
    lua_setfield(L, -2, "description");
  }
  if (TIFFGetField(h->tiff, TIFFTAG_XRESOLUTION, &x) && x > 0) {
    lua_pushnumber(L, x);
    lua_setfield(L, -2, "resolution");
    TIFFGetField(h->tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    lua_pushinteger(L, unit);
    lua_setfield(L, -2, "unit");
  }
}


/* push a new array for all pages, or what is wrong */
static mascon_array *newarray (lua_State *L, const handle *h) {
  int64_t shape[4];
  int ndim = 0;
  if (h->pages > 1) shape[ndim++] = h->pages;
  shape[ndim++] = h->page.rows;
  shape[ndim++] = h->page.cols;
  if (h->page.samples > 1) shape[ndim++] = h->page.samples;
  return mod_newarray(L, h->dtype, ndim, shape);
}


/*
** load(path) -> image, info, or nil and why.  A page is h x w or h x w x 3;
** several, which must be alike, are a first axis.  info: description,
** resolution (pixels per unit), unit (1 none, 2 inch, 3 cm)
*/
static int load (lua_State *L) {
  const char *path = mod_checkpath(L, 1), *why;
  handle *h;
  mascon_array *a, *block;
  FILE *f;
  cut c;
  int64_t size, bytes;
  lua_settop(L, 1);
  h = mod_newhandle(L, sizeof *h, HANDLE, collect);
  f = mod_openread(path, &size, &why);
  if (f == NULL) {
    fail(h, "%s", why);
    return refuse(L, h);
  }
  fclose(f);
  if (!opentiff(h, path, "r") || !scan(h, size)) return refuse(L, h);
  pushinfo(L, h);
  a = newarray(L, h);
  if (a == NULL) return refusearray(L, h);
  c.size = a->dtype.bits / 8;
  bytes = c.size * h->page.rows * h->page.cols * h->page.samples;
  for (int64_t k = 0; k < h->pages; k++) {
    if ((k > 0 && !TIFFReadDirectory(h->tiff)) || !getcut(h, &c))
      return refuse(L, h);
    c.out = (char *)a->data + k * bytes;
    block = mod_newarray(L, "u8", 1, &c.bytes);
    if (block == NULL) return refusearray(L, h);
    c.block = block->data;
    if (!readpage(L, h, &c)) return refuse(L, h);
    lua_pop(L, 1);
  }
  lua_insert(L, -2);
  return 2;
}

/* -------} */


/* {------- writing ------- */

/* the tags of a page of the shape and dtype of 'a' (h x w or h x w x 3) */
static void settags (TIFF *t, const mascon_array *a, uint32_t strip,
                     double resolution) {
  bool rgb = a->ndim == 3;
  TIFFSetField(t, TIFFTAG_IMAGEWIDTH, (uint32_t)a->shape[1]);
  TIFFSetField(t, TIFFTAG_IMAGELENGTH, (uint32_t)a->shape[0]);
  TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, (int)a->dtype.bits);
  TIFFSetField(t, TIFFTAG_SAMPLEFORMAT, a->dtype.code == 2
               ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
  TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, rgb ? 3 : 1);
  TIFFSetField(t, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(t, TIFFTAG_PHOTOMETRIC, rgb ? PHOTOMETRIC_RGB
                                           : PHOTOMETRIC_MINISBLACK);
  TIFFSetField(t, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  TIFFSetField(t, TIFFTAG_ROWSPERSTRIP, strip);
  if (resolution > 0) {
    TIFFSetField(t, TIFFTAG_XRESOLUTION, resolution);
    TIFFSetField(t, TIFFTAG_YRESOLUTION, resolution);
    TIFFSetField(t, TIFFTAG_RESOLUTIONUNIT, RESUNIT_NONE);
  }
}


/* a page; 'row' has room for one */
static bool writepage (lua_State *L, handle *h, const mascon_array *a,
                       char *row, const char *text, double resolution) {
  lua_Hook hook = lua_gethook(L);
  size_t bytes = mod_rowbytes(a);
  settags(h->tiff, a, (uint32_t)(bytes < STRIP ? STRIP / bytes : 1),
          resolution);
  if (text[0] != '\0') TIFFSetField(h->tiff, TIFFTAG_IMAGEDESCRIPTION, text);
  for (int64_t i = 0; i < a->shape[0]; i++) {
    const void *p = mod_row(a, i, row);
    if (p != row) memcpy(row, p, bytes);  /* it may be changed */
    if (TIFFWriteScanline(h->tiff, row, (uint32_t)i, 0) < 0)
      return failed(h, "cannot be written");
    mod_checkhook(L, hook);
  }
  return TIFFWriteDirectory(h->tiff) != 0;
}


/* page 'k' of a stack */
static mascon_array pageof (const mascon_array *a, int64_t k) {
  mascon_array p = *a;
  p.data = (char *)a->data + k * a->stride[0] * (a->dtype.bits / 8);
  p.ndim--;
  for (int i = 0; i < p.ndim; i++) {
    p.shape[i] = a->shape[i + 1];
    p.stride[i] = a->stride[i + 1];
  }
  return p;
}


/*
** write(path, image, stack, description, resolution) -> true, or nil and
** why.  The image is h x w or h x w x 3 of u8, u16, f32 or f64, with another
** axis in front where it is a stack; resolution in pixels per unit, or 0.
*/
static int write (lua_State *L) {
  const char *path = mod_checkpath(L, 1);
  const mascon_array *a = mascon_toarray(L, 2);
  bool stack = lua_toboolean(L, 3);
  const char *text = luaL_checkstring(L, 4);
  double resolution = luaL_checknumber(L, 5);
  int64_t pages = a != NULL && stack ? a->shape[0] : 1;
  handle *h;
  char *row;
  luaL_argcheck(L, a != NULL && (a->ndim - stack == 2 ||
                (a->ndim - stack == 3 && a->shape[a->ndim - 1] == 3)) &&
                a->dtype.code != 0, 2, "image of u8, u16, f32 or f64 expected");
  h = mod_newhandle(L, sizeof *h, HANDLE, collect);
  row = lua_newuserdatauv(L, mod_rowbytes(a), 0);
  if (!opentiff(h, path, (double)mod_rowbytes(a) * (double)a->shape[0] > CLASSIC ? "w8" : "w"))
    return refuse(L, h);
  for (int64_t k = 0; k < pages; k++) {
    mascon_array p = stack ? pageof(a, k) : *a;
    if (!writepage(L, h, &p, row, k == 0 ? text : "", resolution))
      return refuse(L, h);
  }
  if (!TIFFFlush(h->tiff) || h->why[0] != '\0') return refuse(L, h);
  lua_pushboolean(L, 1);
  return 1;
}

/* -------} */


MASCON_API int luaopen_mascon_tiff (lua_State *L);

int luaopen_mascon_tiff (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"load", load},
    {"write", write},
    {NULL, NULL}
  };
  mod_newlib(L, funcs);
  return 1;
}

/*
** npyheader.c - the header of a .npy file, read and written
**
** magic, version, length, and a Python dictionary as text:
**
**   {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
**
** The parser walks over a counted string, once, without recursion.  It knows
** exactly what numpy's writers produce of three keys, in any order and with
** blanks anywhere; all else is refused with its place.
*/

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "npy.h"

#define MAGIC "\x93NUMPY"
#define NMAGIC 6
#define MAXTEXT 10000
#define ALIGN 64

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define NATIVE '>'
#else
#define NATIVE '<'
#endif

/* what files hold, and what holds it */
static const struct {
  char kind;
  int size;
  mascon_dtype type;
  bool direct;
} kinds[] = {
  {'f', 8, MASCON_F64, true}, {'f', 4, MASCON_F32, true},
  {'f', 2, MASCON_F32, false},
  {'i', 8, MASCON_I64, true}, {'i', 4, MASCON_I32, true},
  {'i', 2, MASCON_I32, false}, {'i', 1, MASCON_I32, false},
  {'u', 8, MASCON_I64, false}, {'u', 4, MASCON_I64, false},
  {'u', 2, MASCON_U16, true}, {'u', 1, MASCON_U8, true},
  {'b', 1, MASCON_U8, true}
};

typedef struct scan {
  const char *s;
  size_t i, n;  /* next byte, and where the text ends */
  int status;   /* the first failure; nothing moves on after it */
  const char *path;
  mascon_why *why;
} scan;


/* {------- tokens ------- */

static void fail (scan *z, const char *what) {
  if (z->status == MASCON_OK)
    z->status = mc_why(z->why, z->path, MASCON_EFORMAT,
                       "damaged header: %s at byte %zu", what, z->i + 1);
  z->i = z->n;
}


static void blanks (scan *z) {
  while (z->i < z->n && strchr(" \t\r\n", z->s[z->i]) != NULL &&
         z->s[z->i] != '\0') z->i++;
}


/* the next byte that is no blank; 0 at the end */
static char peek (scan *z) {
  blanks(z);
  return z->i < z->n ? z->s[z->i] : '\0';
}


static bool accept (scan *z, char c) {
  if (peek(z) != c || z->i == z->n) return false;
  z->i++;
  return true;
}


static void expect (scan *z, char c) {
  char what[] = "'?' expected";
  what[1] = c;
  if (!accept(z, c)) fail(z, what);
}


static bool acceptword (scan *z, const char *word) {
  size_t n = strlen(word);
  blanks(z);
  if (z->n - z->i < n || memcmp(z->s + z->i, word, n) != 0) return false;
  z->i += n;
  return true;
}


/* what stands between quotes; no escapes, as no name we know needs one */
static size_t quoted (scan *z, const char **text) {
  char quote = peek(z);
  const char *end;
  *text = "";
  if (quote != '\'' && quote != '"') {
    fail(z, "string expected");
    return 0;
  }
  *text = z->s + ++z->i;
  end = memchr(*text, quote, z->n - z->i);
  if (end == NULL) {
    fail(z, "string not ended");
    return 0;
  }
  z->i += (size_t)(end - *text) + 1;
  return (size_t)(end - *text);
}


static int64_t integer (scan *z) {
  int64_t x = 0;
  char c = peek(z);
  if (c < '0' || c > '9') fail(z, "length of an axis expected");
  while (z->i < z->n && (c = z->s[z->i]) >= '0' && c <= '9') {
    z->i++;
    if (!mc_mul(x, 10, &x) || __builtin_add_overflow(x, c - '0', &x))
      fail(z, "length of an axis too large");
  }
  if (z->i < z->n && z->s[z->i] == 'L') z->i++;  /* Python 2 */
  return x;
}

/* -------} */


/* {------- the three values ------- */

static void unsupported (scan *z, const char *what) {
  if (z->status == MASCON_OK)
    z->status = mc_why(z->why, z->path, MASCON_EFORMAT, "%s is not supported",
                       what);
  z->i = z->n;
}


/* what numpy calls an element type that is none of ours */
static void refusetype (scan *z, const char *text, size_t n, char kind,
                        int size) {
  static const struct {
    char kind;
    const char *name;
  } names[] = {{'c', "complex"}, {'f', "float"}, {'O', "object"},
               {'S', "bytes"}, {'U', "str"}, {'V', "void"},
               {'M', "datetime64"}, {'m', "timedelta64"}};
  char name[64];
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (names[k].kind == kind) {
      if (kind == 'c' || kind == 'f')
        snprintf(name, sizeof name, "%s%d", names[k].name, size * 8);
      else snprintf(name, sizeof name, "dtype %s", names[k].name);
      unsupported(z, name);
      return;
    }
  if (n > 32) n = 32;
  snprintf(name, sizeof name, "dtype '%.*s'", (int)n, text);
  for (char *p = name; *p != '\0'; p++)
    if (*p < ' ' || *p > '~') *p = '?';
  unsupported(z, name);
}


/* "<f8": order, kind, bytes */
static void descr (scan *z, mc_npy *h) {
  const char *text;
  size_t n, i = 0;
  int size = 0;
  char order = NATIVE, kind = '\0';
  if (peek(z) == '[') {
    unsupported(z, "structured dtype");
    return;
  }
  n = quoted(z, &text);
  if (n > 0 && strchr("<>|=", text[0]) != NULL && text[0] != '\0') {
    if (text[0] == '<' || text[0] == '>') order = text[0];
    i++;
  }
  if (i < n) kind = text[i++];
  for (; i < n && text[i] >= '0' && text[i] <= '9' && size < 1000; i++)
    size = size * 10 + (text[i] - '0');
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (i == n && kinds[k].kind == kind && kinds[k].size == size) {
      h->kind = kind;
      h->size = kinds[k].size;
      h->type = kinds[k].type;
      h->direct = kinds[k].direct;
      h->swap = size > 1 && order != NATIVE;
      return;
    }
  refusetype(z, text, n, kind, size);
}


static void order (scan *z, mc_npy *h) {
  h->fortran = acceptword(z, "True");
  if (!h->fortran && !acceptword(z, "False")) fail(z, "True or False expected");
}


/* "()", "(3,)", "(3, 4)" */
static void shape (scan *z, mc_npy *h) {
  int n = 0;
  bool comma = false;
  expect(z, '(');
  while (z->status == MASCON_OK && peek(z) != ')') {
    int64_t x = integer(z);
    if (n < MASCON_MAXDIM) h->shape[n] = x;
    n++;
    if (!(comma = accept(z, ','))) break;
  }
  if (n == 1 && !comma) fail(z, "',' expected");
  expect(z, ')');
  if (n > MASCON_MAXDIM) {
    char what[64];
    snprintf(what, sizeof what, "an array of %d axes (more than %d)", n,
             MASCON_MAXDIM);
    unsupported(z, what);
  }
  if (n == 0) h->shape[n++] = 1;
  h->ndim = n;
}

/* -------} */


static void dictionary (scan *z, mc_npy *h) {
  static const struct {
    const char *name;
    void (*value) (scan *z, mc_npy *h);
  } keys[] = {{"descr", descr}, {"fortran_order", order}, {"shape", shape}};
  unsigned seen = 0;
  expect(z, '{');
  while (z->status == MASCON_OK && peek(z) != '}') {
    const char *key;
    size_t at = z->i, n = quoted(z, &key);
    unsigned k = 0;
    while (k < 3 && (strlen(keys[k].name) != n ||
                     memcmp(keys[k].name, key, n) != 0)) k++;
    expect(z, ':');
    if (z->status != MASCON_OK) return;
    if (k == 3 || (seen >> k & 1)) {
      z->i = at;
      fail(z, k == 3 ? "unknown key" : "key given twice");
      return;
    }
    seen |= 1u << k;
    keys[k].value(z, h);
    if (!accept(z, ',')) break;
  }
  expect(z, '}');
  if (peek(z) != '\0' || z->i < z->n) fail(z, "more than a dictionary");
  if (seen != 7) fail(z, "key missing");
}


/* how many elements, how many bytes; neither overflows */
static bool measure (mc_npy *h) {
  h->count = 1;
  for (int k = 0; k < h->ndim; k++)
    if (h->shape[k] == 0) h->count = 0;
  for (int k = 0; k < h->ndim && h->count > 0; k++)
    if (!mc_mul(h->count, h->shape[k], &h->count)) return false;
  return mc_mul(h->count, h->size, &h->bytes) &&
         h->bytes <= INT64_MAX - MC_NPYHEAD;
}


static void reverse (int64_t *x, int n) {
  for (int i = 0, j = n - 1; i < j; i++, j--) {
    int64_t t = x[i];
    x[i] = x[j];
    x[j] = t;
  }
}


void mc_npyreverse (mascon_array *a) {
  reverse(a->shape, a->ndim);
  reverse(a->stride, a->ndim);
}


int mc_npyparse (const char *bytes, size_t n, mc_npy *h, const char *path,
                 mascon_why *why) {
  scan z = {bytes, 0, 0, MASCON_OK, path, why};
  const unsigned char *u = (const unsigned char *)bytes;
  size_t length;
  memset(h, 0, sizeof *h);
  if (n < NMAGIC || memcmp(bytes, MAGIC, NMAGIC) != 0)
    return mc_why(why, path, MASCON_EFORMAT, "not a .npy file");
  if (n < 12)  /* any dictionary is longer */
    return mc_why(why, path, MASCON_EFORMAT, "truncated in its header");
  if (u[6] < 1 || u[6] > 3 || u[7] != 0)
    return mc_why(why, path, MASCON_EFORMAT,
                  "version %d.%d of the format is not supported", u[6], u[7]);
  z.i = u[6] == 1 ? 10 : 12;
  length = u[8] | (size_t)u[9] << 8;
  if (u[6] > 1) length |= (size_t)u[10] << 16 | (size_t)u[11] << 24;
  if (length > MAXTEXT)
    return mc_why(why, path, MASCON_EFORMAT,
                  "header of %zu bytes is not supported (at most %d)", length,
                  MAXTEXT);
  if (length > n - z.i)
    return mc_why(why, path, MASCON_EFORMAT, "truncated in its header");
  z.n = z.i + length;
  h->offset = (int64_t)z.n;
  dictionary(&z, h);
  if (z.status != MASCON_OK) return z.status;
  if (!measure(h)) return mc_whystatus(why, path, MASCON_ETOOBIG);
  if (h->fortran) reverse(h->shape, h->ndim);
  return MASCON_OK;
}


int mc_npyinspect (mc_npyfile *f, const char *head, size_t n, int64_t size,
                   mascon_why *why) {
  int64_t end;
  int status = mc_npyparse(head, n, &f->h, f->path, why);
  if (status != MASCON_OK) return status;
  end = f->h.offset + f->h.bytes;
  if (end == size) return MASCON_OK;
  return mc_why(why, f->path, MASCON_EFORMAT, end > size
                ? "truncated: has %" PRId64 " bytes, needs %" PRId64
                : "has %" PRId64 " bytes, but its array ends at %" PRId64,
                size, end);
}


/* header and size of the open file */
static int inspect (mc_npyfile *f, int64_t size, mascon_why *why) {
  char head[MC_NPYHEAD];
  size_t n = size < MC_NPYHEAD ? (size_t)size : MC_NPYHEAD;
  int error = mc_readat(f->fd, head, n, 0);
  if (error > 0) {
    errno = error;
    return mc_whyerrno(why, f->path);
  }
  if (error < 0) n = 0;  /* it has just become shorter */
  return mc_npyinspect(f, head, n, size, why);
}


int mc_npyopen (mc_npyfile *f, const char *path, bool write, mascon_why *why) {
  int64_t size;
  int status = mc_openfile(path, write, &f->fd, &size, why);
  if (status != MASCON_OK) return status;
  f->path = path;
  f->bytes = NULL;
  status = inspect(f, size, why);
  if (status != MASCON_OK) mc_closefile(f->fd);
  return status;
}


/*
** As numpy does, the text leaves room for the first axis to grow to 21 digits
** where it stands.
*/
size_t mc_npyformat (char out[MC_NPYMADE], mascon_dtype t, int ndim,
                     const int64_t *shape) {
  mascon_dltype d = mc_dltype(t);
  size_t n, end;
  n = 10 + (size_t)sprintf(out + 10, "{'descr': '%c%c%d', 'fortran_order': "
                           "False, 'shape': (", d.bits == 8 ? '|' : NATIVE,
                           "iuf"[d.code], d.bits / 8);
  for (int k = 0; k < ndim; k++)
    n += (size_t)sprintf(out + n, k > 0 ? ", %" PRId64 : "%" PRId64, shape[k]);
  n += (size_t)sprintf(out + n, ndim == 1 ? ",), }" : "), }");
  end = n + 21 - (size_t)snprintf(NULL, 0, "%" PRId64, shape[0]) + 1;
  end = (end + ALIGN - 1) / ALIGN * ALIGN;
  memset(out + n, ' ', end - n - 1);
  out[end - 1] = '\n';
  memcpy(out, MAGIC "\x01\x00", 8);
  out[8] = (char)((end - 10) & 0xff);
  out[9] = (char)((end - 10) >> 8);
  return end;
}

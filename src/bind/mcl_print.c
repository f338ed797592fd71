/*
** mcl_print.c - arrays as text
**
** What is printed is at most 1000 elements, or the corners: three at either
** end of rows and columns, one of the axes above.  Nothing else is looked at.
** mascon.printoptions changes these numbers for a Lua state.
*/

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mcl.h"

#define CELL 48    /* bytes for one number */

typedef struct settings {
  int precision;  /* digits that tell, at most */
  int threshold;  /* elements up to which all are printed */
  int edge;       /* elements at either end otherwise */
  int width;      /* where the elements of a vector wrap */
} settings;

/* how the numbers of a column are written */
typedef struct column {
  int decimals;  /* behind the point; -1: as few as six digits need */
  int width;
} column;


/* {------- numbers ------- */

/* 'x' with a '.', whatever the locale calls it (perhaps in several bytes) */
static void real (char *out, double x, int decimals, int precision) {
  char text[CELL];
  char *p = text;
  if (isnan(x)) strcpy(text, "nan");  /* never with a sign */
  else if (decimals < 0) snprintf(text, sizeof text, "%.*g", precision, x);
  else snprintf(text, sizeof text, "%.*f", decimals, x);
  while (*p != '\0') {
    size_t n = strcspn(p, "0123456789+-einfa");
    if (n == 0) *out++ = *p++;
    else {
      *out++ = '.';
      p += n;
    }
  }
  *out = '\0';
}


static void write (char *out, mascon_dtype t, const void *p, int decimals,
                   int precision) {
  switch (t) {
    case MASCON_F64: real(out, *(const double *)p, decimals, precision);
      break;
    case MASCON_F32: real(out, *(const float *)p, decimals, precision);
      break;
    case MASCON_I64:
      snprintf(out, CELL, "%lld", (long long)*(const int64_t *)p);
      break;
    case MASCON_I32: snprintf(out, CELL, "%d", *(const int32_t *)p); break;
    case MASCON_U16: snprintf(out, CELL, "%u", *(const uint16_t *)p); break;
    default: snprintf(out, CELL, "%u", *(const uint8_t *)p); break;
  }
}

/* -------} */


/* {------- layout ------- */

typedef struct printer {
  luaL_Buffer b;
  settings set;
  const mascon_array *a;
  mascon_dtype t;
  bool all;
  column *columns;  /* of a matrix */
} printer;


/* elements shown at either end of an axis */
static int64_t edge (const printer *pr, int axis) {
  return axis < pr->a->ndim - 2 ? 1 : pr->set.edge;
}


/* how many places an axis takes, the dots counted */
static int64_t places (const printer *pr, int axis) {
  int64_t n = pr->a->shape[axis], most = 2 * edge(pr, axis) + 1;
  return pr->all || n <= most ? n : most;
}


/* the index at place 'k', or -1 for the dots */
static int64_t place (const printer *pr, int axis, int64_t k) {
  int64_t n = pr->a->shape[axis], shown = places(pr, axis);
  if (n == shown || k < edge(pr, axis)) return k;
  return k == edge(pr, axis) ? -1 : n - shown + k;
}


/* make 'c' wide and fine enough for the element at 'p' */
static void measure (const printer *pr, column *c, const void *p) {
  char text[CELL];
  const char *point;
  write(text, pr->t, p, -1, pr->set.precision);
  if (strpbrk(text, "na") != NULL) return;  /* nan, inf have no point */
  point = strchr(text, '.');
  if (strchr(text, 'e') != NULL) c->decimals = -1;
  else if (c->decimals >= 0 && point != NULL &&
           (int)strlen(point + 1) > c->decimals)
    c->decimals = (int)strlen(point + 1);
}


static void widen (const printer *pr, column *c, const void *p) {
  char text[CELL];
  int n;
  write(text, pr->t, p, c->decimals, pr->set.precision);
  n = (int)strlen(text);
  if (n > c->width) c->width = n;
}


static void cell (printer *pr, const column *c, const void *p) {
  char text[CELL];
  write(text, pr->t, p, c->decimals, pr->set.precision);
  for (int n = (int)strlen(text); n <= c->width; n++)
    luaL_addchar(&pr->b, ' ');
  luaL_addstring(&pr->b, text);
}

/* -------} */


/* {------- vectors and matrices ------- */

/* address of element 'i' of axis 'axis', from 'p' on */
static const char *step (const printer *pr, const char *p, int axis,
                         int64_t i) {
  return p + i * pr->a->stride[axis] * (pr->a->dtype.bits / 8);
}


/* apply to every shown element of an axis */
static void scan (const printer *pr, const char *p, int axis, column *c,
                  void (*see) (const printer *, column *, const void *)) {
  for (int64_t k = 0; k < places(pr, axis); k++) {
    int64_t i = place(pr, axis, k);
    if (i >= 0) see(pr, c, step(pr, p, axis, i));
  }
}


static void vector (printer *pr, const char *p) {
  column c = {0, 0};
  int used = 0;
  scan(pr, p, 0, &c, measure);
  scan(pr, p, 0, &c, widen);
  for (int64_t k = 0; k < places(pr, 0); k++) {
    int64_t i = place(pr, 0, k);
    if (used == 0 || used + c.width + 1 > pr->set.width) {
      luaL_addchar(&pr->b, '\n');
      used = 0;
    }
    if (i < 0) luaL_addstring(&pr->b, " ...");
    else cell(pr, &c, step(pr, p, 0, i));
    used += c.width + 1;
  }
}


static void row (printer *pr, const char *p, const column *c) {
  int axis = pr->a->ndim - 1;
  luaL_addchar(&pr->b, '\n');
  for (int64_t k = 0; k < places(pr, axis); k++) {
    int64_t j = place(pr, axis, k);
    if (j < 0) luaL_addstring(&pr->b, " ...");
    else cell(pr, &c[k], step(pr, p, axis, j));
  }
}


/* the last two axes, from 'p' on */
static void matrix (printer *pr, const char *p) {
  int axis = pr->a->ndim - 2;
  column *c = pr->columns;
  for (int64_t k = 0; k < places(pr, axis + 1); k++) {
    int64_t j = place(pr, axis + 1, k);
    c[k] = (column) {0, 0};
    if (j < 0) continue;
    scan(pr, step(pr, p, axis + 1, j), axis, &c[k], measure);
    scan(pr, step(pr, p, axis + 1, j), axis, &c[k], widen);
  }
  for (int64_t k = 0; k < places(pr, axis); k++) {
    int64_t i = place(pr, axis, k);
    if (i < 0) luaL_addstring(&pr->b, "\n ...");
    else row(pr, step(pr, p, axis, i), c);
  }
}


/* axes from 'axis' on: the matrices, each under its index "[2][1]" */
static void matrices (printer *pr, const char *p, int axis,
                      const char *index) {
  if (axis == pr->a->ndim - 2) {
    if (axis > 0) {
      luaL_addchar(&pr->b, '\n');
      luaL_addstring(&pr->b, index);
    }
    matrix(pr, p);
    return;
  }
  for (int64_t k = 0; k < places(pr, axis); k++) {
    int64_t i = place(pr, axis, k);
    char name[2 * CELL];
    if (i < 0) {
      luaL_addstring(&pr->b, "\n...");
      continue;
    }
    snprintf(name, sizeof name, "%s[%lld]", index, (long long)i + 1);
    matrices(pr, step(pr, p, axis, i), axis + 1, name);
  }
}

/* -------} */


static settings *getsettings (lua_State *L) {
  settings *s;
  lua_rawgeti(L, MCL_META, MCL_PRINTING);
  s = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return s;
}


/*
** tostring(a): dtype and shape, whether it is a view; then the elements (its
** corners above 1000), columns aligned, '.' whatever the locale
*/
static int text (lua_State *L) {
  const mascon_array *a = mcl_peek(L, 1);
  const char *header;
  printer pr;
  if (a == NULL) mcl_typeerror(L, 1, "array");
  lua_settop(L, 1);
  header = mcl_describe(L, 1);
  if (a->magic != MASCON_MAGIC) return 1;
  pr.a = a;
  pr.t = mascon_dtype_of(a);
  pr.set = *getsettings(L);
  pr.all = mascon_count(a) <= pr.set.threshold;
  pr.columns = lua_newuserdatauv(L, (mascon_count(a) > 0
                                     ? (size_t)places(&pr, a->ndim - 1) : 0) *
                                 sizeof *pr.columns, 0);
  luaL_buffinit(L, &pr.b);
  luaL_addstring(&pr.b, header);  /* below the buffer: it stays */
  if (a->flags & MASCON_VIEW) luaL_addstring(&pr.b, ", view");
  if (mascon_isreadonly(a)) luaL_addstring(&pr.b, ", read-only");
  if (mascon_count(a) > 0) {
    if (a->ndim == 1) vector(&pr, a->data);
    else matrices(&pr, a->data, 0, "");
  }
  luaL_pushresult(&pr.b);
  return 1;
}


/*
** printoptions([{precision =, threshold =, edge =, width =}]): how arrays are
** printed from now on in this Lua state; returns how they are
*/
static int printoptions (lua_State *L) {
  static const char *const names[] = {"precision", "threshold", "edge",
                                      "width", NULL};
  static const int lowest[] = {1, 0, 1, 20};
  static const int highest[] = {17, 1000000, 1000, 10000};
  settings *s = getsettings(L), new = *s;
  int *fields[] = {&new.precision, &new.threshold, &new.edge, &new.width};
  lua_settop(L, 1);
  if (!lua_isnil(L, 1)) {
    mcl_options(L, 1, names);
    for (int i = 0; names[i] != NULL; i++)
      *fields[i] = (int)mcl_optint(L, 1, names[i], *fields[i], lowest[i],
                                   highest[i]);
    *s = new;
  }
  lua_createtable(L, 0, 4);
  for (int i = 0; names[i] != NULL; i++) {
    lua_pushinteger(L, *fields[i]);
    lua_setfield(L, -2, names[i]);
  }
  return 1;
}


void mcl_openprint (lua_State *L) {
  static const settings init = {6, 1000, 3, 80};
  static const luaL_Reg meta[] = {
    {"__tostring", text},
    {NULL, NULL}
  };
  static const luaL_Reg funcs[] = {
    {"printoptions", printoptions},
    {NULL, NULL}
  };
  luaL_getmetatable(L, MCL_ARRAY);
  *(settings *)lua_newuserdatauv(L, sizeof init, 0) = init;
  lua_rawseti(L, -2, MCL_PRINTING);
  lua_pop(L, 1);
  mcl_addmeta(L, meta);
  mcl_addfuncs(L, funcs);
}

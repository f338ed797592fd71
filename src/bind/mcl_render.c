/*
** mcl_render.c - render
*/

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mcl.h"

enum {X, Y, SX, SY, ANGLE, SXX, SXY, SYY, WEIGHT, VALUE, NCOLUMNS};

static const char *const names[] = {"x", "y", "sx", "sy", "angle", "sxx",
                                    "sxy", "syy", "weight", "value", NULL};

/* the columns of a call */
typedef struct columns {
  double numbers[NCOLUMNS];        /* those that are a number for all */
  mascon_array all[NCOLUMNS];      /* ... described */
  const mascon_array *arrays[NCOLUMNS];
  mascon_spots spots;
} columns;


/* {------- spots ------- */

static void checknames (lua_State *L) {
  if (lua_type(L, 1) != LUA_TTABLE) mcl_typeerror(L, 1, "table of columns");
  lua_pushnil(L);
  while (lua_next(L, 1)) {
    int i = 0;
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2)
                                                     : NULL;
    if (key == NULL)
      luaL_argerror(L, 1, lua_pushfstring(L,
                    "column names are strings, got a %s",
                    luaL_typename(L, -2)));
    while (names[i] != NULL && strcmp(names[i], key) != 0) i++;
    if (names[i] == NULL)
      luaL_argerror(L, 1, lua_pushfstring(L, "unknown column '%s'", key));
    lua_pop(L, 1);
  }
}


static void badcolumn (lua_State *L, const char *name, const char *expected) {
  const char *got = mcl_describe(L, lua_gettop(L));
  luaL_argerror(L, 1, lua_pushfstring(L, "column '%s': %s expected, got %s",
                                      name, expected, got));
}


/* column 'i', whose value is on top: an array or a number; returns its
   length, -1 */
static int64_t getcolumn (lua_State *L, int i, columns *c) {
  const mascon_array *a;
  if (lua_type(L, -1) == LUA_TNUMBER) {
    c->numbers[i] = lua_tonumber(L, -1);
    return -1;
  }
  a = mcl_livearray(L, lua_gettop(L));
  if (a == NULL || a->ndim != 1) badcolumn(L, names[i], "vector or number");
  c->arrays[i] = a;
  return a->shape[0];
}


/* does the table at 1 have the column that only a covariance, or only sigmas
   have? */
static bool hascolumn (lua_State *L, int i) {
  bool has;
  lua_pushstring(L, names[i]);
  has = lua_rawget(L, 1) != LUA_TNIL;
  lua_pop(L, 1);
  return has;
}


/* spots have a covariance, or sigmas and perhaps an angle */
static bool iscovariant (lua_State *L) {
  for (int i = SXX; i <= SYY; i++)
    if (hascolumn(L, i))
      for (int k = SX; k <= ANGLE; k++)
        if (hascolumn(L, k))
          luaL_argerror(L, 1, lua_pushfstring(L,
                        "columns '%s' and '%s': one or the other expected",
                        names[k], names[i]));
  return hascolumn(L, SXX) || hascolumn(L, SXY) || hascolumn(L, SYY);
}


/* fetch column 'i', which stays on the stack, and check its length; 'n' is
   that of the columns before it, or -1; returns what it is now */
static int64_t onecolumn (lua_State *L, int i, columns *c, int64_t n) {
  int64_t length;
  lua_pushstring(L, names[i]);
  if (lua_rawget(L, 1) == LUA_TNIL)
    luaL_argerror(L, 1, lua_pushfstring(L, "column '%s' is missing",
                                        names[i]));
  length = getcolumn(L, i, c);
  if (n >= 0 && length >= 0 && length != n) {
    const char *expected = lua_pushfstring(L, "%I elements", (lua_Integer)n);
    lua_insert(L, -2);  /* the value stays on top */
    badcolumn(L, names[i], expected);
  }
  return length >= 0 ? length : n;
}


/* the columns that there have to be, and those that there are besides */
static int64_t allcolumns (lua_State *L, columns *c, bool wanted[NCOLUMNS]) {
  int64_t n = -1;
  bool covariant = iscovariant(L);
  for (int i = 0; i < NCOLUMNS; i++) {
    wanted[i] = i < SX || (i < ANGLE && !covariant) ||
                (i >= SXX && i <= SYY && covariant) || hascolumn(L, i);
    if (wanted[i]) n = onecolumn(L, i, c, n);
  }
  return n < 0 ? 1 : n;  /* all are numbers: one spot */
}


/* all columns of the table at 1, which stay on the stack */
static void getspots (lua_State *L, columns *c) {
  static const mascon_spots init = MASCON_SPOTS_INIT;
  bool wanted[NCOLUMNS];
  int64_t n;
  checknames(L);
  for (int i = 0; i < NCOLUMNS; i++) c->arrays[i] = NULL;
  n = allcolumns(L, c, wanted);
  for (int i = 0; i < NCOLUMNS; i++) {
    static const int64_t none = 0;
    if (!wanted[i] || c->arrays[i] != NULL) continue;
    mcl_check(L, mascon_describe(&c->all[i], &c->numbers[i], MASCON_F64, 1,
                                 &n, &none, MASCON_READONLY));
    c->arrays[i] = &c->all[i];
  }
  c->spots = init;
  c->spots.x = c->arrays[X];
  c->spots.y = c->arrays[Y];
  c->spots.sx = c->arrays[SX];
  c->spots.sy = c->arrays[SY];
  c->spots.angle = c->arrays[ANGLE];
  c->spots.sxx = c->arrays[SXX];
  c->spots.sxy = c->arrays[SXY];
  c->spots.syy = c->arrays[SYY];
  c->spots.weight = c->arrays[WEIGHT];
}

/* -------} */


/* {------- geometry ------- */

/* option 'name' as a table of n finite numbers, whole ones if 'whole'; false
   where it is absent */
static bool optlist (lua_State *L, int arg, const char *name, int n,
                     double *v, bool whole, const char *expected) {
  bool ok;
  if (mcl_optvalue(L, arg, name) == LUA_TNIL) {
    lua_pop(L, 1);
    return false;
  }
  ok = lua_type(L, -1) == LUA_TTABLE && lua_rawlen(L, -1) == (size_t)n;
  for (int i = 0; ok && i < n; i++) {
    ok = lua_rawgeti(L, -1, i + 1) == LUA_TNUMBER;
    v[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
    if (!isfinite(v[i]) || (whole && (floor(v[i]) != v[i] ||
        fabs(v[i]) > 0x1p31))) ok = false;
  }
  if (!ok) mcl_opterror(L, arg, name, expected);
  lua_pop(L, 1);
  return true;
}


/* whole pixels that cover a length: no more because of a rounding error */
static double pixels (double length, double pixel) {
  double n = length / pixel, whole = floor(n + 0.5);
  return fabs(n - whole) < 1e-6 ? whole : ceil(n);
}


static void toobig (lua_State *L, int arg, const double size[2]) {
  char text[80];
  snprintf(text, sizeof text, "image of %.15g x %.15g pixels is too big",
           size[0], size[1]);
  luaL_argerror(L, arg, text);
}


/* the size that 'shape' or 'out' asks for; false for neither */
static bool asked (lua_State *L, const mascon_array *out, double size[2]) {
  bool given = optlist(L, 2, "shape", 2, size, true, "{rows, columns}");
  if (given && (size[0] < 0 || size[1] < 0))
    luaL_argerror(L, 2, "option 'shape': sizes are negative");
  for (int a = 0; out != NULL && a < 2; a++) {
    if (given && size[a] != (double)out->shape[a])
      luaL_argerror(L, 2, "option 'shape': it is not that of 'out'");
    size[a] = (double)out->shape[a];
  }
  return given || out != NULL;
}


/*
** The corner and the view into 'o', and the size of the image: what is asked
** for, else what is left of the full image beyond 'view'; that is 'extent',
** else all that holds a centre.
*/
static void geometry (lua_State *L, const mascon_spots *spots,
                      const mascon_array *out, mascon_render_opts *o,
                      int64_t shape[2]) {
  double view[2] = {0, 0}, extent[4], full[2], size[2];
  bool bounded = optlist(L, 2, "extent", 4, extent, false,
                         "{y0, x0, y1, x1}");
  bool given = asked(L, out, size);
  optlist(L, 2, "view", 2, view, true, "{row, column}");
  o->row = (int64_t)view[0];
  o->col = (int64_t)view[1];
  if (bounded) {
    o->y0 = extent[0];
    o->x0 = extent[1];
    if (extent[2] < extent[0] || extent[3] < extent[1])
      luaL_argerror(L, 2, "option 'extent': {y0, x0, y1, x1} expected, but it "
                          "ends before it begins");
    full[0] = pixels(extent[2] - extent[0], o->pixel);
    full[1] = pixels(extent[3] - extent[1], o->pixel);
  }
  else if (!given) {
    int64_t all[2];
    int status = mascon_render_shape(spots, o, all);
    if (status == MASCON_ETOOBIG)
      luaL_argerror(L, 1, "spots reach beyond 2^31 pixels: image too big");
    mcl_check(L, status);
    full[0] = (double)all[0];
    full[1] = (double)all[1];
  }
  for (int a = 0; a < 2; a++) {
    if (!given) size[a] = fmax(full[a] - view[a], 0);
    else if (bounded && view[a] + size[a] > full[a])
      luaL_argerror(L, 2, "option 'extent': the image reaches beyond it");
  }
  if (size[0] > 0x1p44 || size[1] > 0x1p44 || size[0] * size[1] > 0x1p44)
    toobig(L, 2, size);
  for (int a = 0; a < 2; a++) shape[a] = (int64_t)size[a];
}


/* numbers that must be finite and >= 0 (or > 0 too: 'least' is not 0) */
static double optsize (lua_State *L, const char *name, double def,
                       bool positive) {
  double x = mcl_optnum(L, 2, name, def);
  if (!isfinite(x) || x < 0 || (positive && x == 0)) {
    mcl_optvalue(L, 2, name);
    mcl_opterror(L, 2, name, positive ? "number > 0" : "number >= 0");
  }
  return x;
}


/*
** Option 'preset': what other programs draw; other options may change it.
** "picasso": sampled at the centres of pixels, 3 sigma to each side, not
** renormalised (mass is not kept), coordinates and sigmas rounded to f32.
** "thunderstorm": integrated, ceil(3 sigma) pixels to each side of the one with
** the centre, not renormalised.
*/
static void preset (lua_State *L, mascon_render_opts *o) {
  static const char *const all[] = {"none", "picasso", "thunderstorm", NULL};
  int p = mcl_optenum(L, 2, "preset", 0, all);
  if (p == 0) return;
  o->cutoff = 3;
  o->sample = p == 1 ? MASCON_POINT : MASCON_INTEGRATED;
  o->single = p == 1;
  o->whole = p == 2;
}


static void options (lua_State *L, mascon_render_opts *o, bool turned) {
  static const char *const all[] = {"shape", "view", "extent", "pixel",
    "sample", "norm", "tol", "cutoff", "min_sigma", "origin", "dtype", "out",
    "add", "renormalise", "preset", "room", "threads", "progress", NULL};
  static const mascon_render_opts init = MASCON_RENDER_INIT;
  *o = init;
  mcl_options(L, 2, all);
  preset(L, o);
  if (turned) o->sample = MASCON_POINT;
  mcl_optsampling(L, 2, &o->sample, &o->norm, &o->origin, &o->add);
  if (turned && o->sample != MASCON_POINT) {
    mcl_optvalue(L, 2, "sample");
    mcl_opterror(L, 2, "sample", "\"point\" (spots are turned)");
  }
  o->renormalise = mcl_optbool(L, 2, "renormalise", 0);
  o->pixel = optsize(L, "pixel", o->pixel, true);
  o->min_sigma = optsize(L, "min_sigma", 0, false);
  o->tol = optsize(L, "tol", o->tol, false);
  if (o->tol >= 1) {
    mcl_optvalue(L, 2, "tol");
    mcl_opterror(L, 2, "tol", "number below 1");
  }
  if (mcl_optvalue(L, 2, "cutoff") != LUA_TNIL)
    o->cutoff = optsize(L, "cutoff", 0, true);
  else {
    if (mcl_optvalue(L, 2, "tol") != LUA_TNIL) o->cutoff = 0;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}


/* the option 'out', which stays on the stack, or NULL */
static mascon_array *given (lua_State *L) {
  mascon_array *out = mcl_optarray(L, 2, "out", "f64 or f32 matrix");
  mascon_dtype t;
  if (out == NULL) return NULL;
  t = mascon_dtype_of(out);
  if (out->ndim != 2 || (t != MASCON_F64 && t != MASCON_F32))
    mcl_opterror(L, 2, "out", "f64 or f32 matrix");
  if (mascon_isreadonly(out))
    luaL_argerror(L, 2, "option 'out': array is read-only");
  if (mcl_optfloat(L, 2, t) != t) {
    mcl_optvalue(L, 2, "dtype");
    mcl_opterror(L, 2, "dtype", mascon_dtype_name(t));
  }
  return out;
}


/* bytes of an image, as a number that cannot overflow */
static lua_Number bytesof (mascon_dtype t, const int64_t shape[2]) {
  return (lua_Number)shape[0] * (lua_Number)shape[1] *
         (lua_Number)mascon_dtype_size(t);
}


/* raise where 'images' new ones of this kind, what it takes to draw them and
   what the option 'room' asks for are more than there may be */
static void checkmemory (lua_State *L, const columns *c, int images,
                         mascon_dtype t, const int64_t shape[2],
                         const mascon_render_opts *o, const mascon_exec *ex) {
  const double gb = 1e9, modest = 1 << 26;
  double image = bytesof(t, shape) * images + bytesof(MASCON_U8, shape) *
                 (double)mcl_optint(L, 2, "room", 0, 0, 64), limit;
  char text[200];
  int64_t work = 0;
  int status = mascon_render_memory(&c->spots, c->arrays[VALUE], o, t, shape,
                                    ex, &work);
  if (status == MASCON_ETOOBIG) {
    const double size[2] = {(double)shape[0], (double)shape[1]};
    toobig(L, 2, size);
  }
  mcl_check(L, status);
  if (image + (double)work <= modest) return;
  limit = (double)mascon_memory_limit();
  if (image + (double)work <= limit) return;
  snprintf(text, sizeof text, "an image of %.0f x %.0f %s pixels needs %.3g GB "
           "of memory (%.3g GB for it, %.3g GB to draw it), but there are "
           "%.3g GB", (double)shape[0], (double)shape[1], mascon_dtype_name(t),
           (image + (double)work) / gb, image / gb, (double)work / gb,
           limit / gb);
  luaL_argerror(L, 2, text);
}


/* the option 'out', or a new image; pushes it */
static mascon_array *image (lua_State *L, const columns *c,
                            mascon_render_opts *o, const mascon_exec *ex) {
  mascon_array *out = given(L);
  mascon_dtype t = out != NULL ? mascon_dtype_of(out)
                               : mcl_optfloat(L, 2, MASCON_F32);
  int64_t shape[2];
  geometry(L, &c->spots, out, o, shape);
  checkmemory(L, c, (out == NULL) + (c->arrays[VALUE] != NULL), t, shape, o,
              ex);
  o->fresh = out == NULL;
  return out != NULL ? out : mcl_newarray(L, t, 2, shape, true);
}

/* -------} */


static void pushinfo (lua_State *L, const mascon_render_info *i) {
  lua_createtable(L, 0, 6);
  lua_pushinteger(L, i->drawn);
  lua_setfield(L, -2, "drawn");
  lua_pushinteger(L, i->culled);
  lua_setfield(L, -2, "culled");
  lua_pushinteger(L, i->skipped);
  lua_setfield(L, -2, "skipped");
  lua_pushnumber(L, i->clipped);
  lua_setfield(L, -2, "clipped");
  lua_pushnumber(L, i->lost);
  lua_setfield(L, -2, "lost");
  lua_createtable(L, 4, 0);
  for (int k = 0; k < 4; k++) {
    lua_pushnumber(L, i->extent[k]);
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -2, "extent");
}


/* a value that knows its spots (a table of localisations) gives columns and
   options in its place */
static void expand (lua_State *L) {
  if (luaL_getmetafield(L, 1, "__spots") == LUA_TNIL) return;
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_call(L, 2, 2);
  lua_replace(L, 2);
  lua_replace(L, 1);
}


/* with the option 'colour' a part in Lua does the work: call it and return
   true, its results on the stack; it is only there where it was loaded */
static bool incolour (lua_State *L) {
  bool wanted = mcl_optvalue(L, lua_istable(L, 2) ? 2 : 0, "colour") != LUA_TNIL;
  lua_pop(L, 1);
  if (!wanted) return false;
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, "mascon.hues") != LUA_TFUNCTION)
    luaL_argerror(L, 2, "option 'colour': module mascon is not loaded");
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_call(L, 2, 2);
  return true;
}


/*
** image, info = render({x =, y =, sx =, sy = [, angle =] [, weight =]}
** [, opts]), or with {x =, y =, sxx =, sxy =, syy = [, weight =]}: the sum of
** many gaussians.  A column is a vector, or a number for all spots (all numbers:
** one spot).  x, y, sx, sy, pixel, extent and min_sigma share one unit, of whose
** squares the covariance sxx, sxy, syy is; angle is in radians, from +x towards
** +y, and turns sx's axis.  Spots with angles or covariances are sampled at the
** centres of pixels.  With a column 'value' there is a third result: the image
** with all weights multiplied by it.
**
** opts: shape = {h, w} of the image; view = {row, column}, whole pixels from
** the full image's corner to this one's (0, 0); extent = {y0, x0, y1, x1} of
** the full image, rounded up to whole pixels; pixel (1); sample ("integrated"
** or "point"); norm ("sum" or "peak"); tol (1e-6), the mass a spot may lose;
** cutoff, sigmas to keep instead of what tol asks; min_sigma (0); origin
** ("edge": pixel 0 spans 0 to 1, or "centre"); dtype ("f32"); out, an f64 or
** f32 matrix to draw into; add (false: overwrite; true: only tiles with spots are
** touched, so for a new file map); renormalise (false; true: divide by the mass
** inside the cut-off); preset ("picasso" or "thunderstorm": their conventions,
** which other options may change); room (0: bytes a pixel that the caller will
** need besides); threads; progress (in spots).  Without shape,
** extent and out: 0 to the largest coordinate.  With colour = vector the image is
** h x w x 3 of u8: see hues.lua.
**
** info: drawn, culled, skipped (not finite, sigma < 0, no covariance): how many
** spots; clipped, lost: mass outside the image, outside the cut-off; extent of
** the image.
*/
static int render (lua_State *L) {
  columns c;
  mascon_render_opts o;
  mascon_render_info info = MASCON_RENDER_INFO_INIT;
  mascon_array *out, *values = NULL;
  mcl_call call;
  int status;
  lua_settop(L, 2);
  expand(L);
  if (incolour(L)) return 2;
  getspots(L, &c);
  options(L, &o, c.spots.angle != NULL || c.spots.sxx != NULL);
  mcl_begin(L, &call, 2);
  out = image(L, &c, &o, &call.ex);
  if (c.arrays[VALUE] != NULL)
    values = mcl_newarray(L, mascon_dtype_of(out), 2, out->shape, true);
  status = mascon_render_values(&c.spots, c.arrays[VALUE], &o, out, values,
                                &info, &call.ex);
  luaL_argcheck(L, status != MASCON_EALIAS, 2,
                "option 'out': it overlaps a column");
  mcl_end(L, &call, status);
  pushinfo(L, &info);
  if (values == NULL) return 2;
  lua_insert(L, -2);
  return 3;
}


void mcl_openrender (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"render", render},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
}

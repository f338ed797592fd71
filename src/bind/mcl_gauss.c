/*
** mcl_gauss.c - gauss
*/

#include <math.h>

#include "mcl.h"

static const char *const samples[] = {"point", "integrated", NULL};
static const char *const norms[] = {"sum", "peak", NULL};
static const char *const origins[] = {"centre", "edge", NULL};


/* the options that gauss and render share; 'arg' has a table */
void mcl_optsampling (lua_State *L, int arg, int *sample, int *norm,
                      int *origin, int *add) {
  *sample = mcl_optenum(L, arg, "sample", *sample, samples);
  *norm = mcl_optenum(L, arg, "norm", *norm, norms);
  *origin = mcl_optenum(L, arg, "origin", *origin, origins);
  *add = mcl_optbool(L, arg, "add", *add);
}


static double checkcentre (lua_State *L, int arg) {
  double c = luaL_checknumber(L, arg);
  if (isnan(c)) mcl_typeerror(L, arg, "coordinate");
  return c;
}


static double checksigma (lua_State *L, int arg) {
  double s = luaL_checknumber(L, arg);
  if (!(s >= 0)) mcl_typeerror(L, arg, "sigma >= 0");
  return s;
}


/* the float dtype of option 'dtype' */
mascon_dtype mcl_optfloat (lua_State *L, int arg, mascon_dtype def) {
  static const char *const names[] = {"f64", "f32", NULL};
  return mcl_optenum(L, arg, "dtype", def == MASCON_F32, names) == 0
         ? MASCON_F64 : MASCON_F32;
}


/* the options at 'arg' into 'o'; false if none says what to draw */
static bool options (lua_State *L, int arg, mascon_gauss_opts *o) {
  static const char *const names[] = {"threads", "progress", "dtype",
                                      "sample", "norm", "weight", "add",
                                      "origin", "angle", NULL};
  if (mcl_options(L, arg, names) >> 2 == 0) return false;
  mcl_optsampling(L, arg, &o->sample, &o->norm, &o->origin, &o->add);
  o->weight = mcl_optnum(L, arg, "weight", 1);
  if (!isfinite(o->weight)) {
    mcl_optvalue(L, arg, "weight");
    mcl_opterror(L, arg, "weight", "finite number");
  }
  o->angle = mcl_optnum(L, arg, "angle", 0);
  if (!(fabs(o->angle) <= 0x1p31)) {
    mcl_optvalue(L, arg, "angle");
    mcl_opterror(L, arg, "angle", "radians, at most 2^31,");
  }
  if (o->angle != 0 && o->sample != MASCON_POINT) {
    mcl_optvalue(L, arg, "sample");
    mcl_opterror(L, arg, "sample", "\"point\" (with an angle)");
  }
  return true;
}


/* the matrix at argument 1, of the dtype that the options may name */
static mascon_array *given (lua_State *L, int opts) {
  mascon_array *out = mcl_checkout(L, 1);
  mascon_dtype t = mascon_dtype_of(out);
  if (out->ndim != 2 || (t != MASCON_F64 && t != MASCON_F32))
    mcl_typeerror(L, 1, "f64 or f32 matrix");
  if (opts != 0 && mcl_optfloat(L, opts, t) != t) {
    mcl_optvalue(L, opts, "dtype");
    mcl_opterror(L, opts, "dtype", mascon_dtype_name(t));
  }
  return out;
}


/* a new matrix of the sizes at arguments 1 and 2 */
static mascon_array *fresh (lua_State *L, int opts, bool zero) {
  int64_t shape[2];
  for (int i = 0; i < 2; i++) {
    shape[i] = luaL_checkinteger(L, i + 1);
    if (shape[i] < 0) mcl_typeerror(L, i + 1, "size >= 0");
  }
  return mcl_newarray(L, opts != 0 ? mcl_optfloat(L, opts, MASCON_F64)
                                   : MASCON_F64, 2, shape, zero);
}


/*
** gauss(yw, xw, y0, x0, sy, sx [, opts]): a new yw x xw matrix
** gauss(out, y0, x0, sy, sx [, opts]): into an f64 or f32 matrix, any strides;
** allocates nothing.  Returns the matrix.
**
** One normalised gaussian with its centre at (y0, x0) (any number but NaN) and
** sigma sy, sx >= 0, all in pixels; sigma 0 puts the weight into the pixel
** that contains the centre.
** opts: dtype ("f64"), sample ("point" or "integrated" over each pixel), norm
** ("sum": adds up to the weight; "peak": as high as the weight), weight (1),
** add (false: overwrite), origin ("centre": the centre of the first pixel is
** at 0; "edge": at 0.5), angle (0; radians from +x towards +y, turns sx's axis;
** with "point" only), threads, progress.
*/
static int gauss (lua_State *L) {
  static const mascon_gauss_opts init = MASCON_GAUSS_INIT;
  mascon_gauss_opts o = init;
  int into = lua_type(L, 1) == LUA_TUSERDATA;
  int arg = into ? 2 : 3, opts = arg + 4, drawing = opts;
  double y0, x0, sy, sx;
  mascon_array *out;
  mcl_call c;
  if (lua_isnoneornil(L, opts)) opts = drawing = 0;
  else if (!options(L, opts, &o)) drawing = 0;
  out = into ? given(L, drawing) : NULL;
  y0 = checkcentre(L, arg);
  x0 = checkcentre(L, arg + 1);
  sy = checksigma(L, arg + 2);
  sx = checksigma(L, arg + 3);
  mcl_begin(L, &c, opts);
  if (into) lua_pushvalue(L, 1);
  else out = fresh(L, drawing, o.add);
  mcl_end(L, &c, mascon_gauss(y0, x0, sy, sx, &o, out, &c.ex));
  return 1;
}


void mcl_opengauss (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"gauss", gauss},
    {NULL, NULL}
  };
  mcl_addfuncs(L, funcs);
}

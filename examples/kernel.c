/*
** kernel.c - a kernel of your own, as a function of Lua
**
** nearest(points, centres): for each row of 'points' the row of 'centres' that
** is nearest, and how far it is.  The loop below is all that a kernel is:
** arguments are checked, results are made, threads, progress and Ctrl-C are
** there because it is registered.  Like any module that includes mascon_lua.h,
** it links nothing.
**
**   cc -O2 -shared -fPIC $(pkg-config --cflags mascon_lua) kernel.c -lm \
**      -o kernel.so
**
**   local mascon, kernel = require "mascon", require "kernel"
**   local points = mascon.random(1):uniform(1000000, 3)
**   local centres = points:rows(1, 50)
**   local ids, far = kernel.nearest(points, centres)      -- on every core
**   kernel.nearest(points, centres, ids, far)             -- into what is there
**   kernel.nearest(points, centres, nil, nil, {threads = 1, progress = true})
*/

#include <math.h>

#include <mascon_lua.h>

#define NOTANUMBER -1  /* a status of our own: below 0 */


/* the square of the distance of row 'i' of 'a' and row 'j' of 'b' */
static double distance2 (const mascon_array *a, int64_t i,
                         const mascon_array *b, int64_t j) {
  const double *p = (const double *)a->data + i * a->stride[0];
  const double *q = (const double *)b->data + j * b->stride[0];
  double s = 0;
  for (int64_t k = 0; k < a->shape[1]; k++) {
    double d = p[k * a->stride[1]] - q[k * b->stride[1]];
    s += d * d;
  }
  return s;
}


/*
** f64 (n, k), f64 (m, k) -> i32 (n), f64 (n)
**
** Rows first to last - 1; other threads are at others.  Views may come with
** any strides.  Ids count from 1, as Lua does; 0 where there is no centre.
*/
static int nearest (void *ud, const mascon_array *in, const mascon_array *out,
                    int64_t first, int64_t last) {
  const mascon_array *points = &in[0], *centres = &in[1];
  (void)ud;
  for (int64_t i = first; i < last; i++) {
    double best = INFINITY;
    int32_t id = 0;
    for (int64_t j = 0; j < centres->shape[0]; j++) {
      double d = distance2(points, i, centres, j);
      if (isnan(d)) return NOTANUMBER;  /* an error in Lua */
      if (d < best) {  /* so of equal ones the first */
        best = d;
        id = (int32_t)(j + 1);
      }
    }
    ((int32_t *)out[0].data)[i * out[0].stride[0]] = id;
    ((double *)out[1].data)[i * out[1].stride[0]] = sqrt(best);
  }
  return 0;
}


static const char *message (void *ud, int status) {
  (void)ud;
  return status == NOTANUMBER ? "a coordinate is not a number" : NULL;
}


MASCON_API int luaopen_kernel (lua_State *L);

int luaopen_kernel (lua_State *L) {
  mascon_kernel k = MASCON_KERNEL_INIT;
  k.name = "nearest";
  k.signature = "f64 (n, k), f64 (m, k) -> i32 (n), f64 (n)";
  k.body = nearest;
  k.message = message;
  lua_newtable(L);
  mascon_getfunctions(L)->register_kernel(L, &k);
  lua_setfield(L, -2, k.name);
  return 1;
}

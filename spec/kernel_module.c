/*
** kernel_module.c - kernels that a module registers which links nothing
*/

#define _POSIX_C_SOURCE 200809L

#include <stdatomic.h>
#include <time.h>

#include "mascon_lua.h"

#define AT(T, a, i, j) \
  (((T *)(a).data)[(i) * (a).stride[0] + (j) * (a).stride[1]])

static const mascon_functions *functions;
static atomic_int released;


static void release (void *ud) {
  (void)ud;
  released++;
}


/* {------- kernels ------- */

/* T:f32|f64 (n), T () -> T (n): x[i] * b */
static int scale (void *ud, const mascon_array *in, const mascon_array *out,
                  int64_t first, int64_t last) {
  (void)ud;
  for (int64_t i = first; i < last; i++)
    if (in->dtype.bits == 32)
      AT(float, *out, i, 0) = AT(float, *in, i, 0) * *(float *)in[1].data;
    else AT(double, *out, i, 0) = AT(double, *in, i, 0) *
                                  *(double *)in[1].data;
  return 0;
}


/* f64 (n, k), f64 (m, k) -> f64 (n, m): products of rows */
static int products (void *ud, const mascon_array *in,
                     const mascon_array *out, int64_t first, int64_t last) {
  (void)ud;
  for (int64_t i = first; i < last; i++)
    for (int64_t j = 0; j < in[1].shape[0]; j++) {
      double s = 0;
      for (int64_t k = 0; k < in[0].shape[1]; k++)
        s += AT(double, in[0], i, k) * AT(double, in[1], j, k);
      AT(double, *out, i, j) = s;
    }
  return 0;
}


/* f64 (n, 3) -> f64 (n), i64 (n): the sum of a row, how many are positive */
static int rowsums (void *ud, const mascon_array *in, const mascon_array *out,
                    int64_t first, int64_t last) {
  (void)ud;
  for (int64_t i = first; i < last; i++) {
    AT(double, out[0], i, 0) = 0;
    AT(int64_t, out[1], i, 0) = 0;
    for (int64_t k = 0; k < 3; k++) {
      AT(double, out[0], i, 0) += AT(double, *in, i, k);
      AT(int64_t, out[1], i, 0) += AT(double, *in, i, k) > 0;
    }
  }
  return 0;
}


/* f64 (n), f64 (n) -> f64 () */
static int dot (void *ud, const mascon_array *in, const mascon_array *out,
                int64_t first, int64_t last) {
  double s = 0;
  (void)ud;
  if (first != 0 || last != 1) return -1;
  for (int64_t i = 0; i < in->shape[0]; i++)
    s += AT(double, in[0], i, 0) * AT(double, in[1], i, 0);
  *(double *)out->data = s;
  return 0;
}


/* f64 (n) -> f64 (halves): every second element */
static int halves (void *ud, const mascon_array *in, const mascon_array *out,
                   int64_t first, int64_t last) {
  (void)ud;
  for (int64_t i = first; i < last; i++)
    AT(double, *out, i, 0) = AT(double, *in, 2 * i, 0);
  return 0;
}


static int lengthofhalves (void *ud, const mascon_array *in, const char *axis,
                           int64_t *n) {
  (void)ud;
  if (strcmp(axis, "halves") != 0) return MASCON_ERANGE;
  *n = in->shape[0] % 2 == 0 ? in->shape[0] / 2 : -1;
  return in->shape[0] == 1 ? -7 : 0;
}


/* -> i32 (5): 'ud' and up */
static int count (void *ud, const mascon_array *in, const mascon_array *out,
                  int64_t first, int64_t last) {
  (void)in;
  for (int64_t i = first; i < last; i++)
    AT(int32_t, *out, i, 0) = *(int *)ud + (int32_t)i;
  return 0;
}


/* f64 (n, m) -> f64 (n, m): twice, for elements without gaps only */
static int twice (void *ud, const mascon_array *in, const mascon_array *out,
                  int64_t first, int64_t last) {
  const double *p = in->data;
  double *q = out->data;
  (void)ud;
  for (int64_t i = first * in->shape[1]; i < last * in->shape[1]; i++)
    q[i] = 2 * p[i];
  return 0;
}


/* f64 (n, n) -> f64 (n): the diagonal */
static int diagonal (void *ud, const mascon_array *in,
                     const mascon_array *out, int64_t first, int64_t last) {
  (void)ud;
  for (int64_t i = first; i < last; i++)
    AT(double, *out, i, 0) = AT(double, *in, i, i);
  return 0;
}


/* i64 (n) -> i64 (n): copies; an element that is not 0 is a status */
static int refuse (void *ud, const mascon_array *in, const mascon_array *out,
                   int64_t first, int64_t last) {
  (void)ud;
  for (int64_t i = first; i < last; i++) {
    int64_t x = AT(int64_t, *in, i, 0);
    if (x != 0) return (int)x;
    AT(int64_t, *out, i, 0) = x;
  }
  return 0;
}


static const char *message (void *ud, int status) {
  (void)ud;
  return status == -1 ? "the first of mine" : NULL;
}


static void sleepms (int ms) {
  const struct timespec t = {0, ms * 1000000L};
  nanosleep(&t, NULL);
}


/* f64 (n) -> f64 (n): a millisecond a row; ever where the element is not 0 */
static int slow (void *ud, const mascon_array *in, const mascon_array *out,
                 int64_t first, int64_t last) {
  (void)ud;
  for (int64_t i = first; i < last; i++) {
    do sleepms(1);
    while (AT(double, *in, i, 0) != 0 && !functions->cancelled());
    AT(double, *out, i, 0) = 1;
  }
  return 0;
}


/* f64 (n) -> f64 (n): a loop of our own within, and numbers of its rows */
static int one (void *ud, int64_t first, int64_t last) {
  for (int64_t i = first; i < last; i++) ((double *)ud)[i]++;
  return 0;
}


static int nested (void *ud, const mascon_array *in, const mascon_array *out,
                   int64_t first, int64_t last) {
  double numbers[100] = {0};
  (void)ud;
  (void)in;
  for (int64_t i = first; i < last; i++) {
    int status = functions->parallel_for(100, 1, one, numbers, NULL);
    if (status != 0) return status;
    AT(double, *out, i, 0) = numbers[0] + numbers[99];
    numbers[0] = numbers[99] = 0;
  }
  return 0;
}

/* -------} */


static int five = 5;

#define KERNEL(f, sig, fl) \
  {.size = sizeof(mascon_kernel), .name = #f, .signature = sig, .body = f, \
   .ud = &five, .release = release, .flags = fl}

static const mascon_kernel kernels[] = {
  KERNEL(scale, "T:f32|f64 (n), T () -> T (n)", MASCON_INPLACE),
  KERNEL(products, "f64 (n, k), f64 (m, k) -> f64 (n, m)", 0),
  KERNEL(rowsums, " f64(n,3)->f64(n),i64(n) ", 0),
  KERNEL(dot, "f64 (n), f64 (n) -> f64 ()", 0),
  KERNEL(count, "-> i32 (5)", 0),
  KERNEL(twice, "f64 (n, m) -> f64 (n, m)",
         MASCON_ROWMAJOR | MASCON_INPLACE),
  KERNEL(diagonal, "f64 (n, n) -> f64 (n)", 0),
  KERNEL(slow, "f64 (n) -> f64 (n)", 0),
  KERNEL(nested, "f64 (n) -> f64 (n)", 0)
};


/* released(): how many kernels have gone */
static int countreleased (lua_State *L) {
  lua_pushinteger(L, released);
  return 1;
}


/* add(name, signature [, flags [, grain]]): a kernel that does nothing */
static int add (lua_State *L) {
  mascon_kernel k = MASCON_KERNEL_INIT;
  k.name = lua_tostring(L, 1);
  k.signature = lua_tostring(L, 2);
  k.flags = (unsigned)lua_tointeger(L, 3);
  k.grain = (int64_t)lua_tointeger(L, 4);
  k.body = lua_toboolean(L, 5) ? NULL : refuse;
  k.release = release;
  functions->register_kernel(L, &k);
  return 1;
}


MASCON_API int luaopen_kernel (lua_State *L);

int luaopen_kernel (lua_State *L) {
  mascon_kernel k;
  functions = mascon_getfunctions(L);
  lua_newtable(L);
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    functions->register_kernel(L, &kernels[i]);
    lua_setfield(L, -2, kernels[i].name);
  }
  k = (mascon_kernel) KERNEL(halves, "f64 (n) -> f64 (halves)", 0);
  k.length = lengthofhalves;
  functions->register_kernel(L, &k);
  lua_setfield(L, -2, "halves");
  k = (mascon_kernel) KERNEL(refuse, "i64 (n) -> i64 (n)", 0);
  k.message = message;
  k.grain = 4;
  functions->register_kernel(L, &k);
  lua_setfield(L, -2, "refuse");
  k.size = offsetof(mascon_kernel, message);  /* of an older module */
  k.name = "old";
  functions->register_kernel(L, &k);
  lua_setfield(L, -2, "old");
  lua_pushcfunction(L, countreleased);
  lua_setfield(L, -2, "released");
  lua_pushcfunction(L, add);
  lua_setfield(L, -2, "add");
  return 1;
}

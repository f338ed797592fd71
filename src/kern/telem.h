/*
** telem.h - template of the kernels of kelem.h
**
** A macro makes the loop around one expression of x (and y) for one element
** type.  Loops are written for the compiler to vectorise: integer kernels
** compute wider than their type, or'ing what does not fit into 'bad', and
** look at it once at the end.
*/

#include <math.h>
#include <string.h>

/* {------- loops ------- */

#define BINARY(name, T, R, expr) \
static unsigned K(name) (const void *pa, const void *pb, void *po, \
                         size_t n) { \
  const T *a = pa, *b = pb; \
  R *o = po; \
  IVDEP for (size_t i = 0; i < n; i++) { \
    T x = a[i], y = b[i]; \
    o[i] = (R)(expr); \
  } \
  return 0; \
}

#define UNARY(name, T, R, expr) \
static unsigned K(name) (const void *pa, void *po, size_t n) { \
  const T *a = pa; \
  R *o = po; \
  IVDEP for (size_t i = 0; i < n; i++) { \
    T x = a[i]; \
    o[i] = (R)(expr); \
  } \
  return 0; \
}

/*
** Integers narrower than 64 bits: 'expr' of x and y as W has every bit; with
** 'bias' added it has none from 'bits' up just if it fits T
*/
#define NARROW(name, T, W, U, bias, bits, expr) \
static unsigned K(name) (const void *pa, const void *pb, void *po, \
                         size_t n) { \
  const T *a = pa, *b = pb; \
  T *o = po; \
  U bad = 0; \
  IVDEP for (size_t i = 0; i < n; i++) { \
    W x = a[i], y = b[i]; \
    W r = expr; \
    bad |= (U)r + bias; \
    o[i] = (T)r; \
  } \
  return bad >> bits != 0 ? MCK_OVERFLOW : 0; \
}

#define NARROW1(name, T, W, U, bias, bits, expr) \
static unsigned K(name) (const void *pa, void *po, size_t n) { \
  const T *a = pa; \
  T *o = po; \
  U bad = 0; \
  IVDEP for (size_t i = 0; i < n; i++) { \
    W x = a[i]; \
    W r = expr; \
    bad |= (U)r + bias; \
    o[i] = (T)r; \
  } \
  return bad >> bits != 0 ? MCK_OVERFLOW : 0; \
}

/* i64, whose operation 'f' reports by itself */
#define REPORTED(name, f) \
static unsigned K(name) (const void *pa, const void *pb, void *po, \
                         size_t n) { \
  const int64_t *a = pa, *b = pb; \
  int64_t *o = po; \
  unsigned bad = 0; \
  for (size_t i = 0; i < n; i++) o[i] = K(f)(a[i], b[i], &bad); \
  return bad; \
}

/*
** Integers whose quotient a double has exactly: x / y is whole or at least
** 1 / |y| away from it.  'expr' of x, y and q = floor(x / y).
*/
#define QUOTIENT(name, T, most, expr) \
static unsigned K(name) (const void *pa, const void *pb, void *po, \
                         size_t n) { \
  const T *a = pa, *b = pb; \
  T *o = po; \
  int zero = 0, over = 0; \
  IVDEP for (size_t i = 0; i < n; i++) { \
    double x = a[i], y = b[i] == 0 ? 1 : b[i], q = floor(x / y), r = expr; \
    zero |= b[i] == 0; \
    over |= r > most; \
    o[i] = (T)(r > most ? 0 : r); \
  } \
  return (zero ? MCK_DIVZERO : 0) | (over ? MCK_OVERFLOW : 0); \
}

#define FLOATS(name, expr) \
  BINARY(name ## _f64, double, double, expr) \
  BINARY(name ## _f32, float, float, expr)

#define FLOATS1(name, expr) \
  UNARY(name ## _f64, double, double, expr) \
  UNARY(name ## _f32, float, float, expr)

#define LIBM1(name, fn) \
  UNARY(name ## _f64, double, double, fn(x)) \
  UNARY(name ## _f32, float, float, fn ## f(x))

#define INTS(name, expr) \
  BINARY(name ## _i64, int64_t, int64_t, expr) \
  BINARY(name ## _i32, int32_t, int32_t, expr) \
  BINARY(name ## _u16, uint16_t, uint16_t, expr) \
  BINARY(name ## _u8, uint8_t, uint8_t, expr)

#define NARROWS(name, expr) \
  NARROW(name ## _i32, int32_t, int64_t, uint64_t, 0x80000000U, 32, expr) \
  NARROW(name ## _u16, uint16_t, uint32_t, uint32_t, 0, 16, expr) \
  NARROW(name ## _u8, uint8_t, uint32_t, uint32_t, 0, 8, expr)

#define QUOTIENTS(name, expr) \
  QUOTIENT(name ## _i32, int32_t, INT32_MAX, expr) \
  QUOTIENT(name ## _u16, uint16_t, UINT16_MAX, expr) \
  QUOTIENT(name ## _u8, uint8_t, UINT8_MAX, expr)

#define TESTS(name, expr) \
  BINARY(name ## _f64, double, uint8_t, expr) \
  BINARY(name ## _f32, float, uint8_t, expr) \
  BINARY(name ## _i64, int64_t, uint8_t, expr) \
  BINARY(name ## _i32, int32_t, uint8_t, expr) \
  BINARY(name ## _u16, uint16_t, uint8_t, expr) \
  BINARY(name ## _u8, uint8_t, uint8_t, expr)

#define TESTS1(name, expr) \
  UNARY(name ## _f64, double, uint8_t, expr) \
  UNARY(name ## _f32, float, uint8_t, expr)

/* -------} */


/* {------- arithmetic ------- */

FLOATS(add, x + y)
FLOATS(sub, x - y)
FLOATS(mul, x * y)
FLOATS(div, x / y)
NARROWS(add, x + y)
NARROWS(sub, x - y)
NARROWS(mul, x * y)


static unsigned K(add_i64) (const void *pa, const void *pb, void *po,
                            size_t n) {
  const int64_t *a = pa, *b = pb;
  int64_t *o = po;
  uint64_t bad = 0;
  IVDEP for (size_t i = 0; i < n; i++) {
    uint64_t x = (uint64_t)a[i], y = (uint64_t)b[i], r = x + y;
    bad |= (x ^ r) & (y ^ r);  /* both signs differ from the sum's */
    o[i] = (int64_t)r;
  }
  return bad >> 63 ? MCK_OVERFLOW : 0;
}


static unsigned K(sub_i64) (const void *pa, const void *pb, void *po,
                            size_t n) {
  const int64_t *a = pa, *b = pb;
  int64_t *o = po;
  uint64_t bad = 0;
  IVDEP for (size_t i = 0; i < n; i++) {
    uint64_t x = (uint64_t)a[i], y = (uint64_t)b[i], r = x - y;
    bad |= (x ^ y) & (x ^ r);
    o[i] = (int64_t)r;
  }
  return bad >> 63 ? MCK_OVERFLOW : 0;
}


INLINE int64_t K(timesint) (int64_t x, int64_t y, unsigned *bad) {
  int64_t r;
  if (__builtin_mul_overflow(x, y, &r)) *bad |= MCK_OVERFLOW;
  return r;
}


/* floor of the quotient, as Lua has it */
INLINE int64_t K(floordiv) (int64_t x, int64_t y, unsigned *bad) {
  if (y == 0 || (y == -1 && x == INT64_MIN)) {
    *bad |= y == 0 ? MCK_DIVZERO : MCK_OVERFLOW;
    return 0;
  }
  return x / y - (x % y != 0 && (x ^ y) < 0);
}


/* x - floor(x / y) * y, which has the sign of y */
INLINE int64_t K(floormod) (int64_t x, int64_t y, unsigned *bad) {
  int64_t m;
  if (y == 0) {
    *bad |= MCK_DIVZERO;
    return 0;
  }
  m = y == -1 ? 0 : x % y;
  return m != 0 && (m ^ y) < 0 ? m + y : m;
}


/* as Lua's: the sign of y, no rounding of a quotient */
INLINE double K(floormod_f64) (double x, double y) {
  double m = fmod(x, y);
  return (m > 0 ? y < 0 : m < 0 && y > 0) ? m + y : m;
}

INLINE float K(floormod_f32) (float x, float y) {
  float m = fmodf(x, y);
  return (m > 0 ? y < 0 : m < 0 && y > 0) ? m + y : m;
}

REPORTED(mul_i64, timesint)
REPORTED(idiv_i64, floordiv)
REPORTED(mod_i64, floormod)
QUOTIENTS(idiv, q)
QUOTIENTS(mod, x - q * y)
FLOATS(idiv, floor(x / y))
BINARY(mod_f64, double, double, K(floormod_f64)(x, y))
BINARY(mod_f32, float, float, K(floormod_f32)(x, y))

/* a square is one product, whatever libm's pow would make of it */
BINARY(pow_f64, double, double, y == 2 ? x * x : pow(x, y))
BINARY(pow_f32, float, float, y == 2 ? x * x : powf(x, y))
BINARY(atan2_f64, double, double, atan2(x, y))
BINARY(atan2_f32, float, float, atan2f(x, y))
BINARY(hypot_f64, double, double, hypot(x, y))
BINARY(hypot_f32, float, float, hypotf(x, y))

/* NaN only where both are; the first of equals */
FLOATS(min, ((x <= y) | (y != y)) ? x : y)
FLOATS(max, ((x >= y) | (y != y)) ? x : y)
INTS(min, x <= y ? x : y)
INTS(max, x >= y ? x : y)

NARROW1(neg_i32, int32_t, int64_t, uint64_t, 0x80000000U, 32, -x)
NARROW1(neg_u16, uint16_t, uint32_t, uint32_t, 0, 16, 0 - x)
NARROW1(neg_u8, uint8_t, uint32_t, uint32_t, 0, 8, 0 - x)
NARROW1(abs_i32, int32_t, int64_t, uint64_t, 0x80000000U, 32, x < 0 ? -x : x)


/* only the least i64 has no opposite */
static unsigned K(neg_i64) (const void *pa, void *po, size_t n) {
  const int64_t *a = pa;
  int64_t *o = po;
  int bad = 0;
  IVDEP for (size_t i = 0; i < n; i++) {
    bad |= a[i] == INT64_MIN;
    o[i] = (int64_t)(0 - (uint64_t)a[i]);
  }
  return bad ? MCK_OVERFLOW : 0;
}


static unsigned K(abs_i64) (const void *pa, void *po, size_t n) {
  const int64_t *a = pa;
  int64_t *o = po;
  int bad = 0;
  IVDEP for (size_t i = 0; i < n; i++) {
    uint64_t x = (uint64_t)a[i];
    bad |= a[i] == INT64_MIN;
    o[i] = (int64_t)(a[i] < 0 ? 0 - x : x);
  }
  return bad ? MCK_OVERFLOW : 0;
}

UNARY(neg_f64, double, double, -x)
UNARY(neg_f32, float, float, -x)
LIBM1(abs, fabs)

/* what an integer already is */
UNARY(same_i64, int64_t, int64_t, x)
UNARY(same_i32, int32_t, int32_t, x)
UNARY(same_u16, uint16_t, uint16_t, x)
UNARY(same_u8, uint8_t, uint8_t, x)

/* NaN and zeros are their own signs */
FLOATS1(sign, x > 0 ? 1 : x < 0 ? -1 : x)
UNARY(sign_i64, int64_t, int64_t, (x > 0) - (x < 0))
UNARY(sign_i32, int32_t, int32_t, (x > 0) - (x < 0))
UNARY(sign_u16, uint16_t, uint16_t, x > 0)
UNARY(sign_u8, uint8_t, uint8_t, x > 0)

/* -------} */


/* {------- functions of libm ------- */

LIBM1(floor, floor)
LIBM1(ceil, ceil)
LIBM1(round, rint)  /* halves to even */
LIBM1(trunc, trunc)
LIBM1(sqrt, sqrt)
LIBM1(cbrt, cbrt)
LIBM1(exp, exp)
LIBM1(expm1, expm1)
LIBM1(log, log)
LIBM1(log1p, log1p)
LIBM1(log2, log2)
LIBM1(log10, log10)
LIBM1(sin, sin)
LIBM1(cos, cos)
LIBM1(tan, tan)
LIBM1(asin, asin)
LIBM1(acos, acos)
LIBM1(atan, atan)
LIBM1(sinh, sinh)
LIBM1(cosh, cosh)
LIBM1(tanh, tanh)
LIBM1(erf, erf)
LIBM1(erfc, erfc)

/* -------} */


/* {------- tests, masks ------- */

TESTS(lt, x < y)
TESTS(le, x <= y)
TESTS(eq, x == y)
TESTS(ne, x != y)
TESTS1(isnan, x != x)
TESTS1(isinf, (x == x) & (x - x != 0))
TESTS1(isfinite, x - x == 0)
BINARY(and_u8, uint8_t, uint8_t, (x != 0) & (y != 0))
BINARY(or_u8, uint8_t, uint8_t, (x | y) != 0)
BINARY(xor_u8, uint8_t, uint8_t, (x != 0) ^ (y != 0))
UNARY(not_u8, uint8_t, uint8_t, x == 0)

#define WHERE(name, T) \
static void K(name) (const void *pm, const void *pa, const void *pb, \
                     void *po, size_t n) { \
  const uint8_t *m = pm; \
  const T *a = pa, *b = pb; \
  T *o = po; \
  IVDEP for (size_t i = 0; i < n; i++) { \
    T x = a[i], y = b[i]; \
    o[i] = m[i] ? x : y; \
  } \
}

WHERE(where_64, int64_t)
WHERE(where_32, int32_t)
WHERE(where_16, uint16_t)
WHERE(where_8, uint8_t)

/* -------} */


/* {------- past the caches ------- */

/* a whole cache line, so that none is written in parts */
INLINE void K(streamline) (char *out, const char *in) {
#if ISA_AVX512
  _mm512_stream_si512((void *)out, _mm512_loadu_si512((const void *)in));
#elif ISA_AVX2
  for (int i = 0; i < 64; i += 32)
    _mm256_stream_si256((void *)(out + i),
                        _mm256_loadu_si256((const void *)(in + i)));
#elif defined(__SSE2__)
  for (int i = 0; i < 64; i += 16)
    _mm_stream_si128((void *)(out + i),
                     _mm_loadu_si128((const void *)(in + i)));
#else
  memcpy(out, in, 64);
#endif
}


static void K(stream) (void *out, const void *in, size_t bytes) {
  char *o = out;
  const char *x = in;
  size_t head = (size_t)(0 - (uintptr_t)o) & 63;
  if (head > bytes) head = bytes;
  memcpy(o, x, head);
  o += head;
  x += head;
  for (bytes -= head; bytes >= 64; bytes -= 64, o += 64, x += 64)
    K(streamline)(o, x);
  memcpy(o, x, bytes);
}


/*
** Floats straight past the caches: reading goes on meanwhile, which a block
** in between would hold up
*/
#define STREAMED(name, T, load, put, expr) \
static unsigned K(name) (const void *pa, const void *pb, void *po, \
                         size_t n) { \
  const T *a = pa, *b = pb; \
  T *o = po; \
  size_t i = 0; \
  for (; i < n && (uintptr_t)(o + i) % 64 != 0; i++) { \
    T x = a[i], y = b[i]; \
    o[i] = expr; \
  } \
  for (; i + 64 / sizeof(T) <= n; i += 64 / sizeof(T)) \
    for (size_t k = 0; k < 64; k += VBYTES) { \
      size_t at = i + k / sizeof(T); \
      __typeof__(load(a)) x = load(a + at), y = load(b + at); \
      put(o + at, expr); \
    } \
  for (; i < n; i++) { \
    T x = a[i], y = b[i]; \
    o[i] = expr; \
  } \
  return 0; \
}

#define STREAMEDS(name, expr) \
  STREAMED(stream ## name ## _f64, double, loadd, streamd, expr) \
  STREAMED(stream ## name ## _f32, float, loadf, streamf, expr)

STREAMEDS(add, x + y)
STREAMEDS(sub, x - y)
STREAMEDS(mul, x * y)
STREAMEDS(div, x / y)


static void K(fence) (void) {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/* -------} */


/* {------- the table ------- */

#define ALL(name) {K(name ## _f64), K(name ## _f32), K(name ## _i64), \
                   K(name ## _i32), K(name ## _u16), K(name ## _u8)}
#define REALS(name) {K(name ## _f64), K(name ## _f32), NULL, NULL, NULL, NULL}
#define BYTES(name) {NULL, NULL, NULL, NULL, NULL, K(name ## _u8)}
#define WHOLE(name) {K(name ## _f64), K(name ## _f32), K(same_i64), \
                     K(same_i32), K(same_u16), K(same_u8)}

static const mck_elem K(elem) = {
  .binary = {
    [MCK_B_ADD] = ALL(add), [MCK_B_SUB] = ALL(sub), [MCK_B_MUL] = ALL(mul),
    [MCK_B_DIV] = REALS(div), [MCK_B_IDIV] = ALL(idiv), [MCK_B_MOD] = ALL(mod),
    [MCK_B_POW] = REALS(pow), [MCK_B_MIN] = ALL(min), [MCK_B_MAX] = ALL(max),
    [MCK_B_ATAN2] = REALS(atan2), [MCK_B_HYPOT] = REALS(hypot),
    [MCK_B_LT] = ALL(lt), [MCK_B_LE] = ALL(le), [MCK_B_EQ] = ALL(eq),
    [MCK_B_NE] = ALL(ne),
    [MCK_B_AND] = BYTES(and), [MCK_B_OR] = BYTES(or), [MCK_B_XOR] = BYTES(xor)
  },
  .unary = {
    [MCK_U_NEG] = ALL(neg),
    [MCK_U_ABS] = {K(abs_f64), K(abs_f32), K(abs_i64), K(abs_i32), K(same_u16),
                 K(same_u8)},
    [MCK_U_SIGN] = ALL(sign),
    [MCK_U_FLOOR] = WHOLE(floor), [MCK_U_CEIL] = WHOLE(ceil),
    [MCK_U_ROUND] = WHOLE(round), [MCK_U_TRUNC] = WHOLE(trunc),
    [MCK_U_SQRT] = REALS(sqrt), [MCK_U_CBRT] = REALS(cbrt),
    [MCK_U_EXP] = REALS(exp), [MCK_U_EXPM1] = REALS(expm1),
    [MCK_U_LOG] = REALS(log), [MCK_U_LOG1P] = REALS(log1p),
    [MCK_U_LOG2] = REALS(log2), [MCK_U_LOG10] = REALS(log10),
    [MCK_U_SIN] = REALS(sin), [MCK_U_COS] = REALS(cos), [MCK_U_TAN] = REALS(tan),
    [MCK_U_ASIN] = REALS(asin), [MCK_U_ACOS] = REALS(acos),
    [MCK_U_ATAN] = REALS(atan), [MCK_U_SINH] = REALS(sinh),
    [MCK_U_COSH] = REALS(cosh), [MCK_U_TANH] = REALS(tanh),
    [MCK_U_ERF] = REALS(erf), [MCK_U_ERFC] = REALS(erfc),
    [MCK_U_ISNAN] = REALS(isnan), [MCK_U_ISINF] = REALS(isinf),
    [MCK_U_ISFINITE] = REALS(isfinite), [MCK_U_NOT] = BYTES(not)
  },
  .where = {K(where_64), K(where_32), K(where_64), K(where_32), K(where_16),
            K(where_8)},
  .streamed = {
    [MCK_B_ADD] = {K(streamadd_f64), K(streamadd_f32)},
    [MCK_B_SUB] = {K(streamsub_f64), K(streamsub_f32)},
    [MCK_B_MUL] = {K(streammul_f64), K(streammul_f32)},
    [MCK_B_DIV] = {K(streamdiv_f64), K(streamdiv_f32)}
  },
  .stream = K(stream),
  .fence = K(fence)
};

#undef BINARY
#undef UNARY
#undef NARROW
#undef NARROW1
#undef REPORTED
#undef FLOATS
#undef FLOATS1
#undef LIBM1
#undef INTS
#undef NARROWS
#undef QUOTIENT
#undef QUOTIENTS
#undef TESTS
#undef TESTS1
#undef WHERE
#undef STREAMED
#undef STREAMEDS
#undef ALL
#undef REALS
#undef BYTES
#undef WHOLE

/* -------} */

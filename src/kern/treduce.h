/*
** treduce.h - template of the kernels of kreduce.h
*/

/* {------- lanes ------- */

/* 16 doubles as vectors */
#define NV (MCK_LANES / VD)
typedef struct K(lanes) {
  vd v[NV];
} K(lanes);


/* lanes 'first' to 'first' + VD - 1 of a block */
INLINE vd K(take_f64) (const double *x) {
  return loadd(x);
}


INLINE vd K(take_f32) (const float *x) {
  vd r;
  for (int i = 0; i < VD; i++) r[i] = x[i];
  return r;
}


/* t[0] of n lanes, by halves */
#define HALVE(name, op) \
INLINE double K(halve_ ## name) (double *t, int n) { \
  for (int half = n / 2; half > 0; half /= 2) \
    for (int i = 0; i < half; i++) t[i] = t[i] op t[i + half]; \
  return t[0]; \
} \
static double K(fold_ ## name) (const double *lanes) { \
  double t[MCK_LANES]; \
  for (int i = 0; i < MCK_LANES; i++) t[i] = lanes[i]; \
  return K(halve_ ## name)(t, MCK_LANES); \
}

HALVE(sum, +)
HALVE(prod, *)

#undef HALVE

#define AHEAD 2048  /* bytes that are fetched before they are needed */

/* 'vexpr': a vector of x; 'sexpr': one x; both are joined to a lane by 'op' */
#define FOLD(name, t, T, params, init, op, vexpr, sexpr, fold) \
static double K(name) params { \
  const T *p = px; \
  double lanes[MCK_LANES]; \
  K(lanes) acc; \
  size_t i = 0; \
  for (int k = 0; k < NV; k++) acc.v[k] = alld(init); \
  for (; i + MCK_LANES <= n; i += MCK_LANES) { \
    for (size_t k = 0; k < MCK_LANES * sizeof(T); k += 64) \
      __builtin_prefetch((const char *)(p + i) + AHEAD + k); \
    for (int k = 0; k < NV; k++) { \
      vd x = K(take_ ## t)(p + i + (size_t)k * VD); \
      acc.v[k] = acc.v[k] op (vexpr); \
    } \
  } \
  if (i == n) {  /* the first halvings in vectors */ \
    for (int half = NV / 2; half > 0; half /= 2) \
      for (int k = 0; k < half; k++) \
        acc.v[k] = acc.v[k] op acc.v[k + half]; \
    stored(lanes, acc.v[0]); \
    return K(fold)(lanes, VD); \
  } \
  for (int k = 0; k < NV; k++) stored(lanes + k * VD, acc.v[k]); \
  for (int k = 0; i < n; i++, k++) { \
    double x = p[i]; \
    lanes[k] = lanes[k] op (sexpr); \
  } \
  return K(fold)(lanes, MCK_LANES); \
}

FOLD(sum_f64, f64, double, (const void *px, size_t n), 0, +, x, x, halve_sum)
FOLD(sum_f32, f32, float, (const void *px, size_t n), 0, +, x, x, halve_sum)
FOLD(prod_f64, f64, double, (const void *px, size_t n), 1, *, x, x, halve_prod)
FOLD(prod_f32, f32, float, (const void *px, size_t n), 1, *, x, x, halve_prod)
FOLD(squares_f64, f64, double, (const void *px, size_t n, double m), 0, +,
     (x - m) * (x - m), (x - m) * (x - m), halve_sum)
FOLD(squares_f32, f32, float, (const void *px, size_t n, double m), 0, +,
     (x - m) * (x - m), (x - m) * (x - m), halve_sum)

#undef FOLD
#undef AHEAD
#undef NV

/*
** The same of columns: a lane is a row of sums, one a column.  'expr' of one
** x and the column's m.
*/
#define COLUMNS(name, T, init, op, expr) \
static void K(name) (const void *px, ptrdiff_t stride, size_t n, size_t w, \
                     const double *m, double *out) { \
  const T *p = px; \
  double lanes[MCK_LANES][MCK_COLUMNS]; \
  (void)m; \
  for (int k = 0; k < MCK_LANES; k++) \
    for (size_t c = 0; c < w; c++) lanes[k][c] = init; \
  for (size_t i = 0; i < n; i++, p += stride) { \
    const char *next = (const char *)(p + 4 * stride); \
    for (size_t c = 0; c < w * sizeof(T); c += 64) \
      __builtin_prefetch(next + c); \
    double *lane = lanes[i % MCK_LANES]; \
    for (size_t c = 0; c < w; c++) { \
      double x = p[c]; \
      lane[c] = lane[c] op (expr); \
    } \
  } \
  for (int half = MCK_LANES / 2; half > 0; half /= 2) \
    for (int k = 0; k < half; k++) \
      for (size_t c = 0; c < w; c++) \
        lanes[k][c] = lanes[k][c] op lanes[k + half][c]; \
  for (size_t c = 0; c < w; c++) out[c] = lanes[0][c]; \
}

COLUMNS(colsum_f64, double, 0, +, x)
COLUMNS(colsum_f32, float, 0, +, x)
COLUMNS(colprod_f64, double, 1, *, x)
COLUMNS(colprod_f32, float, 1, *, x)
COLUMNS(colsquares_f64, double, 0, +, (x - m[c]) * (x - m[c]))
COLUMNS(colsquares_f32, float, 0, +, (x - m[c]) * (x - m[c]))

#undef COLUMNS

/* -------} */


static mck_wide K(sum_i64) (const void *px, size_t n) {
  const int64_t *x = px;
  mck_wide w = {0, 0};
  for (size_t i = 0; i < n; i++) {
    w.high += x[i] >> 32;
    w.low += x[i] & 0xffffffff;
  }
  return w;
}


/* {------- the best, counts ------- */

#define KEPT(best, better, x) (((best) better (x)) | ((x) != (x)))

/* floats start at NaN, which any number replaces */
#define BEST(name, T, start, better) \
static void K(name) (const void *px, size_t n, void *best) { \
  const T *x = px; \
  T acc[64 / sizeof(T)], r; \
  size_t i = 0, lanes = sizeof acc / sizeof *acc; \
  for (size_t k = 0; k < lanes; k++) acc[k] = start; \
  for (; i + lanes <= n; i += lanes) \
    for (size_t k = 0; k < lanes; k++) \
      acc[k] = KEPT(acc[k], better, x[i + k]) ? acc[k] : x[i + k]; \
  for (size_t k = 0; i < n; i++, k++) \
    acc[k] = KEPT(acc[k], better, x[i]) ? acc[k] : x[i]; \
  r = acc[0]; \
  for (size_t k = 1; k < lanes; k++) \
    r = KEPT(r, better, acc[k]) ? r : acc[k]; \
  *(T *)best = r; \
}

#define FIND(name, T) \
static size_t K(name) (const void *px, size_t n, const void *best) { \
  const T *x = px; \
  T b = *(const T *)best; \
  size_t i = 0; \
  while (i < n && x[i] != b) i++; \
  return i; \
}

#define NONZERO(name, T) \
static size_t K(name) (const void *px, size_t n) { \
  const T *x = px; \
  size_t count = 0; \
  for (size_t i = 0; i < n; i++) count += x[i] != 0; \
  return count; \
}

#define FOR(t, T, least, most) \
  BEST(most_ ## t, T, least, >=) \
  BEST(least_ ## t, T, most, <=) \
  FIND(find_ ## t, T) \
  NONZERO(nonzero_ ## t, T)

FOR(f64, double, (double)NAN, (double)NAN)
FOR(f32, float, NAN, NAN)
FOR(i64, int64_t, INT64_MIN, INT64_MAX)
FOR(i32, int32_t, INT32_MIN, INT32_MAX)
FOR(u16, uint16_t, 0, UINT16_MAX)
FOR(u8, uint8_t, 0, UINT8_MAX)

#undef KEPT
#undef BEST
#undef FIND
#undef NONZERO
#undef FOR

/* -------} */


#define ALL(name) {K(name ## _f64), K(name ## _f32), K(name ## _i64), \
                   K(name ## _i32), K(name ## _u16), K(name ## _u8)}

static const mck_reduce K(reduce) = {
  .sum = {K(sum_f64), K(sum_f32)},
  .prod = {K(prod_f64), K(prod_f32)},
  .squares = {K(squares_f64), K(squares_f32)},
  .colsum = {K(colsum_f64), K(colsum_f32)},
  .colprod = {K(colprod_f64), K(colprod_f32)},
  .colsquares = {K(colsquares_f64), K(colsquares_f32)},
  .fold_sum = K(fold_sum),
  .fold_prod = K(fold_prod),
  .sum_i64 = K(sum_i64),
  .min = ALL(least),
  .max = ALL(most),
  .find = ALL(find),
  .nonzero = ALL(nonzero)
};

#undef ALL

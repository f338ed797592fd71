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


static double K(fold_sum) (const double *lanes) {
  double t[MCK_LANES];
  for (int i = 0; i < MCK_LANES; i++) t[i] = lanes[i];
  for (int half = MCK_LANES / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++) t[i] += t[i + half];
  return t[0];
}


static double K(fold_prod) (const double *lanes) {
  double t[MCK_LANES];
  for (int i = 0; i < MCK_LANES; i++) t[i] = lanes[i];
  for (int half = MCK_LANES / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++) t[i] *= t[i + half];
  return t[0];
}

/* 'vexpr': a vector of x; 'sexpr': one x; both are joined to a lane by 'op' */
#define FOLD(name, t, T, params, init, op, vexpr, sexpr, fold) \
static double K(name) params { \
  const T *p = px; \
  double lanes[MCK_LANES]; \
  K(lanes) acc; \
  size_t i = 0; \
  for (int k = 0; k < NV; k++) acc.v[k] = alld(init); \
  for (; i + MCK_LANES <= n; i += MCK_LANES) \
    for (int k = 0; k < NV; k++) { \
      vd x = K(take_ ## t)(p + i + (size_t)k * VD); \
      acc.v[k] = acc.v[k] op (vexpr); \
    } \
  for (int k = 0; k < NV; k++) stored(lanes + k * VD, acc.v[k]); \
  for (int k = 0; i < n; i++, k++) { \
    double x = p[i]; \
    lanes[k] = lanes[k] op (sexpr); \
  } \
  return K(fold)(lanes); \
}

FOLD(sum_f64, f64, double, (const void *px, size_t n), 0, +, x, x, fold_sum)
FOLD(sum_f32, f32, float, (const void *px, size_t n), 0, +, x, x, fold_sum)
FOLD(prod_f64, f64, double, (const void *px, size_t n), 1, *, x, x, fold_prod)
FOLD(prod_f32, f32, float, (const void *px, size_t n), 1, *, x, x, fold_prod)
FOLD(squares_f64, f64, double, (const void *px, size_t n, double m), 0, +,
     (x - m) * (x - m), (x - m) * (x - m), fold_sum)
FOLD(squares_f32, f32, float, (const void *px, size_t n, double m), 0, +,
     (x - m) * (x - m), (x - m) * (x - m), fold_sum)

#undef FOLD
#undef NV

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
  .fold_sum = K(fold_sum),
  .fold_prod = K(fold_prod),
  .sum_i64 = K(sum_i64),
  .min = ALL(least),
  .max = ALL(most),
  .find = ALL(find),
  .nonzero = ALL(nonzero)
};

#undef ALL

/*
** tcopy.h - template of the kernels of kcopy.h
**
** One loop for each pair of types, written by macro since C has no other way
** to say it; everything that is not the loop is in functions.
*/

#include <string.h>


/* {------- conversion ------- */

#define CONVERT(to, out_t, from, in_t) \
  static void K(to ## _of_ ## from) (void *out, ptrdiff_t so, const void *in, \
                                     ptrdiff_t si, size_t n) { \
    out_t *restrict o = out; \
    const in_t *restrict x = in; \
    if (so == 1 && si == 1) \
      for (size_t i = 0; i < n; i++) o[i] = (out_t)x[i]; \
    else if (so == 1 && si == 0) { \
      out_t v = n > 0 ? (out_t)*x : 0; \
      for (size_t i = 0; i < n; i++) o[i] = v; \
    } \
    else \
      for (size_t i = 0; i < n; i++, o += so, x += si) *o = (out_t)*x; \
  }

#define CONVERT_TO(to, out_t) \
  CONVERT(to, out_t, f64, double) \
  CONVERT(to, out_t, f32, float) \
  CONVERT(to, out_t, i64, int64_t) \
  CONVERT(to, out_t, i32, int32_t) \
  CONVERT(to, out_t, u16, uint16_t) \
  CONVERT(to, out_t, u8, uint8_t)

CONVERT_TO(f64, double)
CONVERT_TO(f32, float)
CONVERT_TO(i64, int64_t)
CONVERT_TO(i32, int32_t)
CONVERT_TO(u16, uint16_t)
CONVERT_TO(u8, uint8_t)

/* -------} */


/* {------- does it fit? ------- */

/*
** |x| as a whole number, halves to even.  Adding 2^52 leaves no place for a
** fraction; from there on every double is whole.
*/
INLINE double K(whole) (double x) {
  double ax = x < 0 ? -x : x;
  return ax < 0x1p52 ? (ax + 0x1p52) - 0x1p52 : ax;
}


/* 'lo' <= x < 'end', and nothing behind the point?  NaN: no */
INLINE int K(isint) (double x, double lo, double end) {
  return (x >= lo) & (x < end) & (K(whole)(x) == (x < 0 ? -x : x));
}


INLINE int K(isin) (int64_t x, int64_t lo, int64_t end) {
  return (x >= lo) & (x < end);
}

#define FITS(to, from, in_t, test, lo, end) \
  static int K(to ## _fits_ ## from) (const void *in, ptrdiff_t si, \
                                      size_t n) { \
    const in_t *x = in; \
    int all = 1; \
    if (si == 1) \
      for (size_t i = 0; i < n; i++) all &= K(test)(x[i], lo, end); \
    else \
      for (size_t i = 0; i < n; i++, x += si) all &= K(test)(*x, lo, end); \
    return all; \
  }

FITS(i64, f64, double, isint, -0x1p63, 0x1p63)
FITS(i32, f64, double, isint, -0x1p31, 0x1p31)
FITS(u16, f64, double, isint, 0, 0x1p16)
FITS(u8, f64, double, isint, 0, 0x1p8)
FITS(i64, f32, float, isint, -0x1p63, 0x1p63)
FITS(i32, f32, float, isint, -0x1p31, 0x1p31)
FITS(u16, f32, float, isint, 0, 0x1p16)
FITS(u8, f32, float, isint, 0, 0x1p8)
FITS(i32, i64, int64_t, isin, INT32_MIN, INT32_MAX + INT64_C(1))
FITS(u16, i64, int64_t, isin, 0, 65536)
FITS(u8, i64, int64_t, isin, 0, 256)
FITS(u16, i32, int32_t, isin, 0, 65536)
FITS(u8, i32, int32_t, isin, 0, 256)
FITS(u8, u16, uint16_t, isin, 0, 256)

/* -------} */


/* {------- rounding ------- */

INLINE double K(nearest) (double x) {
  double r = K(whole)(x);
  return x < 0 ? -r : r;
}


INLINE double K(below) (double x) {
  double r = K(nearest)(x);
  return r > x ? r - 1 : r;
}


INLINE double K(above) (double x) {
  double r = K(nearest)(x);
  return r < x ? r + 1 : r;
}


static void K(copy_round) (double *x, size_t n, mck_rounding mode) {
  switch (mode) {
    case MCK_NEAREST:
      for (size_t i = 0; i < n; i++) x[i] = K(nearest)(x[i]);
      break;
    case MCK_FLOOR:
      for (size_t i = 0; i < n; i++) x[i] = K(below)(x[i]);
      break;
    case MCK_CEIL:
      for (size_t i = 0; i < n; i++) x[i] = K(above)(x[i]);
      break;
    case MCK_TRUNC:
      for (size_t i = 0; i < n; i++)
        x[i] = x[i] < 0 ? K(above)(x[i]) : K(below)(x[i]);
      break;
  }
}


static int K(copy_saturate) (int64_t *out, const double *x, size_t n) {
  int ok = 1;
  for (size_t i = 0; i < n; i++) {
    ok &= x[i] == x[i];
    out[i] = x[i] >= 0x1p63 ? INT64_MAX
           : x[i] >= -0x1p63 ? (int64_t)x[i] : INT64_MIN;
  }
  return ok;
}


static void K(copy_clip) (int64_t *x, int64_t lo, int64_t hi, size_t n) {
  for (size_t i = 0; i < n; i++)
    x[i] = x[i] < lo ? lo : x[i] > hi ? hi : x[i];
}

/* -------} */


/* {------- by ids ------- */

#define GATHER(type) \
  static void K(gather_ ## type) (type *restrict out, ptrdiff_t so, \
                                  const type *restrict in, ptrdiff_t si, \
                                  const int64_t *ids, size_t n) { \
    for (size_t i = 0; i < n; i++, out += so) *out = in[ids[i] * si]; \
  }

GATHER(uint8_t)
GATHER(uint16_t)
GATHER(uint32_t)
GATHER(uint64_t)


/* floats are moved as the integers of their size */
static void K(copy_gather) (void *out, ptrdiff_t so, const void *in,
                            ptrdiff_t si, const int64_t *ids, size_t n,
                            size_t size) {
  switch (size) {
    case 1: K(gather_uint8_t)(out, so, in, si, ids, n); break;
    case 2: K(gather_uint16_t)(out, so, in, si, ids, n); break;
    case 4: K(gather_uint32_t)(out, so, in, si, ids, n); break;
    case 8: K(gather_uint64_t)(out, so, in, si, ids, n); break;
  }
}

/* -------} */


/* {------- ramps ------- */

static void K(copy_ramp_f64) (double *out, double first, double step,
                              int64_t from, size_t n) {
  for (size_t i = 0; i < n; i++)
    out[i] = first + (double)(from + (int64_t)i) * step;
}


static void K(copy_ramp_i64) (int64_t *out, int64_t first, int64_t step,
                              int64_t from, size_t n) {
  for (size_t i = 0; i < n; i++)  /* wraps only where nothing is stored */
    out[i] = (int64_t)((uint64_t)first + ((uint64_t)from + i) * (uint64_t)step);
}

/* -------} */


#define ROW(to) \
  {K(to ## _of_f64), K(to ## _of_f32), K(to ## _of_i64), K(to ## _of_i32), \
   K(to ## _of_u16), K(to ## _of_u8)}

static const mck_copy K(copy) = {
  .convert = {ROW(f64), ROW(f32), ROW(i64), ROW(i32), ROW(u16), ROW(u8)},
  .fits = {
    {NULL, NULL, NULL, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL, NULL},
    {K(i64_fits_f64), K(i64_fits_f32), NULL, NULL, NULL, NULL},
    {K(i32_fits_f64), K(i32_fits_f32), K(i32_fits_i64), NULL, NULL, NULL},
    {K(u16_fits_f64), K(u16_fits_f32), K(u16_fits_i64), K(u16_fits_i32),
     NULL, NULL},
    {K(u8_fits_f64), K(u8_fits_f32), K(u8_fits_i64), K(u8_fits_i32),
     K(u8_fits_u16), NULL}
  },
  .round = K(copy_round),
  .saturate = K(copy_saturate),
  .clip = K(copy_clip),
  .gather = K(copy_gather),
  .ramp_f64 = K(copy_ramp_f64),
  .ramp_i64 = K(copy_ramp_i64)
};

#undef CONVERT
#undef CONVERT_TO
#undef FITS
#undef GATHER
#undef ROW

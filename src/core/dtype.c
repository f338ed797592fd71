/*
** dtype.c - the six element types: sizes, names, what holds what
*/

#include "core.h"

/* one row a dtype, in the order of the enum */
static const struct {
  const char *name;
  mascon_dltype dl;
  int64_t lo, hi;  /* integers: the range */
} dtypes[MASCON_NDTYPE] = {
  {"f64", {2, 64, 1}, 0, 0},
  {"f32", {2, 32, 1}, 0, 0},
  {"i64", {0, 64, 1}, INT64_MIN, INT64_MAX},
  {"i32", {0, 32, 1}, INT32_MIN, INT32_MAX},
  {"u16", {1, 16, 1}, 0, 65535},
  {"u8", {1, 8, 1}, 0, 255}
};


static bool known (mascon_dtype t) {
  return (unsigned)t < MASCON_NDTYPE;
}


size_t mascon_dtype_size (mascon_dtype t) {
  return known(t) ? dtypes[t].dl.bits / 8u : 0;
}


const char *mascon_dtype_name (mascon_dtype t) {
  return known(t) ? dtypes[t].name : "?";
}


mascon_dltype mc_dltype (mascon_dtype t) {
  return dtypes[t].dl;
}


mascon_dtype mc_dtype (mascon_dltype d) {
  if (d.lanes != 1) return MASCON_NDTYPE;
  switch (d.code << 8 | d.bits) {
    case 2 << 8 | 64: return MASCON_F64;
    case 2 << 8 | 32: return MASCON_F32;
    case 0 << 8 | 64: return MASCON_I64;
    case 0 << 8 | 32: return MASCON_I32;
    case 1 << 8 | 16: return MASCON_U16;
    case 1 << 8 | 8: return MASCON_U8;
    default: return MASCON_NDTYPE;
  }
}


mascon_dtype mascon_dtype_of (const mascon_array *a) {
  return mc_dtype(a->dtype);
}


bool mc_isfloat (mascon_dtype t) {
  return t == MASCON_F64 || t == MASCON_F32;
}


void mc_range (mascon_dtype t, int64_t *lo, int64_t *hi) {
  *lo = dtypes[t].lo;
  *hi = dtypes[t].hi;
}


/*
** f64 holds every i32 but not every i64, yet nothing holds i64 and a float
** better; f32 holds u16 and u8.
*/
mascon_dtype mascon_dtype_join (mascon_dtype s, mascon_dtype t) {
  mascon_dtype wide = s < t ? s : t, narrow = s < t ? t : s;
  if (!known(narrow) || !known(wide)) return MASCON_NDTYPE;
  if (wide == MASCON_F32 && (narrow == MASCON_I64 || narrow == MASCON_I32))
    return MASCON_F64;
  return wide;
}


int mascon_dtype_fits (mascon_dtype t, double x) {
  if (!known(t)) return 0;
  if (mc_isfloat(t)) return 1;
  if (!(x >= -0x1p63 && x < 0x1p63) || x != (double)(int64_t)x) return 0;
  return mascon_dtype_fits_int(t, (int64_t)x);
}


int mascon_dtype_fits_int (mascon_dtype t, int64_t x) {
  if (!known(t)) return 0;
  return mc_isfloat(t) || (x >= dtypes[t].lo && x <= dtypes[t].hi);
}

/*
** dtype.c - the six element types: sizes, names, what holds what
*/

#include "core.h"

/* one row a dtype, in the order of the enum */
static const struct {
  const char *name;
  mascon_dltype dl;
  double lo, hi;  /* integers: the range, as doubles that are in it */
} dtypes[MASCON_NDTYPE] = {
  {"f64", {2, 64, 1}, 0, 0},
  {"f32", {2, 32, 1}, 0, 0},
  {"i64", {0, 64, 1}, -0x1p63, 0x1.fffffffffffffp62},
  {"i32", {0, 32, 1}, -0x1p31, 0x1p31 - 1},
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
  int t = 0;
  while (t < MASCON_NDTYPE && (dtypes[t].dl.code != d.code ||
         dtypes[t].dl.bits != d.bits || dtypes[t].dl.lanes != d.lanes)) t++;
  return (mascon_dtype)t;
}


mascon_dtype mascon_dtype_of (const mascon_array *a) {
  return mc_dtype(a->dtype);
}


bool mc_isfloat (mascon_dtype t) {
  return t == MASCON_F64 || t == MASCON_F32;
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
  if (!(x >= dtypes[t].lo && x <= dtypes[t].hi)) return 0;
  return t == MASCON_I64 ? x == (double)(int64_t)x : x == (int64_t)x;
}


int mascon_dtype_fits_int (mascon_dtype t, int64_t x) {
  if (!known(t)) return 0;
  if (mc_isfloat(t) || t == MASCON_I64) return 1;
  return x >= (int64_t)dtypes[t].lo && x <= (int64_t)dtypes[t].hi;
}

/*
** fuzz_call.c - the C functions on arrays of random shapes, strides and dtypes,
** against the plainest loops
*/

#include "fuzz.h"

#define MOST 4096  /* elements, at most */

static int64_t least (int64_t a, int64_t b) { return a < b ? a : b; }


/* {------- arrays ------- */

/* the address of the element with number 'i' in row-major order */
static void *at (const mascon_array *a, int64_t i) {
  int64_t k = 0;
  for (int d = a->ndim - 1; d >= 0; d--) {
    k += i % a->shape[d] * a->stride[d];
    i /= a->shape[d];
  }
  return (char *)a->data + k * (int64_t)mascon_dtype_size(mascon_dtype_of(a));
}


static double get (const mascon_array *a, int64_t i) {
  void *p = at(a, i);
  switch (mascon_dtype_of(a)) {
    case MASCON_F64: return *(double *)p;
    case MASCON_F32: return *(float *)p;
    case MASCON_I64: return (double)*(int64_t *)p;
    case MASCON_I32: return *(int32_t *)p;
    case MASCON_U16: return *(uint16_t *)p;
    default: return *(uint8_t *)p;
  }
}


static void put (const mascon_array *a, int64_t i, double x) {
  void *p = at(a, i);
  switch (mascon_dtype_of(a)) {
    case MASCON_F64: *(double *)p = x; break;
    case MASCON_F32: *(float *)p = (float)x; break;
    case MASCON_I64: *(int64_t *)p = (int64_t)x; break;
    case MASCON_I32: *(int32_t *)p = (int32_t)x; break;
    case MASCON_U16: *(uint16_t *)p = (uint16_t)x; break;
    default: *(uint8_t *)p = (uint8_t)x;
  }
}


/* a number that 't' holds; for floats NaN, infinities and -0 among them */
static double number (fuzz_in *in, mascon_dtype t) {
  static const double odd[] = {NAN, INFINITY, -INFINITY, -0.0};
  int b = fuzz_byte(in);
  if (t <= MASCON_F32) return b >= 252 ? odd[b - 252] : (b - 126) / 4.0;
  return t <= MASCON_I32 ? b - 128 : b;
}


/*
** An array of 'shape' in memory of its own: axes in any order, turned round,
** with gaps.
*/
static void layout (fuzz_in *in, mascon_dtype t, int ndim,
                    const int64_t *shape, mascon_array *a) {
  int64_t room[MASCON_MAXDIM];
  int axes[MASCON_MAXDIM], how = fuzz_byte(in), turned = how & 1;
  mascon_array all, v, w;
  for (int d = 0; d < ndim; d++) axes[d] = turned ? ndim - 1 - d : d;
  for (int d = 0; d < ndim; d++)
    room[d] = shape[axes[d]] * (how >> axes[d] & 2 ? 2 : 1);
  CHECK(mascon_zeros(&all, t, ndim, room) == MASCON_OK);
  CHECK(mascon_permute(&v, &all, axes) == MASCON_OK);
  mascon_release(&all);
  for (int d = 0; d < ndim; d++) {
    int64_t step = how >> d & 2 ? 2 : 1, first = 0;
    if (how & 64 && shape[d] > 0) {
      first = (shape[d] - 1) * step;
      step = -step;
    }
    CHECK(mascon_narrow(&w, &v, d, first, shape[d], step) == MASCON_OK);
    mascon_release(&v);
    v = w;
  }
  *a = v;
}


static void fill (fuzz_in *in, mascon_array *a) {
  /* later elements repeat the bytes that there are, mixed */
  uint32_t x = 1;
  for (int64_t i = 0; i < mascon_count(a); i++) {
    fuzz_in rest = {(const uint8_t *)&x, 4};
    put(a, i, number(in->n > 0 ? in : &rest, mascon_dtype_of(a)));
    x = x * 1664525u + 1013904223u;
    x ^= x >> 15;
  }
}


static int shaped (fuzz_in *in, int64_t *shape) {
  static const int64_t sizes[] = {0, 1, 2, 3, 5, 7, 8, 9, 15, 17, 31, 33, 63,
                                  64, 65, 130, 257, 1025};
  int ndim = fuzz_from(in, 1, MASCON_MAXDIM);
  int64_t left = MOST;
  for (int d = 0; d < ndim; d++) {
    shape[d] = least(left, sizes[fuzz_byte(in) % 18]);
    if (shape[d] > 0) left /= shape[d];
  }
  return ndim;
}


static void any (fuzz_in *in, mascon_array *a) {
  int64_t shape[MASCON_MAXDIM];
  int ndim = shaped(in, shape);
  layout(in, (mascon_dtype)fuzz_from(in, 0, MASCON_NDTYPE - 1), ndim, shape, a);
  fill(in, a);
}


/* an output like 'a' of dtype 't', every element 77 */
static void output (fuzz_in *in, mascon_dtype t, int ndim,
                    const int64_t *shape, mascon_array *out) {
  layout(in, t, ndim, shape, out);
  for (int64_t i = 0; i < mascon_count(out); i++) put(out, i, 77);
}


/* the same number, NaN and the sign of zero included */
static int same (double x, double y) {
  return x == y ? signbit(x) == signbit(y) || x != 0 : isnan(x) && isnan(y);
}


/* what a refused call leaves */
static void untouched (const mascon_array *out) {
  for (int64_t i = 0; i < mascon_count(out); i++) CHECK(get(out, i) == 77);
}

/* -------} */


/* {------- element by element ------- */

static double floored (double x, double y) {
  double q = floor(x / y);
  return q;
}


/* what 'op' makes; all but these are held elsewhere against libm */
static double binary (int op, double x, double y, int whole) {
  switch (op) {
    case MASCON_OP_ADD: return x + y;
    case MASCON_OP_SUBTRACT: return x - y;
    case MASCON_OP_MULTIPLY: return x * y;
    case MASCON_OP_DIVIDE: return x / y;
    case MASCON_OP_IDIV: return whole ? floored(x, y) : floor(x / y);
    case MASCON_OP_MINIMUM: return isnan(x) || y < x ? y : x;
    case MASCON_OP_MAXIMUM: return isnan(x) || y > x ? y : x;
    case MASCON_OP_LT: return x < y;
    case MASCON_OP_LE: return x <= y;
    case MASCON_OP_EQ: return x == y;
    case MASCON_OP_NE: return x != y;
    case MASCON_OP_GT: return x > y;
    default: return x >= y;
  }
}


static void two (fuzz_in *in) {
  static const int ops[] = {
    MASCON_OP_ADD, MASCON_OP_SUBTRACT, MASCON_OP_MULTIPLY, MASCON_OP_DIVIDE,
    MASCON_OP_IDIV, MASCON_OP_MINIMUM, MASCON_OP_MAXIMUM, MASCON_OP_LT,
    MASCON_OP_LE, MASCON_OP_EQ, MASCON_OP_NE, MASCON_OP_GT, MASCON_OP_GE};
  int op = ops[fuzz_byte(in) % 13], st, fits = 1, whole;
  mascon_array a, b, out;
  mascon_dtype t, u;
  any(in, &a);
  u = (mascon_dtype)fuzz_from(in, 0, MASCON_NDTYPE - 1);
  layout(in, u, a.ndim, a.shape, &b);
  fill(in, &b);
  t = mascon_binary_dtype(op, mascon_dtype_of(&a), u);
  CHECK(t != MASCON_NDTYPE);
  u = mascon_dtype_join(mascon_dtype_of(&a), u);
  whole = u > MASCON_F32;
  output(in, t, a.ndim, a.shape, &out);
  for (int64_t i = 0; i < mascon_count(&a); i++) {
    double x = get(&a, i), y = get(&b, i);
    if (whole && op == MASCON_OP_IDIV && y == 0) fits = 0;
    else if (t > MASCON_F32 && !mascon_dtype_fits(t, binary(op, x, y, whole)))
      fits = 0;
  }
  st = mascon_binary(op, &a, &b, &out, NULL);
  CHECK((st == MASCON_OK) == fits);
  if (!fits) {
    CHECK(st == MASCON_EOVERFLOW || st == MASCON_EVALUE);
    untouched(&out);
  }
  for (int64_t i = 0; fits && i < mascon_count(&a); i++) {
    double x = binary(op, get(&a, i), get(&b, i), whole);
    if (t == MASCON_F32) x = (float)x;
    if (t > MASCON_F32) x += 0;  /* integers have no -0 */
    CHECK(same(get(&out, i), x) || (op == MASCON_OP_IDIV && x == 0));
  }
  mascon_release(&a);
  mascon_release(&b);
  mascon_release(&out);
}


static void cast (fuzz_in *in) {
  mascon_dtype t = (mascon_dtype)fuzz_from(in, 0, MASCON_NDTYPE - 1);
  mascon_array a, out;
  int fits = 1, st;
  any(in, &a);
  output(in, t, a.ndim, a.shape, &out);
  for (int64_t i = 0; i < mascon_count(&a); i++)
    fits = fits && mascon_dtype_fits(t, get(&a, i));
  st = mascon_cast(&a, MASCON_EXACT, &out, NULL);
  CHECK(st == (fits ? MASCON_OK : MASCON_EINEXACT));
  if (!fits) untouched(&out);
  for (int64_t i = 0; fits && i < mascon_count(&a); i++) {
    double x = get(&a, i), y = get(&out, i);
    CHECK(x == y || (isnan(x) && isnan(y)));
  }
  mascon_release(&a);
  mascon_release(&out);
}

/* -------} */


/* {------- lines ------- */

/* 'a' with its last axis cut off: shape of the results of its lines */
static int without (const mascon_array *a, int axis, int64_t *shape) {
  int n = 0;
  for (int d = 0; d < a->ndim; d++)
    if (d != axis) shape[n++] = a->shape[d];
  if (n == 0) shape[n++] = 1;
  return n;
}


/* line 'k' of 'a' along 'axis', as a vector */
static void line (const mascon_array *a, int axis, int64_t k,
                  mascon_array *v) {
  mascon_array w;
  CHECK(mascon_view(v, a) == MASCON_OK);
  for (int d = a->ndim - 1; d >= 0; d--) {
    if (d == axis) continue;
    CHECK(mascon_select(&w, v, d, k % a->shape[d]) == MASCON_OK);
    k /= a->shape[d];
    mascon_release(v);
    *v = w;
  }
}


/* 'x' before 'y'?  NaN is last */
static int before (double x, double y) { return x < y || (isnan(y) && !isnan(x)); }


static double reduced (int op, const mascon_array *v) {
  int64_t n = v->shape[0], best = -1;
  double sum = 0, any_ = 0, all = 1;
  for (int64_t i = 0; i < n; i++) {
    double x = get(v, i);
    sum += x;
    if (x != 0) any_ = 1;
    else all = 0;
    if (isnan(x)) continue;
    if (best < 0 || (op == MASCON_REDUCE_MIN || op == MASCON_REDUCE_ARGMIN
                     ? x < get(v, best) : x > get(v, best))) best = i;
  }
  switch (op) {
    case MASCON_REDUCE_SUM: return sum;
    case MASCON_REDUCE_MEAN: return sum / (double)n;
    case MASCON_REDUCE_ANY: return any_;
    case MASCON_REDUCE_ALL: return all;
    case MASCON_REDUCE_ARGMIN: case MASCON_REDUCE_ARGMAX: return (double)best;
    default: return best < 0 ? (double)NAN : get(v, best) + 0.0;
  }
}


static void reduce (fuzz_in *in) {
  static const int ops[] = {
    MASCON_REDUCE_SUM, MASCON_REDUCE_MEAN, MASCON_REDUCE_MIN,
    MASCON_REDUCE_MAX, MASCON_REDUCE_ARGMIN, MASCON_REDUCE_ARGMAX,
    MASCON_REDUCE_ANY, MASCON_REDUCE_ALL};
  int op = ops[fuzz_byte(in) % 8], axis, ndim, st;
  int64_t shape[MASCON_MAXDIM];
  mascon_array a, out, v;
  mascon_dtype t;
  any(in, &a);
  t = mascon_reduce_dtype(op, mascon_dtype_of(&a));
  axis = fuzz_byte(in) % a.ndim;
  ndim = without(&a, axis, shape);
  output(in, t, ndim, shape, &out);
  st = mascon_reduce(op, &a, axis, NULL, &out, NULL);
  if (st == MASCON_EVALUE) {  /* of nothing */
    CHECK(a.shape[axis] == 0 && mascon_count(&out) > 0);
    CHECK(op >= MASCON_REDUCE_MIN && op <= MASCON_REDUCE_ARGMAX);
    untouched(&out);
  }
  else CHECK(st == MASCON_OK);
  /* these numbers, and their sums, are exact in any order */
  for (int64_t k = 0; st == MASCON_OK && k < mascon_count(&out); k++) {
    double x;
    line(&a, axis, k, &v);
    x = reduced(op, &v);
    if (t == MASCON_F32) x = (float)x;
    CHECK(get(&out, k) == x || (isnan(x) && isnan(get(&out, k))));
    mascon_release(&v);
  }
  mascon_release(&a);
  mascon_release(&out);
}


static void sort (fuzz_in *in) {
  mascon_array a, out, ids, v, w, p;
  int axis;
  any(in, &a);
  axis = fuzz_byte(in) % a.ndim;
  output(in, mascon_dtype_of(&a), a.ndim, a.shape, &out);
  output(in, fuzz_byte(in) & 1 ? MASCON_I64 : MASCON_I32, a.ndim, a.shape,
         &ids);
  CHECK(mascon_sort(&a, axis, &out, NULL) == MASCON_OK);
  CHECK(mascon_argsort(&a, axis, 0, &ids, NULL) == MASCON_OK);
  for (int64_t k = 0; a.shape[axis] > 0 &&
                      k < mascon_count(&a) / a.shape[axis]; k++) {
    line(&a, axis, k, &v);
    line(&out, axis, k, &w);
    line(&ids, axis, k, &p);
    for (int64_t i = 0; i < a.shape[axis]; i++) {
      double x = get(&v, (int64_t)get(&p, i)), y = get(&w, i);
      CHECK(x == y || (isnan(x) && isnan(y)));
      if (i == 0) continue;
      CHECK(!before(y, get(&w, i - 1)));
      x = get(&v, (int64_t)get(&p, i - 1));
      CHECK(before(x, y) || get(&p, i - 1) < get(&p, i));  /* stable */
    }
    mascon_release(&v);
    mascon_release(&w);
    mascon_release(&p);
  }
  mascon_release(&a);
  mascon_release(&out);
  mascon_release(&ids);
}


/* the n best of each row: by the score, then by the smaller id */
static void topn (fuzz_in *in) {
  static const int64_t sizes[] = {1, 2, 3, 7, 17, 64, 65, 200, 1030};
  int64_t rows = fuzz_from(in, 0, 4), cols = sizes[fuzz_byte(in) % 9];
  int64_t n = fuzz_from(in, 1, 20), shape[2] = {rows, cols};
  int64_t best[2] = {rows, n};
  mascon_topn_opts opts = MASCON_TOPN_INIT;
  mascon_topn_out out = MASCON_TOPN_OUT_INIT;
  mascon_array a, ids, scores;
  layout(in, (mascon_dtype)fuzz_from(in, 0, 1), 2, shape, &a);
  opts.n = n;
  opts.smallest = fuzz_from(in, 0, 1);
  if (fuzz_byte(in) & 1) opts.min = -3;
  fill(in, &a);
  output(in, MASCON_I32, 2, best, &ids);
  output(in, mascon_dtype_of(&a), 2, best, &scores);
  out.ids = &ids;
  out.scores = &scores;
  if (opts.smallest && !isnan(opts.min)) opts.min = NAN;
  CHECK(mascon_topn(&a, &opts, &out, NULL) == MASCON_OK);
  for (int64_t i = 0; i < rows; i++) {
    char taken[1030] = {0};
    for (int64_t k = 0; k < n; k++) {
      int64_t b = -1;
      double most = 0;
      for (int64_t j = 0; j < cols; j++) {
        double x = get(&a, i * cols + j);
        if (taken[j] || isnan(x) || x < opts.min) continue;
        if (b < 0 || (opts.smallest ? x < most : x > most)) b = j, most = x;
      }
      CHECK(get(&ids, i * n + k) == (double)b);
      if (b < 0) continue;
      CHECK(get(&scores, i * n + k) == most);
      taken[b] = 1;
    }
  }
  mascon_release(&a);
  mascon_release(&ids);
  mascon_release(&scores);
}


static void take (fuzz_in *in) {
  mascon_array a, ids, out, v, w;
  int64_t n = fuzz_from(in, 0, 9), shape[MASCON_MAXDIM];
  int axis, inside = 1, st;
  any(in, &a);
  axis = fuzz_byte(in) % a.ndim;
  layout(in, (mascon_dtype)fuzz_from(in, MASCON_I64, MASCON_U8), 1, &n, &ids);
  for (int64_t i = 0; i < n; i++) {
    int64_t id = fuzz_byte(in);
    if (a.shape[axis] > 0 && id < 250) id %= a.shape[axis];
    put(&ids, i, (double)id);
    inside = inside && id < a.shape[axis];
  }
  memcpy(shape, a.shape, sizeof shape);
  shape[axis] = n;
  output(in, mascon_dtype_of(&a), a.ndim, shape, &out);
  st = mascon_take(&a, &ids, axis, 0, &out, NULL);
  CHECK(st == (inside ? MASCON_OK : MASCON_ERANGE));
  if (!inside) untouched(&out);
  for (int64_t k = 0; inside && n > 0 && k < mascon_count(&out) / n; k++) {
    line(&a, axis, k, &v);
    line(&out, axis, k, &w);
    for (int64_t i = 0; i < n; i++)
      CHECK(same(get(&w, i), get(&v, (int64_t)get(&ids, i))));
    mascon_release(&v);
    mascon_release(&w);
  }
  mascon_release(&a);
  mascon_release(&ids);
  mascon_release(&out);
}

/* -------} */


int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size) {
  static void (*const calls[]) (fuzz_in *in) = {two, cast, reduce, sort, topn,
                                                take};
  int64_t held = fuzz_blocks();
  fuzz_in in = {bytes, size};
  calls[fuzz_byte(&in) % 6](&in);
  CHECK(fuzz_blocks() == held);
  return 0;
}

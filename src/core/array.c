/*
** array.c - buffers, arrays and views of them
*/

#include <string.h>

#include "core.h"

/* a buffer: what every copy of the library knows of it, then our own */
typedef struct buffer {
  mascon_buffer head;
  void *data;
  size_t owned;  /* bytes that are ours to count */
  int32_t writers;  /* calls that write it and run code of others meanwhile */
  mascon_release_fn release;
  void *ctx;
} buffer;


/* {------- layout ------- */

/* row-major strides into 'a', and the number of elements */
static int layout (mascon_array *a, mascon_dtype t, int ndim,
                   const int64_t *shape, int64_t *count) {
  int64_t stride = 1, bytes;
  bool empty = false;
  if ((unsigned)t >= MASCON_NDTYPE) return MASCON_ETYPE;
  if (ndim < 1 || ndim > MASCON_MAXDIM) return MASCON_ESHAPE;
  memset(a, 0, sizeof *a);
  for (int i = 0; i < MASCON_MAXDIM; i++) a->shape[i] = 1;
  for (int i = 0; i < ndim; i++) {
    if (shape[i] < 0) return MASCON_ESHAPE;
    if (shape[i] == 0) empty = true;
  }
  for (int i = ndim; i-- > 0; ) {
    a->shape[i] = shape[i];
    a->stride[i] = stride;
    if (!empty && !mc_mul(stride, shape[i], &stride)) return MASCON_ETOOBIG;
  }
  *count = empty ? 0 : stride;
  if (!mc_mul(*count, (int64_t)mascon_dtype_size(t), &bytes) ||
      bytes > PTRDIFF_MAX - 4096) return MASCON_ETOOBIG;
  a->dtype = mc_dltype(t);
  a->ndim = (uint8_t)ndim;
  a->abi = MASCON_ABI;
  a->size = (uint16_t)sizeof *a;
  return MASCON_OK;
}


/* do given strides stay within what a pointer can reach? */
static int checkstrides (const mascon_array *a) {
  int64_t reach = a->dtype.bits / 8, span;
  for (int i = 0; i < a->ndim; i++) {
    int64_t s = a->stride[i];
    if (a->shape[i] == 0) return MASCON_OK;
    if (s == INT64_MIN || !mc_mul(a->shape[i] - 1, s < 0 ? -s : s, &span) ||
        !mc_mul(span, a->dtype.bits / 8, &span) ||
        __builtin_add_overflow(reach, span, &reach)) return MASCON_ETOOBIG;
  }
  return MASCON_OK;
}


int mc_check (const mascon_array *a) {
  return a != NULL && a->magic == MASCON_MAGIC && a->abi == MASCON_ABI &&
         mc_dtype(a->dtype) != MASCON_NDTYPE ? MASCON_OK : MASCON_ECLOSED;
}


int mc_checkout (const mascon_array *a) {
  int status = mc_check(a);
  if (status != MASCON_OK) return status;
  return mascon_isreadonly(a) ? MASCON_EREADONLY : MASCON_OK;
}


int64_t mascon_count (const mascon_array *a) {
  int64_t n = 1;
  for (int i = 0; i < a->ndim; i++) n *= a->shape[i];
  return n;
}


bool mc_sameshape (const mascon_array *a, const mascon_array *b) {
  return a->ndim == b->ndim &&
         memcmp(a->shape, b->shape, a->ndim * sizeof a->shape[0]) == 0;
}


bool mc_contiguous (const mascon_array *a) {
  int64_t want = 1;
  for (int i = a->ndim; i-- > 0; ) {
    if (a->shape[i] == 0) return true;
    if (a->shape[i] > 1 && a->stride[i] != want) return false;
    want *= a->shape[i];
  }
  return true;
}


void mc_extent (const mascon_array *a, const char **lo, const char **hi) {
  int64_t size = a->dtype.bits / 8, before = 0, after = size;
  *lo = *hi = a->data;
  for (int i = 0; i < a->ndim; i++) {
    int64_t span = (a->shape[i] - 1) * a->stride[i] * size;
    if (a->shape[i] == 0) return;
    if (span < 0) before += span;
    else after += span;
  }
  *lo = (const char *)a->data + before;
  *hi = (const char *)a->data + after;
}


/* a set of bytes: runs of 'len' from 'lo' on, at distances of the strides */
typedef struct comb {
  const char *lo;
  int64_t len;
  int64_t gcd;  /* of the strides between runs; 0: one run */
} comb;


static int64_t gcd (int64_t a, int64_t b) {
  while (b != 0) {
    int64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}


static comb tocomb (const mascon_array *a) {
  comb c = {NULL, a->dtype.bits / 8, 0};
  const char *hi;
  int64_t step[MASCON_MAXDIM], n[MASCON_MAXDIM];
  int ndim = 0;
  mc_extent(a, &c.lo, &hi);
  for (int i = 0; i < a->ndim; i++) {  /* sorted, the smallest step first */
    int64_t s = a->stride[i] * (a->dtype.bits / 8);
    int k = ndim;
    if (a->shape[i] < 2) continue;
    if (s < 0) s = -s;
    for (; k > 0 && step[k - 1] > s; k--) {
      step[k] = step[k - 1];
      n[k] = n[k - 1];
    }
    step[k] = s;
    n[k] = a->shape[i];
    ndim++;
  }
  for (int k = 0; k < ndim; k++) {
    if (step[k] <= c.len) c.len += (n[k] - 1) * step[k];  /* no gap */
    else c.gcd = gcd(step[k], c.gcd);
  }
  return c;
}


/*
** Two that reach across each other may still be teeth of two combs (columns of
** one matrix): all teeth stand at multiples of one distance.
*/
static bool interleaved (const mascon_array *a, const mascon_array *b) {
  comb x = tocomb(a), y = tocomb(b);
  int64_t g = gcd(x.gcd, y.gcd), d;
  if (g == 0) return false;
  d = (int64_t)(((intptr_t)y.lo - (intptr_t)x.lo) % g);
  if (d < 0) d += g;
  return d >= x.len && d + y.len <= g;
}


bool mc_overlap (const mascon_array *a, const mascon_array *b) {
  const char *alo, *ahi, *blo, *bhi;
  mc_extent(a, &alo, &ahi);
  mc_extent(b, &blo, &bhi);
  return alo < bhi && blo < ahi && !interleaved(a, b);
}


bool mc_elementwise (const mascon_array *out, const mascon_array *in) {
  if (!mc_overlap(out, in)) return true;
  return out->data == in->data && out->dtype.bits == in->dtype.bits &&
         mc_sameshape(out, in) &&
         memcmp(out->stride, in->stride,
                out->ndim * sizeof out->stride[0]) == 0;
}

/* -------} */


/* {------- owners ------- */

static void destroy (mascon_buffer *head) {
  buffer *b = (buffer *)head;
  if (b->release != NULL) b->release(b->ctx, b->data);
  mc_free(b);
}


/* make 'b' the buffer of 'a', with one reference */
static void setbuffer (mascon_array *a, buffer *b, void *p, size_t owned,
                       mascon_release_fn release, void *ctx) {
  b->head.destroy = destroy;
  b->head.refs = 1;
  b->head.frozen = 0;
  b->data = p;
  b->owned = owned;
  b->writers = 0;
  b->release = release;
  b->ctx = ctx;
  a->data = p;
  a->buffer = &b->head;
  a->magic = MASCON_MAGIC;
}


int mc_wrapbuffer (mascon_array *a, void *p, size_t owned,
                   mascon_release_fn release, void *ctx) {
  buffer *b = mc_alloc(1, sizeof *b);
  if (b == NULL) return MASCON_ENOMEM;
  setbuffer(a, b, p, owned, release, ctx);
  return MASCON_OK;
}


/* what we allocate is one block: a buffer, then its elements, aligned */
#define HEAD 64
_Static_assert(sizeof(buffer) <= HEAD, "a buffer fits before its elements");


static int make (mascon_array *a, mascon_dtype t, int ndim,
                 const int64_t *shape, void *(*get) (size_t, size_t)) {
  mascon_array new;
  int64_t count;
  size_t bytes;
  char *p;
  int status = layout(&new, t, ndim, shape, &count);
  if (status != MASCON_OK) return status;
  bytes = (size_t)count * mascon_dtype_size(t);
  if ((p = get(1, HEAD + bytes)) == NULL) return MASCON_ENOMEM;
  setbuffer(&new, (buffer *)p, p + HEAD, bytes, NULL, NULL);
  *a = new;
  return MASCON_OK;
}


int mascon_new (mascon_array *a, mascon_dtype t, int ndim,
                const int64_t *shape) {
  return make(a, t, ndim, shape, mc_alloc);
}


int mascon_zeros (mascon_array *a, mascon_dtype t, int ndim,
                  const int64_t *shape) {
  return make(a, t, ndim, shape, mc_zalloc);
}


/* what an empty array without memory points to */
static _Alignas(64) char nothing[64];


int mascon_describe (mascon_array *a, void *p, mascon_dtype t, int ndim,
                     const int64_t *shape, const int64_t *stride,
                     unsigned flags) {
  mascon_array new;
  int64_t count;
  int status = layout(&new, t, ndim, shape, &count);
  if (status != MASCON_OK) return status;
  if (flags & ~(MASCON_READONLY | MASCON_STATIC)) return MASCON_EVALUE;
  if ((p == NULL && count > 0) || (uintptr_t)p % mascon_dtype_size(t) != 0)
    return MASCON_EVALUE;
  if (stride != NULL) {
    memcpy(new.stride, stride, (size_t)ndim * sizeof *stride);
    if ((status = checkstrides(&new)) != MASCON_OK) return status;
  }
  new.data = p != NULL ? p : nothing;
  new.flags = (uint8_t)(flags & MASCON_READONLY);
  new.magic = MASCON_MAGIC;
  *a = new;
  return MASCON_OK;
}


int mascon_wrap (mascon_array *a, void *p, mascon_dtype t, int ndim,
                 const int64_t *shape, const int64_t *stride,
                 mascon_release_fn release, void *ctx, unsigned flags) {
  mascon_array new;
  void *data;
  int status = mascon_describe(&new, p, t, ndim, shape, stride, flags);
  if (status != MASCON_OK) return status;
  if ((release == NULL) != ((flags & MASCON_STATIC) != 0))
    return MASCON_EVALUE;
  data = new.data;
  status = mc_wrapbuffer(&new, p, 0, release, ctx);
  if (status != MASCON_OK) return status;
  new.data = data;
  *a = new;
  return MASCON_OK;
}


int mascon_view (mascon_array *v, const mascon_array *a) {
  int status = mc_check(a);
  if (status != MASCON_OK) return status;
  if (a->buffer != NULL)
    __atomic_fetch_add(&a->buffer->refs, 1, __ATOMIC_RELAXED);
  *v = *a;
  v->flags |= MASCON_VIEW;
  return MASCON_OK;
}


void mascon_release (mascon_array *a) {
  mascon_buffer *b;
  if (a == NULL || a->magic != MASCON_MAGIC) return;
  b = a->buffer;
  a->magic = 0;
  a->data = NULL;
  a->buffer = NULL;
  if (b != NULL && __atomic_sub_fetch(&b->refs, 1, __ATOMIC_ACQ_REL) == 0)
    b->destroy(b);
}


/* the buffer of 'a', or NULL: another copy's has other fields */
static buffer *ours (const mascon_array *a) {
  mascon_buffer *b = a->buffer;
  return b != NULL && b->destroy == destroy ? (buffer *)b : NULL;
}


size_t mascon_buffer_bytes (const mascon_array *a) {
  const buffer *b = ours(a);
  return b != NULL ? b->owned : 0;
}


void mc_writing (const mascon_array *a, int by) {
  buffer *b = ours(a);
  if (b != NULL) __atomic_fetch_add(&b->writers, by, __ATOMIC_RELAXED);
}


int mc_renew (mascon_array *a) {
  mascon_array new;
  int status;
  if (__atomic_load_n(&a->buffer->refs, __ATOMIC_ACQUIRE) == 1 &&
      !mascon_isreadonly(a)) return MASCON_OK;
  status = mascon_zeros(&new, mc_dtype(a->dtype), a->ndim, a->shape);
  if (status != MASCON_OK) return status;
  mascon_release(a);
  *a = new;
  return MASCON_OK;
}


int mascon_freeze (const mascon_array *a) {
  int status = mc_check(a);
  const buffer *b;
  if (status != MASCON_OK) return status;
  if (a->buffer == NULL) return MASCON_EVALUE;
  b = ours(a);
  if (b != NULL && __atomic_load_n(&b->writers, __ATOMIC_RELAXED) > 0)
    return MASCON_EBUSY;
  __atomic_store_n(&a->buffer->frozen, 1, __ATOMIC_RELEASE);
  return MASCON_OK;
}

/* -------} */


/* {------- views ------- */

int mascon_narrow (mascon_array *v, const mascon_array *a, int axis,
                   int64_t first, int64_t count, int64_t step) {
  int64_t n, last;
  int status = mc_check(a);
  if (status != MASCON_OK) return status;
  if (axis < 0 || axis >= a->ndim || count < 0) return MASCON_ERANGE;
  n = a->shape[axis];
  if (step == 0) return MASCON_EVALUE;
  if (count > 0) {
    if (first < 0 || first >= n || count > n) return MASCON_ERANGE;
    if (count > 1 && (!mc_mul(count - 1, step, &last) ||
        __builtin_add_overflow(last, first, &last) || last < 0 || last >= n))
      return MASCON_ERANGE;
  }
  mascon_view(v, a);
  v->shape[axis] = count;
  if (count > 0)
    v->data = (char *)a->data + first * a->stride[axis] * (a->dtype.bits / 8);
  v->stride[axis] = count > 1 ? a->stride[axis] * step : a->stride[axis];
  return MASCON_OK;
}


int mascon_select (mascon_array *v, const mascon_array *a, int axis,
                   int64_t index) {
  int status = mc_check(a);
  if (status != MASCON_OK) return status;
  if (a->ndim < 2) return MASCON_ESHAPE;
  status = mascon_narrow(v, a, axis, index, 1, 1);
  if (status != MASCON_OK) return status;
  for (int i = axis; i + 1 < a->ndim; i++) {
    v->shape[i] = a->shape[i + 1];
    v->stride[i] = a->stride[i + 1];
  }
  v->ndim--;
  v->shape[v->ndim] = 1;
  v->stride[v->ndim] = 0;
  return MASCON_OK;
}


int mascon_permute (mascon_array *v, const mascon_array *a, const int *axes) {
  unsigned seen = 0;
  int status = mc_check(a);
  if (status != MASCON_OK) return status;
  for (int i = 0; i < a->ndim; i++) {
    if (axes[i] < 0 || axes[i] >= a->ndim || (seen >> axes[i] & 1))
      return MASCON_ERANGE;
    seen |= 1u << axes[i];
  }
  mascon_view(v, a);
  for (int i = 0; i < a->ndim; i++) {
    v->shape[i] = a->shape[axes[i]];
    v->stride[i] = a->stride[axes[i]];
  }
  return MASCON_OK;
}


/*
** Strides for 'new' over the elements of 'a', axes grouped greedily: a run of
** old axes that is contiguous in itself may be cut anew at will.
*/
static bool restride (mascon_array *new, const mascon_array *a) {
  int64_t shape[MASCON_MAXDIM], stride[MASCON_MAXDIM];
  int nold = 0, i = 0, j = 0;
  for (int k = 0; k < a->ndim; k++)  /* axes of length 1 say nothing */
    if (a->shape[k] != 1) {
      shape[nold] = a->shape[k];
      stride[nold++] = a->stride[k];
    }
  while (i < new->ndim && j < nold) {
    int ni = i + 1, nj = j + 1;
    int64_t p = new->shape[i], q = shape[j];
    while (p != q) {
      if (p < q) p *= new->shape[ni++];
      else q *= shape[nj++];
    }
    for (int k = j; k + 1 < nj; k++)
      if (stride[k] != stride[k + 1] * shape[k + 1]) return false;
    new->stride[ni - 1] = stride[nj - 1];
    for (int k = ni - 1; k > i; k--)
      new->stride[k - 1] = new->stride[k] * new->shape[k];
    i = ni;
    j = nj;
  }
  return true;  /* what is left of 'new' has length 1 */
}


int mascon_reshape (mascon_array *v, const mascon_array *a, int ndim,
                    const int64_t *shape) {
  mascon_array new;
  int64_t count;
  int status = mc_check(a);
  if (status != MASCON_OK) return status;
  status = layout(&new, mc_dtype(a->dtype), ndim, shape, &count);
  if (status != MASCON_OK) return status;
  if (count != mascon_count(a)) return MASCON_ESHAPE;
  if (count > 0 && !restride(&new, a)) return MASCON_ESHAPE;
  mascon_view(v, a);
  v->ndim = (uint8_t)ndim;
  memcpy(v->shape, new.shape, sizeof new.shape);
  memcpy(v->stride, new.stride, sizeof new.stride);
  return MASCON_OK;
}

/* -------} */

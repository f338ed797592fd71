/*
** dlpack.c - memory shared with other tensor libraries
*/

#include "core.h"

#define CPU 1
#define BOOLEAN 6  /* DLPack's code; a byte each */

/* what a tensor of ours needs besides its struct */
typedef struct holder {
  union {
    mascon_dlmanaged managed;
    mascon_dlversioned versioned;
  } t;
  mascon_array a;  /* the reference, and where shape and strides are */
} holder;


/* {------- out ------- */

static void drop (void *h) {
  mascon_release(&((holder *)h)->a);
  mc_free(h);
}


static void dropmanaged (mascon_dlmanaged *t) {
  drop(t->manager_ctx);
}


static void dropversioned (mascon_dlversioned *t) {
  drop(t->manager_ctx);
}


/* a new holder of 'a' */
static int hold (const mascon_array *a, holder **out) {
  holder *h;
  int status = mc_check(a);
  if (status != MASCON_OK) return status;
  if (a->buffer == NULL) return MASCON_EVALUE;
  h = mc_alloc(1, sizeof *h);
  if (h == NULL) return MASCON_ENOMEM;
  status = mascon_view(&h->a, a);
  if (status != MASCON_OK) mc_free(h);
  else *out = h;
  return status;
}


static void fill (holder *h, mascon_dltensor *t) {
  t->data = h->a.data;
  t->device = CPU;
  t->device_id = 0;
  t->ndim = h->a.ndim;
  t->dtype = h->a.dtype;
  t->shape = h->a.shape;
  t->strides = h->a.stride;
  t->byte_offset = 0;
}


int mascon_to_dlpack (const mascon_array *a, mascon_dlmanaged **t) {
  holder *h;
  int status = mc_checkout(a);  /* it could not say that it is read-only */
  if (status == MASCON_OK) status = hold(a, &h);
  if (status != MASCON_OK) return status;
  fill(h, &h->t.managed.tensor);
  h->t.managed.manager_ctx = h;
  h->t.managed.deleter = dropmanaged;
  *t = &h->t.managed;
  return MASCON_OK;
}


int mascon_to_dlversioned (const mascon_array *a, mascon_dlversioned **t) {
  holder *h;
  int status = hold(a, &h);
  if (status != MASCON_OK) return status;
  fill(h, &h->t.versioned.tensor);
  h->t.versioned.major = 1;
  h->t.versioned.minor = 0;
  h->t.versioned.flags = mascon_isreadonly(a) ? MASCON_DLREADONLY : 0;
  h->t.versioned.manager_ctx = h;
  h->t.versioned.deleter = dropversioned;
  *t = &h->t.versioned;
  return MASCON_OK;
}

/* -------} */


/* {------- in ------- */

static void deletemanaged (void *ctx, void *data) {
  mascon_dlmanaged *t = ctx;
  (void)data;
  if (t->deleter != NULL) t->deleter(t);
}


static void deleteversioned (void *ctx, void *data) {
  mascon_dlversioned *t = ctx;
  (void)data;
  if (t->deleter != NULL) t->deleter(t);
}


/* the lowest address that a tensor of these strides has is not asked for:
   mascon_wrap takes the first element, as DLPack does */
static int wrap (const mascon_dltensor *t, unsigned flags,
                 mascon_release_fn release, void *ctx, mascon_array *a) {
  static const int64_t one = 1;
  mascon_dltype d = t->dtype;
  mascon_dtype dtype;
  if (t->device != CPU) return MASCON_EVALUE;
  if (t->ndim < 0 || t->ndim > MASCON_MAXDIM) return MASCON_ESHAPE;
  if (d.code == BOOLEAN && d.bits == 8) d.code = 1;
  dtype = d.lanes == 1 ? mc_dtype(d) : MASCON_NDTYPE;
  if (dtype == MASCON_NDTYPE) return MASCON_ETYPE;
  return mascon_wrap(a, t->data == NULL ? NULL
                                        : (char *)t->data + t->byte_offset,
                     dtype, t->ndim > 0 ? t->ndim : 1,
                     t->ndim > 0 ? t->shape : &one,
                     t->ndim > 0 ? t->strides : NULL, release, ctx, flags);
}


int mascon_from_dlpack (mascon_dlmanaged *t, mascon_array *a) {
  return wrap(&t->tensor, 0, deletemanaged, t, a);
}


int mascon_from_dlversioned (mascon_dlversioned *t, mascon_array *a) {
  if (t->major != 1) return MASCON_EVALUE;
  return wrap(&t->tensor,
              t->flags & MASCON_DLREADONLY ? MASCON_READONLY : 0,
              deleteversioned, t, a);
}

/* -------} */

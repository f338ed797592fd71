/*
** npymemory.c - .npy files in memory, as archives and sockets have them
*/

#include <string.h>

#include "npy.h"


/* the elements where they are, in memory that 'bytes' owns a part of */
static int viewelements (const mascon_array *bytes, const mc_npy *h,
                         mascon_array *a) {
  mascon_array v, new;
  int status = mascon_describe(&new, (char *)bytes->data + h->offset, h->type,
                               h->ndim, h->shape, NULL, 0);
  if (status == MASCON_OK) status = mascon_view(&v, bytes);
  if (status != MASCON_OK) return status;
  new.buffer = v.buffer;
  new.flags = v.flags;
  if (h->fortran) mc_npyreverse(&new);
  *a = new;
  return MASCON_OK;
}


/* can they be used there?  Without an owner nobody could keep them */
static bool usable (const mascon_array *bytes, const mc_npy *h) {
  return bytes->buffer != NULL && h->direct && !h->swap &&
         ((uintptr_t)bytes->data + (uintptr_t)h->offset) %
         (uintptr_t)h->size == 0;
}


int mascon_npy_decode (const mascon_array *bytes, const char *name,
                       mascon_array *a, mascon_why *why, mascon_exec *ex) {
  mc_npyfile f = {.path = name};
  int64_t size;
  int status = mc_check(bytes);
  if (status == MASCON_OK && mascon_dtype_of(bytes) != MASCON_U8)
    status = MASCON_ETYPE;
  if (status == MASCON_OK && (bytes->ndim != 1 || !mc_contiguous(bytes)))
    status = MASCON_ESHAPE;
  if (status != MASCON_OK) return mc_whystatus(why, name, status);
  size = bytes->shape[0];
  f.bytes = bytes->data;
  status = mc_npyinspect(&f, f.bytes, (size_t)size, size, why);
  if (status != MASCON_OK) return status;
  if (!usable(bytes, &f.h)) return mc_npyread(&f, a, why, ex);
  status = viewelements(bytes, &f.h, a);
  return status == MASCON_OK ? status : mc_whystatus(why, name, status);
}


int mascon_npy_head (const mascon_array *a, char head[MASCON_NPYHEAD],
                     size_t *n) {
  int status = mc_check(a);
  if (status == MASCON_OK)
    *n = mc_npyformat(head, mascon_dtype_of(a), a->ndim, a->shape);
  return status;
}

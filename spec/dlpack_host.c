/*
** dlpack_host.c - arrays to DLPack and back, within C
*/

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "mascon.h"

static int released;


static void count (void *ctx, void *data) {
  (void)ctx;
  (void)data;
  released++;
}


static void deleted (mascon_dlmanaged *t) {
  (void)t;
  released++;
}


static void deletedversion (mascon_dlversioned *t) {
  (void)t;
  released++;
}


/* the published layout, on machines of 64 bits */
static void layout (void) {
  if (sizeof(void *) != 8) return;
  CHECK(offsetof(mascon_dltensor, device) == 8);
  CHECK(offsetof(mascon_dltensor, ndim) == 16);
  CHECK(offsetof(mascon_dltensor, dtype) == 20);
  CHECK(offsetof(mascon_dltensor, shape) == 24);
  CHECK(offsetof(mascon_dltensor, strides) == 32);
  CHECK(offsetof(mascon_dltensor, byte_offset) == 40);
  CHECK(sizeof(mascon_dlmanaged) == 64);
  CHECK(offsetof(mascon_dlversioned, manager_ctx) == 8);
  CHECK(offsetof(mascon_dlversioned, flags) == 24);
  CHECK(offsetof(mascon_dlversioned, tensor) == 32);
}


/* out and in again: the same elements, through strides; one release */
static void around (void) {
  static int32_t cells[12];
  static const int64_t shape[2] = {3, 4};
  static const int axes[2] = {1, 0};
  mascon_array a, t, b;
  mascon_dlmanaged *m;
  mascon_dlversioned *v;
  released = 0;
  for (int i = 0; i < 12; i++) cells[i] = i;
  CHECK(mascon_wrap(&a, cells, MASCON_I32, 2, shape, NULL, count, NULL, 0)
        == MASCON_OK);
  CHECK(mascon_permute(&t, &a, axes) == MASCON_OK);
  CHECK(mascon_to_dlpack(&t, &m) == MASCON_OK);
  mascon_release(&a);
  mascon_release(&t);
  CHECK(m->tensor.ndim == 2 && m->tensor.shape[0] == 4);
  CHECK(m->tensor.strides[0] == 1 && m->tensor.strides[1] == 4);
  CHECK(m->tensor.dtype.code == 0 && m->tensor.dtype.bits == 32);
  CHECK(mascon_from_dlpack(m, &b) == MASCON_OK && released == 0);
  CHECK(((int32_t *)b.data)[3 * b.stride[0] + 2 * b.stride[1]] == 11);
  CHECK(mascon_to_dlversioned(&b, &v) == MASCON_OK && v->flags == 0);
  mascon_release(&b);
  CHECK(released == 0);
  v->deleter(v);
  CHECK(released == 1);
}


static void readonly (void) {
  static double cells[2] = {1, 2};
  static const int64_t n = 2;
  mascon_array a, b;
  mascon_dlmanaged *m = NULL;
  mascon_dlversioned *v;
  CHECK(mascon_wrap(&a, cells, MASCON_F64, 1, &n, NULL, NULL, NULL,
                    MASCON_READONLY | MASCON_STATIC) == MASCON_OK);
  CHECK(mascon_to_dlpack(&a, &m) == MASCON_EREADONLY && m == NULL);
  CHECK(mascon_to_dlversioned(&a, &v) == MASCON_OK);
  CHECK(v->flags == MASCON_DLREADONLY && v->major == 1);
  CHECK(mascon_from_dlversioned(v, &b) == MASCON_OK);
  CHECK(mascon_isreadonly(&b));
  mascon_release(&a);
  mascon_release(&b);
}


/* tensors that others describe */
static void others (void) {
  static float cells[6] = {0, 1, 2, 3, 4, 5};
  static int64_t shape[5] = {2, 2, 1, 1, 1};
  mascon_dlmanaged t = {{cells, 1, 0, 2, {2, 32, 1}, shape, NULL, 8}, NULL,
                        deleted};
  mascon_dlversioned v = {2, 0, NULL, deletedversion, 0, t.tensor};
  mascon_array a;
  released = 0;
  CHECK(mascon_from_dlpack(&t, &a) == MASCON_OK);
  CHECK(((float *)a.data)[a.stride[0] + 1] == 5);
  mascon_release(&a);
  CHECK(released == 1);
  t.tensor.ndim = 0;
  t.deleter = NULL;
  CHECK(mascon_from_dlpack(&t, &a) == MASCON_OK && mascon_count(&a) == 1);
  mascon_release(&a);
  t.deleter = deleted;
  t.tensor.ndim = 5;
  CHECK(mascon_from_dlpack(&t, &a) == MASCON_ESHAPE);
  t.tensor.ndim = 2;
  t.tensor.byte_offset = 3;
  CHECK(mascon_from_dlpack(&t, &a) == MASCON_EVALUE);
  t.tensor.byte_offset = 0;
  t.tensor.device = 2;
  CHECK(mascon_from_dlpack(&t, &a) == MASCON_EVALUE);
  t.tensor.device = 1;
  t.tensor.dtype.lanes = 4;
  CHECK(mascon_from_dlpack(&t, &a) == MASCON_ETYPE);
  t.tensor.dtype.lanes = 1;
  t.tensor.dtype.bits = 16;
  CHECK(mascon_from_dlpack(&t, &a) == MASCON_ETYPE);
  t.tensor.dtype.code = 6;
  t.tensor.dtype.bits = 8;
  CHECK(mascon_from_dlpack(&t, &a) == MASCON_OK);
  CHECK(mascon_dtype_of(&a) == MASCON_U8);
  mascon_release(&a);
  CHECK(released == 2);
  CHECK(mascon_from_dlversioned(&v, &a) == MASCON_EVALUE && released == 2);
  v.major = 1;
  CHECK(mascon_from_dlversioned(&v, &a) == MASCON_OK);
  mascon_release(&a);
  CHECK(released == 3);
}


/* what owns nothing cannot be lent; a failing allocation changes nothing */
static void refused (void) {
  static double cell;
  static const int64_t one = 1;
  mascon_array a;
  mascon_dlmanaged *m = NULL;
  CHECK(mascon_describe(&a, &cell, MASCON_F64, 1, &one, NULL, 0) == MASCON_OK);
  CHECK(mascon_to_dlpack(&a, &m) == MASCON_EVALUE);
  CHECK(mascon_zeros(&a, MASCON_F64, 1, &one) == MASCON_OK);
  mascon_memory_fail(0);
  CHECK(mascon_to_dlpack(&a, &m) == MASCON_ENOMEM);
  mascon_memory_fail(-1);
  mascon_release(&a);
  CHECK(mascon_to_dlpack(&a, &m) == MASCON_ECLOSED && m == NULL);
}


int main (void) {
  layout();
  around();
  readonly();
  others();
  refused();
  puts("ok");
  return 0;
}

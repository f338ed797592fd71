/*
** recommend_input.c - what a call of recommend gets, and whether it will do
*/

#include <string.h>

#include "recommend.h"


mascon_users mc_users (const mascon_users *from) {
  mascon_users s = MASCON_USERS_INIT;
  memcpy(&s, from, from->size < sizeof s ? from->size : sizeof s);
  return s;
}


int mc_rec_checkmatrix (const mascon_array *a) {
  int status = mc_check(a);
  if (status != MASCON_OK) return status;
  if (!mc_isfloat(mascon_dtype_of(a))) return MASCON_ETYPE;
  return a->ndim == 2 ? MASCON_OK : MASCON_ESHAPE;
}


int mc_rec_checkbias (const mascon_array *a, int64_t n) {
  int status;
  if (a == NULL) return MASCON_OK;
  if ((status = mc_check(a)) != MASCON_OK) return status;
  if (!mc_isfloat(mascon_dtype_of(a))) return MASCON_ETYPE;
  return a->ndim == 1 && a->shape[0] == n ? MASCON_OK : MASCON_ESHAPE;
}


static int checkrows (const mascon_array *a, int base, int64_t nusers) {
  int status;
  if (a == NULL) return MASCON_OK;
  if ((status = mc_checkids(a)) != MASCON_OK) return status;
  for (int64_t i = 0; i < a->shape[0]; i++) {
    int64_t id = mc_idat(a, i);
    if (id < base || id - base >= nusers) return MASCON_ERANGE;
  }
  return MASCON_OK;
}


static int checkusers (const mc_recinput *in) {
  const mascon_users *s = in->source;
  int status;
  if (in->users == NULL)
    return s->rows < 0 || s->batch < 0 || s->fill == NULL ? MASCON_EVALUE
           : mc_isfloat((mascon_dtype)s->dtype) ? MASCON_OK : MASCON_ETYPE;
  status = mc_rec_checkmatrix(in->users);
  if (status != MASCON_OK) return status;
  return in->users->shape[1] == in->items->shape[1] ? MASCON_OK
                                                    : MASCON_ESHAPE;
}


int64_t mc_rec_users (const mc_recinput *in) {
  return in->users != NULL ? in->users->shape[0] : in->source->rows;
}


int mc_rec_checkinput (const mc_recinput *in, const mascon_topn_opts *o) {
  int64_t nitems;
  int status;
  if (o->smallest || o->check < 0) return MASCON_EVALUE;
  if ((status = mc_rec_checkmatrix(in->items)) != MASCON_OK ||
      (status = checkusers(in)) != MASCON_OK) return status;
  nitems = in->items->shape[0];
  if (nitems > INT32_MAX - MCK_BLOCK) return MASCON_ETOOBIG;
  if (o->exclude_self && mc_rec_users(in) != nitems) return MASCON_ESHAPE;
  if ((status = mc_rec_checkbias(o->bias, nitems)) != MASCON_OK)
    return status;
  return checkrows(o->rows, o->base, mc_rec_users(in));
}


bool mc_rec_cosine (const mc_recinput *in, const mascon_topn_opts *o) {
  return o->normalize != 0 ? o->normalize > 0 : in->normalize > 0;
}


mascon_topn_out mc_topn_outof (const mascon_topn_out *from) {
  mascon_topn_out out = MASCON_TOPN_OUT_INIT;
  if (from != NULL)
    memcpy(&out, from, from->size < sizeof out ? from->size : sizeof out);
  return out;
}


int mc_rec_checkranks (const mc_recinput *in, const mascon_topn_opts *o,
                       const mascon_topn_out *out) {
  const mascon_csr *c = o->ranks;
  int64_t where;
  int status;
  if (c == NULL && out->ranks == NULL) return MASCON_OK;
  if (c == NULL || out->ranks == NULL) return MASCON_EVALUE;
  if (c->nrows != mc_rec_users(in) || c->ncols != in->items->shape[0])
    return MASCON_ESHAPE;
  if ((status = mascon_csr_check(c, &where, NULL)) != MASCON_OK ||
      (status = mc_checkids(out->ranks)) != MASCON_OK ||
      (status = mc_checkout(out->ranks)) != MASCON_OK) return status;
  if (out->ranks->shape[0] != mc_idat(c->indptr, c->nrows))
    return MASCON_ESHAPE;
  return out->ranks->shape[0] > 1 && out->ranks->stride[0] == 0
         ? MASCON_EALIAS : MASCON_OK;
}

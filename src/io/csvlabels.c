/*
** csvlabels.c - distinct texts and their numbers: an open-addressed hash table
*/

#include <string.h>

#include "csvlabels.h"

#define FIRST 64  /* slots of a new table */


static uint64_t hash (const char *p, size_t n) {
  uint64_t h = 0x9e3779b97f4a7c15u ^ n;
  for (; n >= 8; n -= 8, p += 8) {
    uint64_t w;
    memcpy(&w, p, 8);
    h = (h ^ w) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  for (; n > 0; n--, p++) h = (h ^ (unsigned char)*p) * 0x100000001b3u;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53u;
  return h ^ h >> 29;
}


static const char *text (const mascon_labels *l, int64_t k, size_t *n) {
  int64_t begin = k > 0 ? l->ends[k - 1] : 0;
  *n = (size_t)(l->ends[k] - begin);
  return l->bytes != NULL ? l->bytes + begin : "";
}


/* where the text is, or the free slot where it belongs */
static int64_t *slot (const mascon_labels *l, const char *p, size_t n) {
  int64_t i = (int64_t)(hash(p, n) & (uint64_t)l->mask);
  for (; l->slots[i] >= 0; i = (i + 1) & l->mask) {
    size_t m;
    const char *q = text(l, l->slots[i], &m);
    if (m == n && memcmp(p, q, n) == 0) break;
  }
  return &l->slots[i];
}


/* twice the slots, half of which may be taken */
static bool rehash (mascon_labels *l) {
  int64_t n = l->mask > 0 ? 2 * (l->mask + 1) : FIRST;
  int64_t *slots = mc_alloc((size_t)n, sizeof *slots);
  if (slots == NULL) return false;
  memset(slots, -1, (size_t)n * sizeof *slots);
  mc_free(l->slots);
  l->slots = slots;
  l->mask = n - 1;
  for (int64_t k = 0; k < l->count; k++) {
    size_t m;
    const char *p = text(l, k, &m);
    *slot(l, p, m) = k;
  }
  return true;
}


/* '*p' with room for 'n' of 'size' bytes, of which 'used' are kept */
static bool grow (void *p, size_t size, int64_t used, int64_t *room,
                  int64_t n) {
  int64_t more = 2 * *room > n ? 2 * *room : n + 64;
  void *old, *new;
  if (n <= *room) return true;
  new = mc_alloc((size_t)more, size);
  if (new == NULL) return false;
  memcpy(&old, p, sizeof old);
  if (used > 0) memcpy(new, old, (size_t)used * size);
  mc_free(old);
  memcpy(p, &new, sizeof new);
  *room = more;
  return true;
}


int64_t mc_labels_find (const mascon_labels *l, const char *p, size_t n) {
  return l->mask > 0 ? *slot(l, p, n) : -1;
}


int64_t mc_labels_add (mascon_labels *l, const char *p, size_t n) {
  int64_t *at;
  if (2 * l->count >= l->mask && !rehash(l)) return -1;
  at = slot(l, p, n);
  if (*at >= 0) return *at;
  if (!grow(&l->bytes, 1, l->used, &l->space, l->used + (int64_t)n) ||
      !grow(&l->ends, sizeof *l->ends, l->count, &l->room, l->count + 1))
    return -1;
  if (n > 0) memcpy(l->bytes + l->used, p, n);
  l->used += (int64_t)n;
  l->ends[l->count] = l->used;
  *at = l->count;
  return l->count++;
}


/* {------- the public face ------- */

mascon_labels *mascon_labels_new (void) {
  return mc_zalloc(1, sizeof(mascon_labels));
}


int mascon_labels_add (mascon_labels *l, const char *p, size_t n) {
  int64_t before = l->count, k = mc_labels_add(l, p, n);
  if (k < 0) return MASCON_ENOMEM;
  return k == before ? MASCON_OK : MASCON_EVALUE;
}


int64_t mascon_labels_count (const mascon_labels *l) {
  return l->count;
}


const char *mascon_labels_text (const mascon_labels *l, int64_t k, size_t *n) {
  return k >= 0 && k < l->count ? text(l, k, n) : NULL;
}


void mascon_labels_free (mascon_labels *l) {
  if (l == NULL) return;
  mc_free(l->bytes);
  mc_free(l->ends);
  mc_free(l->slots);
  mc_free(l);
}

/* -------} */

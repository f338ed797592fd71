/*
** csvhits.c - the best of every row as a table of users, items, scores
**
** What users and items are called is made once as it stands in the file, with
** the comma behind it: a line is two copies and a number.
*/

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "number.h"

/* texts as fields, each with its comma */
typedef struct fields {
  char *bytes;     /* NULL: numbers instead */
  int64_t *begin;  /* count + 1 of them */
  int64_t count;
  size_t longest;
} fields;

struct mascon_hits {
  fields users, items;
  int64_t base, at;  /* 'at': where the next byte goes */
  char *path;
  mc_newfile file;
};

/* what is being added */
typedef struct job {
  const mascon_hits *h;
  int64_t first;
  mascon_array ids, scores, counts;  /* views; counts may be closed: none */
} job;


/* {------- fields ------- */

/* does a text need quotes?  Readers take blanks at its ends off, and a line that
   begins with '#' for a comment */
static bool special (const char *p, size_t n) {
  if (n == 0 || p[0] == ' ' || p[0] == '\t' || p[0] == '#') return true;
  if (p[n - 1] == ' ' || p[n - 1] == '\t') return true;
  for (size_t i = 0; i < n; i++)
    if (memchr(",\"\r\n;", p[i], 5) != NULL) return true;
  return false;
}


/* a text and its comma to 'to', unless that is NULL; how long they are */
static size_t putfield (const char *p, size_t n, char *to) {
  size_t m = 0;
  bool quoted = special(p, n);
#define add(c) (to != NULL ? (void)(to[m] = (c)) : (void)0, m++)
  if (quoted) add('"');
  for (size_t i = 0; i < n; i++) {
    if (p[i] == '"') add('"');
    add(p[i]);
  }
  if (quoted) add('"');
  add(',');
#undef add
  return m;
}


static int setfields (fields *f, const mascon_labels *l) {
  size_t n, total = 0;
  f->longest = MC_NUMBERSIZE;
  if (l == NULL) return MASCON_OK;
  f->count = mascon_labels_count(l);
  f->begin = mc_alloc((size_t)f->count + 1, sizeof *f->begin);
  if (f->begin == NULL) return MASCON_ENOMEM;
  for (int64_t k = 0; k < f->count; k++) {
    const char *p = mascon_labels_text(l, k, &n);
    f->begin[k] = (int64_t)total;
    n = putfield(p, n, NULL);
    if (n > f->longest) f->longest = n;
    total += n;
  }
  f->begin[f->count] = (int64_t)total;
  f->bytes = mc_alloc(total, 1);
  if (f->bytes == NULL) return MASCON_ENOMEM;
  for (int64_t k = 0; k < f->count; k++) {
    const char *p = mascon_labels_text(l, k, &n);
    putfield(p, n, f->bytes + f->begin[k]);
  }
  return MASCON_OK;
}


static void freefields (fields *f) {
  mc_free(f->bytes);
  mc_free(f->begin);
}


/* the field of number 'k', which is there, to 'p' */
static char *put (const fields *f, int64_t k, int64_t base, char *p) {
  if (f->bytes != NULL) {
    size_t n = (size_t)(f->begin[k + 1] - f->begin[k]);
    memcpy(p, f->bytes + f->begin[k], n);
    return p + n;
  }
  p += mc_integer(p, k + base);
  *p++ = ',';
  return p;
}

/* -------} */


/* {------- lines ------- */

static int64_t integer (const mascon_array *a, int64_t i, int64_t j) {
  const char *p = mc_at(a, i, j);
  return mascon_dtype_of(a) == MASCON_I32 ? *(const int32_t *)p
                                          : *(const int64_t *)p;
}


/* the number of the item in row 'i' at place 'j', from 0 */
static int64_t item (const job *j, int64_t i, int64_t k) {
  return integer(&j->ids, i, k) - j->h->base;
}


static int64_t hits (const job *j, int64_t i) {
  int64_t n = 0;
  if (j->counts.buffer != NULL) return integer(&j->counts, i, 0);
  while (n < j->ids.shape[1] && item(j, i, n) >= 0) n++;
  return n;
}


/* rows as mc_csvblocks has them */
static char *lines (void *ud, int64_t first, int64_t last, char *p) {
  const job *j = ud;
  bool single = mascon_dtype_of(&j->scores) == MASCON_F32;
  for (int64_t i = first; i < last; i++) {
    int64_t n = hits(j, i);
    const char *user = p;
    size_t size = 0;
    for (int64_t k = 0; k < n; k++) {
      const char *s = mc_at(&j->scores, i, k);
      if (k == 0) {
        p = put(&j->h->users, j->first + i, j->h->base, p);
        size = (size_t)(p - user);
      }
      else {
        memcpy(p, user, size);
        p += size;
      }
      p = put(&j->h->items, item(j, i, k), j->h->base, p);
      p += mc_digits(p, single ? *(const float *)s : *(const double *)s, single);
      *p++ = '\n';
    }
  }
  return p;
}


/* has every hit a user and an item that can be written? */
static int checkhits (const job *j, mascon_why *why) {
  const mascon_hits *h = j->h;
  int64_t rows = j->ids.shape[0];
  int64_t items = h->items.bytes != NULL ? h->items.count : INT64_MAX;
  if (j->first < 0 || (h->users.bytes != NULL &&
      (j->first > h->users.count || rows > h->users.count - j->first)))
    return mc_why(why, h->path, MASCON_ERANGE, "%lld users have names, got user "
      "%lld", (long long)h->users.count, (long long)(j->first + rows + h->base - 1));
  for (int64_t i = 0; i < rows; i++) {
    int64_t n = hits(j, i);
    if (n < 0 || n > j->ids.shape[1])
      return mc_why(why, h->path, MASCON_ERANGE, "count %lld of %lld hits",
                    (long long)n, (long long)j->ids.shape[1]);
    for (int64_t k = 0; k < n; k++) {
      int64_t x = item(j, i, k);
      if (x < 0)
        return mc_why(why, h->path, MASCON_ERANGE, "item %lld is below the base",
                      (long long)(x + h->base));
      if (x >= items)
        return mc_why(why, h->path, MASCON_ERANGE, "%lld items have names, got "
                      "item %lld", (long long)h->items.count,
                      (long long)(x + h->base));
    }
  }
  return MASCON_OK;
}

/* -------} */


/* {------- adding ------- */

static bool isint (const mascon_array *a) {
  return mascon_dtype_of(a) == MASCON_I32 || mascon_dtype_of(a) == MASCON_I64;
}


static int checkarrays (const mascon_array *ids, const mascon_array *scores,
                        const mascon_array *counts) {
  int status = mc_check(ids);
  if (status == MASCON_OK) status = mc_check(scores);
  if (status == MASCON_OK && counts != NULL) status = mc_check(counts);
  if (status != MASCON_OK) return status;
  if (!isint(ids) || (counts != NULL && !isint(counts))) return MASCON_ETYPE;
  if (mascon_dtype_of(scores) != MASCON_F32 &&
      mascon_dtype_of(scores) != MASCON_F64) return MASCON_ETYPE;
  if (ids->ndim != 2 || scores->ndim != 2) return MASCON_ESHAPE;
  if (ids->shape[0] != scores->shape[0] || ids->shape[1] != scores->shape[1])
    return MASCON_ESHAPE;
  if (counts != NULL && (counts->ndim != 1 || counts->shape[0] != ids->shape[0]))
    return MASCON_ESHAPE;
  return MASCON_OK;
}


static int addlines (mascon_hits *h, const job *j, mascon_why *why,
                     mascon_exec *ex) {
  int64_t n = j->ids.shape[1];
  size_t line = h->users.longest + h->items.longest + MC_NUMBERSIZE + 1;
  int status = checkhits(j, why);
  mc_csvblocks b = {j->ids.shape[0], 0, lines, (void *)j};
  if (status != MASCON_OK || n == 0) return status;
  if ((size_t)n > PTRDIFF_MAX / line)
    return mc_whystatus(why, h->path, MASCON_ENOMEM);
  b.rowsize = line * (size_t)n;
  status = mc_csvwrite(&b, h->file.fd, &h->at, 64.0 * (double)n, ex);
  if (status == MASCON_EIO) return mc_whyerrno(why, h->path);
  return status == MASCON_OK ? status : mc_whystatus(why, h->path, status);
}


int mascon_hits_add (mascon_hits *h, int64_t first, const mascon_array *ids,
                     const mascon_array *scores, const mascon_array *counts,
                     mascon_why *why, mascon_exec *ex) {
  job j = {.h = h, .first = first};
  int status = checkarrays(ids, scores, counts);
  if (status == MASCON_OK) status = mascon_view(&j.ids, ids);
  if (status == MASCON_OK) status = mascon_view(&j.scores, scores);
  if (status == MASCON_OK && counts != NULL)
    status = mascon_view(&j.counts, counts);
  if (status == MASCON_OK) status = addlines(h, &j, why, ex);
  else mc_whystatus(why, h->path, status);
  mascon_release(&j.ids);
  mascon_release(&j.scores);
  mascon_release(&j.counts);
  return status;
}

/* -------} */


/* {------- the file ------- */

static void freehits (mascon_hits *h) {
  freefields(&h->users);
  freefields(&h->items);
  mc_free(h->path);
  mc_free(h);
}


static int fill (mascon_hits *h, const char *path,
                 const mascon_hits_opts *opts) {
  const mascon_hits_opts init = MASCON_HITS_INIT;
  size_t n = strlen(path) + 1;
  int status;
  h->path = mc_alloc(n, 1);
  if (h->path == NULL) return MASCON_ENOMEM;
  memcpy(h->path, path, n);
  if (opts == NULL) opts = &init;
  if (opts->base != 0 && opts->base != 1) return MASCON_EVALUE;
  h->base = opts->base;
  status = setfields(&h->users, opts->users);
  return status == MASCON_OK ? setfields(&h->items, opts->items) : status;
}


int mascon_hits_begin (const char *path, const mascon_hits_opts *opts,
                       mascon_hits **out, mascon_why *why) {
  static const char head[] = "user,item,score\n";
  mascon_hits *h = mc_zalloc(1, sizeof *h);
  int status = h != NULL ? fill(h, path, opts) : MASCON_ENOMEM;
  if (status != MASCON_OK) mc_whystatus(why, path, status);
  else status = mc_newfile_begin(&h->file, h->path, why);
  if (status == MASCON_OK) {
    h->at = sizeof head - 1;
    errno = mc_writeat(h->file.fd, head, sizeof head - 1, 0);
    if (errno != 0) {
      status = mc_whyerrno(why, path);
      mc_newfile_drop(&h->file);
    }
  }
  if (status == MASCON_OK) *out = h;
  else if (h != NULL) freehits(h);
  return status;
}


int mascon_hits_end (mascon_hits *h, mascon_why *why, mascon_exec *ex) {
  int status = mc_newfile_commit(&h->file, why, ex);
  freehits(h);
  return status;
}


void mascon_hits_drop (mascon_hits *h) {
  if (h == NULL) return;
  mc_newfile_drop(&h->file);
  freehits(h);
}

/* -------} */

/*
** csvrow.c - rows of CSV tables: fields and numbers
*/

#include <math.h>
#include <string.h>

#include "csv.h"
#include "number.h"


static bool blank (char c, char sep) {
  return c == ' ' || (c == '\t' && sep != '\t');
}


static const char *skipblanks (const char *p, char sep) {
  while (blank(*p, sep)) p++;
  return p;
}


bool mc_csvend (const char *p) {
  return *p == '\n' || (*p == '\r' && p[1] == '\n');
}


const char *mc_csvskip (const char *p) {
  while (*p != '\n') p++;
  return p + 1;
}


const char *mc_csvrow (const mc_csvtext *t, const char *p) {
  const char *q = skipblanks(p, t->sep);
  if (mc_csvend(q)) return NULL;
  if (*q == t->comment && t->comment != '\0') return NULL;
  return q;
}


static bool isend (const mc_csvtext *t, const char *p) {
  return *p == t->sep || (t->sep == ' ' && *p == '\t') || mc_csvend(p);
}


const char *mc_csvfield_at (const mc_csvtext *t, const char *p,
                            mc_csvfield *f) {
  const char *end;
  p = skipblanks(p, t->sep);
  f->quoted = *p == '"';
  if (f->quoted) {
    f->p = ++p;
    for (; ; p++) {
      if (*p == '"') {
        if (p[1] != '"') break;
        p++;
      }
      else if (*p == '\n') return NULL;
    }
    f->n = (size_t)(p - f->p);
    p++;
    if (t->sep == ' ') return isend(t, p) ? p : NULL;
    p = skipblanks(p, t->sep);
    return isend(t, p) ? p : NULL;
  }
  for (end = p; !isend(t, end); end++) ;
  f->p = p;
  for (p = end; p > f->p && blank(p[-1], t->sep); p--) ;
  f->n = (size_t)(p - f->p);
  return end;
}


const char *mc_csvnext (const mc_csvtext *t, const char *p) {
  if (t->sep == ' ') {
    p = skipblanks(p, ' ');
    return mc_csvend(p) ? NULL : p;
  }
  return mc_csvend(p) ? NULL : p + 1;
}


bool mc_csvnumber (const mc_csvtext *t, const mc_csvfield *f, double *x) {
  const char *p = f->p, *end = f->p + f->n;
  while (p < end && blank(*p, '\0')) p++;
  if (p == end) {
    *x = NAN;
    return true;
  }
  p = mc_number(p, t->point, x);
  if (p == NULL || p > end) return false;
  while (p < end && blank(*p, '\0')) p++;
  return p == end;
}


/* the usual field is a number and nothing else */
static const char *parsefield (const mc_csvtext *t, const char *p,
                               double *x) {
  mc_csvfield f;
  const char *q = mc_number(skipblanks(p, t->sep), t->point, x);
  if (q != NULL && t->sep != ' ') q = skipblanks(q, t->sep);
  if (q != NULL && isend(t, q)) return q;
  p = mc_csvfield_at(t, p, &f);
  return p != NULL && mc_csvnumber(t, &f, x) ? p : NULL;
}


const char *mc_csvparse (const mc_csvtext *t, const char *p,
                         double *const *out, int64_t r) {
  mc_csvfield f;
  double x;
  for (int k = 0; ; ) {
    if (out[k] == NULL) p = mc_csvfield_at(t, p, &f);
    else {
      p = parsefield(t, p, &x);
      out[k][r] = x;
    }
    if (p == NULL) return NULL;
    if (++k == t->ncols) break;
    p = mc_csvnext(t, p);
    if (p == NULL) return NULL;
  }
  return mc_csvnext(t, p) == NULL ? mc_csvskip(p) : NULL;
}

/*
** csvhead.c - the head of CSV tables: separator, names; what is wrong in them
*/

#include <stdio.h>
#include <string.h>

#include "csv.h"

#define SAMPLE 64  /* rows that say which columns are of text */


/* {------- reading ------- */

/*
** Up to MC_CSVLINE bytes from 'at' on, and a newline behind them, into
** '*buf', which is the caller's to free.
*/
static int fetch (const mc_csvfile *f, int64_t at, char **buf, size_t *n,
                  mascon_why *why) {
  int64_t rest = f->size - at;
  int error;
  *n = (size_t)(rest < MC_CSVLINE ? rest : MC_CSVLINE);
  *buf = mc_alloc(*n + 1, 1);
  if (*buf == NULL) return mc_whystatus(why, f->path, MASCON_ENOMEM);
  error = mc_readat(f->fd, *buf, *n, at);
  (*buf)[*n] = '\n';
  return error == 0 ? MASCON_OK : mc_whyread(why, f->path, error);
}


/* the line, from 1, that byte 'at' is in; 0: it cannot be read */
static int64_t lineof (const mc_csvfile *f, int64_t at) {
  char block[8192];
  const int64_t size = (int64_t)sizeof block;
  int64_t line = 1;
  for (int64_t from = 0; from < at; from += size) {
    size_t n = (size_t)(at - from < size ? at - from : size);
    if (mc_readat(f->fd, block, n, from) != 0) return 0;
    for (size_t i = 0; i < n; i++) line += block[i] == '\n';
  }
  return line;
}

/* -------} */


/* {------- the dialect ------- */

/* what separates the fields of the line at 'p' */
static char findsep (const mascon_csv_opts *o, const char *p) {
  bool tab = false, semicolon = false, comma = false, quoted = false;
  if (o->sep != '\0') return o->sep;
  for (; *p != '\n'; p++) {
    if (*p == '"') quoted = !quoted;
    if (quoted) continue;
    tab = tab || *p == '\t';
    semicolon = semicolon || *p == ';';
    comma = comma || *p == ',';
  }
  if (tab) return '\t';
  if (semicolon) return ';';
  return comma && o->point != ',' ? ',' : ' ';
}


/* the text of a field, doubled quotes made single, to 'out'; its length */
static size_t unquote (const mc_csvfield *f, char *out) {
  size_t n = 0;
  for (size_t i = 0; i < f->n; i++) {
    out[n++] = f->p[i];
    if (f->quoted && f->p[i] == '"') i++;
  }
  return n;
}


/*
** A line that is one quoted field as a whole, with separators in it, is a
** header that a spreadsheet damaged: write what it was, and a newline, to
** 'out', and return it; else 'p'.
*/
static const char *repair (const char *p, const mascon_csv_opts *o,
                           char *out) {
  const mc_csvtext whole = {.sep = '\n'};
  mc_csvfield f;
  size_t n;
  char sep;
  if (mc_csvfield_at(&whole, p, &f) == NULL || !f.quoted) return p;
  n = unquote(&f, out);
  out[n] = '\n';
  sep = findsep(o, out);
  return sep != ' ' && memchr(out, sep, n) != NULL ? out : p;
}


/* how many fields has the row at 'p'?  -1: a quote goes wrong */
static int count (const mc_csvtext *t, const char *p) {
  mc_csvfield f;
  int n = 0;
  while (p != NULL && n <= MC_CSVCOLS) {
    p = mc_csvfield_at(t, p, &f);
    if (p == NULL) return -1;
    n++;
    p = mc_csvnext(t, p);
  }
  return n;
}


/* what the fields of a row are */
typedef struct tally {
  int words, numbers, quoted, fields;  /* an empty field is no word */
} tally;


static tally look (const mc_csvtext *t, const char *p) {
  tally c = {0, 0, 0, 0};
  mc_csvfield f;
  double x;
  while (p != NULL && c.fields <= MC_CSVCOLS) {
    p = mc_csvfield_at(t, p, &f);
    if (p == NULL) break;
    c.fields++;
    c.quoted += f.quoted;
    if (!mc_csvnumber(t, &f, &x)) c.words++;
    else if (f.n > 0) c.numbers++;
    p = mc_csvnext(t, p);
  }
  return c;
}


/* the fields of the row at 'p' as names, unless there is no header */
static int setnames (mc_csvfile *f, const char *p, bool header,
                     mascon_why *why) {
  size_t n = (size_t)f->text.ncols, length = (size_t)(mc_csvskip(p) - p);
  char *to;
  f->names = mc_alloc(n * (sizeof *f->names + 20) + length, 1);
  f->ignored = mc_zalloc(n, sizeof *f->ignored);
  if (f->names == NULL || f->ignored == NULL)
    return mc_whystatus(why, f->path, MASCON_ENOMEM);
  to = (char *)(f->names + n);
  for (size_t k = 0; k < n; k++) {
    mc_csvfield name;
    size_t size = 0;
    f->names[k] = to;
    if (header) {
      p = mc_csvfield_at(&f->text, p, &name);
      size = unquote(&name, to);
      p = mc_csvnext(&f->text, p);
    }
    if (size == 0) size = (size_t)sprintf(to, "column%d", (int)k + 1);
    to[size] = '\0';
    to += size + 1;
  }
  return MASCON_OK;
}


/* the first row from '*p' on, or NULL; '*p' is its line */
static const char *findrow (const mc_csvtext *t, const char **p,
                            const char *end) {
  while (*p < end) {
    const char *row = mc_csvrow(t, *p);
    if (row != NULL) return row;
    *p = mc_csvskip(*p);
  }
  return NULL;
}


/*
** Which columns are of text: by most of the first rows from 'p' on, so that
** one broken number makes no text of a column.
*/
static int settext (mc_csvfile *f, const char *p, const char *end,
                    mascon_why *why) {
  const char *row;
  int *votes = mc_zalloc((size_t)f->text.ncols, sizeof *votes);
  if (votes == NULL) return mc_whystatus(why, f->path, MASCON_ENOMEM);
  for (int i = 0; i < SAMPLE && (row = findrow(&f->text, &p, end)) != NULL;
       i++) {
    mc_csvfield field;
    double x;
    for (int k = 0; row != NULL && k < f->text.ncols; k++) {
      row = mc_csvfield_at(&f->text, row, &field);
      if (row == NULL) break;
      if (!mc_csvnumber(&f->text, &field, &x)) votes[k]++;
      else if (field.n > 0) votes[k]--;
      row = mc_csvnext(&f->text, row);
    }
    p = mc_csvskip(p);
  }
  for (int k = 0; k < f->text.ncols; k++) f->ignored[k] = votes[k] > 0;
  mc_free(votes);
  return MASCON_OK;
}


/*
** Are the words of the row at 'p' over columns of numbers, and numbers beside
** them?  Then it may be a row with a broken field as well as a header.
*/
static bool doubtful (const mc_csvfile *f, const char *p) {
  bool numbers = false, words = false;
  mc_csvfield field;
  double x;
  for (int k = 0; k < f->text.ncols; k++) {
    p = mc_csvfield_at(&f->text, p, &field);
    if (mc_csvnumber(&f->text, &field, &x)) numbers = numbers || field.n > 0;
    else if (f->ignored[k]) return false;
    else words = true;
    p = mc_csvnext(&f->text, p);
  }
  return numbers && words;
}


/* is the row at 'head' one of names?  'p' is the line behind it */
static bool isheader (const mc_csvtext *t, const char *head, const char *p,
                      const char *end) {
  const char *row = findrow(t, &p, end);
  tally names = look(t, head), data = look(t, row);
  return names.words > 0 ||
         (row != NULL && names.quoted == names.fields && data.quoted == 0);
}


/* find the separator and the names: the row at '*p', which has 'n' bytes
   with all that is behind it, or what it was before it was damaged */
static int findhead (mc_csvfile *f, const char *row, const char *p,
                     const char **head, char *scratch,
                     const mascon_csv_opts *o, mascon_why *why) {
  mc_csvtext *t = &f->text;
  *head = repair(row, o, scratch);
  t->sep = findsep(o, *head);
  if (*head == row) *head = mc_csvrow(t, p);  /* knows now what blanks are */
  t->ncols = *head != NULL ? count(t, *head) : 0;
  if (t->ncols > MC_CSVCOLS)
    return mc_why(why, f->path, MASCON_EFORMAT, "has more than %d columns",
                  MC_CSVCOLS);
  return MASCON_OK;
}


/* the first bytes of the file: is it text? */
static int checktext (const mc_csvfile *f, const char *p, size_t n,
                      mascon_why *why) {
  if (n >= 2 && (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2)
      == 0))
    return mc_why(why, f->path, MASCON_EFORMAT, "is in UTF-16, not in UTF-8");
  return MASCON_OK;
}


/* dialect and header, from the file's first bytes; 'scratch' is as large */
static int parse (mc_csvfile *f, const char *buf, size_t n, char *scratch,
                  const mascon_csv_opts *o, mascon_why *why) {
  const char *p = buf, *end = buf + n, *row, *head, *next;
  mc_csvtext *t = &f->text;
  bool header;
  int status = checktext(f, buf, n, why);
  if (status != MASCON_OK) return status;
  if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
  t->sep = o->sep;
  t->point = o->point;
  t->comment = o->comment;
  row = findrow(t, &p, end);
  if (row == NULL)
    return mc_why(why, f->path, MASCON_EFORMAT, "holds no table");
  next = mc_csvskip(p);
  if (next > end && (int64_t)n < f->size)
    return mc_why(why, f->path, MASCON_EFORMAT,
                  "has a line longer than a megabyte");
  if (memchr(p, '\0', (size_t)(next - p)) != NULL)
    return mc_why(why, f->path, MASCON_EFORMAT, "is no text: a zero byte is "
                  "in its first line");
  status = findhead(f, row, p, &head, scratch, o, why);
  if (status != MASCON_OK) return status;
  if (t->ncols < 1) return mc_csvexplain(f, p - buf, why);
  header = o->header < 0 ? isheader(t, head, next, end) : o->header != 0;
  status = setnames(f, head, header, why);
  if (status != MASCON_OK) return status;
  status = settext(f, header ? next : p, end, why);
  if (status != MASCON_OK) return status;
  if (header && o->header < 0 && doubtful(f, head))
    return mc_why(why, f->path, MASCON_EFORMAT, "the first line has numbers "
                  "and words over columns of numbers: option 'header' says "
                  "if it is a header");
  if (header) p = next;
  f->begin = p < end ? p - buf : (int64_t)n;
  return MASCON_OK;
}


int mc_csvopen (mc_csvfile *f, const char *path, const mascon_csv_opts *opts,
                mascon_why *why) {
  char *buf = NULL, *scratch;
  size_t n;
  int status;
  memset(f, 0, sizeof *f);
  f->path = path;
  f->fd = -1;
  status = mc_openfile(path, false, &f->fd, &f->size, why);
  if (status == MASCON_OK) status = fetch(f, 0, &buf, &n, why);
  if (status == MASCON_OK) {
    scratch = mc_alloc(n + 1, 1);
    status = scratch != NULL ? parse(f, buf, n, scratch, opts, why)
                             : mc_whystatus(why, path, MASCON_ENOMEM);
    mc_free(scratch);
  }
  mc_free(buf);
  return status;
}


void mc_csvclose (mc_csvfile *f) {
  mc_free(f->names);
  mc_free(f->ignored);
  if (f->fd >= 0) mc_closefile(f->fd);
}

/* -------} */


/* {------- what is wrong ------- */

/* the first field of the row at 'p' that should be a number and is none */
static int explainfield (const mc_csvfile *f, const char *p,
                         const char *place, mascon_why *why) {
  mc_csvfield field;
  double x;
  for (int k = 0; k < f->text.ncols; k++) {
    p = mc_csvfield_at(&f->text, p, &field);
    if (!mc_csvnumber(&f->text, &field, &x) && !f->ignored[k]) {
      char got[41];
      int n = field.n < 40 ? (int)field.n : 40;
      for (int i = 0; i < n; i++)
        got[i] = (unsigned char)field.p[i] < ' ' ? '?' : field.p[i];
      return mc_why(why, place, MASCON_EFORMAT, "column '%.40s': number "
                    "expected, got '%.*s%s'", f->names[k], n, got,
                    n < (int)field.n ? "..." : "");
    }
    p = mc_csvnext(&f->text, p);
  }
  return mc_why(why, place, MASCON_EFORMAT, "changed while read");
}


int mc_csvexplain (const mc_csvfile *f, int64_t at, mascon_why *why) {
  char place[PATH_MAX + 24];
  char *buf;
  const char *p;
  size_t n;
  int fields, status = fetch(f, at, &buf, &n, why);
  if (status == MASCON_OK) {
    snprintf(place, sizeof place, "%s:%lld", f->path,
             (long long)lineof(f, at));
    p = mc_csvrow(&f->text, buf);
    fields = p != NULL ? count(&f->text, p) : 0;
    if (mc_csvskip(buf) > buf + n && (int64_t)n < f->size - at)
      status = mc_why(why, place, MASCON_EFORMAT, "longer than a megabyte");
    else if (fields < 0)
      status = mc_why(why, place, MASCON_EFORMAT, "a quoted field does not "
                      "end, or something follows it");
    else if (fields != f->text.ncols)
      status = mc_why(why, place, MASCON_EFORMAT, "%d fields expected, got %d",
                      f->text.ncols, fields);
    else status = explainfield(f, p, place, why);
  }
  mc_free(buf);
  return status;
}

/* -------} */

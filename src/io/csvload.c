/*
** csvload.c - CSV tables into memory
**
** The file is cut into blocks of bytes, and a block's rows are those whose
** lines begin in it.  One pass counts them; then it is known where each
** block's rows go, and a second one parses them, in any order.  Whoever finds
** a row that is broken notes where it begins.  Blocks are handed out in order
** and only those behind a broken row are left out, so the first one is found.
*/

#include <stdatomic.h>
#include <string.h>

#include "csv.h"

#define BLOCK ((int64_t)1 << 18)
#define TAIL ((int64_t)1 << 12)  /* in which the last line usually ends */

typedef struct job {
  const mc_csvfile *f;
  double **out;            /* of each column of the file; NULL: not wanted */
  int64_t *rows;           /* in each block; then, where they begin */
  char *scratch;           /* SCRATCH bytes for each thread */
  atomic_int error;        /* as mc_readat returns it */
  _Atomic int64_t broken;  /* where the first broken row begins */
} job;

#define SCRATCH ((size_t)(1 + BLOCK + MC_CSVLINE + 1))

/* lines that begin in a block */
typedef struct lines {
  const char *p, *end;  /* the first; where the block ends */
  const char *stop;     /* the newline behind all that was read */
  const char *buf;      /* what was read, */
  int64_t at;           /* from this byte of the file on */
} lines;


static void setbroken (job *j, int64_t at) {
  int64_t was = atomic_load_explicit(&j->broken, memory_order_relaxed);
  while (at < was && !atomic_compare_exchange_weak_explicit(&j->broken, &was,
         at, memory_order_relaxed, memory_order_relaxed)) ;
}


/*
** Read until the last line that begins before byte 'n' of 'buf' has its end;
** '*have' bytes are there.  False if it is too long, or reading fails.
*/
static bool readtail (job *j, const lines *l, char *buf, int64_t n,
                      int64_t *have) {
  int64_t most = j->f->size - l->at, step = TAIL, at = n - 1;
  if (most > n + MC_CSVLINE) most = n + MC_CSVLINE;
  while (memchr(buf + at, '\n', (size_t)(*have - at)) == NULL) {
    int error;
    at = *have;
    if (step > most - at) step = most - at;
    if (step == 0 && l->at + at == j->f->size) return true;
    if (step == 0) {
      for (at = n; at > 0 && buf[at - 1] != '\n'; at--) ;
      setbroken(j, l->at + at);
      return false;
    }
    error = mc_readat(j->f->fd, buf + at, (size_t)step, l->at + at);
    if (error != 0) {
      atomic_store_explicit(&j->error, error, memory_order_relaxed);
      return false;
    }
    *have += step;
    step *= 2;
  }
  return true;
}


/* bring the lines of block 'b' to memory; false: there are none, or trouble */
static bool fetch (job *j, int64_t b, int thread, lines *l) {
  const mc_csvfile *f = j->f;
  char *buf = j->scratch + (size_t)thread * SCRATCH;
  int64_t from = f->begin + b * BLOCK, n = f->size - from, have;
  int error;
  if (n > BLOCK) n = BLOCK;
  if (atomic_load_explicit(&j->error, memory_order_relaxed) != 0 ||
      from > atomic_load_explicit(&j->broken, memory_order_relaxed))
    return false;
  l->at = from;
  if (b > 0) {  /* does a line begin with the block? */
    l->at--;
    n++;
  }
  error = mc_readat(f->fd, buf, (size_t)n, l->at);
  if (error != 0) {
    atomic_store_explicit(&j->error, error, memory_order_relaxed);
    return false;
  }
  l->buf = l->p = buf;
  l->end = buf + n;
  if (b > 0) {
    const char *line = memchr(buf, '\n', (size_t)n);
    if (line == NULL || line + 1 == l->end) return false;
    l->p = line + 1;
  }
  have = n;
  if (!readtail(j, l, buf, n, &have)) return false;
  buf[have] = '\n';
  l->stop = buf + have;
  return true;
}


static void countrows (void *ud, int64_t first, int64_t last, int thread) {
  job *j = ud;
  lines l;
  for (int64_t b = first; b < last; b++) {
    int64_t n = 0;
    if (fetch(j, b, thread, &l))
      while (l.p < l.end) {
        n += mc_csvrow(&j->f->text, l.p) != NULL;
        l.p = memchr(l.p, '\n', (size_t)(l.stop - l.p) + 1);
        l.p++;
      }
    j->rows[b] = n;
  }
}


/* the rows of a block, the first of which is row 'r'; the next one's number */
static int64_t readblock (job *j, lines *l, int64_t r, int64_t end) {
  const mc_csvtext *t = &j->f->text;
  while (l->p < l->end) {
    const char *row = mc_csvrow(t, l->p);
    if (row == NULL) l->p = mc_csvskip(l->p);
    else {
      const char *next = r < end ? mc_csvparse(t, row, j->out, r) : NULL;
      if (next == NULL) {
        setbroken(j, l->at + (l->p - l->buf));
        return end;
      }
      l->p = next;
      r++;
    }
  }
  return r;
}


static void readrows (void *ud, int64_t first, int64_t last, int thread) {
  job *j = ud;
  lines l;
  for (int64_t b = first; b < last; b++) {
    int64_t r = j->rows[b], end = j->rows[b + 1];
    if (fetch(j, b, thread, &l)) r = readblock(j, &l, r, end);
    if (r < end)  /* they were there when they were counted */
      atomic_store_explicit(&j->error, -1, memory_order_relaxed);
  }
}


/* {------- the table ------- */

/* choose the columns: those asked for, or all but the text */
static int choose (mascon_csv *table, const mc_csvfile *f, int *places,
                   const mascon_csv_opts *o, mascon_why *why) {
  int n = f->text.ncols, most = o->ncolumns > 0 ? o->ncolumns : n;
  bool *left = f->ignored, skip;
  table->ncols = 0;
  for (int k = 0; k < most; k++) {
    int place = o->ncolumns > 0 ? o->columns[k] : k;
    if (place < 0 || place >= n)
      return mc_why(why, f->path, MASCON_ERANGE, "has %d columns, no column "
                    "%d", n, place + 1);
    if (!(o->skiptext && left[place])) places[table->ncols++] = place;
  }
  memset(left, true, (size_t)n * sizeof *left);
  for (int k = 0; k < table->ncols; k++) {
    skip = left[places[k]];
    left[places[k]] = false;
    if (!skip)
      return mc_why(why, f->path, MASCON_EVALUE, "column %d is asked for "
                    "twice", places[k] + 1);
  }
  return MASCON_OK;
}


/* which columns, and their names, in memory of their own */
static int settable (mascon_csv *table, const mc_csvfile *f,
                     const mascon_csv_opts *o, bool all, mascon_why *why) {
  size_t n = (size_t)f->text.ncols, text = 0;
  size_t most = o->ncolumns > 0 ? (size_t)o->ncolumns : n;
  int status;
  const char **names, **allnames;
  int *places;
  char *to;
  for (size_t k = 0; k < n; k++) text += strlen(f->names[k]) + 1;
  table->memory = mc_alloc((n + most) * sizeof *names + most * sizeof *places
                           + text, 1);
  if (table->memory == NULL)
    return mc_whystatus(why, f->path, MASCON_ENOMEM);
  allnames = table->memory;
  names = allnames + n;
  places = (int *)(names + most);
  to = (char *)(places + most);
  memcpy(to, f->names[0], text);
  for (size_t k = 0; k < n; k++) {
    allnames[k] = to;
    to += strlen(to) + 1;
  }
  table->names = names;
  table->places = places;
  table->nall = (int)n;
  table->allnames = allnames;
  status = all ? MASCON_OK : choose(table, f, places, o, why);
  for (int k = 0; k < table->ncols; k++) names[k] = allnames[places[k]];
  return status;
}


/* where each column of the file goes */
static void setout (double **out, const mascon_csv *table, int64_t rows) {
  double *data = table->data.data;
  for (int k = 0; k < table->ncols; k++)
    out[table->places[k]] = data + k * rows;
}


/* say what went wrong in a pass, if something did */
static int passed (const job *j, int status, mascon_why *why) {
  const char *path = j->f->path;
  if (j->broken != INT64_MAX) return mc_csvexplain(j->f, j->broken, why);
  if (j->error != 0) return mc_whyread(why, path, j->error);
  return status == MASCON_OK ? status : mc_whystatus(why, path, status);
}


/* both passes, in the scratch of 'j' */
static int readall (job *j, int64_t blocks, int threads, mascon_csv *table,
                    mascon_why *why, mascon_exec *ex) {
  mascon_exec quiet = mc_quiet(ex);
  int64_t shape[2] = {table->ncols, 0}, *rows = j->rows;
  int status = mc_parallel(&quiet, blocks, 1, threads, countrows, j);
  status = passed(j, status, why);
  if (status != MASCON_OK) return status;
  for (int64_t b = 0; b <= blocks; b++) {  /* counts to places */
    int64_t n = rows[b];
    rows[b] = shape[1];
    shape[1] += n;
  }
  /* with too few bytes for so many rows, one is short, and is looked for */
  if (shape[1] <= (j->f->size - j->f->begin + 1) / j->f->text.ncols) {
    status = mascon_new(&table->data, MASCON_F64, 2, shape);
    if (status != MASCON_OK) return mc_whystatus(why, j->f->path, status);
    setout(j->out, table, shape[1]);
  }
  status = passed(j, mc_parallel(ex, blocks, 1, threads, readrows, j), why);
  if (status == MASCON_OK && table->data.magic == 0)
    return mc_why(why, j->f->path, MASCON_EFORMAT, "changed while read");
  return status;
}


static int load (const mc_csvfile *f, mascon_csv *table, mascon_why *why,
                 mascon_exec *ex) {
  int64_t bytes = f->size - f->begin, blocks = (bytes + BLOCK - 1) / BLOCK;
  int threads = mc_threads(ex, (double)bytes), status;
  job j = {.f = f, .broken = INT64_MAX};
  j.out = mc_zalloc((size_t)f->text.ncols, sizeof *j.out);
  j.rows = mc_zalloc((size_t)blocks + 1, sizeof *j.rows);
  j.scratch = mc_alloc((size_t)threads, SCRATCH);
  if (j.out == NULL || j.rows == NULL || j.scratch == NULL)
    status = mc_whystatus(why, f->path, MASCON_ENOMEM);
  else status = readall(&j, blocks, threads, table, why, ex);
  mc_free(j.out);
  mc_free(j.rows);
  mc_free(j.scratch);
  return status;
}


static int checkopts (const mascon_csv_opts *o) {
  return o->sep == '\n' || o->sep == '"' || o->sep == '\r' ||
         (o->sep != '\0' && o->sep == o->point) || o->ncolumns < 0 ||
         o->ncolumns > MC_CSVCOLS ? MASCON_EVALUE : MASCON_OK;
}


static int loadtable (const char *path, const mascon_csv_opts *opts,
                      bool names, mascon_csv *table, mascon_why *why,
                      mascon_exec *ex) {
  const mascon_csv_opts init = MASCON_CSV_INIT;
  mascon_csv new;
  mc_csvfile f;
  int status;
  if (opts == NULL) opts = &init;
  memset(&new, 0, sizeof new);
  status = checkopts(opts);
  if (status != MASCON_OK) return mc_whystatus(why, path, status);
  status = mc_csvopen(&f, path, opts, why);
  if (status == MASCON_OK) status = settable(&new, &f, opts, names, why);
  if (status == MASCON_OK && !names) status = load(&f, &new, why, ex);
  mc_csvclose(&f);
  if (status == MASCON_OK) *table = new;
  else mascon_csv_free(&new);
  return status;
}


int mascon_csv_load (const char *path, const mascon_csv_opts *opts,
                     mascon_csv *table, mascon_why *why, mascon_exec *ex) {
  return loadtable(path, opts, false, table, why, ex);
}


int mascon_csv_names (const char *path, const mascon_csv_opts *opts,
                      mascon_csv *table, mascon_why *why) {
  return loadtable(path, opts, true, table, why, NULL);
}


void mascon_csv_free (mascon_csv *table) {
  mascon_release(&table->data);
  mc_free(table->memory);
  table->memory = NULL;
}

/* -------} */

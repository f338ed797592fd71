/*
** par.c - threads: the one file that knows OpenMP
**
** Blocks of rows are handed out in order by one atomic counter, so that the
** blocks done when a run is cancelled are a prefix of all.  The calling
** thread works like the others and, between its blocks, looks whether to
** stop.  Progress is reported outside the parallel region: when it is due the
** workers finish their blocks, the region ends, and a new one goes on.
**
** Where nobody knows what a row costs, blocks are timed: they start with one
** row, and grow or shrink to what takes a part of a millisecond.
**
** libgomp's pool does not survive fork and cannot be watched by a race
** detector; MASCON_PTHREADS selects a body of plain threads instead.
*/

#define _GNU_SOURCE  /* sched_getaffinity */

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#if defined(MASCON_PTHREADS)
#undef _OPENMP
#elif defined(_OPENMP)
#include <omp.h>
#endif

#include "core.h"

#define MAXTHREADS 1024
#define REPORT 0.1       /* seconds between two reports of progress */
#define OPS_THREAD 4e4   /* simple operations that pay for waking a thread */
#define SPIN 2e-4        /* seconds of waiting for others without a rest */
#define REST 100000      /* nanoseconds of a rest */
#define ALONE 5e-5       /* seconds of timed rows before others are woken */
#define BRIEF 2.5e-4     /* seconds that a timed block should take at least */
#define LONG 1e-3        /* and at most */

typedef struct run {
  int64_t n, grain;       /* grain 0: blocks are timed */
  int threads;            /* of the region */
  mc_body body;
  void *ud;
  mascon_exec *ex;
  double pause;           /* when the region is to end for a report */
  _Atomic int64_t next;   /* first row not handed out */
  _Atomic int64_t timed;  /* rows that a timed block had last */
  _Atomic bool stop;      /* hand out no more */
  _Atomic bool cancelled; /* ... because the caller said so */
  _Atomic int64_t broken; /* first row of a block that a body gave up */
  atomic_int finished;    /* workers, but the calling one */
} run;

/* the block that a thread is doing */
typedef struct place {
  run *r;  /* NULL: none */
  int64_t first;
  int thread;
} place;

static atomic_int busy;              /* workers inside mascon calls now */
static volatile bool forked;         /* this process is a forked child */
static _Thread_local place here;     /* what this thread is running */


double mascon_clock (void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}


/* {------- how many ------- */

static int cores (void) {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return 1;
}


static int available (void) {
  const char *env = getenv("OMP_NUM_THREADS");
  long n = env != NULL ? strtol(env, NULL, 10) : 0;
  if (n <= 0)
    n = cores() - atomic_load_explicit(&busy, memory_order_relaxed);
  return n < 1 ? 1 : n > MAXTHREADS ? MAXTHREADS : (int)n;
}


int mascon_threads (void) {
  return available();
}


void mc_busy (int by) {
  atomic_fetch_add_explicit(&busy, by, memory_order_relaxed);
}


int mc_threads (const mascon_exec *ex, double ops) {
  int n;
  if (ex != NULL && ex->threads > 0)
    return ex->threads < MAXTHREADS ? ex->threads : MAXTHREADS;
  if (ops < 2 * OPS_THREAD) return 1;
  n = available();
  return ops / OPS_THREAD < n ? (int)(ops / OPS_THREAD) : n;
}

/* -------} */


/* {------- one worker ------- */

static void lookup (run *r) {
  if (r->ex->cancel != NULL && r->ex->cancel(r->ex->ud)) r->cancelled = true;
  if (r->cancelled || (r->ex->progress != NULL && mascon_clock() >= r->pause))
    atomic_store_explicit(&r->stop, true, memory_order_relaxed);
}


static void block (run *r, int64_t first, int64_t rows, int thread) {
  here = (place) {r, first, thread};
  r->body(r->ud, first, r->n - first < rows ? r->n : first + rows, thread);
  if (thread == 0) lookup(r);
}


/* rows of the next block, where one of 'rows' took so many seconds */
static int64_t adapt (int64_t rows, double took) {
  if (took < BRIEF / 16) return rows * 8;
  if (took < BRIEF) return rows * 2;
  return took > LONG && rows > 1 ? rows / 2 : rows;
}


/* but no more than leaves the others something to do */
static int64_t share (const run *r, int64_t rows) {
  int64_t most = (r->n - r->next) / (2 * r->threads);
  if (rows > most) rows = most;
  return rows > 0 ? rows : 1;
}


static void worktimed (run *r, int thread) {
  int64_t rows = r->timed;
  while (!atomic_load_explicit(&r->stop, memory_order_relaxed)) {
    int64_t now = share(r, rows);
    int64_t first = atomic_fetch_add_explicit(&r->next, now,
                                              memory_order_relaxed);
    double began = mascon_clock();
    if (first >= r->n) break;
    block(r, first, now, thread);
    rows = adapt(now, mascon_clock() - began);
    atomic_store_explicit(&r->timed, rows, memory_order_relaxed);
  }
}


static void work (run *r, int thread) {
  place outer = here;
  if (r->grain == 0) worktimed(r, thread);
  else while (!atomic_load_explicit(&r->stop, memory_order_relaxed)) {
    int64_t first = atomic_fetch_add_explicit(&r->next, r->grain,
                                              memory_order_relaxed);
    if (first >= r->n) break;
    block(r, first, r->grain, thread);
  }
  here = outer;
}


/*
** The first timed rows are the calling thread's: it may be through before
** others are awake
*/
static void workfirst (run *r) {
  place outer = here;
  double began = mascon_clock(), took = 0;
  int64_t rows = 1;
  do {
    double before = took;
    int64_t first = r->next;
    r->next = r->n - first < rows ? r->n : first + rows;
    block(r, first, rows, 0);
    took = mascon_clock() - began;
    rows = adapt(rows, took - before);
  } while (took < ALONE && !r->stop && r->next < r->n);
  r->timed = rows;
  here = outer;
}


/*
** One block is nobody's but the calling thread's: no counting, which would
** cost more than a small image does
*/
static void workalone (run *r) {
  place outer = here;
  atomic_store_explicit(&r->next, r->n, memory_order_relaxed);
  block(r, 0, r->n, 0);
  here = outer;
}


/* this thread's block is not done, nor is what comes after it */
static void breakoff (run *r) {
  int64_t broken = r->broken;
  while (here.first < broken &&
         !atomic_compare_exchange_weak(&r->broken, &broken, here.first)) {}
}


bool mc_cancelled (void) {
  run *r = here.r;
  if (r == NULL) return false;
  if (here.thread == 0) lookup(r);
  if (!r->cancelled && here.first < r->broken) return false;
  breakoff(r);
  return true;
}


void mc_giveup (void) {
  run *r = here.r;
  breakoff(r);
  atomic_store_explicit(&r->stop, true, memory_order_relaxed);
}

/* -------} */


/* {------- a team of workers ------- */

static void afterfork (void) {
  forked = true;
}


static void watchfork (void) {
  pthread_atfork(NULL, NULL, afterfork);
}


/* no signal is ever handled on a worker: the host's threads are for that */
static void blocksignals (void) {
  static _Thread_local bool done;
  sigset_t all;
  if (done) return;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  done = true;
}

static void help (run *r, int thread) {
  blocksignals();
  work(r, thread);
  atomic_fetch_add_explicit(&r->finished, 1, memory_order_release);
}


/* the calling thread: while others are at their last blocks, which may be
   long, it goes on looking whether to stop */
static void lead (run *r, int others) {
  const struct timespec rest = {0, REST};
  double began = 0;
  work(r, 0);
  while (atomic_load_explicit(&r->finished, memory_order_acquire) < others) {
    double now = mascon_clock();
    if (began == 0) began = now;
    if (now - began < SPIN) continue;
    nanosleep(&rest, NULL);
    lookup(r);
  }
}


#if defined(_OPENMP)

static bool nested (void) {
  return here.r != NULL || omp_in_parallel();
}


static void team (run *r, int threads) {
  #pragma omp parallel num_threads(threads)
  {
    int thread = omp_get_thread_num();
    if (thread > 0) help(r, thread);
    else lead(r, omp_get_num_threads() - 1);
  }
}

#elif defined(MASCON_PTHREADS)

typedef struct member {
  run *r;
  int thread;
} member;


static bool nested (void) {
  return here.r != NULL;
}


static void *start (void *ud) {
  member *m = ud;
  help(m->r, m->thread);
  return NULL;
}


static void team (run *r, int threads) {
  pthread_t ids[MAXTHREADS];
  member members[MAXTHREADS];
  int n = 1;
  for (; n < threads; n++) {  /* fewer workers than asked for will do */
    members[n] = (member) {r, n};
    if (pthread_create(&ids[n], NULL, start, &members[n]) != 0) break;
  }
  lead(r, n - 1);
  while (n-- > 1) pthread_join(ids[n], NULL);
}

#else

static bool nested (void) {
  return true;
}


static void team (run *r, int threads) {
  (void)threads;
  (void)help;
  lead(r, 0);
}

#endif


static void teamwork (run *r, int threads) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  int64_t grain = r->grain > 0 ? r->grain : 1;
  int64_t blocks = (r->n - r->next - 1) / grain + 1;
  if (threads == 0) threads = mc_threads(r->ex, INFINITY);
  if (threads > blocks) threads = (int)blocks;
  if (threads > 1 && (forked || nested())) threads = 1;
  r->threads = threads < 1 ? 1 : threads;
  atomic_fetch_add_explicit(&busy, threads, memory_order_relaxed);
  if (threads <= 1) work(r, 0);
  else {
    pthread_once(&once, watchfork);
    team(r, threads);
  }
  atomic_fetch_sub_explicit(&busy, threads, memory_order_relaxed);
}

/* -------} */


/* when the next report is due; a call of many parts reports across them */
static double nextreport (mascon_exec *ex) {
  if (ex->progress != NULL && ex->due == 0) ex->due = mascon_clock() + REPORT;
  return ex->due;
}


static bool ended (const run *r) {
  return r->cancelled || r->broken < r->n;
}


int mc_parallel_part (mascon_exec *ex, int64_t n, int64_t grain, int threads,
                      mc_body body, void *ud, int64_t base, int64_t total) {
  static const mascon_exec init = MASCON_EXEC_INIT;
  mascon_exec quiet = init;
  run r = {.n = n, .grain = grain, .body = body, .ud = ud,
           .broken = n};
  int64_t done = 0;
  r.ex = ex != NULL ? ex : &quiet;
  if (total < 0) total = n;
  r.ex->total = total;
  while (done < n && !ended(&r)) {
    r.pause = nextreport(r.ex);
    atomic_store_explicit(&r.stop, false, memory_order_relaxed);
    atomic_store_explicit(&r.finished, 0, memory_order_relaxed);
    if (n <= grain) workalone(&r);
    else if (grain == 0 && r.next == 0) workfirst(&r);
    else teamwork(&r, threads);
    done = r.next < r.broken ? r.next : r.broken;
    if (base + done < total && !ended(&r) && r.ex->progress != NULL &&
        mascon_clock() >= r.ex->due) {
      r.cancelled = r.ex->progress(r.ex->ud, base + done, total) != 0;
      r.ex->due = 0;
    }
  }
  r.ex->done = base + done;
  if (done < n || (r.cancelled && base + n < total)) return MASCON_ECANCEL;
  if (r.ex->progress != NULL && base + n == total)
    r.ex->progress(r.ex->ud, total, total);
  return MASCON_OK;
}


int mc_parallel (mascon_exec *ex, int64_t n, int64_t grain, int threads,
                 mc_body body, void *ud) {
  return mc_parallel_part(ex, n, grain, threads, body, ud, 0, n);
}


mascon_exec mc_quiet (const mascon_exec *ex) {
  mascon_exec quiet = MASCON_EXEC_INIT;
  if (ex != NULL) {
    quiet.cancel = ex->cancel;
    quiet.ud = ex->ud;
  }
  return quiet;
}

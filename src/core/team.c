/*
** team.c - threads that run what is not a kernel: code of hosts and scripts
**
** They are plain threads, joined by whoever waits for the last of them, or
** left to themselves where the team is given up before.
*/

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "core.h"

typedef struct member {
  mascon_team *team;
  int worker;
  pthread_t thread;
} member;

struct mascon_team {
  pthread_mutex_t lock;
  pthread_cond_t ended;  /* the last one has returned */
  void (*run) (void *ud, int worker);
  void (*release) (void *ud);
  void *ud;
  pid_t process;         /* the one that has the threads */
  int running;
  bool joined;
  bool released;         /* nobody waits any more */
  int n;
  member members[];
};


/* {------- one that is over ------- */

static void destroy (mascon_team *t) {
  if (t->release != NULL) t->release(t->ud);
  pthread_cond_destroy(&t->ended);
  pthread_mutex_destroy(&t->lock);
  mc_free(t);
}


static void join (mascon_team *t) {
  if (t->joined) return;
  for (int i = 0; i < t->n; i++) pthread_join(t->members[i].thread, NULL);
  t->joined = true;
}

/* -------} */


static void *work (void *ud) {
  member *m = ud;
  mascon_team *t = m->team;
  bool last;
  t->run(t->ud, m->worker);
  mc_busy(-1);
  pthread_mutex_lock(&t->lock);
  last = --t->running == 0;
  if (last) pthread_cond_broadcast(&t->ended);
  last = last && t->released;
  pthread_mutex_unlock(&t->lock);
  if (last) destroy(t);
  return NULL;
}


/* a thread has the signal mask of whoever starts it */
static void startall (mascon_team *t, int threads) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  for (; t->n < threads; t->n++) {
    member *m = &t->members[t->n];
    m->team = t;
    m->worker = t->n;
    if (pthread_create(&m->thread, NULL, work, m) != 0) break;
    mc_busy(1);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}


static void init (mascon_team *t) {
  pthread_condattr_t attr;
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  pthread_cond_init(&t->ended, &attr);
  pthread_condattr_destroy(&attr);
  pthread_mutex_init(&t->lock, NULL);
  t->process = getpid();
}


int mascon_team_start (int threads, void (*run) (void *ud, int worker),
                       void (*release) (void *ud), void *ud,
                       mascon_team **team) {
  mascon_team *t;
  if (threads < 1 || threads > 1 << 16) return MASCON_ERANGE;
  t = mc_zalloc(1, sizeof *t + (size_t)threads * sizeof(member));
  if (t == NULL) return MASCON_ENOMEM;
  init(t);
  t->run = run;
  t->ud = ud;
  pthread_mutex_lock(&t->lock);  /* one that returns at once waits for us */
  startall(t, threads);
  t->running = t->n;
  pthread_mutex_unlock(&t->lock);
  if (t->n == 0) {
    destroy(t);
    return MASCON_ENOMEM;
  }
  t->release = release;
  *team = t;
  return MASCON_OK;
}


int mascon_team_wait (mascon_team *t, double seconds) {
  struct timespec end;
  int running;
  if (t->process != getpid()) return -1;
  clock_gettime(CLOCK_MONOTONIC, &end);
  if (seconds > 1e6) seconds = 1e6;
  end.tv_sec += (time_t)seconds;
  end.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
  if (end.tv_nsec >= 1000000000L) {
    end.tv_sec++;
    end.tv_nsec -= 1000000000L;
  }
  pthread_mutex_lock(&t->lock);
  while (t->running > 0 &&
         pthread_cond_timedwait(&t->ended, &t->lock, &end) == 0) {}
  running = t->running;
  pthread_mutex_unlock(&t->lock);
  if (running == 0) join(t);
  return running;
}


void mascon_team_release (mascon_team *t) {
  bool over;
  if (t == NULL || t->process != getpid()) return;
  pthread_mutex_lock(&t->lock);
  over = t->running == 0;
  t->released = !over;
  if (!over)
    for (int i = 0; i < t->n; i++) pthread_detach(t->members[i].thread);
  pthread_mutex_unlock(&t->lock);
  if (!over) return;
  join(t);
  destroy(t);
}

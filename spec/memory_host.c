/*
** memory_host.c - memory of a host, a limit, blocks that many threads share
*/

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lualib.h>

#include "check.h"
#include "mascon_lua.h"

#define MiB ((int64_t)1 << 20)
#define THREADS 8
#define ROUNDS 400

/* what the host's own memory counts */
static struct {
  _Atomic int64_t bytes, blocks;
  int64_t most;  /* more than these are refused */
} own;


static mascon_memory now (void) {
  mascon_memory m;
  mascon_memory_now(&m);
  return m;
}


static int vector (mascon_array *a, int64_t n) {
  return mascon_zeros(a, MASCON_U8, 1, &n);
}


/* {------- a host's allocator ------- */

static void *alloc (void *ud, size_t bytes) {
  void *p;
  CHECK(ud == &own);
  if (own.bytes + (int64_t)bytes > own.most) return NULL;
  if ((p = malloc(bytes)) == NULL) return NULL;
  memset(p, 0xff, bytes);
  own.bytes += (int64_t)bytes;
  own.blocks++;
  return p;
}


static void release (void *ud, void *p, size_t bytes) {
  CHECK(ud == &own);
  own.bytes -= (int64_t)bytes;
  own.blocks--;
  free(p);
}


static void host (void) {
  mascon_allocator a = {sizeof a, alloc, release, &own};
  mascon_array x, y;
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  CHECK(vector(&x, 100) == MASCON_OK);
  CHECK(mascon_memory_use(&a) == MASCON_EVALUE);  /* too late */
  mascon_release(&x);
  a.release = NULL;
  CHECK(mascon_memory_use(&a) == MASCON_EVALUE);
  a.release = release;
  a.size = 8;
  CHECK(mascon_memory_use(&a) == MASCON_EVALUE);
  a.size = sizeof a;
  CHECK(mascon_memory_use(&a) == MASCON_OK);
  own.most = 100 * MiB;
  CHECK(vector(&x, MiB) == MASCON_OK);
  CHECK(own.blocks == 1 && own.bytes >= MiB && own.bytes < MiB + 1000);
  CHECK((uintptr_t)x.data % 64 == 0);
  for (int64_t i = 0; i < MiB; i++) CHECK(((char *)x.data)[i] == 0);
  CHECK(vector(&y, 100 * MiB) == MASCON_ENOMEM);
  luaopen_mascon(L);
  lua_setglobal(L, "mascon");
  CHECK(luaL_dostring(L, "for i = 1, 100 do\n"
    "  local a = mascon.random(1):uniform(1000, 100)\n"
    "  assert(a:sort(1)[1000][1] > 0)\n"
    "end\n"
    "local ok, why = pcall(mascon.empty, 1e9, 'u8')\n"
    "assert(not ok and why:find 'not enough memory', why)") == 0);
  lua_close(L);
  mascon_release(&x);
  CHECK(own.blocks == 0 && own.bytes == 0 && now().kept == 0);
  CHECK(mascon_memory_use(NULL) == MASCON_OK);
  CHECK(vector(&x, MiB) == MASCON_OK && own.blocks == 0);
  mascon_release(&x);
}

/* -------} */


/* {------- a limit ------- */

/* one mebibyte at a time, as many as there may be */
static void *fill (void *ud) {
  mascon_array *a = ud;
  int n = 0;
  while (n < 64 && vector(&a[n], MiB) == MASCON_OK) n++;
  return NULL;
}


static void limit (void) {
  static mascon_array a[THREADS][64];
  pthread_t t[THREADS];
  int n = 0;
  mascon_memory_setlimit(21 * MiB);
  CHECK(now().limit == 21 * MiB && mascon_memory_limit() <= 21 * MiB);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_create(&t[i], NULL, fill, a[i]) == 0);
  for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
  for (int i = 0; i < THREADS; i++)
    for (int k = 0; k < 64 && a[i][k].magic != 0; k++) n++;
  CHECK(n <= 20 && now().blocks == n && now().bytes <= 21 * MiB);
  for (int i = 0; i < THREADS; i++)
    for (int k = 0; k < 64; k++) mascon_release(&a[i][k]);
  CHECK(now().bytes + now().kept <= 21 * MiB);
  mascon_memory_setlimit(-5);
  CHECK(now().limit == -1);
}

/* -------} */


/* {------- many threads ------- */

static mascon_array slot[THREADS];  /* from thread i to thread i + 1 */
static pthread_barrier_t gate;


/* blocks of sizes that repeat, freed here or by the next thread */
static void *churn (void *ud) {
  int me = (int)(intptr_t)ud;
  unsigned r = (unsigned)me * 7919 + 1;
  for (int i = 0; i < ROUNDS; i++) {
    mascon_array a, b;
    int64_t n;
    r = r * 1103515245 + 12345;
    n = 10000 + (int64_t)(r >> 16) % 5 * 9000;
    CHECK(vector(&a, n) == MASCON_OK && vector(&b, 1 + n / 100) == MASCON_OK);
    for (int64_t k = 0; k < n; k += 97) CHECK(((char *)a.data)[k] == 0);
    CHECK(((char *)b.data)[n / 100] == 0);
    memset(a.data, me + 1, (size_t)n);
    memset(b.data, me + 1, (size_t)(1 + n / 100));
    mascon_release(&b);
    slot[me] = a;
    if (i % 16 == 0) mascon_memory_trim();
    pthread_barrier_wait(&gate);
    CHECK(*(char *)slot[(me + 1) % THREADS].data == (me + 1) % THREADS + 1);
    mascon_release(&slot[(me + 1) % THREADS]);
    pthread_barrier_wait(&gate);
  }
  return NULL;
}


static void crowd (void) {
  pthread_t t[THREADS];
  pthread_barrier_init(&gate, NULL, THREADS);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_create(&t[i], NULL, churn, (void *)(intptr_t)i) == 0);
  for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
  pthread_barrier_destroy(&gate);
  CHECK(now().blocks == 0 && now().bytes == 0 && now().kept <= 64 * MiB);
  mascon_memory_trim();
  CHECK(now().kept == 0);
}


#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

static atomic_bool stop;


static void *busy (void *ud) {
  while (!stop) {
    mascon_array a;
    CHECK(vector(&a, 20000) == MASCON_OK);
    mascon_release(&a);
  }
  return ud;
}


/* a fork at any time: the child allocates, frees and trims as ever */
static void forks (void) {
  pthread_t t;
  CHECK(pthread_create(&t, NULL, busy, NULL) == 0);
  for (int i = 0; i < 20; i++) {
    int status;
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
      mascon_array a;
      alarm(5);
      for (int k = 0; k < 100; k++) {
        if (vector(&a, 20000) != MASCON_OK) _exit(1);
        mascon_release(&a);
      }
      mascon_memory_trim();
      _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
  }
  stop = 1;
  pthread_join(t, NULL);
}

#endif

/* -------} */


int main (void) {
  host();
  limit();
  crowd();
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  forks();  /* their own malloc may hold a lock in the child */
#endif
  printf("ok\n");
  return 0;
}

/*
** loop_host.c - mascon_parallel_for, mascon_cancelled, mascon_overlap from C
*/

#define _POSIX_C_SOURCE 200809L

#include <limits.h>
#include <stdatomic.h>
#include <time.h>

#include <mascon.h>

#include "check.h"

#define N 20000

static int64_t done[N];      /* how often a row was done */
static atomic_int blocks;

static int64_t failing;      /* rows from this one on fail, with status -row */


static mascon_exec with (int threads) {
  mascon_exec ex = MASCON_EXEC_INIT;
  ex.threads = threads;
  return ex;
}


static int row (void *ud, int64_t first, int64_t last) {
  if (ud != done || first < 0 || last > N || first >= last) return INT_MAX;
  blocks++;
  for (int64_t i = first; i < last; i++) {
    if (i >= failing) return (int)-i;
    done[i]++;
  }
  return 0;
}


static void clear (void) {
  for (int i = 0; i < N; i++) done[i] = 0;
  failing = N;
  blocks = 0;
}


/* are rows before 'n' done once, and those from 'end' on not at all? */
static int right (int64_t n, int64_t end) {
  for (int64_t i = 0; i < n; i++)
    if (done[i] != 1) return 0;
  for (int64_t i = end; i < N; i++)
    if (done[i] != 0) return 0;
  return 1;
}


static void everyrow (void) {
  static const int64_t counts[] = {0, 1, 2, 7, 8, 100, N},
                       grains[] = {0, 1, 7, 8, N, INT64_MAX};
  for (int threads = 0; threads <= 8; threads++)
    for (int n = 0; n < 7; n++)
      for (int g = 0; g < 6; g++) {
        mascon_exec ex = with(threads);
        clear();
        CHECK(mascon_parallel_for(counts[n], grains[g], row, done, &ex) == 0);
        CHECK(right(counts[n], counts[n]));
        CHECK(ex.done == counts[n] && ex.total == counts[n]);
        if (grains[g] > 0)
          CHECK(blocks == counts[n] / grains[g] +
                          (counts[n] % grains[g] != 0));
      }
  clear();
  CHECK(mascon_parallel_for(100, 0, row, done, NULL) == 0 && right(100, 100));
}


static void failures (void) {
  for (int threads = 1; threads <= 8; threads++)
    for (int64_t grain = 0; grain < 200; grain += 50)
      for (int64_t at = 1; at < N; at = at * 3 + 1) {
        mascon_exec ex = with(threads);
        clear();
        failing = at;
        CHECK(mascon_parallel_for(N, grain, row, done, &ex) == -at);
        CHECK(right(at, at));
        CHECK(ex.done <= at && (grain == 0 || at - ex.done < grain));
      }
}


static void misuse (void) {
  CHECK(mascon_parallel_for(-1, 0, row, done, NULL) == MASCON_ERANGE);
  CHECK(mascon_parallel_for(1, -1, row, done, NULL) == MASCON_ERANGE);
  CHECK(mascon_parallel_for(1, 0, NULL, done, NULL) == MASCON_EVALUE);
  CHECK(mascon_cancelled() == 0);
}


/* {------- cancel and progress ------- */

static atomic_int asked;


static int cancel (void *ud) {
  return ++asked > *(int *)ud;
}


static void nap (void) {
  const struct timespec t = {0, 200000};
  nanosleep(&t, NULL);
}


/* rows from 'failing' on wait for the end of the loop */
static int wait (void *ud, int64_t first, int64_t last) {
  if (last <= failing) return row(ud, first, last);
  while (!mascon_cancelled()) nap();
  return MASCON_ECANCEL;
}


static void cancelling (void) {
  for (int threads = 1; threads <= 3; threads++) {
    int patience = 5;
    mascon_exec ex = with(threads);
    ex.cancel = cancel;
    ex.ud = &patience;
    for (int64_t at = 0; at < N; at += 999) {
      asked = 0;
      clear();
      failing = at;
      CHECK(mascon_parallel_for(N, 10, wait, done, &ex) == MASCON_ECANCEL);
      CHECK(ex.done <= at && ex.done % 10 == 0 && right(ex.done, at));
    }
  }
}


/* row 100 fails at once, those behind wait until they are told */
static int late (void *ud, int64_t first, int64_t last) {
  (void)ud;
  (void)last;
  if (first == 100) return -100;
  if (first < 100) nap();
  while (first > 100 && !mascon_cancelled()) nap();
  return first > 100 ? -1 : 0;
}


static void telling (void) {
  for (int threads = 1; threads <= 8; threads++) {
    mascon_exec ex = with(threads);
    CHECK(mascon_parallel_for(N, 1, late, NULL, &ex) == -100);
    CHECK(ex.done == 100);
  }
}


static int64_t reported;


static int report (void *ud, int64_t now, int64_t total) {
  int *stop = ud;
  if (now < reported || now > total || total != 2000) return 1;
  reported = now;
  return --*stop == 0;
}


static int slow (void *ud, int64_t first, int64_t last) {
  (void)ud;
  for (int64_t i = first; i < last; i++) nap();
  return 0;
}


static void progress (void) {
  for (int64_t grain = 0; grain < 2; grain++) {
    int stop = -1;
    mascon_exec ex = with(2);
    ex.progress = report;
    ex.ud = &stop;
    reported = 0;
    CHECK(mascon_parallel_for(2000, grain, slow, NULL, &ex) == 0);
    CHECK(reported == 2000 && stop < -2);
    stop = 1;
    reported = 0;
    CHECK(mascon_parallel_for(2000, grain, slow, NULL, &ex) ==
          MASCON_ECANCEL);
    CHECK(reported == ex.done && ex.done < 2000);
  }
}

/* -------} */


/* a loop in each row of a loop: no two threads share an inner one */
static int inner (void *ud, int64_t first, int64_t last) {
  *(int64_t *)ud += last - first;
  return first == 30 ? -3 : 0;
}


static int outer (void *ud, int64_t first, int64_t last) {
  (void)ud;
  for (int64_t i = first; i < last; i++) {
    int64_t n = 0;
    mascon_exec ex = with(4);
    if (mascon_parallel_for(30, 1, inner, &n, &ex) != 0 || n != 30) return -1;
    n = 0;
    if (mascon_parallel_for(60, 10, inner, &n, NULL) != -3 || n != 40)
      return -2;
  }
  return 0;
}


static void nesting (void) {
  for (int threads = 1; threads <= 3; threads++) {
    mascon_exec ex = with(threads);
    CHECK(mascon_parallel_for(500, 0, outer, NULL, &ex) == 0);
  }
}


static void overlaps (void) {
  static const int64_t shape[2] = {10, 10};
  mascon_array a, b, v;
  CHECK(mascon_zeros(&a, MASCON_F64, 2, shape) == 0);
  CHECK(mascon_zeros(&b, MASCON_F64, 2, shape) == 0);
  CHECK(mascon_overlap(&a, &b) == MASCON_APART);
  CHECK(mascon_overlap(&a, &a) == MASCON_SAME);
  mascon_release(&b);
  CHECK(mascon_permute(&b, &a, (int[]) {1, 0}) == 0);
  CHECK(mascon_overlap(&a, &b) == MASCON_PARTLY);
  mascon_release(&b);
  CHECK(mascon_narrow(&b, &a, 1, 0, 5, 1) == 0);
  CHECK(mascon_narrow(&v, &a, 1, 5, 5, 1) == 0);
  CHECK(mascon_overlap(&v, &b) == MASCON_APART);
  CHECK(mascon_overlap(&a, &b) == MASCON_PARTLY);
  mascon_release(&v);
  mascon_release(&b);
  mascon_release(&a);
}


int main (void) {
  everyrow();
  failures();
  misuse();
  cancelling();
  telling();
  progress();
  nesting();
  overlaps();
  printf("all right\n");
  return 0;
}

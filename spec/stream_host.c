/*
** stream_host.c - mascon_topn_stream with a callback that runs on the workers
*/

#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include <mascon.h>

#include "check.h"

#define ROWS 500
#define COLS 300
#define N 7

static float scores[ROWS][COLS];
static atomic_int calls, abroad, longest, busy, most;
static int64_t failing;
static pthread_t caller;
static int64_t lastrow;      /* of a serial run */

typedef struct results {
  int32_t ids[ROWS][N], counts[ROWS];
  float scores[ROWS][N];
} results;


static void nap (void) {
  const struct timespec t = {0, 50000};
  nanosleep(&t, NULL);
}


static int score (void *ud, mascon_array *block, int64_t first, int64_t last) {
  int n = ++busy;
  if (ud != scores || block->shape[0] != last - first ||
      block->shape[1] != COLS || block->stride[1] != 1 ||
      block->stride[0] != COLS) return 1;
  calls++;
  if (!pthread_equal(pthread_self(), caller)) abroad++;
  if (last - first > longest) longest = (int)(last - first);
  if (n > most) most = n;
  if (calls < 20) nap();  /* let others begin */
  memcpy(block->data, scores[first], (size_t)(last - first) * sizeof *scores);
  busy--;
  return last > failing;
}


static int inorder (void *ud, mascon_array *block, int64_t first,
                    int64_t last) {
  if (!pthread_equal(pthread_self(), caller) || first != lastrow) return 1;
  lastrow = last;
  return score(ud, block, first, last);
}


static int64_t sunk;


static int sink (void *ud, int64_t first, int64_t last,
                 const mascon_array *ids, const mascon_array *values,
                 const mascon_array *counts) {
  results *r = ud;
  if (first != sunk || !pthread_equal(pthread_self(), caller)) return 1;
  for (int64_t i = first; i < last; i++)
    for (int k = 0; k < N; k++) {
      r->ids[i][k] = ((int32_t *)ids->data)[(i - first) * N + k];
      r->scores[i][k] = ((float *)values->data)[(i - first) * N + k];
      r->counts[i] = ((int32_t *)counts->data)[i - first];
    }
  sunk = last;
  return 0;
}


/* what topn makes of the scores, or a stream of them */
static int run (mascon_stream *s, results *r, int threads, int sinks,
                int64_t *done) {
  static const int64_t shape[2] = {ROWS, COLS}, wide[2] = {ROWS, N};
  mascon_array all, ids, values, counts;
  mascon_topn_opts opts = MASCON_TOPN_INIT;
  mascon_topn_out out = MASCON_TOPN_OUT_INIT;
  mascon_exec ex = MASCON_EXEC_INIT;
  int status;
  CHECK(!mascon_describe(&all, scores, MASCON_F32, 2, shape, NULL, 0));
  CHECK(!mascon_describe(&ids, r->ids, MASCON_I32, 2, wide, NULL, 0));
  CHECK(!mascon_describe(&values, r->scores, MASCON_F32, 2, wide, NULL, 0));
  CHECK(!mascon_describe(&counts, r->counts, MASCON_I32, 1, wide, NULL, 0));
  opts.n = N;
  ex.threads = threads;
  memset(r, 0, sizeof *r);
  calls = abroad = longest = busy = most = 0;
  lastrow = sunk = 0;
  if (sinks) {
    out.sink = sink;
    out.ud = r;
  }
  else {
    out.ids = &ids;
    out.scores = &values;
    out.counts = &counts;
  }
  status = s == NULL ? mascon_topn(&all, &opts, &out, &ex)
                     : mascon_topn_stream(s, &opts, &out, &ex);
  *done = ex.done;
  return status;
}


static mascon_stream stream (int64_t batch) {
  mascon_stream s = MASCON_STREAM_INIT;
  s.rows = ROWS;
  s.cols = COLS;
  s.batch = batch;
  s.dtype = MASCON_F32;
  s.score = score;
  s.ud = scores;
  return s;
}


static void same (const results *expected) {
  static const int64_t batches[] = {0, 1, 7, 300, 499, 500, 5000};
  static results r;
  int64_t done;
  for (int threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5)
    for (int b = 0; b < 7; b++)
      for (int sinks = 0; sinks < 2; sinks++) {
        mascon_stream s = stream(batches[b]);
        CHECK(run(&s, &r, threads, sinks, &done) == MASCON_OK);
        CHECK(done == ROWS && memcmp(&r, expected, sizeof r) == 0);
        CHECK(batches[b] == 0 || longest <= batches[b]);
        CHECK(most <= threads);
        CHECK(threads > 1 || abroad == 0);
        s.serial = 1;
        s.score = inorder;
        CHECK(run(&s, &r, threads, sinks, &done) == MASCON_OK);
        CHECK(memcmp(&r, expected, sizeof r) == 0 && abroad == 0);
      }
}


static void cancelled (const results *expected) {
  static results r;
  int64_t done;
  for (int threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5)
    for (int serial = 0; serial < 2; serial++)
      for (failing = 0; failing < ROWS; failing += 165) {
        mascon_stream s = stream(7);
        s.serial = serial;
        CHECK(run(&s, &r, threads, 0, &done) == MASCON_ECANCEL);
        CHECK(done == failing / 7 * 7);
        CHECK(memcmp(r.ids, expected->ids, (size_t)done * sizeof *r.ids) == 0);
        for (int64_t i = done; i < ROWS; i++) CHECK(r.counts[i] == 0);
      }
  failing = ROWS;
}


/* a program that was built when streams had less to say */
static void older (const results *expected) {
  static results r;
  int64_t done;
  mascon_stream s = stream(3);
  s.size = offsetof(mascon_stream, serial);
  s.serial = 1;
  CHECK(run(&s, &r, 2, 0, &done) == MASCON_OK);
  CHECK(memcmp(&r, expected, sizeof r) == 0);
}


/* few long rows are shared, too */
static void few (void) {
  mascon_stream s = stream(0);
  mascon_topn_opts opts = MASCON_TOPN_INIT;
  mascon_exec ex = MASCON_EXEC_INIT;
  s.rows = 4;
  ex.threads = 2;
  calls = 0;
  CHECK(mascon_topn_stream(&s, &opts, NULL, &ex) == MASCON_OK && calls == 4);
  s.rows = 0;
  calls = 0;
  CHECK(mascon_topn_stream(&s, &opts, NULL, &ex) == MASCON_OK && calls == 0);
  s.batch = INT64_MAX;
  s.rows = INT64_MAX;
  CHECK(mascon_topn_stream(&s, &opts, NULL, &ex) == MASCON_ETOOBIG);
  s.score = NULL;
  CHECK(mascon_topn_stream(&s, &opts, NULL, &ex) == MASCON_EVALUE);
}


int main (void) {
  static results expected;
  int64_t done;
  unsigned x = 1;
  caller = pthread_self();
  failing = ROWS;
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < COLS; k++) {
      x = x * 1664525u + 1013904223u;
      scores[i][k] = (float)(x >> 20);
    }
  CHECK(run(NULL, &expected, 1, 0, &done) == MASCON_OK);
  same(&expected);
  cancelled(&expected);
  older(&expected);
  few();
  printf("all right\n");
  return 0;
}

/*
** host.c - mascon in a C program without Lua
**
** Draws a gaussian into memory of its own, and finds the best of each row of
** its own scores.
**
**   cc host.c $(pkg-config --cflags --libs mascon) -o host
*/

#include <stdio.h>
#include <stdlib.h>

#include <mascon.h>

#define H 256
#define W 384
#define ROWS 3
#define COLS 1000
#define N 5


static int check (const char *what, int status) {
  if (status != MASCON_OK)
    fprintf(stderr, "%s: %s\n", what, mascon_strerror(status));
  return status != MASCON_OK;
}


/* called once, when the last array over the memory is released */
static void release (void *ctx, void *data) {
  ++*(int *)ctx;
  free(data);
}


/* one spot into memory from malloc; nothing is copied */
static int draw (void) {
  static const int64_t shape[2] = {H, W};
  mascon_gauss_opts opts = MASCON_GAUSS_INIT;
  mascon_array image, row;
  double *pixels = malloc(sizeof *pixels * H * W), sum = 0;
  int released = 0;
  if (pixels == NULL ||
      mascon_wrap(&image, pixels, MASCON_F64, 2, shape, NULL, release,
                  &released, 0) != MASCON_OK) {
    free(pixels);  /* still ours */
    return 1;
  }
  opts.sample = MASCON_INTEGRATED;
  if (check("gauss", mascon_gauss(100.5, 200, 3, 2, &opts, &image, NULL)))
    return 1;
  for (int i = 0; i < H * W; i++) sum += pixels[i];
  printf("gauss: %d x %d, sum %.12f\n", H, W, sum);
  mascon_select(&row, &image, 0, 100);  /* a view keeps the memory alive */
  mascon_release(&image);
  printf("gauss: row 100 has %.6f at its centre\n",
         ((double *)row.data)[200]);
  mascon_release(&row);
  return sum < 1 - 1e-12 || sum > 1 + 1e-12 || released != 1;
}


/* the best of each row; the scores stand in an array of C */
static int best (void) {
  static float scores[ROWS][COLS];
  static const int64_t shape[2] = {ROWS, COLS};
  mascon_array in, ids, values;
  mascon_topn_opts opts = MASCON_TOPN_INIT;
  mascon_topn_out out = MASCON_TOPN_OUT_INIT;
  mascon_exec exec = MASCON_EXEC_INIT;
  int32_t found[ROWS][N];
  float score[ROWS][N];
  int wrong = 0;
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLS; c++)
      scores[r][c] = (float)((c * 387 + r * 11) % COLS);
  mascon_describe(&in, scores, MASCON_F32, 2, shape, NULL, MASCON_READONLY);
  mascon_describe(&ids, found, MASCON_I32, 2, (int64_t[]) {ROWS, N}, NULL, 0);
  mascon_describe(&values, score, MASCON_F32, 2, (int64_t[]) {ROWS, N}, NULL,
                  0);
  opts.n = N;
  out.ids = &ids;
  out.scores = &values;
  exec.threads = 2;
  if (check("topn", mascon_topn(&in, &opts, &out, &exec))) return 1;
  for (int r = 0; r < ROWS; r++) {
    printf("topn: row %d:", r);
    for (int i = 0; i < N; i++) {
      printf(" %d (%g)", found[r][i], score[r][i]);
      wrong |= score[r][i] != COLS - 1 - i ||
               score[r][i] != scores[r][found[r][i]];
    }
    printf("\n");
  }
  return wrong;
}


int main (void) {
  printf("mascon %s on %s\n", MASCON_VERSION, mascon_cpu());
  if (draw() || best()) return EXIT_FAILURE;
  printf("all right\n");
  return EXIT_SUCCESS;
}

/*
** tgauss.h - template of the kernels of kgauss.h
*/

static void K(gauss_row_f64) (double *out, const double *profile, double f,
                              size_t n, int add) {
  for (size_t i = 0; i < n; i++) {
    double v = f * profile[i];
    out[i] = add ? out[i] + v : v;
  }
}


static void K(gauss_row_f32) (float *out, const double *profile, double f,
                              size_t n, int add) {
  for (size_t i = 0; i < n; i++) {
    float v = (float)(f * profile[i]);
    out[i] = add ? out[i] + v : v;
  }
}


static const mck_gauss K(gauss) = {
  .row_f64 = K(gauss_row_f64),
  .row_f32 = K(gauss_row_f32)
};

/*
** timage.h - kernels that make pixels of numbers: see kimage.h
*/


static void K(image_level) (double *x, size_t n, double black, double white,
                            double scale, double top, mck_clipped *c) {
  int64_t low = 0, high = 0, number = 0;
  for (size_t i = 0; i < n; i++) {
    double v = (x[i] - black) * scale;
    low += x[i] < black;
    high += x[i] > white;
    number += x[i] == x[i];
    v = v > 0 ? v : 0;  /* NaN too: also 0 * infinity, where white is black */
    x[i] = v < top ? v : top;
  }
  c->low += low;
  c->high += high;
  c->nan += (int64_t)n - number;
}


INLINE void K(image_dot) (uint8_t *p, unsigned v, int add) {
  if (add) v += *p;
  *p = (uint8_t)(v < 255 ? v : 255);
}


static void K(image_paint) (uint8_t *out, ptrdiff_t so, ptrdiff_t sc,
                            const double *x, const double *light,
                            const uint8_t *map, size_t n, int add) {
  for (size_t i = 0; i < n; i++) {
    const uint8_t *c = map + 3 * (size_t)x[i];
    uint8_t *p = out + (ptrdiff_t)i * so;
    for (int k = 0; k < 3; k++, p += sc)
      K(image_dot)(p, light == NULL ? c[k] : (unsigned)(c[k] * light[i] + 0.5),
                   add);
  }
}


static const mck_image K(image) = {
  .level = K(image_level),
  .paint = K(image_paint)
};

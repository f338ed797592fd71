/*
** tgemm.h - the matrix product for one element type
**
** Included by tmatmul.h with REAL, its vector VEC and their operations, G to
** name functions, MR and EACHROW; takes back what the type defined.
*/

#define W (VBYTES / sizeof(REAL))
#define NR (3 * W)


/* r lines side by side, unrolled where the caller's 'r' is a constant */
INLINE void G(packpanel) (REAL *to, const REAL *from, ptrdiff_t across,
                          ptrdiff_t along, size_t k, size_t r) {
  for (size_t p = 0; p < k; p++, to += r, from += along)
    for (size_t i = 0; i < r; i++) to[i] = from[(ptrdiff_t)i * across];
}


static void G(pack) (void *to, const void *from, ptrdiff_t across,
                     ptrdiff_t along, size_t n, size_t k, size_t r) {
  REAL *t = to;
  const REAL *f = from;
  for (; n >= r; n -= r, t += r * k, f += (ptrdiff_t)r * across) {
    if (across == 1 && r == NR) G(packpanel)(t, f, 1, along, k, NR);
    else if (across == 1 && r == MR) G(packpanel)(t, f, 1, along, k, MR);
    else if (along == 1 && r == MR) G(packpanel)(t, f, across, 1, k, MR);
    else G(packpanel)(t, f, across, along, k, r);
  }
  if (n == 0) return;
  for (size_t p = 0; p < k; p++, t += r, f += along)
    for (size_t i = 0; i < r; i++)
      t[i] = i < n ? f[(ptrdiff_t)i * across] : 0;
}


/*
** One tile: c[i * rs + j] for MR x NR.  The sums are named one by one: gcc
** keeps an array of them in memory.
*/
INLINE void G(tile) (REAL *restrict c, ptrdiff_t rs, const REAL *restrict a,
                     const REAL *restrict b, size_t k, int add) {
#define ZERO(i) VEC c ## i ## 0 = {0}, c ## i ## 1 = {0}, c ## i ## 2 = {0};
#define STEP(i) \
  { VEC x = ALL(a[i]); \
    c ## i ## 0 = FUSED(x, b0, c ## i ## 0); \
    c ## i ## 1 = FUSED(x, b1, c ## i ## 1); \
    c ## i ## 2 = FUSED(x, b2, c ## i ## 2); }
#define FETCH(i) \
  __builtin_prefetch(c + i * rs, 1); \
  __builtin_prefetch(c + i * rs + W, 1); \
  __builtin_prefetch(c + i * rs + 2 * W, 1);
#define ADD(i) \
  c ## i ## 0 += LOAD(c + i * rs); \
  c ## i ## 1 += LOAD(c + i * rs + W); \
  c ## i ## 2 += LOAD(c + i * rs + 2 * W);
#define PUT(i) \
  STORE(c + i * rs, c ## i ## 0); \
  STORE(c + i * rs + W, c ## i ## 1); \
  STORE(c + i * rs + 2 * W, c ## i ## 2);
  EACHROW(ZERO)
  EACHROW(FETCH)
  for (; k > 0; k--, a += MR, b += NR) {
    VEC b0 = LOAD(b), b1 = LOAD(b + W), b2 = LOAD(b + 2 * W);
    EACHROW(STEP)
  }
  if (add) { EACHROW(ADD) }
  EACHROW(PUT)
#undef ZERO
#undef STEP
#undef FETCH
#undef ADD
#undef PUT
}


/* a tile of which only m x n is wanted, or whose rows have gaps */
static void G(edge) (REAL *c, ptrdiff_t rs, ptrdiff_t cs, const REAL *a,
                     const REAL *b, size_t m, size_t n, size_t k, int add) {
  REAL t[MR * NR];
  G(tile)(t, NR, a, b, k, 0);
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      REAL *e = c + (ptrdiff_t)i * rs + (ptrdiff_t)j * cs;
      *e = add ? *e + t[i * NR + j] : t[i * NR + j];
    }
}


static void G(block) (void *to, ptrdiff_t rs, ptrdiff_t cs, const void *left,
                      const void *right, size_t m, size_t n, size_t k,
                      int add) {
  const REAL *b = right;
  for (size_t j = 0; j < n; j += NR, b += NR * k) {
    const REAL *a = left;
    size_t nj = n - j < NR ? n - j : NR;
    for (size_t i = 0; i < m; i += MR, a += MR * k) {
      REAL *c = (REAL *)to + (ptrdiff_t)i * rs + (ptrdiff_t)j * cs;
      size_t mi = m - i < MR ? m - i : MR;
      if (mi == MR && nj == NR && cs == 1) G(tile)(c, rs, a, b, k, add);
      else G(edge)(c, rs, cs, a, b, mi, nj, k, add);
    }
  }
}


INLINE REAL G(across) (VEC v) {
  REAL s = 0;
  for (size_t i = 0; i < W; i++) s += v[i];
  return s;
}


static void G(rows) (void *y, ptrdiff_t ys, const void *a, ptrdiff_t rs,
                     const void *x, size_t m, size_t k) {
  const REAL *f = a, *v = x;
  REAL *t = y;
  for (; m > 0; m--, f += rs, t += ys) {
    VEC s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    REAL s;
    size_t p = 0;
    for (; p + 4 * W <= k; p += 4 * W) {
      s0 = FUSED(LOAD(f + p), LOAD(v + p), s0);
      s1 = FUSED(LOAD(f + p + W), LOAD(v + p + W), s1);
      s2 = FUSED(LOAD(f + p + 2 * W), LOAD(v + p + 2 * W), s2);
      s3 = FUSED(LOAD(f + p + 3 * W), LOAD(v + p + 3 * W), s3);
    }
    for (; p + W <= k; p += W) s0 = FUSED(LOAD(f + p), LOAD(v + p), s0);
    s = G(across)((s0 + s1) + (s2 + s3));
    for (; p < k; p++) s += f[p] * v[p];
    *t = s;
  }
}


static void G(cols) (void *y, ptrdiff_t ys, const void *a, ptrdiff_t cs,
                     const void *x, size_t m, size_t k) {
  const REAL *v = x;
  REAL *t = y;
  size_t i = 0;
  for (; i + 4 * W <= m; i += 4 * W) {
    const REAL *f = (const REAL *)a + i;
    VEC s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    REAL out[4 * W];
    for (size_t p = 0; p < k; p++, f += cs) {
      VEC e = ALL(v[p]);
      s0 = FUSED(e, LOAD(f), s0);
      s1 = FUSED(e, LOAD(f + W), s1);
      s2 = FUSED(e, LOAD(f + 2 * W), s2);
      s3 = FUSED(e, LOAD(f + 3 * W), s3);
    }
    STORE(out, s0);
    STORE(out + W, s1);
    STORE(out + 2 * W, s2);
    STORE(out + 3 * W, s3);
    for (size_t j = 0; j < 4 * W; j++) t[(ptrdiff_t)(i + j) * ys] = out[j];
  }
  for (; i < m; i++) {  /* as one lane of the above */
    const REAL *f = (const REAL *)a + i;
    VEC s = {0};
    for (size_t p = 0; p < k; p++, f += cs)
      s = FUSED(ALL(v[p]), ALL(*f), s);
    t[(ptrdiff_t)i * ys] = s[0];
  }
}

#undef W
#undef NR
#undef REAL
#undef VEC
#undef LOAD
#undef STORE
#undef ALL
#undef FUSED
#undef G

/*
** trandom.h - template of the kernels of krandom.h
**
** A vector holds VD blocks, each word of a block in a 64-bit lane whose upper
** half is not used.  Logarithm, sine and cosine are power series, evaluated
** without fused products, so that every instruction set has the same bits.
*/

#include <string.h>

#define GROUP 16  /* positions that are made together */

typedef uint64_t vq __attribute__((vector_size(VBYTES)));
__extension__ typedef unsigned __int128 u128;
typedef uint64_t vqu __attribute__((vector_size(VBYTES), aligned(8),
                                    may_alias));

#define PHILOX_M0 0xD2511F53u
#define PHILOX_M1 0xCD9E8D57u
#define PHILOX_W0 0x9E3779B9u
#define PHILOX_W1 0xBB67AE85u


INLINE vq allq (uint64_t x) {
  return x - (vq){0};
}


/* products of the lower halves */
INLINE vq mulq (vq a, vq b) {
#if ISA_AVX512
  return (vq)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif ISA_AVX2
  return (vq)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__x86_64__)
  return (vq)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return (a & 0xffffffffu) * (b & 0xffffffffu);
#endif
}


/* {------- the generator ------- */

static void K(philox) (uint32_t out[4], const uint32_t counter[4],
                       uint64_t key) {
  uint32_t x0 = counter[0], x1 = counter[1], x2 = counter[2], x3 = counter[3];
  uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  for (int i = 0; i < 10; i++, k0 += PHILOX_W0, k1 += PHILOX_W1) {
    uint64_t p0 = (uint64_t)PHILOX_M0 * x0, p1 = (uint64_t)PHILOX_M1 * x2;
    x0 = (uint32_t)(p1 >> 32) ^ x1 ^ k0;
    x1 = (uint32_t)p1;
    x2 = (uint32_t)(p0 >> 32) ^ x3 ^ k1;
    x3 = (uint32_t)p0;
  }
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}


/* both halves of the VD blocks from counter 'b' on */
INLINE void philoxes (vq *low, vq *high, uint64_t b, uint64_t key) {
  vq x0 = allq(b), x1, x2 = {0}, x3 = {0};
  uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  for (size_t i = 0; i < VD; i++) x0[i] += i;
  x1 = x0 >> 32;
  for (int i = 0; i < 10; i++, k0 += PHILOX_W0, k1 += PHILOX_W1) {
    vq p0 = mulq(x0, allq(PHILOX_M0)), p1 = mulq(x2, allq(PHILOX_M1));
    x0 = (p1 >> 32) ^ x1 ^ allq(k0);
    x1 = p1;
    x2 = (p0 >> 32) ^ x3 ^ allq(k1);
    x3 = p0;
  }
  *low = (x0 & allq(0xffffffffu)) | (x1 << 32);
  *high = (x2 & allq(0xffffffffu)) | (x3 << 32);
}

/* -------} */


/* {------- functions of words ------- */

/* odd multiples of 2^-53 in (0, 1): exact throughout */
INLINE vd unitd (vq w) {
  return (vd)((w >> 12) | allq(0x3ff0000000000000u)) - alld(1 - 0x1p-53);
}


/*
** Logarithm of u in (0, 1), a normal number, to 1 ULP.  u = 2^-k m with m
** from sqrt(1/2) to sqrt(2), and log m = 2 atanh s, s = (m - 1) / (m + 1), of
** which |s| < 0.172 makes ten terms enough.
*/
INLINE vd logd (vd u) {
  const uint64_t root = 0x3fe6a09e667f3bcdu, one = (uint64_t)1 << 52;
  vq e = (allq(root + one - 1) - (vq)u) >> 52;
  vd k = (vd)(e | allq(0x4330000000000000u)) - alld(0x1p52);
  vd f = (vd)((vq)u + (e << 52)) - alld(1);
  vd s = f / (f + alld(2)), z = s * s, t = alld(2.0 / 21);
  t = t * z + alld(2.0 / 19);
  t = t * z + alld(2.0 / 17);
  t = t * z + alld(2.0 / 15);
  t = t * z + alld(2.0 / 13);
  t = t * z + alld(2.0 / 11);
  t = t * z + alld(2.0 / 9);
  t = t * z + alld(2.0 / 7);
  t = t * z + alld(2.0 / 5);
  t = t * z + alld(2.0 / 3);
  /* log m = f - s (f - z t), where f is exact and by far the largest; the
     upper part of log 2 times k is exact too */
  return (f - (s * (f - z * t) + k * alld(0x1.ef35793c7673p-45))) -
         k * alld(0x1.62e42fefa38p-1);
}


/*
** Sine and cosine of 2 pi u, for u in (0, 1) a multiple of 2^-53, to 2 ULP:
** the distance from the nearest quarter of a turn is exact.
*/
INLINE void turnd (vd u, vd *sine, vd *cosine) {
  vd t = u * alld(4), q = t + alld(0x1.8p52), x, z, s, c;
  vq n = (vq)q, odd = -(n & allq(1));  /* the quarter it is nearest to */
  x = (t - (q - alld(0x1.8p52))) * alld(0x1.921fb54442d18p+0);
  z = x * x;
  s = alld(1.0 / 355687428096000);
  s = s * z - alld(1.0 / 1307674368000);
  s = s * z + alld(1.0 / 6227020800);
  s = s * z - alld(1.0 / 39916800);
  s = s * z + alld(1.0 / 362880);
  s = s * z - alld(1.0 / 5040);
  s = s * z + alld(1.0 / 120);
  s = s * z - alld(1.0 / 6);
  s = s * z * x + x;
  c = alld(1.0 / 20922789888000);
  c = c * z - alld(1.0 / 87178291200);
  c = c * z + alld(1.0 / 479001600);
  c = c * z - alld(1.0 / 3628800);
  c = c * z + alld(1.0 / 40320);
  c = c * z - alld(1.0 / 720);
  c = c * z + alld(1.0 / 24);
  c = c * z * z + (alld(1) - alld(0.5) * z);
  *sine = (vd)((((vq)c & odd) | ((vq)s & ~odd)) ^
               ((n & allq(2)) << 62));
  *cosine = (vd)((((vq)s & odd) | ((vq)c & ~odd)) ^
                 (((n + allq(1)) & allq(2)) << 62));
}

/* -------} */


/* {------- groups of sixteen positions ------- */

INLINE void group_words (uint64_t *out, uint64_t seed, uint64_t g) {
  for (size_t i = 0; i < GROUP / 2; i += VD) {
    vq low, high;
    philoxes(&low, &high, g * (GROUP / 2) + i, seed);
    *(vqu *)(out + i) = low;
    *(vqu *)(out + GROUP / 2 + i) = high;
  }
}


INLINE void group_uniform_f64 (double *out, uint64_t seed, uint64_t g) {
  for (size_t i = 0; i < GROUP / 2; i += VD) {
    vq low, high;
    philoxes(&low, &high, g * (GROUP / 2) + i, seed);
    stored(out + i, unitd(low));
    stored(out + GROUP / 2 + i, unitd(high));
  }
}


INLINE void group_uniform_f32 (float *out, uint64_t seed, uint64_t g) {
  uint64_t w[GROUP];
  group_words(w, seed, g);
  for (size_t i = 0; i < GROUP; i++) {
    uint32_t bits = (uint32_t)(w[i] >> 41) | 0x3f800000u;
    float x;
    memcpy(&x, &bits, sizeof x);
    out[i] = x - (1 - 0x1p-24f);
  }
}


INLINE void group_normal_f64 (double *out, uint64_t seed, uint64_t g) {
  for (size_t i = 0; i < GROUP / 2; i += VD) {
    vq low, high;
    vd r, s, c;
    philoxes(&low, &high, g * (GROUP / 2) + i, seed);
    r = rootd(logd(unitd(low)) * alld(-2));
    turnd(unitd(high), &s, &c);
    stored(out + i, r * c);
    stored(out + GROUP / 2 + i, r * s);
  }
}


INLINE void group_normal_f32 (float *out, uint64_t seed, uint64_t g) {
  double x[GROUP];
  group_normal_f64(x, seed, g);
  for (size_t i = 0; i < GROUP; i++) out[i] = (float)x[i];
}


/* the mck_fill that makes group after group, parts of them at the ends */
#define FILL(name, type) \
static void K(name) (void *out, size_t n, uint64_t seed, uint64_t pos) { \
  type *o = out, part[GROUP]; \
  size_t skip = pos % GROUP; \
  uint64_t g = pos / GROUP; \
  for (; skip > 0 && n > 0; skip = 0, g++) { \
    size_t m = GROUP - skip < n ? GROUP - skip : n; \
    group_ ## name(part, seed, g); \
    memcpy(o, part + skip, m * sizeof *o); \
    o += m; \
    n -= m; \
  } \
  for (; n >= GROUP; n -= GROUP, o += GROUP, g++) \
    group_ ## name(o, seed, g); \
  if (n > 0) { \
    group_ ## name(part, seed, g); \
    memcpy(o, part, n * sizeof *o); \
  } \
}

FILL(words, uint64_t)
FILL(uniform_f64, double)
FILL(uniform_f32, float)
FILL(normal_f64, double)
FILL(normal_f32, float)

#undef FILL

/* -------} */


/* {------- integers ------- */

/* the word of position 'pos' at a later attempt */
static uint64_t K(again) (uint64_t seed, uint64_t pos, uint32_t attempt) {
  uint64_t b = pos / GROUP * (GROUP / 2) + pos % (GROUP / 2);
  uint32_t c[4] = {(uint32_t)b, (uint32_t)(b >> 32), attempt, 0}, w[4];
  size_t half = pos / (GROUP / 2) % 2 * 2;
  K(philox)(w, c, seed);
  return w[half] | (uint64_t)w[half + 1] << 32;
}


/*
** A word w of 64 bits times span has its number in the upper half; words
** whose lower half is below 2^64 mod span are too many, and are drawn again.
*/
static void K(integers) (int64_t *out, size_t n, uint64_t seed, uint64_t pos,
                         int64_t lo, uint64_t span) {
  uint64_t surplus = span != 0 ? -span % span : 0;
  K(words)(out, n, seed, pos);
  for (size_t i = 0; i < n; i++) {
    uint64_t w = (uint64_t)out[i];
    if (span != 0) {
      u128 p = (u128)w * span;
      for (uint32_t t = 1; (uint64_t)p < surplus; t++)
        p = (u128)K(again)(seed, pos + i, t) * span;
      w = (uint64_t)(p >> 64);
    }
    out[i] = (int64_t)((uint64_t)lo + w);
  }
}

/* -------} */


static const mck_random K(random) = {
  .block = K(philox),
  .words = K(words),
  .uniform_f64 = K(uniform_f64),
  .uniform_f32 = K(uniform_f32),
  .normal_f64 = K(normal_f64),
  .normal_f32 = K(normal_f32),
  .integers = K(integers)
};

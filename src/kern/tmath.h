/*
** tmath.h - exp and the tail of the normal distribution, in vectors
**
** No fused products and the same operations in the same order for any vector
** length, so the same bits on every machine.  Polynomials are Chebyshev
** interpolants; the even and the odd powers are summed apart, which halves
** the chain of dependent operations.
*/

#define HALFLOG2E 0.72134752044448170368  /* log2(e) / 2 */
#define HALFLOG2EF 0.721347511f

/* sums of bits may wrap around */
typedef uint64_t vbits __attribute__((vector_size(VBYTES)));
typedef uint32_t vbits32 __attribute__((vector_size(VBYTES)));


/* |x| */
INLINE vd absd (vd x) {
  return (vd)((vl)x & INT64_MAX);
}


/* x where 'mask' is set, else 0 */
INLINE vd maskd (vd x, vl mask) {
  return (vd)((vl)x & mask);
}


/*
** exp(x) for x <= 0, within 1 ULP; 0 where the result is below the smallest
** normal number, and for NaN.  x = n ln 2 + r, and n is added to the exponent
** of exp(r): the sum with 'shift' leaves n in the lowest bits of 't'.
*/
INLINE vd vexp (vd x) {
  const double shift = 0x1.8p52;
  vd t = x * 0x1.71547652b82fep+0 + shift;
  vd n = t - shift;
  vd r = (x - n * 0x1.62e42fefa3800p-1) - n * 0x1.ef35793c76730p-45;
  vd z = r * r;
  vd even = 0.5 + z * (0.04166666666666668 + z * (0.0013888888888879073 + z *
            (2.4801587336443602e-05 + z * (2.7557263277791584e-07 + z *
             2.091813816945801e-09))));
  vd odd = 0.1666666666666667 + z * (0.008333333333326134 + z *
           (0.00019841269874822307 + z * (2.755725539833871e-06 + z *
            2.5105217695684516e-08)));
  vd e = 1 + (r + z * (even + r * odd));
  return maskd((vd)((vbits)e + ((vbits)t << 52)), x >= -708.396418532264);
}


INLINE vd choosed (vl mask, vd a, vd b) {
  return (vd)(((vl)a & mask) | ((vl)b & ~mask));
}


/* two vectors of double as one of float */
INLINE vf joinf (vd a, vd b) {
#if ISA_AVX512
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(a)),
                            _mm512_cvtpd_ps(b), 1);
#elif ISA_AVX2
  return _mm256_set_m128(_mm256_cvtpd_ps(b), _mm256_cvtpd_ps(a));
#else
  vf v;
  for (int i = 0; i < VD; i++) {
    v[i] = (float)a[i];
    v[i + VD] = (float)b[i];
  }
  return v;
#endif
}


/*
** 2^x for -126 <= x <= 0, within 1.5 ULP; others give any result.  x = n + r,
** and n is added to the exponent of 2^r, as above.
*/
INLINE vf vexp2f (vf x) {
  const float shift = 0x1.8p23f;
  vf t = x + shift;
  vf r = x - (t - shift);
  vf z = r * r;
  vf even = 0.240226507f + z * (0.00961805694f + z * 0.000154614478f);
  vf odd = 0.0555035695f + z * 0.00133908668f;
  vf e = 1 + (r * 0.693147182f + z * (even + r * odd));
  return (vf)((vbits32)e + ((vbits32)t << 23));
}


/*
** The mass of the standard normal distribution beyond |d|,
** erfc(|d| / sqrt(2)) / 2, within 8 ULP where the exponential is that of the rounded
** -d*d/2 is exact.  It is that exponential times P(t) / (d + 5), where
** t = (d - 5) / (d + 5) maps all d to [-1, 1).
*/
INLINE vd vtail (vd d) {
  vd a = absd(d);
  vd big = (vd)((vl)alld(40) & ~(vl)(a < 40));  /* also for infinity, NaN */
  vd c = maskd(a, a < 40) + big;
  vd w = 1 / (c + 5);
  vd t = (c - 5) * w;
  vd z = t * t;
  vd even = 0.769193049750063 + z * (0.4953056159699764 + z *
            (0.16502036617038354 + z * (0.020795066799905414 + z *
            (-0.0007978693986677221 + z * (-5.937572703227387e-05 + z *
            (1.6681211232117703e-05 + z * (-2.7692645730337717e-06 + z *
            (4.331439093948562e-07 + z * (-6.595301294871025e-08 + z *
            (7.674299428127925e-09 + z * -1.629523005393758e-10))))))))));
  vd odd = -0.6653825028900567 + z * (-0.31353315667130405 + z *
           (-0.06911863870632468 + z * (-0.0029933767703130333 + z *
           (0.0005448990633010863 + z * (-4.976280749785098e-05 + z *
           (3.980882321513714e-06 + z * (-3.36578162397913e-07 + z *
           (4.223167435800696e-08 + z * (-9.28503099767642e-09 + z *
            1.7449237580064364e-09)))))))));
  return vexp(c * c * -0.5) * ((even + t * odd) * w);
}


/* the same in float, within 2e-5; beyond 13 it is that of 13 */
INLINE vf vtailf (vf d) {
  vf a = (vf)((vi)d & INT32_MAX), c, w, t, z, even, odd;
  vi in = a < 13;
  c = (vf)(((vi)a & in) | ((vi)allf(13) & ~in));
  w = 1 / (c + 5);
  t = (c - 5) * w;
  z = t * t;
  even = 0.769193053f + z * (0.495307118f + z * (0.164983988f + z *
         (0.0211529974f + z * -0.00187942397f)));
  odd = -0.66538167f + z * (-0.313560665f + z * (-0.0689021274f + z *
        -0.00339804054f));
  return vexp2f(c * c * -HALFLOG2EF) * ((even + t * odd) * w);
}

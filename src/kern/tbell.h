/*
** tbell.h - the profiles of spots in an image of float: part of trender.h
**
** With d = x - c, rounded to float, a profile is amp * 2^(q * (d * d)) in
** float, 0 where the power is below 2^-126.  A value depends on the pixel and
** on the spot alone, so that it is the same wherever a window is cut.
*/

/* from 1 / sigma: q, and the amplitude of a profile whose sum is 1 */
#define BELLQ(inverse) ((inverse) * (inverse) * -HALFLOG2E)
#define BELLAMP(inverse) ((inverse) * (1 / MCK_SQRT_2PI))

#define LEASTBELL 0x1p-60  /* sigmas whose squares are numbers of float */
#define MOSTBELL 0x1p60


/*
** The shapes of spots i, i + 1, ..., whose windows are known.  A plain spot is
** small, and none of its products needs care unless it is for the weight.
*/
INLINE void setshapes (mck_batch *b, const mck_frame *f, size_t i,
                       const vd s[2]) {
  vl plain = ~(vl){0};
  vd top = {0}, q[2], amp[2];
  for (int a = 0; a < 2; a++) {
    vd inverse = 1 / s[a], first = loadd(b->first[a] + i);
    vd last = loadd(b->last[a] + i), c = loadd(b->c[a] + i) - f->centre;
    vd l = first - c, r = last - 1 - c;
    q[a] = singled(BELLQ(inverse));
    top += q[a] * largestd(l * l, r * r);
    plain &= (s[a] >= 0x1p-30) & (s[a] <= 0x1p30) &
             (last - first <= MCK_SMALL);
    amp[a] = f->peak ? alld(1) : BELLAMP(inverse);
  }
  plain &= top >= -60;
  stored(b->shape[0] + i, choosed(plain, alld(-1), s[0]));
  stored(b->shape[1] + i, choosed(plain, pairs(q[0], q[1]), s[1]));
  stored(b->slope + i, pairs(amp[0], amp[1]));
}


/* the profile along an axis of a spot */
typedef struct axisbell {
  double c;
  float q, amp;
} axisbell;


/* along 'a'; y's carries the weight.  False if it is no bell of float */
INLINE int setbell (axisbell *b, const mck_spot *s, int a, int peak) {
  double inverse = 1 / s->s[a];
  b->c = s->c[a];
  b->q = s->q[a];
  b->amp = s->amp[a];
  if (s->mark >= 0) {
    if (!(s->s[a] >= LEASTBELL && s->s[a] <= MOSTBELL)) return 0;
    b->q = (float)BELLQ(inverse);
    b->amp = peak ? 1 : (float)BELLAMP(inverse);
  }
  if (a == 0) b->amp = (float)(s->weight * (double)b->amp);
  return 1;
}


/* v, 0 from the n-th lane on; lane 0 counts from 'j' */
INLINE vf firstf (vf v, int32_t j, int32_t n) {
  vi lane;
  for (int i = 0; i < (int)VF; i++) lane[i] = i;
  return (vf)((vi)v & (lane < n - j));
}


/* distances from 'c' of the pixels whose centres stand at x */
INLINE vf distances (const double *x, double c) {
  return joinf(loadd(x) - c, loadd(x + VD) - c);
}


/* n <= 'most' values of a plain spot at x[0], x[1], ..., then zeros */
INLINE void plainbell (float *out, const axisbell *b, const double *x,
                       int32_t n, int32_t most) {
  for (int32_t j = 0; j < most; j += VF) {
    vf d = distances(x + j, b->c);
    storef(out + j, firstf(vexp2f(d * d * b->q) * b->amp, j, n));
  }
}


/* amp * 2^t for any t */
INLINE vf bellf (vf t, float amp) {
  vi in = t >= -126;
  vf v = vexp2f((vf)((vi)t & in)) * amp;
  return flushf((vf)((vi)v & in), FLT_MIN);
}


/* any n values, and MCK_PAD zeros; '*least' is not above the least nonzero
   |out[j]| */
static void anybell (float *out, const axisbell *b, double first, int32_t n,
                     double *least) {
  vd x = first + ramp(), y = first + (ramp() + VD);
  float left, right;
  for (int32_t j = 0; j < n + MCK_PAD; j += VF, x += VF, y += VF) {
    vf d = joinf(x - b->c, y - b->c);
    storef(out + j, firstf(bellf(d * d * b->q, b->amp), j, n));
  }
  left = __builtin_fabsf(out[0]);  /* there is one hill, as in lowest */
  right = __builtin_fabsf(out[n - 1]);
  *least = (double)(left < right ? left : right) * 0.5;
  if (*least < (double)FLT_MIN) *least = (double)FLT_MIN;
}

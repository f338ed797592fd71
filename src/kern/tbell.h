/*
** tbell.h - the profiles of spots in an image of float: part of trender.h
**
** A profile is amp * 2^(q * (x - c)^2), 0 where the power is below 2^-126.  Its
** exponent is computed in double, the power within 1.5 ULP of float.  A value
** depends on the pixel and on the spot alone, so that it is the same wherever
** a window is cut.
*/

/* from 1 / sigma: q, and the amplitude of a profile whose sum is 1 */
#define BELLQ(inverse) ((inverse) * (inverse) * -HALFLOG2E)
#define BELLAMP(inverse) ((inverse) * (1 / MCK_SQRT_2PI))

#define LEASTBELL 0x1p-500  /* sigmas whose squares are numbers */
#define MOSTBELL 0x1p500


/*
** The shapes of spots i, i + 1, ..., whose windows are known.  A plain spot is
** small, and none of its products needs care unless it is for the weight.
*/
INLINE void setshapes (mck_batch *b, const mck_frame *f, size_t i,
                       const vd s[2]) {
  vl plain = ~(vl){0};
  vd top = {0}, q[2];
  for (int a = 0; a < 2; a++) {
    vd inverse = 1 / s[a], first = loadd(b->first[a] + i);
    vd last = loadd(b->last[a] + i), c = loadd(b->c[a] + i) - f->centre;
    vd l = first - c, r = last - 1 - c;
    q[a] = BELLQ(inverse);
    top += q[a] * largestd(l * l, r * r);
    plain &= (s[a] >= 0x1p-30) & (s[a] <= 0x1p30) &
             (last - first <= MCK_SMALL);
    storehalf(b->amp[a] + i, f->peak ? alld(1) : BELLAMP(inverse));
  }
  plain &= top >= -60;
  for (int a = 0; a < 2; a++)
    stored(b->shape[a] + i, choosed(plain, q[a], s[a]));
}


/* the profile along an axis of a spot */
typedef struct axisbell {
  double c, q;
  float amp;
} axisbell;


/* along 'a'; y's carries the weight.  False if it is no bell of float */
INLINE int setbell (axisbell *b, const mck_spot *s, int a, int peak) {
  double inverse = 1 / s->s[a];
  b->c = s->c[a];
  b->q = s->s[a];
  b->amp = s->amp[a];
  if (b->q >= 0) {
    if (!(s->s[a] >= LEASTBELL && s->s[a] <= MOSTBELL)) return 0;
    b->q = BELLQ(inverse);
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


/* n <= 'most' values of a plain spot at first, first + 1, ..., then zeros */
INLINE void plainbell (float *out, const axisbell *b, double first, int32_t n,
                       int32_t most) {
  for (int32_t j = 0; j < most; j += VF) {
    vd x = first + (ramp() + j) - b->c;
    vd y = first + (ramp() + (j + (int)VD)) - b->c;
    storef(out + j, firstf(vexp2f(x * x * b->q, y * y * b->q) * b->amp, j, n));
  }
}


/* the same for any powers: amp * 2^t, amp * 2^u */
INLINE vf bellf (vd t, vd u, float amp) {
  vl in = t >= -126, on = u >= -126;
  vf v = vexp2f(maskd(t, in), maskd(u, on)) * amp;
  return flushf((vf)((vi)v & lowhalves(in, on)), FLT_MIN);
}


/* any n values, and MCK_PAD zeros; '*least' is not above the least nonzero
   |out[j]| */
static void anybell (float *out, const axisbell *b, double first, int32_t n,
                     double *least) {
  vd x = first + ramp(), y = first + (ramp() + VD);
  *least = DBL_MAX;
  for (int32_t j = 0; j < n + MCK_PAD; j += VF, x += VF, y += VF) {
    vd d = x - b->c, e = y - b->c;
    storef(out + j, firstf(bellf(d * d * b->q, e * e * b->q, b->amp), j, n));
  }
  for (int32_t j = 0; j < n; j++) {
    double v = (double)__builtin_fabsf(out[j]);
    if (v > 0 && v < *least) *least = v;
  }
}

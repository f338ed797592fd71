/*
** vmath.c - measure the error of the vector functions against libm
**
** Prints one line for each: its name and the largest error seen, in units of
** the last place of the exact result; then "bad NAME" for each promise of
** tmath.h that does not hold.
*/

#include <float.h>
#include <math.h>
#include <stdio.h>

#define ISA test
#define VBYTES 16
#include "isa.h"
#include "tmath.h"

#define STEPS 400000


static double expof (double x) {
  return vexp(alld(x))[0];
}


static double tailof (double x) {
  return vtail(alld(x))[0];
}


/* |got - want| in ULP of 'want' */
static double ulps (double got, long double want) {
  int e;
  frexpl(want, &e);
  return (double)(fabsl((long double)got - want) / ldexpl(1, e - DBL_MANT_DIG));
}


static double errexp (double from, double to) {
  double worst = 0;
  for (int i = 0; i <= STEPS; i++) {
    double x = from + (to - from) * i / STEPS;
    double u = ulps(expof(x), expl((long double)x));
    if (u > worst) worst = u;
  }
  return worst;
}


/* of the tail relative to the exponential of the rounded square */
static double errtail (double from, double to) {
  double worst = 0;
  for (int i = 0; i <= STEPS; i++) {
    double x = from + (to - from) * i / STEPS;
    long double rounded = (long double)(x * x * -0.5);
    long double exact = (long double)x * (long double)x * -0.5L;
    long double want = erfcl((long double)x / sqrtl(2)) / 2;
    double u = ulps(tailof(x), want * expl(rounded - exact));
    if (u > worst) worst = u;
  }
  return worst;
}


/* of 2^x in float, in ULP of float */
static double errexp2f (double from, double to) {
  double worst = 0;
  for (int i = 0; i <= STEPS; i++) {
    float x = (float)(from + (to - from) * i / STEPS);
    double u = ulps((double)vexp2f(allf(x))[0], exp2l((long double)x));
    if (u > worst) worst = u;
  }
  return worst * 0x1p-29;
}


/* of the tail in float, relative */
static double errtailf (void) {
  double worst = 0;
  for (int i = 0; i <= STEPS; i++) {
    double x = 13.0 * i / STEPS, want = erfc(x / sqrt(2)) / 2;
    double got = (double)vtailf(allf((float)-x))[0];
    worst = fmax(worst, fabs(got - want) / want);
  }
  return worst;
}


static void expect (const char *name, int holds) {
  if (!holds) printf("bad %s\n", name);
}


int main (void) {
  double e = fmax(errexp(-708.3, 0), errexp(-1, 0));
  double t = fmax(errtail(0, 37.4), errtail(0, 1));
  double f = fmax(errexp2f(-126, 0), errexp2f(-1, 0));
  printf("exp %.3f\ntail %.3f\nexp2f %.3f\ntailf %g\n", e, t, f,
         errtailf());
  expect("exp within 1 ULP", e <= 1);
  expect("tail within 8 ULP", t <= 8);
  expect("exp2f within 1.5 ULP", f <= 1.5);
  expect("exp2f(0)", vexp2f(allf(-0.0f))[0] == 1);
  expect("exp2f(-126)", vexp2f(allf(-126))[0] == 0x1p-126f);
  expect("tailf within 2e-5", errtailf() <= 2e-5);
  expect("exp(0)", expof(0) == 1 && expof(-0.0) == 1);
  expect("exp(-tiny)", expof(-1e-300) == 1);
  expect("exp(-inf)", expof(-(double)INFINITY) == 0);
  expect("exp(-1e300)", expof(-1e300) == 0);
  expect("exp(NaN)", expof((double)NAN) == 0);
  expect("no subnormal exp", expof(-708.4) == 0 && expof(-745) == 0);
  expect("least exp", expof(-708.396418532264) >= DBL_MIN);
  expect("tail(0)", ulps(tailof(0), 0.5L) <= 1);
  expect("even tail", tailof(-3) == tailof(3));
  expect("tail(inf)", tailof((double)INFINITY) == 0 &&
                      tailof(-(double)INFINITY) == 0);
  expect("tail(1e300)", tailof(1e300) == 0 && tailof(39.9) == 0);
  return 0;
}

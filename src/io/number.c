/*
** number.c - decimal text to the nearest double, and back
**
** A number is a mantissa m (its digits, as an integer) times 10^k.
**   1. m <= 2^53, |k| <= 22: m and 10^|k| are doubles, and their product or
**      quotient is rounded once.  Nearly all numbers of files are so.
**   2. m < 2^64, |k| <= 27: 5^|k| fits 64 bits, so that product and quotient
**      are exact in 128 bits and it is known what remains.
**   3. any other: the same with integers of as many words as it takes.
** strtod would be right too, but reads a comma where the locale says so.
*/

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

#define MAXDIGITS 19  /* an uint64 holds any integer of so many */
#define KEPT 800      /* digits that may decide a rounding: 767 */
#define WORDS 128     /* KEPT digits, or 5^1124 times 2^160 */

#define isdigit(c) ((unsigned char)((c) - '0') <= 9)


/* powers of ten that are doubles */
static const double ten[] = {
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
  1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
};


/* {------- rounding ------- */

/*
** The double nearest to m * 2^e, where 'm' has its top bit set and 'rest'
** tells that a little more than m is meant; ties to even.
*/
static double nearest (uint64_t m, int e, bool rest) {
  int drop = e < -1074 - 11 ? -1074 - e : 11;  /* bits that are too many */
  uint64_t half, low;
  if (drop > 64) return 0;
  half = (uint64_t)1 << (drop - 1);
  low = m & (half | (half - 1));
  m = drop < 64 ? m >> drop : 0;
  if (low > half || (low == half && (rest || (m & 1)))) m++;
  return ldexp((double)m, e + drop);
}


static int topzeros (uint64_t m) {
#if defined(__GNUC__)
  return __builtin_clzll(m);
#else
  int n = 0;
  while (!(m >> 63)) m <<= 1, n++;
  return n;
#endif
}

/* -------} */


/* {------- one product or quotient ------- */

#if defined(__SIZEOF_INT128__)

__extension__ typedef unsigned __int128 wide;

/* m * 10^k for 0 < m, -27 <= k <= 27 */
static double middling (uint64_t m, int k) {
  uint64_t five = 1;
  wide product;
  int zeros, i, e = k;
  for (i = k < 0 ? -k : k; i > 0; i--) five *= 5;
  zeros = topzeros(m);
  m <<= zeros;
  e -= zeros;
  if (k >= 0) {
    product = (wide)m * five;
    zeros = topzeros((uint64_t)(product >> 64) | 1);
    if (product >> 64 == 0) return nearest(m, e, false);  /* k is 0 */
    product <<= zeros;
    return nearest((uint64_t)(product >> 64), e + 64 - zeros,
                   (uint64_t)product != 0);
  }
  else {
    wide part = (wide)m << 63, quotient;
    zeros = topzeros(five);
    five <<= zeros;  /* so that the quotient has 63 or 64 bits */
    e += zeros - 63;
    quotient = part / five;
    zeros = topzeros((uint64_t)quotient);  /* 0 or 1 */
    return nearest((uint64_t)quotient << zeros, e - zeros,
                   quotient * five != part);
  }
}

#endif

/* -------} */


/* {------- many words ------- */

typedef struct big {
  int n;              /* words in use; the last is not 0 */
  uint32_t w[WORDS];  /* the lowest first */
} big;


static void multiply (big *b, uint32_t factor, uint32_t carry) {
  for (int i = 0; i < b->n; i++) {
    uint64_t x = (uint64_t)b->w[i] * factor + carry;
    b->w[i] = (uint32_t)x;
    carry = (uint32_t)(x >> 32);
  }
  if (carry != 0) b->w[b->n++] = carry;
}


/* divide, rounding down; was there a remainder? */
static bool divide (big *b, uint32_t divisor) {
  uint64_t rest = 0;
  for (int i = b->n; i-- > 0; ) {
    rest = rest << 32 | b->w[i];
    b->w[i] = (uint32_t)(rest / divisor);
    rest %= divisor;
  }
  while (b->n > 0 && b->w[b->n - 1] == 0) b->n--;
  return rest != 0;
}


/* times 2^(32 * words) */
static void shift (big *b, int words) {
  memmove(b->w + words, b->w, (size_t)b->n * sizeof b->w[0]);
  memset(b->w, 0, (size_t)words * sizeof b->w[0]);
  b->n += words;
}


/* the double nearest to b * 2^e */
static double roundbig (const big *b, int e, bool rest) {
  uint64_t m = 0;
  int i, zeros;
  for (i = b->n; i-- > 0 && i >= b->n - 2; ) m = m << 32 | b->w[i];
  e += 32 * (i + 1);
  zeros = topzeros(m);
  m <<= zeros;
  if (zeros > 0 && i >= 0) {  /* bits of the word below */
    m |= (uint64_t)b->w[i] << zeros >> 32;
    rest = rest || (uint32_t)((uint64_t)b->w[i] << zeros) != 0;
    i--;
  }
  for (; i >= 0; i--) rest = rest || b->w[i] != 0;
  return nearest(m, e - zeros, rest);
}


/* b * 10^k, 'rest' as above */
static double scale (big *b, int64_t k, bool rest) {
  int e = (int)k, five;
  if (k >= 0)
    for (; k > 0; k -= five) {
      five = k < 13 ? (int)k : 13;  /* 5^13 fits a word */
      uint32_t f = 1;
      for (int i = 0; i < five; i++) f *= 5;
      multiply(b, f, 0);
    }
  else {
    /* 5^-k has less than 2.33 bits a power; leave 64 and more of the quotient */
    int words = (int)(-k * 233 / 100 / 32) - b->n + 4;
    if (words < 0) words = 0;
    shift(b, words);
    e -= 32 * words;
    for (; k < 0; k += five) {
      five = k > -13 ? (int)-k : 13;
      uint32_t f = 1;
      for (int i = 0; i < five; i++) f *= 5;
      rest = divide(b, f) || rest;
    }
  }
  return roundbig(b, e, rest);
}


/* the digits from 'p' on, a point among them, times 10^k */
static double manydigits (const char *p, char point, int64_t k) {
  big b = {0, {0}};
  int64_t n = 0;  /* digits taken, from the first that is not 0 on */
  bool rest = false;
  for (; isdigit(*p) || *p == point; p++) {
    if (*p == point || (n == 0 && *p == '0')) continue;
    if (n < KEPT) {
      multiply(&b, 10, (uint32_t)(*p - '0'));
      n++;
    }
    else {
      rest = rest || *p != '0';
      k++;
    }
  }
  if (n == 0 || n + k < -330) return 0;
  if (n + k > 310) return HUGE_VAL;
  return scale(&b, k, rest);
}

/* -------} */


/* {------- reading ------- */

/* is 'word' (small letters) at 'p', in any case? */
static const char *isword (const char *p, const char *word) {
  for (; *word != '\0'; word++, p++)
    if ((*p | 32) != *word) return NULL;
  return p;
}


static const char *namednumber (const char *p, double *x) {
  const char *end;
  *x = HUGE_VAL;
  if ((end = isword(p, "infinity")) != NULL) return end;
  if ((end = isword(p, "inf")) != NULL) return end;
  *x = NAN;
  return isword(p, "nan");
}


/* add the exponent at 'p', if there is one */
static const char *exponent (const char *p, int64_t *k) {
  const char *q = p + 1;
  int64_t e = 0;
  bool negative = *q == '-';
  if (negative || *q == '+') q++;
  if (!isdigit(*q)) return p;
  for (; isdigit(*q); q++)
    if (e < 100000000) e = e * 10 + (*q - '0');
  *k += negative ? -e : e;
  return q;
}


/* m * 10^k, where 'digits' begin at 'p' */
static double combine (const char *p, char point, int64_t digits, uint64_t m,
                       int64_t k) {
  if (digits > MAXDIGITS) return manydigits(p, point, k);
  if (m == 0) return 0;
#if FLT_EVAL_METHOD == 0
  if (m <= (uint64_t)1 << 53 && -22 <= k && k <= 22)
    return k < 0 ? (double)m / ten[-k] : (double)m * ten[k];
#endif
#if defined(__SIZEOF_INT128__)
  if (-27 <= k && k <= 27) return middling(m, (int)k);
#endif
  return manydigits(p, point, k);
}


const char *mc_number (const char *p, char point, double *x) {
  bool negative = *p == '-';
  const char *first;
  uint64_t m = 0;
  int64_t digits, k = 0;
  double a;
  if (negative || *p == '+') p++;
  for (first = p; isdigit(*p); p++) m = m * 10 + (uint64_t)(*p - '0');
  digits = p - first;
  if (*p == point) {
    const char *fraction = ++p;
    for (; isdigit(*p); p++) m = m * 10 + (uint64_t)(*p - '0');
    k = fraction - p;
    digits -= k;
  }
  if (digits == 0) {
    p = namednumber(first, &a);
    if (p == NULL) return NULL;
  }
  else {
    if ((*p | 32) == 'e') p = exponent(p, &k);
    a = combine(first, point, digits, m, k);
  }
  *x = negative ? -a : a;
  return p;
}

/* -------} */


/* {------- writing ------- */

static char *putinteger (char *p, uint64_t m) {
  char digits[20];
  int n = 0;
  do digits[n++] = (char)('0' + m % 10);
  while ((m /= 10) != 0);
  while (n > 0) *p++ = digits[--n];
  return p;
}


/* is 'y' what 'x' reads as? */
static bool same (double y, double x, bool single) {
  return single ? (float)y == (float)x : y == x;
}


#define MOSTTEN 17


/* is x > 0 read from its first 'k' digits behind the point? */
static bool enough (double x, int k, bool single) {
  double m = rint(x * ten[k]);
  return m <= 0x1p53 && same(m / ten[k], x, single);
}


/*
** How many digits behind the point x > 0 takes; -1: more than MOSTTEN, or more
** than an integer has in all.  Where some are enough, so are more: it is few,
** or about as many as the bits of 'x' stand for.
*/
static int fraction (double x, bool single) {
  int k, e;
  for (k = 0; k < 3; k++)
    if (enough(x, k, single)) return k;
  frexp(x, &e);
  e = ((single ? 24 : 53) - e) * 77 / 256;  /* log10 of 2 */
  k = e < 3 ? 3 : e > MOSTTEN ? MOSTTEN : e;
  if (enough(x, k, single)) {
    while (k > 3 && enough(x, k - 1, single)) k--;
    return k;
  }
  while (++k <= MOSTTEN)
    if (enough(x, k, single)) return k;
  return -1;
}


/* x > 0 as an integer over a power of ten, if it is one; else NULL */
static char *putfixed (char *p, double x, bool single) {
  int k = fraction(x, single);
  uint64_t m, part;
  if (k < 0) return NULL;
  m = (uint64_t)rint(x * ten[k]);
  part = m % (uint64_t)ten[k];
  p = putinteger(p, m / (uint64_t)ten[k]);
  if (k == 0) return p;
  *p = '.';
  for (int i = k; i > 0; i--, part /= 10) p[i] = (char)('0' + part % 10);
  return p + k + 1;
}


/* 'n' digits, of which the first stands for ten to the power 'e' */
static char *putdigits (char *p, const char *digits, int n, int e) {
  bool fixed = -5 <= e && e < 17;
  int point = fixed ? e + 1 : 1;  /* so many digits are before it */
  if (point <= 0) *p++ = '0';
  for (int i = point < 0 ? point : 0; i < n || i < point; i++) {
    if (i == point) *p++ = '.';
    *p++ = i >= 0 && i < n ? digits[i] : '0';
  }
  return fixed ? p : p + sprintf(p, "e%+d", e);
}


/*
** x > 0 by the digits that printf finds, as few as will do.  What stands
** behind the first one is the locale's point.
*/
static char *putlong (char *p, double x, bool single) {
  for (int want = single ? 6 : 15; ; want++) {
    char text[64], digits[20];
    const char *from;
    char *end;
    int n = 1;
    double y;
    snprintf(text, sizeof text, "%.*e", want - 1, x);
    digits[0] = text[0];
    for (from = text + 1; *from != 'e'; from++)
      if (isdigit(*from)) digits[n++] = *from;
    while (n > 1 && digits[n - 1] == '0') n--;
    end = putdigits(p, digits, n, (int)strtol(from + 1, NULL, 10));
    *end = '\n';
    mc_number(p, '.', &y);
    if (same(y, x, single)) return end;
  }
}


size_t mc_digits (char out[MC_NUMBERSIZE], double x, bool single) {
  char *p = out, *end;
  if (x != x) {
    memcpy(p, "nan", 3);
    return 3;
  }
  if (signbit(x)) {
    *p++ = '-';
    x = -x;
  }
  if (isinf(x)) {
    memcpy(p, "inf", 3);
    return (size_t)(p + 3 - out);
  }
  end = putfixed(p, x, single);
  if (end == NULL) end = putlong(p, x, single);
  return (size_t)(end - out);
}


size_t mc_integer (char out[MC_NUMBERSIZE], int64_t x) {
  char *p = out;
  if (x < 0) *p++ = '-';
  p = putinteger(p, x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
  return (size_t)(p - out);
}

/* -------} */

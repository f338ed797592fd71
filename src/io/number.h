/*
** number.h - decimal text to double and back: the nearest, whatever the locale
*/

#ifndef NUMBER_H
#define NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
** The number that begins at 'p': sign, digits with or without a 'point',
** exponent ("-1.5e+3", ".5", "5."); also "nan", "inf" and "infinity" in
** letters of any case.  Return where it ends, or NULL where none is; '*x' is
** the nearest double, ties to even.
**
** The text must end in something that is no part of a number, a newline say:
** it is what stops the reading.
*/
const char *mc_number (const char *p, char point, double *x);

#define MC_NUMBERSIZE 32

/*
** Write 'x' with few digits, never so few that another number ('single':
** another float) would be read; no '\0' behind.  Return how many bytes it
** took.
*/
size_t mc_digits (char out[MC_NUMBERSIZE], double x, bool single);
size_t mc_integer (char out[MC_NUMBERSIZE], int64_t x);

#endif

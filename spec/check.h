/* check.h - for hosts that are specs: say what does not hold, and end */

#include <stdio.h>
#include <stdlib.h>

#define CHECK(e) \
  do { \
    if (!(e)) { \
      printf("line %d: %s\n", __LINE__, #e); \
      exit(1); \
    } \
  } while (0)

/*
** cpu.c - which kernels run
*/

#include "core.h"
#include "kern.h"


const char *mascon_cpu (void) {
  return mck_get()->name;
}

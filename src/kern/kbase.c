/* kbase.c - kernels for any CPU */

#define ISA base
#define VBYTES 16
#include "kbody.h"

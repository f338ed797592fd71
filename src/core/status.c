/*
** status.c - the texts of the statuses, the version
*/

#include "core.h"


const char *mascon_strerror (int status) {
  static const char *const texts[MASCON_NSTATUS] = {
    [MASCON_OK] = "no error",
    [MASCON_ENOMEM] = "not enough memory",
    [MASCON_ETYPE] = "dtype not accepted",
    [MASCON_ESHAPE] = "shapes do not match",
    [MASCON_ERANGE] = "index out of range",
    [MASCON_EVALUE] = "value not accepted",
    [MASCON_EINEXACT] = "value does not fit the integer dtype exactly",
    [MASCON_EOVERFLOW] = "integer overflow",
    [MASCON_EALIAS] = "output overlaps an input partly",
    [MASCON_EREADONLY] = "array is read-only",
    [MASCON_ECLOSED] = "array is closed",
    [MASCON_ETOOBIG] = "size exceeds what can be addressed",
    [MASCON_ECANCEL] = "interrupted",
    [MASCON_EIO] = "input or output failed",
    [MASCON_EFORMAT] = "file format not supported",
    [MASCON_ECHECK] = "result differs from brute force",
    [MASCON_EBUSY] = "array is in use by a call that writes it"
  };
  if (status < 0 || status >= MASCON_NSTATUS) return "unknown status";
  return texts[status];
}

/*
** mcl_text.h - the Lua parts of mascon, carried as text by libmascon_lua
*/

#ifndef MCL_TEXT_H
#define MCL_TEXT_H

#include <stddef.h>

typedef struct mcl_text {
  const char *name;  /* of the module: "mascon.show" */
  const unsigned char *text;
  size_t size;
} mcl_text;

/* ends with a NULL name; written at build time (mcl_embed.lua) */
extern const mcl_text mcl_texts[];

#endif

/*
** csvlabels.h - distinct texts and their numbers
*/

#ifndef CSVLABELS_H
#define CSVLABELS_H

#include "core.h"

struct mascon_labels {
  char *bytes;        /* the texts, one after the other */
  int64_t *ends;      /* text k ends before bytes[ends[k]] */
  int64_t *slots;     /* numbers of texts by their hash; -1: free */
  int64_t count, room, used, space, mask;
};

/* the number of a text, or -1; mc_labels_add adds it where it is new: -1
   then means that there is no memory */
int64_t mc_labels_find (const mascon_labels *l, const char *p, size_t n);
int64_t mc_labels_add (mascon_labels *l, const char *p, size_t n);

#endif

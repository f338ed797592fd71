/*
** recommend_scan.h - what those files share that find the best items
**
** recommend_seat.c gives users a seat in a worker; recommend_list.c handles
** their lists of candidates; recommend_scan.c runs the scan, and says why
** nobody is left out who belongs in.
*/

#ifndef RECOMMEND_SCAN_H
#define RECOMMEND_SCAN_H

#include "recommend.h"

/* one user of the batch */
typedef struct mc_seat {
  mck_best best;
  int64_t id, at;  /* the user, and which of f->users he is */
  double unit;  /* scaled score = unit * score; 0: the user is whole */
  float sure;   /* a bar that N hits or candidates are known to reach */
  mc_sieve sieve;  /* whom he may get */
  float guess;  /* one that they are likely to reach; -INFINITY: none */
  bool wrong;   /* the guess was too high */
  int32_t passed;  /* candidates at the front of the list that pass */
} mc_seat;

/* whether bytes pay for a group: they may let too many candidates through */
typedef struct mc_trial {
  int blocks;   /* seen since hits were last counted */
  int rest;     /* periods to go on as it is */
  int64_t rate; /* what candidates cost per block with bytes */
  int kept;     /* periods that floats stayed for, when last they were better;
                   0: bytes were */
  bool tried;   /* floats have just been kept */
} mc_trial;

struct mc_recworker {
  mc_seat *seats;
  mck_hit *hits;         /* of all seats */
  mck_hit *spare;        /* for sorting */
  mck_recgroup *groups;
  mc_trial *trials;
  float *x;              /* packed users */
  int8_t *bytes;         /* the same in bytes */
  mck_reclist lists;
  int32_t *ids;          /* candidates that pass */
  double *scores;
  float *likely;         /* scores that candidates are likely to have */
  int32_t want;          /* candidates that a bar is raised by: n, or fewer
                            for a guess */
  mc_user user;          /* the one whose scores are being computed */
  int64_t loaded;        /* which of f->users he is; -1: none */
  /* what was done so far: items passed over by norm, compared; scores */
  int64_t norm, bytewise, floatwise, scored;
};


/* {------- users (recommend_seat.c) ------- */

/* are lists thinned? */
bool mc_rec_thins (const mc_recjob *j);

/* how long a list of candidates may grow: the longer, the later a bar rises */
int64_t mc_rec_full (const mc_recjob *j);

/* seat the users of rows first to last - 1; empty seats reach nothing */
void mc_rec_seat (const mc_recjob *j, mc_recworker *w, int thread,
                  int64_t first, int64_t last);

/* nobody in any place of a group */
void mc_rec_cleargroup (mck_recgroup *g);

/*
** Scale 'u' and put him into place 'r' of a group whose factors are at 'x' and
** 'bytes'; returns his unit, or 0 if he must be whole.
*/
double mc_rec_place (const mc_recjob *j, mc_user *u, mck_recgroup *g, int r,
                     float *x, int8_t *bytes);

/* let w->user be the one at 'at', as he was given */
void mc_rec_load (const mc_recjob *j, mc_recworker *w, int64_t at);

/* the item that a user may not have because it is himself; -1: none */
int64_t mc_rec_own (const mc_recjob *j, const mc_seat *s);

/* the bar for a limit, times unit */
float mc_rec_lower (const mc_recjob *j, const mc_seat *s, double limit);

/* raise what user 'r' of 'g' is sure of, and his bar; the second to the limit
   of his hits */
void mc_rec_lift (mc_seat *s, mck_recgroup *g, int r, float bar);
void mc_rec_lifthits (const mc_recjob *j, mc_seat *s, mck_recgroup *g, int r);

/* begin again, with no candidates */
void mc_rec_restart (const mc_recjob *j, mc_seat *s, mck_recgroup *g, int r);

/* -------} */


/* {------- candidates (recommend_list.c) ------- */

/* offer the scores of the 'n' items in w->ids */
void mc_rec_offer (const mc_recjob *j, mc_recworker *w, mc_seat *s, int64_t n);

/*
** Drop those candidates of user 'i' that are of no use by what the others are
** sure of, and raise his bar.
*/
void mc_rec_thin (const mc_recjob *j, mc_recworker *w, int thread, int64_t i);

/* score the candidates of user 'i' and raise his bar */
void mc_rec_empty (const mc_recjob *j, mc_recworker *w, int64_t i);

/* make room in the lists of 'n' groups, where they are full */
void mc_rec_makeroom (const mc_recjob *j, mc_recworker *w, int thread,
                      int64_t n);

/* -------} */

#endif

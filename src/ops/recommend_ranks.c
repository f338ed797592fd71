/*
** recommend_ranks.c - the ranks of given pairs among all that a user may get
**
** A rank is one more than the items that are better.  Users with pairs are
** scanned as in recommend_scan.c, each with a bar that his worst pair reaches.
** A candidate counts for the first of the user's pairs, in their order, that it
** beats: so it does for all after that one.  Where the bounds of its score
** leave that open, its score is computed; 5, 6 and 8 there say what they are
** worth.
*/

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recommend_ranks.h"
#include "recommend_scan.h"

#define GROUPS 16   /* groups of users scanned together */
#define USERS (GROUPS * MCK_SIX)
#define FULL 256    /* candidates of a user between two counts */
#define ROOM (FULL + MCK_BLOCK)
#define PAIRS 4096  /* pairs of users scanned together, at least */
#define LOOKS 16    /* blocks between two looks whether to go on */
#define MANY 4096   /* the same in items, one by one */
#define WORTH 16    /* scores that cost what one computed alone does */

typedef struct pair {
  double score;
  float lower, upper;  /* scaled: who is below is worse, who above better */
  int32_t id;
  int64_t at;          /* among all pairs */
  int64_t better;      /* items for which it is the first that they beat */
} pair;

typedef struct ranked {
  mc_seat seat;
  pair *pairs;         /* best first */
  int64_t n;
  bool choosy;         /* may have so few items that he is better whole */
} ranked;

struct mc_ranker {
  const mascon_csr *csr;
  const mascon_array *out;
  int64_t room;        /* for pairs */
  int64_t held, users; /* pairs and users at hand */
  pair *pairs;
  ranked *list;
  mck_recgroup *groups;
  float *x;
  int8_t *bytes;
  mck_reccand *cands;
  mc_user user;        /* the one whose scores are being computed */
  int64_t loaded;      /* which of f->users he is; -1: none */
  int32_t ids[64];     /* whose scores are to be computed */
  double scores[64];
};


/* {------- memory ------- */

static size_t packedrank (const mc_recjob *j) {
  return j->p != NULL ? j->p->k : 0;
}


static size_t bytesrank (const mc_recjob *j) {
  return (packedrank(j) + 3) / 4 * 4;
}


static bool make (const mc_recjob *j, mc_ranker *k) {
  k->pairs = mc_alloc((size_t)k->room, sizeof *k->pairs);
  k->list = mc_alloc(USERS, sizeof *k->list);
  k->groups = mc_alloc(GROUPS, sizeof *k->groups);
  k->x = mc_alloc(USERS, packedrank(j) * sizeof *k->x);
  k->bytes = mc_alloc(USERS, bytesrank(j));
  k->cands = mc_alloc(USERS, ROOM * sizeof *k->cands);
  k->user.x = mc_alloc((size_t)j->f->rank + 1, sizeof *k->user.x);
  k->loaded = -1;
  return k->pairs != NULL && k->list != NULL && k->groups != NULL &&
         k->x != NULL && k->bytes != NULL && k->cands != NULL &&
         k->user.x != NULL;
}


mc_ranker *mc_rank_open (const mc_recjob *j, const mascon_csr *pairs,
                         const mascon_array *out, int threads) {
  mc_ranker *k = mc_zalloc((size_t)threads, sizeof *k);
  int64_t most = PAIRS;
  for (int64_t r = 0; r < pairs->nrows; r++) {
    int64_t n = mc_idat(pairs->indptr, r + 1) - mc_idat(pairs->indptr, r);
    if (n > most) most = n;
  }
  for (int t = 0; k != NULL && t < threads; t++) {
    k[t].csr = pairs;
    k[t].out = out;
    k[t].room = most;
    if (make(j, &k[t])) continue;
    mc_rank_close(k, threads);
    return NULL;
  }
  return k;
}


void mc_rank_close (mc_ranker *k, int threads) {
  for (int t = 0; k != NULL && t < threads; t++) {
    mc_free(k[t].pairs);
    mc_free(k[t].list);
    mc_free(k[t].groups);
    mc_free(k[t].x);
    mc_free(k[t].bytes);
    mc_free(k[t].cands);
    mc_free(k[t].user.x);
  }
  mc_free(k);
}

/* -------} */


/* {------- order ------- */

/* is a score better than that of 'p'? */
static bool beats (double score, int32_t id, const pair *p) {
  return score > p->score || (score == p->score && id < p->id);
}


static int order (const void *a, const void *b) {
  const pair *p = a, *q = b;
  return beats(p->score, p->id, q) ? -1 : beats(q->score, q->id, p);
}


/* count an item of known score for the first pair that it beats, which is
   one of lo, ..., or none before 'hi' and then 'hi' itself */
static void countscore (ranked *u, double score, int32_t id, int64_t lo,
                        int64_t hi) {
  while (lo < hi) {
    int64_t m = (lo + hi) / 2;
    if (beats(score, id, &u->pairs[m])) hi = m;
    else lo = m + 1;
  }
  if (lo < u->n) u->pairs[lo].better++;
}

/* -------} */


/* {------- scores ------- */

static void score (const mc_recjob *j, mc_ranker *k, const ranked *u,
                   int64_t n) {
  if (k->loaded != u->seat.at) mc_getuser(j->f, u->seat.at, &k->user);
  k->loaded = u->seat.at;
  mc_scores(j->f, &k->user, k->ids, n, k->scores);
}


/* count the 'n' items of k->ids by their scores, unless they have none */
static void countids (const mc_recjob *j, mc_ranker *k, ranked *u, int64_t n) {
  score(j, k, u, n);
  for (int64_t i = 0; i < n; i++)
    if (k->scores[i] >= j->floor)
      countscore(u, k->scores[i], k->ids[i], 0, u->n);
}


static int64_t gather (const mc_recjob *j, mc_ranker *k, ranked *u, int64_t n,
                       int32_t id) {
  k->ids[n++] = id;
  if (n < 64) return n;
  countids(j, k, u, n);
  return 0;
}


/* count all items that pass, for a user who is whole */
static void whole (const mc_recjob *j, mc_ranker *k, int thread, ranked *u) {
  int64_t passing, n = 0, own = mc_rec_own(j, &u->seat);
  const uint64_t *pass = mc_filter_begin(j->filter, thread, u->seat.id, own,
                                         &passing);
  for (int64_t i = 0; i < j->f->nitems; i++) {
    if (i % MANY == 0 && mc_cancelled()) break;
    if (mck_passes(pass, i)) n = gather(j, k, u, n, (int32_t)i);
  }
  if (n > 0) countids(j, k, u, n);
  mc_filter_end(j->filter, thread, u->seat.id, own);
}


/* count the odd items, for one who is not */
static void odds (const mc_recjob *j, mc_ranker *k, int thread, ranked *u) {
  int64_t passing, n = 0, own = mc_rec_own(j, &u->seat);
  const uint64_t *pass;
  if (j->p->nodd == 0) return;
  pass = mc_filter_begin(j->filter, thread, u->seat.id, own, &passing);
  for (int64_t i = 0; i < j->p->nodd; i++)
    if (mck_passes(pass, j->p->odd[i]))
      n = gather(j, k, u, n, j->p->odd[i]);
  if (n > 0) countids(j, k, u, n);
  mc_filter_end(j->filter, thread, u->seat.id, own);
}

/* -------} */


/* {------- candidates ------- */

/* the first pair that a score from 'lo' on is sure to beat, and the first
   that one up to 'hi' may beat */
static int64_t surely (const ranked *u, float lo) {
  int64_t a = 0, b = u->n;
  while (a < b) {
    int64_t m = (a + b) / 2;
    if (u->pairs[m].upper < lo) b = m;
    else a = m + 1;
  }
  return a;
}


static int64_t perhaps (const ranked *u, float hi) {
  int64_t a = 0, b = u->n;
  while (a < b) {
    int64_t m = (a + b) / 2;
    if (u->pairs[m].lower <= hi) b = m;
    else a = m + 1;
  }
  return a;
}


/* count the candidates of user 'i', and empty his list */
static void count (const mc_recjob *j, mc_ranker *k, int thread, int64_t i) {
  mck_recgroup *g = &k->groups[i / MCK_SIX];
  const mck_reccand *c = g->list + (size_t)(i % MCK_SIX) * g->room;
  ranked *u = &k->list[i];
  int64_t passing, n = 0, own = mc_rec_own(j, &u->seat);
  const uint64_t *pass = mc_filter_begin(j->filter, thread, u->seat.id, own,
                                         &passing);
  for (int32_t left = g->count[i % MCK_SIX]; left > 0; left--, c++) {
    int64_t first, sure;
    int32_t id;
    if (c->at >= j->p->n) continue;
    id = j->p->ids[c->at];
    if (!mck_passes(pass, id)) continue;
    first = perhaps(u, c->hi);
    sure = surely(u, c->lo);
    if (first < sure) n = gather(j, k, u, n, id);
    else if (sure < u->n) u->pairs[sure].better++;
  }
  if (n > 0) countids(j, k, u, n);
  mc_filter_end(j->filter, thread, u->seat.id, own);
  g->count[i % MCK_SIX] = 0;
}


static void scan (const mc_recjob *j, mc_ranker *k, int thread) {
  const mc_pack *p = j->p;
  size_t six = (size_t)(k->users + MCK_SIX - 1) / MCK_SIX;
  for (int64_t b = 0; b < p->nblocks; b++) {
    mck_recblock block = {
      .panel = p->panels + (size_t)b * mc_pack_panel(p->k),
      .bytes = p->bytes + (size_t)b * mc_pack_quads(p->k),
      .next = b + 1 < p->nblocks, .k = p->k, .stat = p->stats[b],
      .first = (int32_t)(b * MCK_BLOCK)
    };
    if (b % LOOKS == 0 && (mc_cancelled() ||
        !j->f->kern->alive(k->groups, six, p->stats[b].norm))) break;
    for (size_t i = 0; i < six; ) {
      i += j->f->kern->scan(&block, k->groups + i, six - i);
      for (int r = 0; r < MCK_SIX; r++)
        if (k->groups[i - 1].count[r] >= FULL)
          count(j, k, thread, (int64_t)(i - 1) * MCK_SIX + r);
    }
  }
  for (int64_t i = 0; i < k->users; i++)
    if (k->list[i].seat.unit != 0) count(j, k, thread, i);
}

/* -------} */


/* {------- users ------- */

static void put (const mascon_array *out, int64_t at, int64_t rank) {
  /* a user who is asked for twice may be so on two threads at once */
  if (out->dtype.bits == 32)
    __atomic_store_n((int32_t *)out->data + at * out->stride[0],
                     (int32_t)rank, __ATOMIC_RELAXED);
  else
    __atomic_store_n((int64_t *)out->data + at * out->stride[0], rank,
                     __ATOMIC_RELAXED);
}


/* list the pairs of a user that can have a rank; the others get 0 */
static void listpairs (const mc_recjob *j, mc_ranker *k, int thread,
                       ranked *u) {
  const mascon_csr *c = k->csr;
  int64_t at = mc_idat(c->indptr, u->seat.id), passing;
  int64_t last = mc_idat(c->indptr, u->seat.id + 1);
  int64_t own = mc_rec_own(j, &u->seat);
  const uint64_t *pass = mc_filter_begin(j->filter, thread, u->seat.id, own,
                                         &passing);
  if (last > k->out->shape[0]) last = k->out->shape[0];
  u->n = 0;
  u->choosy = passing < j->f->nitems / WORTH;
  for (; at < last && k->held + u->n < k->room; at++) {
    pair *p = &u->pairs[u->n];
    k->ids[0] = (int32_t)(mc_idat(c->indices, at) - c->base);
    put(k->out, at, 0);
    if (k->ids[0] < 0 || k->ids[0] >= j->f->nitems ||
        !mck_passes(pass, k->ids[0])) continue;
    score(j, k, u, 1);
    if (!(k->scores[0] >= j->floor)) continue;
    *p = (pair) {.score = k->scores[0], .id = k->ids[0], .at = at};
    u->n++;
  }
  mc_filter_end(j->filter, thread, u->seat.id, own);
  qsort(u->pairs, (size_t)u->n, sizeof *u->pairs, order);
}


/* let the scan find who is better than the worst pair of user 'i' */
static void seat (const mc_recjob *j, mc_ranker *k, int64_t i) {
  mck_recgroup *g = &k->groups[i / MCK_SIX];
  ranked *u = &k->list[i];
  int r = (int)(i % MCK_SIX);
  if (r == 0) {
    mc_rec_cleargroup(g);
    g->x = k->x + (size_t)i * packedrank(j);
    g->bytes = k->bytes + (size_t)i * bytesrank(j);
    g->list = k->cands + i * ROOM;
    g->room = ROOM;
    g->full = FULL;
    memset(k->x + (size_t)i * packedrank(j), 0,
           MCK_SIX * packedrank(j) * sizeof *k->x);
    memset(k->bytes + (size_t)i * bytesrank(j), 0, MCK_SIX * bytesrank(j));
  }
  u->seat.unit = 0;
  if (j->p == NULL || u->choosy) return;
  k->loaded = -1;
  mc_getuser(j->f, u->seat.at, &k->user);
  u->seat.unit = mc_rec_place(j, &k->user, g, r,
                              k->x + (size_t)(i - r) * packedrank(j),
                              k->bytes + (size_t)(i - r) * bytesrank(j));
  if (u->seat.unit == 0) return;
  for (int64_t q = 0; q < u->n; q++) {
    pair *p = &u->pairs[q];
    p->lower = mc_rec_lower(j, &u->seat, p->score * u->seat.unit);
    p->upper = -mc_rec_lower(j, &u->seat, -p->score * u->seat.unit);
  }
  g->bar[r] = u->pairs[u->n - 1].lower;
}


/* rank the pairs of all users at hand */
static void rank (const mc_recjob *j, mc_ranker *k, int thread) {
  if (j->p != NULL && k->users > 0) scan(j, k, thread);
  for (int64_t i = 0; i < k->users && !mc_cancelled(); i++) {
    ranked *u = &k->list[i];
    int64_t better = 0;
    if (u->seat.unit == 0) whole(j, k, thread, u);
    else odds(j, k, thread, u);
    for (int64_t q = 0; q < u->n; q++) {
      better += u->pairs[q].better;
      put(k->out, u->pairs[q].at, better + 1);
    }
  }
  k->held = k->users = 0;
}


void mc_rank_rows (const mc_recjob *j, mc_ranker *rankers, int thread,
                   int64_t first, int64_t last) {
  mc_ranker *k = &rankers[thread];
  k->held = k->users = 0;
  k->loaded = -1;
  for (int64_t row = first; row < last && !mc_cancelled(); row++) {
    ranked *u = &k->list[k->users];
    int64_t id = mc_rec_user(j, row), n;
    n = mc_idat(k->csr->indptr, id + 1) - mc_idat(k->csr->indptr, id);
    if (n == 0) continue;
    if (k->held + n > k->room) {
      rank(j, k, thread);
      u = k->list;
    }
    u->seat = (mc_seat) {.id = id, .at = mc_rec_at(j, row)};
    u->pairs = k->pairs + k->held;
    listpairs(j, k, thread, u);
    if (u->n == 0) continue;
    seat(j, k, k->users);
    k->held += u->n;
    if (++k->users == USERS) rank(j, k, thread);
  }
  rank(j, k, thread);
}

/* -------} */

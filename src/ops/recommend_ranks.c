/*
** recommend_ranks.c - the ranks of given pairs among all that a user may get
**
** A rank is one more than the items that are better.  All packed items get a
** score in float; whoever is above a pair's bounds by more than that may be
** off is better, whoever is below them worse, and the few between get their
** score computed (recommend_scan.c, 1 to 5, has the margins).  Then those are
** taken off that the user may not get: they are few, or he is 'whole', and
** the scores of all that he may get are computed.
*/

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recommend_ranks.h"
#include "recommend_scan.h"

#define GROUPS 2    /* groups of users that share a block in the cache */
#define USERS (GROUPS * MCK_GROUP)
#define PAIRS 4096  /* pairs of users done together, at least */
#define MOST 128    /* pairs of a user that are worth comparing one by one */
#define LOOKS 4     /* blocks between two looks whether to go on */
#define MANY 4096   /* the same in items, one by one */
#define WORTH 8     /* scores that cost what one computed alone does */

typedef struct pair {
  double score;
  int32_t id;
  int64_t at;          /* among all pairs */
  int64_t first;       /* items of which it is the first that they beat */
} pair;

typedef struct ranked {
  mc_seat seat;
  int64_t from, n;     /* his pairs at hand, best first */
  bool whole;
} ranked;

struct mc_ranker {
  const mascon_csr *csr;
  const mascon_array *out;
  int64_t room;        /* for pairs */
  int64_t held, users; /* pairs and users at hand */
  pair *pairs;
  mck_bounds *bounds;  /* scaled, of each */
  int64_t *better;     /* items that are better than each for sure */
  ranked *list;
  mck_recgroup *groups;
  float *x;
  int8_t *bytes;
  int64_t most;        /* of what follows, besides himself */
  int32_t *never;      /* ids that a user may not get */
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
  return mck_lines(packedrank(j)) * MCK_LINE;
}


/* the most ids of a row */
static int64_t longest (const mascon_csr *c) {
  int64_t most = 0;
  for (int64_t r = 0; c != NULL && r < c->nrows; r++) {
    int64_t n = mc_idat(c->indptr, r + 1) - mc_idat(c->indptr, r);
    if (n > most) most = n;
  }
  return most;
}


static bool make (const mc_recjob *j, mc_ranker *k) {
  k->pairs = mc_alloc((size_t)k->room, sizeof *k->pairs);
  k->bounds = mc_alloc((size_t)k->room, sizeof *k->bounds);
  k->better = mc_alloc((size_t)k->room, sizeof *k->better);
  k->list = mc_alloc(USERS, sizeof *k->list);
  k->groups = mc_alloc(GROUPS, sizeof *k->groups);
  k->x = mc_alloc(USERS, packedrank(j) * sizeof *k->x);
  k->bytes = mc_alloc(USERS, bytesrank(j));
  k->most = longest(j->filter->exclude);
  k->never = mc_alloc((size_t)k->most + 1, sizeof *k->never);
  k->user.x = mc_alloc((size_t)j->f->rank + 1, sizeof *k->user.x);
  k->loaded = -1;
  return k->pairs != NULL && k->bounds != NULL && k->better != NULL &&
         k->list != NULL && k->groups != NULL && k->x != NULL &&
         k->bytes != NULL && k->never != NULL && k->user.x != NULL;
}


mc_ranker *mc_rank_open (const mc_recjob *j, const mascon_csr *pairs,
                         const mascon_array *out, int threads) {
  mc_ranker *k = mc_zalloc((size_t)threads, sizeof *k);
  int64_t most = longest(pairs);
  for (int t = 0; k != NULL && t < threads; t++) {
    k[t].csr = pairs;
    k[t].out = out;
    k[t].room = most > PAIRS ? most : PAIRS;
    if (make(j, &k[t])) continue;
    mc_rank_close(k, threads);
    return NULL;
  }
  return k;
}


void mc_rank_close (mc_ranker *k, int threads) {
  for (int t = 0; k != NULL && t < threads; t++) {
    mc_free(k[t].pairs);
    mc_free(k[t].bounds);
    mc_free(k[t].better);
    mc_free(k[t].list);
    mc_free(k[t].groups);
    mc_free(k[t].x);
    mc_free(k[t].bytes);
    mc_free(k[t].never);
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


/* count an item of known score ('by' times) for the first pair that it beats */
static void countscore (mc_ranker *k, const ranked *u, double score,
                        int32_t id, int by) {
  pair *p = k->pairs + u->from;
  int64_t lo = 0, hi = u->n;
  while (lo < hi) {
    int64_t m = (lo + hi) / 2;
    if (beats(score, id, &p[m])) hi = m;
    else lo = m + 1;
  }
  if (lo < u->n) p[lo].first += by;
}

/* -------} */


/* {------- scores ------- */

static void score (const mc_recjob *j, mc_ranker *k, const ranked *u,
                   int64_t n) {
  if (k->loaded != u->seat.at) mc_getuser(j->f, u->seat.at, &k->user);
  k->loaded = u->seat.at;
  mc_scores(j->f, &k->user, k->ids, n, k->scores);
}


/* count the first 'n' items of k->ids, unless they have no score */
static void countids (const mc_recjob *j, mc_ranker *k, const ranked *u,
                      int64_t n, int by) {
  if (n > 0) score(j, k, u, n);
  for (int64_t i = 0; i < n; i++)
    if (k->scores[i] >= j->floor)
      countscore(k, u, k->scores[i], k->ids[i], by);
}


/* the same for one more, once they are many */
static int64_t gather (const mc_recjob *j, mc_ranker *k, const ranked *u,
                       int64_t n, int32_t id, int by) {
  k->ids[n++] = id;
  if (n < 64) return n;
  countids(j, k, u, n, by);
  return 0;
}


/* count all items that pass, for a user who is whole */
static void whole (const mc_recjob *j, mc_ranker *k, int thread,
                   const ranked *u) {
  int64_t passing, n = 0, own = mc_rec_own(j, &u->seat);
  const uint64_t *pass = mc_filter_begin(j->filter, thread, u->seat.id, own,
                                         &passing);
  for (int64_t i = 0; i < j->f->nitems; i++) {
    if (i % MANY == 0 && mc_cancelled()) break;
    if (mck_passes(pass, i)) n = gather(j, k, u, n, (int32_t)i, 1);
  }
  countids(j, k, u, n, 1);
  mc_filter_end(j->filter, thread, u->seat.id, own);
}

/* -------} */


/* {------- packed items ------- */

static int byid (const void *a, const void *b) {
  int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
  return i < j ? -1 : i > j;
}


/*
** Take off what a user may not get, of all that was counted for him.  The ids
** were checked, but somebody may be writing them right now: as in filter.c.
*/
static void takeoff (const mc_recjob *j, mc_ranker *k, const ranked *u) {
  const mascon_csr *c = j->filter->exclude;
  const uint64_t *common = j->filter->common;
  int64_t n = 0, m = 0, own = mc_rec_own(j, &u->seat);
  int64_t i = c != NULL ? mc_idat(c->indptr, u->seat.id) : 0;
  int64_t last = c != NULL ? mc_idat(c->indptr, u->seat.id + 1) : 0;
  if (c != NULL && last > c->indices->shape[0]) last = c->indices->shape[0];
  for (i = i < 0 ? last : i; i < last && n < k->most; i++)
    k->never[n++] = (int32_t)(mc_idat(c->indices, i) - c->base);
  if (own >= 0) k->never[n++] = (int32_t)own;
  qsort(k->never, (size_t)n, sizeof *k->never, byid);
  for (i = 0; i < n; i++) {
    int32_t id = k->never[i];
    if (id < 0 || id >= j->f->nitems || (i > 0 && id == k->never[i - 1]) ||
        !mck_passes(common, id)) continue;
    m = gather(j, k, u, m, id, -1);
  }
  countids(j, k, u, m, -1);
}


/* count those of block 'b' whose score is open, for user 'u' */
static void countopen (const mc_recjob *j, mc_ranker *k, const ranked *u,
                       int64_t b, const float *scores, float e,
                       uint64_t open) {
  for (; open != 0; open &= open - 1) {
    int i = __builtin_ctzll(open);
    int64_t at = b * MCK_BLOCK + i;
    if (at >= j->p->n) continue;
    k->ids[0] = j->p->ids[at];
    score(j, k, u, 1);
    for (int64_t q = u->from; q < u->from + u->n; q++) {
      float hi = k->bounds[q].upper + e, lo = k->bounds[q].lower - e;
      hi += fabsf(hi) * 0x1p-19f;  /* as the kernel has it */
      lo -= fabsf(lo) * 0x1p-19f;
      if (scores[i] >= lo && !(scores[i] > hi) &&
          beats(k->scores[0], k->ids[0], &k->pairs[q])) k->better[q]++;
    }
  }
}


/* a block and six users, from number 'i' on */
static void block (const mc_recjob *j, mc_ranker *k, int64_t b, int64_t i,
                   const mck_ranks *kern) {
  const mck_recgroup *g = &k->groups[i / MCK_GROUP];
  int six = (int)(i % MCK_GROUP);
  float tile[MCK_SIX * MCK_BLOCK], norm = j->p->stats[b].norm;
  bool alive = false;
  for (int r = 0; r < MCK_SIX; r++)
    alive = alive || g->length[six + r] * norm >= g->bar[six + r];
  if (!alive) return;
  kern->tile(j->p->panels + (size_t)b * mc_pack_panel(j->p->k), j->p->k,
             g->x + (size_t)six * j->p->k, tile);
  for (int r = 0; r < MCK_SIX && i + r < k->users; r++) {
    const ranked *u = &k->list[i + r];
    float *scores = tile + r * MCK_BLOCK, e = g->slack[six + r] * norm;
    uint64_t open;
    if (u->whole || !(g->length[six + r] * norm >= g->bar[six + r]))
      continue;
    for (int64_t at = j->p->n - b * MCK_BLOCK; at < MCK_BLOCK; at++)
      scores[at] = -INFINITY;  /* nobody is there */
    open = kern->count(scores, e, k->bounds + u->from, (size_t)u->n,
                       k->better + u->from);
    if (open != 0) countopen(j, k, u, b, scores, e, open);
  }
}


static void scan (const mc_recjob *j, mc_ranker *k) {
  const mck_ranks *kern = mck_get()->ranks;
  size_t n = (size_t)(k->users + MCK_GROUP - 1) / MCK_GROUP;
  for (int64_t b = 0; b < j->p->nblocks; b++) {
    if (b % LOOKS == 0 && (mc_cancelled() ||
        !j->f->kern->alive(k->groups, n, j->p->stats[b].norm))) break;
    for (int64_t i = 0; i < k->users; i += MCK_SIX) block(j, k, b, i, kern);
  }
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
  if (at < 0) at = last;
  u->n = 0;
  for (; at < last && k->held + u->n < k->room; at++) {
    int64_t id = mc_idat(c->indices, at) - c->base;
    put(k->out, at, 0);
    if (id < 0 || id >= j->f->nitems || !mck_passes(pass, id)) continue;
    k->ids[0] = (int32_t)id;
    score(j, k, u, 1);
    if (!(k->scores[0] >= j->floor)) continue;
    k->pairs[u->from + u->n++] = (pair) {k->scores[0], k->ids[0], at, 0};
  }
  mc_filter_end(j->filter, thread, u->seat.id, own);
  qsort(k->pairs + u->from, (size_t)u->n, sizeof *k->pairs, order);
  u->whole = j->p == NULL || j->filter->allow != NULL || u->n > MOST ||
             (j->filter->common != NULL && !j->narrow) ||
             passing < j->f->nitems / WORTH;
}


/* an empty group for users from number 'i' on */
static void cleargroup (const mc_recjob *j, mc_ranker *k, int64_t i) {
  mck_recgroup *g = &k->groups[i / MCK_GROUP];
  mc_rec_cleargroup(g);
  g->x = k->x + (size_t)i * packedrank(j);
  memset(k->x + (size_t)i * packedrank(j), 0,
         MCK_GROUP * packedrank(j) * sizeof *k->x);
}


/* bounds of the pairs of user 'i', and his factors packed, unless he is
   whole */
static void seat (const mc_recjob *j, mc_ranker *k, int64_t i) {
  mck_recgroup *g = &k->groups[i / MCK_GROUP];
  ranked *u = &k->list[i];
  mc_seat *s = &u->seat;
  int r = (int)(i % MCK_GROUP);
  if (r == 0) cleargroup(j, k, i);
  memset(k->better + u->from, 0, (size_t)u->n * sizeof *k->better);
  if (u->whole) return;
  k->loaded = -1;
  mc_getuser(j->f, s->at, &k->user);
  s->unit = mc_rec_place(j, &k->user, g, r,
                         k->x + (size_t)(i - r) * packedrank(j),
                         k->bytes + (size_t)(i - r) * bytesrank(j));
  u->whole = s->unit == 0;
  if (u->whole) return;
  for (int64_t q = u->from; q < u->from + u->n; q++) {
    double x = k->pairs[q].score * s->unit;
    k->bounds[q].lower = mc_rec_lower(j, s, x);
    k->bounds[q].upper = -mc_rec_lower(j, s, -x);
  }
  g->bar[r] = k->bounds[u->from + u->n - 1].lower;
}


/* rank the pairs of all users at hand */
static void rank (const mc_recjob *j, mc_ranker *k, int thread) {
  if (j->p != NULL && k->users > 0) scan(j, k);
  for (int64_t i = 0; i < k->users && !mc_cancelled(); i++) {
    const ranked *u = &k->list[i];
    int64_t better = 0, n = 0;
    if (u->whole) whole(j, k, thread, u);
    else {
      for (int64_t o = 0; o < j->p->nodd; o++)
        n = gather(j, k, u, n, j->p->odd[o], 1);
      countids(j, k, u, n, 1);
      takeoff(j, k, u);
    }
    for (int64_t q = u->from; q < u->from + u->n; q++) {
      better += k->pairs[q].first;
      put(k->out, k->pairs[q].at, better + k->better[q] + 1);
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
    int64_t id = mc_rec_user(j, row);
    int64_t n = mc_idat(k->csr->indptr, id + 1) - mc_idat(k->csr->indptr, id);
    ranked *u;
    if (n == 0) continue;
    if (k->held + n > k->room) rank(j, k, thread);
    u = &k->list[k->users];
    *u = (ranked) {.seat = {.id = id, .at = mc_rec_at(j, row)},
                   .from = k->held};
    listpairs(j, k, thread, u);
    if (u->n == 0) continue;
    seat(j, k, k->users);
    k->held += u->n;
    if (++k->users == USERS) rank(j, k, thread);
  }
  rank(j, k, thread);
}

/* -------} */

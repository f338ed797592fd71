/*
** mcl_job.h - Lua code on other threads: what its files share
**
** A job is a function of Lua, shipped as bytecode, and one worker or more that
** run it, each a thread with a Lua state of its own.  Nothing of a state is
** seen by another: what goes from one to another is packed.
*/

#ifndef MCL_JOB_H
#define MCL_JOB_H

#include <stdatomic.h>

#include "mcl_topn.h"


/* {------- values on their way to another state (mcl_packet.c) ------- */

/* what goes by reference */
typedef struct mcl_ref {
  mascon_array array;   /* closed: it is the index */
  mascon_index *index;
} mcl_ref;

typedef struct mcl_packet {
  char *bytes;
  size_t n, size;       /* used, allocated */
  mcl_ref *refs;
  size_t nrefs, refsize;
} mcl_packet;

/*
** Append the values from 'first' to 'last' of the stack.  Returns NULL; or,
** with a part appended, what is wrong ("x.y[2]: ... expected, got function")
** and in '*which' the value that it is wrong with.  May raise for memory.
*/
const char *mcl_pack (lua_State *L, int first, int last, mcl_packet *p,
                      int *which);

/*
** Push the values that were appended together at '*at', which is moved behind
** them: how many they are.  Any thread may do so at any time.
*/
int mcl_unpack (lua_State *L, const mcl_packet *p, size_t *at);

void mcl_packfree (mcl_packet *p);

/* -------} */


/* {------- a function on its way (mcl_ship.c) ------- */

/* raise where there is no function of Lua's at 'arg' */
void mcl_checkfunction (lua_State *L, int arg);

/*
** The function at 'arg', with all that a worker must know of this state, into
** 'p'; raises where it cannot be shipped.
*/
void mcl_ship (lua_State *L, int arg, mcl_packet *p);

/* a function for a new state, without libraries: takes the job, a light
   userdata, and returns the function */
int mcl_unship (lua_State *W);

/*
** What makes the Lua parts of mascon known to 'require' in a new state; NULL
** where they are files (mcl_open.c sets it).
*/
lua_CFunction mcl_getparts (lua_State *L);
void mcl_setparts (lua_State *L, lua_CFunction parts);

/* -------} */


/* {------- a job and its workers (mcl_worker.c) ------- */

struct mcl_job;

typedef struct mcl_worker {
  struct mcl_job *job;
  mcl_packet results;     /* of each chunk: its number and what was returned */
  lua_State *state;       /* NULL: it has none that could be stopped */
  lua_Alloc alloc;        /* the allocator that the state came with */
  void *allocud;
  atomic_bool inside;     /* the allocator is at work */
  atomic_flag gate;       /* held by whoever sets a hook in the state */
  char apart[128];        /* no two workers write to one line of the cache */
} mcl_worker;

/* what there is to do: 1 to n, in chunks */
typedef struct mcl_span {
  int64_t n, chunk, nchunks;
  bool told;              /* the function gets first and last */
} mcl_span;

typedef struct mcl_job {
  mcl_packet function, args;
  mcl_packet error;       /* what the first that failed has raised */
  lua_CFunction parts;
  mcl_span span;
  _Atomic int64_t next;   /* first chunk not handed out */
  _Atomic int64_t done;   /* of n, in chunks that are done */
  atomic_bool stop;       /* all give up */
  atomic_bool failed;     /* one has put its error there */
  int nworkers;
  mcl_worker workers[];
} mcl_job;

mcl_job *mcl_newjob (int nworkers);
void mcl_freejob (void *job);

/* the body of a thread */
void mcl_work (void *job, int worker);

/*
** All workers are to give up.  Call it again while some still run: it is then
** that code which allocates nothing is stopped.
*/
void mcl_stop (mcl_job *j);

/* is this thread a worker that is to give up? */
bool mcl_stopped (void);

/* -------} */

#endif

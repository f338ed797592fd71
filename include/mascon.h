/*
** mascon.h - array kernels for C hosts: arrays, gaussians, top-N
**
** The whole contract of libmascon; nothing here knows Lua (mascon_lua.h does).
**
** Conventions
**   - Indices and ids count from 0.  Axes count from 0.  Rows come before
**     columns, y before x.
**   - A function that can fail returns a status: MASCON_OK or one of MASCON_E*.
**     Unless it says otherwise, outputs are untouched when it fails.  Nothing
**     prints, exits or sets a global.
**   - Order of arguments: inputs, options, outputs, exec.  NULL options and a
**     NULL exec are the defaults.
**   - Every options struct starts with its size and has an _INIT; new fields
**     are appended, so that a program compiled against an older header works.
**   - Arrays stay the caller's.  A function never keeps a pointer to one past
**     its call, except where its contract says view: a view holds a reference
**     to the buffer, not to the array.
**   - Any thread may call anything at any time; there is no lock.  Two calls
**     may run at once unless one writes what the other uses.
**   - Each section begins with who owns what its functions take and give, and
**     what threads may do with them.
**   - After fork() in the child, kernels run on the calling thread only: the
**     thread pool does not survive a fork.  So they do inside somebody else's
**     OpenMP parallel region.
*/

#ifndef MASCON_H
#define MASCON_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define MASCON_VERSION_MAJOR 0
#define MASCON_VERSION_MINOR 1
#define MASCON_VERSION_PATCH 0
#define MASCON_VERSION "0.1.0"

#if defined(__GNUC__)
#define MASCON_API __attribute__((visibility("default")))
#else
#define MASCON_API
#endif

#ifdef __cplusplus
extern "C" {
#endif


/* {====================================================================
** Status
** ===================================================================== */

/*
** Ownership: the text is a constant of the library, never freed.
** Threads: any, at any time.
*/

typedef enum mascon_status {
  MASCON_OK = 0,
  MASCON_ENOMEM,     /* not enough memory */
  MASCON_ETYPE,      /* dtype not accepted here */
  MASCON_ESHAPE,     /* shapes or ranks do not fit */
  MASCON_ERANGE,     /* an index, id or count is out of range */
  MASCON_EVALUE,     /* a value is not accepted (NaN, negative, ...) */
  MASCON_EINEXACT,   /* a value does not fit the integer dtype exactly */
  MASCON_EOVERFLOW,  /* an integer result does not fit its dtype */
  MASCON_EALIAS,     /* an output overlaps an input partly */
  MASCON_EREADONLY,  /* an output is read-only */
  MASCON_ECLOSED,    /* an array is closed, or is no array of this abi */
  MASCON_ETOOBIG,    /* a product of sizes exceeds what can be addressed */
  MASCON_ECANCEL,    /* the exec's progress or cancel asked to stop */
  MASCON_EIO,        /* reading or writing failed; errno says why */
  MASCON_EFORMAT,    /* a file is not what it says, or not supported */
  MASCON_ECHECK,     /* a result differs from brute force: a fault of ours */
  MASCON_EBUSY,      /* a call that is not over yet writes the array */
  MASCON_NSTATUS
} mascon_status;

/*
** The text of a status, such as "not enough memory".  A constant; never NULL,
** for any value.
*/
MASCON_API const char *mascon_strerror (int status);

/* }==================================================================== */


/* {====================================================================
** Arrays
** ===================================================================== */

/*
** Ownership: the struct that a function sets is the caller's variable, and
** holds a reference to the memory: mascon_release gives it up (mascon_describe
** alone sets one that holds none). What is only read stays the caller's. Names
** of dtypes are constants.
** Threads: any, at once, also for arrays that share memory. One struct is not
** for a thread while another sets or releases it. A 'release' is called on the
** thread that gives the last reference up.
*/

typedef enum mascon_dtype {
  MASCON_F64, MASCON_F32, MASCON_I64, MASCON_I32, MASCON_U16, MASCON_U8,
  MASCON_NDTYPE
} mascon_dtype;

/* element type as DLPack describes it: code 0 signed, 1 unsigned, 2 float */
typedef struct mascon_dltype {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;  /* 1 */
} mascon_dltype;

#define MASCON_MAGIC 0x4e43534dU  /* "MSCN" in memory, little-endian */
#define MASCON_ABI 1
#define MASCON_MAXDIM 4

/* flags of an array */
#define MASCON_READONLY 1u  /* elements must not be written through it */
#define MASCON_STATIC 2u    /* mascon_wrap: no owner, memory outlives all */
#define MASCON_VIEW 4u      /* set where it was made from another array */

/*
** Who owns the memory.  More follows these fields, which are to be touched by
** the functions below only, but are the same in every copy of the library: so
** several copies in one process take each other's arrays.
*/
typedef struct mascon_buffer mascon_buffer;
struct mascon_buffer {
  void (*destroy) (mascon_buffer *b);  /* called with the last reference */
  int64_t refs;
  int32_t frozen;
};

/*
** An array: where the elements are and how they are laid out.  It stands at
** offset 0 of every array userdata in Lua, and C functions take it by pointer;
** a host may fill one in by hand (buffer NULL) to describe its own memory for
** a call.  Fields are only ever appended.
**
** Element (i, j, ...) is at data + i * stride[0] + j * stride[1] + ...,
** counted in elements; strides may be zero or negative.  Shape and stride
** beyond ndim are 1 and 0.
*/
typedef struct mascon_array {
  uint32_t magic;  /* MASCON_MAGIC; 0 once closed */
  uint16_t abi;    /* MASCON_ABI */
  uint16_t size;   /* sizeof(mascon_array) for whom made it */
  void *data;      /* the first element; never NULL unless closed */
  mascon_dltype dtype;
  uint8_t ndim;    /* 1 to MASCON_MAXDIM */
  uint8_t flags;   /* MASCON_READONLY, MASCON_VIEW */
  uint16_t reserved;
  int64_t shape[MASCON_MAXDIM];
  int64_t stride[MASCON_MAXDIM];
  mascon_buffer *buffer;  /* NULL: described by hand, nobody owns it here */
} mascon_array;

/*
** Frees wrapped memory.  Called exactly once, when the last array that uses
** it is released: on any thread, possibly after the lua_State that saw it is
** closed.  It must not touch a lua_State.
*/
typedef void (*mascon_release_fn) (void *ctx, void *data);

/* size in bytes of an element of 't'; 0 where 't' is no dtype */
MASCON_API size_t mascon_dtype_size (mascon_dtype t);

/* name of 't' ("f64"); "?" where 't' is no dtype */
MASCON_API const char *mascon_dtype_name (mascon_dtype t);

/* the dtype of 'a', or MASCON_NDTYPE where it is none of ours */
MASCON_API mascon_dtype mascon_dtype_of (const mascon_array *a);

/* the smallest dtype that holds every value of both (i32 and f32: f64) */
MASCON_API mascon_dtype mascon_dtype_join (mascon_dtype s, mascon_dtype t);

/*
** Can 't' hold 'x' exactly?  Floats take any number and round it; integers
** only what is whole and in range.
*/
MASCON_API int mascon_dtype_fits (mascon_dtype t, double x);
MASCON_API int mascon_dtype_fits_int (mascon_dtype t, int64_t x);

/*
** mascon_new: a new array in row-major order, elements not initialised.
**
** a      set to the new array; anything it held before is lost.
** t      dtype.
** ndim   1 to MASCON_MAXDIM.
** shape  ndim counts, each >= 0.
**
** Memory is 64-byte aligned.  Release it with mascon_release.
** Returns MASCON_OK, MASCON_ETYPE, MASCON_ESHAPE, MASCON_ETOOBIG or
** MASCON_ENOMEM.
*/
MASCON_API int mascon_new (mascon_array *a, mascon_dtype t, int ndim,
                           const int64_t *shape);

/* mascon_zeros: as mascon_new, with every element zero */
MASCON_API int mascon_zeros (mascon_array *a, mascon_dtype t, int ndim,
                             const int64_t *shape);

/*
** mascon_wrap: an array over memory that the caller has.
**
** a        set to the new array.
** p        the first element, aligned to its size; may be NULL only if the
**          array is empty.
** t, ndim, shape  as for mascon_new.
** stride   ndim strides in elements, or NULL for row-major order.
** release  called as release(ctx, p) when the last array that shares the
**          memory is released.  NULL only with MASCON_STATIC.
** flags    MASCON_READONLY, MASCON_STATIC.
**
** On failure 'release' is not called: the caller still owns the memory.
** Returns as mascon_new; MASCON_EVALUE for a NULL or misaligned 'p', for a
** missing 'release' or for unknown flags.
*/
MASCON_API int mascon_wrap (mascon_array *a, void *p, mascon_dtype t, int ndim,
                            const int64_t *shape, const int64_t *stride,
                            mascon_release_fn release, void *ctx,
                            unsigned flags);

/*
** mascon_describe: fill in 'a' for memory of the caller, for the time of a
** call: no owner, nothing allocated, nothing to release.  Arguments as for
** mascon_wrap.
*/
MASCON_API int mascon_describe (mascon_array *a, void *p, mascon_dtype t,
                                int ndim, const int64_t *shape,
                                const int64_t *stride, unsigned flags);

/*
** mascon_view: make 'v' a second handle of the memory of 'a'.  Both must be
** released.  Returns MASCON_OK or MASCON_ECLOSED.
*/
MASCON_API int mascon_view (mascon_array *v, const mascon_array *a);

/*
** mascon_release: give up an array.  The memory is freed with the last of
** the arrays that share it.  Releasing NULL, or twice, does nothing.
*/
MASCON_API void mascon_release (mascon_array *a);

/*
** Views: 'v' is set to part of 'a' and shares its memory and flags; release
** both.  'v' may not be 'a'.  Nothing is copied; cost is constant.
** Each returns MASCON_OK, MASCON_ECLOSED, or as said.
*/

/*
** elements first, first + step, ... ('count' of them) along 'axis'.  'step'
** may be negative, not 0.  MASCON_ERANGE if any lies outside.
*/
MASCON_API int mascon_narrow (mascon_array *v, const mascon_array *a, int axis,
                              int64_t first, int64_t count, int64_t step);

/*
** the slice at 'index' of 'axis', which is dropped.  Needs at least two axes
** (MASCON_ESHAPE).  MASCON_ERANGE if 'axis' or 'index' is outside.
*/
MASCON_API int mascon_select (mascon_array *v, const mascon_array *a, int axis,
                              int64_t index);

/* axis k of 'v' is axis axes[k] of 'a'.  MASCON_ERANGE if no permutation */
MASCON_API int mascon_permute (mascon_array *v, const mascon_array *a,
                               const int *axes);

/*
** the same elements in row-major order under another shape.  MASCON_ESHAPE if
** the counts differ, or if no strides can express it (then copy first).
*/
MASCON_API int mascon_reshape (mascon_array *v, const mascon_array *a,
                               int ndim, const int64_t *shape);

/* number of elements */
MASCON_API int64_t mascon_count (const mascon_array *a);

/*
** mascon_freeze: from now on the memory of 'a' is read-only, for every array
** that shares it, in every state and thread; nothing undoes it.  Calls that
** are writing already write to the end.
** Returns MASCON_OK, MASCON_ECLOSED, MASCON_EVALUE where 'a' has no buffer, or
** MASCON_EBUSY where it has results of a call of the top-N family that is not
** over: the callbacks of one cannot freeze what it has yet to write.
*/
MASCON_API int mascon_freeze (const mascon_array *a);

/* is writing through 'a' an error?  'a' is not closed */
static inline int mascon_isreadonly (const mascon_array *a) {
  if (a->flags & MASCON_READONLY) return 1;
#if defined(__GNUC__)
  return a->buffer != NULL &&
         __atomic_load_n(&a->buffer->frozen, __ATOMIC_RELAXED) != 0;
#else
  return a->buffer != NULL &&
         *(volatile const int32_t *)&a->buffer->frozen != 0;
#endif
}

/* bytes that the buffer of 'a' holds (0: no buffer, wrapped memory, or that of
   another copy of the library) */
MASCON_API size_t mascon_buffer_bytes (const mascon_array *a);

/* }==================================================================== */


/* {====================================================================
** From thread to thread, from state to state
** ===================================================================== */

/*
** Ownership: a token holds a reference of its own until it is used up or given
** up; an array that mascon_attach has set is the caller's to release.
** Threads: any, at any time; that is what tokens are for.
*/

/*
** A token stands for an array: a number that any thread, and any Lua state of
** the process, changes into an array of its own over the same memory.  It
** holds a reference until it is used up, so the array that it was made of may
** be released at once.  A token is above 0 and below 2^53, so that every Lua
** can hold it.  The tokens of another copy of the library in the process are
** known to be foreign, and refused.
**
** A short lock guards the list of tokens; no kernel and no access to an array
** knows of it.
**
** mascon_share: set 'token' to a new token for 'a', good for 'uses' calls of
** mascon_attach (at least 1).
** Returns MASCON_OK, MASCON_ECLOSED, MASCON_EVALUE where 'a' has no buffer (it
** was only described: nobody could know when its memory goes), MASCON_ERANGE
** for fewer than 1 use, MASCON_ENOMEM.
*/
MASCON_API int mascon_share (const mascon_array *a, int64_t uses,
                             int64_t *token);

/*
** mascon_attach: set 'a' to an array over the memory that 'token' stands for,
** as it was shared (shape, strides, flags); release it.
** Returns MASCON_OK; MASCON_ERANGE where all uses of the token are used up;
** MASCON_EVALUE where this copy of the library never gave it out.
*/
MASCON_API int mascon_attach (int64_t token, mascon_array *a);

/*
** mascon_unshare: the uses of 'token' that are left are given up.
** Returns as mascon_attach.
*/
MASCON_API int mascon_unshare (int64_t token);

/* }==================================================================== */


/* {====================================================================
** DLPack: memory that other tensor libraries share, without a copy
** ===================================================================== */

/*
** Ownership: a tensor holds a reference until its deleter is called. One that
** became an array is the array's; else it stays the caller's.
** Threads: any. A deleter is called on the thread that gives the last reference
** up.
*/

/* DLTensor, as DLPack publishes it, under a name of ours */
typedef struct mascon_dltensor {
  void *data;
  int32_t device;       /* 1: the CPU */
  int32_t device_id;
  int32_t ndim;
  mascon_dltype dtype;
  int64_t *shape;
  int64_t *strides;     /* in elements; NULL: row-major order */
  uint64_t byte_offset; /* of the first element from 'data' */
} mascon_dltensor;

/* DLManagedTensor: whoever takes it calls deleter(it) once, when done */
typedef struct mascon_dlmanaged {
  mascon_dltensor tensor;
  void *manager_ctx;
  void (*deleter) (struct mascon_dlmanaged *self);
} mascon_dlmanaged;

/* DLManagedTensorVersioned, of DLPack 1.0 on */
typedef struct mascon_dlversioned {
  uint32_t major, minor;  /* 1, 0 */
  void *manager_ctx;
  void (*deleter) (struct mascon_dlversioned *self);
  uint64_t flags;         /* MASCON_DLREADONLY, ... */
  mascon_dltensor tensor;
} mascon_dlversioned;

#define MASCON_DLREADONLY 1u

/*
** mascon_to_dlpack, mascon_to_dlversioned: a tensor over the memory of 'a'.
**
** t  set to a new tensor, which holds a reference to the memory until its
**    deleter is called, on any thread.  In a capsule of Python it is named
**    "dltensor", or "dltensor_versioned".
**
** Returns MASCON_OK, MASCON_ECLOSED, MASCON_EVALUE where 'a' has no buffer
** (then nobody owns the memory), MASCON_EREADONLY where 'a' is read-only, which
** only the versioned struct can say, or MASCON_ENOMEM.
*/
MASCON_API int mascon_to_dlpack (const mascon_array *a, mascon_dlmanaged **t);
MASCON_API int mascon_to_dlversioned (const mascon_array *a,
                                      mascon_dlversioned **t);

/*
** mascon_from_dlpack, mascon_from_dlversioned: an array over the memory of a
** tensor.
**
** t  on the CPU, of 1 to MASCON_MAXDIM axes (none: a vector of one element),
**    of one of our dtypes, or of booleans, which are u8.  On success it is the
**    array's: its deleter, which may be NULL, is called with the last
**    reference.
** a  set to the new array; read-only where the tensor says so.
**
** Returns MASCON_OK, or, with 't' still the caller's: MASCON_ETYPE (dtype or
** lanes), MASCON_ESHAPE, MASCON_ETOOBIG, MASCON_EVALUE (another device, another
** major version, elements not aligned) or MASCON_ENOMEM.
*/
MASCON_API int mascon_from_dlpack (mascon_dlmanaged *t, mascon_array *a);
MASCON_API int mascon_from_dlversioned (mascon_dlversioned *t,
                                        mascon_array *a);

/* }==================================================================== */


/* {====================================================================
** How to run a call
** ===================================================================== */

/*
** Ownership: an exec is the caller's variable, in use until its call returns;
** 'ud' is never freed. mascon_memory_use copies what it gets. Texts are
** constants.
** Threads: any, at any time, but for mascon_memory_use. What is set is for the
** whole process. An exec serves one call at a time.
*/

/*
** How to run one call; start from MASCON_EXEC_INIT, so that new fields
** default.  Results are the same bits for any number of threads.
*/
typedef struct mascon_exec {
  size_t size;  /* sizeof(mascon_exec) */
  int threads;  /* 0: OMP_NUM_THREADS, else the cores this process may use
                   less those busy in other mascon calls */
  /* called on the calling thread, outside the parallel region, at most 10
     times a second, the last time with done == total; nonzero cancels */
  int (*progress) (void *ud, int64_t done, int64_t total);
  void *ud;
  int64_t done;  /* set: rows that are final (all, unless MASCON_ECANCEL) */
  /* asked between blocks (at most 20 ms apart) on the calling thread, inside
     the parallel region: it must not block, allocate or jump; nonzero
     cancels */
  int (*cancel) (void *ud);
  int64_t total;  /* set: rows of the whole call */
  double due;     /* set: when progress is reported next; start with 0 */
} mascon_exec;

#define MASCON_EXEC_INIT {sizeof(mascon_exec), 0, NULL, NULL, 0, NULL, 0, 0}

/* threads that a call with exec->threads == 0 would use now; at least 1 */
MASCON_API int mascon_threads (void);

/* the instruction set in use: "base", "avx2", "avx512",
   "avx512vnni" or "amx".  The last asks the system for the use of tiles, once;
   from then on an alternate signal stack must hold 8 KiB more. */
MASCON_API const char *mascon_cpu (void);

/* seconds of a clock that only goes forward */
MASCON_API double mascon_clock (void);

/* memory that the library has allocated in this process */
typedef struct mascon_memory {
  int64_t bytes;   /* held now */
  int64_t blocks;  /* held now */
  int64_t calls;   /* allocations made since the process began */
  int64_t peak;    /* the most bytes held, to within 64 KiB a thread */
  int64_t kept;    /* bytes of freed blocks that wait to be used again: at most
                      64 MiB, 2 MiB a thread, and not among 'bytes' */
  int64_t limit;   /* on bytes and what is kept; -1: none */
} mascon_memory;

/* set 'm' to what it is now */
MASCON_API void mascon_memory_now (mascon_memory *m);

/*
** mascon_memory_trim: give back what is kept for reuse, but what other threads
** keep for themselves (2 MiB each).  Happens by itself where memory is short.
*/
MASCON_API void mascon_memory_trim (void);

/*
** mascon_memory_setlimit: from now on the library holds, and keeps for reuse,
** no more than 'bytes' in all threads together; what would exceed that is
** MASCON_ENOMEM.  What is held already stays.  < 0: no limit, as at start.
*/
MASCON_API void mascon_memory_setlimit (int64_t bytes);

/*
** bytes that this process may have: the memory of the machine, or less where
** the process is limited to less (mascon_memory_setlimit, setrlimit; on Linux
** also its group)
*/
MASCON_API int64_t mascon_memory_limit (void);

/*
** A host's own source of memory.  alloc(ud, bytes) returns memory aligned as
** malloc's, or NULL; release(ud, p, bytes) takes it back, 'bytes' as they were
** asked for.  Both are called on any thread, by several at the same time, and
** must not call mascon.
*/
typedef struct mascon_allocator {
  size_t size;  /* sizeof(mascon_allocator) */
  void *(*alloc) (void *ud, size_t bytes);
  void (*release) (void *ud, void *p, size_t bytes);
  void *ud;
} mascon_allocator;

/*
** mascon_memory_use: take the memory of elements and of all that is worked
** with from 'a', which is copied; NULL: from malloc, as at start.  Nothing is
** kept for reuse then: that is up to the host.  What the library counts by (64
** bytes a thread), OpenMP, Lua and libraries of formats have is not asked for.
**
** Call it before the first array is made, while no other thread uses the
** library; 'a->ud' and its functions must last as long as the last array.
** Returns MASCON_OK; MASCON_EVALUE where the library holds memory already, or
** 'a' lacks a function or is of another size.
*/
MASCON_API int mascon_memory_use (const mascon_allocator *a);

/*
** For tests of hosts: the library's next 'n' allocations work, and all after
** them fail, in every thread; n < 0: no failures (as at start).
*/
MASCON_API void mascon_memory_fail (int64_t n);

/* }==================================================================== */


/* {====================================================================
** Loops of your own
** ===================================================================== */

/*
** Ownership: 'ud' and arrays stay the caller's; nothing is kept after the call.
** Threads: any, also within a body: there a loop runs on that thread alone.
** mascon_parallel_for returns when all is done.
*/

/*
** Does rows first to last - 1.  Several threads call it at once, for other rows
** each.  0: done; nonzero: it failed, and the whole loop is to stop.  It may do
** what any thread may, also call functions of this library (which run on its
** own thread alone then), but must not jump out of itself, nor touch a
** lua_State that others use.
*/
typedef int (*mascon_body_fn) (void *ud, int64_t first, int64_t last);

/*
** mascon_parallel_for: run 'body' over the rows 0 to n - 1 on several threads.
**
** n      rows; 0: there is nothing to do.
** grain  rows of a block, which is what one call of 'body' does (the last may
**        have fewer): should take well under 20 ms.  0: as many as take a part
**        of a millisecond, found by timing.  Then the first rows are done by
**        the calling thread alone; so say 1 where there are few rows that take
**        long.
** body   gets 'ud'.  What comes out of a row must not depend on its block.
** ex     threads, progress (in rows) and cancel, as for every call.
**
** Blocks are handed out in order, and the calling thread works like the others.
** When the loop ends early, blocks that have begun are done, and no more begin.
**
** Returns MASCON_OK; MASCON_ERANGE for a negative n or grain; MASCON_EVALUE
** without a body; MASCON_ECANCEL where progress or cancel said so; or what
** 'body' returned: where several blocks fail, that of the first of them, which
** is the same for any number of threads.  ex->done is set: rows before it are
** done.  Let 'body' return a status of this library, or a negative number of
** your own.
**
** Allocates nothing.  Cost: some microseconds to wake other threads.
*/
MASCON_API int mascon_parallel_for (int64_t n, int64_t grain,
                                    mascon_body_fn body, void *ud,
                                    mascon_exec *ex);

/*
** mascon_cancelled: for a body (of mascon_parallel_for, of a kernel of your own
** in mascon_lua.h, a 'score' of mascon_topn_stream) whose block may take longer
** than 20 ms: is it to end, as the loop was cancelled or a block before this
** one has failed?  Ask every few milliseconds, and if so return MASCON_ECANCEL:
** the rows of this block are not done.  It is about the loop that the thread
** which asks works for; 0 outside a body.
*/
MASCON_API int mascon_cancelled (void);

/* how two arrays share memory */
#define MASCON_APART 0   /* not at all */
#define MASCON_SAME 1    /* each element is at the same place: what works element
                            by element may read one and write the other */
#define MASCON_PARTLY 2  /* otherwise */

/*
** mascon_overlap: MASCON_APART, MASCON_SAME or MASCON_PARTLY.  The last may be a
** false alarm, though never for disjoint runs of rows, of columns or of every
** k-th element of an array.  Neither is closed.
*/
MASCON_API int mascon_overlap (const mascon_array *a, const mascon_array *b);

/* }==================================================================== */


/* {====================================================================
** Threads that run a host's code, or a script's
** ===================================================================== */

/*
** Ownership: a team is the caller's until mascon_team_release. 'ud' is the
** team's from when it has started until 'release' is called.
** Threads: any, but a team is waited for and released by one thread at a time.
*/

/*
** A team: threads that each call run(ud, worker) once and end.  mascon.parallel
** and mascon.spawn stand on it.  Kernels have threads of their own, and a
** kernel that a team's thread calls works as on any other; with exec->threads
** == 0 it finds the cores of the team taken.
*/
typedef struct mascon_team mascon_team;

/*
** mascon_team_start: start threads.
**
** threads  at least 1.  Where the system gives fewer, fewer will do.
** run      called as run(ud, i) by each, i from 0 up.  All signals are blocked
**          in it.
** release  called as release(ud) once, when all have returned and the team was
**          given up, on any thread; or NULL.
** team     set to the new team.
**
** Returns MASCON_OK; or, with nothing called and 'ud' still the caller's,
** MASCON_ERANGE (threads), MASCON_ENOMEM where not one could be started.
** Ownership: the team is the caller's until it is given up.  Threads: any may
** start one.
*/
MASCON_API int mascon_team_start (int threads,
                                  void (*run) (void *ud, int worker),
                                  void (*release) (void *ud), void *ud,
                                  mascon_team **team);

/*
** mascon_team_wait: wait until all have returned, but no longer than
** 'seconds'.  Whoever waits sees all that they have written.
** Returns how many still run, or -1 in a process that was forked since: its
** team has no threads there.
** Ownership: nothing changes.  Threads: any, but one at a time.
*/
MASCON_API int mascon_team_wait (mascon_team *team, double seconds);

/*
** mascon_team_release: give the team up.  Never waits: threads that still run
** go on until they return.  NULL, and a team of the process that this one was
** forked from: does nothing.
** Ownership: 'team' is gone.  Threads: any, when nobody waits.
*/
MASCON_API void mascon_team_release (mascon_team *team);

/* }==================================================================== */


/* {====================================================================
** Files
** ===================================================================== */

/*
** Ownership: an array that a call sets is the caller's to release. Paths,
** names, 'why' and arrays that are read stay the caller's. A map holds its file
** until the last release.
** Threads: any. Who reads a path while it is saved gets the old file or the new
** one. Elements that are mapped for writing are written as those of any array
** are.
*/

/*
** Why a call on a file failed, in words: "x.npy: complex128 is not
** supported".  A text that ends with '\0', set only when a call fails.  Each
** function takes a pointer to one, or NULL.
*/
typedef struct mascon_why {
  char text[512];
} mascon_why;

/*
** mascon_npy_load: read a .npy file, versions 1 to 3.
**
** path  a regular file; it is never waited for.
** a     set to a new array that owns its memory.
**
** The dtype is the smallest that holds every value of the file's type:
** float64 f64; float32, float16 f32; int64, uint32 i64; int32, int16, int8
** i32; uint16 u16; uint8, bool u8.  uint64 is i64, and a value above 2^63 - 1
** a failure.  Either byte order.  Fortran order becomes strides.  A file of
** no axes is a vector of one element.  Other types, more than four axes, a
** header above 10,000 bytes, a file shorter or longer than its header says:
** failures.
**
** Returns MASCON_OK, MASCON_EIO (errno says why), MASCON_EFORMAT,
** MASCON_ETOOBIG, MASCON_EINEXACT, MASCON_ENOMEM or MASCON_ECANCEL.  Only
** after MASCON_OK was 'a' touched.
** Cost: one pass over the file, shared by the threads.
*/
MASCON_API int mascon_npy_load (const char *path, mascon_array *a,
                                mascon_why *why, mascon_exec *ex);

/*
** mascon_npy_map: the elements of a .npy file where they are; pages are read
** when they are touched.
**
** write  0: the array is read-only.  Else writing an element changes the
**        file; the last release brings the changes to the disk.
**
** The file's type must be a dtype of ours in this machine's byte order (bool
** will do for reading), and its elements aligned: MASCON_EFORMAT if not.
** Whoever makes the file shorter while it is mapped crashes this process.
** Else as mascon_npy_load.
*/
MASCON_API int mascon_npy_map (const char *path, int write, mascon_array *a,
                               mascon_why *why);

/*
** mascon_npy_create: a new .npy file of zeros, mapped for writing.
**
** path  replaced if it is there; whoever has mapped the old file keeps it.
** t, ndim, shape  as for mascon_new.
**
** The disk space is reserved first: a full disk is MASCON_EIO here and no
** crash later.  On failure there is no new file and the old one is untouched.
** The last release brings the elements to the disk.
*/
MASCON_API int mascon_npy_create (const char *path, mascon_dtype t, int ndim,
                                  const int64_t *shape, mascon_array *a,
                                  mascon_why *why);

/*
** mascon_npy_save: write 'a', of any strides, as a .npy file of version 1.0
** in row-major order.
**
** 'path' is the old file (or none) until all is on the disk, then the new
** one, with the old one's permissions.  A link is followed.  Never copies
** the whole array.
** Returns MASCON_OK, MASCON_ECLOSED, MASCON_EIO (errno says why),
** MASCON_ENOMEM or MASCON_ECANCEL.
*/
MASCON_API int mascon_npy_save (const mascon_array *a, const char *path,
                                mascon_why *why, mascon_exec *ex);

/*
** mascon_npy_decode: the array of a .npy file that is in memory.
**
** bytes  the whole file: a u8 vector, its elements side by side.
** name   what messages call it.
** a      set to a view of 'bytes' where its elements can be used as they
**        stand (read-only if 'bytes' is), else to a new array.
**
** Files as mascon_npy_load reads them; nothing that they say is trusted.
** Returns what it returns, or MASCON_ECLOSED, MASCON_ETYPE, MASCON_ESHAPE for
** 'bytes'.  Only after MASCON_OK was 'a' touched.
** Cost: the header's; where elements are converted, one pass over them.
*/
MASCON_API int mascon_npy_decode (const mascon_array *bytes, const char *name,
                                  mascon_array *a, mascon_why *why,
                                  mascon_exec *ex);

/*
** mascon_npy_head: what stands before the elements in a .npy file of 'a' (any
** strides) whose elements follow in row-major order: version 1.0.
** '*n' is set to its length, a multiple of 64.
** Returns MASCON_OK or MASCON_ECLOSED.
*/
#define MASCON_NPYHEAD 256
MASCON_API int mascon_npy_head (const mascon_array *a,
                                char head[MASCON_NPYHEAD], size_t *n);

/*
** mascon_flush: wait until what was written into 'a' is on the disk, if it is
** mapped from a file; else nothing.  Returns MASCON_OK, MASCON_ECLOSED or
** MASCON_EIO (errno says why).
*/
MASCON_API int mascon_flush (const mascon_array *a);

/* }==================================================================== */


/* {====================================================================
** CSV tables
** ===================================================================== */

/*
** Ownership: a table is the caller's until mascon_csv_free, and its names and
** places with it; views of its data live on. Labels are the caller's until
** mascon_labels_free, and the texts of them with them. Arrays that a call sets
** are the caller's to release.
** Threads: any, but a set of labels is for one thread at a time. 'fill' is
** called on the calling thread.
*/

/*
** Text tables of numbers: a line is a row, fields are separated by one byte,
** and there may be a header.  Lines end in LF or CR LF, the last one perhaps
** in nothing.  Blank lines, and lines that begin with 'comment', are no rows.
** Blanks around fields do not count.  A field may be quoted ("" is a quote in
** it), but ends on its line.  A byte order mark of UTF-8 is skipped.
**
** Numbers are those of C in decimal, also nan, inf and infinity in letters of
** any case, and are read as the nearest double; an empty field is NaN.  No
** locale matters.
*/
typedef struct mascon_csv_opts {
  size_t size;
  char sep;      /* 0: comma, semicolon, tab or blanks, as the first line has;
                    ' ': one or more blanks or tabs */
  char point;    /* '.' */
  char comment;  /* '#'; 0: none */
  int header;    /* the first line has names: 1 yes, 0 no, -1 (the default)
                    if any of its fields is not a number, or all are
                    quoted and none is below them */
  int skiptext;  /* leave columns out that are no numbers in most of the first
                    64 rows */
  const int *columns;  /* load only these, in this order, counted from 0 */
  int ncolumns;        /* 0: all */
} mascon_csv_opts;

#define MASCON_CSV_INIT {sizeof(mascon_csv_opts), 0, '.', '#', -1, 0, NULL, 0}

typedef struct mascon_csv {
  int ncols;                 /* columns that were loaded */
  const char *const *names;  /* theirs; "column1", ... without a header */
  const int *places;         /* where they are in the file, from 0 */
  int nall;                  /* columns of the file */
  const char *const *allnames;
  mascon_array data;         /* f64, ncols x rows: row k is names[k] */
  void *memory;              /* of names and places */
} mascon_csv;

/*
** mascon_csv_load: read a table into memory.
**
** path   a regular file; it is never waited for.
** table  set to the table; release it with mascon_csv_free.
** ex     progress counts blocks of the file.
**
** A header that is one quoted field as a whole ("x,""y""", as a spreadsheet
** leaves it) is taken for what is in the quotes.  Every row must have as many
** fields as the first line.  What is wrong is said with its line:
** "x.csv:17: 9 fields expected, got 8".  A first line that has numbers, and
** words over columns of numbers, may be a header or a broken row: it is
** refused unless 'header' says what it is.
**
** Returns MASCON_OK, MASCON_EIO (errno says why), MASCON_EFORMAT,
** MASCON_EVALUE (the options), MASCON_ERANGE (a column the file has not),
** MASCON_ETOOBIG, MASCON_ENOMEM or MASCON_ECANCEL.  Only after MASCON_OK was
** 'table' touched.
** Cost: two passes over the file, shared by the threads; beyond the columns,
** 1.3 MB a thread and 8 bytes for every 256 KB of file.  A line may have a
** megabyte, a table 65,536 columns.
*/
MASCON_API int mascon_csv_load (const char *path, const mascon_csv_opts *opts,
                                mascon_csv *table, mascon_why *why,
                                mascon_exec *ex);

/*
** mascon_csv_names: the names of the columns only: 'ncols' is 0, 'data'
** closed.  Returns as mascon_csv_load.
*/
MASCON_API int mascon_csv_names (const char *path, const mascon_csv_opts *opts,
                                 mascon_csv *table, mascon_why *why);

/*
** Distinct texts, numbered from 0 in the order in which they came.  Not for
** two threads at once.
**
** mascon_labels_new   NULL where memory is short
** mascon_labels_add   MASCON_OK, MASCON_EVALUE (it is there already) or
**                     MASCON_ENOMEM
** mascon_labels_count how many there are
** mascon_labels_text  text 'k', its 'n' bytes followed by no zero; NULL where
**                     there is none.  Valid until the next one is added
** mascon_labels_free  give them up; NULL is fine
*/
typedef struct mascon_labels mascon_labels;

MASCON_API mascon_labels *mascon_labels_new (void);
MASCON_API int mascon_labels_add (mascon_labels *l, const char *text,
                                  size_t n);
MASCON_API int64_t mascon_labels_count (const mascon_labels *l);
MASCON_API const char *mascon_labels_text (const mascon_labels *l, int64_t k,
                                           size_t *n);
MASCON_API void mascon_labels_free (mascon_labels *l);

/*
** mascon_csv_codes: columns of any text, as numbers of their texts.
**
** opts    'columns' (the caller's, at least one) says which; skiptext and
**         point do not matter.  header -1: the first line has names if one of
**         its fields is no number and the one below it is.
** labels  a set of texts for each column; two may be the same.  It may hold
**         texts already.
** extend  for each column; 0: a text that is not there has the number -1.
**         Else it is added.  NULL: it is, in all columns.
** codes   set to a new i32 matrix, opts->ncolumns x rows.
**
** Returns as mascon_csv_load.  Only after MASCON_OK was 'codes' touched; what
** was added to 'labels' before a failure stays.
** Cost: one pass over the file by one thread; while it runs, up to three times
** the memory of 'codes', and 3 MB.
*/
MASCON_API int mascon_csv_codes (const char *path, const mascon_csv_opts *opts,
                                 mascon_labels *const *labels,
                                 const int *extend, mascon_array *codes,
                                 mascon_why *why, mascon_exec *ex);

/* give up a table: all its memory but views of 'data'.  Twice is fine */
MASCON_API void mascon_csv_free (mascon_csv *table);

/*
** mascon_csv_save: write 'ncols' columns (vectors of one length, any dtypes,
** any strides) as a table with a header of quoted names, commas and LF.
**
** A number is written with few digits, never so few that it would be read as
** another one (as another f32, for f32).  'path' is the old file (or none)
** until all is on the disk, then the new one.  ex: progress counts rows.
** Returns MASCON_OK, MASCON_ESHAPE, MASCON_ECLOSED, MASCON_EVALUE (no column,
** a line break in a name), MASCON_EIO, MASCON_ENOMEM or MASCON_ECANCEL.
*/
MASCON_API int mascon_csv_save (const char *path, int ncols,
                                const char *const *names,
                                const mascon_array *const *columns,
                                mascon_why *why, mascon_exec *ex);

/*
** Results of mascon_topn and its family as a table: the header
** "user,item,score", then a line for every hit, the users in the order in which
** they come, the best item first.  Written block by block, so that all of it is
** never there; the file appears whole when it is ended.
**
** mascon_hits_begin: begin the file 'path'; '*h' is set to what writes it.
**
** users, items  what is written for user 0, 1, ... and item 0, 1, ...: their
**               texts, quoted where they have to be.  NULL: their numbers.
** base          what the first item is called in 'ids' (0 or 1); numbers that
**               are written count from it, of users too.
**
** mascon_hits_add: lines of users 'first' on, to which the rows of 'ids' (i32 or
** i64, a matrix) and 'scores' (f32 or f64, the same shape)
** belong.
** counts  hits of each row (i32 or i64 vector); NULL: a row ends before its first
**         id that is below 'base'.
**
** Returns MASCON_OK; MASCON_ERANGE (a user or an item that has no text, or a
** count beyond the row) before anything was written; MASCON_ETYPE,
** MASCON_ESHAPE, MASCON_ECLOSED, MASCON_ENOMEM; after MASCON_EIO and
** MASCON_ECANCEL the table cannot go on.  'why' says it in words.
**
** mascon_hits_end: bring the file to the disk and to its place, and free 'h'.
** mascon_hits_drop: give it up; what was at 'path' stays.  NULL is fine.
**
** 'users' and 'items' are copied.  Not for two threads at once.
** Cost: about 0.1 us for a hit, shared by the threads.
*/
typedef struct mascon_hits mascon_hits;

typedef struct mascon_hits_opts {
  size_t size;
  const mascon_labels *users, *items;
  int base;
} mascon_hits_opts;

#define MASCON_HITS_INIT {sizeof(mascon_hits_opts), NULL, NULL, 0}

MASCON_API int mascon_hits_begin (const char *path,
                                  const mascon_hits_opts *opts,
                                  mascon_hits **h, mascon_why *why);
MASCON_API int mascon_hits_add (mascon_hits *h, int64_t first,
                                const mascon_array *ids,
                                const mascon_array *scores,
                                const mascon_array *counts, mascon_why *why,
                                mascon_exec *ex);
MASCON_API int mascon_hits_end (mascon_hits *h, mascon_why *why,
                                mascon_exec *ex);
MASCON_API void mascon_hits_drop (mascon_hits *h);

/*
** mascon_file_replace: make the file 'path' by a function of the caller's,
** whole or not at all.
**
** fill  called once as fill(ud, temp): it writes the file 'temp', an empty
**       one beside 'path', or renames another one to it.  When it returns 0, that file is brought to the
**       disk and takes the name; else it is removed.
**
** Returns MASCON_OK, MASCON_EIO, or MASCON_ECANCEL where 'fill' returned
** something else than 0.
*/
MASCON_API int mascon_file_replace (const char *path,
                                    int (*fill) (void *ud, const char *temp),
                                    void *ud, mascon_why *why);

/*
** mascon_pnm_load, mascon_pnm_save: images in binary PGM and PPM files.
**
** a  load: set to a new array, h x w (PGM) or h x w x 3 (PPM), u8, or u16
**    where the file's largest value is above 255.  save: such an array, any
**    strides.
**
** A file is whole or not at all.  Returns MASCON_OK, MASCON_EIO,
** MASCON_EFORMAT, MASCON_ETYPE, MASCON_ESHAPE or MASCON_ENOMEM.
*/
MASCON_API int mascon_pnm_load (const char *path, mascon_array *a,
                                mascon_why *why);
MASCON_API int mascon_pnm_save (const mascon_array *a, const char *path,
                                mascon_why *why);

/* }==================================================================== */


/* {====================================================================
** Copies
** ===================================================================== */

/*
** Ownership: arrays, options and the exec stay the caller's, and none is kept
** after the call.
** Threads: any. Calls at the same time may share what they read; an 'out' is
** one call's alone.
*/

/* how a value that an integer dtype does not hold is brought into it */
typedef enum mascon_mode {
  MASCON_EXACT,  /* not at all: MASCON_EINEXACT */
  MASCON_ROUND,  /* to the nearest whole number, halves to even */
  MASCON_FLOOR, MASCON_CEIL, MASCON_TRUNC,  /* down, up, towards 0 */
  MASCON_CLIP    /* as MASCON_ROUND, then to the nearest of the dtype's range;
                    infinities too */
} mascon_mode;

/*
** mascon_cast: write the elements of 'in' to 'out', converted.
**
** in    any dtype and layout; broadcast to the shape of 'out' as NumPy does.
** mode  what to do where an integer dtype does not hold a value: see
**       mascon_mode.  NaN never fits, nor does what is out of range except
**       with MASCON_CLIP.  Float dtypes take every number, rounded to nearest.
** out   any dtype and layout.  It may overlap 'in' in any way: the result is
**       as if 'in' had been copied first (and then it is: MASCON_ENOMEM).
**
** Returns MASCON_OK, MASCON_ECLOSED, MASCON_EREADONLY, MASCON_EVALUE (mode),
** MASCON_ESHAPE, MASCON_EINEXACT, MASCON_ENOMEM, or MASCON_ECANCEL, after
** which 'out' is written in part.
** Cost: one pass; two where a value might not fit.
*/
MASCON_API int mascon_cast (const mascon_array *in, int mode,
                            mascon_array *out, mascon_exec *ex);

/* the same with MASCON_EXACT */
MASCON_API int mascon_assign (const mascon_array *in, mascon_array *out,
                              mascon_exec *ex);

/* set every element of 'out' to 'x', as mascon_assign would */
MASCON_API int mascon_fill (double x, mascon_array *out, mascon_exec *ex);
MASCON_API int mascon_fill_int (int64_t x, mascon_array *out,
                                mascon_exec *ex);

/*
** mascon_take: slices of 'a' along 'axis', by their ids.
**
** ids   a vector of any integer dtype; base <= id < base + size of the axis
**       (MASCON_ERANGE).  They may repeat.
** out   the dtype of 'a' (MASCON_ETYPE), and its shape but for the axis, which
**       has one slice for each id (MASCON_ESHAPE).  Not overlapping 'a'
**       (MASCON_EALIAS).
**
** Or MASCON_ENOMEM: needs 8 bytes an id.
*/
MASCON_API int mascon_take (const mascon_array *a, const mascon_array *ids,
                            int axis, int base, mascon_array *out,
                            mascon_exec *ex);

/*
** mascon_nonzero: the indices of the elements of 'a' that are not zero (NaN is
** not), in row-major order.  mascon_nonzero_count: how many there are.
**
** base  the index of the first.
** out   count x ndim, or for a vector also count; an integer dtype
**       (MASCON_ETYPE) that holds every index (MASCON_EINEXACT).
*/
MASCON_API int mascon_nonzero_count (const mascon_array *a, int64_t *count,
                                     mascon_exec *ex);
MASCON_API int mascon_nonzero (const mascon_array *a, int base,
                               mascon_array *out, mascon_exec *ex);

/*
** mascon_range: out[i] = first + i * step; computed in double or in i64, then
** stored as mascon_assign would.  'out' is a vector (MASCON_ESHAPE).
** mascon_linspace: from 'first' to 'last', both exact, evenly spaced.
*/
MASCON_API int mascon_range (double first, double step, mascon_array *out,
                             mascon_exec *ex);
MASCON_API int mascon_range_int (int64_t first, int64_t step,
                                 mascon_array *out, mascon_exec *ex);
MASCON_API int mascon_linspace (double first, double last, mascon_array *out,
                                mascon_exec *ex);

/* }==================================================================== */


/* {====================================================================
** Elementwise operations
** ===================================================================== */

/*
** Ownership: arrays, options and the exec stay the caller's, and none is kept
** after the call.
** Threads: any. Calls at the same time may share what they read; an 'out' is
** one call's alone.
*/

/* operations on two arrays; x is an element of the first, y of the second */
typedef enum mascon_binary_op {
  MASCON_OP_ADD, MASCON_OP_SUBTRACT, MASCON_OP_MULTIPLY,
  MASCON_OP_DIVIDE,   /* float division */
  MASCON_OP_IDIV,     /* floor(x / y) */
  MASCON_OP_MOD,      /* the rest of it, with the sign of y, as in Lua */
  MASCON_OP_POWER,    /* pow; x * x where y is 2 */
  MASCON_OP_MINIMUM,  /* NaN only where both are; the first of equals */
  MASCON_OP_MAXIMUM,
  MASCON_OP_ATAN2,    /* atan2(x, y): the angle of the point (y, x) */
  MASCON_OP_HYPOT,
  MASCON_OP_LT, MASCON_OP_LE, MASCON_OP_EQ, MASCON_OP_NE,  /* masks */
  MASCON_OP_AND, MASCON_OP_OR, MASCON_OP_XOR,  /* of masks: not zero is true */
  MASCON_OP_GT, MASCON_OP_GE,                  /* masks */
  MASCON_NBINARY
} mascon_binary_op;

/* operations on one array */
typedef enum mascon_unary_op {
  MASCON_OP_NEGATE, MASCON_OP_ABS,
  MASCON_OP_SIGN,                    /* -1, 0 or 1; NaN stays */
  MASCON_OP_FLOOR, MASCON_OP_CEIL,
  MASCON_OP_ROUND,                   /* halves to even */
  MASCON_OP_TRUNC,
  MASCON_OP_SQRT, MASCON_OP_CBRT, MASCON_OP_EXP, MASCON_OP_EXPM1,
  MASCON_OP_LOG, MASCON_OP_LOG1P, MASCON_OP_LOG2, MASCON_OP_LOG10,
  MASCON_OP_SIN, MASCON_OP_COS, MASCON_OP_TAN,
  MASCON_OP_ASIN, MASCON_OP_ACOS, MASCON_OP_ATAN,
  MASCON_OP_SINH, MASCON_OP_COSH, MASCON_OP_TANH,
  MASCON_OP_ERF, MASCON_OP_ERFC,
  MASCON_OP_ISNAN, MASCON_OP_ISINF, MASCON_OP_ISFINITE,  /* masks */
  MASCON_OP_NOT,                                         /* of a mask */
  MASCON_NUNARY
} mascon_unary_op;

/*
** The dtype of a result, MASCON_NDTYPE where the operation does not take
** these.  Masks are u8, 0 or 1; the operations on masks take only u8.  DIVIDE,
** POWER, ATAN2, HYPOT and the functions from SQRT to ERFC give f32 or f64
** (integers: f64); all others the dtype that holds both, in which they are
** made and compared.
*/
MASCON_API mascon_dtype mascon_binary_dtype (int op, mascon_dtype s,
                                             mascon_dtype t);
MASCON_API mascon_dtype mascon_unary_dtype (int op, mascon_dtype t);

/*
** mascon_broadcast: the shape of the result of 'n' arrays together.  Axes are
** matched from the last; a missing axis counts as 1, and 1 goes with any
** length.  Returns MASCON_OK, MASCON_ECLOSED or MASCON_ESHAPE.
*/
MASCON_API int mascon_broadcast (int n, const mascon_array *const *arrays,
                                 int64_t shape[MASCON_MAXDIM], int *ndim);

/*
** mascon_binary, mascon_unary: out = op(a, b), op(a), element by element.
**
** a, b  any dtypes that the operation takes, any strides; broadcast.
** out   the shape of mascon_broadcast, a dtype that holds the result's.  May
**       be an input, elements of the same layout; any other overlap is an
**       error.
**
** Integers never wrap: MASCON_EOVERFLOW if a result does not fit the dtype of
** the operation, MASCON_EVALUE for a division by zero.  These are found in a
** pass of its own before anything is written.
** Functions of libm (POWER, ATAN2, HYPOT, CBRT to ERFC) may differ in the last
** bits between machines.
**
** Returns MASCON_OK, MASCON_ETYPE, MASCON_ESHAPE, MASCON_EALIAS,
** MASCON_EREADONLY, MASCON_ECLOSED, the two above, or MASCON_ECANCEL, after
** which part of 'out' is written.  Allocates nothing.
*/
MASCON_API int mascon_binary (int op, const mascon_array *a,
                              const mascon_array *b, mascon_array *out,
                              mascon_exec *ex);
MASCON_API int mascon_unary (int op, const mascon_array *a, mascon_array *out,
                             mascon_exec *ex);

/*
** mascon_where: out = mask ? a : b, element by element, in the dtype that
** holds both.  mask is u8.  All else as for mascon_binary.
*/
MASCON_API int mascon_where (const mascon_array *mask, const mascon_array *a,
                             const mascon_array *b, mascon_array *out,
                             mascon_exec *ex);

/* }==================================================================== */


/* {====================================================================
** Reductions
** ===================================================================== */

/*
** Ownership: arrays, options and the exec stay the caller's, and none is kept
** after the call.
** Threads: any. Calls at the same time may share what they read; an 'out' is
** one call's alone.
*/

typedef enum mascon_reduce_op {
  MASCON_REDUCE_SUM, MASCON_REDUCE_PROD, MASCON_REDUCE_MEAN,
  MASCON_REDUCE_VAR, MASCON_REDUCE_STD,
  MASCON_REDUCE_MIN, MASCON_REDUCE_MAX,        /* skip NaN */
  MASCON_REDUCE_ARGMIN, MASCON_REDUCE_ARGMAX,  /* skip NaN; the first */
  MASCON_REDUCE_ANY, MASCON_REDUCE_ALL,        /* NaN is true */
  MASCON_NREDUCE
} mascon_reduce_op;

#define MASCON_ALL_AXES (-1)

typedef struct mascon_reduce_opts {
  size_t size;
  int64_t ddof;  /* 0: var and std divide by n - ddof */
} mascon_reduce_opts;

#define MASCON_REDUCE_INIT {sizeof(mascon_reduce_opts), 0}

/*
** The dtype of a result: sum and prod of integers i64; mean, var, std of
** integers f64; argmin, argmax i64; any, all u8; else that of the input.
*/
MASCON_API mascon_dtype mascon_reduce_dtype (int op, mascon_dtype t);

/*
** mascon_reduce: one value of each line of 'a' along 'axis', or of all of it.
**
** a     any dtype, any strides.
** axis  0 to ndim - 1, or MASCON_ALL_AXES: all elements in row-major order.
** out   the shape of 'a' without the axis, or with length 1 there; for all
**       axes any shape of one element.  Its dtype holds the result's.  It may
**       not overlap 'a'.
**
** Order: sums of floats (so mean, var, std) are made in double.  A line is cut
** into blocks of 1024; in a block 16 lanes take the elements in turn, from 0,
** and are added by halves (lane i and i + 8, then + 4, + 2, + 1); block sums
** go to 16 lanes in turn and are added the same way.  prod likewise.  The
** result is rounded once, into 'out'.  var is the mean of squared differences
** from the mean, in the same order.
**
** Sums and products of integers are exact: MASCON_EOVERFLOW just if the result
** does not fit 64 bits.  min and max of nothing but NaN are NaN, argmin and
** argmax of that -1; a zero is never -0.  argmax over all axes counts in
** row-major order.  Empty lines: sum 0, prod 1, any 0, all 1, mean, var, std
** NaN (as with n <= ddof), MASCON_EVALUE for the others.
**
** Returns MASCON_OK, MASCON_ETYPE, MASCON_ESHAPE, MASCON_ERANGE (axis, op),
** MASCON_EALIAS, MASCON_EREADONLY, MASCON_ECLOSED, MASCON_ENOMEM, the two
** above, or MASCON_ECANCEL.  'out' is untouched by all but the last and
** MASCON_EOVERFLOW.
** Scratch: at most 132 KB for each thread, and 24 bytes for 1024 elements of a
** line that several share.
*/
MASCON_API int mascon_reduce (int op, const mascon_array *a, int axis,
                              const mascon_reduce_opts *opts,
                              mascon_array *out, mascon_exec *ex);

/*
** mascon_cumsum: running sums along 'axis'.
**
** out  the shape of 'a'; for MASCON_ALL_AXES a vector of all elements in
**      row-major order.  f32 or f64 as 'a', i64 for integers, or wider.  It
**      may not overlap 'a', but may be it (same layout).
**
** One running sum in double, in order, rounded into each element.  Returns as
** mascon_reduce; MASCON_EOVERFLOW if a running sum does not fit 64 bits, found
** before anything is written.
*/
MASCON_API int mascon_cumsum (const mascon_array *a, int axis,
                              mascon_array *out, mascon_exec *ex);

/* }==================================================================== */


/* {====================================================================
** Gaussians
** ===================================================================== */

/*
** Ownership: arrays, options and the exec stay the caller's, and none is kept
** after the call.
** Threads: any. Calls at the same time may share what they read; an 'out' is
** one call's alone.
*/

typedef enum mascon_sample { MASCON_POINT, MASCON_INTEGRATED } mascon_sample;
typedef enum mascon_norm { MASCON_SUM, MASCON_PEAK } mascon_norm;
typedef enum mascon_origin { MASCON_CENTRE, MASCON_EDGE } mascon_origin;

typedef struct mascon_gauss_opts {
  size_t size;
  int sample;     /* MASCON_POINT */
  int norm;       /* MASCON_SUM */
  int origin;     /* MASCON_CENTRE: the centre of pixel 0 is at 0 */
  int add;        /* nonzero: add to 'out' instead of overwriting it */
  double weight;  /* 1 */
  double angle;   /* 0: radians, from +x towards +y, by which sx's axis is
                     turned; not with MASCON_INTEGRATED */
} mascon_gauss_opts;

#define MASCON_GAUSS_INIT \
  {sizeof(mascon_gauss_opts), MASCON_POINT, MASCON_SUM, MASCON_CENTRE, 0, 1.0, \
   0.0}

/*
** mascon_gauss: one normalised gaussian over a matrix.
**
**   point       exp(-((y-y0)/sy)^2/2 - ((x-x0)/sx)^2/2) / (2 pi sy sx)
**   integrated  the same, averaged over each pixel (differences of erf)
**
** y0, x0  centre, in pixels; any finite or infinite value.
** sy, sx  sigma in pixels, >= 0; 0 puts the weight into the pixel that
**         contains the centre.
** out     h x w, f32 or f64, any strides.  Overwritten, or added to.
**
** With an angle each row has a profile of its own: the bell of x given y.
** Angles are exact to 1e-16 below 2^20 and to 1e-6 up to 2^31, the largest.
**
** Allocates nothing.  Values below the smallest normal number become 0.
** Returns MASCON_OK, MASCON_EVALUE (negative or NaN sigma, NaN centre or
** weight, an angle too large or to be integrated), MASCON_ETYPE, MASCON_ESHAPE
** or MASCON_EREADONLY.
** Cost: O(h + w) exponentials, h * w multiplications; with an angle h * w of
** both.
*/
MASCON_API int mascon_gauss (double y0, double x0, double sy, double sx,
                             const mascon_gauss_opts *opts, mascon_array *out,
                             mascon_exec *ex);

/* }==================================================================== */


/* {====================================================================
** Rendering: many gaussians into one image
** ===================================================================== */

/*
** Ownership: arrays, options and the exec stay the caller's, and none is kept
** after the call.
** Threads: any. Calls at the same time may share what they read; an 'out' is
** one call's alone.
*/

/*
** One column a property, each a vector of n elements of any dtype and stride
** (stride 0: one number for all spots).  x, y, sx, sy are in one unit.
*/
typedef struct mascon_spots {
  size_t size;
  const mascon_array *x, *y;    /* centres */
  const mascon_array *sx, *sy;  /* sigmas */
  const mascon_array *weight;   /* NULL: 1 */
  const mascon_array *angle;    /* NULL: not turned.  Radians, from +x towards
                                   +y, by which sx's axis is turned */
  const mascon_array *sxx, *sxy, *syy;  /* covariances in squares of the unit,
                                   instead of sx, sy and angle; or all NULL */
} mascon_spots;

#define MASCON_SPOTS_INIT \
  {sizeof(mascon_spots), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}

typedef struct mascon_render_opts {
  size_t size;
  int sample;         /* MASCON_INTEGRATED */
  int norm;           /* MASCON_SUM */
  int origin;         /* MASCON_EDGE: pixel 0 spans 0 to 1 */
  int add;            /* nonzero: add to 'out' instead of overwriting it */
  double pixel;       /* 1: units of a pixel */
  double y0, x0;      /* 0: units at the full image's corner */
  int64_t row, col;   /* 0: the pixel of the full image that is out[0][0] */
  double tol;         /* 1e-6: mass that a spot may lose to its cut-off */
  double cutoff;      /* sigmas kept to each side; 0: as 'tol' asks */
  double min_sigma;   /* 0: units; smaller sigmas become it */
  int fresh;          /* nonzero: 'out' holds 0 now; it is written only where
                         there are spots */
  int renormalise;    /* nonzero: a spot's weight is divided by the part of its
                         mass inside the window, and none is lost */
  int single;         /* nonzero: u and s (below) are rounded to float */
  int whole;          /* nonzero: the window is ceil(ks) pixels to each side of
                         the one that contains u */
} mascon_render_opts;

#define MASCON_RENDER_INIT \
  {sizeof(mascon_render_opts), MASCON_INTEGRATED, MASCON_SUM, MASCON_EDGE, 0, \
   1.0, 0.0, 0.0, 0, 0, 1e-6, 0.0, 0.0, 0, 0, 0, 0}

/*
** What became of the spots.  drawn + culled + skipped is their number; what
** the drawn and culled ones weigh (for MASCON_PEAK: their volume) is the mass
** in the image + clipped + lost, but for rounding.
*/
typedef struct mascon_render_info {
  size_t size;
  int64_t drawn;     /* touch the image */
  int64_t culled;    /* lie outside with all of their window */
  int64_t skipped;   /* have a value that is not finite, sigma < 0, or no
                        covariance (see below) */
  double clipped;    /* mass outside the image */
  double lost;       /* mass outside the spots' windows */
  double extent[4];  /* y0, x0, y1, x1 of the image, in units */
} mascon_render_info;

#define MASCON_RENDER_INFO_INIT \
  {sizeof(mascon_render_info), 0, 0, 0, 0.0, 0.0, {0.0, 0.0, 0.0, 0.0}}

/*
** mascon_render: the sum of many gaussians, in the order of the spots.
**
** spots  as above; a column that is missing (but 'weight' and 'angle'), or one
**        too many, is MASCON_EVALUE.
** opts   as above; NULL: the defaults.
** out    h x w, f32 or f64, any strides.  Overwritten, or added to.
** info   set; NULL: not wanted.
**
** With u = (x - x0) / pixel, s = max(sx, min_sigma) / pixel and k sigmas kept,
** a spot's window is the columns that meet [u - ks, u + ks]; rows likewise.
** 'tol' stands for the k with erfc(k / sqrt 2) = tol / 2, so that both axes
** together lose at most 'tol'.  Inside its window a spot is what mascon_gauss
** draws: the product of a profile of the rows, which carries the weight, and
** one of the columns.  In an f64 image the product is rounded to double and
** added; in an f32 image both profiles are rounded to float, then their
** product, then the sum.  Sampled at the centres of pixels, an f32 image has
** profiles of float itself, from distances to the centre that are rounded to
** float: within 3e-7 of the top of the exact profile everywhere, and 0 below
** 2^-126 of it; sigmas below 2^-60 or above 2^60 pixels are excepted.  Spots
** from 2^22 on: each run of 2^22 input spots makes an f32 image (the first one
** on top of what is added to), runs are added in double and rounded once.
**
** A product below the smallest normal number adds nothing.
**
** With angles or covariances, spots are sampled at the centres of pixels
** (sample must be MASCON_POINT), the windows reach k * sqrt(Syy) and
** k * sqrt(Sxx) with the covariance S, and each row has a profile of its own:
** the bell of x given y, around the line of regression; an f32 image adds up
** the exponents of both and has one exponential.  'lost' is then that of the
** shadows on the axes as if they were independent: an estimate.  A spot is
** skipped for an angle beyond 2^31 and for a covariance that is not positive
** semidefinite: a variance below 0, or |Sxy| above sqrt(Sxx * Syy) by more than
** rounding to float explains.  'min_sigma' is the least of the sigmas along
** the axes of a spot.
**
** The window does not depend on the image: so one that starts at (row, col)
** equals that part of the full image, bit for bit.
**
** Returns MASCON_OK, MASCON_EVALUE, MASCON_ETYPE, MASCON_ESHAPE,
** MASCON_EALIAS ('out' overlaps a column), MASCON_EREADONLY, MASCON_ENOMEM
** MASCON_ETOOBIG (a side above 2^31) or MASCON_ECANCEL (then 'out' holds the
** first ex->done spots and may hold part of later ones).
**
** Memory besides the image: 89 bytes for each of up to 2^18 spots, 40 kB and
** 4 bytes a tile (of 32 kB) for each thread, 1 kB a tile for wide spots; for
** f32 images of more than 2^22 spots, 8 bytes a pixel.  It is allocated before
** anything is drawn; more than mascon_memory_limit is MASCON_ENOMEM at once.
*/
MASCON_API int mascon_render (const mascon_spots *spots,
                              const mascon_render_opts *opts,
                              mascon_array *out, mascon_render_info *info,
                              mascon_exec *ex);

/*
** mascon_render_values: two images in one pass: 'out' as mascon_render draws
** it, and 'values', where each spot's weight is multiplied by its value.  Their
** quotient is the weighted mean of the value in each pixel.
**
** value   a vector of as many elements as there are spots, any dtype and stride.
**         A spot whose value is not finite is skipped in both images.
** values  of the dtype and shape of 'out', any strides; overwritten or added
**         to, as 'out'.
** value and values may both be NULL.  Memory: 8 bytes a spot more.
** Returns as mascon_render.
*/
MASCON_API int mascon_render_values (const mascon_spots *spots,
                                     const mascon_array *value,
                                     const mascon_render_opts *opts,
                                     mascon_array *out, mascon_array *values,
                                     mascon_render_info *info,
                                     mascon_exec *ex);

/*
** mascon_render_memory: the bytes that mascon_render_values (without 'value':
** mascon_render) would allocate for these spots and an image of dtype 't' and
** this shape.  Nothing is allocated, and no element is looked at.
*/
MASCON_API int mascon_render_memory (const mascon_spots *spots,
                                     const mascon_array *value,
                                     const mascon_render_opts *opts,
                                     mascon_dtype t, const int64_t shape[2],
                                     const mascon_exec *ex, int64_t *bytes);

/*
** mascon_render_shape: rows and columns of the smallest full image that holds
** the centres of all spots (but those that are skipped, and coordinates below
** its corner); 0 x 0 without any.  MASCON_ETOOBIG above 2^31 in either.
*/
MASCON_API int mascon_render_shape (const mascon_spots *spots,
                                    const mascon_render_opts *opts,
                                    int64_t shape[2]);

/* }==================================================================== */


/* {====================================================================
** Top-N
** ===================================================================== */

/*
** Ownership: the arrays of options, of a csr and of 'out' stay the caller's,
** and must stay until the call returns. mascon_csr_from_pairs and
** mascon_csr_take set new arrays, which are the caller's to release. Arrays
** that a callback gets live until it returns.
** Threads: any; calls at the same time may share what they read. A sink and
** progress are called on the calling thread, 'score' on several unless it is
** serial.
*/

/*
** Compressed rows, as SciPy keeps them: the ids of row r are
** indices[indptr[r]] to indices[indptr[r + 1] - 1], in any order, possibly
** repeated.
*/
typedef struct mascon_csr {
  size_t size;
  int64_t nrows, ncols;
  const mascon_array *indptr;   /* nrows + 1, i64 or i32, from 0 */
  const mascon_array *indices;  /* i32 or i64; base <= id < base + ncols */
  int base;                     /* what the first column is called: 0 or 1 */
} mascon_csr;

#define MASCON_CSR_INIT {sizeof(mascon_csr), 0, 0, NULL, NULL, 0}

/*
** mascon_csr_check: are the arrays of 'c' what it says?
**
** where  set to the position of what is wrong; may be NULL.
**
** Returns MASCON_OK; MASCON_EVALUE: indptr[*where] is below the one before
** it, or indptr[0] is not 0 (or the base neither 0 nor 1); MASCON_ESHAPE:
** indptr has not nrows + 1 elements, or indptr[*where] is beyond the end of
** 'indices'; MASCON_ERANGE: indices[*where] is no column; MASCON_ETYPE,
** MASCON_ECLOSED or MASCON_ECANCEL.
*/
MASCON_API int mascon_csr_check (const mascon_csr *c, int64_t *where,
                                 mascon_exec *ex);

/*
** mascon_csr_from_pairs: the compressed rows of (user, item) pairs.
**
** users, items  equally many ids, i32 or i64, from 'base' (0 or 1) on.
** nrows, ncols  users are below base + nrows, items below base + ncols.
** indptr        set to a new vector, i64.
** indices       set to a new vector, of the dtype of 'items': ids from 'base'.
** where         set, for MASCON_ERANGE, to the position of an id that is
**               outside: in users or, after those, in items.  May be NULL.
**
** The order of a row's items is that of the pairs; repeated ones stay.
** Returns MASCON_OK, MASCON_ERANGE, MASCON_ESHAPE, MASCON_ETYPE,
** MASCON_EVALUE, MASCON_ECLOSED, MASCON_ETOOBIG, MASCON_ENOMEM or
** MASCON_ECANCEL.  One thread does the work, without progress.
*/
MASCON_API int mascon_csr_from_pairs (const mascon_array *users,
                                      const mascon_array *items,
                                      int64_t nrows, int64_t ncols, int base,
                                      mascon_array *indptr,
                                      mascon_array *indices, int64_t *where,
                                      mascon_exec *ex);

/*
** mascon_csr_take: new compressed rows: those of 'c' that 'rows' (i32 or i64,
** counted from 'base') names, in its order, repeated if it repeats.  Ids keep
** the base and dtype that they have.  'where': the position of a row that
** does not exist, or NULL.  Returns as mascon_csr_from_pairs.
*/
MASCON_API int mascon_csr_take (const mascon_csr *c, const mascon_array *rows,
                                int base, mascon_array *indptr,
                                mascon_array *indices, int64_t *where,
                                mascon_exec *ex);

/* what all of the top-N family share */
typedef struct mascon_topn_opts {
  size_t size;
  int64_t n;                         /* how many to keep of each row, >= 1 */
  int base;                          /* first id, in and out: 0 or 1 */
  int smallest;                      /* topn: the N smallest */
  int normalize;                     /* recommend: 1: cosine */
  int exclude_self;                  /* recommend: user u never gets item u */
  double min;                        /* only scores >= min; NaN: all */
  int64_t pad_id;                    /* beyond a row's count: -1 */
  double pad_score;                  /* -INFINITY */
  int64_t first;                     /* resume: rows before it are left */
  const mascon_csr *exclude;         /* row by row; NULL: no filter */
  const mascon_array *exclude_items; /* ids left out everywhere */
  const mascon_csr *allow;           /* row by row: only these */
  const mascon_array *allow_items;   /* only these, everywhere */
  const mascon_array *rows;          /* recommend: ids of users to do */
  const mascon_array *bias;          /* recommend: one number an item */
  const mascon_csr *ranks;           /* recommend: pairs to rank */
  int64_t check;                     /* recommend: rows to compute twice */
} mascon_topn_opts;

#define MASCON_TOPN_INIT \
  {sizeof(mascon_topn_opts), 10, 0, 0, 0, 0, (double)NAN, -1, \
   -(double)INFINITY, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0}

/*
** Receives finished rows first to last - 1, in row order, on the calling
** thread.  The arrays live only for the call; views of them that are kept do
** not change later.  Nonzero cancels.
*/
typedef int (*mascon_sink_fn) (void *ud, int64_t first, int64_t last,
                               const mascon_array *ids,
                               const mascon_array *scores,
                               const mascon_array *counts);

/* what recommend did with the pairs of a user and an item */
typedef struct mascon_recommend_stats {
  size_t size;
  int64_t pairs;     /* there were */
  int64_t norm;      /* left out by norms alone, 64 at a time */
  int64_t int8;      /* compared in 8 bits */
  int64_t floats;    /* compared in floats */
  int64_t rescored;  /* scores computed as they are defined */
} mascon_recommend_stats;

/*
** Where results go; each may be NULL.  A sink sees ids, scores and counts of
** its rows in the arrays that are given, and in ones of its own for the rest.
*/
typedef struct mascon_topn_out {
  size_t size;
  mascon_array *ids;     /* rows x n, i32 or i64 */
  mascon_array *scores;  /* rows x n, the dtype of the scores */
  mascon_array *counts;  /* rows, i32: how many were found */
  mascon_sink_fn sink;
  void *ud;
  mascon_array *ranks;   /* one for each of opts->ranks, i32 or i64 */
  mascon_recommend_stats *stats;
} mascon_topn_out;

#define MASCON_TOPN_OUT_INIT \
  {sizeof(mascon_topn_out), NULL, NULL, NULL, NULL, NULL, NULL, NULL}

/*
** mascon_topn: the n best of each row of a matrix of scores.
**
** scores  rows x ncols (or one vector: a matrix of one row), f32 or f64, any
**         strides.  Read only.
** opts    what the family shares, above; NULL: the 10 best.  normalize,
**         exclude_self, rows, bias, ranks and check are MASCON_EVALUE here.
** out     ids, scores, counts: any strides, no overlap with an input or with
**         each other.  For a vector, ids and scores may be vectors.
** ex      progress counts rows.
**
** A row's results are in order: higher score first (lower for 'smallest'),
** then smaller id; so the first k of n are the k best.  NaN is never among
** them, -INFINITY may be, and -0.0 equals 0.0.  'min' is rounded to the dtype
** of the scores.  Where fewer than n are left, or n exceeds the number of
** columns, the rest is padded.  Exclusions apply before anything is counted.
** The same bits for any number of threads.
**
** Returns MASCON_OK; MASCON_ETYPE, MASCON_ESHAPE (an array, or a csr that is
** not rows x ncols), MASCON_ERANGE (n, first, an id), MASCON_EVALUE (base, a
** csr's indptr), MASCON_EINEXACT (pad_id in i32 ids), MASCON_EALIAS,
** MASCON_EREADONLY, MASCON_ECLOSED, MASCON_ETOOBIG, MASCON_ENOMEM: nothing was
** touched.  MASCON_ECANCEL: rows before ex->done are final.
**
** Cost: about one read of the matrix; five times that if its columns are
** contiguous.  Memory: for each thread a few n hits of 16 bytes, with row
** lists one bit a column, and up to 8 MB to turn contiguous columns in.
*/
MASCON_API int mascon_topn (const mascon_array *scores,
                            const mascon_topn_opts *opts,
                            mascon_topn_out *out, mascon_exec *ex);

/*
** Fills 'block', which is (last - first) x cols in row-major order, with the
** scores of rows first to last - 1.  'block' lives only for the call, and may
** hold anything before.  Called on several threads at once, for a block each;
** if the stream is serial on one, and then views of a block that are kept do
** not change later.  Nonzero cancels.
*/
typedef int (*mascon_score_fn) (void *ud, mascon_array *block, int64_t first,
                                int64_t last);

/* scores that are made when they are needed, a batch of rows at a time */
typedef struct mascon_stream {
  size_t size;
  int64_t rows, cols;
  int64_t batch;         /* rows of a block; 0: about 1 MB of scores (8 MB if
                            serial), or less where that leaves threads idle */
  int dtype;             /* MASCON_F32 or MASCON_F64 */
  mascon_score_fn score;
  void *ud;
  int serial;            /* 1: 'score' is called on the calling thread alone, in
                            row order; other threads only select */
} mascon_stream;

#define MASCON_STREAM_INIT \
  {sizeof(mascon_stream), 0, 0, 0, MASCON_F64, NULL, NULL, 0}

/*
** mascon_topn_stream: mascon_topn of rows x cols scores that 's' makes.
**
** Blocks of s->batch rows are handed out in row order from opts->first on (the
** last may be shorter); a thread has its block scored, then selects from it.
** If serial, the calling thread has a block scored, then all select from it; a
** sink gets a block at a time.  Rows before ex->done are final when 'score', a
** sink or progress cancels.  A long 'score' asks mascon_cancelled.
**
** Returns as mascon_topn; MASCON_EVALUE without a 'score'.
** Memory: a block for each thread (if serial: one), and what mascon_topn needs.
*/
MASCON_API int mascon_topn_stream (const mascon_stream *s,
                                   const mascon_topn_opts *opts,
                                   mascon_topn_out *out, mascon_exec *ex);

/* }==================================================================== */


/* {====================================================================
** Recommending
** ===================================================================== */

/*
** Ownership: as for the top-N family. Nothing of users and items is kept after
** the call.
** Threads: any; calls at the same time may share what they read. 'fill', a sink
** and progress are called on the calling thread.
*/

/*
** mascon_recommend: for each user the items with the highest scores.
**
**   score(u, i) = sum over k of users[u][k] * items[i][k], in double, for
**                 k = 0, 1, ...
**   normalize     divided by |users[u]| * |items[i]|, where |v| is the root
**                 of the sum of squares in the same order; 0 where that
**                 product is 0
**   bias          plus bias[i]
**
** rounded once to the dtype of the result: f32 if both matrices are, else
** f64.  Scores are never stored: memory does not grow with the users.
**
** users   users x rank, f32 or f64, any strides.  Read only.
** items   items x rank, f32 or f64, any strides.  Read only.  At most 2^31 -
**         65 rows.
** opts    what the family shares, above.  rows: ids of the users to do; row
**         i of the results is that of rows[i], whose rows of exclude and
**         allow are used.  bias: f32 or f64.  exclude_self needs as many
**         users as items.  smallest is MASCON_EVALUE.
** out     as for mascon_topn, rows: users, or opts->rows.  ranks: set for each
**         pair of opts->ranks (users x items; its own base) to the rank of the
**         item among all that the user may get: 1 is the best, equal scores
**         rank by smaller id.  0 where he may not get it, where it has no score
**         or one below 'min'.  Pairs of users that are not done are left.
**         stats: set unless the call fails at once.
** ex      progress counts rows.
**
** opts->check: so many rows (all, if there are no more), chosen at random, are
** computed again by brute force before a sink gets them; MASCON_ECHECK and, in
** ex->done, the row, where what was put differs.
**
** Order, NaN, padding and 'min' are as for mascon_topn, and so are the
** statuses.  The same bits for any number of threads and any instruction
** set.  Infinite factors give what the formula says.
**
** Cost: users * items * rank fused products in f32, or in 8 bits; what these
** leave in doubt is computed again.  Users with pairs to rank: as many products
** in f32 once more, which takes about four times as long as in 8 bits.
** Memory: a packed copy of the items, 5 bytes a factor (for 32 users or more),
** and a few MB a thread.
*/
MASCON_API int mascon_recommend (const mascon_array *users,
                                 const mascon_array *items,
                                 const mascon_topn_opts *opts,
                                 const mascon_topn_out *out, mascon_exec *ex);

/*
** Fills 'block', which is (last - first) x rank in row-major order, with the
** factors of the users whose results are rows first to last - 1: users first
** to last - 1, or opts->rows[first] to opts->rows[last - 1].  Called on the
** calling thread, in row order; 'block' lives only for the call.  Nonzero
** cancels.
*/
typedef int (*mascon_users_fn) (void *ud, mascon_array *block, int64_t first,
                                int64_t last);

/* users whose factors are made when they are needed, a batch at a time */
typedef struct mascon_users {
  size_t size;
  int64_t rows;          /* users there are */
  int64_t batch;         /* at a time; 0: about 8 MB of factors */
  int dtype;             /* MASCON_F32 or MASCON_F64 */
  mascon_users_fn fill;
  void *ud;
} mascon_users;

#define MASCON_USERS_INIT \
  {sizeof(mascon_users), 0, 0, MASCON_F32, NULL, NULL}

/*
** mascon_recommend_stream: mascon_recommend of users that 'users' makes, which
** need never be there at once.  A sink gets a batch at a time.  Rows of
** batches before ex->done are final when 'fill', a sink or progress cancels.
** Returns as mascon_recommend; MASCON_EVALUE without a 'fill'.
*/
MASCON_API int mascon_recommend_stream (const mascon_users *users,
                                        const mascon_array *items,
                                        const mascon_topn_opts *opts,
                                        const mascon_topn_out *out,
                                        mascon_exec *ex);

/* }==================================================================== */


/* {====================================================================
** Indexes
** ===================================================================== */

/*
** Ownership: an index that a call sets has one reference, which is the
** caller's: give it up by mascon_index_release. Its image is its own. An image
** that was wrapped stays until 'release' is called. All else is as for
** recommending.
** Threads: any, at once, on one index, which never changes. A 'release' is
** called on the thread that gives the last reference up.
*/

/*
** Items packed once for any number of calls; nothing of it ever changes, so
** any number of threads may use one at once.  Whoever keeps one holds a
** reference.
*/
typedef struct mascon_index mascon_index;

typedef struct mascon_index_opts {
  size_t size;
  int normalize;             /* nonzero: pack for cosines */
  const mascon_array *bias;  /* one number an item, f32 or f64; NULL: none */
} mascon_index_opts;

#define MASCON_INDEX_INIT {sizeof(mascon_index_opts), 0, NULL}

/*
** mascon_index_new: an index of 'items' (items x rank, f32 or f64, any
** strides), which are copied.
**
** opts   how scores will be made, as for mascon_recommend.
** index  set to the new index, with one reference.
** ex     progress counts blocks of 64 items, from when all were measured.
**
** Returns MASCON_OK, MASCON_ETYPE, MASCON_ESHAPE, MASCON_ECLOSED,
** MASCON_ETOOBIG, MASCON_ENOMEM or MASCON_ECANCEL.
** Cost: a few passes over the items.  Memory: for each item rank * 5 bytes, and
** rank * 4 or 8 for the factors as they were given.
*/
MASCON_API int mascon_index_new (const mascon_array *items,
                                 const mascon_index_opts *opts,
                                 mascon_index **index, mascon_exec *ex);

/* one reference more; returns 'index'.  One less; the last frees it.  From
   any thread; NULL is fine */
MASCON_API mascon_index *mascon_index_retain (mascon_index *index);
MASCON_API void mascon_index_release (mascon_index *index);

/* what an index is; set 'size' before asking */
typedef struct mascon_index_facts {
  size_t size;
  int64_t nitems, rank;
  int64_t bytes;   /* of memory, or of its file */
  int dtype;       /* of the items: MASCON_F32 or MASCON_F64 */
  int normalize, bias;  /* 1: it was made with that */
} mascon_index_facts;

/* set what 'facts' has room for */
MASCON_API void mascon_index_describe (const mascon_index *index,
                                       mascon_index_facts *facts);

/*
** mascon_index_recommend, mascon_index_recommend_stream: mascon_recommend (or
** its stream) for the items of 'index', bit for bit the same results.
**
** opts  normalize: 0 as the index was made, 1 cosine, -1 none.  bias: NULL
**       the index's.  Where these differ from the index's, items are packed
**       for the call, and so they are where fewer than half of them pass
**       exclude_items and allow_items.
*/
MASCON_API int mascon_index_recommend (const mascon_index *index,
                                       const mascon_array *users,
                                       const mascon_topn_opts *opts,
                                       const mascon_topn_out *out,
                                       mascon_exec *ex);
MASCON_API int mascon_index_recommend_stream (const mascon_index *index,
                                              const mascon_users *users,
                                              const mascon_topn_opts *opts,
                                              const mascon_topn_out *out,
                                              mascon_exec *ex);

/*
** mascon_index_similar: for each of the items 'ids' (i32 or i64, counted from
** opts->base) the items most like it: mascon_index_recommend with that item's
** factors as a user's, and without that item.  The bias of the index does not
** count.  exclude and allow have a row for every item.  opts->rows must be
** NULL (MASCON_EVALUE).
*/
MASCON_API int mascon_index_similar (const mascon_index *index,
                                     const mascon_array *ids,
                                     const mascon_topn_opts *opts,
                                     const mascon_topn_out *out,
                                     mascon_exec *ex);

/* flags of mascon_index_load and mascon_index_wrap */
#define MASCON_INDEX_MAP 1u        /* load: map the file, do not read it */
#define MASCON_INDEX_UNCHECKED 2u  /* do not look at every byte */

/*
** mascon_index_save: write an index as a file, whole or not at all, as
** mascon_npy_save does.  Returns MASCON_OK, MASCON_EIO or MASCON_ECANCEL.
*/
MASCON_API int mascon_index_save (const mascon_index *index, const char *path,
                                  mascon_why *why, mascon_exec *ex);

/*
** mascon_index_load: the index of a file that mascon_index_save wrote, on a
** machine of the same byte order.
**
** flags  MASCON_INDEX_MAP: its pages are the file's, shared with every process
**        that maps it; whoever makes the file shorter crashes this process.
**        MASCON_INDEX_UNCHECKED: the checksum of all bytes, which costs reading
**        them once, is not compared.  A damaged file then may give wrong
**        results, but nothing outside of it is ever touched.
** index  set to a new index, with one reference.
**
** Returns MASCON_OK, MASCON_EIO, MASCON_EFORMAT (no index, of another version,
** cut off, damaged), MASCON_ENOMEM or MASCON_ECANCEL.
*/
MASCON_API int mascon_index_load (const char *path, unsigned flags,
                                  mascon_index **index, mascon_why *why,
                                  mascon_exec *ex);

/*
** The bytes of an index, to be sent or shared, and an index over such bytes.
**
** mascon_index_image: its bytes, aligned to 64, which live as long as it does.
**
** mascon_index_wrap: an index over 'bytes' bytes at 'image', aligned to 64,
** which are checked as a file's are and must not change.  There may be more of
** them than the index has.
**
** release  called as release(ctx, image) when the last reference goes; not
**          NULL.  On failure it is not called.
** what     set to a constant text of what is wrong ("is cut off"); or NULL.
**
** Returns as mascon_index_load; MASCON_EVALUE for a misaligned image.
*/
MASCON_API const void *mascon_index_image (const mascon_index *index,
                                           size_t *bytes);
MASCON_API int mascon_index_wrap (const void *image, size_t bytes,
                                  mascon_release_fn release, void *ctx,
                                  unsigned flags, mascon_index **index,
                                  const char **what, mascon_exec *ex);

/* }==================================================================== */


/* {====================================================================
** Matrix product
** ===================================================================== */

/*
** Ownership: arrays, options and the exec stay the caller's, and none is kept
** after the call.
** Threads: any. Calls at the same time may share what they read; an 'out' is
** one call's alone.
*/

/*
** mascon_matmul: out = a b.
**
**   out[i][j] = sum over k of a[i][k] * b[k][j]
**
** a    M x K, f32 or f64; or a vector of K (M is 1 and dropped from 'out').
** b    K x N, of the same dtype; or a vector of K (N is dropped).  Not both
**      may be vectors.
** out  M x N (or N, or M), of the same dtype.  Overwritten.
**
** Any strides.  Sums run in the dtype, in an order that depends on the
** instruction set (which may fuse a product with its addition) and on the
** kind of product, never on the number of threads.  K = 0 gives zeros.  NaN
** and infinities spread as the formula says.
**
** Returns MASCON_OK, MASCON_ETYPE, MASCON_ESHAPE, MASCON_EREADONLY,
** MASCON_EALIAS (out shares memory with a or b), MASCON_ENOMEM or
** MASCON_ECANCEL.
** Cost: M * N * K fused products; scratch for packed columns of b, at most
** 16 MB unless K is larger than about 40,000, and less than 1 MB a thread.
*/
MASCON_API int mascon_matmul (const mascon_array *a, const mascon_array *b,
                              mascon_array *out, mascon_exec *ex);

/* }==================================================================== */


/* {====================================================================
** Random numbers
** ===================================================================== */

/*
** Ownership: arrays and the exec stay the caller's; there is no state.
** Threads: any. Calls at the same time may share what they read; an 'out' is
** one call's alone.
*/

/*
** Counter-based: the number at a position of the stream of a seed depends on
** nothing else, whatever was drawn before, in any shape, by any number of
** threads, on any instruction set.  Element i (in row-major order) of an
** output is the number at 'position' + i, modulo 2^64; who draws again goes
** on at 'position' + count.
**
** The bits are those of Philox4x32-10 (Salmon et al., Parallel random
** numbers: as easy as 1, 2, 3; SC 2011) with the seed as its key.  Position p
** is half h = p / 8 mod 2 of the block with counter {b mod 2^32, b / 2^32, 0,
** 0}, b = p / 16 * 8 + p mod 8: word w = out[2 h] + 2^32 out[2 h + 1].
**
** out  any strides.  Overwritten.
**
** Each returns MASCON_OK, MASCON_ETYPE, MASCON_EREADONLY, MASCON_ECANCEL or
** as said, and allocates nothing unless it says so.
*/

/*
** f64: (w / 2^12 + 1/2) / 2^52 with w / 2^12 rounded down, so strictly
** between 0 and 1; f32: (w / 2^41 + 1/2) / 2^23.
*/
MASCON_API int mascon_random_uniform (uint64_t seed, uint64_t position,
                                      mascon_array *out, mascon_exec *ex);

/*
** Normal numbers of mean 0 and deviation 1, by Box and Muller: from the f64
** uniform numbers u, v at positions p and p + 8 (p / 8 even), sqrt(-2 log u)
** times cos(2 pi v) is at p, times sin(2 pi v) at p + 8.  Within 4 ULP (f32:
** rounded from f64); at most 8.58.
*/
MASCON_API int mascon_random_normal (uint64_t seed, uint64_t position,
                                     mascon_array *out, mascon_exec *ex);

/*
** Integers from 'lo' to 'hi', both included, each exactly as likely as any
** other; out: i64, i32, u16 or u8.  Also returns MASCON_ERANGE (lo > hi) or
** MASCON_EINEXACT (the dtype does not hold them).
*/
MASCON_API int mascon_random_integers (uint64_t seed, uint64_t position,
                                       int64_t lo, int64_t hi,
                                       mascon_array *out, mascon_exec *ex);

/*
** The ids from 'base' (0 or 1; else MASCON_EVALUE) on in random order: what
** argsort says of n words from 'position' on, of which the next draw begins
** at 'position' + n.
**
** out  n, i32 or i64.
**
** Also returns MASCON_ESHAPE or MASCON_ENOMEM; allocates 40 n bytes.
*/
MASCON_API int mascon_random_permutation (uint64_t seed, uint64_t position,
                                          int base, mascon_array *out,
                                          mascon_exec *ex);

/* the generator itself: the block of four words at 'counter' under 'key' */
MASCON_API void mascon_philox (uint64_t key, const uint32_t counter[4],
                               uint32_t out[4]);

/* }==================================================================== */


/* {====================================================================
** Sorting
** ===================================================================== */

/*
** Ownership: arrays, options and the exec stay the caller's, and none is kept
** after the call.
** Threads: any. Calls at the same time may share what they read; an 'out' is
** one call's alone.
*/

/*
** mascon_sort, mascon_argsort: the lines of 'a' along 'axis' in ascending
** order, or what was where: element k of a line of argsort's output is the
** place, in the line of 'a', of the k-th smallest.
**
** a     any dtype, any strides.
** axis  0 to ndim - 1.
** out   the shape of 'a'.  sort: the dtype of 'a'; may be 'a' itself.
**       argsort: i32, or i64 (which lines of 2^31 elements and more need).
**       Overwritten.
** base  what the first place is called: 0 or 1 (MASCON_EVALUE).
**
** argsort is stable, takes -0.0 for 0.0, and puts NaN last; so does sort, in
** which equal zeros come as -0.0, 0.0, and NaN may lose its sign.
**
** Returns MASCON_OK, MASCON_ETYPE, MASCON_ESHAPE, MASCON_ERANGE (axis),
** MASCON_EREADONLY, MASCON_EALIAS, MASCON_ETOOBIG (argsort: 2^32
** or more elements of 32 or fewer bits in a line), MASCON_ENOMEM or MASCON_ECANCEL.
** Cost: O(n) for n elements, in as many passes as the dtype has bytes; twice
** the bytes of a line (argsort: up to four times) of scratch a thread.
*/
MASCON_API int mascon_sort (const mascon_array *a, int axis,
                            mascon_array *out, mascon_exec *ex);
MASCON_API int mascon_argsort (const mascon_array *a, int axis, int base,
                               mascon_array *out, mascon_exec *ex);

/*
** mascon_median, mascon_percentile: the value below which half, or 'p' per
** cent, of the elements are, along 'axis'.
**
** With the n elements sorted and h = (n - 1) p / 100, the percentile is
** linear between elements floor(h) and floor(h) + 1; the median of an even
** count is the mean of the middle two.
**
** a     any dtype, any strides.
** axis  0 to ndim - 1, or MASCON_ALL_AXES: all elements together.
** p     0 to 100 (MASCON_ERANGE).
** out   f32 if 'a' is f32, else f64; the shape of 'a' without 'axis', or one
**       element if there is no other axis.  Overwritten; shares no memory
**       with 'a'.
**
** Computed in double.  If there is a NaN the result is NaN, as sorting puts
** it last; that of no elements is NaN too.
** Returns as mascon_sort.  Cost: O(n); scratch: twice the elements of one
** result a thread.
*/
MASCON_API int mascon_median (const mascon_array *a, int axis,
                              mascon_array *out, mascon_exec *ex);
MASCON_API int mascon_percentile (const mascon_array *a, int axis, double p,
                                  mascon_array *out, mascon_exec *ex);

/* }==================================================================== */


/* {====================================================================
** Images
** ===================================================================== */

/*
** Ownership: arrays, options and the exec stay the caller's, and none is kept
** after the call. Names of maps are constants.
** Threads: any. Calls at the same time may share what they read; an 'out' is
** one call's alone.
*/

/*
** Which numbers are black and white, and what lies between: with
** u = (x - black) / (white - black), clipped to 0 and 1, a pixel is u^gamma.
** Where white equals black, what exceeds it is 1 and all else 0.  NaN is 0.
*/
typedef struct mascon_levels {
  size_t size;
  double black, white;  /* black <= white, their difference finite */
  double gamma;         /* > 0; below 1 brightens */
} mascon_levels;

#define MASCON_LEVELS_INIT {sizeof(mascon_levels), 0.0, 1.0, 1.0}

/* pixels that lay outside the levels */
typedef struct mascon_clipped {
  size_t size;
  int64_t low, high;  /* below black, above white */
  int64_t nan;
} mascon_clipped;

#define MASCON_CLIPPED_INIT {sizeof(mascon_clipped), 0, 0, 0}

/*
** mascon_image_scale: numbers to pixels, saturating.
**
** a       any dtype, any strides.
** levels  as above.
** out     the shape of 'a', any dtype but i64 and i32, any strides; may be
**         'a' itself.  Overwritten with u^gamma, times 255 (u8) or 65535
**         (u16), to the nearest, halves to even.
** info    set; NULL: not wanted.
**
** With black = 0, white = 65535 and gamma = 1, a u16 'out' is 'a' rounded and
** saturated.  Computed in double; gamma by libm's pow.
** Returns MASCON_OK, MASCON_EVALUE (levels), MASCON_ETYPE, MASCON_ESHAPE,
** MASCON_EREADONLY, MASCON_EALIAS or MASCON_ECANCEL.
*/
MASCON_API int mascon_image_scale (const mascon_array *a,
                                   const mascon_levels *levels,
                                   mascon_array *out, mascon_clipped *info,
                                   mascon_exec *ex);

typedef struct mascon_colour_opts {
  size_t size;
  mascon_levels levels;       /* of the image */
  const mascon_array *light;  /* h x w: brightness; NULL: full everywhere */
  mascon_levels lightlevels;
  int add;                    /* nonzero: add, 255 at most */
} mascon_colour_opts;

#define MASCON_COLOUR_INIT \
  {sizeof(mascon_colour_opts), MASCON_LEVELS_INIT, NULL, MASCON_LEVELS_INIT, 0}

/*
** mascon_image_colour: an image in the colours of a map.
**
** a     h x w, any dtype, any strides.
** map   n x 3, u8, in row-major order: colours from black to white, n >= 1.
** opts  as above.
** out   h x w x 3, u8, any strides.  Overwritten, or added to: a pixel gets
**       row u^gamma (n - 1) of 'map', to the nearest, times its brightness.
** info  set, as to 'a'; NULL: not wanted.
**
** Channels are overlaid by a call for each, with maps from black to a colour,
** all but the first with 'add'.
** Returns as mascon_image_scale.
*/
MASCON_API int mascon_image_colour (const mascon_array *a,
                                    const mascon_array *map,
                                    const mascon_colour_opts *opts,
                                    mascon_array *out, mascon_clipped *info,
                                    mascon_exec *ex);

/*
** mascon_colormap: the 256 colours of a map, from that of black to that of
** white, 3 bytes each.  MASCON_EVALUE where no map has that name.
** mascon_colormap_name: the name of map i = 0, 1, ...; NULL past the last.
*/
MASCON_API int mascon_colormap (const char *name, uint8_t rgb[256 * 3]);
MASCON_API const char *mascon_colormap_name (int i);

/* }==================================================================== */


#ifdef __cplusplus
}
#endif

#endif

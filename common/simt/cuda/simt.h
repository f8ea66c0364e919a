/* The runtime of the CPU back end: what host programs and the back end's own CUDA headers call.
 *
 * A CUDA thread is a fiber. The blocks of a launch run one after the other, on the OS thread that
 * launched them. Within a block, the thread that runs is the lowest one of the lowest warp that can
 * run, so every run gives the same results. Of several OS threads that use the runtime, one goes on
 * at a time. */
#ifndef SIMT_H
#define SIMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIMT_WARP_SIZE 32
#define SIMT_MAX_BLOCK_THREADS 1024
#define SIMT_STATIC_SHARED_BYTES ((size_t)48 << 10) /* also of dynamic, unless a kernel opts in */
#define SIMT_MAX_SHARED_BYTES ((size_t)227 << 10)
/* Kept free after static shared memory; simt_own.listening comes next. */
#define SIMT_PAST_SHARED 16384
/* In the runtime's variables of a thread: 8 bytes that are 0 while the host runs. */
#define SIMT_CURRENT (SIMT_PAST_SHARED + 8)
/* What lies between two __shared__ variables: so many bytes, and for the alignment of the one
 * before, a power of two, so many units. Gaps are aligned to one. */
#define SIMT_GAP_BYTES 2048
#define SIMT_GAP_UNIT 128

/* Counts over the launches since the last reset. Counting these is cheap and always on. */
struct simt_counters {
    uint64_t launches;
    uint64_t blocks;
    uint64_t threads;
    uint64_t block_barriers; /* __syncthreads and its variants: one per block that completes it */
    uint64_t warp_barriers;  /* __syncwarp: one for all lanes of the mask together */
    uint64_t shuffles;       /* one for all lanes of the mask together */
    uint64_t votes;          /* likewise: ballot, any, all, match, activemask */
    uint64_t reductions;     /* likewise: __reduce_*_sync */
    uint64_t atomics;        /* one for each lane */
};

/* Is called before the runtime ends the program because a kernel cannot go on or memory has run
 * out, which has been told by then; NULL: nothing is. */
void simt_at_exit(void (*call)(void));

void simt_counters_reset(void);
void simt_counters_read(struct simt_counters *counters);

/* The kernels launched since the last reset, each instance of a template once. */
struct simt_launched {
    const void *function; /* what tells one from another, in this process */
    const char *name;     /* as the source of the first launch has it */
    const char *symbol;   /* mangled; "" if unknown */
};

void simt_launched_reset(void);
/* How many; the array is valid until the next launch. */
size_t simt_launched_read(const struct simt_launched **launched);

/* ---- called by cuda_runtime.h, not by programs ---- */

struct uint3 {
    unsigned int x, y, z;
};
#ifndef __cplusplus
typedef struct uint3 uint3;
#endif

/* One launch. invoke(closure) runs one thread; `closure` contains the kernel's arguments. */
struct simt_launch {
    const char *name;
    const char *file; /* the source line of the launch */
    int line;
    struct uint3 grid;
    struct uint3 block;
    size_t shared_bytes;
    const void *function; /* the kernel's address, as for cudaFuncSetAttribute; NULL if unknown */
    void *stream;
    bool interleaved;  /* the threads are switched at every access to memory (machine/hooks.c) */
    bool instrumented; /* the kernel can be analysed */
    void (*invoke)(void *closure);
    void *closure;
    int cooperative;         /* the blocks may wait for each other (grid synchronization) */
    bool together;           /* the device has a multiprocessor for each block: they may, too */
    void *origin;            /* of a kernel's: what the checks know of it; else NULL */
    bool early;              /* it may begin before the one before it in its stream has ended */
    bool returns_error;      /* whoever launches is given the error, not only cudaGetLastError() */
    struct uint3 cluster;    /* blocks that run together; {0, 0, 0}: what the kernel says, or one */
    const void *begin, *end; /* of what lies on the host's stack and belongs to the launch */
    size_t closure_bytes;    /* copied, it is as good; 0: it is not */
    uint64_t code;           /* among the arguments, a function, or the virtual ones of an object */
};
/* Looks for it in an argument. */
void simt_find_code(struct simt_launch *launch, const void *argument, size_t bytes);

/* Runs the launch, or returns and sets as the last error what a device would report. */
int simt_launch_kernel(const struct simt_launch *launch);

/* Constant while a thread runs, hence the attribute: the compiler may keep them in registers. */
struct uint3 simt_thread_index(void) __attribute__((const));
struct uint3 simt_block_index(void) __attribute__((const));
struct uint3 simt_block_dimensions(void) __attribute__((const));
struct uint3 simt_grid_dimensions(void) __attribute__((const));
void *simt_dynamic_shared(void) __attribute__((const));
/* Called before main, of an alignment that dynamic shared memory is declared with; returns 0. */
int simt_dynamic_alignment(size_t alignment);
/* The same, of a source that names a vector that is aligned to 16 bytes. */
int simt_names_vectors(void);
int simt_is_cooperative(void) __attribute__((const));
/* Whether a kernel calls, not the host. */
bool simt_is_in_kernel(void);
/* A kernel begins that was compiled for blocks of so many threads at most. */
void simt_launch_bounds(unsigned int most_threads);

/* ---- cluster.c ---- */

/* A kernel begins that was compiled for clusters of so many blocks. */
void simt_cluster_dims(unsigned int x, unsigned int y, unsigned int z);
struct uint3 simt_cluster_dimensions(void);
/* Whether the kernel or its launch asks for clusters, be they of one block. */
bool simt_cluster_is_explicit(void);
struct uint3 simt_cluster_block_index(void);
unsigned int simt_cluster_rank(void);
void simt_cluster_arrive(bool relaxed, const char *file, int line);
void simt_cluster_wait(const char *file, int line);
/* The same of barrier_arrive() and barrier_wait() of groups. */
enum simt_split { SIMT_SPLIT_CLUSTER, SIMT_SPLIT_BLOCK, SIMT_SPLIT_GRID, SIMT_SPLITS };
void simt_split_arrive(enum simt_split of, const char *file, int line);
void simt_split_wait(enum simt_split of, const char *file, int line);
/* The same place in another block's shared memory: of a pointer; of an offset in the window, which
 * has the rank in it; whose a pointer is; where such an offset lies. */
void *simt_cluster_map(const void *address, unsigned int rank);
uint64_t simt_cluster_map_offset(uint64_t offset, unsigned int rank);
unsigned int simt_cluster_rank_of(const void *address);
/* Whether it is shared memory of this block or of another one of the cluster. */
bool simt_in_cluster(const void *address);
void *simt_cluster_at(uint64_t offset);

enum simt_barrier {
    SIMT_BARRIER,
    SIMT_BARRIER_COUNT,
    SIMT_BARRIER_AND,
    SIMT_BARRIER_OR,
    SIMT_BARRIER_GRID
};

/* Waits for all threads of the block (of the grid, for SIMT_BARRIER_GRID) that have not exited, and
 * returns what __syncthreads_count, _and or _or would. file and line identify the barrier. */
int simt_block_barrier(enum simt_barrier kind, int predicate, const char *file, int line);
/* The same for SIMT_BARRIER, where nothing is asked. */
void simt_block_wait(const char *file, int line);
/* The thread has left a loop with a barrier, not by return or goto: its lines, and those of a
 * function that it calls with the barrier in it (0: none). `in_branch`: only an `if` in it has
 * one. */
void simt_left_loop(const char *file, int first, int last, int helper_first, int helper_last,
                    bool in_branch);

/* The number at `value` is thread 0's result: other threads get one that shows. */
void simt_result_of_first(const char *name, unsigned int thread, void *value, size_t size);

enum simt_collective {
    SIMT_SYNCWARP,
    SIMT_SHUFFLE,
    SIMT_SHUFFLE_UP,
    SIMT_SHUFFLE_DOWN,
    SIMT_SHUFFLE_XOR,
    SIMT_BALLOT,
    SIMT_ANY,
    SIMT_ALL,
    SIMT_MATCH_ANY,
    SIMT_MATCH_ALL,
    SIMT_REDUCE_ADD,
    SIMT_REDUCE_MIN,
    SIMT_REDUCE_MAX,
    SIMT_REDUCE_MIN_SIGNED,
    SIMT_REDUCE_MAX_SIGNED,
    SIMT_REDUCE_AND,
    SIMT_REDUCE_OR,
    SIMT_REDUCE_XOR,
    SIMT_ACTIVEMASK,
    SIMT_MATRIX, /* what tensor cores do: cuda/simt_ptx_runtime.h */
    SIMT_WGMMA,  /* what orders that */
    SIMT_WMMA,   /* wmma's loads and stores, each lane's its own */
    SIMT_COLLECTIVES
};

/* Waits until all lanes in the mask have called it with the same operation and mask, and returns
 * this lane's result. `value` has `size` (4 or 8) bytes; `lane` is a shuffle's source lane, delta
 * or xor mask. A shuffle from a lane that does not take part returns the bits of a NaN. The program
 * is ended if the mask lacks the caller or, except in SIMT_SYNCWARP, has lanes that have returned
 * from the kernel. */
uint64_t simt_warp_collective(enum simt_collective operation, unsigned int mask, uint64_t value,
                              unsigned int lane, int width, int size, const char *file, int line);

enum simt_atomic {
    SIMT_ATOMIC_ADD,
    SIMT_ATOMIC_SUB,
    SIMT_ATOMIC_EXCHANGE,
    SIMT_ATOMIC_MIN,
    SIMT_ATOMIC_MAX,
    SIMT_ATOMIC_INC,
    SIMT_ATOMIC_DEC,
    SIMT_ATOMIC_COMPARE,
    SIMT_ATOMIC_AND,
    SIMT_ATOMIC_OR,
    SIMT_ATOMIC_XOR,
    SIMT_ATOMIC_OF_BLOCK = 0x80 /* or-ed to one of these: its scope is the block */
};
enum simt_type {
    SIMT_INT32,
    SIMT_UINT32,
    SIMT_INT64,
    SIMT_UINT64,
    SIMT_FLOAT32,
    SIMT_FLOAT64,
    SIMT_UINT16, /* these three: simt_atomic_numbers() */
    SIMT_FLOAT16,
    SIMT_BFLOAT16,
    SIMT_UINT8 /* by atomics of C++, as SIMT_UINT16 is, too */
};

/* Operands are passed, and the old value is returned, as bit patterns. */
uint64_t simt_atomic(enum simt_atomic operation, enum simt_type type, void *address,
                     uint64_t operand, uint64_t compare, const char *file, int line);
/* The same, but for a compare; simt_atomic_old(), called next, gives the old value. Who has no use
 * for that does not call it (nor does a compiler): then the change may be made again, later. */
void simt_atomic_do(enum simt_atomic operation, enum simt_type type, void *address,
                    uint64_t operand, const char *file, int line);
__attribute__((pure, nothrow)) uint64_t simt_atomic_old(void);
/* 2 to 16 bytes of numbers of 16 bits or of floats, which are added, or of which the smaller or the
 * larger ones stay; or, of SIMT_UINT16, those `compared` are replaced. `numbers`: the operands, and
 * then what was there. */
void simt_atomic_numbers(enum simt_atomic operation, enum simt_type type, unsigned int bytes,
                         void *address, void *numbers, const void *compared, const char *file,
                         int line);

void simt_read_only(const void *address, unsigned int size); /* __ldg */
/* Ends the program if a kernel does `what` with so many bytes, and fewer are left of a variable. */
void simt_past_variable(size_t left, size_t size, const char *what);
static inline __attribute__((always_inline)) void simt_bytes_fit(const void *at, size_t left,
                                                                 size_t size, const char *what)
{
    (void)at;
    if (left != (size_t)-1 && size > left) {
        simt_past_variable(left, size, what);
    }
}
/* memcpy of which the analysis knows nothing. */
void simt_copy(void *to, const void *from, size_t size);
/* SIMT_OF_BLOCK: it orders for the block only; SIMT_OF_SYSTEM: for the host as well. One of the
 * others: it only acquires, or releases. */
enum simt_ordering {
    SIMT_ACQUIRES = 1,
    SIMT_RELEASES = 2,
    SIMT_OF_LAUNCHES = 4, /* only behind the launch before, which may not have ended */
    SIMT_OF_SYSTEM = 0x20,
    SIMT_OF_BLOCK = 0x40
};
void simt_fence_as(unsigned int ordering);
/* Of the C++ atomic that comes next. */
void simt_next_scope(unsigned int scope);
void simt_yield(const char *file, int line); /* lets the block's other threads run first */
long long simt_clock(void);
__attribute__((noreturn)) void simt_end_thread(void); /* as if the kernel returned */
__attribute__((noreturn)) void simt_trap(const char *file, int line);

/* A copy queued by __pipeline_memcpy_async is made only when a wait asks for it, so that a missing
 * wait shows as stale data. */
void simt_pipeline_copy(void *destination, const void *source, size_t size, size_t zero_fill,
                        const char *file, int line);
void simt_pipeline_commit(void);
void simt_pipeline_wait_prior(size_t groups);

/* ---- window.c: addresses in shared memory as a kernel sees them ---- */

/* Where an offset in the shared window lies, and the other way round. */
void *simt_shared_at(uint64_t offset);
uint64_t simt_shared_offset(const void *address);
bool simt_in_shared(const void *address);
bool simt_is_global(const void *address);
bool simt_is_constant(const void *address);
bool simt_is_local(const void *address);
unsigned int simt_dynamic_shared_bytes(void);

/* Called before main by a source file that was compiled with instrumentation; returns 0. */
int simt_mark_instrumented(void);

/* Names of the kernels and of the device's variables that a source declares, each with a space
 * before it; NULL if not all are known. Returns 0. */
int simt_device_names(const char *kernels, const char *variables);

/* Registers a __constant__ variable; returns 0. */
int simt_constant(const void *address, size_t size);

/* Registers a __device__ or __constant__ variable as device memory. Returns the address of `size`
 * bytes at `offset` in it, or NULL if it is too small. */
void *simt_symbol(const volatile void *address, size_t symbol_size, size_t offset, size_t size);

#ifdef __cplusplus
}
#endif

#endif

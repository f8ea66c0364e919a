/* The runtime of the CPU back end. Host programs and the back end's own CUDA headers call it.
 *
 * A CUDA thread is a fiber. The blocks of a launch run one after the other, on the OS thread that
 * launched them. Within a block, the scheduler picks the lowest warp that can run, and its lowest
 * thread that can run. Every run therefore gives the same results. If several OS threads use the
 * runtime, only one runs at a time. */
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
#define SIMT_STATIC_SHARED_BYTES ((size_t)48 << 10) /* also for dynamic, unless a kernel opts in */
#define SIMT_MAX_SHARED_BYTES ((size_t)227 << 10)
/* Bytes kept free after static shared memory. simt_own.listening comes next. */
#define SIMT_PAST_SHARED 16384
/* The offset, in the runtime's variables of a thread, of 8 bytes that are 0 while the host runs. */
#define SIMT_CURRENT (SIMT_PAST_SHARED + 8)
/* The gap after a __shared__ variable: this number of bytes, and log2(the variable's alignment)
 * units. Gaps are aligned to one unit. */
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
    uint64_t atomics;        /* one per lane */
};

/* Sets a function for the runtime to call before it ends the program because a kernel cannot
 * continue or memory has run out. The report is printed before the call. NULL: no function. */
void simt_at_exit(void (*call)(void));

void simt_counters_reset(void);
void simt_counters_read(struct simt_counters *counters);

/* The kernels launched since the last reset, each instance of a template once. */
struct simt_launched {
    const void *function; /* identifies the kernel in this process */
    const char *name;     /* as in the source of the first launch */
    const char *symbol;   /* mangled; "" if unknown */
};

void simt_launched_reset(void);
/* Returns the number of kernels. The array is valid until the next launch. */
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
    bool interleaved;  /* threads are switched at every memory access (machine/hooks.c) */
    bool instrumented; /* the kernel can be analysed */
    void (*invoke)(void *closure);
    void *closure;
    int cooperative;         /* the blocks may wait for each other (grid synchronization) */
    bool together;           /* they may also wait: the device has one SM per block */
    void *origin;            /* launched by a kernel: the checks' data about that; else NULL */
    bool early;              /* it may begin before the previous launch in its stream has ended */
    bool returns_error;      /* the launch call itself also returns the error */
    struct uint3 cluster;    /* blocks per cluster; {0, 0, 0}: as the kernel declares, or one */
    const void *begin, *end; /* the part of the host's stack that belongs to the launch */
    size_t closure_bytes;    /* size of the closure, if a copy of its bytes works; else 0 */
    uint64_t code;           /* an argument that is a function's or a virtual table's address */
};
/* Looks for such an address in an argument and stores it in `code`. */
void simt_find_code(struct simt_launch *launch, const void *argument, size_t bytes);

/* Runs the launch. If a device would reject it, returns its error and sets it as the last one. */
int simt_launch_kernel(const struct simt_launch *launch);

/* Constant while a thread runs. The attribute lets the compiler keep them in registers. */
struct uint3 simt_thread_index(void) __attribute__((const));
struct uint3 simt_block_index(void) __attribute__((const));
struct uint3 simt_block_dimensions(void) __attribute__((const));
struct uint3 simt_grid_dimensions(void) __attribute__((const));
void *simt_dynamic_shared(void) __attribute__((const));
/* Called before main for each declared alignment of dynamic shared memory. Returns 0. */
int simt_dynamic_alignment(size_t alignment);
/* Called before main by a source that names a vector aligned to 16 bytes. Returns 0. */
int simt_names_vectors(void);
int simt_is_cooperative(void) __attribute__((const));
/* True if a kernel is the caller, not the host. */
bool simt_is_in_kernel(void);
/* Called at the start of a kernel that declares a limit of threads per block. */
void simt_launch_bounds(unsigned int most_threads);

/* ---- cluster.c ---- */

/* Called at the start of a kernel that was compiled for clusters of this size. */
void simt_cluster_dims(unsigned int x, unsigned int y, unsigned int z);
struct uint3 simt_cluster_dimensions(void);
/* Whether the kernel or its launch asks for clusters, even of one block. */
bool simt_cluster_is_explicit(void);
struct uint3 simt_cluster_block_index(void);
unsigned int simt_cluster_rank(void);
void simt_cluster_arrive(bool relaxed, const char *file, int line);
void simt_cluster_wait(const char *file, int line);
/* The same for barrier_arrive() and barrier_wait() of groups. */
enum simt_split { SIMT_SPLIT_CLUSTER, SIMT_SPLIT_BLOCK, SIMT_SPLIT_GRID, SIMT_SPLITS };
void simt_split_arrive(enum simt_split of, const char *file, int line);
void simt_split_wait(enum simt_split of, const char *file, int line);
/* Maps a pointer to the same place in another block's shared memory; maps an offset in the window,
 * the result of which contains the rank. Then the rank of the block that owns an address. */
void *simt_cluster_map(const void *address, unsigned int rank);
uint64_t simt_cluster_map_offset(uint64_t offset, unsigned int rank);
unsigned int simt_cluster_rank_of(const void *address);
/* Whether this is shared memory of a block of the cluster. Then the address of a mapped offset. */
bool simt_in_cluster(const void *address);
void *simt_cluster_at(uint64_t offset);

enum simt_barrier {
    SIMT_BARRIER,
    SIMT_BARRIER_COUNT,
    SIMT_BARRIER_AND,
    SIMT_BARRIER_OR,
    SIMT_BARRIER_GRID
};

/* Waits for all threads of the block (for SIMT_BARRIER_GRID, of the grid) that have not exited.
 * Returns the result of __syncthreads_count, _and or _or. file and line identify the barrier. */
int simt_block_barrier(enum simt_barrier kind, int predicate, const char *file, int line);
/* The same for SIMT_BARRIER, which has no predicate. */
void simt_block_wait(const char *file, int line);
/* The thread has left a loop that contains a barrier, not by return or goto. Gives the lines of the
 * loop, and of a function with a barrier that the loop calls (0: none). `in_branch`: all barriers
 * are inside an `if` or `switch`. */
void simt_left_loop(const char *file, int first, int last, int helper_first, int helper_last,
                    bool in_branch);

/* Only thread 0's result at `value` is defined. Other threads get a value that a check notices. */
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
    SIMT_MATRIX, /* operations of tensor cores: cuda/simt_ptx_runtime.h */
    SIMT_WGMMA,  /* wgmma's fence, commit and wait */
    SIMT_WMMA,   /* wmma's loads and stores; each lane has its own addresses */
    SIMT_COLLECTIVES
};

/* Waits until all lanes in the mask have called it with the same operation and mask, and returns
 * this lane's result. `value` has `size` (4 or 8) bytes; `lane` is a shuffle's source lane, delta
 * or xor mask. A shuffle from a lane outside the mask returns the bits of a NaN. Ends the program
 * if the mask lacks the caller. Also ends it, except for SIMT_SYNCWARP, if the mask has lanes that
 * have returned from the kernel. */
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
    SIMT_ATOMIC_OF_BLOCK = 0x80 /* a flag: the scope of the atomic is the block */
};
enum simt_type {
    SIMT_INT32,
    SIMT_UINT32,
    SIMT_INT64,
    SIMT_UINT64,
    SIMT_FLOAT32,
    SIMT_FLOAT64,
    SIMT_UINT16, /* these three: for simt_atomic_numbers() */
    SIMT_FLOAT16,
    SIMT_BFLOAT16,
    SIMT_UINT8 /* for atomics of C++, which also use SIMT_UINT16 */
};

/* Operands and the returned old value are bit patterns. */
uint64_t simt_atomic(enum simt_atomic operation, enum simt_type type, void *address,
                     uint64_t operand, uint64_t compare, const char *file, int line);
/* The same, except for a compare. simt_atomic_old(), called next, returns the old value. A caller
 * that does not use the old value omits that call. The change may then be repeated later. */
void simt_atomic_do(enum simt_atomic operation, enum simt_type type, void *address,
                    uint64_t operand, const char *file, int line);
__attribute__((pure, nothrow)) uint64_t simt_atomic_old(void);
/* An atomic add, min or max of 2 to 16 bytes that hold 16-bit numbers or floats. For SIMT_UINT16,
 * also a compare-and-swap with `compared`. `numbers` has the operands before the call and the old
 * values after it. */
void simt_atomic_numbers(enum simt_atomic operation, enum simt_type type, unsigned int bytes,
                         void *address, void *numbers, const void *compared, const char *file,
                         int line);

void simt_read_only(const void *address, unsigned int size); /* __ldg */
/* In a kernel, ends the program: `what` accesses `size` bytes, but the variable has `left`. */
void simt_past_variable(size_t left, size_t size, const char *what);
static inline __attribute__((always_inline)) void simt_bytes_fit(const void *at, size_t left,
                                                                 size_t size, const char *what)
{
    (void)at;
    if (left != (size_t)-1 && size > left) {
        simt_past_variable(left, size, what);
    }
}
/* A memcpy that the analysis does not see. */
void simt_copy(void *to, const void *from, size_t size);
/* Flags of a fence. SIMT_OF_BLOCK: orders for the block only; SIMT_OF_SYSTEM: also for the host.
 * SIMT_ACQUIRES or SIMT_RELEASES: the fence does only that. */
enum simt_ordering {
    SIMT_ACQUIRES = 1,
    SIMT_RELEASES = 2,
    SIMT_OF_LAUNCHES = 4, /* waits only for the launch before, which may still run */
    SIMT_OF_SYSTEM = 0x20,
    SIMT_OF_BLOCK = 0x40
};
void simt_fence_as(unsigned int ordering);
/* Sets the scope of the next C++ atomic. */
void simt_next_scope(unsigned int scope);
void simt_yield(const char *file, int line); /* lets the block's other threads run first */
long long simt_clock(void);
__attribute__((noreturn)) void simt_end_thread(void); /* as if the kernel returned */
__attribute__((noreturn)) void simt_trap(const char *file, int line);

/* Queues a copy for __pipeline_memcpy_async. The copy is performed only when a wait asks for it. A
 * missing wait therefore shows as stale data. */
void simt_pipeline_copy(void *destination, const void *source, size_t size, size_t zero_fill,
                        const char *file, int line);
void simt_pipeline_commit(void);
void simt_pipeline_wait_prior(size_t groups);

/* ---- window.c: addresses in shared memory as a kernel sees them ---- */

/* Converts an offset in the shared window to an address, and an address to an offset. */
void *simt_shared_at(uint64_t offset);
uint64_t simt_shared_offset(const void *address);
bool simt_in_shared(const void *address);
bool simt_is_global(const void *address);
bool simt_is_constant(const void *address);
bool simt_is_local(const void *address);
unsigned int simt_dynamic_shared_bytes(void);

/* Called before main by a source file that was compiled with instrumentation; returns 0. */
int simt_mark_instrumented(void);

/* Registers the names of a source's kernels and device variables, each with a space before it.
 * NULL: not all names are known. Returns 0. */
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

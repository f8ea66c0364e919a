/* The runtime's functions for translated PTX (simt_ptx.h). Plain C. */
#ifndef SIMT_PTX_RUNTIME_H
#define SIMT_PTX_RUNTIME_H

#include "simt.h"

#ifdef __cplusplus
#define SIMT_INLINE_MEMBER inline __attribute__((always_inline))
extern "C" {
namespace simt
{
namespace ptx
{
#endif

/* Modifiers of instructions. */
enum simt_ptx_modifier {
    m_rn = 1,
    m_rz = 2,
    m_rm = 4,
    m_rp = 8,
    m_rna = 1 << 4,
    m_rni = 1 << 5, /* the same modes, to an integer */
    m_rzi = 1 << 6,
    m_rmi = 1 << 7,
    m_rpi = 1 << 8,
    m_ftz = 1 << 9,
    m_sat = 1 << 10,
    m_satfinite = 1 << 11,
    m_relu = 1 << 12,
    m_approx = 1 << 13,
    m_full = 1 << 14,
    m_hi = 1 << 15,
    m_lo = 1 << 16,
    m_cc = 1 << 17,
    m_NaN = 1 << 18,
    m_xorsign = 1 << 19,
    m_abs = 1 << 20,
    m_shiftamt = 1 << 21,
    m_clamp = 1 << 22,
    m_wrap = 1 << 23,
    /* testp */
    m_finite = 1 << 0,
    m_infinite = 1 << 1,
    m_number = 1 << 2,
    m_notanumber = 1 << 3,
    m_normal = 1 << 4,
    m_subnormal = 1 << 5,
    /* vadd4 and similar */
    m_add = 1 << 0,
    /* prmt */
    m_f4e = 1 << 0,
    m_b4e = 1 << 1,
    m_rc8 = 1 << 2,
    m_ecl = 1 << 3,
    m_ecr = 1 << 4,
    m_rc16 = 1 << 5,
    /* memory */
    m_weak = 1 << 0,
    m_volatile = 1 << 1,
    m_relaxed = 1 << 2,
    m_acquire = 1 << 3,
    m_release = 1 << 4,
    m_acq_rel = m_acquire | m_release,
    m_nc = 1 << 5,
    m_cta = 1 << 6,
    m_gpu = 1 << 7,
    m_sys = 1 << 8,
    m_noftz = 1 << 9,
    /* mbarrier */
    m_parity = 1 << 10,
    m_noComplete = 1 << 11,
    m_drop = 1 << 12,
    m_try = 1 << 13
};

#ifdef __cplusplus
}
}
#endif

enum simt_ptx_type {
    SIMT_PTX_U8,
    SIMT_PTX_S8,
    SIMT_PTX_U16,
    SIMT_PTX_S16,
    SIMT_PTX_U32,
    SIMT_PTX_S32,
    SIMT_PTX_U64,
    SIMT_PTX_S64,
    SIMT_PTX_F16,
    SIMT_PTX_BF16,
    SIMT_PTX_TF32,
    SIMT_PTX_F32,
    SIMT_PTX_F64,
    SIMT_PTX_F16X2,
    SIMT_PTX_BF16X2,
    SIMT_PTX_E4M3,
    SIMT_PTX_E5M2,
    SIMT_PTX_E4M3X2,
    SIMT_PTX_E5M2X2,
    SIMT_PTX_B1,     /* eight single bits; an MMA counts the bits that are set in both ... */
    SIMT_PTX_B1_XOR, /* ... or in exactly one */
    SIMT_PTX_U4,     /* two numbers of 4 bits */
    SIMT_PTX_S4
};

enum simt_ptx_operation {
    SIMT_PTX_ADD,
    SIMT_PTX_SUB,
    SIMT_PTX_MUL,
    SIMT_PTX_FMA,
    SIMT_PTX_DIV,
    SIMT_PTX_RCP,
    SIMT_PTX_SQRT,
    SIMT_PTX_RSQRT,
    SIMT_PTX_SIN,
    SIMT_PTX_COS,
    SIMT_PTX_LG2,
    SIMT_PTX_EX2,
    SIMT_PTX_TANH,
    SIMT_PTX_MIN,
    SIMT_PTX_MAX,
    SIMT_PTX_NEG,
    SIMT_PTX_ABS
};

/* ---- ptx_numbers.c: numbers as bit patterns ---- */

uint64_t simt_ptx_real(unsigned int operation, unsigned int type, unsigned int flags, uint64_t a,
                       uint64_t b, uint64_t c);
bool simt_ptx_compare(unsigned int type, unsigned int flags, unsigned int comparison, uint64_t a,
                      uint64_t b);
bool simt_ptx_test(unsigned int type, unsigned int flags, uint64_t a);
/* `second`: the low half, if two numbers become a pair. */
uint64_t simt_ptx_convert(unsigned int to, unsigned int from, unsigned int flags, uint64_t a,
                          uint64_t second);

/* ---- ptx_bits.c ---- */

unsigned int simt_ptx_saturated(long value); /* to an int */
uint64_t simt_ptx_divide(unsigned int type, uint64_t a, uint64_t b);
uint64_t simt_ptx_remainder(unsigned int type, uint64_t a, uint64_t b);
unsigned int simt_ptx_leading_zeros(unsigned int bits, uint64_t a);
unsigned int simt_ptx_find(unsigned int type, uint64_t a, bool shift);
uint64_t simt_ptx_extract(unsigned int type, uint64_t a, unsigned int position,
                          unsigned int length);
uint64_t simt_ptx_insert(unsigned int bits, uint64_t a, uint64_t b, unsigned int position,
                         unsigned int length);
unsigned int simt_ptx_mask(unsigned int position, unsigned int length, bool wraps);
unsigned int simt_ptx_extend(unsigned int type, unsigned int a, unsigned int length, bool wraps);
unsigned int simt_ptx_dot(unsigned int type_a, unsigned int type_b, unsigned int count,
                          unsigned int a, unsigned int b, unsigned int c);
uint64_t simt_ptx_shift_left(unsigned int bits, uint64_t a, unsigned int count);
unsigned int simt_ptx_permute(unsigned int mode, unsigned int a, unsigned int b,
                              unsigned int selector);

/* ---- strong.c ---- */

/* Accesses that are strong in the memory model: they do not race with each other. */
/* With SIMT_OF_BLOCK in the size, the scope is the block. */
uint64_t simt_strong_load(const void *address, unsigned int size);
void simt_strong_store(void *address, uint64_t value, unsigned int size);

/* ---- named.c: barriers with a number ---- */

enum simt_named {
    SIMT_NAMED_SYNC,
    SIMT_NAMED_ARRIVE,
    SIMT_NAMED_COUNT,
    SIMT_NAMED_AND,
    SIMT_NAMED_OR
};
/* `threads`: the expected number; 0: all threads of the block. */
unsigned int simt_named_barrier(enum simt_named kind, unsigned int number, unsigned int threads,
                                bool predicate, const char *file, int line);
/* A barrier of the running thread's tile, which has `size` neighbouring threads in whole warps.
 * Then a value per warp, which the other warps can read. */
unsigned int simt_tile_barrier(unsigned int size, enum simt_named kind, bool predicate,
                               const char *file, int line);
enum { SIMT_TILE_BYTES = 64 };
void simt_tile_put(unsigned int warp, const void *value, size_t size);
void simt_tile_get(unsigned int warp, void *value, size_t size);

/* ---- mbarrier.c ---- */

void simt_mbarrier_init(void *barrier, unsigned int count, const char *file, int line);
void simt_mbarrier_invalidate(void *barrier, const char *file, int line);
uint64_t simt_mbarrier_arrive(void *barrier, unsigned int count, unsigned int bytes,
                              unsigned int flags, const char *file, int line);
void simt_mbarrier_expect(void *barrier, unsigned int bytes, const char *file, int line);
/* `releases`: the thread's earlier writes become visible to the threads that wait. */
void simt_mbarrier_complete(void *barrier, unsigned int bytes, bool releases, const char *file,
                            int line);
/* Whether the phase of this state (or parity) has completed. m_try in `flags`: waits for that. */
bool simt_mbarrier_wait(void *barrier, uint64_t state, unsigned int flags, const char *file,
                        int line);
void simt_fence_mbarrier_init(void);
void simt_fence_proxy_async(void);
/* An acquire of `size` bytes at `map`. NULL: a release. */
void simt_fence_proxy_tensormap(const void *map, unsigned int size, const char *file, int line);

/* ---- bulk.c ---- */

void simt_copy_arrive(void *barrier, bool counted, const char *file, int line);
/* `ranks`: one bit per target block of a copy to several blocks of the cluster; else 0. */
void simt_bulk_load(void *to, const void *from, unsigned int bytes, void *barrier,
                    unsigned int ranks, const char *file, int line);
void simt_bulk_store(void *to, const void *from, unsigned int bytes, const char *file, int line);
/* `barrier`: for a reduction into shared memory; else NULL. */
void simt_bulk_reduce(void *to, const void *from, unsigned int bytes, void *barrier,
                      enum simt_atomic operation, unsigned int type, const char *file, int line);
/* Stores `bytes` bytes of `value`, at most 16. */
void simt_store_async(void *to, const void *value, unsigned int bytes, void *barrier,
                      const char *file, int line);
void simt_bulk_commit(void);
void simt_bulk_wait(unsigned int groups, bool reads_only);
/* `offsets`: for im2col; NULL: a copy of a tile. */
void simt_tensor_load(void *to, const void *map, const int *at, unsigned int dimensions,
                      const unsigned int *offsets, void *barrier, unsigned int ranks,
                      const char *file, int line);
/* `columns`: the instruction has .im2col_no_offs. */
void simt_tensor_store(const void *from, const void *map, const int *at, unsigned int dimensions,
                       bool columns, const char *file, int line);
void simt_tensor_reduce(const void *from, const void *map, const int *at, unsigned int dimensions,
                        bool columns, enum simt_atomic operation, const char *file, int line);

/* ---- tensor_map.c: the fields of tensormap.replace ---- */

enum simt_map_field {
    SIMT_MAP_global_address,
    SIMT_MAP_rank, /* minus one */
    SIMT_MAP_box_dim,
    SIMT_MAP_global_dim,
    SIMT_MAP_global_stride,
    SIMT_MAP_element_stride,
    SIMT_MAP_elemtype,
    SIMT_MAP_interleave_layout,
    SIMT_MAP_swizzle_mode,
    SIMT_MAP_fill_mode
};
void simt_tensormap_replace(void *map, enum simt_map_field field, unsigned int dimension,
                            uint64_t value, const char *file, int line);

/* ---- registers.c: setmaxnreg ---- */

void simt_set_registers(unsigned int count, bool more, const char *file, int line);

/* ---- tensor.c: operations of all lanes of a warp ---- */

/* A lane's registers of a matrix. */
__extension__ typedef unsigned int simt_four __attribute__((vector_size(16)));
/* D = A B + C, 16 x 8. The types are simt_ptx_type. `registers`: the number of registers of A. */
simt_four simt_product(unsigned int d, unsigned int type_a, unsigned int type_b,
                       unsigned int registers, bool finite, simt_four a, simt_four b, simt_four c,
                       const char *file, int line);
/* Matrices of 8 x 8 numbers of 16 bits. Each lane gives the address of one row. */
simt_four simt_matrix_load(const void *row, unsigned int count, bool transposed, const char *file,
                           int line);
void simt_matrix_store(void *row, unsigned int count, bool transposed, simt_four values,
                       const char *file, int line);
unsigned int simt_matrix_transpose(unsigned int value, const char *file, int line);
/* wgmma.mma_async: D = A B + D, 64 x columns. */
struct simt_wgmma_call {
    unsigned int columns, d, type_a, type_b; /* types: simt_ptx_type */
    bool a_in_registers, transposed_a, transposed_b, negate_a, negate_b, finite;
    bool adds;     /* false: D = A B */
    uint64_t a, b; /* matrix descriptors */
    unsigned int a_registers[4];
};
/* `sums`: the addresses of the registers of D. */
void simt_wgmma(const struct simt_wgmma_call *call, void *const *sums, const char *file, int line);
void simt_wgmma_fence(const char *file, int line);
void simt_wgmma_commit(const char *file, int line);
void simt_wgmma_wait(unsigned int groups, const char *file, int line);
/* Checks a matrix that wmma loads or stores. `stride`: bytes from one row or column to the next. */
void simt_wmma_check(const void *address, size_t stride, const char *file, int line);

#ifdef __cplusplus
}
#endif

#endif

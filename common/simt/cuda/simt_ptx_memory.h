/* The second part of simt_ptx.h: loads, stores, lanes, barriers and copies of translated PTX. */
#ifndef SIMT_PTX_MEMORY_H
#define SIMT_PTX_MEMORY_H

namespace simt
{
namespace ptx
{

/* ---- addresses ---- */

SIMT_INLINE char *at_generic(unsigned long address)
{
    return reinterpret_cast<char *>(address);
}

SIMT_INLINE char *at_global(unsigned long address)
{
    return reinterpret_cast<char *>(address);
}

SIMT_INLINE char *at_const(unsigned long address)
{
    return reinterpret_cast<char *>(address);
}

SIMT_INLINE char *at_local(unsigned long address)
{
    return reinterpret_cast<char *>(address);
}

SIMT_INLINE char *at_shared(unsigned long offset)
{
    return static_cast<char *>(simt_shared_at(offset));
}

/* The upper bits of an offset in the cluster are the block's rank. */
SIMT_INLINE char *at_cluster(unsigned long offset)
{
    return static_cast<char *>(simt_cluster_at(offset));
}

template <class T>
SIMT_INLINE T mapa_offset(T offset, unsigned int rank)
{
    return static_cast<T>(simt_cluster_map_offset(offset, rank));
}

template <class T>
SIMT_INLINE T mapa_address(T address, unsigned int rank)
{
    return reinterpret_cast<T>(simt_cluster_map(at_generic(address), rank));
}

template <class T>
SIMT_INLINE unsigned int getctarank_offset(T offset)
{
    return simt_cluster_rank_of(at_cluster(offset));
}

template <class T>
SIMT_INLINE unsigned int getctarank_address(T address)
{
    return simt_cluster_rank_of(at_generic(address));
}

SIMT_INLINE unsigned int cluster_size()
{
    const uint3 size = simt_cluster_dimensions();
    return size.x * size.y * size.z;
}

/* Blocks have no SMs here. %smid acts as if the blocks were dealt out to this number of SMs. */
static const unsigned int multiprocessors = 132;

SIMT_INLINE unsigned int multiprocessor()
{
    const uint3 block = simt_block_index(), grid = simt_grid_dimensions();
    return (block.x + grid.x * (block.y + grid.y * block.z)) % multiprocessors;
}

SIMT_INLINE void cluster_arrive(bool relaxed, SIMT_SITE)
{
    simt_cluster_arrive(relaxed, simt_file, simt_line);
}

SIMT_INLINE void cluster_wait(SIMT_SITE)
{
    simt_cluster_wait(simt_file, simt_line);
}

#define SIMT_PTX_SAME_ADDRESS(space)                                                               \
    SIMT_INLINE unsigned long offset_in_##space(unsigned long address)                             \
    {                                                                                              \
        return address;                                                                            \
    }                                                                                              \
    SIMT_INLINE unsigned long address_in_##space(unsigned long address)                            \
    {                                                                                              \
        return address;                                                                            \
    }
SIMT_PTX_SAME_ADDRESS(global)
SIMT_PTX_SAME_ADDRESS(local)
SIMT_PTX_SAME_ADDRESS(const)
#undef SIMT_PTX_SAME_ADDRESS

SIMT_INLINE unsigned long offset_in_shared(unsigned long address)
{
    return simt_shared_offset(at_generic(address));
}

SIMT_INLINE unsigned long address_in_shared(unsigned long offset)
{
    return reinterpret_cast<unsigned long>(simt_shared_at(offset));
}

SIMT_INLINE bool is_in_shared(unsigned long address)
{
    return simt_in_shared(at_generic(address));
}

SIMT_INLINE bool is_in_cluster(unsigned long address)
{
    return simt_in_cluster(at_generic(address));
}

SIMT_INLINE bool is_in_global(unsigned long address)
{
    return simt_is_global(at_generic(address));
}

SIMT_INLINE bool is_in_local(unsigned long address)
{
    return simt_is_local(at_generic(address));
}

SIMT_INLINE bool is_in_const(unsigned long address)
{
    return simt_is_constant(at_generic(address));
}

/* ---- loads and stores ---- */

/* One access of `Bytes` bytes, regardless of the program's type. */
template <unsigned int Bytes>
struct piece;
template <>
struct piece<1> {
    typedef unsigned char type __attribute__((may_alias));
};
template <>
struct piece<2> {
    typedef unsigned short type __attribute__((may_alias));
};
template <>
struct piece<4> {
    typedef unsigned int type __attribute__((may_alias));
};
template <>
struct piece<8> {
    typedef unsigned long type __attribute__((may_alias));
};
template <>
struct piece<16> {
    typedef unsigned long type __attribute__((may_alias, vector_size(16)));
};

template <class T, unsigned int Count>
struct vector {
    typename T::bits at[Count];
};

template <class T, class V>
SIMT_INLINE auto element(const V &vector, unsigned int i)
{
    return in_register<T>(vector.at[i]);
}

template <unsigned int Flags>
constexpr unsigned int scope_bit = Flags &m_cta   ? static_cast<unsigned int>(SIMT_OF_BLOCK)
                                   : Flags &m_sys ? static_cast<unsigned int>(SIMT_OF_SYSTEM)
                                                  : 0u;

template <unsigned int Flags>
SIMT_INLINE void fence_if(bool wanted, unsigned int ordering = 0)
{
    if (wanted) {
        simt_fence_as(scope_bit<Flags> | ordering);
    }
}

/* A strong or volatile access of 16 bytes loads the first 8 bytes first and stores them last. A
 * thread that polls the first 8 then finds the rest. A GPU accesses all 16 at once. */
template <class T, unsigned int Count, unsigned int Flags>
SIMT_INLINE vector<T, Count> load(const char *address)
{
    const unsigned int size = sizeof(typename T::bits) * Count;
    typedef typename piece<size>::type word;
    if constexpr ((Flags & (m_relaxed | m_acquire)) != 0) {
        unsigned long found[2] = {
            simt_strong_load(address, scope_bit<Flags> | (size < 8 ? size : 8))};
        if constexpr (size > 8) {
            found[1] = simt_strong_load(address + 8, scope_bit<Flags> | 8);
        }
        fence_if<Flags>(Flags & m_acquire, SIMT_ACQUIRES);
        vector<T, Count> result;
        __builtin_memcpy(&result, &found, sizeof result);
        return result;
    } else if constexpr ((Flags & m_volatile) != 0) {
        typedef typename piece<size <= 8 ? size : 8>::type part;
        part found[sizeof(word) / sizeof(part)];
        found[0] = *reinterpret_cast<const volatile part *>(address);
        if constexpr (size > 8) {
            found[1] = reinterpret_cast<const volatile part *>(address)[1];
        }
        vector<T, Count> result;
        __builtin_memcpy(&result, &found, sizeof result);
        return result;
    } else {
        if constexpr ((Flags & m_nc) != 0) {
            simt_read_only(address, size);
        }
        const word found = *reinterpret_cast<const word *>(address);
        return bits_as<vector<T, Count>>(found);
    }
}

template <class T, unsigned int Count, unsigned int Flags, class... V>
SIMT_INLINE void store(char *address, V... values)
{
    const unsigned int size = sizeof(typename T::bits) * Count;
    typedef typename piece<size>::type word;
    const vector<T, Count> all = {{static_cast<typename T::bits>(values)...}};
    if constexpr ((Flags & (m_relaxed | m_release)) != 0) {
        unsigned long bits[2] = {};
        __builtin_memcpy(&bits, &all, sizeof all);
        fence_if<Flags>(Flags & m_release, SIMT_RELEASES);
        if constexpr (size > 8) {
            simt_strong_store(address + 8, bits[1], scope_bit<Flags> | 8);
        }
        simt_strong_store(address, bits[0], scope_bit<Flags> | (size < 8 ? size : 8));
    } else if constexpr ((Flags & m_volatile) != 0) {
        typedef typename piece<size <= 8 ? size : 8>::type part;
        part parts[sizeof(word) / sizeof(part)];
        __builtin_memcpy(&parts, &all, sizeof all);
        if constexpr (size > 8) {
            reinterpret_cast<volatile part *>(address)[1] = parts[1];
        }
        *reinterpret_cast<volatile part *>(address) = parts[0];
    } else {
        *reinterpret_cast<word *>(address) = bits_as<word>(all);
    }
}

/* ---- atomics ---- */

enum atomic_operation {
    o_add = SIMT_ATOMIC_ADD,
    o_min = SIMT_ATOMIC_MIN,
    o_max = SIMT_ATOMIC_MAX,
    o_inc = SIMT_ATOMIC_INC,
    o_dec = SIMT_ATOMIC_DEC,
    o_and = SIMT_ATOMIC_AND,
    o_or = SIMT_ATOMIC_OR,
    o_xor = SIMT_ATOMIC_XOR,
    o_exch = SIMT_ATOMIC_EXCHANGE,
    o_cas = SIMT_ATOMIC_COMPARE
};

template <class T, atomic_operation OPERATION, unsigned int Flags>
SIMT_INLINE typename T::bits atomic(char *address, typename T::bits operand,
                                    typename T::bits compare, SIMT_SITE)
{
    const simt_type type = T::code == SIMT_PTX_S32   ? SIMT_INT32
                           : T::code == SIMT_PTX_S64 ? SIMT_INT64
                           : T::code == SIMT_PTX_U64 ? SIMT_UINT64
                           : T::code == SIMT_PTX_F32 ? SIMT_FLOAT32
                           : T::code == SIMT_PTX_F64 ? SIMT_FLOAT64
                                                     : SIMT_UINT32;
    const unsigned int scope = Flags & m_cta ? static_cast<unsigned int>(SIMT_ATOMIC_OF_BLOCK) : 0u;
    fence_if<Flags>(Flags & m_release, SIMT_RELEASES);
    if (OPERATION == o_cas) {
        const uint64_t old = simt_atomic(static_cast<enum simt_atomic>(OPERATION | scope), type,
                                         address, operand, compare, simt_file, simt_line);
        fence_if<Flags>(Flags & m_acquire, SIMT_ACQUIRES);
        return static_cast<typename T::bits>(old);
    }
    simt_atomic_do(static_cast<enum simt_atomic>(OPERATION | scope), type, address, operand,
                   simt_file, simt_line);
    const typename T::bits old = static_cast<typename T::bits>(simt_atomic_old());
    fence_if<Flags>(Flags & m_acquire, SIMT_ACQUIRES);
    return old;
}

/* Atomics on 16 bits, pairs of halves, and vectors. Returns the old numbers. */
template <class T, unsigned int Count, atomic_operation OPERATION, unsigned int Flags>
SIMT_INLINE vector<T, Count> atomic_numbers(char *address, vector<T, Count> numbers,
                                            typename T::bits compared, SIMT_SITE)
{
    const bool is_f16 = T::code == SIMT_PTX_F16 || T::code == SIMT_PTX_F16X2;
    const bool is_bf16 = T::code == SIMT_PTX_BF16 || T::code == SIMT_PTX_BF16X2;
    const simt_type type = is_f16                    ? SIMT_FLOAT16
                           : is_bf16                 ? SIMT_BFLOAT16
                           : T::code == SIMT_PTX_F32 ? SIMT_FLOAT32
                                                     : SIMT_UINT16;
    const unsigned int scope = Flags & m_cta ? static_cast<unsigned int>(SIMT_ATOMIC_OF_BLOCK) : 0u;
    fence_if<Flags>(Flags & m_release, SIMT_RELEASES);
    simt_atomic_numbers(static_cast<enum simt_atomic>(OPERATION | scope), type, sizeof numbers,
                        address, &numbers, &compared, simt_file, simt_line);
    fence_if<Flags>(Flags & m_acquire, SIMT_ACQUIRES);
    return numbers;
}

/* ---- lanes ---- */

/* `limits` is operand c in the PTX ISA: the last lane, and a mask of the bits of a lane's number
 * that select its segment. */
#define SIMT_PTX_SHUFFLE(name, source, inside)                                                     \
    SIMT_INLINE unsigned int shuffle_##name(bool &valid, unsigned int value, unsigned int b,       \
                                            unsigned int limits, unsigned int mask, SIMT_SITE)     \
    {                                                                                              \
        const int self = static_cast<int>(lane()), delta = static_cast<int>(b & 31);               \
        const int segment = static_cast<int>(limits >> 8 & 31);                                    \
        const int first = self & segment;                                                          \
        const int last = first | (static_cast<int>(limits & 31) & ~segment);                       \
        const int from = source;                                                                   \
        static_cast<void>(first);                                                                  \
        static_cast<void>(delta);                                                                  \
        valid = inside;                                                                            \
        return static_cast<unsigned int>(simt_warp_collective(                                     \
            SIMT_SHUFFLE, mask, value, static_cast<unsigned int>(valid ? from : self),             \
            SIMT_WARP_SIZE, 4, simt_file, simt_line));                                             \
    }
SIMT_PTX_SHUFFLE(up, self - delta, from >= last)
SIMT_PTX_SHUFFLE(down, self + delta, from <= last)
SIMT_PTX_SHUFFLE(bfly, self ^ delta, from <= last)
SIMT_PTX_SHUFFLE(idx, first | (delta & ~segment), from <= last)
#undef SIMT_PTX_SHUFFLE

SIMT_INLINE unsigned int vote_ballot(bool predicate, unsigned int mask, SIMT_SITE)
{
    return __ballot_sync(mask, predicate, simt_file, simt_line);
}

SIMT_INLINE bool vote_all(bool predicate, unsigned int mask, SIMT_SITE)
{
    return __all_sync(mask, predicate, simt_file, simt_line);
}

SIMT_INLINE bool vote_any(bool predicate, unsigned int mask, SIMT_SITE)
{
    return __any_sync(mask, predicate, simt_file, simt_line);
}

SIMT_INLINE bool vote_uni(bool predicate, unsigned int mask, SIMT_SITE)
{
    const unsigned int votes = __ballot_sync(mask, predicate, simt_file, simt_line);
    return votes == 0 || votes == mask;
}

template <class T>
SIMT_INLINE unsigned int match_any(typename T::bits value, unsigned int mask, SIMT_SITE)
{
    return static_cast<unsigned int>(simt_warp_collective(
        SIMT_MATCH_ANY, mask, value, 0, SIMT_WARP_SIZE, sizeof value, simt_file, simt_line));
}

template <class T>
SIMT_INLINE unsigned int match_all(typename T::bits value, unsigned int mask, SIMT_SITE)
{
    return static_cast<unsigned int>(simt_warp_collective(
        SIMT_MATCH_ALL, mask, value, 0, SIMT_WARP_SIZE, sizeof value, simt_file, simt_line));
}

#define SIMT_PTX_REDUCE(name, OPERATION, SIGNED)                                                   \
    template <class T>                                                                             \
    SIMT_INLINE unsigned int reduce_##name(unsigned int value, unsigned int mask, SIMT_SITE)       \
    {                                                                                              \
        return static_cast<unsigned int>(                                                          \
            simt_warp_collective(T::code == SIMT_PTX_S32 ? SIGNED : OPERATION, mask, value, 0,     \
                                 SIMT_WARP_SIZE, 4, simt_file, simt_line));                        \
    }
SIMT_PTX_REDUCE(add, SIMT_REDUCE_ADD, SIMT_REDUCE_ADD)
SIMT_PTX_REDUCE(min, SIMT_REDUCE_MIN, SIMT_REDUCE_MIN_SIGNED)
SIMT_PTX_REDUCE(max, SIMT_REDUCE_MAX, SIMT_REDUCE_MAX_SIGNED)
SIMT_PTX_REDUCE(and, SIMT_REDUCE_AND, SIMT_REDUCE_AND)
SIMT_PTX_REDUCE(or, SIMT_REDUCE_OR, SIMT_REDUCE_OR)
SIMT_PTX_REDUCE(xor, SIMT_REDUCE_XOR, SIMT_REDUCE_XOR)
#undef SIMT_PTX_REDUCE

/* The lowest lane becomes the leader. */
SIMT_INLINE unsigned int elect(unsigned int mask, SIMT_SITE)
{
    return static_cast<unsigned int>(__builtin_ctz(__ballot_sync(mask, 1, simt_file, simt_line)));
}

template <class T, unsigned int Flags>
SIMT_INLINE void p_nanosleep(unsigned int time, SIMT_SITE)
{
    __nanosleep(time, simt_file, simt_line);
}

/* ---- barriers ---- */

#define SIMT_PTX_BARRIER(name, result, KIND)                                                       \
    SIMT_INLINE result barrier_##name(unsigned int number, unsigned int threads,                   \
                                      bool predicate = false, SIMT_SITE)                           \
    {                                                                                              \
        return static_cast<result>(                                                                \
            simt_named_barrier(KIND, number, threads, predicate, simt_file, simt_line));           \
    }
SIMT_PTX_BARRIER(sync, void, SIMT_NAMED_SYNC)
SIMT_PTX_BARRIER(arrive, void, SIMT_NAMED_ARRIVE)
SIMT_PTX_BARRIER(count, unsigned int, SIMT_NAMED_COUNT)
SIMT_PTX_BARRIER(and, bool, SIMT_NAMED_AND)
SIMT_PTX_BARRIER(or, bool, SIMT_NAMED_OR)
#undef SIMT_PTX_BARRIER

SIMT_INLINE void mbarrier_init(char *barrier, unsigned int count, SIMT_SITE)
{
    simt_mbarrier_init(barrier, count, simt_file, simt_line);
}

SIMT_INLINE void mbarrier_inval(char *barrier, SIMT_SITE)
{
    simt_mbarrier_invalidate(barrier, simt_file, simt_line);
}

SIMT_INLINE void mbarrier_expect_tx(char *barrier, unsigned int bytes, SIMT_SITE)
{
    simt_mbarrier_expect(barrier, bytes, simt_file, simt_line);
}

SIMT_INLINE void mbarrier_complete_tx(char *barrier, unsigned int bytes, SIMT_SITE)
{
    simt_mbarrier_complete(barrier, bytes, false, simt_file, simt_line);
}

template <unsigned int Flags>
SIMT_INLINE unsigned long mbarrier_arrive(char *barrier, unsigned int count, unsigned int bytes,
                                          SIMT_SITE)
{
    return simt_mbarrier_arrive(barrier, count, bytes, Flags, simt_file, simt_line);
}

template <unsigned int Flags>
SIMT_INLINE bool mbarrier_try_wait(char *barrier, unsigned long state, SIMT_SITE)
{
    return simt_mbarrier_wait(barrier, state, Flags | m_try, simt_file, simt_line);
}

template <unsigned int Flags>
SIMT_INLINE bool mbarrier_test_wait(char *barrier, unsigned long state, SIMT_SITE)
{
    return simt_mbarrier_wait(barrier, state, Flags, simt_file, simt_line);
}

/* `state`: in the format of mbarrier.c. */
SIMT_INLINE unsigned int mbarrier_pending_count(unsigned long state)
{
    return static_cast<unsigned int>(state & 0xfffff);
}

SIMT_INLINE void fence_proxy_async()
{
    simt_fence_proxy_async();
}

SIMT_INLINE void fence_proxy_tensormap(const char *map = nullptr, unsigned int size = 128,
                                       SIMT_SITE)
{
    simt_fence_proxy_tensormap(map, size, simt_file, simt_line);
}

SIMT_INLINE void fence_mbarrier_init()
{
    simt_fence_mbarrier_init();
}

SIMT_INLINE void set_registers(unsigned int count, bool more, SIMT_SITE)
{
    simt_set_registers(count, more, simt_file, simt_line);
}

/* ---- asynchronous copies ---- */

SIMT_INLINE void copy_async(char *to, const char *from, unsigned int bytes, unsigned int read,
                            bool only_16, SIMT_SITE)
{
    /* The callee reports a wrong size. */
    simt_pipeline_copy(to, from, only_16 && bytes != 16 ? 0 : bytes,
                       read < bytes ? bytes - read : 0, simt_file, simt_line);
}

SIMT_INLINE void wait_all()
{
    simt_pipeline_commit();
    simt_pipeline_wait_prior(0);
}

SIMT_INLINE void copy_async_arrive(char *barrier, bool counted, SIMT_SITE)
{
    simt_copy_arrive(barrier, counted, simt_file, simt_line);
}

SIMT_INLINE void bulk_load(char *to, const char *from, unsigned int bytes, char *barrier,
                           unsigned int ranks, SIMT_SITE)
{
    simt_bulk_load(to, from, bytes, barrier, ranks, simt_file, simt_line);
}

SIMT_INLINE void bulk_store(char *to, const char *from, unsigned int bytes, SIMT_SITE)
{
    simt_bulk_store(to, from, bytes, simt_file, simt_line);
}

SIMT_INLINE void bulk_reduce(char *to, const char *from, unsigned int bytes, char *barrier,
                             atomic_operation operation, unsigned int type, SIMT_SITE)
{
    simt_bulk_reduce(to, from, bytes, barrier, static_cast<enum simt_atomic>(operation), type,
                     simt_file, simt_line);
}

template <class T, unsigned int Count>
SIMT_INLINE void store_async(char *to, char *barrier, const vector<T, Count> &all, SIMT_SITE)
{
    simt_store_async(to, &all, sizeof all, barrier, simt_file, simt_line);
}

/* Performs the reduction at once. A GPU may do so later, but before the barrier completes. */
template <class T, atomic_operation OPERATION>
SIMT_INLINE void reduce_async(char *to, char *barrier, typename T::bits operand, SIMT_SITE)
{
    atomic<T, OPERATION, 0>(to, operand, 0, simt_file, simt_line);
    simt_mbarrier_complete(barrier, sizeof operand, true, simt_file, simt_line);
}

SIMT_INLINE void bulk_commit()
{
    simt_bulk_commit();
}

SIMT_INLINE void bulk_wait_group(unsigned int groups)
{
    simt_bulk_wait(groups, false);
}

SIMT_INLINE void bulk_wait_group_read(unsigned int groups)
{
    simt_bulk_wait(groups, true);
}

struct coordinates {
    int at[5];
};

SIMT_INLINE void tensor_load(char *to, const char *map, coordinates at, unsigned int dimensions,
                             char *barrier, unsigned int ranks, SIMT_SITE)
{
    simt_tensor_load(to, map, at.at, dimensions, nullptr, barrier, ranks, simt_file, simt_line);
}

struct pixel_offsets {
    unsigned int at[3];
};

SIMT_INLINE void tensor_load_columns(char *to, const char *map, coordinates at,
                                     unsigned int dimensions, pixel_offsets offsets, char *barrier,
                                     unsigned int ranks, SIMT_SITE)
{
    simt_tensor_load(to, map, at.at, dimensions, offsets.at, barrier, ranks, simt_file, simt_line);
}

SIMT_INLINE void tensor_store(const char *from, const char *map, coordinates at,
                              unsigned int dimensions, bool columns, SIMT_SITE)
{
    simt_tensor_store(from, map, at.at, dimensions, columns, simt_file, simt_line);
}

SIMT_INLINE void tensor_reduce(const char *from, const char *map, coordinates at,
                               unsigned int dimensions, bool columns, atomic_operation operation,
                               SIMT_SITE)
{
    simt_tensor_reduce(from, map, at.at, dimensions, columns,
                       static_cast<enum simt_atomic>(operation), simt_file, simt_line);
}

SIMT_INLINE void tensormap_replace(char *map, enum simt_map_field field, unsigned int dimension,
                                   unsigned long value, SIMT_SITE)
{
    simt_tensormap_replace(map, field, dimension, value, simt_file, simt_line);
}

/* All lanes of the warp copy it together, each lane 4 bytes. A fence follows. */
SIMT_INLINE void tensormap_copy(char *to, const char *from, unsigned int size, SIMT_SITE)
{
    const unsigned int at = 4 * lane();
    store<t_u32, 1, 0>(to + at, load<t_u32, 1, 0>(from + at).at[0]);
    simt_fence_proxy_tensormap(nullptr, size, simt_file, simt_line);
    __syncwarp(~0u, simt_file, simt_line);
}

/* ---- tensor cores ---- */

typedef simt_four four;

template <class OfD, class OfA, class OfB, unsigned int REGISTERS, bool FINITE>
SIMT_INLINE four matrix_product(four a, four b, four c, SIMT_SITE)
{
    return simt_product(OfD::code, OfA::code, OfB::code, REGISTERS, FINITE, a, b, c, simt_file,
                        simt_line);
}

SIMT_INLINE four matrix_load(const char *row, unsigned int count, bool transposed, SIMT_SITE)
{
    return simt_matrix_load(row, count, transposed, simt_file, simt_line);
}

SIMT_INLINE void matrix_store(char *row, unsigned int count, bool transposed, four values,
                              SIMT_SITE)
{
    simt_matrix_store(row, count, transposed, values, simt_file, simt_line);
}

SIMT_INLINE unsigned int matrix_transpose(unsigned int value, SIMT_SITE)
{
    return simt_matrix_transpose(value, simt_file, simt_line);
}

template <typename T>
SIMT_INLINE void *sum_register(T &sum)
{
#ifdef __clang__
    // clang instruments loads of a local variable only if a pointer of the same type escapes.
    __asm__ volatile("" ::"r"(&sum));
#endif
    return &sum;
}

SIMT_INLINE void wgmma(const simt_wgmma_call &call, void *const *sums, SIMT_SITE)
{
    simt_wgmma(&call, sums, simt_file, simt_line);
}

SIMT_INLINE void wgmma_fence(SIMT_SITE)
{
    simt_wgmma_fence(simt_file, simt_line);
}

SIMT_INLINE void wgmma_commit(SIMT_SITE)
{
    simt_wgmma_commit(simt_file, simt_line);
}

SIMT_INLINE void wgmma_wait(unsigned int groups, SIMT_SITE)
{
    simt_wgmma_wait(groups, simt_file, simt_line);
}

} // namespace ptx
} // namespace simt

#endif

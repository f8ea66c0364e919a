/* Drop-in for CUDA's header of the same name: thread blocks, tiles, coalesced groups, clusters and
 * the grid. */
#ifndef SIMT_COOPERATIVE_GROUPS_H
#define SIMT_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"
#include "simt_ptx_runtime.h"

namespace cooperative_groups
{

/* ---- the position of the calling thread ---- */

namespace details
{

SIMT_INLINE unsigned int block_threads()
{
    uint3 size = simt_block_dimensions();
    return size.x * size.y * size.z;
}

SIMT_INLINE unsigned int rank_in_block()
{
    uint3 size = simt_block_dimensions(), index = simt_thread_index();
    return (index.z * size.y + index.y) * size.x + index.x;
}

SIMT_INLINE unsigned int lane()
{
    return rank_in_block() % SIMT_WARP_SIZE;
}

/* The lane of the thread with this rank among the lanes of the mask. */
SIMT_INLINE unsigned int lane_of(unsigned int mask, unsigned int rank)
{
    while (rank-- > 0) {
        mask &= mask - 1;
    }
    return mask ? static_cast<unsigned int>(__builtin_ctz(mask)) : SIMT_WARP_SIZE;
}

SIMT_INLINE unsigned int rank_of(unsigned int mask, unsigned int lane)
{
    return static_cast<unsigned int>(__builtin_popcount(mask & ((1u << lane) - 1)));
}

/* Moves a value of any size between lanes, in pieces of 8 bytes if possible. */
template <class T>
SIMT_INLINE T shuffle(simt_collective operation, unsigned int mask, const T &value,
                      unsigned int lane, int width, const char *file, int line)
{
    T result = value;
    for (size_t done = 0; done < sizeof(T); done += 8) {
        size_t size = sizeof(T) - done < 8 ? sizeof(T) - done : 8;
        uint64_t bits = 0;
        __builtin_memcpy(&bits, reinterpret_cast<const char *>(&value) + done, size);
        bits =
            simt_warp_collective(operation, mask, bits, lane, width, size > 4 ? 8 : 4, file, line);
        __builtin_memcpy(reinterpret_cast<char *>(&result) + done, &bits, size);
    }
    return result;
}

SIMT_INLINE unsigned int vote(simt_collective operation, unsigned int mask, uint64_t value,
                              int size, const char *file, int line)
{
    return static_cast<unsigned int>(
        simt_warp_collective(operation, mask, value, 0, SIMT_WARP_SIZE, size, file, line));
}

enum kind { in_block, in_warp, in_grid, in_cluster, in_warps };

/* Arriving at a group's barrier, and waiting for it later. */
template <simt_split Of>
struct split_barrier {
    struct arrival_token {
    };
    static arrival_token barrier_arrive(SIMT_SITE)
    {
        simt_split_arrive(Of, simt_file, simt_line);
        return arrival_token();
    }
    static void barrier_wait(SIMT_SITE)
    {
        simt_split_wait(Of, simt_file, simt_line);
    }
    static void barrier_wait(arrival_token &&, SIMT_SITE)
    {
        simt_split_wait(Of, simt_file, simt_line);
    }
};

} // namespace details

/* ---- groups ---- */

/* All groups convert to this class. A function that takes it works on any group. */
class thread_group
{
  protected:
    details::kind kind;
    unsigned int mask; /* in_warp: the lanes; in_warps: the number of threads */

    thread_group(details::kind of, unsigned int lanes) : kind(of), mask(lanes)
    {
    }

  public:
    unsigned long long size() const
    {
        uint3 grid = simt_grid_dimensions();
        return kind == details::in_warp    ? static_cast<unsigned int>(__builtin_popcount(mask))
               : kind == details::in_warps ? mask
               : kind == details::in_block
                   ? details::block_threads()
                   : static_cast<unsigned long long>(details::block_threads()) * grid.x * grid.y *
                         grid.z;
    }
    unsigned long long num_threads() const
    {
        return size();
    }
    unsigned long long thread_rank() const
    {
        uint3 grid = simt_grid_dimensions(), block = simt_block_index();
        unsigned long long block_rank =
            (static_cast<unsigned long long>(block.z) * grid.y + block.y) * grid.x + block.x;
        return kind == details::in_warp    ? details::rank_of(mask, details::lane())
               : kind == details::in_warps ? details::rank_in_block() % mask
               : kind == details::in_block
                   ? details::rank_in_block()
                   : block_rank * details::block_threads() + details::rank_in_block();
    }
    bool is_valid() const
    {
        return true;
    }
    void sync(SIMT_SITE) const
    {
        if (kind == details::in_warp) {
            simt_warp_collective(SIMT_SYNCWARP, mask, 0, 0, SIMT_WARP_SIZE, 4, simt_file,
                                 simt_line);
        } else if (kind == details::in_warps) {
            simt_tile_barrier(mask, SIMT_NAMED_SYNC, false, simt_file, simt_line);
        } else if (kind == details::in_cluster) {
            simt_cluster_arrive(false, simt_file, simt_line);
            simt_cluster_wait(simt_file, simt_line);
        } else {
            simt_block_barrier(kind == details::in_block ? SIMT_BARRIER : SIMT_BARRIER_GRID, 0,
                               simt_file, simt_line);
        }
    }
};

class thread_block : public thread_group, public details::split_barrier<SIMT_SPLIT_BLOCK>
{
    thread_block() : thread_group(details::in_block, 0)
    {
    }
    friend thread_block this_thread_block();

  public:
    static void sync(SIMT_SITE)
    {
        simt_block_wait(simt_file, simt_line);
    }
    static unsigned int thread_rank()
    {
        return details::rank_in_block();
    }
    static unsigned int size()
    {
        return details::block_threads();
    }
    static unsigned int num_threads()
    {
        return details::block_threads();
    }
    static dim3 group_index()
    {
        return simt_block_index();
    }
    static dim3 thread_index()
    {
        return simt_thread_index();
    }
    static dim3 group_dim()
    {
        return simt_block_dimensions();
    }
    static dim3 dim_threads()
    {
        return simt_block_dimensions();
    }
};

inline thread_block this_thread_block()
{
    return thread_block();
}

/* The memory that tiles of more than a warp need on older GPUs. */
template <unsigned int MaxBlockSize = 1024>
struct block_tile_memory {
    static_assert(MaxBlockSize <= 1024, "a block has 1024 threads at most");
    char simt_unused;
};

template <unsigned int MaxBlockSize>
inline thread_block this_thread_block(block_tile_memory<MaxBlockSize> &)
{
    return this_thread_block();
}

/* The whole grid; sync() needs cudaLaunchCooperativeKernel. */
class grid_group : public thread_group, public details::split_barrier<SIMT_SPLIT_GRID>
{
    grid_group() : thread_group(details::in_grid, 0)
    {
    }
    friend grid_group this_grid();

  public:
    static dim3 dim_blocks()
    {
        return simt_grid_dimensions();
    }
    static dim3 group_dim()
    {
        return simt_grid_dimensions();
    }
    static dim3 block_index()
    {
        return simt_block_index();
    }
    static unsigned long long num_blocks()
    {
        uint3 grid = simt_grid_dimensions();
        return static_cast<unsigned long long>(grid.x) * grid.y * grid.z;
    }
    static unsigned long long block_rank()
    {
        uint3 grid = simt_grid_dimensions(), block = simt_block_index();
        return (static_cast<unsigned long long>(block.z) * grid.y + block.y) * grid.x + block.x;
    }
    bool is_valid() const
    {
        return simt_is_cooperative();
    }
};

inline grid_group this_grid()
{
    return grid_group();
}

/* The blocks of a cluster. In a launch without clusters, the block alone. */
class cluster_group : public thread_group, public details::split_barrier<SIMT_SPLIT_CLUSTER>
{
    cluster_group() : thread_group(details::in_cluster, 0)
    {
    }
    friend cluster_group this_cluster();

  public:
    static void sync(SIMT_SITE)
    {
        simt_cluster_arrive(false, simt_file, simt_line);
        simt_cluster_wait(simt_file, simt_line);
    }
    static dim3 dim_blocks()
    {
        return simt_cluster_dimensions();
    }
    static unsigned int num_blocks()
    {
        const uint3 size = simt_cluster_dimensions();
        return size.x * size.y * size.z;
    }
    static dim3 block_index()
    {
        return simt_cluster_block_index();
    }
    static unsigned int block_rank()
    {
        return simt_cluster_rank();
    }
    static dim3 dim_threads()
    {
        const uint3 blocks = simt_cluster_dimensions(), threads = simt_block_dimensions();
        return dim3(blocks.x * threads.x, blocks.y * threads.y, blocks.z * threads.z);
    }
    static unsigned int num_threads()
    {
        return num_blocks() * details::block_threads();
    }
    static unsigned int size()
    {
        return num_threads();
    }
    static unsigned int thread_rank()
    {
        return block_rank() * details::block_threads() + details::rank_in_block();
    }
    template <class T>
    static T *map_shared_rank(T *address, int rank)
    {
        return static_cast<T *>(simt_cluster_map(address, static_cast<unsigned int>(rank)));
    }
    static unsigned int query_shared_rank(const void *address)
    {
        return simt_cluster_rank_of(address);
    }
};

inline cluster_group this_cluster()
{
    return cluster_group();
}

namespace details
{

/* Lanes of one warp. The base class of tiles and coalesced groups. */
class lanes_group : public thread_group
{
  protected:
    explicit lanes_group(unsigned int lanes, unsigned int rank = 0, unsigned int count = 1)
        : thread_group(in_warp, lanes), meta_rank(rank), meta_count(count)
    {
    }
    unsigned int meta_rank, meta_count;

    /* Converts a set of lanes to a set of ranks. */
    unsigned int ranks(unsigned int lanes) const
    {
        unsigned int result = 0, rank = 0;
        for (unsigned int set = mask; set; set &= set - 1, rank++) {
            result |= (lanes >> __builtin_ctz(set) & 1) << rank;
        }
        return result;
    }

  public:
    unsigned int size() const
    {
        return static_cast<unsigned int>(__builtin_popcount(mask));
    }
    unsigned int num_threads() const
    {
        return size();
    }
    unsigned int thread_rank() const
    {
        return rank_of(mask, lane());
    }
    unsigned int meta_group_rank() const
    {
        return meta_rank;
    }
    unsigned int meta_group_size() const
    {
        return meta_count;
    }
    int any(int predicate, SIMT_SITE) const
    {
        return static_cast<int>(vote(SIMT_ANY, mask, predicate != 0, 4, simt_file, simt_line));
    }
    int all(int predicate, SIMT_SITE) const
    {
        return static_cast<int>(vote(SIMT_ALL, mask, predicate != 0, 4, simt_file, simt_line));
    }
    unsigned int ballot(int predicate, SIMT_SITE) const
    {
        return ranks(vote(SIMT_BALLOT, mask, predicate != 0, 4, simt_file, simt_line));
    }
    template <class T>
    unsigned int match_any(T value, SIMT_SITE) const
    {
        return ranks(
            vote(SIMT_MATCH_ANY, mask, simt::pack(value), sizeof(T), simt_file, simt_line));
    }
    template <class T>
    unsigned int match_all(T value, int &all_same, SIMT_SITE) const
    {
        unsigned int same =
            vote(SIMT_MATCH_ALL, mask, simt::pack(value), sizeof(T), simt_file, simt_line);
        all_same = same != 0;
        return ranks(same);
    }
    unsigned int simt_mask() const
    {
        return mask;
    }
};

} // namespace details

/* TileSize neighbouring threads of a block: 1, 2, 4, 8, 16 or 32; more: simt_large_tiles.h. */
template <unsigned int TileSize, class Parent = void, bool IsLarge = (TileSize > SIMT_WARP_SIZE)>
class thread_block_tile : public details::lanes_group
{
    static_assert(TileSize >= 1 && (TileSize & (TileSize - 1)) == 0,
                  "a tile has 1, 2, 4 ... or 1024 threads");
    thread_block_tile(unsigned int rank, unsigned int count)
        : lanes_group((TileSize == 32 ? ~0u : (1u << TileSize % 32) - 1)
                          << (details::lane() & ~(TileSize - 1)),
                      rank, count)
    {
    }
    template <unsigned int OtherSize, class Group>
    friend thread_block_tile<OtherSize, Group> tiled_partition(const Group &parent);

  public:
    template <class OtherParent>
    thread_block_tile(const thread_block_tile<TileSize, OtherParent> &other)
        : lanes_group(other.simt_mask(), other.meta_group_rank(), other.meta_group_size())
    {
    }
    static constexpr unsigned int size()
    {
        return TileSize;
    }
    static constexpr unsigned int num_threads()
    {
        return TileSize;
    }
    static unsigned int thread_rank()
    {
        return details::lane() & (TileSize - 1);
    }
    template <class T>
    T shfl(const T &value, int rank, SIMT_SITE) const
    {
        return details::shuffle(SIMT_SHUFFLE, mask, value, static_cast<unsigned int>(rank),
                                TileSize, simt_file, simt_line);
    }
    template <class T>
    T shfl_up(const T &value, unsigned int delta, SIMT_SITE) const
    {
        return details::shuffle(SIMT_SHUFFLE_UP, mask, value, delta, TileSize, simt_file,
                                simt_line);
    }
    template <class T>
    T shfl_down(const T &value, unsigned int delta, SIMT_SITE) const
    {
        return details::shuffle(SIMT_SHUFFLE_DOWN, mask, value, delta, TileSize, simt_file,
                                simt_line);
    }
    template <class T>
    T shfl_xor(const T &value, unsigned int with, SIMT_SITE) const
    {
        return details::shuffle(SIMT_SHUFFLE_XOR, mask, value, with, TileSize, simt_file,
                                simt_line);
    }
};

} // namespace cooperative_groups

#include "simt_large_tiles.h"

namespace cooperative_groups
{

/* Divides the parent into tiles of TileSize threads. */
template <unsigned int TileSize, class Parent>
thread_block_tile<TileSize, Parent> tiled_partition(const Parent &parent)
{
    unsigned int size = static_cast<unsigned int>(parent.size());
    return {static_cast<unsigned int>(parent.thread_rank()) / TileSize,
            (size + TileSize - 1) / TileSize};
}

/* Any lanes of a warp, such as those that take a branch together. */
class coalesced_group : public details::lanes_group
{
    template <class T>
    T from(const T &value, unsigned int rank, const char *file, int line) const
    {
        /* If the rank is too large, the lane gets its own value. */
        unsigned int source = rank < size() ? details::lane_of(mask, rank) : details::lane();
        return details::shuffle(SIMT_SHUFFLE, mask, value, source, SIMT_WARP_SIZE, file, line);
    }

  public:
    explicit coalesced_group(unsigned int lanes, unsigned int rank = 0, unsigned int count = 1)
        : lanes_group(lanes, rank, count)
    {
    }
    template <class T>
    T shfl(const T &value, unsigned int rank, SIMT_SITE) const
    {
        return from(value, rank % size(), simt_file, simt_line);
    }
    template <class T>
    T shfl_up(const T &value, unsigned int delta, SIMT_SITE) const
    {
        unsigned int rank = thread_rank();
        return from(value, delta <= rank ? rank - delta : rank, simt_file, simt_line);
    }
    template <class T>
    T shfl_down(const T &value, unsigned int delta, SIMT_SITE) const
    {
        return from(value, thread_rank() + delta, simt_file, simt_line);
    }
};

/* The lanes that reach this call together. */
inline coalesced_group coalesced_threads(SIMT_SITE)
{
    return coalesced_group(static_cast<unsigned int>(
        simt_warp_collective(SIMT_ACTIVEMASK, 0, 0, 0, SIMT_WARP_SIZE, 4, simt_file, simt_line)));
}

/* The threads of the group with the caller's predicate, or label. */
template <class Group>
coalesced_group binary_partition(const Group &group, bool predicate, SIMT_SITE)
{
    unsigned int mask = group.simt_mask();
    unsigned int yes = details::vote(SIMT_BALLOT, mask, predicate, 4, simt_file, simt_line);
    return coalesced_group(predicate ? yes : mask & ~yes, predicate, 2);
}

template <class Group, class Label>
coalesced_group labeled_partition(const Group &group, Label label, SIMT_SITE)
{
    unsigned int same = details::vote(SIMT_MATCH_ANY, group.simt_mask(),
                                      static_cast<uint64_t>(label), 8, simt_file, simt_line);
    return coalesced_group(same);
}

/* A tile whose size is known only when the program runs: a power of two, up to 32. */
inline coalesced_group tiled_partition(const thread_group &parent, unsigned int size)
{
    unsigned int rank = static_cast<unsigned int>(parent.thread_rank());
    unsigned int first = details::lane() - rank % size;
    unsigned int lanes = size >= SIMT_WARP_SIZE ? ~0u : ((1u << size) - 1) << first;
    return coalesced_group(lanes, rank / size,
                           (static_cast<unsigned int>(parent.size()) + size - 1) / size);
}

/* ---- functions on groups ---- */

template <class Group>
inline void sync(const Group &group, SIMT_SITE)
{
    group.sync(simt_file, simt_line);
}

template <class Group>
inline auto group_size(const Group &group)
{
    return group.size();
}

template <class Group>
inline auto thread_rank(const Group &group)
{
    return group.thread_rank();
}

/* Runs the function in only one thread of the group. */
template <class Group, class Function, class... Arguments>
inline void invoke_one(const Group &group, Function function, Arguments &&...arguments)
{
    if (group.thread_rank() == 0) {
        function(static_cast<Arguments &&>(arguments)...);
    }
}

} // namespace cooperative_groups

#endif

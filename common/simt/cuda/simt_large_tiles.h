/* Tiles of more than a warp. cooperative_groups.h includes this. */
#ifndef SIMT_LARGE_TILES_H
#define SIMT_LARGE_TILES_H

namespace cooperative_groups
{

/* 64, 128, 256, 512 or 1024 neighbouring threads of a block. They exchange values through memory of
 * the runtime, which is not counted. On a GPU, the compiler reserves shared memory for this.
 */
template <unsigned int TileSize, class Parent>
class thread_block_tile<TileSize, Parent, true> : public thread_group
{
    static_assert(TileSize <= SIMT_MAX_BLOCK_THREADS && (TileSize & (TileSize - 1)) == 0,
                  "a tile has 1, 2, 4 ... or 1024 threads");
    unsigned int meta_rank, meta_count;

    thread_block_tile(unsigned int rank, unsigned int count)
        : thread_group(details::in_warps, TileSize), meta_rank(rank), meta_count(count)
    {
    }
    template <unsigned int OtherSize, class Group>
    friend thread_block_tile<OtherSize, Group> tiled_partition(const Group &parent);

    static unsigned int warp()
    {
        return details::rank_in_block() / SIMT_WARP_SIZE;
    }
    static unsigned int first_warp()
    {
        return warp() / (TileSize / SIMT_WARP_SIZE) * (TileSize / SIMT_WARP_SIZE);
    }

  public:
    template <class OtherParent>
    thread_block_tile(const thread_block_tile<TileSize, OtherParent> &other)
        : thread_block_tile(other.meta_group_rank(), other.meta_group_size())
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
        return details::rank_in_block() % TileSize;
    }
    unsigned int meta_group_rank() const
    {
        return meta_rank;
    }
    unsigned int meta_group_size() const
    {
        return meta_count;
    }
    static void sync(SIMT_SITE)
    {
        simt_tile_barrier(TileSize, SIMT_NAMED_SYNC, false, simt_file, simt_line);
    }
    static int any(int predicate, SIMT_SITE)
    {
        return static_cast<int>(
            simt_tile_barrier(TileSize, SIMT_NAMED_OR, predicate != 0, simt_file, simt_line));
    }
    static int all(int predicate, SIMT_SITE)
    {
        return static_cast<int>(
            simt_tile_barrier(TileSize, SIMT_NAMED_AND, predicate != 0, simt_file, simt_line));
    }
    template <class T>
    static T shfl(const T &value, int rank, SIMT_SITE)
    {
        static_assert(sizeof(T) <= SIMT_TILE_BYTES,
                      "a tile of more than a warp exchanges 64 bytes");
        const unsigned int source = static_cast<unsigned int>(rank) % TileSize;
        T result;
        if (thread_rank() == source) {
            simt_tile_put(warp(), &value, sizeof value);
        }
        sync(simt_file, simt_line);
        simt_tile_get(first_warp() + source / SIMT_WARP_SIZE, &result, sizeof result);
        sync(simt_file, simt_line);
        return result;
    }
    /* Reduces each warp, then the warps' results in their order. Every thread gets the result. */
    template <class T, class Operation>
    static T simt_reduce(T value, Operation operation, SIMT_SITE)
    {
        static_assert(sizeof(T) <= SIMT_TILE_BYTES,
                      "a tile of more than a warp exchanges 64 bytes");
        T result;
        for (unsigned int distance = SIMT_WARP_SIZE / 2; distance > 0; distance /= 2) {
            value = operation(value, details::shuffle(SIMT_SHUFFLE_XOR, ~0u, value, distance,
                                                      SIMT_WARP_SIZE, simt_file, simt_line));
        }
        if (details::lane() == 0) {
            simt_tile_put(warp(), &value, sizeof value);
        }
        sync(simt_file, simt_line);
        simt_tile_get(first_warp(), &result, sizeof result);
        for (unsigned int i = 1; i < TileSize / SIMT_WARP_SIZE; i++) {
            T other;
            simt_tile_get(first_warp() + i, &other, sizeof other);
            result = operation(result, other);
        }
        sync(simt_file, simt_line);
        return result;
    }
};

} // namespace cooperative_groups

#endif

/* Shuffles, votes, matches and reductions of a warp.
 * cuda_runtime.h includes this. */
#ifndef SIMT_WARP_H
#define SIMT_WARP_H

#include "cuda_runtime.h"

SIMT_INLINE void __syncwarp(unsigned int mask = 0xffffffffu, SIMT_SITE)
{
    simt_warp_collective(SIMT_SYNCWARP, mask, 0, 0, SIMT_WARP_SIZE, 4, simt_file, simt_line);
}

#define SIMT_SHUFFLE_FUNCTION(name, operation, T, lane_type)                                       \
    SIMT_INLINE T name(unsigned int mask, T value, lane_type lane, int width = SIMT_WARP_SIZE,     \
                       SIMT_SITE)                                                                  \
    {                                                                                              \
        return simt::unpack<T>(simt_warp_collective(operation, mask, simt::pack(value),            \
                                                    static_cast<unsigned int>(lane), width,        \
                                                    sizeof(T), simt_file, simt_line));             \
    }
#define SIMT_SHUFFLES(T)                                                                           \
    SIMT_SHUFFLE_FUNCTION(__shfl_sync, SIMT_SHUFFLE, T, int)                                       \
    SIMT_SHUFFLE_FUNCTION(__shfl_up_sync, SIMT_SHUFFLE_UP, T, unsigned int)                        \
    SIMT_SHUFFLE_FUNCTION(__shfl_down_sync, SIMT_SHUFFLE_DOWN, T, unsigned int)                    \
    SIMT_SHUFFLE_FUNCTION(__shfl_xor_sync, SIMT_SHUFFLE_XOR, T, int)
SIMT_SHUFFLES(int)
SIMT_SHUFFLES(unsigned int)
SIMT_SHUFFLES(long)
SIMT_SHUFFLES(unsigned long)
SIMT_SHUFFLES(long long)
SIMT_SHUFFLES(unsigned long long)
SIMT_SHUFFLES(float)
SIMT_SHUFFLES(double)
#undef SIMT_SHUFFLES
#undef SIMT_SHUFFLE_FUNCTION

#define SIMT_VOTE_FUNCTION(name, operation, result)                                                \
    SIMT_INLINE result name(unsigned int mask, int predicate, SIMT_SITE)                           \
    {                                                                                              \
        return static_cast<result>(simt_warp_collective(operation, mask, predicate != 0, 0,        \
                                                        SIMT_WARP_SIZE, 4, simt_file, simt_line)); \
    }
SIMT_VOTE_FUNCTION(__ballot_sync, SIMT_BALLOT, unsigned int)
SIMT_VOTE_FUNCTION(__any_sync, SIMT_ANY, int)
SIMT_VOTE_FUNCTION(__all_sync, SIMT_ALL, int)
#undef SIMT_VOTE_FUNCTION

SIMT_INLINE unsigned int __activemask(SIMT_SITE)
{
    return static_cast<unsigned int>(
        simt_warp_collective(SIMT_ACTIVEMASK, 0, 0, 0, SIMT_WARP_SIZE, 4, simt_file, simt_line));
}

#define SIMT_MATCH_FUNCTIONS(T)                                                                    \
    SIMT_INLINE unsigned int __match_any_sync(unsigned int mask, T value, SIMT_SITE)               \
    {                                                                                              \
        return static_cast<unsigned int>(                                                          \
            simt_warp_collective(SIMT_MATCH_ANY, mask, simt::pack(value), 0, SIMT_WARP_SIZE,       \
                                 sizeof(T), simt_file, simt_line));                                \
    }                                                                                              \
    SIMT_INLINE unsigned int __match_all_sync(unsigned int mask, T value, int *all, SIMT_SITE)     \
    {                                                                                              \
        unsigned int same = static_cast<unsigned int>(                                             \
            simt_warp_collective(SIMT_MATCH_ALL, mask, simt::pack(value), 0, SIMT_WARP_SIZE,       \
                                 sizeof(T), simt_file, simt_line));                                \
        *all = same != 0;                                                                          \
        return same;                                                                               \
    }
SIMT_MATCH_FUNCTIONS(int)
SIMT_MATCH_FUNCTIONS(unsigned int)
SIMT_MATCH_FUNCTIONS(long)
SIMT_MATCH_FUNCTIONS(unsigned long)
SIMT_MATCH_FUNCTIONS(long long)
SIMT_MATCH_FUNCTIONS(unsigned long long)
SIMT_MATCH_FUNCTIONS(float)
SIMT_MATCH_FUNCTIONS(double)
#undef SIMT_MATCH_FUNCTIONS

#define SIMT_REDUCE_FUNCTION(name, operation, T)                                                   \
    SIMT_INLINE T name(unsigned int mask, T value, SIMT_SITE)                                      \
    {                                                                                              \
        return simt::unpack<T>(simt_warp_collective(operation, mask, simt::pack(value), 0,         \
                                                    SIMT_WARP_SIZE, 4, simt_file, simt_line));     \
    }
SIMT_REDUCE_FUNCTION(__reduce_add_sync, SIMT_REDUCE_ADD, unsigned int)
SIMT_REDUCE_FUNCTION(__reduce_add_sync, SIMT_REDUCE_ADD, int)
SIMT_REDUCE_FUNCTION(__reduce_min_sync, SIMT_REDUCE_MIN, unsigned int)
SIMT_REDUCE_FUNCTION(__reduce_min_sync, SIMT_REDUCE_MIN_SIGNED, int)
SIMT_REDUCE_FUNCTION(__reduce_max_sync, SIMT_REDUCE_MAX, unsigned int)
SIMT_REDUCE_FUNCTION(__reduce_max_sync, SIMT_REDUCE_MAX_SIGNED, int)
SIMT_REDUCE_FUNCTION(__reduce_and_sync, SIMT_REDUCE_AND, unsigned int)
SIMT_REDUCE_FUNCTION(__reduce_or_sync, SIMT_REDUCE_OR, unsigned int)
SIMT_REDUCE_FUNCTION(__reduce_xor_sync, SIMT_REDUCE_XOR, unsigned int)
#undef SIMT_REDUCE_FUNCTION

#endif

/* Drop-in for CUDA's header of the same name: reductions over tiles and coalesced groups. */
#ifndef SIMT_COOPERATIVE_GROUPS_REDUCE_H
#define SIMT_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{

#define SIMT_OPERATION(name, expression)                                                           \
    template <class T = void>                                                                      \
    struct name {                                                                                  \
        T operator()(const T &a, const T &b) const                                                 \
        {                                                                                          \
            return expression;                                                                     \
        }                                                                                          \
    };                                                                                             \
    template <>                                                                                    \
    struct name<void> {                                                                            \
        template <class T>                                                                         \
        T operator()(const T &a, const T &b) const                                                 \
        {                                                                                          \
            return expression;                                                                     \
        }                                                                                          \
    };
SIMT_OPERATION(plus, a + b)
SIMT_OPERATION(less, b < a ? b : a)
SIMT_OPERATION(greater, a < b ? b : a)
SIMT_OPERATION(bit_and, a &b)
SIMT_OPERATION(bit_or, a | b)
SIMT_OPERATION(bit_xor, a ^ b)
#undef SIMT_OPERATION

/* A butterfly: every thread gets the result. */
template <unsigned int TileSize, class Parent, class T, class Operation>
T reduce(const thread_block_tile<TileSize, Parent> &group, T value, Operation operation, SIMT_SITE)
{
    if constexpr (TileSize > SIMT_WARP_SIZE) {
        return group.simt_reduce(value, operation, simt_file, simt_line);
    } else {
        for (unsigned int distance = TileSize / 2; distance > 0; distance /= 2) {
            value = operation(value, group.shfl_xor(value, distance, simt_file, simt_line));
        }
        return value;
    }
}

/* For any number of threads. Each thread combines all values in the order of their ranks. */
template <class T, class Operation>
T reduce(const coalesced_group &group, T value, Operation operation, SIMT_SITE)
{
    T result = group.shfl(value, 0, simt_file, simt_line);
    for (unsigned int rank = 1; rank < group.size(); rank++) {
        result = operation(result, group.shfl(value, rank, simt_file, simt_line));
    }
    return result;
}

} // namespace cooperative_groups

#endif

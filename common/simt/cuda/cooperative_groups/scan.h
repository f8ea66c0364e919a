/* Drop-in for CUDA's header of the same name: prefix sums over tiles and coalesced groups. */
#ifndef SIMT_COOPERATIVE_GROUPS_SCAN_H
#define SIMT_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

namespace cooperative_groups
{

template <class Group, class T, class Operation>
T inclusive_scan(const Group &group, T value, Operation operation, SIMT_SITE)
{
    unsigned int rank = static_cast<unsigned int>(group.thread_rank());
    for (unsigned int distance = 1; distance < group.size(); distance *= 2) {
        T before = group.shfl_up(value, distance, simt_file, simt_line);
        value = rank >= distance ? operation(before, value) : value;
    }
    return value;
}

template <class Group, class T>
T inclusive_scan(const Group &group, T value, SIMT_SITE)
{
    return inclusive_scan(group, value, plus<T>(), simt_file, simt_line);
}

/* The first thread gets T{}. This result is meaningful only for plus. */
template <class Group, class T, class Operation>
T exclusive_scan(const Group &group, T value, Operation operation, SIMT_SITE)
{
    T before = group.shfl_up(inclusive_scan(group, value, operation, simt_file, simt_line), 1,
                             simt_file, simt_line);
    return group.thread_rank() == 0 ? T{} : before;
}

template <class Group, class T>
T exclusive_scan(const Group &group, T value, SIMT_SITE)
{
    return exclusive_scan(group, value, plus<T>(), simt_file, simt_line);
}

} // namespace cooperative_groups

#endif

/* Drop-in for CUDA's header of the same name: a group's asynchronous copies from global to shared
 * memory. They are performed only when wait() asks for them. A missing wait therefore shows as
 * stale data. */
#ifndef SIMT_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define SIMT_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{

/* Each thread copies every size()-th piece. Pieces are as wide as the alignment allows. */
template <class Group, class T>
SIMT_INLINE_MEMBER void memcpy_async(const Group &group, T *destination, const T *source,
                                     size_t bytes, SIMT_SITE)
{
    char *to = reinterpret_cast<char *>(destination);
    const char *from = reinterpret_cast<const char *>(source);
    size_t together = reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from);
    size_t piece = together % 16 == 0 ? 16 : together % 8 == 0 ? 8 : 4;
    size_t stride = static_cast<size_t>(group.size()) * piece;
    size_t begin = static_cast<size_t>(group.thread_rank()) * piece;
    for (size_t at = begin; at < bytes; at += stride) {
        if (together % 4 == 0 && bytes - at >= piece) {
            simt_pipeline_copy(to + at, from + at, piece, 0, simt_file, simt_line);
        } else {
            __builtin_memcpy(to + at, from + at, bytes - at < piece ? bytes - at : piece);
        }
    }
    simt_pipeline_commit();
}

template <class Group>
void wait(const Group &group, SIMT_SITE)
{
    simt_pipeline_wait_prior(0);
    group.sync(simt_file, simt_line);
}

/* Waits for all but the last Stages copies. */
template <unsigned int Stages, class Group>
void wait_prior(const Group &group, SIMT_SITE)
{
    simt_pipeline_wait_prior(Stages);
    group.sync(simt_file, simt_line);
}

} // namespace cooperative_groups

#endif

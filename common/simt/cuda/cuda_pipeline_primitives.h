/* Drop-in for CUDA's header of the same name: asynchronous copies from global to shared memory. */
#ifndef SIMT_CUDA_PIPELINE_PRIMITIVES_H
#define SIMT_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_awbarrier_primitives.h"
#include "cuda_runtime.h"

/* Copies 4, 8 or 16 bytes. The last zero_fill bytes become zeros and are not read. The copy is
 * performed when __pipeline_wait_prior asks for it, or when the thread ends. */
static inline void __pipeline_memcpy_async(void *__restrict__ destination,
                                           const void *__restrict__ source, size_t size,
                                           size_t zero_fill = 0, SIMT_SITE)
{
    simt_pipeline_copy(destination, source, size, zero_fill, simt_file, simt_line);
}

static inline void __pipeline_commit()
{
    simt_pipeline_commit();
}

/* Waits for all but the last `groups` commits of this thread. */
static inline void __pipeline_wait_prior(size_t groups)
{
    simt_pipeline_wait_prior(groups);
}

/* Arrives once this thread's copies so far have ended. The phase expects it beyond its count. */
static inline void __pipeline_arrive_on(__mbarrier_t *barrier, SIMT_SITE)
{
    simt_copy_arrive(barrier, false, simt_file, simt_line);
}

#endif

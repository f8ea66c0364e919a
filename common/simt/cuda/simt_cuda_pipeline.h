/* The part of libcu++'s <cuda/pipeline> that kernels use. Pipelines of a thread are groups of
 * cp.async. Pipelines of a block have two mbarriers per stage: produced and consumed.
 * Reports give the line of the caller. */
#ifndef SIMT_LIBCU_PIPELINE_H
#define SIMT_LIBCU_PIPELINE_H

#include "simt_cuda_barrier.h"

namespace cuda
{

enum class pipeline_role { producer, consumer };

namespace details
{
struct pipeline_stage {
    uint64_t produced, consumed; /* mbarriers */
};
} // namespace details

template <thread_scope Scope, uint8_t Stages>
class pipeline_shared_state
{
    static_assert(
        Scope == thread_scope_block,
        "not available on the CPU back end: cuda::pipeline of another scope than a thread "
        "or a block");

  public:
    pipeline_shared_state() = default;
    pipeline_shared_state(const pipeline_shared_state &) = delete;
    pipeline_shared_state &operator=(const pipeline_shared_state &) = delete;

    /* For make_pipeline(). */
    details::pipeline_stage simt_stages[Stages];
    unsigned int simt_producers;
};

template <thread_scope Scope>
class pipeline
{
    details::pipeline_stage *stages;
    unsigned int count, head = 0, tail = 0;
    bool to_produce = true, to_consume = false; /* the parities of the phases to wait for */

    static void wait(uint64_t *at, bool parity, const char *file, int line)
    {
        while (!simt_mbarrier_wait(at, parity, ::simt::ptx::m_try | ::simt::ptx::m_parity, file,
                                   line)) {
        }
    }

  public:
    pipeline(details::pipeline_stage *first, unsigned int stage_count)
        : stages(first), count(stage_count)
    {
    }
    pipeline(pipeline &&) = default;
    pipeline(const pipeline &) = delete;
    pipeline &operator=(const pipeline &) = delete;

    void producer_acquire(SIMT_SITE)
    {
        wait(&stages[head].consumed, to_produce, simt_file, simt_line);
    }
    void producer_commit(SIMT_SITE)
    {
        simt_copy_arrive(&stages[head].produced, false, simt_file, simt_line);
        simt_mbarrier_arrive(&stages[head].produced, 1, 0, 0, simt_file, simt_line);
        head = (head + 1) % count;
        to_produce ^= head == 0;
    }
    void consumer_wait(SIMT_SITE)
    {
        wait(&stages[tail].produced, to_consume, simt_file, simt_line);
    }
    template <class Time, class Unit>
    bool consumer_wait_for(const ::std::chrono::duration<Time, Unit> &, SIMT_SITE)
    {
        wait(&stages[tail].produced, to_consume, simt_file, simt_line);
        return true;
    }
    void consumer_release(SIMT_SITE)
    {
        simt_mbarrier_arrive(&stages[tail].consumed, 1, 0, 0, simt_file, simt_line);
        tail = (tail + 1) % count;
        to_consume ^= tail == 0;
    }
    /* The barriers stay valid until they are initialized again. */
    bool quit()
    {
        return true;
    }
};

template <>
class pipeline<thread_scope_thread>
{
    unsigned int made = 0, waited = 0; /* groups */

  public:
    pipeline() = default;
    pipeline(pipeline &&) = default;
    pipeline(const pipeline &) = delete;
    pipeline &operator=(const pipeline &) = delete;

    void producer_acquire()
    {
    }
    void producer_commit()
    {
        simt_pipeline_commit();
        made++;
    }
    void consumer_wait()
    {
        if (made != waited) {
            simt_pipeline_wait_prior(made - ++waited);
        }
    }
    template <class Time, class Unit>
    bool consumer_wait_for(const ::std::chrono::duration<Time, Unit> &)
    {
        consumer_wait();
        return true;
    }
    void consumer_release()
    {
    }
    bool quit()
    {
        return true;
    }
    /* For pipeline_consumer_wait_prior(). */
    void simt_wait_prior(unsigned int groups)
    {
        simt_pipeline_wait_prior(groups);
        waited = made < groups ? 0 : made - groups;
    }
};

SIMT_INLINE pipeline<thread_scope_thread> make_pipeline()
{
    return pipeline<thread_scope_thread>();
}

namespace details
{
template <class Group, thread_scope Scope, uint8_t Stages>
SIMT_INLINE pipeline<Scope>
make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state,
              unsigned int producers, unsigned int consumers, const char *file, int line)
{
    if (group.thread_rank() == 0) {
        for (unsigned int i = 0; i < Stages; i++) {
            simt_mbarrier_init(&state->simt_stages[i].produced, producers, file, line);
            simt_mbarrier_init(&state->simt_stages[i].consumed, consumers, file, line);
        }
    }
    group.sync(file, line);
    return pipeline<Scope>(state->simt_stages, Stages);
}
} // namespace details

/* Every thread of the group both produces and consumes. */
template <class Group, thread_scope Scope, uint8_t Stages>
SIMT_INLINE pipeline<Scope> make_pipeline(const Group &group,
                                          pipeline_shared_state<Scope, Stages> *state, SIMT_SITE)
{
    const unsigned int all = static_cast<unsigned int>(group.size());
    return details::make_pipeline(group, state, all, all, simt_file, simt_line);
}

template <class Group, thread_scope Scope, uint8_t Stages>
SIMT_INLINE pipeline<Scope> make_pipeline(const Group &group,
                                          pipeline_shared_state<Scope, Stages> *state,
                                          ::std::size_t producers, SIMT_SITE)
{
    const unsigned int all = static_cast<unsigned int>(group.size());
    const unsigned int some = static_cast<unsigned int>(producers);
    return details::make_pipeline(group, state, some, all - some, simt_file, simt_line);
}

template <class Group, thread_scope Scope, uint8_t Stages>
SIMT_INLINE pipeline<Scope> make_pipeline(const Group &group,
                                          pipeline_shared_state<Scope, Stages> *state,
                                          pipeline_role role, SIMT_SITE)
{
    const unsigned int all = static_cast<unsigned int>(group.size());
    unsigned int producers;
    if (group.thread_rank() == 0) {
        state->simt_producers = 0;
    }
    group.sync(simt_file, simt_line);
    if (role == pipeline_role::producer) {
        atomicAdd(&state->simt_producers, 1, simt_file, simt_line);
    }
    group.sync(simt_file, simt_line);
    producers = state->simt_producers;
    return details::make_pipeline(group, state, producers, all - producers, simt_file, simt_line);
}

template <uint8_t Groups>
SIMT_INLINE void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &of)
{
    of.simt_wait_prior(Groups);
}

template <thread_scope Scope>
SIMT_INLINE void pipeline_producer_commit(pipeline<thread_scope_thread> &, barrier<Scope> &at,
                                          SIMT_SITE)
{
    simt_copy_arrive(at.simt_handle(), false, simt_file, simt_line);
}

/* ---- copies: cp.async for every size ---- */

template <class Group, class T, class Size, thread_scope Scope>
SIMT_INLINE async_contract_fulfillment memcpy_async(const Group &group, T *to, const T *from,
                                                    Size size, pipeline<Scope> &, SIMT_SITE)
{
    return details::copy_in_pieces<T, Size>(group, to, from, size, simt_file, simt_line);
}

template <class T, class Size, thread_scope Scope>
SIMT_INLINE async_contract_fulfillment memcpy_async(T *to, const T *from, Size size,
                                                    pipeline<Scope> &, SIMT_SITE)
{
    return details::copy_in_pieces<T, Size>(details::one_thread(), to, from, size, simt_file,
                                            simt_line);
}

template <class Group, class Size, thread_scope Scope>
SIMT_INLINE async_contract_fulfillment memcpy_async(const Group &group, void *to, const void *from,
                                                    Size size, pipeline<Scope> &, SIMT_SITE)
{
    return details::copy_in_pieces<char, Size>(group, static_cast<char *>(to),
                                               static_cast<const char *>(from), size, simt_file,
                                               simt_line);
}

template <class Size, thread_scope Scope>
SIMT_INLINE async_contract_fulfillment memcpy_async(void *to, const void *from, Size size,
                                                    pipeline<Scope> &, SIMT_SITE)
{
    return details::copy_in_pieces<char, Size>(details::one_thread(), static_cast<char *>(to),
                                               static_cast<const char *>(from), size, simt_file,
                                               simt_line);
}

} // namespace cuda

#endif

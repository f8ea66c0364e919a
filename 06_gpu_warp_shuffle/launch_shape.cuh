/* Step 06: the shape of a launch by the size of its input. */
#ifndef LAUNCH_SHAPE_CUH
#define LAUNCH_SHAPE_CUH

#include "problem/reduction/reduction.h"

/* Threads a block, and packs that a thread loads in an iteration: a type, since the compiler must
 * know both. */
template <unsigned THREADS_, unsigned LOADS_>
struct Shape {
    static const unsigned THREADS = THREADS_, LOADS = LOADS_;
};

/* Calls launch(shape, grid) with as many blocks as there is work for, and at most `resident` on
 * each multiprocessor. */
template <unsigned THREADS, unsigned LOADS, typename Launch>
static void with_shape(const struct reduction *call, unsigned pack, unsigned resident,
                       Launch launch)
{
    launch(Shape<THREADS, LOADS>(), reduction_grid(call, THREADS * LOADS * pack, resident));
}

/* Calls launch(shape, grid) with the shape for the size of the input. A thread loads one pack an
 * iteration as long as there is no more than that for it to do, and more where there is. Tuned on
 * an H200. */
template <typename Launch>
static void with_shape_by_size(const struct reduction *call, unsigned pack, Launch launch)
{
    const size_t packs = call->n / pack;
    const size_t wave = (size_t)call->multiprocessors * 1024; /* packs: one for each thread */

    if (call->n <= 4096 * (size_t)pack)
        with_shape<1024, 4>(call, pack, 1, launch); /* a single block: no ticket */
    else if (packs <= wave / 4)
        with_shape<256, 1>(call, pack, 1, launch);
    else if (packs <= 2 * wave)
        with_shape<1024, 1>(call, pack, 1, launch);
    else if (packs <= 16 * wave)
        with_shape<1024, 2>(call, pack, 2, launch);
    else
        with_shape<1024, 4>(call, pack, 2, launch);
}

#endif

/* Step 06: chooses the shape of a launch by the size of its input. Each reduction includes this
 * file after kernel/reduce.cuh. */

/* Threads per block, packs that a thread loads per iteration, and number of blocks. */
struct shape {
    unsigned threads, loads, blocks;
};

/* As many blocks as there is work for, but at most `resident` per SM. */
static struct shape shape_of(const struct reduction *call, unsigned threads, unsigned loads,
                             unsigned resident)
{
    const struct shape shape = {threads, loads,
                                reduction_grid(call, threads * loads * PACK, resident)};
    return shape;
}

/* A small input has a single block. In larger grids a thread loads one pack per iteration if
 * it has one or two in all, and otherwise several. Tuned on an H200. */
static struct shape shape_for_size(const struct reduction *call)
{
    const size_t packs = call->n / PACK;
    const size_t wave = (size_t)call->multiprocessors * 1024; /* packs: one per thread */

    if (call->n <= 4096 * (size_t)PACK)
        return shape_of(call, 1024, 4, 1); /* a single block: no ticket */
    if (packs <= wave / 4)
        return shape_of(call, 256, 1, 1);
    if (packs <= 2 * wave)
        return shape_of(call, 1024, 1, 1);
    if (packs <= 16 * wave)
        return shape_of(call, 1024, 2, 2);
    return shape_of(call, 1024, 4, 2);
}
/* SPDX-License-Identifier: MIT */

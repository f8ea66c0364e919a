/* Programs written for a GPU may launch a kernel 1,000 times on a million elements. Checking all of
 * that would take an hour. So there is a limit for all checks together, and a share of it per
 * kernel. Once both are used up, the rest of the kernel runs unchecked: the following blocks and
 * launches. A note says so. From then on all memory counts as written, because unchecked code may
 * have written it.
 *
 * The limit is processor time, over all processes that run blocks. So a busy machine or a pause
 * does not change which blocks are checked. The blocks at the ends of the grid run first, because a
 * missing bounds check shows there. Their check ignores the limit, once per launch shape.
 *
 * There is no limit if the user sets one of the variables in seconds_of_checks(), unless
 * SIMT_CHECK_SECONDS sets one. */
#include "api/enough.h"

#include <stdio.h>

#include "base/setting.h"
#include "base/worker.h"
#include "check/kept.h"
#include "machine/blocks.h"
#include "machine/machine.h"
#include "machine/reports.h"
#include "machine/workers.h"

enum { MOST_KERNELS = 64, MOST_SHAPES = 8, USUAL_SECONDS = 10, KERNELS_SHARE = 10 };

static struct kernel {
    void (*invoke)(void *closure);
    const void *function;
    double seconds; /* of its checks so far */
    struct {
        struct uint3 grid, block;
    } shapes[MOST_SHAPES]; /* shapes of its launches */
    size_t shape_count;
    bool is_told;
} kernels[MOST_KERNELS], *kernel;
static size_t kernel_count;
static double limit = -1, seconds, began;
static bool ends_early, only_ends;

/* The limit in seconds; 0 means no limit. */
static double seconds_of_checks(void)
{
    static const char *const variables[] = {"SIMT_CHECKS", "SIMT_COUNTERS", "SIMT_EXPLORE",
                                            "SIMT_FINDINGS", "SIMT_REQUESTS"};
    double usual = USUAL_SECONDS;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        usual = simt_asked(variables[i]) ? 0 : usual;
    }
    return simt_setting("SIMT_CHECK_SECONDS", usual);
}

static struct kernel *find_kernel(const struct simt_launch *launch)
{
    for (size_t i = 0; i < kernel_count; i++) {
        if (launch->function ? kernels[i].function == launch->function
                             : kernels[i].invoke == launch->invoke) {
            return &kernels[i];
        }
    }
    if (kernel_count == MOST_KERNELS) {
        return NULL;
    }
    kernels[kernel_count] = (struct kernel){.invoke = launch->invoke, .function = launch->function};
    return &kernels[kernel_count++];
}

static bool is_same(struct uint3 a, struct uint3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Whether this is the first launch of this shape. Remembers the shape. */
static bool is_new_shape(const struct simt_launch *launch)
{
    size_t i = 0;
    while (i < kernel->shape_count && !(is_same(kernel->shapes[i].grid, launch->grid) &&
                                        is_same(kernel->shapes[i].block, launch->block))) {
        i++;
    }
    if (i < kernel->shape_count || i == MOST_SHAPES) {
        return false;
    }
    kernel->shapes[i].grid = launch->grid;
    kernel->shapes[i].block = launch->block;
    kernel->shape_count++;
    return true;
}

/* `more`: seconds that are not yet in the sums. */
static bool is_enough(double more)
{
    return kernel && seconds + more > limit && kernel->seconds + more > limit / KERNELS_SHARE;
}

static void tell(void)
{
    if (kernel->is_told) {
        return;
    }
    kernel->is_told = true;
    fflush(stdout);
    fputs("simt: note: kernel ", stderr);
    simt_tell_launch(stderr);
    fprintf(stderr,
            " has been checked for %.1f s: what is left of it runs without checks "
            "(SIMT_CHECKS=stop: all is checked)\n",
            kernel->seconds);
}

bool simt_enough_start_launch(const struct simt_launch *launch)
{
    const struct uint3 cluster = launch->cluster;
    if (limit < 0) {
        limit = seconds_of_checks();
    }
    kernel = limit > 0 && !launch->cooperative && cluster.x * cluster.y * cluster.z <= 1
                 ? find_kernel(launch)
                 : NULL;
    if (!kernel) {
        return false;
    }
    only_ends = is_enough(0);
    ends_early = false;
    if (!is_new_shape(launch) && only_ends) {
        tell();
        kernel = NULL;
        return true;
    }
    simt_ends_first();
    began = simt_work_seconds();
    return false;
}

bool simt_enough(void)
{
    if (!kernel || ends_early || simt_grid.started < simt_grid.ends ||
        simt_grid.started == simt_grid.blocks) {
        return ends_early;
    }
    ends_early = only_ends || is_enough(simt_work_seconds() - began);
    if (ends_early) {
        simt_add_unchecked(simt_grid.launch, simt_grid.blocks - simt_grid.started);
    }
    return ends_early;
}

void simt_enough_end_launch(void)
{
    if (kernel && !simt_is_worker) {
        const double taken = simt_work_seconds() - began;
        seconds += taken;
        kernel->seconds += taken;
        if (ends_early) {
            tell();
        }
        kernel = NULL;
    }
}
/* SPDX-License-Identifier: MIT */

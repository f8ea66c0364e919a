/* Programs made for a GPU may launch a kernel a thousand times on a million elements: its checks
 * would take an hour. So once they have taken a while in all, a kernel that has had its share of
 * that runs without, from the next launch on or from the next block; and that is said. From then on
 * all memory counts as written, since what is not looked at may have.
 *
 * What counts is processor time, in all processes that run blocks: a busy machine, or a program
 * that was stopped, has the same blocks checked. The blocks at the ends of the grid come first,
 * since a missing comparison with the size shows there; and they are checked whatever the time,
 * once for each shape of the grid.
 *
 * Nothing is left out where SIMT_CHECKS says what to check, or somebody counts, watches or collects
 * findings. */
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
    double seconds; /* that it has been checked for */
    struct {
        struct uint3 grid, block;
    } shapes[MOST_SHAPES]; /* of its launches */
    size_t shape_count;
    bool is_told;
} kernels[MOST_KERNELS], *kernel;
static size_t kernel_count;
static double limit = -1, seconds, began;
static bool ends_early, only_ends;

/* How long to check, or 0: as long as it takes. */
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

/* A launch of this shape has not been looked at. */
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

/* Of which `more` have not been added up yet. */
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

/* Programs made for a GPU may launch a kernel a thousand times on a million elements: its checks
 * would take an hour, and hardly find what the first seconds have not shown. So once they have
 * taken a while in all, a kernel that has had its share of that runs without, from the next launch
 * on or from the next block; and that is said. From then on all memory counts as written, since
 * what is not looked at may have.
 *
 * Nothing is left out where SIMT_CHECKS says what to check, or somebody counts, watches or collects
 * findings. */
#include "api/enough.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/host.h"
#include "base/setting.h"
#include "base/worker.h"
#include "machine/machine.h"
#include "machine/reports.h"

enum { MOST_KERNELS = 64, USUAL_SECONDS = 10, KERNELS_SHARE = 10 };

static struct kernel {
    void (*invoke)(void *closure);
    const void *function;
    double seconds; /* that it has been checked for */
    bool is_told;
} kernels[MOST_KERNELS], *kernel;
static size_t kernel_count;
static double limit = -1, seconds, began;
static bool ends_early;

/* How long to check, or 0: as long as it takes. */
static double seconds_of_checks(void)
{
    static const char *const variables[] = {"SIMT_CHECKS", "SIMT_COUNTERS", "SIMT_EXPLORE",
                                            "SIMT_FINDINGS"};
    double usual = USUAL_SECONDS;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        usual = getenv(variables[i]) ? 0 : usual;
    }
    return simt_setting("SIMT_CHECK_SECONDS", "a number of seconds, 0 for no limit", usual);
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
            " has been checked for %.2g s: what is left of it runs without checks "
            "(SIMT_CHECKS=stop: all is checked)\n",
            kernel->seconds);
}

bool simt_enough_start_launch(const struct simt_launch *launch)
{
    if (limit < 0) {
        limit = seconds_of_checks();
    }
    kernel = limit > 0 && !launch->cooperative ? find_kernel(launch) : NULL;
    ends_early = false;
    began = simt_seconds();
    if (is_enough(0)) {
        tell();
        kernel = NULL;
        return true;
    }
    return false;
}

bool simt_enough(void)
{
    ends_early = is_enough(kernel ? simt_seconds() - began : 0);
    return ends_early;
}

void simt_enough_end_launch(void)
{
    if (kernel && !simt_is_worker) {
        const double taken = simt_seconds() - began;
        seconds += taken;
        kernel->seconds += taken;
        if (ends_early) {
            tell();
        }
        kernel = NULL;
    }
}

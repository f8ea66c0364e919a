/* setmaxnreg: how many registers a warpgroup's threads have. How many the kernel was compiled for is
 * not known here; at most, it is what the threads of the block can have at the same time. */
#include <stdio.h>

#include "base/exit.h"
#include "machine/ptx.h"
#include "machine/reports.h"

enum { REGISTERS = 65536, MOST = 256, UNIT = 8 };

static unsigned int most_at_launch(void)
{
    unsigned int most = REGISTERS / (simt_grid.warps * SIMT_WARP_SIZE) / UNIT * UNIT;
    return most < MOST ? most : MOST;
}

void simt_set_registers(unsigned int count, bool more, const char *file, int line)
{
    struct simt_wgmmas *warp = simt_wgmmas_of(simt_linear(simt_current) / SIMT_WARP_SIZE);
    const unsigned int had = warp->most_registers ? warp->most_registers : most_at_launch();
    const char *wrong = count < 24 || count > MOST || count % UNIT != 0
                            ? "it takes 24 to 256, a multiple of 8"
                        : !more && count > had ? "setmaxnreg.dec, and the thread has fewer"
                        : more && warp->most_registers && count < had
                            ? "setmaxnreg.inc, and the thread has more"
                            : NULL;
    if (wrong) {
        simt_report_place();
        fprintf(stderr, ": setmaxnreg at %s:%d: %u registers: %s\n", file, line, count, wrong);
        simt_exit();
    }
    warp->most_registers = count;
    warp->registers_file = file;
    warp->registers_line = line;
}

/* All warps of a group do it; and what one is given, others have given back. */
void simt_registers_block_ended(void)
{
    const struct simt_wgmmas *last = NULL;
    unsigned int sum = 0, most = most_at_launch() * simt_grid.warps;
    for (unsigned int i = 0; i < simt_grid.warps; i++) {
        const struct simt_wgmmas *warp = simt_block->warps[i].wgmmas;
        const struct simt_wgmmas *first = simt_block->warps[i / 4 * 4].wgmmas;
        unsigned int registers = warp ? warp->most_registers : 0;
        if (registers != (first ? first->most_registers : 0)) {
            const struct simt_wgmmas *one = registers ? warp : first;
            simt_report_block();
            fprintf(stderr,
                    ": setmaxnreg at %s:%d: warps %u and %u, of one warpgroup, end with different "
                    "numbers of registers\n",
                    one->registers_file, one->registers_line, i / 4 * 4, i);
            simt_exit();
        }
        if (!registers) {
            return; /* what these have is not known */
        }
        sum += registers;
        last = !last || registers >= last->most_registers ? warp : last;
    }
    if (sum > most) {
        simt_report_block();
        fprintf(stderr,
                ": setmaxnreg at %s:%d waits for ever: the warps ask for %u registers in all, the "
                "block has at most %u\n",
                last->registers_file, last->registers_line, sum * SIMT_WARP_SIZE,
                most * SIMT_WARP_SIZE);
        simt_exit();
    }
}

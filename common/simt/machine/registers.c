/* setmaxnreg: the number of registers per thread of a warpgroup. The number from the kernel's
 * compilation is unknown. At most, all threads of the block share all registers. */
#include <stdarg.h>
#include <stdio.h>

#include "base/exit.h"
#include "machine/ptx.h"
#include "machine/reports.h"
#include "observe/watcher.h"

enum { REGISTERS = 65536, MOST = 256, UNIT = 8 };

static unsigned int most_at_launch(void)
{
    unsigned int most = REGISTERS / (simt_grid.warps * SIMT_WARP_SIZE) / UNIT * UNIT;
    return most < MOST ? most : MOST;
}

__attribute__((format(printf, 2, 3), noreturn)) static void refuse(const struct simt_wgmmas *warp,
                                                                   const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    simt_report_block();
    fprintf(stderr, ": setmaxnreg at %s:%d", warp->registers_file, warp->registers_line);
    simt_report_caller(warp->registers_caller);
    fputs(": ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    simt_exit();
}

void simt_set_registers(unsigned int count, bool more, const char *file, int line)
{
    struct simt_wgmmas *warp = simt_wgmmas_of(simt_linear(simt_current) / SIMT_WARP_SIZE);
    const unsigned int before = warp->most_registers;
    warp->most_registers = count;
    warp->registers_file = file;
    warp->registers_line = line;
    warp->registers_caller = __builtin_return_address(0);
    if (count < 24 || count > MOST || count % UNIT != 0) {
        refuse(warp, "%u registers: it takes 24 to 256, a multiple of 8", count);
    }
    if (!more && count > (before ? before : most_at_launch())) {
        refuse(warp, "%u registers by .dec, of a thread that has at most %u", count,
               before ? before : most_at_launch());
    }
    if (more && before && count < before) {
        refuse(warp, "%u registers by .inc, of a thread that has %u", count, before);
    }
    if (simt_watched) {
        simt_watcher.deed(more ? DEED_MORE_REGISTERS : DEED_FEWER_REGISTERS, warp->registers_caller,
                          count, false);
    }
}

/* All warps of a group must do it, and the registers that some gain must come from others. */
void simt_registers_block_ended(void)
{
    const struct simt_wgmmas *last = NULL;
    unsigned int sum = 0, most = most_at_launch() * simt_grid.warps;
    for (unsigned int i = 0; i < simt_grid.warps; i++) {
        const struct simt_wgmmas *warp = simt_block->warps[i].wgmmas;
        const struct simt_wgmmas *first = simt_block->warps[i / 4 * 4].wgmmas;
        unsigned int registers = warp ? warp->most_registers : 0;
        if (registers != (first ? first->most_registers : 0)) {
            refuse(registers ? warp : first,
                   "warps %u and %u, of one warpgroup, end with different numbers of registers",
                   i / 4 * 4, i);
        }
        if (!registers) {
            return; /* unknown for this warp */
        }
        sum += registers;
        last = !last || registers >= last->most_registers ? warp : last;
    }
    if (sum > most) {
        refuse(last,
               "waits forever: the warps request %u registers in all, and the block has at most %u",
               sum * SIMT_WARP_SIZE, most * SIMT_WARP_SIZE);
    }
}
/* SPDX-License-Identifier: MIT */

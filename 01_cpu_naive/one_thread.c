/* Step 01, rung `openblas`: the library on one thread. It ignores --threads, because this step is
 * about one thread. */
#include "ladder.h"
#include "library/openblas.h"

static struct reduction on_one_thread(const struct reduction *call)
{
    struct reduction single = *call;
    single.threads = 1;
    return single;
}

void run_openblas(const struct reduction *call)
{
    const struct reduction single = on_one_thread(call);
    openblas_reduce(&single);
}

void how_openblas(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    const struct reduction single = on_one_thread(call);
    openblas_how(&single, text);
}
/* SPDX-License-Identifier: MIT */

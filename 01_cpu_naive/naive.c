/* Step 01: the loop that the definition of a dot product suggests. */
#define REDUCE_LOOPS "naive_loops.h"
#include "reduce_each.h"

void run_naive(const struct reduction *call)
{
    REDUCE_CALL(naive, call);
}

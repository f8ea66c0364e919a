#include <math.h>
#include <stdbool.h>

/* True if got counts as equal to want. bound is the largest difference allowed. */
bool is_right(double got, double want, double bound)
{
    /* ---- your work ---- */
    if (isnan(want) || isinf(want))
        return isnan(want) ? isnan(got) : got == want;
    return fabs(got - want) <= bound;
    /* ---- end of your work ---- */
}

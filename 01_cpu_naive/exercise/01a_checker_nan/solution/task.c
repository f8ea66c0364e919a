#include <math.h>
#include <stdbool.h>

/* Whether got is as near to want as it has to be. */
bool is_right(double got, double want, double bound)
{
    /* ---- your work ---- */
    if (isnan(want) || isinf(want))
        return isnan(want) ? isnan(got) : got == want;
    return fabs(got - want) <= bound;
    /* ---- end of your work ---- */
}

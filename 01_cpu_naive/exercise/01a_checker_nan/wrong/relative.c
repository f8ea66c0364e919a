#include <math.h>
#include <stdbool.h>

/* True if got counts as equal to want. bound is the largest difference allowed. */
bool is_right(double got, double want, double bound)
{
    /* ---- your work ---- */
    return fabs(got - want) / fabs(want) <= bound || got == want || (isnan(got) && isnan(want));
    /* ---- end of your work ---- */
}

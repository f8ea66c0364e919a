#include <math.h>
#include <stdbool.h>

/* True if got counts as equal to want. bound is the largest difference allowed. */
bool is_right(double got, double want, double bound)
{
    /* ---- your work ---- */
    if (fabs(got - want) > bound)
        return false;
    return true;
    /* ---- end of your work ---- */
}

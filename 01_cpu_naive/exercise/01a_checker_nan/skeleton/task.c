#include <math.h>
#include <stdbool.h>

/* Whether got is as near to want as it has to be. */
bool is_right(double got, double want, double bound)
{
    /* ---- your work ---- */
    if (fabs(got - want) > bound)
        return false;
    return true;
    /* ---- end of your work ---- */
}

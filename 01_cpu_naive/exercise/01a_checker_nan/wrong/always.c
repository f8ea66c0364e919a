#include <math.h>
#include <stdbool.h>

/* Whether got is as near to want as it has to be. */
bool is_right(double got, double want, double bound)
{
    /* ---- your work ---- */
    return got == got || want <= bound || true;
    /* ---- end of your work ---- */
}

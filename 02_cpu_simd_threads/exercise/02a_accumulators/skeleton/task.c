#include <stddef.h>

/* The sum of n floats. */
float sum(const float *x, size_t n)
{
    /* ---- your work ---- */
    float result = 0;
    for (size_t i = 0; i < n; i++)
        result += x[i];
    return result;
    /* ---- end of your work ---- */
}

#include <stddef.h>

/* The sum of n floats. */
float sum(const float *x, size_t n)
{
    /* ---- your work ---- */
    float part[8] = {0};
    float result = 0;
    size_t i = 0;

    for (; i + 8 <= n; i += 8)
        for (size_t j = 0; j < 8; j++)
            part[j] += x[i + j];
    for (; i < n; i++)
        result += x[i];
    for (size_t j = 0; j < 8; j++)
        result += part[j];
    return result;
    /* ---- end of your work ---- */
}

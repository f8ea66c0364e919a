#include <stddef.h>

/* The sum of n floats. */
float sum(const float *x, size_t n)
{
    /* ---- your work ---- */
    float part[8] = {0};

    for (size_t i = 0; i + 8 <= n; i += 8)
        for (size_t j = 0; j < 8; j++)
            part[j] += x[i + j];
    return ((part[0] + part[1]) + (part[2] + part[3])) +
           ((part[4] + part[5]) + (part[6] + part[7]));
    /* ---- end of your work ---- */
}

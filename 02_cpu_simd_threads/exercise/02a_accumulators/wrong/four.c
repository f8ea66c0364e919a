#include <stddef.h>

/* The sum of n floats. */
float sum(const float *x, size_t n)
{
    /* ---- your work ---- */
    float a = 0, b = 0, c = 0, d = 0;
    size_t i = 0;

    for (; i + 4 <= n; i += 4) {
        a += x[i];
        b += x[i + 1];
        c += x[i + 2];
        d += x[i + 3];
    }
    for (; i < n; i++)
        a += x[i];
    return (a + b) + (c + d);
    /* ---- end of your work ---- */
}

// Part of odds_and_ends.cu.
#include "odds_and_ends.cuh"

void otherFile(float *p)
{
    fromHeader<float><<<1, 32, 32 * sizeof(float)>>>(p);
    launchFromHeader(p);
}

// Part of odds_and_ends.cu.
#include "odds_and_ends.cuh"

const int warpSize = 32; // hides CUDA's warpSize

void otherFile(float *p)
{
    fromHeader<float><<<1, warpSize, warpSize * sizeof(float)>>>(p);
    launchFromHeader(p);
}

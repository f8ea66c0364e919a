/* Stands in for cudnn.c where cuDNN is not part of the build. */
#include "library/gpu_libraries.h"

const char *cudnn_unavailable(void)
{
#ifdef RUNGS_SIMT
    return "needs the cuda back end";
#else
    return "built without cuDNN (9 or later)";
#endif
}

const char *cudnn_declines(const struct conv *call)
{
    (void)call;
    return NULL;
}

void cudnn_prepare(const struct conv *call)
{
    (void)call;
}

void cudnn_convolve(const struct conv *call)
{
    (void)call;
}

void cudnn_how(const struct conv *call, char text[RUNG_HOW_SIZE])
{
    (void)call;
    text[0] = '\0';
}

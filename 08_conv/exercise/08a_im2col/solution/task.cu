#include <cuda_runtime.h>

enum { BLOCK = 128 };

/* A convolution of one image: `channels` planes of height x width, a window of window_height x
 * window_width. Output pixel (oy, ox) sees input pixel (oy * stride - padding + r * dilation, and
 * likewise for x) through place (r, s) of the window; outside of the image the input is 0. */
struct shape {
    int channels, height, width, window_height, window_width, stride, padding, dilation;
    int out_height, out_width;
};

/* matrix[(c, r, s)][p] = the input that output pixel p sees in channel c through place (r, s) of
 * the window. */
__global__ void fill(const float *in, float *matrix, struct shape shape)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    const int pixels = shape.out_height * shape.out_width;

    if (p >= pixels)
        return;
    for (int c = 0; c < shape.channels; c++)
        for (int r = 0; r < shape.window_height; r++)
            for (int s = 0; s < shape.window_width; s++) {
                /* ---- your work ---- */
                const int y =
                    p / shape.out_width * shape.stride - shape.padding + r * shape.dilation;
                const int x =
                    p % shape.out_width * shape.stride - shape.padding + s * shape.dilation;
                const bool inside = y >= 0 && y < shape.height && x >= 0 && x < shape.width;
                const int row = (c * shape.window_height + r) * shape.window_width + s;
                matrix[row * pixels + p] =
                    inside ? in[(c * shape.height + y) * shape.width + x] : 0;
                /* ---- end of your work ---- */
            }
}

extern "C" void im2col(const float *in, float *matrix, const struct shape *shape)
{
    const int pixels = shape->out_height * shape->out_width;
    fill<<<(pixels + BLOCK - 1) / BLOCK, BLOCK>>>(in, matrix, *shape);
}

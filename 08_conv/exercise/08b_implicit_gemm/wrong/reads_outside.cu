#include <cuda_runtime.h>

enum { TILE = 16 };

/* A convolution of one image: `channels` planes of height x width, a window of window_height x
 * window_width. Output pixel (oy, ox) sees input pixel (oy * stride - padding + r * dilation, and
 * likewise for x) through place (r, s) of the window; outside of the image the input is 0. */
struct shape {
    int channels, height, width, window_height, window_width, stride, padding, dilation;
    int out_height, out_width;
};

/* Element (k, p) of the patch matrix. */
__device__ float patch(const float *in, const struct shape &shape, int k, int p)
{
    /* ---- your work ---- */
    const int s = k % shape.window_width;
    const int r = k / shape.window_width % shape.window_height;
    const int c = k / shape.window_width / shape.window_height;
    const int ox = p % shape.out_width;
    const int oy = p / shape.out_width % shape.out_height;
    const int image = p / shape.out_width / shape.out_height;
    const int y = oy * shape.stride - shape.padding + r * shape.dilation;
    const int x = ox * shape.stride - shape.padding + s * shape.dilation;
    const volatile float *const all = in;
    const float value = all[((image * shape.channels + c) * shape.height + y) * shape.width + x];

    if (y < 0 || y >= shape.height || x < 0 || x >= shape.width)
        return 0;
    return value;
    /* ---- end of your work ---- */
}

/* out[f][p] = the sum over k of weights[f][k] * patch(k, p), by tiles. */
__global__ void multiply(const float *in, const float *weights, float *out, int filters, int rows,
                         int pixels, struct shape shape)
{
    __shared__ float tile_w[TILE][TILE], tile_p[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int f = blockIdx.y * TILE + y, p = blockIdx.x * TILE + x;
    float sum = 0;

    for (int first = 0; first < rows; first += TILE) {
        tile_w[y][x] = f < filters && first + x < rows ? weights[f * rows + first + x] : 0;
        tile_p[y][x] = first + y < rows && p < pixels ? patch(in, shape, first + y, p) : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += tile_w[y][k] * tile_p[k][x];
        __syncthreads();
    }
    if (f < filters && p < pixels)
        out[f * pixels + p] = sum;
}

extern "C" void convolve(const float *in, const float *weights, float *out, int images, int filters,
                         const struct shape *shape)
{
    const int pixels = images * shape->out_height * shape->out_width;
    const int rows = shape->channels * shape->window_height * shape->window_width;
    const dim3 grid((pixels + TILE - 1) / TILE, (filters + TILE - 1) / TILE);
    multiply<<<grid, dim3(TILE, TILE)>>>(in, weights, out, filters, rows, pixels, *shape);
}

/* The one-dimensional transforms of F(2, 3), F(4, 3) and F(4, 5): two or four outputs from four,
 * six or eight inputs (winograd/parts/bound.h has the matrices). In two dimensions they are applied
 * to columns, then to rows. Numbers are `step` apart. */
#ifndef WINOGRAD_TRANSFORMS_CUH
#define WINOGRAD_TRANSFORMS_CUH

#include "parts/conv_device.cuh"

/* TILE outputs of a filter of SIDE taps. */
template <unsigned TILE, unsigned SIDE>
struct winograd;

template <>
struct winograd<2, 3> {
    static const unsigned PATCH = 4;

    /* d = B^T d */
    static __device__ void input(float *d, unsigned step)
    {
        const float d1 = d[step], d2 = d[2 * step];

        d[0] -= d2;
        d[step] = d1 + d2;
        d[2 * step] = d2 - d1;
        d[3 * step] = d1 - d[3 * step];
    }

    /* to = A^T m */
    static __device__ void output(const float *m, unsigned step, float *to)
    {
        to[0] = m[0] + m[step] + m[2 * step];
        to[1] = m[step] - m[2 * step] - m[3 * step];
    }

    /* to = G g */
    static __device__ void filter(const float *g, unsigned step, float *to)
    {
        const float ends = 0.5F * (g[0] + g[2 * step]), middle = 0.5F * g[step];

        to[0] = g[0];
        to[1] = ends + middle;
        to[2] = ends - middle;
        to[3] = g[2 * step];
    }
};

template <>
struct winograd<4, 3> {
    static const unsigned PATCH = 6;

    static __device__ void input(float *d, unsigned step)
    {
        const float d0 = d[0], d1 = d[step], d2 = d[2 * step];
        const float d3 = d[3 * step], d4 = d[4 * step], d5 = d[5 * step];
        const float even = d4 - 4 * d2, odd = d3 - 4 * d1;
        const float even2 = d4 - d2, odd2 = 2 * (d3 - d1);

        d[0] = 4 * d0 - 5 * d2 + d4;
        d[step] = even + odd;
        d[2 * step] = even - odd;
        d[3 * step] = even2 + odd2;
        d[4 * step] = even2 - odd2;
        d[5 * step] = 4 * d1 - 5 * d3 + d5;
    }

    static __device__ void output(const float *m, unsigned step, float *to)
    {
        const float sum = m[step] + m[2 * step], difference = m[step] - m[2 * step];
        const float sum2 = m[3 * step] + m[4 * step], difference2 = m[3 * step] - m[4 * step];

        to[0] = m[0] + sum + sum2;
        to[1] = difference + 2 * difference2;
        to[2] = sum + 4 * sum2;
        to[3] = difference + 8 * difference2 + m[5 * step];
    }

    static __device__ void filter(const float *g, unsigned step, float *to)
    {
        const float outer = (g[0] + g[2 * step]) * (1.0F / 6), inner = g[step] * (1.0F / 6);
        const float ends = g[0] * (1.0F / 24) + g[2 * step] * (1.0F / 6);
        const float middle = g[step] * (1.0F / 12);

        to[0] = g[0] * 0.25F;
        to[1] = -outer - inner;
        to[2] = inner - outer;
        to[3] = ends + middle;
        to[4] = ends - middle;
        to[5] = g[2 * step];
    }
};

template <>
struct winograd<4, 5> {
    static const unsigned PATCH = 8;

    static __device__ void input(float *d, unsigned step)
    {
        const float d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step];
        const float d4 = d[4 * step], d5 = d[5 * step], d6 = d[6 * step], d7 = d[7 * step];
        const float even = d2 + d6 - 4.25F * d4, odd = d1 + d5 - 4.25F * d3;
        const float even2 = d6 + 0.25F * d2 - 1.25F * d4, odd2 = 0.5F * d1 + 2 * d5 - 2.5F * d3;
        const float even3 = d6 + 4 * d2 - 5 * d4, odd3 = 2 * d1 + 0.5F * d5 - 2.5F * d3;

        d[0] = d0 - d6 + 5.25F * (d4 - d2);
        d[step] = even + odd;
        d[2 * step] = even - odd;
        d[3 * step] = even2 + odd2;
        d[4 * step] = even2 - odd2;
        d[5 * step] = even3 + odd3;
        d[6 * step] = even3 - odd3;
        d[7 * step] = d7 - d1 + 5.25F * (d3 - d5);
    }

    static __device__ void output(const float *m, unsigned step, float *to)
    {
        const float sum = m[step] + m[2 * step], difference = m[step] - m[2 * step];
        const float sum2 = m[3 * step] + m[4 * step], difference2 = m[3 * step] - m[4 * step];
        const float sum3 = m[5 * step] + m[6 * step], difference3 = m[5 * step] - m[6 * step];

        to[0] = m[0] + sum + sum2 + sum3;
        to[1] = difference + 2 * difference2 + 0.5F * difference3;
        to[2] = sum + 4 * sum2 + 0.25F * sum3;
        to[3] = difference + 8 * difference2 + 0.125F * difference3 + m[7 * step];
    }

    static __device__ void filter(const float *g, unsigned step, float *to)
    {
        const float g0 = g[0], g1 = g[step], g2 = g[2 * step], g3 = g[3 * step], g4 = g[4 * step];
        const float even = (g0 + g2 + g4) * (2.0F / 9), odd = (g1 + g3) * (2.0F / 9);
        const float even2 = (g0 + 4 * g2 + 16 * g4) * (1.0F / 90);
        const float odd2 = (2 * g1 + 8 * g3) * (1.0F / 90);
        const float even3 = (g0 + 0.25F * g2 + 0.0625F * g4) * (32.0F / 45);
        const float odd3 = (0.5F * g1 + 0.125F * g3) * (32.0F / 45);

        to[0] = g0;
        to[1] = -even - odd;
        to[2] = odd - even;
        to[3] = even2 + odd2;
        to[4] = even2 - odd2;
        to[5] = even3 + odd3;
        to[6] = even3 - odd3;
        to[7] = g4;
    }
};

/* The coordinates of a tile: those of its first output. */
struct tile_coord {
    unsigned batch, y, x;
};

/* In two dimensions, in place: columns, then rows. */
template <unsigned TILE, unsigned SIDE>
static __device__ void transform_patch(float *patch)
{
    constexpr unsigned PATCH = winograd<TILE, SIDE>::PATCH;

#pragma unroll
    for (unsigned s = 0; s < PATCH; s++)
        winograd<TILE, SIDE>::input(patch + s, PATCH);
#pragma unroll
    for (unsigned r = 0; r < PATCH; r++)
        winograd<TILE, SIDE>::input(patch + PATCH * r, 1);
}

/* Transforms a tile's products `m`, and stores the outputs that are inside the plane, an image's
 * outputs for one filter. The tile begins at (y, x). DILATED: its outputs are `dilation` apart. */
template <unsigned TILE, unsigned SIDE, bool DILATED>
static __device__ void store_outputs(const float *m, const struct conv &call, size_t plane,
                                     unsigned y, unsigned x)
{
    constexpr unsigned PATCH = winograd<TILE, SIDE>::PATCH;
    const unsigned width = (unsigned)call.out_width, height = (unsigned)call.out_height;
    const unsigned apart = DILATED ? (unsigned)call.dilation : 1;
    const bool vectors =
        TILE == 4 && !DILATED && width % 4 == 0 && (size_t)call.output % sizeof(float4) == 0;
    const bool pairs = !DILATED && width % 2 == 0 && (size_t)call.output % sizeof(float2) == 0;
    float half[PATCH][TILE];

#pragma unroll
    for (unsigned s = 0; s < PATCH; s++)
        winograd<TILE, SIDE>::output(m + s, PATCH, half[s]);
    float *to = call.output + (plane * height + y) * width + x;
#pragma unroll
    for (unsigned r = 0; r < TILE; r++, to += (size_t)apart * width) {
        float row[PATCH], out[TILE];
#pragma unroll
        for (unsigned s = 0; s < PATCH; s++)
            row[s] = half[s][r];
        winograd<TILE, SIDE>::output(row, 1, out);
        if (y + r * apart >= height)
            continue;
        if (vectors) {
            store4(to, out);
            continue;
        }
#pragma unroll
        for (unsigned s = 0; s < TILE; s += 2)
            if (pairs && x + s < width) {
                store2(to + s, out[s], out[s + 1]);
            } else {
                if (x + s * apart < width)
                    to[s * apart] = out[s];
                if (x + (s + 1) * apart < width)
                    to[(s + 1) * apart] = out[s + 1];
            }
    }
}

/* All components of the filter g of one channel. */
template <unsigned TILE, unsigned SIDE>
static __device__ void transform_filter(const float *g, float *components)
{
    constexpr unsigned PATCH = winograd<TILE, SIDE>::PATCH;
    float half[SIDE][PATCH], row[SIDE];

    for (unsigned s = 0; s < SIDE; s++)
        winograd<TILE, SIDE>::filter(g + s, SIDE, half[s]);
    for (unsigned r = 0; r < PATCH; r++) {
        for (unsigned s = 0; s < SIDE; s++)
            row[s] = half[s][r];
        winograd<TILE, SIDE>::filter(row, 1, components + PATCH * r);
    }
}

#endif
/* SPDX-License-Identifier: MIT */

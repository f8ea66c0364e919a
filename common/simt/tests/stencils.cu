// Stencils in three dimensions that keep planes in registers and one plane, or two, in shared
// memory: each way right, and with the barrier missing that is easily left out.
#include "cases.cuh"

#include <cooperative_groups.h>
#include <cuda_pipeline_primitives.h>

namespace cg = cooperative_groups;

static const int TX = 16, TY = 8, TILE = TX * TY, NX = 2 * (TX - 2) + 2, NY = 2 * (TY - 2) + 2,
                 NZ = 9, PLANE = NX * NY;

// Tiles overlap by what their edges only lend to the cells within.
struct Cell {
    int t, at;
    bool inner;
};
__device__ static Cell cell()
{
    const int x = blockIdx.x * (TX - 2) + threadIdx.x, y = blockIdx.y * (TY - 2) + threadIdx.y;
    return {(int)(threadIdx.y * TX + threadIdx.x), y * NX + x,
            threadIdx.x > 0 && threadIdx.x < TX - 1 && threadIdx.y > 0 && threadIdx.y < TY - 1};
}

__device__ static float around(const float *s, int t)
{
    s += t;
    return s[-1] + s[1] + s[-TX] + s[TX]; // FAULT one_buffer early_shift short_ring early_step
}

// The plane moves through shared memory: from there it goes into a register, and the next one takes
// its place. All must have read it by then, and must not read the next one before it is whole.
template <bool READ, bool WHOLE>
__device__ void shift_through(const float *in, float *out)
{
    __shared__ float s[TILE];
    const Cell c = cell();
    float behind = in[c.at];
    s[c.t] = in[PLANE + c.at];
    __syncthreads();
    for (int z = 1; z < NZ - 1; z++) {
        const float ahead = in[(z + 1) * PLANE + c.at];
        if (c.inner)
            out[z * PLANE + c.at] = ahead + behind + around(s, c.t) - 6 * s[c.t];
        if (READ)
            __syncthreads();
        behind = s[c.t];
        s[c.t] = ahead; // FAULT early_shift
        if (WHOLE)
            __syncthreads();
    }
}

__global__ void ok_shifted(const float *in, float *out)
{
    shift_through<true, true>(in, out);
}

__global__ void early_shift(const float *in, float *out)
{
    shift_through<false, true>(in, out);
}

// With two buffers, one barrier a plane will do; with one it will not.
template <int BUFFERS>
__device__ void take_turns(const float *in, float *out)
{
    __shared__ float s[BUFFERS][TILE];
    const Cell c = cell();
    float behind = in[c.at], here = in[PLANE + c.at];
    for (int z = 1; z < NZ - 1; z++) {
        const float ahead = in[(z + 1) * PLANE + c.at];
        s[z % BUFFERS][c.t] = here; // FAULT one_buffer
        __syncthreads();
        if (c.inner)
            out[z * PLANE + c.at] = ahead + behind + around(s[z % BUFFERS], c.t) - 6 * here;
        behind = here;
        here = ahead;
    }
}

__global__ void ok_two_buffers(const float *in, float *out)
{
    take_turns<2>(in, out);
}

__global__ void one_buffer(const float *in, float *out)
{
    take_turns<1>(in, out);
}

// As in finite differences: several planes before and behind in registers, shared memory for the
// current one and its halo, which the first threads bring.
template <bool BEFORE>
__device__ void differences(const float *in, float *out)
{
    const int RADIUS = 2, PITCH = TX + 2 * RADIUS, STRIDE = 64, SLICE = 64 * 32;
    __shared__ float tile[TY + 2 * RADIUS][PITCH];
    const int tx = threadIdx.x + RADIUS, ty = threadIdx.y + RADIUS;
    const cg::thread_block block = cg::this_thread_block();
    int at = (blockIdx.y * TY + ty) * STRIDE + blockIdx.x * TX + tx;
    float ahead[RADIUS], behind[RADIUS], here;
    behind[0] = in[at];
    here = in[at + SLICE];
    for (int i = 0; i < RADIUS; i++)
        ahead[i] = in[at + (2 + i) * SLICE];
    at += SLICE;
    for (int z = 0; z < NZ - 5; z++) {
        behind[1] = behind[0];
        behind[0] = here;
        here = ahead[0];
        ahead[0] = ahead[1];
        at += SLICE;
        ahead[1] = in[at + 2 * SLICE];
        if (BEFORE)
            cg::sync(block);
        if (threadIdx.y < RADIUS) {
            tile[threadIdx.y][tx] = in[at - RADIUS * STRIDE]; // FAULT halo_in_use
            tile[ty + TY][tx] = in[at + TY * STRIDE];
        }
        if (threadIdx.x < RADIUS) {
            tile[ty][threadIdx.x] = in[at - RADIUS];
            tile[ty][tx + TX] = in[at + TX];
        }
        tile[ty][tx] = here;
        block.sync();
        const float *const p = &tile[ty][tx];
        float sum = 6 * here;
        for (int i = 1; i <= RADIUS; i++) {
            sum += (ahead[i - 1] + behind[i - 1]) / (1 + i);
            sum += (p[-i] + p[i] + p[-i * PITCH] + p[i * PITCH]) / (1 + i); // FAULT halo_in_use
        }
        out[at] = sum;
    }
}

__global__ void ok_differences(const float *in, float *out)
{
    differences<true>(in, out);
}

__global__ void halo_in_use(const float *in, float *out)
{
    differences<false>(in, out);
}

// Three planes in shared memory, whose places change; the next one is on its way meanwhile.
template <int PLANES>
__device__ void ring(const float *in, float *out)
{
    __shared__ float s[PLANES][TILE];
    const Cell c = cell();
    for (int z = 0; z < 2; z++)
        s[z][c.t] = in[z * PLANE + c.at];
    for (int z = 1; z < NZ - 1; z++) {
        float *const next = &s[(z + 1) % PLANES][c.t];
        __pipeline_memcpy_async(next, &in[(z + 1) * PLANE + c.at], 4); // FAULT short_ring
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        const float *const here = s[z % PLANES], *const behind = s[(z + PLANES - 1) % PLANES];
        if (c.inner)
            out[z * PLANE + c.at] = *next + behind[c.t] + around(here, c.t);
    }
}

__global__ void ok_ring(const float *in, float *out)
{
    ring<3>(in, out);
}

__global__ void short_ring(const float *in, float *out)
{
    ring<2>(in, out);
}

// Several steps in time of a tile, in place: what a step made of its neighbours goes back when all
// have read theirs, and what is at the edge is left out more and more.
template <bool READ>
__device__ void steps(const float *in, float *out)
{
    __shared__ float s[TILE];
    const Cell c = cell();
    float mine = in[c.at];
    for (int step = 0; step < 3; step++) {
        const bool inner = (int)threadIdx.x > step && (int)threadIdx.x < TX - 1 - step &&
                           (int)threadIdx.y > step && (int)threadIdx.y < TY - 1 - step;
        s[c.t] = mine; // FAULT early_step
        __syncthreads();
        if (inner)
            mine = mine / 2 + around(s, c.t) / 8;
        if (READ)
            __syncthreads();
    }
    out[c.at] = mine;
}

__global__ void ok_steps(const float *in, float *out)
{
    steps<true>(in, out + blockIdx.y * gridDim.x * PLANE + blockIdx.x * PLANE);
}

__global__ void early_step(const float *in, float *out)
{
    steps<false>(in, out + blockIdx.y * gridDim.x * PLANE + blockIdx.x * PLANE);
}

// ---- which is run how ---------------------------------------------------------------------------

static float *in, *out;
static const dim3 blocks(2, 2), threads(TX, TY);

static const Case cases[] = {
    {"ok_shifted", "", [] { ok_shifted<<<blocks, threads>>>(in, out); }},
    {"early_shift", "data race in shared", [] { early_shift<<<blocks, threads>>>(in, out); }},
    {"ok_two_buffers", "", [] { ok_two_buffers<<<blocks, threads>>>(in, out); }},
    {"one_buffer", "data race in shared", [] { one_buffer<<<blocks, threads>>>(in, out); }},
    {"ok_differences", "", [] { ok_differences<<<blocks, threads>>>(in, out); }},
    {"halo_in_use", "data race in shared", [] { halo_in_use<<<blocks, threads>>>(in, out); }},
    {"ok_ring", "", [] { ok_ring<<<blocks, threads>>>(in, out); }},
    {"short_ring", "in shared memory", [] { short_ring<<<blocks, threads>>>(in, out); }},
    {"ok_steps", "", [] { ok_steps<<<blocks, threads>>>(in, out); }},
    {"early_step", "data race in shared", [] { early_step<<<blocks, threads>>>(in, out); }},
};

int main(int count, char **arguments)
{
    in = zeros<float>(64 * 32 * (NZ + 1) * sizeof(float));
    out = zeros<float>(64 * 32 * (NZ + 1) * sizeof(float));
    return run_case(cases, count, arguments);
}

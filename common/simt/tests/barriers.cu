// Barriers that only some threads of a block reach, and pointers to other threads' local variables.
#include <cooperative_groups.h>

#include "cases.cuh"

namespace cg = cooperative_groups;

// Between arrive and wait, a thread may do work that no other thread needs, such as writing `late`.
template <bool early>
__global__ void two_steps(float *o, const float *a)
{
    __shared__ float s[256], late[256];
    const cg::thread_block block = cg::this_thread_block();
    const int t = threadIdx.x;
    s[t] = a[t];
    auto token = block.barrier_arrive();
    (early ? s : late)[t] = 2; // FAULT two_steps
    block.barrier_wait(std::move(token));
    o[t] = s[255 - t]; // FAULT two_steps
    block.barrier_arrive();
    block.barrier_wait();
    s[t] = late[255 - t];
}
template <bool early>
__global__ void two_steps_of_grid(float *o, float *a)
{
    const cg::grid_group grid = cg::this_grid();
    const int t = threadIdx.x + blockIdx.x * blockDim.x, n = blockDim.x * gridDim.x;
    a[t] = 1;
    auto token = grid.barrier_arrive();
    a[early ? t : t + n] = 2; // FAULT two_steps_of_grid
    grid.barrier_wait(std::move(token));
    o[t] = a[n - 1 - t]; // FAULT two_steps_of_grid
}
__global__ void waits_first(float *o, const float *a)
{
    cg::this_thread_block().barrier_wait(); // FAULT waits_first
}
__global__ void arrives_twice(float *o, const float *a)
{
    cg::this_thread_block().barrier_arrive();
    cg::this_thread_block().barrier_arrive(); // FAULT arrives_twice
}

template <bool FIRST>
__global__ void barrier_in_tree(float *o, const float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    if (!FIRST)
        __syncthreads();
    for (int st = 128; st; st /= 2)
        if (t < st) {
            if (FIRST)
                __syncthreads(); // FAULT barrier_first
            s[t] += s[t + st];
            if (!FIRST)
                __syncthreads(); // FAULT barrier_in_tree
        }
    if (!t)
        *o = s[0];
}
__global__ void barrier_in_if(float *o, const float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    if (t < 32) {
        s[t] += 1;
        __syncthreads(); // FAULT barrier_in_if
    }
    o[t] = s[t]; // FAULT barrier_in_if
}
__global__ void skipped_by_first(float *o, const float *a)
{
    int t = threadIdx.x;
    if (t >= 128) {
        o[t] = 1;
        __syncthreads(); // FAULT skipped_by_first
    }
    o[t] = 2; // FAULT skipped_by_first
}
__global__ void ok_early(float *o, const float *a, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    if (t >= n)
        return;
    s[t] = a[t];
    __syncthreads();
    o[t] = s[n - 1 - t];
}
__global__ void ok_loop(float *o, const float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int st = 128; st; st /= 2) {
        if (t >= st)
            return;
        s[t] += s[t + st];
        __syncthreads();
    }
    if (!t)
        *o = s[0];
}
__global__ void ok_after(float *o, const float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    for (int st = 128; st; st /= 2) {
        __syncthreads();
        if (t < st)
            s[t] += s[t + st];
        if (t >= st)
            return;
    }
    if (!t)
        *o = s[0];
}
__global__ void ok_body(float *o, const float *a, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    if (t < n) {
        s[t] = a[t];
        __syncthreads();
        o[t] = s[n - 1 - t];
    }
}
__global__ void ok_late(float *o, const float *a, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    if (t >= n) {
        o[t] = 0;
        return;
    }
    float x = s[n - 1 - t];
    __syncthreads();
    s[t] = x;
    __syncthreads();
    o[t] = s[t] + s[n - 1 - t];
}
__global__ void ok_while(float *o, const float *a)
{
    int t = threadIdx.x;
    float x = a[t];
    while (__syncthreads_or(x < 5)) {
        x += 1;
        o[t] = x;
    }
}

// The barrier is in a function that only some threads call.
__device__ __noinline__ float wait_and_read(const float *s)
{
    __syncthreads(); // FAULT barrier_in_function
    return s[0];
}

__global__ void barrier_in_function(float *o, const float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    float x = 0;
    s[t] = a[t];
    if (t < 64)
        x = wait_and_read(s);
    o[t] = x; /* or the line before: the compiler chooses where the other threads rejoin */
}

__global__ void left_by_break(float *o, const float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    for (int st = 128;; st /= 2) { // FAULT left_by_break
        if (t >= st)
            break;
        __syncthreads(); // FAULT left_by_break
        s[t] += 1;
    }
    o[t] = s[t];
}

__global__ void else_without(float *o, const float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    if (t % 2) {
        s[t] = a[t];
        __syncthreads(); // FAULT else_without
    } else {
        s[t] = -a[t];
    }
    o[t] = s[t]; // FAULT else_without
}

__global__ void ok_uniform(float *o, const float *a, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    for (int i = 0; i < n; i++)
        if (i % 2 == 0)
            __syncthreads();
        else if (t < 10)
            o[t + i] = i;
    if (n > 3) {
        __syncthreads();
        o[t] = s[255 - t];
    }
}

// The first warp produces, the others consume. Then both run to the end independently.
__global__ void ok_roles(float *o, const float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    if (t < 32) {
        for (int i = 0; i < 3; i++)
            o[t] += s[t + i];
    } else {
        float x = s[255 - t];
        __syncthreads();
        s[t] = x;
        __syncthreads();
        o[t] = s[287 - t];
    }
}

// ---- loops that threads go round a different number of times ----

__global__ void unequal_for(float *o, const float *a)
{
    __shared__ float s[256];
    float sum = 0;
    for (int i = threadIdx.x; i < 300; i += 256) { // FAULT unequal_for
        s[threadIdx.x] = a[i];
        __syncthreads(); // FAULT unequal_for
        sum += s[threadIdx.x];
    }
    o[threadIdx.x] = sum;
}

__global__ void unequal_do(float *o)
{
    int i = threadIdx.x;
    if (o)
        do { // FAULT unequal_do
            o[i] += 1;
            __syncthreads(); // FAULT unequal_do
            i += 256;
        } while (i < 300);
}

__device__ void wait_for_block()
{
    __syncthreads(); // FAULT unequal_in_function
}

__device__ float in_function(float *o, int trips)
{
    while (trips > 0) { // FAULT unequal_in_function
        o[threadIdx.x] += trips--;
        wait_for_block();
        if (o[threadIdx.x] < 0)
            break;
    }
    return o[threadIdx.x];
}

__global__ void unequal_in_function(float *o)
{
    o[threadIdx.x] = 2 * in_function(o, 2 + threadIdx.x % 2);
}

__global__ void ok_equal(float *o)
{
    for (int round = 0; round < 4; round++) {
        for (int i = threadIdx.x; i < 512; i += 256) {
            __syncthreads();
            o[i] += 1;
        }
        if (threadIdx.x == 16 * round)
            return; // before the others come back to the start of the loop
    }
    for (int i = 0; i < 2; i++)
        __syncthreads();
}

// ---- threads that leave early, in many ways ----

__global__ void ok_guard_inside(const float *a, float *o, int n)
{
    __shared__ float s[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    s[threadIdx.x] = i < n ? a[i] : 0;
    __syncthreads();
    if (i >= n)
        return;
    float v = s[63 - threadIdx.x];
    if (threadIdx.x < 32)
        v += 1;
    o[i] = v;
}

__global__ void ok_early_in_loop(float *o, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    for (int r = 0; r < 4; r++) {
        __syncthreads();
        int v = s[(threadIdx.x + 1) % 64];
        __syncthreads();
        s[threadIdx.x] = v;
        if (threadIdx.x >= 60 - r && threadIdx.x != 63) {
            o[threadIdx.x] = v;
            return;
        }
    }
    o[threadIdx.x] = s[threadIdx.x];
}

__global__ void ok_goto_end(const float *a, float *o, int n)
{
    __shared__ float s[64];
    if (threadIdx.x >= n)
        goto end;
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = s[n - 1 - threadIdx.x];
end:
    return;
}

__device__ float sum_block(const float *s, int n)
{
    float x = 0;
    for (int i = 0; i < n; i++)
        x += s[i];
    return x;
}

__global__ void ok_early_switch(const float *a, float *o, int m)
{
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    switch (m) {
    case 0:
        if (threadIdx.x > 50)
            return;
        __syncthreads();
        o[threadIdx.x] = sum_block(s, threadIdx.x < 51 ? 51 : 1);
        break;
    case 1:
        __syncthreads();
        o[threadIdx.x] = s[0];
        break;
    default:
        return;
    }
    if (threadIdx.x == 0)
        o[100] = 1;
}

__global__ void ok_two_exits(const float *a, float *o, int n)
{
    __shared__ float s[64];
    if (threadIdx.x % 7 == 3) {
        o[threadIdx.x] = -1;
        return;
    }
    if (a[threadIdx.x] > 1) {
        o[threadIdx.x] = -2;
        return;
    }
    s[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        o[0] = s[0];
        return;
    }
    o[threadIdx.x] = s[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] += 1;
}

// ---- a pointer to another thread's variable, good for nothing after a barrier either ------------

__global__ void local_of_first(float *o, const float *a)
{
    __shared__ float *p;
    float mine = a[threadIdx.x];
    if (threadIdx.x == 0)
        p = &mine;
    __syncthreads();
    o[threadIdx.x] = *p; // FAULT local_of_first
    __syncthreads();
}

__global__ void local_written(float *o, const float *a)
{
    __shared__ float *p[256];
    float mine[4] = {1, 2, 3, a[threadIdx.x]};
    p[threadIdx.x] = mine;
    __syncthreads();
    p[255 - threadIdx.x][threadIdx.x % 4] = 1; // FAULT local_written
    __syncthreads();
    o[threadIdx.x] = mine[threadIdx.x % 3];
}

__device__ __noinline__ void set(float *mine, int i)
{
    mine[i % 4] = i;
}

__global__ void ok_local(float *o, const float *a)
{
    float mine[4], *p = mine;
    for (int i = 0; i < 4; i++)
        set(p, i + threadIdx.x);
    __syncthreads();
    o[threadIdx.x] = mine[threadIdx.x % 4] + a[0];
}

static float *f, *g;

static void *both[] = {&f, &g};

static const Case cases[] = {
    {"barrier_in_tree", "in a branch that some threads do not take",
     [] { barrier_in_tree<false><<<1, 256>>>(f, g); }},
    {"barrier_first", "in a branch that some threads do not take",
     [] { barrier_in_tree<true><<<1, 256>>>(f, g); }},
    {"barrier_in_if", "in a branch that some threads do not take",
     [] { barrier_in_if<<<1, 256>>>(f, g); }},
    {"skipped_by_first", "in a branch that some threads do not take",
     [] { skipped_by_first<<<1, 256>>>(f, g); }},
    {"barrier_in_function", "in a branch that some threads do not take",
     [] { barrier_in_function<<<1, 256>>>(f, g); }},
    {"left_by_break", "loop that some threads have left", [] { left_by_break<<<1, 256>>>(f, g); }},
    {"else_without", "in a branch that some threads do not take",
     [] { else_without<<<1, 256>>>(f, g); }},
    {"unequal_for", "loop that some threads have left", [] { unequal_for<<<1, 256>>>(f, g); }},
    {"unequal_do", "loop that some threads have left", [] { unequal_do<<<1, 256>>>(f); }},
    {"unequal_in_function", "loop that some threads have left",
     [] { unequal_in_function<<<1, 256>>>(f); }},
    {"ok_equal", "", [] { ok_equal<<<1, 256>>>(f); }},
    {"local_of_first", "a local variable of another thread",
     [] { local_of_first<<<1, 256>>>(f, g); }},
    {"local_written", "a local variable of another thread",
     [] { local_written<<<1, 256>>>(f, g); }},
    {"ok_local", "", [] { ok_local<<<1, 256>>>(f, g); }},
    {"ok_early", "",
     [] {
         for (int i = 1; i < 4; i++)
             ok_early<<<1, 256>>>(f, g, 77);
     }},
    {"ok_loop", "",
     [] {
         for (int i = 1; i < 4; i++)
             ok_loop<<<1, 256>>>(f, g);
     }},
    {"ok_after", "",
     [] {
         for (int i = 1; i < 4; i++)
             ok_after<<<1, 256>>>(f, g);
     }},
    {"ok_body", "",
     [] {
         for (int i = 1; i < 4; i++)
             ok_body<<<1, 256>>>(f, g, 100);
     }},
    {"ok_late", "",
     [] {
         for (int i = 1; i < 4; i++)
             ok_late<<<1, 256>>>(f, g, 100);
     }},
    {"ok_while", "",
     [] {
         for (int i = 1; i < 4; i++)
             ok_while<<<1, 256>>>(f, g);
     }},
    {"ok_guard_inside", "", [] { ok_guard_inside<<<3, 64>>>(g, f, 150); }},
    {"ok_early_in_loop", "", [] { ok_early_in_loop<<<1, 64>>>(f, 4); }},
    {"ok_goto_end", "", [] { ok_goto_end<<<1, 64>>>(g, f, 40); }},
    {"ok_early_switch", "",
     [] {
         for (int i = 0; i < 4; i++)
             ok_early_switch<<<1, 64>>>(g, f, i % 3);
     }},
    {"ok_two_exits", "", [] { ok_two_exits<<<1, 64>>>(g, f, 40); }},
    {"ok_uniform", "",
     [] {
         for (int i = 1; i < 4; i++)
             ok_uniform<<<1, 256>>>(f, g, 6);
     }},
    {"two_steps", "data race in shared memory", [] { two_steps<true><<<1, 256>>>(f, g); }},
    {"ok_two_steps", "", [] { two_steps<false><<<1, 256>>>(f, g); }},
    {"two_steps_of_grid", "data race in global memory",
     [] { cudaLaunchCooperativeKernel(two_steps_of_grid<true>, 4, 64, both); }},
    {"ok_two_steps_of_grid", "",
     [] { cudaLaunchCooperativeKernel(two_steps_of_grid<false>, 4, 64, both); }},
    {"waits_first", "barrier_wait()", [] { waits_first<<<1, 32>>>(f, g); }},
    {"arrives_twice", "has arrived before, and has not waited",
     [] { arrives_twice<<<1, 32>>>(f, g); }},
    {"ok_roles", "",
     [] {
         for (int i = 1; i < 4; i++)
             ok_roles<<<1, 256>>>(f, g);
     }},
};

int main(int count, char **arguments)
{
    f = zeros<float>(4096);
    g = zeros<float>(4096);
    return run_case(cases, count, arguments);
}

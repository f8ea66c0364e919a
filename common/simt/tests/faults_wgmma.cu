// Seeded faults in wgmma, setmaxnreg and wmma. Format: faults.cu. nvcc (sm_90a) also compiles it.
#include <cuda.h>
#include <mma.h>

#include "cases.cuh"
#include "tensor_maps.cuh"
#include "wgmma_helpers.cuh"

static const int GROUP = 128;

// All threads fill the tiles with ones.
__device__ static __forceinline__ void fill(char *tiles, int bytes)
{
    for (int i = threadIdx.x; i < bytes / 2; i += blockDim.x)
        reinterpret_cast<unsigned short *>(tiles)[i] = 0x3f80;
}

__device__ static __forceinline__ void fill_and_fence(char *tiles, int bytes)
{
    fill(tiles, bytes);
    fence_proxy();
    __syncthreads();
}

__device__ static __forceinline__ void write_out(float *out, const float (&d)[4])
{
    for (int i = 0; i < 4; i++)
        out[i * blockDim.x + threadIdx.x] = d[i];
}

__device__ static __forceinline__ void finish(float *out, const float (&d)[4])
{
    commit_and_wait();
    write_out(out, d);
}

// ---- registers ----

__global__ void read_before_wait(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill_and_fence(tiles, TILES);
    wgmma_fence();
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES)); // FAULT read_before_wait
    commit();
    out[threadIdx.x] = d[0]; // FAULT read_before_wait
    wait_groups<0>();
}

__global__ void not_committed(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill_and_fence(tiles, TILES);
    wgmma_fence();
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES)); // FAULT not_committed
    wait_groups<0>();
    out[threadIdx.x] = d[3]; // FAULT not_committed
    commit_and_wait();
}

__global__ void one_group_too_many(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {}, e[4] = {};
    fill_and_fence(tiles, TILES);
    wgmma_fence();
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES));
    commit();
    multiply(e, of_a(tiles), of_b(tiles + A_BYTES)); // FAULT one_group_too_many
    commit();
    wait_groups<1>();
    write_out(out, d);
    out[threadIdx.x] = e[0]; // FAULT one_group_too_many
    wait_groups<0>();
}

__global__ void written_under_way(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill_and_fence(tiles, TILES);
    wgmma_fence();
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES)); // FAULT written_under_way
    commit();
    d[1] = out[0]; // FAULT written_under_way
    wait_groups<0>();
    write_out(out, d);
}

__global__ void no_fence(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill_and_fence(tiles, TILES);
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES)); // FAULT no_fence
    finish(out, d);
}

__global__ void scaled_without_fence(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill_and_fence(tiles, TILES);
    wgmma_fence();
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES));
    commit_and_wait();
    d[2] *= out[0];                                  // FAULT scaled_without_fence
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES)); // FAULT scaled_without_fence
    finish(out, d);
}

__global__ void other_shape(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    union {
        float real[4];
        unsigned pairs[2];
    } d = {};
    fill_and_fence(tiles, TILES);
    wgmma_fence();
    multiply(d.real, of_a(tiles), of_b(tiles + A_BYTES));
    multiply_half(d.pairs, of_a(tiles), of_b(tiles + A_BYTES)); // FAULT other_shape
    commit_and_wait();
    write_out(out, d.real);
}

__global__ void never_awaited(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill_and_fence(tiles, TILES);
    wgmma_fence();
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES)); // FAULT never_awaited
    commit();
    out[threadIdx.x] = 0;
}

// ---- shared memory ----

__global__ void no_proxy_fence(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    for (int i = threadIdx.x; i < TILES / 2; i += blockDim.x)
        reinterpret_cast<unsigned short *>(tiles)[i] = 0x3f80; // FAULT no_proxy_fence
    __syncthreads();
    wgmma_fence();
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES)); // FAULT no_proxy_fence
    finish(out, d);
}

__global__ void proxy_fence_too_early(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fence_proxy();
    for (int i = threadIdx.x; i < TILES / 2; i += blockDim.x)
        reinterpret_cast<unsigned short *>(tiles)[i] = 0x3f80; // FAULT proxy_fence_too_early
    __syncthreads();
    wgmma_fence();
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES)); // FAULT proxy_fence_too_early
    finish(out, d);
}

__global__ void no_barrier(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    for (int i = threadIdx.x; i < TILES / 2; i += blockDim.x)
        reinterpret_cast<unsigned short *>(tiles)[i] = 0x3f80; // FAULT no_barrier
    fence_proxy();
    wgmma_fence();
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES)); // FAULT no_barrier
    finish(out, d);
}

__global__ void unset(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill_and_fence(tiles, A_BYTES);
    wgmma_fence();
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES)); // FAULT unset
    finish(out, d);
}

// The second half of each row of A stays uninitialized.
__global__ void half_a_row_unset(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill(tiles, A_BYTES / 2);
    fill_and_fence(tiles + A_BYTES, B_BYTES);
    wgmma_fence();
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES)); // FAULT half_a_row_unset
    finish(out, d);
}

__global__ void tile_overwritten(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill_and_fence(tiles, TILES);
    wgmma_fence();
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES)); // FAULT tile_overwritten
    commit();
    __syncthreads();
    tiles[A_BYTES + threadIdx.x] = 0; // FAULT tile_overwritten
    wait_groups<0>();
    write_out(out, d);
}

// The threads release the stage as soon as they have issued the MMA, not after it has completed.
__global__ void freed_too_early(float *out, const char *in)
{
    extern __shared__ __align__(1024) char tiles[];
    __shared__ barrier_t full, empty;
    float d[4] = {};
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&empty, GROUP);
        fence_init();
    }
    __syncthreads();
    if (threadIdx.x == GROUP) {
        for (int i = 0; i < 3; i++) {
            wait(&empty, (i & 1) ^ 1);
            expect_load(tiles, in, TILES, &full); // FAULT freed_too_early
        }
    } else if (threadIdx.x < GROUP) {
        for (int i = 0; i < 3; i++) {
            wait(&full, i & 1);
            wgmma_fence();
            multiply(d, of_a(tiles), of_b(tiles + A_BYTES)); // FAULT freed_too_early
            commit();
            arrive(&empty);
            wait_groups<0>();
        }
        write_out(out, d);
    }
}

__global__ void copy_not_awaited(float *out, const char *in)
{
    extern __shared__ __align__(1024) char tiles[];
    __shared__ barrier_t full;
    float d[4] = {};
    if (threadIdx.x == 0) {
        init_one(&full);
        expect_load(tiles, in, TILES, &full); // FAULT copy_not_awaited
    }
    __syncthreads();
    wgmma_fence();
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES)); // FAULT copy_not_awaited
    commit_and_wait();
    wait(&full, 0);
    write_out(out, d);
}

// Thread 0 overwrites the tiles after its own warp has waited. The wgmma has then completed for all
// four warps of its warpgroup, but not for another warpgroup.
__global__ void refilled(float *out, const char *in)
{
    extern __shared__ __align__(1024) char tiles[];
    __shared__ barrier_t full;
    float d[4] = {};
    if (threadIdx.x == 0) {
        init_one(&full);
        expect_load(tiles, in, TILES, &full);
    }
    __syncthreads();
    for (int i = 0; i < 2; i++) {
        wait(&full, i);
        wgmma_fence();
        multiply(d, of_a(tiles), of_b(tiles + A_BYTES)); // FAULT other_group_reads
        commit_and_wait();
        if (threadIdx.x == 0 && i == 0)
            expect_load(tiles, in, TILES, &full); // FAULT other_group_reads
    }
    write_out(out, d);
}

// ---- descriptors ----

__global__ void misaligned_tile(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill_and_fence(tiles, 16384);
    wgmma_fence();
    multiply(d, descriptor(tiles + 128, 16, 1024, 1), of_b(tiles)); // FAULT misaligned_tile
    finish(out, d);
}

// The same tile: the base offset says that the swizzle pattern starts at the tile.
__global__ void ok_base_offset(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill_and_fence(tiles, 16384);
    wgmma_fence();
    multiply(d, descriptor(tiles + 128, 16, 1024, 1) | 1ull << 49, of_b(tiles));
    finish(out, d);
}

__global__ void not_shifted(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill_and_fence(tiles, TILES);
    wgmma_fence();
    multiply(d, of_a(tiles), shared(tiles) | 128ull << 32 | 65536ull << 14); // FAULT not_shifted
    finish(out, d);
}

__global__ void strides_too_large(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill_and_fence(tiles, TILES);
    wgmma_fence();
    multiply(d, descriptor(tiles, 1024, 512, 0), of_b(tiles + A_BYTES)); // FAULT strides_too_large
    finish(out, d);
}

// The copies use one swizzle, the descriptor possibly another. B may be rows 2 to 9 of the copied
// tile. Its swizzle pattern follows from their addresses.
__global__ void swizzled(float *out, const __grid_constant__ CUtensorMap map, unsigned mode,
                         int shift, unsigned long long base_offset)
{
    extern __shared__ __align__(1024) char tiles[];
    __shared__ barrier_t full;
    float d[4] = {};
    if (threadIdx.x == 0) {
        init_one(&full);
        expect(&full, 8192);
        load_box(tiles, &map, 0, 0, &full);
    }
    __syncthreads();
    wait(&full, 0);
    const auto of_a = descriptor(tiles, 16, 8 * (128 >> (mode - 1)), mode);
    const auto of_b = descriptor(tiles + shift, 16, 1024, 1) | base_offset << 49;
    wgmma_fence();
    multiply(d, of_a, of_b); // FAULT wrong_swizzle copied_shifted
    finish(out, d);
}

// On a GPU, this is an illegal instruction: box rows must start at multiples of 16 bytes.
__global__ void box_between(const __grid_constant__ CUtensorMap map, int x)
{
    extern __shared__ __align__(1024) char tiles[];
    __shared__ barrier_t full;
    init_one(&full);
    expect(&full, 8192);
    load_box(tiles, &map, x, 0, &full); // FAULT box_between
    wait(&full, 0);
}

// Also illegal: a store of a box that begins before the tensor. The store skips rows behind the end
// of the tensor.
__global__ void stored_before(const __grid_constant__ CUtensorMap map, int y)
{
    extern __shared__ __align__(1024) char tiles[];
    fill_and_fence(tiles, 8192);
    if (threadIdx.x == 0)
        store_box(tiles, &map, 0, y); // FAULT stored_before
}

// The copy also writes three floats behind each row of 9 floats. A thread writes one of these.
__global__ void beyond_row(const __grid_constant__ CUtensorMap map, float *behind)
{
    __shared__ __align__(128) float rows[4 * 12];
    fill_and_fence((char *)rows, sizeof rows);
    if (threadIdx.x == 0)
        store_box(rows, &map, 0, 0); // FAULT behind_in_use behind_memory
    if (threadIdx.x == 64 && behind)
        behind[9] = 1; // FAULT behind_in_use
}

__global__ void different_descriptors(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill_and_fence(tiles, 2 * TILES);
    wgmma_fence();
    multiply(d, of_a(tiles + threadIdx.x % 2 * 128), of_b(tiles)); // FAULT different_descriptors
    finish(out, d);
}

// ---- warps and registers ----

__global__ void three_warps(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill_and_fence(tiles, TILES);
    wgmma_fence();
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES)); // FAULT three_warps
    commit_and_wait();
    out[threadIdx.x] = d[0];
}

__global__ void warp_leaves_out(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill_and_fence(tiles, TILES);
    wgmma_fence();
    if (threadIdx.x / 32 != 2)
        multiply(d, of_a(tiles), of_b(tiles + A_BYTES));
    finish(out, d);
}

__global__ void half_a_warp(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill_and_fence(tiles, TILES);
    if (threadIdx.x % 32 >= 16)
        return;
    wgmma_fence(); // FAULT half_a_warp
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES));
    finish(out, d);
}

__global__ void too_few_registers(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[8][4] = {};
    fill_and_fence(tiles, TILES);
    fewer_registers<24>();
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < 8; i++)
        multiply(d[i], of_a(tiles), of_b(tiles + A_BYTES)); // FAULT too_few_registers
    commit_and_wait();
    for (int i = 0; i < 8; i++)
        write_out(out, d[i]);
}

__global__ void __launch_bounds__(384, 1) waits_for_registers(float *out)
{
    if (threadIdx.x < GROUP)
        fewer_registers<40>();
    else
        more_registers<240>(); // FAULT waits_for_registers
    out[threadIdx.x] = 0;
}

__global__ void __launch_bounds__(256, 1) one_warp_sets(float *out)
{
    if (threadIdx.x < 32)
        fewer_registers<40>(); // FAULT one_warp_sets
    out[threadIdx.x] = 0;
}

#ifdef __SIMT__ // nvcc rejects it
__global__ void __launch_bounds__(512, 1) fewer_by_inc(float *out)
{
    fewer_registers<80>();
    more_registers<40>(); // FAULT fewer_by_inc
    out[threadIdx.x] = 0;
}
#endif

// ---- wmma ----

template <int OFFSET, int STRIDE>
__global__ void load_fragment(float *out)
{
    __shared__ __align__(128) half tile[1024];
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::row_major> a;
    for (int i = threadIdx.x; i < 1024; i += 32)
        tile[i] = __float2half(1.0f);
    __syncwarp();
    nvcuda::wmma::load_matrix_sync(a, tile + OFFSET, STRIDE); // FAULT offset stride
    out[threadIdx.x] = __half2float(a.x[0]);
}

// ---- correct kernels ----

// The last 32 rows of A are outside the matrix. No thread loads them or uses their results.
__global__ void ok_rows_outside(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill(tiles, A_BYTES / 4);
    fill(tiles + A_BYTES / 2, A_BYTES / 4);
    fill_and_fence(tiles + A_BYTES, B_BYTES);
    wgmma_fence();
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES));
    commit_and_wait();
    if (threadIdx.x < GROUP / 2)
        write_out(out, d);
    if (threadIdx.x < GROUP / 2 && d[0] != 16)
        __trap();
}

// A fence follows each use of the registers. Consecutive MMAs on the same ones need no fence.
__global__ void ok_fences(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {}, e[4] = {};
    fill_and_fence(tiles, TILES);
    for (int i = 0; i < 3; i++) {
        wgmma_fence();
        multiply(d, of_a(tiles), of_b(tiles + A_BYTES));
        multiply(d, of_a(tiles), of_b(tiles + A_BYTES));
        commit();
        multiply(e, of_a(tiles), of_b(tiles + A_BYTES));
        commit();
        wait_groups<1>();
        if (d[0] != 32 * (i + 1))
            __trap();
        out[threadIdx.x] = d[1];
        wait_groups<0>();
        if (e[3] != 16)
            __trap();
        e[3] = 0;
    }
    wgmma_fence();
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES));
    commit_and_wait();
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES)); // d was not accessed since
    finish(out, d);
}

// The asm operands keep the compiler from moving uses of the sums. No instruction touches them.
__global__ void ok_operands(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    fill_and_fence(tiles, TILES);
    wgmma_fence();
    multiply(d, of_a(tiles), of_b(tiles + A_BYTES));
    commit();
    for (int i = 0; i < 4; i++)
        asm volatile("" : "+f"(d[i])::"memory");
    asm volatile("wgmma.wait_group.sync.aligned %4;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "n"(0)
                 : "memory");
    if (d[0] != 16)
        __trap();
    write_out(out, d);
}

// Threads refill the tiles only after the wgmma has completed and a barrier has told them so.
__global__ void ok_reused(float *out)
{
    extern __shared__ __align__(1024) char tiles[];
    float d[4] = {};
    for (int i = 0; i < 3; i++) {
        fill_and_fence(tiles, TILES);
        wgmma_fence();
        multiply(d, of_a(tiles), of_b(tiles + A_BYTES));
        commit_and_wait();
        __syncthreads();
    }
    write_out(out, d);
}

// A producer warp copies boxes through stages to two consumers, and gives them its registers.
__global__ void __launch_bounds__(384, 1)
    ok_pipeline(float *out, const __grid_constant__ CUtensorMap map)
{
    extern __shared__ __align__(1024) char tiles[];
    __shared__ barrier_t full[2], empty[2];
    const int group = threadIdx.x / GROUP, BOX = 8192, STEPS = 7;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; i++) {
            init(&full[i], 1);
            init(&empty[i], 2);
        }
        fence_init();
    }
    __syncthreads();
    if (group == 0) {
        fewer_registers<24>();
        if (threadIdx.x == 0)
            for (int i = 0; i < STEPS; i++) {
                wait(&empty[i % 2], (i / 2 & 1) ^ 1);
                expect(&full[i % 2], 2 * BOX);
                load_box(tiles + i % 2 * 2 * BOX, &map, 0, 0, &full[i % 2]);
                load_box(tiles + i % 2 * 2 * BOX + BOX, &map, 0, 64, &full[i % 2]);
            }
    } else {
        more_registers<240>();
        float d[4] = {};
        for (int i = 0; i < STEPS; i++) {
            const char *a = tiles + i % 2 * 2 * BOX, *b = a + BOX;
            wait(&full[i % 2], i / 2 & 1);
            wgmma_fence();
            for (int k = 0; k < 128; k += 32)
                multiply(d, descriptor(a + k, 16, 1024, 1), descriptor(b + k, 16, 1024, 1));
            commit();
            wait_groups<1>();
            if (i > 0 && threadIdx.x % GROUP == 0)
                arrive(&empty[(i - 1) % 2]);
        }
        wait_groups<0>();
        if (d[2] != 64 * STEPS)
            __trap();
        write_out(out, d);
    }
}

// Descriptors made from pointers. On a GPU, the lowest bits of the pointer are the shared address.
__global__ void ok_pointers(float *out)
{
    __shared__ __align__(1024) char a[8192], b[1024];
    float d[4] = {};
    fill(a, 8192);
    fill_and_fence(b, 1024);
    wgmma_fence();
    for (int k = 0; k < 128; k += 32)
        multiply(d, of_pointer(a + k), of_pointer(b + k));
    commit_and_wait();
    if (d[2] != 64)
        __trap();
    write_out(out, d);
}

// ---- tensor maps that kernels change ----

// One thread changes a map in global memory from the first half of the tensor to the second, which
// holds twos. Another thread starts the copy.
template <bool RELEASES, bool ACQUIRES, bool OF_IT>
__global__ void replaced(float *out, const __grid_constant__ CUtensorMap map, CUtensorMap *maps,
                         const char *second)
{
    __shared__ __align__(1024) char tile[8192];
    __shared__ barrier_t full;
    if (threadIdx.x == 0) {
        init_one(&full);
        maps[0] = map;
        set_address(maps, second); // FAULT no_release no_acquire other_acquired
        if (RELEASES)
            release_map();
    }
    __syncthreads();
    if (threadIdx.x == 32) {
        if (ACQUIRES)
            acquire_map(OF_IT ? maps : maps + 1);
        expect(&full, sizeof tile);
        load_box(tile, maps, 0, 0, &full); // FAULT no_release no_acquire other_acquired
    }
    wait(&full, 0);
    if (((const unsigned short *)tile)[threadIdx.x] != 0x4000)
        __trap();
    out[threadIdx.x] = tile[threadIdx.x];
}

// Each block changes its copy of the map in shared memory, as kernels for grouped GEMM do.
template <bool ORDERED>
__global__ void replaced_in_shared(float *out, const __grid_constant__ CUtensorMap map,
                                   CUtensorMap *maps, const char *second)
{
    __shared__ __align__(1024) char tile[8192];
    __shared__ __align__(128) CUtensorMap mine;
    __shared__ barrier_t full;
    CUtensorMap *const own = &maps[blockIdx.x];
    if (threadIdx.x == 0)
        init_one(&full);
    __syncthreads();
    if (threadIdx.x < 32) {
        ((unsigned *)&mine)[threadIdx.x] = ((const unsigned *)&map)[threadIdx.x];
        __syncwarp();
        if (threadIdx.x == 0) {
            set_shared_address(&mine, second);
            set_rows(&mine, 3); // FAULT map_unordered
        }
        if (ORDERED)
            __syncwarp();
        copy_map(own, &mine); // FAULT map_unordered
        acquire_map(own);
        if (threadIdx.x == 0) {
            expect(&full, sizeof tile);
            load_box(tile, own, 0, 0, &full);
        }
    }
    wait(&full, 0);
    for (int row = 0; row < 5; row++)
        if (((const unsigned short *)tile)[row * 64 + threadIdx.x % 64] != (row < 3 ? 0x4000 : 0))
            __trap();
    out[blockIdx.x * GROUP + threadIdx.x] = tile[threadIdx.x];
}

// Stores an im2col box that starts at (w, 0).
__global__ void store_columns(const __grid_constant__ CUtensorMap map, int w)
{
    __shared__ __align__(128) float tile[4 * 8];
    tile[threadIdx.x] = 1;
    fence_proxy();
    __syncthreads();
    if (threadIdx.x == 0)
        give_columns(tile, &map, w); // FAULT column_outside columns_too_many
}

__global__ void map_in_shared(const __grid_constant__ CUtensorMap map)
{
    __shared__ __align__(1024) char tile[8192];
    __shared__ __align__(128) CUtensorMap mine;
    __shared__ barrier_t full;
    mine = map;
    init_one(&full);
    expect(&full, sizeof tile);
    load_box(tile, &mine, 0, 0, &full); // FAULT map_in_shared
    wait(&full, 0);
}

// A tensor map whose fields contradict one another.
__global__ void no_tensor(const __grid_constant__ CUtensorMap map, CUtensorMap *maps)
{
    __shared__ __align__(1024) char tile[8192];
    __shared__ barrier_t full;
    init_one(&full);
    maps[0] = map;
    asm volatile("tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%0], 2;" ::"l"(maps)
                 : "memory");
    release_map();
    acquire_map(maps);
    expect(&full, sizeof tile);
    load_box(tile, maps, 0, 0, &full); // FAULT no_tensor
    wait(&full, 0);
}

static float *f;
static char *g;

static CUtensorMap *maps;

// A tensor of ones with 64 x 64 boxes; rows of 128 bytes are swizzled. Twos follow in memory.
static CUtensorMap tensor()
{
    static unsigned short ones[128 * 64], twos[64 * 64];
    const cuuint64_t size[] = {64, 128}, stride[] = {128};
    const cuuint32_t box[] = {64, 64}, step[] = {1, 1};
    CUtensorMap map;
    for (unsigned short &one : ones)
        one = 0x3f80;
    for (unsigned short &two : twos)
        two = 0x4000;
    cudaMemcpy(g, ones, sizeof ones, cudaMemcpyHostToDevice);
    cudaMemcpy(g + sizeof ones, twos, sizeof twos, cudaMemcpyHostToDevice);
    if (tile_map(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, g, size, stride, box, step,
                 CU_TENSOR_MAP_SWIZZLE_128B) != CUDA_SUCCESS)
        exit(3);
    return map;
}

// 4 rows of 9 floats with a pitch of 48 bytes.
static CUtensorMap short_rows(void *data)
{
    const cuuint64_t size[] = {9, 4}, stride[] = {48};
    const cuuint32_t box[] = {12, 4}, step[] = {1, 1};
    CUtensorMap map;
    if (tile_map(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, size, stride, box, step,
                 CU_TENSOR_MAP_SWIZZLE_NONE) != CUDA_SUCCESS)
        exit(3);
    return map;
}

// 4 rows of 5 pixels with 8 channels. Boxes of 4 pixels with this lower corner.
static CUtensorMap columns(int low)
{
    const cuuint64_t size[] = {8, 5, 4, 1}, stride[] = {32, 160, 640};
    const cuuint32_t step[] = {1, 1, 1, 1};
    const int lower[] = {low, low}, upper[] = {-1, 0};
    CUtensorMap map;
    if (column_map(&map, g, size, stride, lower, upper, 4, step) != CUDA_SUCCESS)
        exit(3);
    return map;
}

static const char UNDER_WAY[] = "a register of a wgmma that is under way is used";
static const char HIDDEN[] = "no fence.proxy.async between a write and a wgmma";
static const char NO_MAP_FENCE[] = "no fence.proxy.tensormap between a write to a tensor map";
static const char RACE[] = "data race in shared memory";

static const Case cases[] = {
    {"read_before_wait", UNDER_WAY, [] { read_before_wait<<<1, GROUP, TILES>>>(f); }},
    {"not_committed", UNDER_WAY, [] { not_committed<<<1, GROUP, TILES>>>(f); }},
    {"one_group_too_many", UNDER_WAY, [] { one_group_too_many<<<1, GROUP, TILES>>>(f); }},
    {"written_under_way", UNDER_WAY, [] { written_under_way<<<1, GROUP, TILES>>>(f); }},
    {"no_fence", "no wgmma.fence comes before it", [] { no_fence<<<1, GROUP, TILES>>>(f); }},
    {"scaled_without_fence", "has used registers of its sum since the last wgmma.fence",
     [] { scaled_without_fence<<<1, GROUP, TILES>>>(f); }},
    {"other_shape", "a product of another shape still uses some of its registers",
     [] { other_shape<<<1, GROUP, TILES>>>(f); }},
    {"never_awaited", "still under way when its threads return",
     [] { never_awaited<<<1, GROUP, TILES>>>(f); }},
    {"no_proxy_fence", HIDDEN, [] { no_proxy_fence<<<1, GROUP, TILES>>>(f); }},
    {"proxy_fence_too_early", HIDDEN, [] { proxy_fence_too_early<<<1, GROUP, TILES>>>(f); }},
    {"no_barrier", RACE, [] { no_barrier<<<1, GROUP, TILES>>>(f); }},
    {"unset", "shared memory is read before it is written", [] { unset<<<1, GROUP, TILES>>>(f); }},
    {"half_a_row_unset", "shared memory is read before it is written",
     [] { half_a_row_unset<<<1, GROUP, TILES>>>(f); }},
    {"tile_overwritten", "is still reading it by wgmma",
     [] { tile_overwritten<<<1, GROUP, TILES>>>(f); }},
    {"freed_too_early", RACE, [] { freed_too_early<<<1, GROUP + 32, TILES>>>(f, g); }},
    {"other_group_reads", RACE, [] { refilled<<<1, 2 * GROUP, TILES>>>(f, g); }},
    {"copy_not_awaited", "is still copying to it asynchronously",
     [] { copy_not_awaited<<<1, GROUP, TILES>>>(f, g); }},
    {"misaligned_tile", "does not begin where the pattern of its swizzle does",
     [] { misaligned_tile<<<1, GROUP, 16384>>>(f); }},
    {"not_shifted", "bits of its matrix descriptor are set that mean nothing",
     [] { not_shifted<<<1, GROUP, TILES>>>(f); }},
    {"strides_too_large", "leads out of shared memory: row 24, K 8",
     [] { strides_too_large<<<1, GROUP, TILES>>>(f); }},
    {"wrong_swizzle", "the swizzle spans 64 bytes",
     [] { swizzled<<<1, GROUP, 8192>>>(f, tensor(), 2, 0, 0); }},
    {"copied_shifted", "a tensor copy goes by the address, and needs 0",
     [] { swizzled<<<1, GROUP, 8192>>>(f, tensor(), 1, 256, 2); }},
    {"box_between", "begins at element 4 of a row, each of 2 bytes",
     [] { box_between<<<1, 1, 8192>>>(tensor(), 4); }},
    {"stored_before", "begins before the tensor, at -1 of dimension 1",
     [] { stored_before<<<1, GROUP, 8192>>>(tensor(), -1); }},
    {"different_descriptors", "the lanes of a warp have different descriptors",
     [] { different_descriptors<<<1, GROUP, 2 * TILES>>>(f); }},
    {"three_warps", "the block has no four warps for it", [] { three_warps<<<1, 96, TILES>>>(f); }},
    {"warp_leaves_out",
     "warp 2 returns, having executed wgmma.mma_async 0 times, and warp 0 1 times",
     [] { warp_leaves_out<<<1, GROUP, TILES>>>(f); }},
    {"half_a_warp", "needs all 32 lanes", [] { half_a_warp<<<1, GROUP, TILES>>>(f); }},
    {"too_few_registers", "of which setmaxnreg has left 24",
     [] { too_few_registers<<<1, GROUP, TILES>>>(f); }},
    {"waits_for_registers", "waits forever", [] { waits_for_registers<<<1, 384>>>(f); }},
    {"one_warp_sets", "end with different numbers of registers",
     [] { one_warp_sets<<<1, 256>>>(f); }},
#ifdef __SIMT__
    {"fewer_by_inc", "40 registers by .inc, of a thread that has 80",
     [] { fewer_by_inc<<<1, 512>>>(f); }},
#endif
    {"offset", "an address that is not a multiple of 16",
     [] { load_fragment<4, 16><<<1, 32>>>(f); }},
    {"stride", "a stride that is not a multiple of 16 bytes",
     [] { load_fragment<0, 20><<<1, 32>>>(f); }},
    {"no_release", NO_MAP_FENCE,
     [] { replaced<false, true, true><<<1, GROUP>>>(f, tensor(), maps, g + 16384); }},
    {"no_acquire", NO_MAP_FENCE,
     [] { replaced<true, false, true><<<1, GROUP>>>(f, tensor(), maps, g + 16384); }},
    {"other_acquired", NO_MAP_FENCE,
     [] { replaced<true, true, false><<<1, GROUP>>>(f, tensor(), maps, g + 16384); }},
    {"map_unordered", RACE,
     [] { replaced_in_shared<false><<<1, GROUP>>>(f, tensor(), maps, g + 16384); }},
    {"map_in_shared", "has a tensor map in shared memory",
     [] { map_in_shared<<<1, 1>>>(tensor()); }},
    {"no_tensor", "whose replaced fields are no tensor's",
     [] { no_tensor<<<1, 1>>>(tensor(), maps); }},
    {"behind_in_use", "data race in global memory",
     [] { beyond_row<<<1, GROUP>>>(short_rows(g), (float *)g); }},
    {"behind_memory", "access out of bounds of global memory",
     [] { beyond_row<<<1, GROUP>>>(short_rows(zeros<float>(3 * 48 + 36)), NULL); }},
    {"column_outside",
     "begins at pixel 4 of dimension 1, and the bounding box of its tensor map has 0 to 3",
     [] { store_columns<<<1, 32>>>(columns(0), 4); }},
    {"columns_too_many", "stores by a bounding box that is larger than the tensor",
     [] { store_columns<<<1, 32>>>(columns(-1), 0); }},
    {"ok_columns", "", [] { store_columns<<<1, 32>>>(columns(0), 3); }},
    {"ok_pointers", "", [] { ok_pointers<<<1, GROUP>>>(f); }},
    {"ok_replaced", "",
     [] { replaced<true, true, true><<<1, GROUP>>>(f, tensor(), maps, g + 16384); }},
    {"ok_replaced_in_shared", "",
     [] { replaced_in_shared<true><<<3, GROUP>>>(f, tensor(), maps, g + 16384); }},
    {"ok_fragment", "", [] { load_fragment<16, 24><<<1, 32>>>(f); }},
    {"ok_rows_outside", "", [] { ok_rows_outside<<<1, GROUP, TILES>>>(f); }},
    {"ok_fences", "", [] { ok_fences<<<1, GROUP, TILES>>>(f); }},
    {"ok_operands", "", [] { ok_operands<<<1, GROUP, TILES>>>(f); }},
    {"ok_reused", "", [] { ok_reused<<<1, 2 * GROUP, TILES>>>(f); }},
    {"ok_own_group_reads", "", [] { refilled<<<1, GROUP, TILES>>>(f, g); }},
    {"ok_pipeline", "", [] { ok_pipeline<<<1, 384, 4 * 8192>>>(f, tensor()); }},
    {"ok_stored_behind", "", [] { stored_before<<<1, GROUP, 8192>>>(tensor(), 100); }},
    {"ok_base_offset", "", [] { ok_base_offset<<<1, GROUP, 16384>>>(f); }},
    {"ok_rows_of_a_tile", "", [] { swizzled<<<1, GROUP, 8192>>>(f, tensor(), 1, 256, 0); }},
    {"ok_box", "", [] { box_between<<<1, 1, 8192>>>(tensor(), -8); }},
    {"ok_swizzle", "", [] { swizzled<<<1, GROUP, 8192>>>(f, tensor(), 1, 0, 0); }},
};

int main(int count, char **arguments)
{
    f = zeros<float>(16384);
    g = zeros<char>(24576);
    maps = zeros<CUtensorMap>(4 * sizeof(CUtensorMap));
    return run_case(cases, count, arguments);
}

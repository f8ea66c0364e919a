# shellcheck shell=sh disable=SC2154
# Findings: whether the program goes on, notes, files, suppressions. Sourced by test_simtcc.sh.

cat >findings.cu <<'END'
#include <cstdio>
__global__ void flags(int *flag)
{
    *flag = 1;
}
__global__ void numbers(int *number)
{
    *number = threadIdx.x;
}
int main()
{
    int *memory, host = 0;
    cudaMalloc(&memory, sizeof(int));
    flags<<<1, 64>>>(memory);
    numbers<<<1, 64>>>(memory);
    numbers<<<1, 64>>>(memory);
    printf("%s\n", cudaGetErrorString(cudaMemcpy(&host, memory, sizeof(int), cudaMemcpyDeviceToHost)));
}
END
compile findings.cu -o findings || fail 'findings.cu does not compile'

# runs STATUS ENVIRONMENT...: the program ends with this status. Its output is in `output`.
runs() {
    expected=$1
    shift
    env "$@" ./findings >output 2>&1
    status=$?
    [ $status -eq "$expected" ] || fail "findings with $*: status $status, not $expected"
}

# Threads that write the same value cause a note, and the program goes on. It ends at the race.
runs 1
grep -q '^simt: note: kernel flags .*: threads write the same value to one place in global memory, at [^ ]*:[0-9]*$' output &&
    grep -q '^simt: kernel numbers .*: data race in global memory$' output || fail 'a note, then a race'
! grep -q 'no error' output || fail 'the program goes on after a race'
runs 1 SIMT_CHECKS=stop
! grep -q 'no error' output || fail 'SIMT_CHECKS=stop does not stop'
runs 0 SIMT_CHECKS=off
[ "$(cat output)" = 'no error' ] || fail 'SIMT_CHECKS=off says something'

# With `report` it goes on and reports each pair of lines once.
runs 1 SIMT_CHECKS=report SIMT_FINDINGS=findings.json
grep -q '^no error$' output && [ "$(grep -c 'data race' output)" -eq 1 ] &&
    grep -q '^simt: finding 2:$' output && grep -q '^simt: 1 finding, [0-9]* times in all$' output ||
    fail 'SIMT_CHECKS=report does not go on, or tells the same twice'

# It ends normally: handlers and destructors run, and it keeps its own status if it has one.
cat >ends.cu <<'END'
#include <cstdio>
#include <cstdlib>
#include "findings.cu"
struct results { ~results() { puts("destructor"); } } saved;
static void early() { puts("registered before main"); }
static int before = atexit(early);
__attribute__((destructor)) static void last() { puts("last"); fflush(stdout); }
int main(int count, char **) { atexit([] { puts("handler"); }); findings(); return count > 1 ? 5 : 0; }
END
sed 's/int main/int findings/; s/printf(.*/return 0;/' findings.cu >kernels.cu
sed -i 's/findings.cu/kernels.cu/' ends.cu
compile ends.cu -o ends || fail 'ends.cu does not compile'
env SIMT_CHECKS=report ./ends >printed 2>output
[ $? -eq 1 ] || fail 'a program that ends in its own way: not status 1'
[ "$(sort printed)" = "$(printf '%s\n' destructor handler last 'registered before main')" ] ||
    fail 'handlers or destructors are left out'
[ "$(tail -n 1 output)" = "$(grep '^simt: 1 finding, [0-9]* times in all$' output)" ] || fail 'no count in the last line'
env SIMT_CHECKS=report ./ends 1 >printed 2>output
[ $? -eq 5 ] || fail 'a program loses its own status'

# Findings as files.
if command -v python3 >/dev/null; then
    runs 1 SIMT_CHECKS=report SIMT_FINDINGS=findings.sarif
    python3 - <<'END' || fail 'findings as JSON and SARIF'
import json
found = json.load(open("findings.json"))["findings"]
assert [(f["kind"], f["level"], f["at"]["line"], f["kernel"]) for f in found] == [
    ("race", "note", 4, "flags"), ("race", "error", 8, "numbers")], found
assert found[1]["other"]["line"] == 8 and found[1]["times"] > 1 and "data race" in found[1]["text"]
run = json.load(open("findings.sarif"))["runs"][0]
assert [(r["ruleId"], r["level"]) for r in run["results"]] == [("race", "note"), ("race", "error")]
place = run["results"][1]["locations"][0]["physicalLocation"]
assert place["artifactLocation"]["uri"] == "findings.cu" and place["region"]["startLine"] == 8, place
assert "race" in [rule["id"] for rule in run["tool"]["driver"]["rules"]]
END
fi
runs 4 SIMT_FINDINGS=none/findings.json
[ "$(cat output)" = 'simt: SIMT_FINDINGS: cannot write none/findings.json: No such file or directory' ] || fail 'a file that cannot be written'

# Suppressed findings are counted.
printf '# known\nrace findings.cu:8\n' >known.txt
runs 0 SIMT_SUPPRESSIONS=known.txt
grep -q '^simt: suppressed: [0-9]* times$' output && grep -q '^no error$' output || fail 'suppressed by line'
printf '* numbers\n' >known.txt
runs 0 SIMT_SUPPRESSIONS=known.txt
printf 'uninitialised *\nrace other.cu:*\n' >known.txt
runs 1 SIMT_SUPPRESSIONS=known.txt
printf '\nrace\n' >known.txt
runs 4 SIMT_SUPPRESSIONS=known.txt
[ "$(cat output)" = 'simt: known.txt:2: want KIND PATTERN, such as: race kernel.cu:12' ] || fail 'a line that is no suppression'
runs 4 SIMT_SUPPRESSIONS=none.txt

# Only the value matters, not its source: a kernel gets a note if all its stores have the same value.
cat >values.cu <<'END'
#include <cstdio>
#include <cstring>
template <typename T>
__device__ void all_store(T *out, T value)
{
    __shared__ T place;
    place = value;
    __syncthreads();
    out[threadIdx.x] = place;
}
struct pair { double first, second; };
__global__ void note_warps(const float *in, float *out) /* each warp a place of its own */
{
    __shared__ float sums[2];
    float sum = in[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(~0u, sum, distance);
    sums[threadIdx.x / 32] = sum;
    __syncthreads();
    out[threadIdx.x] = sums[threadIdx.x / 32];
}
__global__ void note_block(const float *in, float *out) { all_store(out, in[7]); }
__global__ void note_byte(const float *in, char *out) { all_store(out, (char)in[7]); }
__global__ void note_double(const float *in, double *out) { all_store(out, (double)in[7]); }
__global__ void note_vector(const float *in, float4 *out)
{
    all_store(out, make_float4(in[0], in[1], in[2], in[3]));
}
__global__ void note_blocks(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x] + 1; }
__global__ void note_loop(const float *in, float *out) /* longer than a trace */
{
    for (int i = 0; i < 2000; i++)
        out[i % 64] = in[i % 64];
}
__global__ void note_before(const float *in, float *out) /* over what was there */
{
    __shared__ float place;
    if (threadIdx.x == 0)
        place = in[1];
    __syncthreads();
    place = in[1];
    __syncthreads();
    out[threadIdx.x] = place;
}
__global__ void race_last(const float *in, float *out) { all_store(out, in[threadIdx.x == 63]); }
__global__ void race_first(const float *in, float *out) { all_store(out, in[threadIdx.x == 0]); }
__global__ void race_byte(const float *in, char *out) { all_store(out, (char)(in[7] + threadIdx.x)); }
__global__ void race_vector(const float *in, float4 *out)
{
    all_store(out, make_float4(in[0], in[1], in[2], in[threadIdx.x == 40]));
}
__global__ void race_blocks(const float *in, float *out)
{
    out[threadIdx.x] = in[threadIdx.x] + (blockIdx.x == 2 && threadIdx.x == 9);
}
__global__ void race_loop(const float *in, float *out)
{
    for (int i = 0; i < 2000; i++)
        out[i % 64] = in[i % 64] + (i == 1900 && threadIdx.x == 50);
}
__global__ void race_order(const float *in, float *out) /* whichever lane runs first */
{
    __shared__ float place;
    if (threadIdx.x == 0)
        place = in[0];
    __syncthreads();
    if (threadIdx.x == 1)
        place = in[5];
    if (threadIdx.x == 0)
        place = in[0];
    if (threadIdx.x == 2)
        place = in[0];
    __syncthreads();
    out[threadIdx.x] = place;
}
__global__ void race_overlap(const float *in, float *out)
{
    if (threadIdx.x == 1)
        *(double *)out = in[3];
    if (threadIdx.x == 0)
        out[1] = in[0];
}
__global__ void race_back(const float *in, int *out) /* an atomic puts back what was there */
{
    if (threadIdx.x < 2) {
        out[0] = 5 + (int)in[0];
        atomicAdd(out, -5);
    }
}
__global__ void race_read(const float *in, float *out) /* one reads where another stores what is there */
{
    __shared__ float place;
    if (threadIdx.x == 0)
        place = in[1];
    __syncthreads();
    if (threadIdx.x == 32)
        place = in[1];
    out[threadIdx.x] = threadIdx.x == 0 ? place : 0;
}
__global__ void note_then_read(const float *in, float *out) /* each reads what it has stored as well */
{
    __shared__ float table[64];
    float sum = 0;
    for (int i = 0; i < 64; i++)
        table[i] = in[i];
    for (int i = 0; i < 64; i++)
        sum += table[i];
    out[threadIdx.x] = sum;
}
__global__ void race_others_read(const float *in, float *out) /* so do those that have not stored */
{
    __shared__ float place;
    if (threadIdx.x == 0)
        place = in[2];
    __syncthreads();
    if (threadIdx.x < 8)
        place = in[1];
    if (threadIdx.x < 9)
        out[threadIdx.x] = place;
}
int main(int argc, char **argv)
{
    float *in, host[64];
    void *out;
    for (int i = 0; i < 64; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, 4096);
    cudaMemset(out, 0, 4096);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
#define RUN(name, type) if (strcmp(argv[1], #name) == 0) name<<<strstr(#name, "blocks") ? 3 : 1, 64>>>(in, (type *)out);
    RUN(note_warps, float) RUN(note_block, float) RUN(note_byte, char) RUN(note_double, double)
    RUN(note_vector, float4) RUN(note_blocks, float) RUN(note_loop, float) RUN(note_before, float)
    RUN(race_last, float) RUN(race_first, float) RUN(race_byte, char) RUN(race_vector, float4)
    RUN(race_blocks, float) RUN(race_loop, float) RUN(race_order, float)
    RUN(race_overlap, float) RUN(race_back, int) RUN(race_read, float)
    RUN(note_then_read, float) RUN(race_others_read, float)
    return cudaDeviceSynchronize() != cudaSuccess || argc != 2;
}
END
compile values.cu -o values || fail 'values.cu does not compile'
for kernel in $(sed -n 's/^__global__ void \([a-z_]*\).*/\1/p' values.cu); do
    for order in "" 3 7; do
        env ${order:+SIMT_SCHEDULE=$order} ./values $kernel >output 2>&1
        status=$?
        case $kernel in
        note_*)
            [ $status -eq 0 ] && grep -q "^simt: note: kernel $kernel .*: threads write the same value" output ||
                fail "$kernel ($order) is more than a note, or less"
            ;;
        race_*)
            [ $status -eq 1 ] && grep -q "^simt: kernel $kernel .*: data race" output ||
                fail "$kernel ($order) is no race"
            ;;
        esac
    done
done

# This also holds for copies and fills in several streams that write the same bytes, but not for reads of these bytes.
cat >copies.cu <<'END'
#include <cstring>
#include <vector>
enum { N = 4096, HALF = N / 2 };
static char *device, *other;
static cudaStream_t a, b;
static void copy(char *to, const std::vector<char> &from, cudaStream_t stream)
{
    cudaMemcpyAsync(to, from.data(), from.size(), cudaMemcpyHostToDevice, stream);
}
int main(int, char **argv)
{
    const auto is = [&](const char *name) { return strcmp(argv[1], name) == 0; };
    std::vector<char> bytes(N), more(N);
    for (int i = 0; i < N; i++)
        bytes[i] = i % 100, more[i] = (i + HALF) % N % 100;
    cudaMalloc(&device, 2 * N), cudaMalloc(&other, 2 * N);
    cudaStreamCreate(&a), cudaStreamCreate(&b);
    cudaMemset(other, 7, 2 * N);
    cudaDeviceSynchronize();
    if (is("note_copy")) copy(device, bytes, a), copy(device, bytes, b);
    if (is("note_part")) copy(device, bytes, a), more.resize(HALF), copy(device + HALF, more, b);
    if (is("note_fills")) cudaMemsetAsync(device, 7, N, a), cudaMemsetAsync(device + 100, 7, N, b);
    if (is("note_fill_and_copy")) cudaMemsetAsync(device, 7, N, a), cudaMemcpyAsync(device, other, N, cudaMemcpyDeviceToDevice, b);
    if (is("note_rows")) cudaMemset2DAsync(device, 64, 7, 32, 8, a), cudaMemcpy2DAsync(device, 64, other, 32, 32, 8, cudaMemcpyDeviceToDevice, b);
    if (is("race_copy")) copy(device, bytes, a), bytes[N - 1]++, copy(device, bytes, b);
    if (is("race_fills")) cudaMemsetAsync(device, 7, N, a), cudaMemsetAsync(device + N - 1, 8, N, b);
    if (is("race_rows")) cudaMemset2DAsync(device, 64, 7, 32, 8, a), cudaMemset2DAsync(device, 32, 8, 16, 16, b);
    if (is("race_read")) cudaMemsetAsync(device, 7, N, a), cudaMemcpyAsync(device, device + 64, N, cudaMemcpyDeviceToDevice, b);
    return cudaDeviceSynchronize() != cudaSuccess;
}
END
compile copies.cu -o copies || fail 'copies.cu does not compile'
for which in copy part fills fill_and_copy rows; do
    ./copies note_$which >output 2>&1 &&
        grep -q '^simt: note: cudaMem.* at .*copies.cu:[0-9]*: two streams write the same bytes to one place$' output &&
        ! grep -q hint output || fail "copies note_$which is more than a note, or less"
done
for which in copy fills rows read; do
    ! ./copies race_$which >output 2>&1 && grep -q '^simt: cudaMem.*: data race: it writes memory$' output ||
        fail "copies race_$which is no race"
done

# A long launch reports its progress, with one block or with many. It does so only if progress is requested.
cat >long.cu <<'END'
#include <cstdio>
#include <cstdlib>
__global__ void count(volatile int *out, int times)
{
    for (int i = 0; i < times; i++)
        out[blockIdx.x * 32 + threadIdx.x] = out[blockIdx.x * 32 + threadIdx.x] + i;
}
int main(int argc, char **argv)
{
    int *out, blocks = atoi(argv[1]);
    cudaMalloc(&out, blocks * 32 * sizeof *out);
    cudaMemset(out, 0, blocks * 32 * sizeof *out);
    count<<<1, 32>>>(out, 1);
    count<<<blocks, 32>>>(out, atoi(argv[2]));
    return cudaDeviceSynchronize() != cudaSuccess || argc != 3;
}
END
compile long.cu -o long || fail 'long.cu does not compile'
SIMT_PROGRESS=1 ./long 4000 4000 >output 2>&1 &
many=$!
SIMT_PROGRESS=1 ./long 1 16000000 >output1 2>&1 &
one=$!
# The remaining time is estimated from blocks that ran without checks.
SIMT_PROGRESS=1 SIMT_CHECKS=off ./long 40000 4000 >output3 2>&1 &
unchecked=$!
tries=0
until { grep -qs 'long.cu:14), launch 2: [0-9]* of 40000 blocks; about [0-9]* [a-z]* more$' output3 &&
    grep -q 'long.cu:14), launch 2: [0-9]* of 4000 blocks$' output &&
    grep -q '^simt: [0-9]* s so far: kernel count (launched at long.cu:14), launch 2: 0 of 1 blocks$' output1; } ||
    [ $tries -ge 300 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
kill $many $one $unchecked
wait $many $one $unchecked 2>/dev/null
[ $tries -lt 300 ] || fail 'a launch that takes long says nothing'
[ "$(grep -c 'Most mistakes show in a smaller problem' output)" = 1 ] || fail 'no hint, or two'
# Calls of cuBLAS, which have no kernel, also report their progress.
cat >scale.cu <<'END'
#include <cublas_v2.h>
#include <unistd.h>
int main()
{
    float *x, two = 2;
    cublasHandle_t handle;
    cublasCreate(&handle);
    cudaMalloc(&x, 4000);
    cudaMemset(x, 0, 4000);
    for (int i = 0; i < 2; i++) {
        cublasSscal(handle, 1000, &two, x, 1);
        usleep(i == 0 ? 2000000 : 0);
    }
}
END
compile scale.cu -lcublas -o scale || fail 'scale.cu does not compile'
SIMT_PROGRESS=1 ./scale >output 2>&1
grep -q '^simt: [0-9]* s so far: cublasSscal() at .*scale.cu:11$' output && [ "$(wc -l <output)" = 1 ] ||
    fail 'a call of cuBLAS that takes long says nothing'

# A copy that writes behind the ends of rows causes one note. The bytes that it writes there need not be initialized.
cat >rows.cu <<'END'
#include <cstdio>
#include <tensor_maps.cuh>
__global__ void rows(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(128) float box[2][12];
    if (threadIdx.x < 9)
        box[0][threadIdx.x] = box[1][threadIdx.x] = 1;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {0, 0}], [%1];\n"
                     "cp.async.bulk.commit_group;\n"
                     "cp.async.bulk.wait_group 0;" ::"l"(&map), "r"((unsigned)__cvta_generic_to_shared(box)));
}
int main(int count, char **)
{
    const cuuint64_t size[] = {count > 1 ? 8u : 9u, 2}, stride[] = {48};
    const cuuint32_t box[] = {12, 2}, step[] = {1, 1};
    alignas(64) CUtensorMap map;
    float *memory;
    cudaMalloc(&memory, 96);
    tile_map(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, memory, size, stride, box, step, CU_TENSOR_MAP_SWIZZLE_NONE);
    rows<<<1, 32>>>(map);
    rows<<<1, 32>>>(map);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
END
compile -I "$here" rows.cu -o rows || fail 'rows.cu does not compile'
./rows >output 2>&1 || fail 'rows of 9 floats are more than a note'
grep -q '^no error$' output && [ "$(grep -c '^simt' output)" -eq 1 ] &&
    grep -q '^simt: note: kernel rows .*: 12 bytes behind the end of a tensor.s row are written, too$' output &&
    grep -q '^  thread (0,0,0) does so at .*rows.cu:11' output || fail 'a note about the ends of rows'
[ "$(./rows 8 2>&1)" = 'no error' ] || fail 'rows of 8 floats end with a whole chunk'

# Sources in a folder with a space in its name.
mkdir -p 'a folder' && cp findings.cu 'a folder'
compile 'a folder/findings.cu' -o findings || fail 'a folder with a blank'
runs 1
grep -q 'a folder/findings.cu:8:  [*]number = threadIdx.x;' output || fail 'no line of a folder with a blank'

# A compiler with _FORTIFY_SOURCE, as on Ubuntu: writes by memcpy must still be seen.

mkdir fortifying
printf '#!/bin/sh\nexec %s -D_FORTIFY_SOURCE=3 "$@"\n' "$compiler" >fortifying/g++
chmod +x fortifying/g++
cat >kernel.cu <<'END'
#include <cstdint>
#include <cstdio>
#include <cstring>
__global__ void k(uint32_t *memory)
{
    __shared__ __align__(16) uint32_t shared[4 * 32];
    uint32_t words[4];
    for (int i = 0; i < 4; i++)
        words[i] = threadIdx.x + i;
    memcpy(shared + 4 * threadIdx.x, words, 16);
    __syncthreads();
    memcpy(words, shared + 4 * (31 - threadIdx.x), 16);
    memcpy(memory + 4 * threadIdx.x, words, 16);
}
int main()
{
    uint32_t *memory, first;
    cudaMalloc(&memory, 4096);
    k<<<1, 32>>>(memory);
    cudaMemcpy(&first, memory, sizeof first, cudaMemcpyDefault);
    printf("%u\n", first);
}
END
plain=$compiler compiler=$PWD/fortifying/g++
prints 31 --run kernel.cu
compiler=$plain

# A structure of two doubles need not be aligned to 16 bytes.
cat >kernel.cu <<'END'
#include <cstdio>
struct complex { double real, imaginary; };
struct sample { double time; complex value; };
__global__ void take(sample *samples, const complex *values)
{
    samples[threadIdx.x].value = values[threadIdx.x];
}
int main()
{
    sample *samples;
    complex *values;
    cudaMallocManaged(&samples, 32 * sizeof *samples);
    cudaMallocManaged(&values, 32 * sizeof *values);
    for (int i = 0; i < 32; i++)
        values[i] = {1.0 * i, 2.0 * i};
    take<<<1, 32>>>(samples, values);
    cudaDeviceSynchronize();
    printf("%g %g\n", samples[3].value.real, samples[4].value.imaginary);
}
END
prints '3 8' --run kernel.cu

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

# runs STATUS ENVIRONMENT...: the program ends with this status; its output is in `output`.
runs() {
    expected=$1
    shift
    env "$@" ./findings >output 2>&1
    status=$?
    [ $status -eq "$expected" ] || fail "findings with $*: status $status, not $expected"
}

# Threads that write the same value are a note, and the program goes on: to the race, at which it ends.
runs 1
grep -q '^simt: note: kernel flags .*: threads write the same value to one place in global memory$' output &&
    grep -q '^simt: kernel numbers .*: data race in global memory$' output || fail 'a note, then a race'
! grep -q 'no error' output || fail 'the program goes on after a race'
runs 1 SIMT_CHECKS=stop
! grep -q 'no error' output || fail 'SIMT_CHECKS=stop does not stop'
runs 0 SIMT_CHECKS=off
[ "$(cat output)" = 'no error' ] || fail 'SIMT_CHECKS=off says something'

# It goes on, and tells each pair of lines once.
runs 1 SIMT_CHECKS=report SIMT_FINDINGS=findings.json
grep -q '^no error$' output && [ "$(grep -c 'data race' output)" -eq 1 ] &&
    grep -q '^simt: finding 2:$' output && grep -q '^simt: 1 finding, [0-9]* times in all$' output ||
    fail 'SIMT_CHECKS=report does not go on, or tells the same twice'
runs 2 SIMT_CHECKS=reports
[ "$(cat output)" = 'simt: SIMT_CHECKS=reports: want stop, report or off' ] || fail 'a mode that is none'

# As files.
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
grep -q '^simt: SIMT_FINDINGS: none/findings.json: No such file' output || fail 'a file that cannot be written'

# What is suppressed is counted.
printf '# known\nrace findings.cu:8\n' >known.txt
runs 0 SIMT_SUPPRESSIONS=known.txt
grep -q '^simt: suppressed: [0-9]* times$' output && grep -q '^no error$' output || fail 'suppressed by line'
printf '* numbers\n' >known.txt
runs 0 SIMT_SUPPRESSIONS=known.txt
printf 'uninitialised *\nrace other.cu:*\n' >known.txt
runs 1 SIMT_SUPPRESSIONS=known.txt
printf '\nrace\n' >known.txt
runs 4 SIMT_SUPPRESSIONS=known.txt
grep -q '^simt: known.txt:2: want KIND PATTERN' output || fail 'a line that is no suppression'
runs 4 SIMT_SUPPRESSIONS=none.txt

# A copy that writes behind the ends of rows is a note, once. What it writes there, nobody need have set.
cat >rows.cu <<'END'
#include <cstdio>
#include <cuda.h>
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
    cudaDriverEntryPointQueryResult found;
    void *encode;
    float *memory;
    cudaMalloc(&memory, 96);
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
    ((decltype(&cuTensorMapEncodeTiled))encode)(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, memory, size, stride, box, step,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    rows<<<1, 32>>>(map);
    rows<<<1, 32>>>(map);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
END
compile rows.cu -o rows || fail 'rows.cu does not compile'
./rows >output 2>&1 || fail 'rows of 9 floats are more than a note'
grep -q '^no error$' output && [ "$(grep -c '^simt' output)" -eq 1 ] &&
    grep -q '^simt: note: kernel rows .*: 12 bytes behind the end of a tensor.s row are written, too$' output &&
    grep -q '^  thread (0,0,0) does so at .*rows.cu:11' output || fail 'a note about the ends of rows'
[ "$(./rows 8 2>&1)" = 'no error' ] || fail 'rows of 8 floats end with a whole chunk'

# Sources in a folder whose name has a blank.
mkdir -p 'a folder' && cp findings.cu 'a folder'
compile 'a folder/findings.cu' -o findings || fail 'a folder with a blank'
runs 1
grep -q 'a folder/findings.cu:8:  [*]number = threadIdx.x;' output || fail 'no line of a folder with a blank'

# A compiler that fortifies, as Ubuntu's do: what memcpy writes is seen all the same.

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

# A structure of two doubles need not lie at a multiple of 16 bytes.
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

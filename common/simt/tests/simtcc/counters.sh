# shellcheck shell=sh disable=SC2154
# Counters and checks. Sourced by test_simtcc.sh.

cat >reverse.cu <<'END'
__global__ void reverse(int *data)
{
    __shared__ int copy[64];
    copy[threadIdx.x] = data[threadIdx.x];
    BARRIER;
    data[threadIdx.x] = copy[63 - threadIdx.x];
}
int main()
{
    int *data;
    cudaMalloc(&data, 64 * sizeof(int));
    cudaMemset(data, 0, 64 * sizeof(int));
    reverse<<<1, 64>>>(data);
    return cudaDeviceSynchronize();
}
END
prints '' '-DBARRIER=__syncthreads()' reverse.cu -o reverse
SIMT_COUNTERS=table ./reverse >output 2>&1
[ $? -eq 0 ] && grep -q '^kernel reverse (reverse.cu:13): 1 launch, 1 block, 64 threads' output ||
    fail 'counters as a table'
SIMT_COUNTERS=json SIMT_OUT=counters.json ./reverse >output 2>&1
[ $? -eq 0 ] && [ ! -s output ] && grep -q '"reverse"' counters.json || fail 'counters as JSON, in a file'
prints '' -DBARRIER= reverse.cu -o reverse
./reverse >output 2>&1
[ $? -eq 1 ] && grep -q 'data race in shared memory' output || fail 'a race is told'
SIMT_CHECKS=off ./reverse >output 2>&1
[ $? -eq 0 ] && [ ! -s output ] || fail 'no checks'

sed 's/reverse<<<1, 64>>>(data);/void *all[] = {\&data}; cudaLaunchKernel((void *)reverse, 1, 64, all);/' \
    reverse.cu >address.cu
prints '' '-DBARRIER=__syncthreads()' address.cu -o address
SIMT_COUNTERS=table ./address >output 2>&1
[ $? -eq 0 ] && grep -q '^kernel reverse (address.cu:13): 1 launch, 1 block, 64 threads' output &&
    grep -q 'shared stores  *2 requests' output || fail 'a launch by address is counted'

# The lines where the lanes of a warp diverge.
prints '' "$here/simtcc/branches.cu" -o branches
SIMT_COUNTERS=json SIMT_OUT=branches.json ./branches >output 2>&1
sed -n 's/^ *{"file".*"line": \([0-9]*\), .*"splits": [1-9].*/\1/p' branches.json >found
grep -n '// parts$' "$here/simtcc/branches.cu" | cut -d: -f1 >expected
[ ! -s output ] && cmp -s found expected || { diff expected found; fail 'lanes part at other lines'; }

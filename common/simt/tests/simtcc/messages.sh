# shellcheck shell=sh disable=SC2154
# The host compiler's own messages, and those of programs. Sourced by test_simtcc.sh.

cat >wrong.cu <<'END'
__global__ void k(int *out)
{
    *out = undeclared;
}
int main() { dim3 blockDim(1); k<<<blockDim, 1>>>(0, 1, 2); }
END
compile wrong.cu
[ $? -eq 1 ] && grep -q '^wrong.cu:3:.*undeclared' output && grep -q '^wrong.cu:5:' output ||
    fail 'errors name the file and its lines'
printf 'int main() {\n    k<<<1, 1>>>\n;}\n' >wrong.cu
says 1 'wrong.cu:2: error: <<< without >>>(...) in the same statement' wrong.cu
printf '#include "not_there.h"\n' >wrong.cu
compile wrong.cu
[ $? -eq 1 ] && grep -q 'not_there.h' output || fail 'a missing header'
printf '#include <cassert>\n__global__ void k(int i)\n{\n    assert(i == 2);\n}\nint main()\n{\n    k<<<2, 3>>>(1);\n}\n' >wrong.cu
says 1 'thread (0,0,0): wrong.cu:4: ' wrong.cu --run
grep -q "assertion .i == 2' failed" output || fail 'an assertion in a kernel'
cat >grid.cu <<'END'
#include <cooperative_groups.h>
__global__ void k(int last)
{
    if (blockIdx.x < last) cooperative_groups::this_grid().sync();
}
int main(int argc, char **)
{
    int last = 2;
    void *arguments[] = {&last};
    if (argc > 1) k<<<4, 32>>>(4);
    else cudaLaunchCooperativeKernel((void *)k, 4, 32, arguments);
}
END
compile grid.cu --run
[ $? -eq 1 ] && grep -q 'deadlock: 2 of 4 blocks wait in grid.sync()' output || fail 'a grid deadlock'
compile grid.cu --run -- 1
[ $? -eq 1 ] && grep -q 'in a launch that is not cooperative' output || fail 'no cooperative launch'

#!/bin/sh
# Tests simtcc as installed by cmake --install --component simtcc. Usage: test_install.sh CMAKE BUILD_FOLDER CXX
set -eu
cmake=$1 build=$2 compiler=$3
prefix=$(mktemp -d)
trap 'rm -rf -- "$prefix"' EXIT
"$cmake" --install "$build" --component simtcc --prefix "$prefix" >/dev/null
for file in bin/simtcc share/rungs/runtime/; do
    grep -qF "$prefix/$file" "$build/install_manifest_simtcc.txt" || {
        printf 'FAILED: install_manifest_simtcc.txt does not list %s\n' "$file"
        exit 1
    }
done
cat >"$prefix/program.cu" <<'END'
#include <cstdio>
__global__ void k(int *data) { data[threadIdx.x] = threadIdx.x; }
int main()
{
    int *data, last;
    cudaMalloc(&data, 64 * sizeof(int));
    k<<<1, 64>>>(data);
    cudaMemcpy(&last, data + 63, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", last);
}
END
cd "$prefix"
# No cache can be written, so simtcc must use the runtime that was installed with it.
unset SIMTCC_CACHE
said=$(XDG_CACHE_HOME=/dev/null/none bin/simtcc -ccbin "$compiler" --run program.cu 2>&1)
[ "$said" = 63 ] || {
    printf 'FAILED: %s\n' "$said"
    exit 1
}
echo 'all passed'

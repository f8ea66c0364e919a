"""The kernels of kernels.cu on Numba's CUDA simulator: kernels_numba.py RUNS MATMUL_N SUM_COUNT.

NUMBA_ENABLE_CUDASIM=1 must be set. The simulator runs all threads of a block at once, each as a Python thread.
Therefore this uses blocks of 16 x 16 instead of 32 x 32."""
import sys
import time

import numpy as np
from numba import cuda, float32

TILE, BLOCK = 16, 256


@cuda.jit
def matmul(a, b, c, n):
    row = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    column = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if row < n and column < n:
        total = float32(0)
        for k in range(n):
            total += a[row * n + k] * b[k * n + column]
        c[row * n + column] = total


@cuda.jit
def reduce(values, sums):
    partial = cuda.shared.array(BLOCK, float32)
    tid = cuda.threadIdx.x
    partial[tid] = values[cuda.blockIdx.x * cuda.blockDim.x + tid]
    cuda.syncthreads()
    s = 1
    while s < cuda.blockDim.x:
        if tid % (2 * s) == 0:
            partial[tid] += partial[tid + s]
        cuda.syncthreads()
        s *= 2
    if tid == 0:
        sums[cuda.blockIdx.x] = partial[0]


def tell(problem, size, start):
    print(f"{problem},{size},numba,{time.perf_counter() - start:.9f}", flush=True)


def main():
    runs, n, count = (int(argument) for argument in sys.argv[1:4])
    random = np.random.default_rng(1)
    a, b = (random.integers(0, 4, n * n).astype(np.float32) for _ in range(2))
    values = random.integers(0, 4, count).astype(np.float32)
    product, sums = np.zeros(n * n, np.float32), np.zeros(count // BLOCK, np.float32)
    device_a, device_b, device_c = cuda.to_device(a), cuda.to_device(b), cuda.to_device(product)
    device_values, device_sums = cuda.to_device(values), cuda.to_device(sums)
    for _ in range(runs):
        start = time.perf_counter()
        matmul[(n // TILE, n // TILE), (TILE, TILE)](device_a, device_b, device_c, n)
        tell("matmul", n, start)
        start = time.perf_counter()
        reduce[count // BLOCK, BLOCK](device_values, device_sums)
        tell("reduce", count, start)
    if not np.array_equal(device_c.copy_to_host(), (a.reshape(n, n) @ b.reshape(n, n)).ravel()):
        sys.exit("kernels_numba.py: a wrong product")
    if device_sums.copy_to_host().sum() != values.sum():
        sys.exit("kernels_numba.py: a wrong sum")


main()

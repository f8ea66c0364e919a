/* The kernels of kernels.cu in OpenCL C. */
kernel void matmul(global const float *a, global const float *b, global float *c, int n)
{
    int row = get_global_id(1), column = get_global_id(0);
    if (row < n && column < n) {
        float sum = 0;
        for (int k = 0; k < n; k++) {
            sum += a[row * n + k] * b[k * n + column];
        }
        c[row * n + column] = sum;
    }
}

kernel void reduce(global const float *in, global float *out)
{
    local float partial[256];
    int tid = get_local_id(0);
    partial[tid] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 1; s < get_local_size(0); s *= 2) {
        if (tid % (2 * s) == 0) {
            partial[tid] += partial[tid + s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tid == 0) {
        out[get_group_id(0)] = partial[0];
    }
}

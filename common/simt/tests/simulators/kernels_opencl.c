/* Runs kernels.cl on the first OpenCL device. `oclgrind` makes itself that device: oclgrind
 * [OPTION]... kernels_opencl FILE.cl RUNS MATMUL_N SUM_COUNT MODE */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#include "native.h"

enum { TILE = 32, BLOCK = 256, SOURCE_BYTES = 1 << 16 };

static cl_context context;
static cl_command_queue queue;

static void check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "kernels_opencl: %s: error %d\n", what, status);
        exit(1);
    }
}

static void *need(void *memory)
{
    if (!memory) {
        fputs("kernels_opencl: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static cl_program build(const char *path)
{
    static char source[SOURCE_BYTES];
    const char *text = source;
    cl_platform_id platform;
    cl_device_id device;
    cl_program program;
    cl_int status;
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(source, 1, sizeof source - 1, file) : 0;
    if (!file || length == 0) {
        fprintf(stderr, "kernels_opencl: cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    check(clGetPlatformIDs(1, &platform, NULL), "no OpenCL platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "no OpenCL device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    program = clCreateProgramWithSource(context, 1, &text, &length, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "clBuildProgram");
    return program;
}

static cl_mem on_device(float *host, size_t count)
{
    cl_int status;
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   count * sizeof *host, host, &status);
    check(status, "clCreateBuffer");
    return memory;
}

/* Times the kernel and reads `count` results. */
static double run(cl_kernel kernel, cl_uint dimensions, const size_t *global, const size_t *local,
                  cl_mem from, float *to, size_t count)
{
    double start = seconds();
    check(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, local, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clFinish(queue), "clFinish");
    start = seconds() - start;
    check(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, count * sizeof *to, to, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    return start;
}

int main(int count, char **arguments)
{
    if (count != 6) {
        fputs("usage: oclgrind [OPTION]... kernels_opencl FILE.cl RUNS MATMUL_N SUM_COUNT MODE\n",
              stderr);
        return 2;
    }
    int runs = atoi(arguments[2]), status, n = atoi(arguments[3]);
    size_t side = (size_t)n, area = side * side, length = (size_t)atol(arguments[4]);
    size_t most = area > length ? area : length;
    const char *mode = arguments[5];
    cl_program program = build(arguments[1]);
    cl_kernel matmul = clCreateKernel(program, "matmul", &status);
    cl_kernel reduce = clCreateKernel(program, "reduce", &status);
    check(status, "clCreateKernel");
    float *a = need(malloc(most * sizeof *a)), *b = need(malloc(most * sizeof *b));
    float *right = need(malloc(area * sizeof *right)),
          *result = need(malloc(most * sizeof *result));
    fill(a, most, 1);
    fill(b, most, 2);
    native_matmul(a, b, right, side);
    cl_mem device_a = on_device(a, most), device_b = on_device(b, most),
           device_c = on_device(a, most);
    clSetKernelArg(matmul, 0, sizeof device_a, &device_a);
    clSetKernelArg(matmul, 1, sizeof device_b, &device_b);
    clSetKernelArg(matmul, 2, sizeof device_c, &device_c);
    clSetKernelArg(matmul, 3, sizeof n, &n);
    clSetKernelArg(reduce, 0, sizeof device_a, &device_a);
    clSetKernelArg(reduce, 1, sizeof device_c, &device_c);
    for (int i = 0; i < runs; i++) {
        tell(
            "matmul", side, mode,
            run(matmul, 2, (size_t[]){side, side}, (size_t[]){TILE, TILE}, device_c, result, area));
        for (size_t j = 0; j < area; j++) {
            if (result[j] != right[j]) {
                fputs("kernels_opencl: a wrong product\n", stderr);
                return 1;
            }
        }
        tell("reduce", length, mode,
             run(reduce, 1, (size_t[]){length}, (size_t[]){BLOCK}, device_c, result,
                 length / BLOCK));
        if (native_sum(result, length / BLOCK) != native_sum(a, length)) {
            fputs("kernels_opencl: a wrong sum\n", stderr);
            return 1;
        }
    }
    return 0;
}

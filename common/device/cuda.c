/* The back end cuda: an NVIDIA GPU. */
#include <stdio.h>

#include "device/gpu.h"

/* FP32 cores per multiprocessor. Source: CUDA C++ Programming Guide, Arithmetic Instructions, table
 * of throughput by compute capability. */
static int cores_per_multiprocessor(int compute_capability)
{
    return compute_capability == 75 || compute_capability == 80 ? 64 : 128;
}

static bool open_device(int device, struct machine *machine, struct error *error)
{
    struct cudaDeviceProp properties;
    int clock_khz = 0, driver = 0, runtime = 0;

    if (!gpu_open(device, machine, &properties, error) ||
        !gpu_succeeded(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device),
                       "cudaDeviceGetAttribute", error) ||
        !gpu_succeeded(cudaDriverGetVersion(&driver), "cudaDriverGetVersion", error) ||
        !gpu_succeeded(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion", error))
        return false;
    snprintf(machine->details, sizeof machine->details, "sm_%d, CUDA %d.%d, driver API %d.%d",
             machine->compute_capability, runtime / 1000, runtime % 1000 / 10, driver / 1000,
             driver % 1000 / 10);
    machine->peak_gflop_per_s = 2.0 * clock_khz * 1e3 * machine->processors *
                                cores_per_multiprocessor(machine->compute_capability) * 1e-9;
    return true;
}

const struct back_end gpu_back_end = {
    .name = "cuda",
    .clocks = true,
    .open = open_device,
    GPU_FUNCTIONS,
};

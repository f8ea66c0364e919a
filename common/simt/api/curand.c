/* cuRAND's host generators. XORWOW's numbers come from 4096 subsequences in turn, as NVIDIA's
 * documentation has it of the ordering that it calls legacy; Philox's one after the other. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "api/api.h"
#include "cuda/curand.h"
#include "memory/memory.h"
#include "memory/streams.h"
#include "observe/observer.h"

enum { SUBSEQUENCES = 4096, WEYL = 362437 };

/* machine/random.c */
void simt_xorwow_jump(unsigned int words[5], unsigned long long sequence,
                      unsigned long long offset);

struct curandGenerator_st {
    struct curandGenerator_st *next;
    curandRngType_t type;
    bool of_host;
    cudaStream_t stream;
    unsigned long long seed, position;
    struct {
        uint32_t v[5], d;
    } * states; /* of XORWOW, from `position` on; NULL: not yet */
};

static struct curandGenerator_st *generators;

/* Programs also hand in what was never made, or is no more. */
static bool exists(curandGenerator_t generator)
{
    const struct curandGenerator_st *known = generators;
    while (known && known != generator) {
        known = known->next;
    }
    return generator && known;
}

curandStatus_t curandGetVersion(int *version)
{
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool of_host)
{
    if (type == CURAND_RNG_PSEUDO_DEFAULT) {
        type = CURAND_RNG_PSEUDO_XORWOW;
    }
    if (!generator ||
        (type != CURAND_RNG_PSEUDO_XORWOW && type != CURAND_RNG_PSEUDO_PHILOX4_32_10)) {
        return CURAND_STATUS_TYPE_ERROR;
    }
    *generator = calloc(1, sizeof **generator);
    if (!*generator) {
        return CURAND_STATUS_ALLOCATION_FAILED;
    }
    (*generator)->type = type;
    (*generator)->of_host = of_host;
    (*generator)->next = generators;
    generators = *generator;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
    SIMT_API;
    return create(generator, type, false);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type)
{
    SIMT_API;
    return create(generator, type, true);
}

static curandStatus_t start_over(curandGenerator_t generator)
{
    if (!exists(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    free(generator->states);
    generator->states = NULL;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
    SIMT_API;
    struct curandGenerator_st **link = &generators;
    if (!exists(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    while (*link != generator) {
        link = &(*link)->next;
    }
    *link = generator->next;
    free(generator->states);
    free(generator);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
    SIMT_API;
    if (!exists(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed)
{
    SIMT_API;
    if (exists(generator)) {
        generator->seed = seed;
        generator->position = 0;
    }
    return start_over(generator);
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    SIMT_API;
    if (exists(generator)) {
        generator->position = offset;
    }
    return start_over(generator);
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
    SIMT_API;
    if (!exists(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    return order >= CURAND_ORDERING_PSEUDO_BEST && order <= CURAND_ORDERING_PSEUDO_LEGACY
               ? CURAND_STATUS_SUCCESS
               : CURAND_STATUS_OUT_OF_RANGE;
}

/* ---- bits ---- */

static bool prepare(curandGenerator_t generator)
{
    const unsigned long long seed = generator->seed;
    const uint32_t low = 1099087573u * ((uint32_t)seed ^ 0xaad26b49u);
    const uint32_t high = 2591861531u * ((uint32_t)(seed >> 32) ^ 0xf7dcefddu);
    if (generator->type != CURAND_RNG_PSEUDO_XORWOW || generator->states) {
        return true;
    }
    generator->states = calloc(SUBSEQUENCES, sizeof *generator->states);
    for (unsigned long long i = 0; generator->states && i < SUBSEQUENCES; i++) {
        const unsigned long long taken =
            generator->position / SUBSEQUENCES + (i < generator->position % SUBSEQUENCES);
        uint32_t *v = generator->states[i].v;
        v[0] = 123456789u + low;
        v[1] = 362436069u ^ low;
        v[2] = 521288629u + high;
        v[3] = 88675123u ^ high;
        v[4] = 5783321u + low;
        simt_xorwow_jump(v, i, taken);
        generator->states[i].d = 6615241u + high + low + WEYL * (uint32_t)taken;
    }
    return generator->states;
}

static uint32_t next_xorwow(curandGenerator_t generator)
{
    uint32_t *v = generator->states[generator->position % SUBSEQUENCES].v;
    uint32_t *d = &generator->states[generator->position % SUBSEQUENCES].d;
    const uint32_t first = v[0] ^ v[0] >> 2, last = v[4];
    for (int i = 0; i < 4; i++) {
        v[i] = v[i + 1];
    }
    v[4] = last ^ last << 4 ^ first ^ first << 1;
    *d += WEYL;
    return v[4] + *d;
}

static uint32_t next_philox(curandGenerator_t generator)
{
    const unsigned long long number = generator->position / 4;
    uint32_t c[4] = {(uint32_t)number, (uint32_t)(number >> 32), 0, 0};
    uint32_t key[2] = {(uint32_t)generator->seed, (uint32_t)(generator->seed >> 32)};
    for (int round = 0; round < 10; round++) {
        const uint64_t a = 0xd2511f53ull * c[0], b = 0xcd9e8d57ull * c[2];
        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ key[0];
        c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ key[1];
        c[3] = (uint32_t)a;
        key[0] += 0x9e3779b9u;
        key[1] += 0xbb67ae85u;
    }
    return c[generator->position % 4];
}

static uint32_t next(curandGenerator_t generator)
{
    const uint32_t bits = generator->type == CURAND_RNG_PSEUDO_XORWOW ? next_xorwow(generator)
                                                                      : next_philox(generator);
    generator->position++;
    return bits;
}

static double next_double(curandGenerator_t generator)
{
    const uint64_t low = next(generator);
    return (double)(low ^ (uint64_t)next(generator) << 21) * 0x1p-53 + 0x1p-54;
}

static float next_float(curandGenerator_t generator)
{
    return (float)next(generator) * 0x1p-32f + 0x1p-33f;
}

/* ---- numbers ---- */

static curandStatus_t begin(curandGenerator_t generator, const void *output, size_t bytes,
                            const char *name, const void *caller)
{
    const struct simt_region *region = simt_region_find(output);
    struct simt_operation *operation;
    if (!exists(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    if (bytes == 0 || generator->of_host) {
        return prepare(generator) ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
    }
    if (!simt_stream_exists(generator->stream)) {
        return CURAND_STATUS_LAUNCH_FAILURE;
    }
    if (!region || bytes > region->size - (size_t)((const char *)output - region->base)) {
        simt_call_failed(name, caller, cudaErrorInvalidValue, "the output %s",
                         region ? "ends past its allocation" : "is no memory of the device");
        return CURAND_STATUS_LAUNCH_FAILURE;
    }
    operation = simt_operation_begin(generator->stream, name);
    operation->caller = caller;
    operation->to = (struct simt_piece){(uintptr_t)output, bytes, bytes, 1};
    simt_observer.operation();
    return prepare(generator) ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

static void end(curandGenerator_t generator, void *output, size_t bytes)
{
    simt_memory_close();
    if (!generator->of_host && bytes > 0) {
        simt_observer.written(output, bytes, NULL);
    }
}

#define GENERATE(name, T, expression)                                                              \
    curandStatus_t name(curandGenerator_t generator, T *output, size_t count)                      \
    {                                                                                              \
        SIMT_API;                                                                                  \
        const curandStatus_t status =                                                              \
            begin(generator, output, count * sizeof(T), __func__, __builtin_return_address(0));    \
        if (status != CURAND_STATUS_SUCCESS) {                                                     \
            return status;                                                                         \
        }                                                                                          \
        simt_memory_open();                                                                        \
        for (size_t i = 0; i < count; i++) {                                                       \
            output[i] = expression;                                                                \
        }                                                                                          \
        end(generator, output, count * sizeof(T));                                                 \
        return status;                                                                             \
    }
GENERATE(curandGenerate, unsigned int, next(generator))
GENERATE(curandGenerateUniform, float, next_float(generator))
GENERATE(curandGenerateUniformDouble, double, next_double(generator))

curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
    SIMT_API;
    return !exists(generator)   ? CURAND_STATUS_NOT_INITIALIZED
           : prepare(generator) ? CURAND_STATUS_SUCCESS
                                : CURAND_STATUS_ALLOCATION_FAILED;
}

/* Two by two, by Box and Muller. */
#define GENERATE_NORMAL(name, T, next, log, sqrt, sin, cos, shape)                                 \
    curandStatus_t name(curandGenerator_t generator, T *output, size_t count, T mean, T deviation) \
    {                                                                                              \
        const T turn = (T)6.283185307179586;                                                       \
        curandStatus_t status;                                                                     \
        SIMT_API;                                                                                  \
        if (count % 2 != 0) {                                                                      \
            return CURAND_STATUS_LENGTH_NOT_MULTIPLE;                                              \
        }                                                                                          \
        status =                                                                                   \
            begin(generator, output, count * sizeof(T), __func__, __builtin_return_address(0));    \
        if (status != CURAND_STATUS_SUCCESS) {                                                     \
            return status;                                                                         \
        }                                                                                          \
        simt_memory_open();                                                                        \
        for (size_t i = 0; i < count; i += 2) {                                                    \
            const T radius = sqrt(-2 * log(next(generator))), angle = turn * next(generator);      \
            output[i] = shape(mean + deviation * radius * sin(angle));                             \
            output[i + 1] = shape(mean + deviation * radius * cos(angle));                         \
        }                                                                                          \
        end(generator, output, count * sizeof(T));                                                 \
        return status;                                                                             \
    }
GENERATE_NORMAL(curandGenerateNormal, float, next_float, logf, sqrtf, sinf, cosf, )
GENERATE_NORMAL(curandGenerateNormalDouble, double, next_double, log, sqrt, sin, cos, )
GENERATE_NORMAL(curandGenerateLogNormal, float, next_float, logf, sqrtf, sinf, cosf, expf)
GENERATE_NORMAL(curandGenerateLogNormalDouble, double, next_double, log, sqrt, sin, cos, exp)

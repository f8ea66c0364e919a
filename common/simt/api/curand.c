/* cuRAND's host generators: handles, and arrays of numbers. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/api.h"
#include "api/curand_draws.h"
#include "memory/memory.h"
#include "memory/streams.h"
#include "observe/observer.h"

/* machine/special.c */
double simt_erfcinv(double x);

struct curandGenerator_st {
    struct curandGenerator_st *next;
    struct simt_draws draws;
    bool of_host;
    cudaStream_t stream;
    unsigned int dimensions; /* of a quasirandom generator; its next point is draws.turn */
};

static struct curandGenerator_st *generators;

/* Programs also pass handles that were never made, or that were destroyed. */
static bool exists(curandGenerator_t generator)
{
    const struct curandGenerator_st *known = generators;
    while (known && known != generator) {
        known = known->next;
    }
    return generator && known;
}

static bool is_sobol64(const struct curandGenerator_st *generator)
{
    return generator->draws.type == CURAND_RNG_QUASI_SOBOL64;
}

static bool is_quasi(const struct curandGenerator_st *generator)
{
    return generator->draws.type == CURAND_RNG_QUASI_SOBOL32 || is_sobol64(generator);
}

/* Whether it refuses an odd count of normal numbers, because it makes them in pairs. NVIDIA
 * documents this for all pseudorandom generators; cuRAND 10.4 on an H200 does it for these only. */
static bool makes_pairs(const struct curandGenerator_st *generator)
{
    const curandRngType_t type = generator->draws.type;
    return type == CURAND_RNG_PSEUDO_XORWOW || type == CURAND_RNG_PSEUDO_MRG32K3A;
}

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool of_host)
{
    if (type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64) {
        fputs("simt: cuRAND's scrambled Sobol sequences are not available on the CPU back end: "
              "their tables are in NVIDIA's library\n",
              stderr);
        return CURAND_STATUS_TYPE_ERROR;
    }
    type = type == CURAND_RNG_PSEUDO_DEFAULT  ? CURAND_RNG_PSEUDO_XORWOW
           : type == CURAND_RNG_QUASI_DEFAULT ? CURAND_RNG_QUASI_SOBOL32
                                              : type;
    if (!generator || (!simt_draws_know(type) && type != CURAND_RNG_QUASI_SOBOL32 &&
                       type != CURAND_RNG_QUASI_SOBOL64)) {
        return CURAND_STATUS_TYPE_ERROR;
    }
    *generator = calloc(1, sizeof **generator);
    if (!*generator) {
        return CURAND_STATUS_ALLOCATION_FAILED;
    }
    (*generator)->draws.type = type;
    (*generator)->dimensions = 1;
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
    free(generator->draws.states);
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

/* The status of a call that a generator may not support (`is_none`: it does not). */
static curandStatus_t no_setting(curandGenerator_t generator, bool is_none)
{
    return !exists(generator) ? CURAND_STATUS_NOT_INITIALIZED
           : is_none          ? CURAND_STATUS_TYPE_ERROR
                              : CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed)
{
    SIMT_API;
    const curandStatus_t status = no_setting(generator, exists(generator) && is_quasi(generator));
    if (status == CURAND_STATUS_SUCCESS) {
        generator->draws.seed = seed;
        generator->draws.offset = 0;
        simt_draws_start_over(&generator->draws);
    }
    return status;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    SIMT_API;
    const curandStatus_t status =
        no_setting(generator, exists(generator) && !simt_draws_can_skip(generator->draws.type));
    if (status == CURAND_STATUS_SUCCESS) {
        generator->draws.offset = offset;
        simt_draws_start_over(&generator->draws);
    }
    return status;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
    SIMT_API;
    if (!exists(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    if (is_quasi(generator)
            ? order != CURAND_ORDERING_QUASI_DEFAULT
            : order < CURAND_ORDERING_PSEUDO_BEST || order > CURAND_ORDERING_PSEUDO_DYNAMIC) {
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    generator->draws.legacy = order == CURAND_ORDERING_PSEUDO_LEGACY;
    simt_draws_start_over(&generator->draws);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                       unsigned int dimensions)
{
    SIMT_API;
    const curandStatus_t status = no_setting(generator, exists(generator) && !is_quasi(generator));
    if (status != CURAND_STATUS_SUCCESS) {
        return status;
    }
    if (dimensions > SIMT_SOBOL_DIMENSIONS) {
        fprintf(stderr,
                "simt: Sobol sequences of %u dimensions are not available on the CPU back end: "
                "%d at most\n",
                dimensions, SIMT_SOBOL_DIMENSIONS);
    }
    if (dimensions == 0 || dimensions > SIMT_SOBOL_DIMENSIONS) {
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    generator->dimensions = dimensions;
    simt_draws_start_over(&generator->draws);
    return CURAND_STATUS_SUCCESS;
}

static bool prepare(curandGenerator_t generator)
{
    return is_quasi(generator) || simt_draws_prepare(&generator->draws);
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

/* A quasirandom generator returns all numbers of dimension 1, then all of dimension 2, ... */
static curandStatus_t begin_points(curandGenerator_t generator, const void *output, size_t count,
                                   size_t size, const char *name, const void *caller)
{
    const curandStatus_t status = begin(generator, output, count * size, name, caller);
    return status == CURAND_STATUS_SUCCESS && is_quasi(generator) &&
                   count % generator->dimensions != 0
               ? CURAND_STATUS_LENGTH_NOT_MULTIPLE
               : status;
}

#define FILL_QUASI(generator, output, count, expression)                                           \
    for (unsigned int d = 0; d < (generator)->dimensions; d++) {                                   \
        const size_t points = (count) / (generator)->dimensions;                                   \
        struct simt_sobol sobol;                                                                   \
        simt_sobol_start(&sobol, d, (generator)->draws.turn);                                      \
        for (size_t i = 0; i < points; i++) {                                                      \
            const uint64_t bits = simt_sobol_next(&sobol);                                         \
            (output)[d * points + i] = expression;                                                 \
        }                                                                                          \
    }                                                                                              \
    (generator)->draws.turn += (count) / (generator)->dimensions

static float float_of(uint64_t bits)
{
    return (float)(uint32_t)(bits >> 32) * 0x1p-32f + 0x1p-33f;
}

static double double_of(const struct curandGenerator_st *generator, uint64_t bits)
{
    return is_sobol64(generator) ? (double)(bits >> 11) * 0x1p-53 + 0x1p-54
                                 : (double)(bits >> 32) * 0x1p-32 + 0x1p-32;
}

/* The inverse of the normal distribution function. */
static double normal_below(double probability)
{
    return -1.4142135623730951 * simt_erfcinv(2 * probability);
}

static double normal_of(const struct curandGenerator_st *generator, uint64_t bits)
{
    return normal_below(is_sobol64(generator) ? double_of(generator, bits)
                                              : (double)(bits >> 32) * 0x1p-32 + 0x1p-33);
}

#define GENERATE(name, T, is_none, draw, quasi)                                                    \
    curandStatus_t name(curandGenerator_t generator, T *output, size_t count)                      \
    {                                                                                              \
        SIMT_API;                                                                                  \
        curandStatus_t status = no_setting(generator, exists(generator) && (is_none));             \
        if (status == CURAND_STATUS_SUCCESS) {                                                     \
            status = begin_points(generator, output, count, sizeof(T), __func__,                   \
                                  __builtin_return_address(0));                                    \
        }                                                                                          \
        if (status != CURAND_STATUS_SUCCESS) {                                                     \
            return status;                                                                         \
        }                                                                                          \
        simt_memory_open();                                                                        \
        if (is_quasi(generator)) {                                                                 \
            FILL_QUASI(generator, output, count, quasi);                                           \
        } else {                                                                                   \
            for (size_t i = 0; i < count; i++) {                                                   \
                output[i] = draw;                                                                  \
            }                                                                                      \
        }                                                                                          \
        end(generator, output, count * sizeof(T));                                                 \
        return status;                                                                             \
    }
GENERATE(curandGenerate, unsigned int, is_sobol64(generator), simt_draw_bits(&generator->draws),
         (unsigned int)(bits >> 32))
GENERATE(curandGenerateLongLong, unsigned long long, !is_sobol64(generator), 0, bits)
GENERATE(curandGenerateUniform, float, false, simt_draw_float(&generator->draws), float_of(bits))
GENERATE(curandGenerateUniformDouble, double, false, simt_draw_double(&generator->draws),
         double_of(generator, bits))

curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
    SIMT_API;
    return !exists(generator)   ? CURAND_STATUS_NOT_INITIALIZED
           : prepare(generator) ? CURAND_STATUS_SUCCESS
                                : CURAND_STATUS_ALLOCATION_FAILED;
}

/* Box-Muller, in pairs. Quasirandom numbers use the inverse distribution function instead. */
#define GENERATE_NORMAL(name, T, draw_pair, quasi, log, sqrt, sin, cos, shape)                     \
    curandStatus_t name(curandGenerator_t generator, T *output, size_t count, T mean, T deviation) \
    {                                                                                              \
        const T turn = (T)6.283185307179586;                                                       \
        curandStatus_t status;                                                                     \
        SIMT_API;                                                                                  \
        if (exists(generator) && makes_pairs(generator) && count % 2 != 0) {                       \
            return CURAND_STATUS_LENGTH_NOT_MULTIPLE;                                              \
        }                                                                                          \
        status = begin_points(generator, output, count, sizeof(T), __func__,                       \
                              __builtin_return_address(0));                                        \
        if (status != CURAND_STATUS_SUCCESS) {                                                     \
            return status;                                                                         \
        }                                                                                          \
        simt_memory_open();                                                                        \
        if (is_quasi(generator)) {                                                                 \
            FILL_QUASI(generator, output, count, shape(mean + deviation * (T)(quasi)));            \
        } else {                                                                                   \
            for (size_t i = 0; i < count; i += 2) {                                                \
                T pair[2], radius, angle;                                                          \
                draw_pair(&generator->draws, pair);                                                \
                radius = sqrt(-2 * log(pair[0]));                                                  \
                angle = turn * pair[1];                                                            \
                output[i] = shape(mean + deviation * radius * sin(angle));                         \
                if (i + 1 < count) {                                                               \
                    output[i + 1] = shape(mean + deviation * radius * cos(angle));                 \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        end(generator, output, count * sizeof(T));                                                 \
        return status;                                                                             \
    }
GENERATE_NORMAL(curandGenerateNormal, float, simt_draw_floats, normal_below(float_of(bits)), logf,
                sqrtf, sinf, cosf, )
GENERATE_NORMAL(curandGenerateNormalDouble, double, simt_draw_doubles, normal_of(generator, bits),
                log, sqrt, sin, cos, )
GENERATE_NORMAL(curandGenerateLogNormal, float, simt_draw_floats, normal_below(float_of(bits)),
                logf, sqrtf, sinf, cosf, expf)
GENERATE_NORMAL(curandGenerateLogNormalDouble, double, simt_draw_doubles,
                normal_of(generator, bits), log, sqrt, sin, cos, exp)

/* The inverse of the Poisson distribution function. A large mean uses the normal distribution
 * instead. */
static unsigned int poisson_of(double probability, double mean)
{
    const double LARGE = 500;
    double term = exp(-mean), sum = term;
    unsigned int number = 0;
    if (mean > LARGE) {
        return (unsigned int)fmax(0, floor(mean + sqrt(mean) * normal_below(probability) + 0.5));
    }
    for (; sum < probability && term > 0; sum += term) {
        term *= mean / ++number;
    }
    return number;
}

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int *output,
                                     size_t count, double mean)
{
    SIMT_API;
    const curandStatus_t status = begin_points(generator, output, count, sizeof *output, __func__,
                                               __builtin_return_address(0));
    if (status != CURAND_STATUS_SUCCESS) {
        return status;
    }
    if (!(mean > 0)) {
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    simt_memory_open();
    if (is_quasi(generator)) {
        FILL_QUASI(generator, output, count, poisson_of(double_of(generator, bits), mean));
    } else {
        for (size_t i = 0; i < count; i++) {
            output[i] = poisson_of(simt_draw_double(&generator->draws), mean);
        }
    }
    end(generator, output, count * sizeof *output);
    return status;
}
/* SPDX-License-Identifier: MIT */

/* Step 07: the ladders of each type. Everything else (options, inputs, verification, timing,
 * report) is in common/. */
#include "ladders.h"

static const struct climb *const f32_climbs[] = {&float32_ladder, &cpu_ladder,
                                                 &float32_tensor_cores_ladder, &float32_shapes};
static const struct climb *const bf16_climbs[] = {&bfloat16_ladder, &bfloat16_mma_ladder,
                                                  &bfloat16_shapes};
static const struct climb *const tf32_climbs[] = {&tf32_ladder};

static const struct ladder f32 = {
    .name = "f32",
    .idea = "Matrix product: reuse from shared memory, from registers, and past the library",
    .lesson = "loads sect/load shared conflicts",
    .kind = &gemm_kind,
    .back_end = &gpu_back_end,
    LADDER_CLIMBS(f32_climbs),
};

static const struct ladder bf16 = {
    .name = "bf16",
    .idea = "Matrix product in bfloat16: tensor cores, and past the library",
    .lesson = "shared conflicts barriers",
    .kind = &gemm_bf16_kind,
    .back_end = &gpu_back_end,
    LADDER_CLIMBS(bf16_climbs),
};

static const struct ladder tf32 = {
    .name = "tf32",
    .idea = "Matrix product in TF32: tensor cores for float32",
    .lesson = "shared conflicts barriers",
    .kind = &gemm_tf32_kind,
    .back_end = &gpu_back_end,
    LADDER_CLIMBS(tf32_climbs),
};

static const struct ladder *const ladders[] = {&f32, &bf16, &tf32, &f32_on_gpus, &bf16_on_gpus};

const struct step step = {
    .name = "07_gemm",
    .ladders = ladders,
    .ladder_count = sizeof ladders / sizeof ladders[0],
    .ladder_option = "type",
};
/* SPDX-License-Identifier: MIT */

/* Step 08: its ladders. Everything else (options, inputs, verification, timing, report) is in
 * common/. */
#include "ladders.h"

static const struct climb *const climbs[] = {
    &direct_ladder,       &cpu_ladder,     &gemm_ladder,      &winograd_ladder,
    &tensor_cores_ladder, &grouped_ladder, &any_shape_ladder,
};

static const struct ladder ladder = {
    .idea = "2-D convolution: loops, tiles, matrix products, Winograd, tensor cores",
    .lesson = "loads shared conflicts",
    .kind = &conv_kind,
    .back_end = &gpu_back_end,
    LADDER_CLIMBS(climbs),
};

static const struct ladder *const ladders[] = {&ladder};

const struct step step = {
    .name = "08_conv",
    .ladders = ladders,
    .ladder_count = sizeof ladders / sizeof ladders[0],
};
/* SPDX-License-Identifier: MIT */

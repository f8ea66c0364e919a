/* Step 08: the functions of its GPU rungs that the ladders call. Each is in the file of its kernel
 * or of its kernel's plan. any_shape and the CPU rungs have their own headers. */
#ifndef RUNGS_08_RUNGS_H
#define RUNGS_08_RUNGS_H

#include "problem/conv/conv.h"

#ifdef __cplusplus
extern "C" {
#endif

void launch_conv_naive(const struct conv *call);
void launch_constant_filter(const struct conv *call);
const char *declines_constant_filter(const struct conv *call);
void launch_conv_shared_tile(const struct conv *call);
const char *declines_conv_shared_tile(const struct conv *call);
void launch_shared_filters(const struct conv *call);
const char *declines_shared_filters(const struct conv *call);

void launch_conv_register_tile(const struct conv *call);
void launch_async_tile(const struct conv *call);
const char *declines_register_tile(const struct conv *call);

void prepare_planned_copies(const struct conv *call);
void launch_planned_copies(const struct conv *call);
const char *declines_planned_copies(const struct conv *call);
void prepare_direct(const struct conv *call);
void launch_direct(const struct conv *call);
const char *declines_direct(const struct conv *call);

void prepare_winograd(const struct conv *call);
void launch_winograd(const struct conv *call);
const char *declines_winograd(const struct conv *call);

void launch_grouped(const struct conv *call);
void launch_grouped_tile(const struct conv *call);
const char *declines_grouped(const struct conv *call);

void launch_im2col(const struct conv *call);
const char *declines_im2col(const struct conv *call);
void launch_implicit_gemm(const struct conv *call);
void launch_implicit_gemm_tiled(const struct conv *call);
void launch_implicit_gemm_double(const struct conv *call);
const char *declines_implicit_gemm(const struct conv *call);

void prepare_one_tile(const struct conv *call);
void launch_implicit_gemm_table(const struct conv *call);
void launch_implicit_gemm_packed(const struct conv *call);
void launch_implicit_gemm_warp_tile(const struct conv *call);
void launch_implicit_gemm_async(const struct conv *call);
void prepare_implicit_gemm_fitted(const struct conv *call);
void launch_implicit_gemm_fitted(const struct conv *call);
const char *declines_implicit_gemm_fitted(const struct conv *call);
void prepare_implicit_gemm_ordered(const struct conv *call);
void launch_implicit_gemm_ordered(const struct conv *call);
const char *declines_implicit_gemm_ordered(const struct conv *call);
void prepare_implicit_gemm_split(const struct conv *call);
void launch_implicit_gemm_split(const struct conv *call);
const char *declines_implicit_gemm_split(const struct conv *call);
const char *declines_gather(const struct conv *call);

void prepare_implicit_3xtf32(const struct conv *call);
void launch_implicit_3xtf32(const struct conv *call);
double depth_implicit_3xtf32(const struct conv *call);

void prepare_winograd_2x2(const struct conv *call);
void launch_winograd_2x2(const struct conv *call);
const char *declines_winograd_2x2(const struct conv *call);
void prepare_winograd_4x4(const struct conv *call);
void launch_winograd_4x4(const struct conv *call);
const char *declines_winograd_4x4(const struct conv *call);
void prepare_winograd_fused(const struct conv *call);
void launch_winograd_fused(const struct conv *call);
const char *declines_winograd_fused(const struct conv *call);
void prepare_winograd_3xtf32(const struct conv *call);
void launch_winograd_3xtf32(const struct conv *call);

void prepare_tensor(const struct conv *call);
void launch_tensor(const struct conv *call);
const char *declines_tensor(const struct conv *call);
double depth_tensor(const struct conv *call);

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */

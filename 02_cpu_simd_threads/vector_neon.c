/* Step 02, rung `vector` for 64-bit Arm, where every CPU has NEON: 4 floats or 2 doubles a
 * register. */
#include "vector.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#include <string.h>

#define TARGET

#define VECTOR_f32 float32x4_t
#define WIDTH_f32 4
#define FILL_f32(x) vdupq_n_f32(x)
#define STORE_f32(p, v) vst1q_f32(p, v)
#define FOLD_SUM_f32(v) vaddvq_f32(v)

#define VECTOR_f64 float64x2_t
#define WIDTH_f64 2
#define FILL_f64(x) vdupq_n_f64(x)
#define STORE_f64(p, v) vst1q_f64(p, v)
#define FOLD_SUM_f64(v) vaddvq_f64(v)

#define JOIN_dot_f32(x, y) vaddq_f32(x, y)
#define JOIN_dot_mixed(x, y) vaddq_f32(x, y)
#define JOIN_sum_f32(x, y) vaddq_f32(x, y)
#define JOIN_dot_f64(x, y) vaddq_f64(x, y)
#define JOIN_sum_f64(x, y) vaddq_f64(x, y)
/* These instructions keep a NaN on either side. */
#define JOIN_max_f32(x, y) vmaxq_f32(x, y)
#define JOIN_min_f32(x, y) vminq_f32(x, y)
#define JOIN_max_f64(x, y) vmaxq_f64(x, y)
#define JOIN_min_f64(x, y) vminq_f64(x, y)

/* 4 bytes, 0 or 1, as 4 floats: no pass over b beforehand. */
static inline float32x4_t bytes_as_floats(const unsigned char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    const uint16x8_t halves = vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(word)));
    return vcvtq_f32_u32(vmovl_u16(vget_low_u16(halves)));
}

#define STEP_dot_f32(s, i) vfmaq_f32(s, vld1q_f32(a + (i)), vld1q_f32(b + (i)))
#define STEP_dot_f64(s, i) vfmaq_f64(s, vld1q_f64(a + (i)), vld1q_f64(b + (i)))
#define STEP_dot_mixed(s, i) vfmaq_f32(s, vld1q_f32(a + (i)), bytes_as_floats(b + (i)))
#define STEP_sum_f32(s, i) JOIN_sum_f32(s, vld1q_f32(a + (i)))
#define STEP_sum_f64(s, i) JOIN_sum_f64(s, vld1q_f64(a + (i)))
#define STEP_max_f32(s, i) JOIN_max_f32(s, vld1q_f32(a + (i)))
#define STEP_max_f64(s, i) JOIN_max_f64(s, vld1q_f64(a + (i)))
#define STEP_min_f32(s, i) JOIN_min_f32(s, vld1q_f32(a + (i)))
#define STEP_min_f64(s, i) JOIN_min_f64(s, vld1q_f64(a + (i)))

#include "vector_select.h"

void vector_neon(const struct reduction *call)
{
    REDUCE_CALL(vector, call);
}
#endif

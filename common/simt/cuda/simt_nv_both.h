/* From here to simt_nv_one.h, NV_IF_TARGET chooses between the host's and the kernel's branch at
 * run time. libcu++'s own macro always takes the host's branch. */
#include <nv/target>
#pragma push_macro("NV_IF_TARGET")
#undef NV_IF_TARGET
#define NV_IF_TARGET(target, ...) SIMT_NV_IF(target, __VA_ARGS__)
#ifndef SIMT_NV_IF
#define SIMT_NV_IF(target, yes, no)                                                                \
    if (SIMT_NV_IF##target) {                                                                      \
        _NV_REMOVE_PAREN(yes)                                                                      \
    } else {                                                                                       \
        _NV_REMOVE_PAREN(no)                                                                       \
    }
#define SIMT_NV_IF__NV_IS_HOST (!simt_is_in_kernel())
#define SIMT_NV_IF__NV_IS_DEVICE simt_is_in_kernel()
#endif

/* NV_IF_TARGET from here on, up to simt_nv_one.h: the host's branch and a kernel's, of which one is
 * taken as the program runs. libcu++'s own takes the host's always. */
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

/* Drop-in for libcu++'s header of the same name: its scopes count, if it is as CUDA 13 has it. */
#pragma GCC system_header
#if __has_include(<cuda/std/__atomic/scopes.h>)
#include <simt_nv_scopes.h>

#include_next <cuda/__atomic/atomic.h>
#pragma pop_macro("NV_DISPATCH_TARGET")
#else
#include_next <cuda/__atomic/atomic.h>
#endif

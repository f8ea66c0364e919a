/* Drop-in for libcu++'s header of the same name: makes its scopes count, in the form of CUDA 13. */
#pragma GCC system_header
#if __has_include(<cuda/std/__atomic/scopes.h>)
#include <simt_nv_scopes.h>

#include_next <cuda/__atomic/atomic.h>
#pragma pop_macro("NV_DISPATCH_TARGET")
#else
#include_next <cuda/__atomic/atomic.h>
#endif

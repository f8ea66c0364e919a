/* NV_DISPATCH_TARGET from here on until it is popped, in libcu++'s atomics: the host's branch,
 * as ever, but first the runtime is told the scope, which that branch leaves out. What has neither
 * the type _Sco nor the value _Scope finds these. */
#include <cuda/std/__atomic/scopes.h>
#ifndef SIMT_NV_SCOPES
#define SIMT_NV_SCOPES
#include <type_traits>
namespace cuda
{
struct _Sco;
constexpr int _Scope = -1;
} // namespace cuda
#endif
#pragma push_macro("NV_DISPATCH_TARGET")
#undef NV_DISPATCH_TARGET
#define NV_DISPATCH_TARGET(...)                                                                    \
    if (!::std::is_same_v<_Sco, ::cuda::_Sco> || static_cast<int>(_Scope) != ::cuda::_Scope) {     \
        simt_next_scope(::std::is_same_v<_Sco, ::cuda::__thread_scope_block_tag> ||                \
                                static_cast<int>(_Scope) == ::cuda::thread_scope_block             \
                            ? SIMT_OF_BLOCK                                                        \
                        : ::std::is_same_v<_Sco, ::cuda::__thread_scope_system_tag> ||             \
                                static_cast<int>(_Scope) == ::cuda::thread_scope_system            \
                            ? SIMT_OF_SYSTEM                                                       \
                            : 0u);                                                                 \
    }                                                                                              \
    _NV_TARGET_DISPATCH(__VA_ARGS__)

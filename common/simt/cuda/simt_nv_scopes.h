/* From here until it is popped, NV_DISPATCH_TARGET in libcu++'s atomics first tells the runtime the
 * scope. It then takes the host's branch as usual, which ignores the scope. A function without
 * a type _Sco or value _Scope of its own finds the ones below. */
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

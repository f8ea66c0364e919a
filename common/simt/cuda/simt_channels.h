/* cudaCreateChannelDesc<T>(), and the C++ forms of functions on arrays.
 * simt_host_api.h includes this. */
#ifndef SIMT_CHANNELS_H
#define SIMT_CHANNELS_H

#include "cuda_runtime.h"

namespace simt
{

template <class T, class = void>
struct channel {
    typedef T type;
    static constexpr int count = 1;
};
template <class T>
struct channel<T, std::void_t<decltype(T::x)>> {
    typedef std::remove_cv_t<decltype(T::x)> type;
    static constexpr int count = sizeof(T) / sizeof(type);
};

} // namespace simt

template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    typedef typename simt::channel<T>::type type;
    constexpr int bits = 8 * sizeof(type), count = simt::channel<T>::count;
    constexpr cudaChannelFormatKind kind = std::is_floating_point_v<type>
                                               ? cudaChannelFormatKindFloat
                                           : std::is_signed_v<type> ? cudaChannelFormatKindSigned
                                                                    : cudaChannelFormatKindUnsigned;
    return ::cudaCreateChannelDesc(bits, count > 1 ? bits : 0, count > 2 ? bits : 0,
                                   count > 3 ? bits : 0, kind);
}

inline cudaChannelFormatDesc cudaCreateChannelDescHalf()
{
    return ::cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}

#endif

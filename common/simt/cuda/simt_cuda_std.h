/* libcu++'s names of the standard library, if no CUDA toolkit has them. They mean the host's
 * library, with which kernels are compiled. */
#ifndef SIMT_CUDA_STD_H
#define SIMT_CUDA_STD_H

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace cuda
{
namespace std
{
using namespace ::std;
}
} // namespace cuda

#endif

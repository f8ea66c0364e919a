/* libcu++'s names of the standard library, where no CUDA toolkit has them: the host's, since kernels
 * are compiled with the host's. */
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

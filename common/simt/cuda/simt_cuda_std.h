/* libcu++'s names of the standard library, where no CUDA toolkit has them: the host's, with which
 * kernels are compiled. */
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

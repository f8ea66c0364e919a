/* Drop-in for CUDA's header of the same name, which programs include for its version only: there is
 * no driver API here, and simt_rewrite says so where one is used. */
#ifndef SIMT_CUDA_H
#define SIMT_CUDA_H

#define CUDA_VERSION 13000

#endif

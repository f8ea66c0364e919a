# The CUDA toolkit that the back end cuda needs, and one line that says what to do if it is not there.

# The oldest toolkit whose runtime, PTX and cuBLAS have all that the steps call; and the oldest one
# whose CUB takes more than INT_MAX elements.
set(RUNGS_OLDEST_CUDA 12.0)
set(RUNGS_OLDEST_CUDA_OF_CUB 12.2)

# rungs_check_toolkit(): ends the configuration if nvcc is missing, too old, or refuses this system's
# g++. CMake's own check of a compiler would print pages, with the reason somewhere in them.
function(rungs_check_toolkit)
  if(CMAKE_CUDA_COMPILER)
    set(nvcc "${CMAKE_CUDA_COMPILER}")
  else()
    separate_arguments(named UNIX_COMMAND "$ENV{CUDACXX}")
    list(APPEND named nvcc)
    list(GET named 0 named)
    find_program(nvcc ${named} HINTS ENV CUDA_PATH PATH_SUFFIXES bin NO_CACHE)
  endif()
  set(host "${CMAKE_CUDA_HOST_COMPILER}")
  if(NOT host)
    set(host "$ENV{CUDAHOSTCXX}")
  endif()
  set(tried "${nvcc} ${host}")
  if(RUNGS_CHECKED_TOOLKIT STREQUAL tried)
    return()
  endif()
  if(NOT nvcc)
    message(FATAL_ERROR "nvcc was not found: install the CUDA toolkit, ${RUNGS_OLDEST_CUDA} or later, and add "
                        "its folder bin to PATH; or build for the CPU: -DRUNGS_BACKEND=simt")
  endif()
  execute_process(COMMAND ${nvcc} --version OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT said MATCHES "release ([0-9]+\\.[0-9]+)")
    return() # clang, which can compile CUDA as well, and is CMake's to check
  endif()
  set(version ${CMAKE_MATCH_1})
  if(version VERSION_LESS RUNGS_OLDEST_CUDA)
    message(FATAL_ERROR "CUDA ${RUNGS_OLDEST_CUDA} or later is needed, and ${nvcc} is ${version}: install a newer "
                        "toolkit, or build for the CPU: -DRUNGS_BACKEND=simt")
  endif()

  set(probe "${CMAKE_BINARY_DIR}/CMakeFiles/toolkit")
  file(WRITE "${probe}.cu" "int main(void) { return 0; }\n")
  set(by ${nvcc})
  if(host)
    list(APPEND by -ccbin ${host})
  else()
    set(host g++)
  endif()
  execute_process(COMMAND ${by} -std=c++17 -c "${probe}.cu" -o "${probe}.o" RESULT_VARIABLE failed
    OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(failed)
    if(said MATCHES "versions later than ([0-9]+) are not supported")
      message(FATAL_ERROR "nvcc ${version} takes g++ ${CMAKE_MATCH_1} at most, and ${host} is newer: install "
                          "g++-${CMAKE_MATCH_1} and name it in the environment, CUDAHOSTCXX=g++-${CMAKE_MATCH_1}")
    endif()
    string(REGEX MATCH "[^\n]*(error|fatal|unsupported|not found)[^\n]*" reason "${said}")
    if(NOT reason)
      string(REGEX MATCH "[^\n]+" reason "${said}")
    endif()
    message(FATAL_ERROR "nvcc ${version} does not compile with ${host} here: install another toolkit, or an older "
                        "g++ and name it in the environment, such as CUDAHOSTCXX=g++-12. It says: ${reason}")
  endif()
  set(RUNGS_CHECKED_TOOLKIT "${tried}" CACHE INTERNAL "The nvcc and g++ that rungs_check_toolkit tried")
endfunction()
# SPDX-License-Identifier: MIT

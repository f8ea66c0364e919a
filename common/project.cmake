# What every build of this repository has, of all steps (the root's CMakeLists.txt) or of a step by
# itself (the step's): options, tests, and the folder common. Included after project().

get_filename_component(RUNGS_ROOT ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(RUNGS_ALONE ON)
if(CMAKE_SOURCE_DIR STREQUAL RUNGS_ROOT)
  set(RUNGS_ALONE OFF)
endif()

set(RUNGS_BACKEND simt CACHE STRING "What runs the GPU steps: cuda, simt (the CPU) or none")
set_property(CACHE RUNGS_BACKEND PROPERTY STRINGS cuda simt none)
option(RUNGS_WERROR "Treat warnings as errors" OFF)
set(RUNGS_SANITIZE "" CACHE STRING "Sanitizers for host code, such as address,undefined or thread")
option(RUNGS_COMPILE_ONLY "Compile CUDA fast, for its errors and warnings: not to be run" OFF)
option(BUILD_TESTING "Build the tests (needs cmocka)" ON)

if(NOT RUNGS_BACKEND MATCHES "^(cuda|simt|none)$")
  message(FATAL_ERROR "RUNGS_BACKEND is '${RUNGS_BACKEND}': want cuda, simt or none")
endif()
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PNG QUIET)

include(${RUNGS_ROOT}/common/rungs.cmake)

if(BUILD_TESTING)
  enable_testing()
  find_path(CMOCKA_INCLUDE_DIR cmocka.h)
  find_library(CMOCKA_LIBRARY cmocka)
  if(NOT CMOCKA_INCLUDE_DIR OR NOT CMOCKA_LIBRARY)
    message(FATAL_ERROR "cmocka was not found: install libcmocka-dev, or build without the tests "
                        "(-DBUILD_TESTING=OFF)")
  endif()
endif()

add_subdirectory(${RUNGS_ROOT}/common ${PROJECT_BINARY_DIR}/common)

if(BUILD_TESTING AND NOT RUNGS_ALONE)
  cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL rungs_add_quick_tests)
endif()

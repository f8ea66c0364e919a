# What every build of this repository has, of all steps (the root's CMakeLists.txt) or of a step by
# itself (the step's): options, tests, and the folder common. Included after project().

get_filename_component(RUNGS_ROOT ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(RUNGS_ALONE ON)
if(CMAKE_SOURCE_DIR STREQUAL RUNGS_ROOT)
  set(RUNGS_ALONE OFF)
endif()

set(RUNGS_BACKEND auto CACHE STRING "What runs the GPU steps: auto, cuda, simt (the CPU) or none")
set_property(CACHE RUNGS_BACKEND PROPERTY STRINGS auto cuda simt none)
option(RUNGS_WERROR "Treat warnings as errors" OFF)
set(RUNGS_SANITIZE "" CACHE STRING "Sanitizers for host code, such as address,undefined or thread")
option(RUNGS_COMPILE_ONLY "Compile CUDA fast, for its errors and warnings: not to be run" OFF)
option(BUILD_TESTING "Build the tests (needs cmocka)" ON)

if(NOT RUNGS_BACKEND MATCHES "^(auto|cuda|simt|none)$")
  message(FATAL_ERROR "RUNGS_BACKEND is '${RUNGS_BACKEND}': choose one of auto, cuda, simt, none")
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
# bin has the programs of the steps and nothing else.
set(RUNGS_BIN ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
# Installed programs also find libraries that lie outside the system's folders, such as cuBLAS.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
include(GNUInstallDirs)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PNG QUIET)

# The normal variable hides the one in the cache, which stays `auto`.
if(RUNGS_BACKEND STREQUAL auto AND RUNGS_CPU_ONLY)
  set(RUNGS_BACKEND none)
  message(STATUS "Back end: none, this step has no GPU kernels")
elseif(RUNGS_BACKEND STREQUAL auto)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(RUNGS_BACKEND cuda)
    message(STATUS "Back end: cuda (${CMAKE_CUDA_COMPILER}). For the CPU: -DRUNGS_BACKEND=simt")
  else()
    set(RUNGS_BACKEND simt)
    message(STATUS "Back end: simt, the CPU (no CUDA compiler works here). For a GPU: "
                   "-DRUNGS_BACKEND=cuda")
  endif()
else()
  message(STATUS "Back end: ${RUNGS_BACKEND}. To change it: -DRUNGS_BACKEND=auto, cuda, simt or none")
endif()

include(${RUNGS_ROOT}/common/rungs.cmake)

# The target rungs_cmocka: what pkg-config knows, or the library that CMOCKA_LIBRARY and CMOCKA_INCLUDE_DIR
# name or CMake finds. Without it there are no tests.
if(BUILD_TESTING)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND AND NOT CMOCKA_LIBRARY)
    pkg_check_modules(CMOCKA QUIET IMPORTED_TARGET GLOBAL cmocka)
  endif()
  if(TARGET PkgConfig::CMOCKA)
    add_library(rungs_cmocka ALIAS PkgConfig::CMOCKA)
  else()
    find_path(CMOCKA_INCLUDE_DIR cmocka.h)
    find_library(CMOCKA_LIBRARY cmocka)
    add_library(rungs_cmocka INTERFACE)
    target_include_directories(rungs_cmocka SYSTEM INTERFACE ${CMOCKA_INCLUDE_DIR})
    target_link_libraries(rungs_cmocka INTERFACE ${CMOCKA_LIBRARY})
    if(NOT CMOCKA_INCLUDE_DIR OR NOT CMOCKA_LIBRARY)
      message(WARNING "cmocka was not found, so the tests are left out: install libcmocka-dev, then "
                      "configure again")
      set(BUILD_TESTING OFF)
    endif()
  endif()
endif()
if(BUILD_TESTING)
  find_package(Python3 3.7 QUIET COMPONENTS Interpreter) # once: it starts Python again at each call
  enable_testing()
endif()

add_subdirectory(${RUNGS_ROOT}/common ${PROJECT_BINARY_DIR}/common)

if(BUILD_TESTING AND NOT RUNGS_ALONE)
  cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL rungs_add_quick_tests)
endif()
# SPDX-License-Identifier: MIT

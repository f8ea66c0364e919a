# Compiler flags, the back ends, and rungs_add_step, which declares a step. Included once, by the
# root CMakeLists.txt.

# Warnings and sanitizers, for all targets of this repository.
add_library(rungs_flags INTERFACE)
target_compile_definitions(rungs_flags INTERFACE _GNU_SOURCE)
target_compile_options(rungs_flags INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wpedantic>
  # Contraction of a * b + c to a fused multiply-add would make results depend on the machine.
  $<$<COMPILE_LANGUAGE:C,CXX>:-ffp-contract=off>)
if(RUNGS_WERROR)
  target_compile_options(rungs_flags INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()
if(RUNGS_SANITIZE)
  target_compile_options(rungs_flags INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${RUNGS_SANITIZE} -fno-sanitize-recover=all
      -fno-omit-frame-pointer -g1>
    # -O3 would take twice as long to compile, and the sanitizers' checks take the time anyway.
    $<$<COMPILE_LANGUAGE:C>:-O1>)
  target_link_options(rungs_flags INTERFACE -fsanitize=${RUNGS_SANITIZE})
endif()

# The same for the tests' own code, little of which runs for long: -O3 would take twice as long to
# compile.
add_library(rungs_test_flags INTERFACE)
target_link_libraries(rungs_test_flags INTERFACE rungs_flags)
target_compile_options(rungs_test_flags INTERFACE
  $<$<AND:$<COMPILE_LANGUAGE:C>,$<NOT:$<CONFIG:Debug>>>:-O1>)
if(RUNGS_SANITIZE)
  target_compile_definitions(rungs_test_flags INTERFACE RUNGS_SANITIZED)
endif()

if(RUNGS_BACKEND STREQUAL cuda)
  # The GPU of this machine; without one, sm_90, whose code can be compiled and inspected.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE found ERROR_QUIET RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT failed AND found MATCHES "^([0-9]+)\\.([0-9]+)")
      set(CMAKE_CUDA_ARCHITECTURES ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
    else()
      set(CMAKE_CUDA_ARCHITECTURES 90)
      message(STATUS "No GPU answers here: programs are compiled for sm_90, and run on another machine")
    endif()
    set(CMAKE_CUDA_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES} CACHE STRING "GPU architectures")
  endif()
  # nvcc compiles host code with this compiler, whose standard library nvcc must support.
  enable_language(CXX)
  include(${RUNGS_ROOT}/common/toolkit.cmake)
  rungs_check_toolkit()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  # `<<<grid, block>>>` launches in a default stream that can be recorded as a CUDA graph, as short
  # work is timed (common/measure/trial.h). CUDA's other default stream cannot be recorded.
  target_compile_definitions(rungs_flags INTERFACE CUDA_API_PER_THREAD_DEFAULT_STREAM=1)
  target_compile_options(rungs_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra -lineinfo>)
  # Errors and warnings do not need the optimisations, which take more than half of nvcc's time.
  if(RUNGS_COMPILE_ONLY AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13.0)
    target_compile_options(rungs_flags INTERFACE
      $<$<COMPILE_LANGUAGE:CUDA>:--Ofast-compile=max>)
  endif()
  if(RUNGS_COMPILE_ONLY) # see simt.cmake: a quarter of the time for a small file
    target_compile_definitions(rungs_flags INTERFACE
      $<$<COMPILE_LANGUAGE:CUDA>:_GLIBCXX_BITS_SPECFUN_H>)
  endif()
elseif(RUNGS_BACKEND STREQUAL simt)
  # Its shared memory lies in front of the C library's thread-local variables, its mutex is recursive
  # from the start, and it reads the symbols of programs that glibc has loaded.
  include(CheckCSourceCompiles)
  check_c_source_compiles(
    "#include <features.h>\n#ifndef __GLIBC__\n#error\n#endif\nint main(void) { return 0; }" RUNGS_GLIBC)
  if(NOT RUNGS_GLIBC)
    message(FATAL_ERROR "The CPU back end needs glibc. With another C library, such as musl, the CPU "
                        "steps can be built: -DRUNGS_BACKEND=none")
  endif()
  enable_language(CXX)
  enable_language(ASM)
  include(${RUNGS_ROOT}/common/simt/simt.cmake)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS SIMT_OLDEST_COMPILER)
    message(FATAL_ERROR "The CPU back end needs g++ ${SIMT_OLDEST_COMPILER} or later, or clang++ "
                        "${SIMT_OLDEST_COMPILER} or later: ${CMAKE_CXX_COMPILER} is "
                        "${CMAKE_CXX_COMPILER_VERSION}")
  endif()
endif()

include(${RUNGS_ROOT}/common/each_reduction.cmake)

# Its property RUNGS_PROGRAMS: the programs of the steps.
add_library(rungs_steps INTERFACE)

# rungs_add_test(NAME subject.test [PYTHON version] [LABELS label...] [NEEDS file...] COMMAND command...):
# a test that is skipped, with the reason, if a file that it needs was not built or if there is no such
# Python, which runs the command then. Needed are also a program of ours as the command, every
# $<TARGET_FILE:...>, and the steps' programs if the folder that they are in is given.
#
# Its first label is its subject, which begins its name: `common`, `simt`, `exercise`, `pages`, `house`
# (how this repository is written), or `step` for a step's folder. More labels say which suites leave it
# out (docs/testing.md).
function(rungs_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 TEST "" "NAME;PYTHON" "LABELS;NEEDS;COMMAND")
  string(REGEX REPLACE "[.].*" "" subject ${TEST_NAME})
  if(subject MATCHES "^0[1-8]_")
    set(subject step)
  elseif(NOT subject MATCHES "^(common|simt|exercise|pages|house)$")
    message(FATAL_ERROR "The test ${TEST_NAME} has no subject")
  endif()
  list(GET TEST_COMMAND 0 program)
  if(TARGET ${program})
    list(POP_FRONT TEST_COMMAND)
    list(PREPEND TEST_COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${program}>)
  endif()
  foreach(argument IN LISTS TEST_COMMAND)
    if(argument MATCHES "^\\$<TARGET_FILE:")
      list(APPEND TEST_NEEDS ${argument})
    elseif(argument STREQUAL "${RUNGS_BIN}")
      list(APPEND TEST_NEEDS
        "$<TARGET_GENEX_EVAL:rungs_steps,$<TARGET_PROPERTY:rungs_steps,RUNGS_PROGRAMS>>")
    endif()
  endforeach()
  if(TEST_PYTHON)
    set(python ${Python3_EXECUTABLE} -B)
    if(NOT Python3_Interpreter_FOUND OR Python3_VERSION VERSION_LESS TEST_PYTHON)
      set(python ${CMAKE_COMMAND} -E echo "skipped: python3, ${TEST_PYTHON} or later, was not found:")
    endif()
    list(PREPEND TEST_COMMAND ${python})
  endif()
  list(REMOVE_DUPLICATES TEST_NEEDS)
  add_test(NAME ${TEST_NAME}
    COMMAND sh ${RUNGS_ROOT}/common/tests/run_test.sh ${TEST_NEEDS} -- ${TEST_COMMAND}
    COMMAND_EXPAND_LISTS)
  set_tests_properties(${TEST_NAME} PROPERTIES LABELS "${subject};${TEST_LABELS}"
    SKIP_REGULAR_EXPRESSION "^skipped: (.* was not built\n|python3, )")
endfunction()

# rungs_leave_to_all([TESTS test...] [PROGRAMS target...]): tests for `./test.sh --all` only (label
# `all`), and what is built for them alone. The target quick_tests is all the rest.
function(rungs_leave_to_all)
  cmake_parse_arguments(PARSE_ARGV 0 LEFT "" "" "TESTS;PROGRAMS")
  foreach(test IN LISTS LEFT_TESTS)
    set_property(TEST ${test} APPEND PROPERTY LABELS all)
  endforeach()
  set_property(GLOBAL APPEND PROPERTY RUNGS_LEFT_TO_ALL ${LEFT_PROGRAMS})
endfunction()

function(rungs_programs_of result folder)
  get_property(programs DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(subfolders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(subfolder IN LISTS subfolders)
    rungs_programs_of(more ${subfolder})
    list(APPEND programs ${more})
  endforeach()
  set(${result} ${programs} PARENT_SCOPE)
endfunction()

function(rungs_add_quick_tests)
  rungs_programs_of(programs ${PROJECT_SOURCE_DIR})
  get_property(left GLOBAL PROPERTY RUNGS_LEFT_TO_ALL)
  list(REMOVE_ITEM programs ${left})
  add_custom_target(quick_tests DEPENDS ${programs})
endfunction()

# rungs_add_objects(target architectures library source...): an object library of CUDA sources that
# are compiled for those architectures only.
function(rungs_add_objects target architectures library)
  add_library(${target} OBJECT ${ARGN})
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE ${library} rungs_flags)
endfunction()

# rungs_add_step(CPU|GPU source... [SM_80|SM_90|SM_90A source...]...
#                [TEST source...] [LARGE source...])
#
# Declares the step in the current directory: a program with the directory's name, and a test
# program for each source after TEST. The sources are ladder.c, which defines `step`, and the rungs:
# .c files for CPU rungs, .cu files, which both back ends compile, for GPU rungs.
#
# Sources after SM_80, SM_90 or SM_90A need compute capability 8.0 or later, 9.0 or later, or Hopper's
# architecture-specific instructions, and may have inline PTX. The cuda back end compiles them for
# those of the requested architectures that qualify; if none does, for the lowest that would.
#
# A test program whose source is also listed after LARGE has large cases, which it runs if its
# argument is `large`: these are the test TEST_large, with the label `all`, which test.sh runs with
# --all only. The tests' programs are built with the step's.
function(rungs_add_step kind)
  cmake_parse_arguments(PARSE_ARGV 1 STEP "" "" "SM_80;SM_90;SM_90A;TEST;LARGE")
  get_filename_component(name ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(library rungs_common)
  if(kind STREQUAL GPU AND RUNGS_BACKEND STREQUAL none)
    message(FATAL_ERROR "${name} has GPU kernels: RUNGS_BACKEND is none, expected cuda or simt")
  endif()
  if(kind STREQUAL GPU)
    set(library rungs_common_gpu)
  endif()

  set(host_sources ${STEP_UNPARSED_ARGUMENTS})
  list(FILTER host_sources EXCLUDE REGEX "\\.cu$")
  set(cuda_sources ${STEP_UNPARSED_ARGUMENTS})
  list(FILTER cuda_sources INCLUDE REGEX "\\.cu$")
  set(with_ptx ${STEP_SM_80} ${STEP_SM_90} ${STEP_SM_90A})

  set(rungs ${name}_rungs)
  add_library(${name}_rungs OBJECT ${host_sources})
  target_include_directories(${name}_rungs PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name}_rungs PRIVATE ${library} rungs_flags)
  if(RUNGS_BACKEND STREQUAL simt)
    simt_add_cuda_sources(${name}_rungs INSTRUMENTED ${cuda_sources})
    simt_add_cuda_sources(${name}_rungs INSTRUMENTED PREPROCESSED ${with_ptx})
  else()
    target_sources(${name}_rungs PRIVATE ${cuda_sources})
  endif()
  if(RUNGS_BACKEND STREQUAL cuda)
    foreach(least IN ITEMS 80 90)
      if(STEP_SM_${least})
        set(architectures ${CMAKE_CUDA_ARCHITECTURES})
        string(SUBSTRING ${least} 0 1 tens)
        list(FILTER architectures INCLUDE REGEX "^([${tens}-9][0-9]|1[0-9][0-9])")
        if(NOT architectures)
          set(architectures ${least})
        endif()
        rungs_add_objects(${name}_sm_${least} "${architectures}" ${library} ${STEP_SM_${least}})
        list(APPEND rungs ${name}_sm_${least})
      endif()
    endforeach()
    if(STEP_SM_90A)
      rungs_add_objects(${name}_sm_90a 90a ${library} ${STEP_SM_90A})
      list(APPEND rungs ${name}_sm_90a)
    endif()
  endif()

  # The .cu files need the C++ libraries; everything else is C.
  set(linker C)
  if(kind STREQUAL GPU)
    set(linker CXX)
  endif()
  set(main ${RUNGS_ROOT}/common/run/main.c)
  add_executable(${name} ${main})
  file(RELATIVE_PATH modules ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/rungs)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${RUNGS_BIN}
    BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN/${modules}")
  # One step: cmake --install BUILD --component NN_step.
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${name})
  if(kind STREQUAL GPU AND TARGET rungs_mpi)
    install(TARGETS rungs_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/rungs COMPONENT ${name})
  endif()
  set_property(TARGET rungs_steps APPEND PROPERTY RUNGS_PROGRAMS $<TARGET_FILE:${name}>)
  target_link_libraries(${name} PRIVATE ${rungs} ${library} rungs_flags)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE ${linker})
  if(NOT BUILD_TESTING)
    return()
  endif()

  set(labels)
  if(kind STREQUAL GPU) # whose default problems take a sanitizer long
    set(labels large)
  endif()
  rungs_add_test(NAME ${name}.run LABELS ${labels} COMMAND ${name} --warmup 0 --reps 1)

  foreach(source IN LISTS STEP_TEST)
    get_filename_component(test ${source} NAME_WE)
    add_executable(${test} ${source})
    add_dependencies(${name} ${test}) # so that `ctest -R NN_step` can run it
    target_include_directories(${test} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(${test} PRIVATE
      ${rungs} rungs_step_test ${library} rungs_test_flags)
    set_target_properties(${test} PROPERTIES LINKER_LANGUAGE ${linker})
    rungs_add_test(NAME ${name}.${test} COMMAND ${test})
    if(source IN_LIST STEP_LARGE)
      rungs_add_test(NAME ${name}.${test}_large LABELS all large COMMAND ${test} large)
    endif()
  endforeach()
endfunction()

# rungs_add_instruction_set_test(test.c source...): test.c tries all of a step's instruction sets that
# a processor has, in `source`. It is also compiled for 64-bit Arm and run by an emulator, if both are
# installed (without sanitizers, which that compiler is not given). A CPU step's sources are compiled
# already; a GPU step's objects need its kernels.
function(rungs_add_instruction_set_test test_source)
  get_filename_component(step ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  get_filename_component(test ${test_source} NAME_WE)
  add_executable(${test} ${test_source})
  get_target_property(linker ${step} LINKER_LANGUAGE)
  if(linker STREQUAL CXX)
    target_sources(${test} PRIVATE ${ARGN})
  else()
    target_link_libraries(${test} PRIVATE ${step}_rungs)
  endif()
  add_dependencies(${step} ${test})
  target_include_directories(${test} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${test} PRIVATE rungs_common rungs_test_flags)
  rungs_add_test(NAME ${step}.${test} COMMAND ${test})

  find_program(ARM64_COMPILER aarch64-linux-gnu-gcc)
  find_program(ARM64_EMULATOR qemu-aarch64)
  if(ARM64_COMPILER AND ARM64_EMULATOR AND NOT RUNGS_SANITIZE)
    set(arm64 ${CMAKE_CURRENT_BINARY_DIR}/${test}.arm64)
    set(sources ${test_source} ${ARGN})
    list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    file(GLOB headers ${CMAKE_CURRENT_SOURCE_DIR}/*.h ${CMAKE_CURRENT_SOURCE_DIR}/*/*.h)
    add_custom_command(OUTPUT ${arm64}
      COMMAND ${ARM64_COMPILER} -std=c11 -O2 -ffp-contract=off -D_GNU_SOURCE -static
        -I${CMAKE_CURRENT_SOURCE_DIR} -I${RUNGS_ROOT}/common ${sources} -o ${arm64} -lm
      DEPENDS ${sources} ${headers}
      VERBATIM)
    add_custom_target(${test}_arm64 ALL DEPENDS ${arm64})
    rungs_add_test(NAME ${step}.${test}_arm64 COMMAND ${ARM64_EMULATOR} ${arm64})
    rungs_leave_to_all(TESTS ${step}.${test}_arm64 PROGRAMS ${test}_arm64)
  endif()
endfunction()
# SPDX-License-Identifier: MIT

# simt_add_cuda_sources(target [INSTRUMENTED] [PREPROCESSED] file.cu ...): compiles CUDA C for
# the CPU back end and adds it to a target.
#
# simt_rewrite translates each file to C++ in the binary directory, where it is compiled with the
# back end's cuda_runtime.h and then the file's own folder on the include path. The target is linked
# with the runtime, and its C sources can include the host API.
#
# INSTRUMENTED: kernels call the runtime (machine/hooks.c) before each access to memory and in each basic
# block, so that they can be counted and checked: docs/simt_back_end.md. The calls take time even
# while nothing is counted. A second translation without them, as simtcc has, would take
# 10% off the time of the steps' runs, and add 50% to the time to build them.
#
# PREPROCESSED, or the property SIMT_PREPROCESSED of a source file: simt_rewrite comes after the
# preprocessor, as with simtcc, and so also translates inline PTX in headers and macros, and launches
# in included files.
#
# A source file with the property SIMT_INTERLEAVED is compiled so that the threads of a block are
# switched at every access to device memory: its races then lose updates as they do on a GPU.
#
# Neither can be combined with the sanitizers, so a build with these is without both.

# Compiler options for instrumentation: the hooks of the sanitizers without their libraries, line
# numbers, and none of the optimisations that merge, split, move or duplicate accesses and branches,
# so that the counts are the same with GCC and Clang, at -O1 and at -O2. (Hence -Wno-pass-failed:
# Clang would warn that it does not obey #pragma unroll.) Allocations in kernels are made as written
# and may return NULL, and stores to them are not removed. memcpy is not fortified, as Ubuntu's
# compilers do by default: that would be a call past the hooks. GCC has no hooks for a structure that a call
# takes from memory or puts there; a constructor that is not elided copies it, with hooks. These options must not be passed to
# the linker.
#
# SIMT_ARITHMETIC, of all device code: conversions.c has what it is for. SIMT_INSTRUMENTATION is for both
# translations of simtcc, SIMT_HOOKS and the compiler's options only for the one with the calls.
#
# -gdwarf-4: addr2line confuses the first two files of a version 5 line table. -g1, which has to come
# after it: only lines and inlining are needed; the other debugging information takes a quarter of the
# time to compile.
# Clang: with `bb`, because it otherwise splits edges, and a loop has one block and hook more than
# with GCC; and with the GNU assembler, which accepts the macro of cuda_runtime.h, but warns of
# sections that only LLVM's assembler knows.
set(SIMT_ARITHMETIC
  -fsanitize=float-cast-overflow)
set(SIMT_INSTRUMENTATION
  -DSIMT_INSTRUMENTED -gdwarf-4 -g1 -fno-optimize-sibling-calls -ffp-contract=off -fno-builtin-malloc
  -fno-builtin-free -fcheck-new -fno-delete-null-pointer-checks -U_FORTIFY_SOURCE)
set(SIMT_HOOKS
  -fsanitize=thread -fsanitize-coverage=trace-pc)
set(SIMT_INSTRUMENTATION_GNU
  -fsanitize=bounds -fno-reorder-blocks -fno-reorder-blocks-and-partition -fno-tree-vectorize
  -fno-tree-slp-vectorize -fno-tree-loop-distribute-patterns -fno-store-merging -fno-thread-jumps
  -Wno-tsan -fno-split-paths -fno-tree-dominator-opts -fno-tree-pre -fno-isolate-erroneous-paths-dereference
  --param=tsan-distinguish-volatile=1 -fno-elide-constructors)
set(SIMT_INSTRUMENTATION_Clang
  -fsanitize=array-bounds -fsanitize-coverage=bb,no-prune
  -mllvm -tsan-instrument-read-before-write=1 -mllvm -tsan-distinguish-volatile=1
  -mllvm -disable-vector-combine
  -mllvm -jump-threading-threshold=0 -mllvm -enable-load-pre=false
  -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -mllvm -pragma-unroll-threshold=0
  -fno-integrated-as -Wa,--no-warn -Wno-pass-failed -Wno-unused-command-line-argument)
set(SIMT_INSTRUMENTATION_Clang_13 # and later: loops that copy or clear stay loops
  -mllvm -disable-loop-idiom-memcpy -mllvm -disable-loop-idiom-memset)

# The dialect of device code, for the preprocessor and for the compiler: simtcc reads it here as well.
# libstdc++ has other declarations for GNU dialects, so text preprocessed for one does not compile as
# the other.
set(SIMT_STANDARD
  -std=gnu++17)

# The oldest g++ and clang++, for simtcc as well. Older ones do not tell volatile accesses from others:
# what polls would be reported as a race.
set(SIMT_OLDEST_COMPILER
  11)

set(SIMT_FOLDER "${CMAKE_CURRENT_LIST_DIR}")

function(simt_add_cuda_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 SIMT "INSTRUMENTED;PREPROCESSED" "" "")
  if(NOT SIMT_OPTIMISATION)
    set(SIMT_OPTIMISATION -O1)
    if(RUNGS_SANITIZE) # whose checks take -O1 twice as long to compile
      set(SIMT_OPTIMISATION -O0)
    endif()
  endif()
  target_link_libraries(${target} PRIVATE simt_runtime)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" configuration)
  separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${configuration}}")
  foreach(file IN LISTS SIMT_UNPARSED_ARGUMENTS)
    get_filename_component(source "${file}" ABSOLUTE)
    get_filename_component(folder "${source}" DIRECTORY)
    get_filename_component(name "${source}" NAME)
    # Two folders of a step can have a file of one name.
    string(REGEX REPLACE "^/.*/|^\\.\\./" "" place "${file}")
    set(rewritten "${CMAKE_CURRENT_BINARY_DIR}/simt_${target}/${place}.cpp")
    get_filename_component(place "${rewritten}" DIRECTORY)
    file(MAKE_DIRECTORY "${place}")
    target_sources(${target} PRIVATE "${rewritten}")
    # #pragma unroll is meant for nvcc. Kernels spend most of their time switching between threads:
    # -O3 would gain little and take 50% longer to compile.
    # assert() in kernels stays in a release build: the back end is there to find faults.
    # The macro leaves out libstdc++'s special functions, such as Bessel's, half of the time that
    # <cmath> takes; kernels have those of CUDA.
    set(options ${SIMT_STANDARD} -UNDEBUG -Wno-unknown-pragmas -D_GLIBCXX_BITS_SPECFUN_H "$<$<NOT:$<CONFIG:Debug>>:${SIMT_OPTIMISATION}>")
    if(CMAKE_CXX_COMPILER_ID STREQUAL Clang) # at -O1 it does not unroll all that #pragma unroll asks for
      list(APPEND options -Wno-pass-failed)
    else() # No file throws: code to unwind would take a sixth of the time. (Clang would then name
           # other lines where a kernel ends in a call.)
      list(APPEND options -fno-exceptions)
    endif()
    if(NOT RUNGS_SANITIZE)
      list(APPEND options ${SIMT_ARITHMETIC})
    elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU) # a call for each check: a sixth less time than inline
      list(APPEND options --param=asan-instrumentation-with-call-threshold=0)
    endif()
    get_source_file_property(interleaved "${source}" SIMT_INTERLEAVED)
    if(interleaved AND NOT RUNGS_SANITIZE)
      # Not when linking: machine/hooks.c provides the functions that the compiler inserts calls to.
      list(APPEND options -fsanitize=thread -DSIMT_INTERLEAVED=true)
    endif()
    if(SIMT_INSTRUMENTED AND NOT RUNGS_SANITIZE)
      # Verification can be followed by a debugger; counts are those of -O1 in any build.
      list(APPEND options ${SIMT_INSTRUMENTATION} "$<$<CONFIG:Debug>:-g>" ${SIMT_OPTIMISATION} -g1
        ${SIMT_HOOKS} ${SIMT_INSTRUMENTATION_${CMAKE_CXX_COMPILER_ID}})
      if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
        list(APPEND options ${SIMT_INSTRUMENTATION_Clang_13})
      endif()
    endif()
    get_source_file_property(preprocessed "${source}" SIMT_PREPROCESSED)
    if(SIMT_PREPROCESSED OR preprocessed)
      # The same options as the compiler gets, in the same order: many set macros.
      set(folders "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
      set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
      add_custom_command(
        OUTPUT "${rewritten}"
        COMMAND ${CMAKE_CXX_COMPILER} ${flags} "$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>" -x c++ -E -MD -MT "${rewritten}"
          -MF "${rewritten}.d" -isystem ${SIMT_FOLDER}/cuda
          "-I${folder}" "$<$<BOOL:${folders}>:-I$<JOIN:${folders},;-I>>"
          "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
          "${options}" -DSIMT_PREPROCESSED -include cuda_runtime.h "${source}" -o "${rewritten}.ii"
        COMMAND simt_rewrite --preprocessed "${rewritten}.ii" "${rewritten}"
        DEPENDS simt_rewrite "${source}"
        DEPFILE "${rewritten}.d"
        COMMENT "Rewriting ${name} for the CPU back end"
        COMMAND_EXPAND_LISTS
        VERBATIM)
      # The markers of the preprocessor; kernels that take a tensor map by value.
      list(APPEND options -Wno-pedantic -Wno-psabi)
    else()
      add_custom_command(
        OUTPUT "${rewritten}"
        COMMAND simt_rewrite "${source}" "${rewritten}"
        DEPENDS simt_rewrite "${source}"
        COMMENT "Rewriting ${name} for the CPU back end"
        VERBATIM)
    endif()
    set_source_files_properties("${rewritten}" PROPERTIES
      INCLUDE_DIRECTORIES "${folder}"
      COMPILE_OPTIONS "${options}")
  endforeach()
endfunction()
# SPDX-License-Identifier: MIT

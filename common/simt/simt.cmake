# simt_add_cuda_sources(target [INSTRUMENTED] [PREPROCESSED] file.cu ...): compiles CUDA C for
# the CPU back end and adds it to a target.
#
# simt_rewrite translates each file to C++ in the binary directory. The include path there has the back
# end's cuda_runtime.h first and then the file's own folder. The target is linked with the runtime, and
# its C sources can include the host API.
#
# INSTRUMENTED: kernels call the runtime (machine/hooks.c) before each memory access and in each basic
# block. The runtime counts and checks them (docs/simt_back_end.md). The calls take time even while
# nothing is counted. A second translation without the calls, as in simtcc, would make the steps run
# in 10% less time, but building them would take 50% longer.
#
# PREPROCESSED, or the property SIMT_PREPROCESSED of a source file: simt_rewrite runs after the
# preprocessor, as in simtcc. So it also translates inline PTX in headers and macros, and launches in
# included files.
#
# In a source file with the property SIMT_INTERLEAVED, the runtime switches between the threads of a block
# at every access to device memory. Data races then lose updates, as they do on a GPU.
#
# INSTRUMENTED and SIMT_INTERLEAVED cannot be combined with the sanitizers: such a build ignores both.

# Compiler options for instrumentation: the hooks of the sanitizers without their libraries, and line
# numbers. They turn off optimizations that merge, split, move or duplicate accesses and branches. Then
# the counts are the same with GCC and Clang, at -O1 and at -O2. (-Wno-pass-failed: otherwise Clang warns
# that it does not obey #pragma unroll.) Allocations in kernels are made as written and may return NULL,
# and stores to them are not removed. memcpy is not fortified (Ubuntu's compilers do so by default),
# because the fortified call would bypass the hooks. GCC has no hooks for a structure that a call reads
# from memory or writes there. -fno-elide-constructors makes a constructor copy it, with hooks. These
# options must not be passed to the linker.
#
# SIMT_ARITHMETIC is for all device code: conversions.c says why. SIMT_INSTRUMENTATION is for both
# translations of simtcc; SIMT_HOOKS and the compiler's options are only for the one with the calls.
#
# -gdwarf-4: addr2line confuses the first two files of a version 5 line table. -g1 must follow it: only
# lines and inlining are needed, and other debugging information takes a quarter of the compile time.
# Clang needs `bb` because it otherwise splits edges, and a loop gets one block and one hook more than
# with GCC. It also needs the GNU assembler, which accepts the macro of cuda_runtime.h but warns about
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
set(SIMT_INSTRUMENTATION_Clang_13 # and later: keep loops that copy or clear memory as loops
  -mllvm -disable-loop-idiom-memcpy -mllvm -disable-loop-idiom-memset)

# The C++ dialect of device code, for the preprocessor and the compiler. simtcc also reads it here.
# libstdc++ declares other things for GNU dialects, so code preprocessed for a GNU dialect does not
# compile as standard C++, and vice versa.
set(SIMT_STANDARD
  -std=gnu++17)

# The oldest g++ and clang++, also for simtcc. Older compilers do not distinguish volatile accesses from
# others, so a polling loop would be reported as a race.
set(SIMT_OLDEST_COMPILER
  11)

set(SIMT_FOLDER "${CMAKE_CURRENT_LIST_DIR}")

function(simt_add_cuda_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 SIMT "INSTRUMENTED;PREPROCESSED" "" "")
  if(NOT SIMT_OPTIMISATION)
    set(SIMT_OPTIMISATION -O1)
    if(RUNGS_SANITIZE) # with its checks, -O1 takes twice as long to compile
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
    # Two folders of a step can have files of the same name.
    string(REGEX REPLACE "^/.*/|^\\.\\./" "" place "${file}")
    set(rewritten "${CMAKE_CURRENT_BINARY_DIR}/simt_${target}/${place}.cpp")
    get_filename_component(place "${rewritten}" DIRECTORY)
    file(MAKE_DIRECTORY "${place}")
    target_sources(${target} PRIVATE "${rewritten}")
    # #pragma unroll is meant for nvcc. -O3 would gain little and take 50% longer to compile, because
    # kernels spend most of their time switching between threads.
    # assert() in kernels also works in a release build, because the back end is there to find faults.
    # The macro leaves out libstdc++'s special functions, such as Bessel's. They take half of the time
    # that <cmath> takes to compile, and kernels have those of CUDA.
    set(options ${SIMT_STANDARD} -UNDEBUG -Wno-unknown-pragmas -D_GLIBCXX_BITS_SPECFUN_H "$<$<NOT:$<CONFIG:Debug>>:${SIMT_OPTIMISATION}>")
    if(CMAKE_CXX_COMPILER_ID STREQUAL Clang) # at -O1 it does not unroll every loop with #pragma unroll
      list(APPEND options -Wno-pass-failed)
    else() # No file throws, and unwind code would take a sixth of the time. (With this option Clang
           # would report other lines if a kernel ends in a call.)
      list(APPEND options -fno-exceptions)
    endif()
    if(NOT RUNGS_SANITIZE)
      list(APPEND options ${SIMT_ARITHMETIC})
    elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU) # a call per check takes a sixth less time than inline checks
      list(APPEND options --param=asan-instrumentation-with-call-threshold=0)
    endif()
    get_source_file_property(interleaved "${source}" SIMT_INTERLEAVED)
    if(interleaved AND NOT RUNGS_SANITIZE)
      # Not for the linker: machine/hooks.c provides the functions that the compiler inserts calls to.
      list(APPEND options -fsanitize=thread -DSIMT_INTERLEAVED=true)
    endif()
    if(SIMT_INSTRUMENTED AND NOT RUNGS_SANITIZE)
      # A debugger can step through verification. Counts are those of -O1 in every build.
      list(APPEND options ${SIMT_INSTRUMENTATION} "$<$<CONFIG:Debug>:-g>" ${SIMT_OPTIMISATION} -g1
        ${SIMT_HOOKS} ${SIMT_INSTRUMENTATION_${CMAKE_CXX_COMPILER_ID}})
      if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
        list(APPEND options ${SIMT_INSTRUMENTATION_Clang_13})
      endif()
    endif()
    get_source_file_property(preprocessed "${source}" SIMT_PREPROCESSED)
    if(SIMT_PREPROCESSED OR preprocessed)
      # The compiler's options, in the same order, because many of them set macros.
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
      # For the preprocessor's markers, and for kernels with a tensor map passed by value.
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

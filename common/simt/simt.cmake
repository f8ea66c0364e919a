# simt_add_cuda_sources(target [INSTRUMENTED] file.cu ...): compiles CUDA C for the CPU back end into a target.
#
# Each file goes through simt_rewrite into the binary directory and is compiled there as C++17, with the
# back end's cuda_runtime.h first and the file's own folder after it on the include path. The target links
# the runtime, and its C sources see the host API.
#
# INSTRUMENTED: the compiler calls the runtime (trace.c) before each access to memory and in each basic
# block, so that kernels can be counted and checked: docs/simt_back_end.md. Calls cost time also while nothing
# is counted.
#
# A source file with the property SIMT_INTERLEAVED is compiled so that a block's threads take turns at every
# access to device memory: its races then lose updates here as they do on a GPU.
#
# The sanitizers exclude both; such a build runs without.

# What instrumentation takes, by compiler: the sanitizers' hooks without their libraries, line numbers, and
# none of the optimisations that would merge, split, move or multiply accesses and branches. The integers
# counted are then the same for both, and at -O1 and -O2. (#pragma unroll, which is for nvcc, then fails.)
# Allocations in kernels are made as written and may give NULL, and what is stored there is not left out.
# Not to be passed to the linker.
#
# -gdwarf-4: addr2line takes the first file of version 5's line table for the second. -g1: lines and what is
# inlined are all that is read; the rest takes a quarter of the time to compile.
# Clang: `bb`, since it else splits edges, and a loop has a block and a hook more than with GCC. The GNU
# assembler takes the macro of cuda_runtime.h; it warns of sections that only LLVM's knows.
set(SIMT_INSTRUMENTATION
  -DSIMT_INSTRUMENTED -gdwarf-4 -fsanitize=thread -fsanitize-coverage=trace-pc
  -fno-optimize-sibling-calls -ffp-contract=off -fno-builtin-malloc -fno-builtin-free -fcheck-new
  -fno-delete-null-pointer-checks)
set(SIMT_INSTRUMENTATION_GNU
  -g1 -fsanitize=bounds -fno-reorder-blocks -fno-reorder-blocks-and-partition -fno-tree-vectorize
  -fno-tree-slp-vectorize -fno-tree-loop-distribute-patterns -fno-store-merging -fno-thread-jumps
  -fno-split-paths -fno-tree-pre)
set(SIMT_INSTRUMENTATION_Clang
  -fsanitize=array-bounds -fsanitize-coverage=bb,no-prune -mllvm -tsan-instrument-read-before-write=1
  -mllvm -disable-vector-combine -mllvm -jump-threading-threshold=0 -mllvm -enable-load-pre=false
  -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -fno-integrated-as -Wa,--no-warn
  -Wno-pass-failed)

function(simt_add_cuda_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 SIMT "INSTRUMENTED" "" "")
  if(NOT SIMT_OPTIMISATION)
    set(SIMT_OPTIMISATION -O1)
  endif()
  target_link_libraries(${target} PRIVATE simt_runtime)
  foreach(file IN LISTS SIMT_UNPARSED_ARGUMENTS)
    get_filename_component(source "${file}" ABSOLUTE)
    get_filename_component(folder "${source}" DIRECTORY)
    get_filename_component(name "${source}" NAME)
    set(rewritten "${CMAKE_CURRENT_BINARY_DIR}/simt_${target}/${name}.cpp")
    file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/simt_${target}")
    add_custom_command(
      OUTPUT "${rewritten}"
      COMMAND simt_rewrite "${source}" "${rewritten}"
      DEPENDS simt_rewrite "${source}"
      COMMENT "Rewriting ${name} for the CPU back end"
      VERBATIM)
    target_sources(${target} PRIVATE "${rewritten}")
    # #pragma unroll is for nvcc. Most of a kernel's time goes to switching between threads: -O3 would take
    # half as long again to compile and win little.
    set(options -Wno-unknown-pragmas "$<$<NOT:$<CONFIG:Debug>>:${SIMT_OPTIMISATION}>")
    get_source_file_property(interleaved "${source}" SIMT_INTERLEAVED)
    if(interleaved AND NOT RUNGS_SANITIZE)
      # To compile only: trace.c is its runtime.
      list(APPEND options -fsanitize=thread -DSIMT_INTERLEAVED=true)
    endif()
    if(SIMT_INSTRUMENTED AND NOT RUNGS_SANITIZE)
      list(APPEND options ${SIMT_OPTIMISATION} ${SIMT_INSTRUMENTATION} ${SIMT_INSTRUMENTATION_${CMAKE_CXX_COMPILER_ID}})
    endif()
    set_source_files_properties("${rewritten}" PROPERTIES
      INCLUDE_DIRECTORIES "${folder}"
      COMPILE_OPTIONS "${options}")
  endforeach()
  target_compile_features(${target} PRIVATE cxx_std_17)
endfunction()

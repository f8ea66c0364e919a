# simt_add_cuda_sources(target file.cu ...): compiles CUDA C for the CPU back end into a target.
#
# Each file goes through simt_rewrite into the binary directory and is compiled there as C++17, with the
# back end's cuda_runtime.h first and the file's own folder after it on the include path. The target links
# the runtime, and its C sources see the host API.
#
# A source file with the property SIMT_INTERLEAVED is compiled so that a block's threads take turns at every
# access to device memory (interleave.c): its races then lose updates here as they do on a GPU. The address
# sanitizer excludes that; such a build runs without.
function(simt_add_cuda_sources target)
  target_link_libraries(${target} PRIVATE simt_runtime)
  foreach(file IN LISTS ARGN)
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
    set(options -Wno-unknown-pragmas) # #pragma unroll is for nvcc
    get_source_file_property(interleaved "${source}" SIMT_INTERLEAVED)
    if(interleaved AND NOT RUNGS_SANITIZE)
      list(APPEND options -fsanitize=thread) # to compile only: interleave.c is its runtime
    endif()
    set_source_files_properties("${rewritten}" PROPERTIES
      INCLUDE_DIRECTORIES "${folder}"
      COMPILE_OPTIONS "${options}")
  endforeach()
  target_compile_features(${target} PRIVATE cxx_std_17)
endfunction()

# rungs_each_reduction(units [MATRIX] kernels.cu... [OTHERS others.cu]): one source per kernels.cu, made
# by the build, which compiles its kernels for all operators and types: it includes the file once for
# each of them, in a namespace of its own. In `units` the caller gets the sources, for rungs_add_step.
#
# What the kernels see of the operator and the type is in common/kernel/reduce.cuh. A function of the
# file that takes a call, such as `void launch_NAME(const struct reduction *call)`, becomes a C function
# that calls the one for the call's operator and type.
#
# MATRIX: for calls that are a struct matrix_reduction, which has fewer operators and types.
#
# OTHERS: kernels.cu has the dot product only, as an expression that halfs do not have. The other file
# has the same functions for what is left.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(RUNGS_EACH_REDUCTION ${CMAKE_CURRENT_LIST_FILE})

  function(rungs_each_reduction units)
    cmake_parse_arguments(PARSE_ARGV 1 EACH "MATRIX" "OTHERS" "")
    set(others "")
    if(EACH_OTHERS)
      set(others ${CMAKE_CURRENT_SOURCE_DIR}/${EACH_OTHERS})
    endif()
    set(made "")
    foreach(kernels IN LISTS EACH_UNPARSED_ARGUMENTS)
      set(source ${CMAKE_CURRENT_SOURCE_DIR}/${kernels})
      set(unit ${CMAKE_CURRENT_BINARY_DIR}/each_reduction/${kernels})
      add_custom_command(OUTPUT ${unit}
        COMMAND ${CMAKE_COMMAND} -DUNIT=${unit} -DSOURCE=${source} -DOTHERS=${others}
          -DMATRIX=${EACH_MATRIX} -P ${RUNGS_EACH_REDUCTION}
        DEPENDS ${source} ${others} ${RUNGS_EACH_REDUCTION}
        COMMENT "Including ${kernels} for each operator and type"
        VERBATIM)
      get_source_file_property(interleaved ${source} SIMT_INTERLEAVED)
      set_source_files_properties(${unit} PROPERTIES SIMT_PREPROCESSED ON)
      if(interleaved)
        set_source_files_properties(${unit} PROPERTIES SIMT_INTERLEAVED ON)
      endif()
      list(APPEND made ${unit})
    endforeach()
    set(${units} ${made} PARENT_SCOPE)
  endfunction()
  return()
endif()

# ---- the script that makes a unit ------------------------------------------------------------------

set(call "reduction")
# The floats and doubles come first: the others' second launches are theirs.
set(reductions sum_f32 sum_f64 max_f32 max_f64 min_f32 min_f64)
if(MATRIX)
  set(call "matrix_reduction")
else()
  list(APPEND reductions sum_f16 max_f16 min_f16 dot_f32 dot_f64 dot_f16 dot_mixed dot_f32_f64)
endif()

# The file's own parts (.cuh) belong to each reduction; what else it includes is for all of them.
set(unit "")
set(included "")
foreach(file IN ITEMS ${SOURCE} ${OTHERS})
  get_filename_component(folder ${file} DIRECTORY)
  file(STRINGS ${file} lines REGEX "^#include ")
  foreach(line IN LISTS lines)
    if(line MATCHES "^#include \"kernel/reduce.cuh\"|^#include \"[^/]*[.]cuh\"")
      continue()
    endif()
    if(line MATCHES "^#include \"([^/]*)\"")
      set(line "#include \"${folder}/${CMAKE_MATCH_1}\"")
    endif()
    list(APPEND included "${line}")
  endforeach()
endforeach()
list(APPEND included "#include <cuda_fp16.h>" "#include <cuda_runtime.h>" "#include <math.h>"
  "#include \"problem/${call}/${call}.h\"")
list(REMOVE_DUPLICATES included)
foreach(line IN LISTS included)
  string(APPEND unit "${line}\n")
endforeach()

foreach(reduction IN LISTS reductions)
  string(REGEX MATCH "^([a-z]*)_(.*)$" reduction ${reduction})
  set(operator ${CMAKE_MATCH_1})
  set(type ${CMAKE_MATCH_2})
  set(file ${SOURCE})
  if(OTHERS AND (NOT operator STREQUAL dot OR type STREQUAL f16))
    set(file ${OTHERS})
  endif()
  string(REPLACE dot sum finish ${operator})
  set(finish_type f32)
  if(type MATCHES "f64$")
    set(finish_type f64)
  endif()
  string(TOUPPER "${operator};${type}" macros)
  string(APPEND unit "\nnamespace ${reduction}\n{\n")
  foreach(macro IN LISTS macros)
    string(APPEND unit "#define REDUCE_${macro}\n")
  endforeach()
  string(APPEND unit "#define FINISH(kernel) ${finish}_${finish_type}::kernel\n#include \"${file}\"\n#undef FINISH\n")
  foreach(macro IN LISTS macros)
    string(APPEND unit "#undef REDUCE_${macro}\n")
  endforeach()
  string(APPEND unit "} // namespace ${reduction}\n")
endforeach()

file(STRINGS ${SOURCE} functions REGEX "^[a-z].*[a-z_]\\(const struct ${call} [*]call\\)$")
list(FILTER functions EXCLUDE REGEX "^static ")
foreach(function IN LISTS functions)
  string(REGEX MATCH "([a-z0-9_]+)\\(" name ${function})
  set(name ${CMAKE_MATCH_1})
  string(APPEND unit "\nextern \"C\" ${function}\n{\n")
  list(REVERSE reductions)
  foreach(reduction IN LISTS reductions)
    string(TOUPPER ${reduction} upper)
    string(REGEX MATCH "^([A-Z]*)_(.*)$" upper ${upper})
    if(NOT reduction STREQUAL sum_f32)
      string(APPEND unit "    if (call->op == OP_${CMAKE_MATCH_1} && call->type == TYPE_${CMAKE_MATCH_2})\n    ")
    endif()
    string(APPEND unit "    return ${reduction}::${name}(call);\n")
  endforeach()
  list(REVERSE reductions)
  string(APPEND unit "}\n")
endforeach()

file(WRITE ${UNIT} "${unit}")
# SPDX-License-Identifier: MIT

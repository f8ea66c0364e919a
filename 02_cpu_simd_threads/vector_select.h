/* Part of vector_*.c: picks that file's macros for each operator and type, and compiles the
 * loops. */
#define VECTOR REDUCE_NAME(VECTOR, TYPE)
#define WIDTH REDUCE_NAME(WIDTH, TYPE)
#define FILL REDUCE_NAME(FILL, TYPE)
#define STORE REDUCE_NAME(STORE, TYPE)
#define FOLD_SUM REDUCE_NAME(FOLD_SUM, TYPE)
#define JOIN REDUCE_NAME(JOIN, SUFFIX)
#define STEP REDUCE_NAME(STEP, SUFFIX)

#define REDUCE_LOOPS "vector_loops.h"
#include "problem/reduction/reduce_each.h"

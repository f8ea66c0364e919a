/* Step 02, rung `vector` for every other CPU: registers of one number, yet several of them. */
#include "vector.h"

#define TARGET
#define VECTOR VALUE
#define WIDTH 1
#define FILL(x) (x)
#define STORE(p, v) (*(p) = (v))
#define FOLD_SUM(v) (v)
#define JOIN(x, y) COMBINE(x, y)
#define STEP(s, i) COMBINE(s, TERM(a, b, i))

#define REDUCE_LOOPS "vector_loops.h"
#include "problem/reduction/reduce_each.h"

void vector_scalar(const struct reduction *call)
{
    REDUCE_CALL(vector, call);
}

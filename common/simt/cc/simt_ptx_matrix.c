/* Tensor cores. */
#include "cc/simt_ptx.h"

bool ptx_emit_matrix(struct ptx *ptx, struct ptx_instruction *instruction)
{
    (void)ptx;
    (void)instruction;
    return false;
}

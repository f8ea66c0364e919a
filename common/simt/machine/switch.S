/* void simt_switch(void **save, void *stack_pointer): pushes the callee-saved registers, stores the
 * stack pointer in *save and continues where another call of simt_switch stopped. New stacks start
 * at simt_trampoline. context.c describes the frame.
 *
 * It returns with ret. Fibers mostly stop in the same chain of calls, so the processor predicts the
 * returns of simt_switch and its callers correctly. A jump would shift the return predictor by one
 * for all of them. */

#if defined(__x86_64__)

        .text
        .globl  simt_switch
        .type   simt_switch, @function
simt_switch:
        pushq   %rbp
        pushq   %rbx
        pushq   %r15
        pushq   %r14
        pushq   %r13
        pushq   %r12
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        popq    %r12
        popq    %r13
        popq    %r14
        popq    %r15
        popq    %rbx
        popq    %rbp
        ret
        .size   simt_switch, . - simt_switch

        .globl  simt_trampoline
        .type   simt_trampoline, @function
simt_trampoline:
        movq    %r14, %rdi
        xorl    %ebp, %ebp
        callq   *%r15
        ud2
        .size   simt_trampoline, . - simt_trampoline

#elif defined(__aarch64__)

        .text
        .globl  simt_switch
        .type   simt_switch, %function
simt_switch:
        sub     sp, sp, #160
        stp     x19, x20, [sp]
        stp     x21, x22, [sp, #16]
        stp     x23, x24, [sp, #32]
        stp     x25, x26, [sp, #48]
        stp     x27, x28, [sp, #64]
        stp     x29, x30, [sp, #80]
        stp     d8, d9, [sp, #96]
        stp     d10, d11, [sp, #112]
        stp     d12, d13, [sp, #128]
        stp     d14, d15, [sp, #144]
        mov     x9, sp
        str     x9, [x0]
        mov     sp, x1
        ldp     x19, x20, [sp]
        ldp     x21, x22, [sp, #16]
        ldp     x23, x24, [sp, #32]
        ldp     x25, x26, [sp, #48]
        ldp     x27, x28, [sp, #64]
        ldp     x29, x30, [sp, #80]
        ldp     d8, d9, [sp, #96]
        ldp     d10, d11, [sp, #112]
        ldp     d12, d13, [sp, #128]
        ldp     d14, d15, [sp, #144]
        add     sp, sp, #160
        ret
        .size   simt_switch, . - simt_switch

        .globl  simt_trampoline
        .type   simt_trampoline, %function
simt_trampoline:
        mov     x0, x19
        blr     x20
        brk     #1
        .size   simt_trampoline, . - simt_trampoline

#endif

        .section .note.GNU-stack, "", %progbits
/* SPDX-License-Identifier: MIT */

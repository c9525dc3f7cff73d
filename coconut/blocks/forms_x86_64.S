/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The registers of forms.c on x86-64. VECTOR_BITS: of the registers that this CPU has. */
#include "state.h"

        .bss
host_stack:     .skip 8
stack_pointer:  .skip 8
entry:          .skip 8

#if VECTOR_BITS == 512
#define VECTORS 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
#define MOVE vmovdqu64
#define REGISTER(i) %zmm##i
#else
#define VECTORS 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#if VECTOR_BITS == 256
#define MOVE vmovdqu
#define REGISTER(i) %ymm##i
#else
#define MOVE movdqu
#define REGISTER(i) %xmm##i
#endif
#endif

        .text
        .globl forms_begin_at, enter, landing_after, landing_target, landing_signal
forms_begin_at:
        mov     %rdi, entry(%rip)
        ret

enter:
        .irp    name, rbx, rbp, r12, r13, r14, r15
        push    %\name
        .endr
        mov     %rsp, host_stack(%rip)
        .irp    i, VECTORS
        MOVE    STATE_VECTORS + 64 * \i(%rdi), REGISTER(\i)
        .endr
#if VECTOR_BITS == 512
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        kmovq   STATE_MASKS + 8 * \i(%rdi), %k\i
        .endr
#endif
        pushq   STATE_FLAGS(%rdi)
        popfq
        mov     0(%rdi), %rax
        mov     8(%rdi), %rcx
        mov     16(%rdi), %rdx
        mov     24(%rdi), %rbx
        mov     32(%rdi), %rsp
        mov     40(%rdi), %rbp
        mov     48(%rdi), %rsi
        .irp    i, 8, 9, 10, 11, 12, 13, 14, 15
        mov     8 * \i(%rdi), %r\i
        .endr
        mov     56(%rdi), %rdi
        jmp     *entry(%rip)

landing_target:
        mov     %rsp, stack_pointer(%rip)
        mov     host_stack(%rip), %rsp
        pushfq
        push    $OUTCOME_TARGET
        jmp     save
landing_signal: /* whose number forms.c adds */
landing_after:
        mov     %rsp, stack_pointer(%rip)
        mov     host_stack(%rip), %rsp
        pushfq
        push    $OUTCOME_AFTER
save:
        push    %rdi
        mov     state_in_use(%rip), %rdi
        mov     %rax, 0(%rdi)
        mov     %rcx, 8(%rdi)
        mov     %rdx, 16(%rdi)
        mov     %rbx, 24(%rdi)
        mov     %rbp, 40(%rdi)
        mov     %rsi, 48(%rdi)
        .irp    i, 8, 9, 10, 11, 12, 13, 14, 15
        mov     %r\i, 8 * \i(%rdi)
        .endr
        mov     stack_pointer(%rip), %rax
        mov     %rax, 32(%rdi)
        popq    56(%rdi)
        popq    STATE_OUTCOME(%rdi)
        popq    STATE_FLAGS(%rdi)
        .irp    i, VECTORS
        MOVE    REGISTER(\i), STATE_VECTORS + 64 * \i(%rdi)
        .endr
#if VECTOR_BITS == 512
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        kmovq   %k\i, STATE_MASKS + 8 * \i(%rdi)
        .endr
#endif
#if VECTOR_BITS > 128
        vzeroupper
#endif
        cld
        .irp    name, r15, r14, r13, r12, rbp, rbx
        pop     %\name
        .endr
        ret

        .section .note.GNU-stack, "", @progbits

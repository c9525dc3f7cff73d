/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The registers of forms.c on 64-bit Arm. The thread pointer holds x0 while there is no other place for it. */
#include "state.h"

        .bss
        .balign 8
host_stack:     .skip 8
host_thread:    .skip 8

        .section .trampoline, "awx", @progbits
trampoline:
        ldr     x0, [x0]
jump:   b       .

/* Numbers of registers. */
#define OTHERS 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
#define VECTORS 0, 1, OTHERS, 31
#define SAVED_BY_CALLEE 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
#define VECTORS_SAVED_BY_CALLEE 8, 9, 10, 11, 12, 13, 14, 15

        .text
        .globl forms_begin_at, enter, landing_after, landing_target, landing_signal
forms_begin_at:
        adrp    x1, jump
        add     x1, x1, :lo12:jump
        sub     x0, x0, x1
        ubfx    x0, x0, #2, #26
        mov     w2, #0x14000000
        orr     w0, w0, w2
        str     w0, [x1]
        dc      cvau, x1
        dsb     ish
        ic      ivau, x1
        dsb     ish
        isb
        ret

enter:
        sub     sp, sp, #160
        .irp    i, SAVED_BY_CALLEE
        str     x\i, [sp, #8 * (\i - 19)]
        .endr
        .irp    i, VECTORS_SAVED_BY_CALLEE
        str     d\i, [sp, #96 + 8 * (\i - 8)]
        .endr
        adrp    x1, host_stack
        mov     x2, sp
        str     x2, [x1, :lo12:host_stack]
        mrs     x2, tpidr_el0
        adrp    x1, host_thread
        str     x2, [x1, :lo12:host_thread]
        .irp    i, VECTORS
        ldr     q\i, [x0, #STATE_VECTORS + 64 * \i]
        .endr
        ldr     x1, [x0, #STATE_FLAGS]
        msr     nzcv, x1
        ldr     x1, [x0, #248]
        mov     sp, x1
        .irp    i, 1, OTHERS
        ldr     x\i, [x0, #8 * \i]
        .endr
        b       trampoline

        .macro  landing outcome
        msr     tpidr_el0, x0
        adrp    x0, state_in_use
        ldr     x0, [x0, :lo12:state_in_use]
        str     x1, [x0, #8]
        mov     x1, #\outcome
        str     x1, [x0, #STATE_OUTCOME]
        b       save
        .endm

landing_target:
        landing OUTCOME_TARGET
landing_signal: /* whose number forms.c adds */
landing_after:
        landing OUTCOME_AFTER
save:
        mrs     x1, tpidr_el0
        str     x1, [x0]
        .irp    i, OTHERS
        str     x\i, [x0, #8 * \i]
        .endr
        mov     x1, sp
        str     x1, [x0, #248]
        mrs     x1, nzcv
        str     x1, [x0, #STATE_FLAGS]
        .irp    i, VECTORS
        str     q\i, [x0, #STATE_VECTORS + 64 * \i]
        .endr
        adrp    x1, host_thread
        ldr     x1, [x1, :lo12:host_thread]
        msr     tpidr_el0, x1
        adrp    x1, host_stack
        ldr     x1, [x1, :lo12:host_stack]
        mov     sp, x1
        .irp    i, SAVED_BY_CALLEE
        ldr     x\i, [sp, #8 * (\i - 19)]
        .endr
        .irp    i, VECTORS_SAVED_BY_CALLEE
        ldr     d\i, [sp, #96 + 8 * (\i - 8)]
        .endr
        add     sp, sp, #160
        ret

        .section .note.GNU-stack, "", @progbits

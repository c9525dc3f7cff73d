/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A plugin for qemu 7.2 that records the traces between trace_marks.h. For each, it writes a line to the
 * file that is its argument: the number of the comparison; a hash of the addresses of the executed
 * instructions, and their number; a hash of the addresses, sizes and directions of loads and stores, and
 * their number.
 *
 * Instructions and accesses have a hash each, because blocks, whose instructions are recorded before their
 * accesses, may be cut differently when they are translated again. What qemu's own functions copy without
 * going through its loads and stores, such as z/Architecture's MVC, is not recorded. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/trace_marks.h"
#include "qemu_plugin.h"

struct block {
    size_t length;
    uint64_t addresses[];
};

/* A hash like FNV-1a, of 64-bit words. */
struct record {
    uint64_t hash, count;
};

static struct record instructions, accesses;
static bool records;
static uint64_t comparison;
static FILE *out;

static void add(struct record *record, uint64_t word)
{
    record->hash = (record->hash ^ word) * UINT64_C(0x100000001b3);
    /* The multiplication moves nothing downwards. */
    record->hash ^= record->hash >> 32;
}

static void executed(unsigned vcpu, void *data)
{
    (void)vcpu;
    const struct block *const block = data;
    if (!records)
        return;
    for (size_t i = 0; i < block->length; i++)
        add(&instructions, block->addresses[i]);
    instructions.count += block->length;
}

static void accessed(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    (void)vcpu;
    (void)data;
    if (!records)
        return;
    add(&accesses, address);
    add(&accesses, info);
    accesses.count++;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    const size_t length = qemu_plugin_tb_n_insns(tb);
    struct block *const block = malloc(sizeof *block + length * sizeof block->addresses[0]);
    if (block == NULL)
        abort();
    block->length = length;
    for (size_t i = 0; i < length; i++) {
        struct qemu_plugin_insn *const instruction = qemu_plugin_tb_get_insn(tb, i);
        block->addresses[i] = qemu_plugin_insn_vaddr(instruction);
        qemu_plugin_register_vcpu_mem_cb(instruction, accessed, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                         NULL);
    }
    qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, block);
}

static void called(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a, uint64_t b, uint64_t c,
                   uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h)
{
    (void)id, (void)vcpu, (void)number, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
    if (!records && a >= TRACE_BEGINS && a < TRACE_ENDS) {
        comparison = a - TRACE_BEGINS;
        instructions = accesses = (struct record){0};
        records = true;
    } else if (records && a == TRACE_ENDS) {
        records = false;
        fprintf(out, "%" PRIu64 " %" PRIx64 " %" PRIu64 " %" PRIx64 " %" PRIu64 "\n", comparison,
                instructions.hash, instructions.count, accesses.hash, accesses.count);
    }
}

static void at_exit(qemu_plugin_id_t id, void *data)
{
    (void)id;
    (void)data;
    if (fclose(out) != 0)
        abort();
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
    static const char key[] = "out=";
    (void)info;
    if (argc != 1 || strncmp(argv[0], key, sizeof key - 1) != 0)
        return 1;
    out = fopen(argv[0] + sizeof key - 1, "w");
    if (out == NULL)
        return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_vcpu_syscall_cb(id, called);
    qemu_plugin_register_atexit_cb(id, at_exit, NULL);
    return 0;
}

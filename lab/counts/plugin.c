/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A plugin for qemu 7.2 that counts how often each block of instructions runs. At the end, it prints a
 * line for each block to standard error: the count, and the addresses of its instructions in hexadecimal,
 * separated by spaces.
 *
 * With the arguments begins=ADDRESS,ends=ADDRESS it prints such a line, with the count 1, for each
 * execution of a block instead, in order: from the last one that begins at the first address to the next
 * one that begins at the other, without the latter. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tests/cross/qemu_plugin.h"

struct block {
    uint64_t count;
    struct block *next;
    size_t length;
    uint64_t addresses[];
};
static struct block *blocks;

static bool traces, tracing;
static uint64_t begins, ends;
static const struct block **trace;
static size_t trace_length, trace_capacity;

static void executed(unsigned vcpu, void *data)
{
    (void)vcpu;
    const struct block *const block = data;
    if (block->addresses[0] == begins) {
        tracing = true;
        trace_length = 0;
    } else if (block->addresses[0] == ends) {
        tracing = false;
    }
    if (!tracing)
        return;
    if (trace_length == trace_capacity) {
        trace_capacity = trace_capacity != 0 ? 2 * trace_capacity : 4096;
        trace = realloc(trace, trace_capacity * sizeof trace[0]);
        if (trace == NULL)
            abort();
    }
    trace[trace_length++] = block;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    const size_t length = qemu_plugin_tb_n_insns(tb);
    struct block *block = calloc(1, sizeof *block + length * sizeof block->addresses[0]);
    if (block == NULL)
        abort();
    block->next = blocks;
    blocks = block;
    block->length = length;
    for (size_t i = 0; i < length; i++)
        block->addresses[i] = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, i));
    if (traces)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, block);
    else
        qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &block->count, 1);
}

static void print(const struct block *block, uint64_t count)
{
    fprintf(stderr, "%" PRIu64, count);
    for (size_t i = 0; i < block->length; i++)
        fprintf(stderr, " %" PRIx64, block->addresses[i]);
    fputc('\n', stderr);
}

static void at_exit(qemu_plugin_id_t id, void *data)
{
    (void)id;
    (void)data;
    for (const struct block *block = blocks; block != NULL; block = block->next)
        if (block->count != 0)
            print(block, block->count);
    for (size_t i = 0; i < trace_length; i++)
        print(trace[i], 1);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        static const char first[] = "begins=", last[] = "ends=";
        if (strncmp(argv[i], first, sizeof first - 1) == 0)
            begins = strtoull(argv[i] + sizeof first - 1, NULL, 16);
        else if (strncmp(argv[i], last, sizeof last - 1) == 0)
            ends = strtoull(argv[i] + sizeof last - 1, NULL, 16);
        else
            return 1;
    }
    traces = argc != 0;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, at_exit, NULL);
    return 0;
}

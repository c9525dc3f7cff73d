/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A plugin for qemu 7.2 that counts how often each block of instructions runs. At the end, it prints a
 * line for each block to standard error: the count, and the addresses of its instructions in hexadecimal,
 * separated by spaces. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../qemu_plugin.h"

struct block {
    uint64_t count;
    struct block *next;
    size_t length;
    uint64_t addresses[];
};
static struct block *blocks;

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
    qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &block->count, 1);
}

static void at_exit(qemu_plugin_id_t id, void *data)
{
    (void)id;
    (void)data;
    for (const struct block *block = blocks; block != NULL; block = block->next) {
        if (block->count == 0)
            continue;
        fprintf(stderr, "%" PRIu64, block->count);
        for (size_t i = 0; i < block->length; i++)
            fprintf(stderr, " %" PRIx64, block->addresses[i]);
        fputc('\n', stderr);
    }
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
    (void)info;
    (void)argc;
    (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, at_exit, NULL);
    return 0;
}

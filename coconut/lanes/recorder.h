/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Records the data-flow graphs of basic blocks, and writes them as JSON.
 *
 * The operations of graph lanes (graph.h, graph_vmsl.h) call record(), and return the number of a node.
 * Every value is assigned once (SSA), as in the papers' Coconut (the z14 paper, section 8). A basic block
 * is
 *
 *     {"name": NAME, "advance": BYTES, "nodes": [NODE...]}
 *     NODE = {"op": OPERATION, "args": [NUMBER...], "imm": [NUMBER...], "max": NUMBER, "name": NAME}
 *
 * "max" is the bound that the code states for the value, of 128 bits for a sum; "name" is empty unless the
 * node is an input or an output. An input and an output of the same name are carried from one iteration of
 * a loop to the next, in which the message advances by "advance" bytes. */
#ifndef COCONUT_RECORDER_H
#define COCONUT_RECORDER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Where an input is: in a register; in memory, one vector after another in the order of the inputs; or in
 * memory as a word. In a basic block that is not a loop, all are in memory. */
enum place { PLACE_REGISTER, PLACE_MEMORY, PLACE_WORD };

enum { NODES_MAX = 20000, NAME_BYTES = 32, NUMBERS_MAX = 16 };

__extension__ typedef unsigned __int128 bound;

static struct node {
    const char *operation;
    uint32_t args[3];
    int nargs, nimm;
    uint64_t imm[NUMBERS_MAX];
    bound max;
    char name[NAME_BYTES]; /* of an input or an output, otherwise empty */
} nodes[NODES_MAX];

/* A number in a node, also where uint64_t stands for words that are nodes. */
typedef uint64_t immediate;

static uint32_t node_count;

/* Offsets of loads are relative to this array, which is not read. */
static uint8_t message[1 << 12];

static inline uint32_t record(const char *operation, int nargs, const uint32_t *args, int nimm,
                              const uint64_t *imm)
{
    if (node_count == NODES_MAX) {
        fprintf(stderr, "a basic block has more than %d nodes\n", NODES_MAX);
        exit(1);
    }
    struct node *node = &nodes[node_count];
    *node = (struct node){.operation = operation, .nargs = nargs, .nimm = nimm, .max = UINT64_MAX};
    for (int i = 0; i < nargs; i++)
        node->args[i] = args[i];
    for (int i = 0; i < nimm; i++)
        node->imm[i] = imm[i];
    return node_count++;
}

static inline uint32_t record0(const char *operation, uint64_t imm)
{
    return record(operation, 0, NULL, 1, &imm);
}

static inline uint32_t record1(const char *operation, uint32_t a)
{
    return record(operation, 1, &a, 0, NULL);
}

static inline uint32_t record1_imm(const char *operation, uint32_t a, uint64_t imm)
{
    return record(operation, 1, &a, 1, &imm);
}

static inline uint32_t record2(const char *operation, uint32_t a, uint32_t b)
{
    return record(operation, 2, (const uint32_t[]){a, b}, 0, NULL);
}

static inline uint32_t record3(const char *operation, uint32_t a, uint32_t b, uint32_t c)
{
    return record(operation, 3, (const uint32_t[]){a, b, c}, 0, NULL);
}

/* The words of blocks `stride` bytes apart, which distinguishes the lanes' two kinds of loads. */
static inline uint32_t record_load(const char *operation, const uint8_t *blocks, size_t stride)
{
    const uint64_t imm[2] = {(uint64_t)(blocks - message), stride};
    return record(operation, 0, NULL, 2, imm);
}

/* The bounds in the order in which the code states them, limb by limb: coconut/prove/ takes them as a
 * suggestion which values are limbs of one element. */
static struct {
    uint32_t node;
    uint64_t max;
} checks[NODES_MAX];

static uint32_t check_count;

static inline void record_max(uint32_t node, uint64_t max)
{
    if (check_count < NODES_MAX) {
        checks[check_count].node = node;
        checks[check_count++].max = max;
    }
    if (max < nodes[node].max)
        nodes[node].max = max;
}

static uint64_t bb_advance;
static const char *bb_name;
static int bb_count;
static size_t sum_count; /* number of the block's words that have left the lanes */

static inline void name_node(uint32_t node, const char *name, size_t i)
{
    snprintf(nodes[node].name, NAME_BYTES, "%s[%zu]", name, i);
}

static inline void bb_begin(const char *name, size_t advance_bytes)
{
    bb_name = name;
    bb_advance = advance_bytes;
    node_count = 0;
    check_count = 0;
    sum_count = 0;
}

static uint32_t latest_in; /* the first node of the latest bb_in */

/* `numbers` are values of a vec or another type that consists of nodes, `bytes` long in total. */
static inline void bb_in(enum place place, const char *name, void *numbers, size_t bytes)
{
    latest_in = node_count;
    uint32_t *node = (uint32_t *)numbers; /* C++ needs the cast */
    for (size_t i = 0; i < bytes / sizeof *node; i++) {
        node[i] = record0("input", place);
        name_node(node[i], name, i);
    }
}

/* States a bound on inputs of the latest bb_in: on `count` of them from number `first` on. */
static inline void bb_in_max_of(size_t first, size_t count, uint64_t max)
{
    for (size_t i = 0; i < count; i++)
        record_max(latest_in + (uint32_t)(first + i), max);
}

/* States a bound on all inputs of the latest bb_in. */
static inline void bb_in_max(uint64_t max) { bb_in_max_of(0, node_count - latest_in, max); }

/* Words that enter the lanes by vec_splat or vec_only_block. What happens to them before is not part of the
 * graph: until then they are marks, by which the lanes recognize them. */
#define WORD_MARK UINT64_C(0x636f636f00000000)

static inline void bb_in_words(const char *name, uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t node = record0("input", PLACE_WORD);
        name_node(node, name, i);
        words[i] = WORD_MARK | node;
    }
}

static inline int is_mark(uint64_t word) { return word >> 32 == WORD_MARK >> 32; }

static inline void bb_out_from(const char *name, size_t first, const void *numbers, size_t bytes)
{
    const uint32_t *node = (const uint32_t *)numbers;
    for (size_t i = 0; i < bytes / sizeof *node; i++)
        name_node(record1("output", node[i]), name, first + i);
}

static inline void bb_out(const char *name, const void *numbers, size_t bytes)
{
    bb_out_from(name, 0, numbers, bytes);
}

static inline void print_bound(bound number)
{
    if (number >= 10)
        print_bound(number / 10);
    putchar('0' + (int)(number % 10));
}

static inline void bb_end(void)
{
    printf("%s\n{\"name\": \"%s\", \"advance\": %llu, \"nodes\": [", bb_count++ == 0 ? "" : ",", bb_name,
           (unsigned long long)bb_advance);
    for (uint32_t i = 0; i < node_count; i++) {
        const struct node *node = &nodes[i];
        printf("%s\n {\"op\": \"%s\", \"args\": [", i == 0 ? "" : ",", node->operation);
        for (int k = 0; k < node->nargs; k++)
            printf("%s%u", k == 0 ? "" : ", ", (unsigned)node->args[k]);
        printf("], \"imm\": [");
        for (int k = 0; k < node->nimm; k++)
            printf("%s%llu", k == 0 ? "" : ", ", (unsigned long long)node->imm[k]);
        printf("], \"max\": ");
        print_bound(node->max);
        printf(", \"name\": \"%s\"}", node->name);
    }
    printf("], \"checks\": [");
    for (uint32_t i = 0; i < check_count; i++)
        printf("%s[%u, %llu]", i == 0 ? "" : ", ", (unsigned)checks[i].node,
               (unsigned long long)checks[i].max);
    printf("]}");
}

static inline void blocks_begin(const char *kernel, int lanes)
{
    printf("{\"kernel\": \"%s\", \"lanes\": %d, \"blocks\": [", kernel, lanes);
}

static inline void blocks_end(void) { printf("]}\n"); }

/* A graph is the same for all samples: one is enough, and its values do not matter. */
enum { SAMPLES_WANTED = 1 };
static inline void bb_sample(int sample) { (void)sample; }

#endif

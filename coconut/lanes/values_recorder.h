/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Writes what the library's model lanes compute from samples, as JSON: for each basic block and sample,
 *
 *     {"block": NAME, "sample": NUMBER, "message": HEX, "inputs": {NAME: [HEX...]}, "outputs": {...}}
 *
 * with a number for each block, or one for a sum over the lanes. This is the counterpart of recorder.h: the
 * same program (blocks/) writes the graph over graph lanes, and over model lanes what it must compute. */
#ifndef COCONUT_VALUES_RECORDER_H
#define COCONUT_VALUES_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum place { PLACE_REGISTER, PLACE_MEMORY, PLACE_WORD };

enum { SAMPLES_WANTED = 1 << 20, OUTPUTS_BYTES = 1 << 18 };

static uint8_t message[1 << 12];
static int bb_count, bb_sample_number, values_count;
static bool bb_is_open;
static char outputs[OUTPUTS_BYTES];
static size_t outputs_bytes, sum_count;

static inline void bb_sample(int sample) { bb_sample_number = sample; }
/* simulate.py checks bounds. */
static inline void bb_in_max(uint64_t max) { (void)max; }
static inline void bb_in_max_of(size_t first, size_t count, uint64_t max)
{
    (void)first, (void)count, (void)max;
}

static inline void bb_begin(const char *name, size_t advance_bytes)
{
    (void)advance_bytes;
    printf("%s\n{\"block\": \"%s\", \"sample\": %d, \"message\": \"", bb_count++ == 0 ? "" : ",", name,
           bb_sample_number);
    for (size_t i = 0; i < sizeof message; i++)
        printf("%02x", message[i]);
    printf("\", \"inputs\": {");
    values_count = 0;
    outputs_bytes = 0;
    sum_count = 0;
    bb_is_open = true;
}

/* Writes a value of `nnumbers` numbers, each of `words_each` words, of which the most significant is
 * written first. */
static inline void write_value(bool out, const char *name, size_t i, const uint64_t *words, int nnumbers,
                               int words_each)
{
    char text[1024], *end = text;
    end += snprintf(end, 64, "\"%s[%zu]\": [", name, i);
    for (int k = 0; k < nnumbers; k++) {
        end += snprintf(end, 8, "%s\"", k == 0 ? "" : ", ");
        for (int word = words_each - 1; word >= 0; word--)
            end += snprintf(end, 20, "%016llx", (unsigned long long)words[k * words_each + word]);
        end += snprintf(end, 8, "\"");
    }
    snprintf(end, 8, "]");
    if (!bb_is_open)
        return;
    if (!out)
        printf("%s%s", values_count++ == 0 ? "" : ", ", text);
    else
        outputs_bytes += (size_t)snprintf(outputs + outputs_bytes, OUTPUTS_BYTES - outputs_bytes, "%s%s",
                                          outputs_bytes == 0 ? "" : ", ", text);
}

/* Writes values of COCONUT_LANES words each, `bytes` long in total. */
static inline void bb_values(bool out, const char *name, const void *numbers, size_t bytes)
{
    uint64_t lanes[COCONUT_LANES];
    for (size_t i = 0; i < bytes / sizeof lanes; i++) {
        memcpy(lanes, (const uint8_t *)numbers + i * sizeof lanes, sizeof lanes);
        write_value(out, name, i, lanes, COCONUT_LANES, 1);
    }
}

static inline void bb_in(enum place place, const char *name, const void *numbers, size_t bytes)
{
    (void)place;
    bb_values(false, name, numbers, bytes);
}

static inline void bb_out(const char *name, const void *numbers, size_t bytes)
{
    bb_values(true, name, numbers, bytes);
}

static inline void bb_end(void)
{
    printf("}, \"outputs\": {%s}}", outputs);
    bb_is_open = false;
}

static inline void blocks_begin(const char *kernel, int lanes)
{
    printf("{\"kernel\": \"%s\", \"lanes\": %d, \"values\": [", kernel, lanes);
}

static inline void blocks_end(void) { printf("]}\n"); }

#endif

/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Determines which rows of a list a CPU uses. */
#include "dispatch.h"

#include "cpu.h"

static bool runs_well(const struct hornet_row *row, uint32_t cpu)
{
    return hornet_can_run(row->implementation, cpu) && (row->preferred_on & ~cpu) == 0;
}

/* Returns `rows` without those that are never reached because an earlier row serves every amount that they
 * would serve, and adds HORNET_BASELINE_IN_USE if the baseline is among the rest. The first row always
 * stays, because the list begins with it. */
static uint32_t reached(const struct hornet_list *list, uint32_t rows)
{
    size_t served_from = HORNET_NEVER;
    uint32_t result = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct hornet_row *row = &list->rows[i];
        if ((rows >> i & 1) == 0 || (result != 0 && row->min >= served_from))
            continue;
        served_from = row->min;
        result |= UINT32_C(1) << i;
        if (row->implementation == list->baseline)
            result |= HORNET_BASELINE_IN_USE;
    }
    return result;
}

static bool same(const char *a, const char *b)
{
    while (*a != 0 && *a == *b)
        a++, b++;
    return *a == *b;
}

bool hornet_same_kernel(const struct hornet_row *a, const struct hornet_row *b)
{
    return same(a->implementation->name, b->implementation->name);
}

const struct hornet_row *hornet_dispatch_row_on(const struct hornet_list *list, const char *name,
                                                uint32_t cpu)
{
    const struct hornet_row *last = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct hornet_row *row = &list->rows[i];
        if (!same(row->implementation->name, name))
            continue;
        last = row;
        if (runs_well(row, cpu))
            break;
    }
    return last;
}

uint32_t hornet_dispatch_rows(const struct hornet_list *list, uint32_t cpu, const char *name)
{
    size_t first = 0;
    uint32_t rows = 0;
    if (name != NULL) {
        const struct hornet_row *row = hornet_dispatch_row_on(list, name, cpu);
        if (row == NULL || !hornet_can_run(row->implementation, cpu))
            return 0;
        first = (size_t)(row - list->rows);
        rows = UINT32_C(1) << first;
    }
    for (size_t i = first; i < list->count; i++)
        rows |= (uint32_t)runs_well(&list->rows[i], cpu) << i;
    return reached(list, rows);
}

uint32_t hornet_dispatch_begin(const struct hornet_list *list)
{
    const uint32_t rows = hornet_dispatch_rows(list, hornet_cpu(), NULL);
    uint32_t expected = 0;
    /* Not a plain store, so that an implementation that was forced meanwhile stays. */
    return atomic_replace(list->in_use, &expected, rows) ? rows : expected;
}

bool hornet_dispatch_force(const struct hornet_list *list, const char *name)
{
    const uint32_t rows = hornet_dispatch_rows(list, hornet_cpu(), name);
    if (rows != 0)
        atomic_store(list->in_use, rows);
    return rows != 0;
}

const struct hornet_row *hornet_dispatch_batch(const struct hornet_list *list, uint32_t in_use,
                                               uint32_t cpu, size_t amount)
{
    /* The first row is used even if it was forced and does not run well. */
    const struct hornet_row *first = hornet_dispatch(list->rows, in_use, SIZE_MAX), *row = first;
    while (row->min_batch > amount || !(row == first || runs_well(row, cpu)))
        row++;
    return row;
}

/* The names of the counters, for reports. */
#ifndef RUNGS_COUNTERS_H
#define RUNGS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/back_end.h"

struct counter_field {
    const char *name;
    size_t member;  /* offset in struct counters of a uint64_t */
    bool is_memory; /* in struct memory_counters */
};

/* Those in struct memory_counters come last. */
enum { COUNTER_FIELDS = 24 };
extern const struct counter_field counter_fields[COUNTER_FIELDS];

uint64_t counter_value(const struct counters *counters, const struct counter_field *field);

#endif
/* SPDX-License-Identifier: MIT */

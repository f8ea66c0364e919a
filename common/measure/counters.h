/* The counters of a row by name, as reports write them and the counting program sends them. */
#ifndef RUNGS_COUNTERS_H
#define RUNGS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/back_end.h"

struct counter_field {
    const char *name;
    size_t member; /* of struct counters: a uint64_t */
    bool is_memory;
};

/* Those of memory come last. */
enum { COUNTER_FIELDS = 24 };
extern const struct counter_field counter_fields[COUNTER_FIELDS];

uint64_t *counter_of(struct counters *counters, const struct counter_field *field);
uint64_t counter_value(const struct counters *counters, const struct counter_field *field);

#endif

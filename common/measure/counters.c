#include "measure/counters.h"

#define COUNTER(name) offsetof(struct counters, name), false
#define MEMORY(name) offsetof(struct counters, memory.name), true

const struct counter_field counter_fields[COUNTER_FIELDS] = {
    {"launches", COUNTER(launches)},
    {"blocks", COUNTER(blocks)},
    {"threads", COUNTER(threads)},
    {"block_barriers", COUNTER(block_barriers)},
    {"warp_barriers", COUNTER(warp_barriers)},
    {"shuffles", COUNTER(shuffles)},
    {"votes", COUNTER(votes)},
    {"atomics", COUNTER(atomics)},
    {"global_load_requests", MEMORY(load_requests)},
    {"global_load_sectors", MEMORY(load_sectors)},
    {"global_load_bytes_needed", MEMORY(load_bytes)},
    {"global_store_requests", MEMORY(store_requests)},
    {"global_store_sectors", MEMORY(store_sectors)},
    {"global_store_bytes_needed", MEMORY(store_bytes)},
    {"global_atomic_requests", MEMORY(atomic_requests)},
    {"shared_load_requests", MEMORY(shared_load_requests)},
    {"shared_load_conflicts", MEMORY(shared_load_conflicts)},
    {"shared_store_requests", MEMORY(shared_store_requests)},
    {"shared_store_conflicts", MEMORY(shared_store_conflicts)},
    {"shared_atomic_requests", MEMORY(shared_atomic_requests)},
    {"constant_load_requests", MEMORY(constant_requests)},
    {"lanes_on_one_address", MEMORY(atomic_crowd)},
    {"active_lanes", MEMORY(lanes)},
    {"splits", MEMORY(splits)},
};

uint64_t counter_value(const struct counters *counters, const struct counter_field *field)
{
    return *(const uint64_t *)(const void *)((const char *)counters + field->member);
}
/* SPDX-License-Identifier: MIT */

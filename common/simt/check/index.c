/* The compiler calls this for an index out of bounds (-fsanitize=bounds). */
#include <inttypes.h>
#include <stdio.h>

#include "check/findings.h"
#include "machine/machine.h"
#include "model/sites.h"
#include "program/source.h"

/* The layout that compilers use. */
struct bounds_data {
    const char *file;
    uint32_t line, column;
    const struct {
        uint16_t kind, information;
        char name[];
    } * array, *index;
};

void simt_check_index(const struct bounds_data *data, uint64_t index, const void *caller)
{
    uint32_t place = simt_place_of(caller);
    struct finding *new;
    if (!simt_tracing || !simt_in_kernel()) {
        return;
    }
    new = simt_add_finding((struct finding){
        .wrong = BAD_INDEX, .site = simt_site_number(place), .thread = simt_linear(simt_current)});
    if (new) {
        snprintf(new->text, sizeof new->text, "index %" PRId64 " of %s", (int64_t)index,
                 data->array->name);
    }
}

void __ubsan_handle_out_of_bounds(const struct bounds_data *data, uint64_t index);
void __ubsan_handle_out_of_bounds(const struct bounds_data *data, uint64_t index)
{
    simt_check_index(data, index, __builtin_return_address(0));
}

void __ubsan_handle_out_of_bounds_abort(const struct bounds_data *data, uint64_t index);
void __ubsan_handle_out_of_bounds_abort(const struct bounds_data *data, uint64_t index)
{
    simt_check_index(data, index, __builtin_return_address(0));
}
/* SPDX-License-Identifier: MIT */

/* Host addresses of functions, virtual tables and variables. Here they are equal to the device's
 * addresses. So what matters is which had the address first: a kernel or a device variable, or the
 * host. */
#include <stdio.h>
#include <string.h>

#include "base/exit.h"
#include "base/worker.h"
#include "check/check.h"
#include "check/findings.h"
#include "machine/fibers.h"
#include "machine/machine.h"
#include "machine/reports.h"
#include "memory/memory.h"
#include "model/sites.h"
#include "program/elf.h"
#include "program/source.h"
#include "program/symbols.h"

enum { MOST = 512 };
static uint64_t known[MOST]; /* hash table of addresses made by the device; if full: any may be */
static unsigned int count;
static bool all_known;

static bool knows(uint64_t value, bool add)
{
    for (uint64_t at = value / 8 % MOST; count < MOST / 2 && !all_known; at = (at + 1) % MOST) {
        if (known[at] == value || !known[at]) {
            const bool was = known[at] == value;
            known[at] = was || add ? value : 0;
            count += !was && add;
            return was;
        }
    }
    return true;
}

/* The function that begins there, or the first one of a virtual table there; NULL: neither. */
static const struct simt_symbol *function_at(uint64_t value, bool *is_table)
{
    const struct simt_symbol *found;
    struct simt_range range;
    *is_table = false;
    if (!simt_is_of_program(value)) {
        return NULL;
    }
    simt_symbols_read();
    found = simt_symbol_of_function((const void *)(uintptr_t)value);
    if (!found && value % sizeof value == 0 &&
        !(simt_data_range(value, &range) && value - range.base < range.size)) {
        found = simt_symbol_of_function(*(const void *const *)(uintptr_t)value);
        *is_table = true;
    }
    return found;
}

static bool is_of_host(uint64_t value)
{
    return simt_memory_is_address_of_host((const void *)(uintptr_t)value);
}

static void learn(uint64_t value)
{
    bool is_table;
    if ((function_at(value, &is_table) || is_of_host(value)) && !knows(value, true)) {
        simt_only_in_order();
    }
}

void simt_functions_learn(const void *words, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(uint64_t); i++) {
        learn(((const uint64_t *)words)[i]);
    }
}

static void learn_variable(void *context, char *base, size_t size)
{
    const struct simt_region *region = simt_region_find(base);
    (void)context;
    if ((uintptr_t)base % sizeof(uint64_t) == 0 && !(region && region->filled.function)) {
        simt_functions_learn(base, size);
    }
}

/* Checks for the host address of a variable or a function. */
static void check_variable(uint64_t value)
{
    struct finding *new =
        is_of_host(value) && !knows(value, false)
            ? simt_add_finding((struct finding){.wrong = HOST_FUNCTION, .space = SPACE_GLOBAL})
            : NULL;
    if (new) {
        const char *const start = "the address on the host of ";
        snprintf(new->text, sizeof new->text, "%s", start);
        simt_data_describe(value, false, new->text + strlen(start),
                           sizeof new->text - strlen(start));
    }
}

static void check(uint64_t value, unsigned int site, unsigned int thread)
{
    bool is_table;
    const struct simt_symbol *function = function_at(value, &is_table);
    struct finding *new;
    char name[128];
    if (!function || knows(value, false)) {
        return;
    }
    simt_plain_name(function->name, name, sizeof name);
    if (simt_is_kernel_name(name)) {
        return;
    }
    new = simt_add_finding((struct finding){
        .wrong = HOST_FUNCTION, .kind = EVENT_LOAD, .site = site, .thread = thread});
    if (new) {
        snprintf(new->text, sizeof new->text,
                 is_table
                     ? "an object that the host has made, with its own virtual functions (%s())"
                     : "the address that %s() has on the host",
                 name);
    }
}

void simt_functions_start_launch(const struct simt_launch *launch)
{
    static bool done;
    if (!done) {
        done = true;
        all_known = !simt_device_data(learn_variable, NULL) || all_known;
    }
    if (!all_known) {
        check(launch->code, 0, 0);
        check_variable(launch->code);
    }
}

static void refuse_local(const struct simt_launch *launch, uint64_t value)
{
    struct simt_range stacks;
    if (simt_is_in_stacks(value, &stacks)) {
        simt_report_place();
        fprintf(stderr,
                ": kernel %s (launched at %s:%d) gets the address of a local variable, which "
                "is its own thread's: pass global memory\n",
                launch->name, launch->file, launch->line);
        simt_exit();
    }
}

void simt_find_code(struct simt_launch *launch, const void *argument, size_t bytes)
{
    const uint64_t *const words = argument;
    bool is_table;
    if ((uintptr_t)argument % sizeof *words != 0) {
        return;
    }
    for (size_t i = 0; i < bytes / sizeof *words && !launch->code; i++) {
        launch->code = function_at(words[i], &is_table) || is_of_host(words[i]) ? words[i] : 0;
    }
    for (size_t i = 0; i < bytes / sizeof *words && simt_is_in_kernel(); i++) { /* for a child */
        learn(words[i]);
        refuse_local(launch, words[i]);
    }
}

void simt_functions_not_looked(void)
{
    all_known = true;
}

void simt_functions_read(const void *address, uint64_t value, const void *caller)
{
    if (simt_region_find(address) && !all_known) {
        check(value, simt_site_number(simt_place_of(caller)), simt_linear(simt_current));
    }
}
/* SPDX-License-Identifier: MIT */

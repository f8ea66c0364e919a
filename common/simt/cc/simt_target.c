/* Features that the -arch target lacks. nvcc refuses them, and so does the CPU back end. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/simt_ptx.h"
#include "cc/simt_rewrite.h"

enum { ONLY_90A = 1, WITH_LETTER = 2 };

/* The first pattern that matches an opcode or a word applies. */
static const struct needs {
    const char *pattern;
    int architecture, exactly;
} needs[] = {
    {"wgmma.*", 90, ONLY_90A},
    {"setmaxnreg.*", 90, WITH_LETTER},
    {"tensormap.replace*", 90, WITH_LETTER},
    {"cp.async.bulk*", 90, 0},
    {"cp.reduce.async.bulk*", 90, 0},
    {"cp.async*", 80, 0},
    {"mbarrier.try_wait*", 90, 0},
    {"mbarrier.expect_tx*", 90, 0},
    {"mbarrier.complete_tx*", 90, 0},
    {"mbarrier.*expect_tx*", 90, 0},
    {"mbarrier.*cluster*", 90, 0},
    {"mbarrier.*", 80, 0},
    {"barrier.cluster*", 90, 0},
    {"fence.proxy.async*", 90, 0},
    {"fence.proxy.tensormap*", 90, 0},
    {"fence.mbarrier_init*", 90, 0},
    {"fence.*cluster*", 90, 0},
    {"fence.*", 70, 0},
    {"mapa*", 90, 0},
    {"getctarank*", 90, 0},
    {"st.async*", 90, 0},
    {"red.async*", 90, 0},
    {"multimem.*", 90, 0},
    {"griddepcontrol.*", 90, 0},
    {"elect.sync*", 90, 0},
    {"stmatrix.*", 90, 0},
    {"prefetch.tensormap*", 90, 0},
    {"*.shared::cluster*", 90, 0},
    {"*.b128", 90, 0},
    {"createpolicy.*", 80, 0},
    {"applypriority.*", 80, 0},
    {"discard.*", 80, 0},
    {"redux.sync*", 80, 0},
    {"mma.*.tf32.*", 80, 0},
    {"mma.*.bf16.*", 80, 0},
    {"mma.*.f64*", 80, 0},
    {"mma.*m16n8k16.*", 80, 0},
    {"mma.*m16n8k32.*", 80, 0},
    {"mma.*m16n8k*", 75, 0},
    {"mma.*m8n8k16.*", 75, 0},
    {"mma.*", 70, 0},
    {"ldmatrix.*", 75, 0},
    {"movmatrix.*", 75, 0},
    {"tanh.*", 75, 0},
    {"ex2.*f16*", 75, 0},
    {"match.*", 70, 0},
    {"nanosleep.*", 70, 0},
    {"ld.acquire*", 70, 0},
    {"ld.relaxed*", 70, 0},
    {"st.release*", 70, 0},
    {"st.relaxed*", 70, 0},
    {"atom.*acq*", 70, 0},
    {"atom.*rel*", 70, 0},
    {"red.*rel*", 70, 0},
    {"dp4a.*", 61, 0},
    {"dp2a.*", 61, 0},
    {"__cluster_dims__", 90, 0},
    {"this_cluster", 90, 0},
    {"__reduce_*_sync", 80, 0},
    {"__pipeline_memcpy_async", 80, 0},
    {"nvcuda", 70, 0},
    {"__match_*_sync", 70, 0},
    {"__nanosleep", 70, 0},
    {"__dp4a", 61, 0},
    {"__dp2a_*", 61, 0},
};

static int target; /* 0: no target was named */
static const char *target_name;

void set_target(const char *name)
{
    target_name = name;
    target = atoi(name);
}

/* "" if the target has it, else a message that names the target that does. */
void needed_target(const char *feature, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; target > 0 && i < sizeof needs / sizeof *needs; i++) {
        const struct needs *one = &needs[i];
        const char letter = target_name[strlen(target_name) - 1];
        if (fnmatch(one->pattern, feature, 0) != 0) {
            continue;
        }
        if (one->exactly == ONLY_90A
                ? strcmp(target_name, "90a") != 0
                : target < one->architecture ||
                      (one->exactly == WITH_LETTER && letter != 'a' && letter != 'f')) {
            snprintf(text, size, "sm_%s does not have it, it needs sm_%d%s", target_name,
                     one->architecture,
                     one->exactly == ONLY_90A      ? "a"
                     : one->exactly == WITH_LETTER ? "a or a later one with a letter"
                                                   : " or later");
        }
        return;
    }
}

void check_target(size_t token)
{
    char word[64], needed[128];
    snprintf(word, sizeof word, "%.*s", (int)(tokens[token].end - tokens[token].begin),
             source.bytes + tokens[token].begin);
    needed_target(word, needed, sizeof needed);
    if (needed[0]) {
        complain(tokens[token].begin, "%s: %s", word, needed);
        target = 0; /* report only once */
    }
}
/* SPDX-License-Identifier: MIT */

#include "base/exit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/worker.h"
#include "cuda/simt.h"

void (*simt_before_exit)(void), (*simt_last_words)(void);
static void (*program_last_words)(void);

void simt_at_exit(void (*call)(void))
{
    program_last_words = call;
}

/* Calls it only once, because the call itself may fail. */
static void let_program_speak(void)
{
    void (*const call)(void) = program_last_words;
    program_last_words = NULL;
    if (call) {
        call();
    }
}

void simt_exit(void)
{
    simt_only_in_order();
    if (simt_before_exit) {
        simt_before_exit();
    }
    if (simt_last_words) {
        simt_last_words();
    }
    let_program_speak();
    fflush(NULL);
    _exit(EXIT_FAILURE);
}

void simt_exit_without_memory(void)
{
    simt_only_in_order();
    let_program_speak();
    fflush(NULL);
    _exit(3); /* like EXIT_DEVICE_ERROR of the programs */
}
/* SPDX-License-Identifier: MIT */

#include "base/exit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/worker.h"

void (*simt_before_exit)(void), (*simt_last_words)(void);

void simt_exit(void)
{
    simt_only_in_order();
    if (simt_before_exit) {
        simt_before_exit();
    }
    if (simt_last_words) {
        simt_last_words();
    }
    fflush(NULL);
    _exit(EXIT_FAILURE);
}

void simt_exit_without_memory(void)
{
    simt_only_in_order();
    fflush(NULL);
    _exit(3); /* EXIT_DEVICE_ERROR of the programs */
}

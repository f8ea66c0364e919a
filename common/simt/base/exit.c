#include "base/exit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void (*simt_before_exit)(void);

void simt_exit(void)
{
    if (simt_before_exit) {
        simt_before_exit();
    }
    fflush(NULL);
    _exit(EXIT_FAILURE);
}

void simt_exit_without_memory(void)
{
    fflush(NULL);
    _exit(3); /* EXIT_DEVICE_ERROR of the programs */
}

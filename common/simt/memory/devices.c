#include "memory/devices.h"

#include "base/setting.h"

static int device_count = 1, multiprocessors = SIMT_MULTIPROCESSORS;
static bool peers[SIMT_MOST_DEVICES][SIMT_MOST_DEVICES];

int simt_device_count(void)
{
    return device_count;
}

int simt_multiprocessors(void)
{
    return multiprocessors;
}

bool simt_device_exists(int device)
{
    return device >= 0 && device < device_count;
}

bool simt_device_reaches(int device, int other)
{
    return device == other || peers[device][other];
}

void simt_device_set_peer(int device, int other, bool reaches)
{
    peers[device][other] = reaches;
}

__attribute__((constructor)) static void read_request(void)
{
    device_count = (int)simt_setting("SIMT_DEVICES", 1);
    multiprocessors = (int)simt_setting("SIMT_MULTIPROCESSORS", SIMT_MULTIPROCESSORS);
}
/* SPDX-License-Identifier: MIT */

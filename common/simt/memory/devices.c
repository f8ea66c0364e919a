#include "memory/devices.h"

#include <stdio.h>
#include <stdlib.h>

static int device_count = 1;
static bool peers[SIMT_MOST_DEVICES][SIMT_MOST_DEVICES];

int simt_device_count(void)
{
    return device_count;
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
    const char *asked = getenv("SIMT_DEVICES");
    char *end;
    long count;
    if (!asked || asked[0] == '\0') {
        return;
    }
    count = strtol(asked, &end, 10);
    if (asked[0] < '0' || asked[0] > '9' || *end != '\0' || count < 1 ||
        count > SIMT_MOST_DEVICES) {
        fprintf(stderr, "simt: SIMT_DEVICES=%s: want a number of devices, 1 to %d\n", asked,
                SIMT_MOST_DEVICES);
        exit(2);
    }
    device_count = (int)count;
}

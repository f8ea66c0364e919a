#include "memory/devices.h"

#include <stdio.h>
#include <stdlib.h>

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

/* What the environment asks for; `usual` if it does not. */
static int number_in(const char *name, const char *what, int usual, int most)
{
    const char *asked = getenv(name);
    char *end;
    long count;
    if (!asked || asked[0] == '\0') {
        return usual;
    }
    count = strtol(asked, &end, 10);
    if (asked[0] < '0' || asked[0] > '9' || *end != '\0' || count < 1 || count > most) {
        fprintf(stderr, "simt: %s=%s: want a number of %s, 1 to %d\n", name, asked, what, most);
        exit(2);
    }
    return (int)count;
}

__attribute__((constructor)) static void read_request(void)
{
    device_count = number_in("SIMT_DEVICES", "devices", 1, SIMT_MOST_DEVICES);
    multiprocessors = number_in("SIMT_MULTIPROCESSORS", "multiprocessors", SIMT_MULTIPROCESSORS,
                                SIMT_MULTIPROCESSORS);
}

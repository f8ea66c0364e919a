/* The devices that a program is shown: SIMT_DEVICES=4, one if it is not set. They are alike. Which
 * is current belongs to a thread of the host: simt_own.device. */
#ifndef SIMT_DEVICES_H
#define SIMT_DEVICES_H

#include <stdbool.h>

enum { SIMT_MOST_DEVICES = 16, SIMT_MULTIPROCESSORS = 132 /* of an H200 */ };

int simt_device_count(void);
/* That a program is told of: fewer (SIMT_MULTIPROCESSORS=2) make the loops of kernels whose blocks
 * stay go round at small sizes. */
int simt_multiprocessors(void);
bool simt_device_exists(int device);
/* Whether kernels of a device may touch memory of the other: its own, or with peer access. */
bool simt_device_reaches(int device, int other);
void simt_device_set_peer(int device, int other, bool reaches);

#endif
/* SPDX-License-Identifier: MIT */

/* The devices that the program sees: SIMT_DEVICES=4, or one if it is not set. All are alike. Each
 * host thread has its own current device: simt_own.device. */
#ifndef SIMT_DEVICES_H
#define SIMT_DEVICES_H

#include <stdbool.h>

enum { SIMT_MOST_DEVICES = 16, SIMT_MULTIPROCESSORS = 132 /* of an H200 */ };

int simt_device_count(void);
/* The number of SMs that the program sees. With fewer (SIMT_MULTIPROCESSORS=2), the loops of
 * persistent kernels iterate even at small sizes. */
int simt_multiprocessors(void);
bool simt_device_exists(int device);
/* Whether kernels of a device may access memory of `other`: the same, or with peer access. */
bool simt_device_reaches(int device, int other);
void simt_device_set_peer(int device, int other, bool reaches);

#endif
/* SPDX-License-Identifier: MIT */

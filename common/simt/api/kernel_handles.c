/* The host API of kernels: names, parameters, what is left of shared memory. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "base/own.h"
#include "program/layout.h"

/* SPDX-License-Identifier: MIT */

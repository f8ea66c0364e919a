#include "base/repeatable.h"

bool simt_is_repeatable;
/* SPDX-License-Identifier: MIT */

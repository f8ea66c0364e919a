/* main() of every step. */
#include "run/step.h"

int main(int argc, char **argv)
{
    return rungs_main(argc, argv, &step);
}
/* SPDX-License-Identifier: MIT */

/* cuRAND's generators that kernels and the host draw from: how a seed becomes a state, and how far
 * ahead a subsequence begins. */
#ifndef SIMT_RANDOM_H
#define SIMT_RANDOM_H

#ifdef __cplusplus
extern "C" {
#endif

/* XORWOW: the five words of a seed; returns the counter d of it. */
unsigned int simt_xorwow_seed(unsigned int words[5], unsigned long long seed);
/* Moves the five words by `sequence` times 2^67 numbers, and by `offset` numbers. */
void simt_xorwow_jump(unsigned int words[5], unsigned long long sequence,
                      unsigned long long offset);

/* MRG32k3a: the three terms of the one recurrence, and of the other. */
void simt_mrg32k3a_seed(unsigned int words[6], unsigned long long seed);
/* Moves the six by `subsequence` times 2^76 numbers, and by `offset` numbers. */
void simt_mrg32k3a_jump(unsigned int words[6], unsigned long long subsequence,
                        unsigned long long offset);

#ifdef __cplusplus
}
#endif

#endif

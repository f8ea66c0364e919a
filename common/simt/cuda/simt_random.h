/* cuRAND's generators, for kernels and the host: turns a seed into a state, and skips ahead to
 * a subsequence. */
#ifndef SIMT_RANDOM_H
#define SIMT_RANDOM_H

#ifdef __cplusplus
extern "C" {
#endif

/* XORWOW: sets the five words for a seed, and returns its counter d. */
unsigned int simt_xorwow_seed(unsigned int words[5], unsigned long long seed);
/* Skips `sequence` times 2^67 numbers, plus `offset` numbers. */
void simt_xorwow_jump(unsigned int words[5], unsigned long long sequence,
                      unsigned long long offset);

/* MRG32k3a: sets the three terms of each of its two recurrences. */
void simt_mrg32k3a_seed(unsigned int words[6], unsigned long long seed);
/* Skips `subsequence` times 2^76 numbers, plus `offset` numbers. */
void simt_mrg32k3a_jump(unsigned int words[6], unsigned long long subsequence,
                        unsigned long long offset);

#ifdef __cplusplus
}
#endif

#endif

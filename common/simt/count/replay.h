/* Pairs the traces of a warp's lanes into warp-level instructions. */
#ifndef SIMT_REPLAY_H
#define SIMT_REPLAY_H

#include "observe/recorder.h"

/* Consumes the traces: see struct simt_observer. */
void simt_replay(struct simt_traces *traces, unsigned int warp, unsigned int cut);

void simt_replay_start_block(unsigned int threads);
/* Saves, restores or drops the state of the running block's warps; `threads`: of the block. */
struct simt_replayed *simt_replay_suspend(unsigned int threads);
void simt_replay_resume(struct simt_replayed *kept, unsigned int threads);
void simt_replay_forget(struct simt_replayed *kept);

#endif
/* SPDX-License-Identifier: MIT */

/* The text of findings, in words that a learner understands. */
#include "check/wording.h"

#include <inttypes.h>
#include <string.h>

#include "check/origins.h"
#include "machine/machine.h"
#include "machine/reports.h"
#include "memory/streams.h"
#include "model/sites.h"
#include "program/source.h"

void simt_tell_line(FILE *file, unsigned int site)
{
    const struct simt_source *source = simt_source_of(simt_site(site)->place);
    char text[128];
    fprintf(file, "%s:%d", source->file, source->line);
    if (simt_source_line(source->file, source->line, text, sizeof text)) {
        fprintf(file, ":  %s", text);
    }
    if (source->kernel_line != source->line || strcmp(source->kernel_file, source->file) != 0) {
        fprintf(file, "\n      called from %s:%d", source->kernel_file, source->kernel_line);
        if (simt_source_line(source->kernel_file, source->kernel_line, text, sizeof text)) {
            fprintf(file, ":  %s", text);
        }
    }
    fputc('\n', file);
}

static void tell_thread(FILE *file, unsigned int thread)
{
    struct uint3 index = simt_thread_number(thread);
    fprintf(file, "  thread (%u,%u,%u)", index.x, index.y, index.z);
}

static const char *space_name(enum simt_space space)
{
    return space == SPACE_SHARED ? "shared" : space == SPACE_CONSTANT ? "constant" : "global";
}

static const char *does(enum simt_event_kind kind)
{
    return kind == EVENT_LOAD      ? "reads"
           : kind == EVENT_STORE   ? "writes"
           : kind == EVENT_FREE    ? "frees"
           : kind == EVENT_COPY    ? "copies asynchronously to"
           : kind == EVENT_BARRIER ? "uses, for a bulk copy,"
           : kind == EVENT_WGMMA   ? "reads, by wgmma,"
                                   : "changes atomically";
}

bool simt_is_same_line(unsigned int site, unsigned int other_site)
{
    const struct simt_source *source = simt_source_of(simt_site(site)->place);
    const struct simt_source *other = simt_source_of(simt_site(other_site)->place);
    return source->line > 0 && source->line == other->line &&
           strcmp(source->file, other->file) == 0;
}

bool simt_is_note(const struct finding *finding)
{
    return finding->wrong == BEYOND_ROWS || finding->wrong == COPY_UNSET ||
           finding->wrong == UNDEFINED ||
           (finding->same_value &&
            (finding->wrong == COPY_RACE || (finding->wrong == RACE && !finding->other_operation)));
}

/* x += y: the same line loads and stores. */
static bool is_update(const struct finding *race)
{
    return (race->kind == EVENT_LOAD) + (race->other_kind == EVENT_LOAD) == 1 &&
           (race->kind == EVENT_STORE) + (race->other_kind == EVENT_STORE) == 1 &&
           simt_is_same_line(race->site, race->other_site);
}

/* Explains why two accesses are not ordered, and what would order them. */
static const char *race_hint(const struct finding *race)
{
    if (race->other_kind == EVENT_READING) {
        return "a bulk copy reads from its issue until its thread has waited for it: "
               "cp.async.bulk.wait_group.read,\n"
               "  then a barrier, before anybody writes the place.";
    }
    if (race->other_kind == EVENT_WGMMA || race->other_kind == EVENT_MULTIPLIED) {
        return "wgmma reads its tiles from its issue until its warp has waited for it: "
               "wgmma.wait_group, then an arrival at\n"
               "  an mbarrier (or another barrier), before anybody writes the place.";
    }
    if (race->other_kind == EVENT_ARRIVED) {
        return "who reads what a bulk copy has written must have waited for the phase of its "
               "mbarrier, or be ordered\n"
               "  (by __syncthreads(), say) behind a thread that has.";
    }
    if (race->other_kind == EVENT_COPY) {
        return "an asynchronous copy writes from its issue until its thread has waited for it: "
               "wait, then __syncthreads(),\n"
               "  before anybody reads or writes the place. (cg::wait(group) does both; no barrier "
               "waits for copies.)";
    }
    if (race->kind == EVENT_COPY) {
        return "an asynchronous copy writes from its issue on: __syncthreads() is missing between "
               "the last use of the place\n"
               "  and the copy that fills it anew.";
    }
    if (race->almost == SIMT_NO_ACQUIRE_FENCE) {
        return "the writer has called a fence and then changed a place atomically, which this "
               "thread has seen; but it has called\n"
               "  no __threadfence() after that: its read may still give what was there before.";
    }
    if (race->almost == SIMT_BLOCK_SCOPE) {
        return "a fence or an atomic that ends in _block, or has thread_scope_block, orders "
               "threads "
               "of one block only:\n"
               "  use the one for the device.";
    }
    if (race->kind == EVENT_ATOMIC && race->other_kind == EVENT_ATOMIC) {
        return "an atomic that ends in _block is atomic among the threads of one block only: use "
               "the one without it.";
    }
    if (race->same_instruction) {
        return "lanes of a warp write the same place at the same time, and one of them wins: let "
               "one lane write,\n"
               "  or combine the values, with an atomic or a shuffle.";
    }
    if (race->other_block && race->space == SPACE_SHARED) {
        return "nothing orders the two blocks of the cluster: cluster.sync() is missing between "
               "them.";
    }
    if (race->other_block && is_update(race) && simt_grid.changed) {
        return "this line reads and writes the place, and blocks run in any order. If a lock "
               "guards it, or a flag or ticket\n"
               "  hands it on, a fence is missing: __threadfence() before the atomic that gives it "
               "back, and after the one that\n"
               "  takes it (memory_order_release, memory_order_acquire). Otherwise use an atomic.";
    }
    if (race->other_block && is_update(race)) {
        return "this line reads and writes the place, and blocks run in any order: use an atomic, "
               "or let each block\n"
               "  write a place of its own, and a second launch combine them. If any order will "
               "do, say so: access it\n"
               "  by cuda::atomic_ref with memory_order_relaxed, or as volatile.";
    }
    if (race->other_block) {
        return "blocks run in any order. Use an atomic, or a second launch, or let the writer call "
               "__threadfence()\n"
               "  and then an atomic, and the reader an atomic on the same place and then "
               "__threadfence().";
    }
    return NULL;
}

static void tell_race_hint(FILE *file, const struct finding *race)
{
    bool inside = simt_is_inside_warps(race);
    const char *hint = race_hint(race), *barrier = inside ? "__syncwarp" : "__syncthreads";
    bool atomic = race->kind == EVENT_ATOMIC || race->other_kind == EVENT_ATOMIC;
    if (hint) {
        fprintf(file, "  hint: %s\n", hint);
    } else if (is_update(race)) {
        fprintf(
            file,
            "  hint: this line reads and writes the place. If several threads add to it, use an "
            "atomic, or combine the values\n"
            "  first. If one thread takes in what another leaves there, %s() is missing between "
            "the two (in a loop:\n"
            "  between its iterations).\n",
            barrier);
    } else if (inside) {
        fputs(
            "  hint: nothing orders the two: __syncwarp() is missing between them (lanes of a warp "
            "do not run in lock step).\n",
            file);
    } else {
        fprintf(file,
                "  hint: nothing orders the two: __syncthreads() is missing between them%s.\n",
                atomic ? "" : ", or both should be atomic");
    }
}

static const char *const did[] = {
    [EVENT_LOAD] = "read it at ",
    [EVENT_STORE] = "wrote it at ",
    [EVENT_ATOMIC] = "changed it atomically at ",
    [EVENT_COPY] = "is still copying to it asynchronously, since ",
    [EVENT_READING] = "is still reading it by a bulk copy, since ",
    [EVENT_ARRIVED] = "had it written by a bulk copy, started at ",
    [EVENT_WGMMA] = "is still reading it by wgmma, since ",
    [EVENT_MULTIPLIED] = "read it by wgmma, started at ",
};

static const char *does_to_memory(const struct simt_operation *operation, enum simt_event_kind kind)
{
    return operation->verb && kind != EVENT_LOAD ? operation->verb : does(kind);
}

/* Prints the operation of the host that may also be pending. */
static void tell_operation(FILE *file, const struct finding *race)
{
    fputs("  ", file);
    simt_operation_tell(file, race->other_operation);
    const bool early =
        simt_operations()->early && race->other_operation->timeline == simt_operations()->timeline;
    const bool parent = race->other_operation->number == simt_origin_launch();
    fputs(parent  ? ", which launched it, "
          : early ? " before it in its stream "
                  : " in another stream ",
          file);
    if (race->other_operation->file) {
        fputs(did[race->other_kind], file);
        simt_tell_line(file, race->other_site);
    } else {
        fprintf(file, "%s it\n", does_to_memory(race->other_operation, race->other_kind));
    }
    if (simt_is_note(race)) {
        return;
    }
    if (parent) {
        fputs("  hint: what a kernel launches may begin at once. Store what it reads before the "
              "launch (other threads: before\n"
              "  a __syncthreads() before it), and read what it stores in a launch into "
              "cudaStreamTailLaunch.\n",
              file);
        return;
    }
    if (early) {
        fputs("  hint: by its attribute the launch may begin before the other one has ended: "
              "cudaGridDependencySynchronize()\n"
              "  comes before its accesses.\n",
              file);
        return;
    }
    fputs("  hint: nothing orders the two, they may be done at the same time: use one stream, or "
          "cudaEventRecord() after the\n"
          "  first and cudaStreamWaitEvent() before the second, or have the host wait between "
          "them; in a graph, make the\n"
          "  first a dependency of the second.\n",
          file);
}

static void tell_copy_race(FILE *file, const struct finding *race)
{
    fputs(simt_is_note(race) ? "simt: note: " : "simt: ", file);
    simt_operation_tell(file, simt_operations());
    if (simt_is_note(race)) {
        fputs(": two streams write the same bytes to one place\n", file);
    } else {
        fprintf(file, ": data race: it %s memory\n", does_to_memory(simt_operations(), race->kind));
    }
    tell_operation(file, race);
}

static void tell_copy(FILE *file, const struct finding *finding)
{
    fputs(simt_is_note(finding) ? "simt: note: " : "simt: ", file);
    simt_operation_tell(file, simt_operations());
    if (finding->wrong == COPY_UNSET) {
        fprintf(file, " copies what no kernel and no copy has written: %s\n", finding->text);
    } else {
        fprintf(file, ": %s\n", finding->text);
    }
}

static void tell_host_access(FILE *file, const struct finding *access)
{
    fprintf(file, "simt: the host %s memory too early: %s\n  at ", does(access->kind),
            access->text);
    simt_tell_line(file, access->site);
    fputs("  ", file);
    simt_operation_tell(file, access->other_operation);
    fprintf(file, " may not have %s it yet",
            access->other_kind == EVENT_LOAD    ? "read"
            : access->other_kind == EVENT_STORE ? "written"
                                                : "changed");
    if (access->other_operation->file) {
        fputs(", at ", file);
        simt_tell_line(file, access->other_site);
    } else {
        fputc('\n', file);
    }
    fputs("  hint: launches and asynchronous copies return before they are done: call "
          "cudaDeviceSynchronize() first, or\n"
          "  cudaStreamSynchronize() for their stream.\n",
          file);
    if (access->other_kind == EVENT_ATOMIC) {
        fputs("  A flag that the host waits for needs __threadfence_system() before it is set.\n",
              file);
    }
}

/* Prints one line, because this is not a mistake. */
static void tell_same_value(FILE *file, const struct finding *race)
{
    const struct simt_source *source = simt_source_of(simt_site(race->site)->place);
    const struct simt_source *other = simt_source_of(simt_site(race->other_site)->place);
    fprintf(file, "threads write the same value to one place in %s memory, at %s:%d",
            space_name(race->space), source->file, source->line);
    if (!simt_is_same_line(race->site, race->other_site)) {
        fprintf(file, " and %s:%d", other->file, other->line);
    }
    fputs("\n", file);
}

static void tell_race(FILE *file, const struct finding *race)
{
    if (simt_is_note(race)) {
        tell_same_value(file, race);
        return;
    }
    fprintf(file, "data race in %s memory\n", space_name(race->space));
    tell_thread(file, race->thread);
    fprintf(file, " %s ", does(race->kind));
    simt_tell_line(file, race->site);
    if (race->other_operation) {
        tell_operation(file, race);
        return;
    }
    tell_thread(file, race->other_thread);
    fprintf(file, "%s %s", race->other_block ? " of another block" : "", did[race->other_kind]);
    simt_tell_line(file, race->other_site);
    tell_race_hint(file, race);
}

static void tell_what(FILE *file, const struct finding *finding)
{
    switch (finding->wrong) {
    case OUT_OF_BOUNDS:
        fprintf(file, "access out of bounds of %s memory: %s\n", space_name(finding->space),
                finding->text);
        break;
    case OTHER_DEVICE:
        fprintf(file, "%s\n", finding->text);
        break;
    case BAD_INDEX:
        fprintf(file, "index out of bounds: %s\n", finding->text);
        break;
    case UNINITIALISED:
        fprintf(file, "%s memory is read before it is written%s%s\n", space_name(finding->space),
                finding->text[0] ? ": " : "", finding->text);
        break;
    case UNDEFINED:
        fprintf(file, "an undefined value is stored: %s\n", finding->text);
        break;
    case HOST_FUNCTION:
        fprintf(file, "%s %s\n", finding->site ? "the kernel reads" : "an argument is",
                finding->text);
        break;
    case NO_PROXY_FENCE:
        fprintf(file, "no fence.proxy.async between a write and %s, in %s memory\n",
                finding->kind == EVENT_WGMMA ? "a wgmma that reads it" : "a bulk copy",
                space_name(finding->space));
        break;
    case NO_MAP_FENCE:
        fputs(
            "no fence.proxy.tensormap between a write to a tensor map and a copy that goes by it\n",
            file);
        break;
    case BEYOND_ROWS:
        fprintf(file, "%u bytes behind the end of a tensor's row are written, too\n",
                finding->size);
        break;
    case READ_ONLY:
        fputs("memory that __ldg reads is written in the same launch\n", file);
        break;
    case LOCAL_OF_OTHER:
        fputs("a local variable of another thread is used\n", file);
        break;
    case UNDER_WAY:
        fputs("a register of a wgmma that is under way is used\n", file);
        break;
    case GOES_ROUND:
        fprintf(file, "a barrier in a %s\n  others wait in __syncthreads() at %.*s\n",
                finding->size ? "loop that some threads have left already"
                              : "branch that some threads do not take",
                (int)strcspn(finding->text, "|"), finding->text);
        break;
    case MISALIGNED:
        fprintf(file,
                "misaligned address %#" PRIx64 ": an access of %u bytes needs a multiple of %u\n",
                finding->address, finding->size, finding->size);
        break;
    default:
        if (finding->text[0]) {
            fprintf(file,
                    "%s, a variable of the host, is used in a kernel: declare it __device__, or "
                    "pass its value\n",
                    finding->text);
        } else {
            fprintf(file,
                    "memory of the host is used in a kernel: copy it with cudaMemcpy first\n");
        }
        break;
    }
}

static void tell_hint(FILE *file, const struct finding *finding)
{
    if (finding->wrong == LOCAL_OF_OTHER) {
        fputs("  hint: a pointer to a local variable is of use in its own thread only: pass values "
              "by shared memory or shuffles.\n",
              file);
    } else if (finding->wrong == OTHER_DEVICE) {
        fputs("  hint: cudaDeviceEnablePeerAccess(), with the kernel's device as the current one, "
              "lets it; or copy with\n"
              "  cudaMemcpyPeer().\n",
              file);
    } else if (finding->wrong == UNDER_WAY) {
        fputs("  the product is started at ", file);
        simt_tell_line(file, finding->other_site);
        fputs("  hint: wgmma.commit_group and wgmma.wait_group come between the two.\n", file);
    } else if (finding->wrong == GOES_ROUND) {
        fputs("  hint: CUDA allows __syncthreads() in a branch or loop only if all threads of the "
              "block that have not\n"
              "  returned go the same way; anything else may hang, or not wait. ",
              file);
        fputs(finding->size
                  ? "Let all go round as often, with\n  the barrier outside of any `if`.\n"
                  : "Move it out of the branch.\n",
              file);
    } else if (finding->wrong == UNINITIALISED && finding->space == SPACE_SHARED) {
        const struct uint3 block = simt_grid.launch->block;
        fputs("  hint: is a barrier missing, or has the thread that should write it returned "
              "early?\n",
              file);
        if (block.y * block.z > 1) {
            fprintf(file,
                    "  Or does an index, or a template of CUB, count threads along x only? The "
                    "block has %u x %u x %u.\n",
                    block.x, block.y, block.z);
        }
    } else if (finding->wrong == NO_PROXY_FENCE) {
        tell_thread(file, finding->other_thread);
        fputs(" wrote it at ", file);
        simt_tell_line(file, finding->other_site);
        fputs("  hint: the writer calls fence.proxy.async (of an mbarrier: "
              "fence.mbarrier_init) behind its writes, then a barrier;\n"
              "  then the copy, or wgmma, is started. Without the fence it may find what was there "
              "before.\n",
              file);
    } else if (finding->wrong == NO_MAP_FENCE) {
        tell_thread(file, finding->other_thread);
        fputs(" wrote it at ", file);
        simt_tell_line(file, finding->other_site);
        fputs("  hint: behind the writes fence.proxy.tensormap::generic.release (or "
              "tensormap.cp_fenceproxy), and before the\n"
              "  copy fence.proxy.tensormap::generic.acquire of the same map.\n",
              file);
    } else if (finding->wrong == BEYOND_ROWS) {
        fputs("  hint: the TMA stores whole chunks of 16 bytes, and these rows end within one. If "
              "what lies behind them is in use,\n"
              "  let threads store the last chunk of each row.\n",
              file);
    } else if (finding->wrong == OUT_OF_BOUNDS && finding->space == SPACE_SHARED &&
               simt_grid.launch->shared_bytes == 0 &&
               strncmp(finding->text, "the launch", strlen("the launch")) == 0) {
        fputs(
            "  hint: `extern __shared__` takes as many bytes as the launch says. And shared memory "
            "is a block's own: a pointer to\n"
            "  another kernel's, such as a parent's, is of no use here: pass global memory.\n",
            file);
    } else if (finding->wrong == HOST_FUNCTION && finding->space == SPACE_GLOBAL) {
        fputs(
            "  hint: on a GPU, a variable of the device has another address: "
            "cudaGetSymbolAddress() gives it. Or let the\n  kernel use the variable by its name.\n",
            file);
    } else if (finding->wrong == HOST_FUNCTION) {
        fputs(
            "  hint: on a GPU, functions of the device have addresses of their own. A kernel makes "
            "objects with virtual\n"
            "  functions (new, also in place). It takes a function's address, or a __device__ "
            "variable has it, from which\n"
            "  the host copies it: cudaMemcpyFromSymbol().\n",
            file);
    } else if (finding->wrong == READ_ONLY) {
        fputs("  __ldg reads it at ", file);
        simt_tell_line(file, finding->other_site);
        fputs("  hint: __ldg goes through a cache that sees no writes of the running kernel: read "
              "it as *pointer.\n",
              file);
    }
}

static void tell_other(FILE *file, const struct finding *finding)
{
    tell_what(file, finding);
    if (finding->wrong == HOST_FUNCTION && !finding->site) {
        tell_hint(file, finding);
        return;
    }
    tell_thread(file, finding->thread);
    if (finding->wrong == BAD_INDEX) {
        fprintf(file, " uses it at ");
    } else if (finding->wrong == BEYOND_ROWS) {
        fprintf(file, " does so at ");
    } else if (finding->wrong == GOES_ROUND && finding->size) {
        fprintf(file, " has left the loop at %s, and returned\n", strchr(finding->text, '|') + 1);
        tell_hint(file, finding);
        return;
    } else if (finding->wrong == GOES_ROUND) {
        fprintf(file, " has gone round it, and is at ");
    } else {
        fprintf(file, " %s ", does(finding->kind));
    }
    simt_tell_line(file, finding->site);
    tell_hint(file, finding);
}

void simt_tell_finding(FILE *file, const struct finding *finding)
{
    if (finding->wrong == COPY_RACE) {
        tell_copy_race(file, finding);
        return;
    }
    if (finding->wrong == HOST_ACCESS) {
        tell_host_access(file, finding);
        return;
    }
    if (simt_is_of_host(finding)) {
        tell_copy(file, finding);
        return;
    }
    fprintf(file, simt_is_note(finding) ? "simt: note: kernel " : "simt: kernel ");
    simt_tell_launch(file);
    fprintf(file, ", block (%u,%u,%u): ", finding->block.x, finding->block.y, finding->block.z);
    if (finding->wrong == RACE) {
        tell_race(file, finding);
    } else {
        tell_other(file, finding);
    }
    if (finding->count > 1 && !(finding->wrong == RACE && simt_is_note(finding))) {
        fprintf(file, "  (%" PRIu64 " times in all at these lines)\n", finding->count);
    }
}
/* SPDX-License-Identifier: MIT */

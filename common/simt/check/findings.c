/* What the checks have found: kept until the launch ends, then told in words that a learner
 * understands. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "check/findings.h"

enum { MOST_FINDINGS = 32 };

static struct finding found[MOST_FINDINGS];
static bool guards[1 << 16]; /* by site */
static bool has_guards;

/* By site: where it reads, volatile. */
static struct {
    uint64_t address;
    uint32_t era;
    bool several; /* places in one era */
} volatile_reads[1 << 16];
static unsigned int found_count;
static uint64_t not_kept;
static bool keep;
static char *told;
static size_t told_size;
static FILE *told_file;

static struct finding *find(const struct finding *like)
{
    for (unsigned int i = 0; i < found_count; i++) {
        if (found[i].wrong == like->wrong && found[i].site == like->site &&
            found[i].other_site == like->other_site && found[i].kind == like->kind &&
            found[i].other_kind == like->other_kind && found[i].almost == like->almost &&
            found[i].other_block == like->other_block) {
            return &found[i];
        }
    }
    return NULL;
}

struct finding *simt_add_finding(struct finding new)
{
    struct finding *known = find(&new);
    if (known) {
        known->count++;
        known->same_warp = known->same_warp && new.same_warp;
        return NULL;
    }
    if (found_count == MOST_FINDINGS) {
        not_kept++;
        return NULL;
    }
    new.block = simt_running_block();
    new.count = 1;
    found[found_count] = new;
    return &found[found_count++];
}

void simt_note_guard(unsigned int site)
{
    guards[site] = has_guards = true;
}

void simt_note_volatile_read(unsigned int site, uint64_t address, uint32_t era)
{
    if (volatile_reads[site].era != era) {
        volatile_reads[site].era = era;
        volatile_reads[site].address = address;
    } else if (volatile_reads[site].address != address) {
        volatile_reads[site].several = true;
    }
}

static bool is_meant(const struct finding *finding)
{
    unsigned int site = finding->unless_guard;
    return site && (guards[site] || (finding->unless_flag && !volatile_reads[site].several));
}

/* The launch is over, so that all guards are known. */
static void leave_out_guarded(void)
{
    unsigned int kept = 0;
    for (unsigned int i = 0; i < found_count; i++) {
        if (!is_meant(&found[i])) {
            found[kept++] = found[i];
        }
    }
    found_count = kept;
    if (has_guards) {
        memset(guards, 0, sizeof guards);
        has_guards = false;
    }
}

static void tell_line(FILE *file, unsigned int site)
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
    return kind == EVENT_LOAD    ? "reads"
           : kind == EVENT_STORE ? "writes"
           : kind == EVENT_FREE  ? "frees"
           : kind == EVENT_COPY  ? "copies asynchronously to"
           : kind == EVENT_BARRIER ? "uses, for a bulk copy,"
                                 : "changes atomically";
}

/* x += y: the line that stores is the line that loads. */
static bool is_update(const struct finding *race)
{
    const struct simt_source *source = simt_source_of(simt_site(race->site)->place);
    const struct simt_source *other = simt_source_of(simt_site(race->other_site)->place);
    return (race->kind == EVENT_LOAD) + (race->other_kind == EVENT_LOAD) == 1 &&
           (race->kind == EVENT_STORE) + (race->other_kind == EVENT_STORE) == 1 &&
           source->line > 0 && source->line == other->line &&
           strcmp(source->file, other->file) == 0;
}

/* Why two accesses are not ordered, and what would order them. */
static const char *race_hint(const struct finding *race)
{
    if (race->other_kind == EVENT_READING) {
        return "a bulk copy reads from its issue until its thread has waited for it: "
               "cp.async.bulk.wait_group.read,\n"
               "  then a barrier, before anybody writes the place.";
    }
    if (race->other_kind == EVENT_ARRIVED) {
        return "who reads what a bulk copy has written must have waited for the phase of its "
               "mbarrier, or be ordered\n"
               "  (by __syncthreads(), say) behind a thread that has.";
    }
    if (race->other_kind == EVENT_COPY) {
        return "an asynchronous copy writes from its issue until its thread has waited for it: "
               "wait, "
               "then __syncthreads(),\n"
               "  before anybody reads or writes the place.";
    }
    if (race->kind == EVENT_COPY) {
        return "an asynchronous copy writes from its issue on: __syncthreads() is missing between "
               "the "
               "last use of the place\n"
               "  and the copy that fills it anew.";
    }
    if (race->almost == SIMT_NO_ACQUIRE_FENCE) {
        return "the writer has called a fence and then changed a place atomically, which this "
               "thread "
               "has seen; but it has called\n"
               "  no __threadfence() after that: its read may still give what was there before.";
    }
    if (race->almost == SIMT_BLOCK_SCOPE) {
        return "a fence or an atomic that ends in _block orders threads of one block only: use the "
               "one without it.";
    }
    if (race->kind == EVENT_ATOMIC && race->other_kind == EVENT_ATOMIC) {
        return "an atomic that ends in _block is atomic among the threads of one block only: use "
               "the "
               "one without it.";
    }
    if (race->same_instruction) {
        return "lanes of a warp write the same place at the same time, and one of them wins: let "
               "one "
               "lane write,\n"
               "  or combine the values, with an atomic or a shuffle.";
    }
    if (race->other_block && is_update(race)) {
        return "this line reads and writes the place, and blocks run in any order: use an atomic, "
               "or "
               "let each block\n"
               "  write a place of its own, and a second launch combine them.";
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
    const char *hint = race_hint(race), *barrier = race->same_warp ? "__syncwarp" : "__syncthreads";
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
    } else if (race->same_warp) {
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

static void tell_race(FILE *file, const struct finding *race)
{
    static const char *const did[] = {
        [EVENT_LOAD] = "read it at ",
        [EVENT_STORE] = "wrote it at ",
        [EVENT_ATOMIC] = "changed it atomically at ",
        [EVENT_COPY] = "is still copying to it asynchronously, since ",
        [EVENT_READING] = "is still reading it by a bulk copy, since ",
        [EVENT_ARRIVED] = "had it written by a bulk copy, started at ",
    };
    fprintf(file, "data race in %s memory\n", space_name(race->space));
    tell_thread(file, race->thread);
    fprintf(file, " %s ", does(race->kind));
    tell_line(file, race->site);
    tell_thread(file, race->other_thread);
    fprintf(file, "%s %s", race->other_block ? " of another block" : "", did[race->other_kind]);
    tell_line(file, race->other_site);
    tell_race_hint(file, race);
}

static void tell_other(FILE *file, const struct finding *finding)
{
    switch (finding->wrong) {
    case OUT_OF_BOUNDS:
        fprintf(file, "access out of bounds of %s memory: %s\n", space_name(finding->space),
                finding->text);
        break;
    case BAD_INDEX:
        fprintf(file, "index out of bounds: %s\n", finding->text);
        break;
    case UNINITIALISED:
        fprintf(file, "%s memory is read that nobody has written\n", space_name(finding->space));
        break;
    case NO_PROXY_FENCE:
        fprintf(file, "no fence.proxy.async between a write and a bulk copy, in %s memory\n",
                space_name(finding->space));
        break;
    case READ_ONLY:
        fputs("memory that __ldg reads is written in the same launch\n", file);
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
    tell_thread(file, finding->thread);
    if (finding->wrong == BAD_INDEX) {
        fprintf(file, " uses it at ");
    } else {
        fprintf(file, " %s ", does(finding->kind));
    }
    tell_line(file, finding->site);
    if (finding->wrong == UNINITIALISED && finding->space == SPACE_SHARED) {
        fputs("  hint: is a barrier missing, or has the thread that should write it returned "
              "early?\n",
              file);
    } else if (finding->wrong == NO_PROXY_FENCE) {
        tell_thread(file, finding->other_thread);
        fputs(" wrote it at ", file);
        tell_line(file, finding->other_site);
        fputs("  hint: the writer calls fence.proxy.async (of an mbarrier: "
              "fence.mbarrier_init) behind its writes, then a barrier;\n"
              "  then the copy is started. Without the fence it may find what was there before.\n",
              file);
    } else if (finding->wrong == READ_ONLY) {
        fputs("  __ldg reads it at ", file);
        tell_line(file, finding->other_site);
        fputs("  hint: __ldg goes through a cache that sees no writes of the running kernel: read "
              "it as *pointer.\n",
              file);
    }
}

static void tell(FILE *file, const struct finding *finding)
{
    fprintf(file, "simt: kernel ");
    simt_tell_launch(file);
    fprintf(file, ", block (%u,%u,%u): ", finding->block.x, finding->block.y, finding->block.z);
    if (finding->wrong == RACE) {
        tell_race(file, finding);
    } else {
        tell_other(file, finding);
    }
    if (finding->count > 1) {
        fprintf(file, "  (%" PRIu64 " times in all at these lines)\n", finding->count);
    }
}

static void tell_all(FILE *file)
{
    leave_out_guarded();
    for (unsigned int i = 0; i < found_count; i++) {
        tell(file, &found[i]);
    }
    if (found_count > 0) {
        simt_tell_failed_calls(file);
    }
    if (not_kept > 0) {
        fprintf(file, "simt: and %" PRIu64 " more of other kinds\n", not_kept);
    }
    found_count = 0;
    not_kept = 0;
}

bool simt_findings_are_kept(void)
{
    return keep;
}

void simt_findings_keep(bool on)
{
    keep = on;
    if (told_file) {
        fclose(told_file);
        free(told);
        told_file = NULL;
        told = NULL;
    }
}

const char *simt_findings(void)
{
    if (told_file) {
        fflush(told_file);
    }
    return told_file && told ? told : "";
}

void simt_check_tell_place(FILE *file, uint32_t place)
{
    fprintf(file, "  at ");
    tell_line(file, simt_site_number(place));
}

/* Where the running lane was last seen; true if that is an access that its address does not
 * suit. */
bool simt_check_tell_last(FILE *file)
{
    const struct simt_event *event = simt_tracing ? simt_trace_last() : NULL;
    if (!event) {
        return false;
    }
    simt_check_tell_place(file, event_place(event));
    return event_kind(event) <= EVENT_ATOMIC && event_size(event) > 0 &&
           event->address % event_size(event) != 0;
}

/* When the program must end at once. */
void simt_check_tell_now(void)
{
    tell_all(stderr);
}

void simt_check_end_launch(void)
{
    leave_out_guarded();
    if (found_count == 0) {
        return;
    }
    if (keep) {
        if (!told_file) {
            told_file = open_memstream(&told, &told_size);
            if (!told_file) {
                perror("simt: no memory for the checks");
                simt_exit_without_memory();
            }
        }
        tell_all(told_file);
        return;
    }
    fflush(stdout);
    tell_all(stderr);
    simt_exit();
}

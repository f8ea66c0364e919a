/* Fuzz target: simt_rewrite, which turns CUDA C into C++. An input is a source. It is read once as
 * a source and once as output of the preprocessor. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#include "rewriter_world.h"
#undef main
#undef stderr
#undef fopen
#undef exit
#undef malloc
#undef calloc
#undef realloc
#undef free

void forget_all(void);

/* ---- memory: what is left after an exit is freed, and after a return nothing may be left ----- */

enum { MOST_LIVE = 1 << 12 };
static void *live[MOST_LIVE]; /* a hash table of addresses */
static size_t live_count;

static size_t slot_of(const void *memory)
{
    size_t i = ((uintptr_t)memory >> 4) * 0x9e3779b97f4a7c15U >> 48 & (MOST_LIVE - 1);
    while (live[i] != NULL && live[i] != memory)
        i = (i + 1) % MOST_LIVE;
    return i;
}

static void *keep(void *memory)
{
    require(memory != NULL && live_count < MOST_LIVE / 2, "memory for the rewriter");
    live[slot_of(memory)] = memory;
    live_count++;
    return memory;
}

static void drop(void *memory)
{
    size_t i = slot_of(memory);
    require(live[i] == memory, "only what was allocated is freed");
    live[i] = NULL;
    live_count--;
    for (size_t next = (i + 1) % MOST_LIVE; live[next] != NULL; next = (next + 1) % MOST_LIVE) {
        void *const moved = live[next];
        live[next] = NULL;
        live[slot_of(moved)] = moved;
    }
}

void *world_malloc(size_t size)
{
    return keep(malloc(size));
}

void *world_calloc(size_t count, size_t size)
{
    return keep(calloc(count, size));
}

void *world_realloc(void *memory, size_t size)
{
    if (memory != NULL)
        drop(memory);
    return keep(realloc(memory, size));
}

void world_free(void *memory)
{
    if (memory != NULL)
        drop(memory);
    free(memory);
}

static void free_all(void)
{
    for (size_t i = 0; i < MOST_LIVE && live_count > 0; i++)
        if (live[i] != NULL) {
            free(live[i]);
            live[i] = NULL;
            live_count--;
        }
}

/* ---- files and the end of the program -------------------------------------------------------- */

FILE *world_messages;
static char *messages, *output;
static size_t messages_length, output_length;
static const uint8_t *input;
static size_t input_size;
static jmp_buf end;

FILE *world_fopen(const char *path, const char *mode)
{
    (void)path;
    if (mode[0] == 'w')
        return open_memstream(&output, &output_length);
    return input_size > 0 ? fmemopen((void *)input, input_size, "rb") : fopen("/dev/null", "rb");
}

int world_rename(const char *from, const char *to)
{
    (void)from;
    (void)to;
    return 0;
}

int world_remove(const char *path)
{
    (void)path;
    return 0;
}

void world_exit(int status)
{
    longjmp(end, status + 1);
}

/* ---- the target ------------------------------------------------------------------------------ */

static size_t lines(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += text[i] == '\n';
    return count;
}

/* Returns the exit status plus 1, because setjmp returns 0 the first time. */
static int run(int count, char **arguments)
{
    const int ended = setjmp(end);
    if (ended != 0) {
        forget_all();
        free_all();
        return ended;
    }
    const int status = rewrite_main(count, arguments);
    require(live_count == 0, "all memory is freed");
    return status + 1;
}

static void rewrite_as(bool preprocessed)
{
    char *plain[] = {"simt_rewrite", "in.cu", "out.cpp", NULL};
    char *of_preprocessor[] = {"simt_rewrite", "--preprocessed", "in.ii", "out.cpp", NULL};

    world_messages = open_memstream(&messages, &messages_length);
    require(world_messages != NULL, "memory for the messages");
    const int status = (preprocessed ? run(4, of_preprocessor) : run(3, plain)) - 1;
    fclose(world_messages);
    if (status == EXIT_SUCCESS) {
        const size_t before = preprocessed ? 0 : 2; /* the #include, and the #line */
        require(output != NULL, "an output after a success");
        require(messages_length == 0, "no message without a failure");
        require(lines(output, output_length) >= before + lines((const char *)input, input_size),
                "no line is lost");
    } else {
        require(status == EXIT_FAILURE, "a status of 0 or 1");
        require(output == NULL, "no output after a failure");
        require(messages_length > 0 && messages[messages_length - 1] == '\n', "a message");
    }
    free(messages);
    free(output);
    output = messages = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input = data;
    input_size = size;
    rewrite_as(false);
    rewrite_as(true);
    return 0;
}
/* SPDX-License-Identifier: MIT */

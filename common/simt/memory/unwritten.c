#include "memory/unwritten.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "observe/observer.h"

/* Allocations of SHARED_BYTES and more share their pages, as long as these are not written. */
enum { POISON_BYTES = 32 << 20, SHARED_BYTES = 256 << 10, CHECKED_BYTES = 4096 };

/* Unwritten memory holds NaNs. Host memory holds values that the host is unlikely to write, so a
 * difference shows a write of the host. */
static uint64_t unwritten_words(bool of_device, size_t offset)
{
    uint64_t bits = offset % POISON_BYTES / 8 * UINT64_C(0x9e3779b97f4a7c15);
    return of_device ? UINT64_MAX
                     : (bits & UINT64_C(0x000fffff000fffff)) | UINT64_C(0x7fd000007fd00000);
}

static void fill_unwritten(bool of_device, char *memory, size_t first, size_t end)
{
    for (size_t at = first; at < end; at += 8) {
        uint64_t words = unwritten_words(of_device, at);
        memcpy(memory + at, &words, 8);
    }
}

/* The limit also holds for files in memory. Exceeding it raises a signal. */
static bool may_have_file(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= POISON_BYTES;
}

/* A file whose first `size` bytes (or more) are filled as unwritten. -1 if there is none. */
static int unwritten_file(bool of_device, size_t size)
{
    static int files[] = {-1, -1};
    static size_t filled[2];
    int *file = &files[of_device];
    if (*file < 0) {
        int made = may_have_file() ? memfd_create("simt_unwritten", MFD_CLOEXEC) : -1;
        if (made < 0) {
            return -1;
        }
        if (ftruncate(made, POISON_BYTES) != 0) {
            close(made);
            return -1;
        }
        *file = made;
    }
    if (filled[of_device] < size) {
        void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
        if (bytes == MAP_FAILED) {
            return -1;
        }
        fill_unwritten(of_device, bytes, filled[of_device], size);
        munmap(bytes, size);
        filled[of_device] = size;
    }
    return *file;
}

bool simt_unwritten_fill(bool of_device, char *memory, size_t size, int protection)
{
    int file = -1;
    if (size >= SHARED_BYTES) {
        file = unwritten_file(of_device, size < POISON_BYTES ? size : POISON_BYTES);
    }
    if (file < 0) {
        fill_unwritten(of_device, memory, 0, size);
        return true;
    }
    for (size_t at = 0; at < size; at += POISON_BYTES) {
        size_t piece = size - at < POISON_BYTES ? size - at : POISON_BYTES;
        if (mmap(memory + at, piece, protection, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file,
                 0) == MAP_FAILED) {
            return false;
        }
    }
    return true;
}

void simt_unwritten_look(const char *memory, size_t size)
{
    for (size_t page = 0; page < size; page += CHECKED_BYTES) {
        size_t start = page, end = page + CHECKED_BYTES;
        if (simt_observer.is_written(memory + page)) {
            continue;
        }
        for (size_t at = page; at <= end; at += 8) {
            uint64_t words = unwritten_words(false, at);
            if (at == end || memcmp(memory + at, &words, 8) == 0) {
                if (at > start) {
                    simt_observer.written(memory + start, at - start, NULL);
                }
                start = at + 8;
            }
        }
    }
}
/* SPDX-License-Identifier: MIT */

#include "memory/unwritten.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "observe/observer.h"

enum { POISON_BYTES = 32 << 20, CHECKED_BYTES = 4096 };

/* What nobody has written is a NaN. In memory of the host it is one that the host is not likely to
 * write there: so it shows what the host has written. */
static uint64_t unwritten_words(bool of_device, size_t offset)
{
    uint64_t bits = offset % POISON_BYTES / 8 * UINT64_C(0x9e3779b97f4a7c15);
    return of_device ? UINT64_MAX
                     : (bits & UINT64_C(0x000fffff000fffff)) | UINT64_C(0x7fd000007fd00000);
}

static void fill_unwritten(bool of_device, char *memory, size_t size)
{
    for (size_t at = 0; at < size; at += 8) {
        uint64_t words = unwritten_words(of_device, at);
        memcpy(memory + at, &words, 8);
    }
}

/* A file of it that large allocations share, until their pages are written. -1 if there is none. */
static int unwritten_file(bool of_device)
{
    static int files[] = {-1, -1};
    int *file = &files[of_device];
    if (*file < 0) {
        void *bytes = MAP_FAILED;
        *file = memfd_create("simt_unwritten", MFD_CLOEXEC);
        if (*file >= 0 && ftruncate(*file, POISON_BYTES) == 0) {
            bytes = mmap(NULL, POISON_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
        }
        if (bytes == MAP_FAILED) {
            return -1;
        }
        fill_unwritten(of_device, bytes, POISON_BYTES);
        munmap(bytes, POISON_BYTES);
    }
    return *file;
}

bool simt_unwritten_fill(bool of_device, char *memory, size_t size, int protection)
{
    int file;
    if (size < POISON_BYTES) {
        fill_unwritten(of_device, memory, size);
        return true;
    }
    file = unwritten_file(of_device);
    for (size_t at = 0; file >= 0 && at < size; at += POISON_BYTES) {
        size_t piece = size - at < POISON_BYTES ? size - at : POISON_BYTES;
        if (mmap(memory + at, piece, protection, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file,
                 0) == MAP_FAILED) {
            return false;
        }
    }
    return file >= 0;
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

/* Static shared memory: what it consists of, and whom it belongs to.
 *
 * __shared__ is thread_local here (cuda_runtime.h), so that the compiler knows, as nvcc does, that
 * shared and global memory are not the same. The program's own symbols tell its variables apart: an
 * access past the end of one is known as such, and how much a kernel takes. A program without
 * symbols is one variable.
 *
 * A class with a constructor, be it empty, has the compiler ask at each use whether it has run: by a
 * flag that lies among the variables, but is none of the program's. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"
#include "trace.h"

/* The last of the thread_local variables, since the library is linked last: what runs past the end
 * of shared memory does not meet the C library's. */
__thread struct simt_own simt_own;

struct symbol {
    size_t offset, size; /* of a function: its address in the file */
    const char *name;
    bool guard;
};

static struct symbol *variables, *functions;
static size_t variable_count, function_count;
static struct simt_range block; /* of the thread that launches: up to the runtime's own */

/* ---- the program's symbols ---- */

static void add(struct symbol **table, size_t *count, struct symbol symbol)
{
    if ((*count & (*count - 1)) == 0) {
        struct symbol *larger = realloc(*table, (*count ? 2 * *count : 1) * sizeof *larger);
        if (!larger) {
            perror("simt: no memory for the program's symbols");
            simt_exit();
        }
        *table = larger;
    }
    (*table)[(*count)++] = symbol;
}

static void read_symbols(const char *file, size_t bytes, const ElfW(Shdr) * table,
                         const ElfW(Shdr) * names)
{
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)(const void *)(file + table->sh_offset);
    if (table->sh_offset + table->sh_size > bytes || names->sh_offset + names->sh_size > bytes) {
        return;
    }
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
        int type = symbols[i].st_info & 0xf;
        const char *name = file + names->sh_offset + symbols[i].st_name;
        struct symbol new = {symbols[i].st_value, symbols[i].st_size, name, false};
        if (symbols[i].st_shndx == SHN_UNDEF || symbols[i].st_name >= names->sh_size) {
            continue;
        }
        if (type == STT_TLS && strcmp(name, "simt_own") != 0) {
            /* Names of guards begin with _ZGV in the C++ ABI that all use. */
            new.guard = strncmp(name, "_ZGV", 4) == 0;
            new.size = new.size ? new.size : 1;
            add(&variables, &variable_count, new);
        } else if (type == STT_FUNC) {
            add(&functions, &function_count, new);
        }
    }
}

static int by_offset(const void *a, const void *b)
{
    const struct symbol *first = a, *second = b;
    return (first->offset > second->offset) - (first->offset < second->offset);
}

/* The file stays mapped: the names are in it. */
static void read_file(const char *file, size_t bytes)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)(const void *)file;
    const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(const void *)(file + header->e_shoff);
    if (bytes < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_shoff + header->e_shnum * sizeof *sections > bytes) {
        return;
    }
    for (size_t i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < header->e_shnum) {
            read_symbols(file, bytes, &sections[i], &sections[sections[i].sh_link]);
        }
    }
    if (variables) {
        qsort(variables, variable_count, sizeof *variables, by_offset);
    }
    if (functions) {
        qsort(functions, function_count, sizeof *functions, by_offset);
    }
}

static void read_program(void)
{
    static bool done;
    int file = done ? -1 : open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status;
    done = true;
    if (file >= 0 && fstat(file, &status) == 0) {
        char *memory = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (memory != MAP_FAILED) {
            read_file(memory, (size_t)status.st_size);
        }
    }
    if (file >= 0) {
        close(file);
    }
}

/* The last one that begins at or below the offset. */
static const struct symbol *find_below(const struct symbol *table, size_t count, size_t offset)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table[middle].offset <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? &table[low - 1] : NULL;
}

/* ---- names ---- */

/* The last identifier of a mangled name: of _ZZ1kPfE5tiles, tiles. */
static void plain_name(const char *mangled, char *name, size_t size)
{
    size_t at = 2;
    snprintf(name, size, "%s", mangled);
    if (strncmp(mangled, "_Z", 2) != 0) {
        return;
    }
    while (mangled[at]) {
        char *end;
        size_t length;
        if (mangled[at] == 'L' && mangled[at + 1] >= 'a' && mangled[at + 1] <= 'z') {
            at += strcspn(mangled + at, "E"); /* a number among template arguments */
            continue;
        }
        if (mangled[at] < '0' || mangled[at] > '9') {
            at++;
            continue;
        }
        length = strtoul(mangled + at, &end, 10);
        at = (size_t)(end - mangled);
        if (length > 0 && length <= strlen(end)) {
            snprintf(name, size, "%.*s", (int)length, end);
            at += length;
        }
    }
}

/* ---- addresses ---- */

static int find_block(struct dl_phdr_info *information, size_t size, void *data)
{
    (void)size;
    (void)data;
    for (int i = 0; i < information->dlpi_phnum; i++) {
        if (information->dlpi_phdr[i].p_type == PT_TLS) {
            uint64_t base = (uintptr_t)information->dlpi_tls_data;
            block = (struct simt_range){base, (size_t)((uintptr_t)&simt_own - base), SPACE_SHARED,
                                        false};
        }
    }
    return 1; /* the first entry is the program */
}

void *simt_static_shared(size_t *size)
{
    dl_iterate_phdr(find_block, NULL); /* a thread's variables are its own */
    *size = block.size;
    return (void *)(uintptr_t)block.base;
}

void simt_shared_start_launch(void)
{
    read_program();
    dl_iterate_phdr(find_block, NULL);
}

bool simt_shared_range(uint64_t address, struct simt_range *range)
{
    uint64_t offset = address - block.base;
    const struct symbol *variable;
    if (offset >= block.size + sizeof simt_own) {
        return false;
    }
    variable = find_below(variables, variable_count, (size_t)offset);
    *range = (struct simt_range){address, 1, SPACE_SHARED, true};
    if (variable && offset - variable->offset < variable->size) {
        *range = (struct simt_range){block.base + variable->offset, variable->size,
                                     variable->guard ? SPACE_LOCAL : SPACE_SHARED, false};
    } else if (variable_count == 0 && offset < block.size) {
        *range = block;
    }
    return true;
}

bool simt_shared_describe(uint64_t address, char *text, size_t size)
{
    uint64_t offset = address - block.base;
    const struct symbol *variable = find_below(variables, variable_count, (size_t)offset);
    char name[64];
    if (offset >= block.size + sizeof simt_own || !variable) {
        return false;
    }
    plain_name(variable->name, name, sizeof name);
    if (offset - variable->offset < variable->size) {
        snprintf(text, size, "it begins in %s, %zu bytes, and ends past it", name, variable->size);
    } else {
        snprintf(text, size, "%zu bytes past the end of %s, which has %zu bytes",
                 (size_t)(offset - variable->offset) - variable->size, name, variable->size);
    }
    return true;
}

/* ---- kernels ---- */

size_t simt_static_shared_of(const void *function)
{
    extern const char __executable_start[];
    uintptr_t address = (uintptr_t)function;
    const struct symbol *kernel;
    size_t total = 0;
    char prefix[1024];
    int length;
    read_program();
    kernel = find_below(functions, function_count, address);
    if (!kernel || kernel->offset != address) {
        /* Addresses in a position-independent file start from zero. */
        address -= (uintptr_t)__executable_start;
        kernel = find_below(functions, function_count, address);
    }
    if (!kernel || kernel->offset != address || strncmp(kernel->name, "_Z", 2) != 0) {
        return 0;
    }
    length = snprintf(prefix, sizeof prefix, "_ZZ%sE", kernel->name + 2);
    for (size_t i = 0; i < variable_count; i++) {
        if (!variables[i].guard && (size_t)length < sizeof prefix &&
            strncmp(variables[i].name, prefix, (size_t)length) == 0) {
            total += variables[i].size;
        }
    }
    return total;
}

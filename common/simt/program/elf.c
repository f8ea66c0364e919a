#include "program/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/need.h"

struct simt_symbols simt_symbols;

static void add(struct simt_symbol **table, size_t *count, struct simt_symbol symbol)
{
    if ((*count & (*count - 1)) == 0) {
        *table = simt_needed(realloc(*table, (*count ? 2 * *count : 1) * sizeof **table),
                             "the program's symbols");
    }
    (*table)[(*count)++] = symbol;
}

/* True for the sections of variables; false for those of tables that the compiler makes. */
static bool is_data(const char *file, size_t bytes, const ElfW(Shdr) * section)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)(const void *)file;
    const ElfW(Shdr) *names =
        (const ElfW(Shdr) *)(const void *)(file + header->e_shoff) + header->e_shstrndx;
    const char *name = file + names->sh_offset + section->sh_name;
    return names->sh_offset + names->sh_size <= bytes && section->sh_name < names->sh_size &&
           (strcmp(name, ".data") == 0 || strcmp(name, ".bss") == 0);
}

static void read_symbols(const char *file, size_t bytes, const ElfW(Shdr) * sections,
                         const ElfW(Shdr) * table, const ElfW(Shdr) * names)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)(const void *)file;
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)(const void *)(file + table->sh_offset);
    if (table->sh_offset + table->sh_size > bytes || names->sh_offset + names->sh_size > bytes) {
        return;
    }
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
        int type = symbols[i].st_info & 0xf;
        const char *name = file + names->sh_offset + symbols[i].st_name;
        struct simt_symbol new = {symbols[i].st_value, symbols[i].st_size, name, false};
        if (symbols[i].st_shndx == SHN_UNDEF || symbols[i].st_name >= names->sh_size ||
            strstr(name, SIMT_SECOND_NAME)) {
            continue;
        }
        /* On Arm, linkers add _TLS_MODULE_BASE_. It marks the start of the block. */
        if (type == STT_TLS && strcmp(name, "simt_own") != 0 &&
            strcmp(name, "_TLS_MODULE_BASE_") != 0) {
            /* In the C++ ABI that all compilers here use, names of guards begin with _ZGV. */
            new.guard = strncmp(name, "_ZGV", 4) == 0;
            new.size = new.size ? new.size : 1;
            if (strstr(name, SIMT_GAP_NAME)) {
                add(&simt_symbols.gaps, &simt_symbols.gap_count, new);
            } else if (new.guard || !strstr(name, "simt_between_")) {
                add(&simt_symbols.variables, &simt_symbols.variable_count, new);
            }
        } else if (type == STT_FUNC) {
            add(&simt_symbols.functions, &simt_symbols.function_count, new);
        } else if (type == STT_OBJECT && new.size > 0 && symbols[i].st_shndx < header->e_shnum &&
                   is_data(file, bytes, &sections[symbols[i].st_shndx])) {
            add(&simt_symbols.objects, &simt_symbols.object_count, new);
        }
    }
}

static int by_offset(const void *a, const void *b)
{
    const struct simt_symbol *first = a, *second = b;
    return (first->offset > second->offset) - (first->offset < second->offset);
}

static void sort(struct simt_symbol *table, size_t count)
{
    if (table) {
        qsort(table, count, sizeof *table, by_offset);
    }
}

/* The file stays mapped because the names point into it. */
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
            read_symbols(file, bytes, sections, &sections[i], &sections[sections[i].sh_link]);
        }
    }
    sort(simt_symbols.variables, simt_symbols.variable_count);
    sort(simt_symbols.gaps, simt_symbols.gap_count);
    sort(simt_symbols.objects, simt_symbols.object_count);
    sort(simt_symbols.functions, simt_symbols.function_count);
}

void simt_program_path(char *path, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    const char *const started_as = (const char *)getauxval(AT_EXECFN); /* used without /proc */
    path[length > 0 ? length : 0] = '\0';
    if (length <= 0 && started_as) {
        snprintf(path, size, "%s", started_as);
    }
}

void simt_symbols_read(void)
{
    static bool done;
    char path[PATH_MAX];
    struct stat status;
    int file;
    if (done) {
        return;
    }
    done = true;
    simt_program_path(path, sizeof path);
    file = open(path, O_RDONLY | O_CLOEXEC);
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

const struct simt_symbol *simt_symbol_below(const struct simt_symbol *table, size_t count,
                                            size_t offset)
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

const struct simt_symbol *simt_symbol_of_function(const void *function)
{
    extern const char __executable_start[];
    uintptr_t address = (uintptr_t)function;
    const struct simt_symbol *found =
        simt_symbol_below(simt_symbols.functions, simt_symbols.function_count, address);
    if (!found || found->offset != address) {
        /* Addresses in a position-independent file start from zero. */
        address -= (uintptr_t)__executable_start;
        found = simt_symbol_below(simt_symbols.functions, simt_symbols.function_count, address);
    }
    return function && found && found->offset == address ? found : NULL;
}

/* ---- names ---- */

void simt_plain_name(const char *mangled, char *name, size_t size)
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
            at += strcspn(mangled + at, "E"); /* a number in the template arguments */
            continue;
        }
        if (mangled[at] == 'S' || mangled[at] == 'T') {
            at++; /* S5_ repeats a part of the name; T0_ is a template argument */
            at += strspn(mangled + at, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
            at += mangled[at] != '\0';
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

void simt_enclosing_function(const char *mangled, char *name, size_t size)
{
    const char *at = mangled + 3;
    bool nested;
    name[0] = '\0';
    if (strncmp(mangled, "_ZZ", 3) != 0) {
        return;
    }
    nested = *at == 'N';
    at += nested;
    while (*at == 'L' || (*at >= '0' && *at <= '9')) {
        char *end;
        size_t length = strtoul(at + (*at == 'L'), &end, 10);
        if (length == 0 || length > strlen(end)) {
            return;
        }
        snprintf(name, size, "%.*s", (int)length, end);
        at = end + length;
        if (!nested) {
            return;
        }
    }
}
/* SPDX-License-Identifier: MIT */

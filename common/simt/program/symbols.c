/* What the program's own symbols tell: of shared memory, which variables it consists of; of a
 * kernel, how much of it is its own; of the program's data, which is the device's.
 *
 * __shared__ is thread_local here (cuda_runtime.h), so that the compiler knows, as nvcc does, that
 * shared and global memory are not the same. The program's own symbols tell its variables apart: an
 * access past the end of one is known as such, and how much a kernel takes. A program without
 * symbols is one variable.
 *
 * A class with a constructor, be it empty, has the compiler ask at each use whether it has run: by
 * a flag that lies among the variables, but is none of the program's. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/need.h"
#include "base/own.h"
#include "cuda/simt_analysis.h"
#include "program/symbols.h"

/* The last of the thread_local variables, since the library is linked last: what runs past the end
 * of shared memory does not meet the C library's. */
__thread struct simt_own simt_own;

struct symbol {
    size_t offset, size; /* of a function: its address in the file */
    const char *name;
    bool guard;
};

/* thread_local variables, functions, and variables in the program's data. */
static struct symbol *variables, *functions, *objects;
static size_t variable_count, function_count, object_count;
static struct simt_range block; /* of the thread that launches: up to the runtime's own */

/* ---- the program's symbols ---- */

static void add(struct symbol **table, size_t *count, struct symbol symbol)
{
    if ((*count & (*count - 1)) == 0) {
        *table = simt_needed(realloc(*table, (*count ? 2 * *count : 1) * sizeof **table),
                             "the program's symbols");
    }
    (*table)[(*count)++] = symbol;
}

/* Where variables are: not in tables that the compiler makes. */
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
        struct symbol new = {symbols[i].st_value, symbols[i].st_size, name, false};
        if (symbols[i].st_shndx == SHN_UNDEF || symbols[i].st_name >= names->sh_size) {
            continue;
        }
        /* The second is no variable, but where the block begins: linkers for Arm add it. */
        if (type == STT_TLS && strcmp(name, "simt_own") != 0 &&
            strcmp(name, "_TLS_MODULE_BASE_") != 0) {
            /* Names of guards begin with _ZGV in the C++ ABI that all use. */
            new.guard = strncmp(name, "_ZGV", 4) == 0;
            new.size = new.size ? new.size : 1;
            add(&variables, &variable_count, new);
        } else if (type == STT_FUNC) {
            add(&functions, &function_count, new);
        } else if (type == STT_OBJECT && new.size > 0 && symbols[i].st_shndx < header->e_shnum &&
                   is_data(file, bytes, &sections[symbols[i].st_shndx])) {
            add(&objects, &object_count, new);
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
            read_symbols(file, bytes, sections, &sections[i], &sections[sections[i].sh_link]);
        }
    }
    if (variables) {
        qsort(variables, variable_count, sizeof *variables, by_offset);
    }
    if (objects) {
        qsort(objects, object_count, sizeof *objects, by_offset);
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

/* Names that sources declare, each between spaces: of kernels and of the device's variables. */
static char *kernel_names, *device_names;
static bool names_missing; /* a source could not tell */

static void add_names(char **known, const char *names)
{
    size_t length = *known ? strlen(*known) : 0, more = strlen(names);
    char *larger = realloc(*known, length + more + 2);
    if (larger) {
        *known = larger;
        snprintf(larger + length, more + 2, "%s ", names);
    }
}

int simt_device_names(const char *kernels, const char *of_variables)
{
    add_names(&kernel_names, kernels);
    names_missing = names_missing || !of_variables;
    add_names(&device_names, of_variables ? of_variables : "");
    return 0;
}

static bool is_among(const char *names, const char *name)
{
    char word[256];
    snprintf(word, sizeof word, " %.250s ", name);
    return names && strstr(names, word);
}

/* Whose local variable a mangled name is: of _ZZ1kPfE5tiles, k; "" if no function's. */
static void enclosing_function(const char *mangled, char *name, size_t size)
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

/* ---- addresses ---- */

/* What names of the running kernel's own variables begin with; "" if not known. */
static char own_prefix[1024];

/* Of another kernel: the running one has none such. */
static bool is_foreign(const struct symbol *variable)
{
    char function[256];
    if (!own_prefix[0] || strncmp(variable->name, own_prefix, strlen(own_prefix)) == 0) {
        return false;
    }
    enclosing_function(variable->name, function, sizeof function);
    return is_among(kernel_names, function);
}

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

/* What the names of a function's variables begin with; false if the function is not known. */
static bool prefix_of(const void *function, char *prefix, size_t size)
{
    extern const char __executable_start[];
    uintptr_t address = (uintptr_t)function;
    const struct symbol *kernel = find_below(functions, function_count, address);
    if (!kernel || kernel->offset != address) {
        /* Addresses in a position-independent file start from zero. */
        address -= (uintptr_t)__executable_start;
        kernel = find_below(functions, function_count, address);
    }
    prefix[0] = '\0';
    if (!function || !kernel || kernel->offset != address || strncmp(kernel->name, "_Z", 2) != 0 ||
        strlen(kernel->name) + 4 > size) {
        return false;
    }
    snprintf(prefix, size, "_ZZ%sE", kernel->name + 2);
    return true;
}

void simt_shared_start_launch(const void *function)
{
    read_program();
    dl_iterate_phdr(find_block, NULL);
    prefix_of(function, own_prefix, sizeof own_prefix);
}

/* The variable that the offset lies in, or the one before; none of another kernel. */
static const struct symbol *find_variable(uint64_t offset)
{
    const struct symbol *variable = find_below(variables, variable_count, (size_t)offset);
    while (variable && is_foreign(variable)) {
        variable = variable > variables ? variable - 1 : NULL;
    }
    return variable;
}

bool simt_shared_range(uint64_t address, struct simt_range *range)
{
    uint64_t offset = address - block.base;
    const struct symbol *variable;
    if (offset >= block.size + sizeof simt_own) {
        return false;
    }
    variable = find_variable(offset);
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
    const struct symbol *variable = find_variable(offset);
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

bool simt_shared_name(uint64_t address, char *text, size_t size)
{
    const struct symbol *variable = find_variable(address - block.base);
    if (address - block.base >= block.size || !variable) {
        return false;
    }
    plain_name(variable->name, text, size);
    return true;
}

/* ---- the program's data ---- */

static bool is_of_device(const struct symbol *object)
{
    char name[256];
    plain_name(object->name, name, sizeof name);
    return is_among(device_names, name);
}

/* The variable that the address lies in, or the one before. */
static const struct symbol *find_object(uint64_t address, uint64_t *base)
{
    extern const char __executable_start[];
    const struct symbol *found = find_below(objects, object_count, (size_t)address);
    *base = 0;
    /* Addresses in a position-independent file start from zero. */
    if (!found || address - found->offset > SIMT_PAST_SHARED) {
        *base = (uintptr_t)__executable_start;
        found = find_below(objects, object_count, (size_t)(address - *base));
    }
    *base += found ? found->offset : 0;
    return found && address - *base < found->size + SIMT_PAST_SHARED ? found : NULL;
}

bool simt_data_range(uint64_t address, struct simt_range *range)
{
    uint64_t base;
    const struct symbol *object =
        device_names && !names_missing ? find_object(address, &base) : NULL;
    bool inside = object && address - base < object->size;
    if (!object || (!inside && address - base - object->size > 4096)) {
        return false;
    }
    if (inside && object > objects && !is_of_device(object) && is_of_device(object - 1) &&
        address - base + object->offset - object[-1].offset - object[-1].size < 64) {
        /* Just past the end of a variable of the device. */
        *range = (struct simt_range){address, 1, SPACE_GLOBAL, true};
    } else if (!is_of_device(object)) {
        *range = (struct simt_range){inside ? base : address, inside ? object->size : 1,
                                     inside ? SPACE_HOST : SPACE_GLOBAL, false};
    } else {
        *range = (struct simt_range){inside ? base : address, inside ? object->size : 1,
                                     SPACE_GLOBAL, !inside};
    }
    return true;
}

bool simt_data_describe(uint64_t address, bool past, char *text, size_t size)
{
    uint64_t base;
    const struct symbol *object =
        device_names && !names_missing ? find_object(address, &base) : NULL;
    char name[64];
    if (!object) {
        return false;
    }
    if (past && object > objects && !is_of_device(object)) {
        base -= object->offset - object[-1].offset;
        object--;
    }
    plain_name(object->name, name, sizeof name);
    if (address - base < object->size) {
        snprintf(text, size, "%s", name);
    } else {
        snprintf(text, size, "%zu bytes past the end of %s, which has %zu bytes",
                 (size_t)(address - base) - object->size, name, object->size);
    }
    return true;
}

/* ---- kernels ---- */

size_t simt_static_shared_of(const void *function)
{
    static const void *last;
    static size_t total;
    char prefix[sizeof own_prefix];
    if (last && function == last) {
        return total;
    }
    last = function;
    total = 0;
    read_program();
    if (!prefix_of(function, prefix, sizeof prefix)) {
        return 0;
    }
    for (size_t i = 0; i < variable_count; i++) {
        if (!variables[i].guard && strncmp(variables[i].name, prefix, strlen(prefix)) == 0) {
            total += variables[i].size;
        }
    }
    return total;
}

/* ---- instrumentation ---- */

static bool instrumented;

int simt_mark_instrumented(void)
{
    instrumented = true;
    return 0;
}

bool simt_instrumented(void)
{
    return instrumented;
}

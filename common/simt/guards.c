/* Guards of variables in static shared memory.
 *
 * __shared__ is thread_local here (cuda_runtime.h), and a class with a constructor, be it empty,
 * has the compiler ask at each use whether it has run: by a flag that lies among the variables, but
 * is none of the program's. The program's own symbols tell where. A program without symbols has
 * none that are known. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace.h"

static struct simt_guard_variable *guards;
static size_t guard_count;

static void add(size_t offset, size_t size)
{
    struct simt_guard_variable *larger = realloc(guards, (guard_count + 1) * sizeof *larger);
    if (larger) {
        guards = larger;
        guards[guard_count++] = (struct simt_guard_variable){offset, size ? size : 1};
    }
}

/* Names begin with _ZGV, "guard variable for", in the C++ ABI that all use. */
static void read_symbols(const char *file, size_t bytes, const ElfW(Shdr) * table,
                         const ElfW(Shdr) * names)
{
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)(const void *)(file + table->sh_offset);
    if (table->sh_offset + table->sh_size > bytes || names->sh_offset + names->sh_size > bytes) {
        return;
    }
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
        if ((symbols[i].st_info & 0xf) == STT_TLS && symbols[i].st_shndx != SHN_UNDEF &&
            symbols[i].st_name < names->sh_size &&
            strncmp(file + names->sh_offset + symbols[i].st_name, "_ZGV", 4) == 0) {
            add(symbols[i].st_value, symbols[i].st_size);
        }
    }
}

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
}

size_t simt_guard_variables(const struct simt_guard_variable **variables)
{
    static bool done;
    int file = done ? -1 : open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file >= 0 && fstat(file, &status) == 0) {
        size_t bytes = (size_t)status.st_size;
        char *memory = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
        if (memory != MAP_FAILED) {
            read_file(memory, bytes);
            munmap(memory, bytes);
        }
    }
    if (file >= 0) {
        close(file);
    }
    done = true;
    *variables = guards;
    return guard_count;
}

/* simt_rewrite --twice a.s b.s: combines two translations of one source in one program.
 *
 * `a.s` is instrumented. `b.s` is not: it runs what is not observed. Every function in `b.s` gets
 * another name, so both files can be linked. The source's variables are those of `a.s`, which gets
 * global names for those that have none.
 *
 * If both files have a function, the one in `a.s` begins with a branch to the one in `b.s`. The
 * branch is taken while host code runs: simt_unless_in_kernel (cuda_runtime.h). The section
 * simt_plain lists both addresses, for kernels that are not checked (machine/launch.c). It omits
 * functions that may wait in ways that need the hooks (simt_twice_waits.c).
 *
 * Both files are changed in place. Status 2: they cannot be combined, and neither is changed. This
 * works only with the output of GCC for x86-64. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/simt_twice.h"

enum { CANNOT = 2 };
static const char plain[] = ".simt_plain";

/* ---- the instrumented translation ---- */

static char of_file[32]; /* the suffix of names that only this source has */

/* Defines a .local .comm variable as other variables are, because .set cannot name it. */
static const char *write_local(struct text *out, const char *line)
{
    const char *const name = line + 8, *const common = next_line(line);
    const size_t length = name_length(name);
    unsigned long size, alignment;
    char definition[256];
    if (!begins(common, "\t.comm\t") || strncmp(common + 7, name, length) != 0 ||
        sscanf(common + 7 + length, ",%lu,%lu", &size, &alignment) != 2) {
        return NULL;
    }
    snprintf(definition, sizeof definition, "\t.pushsection\t.bss\n\t.align %lu\n\t.type\t",
             alignment);
    append_string(out, definition);
    append(out, name, length);
    append_string(out, ", @object\n\t.size\t");
    append(out, name, length);
    snprintf(definition, sizeof definition, ", %lu\n", size);
    append_string(out, definition);
    append(out, name, length);
    snprintf(definition, sizeof definition, ":\n\t.zero\t%lu\n\t.popsection\n", size);
    append_string(out, definition);
    return next_line(common);
}

/* `behind`: the suffix that the name already has. */
static void write_global_name(struct text *out, const struct symbol *name, const char *behind)
{
    static const char *const lines[] = {"\t.globl\t", "\t.hidden\t", "\t.set\t"};
    for (size_t i = 0; i < 3; i++) {
        append_string(out, lines[i]);
        append(out, name->begin, name->length);
        append_string(out, behind);
        append_string(out, of_file);
        if (i == 2) {
            append_string(out, ", ");
            append(out, name->begin, name->length);
            append_string(out, behind);
        }
        append_string(out, "\n");
    }
}

/* Whether both translations have the function: it comes from the source. Functions that run the
 * initializers do not count; `b.s` leaves them out. */
static bool is_in_both(const char *name, size_t length, const struct file *a, const struct file *b)
{
    static const char *const starts[] = {"_GLOBAL__",
                                         "_Z41__static_initialization_and_destruction"};
    return has_name(&a->functions, name, length) && has_name(&b->functions, name, length) &&
           !memchr(name, '.', length) && !begins(name, starts[0]) && !begins(name, starts[1]);
}

/* Appends a function's label, the lines that belong to it, and then the branch. */
static const char *write_branch(struct text *out, const char *name, const struct file *a)
{
    static const char *const first[] = {".LFB", "\t.cfi_startproc\n", "\tendbr64\n"};
    const size_t length = name_length(name);
    const char *line = next_line(name);
    append(out, name, (size_t)(line - name));
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        if (begins(line, first[i])) {
            append(out, line, (size_t)(next_line(line) - line));
            line = next_line(line);
        }
    }
    append_string(out, "\tsimt_unless_in_kernel\t");
    append(out, name, length);
    append_string(out, plain);
    append_string(out, has_name(&a->external, name, length) ? "" : of_file);
    append_string(out, "\n");
    return line;
}

static bool write_instrumented(struct text *out, const struct file *a, const struct file *b)
{
    for (const char *line = a->text.bytes, *next; *line; line = next) {
        const size_t length = name_length(line);
        next = next_line(line);
        if (begins(line, "\t.local\t")) {
            next = write_local(out, line);
            if (!next) {
                return false;
            }
        } else if (length > 0 && line[length] == ':' && is_in_both(line, length, a, b)) {
            next = write_branch(out, line, a);
        } else {
            append(out, line, (size_t)(next - line));
        }
    }
    append_string(out, "\t.text\n");
    for (size_t i = 0; i < a->data.capacity; i++) {
        const struct symbol *name = &a->data.slots[i];
        if (name->begin && !has_name(&a->external, name->begin, name->length)) {
            write_global_name(out, name, "");
        }
    }
    for (size_t i = 0; i < a->functions.capacity; i++) {
        const struct symbol *name = &a->functions.slots[i];
        if (name->begin && !has_name(&a->external, name->begin, name->length)) {
            write_global_name(out, name, "");
        }
    }
    return true;
}

/* ---- the plain translation ---- */

/* Whether the section has variables, or code that runs once before main. */
static bool is_left_out(const char *section)
{
    static const char *const left_out[] = {".bss",        ".tbss",  ".tdata",
                                           ".init_array", ".ctors", ".fini_array"};
    bool found = begins(section, ".data") && !begins(section, ".data.rel.ro") &&
                 !begins(section, ".data.rel.local.DW.ref.");
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        found = found || begins(section, left_out[i]);
    }
    return found;
}

/* The section that the line changes to, or NULL. */
static const char *section_of(const char *line)
{
    if (begins(line, "\t.section\t")) {
        return line + 10;
    }
    return begins(line, "\t.text\n") || begins(line, "\t.data\n") || begins(line, "\t.bss\n")
               ? line + 1
               : NULL;
}

/* How a line uses the names in it. */
enum use { DEFINES, CALLS, REFERS };

static bool holds_values(const char *line)
{
    static const char *const directives[] = {"\t.quad", "\t.long", "\t.value", "\t.byte"};
    bool found = false;
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        found = found || begins(line, directives[i]);
    }
    return found;
}

static enum use use_of(const char *line)
{
    if (line[0] != '\t') {
        return DEFINES; /* a label */
    }
    if (holds_values(line)) {
        return REFERS;
    }
    return line[1] == '.' ? DEFINES : begins(line, "\tcall") || line[1] == 'j' ? CALLS : REFERS;
}

/* The suffix of the name. A function or a constant has one address, the one in the instrumented
 * translation, so pointers from both compare equal. (The compiler makes the names with a dot, which
 * may mean something else in the other file.) */
static const char *ending(enum use use, const char *name, size_t length, const struct file *a,
                          const struct file *b)
{
    const bool external = has_name(&a->external, name, length);
    if (has_name(&b->functions, name, length)) {
        return use != REFERS || !has_name(&a->functions, name, length) ? plain
               : external                                              ? ""
                                                                       : of_file;
    }
    if (!has_name(&a->data, name, length) || external) {
        return "";
    }
    return has_name(&b->kept, name, length) && (use == DEFINES || memchr(name, '.', length))
               ? ""
               : of_file;
}

static void write_renamed(struct text *out, const char *line, const char *end, const struct file *a,
                          const struct file *b)
{
    const enum use use = use_of(line);
    const char *at = line;
    if (*line == '\t') { /* keep the instruction or directive */
        at = line + 1;
        while (at < end && *at != '\t' && *at != ' ') {
            at++;
        }
    }
    append(out, line, (size_t)(at - line));
    while (at < end) {
        const size_t length = name_length(at);
        if (length == 0) {
            append(out, at++, 1);
            continue;
        }
        append(out, at, length);
        if (begins(at + length, ",comdat") && !has_name(&b->data, at, length)) {
            append_string(out, plain); /* the group of destructors has no function's name */
        } else if (at[-(at > line)] != '@' && at[-(at > line)] != '%') {
            append_string(out, ending(use, at, length, a, b));
        }
        at += length;
    }
}

static void find_kept(struct file *b)
{
    bool left_out = false;
    for (const char *line = b->text.bytes; *line; line = next_line(line)) {
        const char *const section = section_of(line);
        const size_t length = name_length(line);
        left_out = section ? is_left_out(section) : left_out;
        if (!left_out && length > 0 && line[length] == ':' && has_name(&b->data, line, length)) {
            keep_name(&b->kept, line, length);
        }
    }
}

/* Writes a line outside the sections that are left out. */
static void write_line(struct text *out, const char *line, const char *next, const struct file *a,
                       const struct file *b)
{
    if (begins(line, "\t.string") || begins(line, "\t.ascii") || begins(line, "\t.ident") ||
        begins(line, "\t.file")) {
        append(out, line, (size_t)(next - line));
    } else if (begins(line, "\t.globl\t") &&
               !has_name(&b->functions, line + 8, name_length(line + 8))) {
        append_string(out, "\t.weak\t"); /* a constant, which both files have */
        append(out, line + 8, (size_t)(next - line - 8));
    } else {
        write_renamed(out, line, next, a, b);
    }
}

/* Whether the initial value of a local variable begins here, if it contains addresses. The compiler
 * names it, and puts it among the variables. */
static bool begins_constant(const char *line)
{
    return begins(line, ".LC") && line[name_length(line)] == ':';
}

static bool goes_on(const char *line)
{
    return begins_constant(line) || holds_values(line) || begins(line, "\t.zero") ||
           begins(line, "\t.string") || begins(line, "\t.ascii");
}

/* Whether the line belongs to no section. */
static bool is_of_anywhere(const char *line)
{
    static const char *const words[] = {"\t.set\t", "\t.globl\t", "\t.weak\t", "\t.hidden\t"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        found = found || begins(line, words[i]);
    }
    return found;
}

static bool write_plain(struct text *out, const struct file *a, const struct file *b)
{
    bool leave_out = false, in_constant = false;
    for (const char *line = b->text.bytes, *next; *line; line = next) {
        const char *const section = section_of(line);
        const size_t length = name_length(line);
        next = next_line(line);
        in_constant = in_constant && goes_on(line);
        if (section) {
            leave_out = is_left_out(section);
        } else if (leave_out && !in_constant && begins_constant(line)) {
            in_constant = true;
            append_string(out, "\t.data\n\t.align 32\n");
        } else if (begins(line, "\t.local\t") || begins(line, "\t.comm\t")) {
            const char *const name = strchr(line + 1, '\t') + 1;
            if (!has_name(&a->data, name, name_length(name))) {
                return false;
            }
            continue;
        } else if (leave_out && length > 0 && line[length] == ':' && line[0] != '.' &&
                   !has_name(&a->data, line, length)) {
            return false;
        }
        if (!leave_out || in_constant || is_of_anywhere(line)) {
            write_line(out, line, next, a, b);
        }
    }
    return true;
}

/* Lists both addresses of each common function that does not wait for other threads. */
static void write_table(struct text *out, const struct file *a, const struct file *b)
{
    const struct names waiting = find_waiting(a);
    append_string(out, "\t.section\tsimt_plain,\"aw\",@progbits\n\t.align 8\n");
    for (size_t i = 0; i < b->functions.capacity; i++) {
        const struct symbol *name = &b->functions.slots[i];
        if (name->begin && has_name(&a->functions, name->begin, name->length) &&
            !has_name(&waiting, name->begin, name->length)) {
            append_string(out, "\t.quad\t");
            append(out, name->begin, name->length);
            append_string(out, has_name(&a->external, name->begin, name->length) ? "" : of_file);
            append_string(out, "\n\t.quad\t");
            append(out, name->begin, name->length);
            append_string(out, plain);
            append_string(out, "\n");
        }
    }
    free(waiting.slots);
}

/* Gives a global name, for the branch, to functions that have none. */
static void write_targets(struct text *out, const struct file *a, const struct file *b)
{
    for (size_t i = 0; i < b->functions.capacity; i++) {
        const struct symbol *name = &b->functions.slots[i];
        if (name->begin && is_in_both(name->begin, name->length, a, b) &&
            !has_name(&a->external, name->begin, name->length)) {
            write_global_name(out, name, plain);
        }
    }
}

/* ---- both ---- */

static void forget(struct file *file)
{
    free(file->text.bytes);
    free(file->functions.slots);
    free(file->data.slots);
    free(file->external.slots);
    free(file->kept.slots);
}

static void name_file(const struct text *text)
{
    snprintf(of_file, sizeof of_file, ".simt_%016llx",
             (unsigned long long)hash_of(text->bytes, text->length));
}

int simt_make_two(const char *instrumented, const char *other)
{
    struct file a = {0}, b = {0};
    struct text of_a = {0}, of_b = {0};
    int status = EXIT_FAILURE;
    if (read_whole(instrumented, &a.text) && read_whole(other, &b.text)) {
        read_assembly(&a);
        read_assembly(&b);
        find_kept(&b);
        name_file(&a.text);
        if (!write_instrumented(&of_a, &a, &b) || !write_plain(&of_b, &a, &b)) {
            status = CANNOT;
        } else {
            write_targets(&of_b, &a, &b);
            write_table(&of_b, &a, &b);
            status = write_whole(instrumented, &of_a) && write_whole(other, &of_b) ? EXIT_SUCCESS
                                                                                   : EXIT_FAILURE;
        }
    }
    forget(&a);
    forget(&b);
    free(of_a.bytes);
    free(of_b.bytes);
    return status;
}
/* SPDX-License-Identifier: MIT */

/* simt_rewrite in.cu out.cpp: turns the CUDA C syntax that the host's C++ compiler does not know
 * into calls.
 *
 *   name<<<grid, block, shared, stream>>>(arguments)
 *     simt::launch("name", <name as a function>, <name as a call>, grid, block, shared,
 *     stream)(arguments); or, if the name is not the name of a kernel,
 *     simt::launch_value("name", name, grid, block, shared, stream)(arguments)
 *   extern __shared__ T name[];
 *     T *const name = static_cast<T *>(simt_dynamic_shared()); outside functions the declaration
 *     is removed, and each use of the name is replaced by the expression after the =
 *
 *   a << n, a >>= n in device code
 *     a << ::simt::within_width % n, a >>= ::simt::within_width = n: simt_shifts.c
 *   __launch_bounds__(n)
 *     simt::launch_bounds(n); at the beginning of the kernel
 *   __cluster_dims__(x, y, z)
 *     simt_cluster_dims(x, y, z); in the same place
 *   asm("...")
 *     C++ that does what its PTX says: cc/simt_ptx_asm.c
 *   malloc(size)
 *     simt_malloc(size), about which the compiler knows nothing. So it removes neither the call
 *     nor stores to the memory
 *
 * All other text is copied unchanged, and every line keeps its number.
 *
 * simt_rewrite --preprocessed in.ii out.cpp: reads the output of the preprocessor instead (with
 * SIMT_PREPROCESSED defined), in which headers and macros are expanded. This mode also replaces
 * what cuda_runtime.h otherwise defines as macros, because macros could collide with a program's
 * names:
 *
 *   __global__ and the other qualifiers      nothing, or the host compiler's word
 *   threadIdx and the like                   calls, unless the program declares such a name itself
 *   cudaLaunchKernel((void *)name,           cudaLaunchKernel(name,
 *   __global__ void name(...) {...}          then a call that makes its address launchable
 *   (void *)name<int>                        ::simt::kernel_address{"name<int>"} % name<int>
 *   cudaName(...);                           ::simt::drop(), cudaName(...); which reports at
 *                                            the end the errors that the program ignored
 *
 * It refuses features that the architecture lacks (simt_target.c) or that the CPU back end lacks,
 * with one line per feature. It also refuses what nvcc refuses: simt_spaces.c, simt_variables.c.
 *
 * simt_rewrite --arch in.cu out.cu: runs before the preprocessor and rewrites tests of
 * __CUDA_ARCH__ in device code, as simt_arch.c describes.
 *
 * simt_rewrite --header NAME: names the feature that a missing header belongs to; status 1 if there
 * is none.
 *
 * simt_rewrite --twice a.s b.s: see simt_twice.c. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/simt_ptx.h"
#include "cc/simt_rewrite.h"
#include "cc/simt_unavailable.h"

/* ---- features that are not available ---- */

static const char *told[64];

void refuse(size_t position, const char *feature)
{
    size_t i = 0;
    while (i < sizeof told / sizeof *told && told[i] && strcmp(told[i], feature) != 0) {
        i++;
    }
    complained = true;
    if (i < sizeof told / sizeof *told && !told[i]) {
        told[i] = feature;
        complain(position, "not available on the CPU back end: %s", feature);
    }
}

/* Refuses headers that exist but work with nvcc only. The message names the line of the #include:
 * the line before the one that the preprocessor returns to. */
static void check_headers(void)
{
    struct marker marker;
    const char *feature = NULL;
    int depth = 0;
    for (size_t i = 0; i < source.length; i = line_end(i) + 1) {
        if (!read_marker(i, &marker)) {
            continue;
        }
        if (depth > 0) {
            depth += marker.enters - marker.leaves;
            if (depth == 0) {
                fprintf(stderr, "%.*s:%d: error: not available on the CPU back end: %s\n",
                        marker.name_length, marker.name, marker.line - 1, feature);
                exit(EXIT_FAILURE);
            }
        } else if (marker.enters && marker.system) {
            char name[4096];
            snprintf(name, sizeof name, "%.*s", marker.name_length, marker.name);
            feature = simt_unavailable_header(name, true);
            depth = feature != NULL;
        }
    }
}

/* CUB asks the compiler to unroll all of its loops. For a sorting kernel, GCC then creates so many
 * basic blocks that it does not finish within ten minutes. */
static void leave_out_unrolling(void)
{
    static const char pragma[] = "#pragma GCC unroll ";
    for (size_t i = 0; i < source.length; i = line_end(i) + 1) {
        size_t begin = i;
        while (at(begin) == ' ' || at(begin) == '\t') {
            begin++;
        }
        if (starts(begin, pragma)) {
            memset(source.bytes + begin, ' ', line_end(begin) - begin);
        }
    }
}

void check_word(size_t token)
{
    const char *feature;
    if (is_member(token)) {
        return;
    }
    feature = simt_unavailable_word(
        source.bytes + tokens[token].begin, tokens[token].end - tokens[token].begin,
        is_punctuation(token + 1, '(') || is_punctuation(token + 1, '<'));
    if (feature) {
        refuse(tokens[token].begin, feature);
    }
}

/* ---- files ---- */

bool read_whole(const char *name, struct text *text)
{
    char buffer[65536];
    size_t count;
    FILE *file = fopen(name, "rb");
    bool read;
    append(text, "", 0);
    while (file && (count = fread(buffer, 1, sizeof buffer, file)) > 0) {
        append(text, buffer, count);
    }
    read = file && !ferror(file);
    if (!read) {
        fprintf(stderr, "simt_rewrite: cannot read %s: %s\n", name, strerror(errno));
    }
    if (file) {
        fclose(file);
    }
    return read;
}

static void read_source(void)
{
    if (!read_whole(path, &source)) {
        exit(EXIT_FAILURE);
    }
}

/* Writes to a temporary file first, so a failure never leaves a partial output. */
bool write_whole(const char *target, const struct text *out)
{
    struct text temporary = {NULL, 0, 0};
    bool written;
    FILE *file;
    append_string(&temporary, target);
    append_string(&temporary, ".tmp");
    file = fopen(temporary.bytes, "wb");
    written = file && fwrite(out->bytes, 1, out->length, file) == out->length;
    written = file && fclose(file) == 0 && written;
    written = written && rename(temporary.bytes, target) == 0;
    if (!written) {
        fprintf(stderr, "simt_rewrite: cannot write %s: %s\n", target, strerror(errno));
        if (file) {
            remove(temporary.bytes);
        }
    }
    free(temporary.bytes);
    return written;
}

static void add_built_in_names(void)
{
    static const struct {
        const char *word, *replacement;
    } built_in[] = {
        {"threadIdx", "simt_thread_index()"}, {"blockIdx", "simt_block_index()"},
        {"blockDim", "simt_block_size()"},    {"gridDim", "simt_grid_size()"},
        {"warpSize", "simt_warp_size"},
    };
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++) {
        add_name(built_in[i].word, strlen(built_in[i].word), built_in[i].replacement);
    }
}

/* --arch: writes the file that the preprocessor reads instead of the source. */
static int write_with_arch(const char *in, const char *target)
{
    struct text out = {NULL, 0, 0};
    bool written;
    path = in;
    read_source();
    append_string(&out, "#line 1 \"");
    append_quoted(&out, path);
    append_string(&out, "\"\n");
    append_with_arch(&out);
    written = write_whole(target, &out);
    free(out.bytes);
    forget_all();
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int tell_header(const char *header)
{
    const char *feature = simt_unavailable_header(header, false);
    if (feature) {
        puts(feature);
    }
    return feature ? EXIT_SUCCESS : EXIT_FAILURE;
}

void forget_all(void)
{
    forget_source();
    forget_names();
    forget_functions();
    forget_device_variables();
    forget_ptx();
    memset(told, 0, sizeof told);
}

/* Whether the program's own source names a vector type that is aligned to 16 bytes. */
static bool names_vectors(void)
{
    static const char *const words[] = {
        "float4", "int4",   "uint4",     "double2",   "double4",    "long2",     "ulong2",
        "long4",  "ulong4", "longlong2", "longlong4", "ulonglong2", "ulonglong4"};
    for (size_t token = 0; token < token_count; token++) {
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            if (!tokens[token].in_system && is(token, words[i])) {
                return true;
            }
        }
    }
    return false;
}

int main(int argument_count, char **arguments)
{
    struct text out = {NULL, 0, 0};
    bool written;
    if (argument_count == 3 && strcmp(arguments[1], "--header") == 0) {
        return tell_header(arguments[2]);
    }
    if (argument_count == 4 && strcmp(arguments[1], "--arch") == 0) {
        return write_with_arch(arguments[2], arguments[3]);
    }
    if (argument_count == 4 && strcmp(arguments[1], "--twice") == 0) {
        return simt_make_two(arguments[2], arguments[3]);
    }
    preprocessed = argument_count >= 4 && strcmp(arguments[1], "--preprocessed") == 0;
    if (preprocessed && argument_count == 5) {
        set_target(arguments[--argument_count]);
    }
    if (argument_count != (preprocessed ? 4 : 3)) {
        fputs("usage: simt_rewrite in.cu out.cpp\n"
              "       simt_rewrite --preprocessed in.ii out.cpp [ARCHITECTURE]\n"
              "       simt_rewrite --arch in.cu out.cu\n"
              "       simt_rewrite --header NAME\n"
              "       simt_rewrite --twice a.s b.s\n",
              stderr);
        return EXIT_FAILURE;
    }
    path = arguments[argument_count - 2];
    read_source();
    add_name("malloc", strlen("malloc"), "simt_malloc");
    if (preprocessed) {
        check_headers();
        leave_out_unrolling();
        add_built_in_names();
    }
    tokenize();
    if (!preprocessed) {
        /* nvcc also includes this header in every .cu file. */
        append_string(&out, "#include <cuda_runtime.h>\n#line 1 \"");
        append_quoted(&out, path);
        append_string(&out, "\"\n");
    }
    rewrite(&out);
    if (names_vectors()) {
        append_string(&out, "\n[[maybe_unused]] static const int simt_vectors_are_named = "
                            "simt_names_vectors();\n");
    }
    written = !complained && write_whole(arguments[argument_count - 1], &out);
    free(out.bytes);
    forget_all();
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}
/* SPDX-License-Identifier: MIT */

/* Declarations with CUDA's own words: __shared__, __constant__, kernels and the like. */
#include <stdio.h>

#include "cc/simt_rewrite.h"

/* ---- qualifiers, after preprocessing ---- */

/* cuda_runtime.h says why. The compiler that builds this program also reads its output. */
#if !defined(__clang__) && defined(__GNUC__) && __GNUC__ >= 10
#define SHARED "__constinit thread_local"
#else
#define SHARED "thread_local"
#endif

static const struct {
    const char *word, *replacement;
    bool takes_arguments; /* which are also removed */
} qualifiers[] = {
    {"__global__", "", false},
    {"__device__", "", false},
    {"__host__", "", false},
    {"__constant__", "", false},
    {"__managed__", "", false},
    {"__grid_constant__", "", false},
    {"__launch_bounds__", "", true},
    {"__cluster_dims__", "", true},
    {"__maxnreg__", "", true},
    {"__shared__", SHARED, false},
    {"__forceinline__", "inline __attribute__((always_inline))", false},
    {"__noinline__", "__attribute__((noinline))", false},
};

size_t replace_qualifier(struct text *replacement, size_t token)
{
    if (is(token, "__shared__") && is(token + 1, "alignas") && is_punctuation(token + 2, '(')) {
        /* alignas must come first. */
        append_tokens(replacement, token + 1, after_group(token + 2));
        append_string(replacement, " " SHARED);
        return after_group(token + 2);
    }
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++) {
        if (is(token, qualifiers[i].word)) {
            append_string(replacement, qualifiers[i].replacement);
            return qualifiers[i].takes_arguments && is_punctuation(token + 1, '(')
                       ? after_group(token + 1)
                       : token + 1;
        }
    }
    if (is(token, "__align__") && is_punctuation(token + 1, '(')) {
        append_string(replacement, "__attribute__((aligned");
        append_tokens(replacement, token + 1, after_group(token + 1));
        append_string(replacement, "))");
        return after_group(token + 1);
    }
    return token;
}

size_t after_launch_cast(size_t token)
{
    size_t i = token + 1;
    if (token < 2 || !is_punctuation(token, '(') || !is_punctuation(token - 1, '(') ||
        !(is(token - 2, "cudaLaunchKernel") || is(token - 2, "cudaLaunchCooperativeKernel"))) {
        return token;
    }
    i += is(i, "const");
    return is(i, "void") && is_punctuation(i + 1, '*') && is_punctuation(i + 2, ')') ? i + 3
                                                                                     : token;
}

size_t template_kernel_cast(size_t token, size_t *end)
{
    size_t i = token + 1, name;
    int depth = 0;
    i += is(i, "const");
    if (!is_punctuation(token, '(') || !is(i, "void") || !is_punctuation(i + 1, '*') ||
        !is_punctuation(i + 2, ')')) {
        return NONE;
    }
    i += 3;
    i += is_punctuation(i, '&');
    name = i;
    while (tokens[i].kind == WORD && is_punctuation(i + 1, ':') && is_punctuation(i + 2, ':')) {
        i += 3;
    }
    if (tokens[i].kind != WORD || !is_kernel(i) || !is_punctuation(i + 1, '<')) {
        return NONE;
    }
    for (i++; i < token_count && !is_punctuation(i, ';') && !is_punctuation(i, '{'); i++) {
        depth += is_punctuation(i, '<') || is_punctuation(i, '(');
        depth -= is_punctuation(i, '>') || is_punctuation(i, ')');
        if (depth == 0) {
            *end = i + 1;
            return name;
        }
    }
    return NONE;
}

size_t function_name(size_t token)
{
    for (size_t i = token + 1;
         i + 1 < token_count && !is_punctuation(i, ';') && !is_punctuation(i, '{') &&
         !is_punctuation(i, '(') && !is_punctuation(i, '=');
         i++) {
        if (is_punctuation(i + 1, '(') && tokens[i].kind == WORD) {
            if (!is(i, "__launch_bounds__") && !is(i, "__cluster_dims__") &&
                !is(i, "__maxnreg__") && !is(i, "decltype") && !is_alignment(i)) {
                return is(i, "operator") ? NONE : i;
            }
            i = after_group(i + 1) - 1;
        }
    }
    return NONE;
}

size_t kernel_name(size_t token)
{
    size_t i = token;
    while (i > 0 && !is_punctuation(i - 1, ';') && !is_punctuation(i - 1, '{') &&
           !is_punctuation(i - 1, '}')) {
        if (is(--i, "template")) {
            return NONE;
        }
    }
    return function_name(token);
}

void append_launch_bounds(struct text *out, size_t token)
{
    append_string(out, " simt::launch_bounds");
    append_tokens(out, token + 1, after_group(token + 1));
    append_string(out, ";");
}

void append_cluster_dims(struct text *out, size_t token)
{
    const size_t end = after_group(token + 1) - 1;
    size_t numbers = 1;
    int depth = 0;
    append_string(out, " simt_cluster_dims(");
    append_tokens(out, token + 2, end);
    for (size_t i = token + 2; i < end; i++) {
        depth += is_punctuation(i, '(') - is_punctuation(i, ')');
        numbers += depth == 0 && is_punctuation(i, ',');
    }
    append_string(out, numbers == 1 ? ", 1, 1);" : numbers == 2 ? ", 1);" : ");");
}

void append_registration(struct text *out, size_t kernel)
{
    char number[64];
    snprintf(number, sizeof number, "simt_kernel_%zu", kernel);
    append_string(out, " [[maybe_unused]] static const bool ");
    append_string(out, number);
    append_string(out, " = simt::add_kernel(\"");
    append_tokens(out, kernel, kernel + 1);
    append_string(out, "\", [](auto simt_tag) -> "
                       "decltype(simt::function_of<decltype(simt_tag)>(");
    append_tokens(out, kernel, kernel + 1);
    append_string(out, ")) { return simt::function_of<decltype(simt_tag)>(");
    append_tokens(out, kernel, kernel + 1);
    append_string(out, "); });");
}

/* ---- __constant__ ---- */

size_t constant_end(size_t token)
{
    return is(token, "__constant__") ? variables_end(token) : NONE;
}

bool is_extern(size_t token)
{
    size_t i = token;
    while (i > 0 && tokens[i - 1].kind == WORD) {
        i--;
        if (is(i, "extern")) {
            return true;
        }
    }
    return i > 0 && is_punctuation(i - 1, '>');
}

/* Registers each variable: the word before its first '[', '=', '{', ',' or ';'. */
void append_constants(struct text *out, size_t first, size_t end)
{
    int depth = 0;
    bool named = false;
    for (size_t i = past_class_body(first + 1); i <= end; i = past_class_body(i + 1)) {
        bool ends_name = is_punctuation(i, '[') || is_punctuation(i, '=') ||
                         is_punctuation(i, '{') || is_punctuation(i, ',') || i == end;
        if (depth == 0 && ends_name && !named && tokens[i - 1].kind == WORD) {
            append_string(out, " [[maybe_unused]] static const int simt_constant_");
            append_tokens(out, i - 1, i);
            append_string(out, " = simt_constant((const void *)&");
            append_tokens(out, i - 1, i);
            append_string(out, ", sizeof ");
            append_tokens(out, i - 1, i);
            append_string(out, ");");
            named = true;
        }
        if (depth == 0 && is_punctuation(i, ',')) {
            named = false;
        }
        depth += is_punctuation(i, '{') || is_punctuation(i, '(') || is_punctuation(i, '[') ||
                 (is_punctuation(i, '<') && !named);
        depth -= is_punctuation(i, '}') || is_punctuation(i, ')') || is_punctuation(i, ']') ||
                 (is_punctuation(i, '>') && !named);
    }
}
/* SPDX-License-Identifier: MIT */

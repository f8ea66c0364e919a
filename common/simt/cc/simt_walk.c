/* Walks through the source once, tracks the position, and replaces tokens: simt_rewrite.c lists the
 * replacements. */
#include <stdlib.h>
#include <string.h>

#include "cc/simt_ptx.h"
#include "cc/simt_rewrite.h"

/* An open pair of braces. */
struct braces {
    bool is_namespace, in_device_code;
    bool is_device_body; /* the body of a function with `__device__` or `__global__` */
    size_t body;         /* the '{' of the device-only function around it */
    size_t outermost;    /* the '{' of the function or class around it */
    size_t kernel;       /* the kernel's name if its address can be taken, else NONE */
};

/* The host's headers are not changed. */
static bool is_of_host(size_t token)
{
    return tokens[token].in_system && !tokens[token].in_cccl;
}

/* The state of the rewriting. */
struct state {
    struct text *out;
    size_t copied; /* the source up to this position is in the output */
    int depth, namespaces, parentheses;
    struct braces *braces;
    size_t *launch_at; /* for each token: the chevrons of the launch that starts there */
    bool *closes;
    bool announced;    /* a device function was announced, and its body follows later ... */
    int announced_at;  /* ... at this depth of parentheses ... */
    bool device_only;  /* ... and the function is not also a host function */
    size_t kernel;     /* its name, if it is a kernel whose address can be taken */
    size_t bounds;     /* its __launch_bounds__ */
    size_t cluster;    /* its __cluster_dims__ */
    size_t constants;  /* the __constant__ of the current declaration */
    size_t shared;     /* its __shared__ ... */
    size_t shared_end; /* ... and its ';' */
};

/* Finds all launches first, because the start of each is known only at its chevrons. */
static void find_launches(struct state *state)
{
    for (size_t i = 0; i < token_count; i++) {
        if (chain_of(i, '<') >= 3) {
            if (i > 0 && !is(i - 1, "operator")) {
                state->launch_at[name_begin(i)] = i;
                state->closes[closing_chevrons(i)] = true;
            }
            i += 2;
        }
    }
}

/* Copies the source up to the token, which is then replaced. */
static void copy_up_to(struct state *state, size_t token)
{
    append(state->out, source.bytes + state->copied, tokens[token].begin - state->copied);
}

static void copy_through(struct state *state, size_t token)
{
    append(state->out, source.bytes + state->copied, tokens[token].end - state->copied);
    state->copied = tokens[token].end;
}

/* Refuses texture<float, 2> name; unless the program has a template of that name. */
static void check_texture(size_t token)
{
    if (!is(token, "texture") || !is_punctuation(token + 1, '<') || is_qualified(token)) {
        return;
    }
    for (size_t i = 1; i < token_count; i++) {
        if (is(i, "texture") && (is(i - 1, "struct") || is(i - 1, "class") || is(i - 1, "using"))) {
            return;
        }
    }
    refuse(tokens[token].begin, "texture references (texture<>), which CUDA 12 has dropped: use "
                                "texture objects (cudaTextureObject_t)");
}

static void see_word(struct state *state, size_t token)
{
    const struct braces *around = &state->braces[state->depth];
    if (preprocessed && !tokens[token].in_system) {
        check_word(token);
        check_target(token);
        if (state->depth == state->namespaces) {
            check_texture(token);
        }
    }
    if (preprocessed && !tokens[token].in_system && around->body != NONE &&
        is(token, "cudaDeviceSynchronize")) {
        refuse(tokens[token].begin, "cudaDeviceSynchronize() in device code, which CUDA 12 has "
                                    "dropped");
    }
    check_call(token, around->body);
    if (is(token, "static") && around->in_device_code) {
        note_device_variables(token);
    }
    if (!around->in_device_code && state->depth > state->namespaces) {
        check_host_use(token, around->outermost);
    }
    if (state->depth == state->namespaces && !tokens[token].in_macro &&
        constant_end(token) != NONE && !is_extern(token)) {
        state->constants = token;
    }
    if (is(token, "__shared__") && !tokens[token].in_macro && !is_of_host(token)) {
        state->shared = token;
        state->shared_end = variables_end(token);
    }
    if (is(token, "__launch_bounds__") && is_punctuation(token + 1, '(')) {
        state->bounds = token;
    }
    if (is(token, "__cluster_dims__") && is_punctuation(token + 1, '(')) {
        state->cluster = token;
    }
    if (is(token, "__device__") || is(token, "__global__")) {
        state->announced = true;
        state->announced_at = state->parentheses;
        state->device_only = is_device_only(token);
        state->kernel = is(token, "__global__") && state->depth == state->namespaces
                            ? kernel_name(token)
                            : NONE;
    }
}

static void open_braces(struct state *state, size_t token)
{
    struct braces around = state->braces[state->depth];
    bool body = state->announced && state->parentheses == state->announced_at;
    state->braces[++state->depth] = (struct braces){
        .is_namespace = opens_namespace(token),
        .in_device_code = body || around.in_device_code,
        .is_device_body = body,
        .body = body ? (state->device_only ? token : NONE) : around.body,
        .outermost = around.outermost,
        .kernel = body ? state->kernel : NONE,
    };
    if (state->depth == state->namespaces + 1 && !state->braces[state->depth].is_namespace) {
        state->braces[state->depth].outermost = token;
    }
    state->namespaces += state->braces[state->depth].is_namespace;
    state->announced = state->announced && !body;
    if (body && state->bounds != NONE && !tokens[token].in_macro) {
        copy_through(state, token);
        append_launch_bounds(state->out, state->bounds);
    }
    state->bounds = body ? NONE : state->bounds;
    if (body && state->cluster != NONE && !tokens[token].in_macro) {
        copy_through(state, token);
        append_cluster_dims(state->out, state->cluster);
    }
    state->cluster = body ? NONE : state->cluster;
}

static void close_braces(struct state *state, size_t token)
{
    struct braces closed = state->braces[state->depth--];
    state->namespaces -= closed.is_namespace;
    show_again(state->depth, -1);
    if (closed.is_device_body &&
        (is_punctuation(token + 1, ',') || is_punctuation(token + 1, '{'))) {
        state->announced = true; /* a member initializer: the constructor's body follows later */
        state->announced_at = state->parentheses;
    } else if (preprocessed && closed.is_device_body && closed.kernel != NONE) {
        copy_through(state, token);
        append_registration(state->out, closed.kernel);
    }
}

/* Updates the state for the token. */
static void see(struct state *state, size_t token)
{
    if (tokens[token].kind == WORD) {
        see_word(state, token);
    } else if (is_punctuation(token, '(') || is_punctuation(token, ')')) {
        state->parentheses += is_punctuation(token, '(') ? 1 : -1;
    } else if (is_punctuation(token, ';')) {
        show_again(state->depth, state->parentheses);
        state->announced = state->announced && state->parentheses > state->announced_at;
        state->bounds = state->cluster = NONE;
    } else if (is_punctuation(token, '{')) {
        open_braces(state, token);
    } else if (is_punctuation(token, '}') && state->depth > 0) {
        close_braces(state, token);
    }
}

static void rewrite_shared(struct state *state, size_t token, size_t end)
{
    struct shared shared = parse_shared(token, end);
    struct name *known = find_name(shared.name);
    copy_up_to(state, token);
    if (state->depth == state->namespaces && !tokens[token].in_macro) {
        struct text use = {NULL, 0, 0};
        append_string(&use, "(");
        append_string(&use, shared.place.bytes);
        append_string(&use, ")");
        add_name(source.bytes + tokens[shared.name].begin,
                 tokens[shared.name].end - tokens[shared.name].begin, use.bytes);
        free(use.bytes);
    } else {
        append_shared(state->out, &shared);
        if (known) {
            hide(known, state->depth, 0);
        }
    }
    append_newlines(state->out, tokens[token].begin, tokens[end].begin, tokens[token].in_macro);
    free(shared.type.bytes);
    free(shared.place.bytes);
    state->copied = tokens[end].end;
}

static void rewrite_launch(struct state *state, size_t token)
{
    size_t chevrons = state->launch_at[token];
    copy_up_to(state, token);
    append_launch(state->out, token, chevrons);
    state->copied = tokens[chevrons + 2].end;
}

/* Qualifiers that can only be CUDA's, even in a system header such as libcu++. */
static bool is_of_cuda_alone(size_t token)
{
    return is(token, "__host__") || is(token, "__device__") || is(token, "__global__") ||
           is(token, "__forceinline__");
}

/* Replaces a word, or the construct that it begins; returns the last token of it. */
static size_t rewrite_word(struct state *state, size_t token)
{
    struct name *name = find_name(token);
    size_t end;
    if (name && !name->hidden && !is_of_host(token) && !is_member(token) && !is_qualified(token) &&
        !is_template_call(token)) {
        const bool is_outside = state->depth == state->namespaces;
        if (declares(token, is_outside ? state->parentheses > 0 : is_in_parameters(token))) {
            /* The program's own malloc: its namespace may be reopened or named in a using. */
            const bool stays = is_outside && state->parentheses == 0 && is(token, "malloc");
            hide(name, stays ? 0 : state->depth, state->parentheses);
        } else {
            copy_up_to(state, token);
            append_string(state->out, name->replacement);
            state->copied = tokens[token].end;
        }
    } else if (preprocessed && (!is_of_host(token) || is_of_cuda_alone(token))) {
        struct text replacement = {NULL, 0, 0};
        end = replace_qualifier(&replacement, token);
        if (end != token) {
            copy_up_to(state, token);
            append(state->out, replacement.bytes, replacement.length);
            append_newlines(state->out, tokens[token].begin, tokens[end - 1].end, false);
            state->copied = tokens[end - 1].end;
            token = end - 1;
        }
        free(replacement.bytes);
    }
    return token;
}

static bool is_asm(size_t token)
{
    return (is(token, "asm") || is(token, "__asm__") || is(token, "__asm")) && !is_member(token);
}

/* Whether the variable is neither an array nor initialized. */
static bool is_single(size_t variable, size_t end)
{
    while (++variable < end) {
        if (is_punctuation(variable, '[') || is_punctuation(variable, '=') ||
            is_punctuation(variable, '{')) {
            return false;
        }
    }
    return true;
}

/* Appends a gap if the token ends a variable in shared memory; returns whether it is handled. */
static bool append_gap_at(struct state *state, size_t token)
{
    const bool is_last = token == state->shared_end;
    size_t variable;
    if (state->shared_end == NONE || !(is_last || is_punctuation(token, ','))) {
        return false;
    }
    variable = variable_before(state->shared, token);
    if (variable != NONE && is_single(variable, token)) { /* avoids its constructor */
        copy_up_to(state, token);
        state->copied = tokens[token].begin;
        append_string(state->out, "{}");
    }
    if (is_last) {
        state->shared_end = NONE;
        copy_through(state, token);
    } else if (variable != NONE) {
        copy_up_to(state, token);
        state->copied = tokens[token].begin;
    }
    if (variable != NONE) {
        append_gap(state->out, variable, is_last);
    }
    return true;
}

/* Rewrites (void *)name<arguments>, which a launch may use as the kernel's address. The declaration
 * of a template does not tell which arguments it will have. */
static void rewrite_kernel_cast(struct state *state, size_t token, size_t name, size_t end)
{
    struct text text = {NULL, 0, 0};
    append_tokens(&text, name, end);
    copy_up_to(state, token);
    append_string(state->out, "::simt::kernel_address{");
    append_string(state->out, "\"");
    append_quoted(state->out, text.bytes);
    append_string(state->out, "\"} % ");
    append_newlines(state->out, tokens[token].begin, tokens[name].begin, false);
    free(text.bytes);
    state->parentheses--;
    state->copied = tokens[name].begin;
}

/* Inserts what the compiler requires before the token; returns whether there was anything. */
static bool put_before(struct state *state, size_t token)
{
    struct text missing = {NULL, 0, 0};
    bool found = !is_of_host(token) &&
                 (append_own_scope(&missing, token) || append_missing(&missing, token));
    if (!found && preprocessed && !tokens[token].in_system && tokens[token].kind == WORD &&
        !state->braces[state->depth].in_device_code && state->depth > state->namespaces &&
        token > 0 && drops_result(token)) {
        append_string(&missing, "::simt::drop(), ");
        found = true;
    }
    if (found) {
        copy_up_to(state, token);
        append(state->out, missing.bytes, missing.length);
        state->copied = tokens[token].begin;
    }
    free(missing.bytes);
    return found;
}

/* Words of CUB and Thrust that have another meaning there or are replaced; NULL for any other word.
 * __CUDA_ARCH__ is not defined, so the device branches of NV_IF_TARGET are left out here, and
 * kernels for 9.0 would be empty. So simtcc defines CUB_PTX_ARCH as 800. */
static const char *word_of_cccl(size_t token)
{
    static const struct {
        const char *word, *replacement;
    } words[] = {
        {"malloc", "malloc"},
        {"ptxVersion", "ptxVersion / 9 * 8"},
        /* The kernels' waits for the previous launch are also left out. */
        {"cudaLaunchAttributeProgrammaticStreamSerialization", "cudaLaunchAttributeIgnore"},
        {"InternalBlockReduce", "::simt::result_of_first{linear_tid} % InternalBlockReduce"},
    };
    /* Functions called if special registers cannot be read: {f(); return 0;} */
    static const char prefix[] = "__cuda_ptx_get_sreg_lanemask_";
    static const char *const masks[] = {"::simt::ptx::lanemask_eq", "::simt::ptx::lanemask_lt",
                                        "::simt::ptx::lanemask_le", "::simt::ptx::lanemask_ge",
                                        "::simt::ptx::lanemask_gt"};
    if (!tokens[token].in_cccl) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (is(token, words[i].word) && (*words[i].replacement != ':' || is(token - 1, "return"))) {
            return words[i].replacement;
        }
    }
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        if (is_punctuation(token - 1, '{') && starts(tokens[token].begin, prefix) &&
            starts(tokens[token].begin + strlen(prefix), masks[i] + strlen(masks[i]) - 2)) {
            return masks[i];
        }
    }
    return NULL;
}

/* Handles what begins at the token; returns its last token. */
static size_t rewrite_at(struct state *state, size_t token)
{
    size_t end, shift, name;
    const char *word;
    if (is_asm(token) && state->braces[state->depth].in_device_code && !is_of_host(token)) {
        ptx_translate(token);
    }
    if ((end = ptx_patch(state->out, token, &state->copied)) > 0) {
        return token + end - 1;
    }
    end = shared_end(token);
    see(state, token);
    if (end != NONE) {
        rewrite_shared(state, token, end);
        return end;
    }
    if (append_gap_at(state, token)) {
        return token;
    }
    if (state->constants != NONE && token == constant_end(state->constants)) {
        copy_through(state, token);
        append_constants(state->out, state->constants, token);
        state->constants = NONE;
    } else if (state->launch_at[token]) {
        end = state->launch_at[token] + 2;
        rewrite_launch(state, token);
        return end;
    } else if (state->closes[token]) {
        copy_up_to(state, token);
        append_string(state->out, ")");
        append_newlines(state->out, tokens[token].begin, tokens[token + 2].end,
                        tokens[token].in_macro);
        state->copied = tokens[token + 2].end;
        return token + 2;
    } else if (put_before(state, token)) {
        return token;
    } else if (tokens[token].kind == WORD && (word = word_of_cccl(token))) {
        copy_up_to(state, token);
        append_string(state->out, strncmp(word, "::simt::ptx", 11) == 0 ? "return " : "");
        append_string(state->out, word);
        state->copied = tokens[token].end;
    } else if (tokens[token].kind == WORD) {
        return rewrite_word(state, token);
    } else if (preprocessed && (end = after_launch_cast(token)) != token) {
        copy_up_to(state, token);
        append_newlines(state->out, tokens[token].begin, tokens[end - 1].end, false);
        state->parentheses--;
        state->copied = tokens[end - 1].end;
        return end - 1;
    } else if (preprocessed && (name = template_kernel_cast(token, &end)) != NONE) {
        rewrite_kernel_cast(state, token, name, end);
        return name - 1;
    } else if (state->braces[state->depth].in_device_code && !is_of_host(token) &&
               (shift = append_shift(state->out, token, &state->copied)) > 0) {
        return token + shift - 1;
    }
    return token;
}

void rewrite(struct text *out)
{
    struct state state = {
        .out = out,
        .braces = zeroed(token_count + 2, sizeof *state.braces),
        .launch_at = zeroed(token_count + 1, sizeof *state.launch_at),
        .closes = zeroed(token_count + 3, sizeof *state.closes),
        .kernel = NONE,
        .bounds = NONE,
        .cluster = NONE,
        .constants = NONE,
        .shared_end = NONE,
    };
    state.braces[0].body = state.braces[0].outermost = state.braces[0].kernel = NONE;
    collect_functions();
    find_launches(&state);
    find_loops();
    for (size_t i = 0; i < token_count; i++) {
        if (before_loop(i)) {
            copy_up_to(&state, i);
            append_string(out, before_loop(i));
            state.copied = tokens[i].begin;
        }
        i = rewrite_at(&state, i);
        if (behind_loop(i)) {
            copy_through(&state, i);
            append_string(out, behind_loop(i));
        }
    }
    append(out, source.bytes + state.copied, source.length - state.copied);
    append_device_names(out);
    free(state.braces);
    free(state.launch_at);
    free(state.closes);
    forget_loops();
}
/* SPDX-License-Identifier: MIT */

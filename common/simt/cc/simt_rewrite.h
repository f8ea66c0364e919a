/* The parts of simt_rewrite. */
#ifndef SIMT_REWRITE_H
#define SIMT_REWRITE_H

#include "cc/simt_tokens.h"

/* ---- simt_rewrite.c ---- */

/* Frees everything and resets the state for another source. */
void forget_all(void);
/* Reports that the feature is not available: one line per feature, at its first use. */
void refuse(size_t position, const char *feature);
/* Refuses the word at `token` if it belongs to a feature that is not available. */
void check_word(size_t token);

/* Appends a file's text to `text`; or replaces a file's contents by `out`. On failure, they print a
 * message and return false. */
bool read_whole(const char *name, struct text *text);
bool write_whole(const char *target, const struct text *out);

/* ---- simt_target.c ---- */

/* The name after "sm_" in -arch: "80" or "90a". Features that it lacks are refused. */
void set_target(const char *name);
/* Writes which target a PTX instruction or a word needs; "" if the current target has it. */
void needed_target(const char *feature, char *text, size_t size);
void check_target(size_t token);

/* ---- simt_twice.c ---- */

int simt_make_two(const char *instrumented, const char *other);

/* ---- simt_arch.c ---- */

/* The whole source before preprocessing. Device code tests __SIMT_ARCH__ afterwards. */
void append_with_arch(struct text *out);

/* ---- simt_walk.c ---- */

/* Rewrites the whole source. */
void rewrite(struct text *out);

/* ---- simt_launches.c ---- */

/* For the chevrons `<<<` that open at a token: the first token of the expression that names the
 * kernel. Examples: name, ns::name<arguments>, table[i].kernel, (*pointer). */
size_t name_begin(size_t chevrons);
/* The first of the three closing '>'. */
size_t closing_chevrons(size_t chevrons);
void append_launch(struct text *out, size_t name, size_t chevrons);

/* ---- simt_shared.c ---- */

bool is_alignment(size_t token);
/* The ';' of the `extern __shared__` (or `__shared__ extern`) declaration that starts here, or
 * NONE. */
size_t shared_end(size_t token);
/* The parts of a declaration T name[], T name[][2] or T name. */
struct shared {
    struct text type;
    size_t name;        /* a token */
    size_t bounds, end; /* the tokens after the empty [], up to the ';' */
    bool is_object;
    struct text place; /* the expression for a pointer to the first element, or for the object */
};
struct shared parse_shared(size_t first, size_t end);
void append_shared(struct text *out, const struct shared *shared);
/* struct, union, class or enum. */
bool is_class_key(size_t token);
/* `token`; or the token after the body of a class, if `token` begins that body. */
size_t past_class_body(size_t token);
/* The ';' of the declaration of variables that contains `__shared__` at `token`; NONE if there is
 * none. Second: the name of the variable whose declarator ends at `end` (a ',' or ';'), or NONE. */
size_t variables_end(size_t token);
size_t variable_before(size_t first, size_t end);
/* Appends the gap after the variable: after the ';' if `is_last`, else before the ','. */
void append_gap(struct text *out, size_t variable, bool is_last);

/* ---- simt_declarations.c ---- */

/* Writes what replaces the qualifier at `token` and returns the token after it. Without a qualifier
 * the text stays empty and the result is `token`. */
size_t replace_qualifier(struct text *replacement, size_t token);
/* The token after the cast in cudaLaunchKernel((void *)name: the cast, which starts at `token`, is
 * removed. `token` if there is no such cast. */
size_t after_launch_cast(size_t token);
/* For (void *)name<arguments>, which starts at `token` and names a kernel: the first token of the
 * name, and in `end` the token after it. Else NONE. */
size_t template_kernel_cast(size_t token, size_t *end);
/* The name of the function that `__global__` or `__device__` at `token` declares; NONE if none. */
size_t function_name(size_t token);
/* The name of the kernel that `__global__` at `token` declares; NONE for a template. */
size_t kernel_name(size_t token);
void append_registration(struct text *out, size_t kernel);
/* Appends the call with which a kernel with __launch_bounds__ at `token` begins. */
void append_launch_bounds(struct text *out, size_t token);
/* The same for __cluster_dims__. */
void append_cluster_dims(struct text *out, size_t token);

/* The ';' of the declaration of __constant__ variables at `token`; NONE if there is no such
 * declaration. */
size_t constant_end(size_t token);
/* Whether the declaration around `token` is extern or a template, and so not registered. */
bool is_extern(size_t token);
void append_constants(struct text *out, size_t first, size_t end);

/* ---- simt_names.c ---- */

struct name {
    char *word, *replacement;
    bool hidden;
    int hidden_depth;       /* depth of braces; the name is hidden until a '}' leaves this depth */
    int hidden_parenthesis; /* for a parameter: hidden until the ';' of a prototype; else -1 */
};
extern struct name *names;
extern size_t name_count;

void add_name(const char *word, size_t length, const char *replacement);
void forget_names(void);
struct name *find_name(size_t token);
/* Whether the program declares the word at `token` as a name of its own. `is_parameter`: the word
 * is among a function's parameters. */
bool declares(size_t token, bool is_parameter);
bool is_in_parameters(size_t token);
/* Whether the word follows the name of a class or of a namespace other than std. */
bool is_qualified(size_t token);
/* malloc<...>: a function in a namespace of the program. C's malloc has no template arguments. */
bool is_template_call(size_t token);
/* For `using X = X<T>` in a class of the program or of CUB: appends the scope of the second X, at
 * `token`. nvcc adds such scopes; g++ refuses the line because X changes its meaning. */
bool append_own_scope(struct text *out, size_t token);
void hide(struct name *name, int depth, int parenthesis);
/* Call it after a '}' that leads to `depth`, or after a ';' (with the depth of parentheses). */
void show_again(int depth, int parenthesis);
bool is_operator_word(size_t token);

/* ---- simt_spaces.c: which functions run on the host, and which on the device ---- */

/* Collects the functions that the source declares, before anything is rewritten. */
void collect_functions(void);
void forget_functions(void);
/* Whether the word is the name of a kernel that the source declares. */
bool is_kernel(size_t token);
/* Whether two words are the same. */
bool same_word(size_t a, size_t b);
/* The first token of the declaration that the '{' at `token` ends. */
size_t declaration_begin(size_t token);
/* Appends the names of kernels or of other device functions, each after a space. False: none. */
bool append_function_names(struct text *out, bool kernels);
/* Whether the '{' at `token` opens a namespace or extern "C" block. */
bool opens_namespace(size_t token);
/* Whether __device__ or __global__ at `token` stands without __host__. */
bool is_device_only(size_t token);
/* Reports a word at `token` that calls a kernel as a function. Also reports a call of a host
 * function in device code, whose body opens at `body` (NONE: not in device code). */
void check_call(size_t token, size_t body);

/* ---- simt_variables.c ---- */

/* Whether `token` is the name in (*name) or (*name[4]): a pointer to a function or to an array. */
bool is_pointer_name(size_t token);
/* Records the device variables that the declaration at `token` declares. */
void note_device_variables(size_t token);
void forget_device_variables(void);
/* Appends the code that registers their names with the runtime. */
void append_device_names(struct text *out);
/* The '}' that closes the '{' at `brace`. */
size_t closing_of(size_t brace);
/* Reports host code that reads or writes the device variable at `token`. `outermost` is the '{' of
 * the function or class around it. */
void check_host_use(size_t token, size_t outermost);

/* ---- simt_lenient.c ---- */

/* Appends what g++ or clang++ requires before the token and nvcc does not. */
bool append_missing(struct text *out, size_t token);
/* Whether the statement that starts here calls the host API and drops the result. */
bool drops_result(size_t token);
/* The '{' around the token; and the '{' of the function's body around it. NONE if there is none. */
size_t braces_around(size_t token);
size_t body_around(size_t token);

/* ---- simt_loops.c ---- */

/* Finds the text to insert before and after each token at which a loop begins or ends; NULL if
 * nothing is inserted there. */
void find_loops(void);
const char *before_loop(size_t token);
const char *behind_loop(size_t token);
void forget_loops(void);

/* ---- simt_cases.c ---- */

/* Appends braces around the statements between two labels of a switch, if the second label jumps
 * over initializations after the first. */
bool append_case_braces(struct text *out, size_t token);

/* ---- simt_shifts.c ---- */

/* Rewrites the shift at `token`, if there is one. Returns how many tokens it has, or 0. */
size_t append_shift(struct text *out, size_t token, size_t *copied);

#endif
/* SPDX-License-Identifier: MIT */

/* The parts of simt_rewrite. */
#ifndef SIMT_REWRITE_H
#define SIMT_REWRITE_H

#include "cc/simt_tokens.h"

/* ---- simt_rewrite.c ---- */

/* Frees everything and is as at the start, for another source. */
void forget_all(void);
/* Says that there is no such feature: one line for each, at its first place. */
void refuse(size_t position, const char *feature);
/* Refuses the word at `token` if it belongs to one. */
void check_word(size_t token);

/* Appends a file's text to what there is; or replaces a file's. False, and it has been told, if
 * that cannot be done. */
bool read_whole(const char *name, struct text *text);
bool write_whole(const char *target, const struct text *out);

/* ---- simt_target.c ---- */

/* "80" or "90a", as -arch names it; what only another one has is refused then. */
void set_target(const char *name);
/* What a PTX instruction or a word needs that the target is not, in words; "": nothing. */
void needed_target(const char *feature, char *text, size_t size);
void check_target(size_t token);

/* ---- simt_twice.c ---- */

int simt_make_two(const char *instrumented, const char *other);

/* ---- simt_arch.c ---- */

/* The whole source, not preprocessed, in which device code asks for __SIMT_ARCH__. */
void append_with_arch(struct text *out);

/* ---- simt_walk.c ---- */

/* The whole source. */
void rewrite(struct text *out);

/* ---- simt_launches.c ---- */

/* Of the chevrons that open at a token: the first token of the expression that names the kernel,
 * name, ns::name<arguments>, table[i].kernel, (*pointer), ... */
size_t name_begin(size_t chevrons);
/* The first of the three that close. */
size_t closing_chevrons(size_t chevrons);
void append_launch(struct text *out, size_t name, size_t chevrons);

/* ---- simt_shared.c ---- */

bool is_alignment(size_t token);
/* The ';' of an `extern __shared__` (or `__shared__ extern`) declaration that starts here; NONE if
 * none does. */
size_t shared_end(size_t token);
/* T name[], T name[][2] or T name, in parts. */
struct shared {
    struct text type;
    size_t name;        /* a token */
    size_t bounds, end; /* the tokens after the open bounds, up to the ';' */
    bool is_object;
    struct text place; /* the expression for a pointer to the first element, or for the object */
};
struct shared parse_shared(size_t first, size_t end);
void append_shared(struct text *out, const struct shared *shared);
/* struct, union, class or enum. */
bool is_class_key(size_t token);
/* The token; or, if it begins the body of a class, what follows that. */
size_t past_class_body(size_t token);
/* The ';' of a declaration of variables in which `__shared__` at `token` is; NONE if there is none.
 * The name of the variable whose declarator a ',' or ';' ends; NONE if it ends none. */
size_t variables_end(size_t token);
size_t variable_before(size_t first, size_t end);
/* What comes behind it: `is_last` after the ';', else before the ','. */
void append_gap(struct text *out, size_t variable, bool is_last);

/* ---- simt_declarations.c ---- */

/* What stands for a qualifier at `token`, or an empty text; the token after it, or `token` if there
 * is none. */
size_t replace_qualifier(struct text *replacement, size_t token);
/* What goes from cudaLaunchKernel((void *)name: the cast, which starts at `token`; the token after
 * it. */
size_t after_launch_cast(size_t token);
/* Of (void *)name<arguments>, which starts at `token` and names a kernel: the first token of the
 * name, and in `end` the one after it; else NONE. */
size_t template_kernel_cast(size_t token, size_t *end);
/* The name of the function that `__global__` or `__device__` at `token` declares; NONE if none. */
size_t function_name(size_t token);
/* The same of a kernel, NONE for a template. */
size_t kernel_name(size_t token);
void append_registration(struct text *out, size_t kernel);
/* What a kernel with __launch_bounds__ at `token` begins with. */
void append_launch_bounds(struct text *out, size_t token);
/* The same of __cluster_dims__. */
void append_cluster_dims(struct text *out, size_t token);

/* The ';' of a declaration of __constant__ variables at `token`; NONE if there is none, or a
 * body. */
size_t constant_end(size_t token);
/* Whether the declaration around `token` is extern, or a template: not there to be registered. */
bool is_extern(size_t token);
void append_constants(struct text *out, size_t first, size_t end);

/* ---- simt_names.c ---- */

struct name {
    char *word, *replacement;
    bool hidden;
    int hidden_depth;       /* of braces: hidden until a '}' leaves it */
    int hidden_parenthesis; /* of a parameter: until the ';' of a mere prototype; else -1 */
};
extern struct name *names;
extern size_t name_count;

void add_name(const char *word, size_t length, const char *replacement);
void forget_names(void);
struct name *find_name(size_t token);
/* The program declares the word at `token` as a name of its own; `is_parameter`: it stands among a
 * function's parameters. */
bool declares(size_t token, bool is_parameter);
bool is_in_parameters(size_t token);
/* Behind the name of a class or namespace other than std. */
bool is_qualified(size_t token);
/* malloc<...>: of a namespace of the program's, as C's has no such arguments. */
bool is_template_call(size_t token);
/* using X = X<T> in a class, or in one of CUB's, which g++ refuses as X changes its meaning there
 * (nvcc's front end writes scopes): appends the scope of the second X, at `token`. */
bool append_own_scope(struct text *out, size_t token);
void hide(struct name *name, int depth, int parenthesis);
/* After a '}' that leads to `depth`, or (with the depth of parentheses) a ';'. */
void show_again(int depth, int parenthesis);
bool is_operator_word(size_t token);

/* ---- simt_spaces.c: what runs on the host, and what on the device ---- */

/* Learns who declares what, before anything is rewritten. */
void collect_functions(void);
void forget_functions(void);
/* The word is the name of a kernel that the source declares. */
bool is_kernel(size_t token);
/* Two words are the same. */
bool same_word(size_t a, size_t b);
/* The first token of the declaration that the '{' at `token` ends. */
size_t declaration_begin(size_t token);
/* Of kernels, or of other functions of the device, each after a space; false if there is none. */
bool append_function_names(struct text *out, bool kernels);
/* Whether the '{' at `token` opens a namespace or extern "C" block. */
bool opens_namespace(size_t token);
/* Whether __device__ or __global__ at `token` comes without __host__. */
bool is_device_only(size_t token);
/* Complains if the word at `token` calls a kernel as a function; or, in device code whose body
 * opens at `body` (else NONE), a function of the host. */
void check_call(size_t token, size_t body);

/* ---- simt_variables.c ---- */

/* The name in (*name) or (*name[4]), a pointer to a function or to an array. */
bool is_pointer_name(size_t token);
/* The declaration at `token` is of variables of the device. */
void note_device_variables(size_t token);
void forget_device_variables(void);
/* Tells the runtime of their names. */
void append_device_names(struct text *out);
/* The '}' that closes the '{' at `brace`. */
size_t closing_of(size_t brace);
/* Complains if host code, in a function or class whose '{' is `outermost`, reads or writes the
 * variable of the device at `token`. */
void check_host_use(size_t token, size_t outermost);

/* ---- simt_lenient.c ---- */

/* Appends what the compiler misses before the token, and nvcc does not. */
bool append_missing(struct text *out, size_t token);
/* Whether a call of the host's API, whose result is dropped, is the statement that starts here. */
bool drops_result(size_t token);
/* The '{' around the token; and that of the function's body; NONE if there is none. */
size_t braces_around(size_t token);
size_t body_around(size_t token);

/* ---- simt_loops.c ---- */

/* Finds what stands before a token, and what behind it, since loops begin or end there; NULL:
 * nothing. */
void find_loops(void);
const char *before_loop(size_t token);
const char *behind_loop(size_t token);
void forget_loops(void);

/* ---- simt_cases.c ---- */

/* Appends braces around what stands between two labels of a switch, where the second jumps over
 * initializations of the first. */
bool append_case_braces(struct text *out, size_t token);

/* ---- simt_shifts.c ---- */

/* Rewrites the shift at `token`, if there is one; how many tokens it has, or 0. */
size_t append_shift(struct text *out, size_t token, size_t *copied);

#endif
/* SPDX-License-Identifier: MIT */

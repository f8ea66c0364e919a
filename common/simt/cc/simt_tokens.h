/* The source that simt_rewrite works on, as tokens. */
#ifndef SIMT_TOKENS_H
#define SIMT_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

/* ---- text ---- */

struct text {
    char *bytes;
    size_t length, capacity;
};
void append(struct text *text, const char *bytes, size_t length);
void append_string(struct text *text, const char *string);
/* Appends the string as the inside of a string literal. */
void append_quoted(struct text *text, const char *string);
/* calloc that ends the program if there is no memory. */
void *zeroed(size_t count, size_t size);

/* ---- tokens ---- */

enum kind { WORD, NUMBER, LITERAL, PUNCTUATION };

/* One token; each punctuation token is a single character. Between tokens are white space, comments
 * and preprocessor lines other than #define. */
struct token {
    enum kind kind;
    size_t begin, end; /* in the source */
    bool in_macro;     /* on a #define line */
    bool in_system;    /* in a system header, as the preprocessor's markers say */
    bool in_cccl;      /* in a system header of CUB or Thrust, which is CUDA C++ like a program */
};

static const size_t NONE = (size_t)-1;

extern const char *path;
extern bool preprocessed; /* whether the source is the preprocessor's output */
extern struct text source;
extern struct token *tokens;
extern size_t token_count;

void tokenize(void);
/* Frees the source and its tokens. */
void forget_source(void);

/* A line `# 12 "file" 1 3` of the preprocessor: the next line is line 12 of that file. */
struct marker {
    int line;
    const char *name;
    int name_length;
    bool enters, leaves, system;
};
/* Whether the line that starts at `position` is a marker. */
bool read_marker(size_t position, struct marker *marker);
size_t line_end(size_t position);

/* Print "file:line: error: " and the message for a position. fail() ends the program. */
__attribute__((format(printf, 2, 3))) void complain(size_t position, const char *format, ...);
__attribute__((noreturn, format(printf, 2, 3))) void fail(size_t position, const char *format, ...);
/* Whether there was a complaint. If so, no output is written. */
extern bool complained;

/* The line number of the position in its file. */
int line_of(size_t position);
char at(size_t position);
bool starts(size_t position, const char *string);
bool is_punctuation(size_t token, char c);
bool is(size_t token, const char *word);
bool is_among(size_t token, const char *const *words, size_t count);
/* A word of a statement, such as return, after which an expression may begin. */
bool is_keyword(size_t token);
/* Whether the token follows a dot or an arrow. */
bool is_member(size_t token);

/* How many characters c follow one another. run_of() allows no gap between them. */
size_t run_of(size_t token, char c);
size_t chain_of(size_t token, char c);
/* The bracket that the bracket at `token` closes; NONE if there is none. */
size_t open_of(size_t token);
/* The token after a group in parentheses that opens at `token`; token_count if it never closes. */
size_t after_group(size_t token);
/* The '<' of the template arguments that end with the '>' at `token`. */
size_t template_open_of(size_t token);

/* Appends tokens on one line, with a space where the source has a gap. */
void append_tokens(struct text *out, size_t first, size_t end);
/* Appends the newlines of a part of the source. */
void append_newlines(struct text *out, size_t begin, size_t end, bool in_macro);

#endif
/* SPDX-License-Identifier: MIT */

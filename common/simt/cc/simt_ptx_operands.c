/* Registers, and operands of instructions as C++. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/simt_ptx.h"

/* ---- registers that the text declares ---- */

enum { MOST_REGISTERS = 1024, NAME_BYTES = 64 };
static struct ptx_register {
    char name[NAME_BYTES];
    unsigned int bits, number; /* its variable: simt_r<number> */
    unsigned int depth;        /* depth of its scope; visible while that scope is open */
    bool closed;
} registers[MOST_REGISTERS];
static size_t register_count;
static unsigned int depth;

void ptx_open_scope(void)
{
    depth++;
}

void ptx_close_scope(struct ptx *ptx)
{
    if (depth == 0) {
        ptx_refuse(ptx, "'}' without '{'");
        return;
    }
    for (size_t i = 0; i < register_count; i++) {
        registers[i].closed = registers[i].closed || registers[i].depth == depth;
    }
    depth--;
}

void ptx_forget_registers(void)
{
    register_count = 0;
    depth = 0;
}

static const char *container(unsigned int bits)
{
    return bits == PTX_PREDICATE ? "bool"
           : bits <= 16          ? "unsigned short"
           : bits == 32          ? "unsigned int"
                                 : "unsigned long";
}

static void declare_one(struct ptx *ptx, const char *name, size_t length, unsigned int bits)
{
    if (register_count == MOST_REGISTERS || length >= NAME_BYTES || length == 0) {
        ptx_refuse(ptx, "register %.*s", (int)length, name);
        return;
    }
    registers[register_count] =
        (struct ptx_register){.bits = bits, .number = (unsigned int)register_count, .depth = depth};
    memcpy(registers[register_count].name, name, length);
    ptx_print(&ptx->declarations, "[[maybe_unused]] %s simt_r%zu = 0; ", container(bits),
              register_count);
    register_count++;
}

/* " .b32 a, b, c<4>" */
void ptx_declare(struct ptx *ptx, const char *directive)
{
    char type[16];
    size_t length;
    const struct ptx_type *found;
    directive += strspn(directive, " ");
    length = strcspn(directive, " ");
    snprintf(type, sizeof type, "%.*s", (int)(length < 15 ? length : 15), directive);
    found = *type == '.' ? ptx_type(type + 1) : NULL;
    if (!found || found->bits > 64) {
        ptx_refuse(ptx, "registers of type %s", type);
        return;
    }
    for (directive += length; *directive; directive += strspn(directive, ", ")) {
        directive += strspn(directive, ", ");
        length = strcspn(directive, ",< ");
        if (directive[length] == '<') {
            unsigned long count = strtoul(directive + length + 1, NULL, 10);
            for (unsigned long i = 0; i < count && !ptx->failed; i++) {
                char name[NAME_BYTES];
                snprintf(name, sizeof name, "%.*s%lu", (int)(length < 48 ? length : 48), directive,
                         i);
                declare_one(ptx, name, strlen(name), found->bits);
            }
            length = strcspn(directive, ">") + 1;
        } else {
            declare_one(ptx, directive, length, found->bits);
        }
        directive += length;
        if (ptx->failed) {
            return;
        }
    }
}

static const struct ptx_register *find_register(const char *name)
{
    for (size_t i = register_count; i-- > 0;) {
        if (!registers[i].closed && strcmp(registers[i].name, name) == 0) {
            return &registers[i];
        }
    }
    return NULL;
}

bool ptx_is_predicate(const char *operand)
{
    const struct ptx_register *found = find_register(operand + (*operand == '!'));
    return found && found->bits == PTX_PREDICATE;
}

/* ---- operands of the asm statement ---- */

/* The operand that %3 or %[name] names; NONE if it names none. */
static size_t named_binding(const struct ptx *ptx, const char *operand)
{
    char *end;
    size_t length = strlen(operand), number;
    if (operand[0] != '%') {
        return NONE;
    }
    if (operand[1] == '[' && operand[length - 1] == ']') {
        for (size_t i = 0; i < ptx->binding_count; i++) {
            if (ptx->bindings[i].name && ptx->bindings[i].name_length == length - 3 &&
                strncmp(ptx->bindings[i].name, operand + 2, length - 3) == 0) {
                return i;
            }
        }
        return NONE;
    }
    if (!isdigit((unsigned char)operand[1])) {
        return NONE;
    }
    number = strtoul(operand + 1, &end, 10);
    return *end == '\0' && number < ptx->binding_count ? number : NONE;
}

/* The operand's number; for an input that is tied to an output, the output's number. */
static size_t binding_number(struct ptx *ptx, const char *operand)
{
    size_t number = named_binding(ptx, operand);
    if (number != NONE && ptx->bindings[number].tied != NONE) {
        number = ptx->bindings[number].tied;
    }
    if (number != NONE) {
        ptx->bindings[number].used = true;
    }
    return number;
}

static unsigned int bits_of(const struct ptx_binding *binding)
{
    switch (binding->letter) {
    case 'h':
        return 16;
    case 'l':
    case 'd':
        return 64;
    case 'n':
        return PTX_IMMEDIATE;
    default:
        return 32;
    }
}

/* ---- special registers ---- */

static bool append_special(struct text *out, const char *name, unsigned int bits)
{
    static const struct {
        const char *name, *value;
        unsigned int bits;
    } specials[] = {
        {"tid.x", "simt_thread_index().x", 32},
        {"tid.y", "simt_thread_index().y", 32},
        {"tid.z", "simt_thread_index().z", 32},
        {"ntid.x", "simt_block_dimensions().x", 32},
        {"ntid.y", "simt_block_dimensions().y", 32},
        {"ntid.z", "simt_block_dimensions().z", 32},
        {"ctaid.x", "simt_block_index().x", 32},
        {"ctaid.y", "simt_block_index().y", 32},
        {"ctaid.z", "simt_block_index().z", 32},
        {"nctaid.x", "simt_grid_dimensions().x", 32},
        {"nctaid.y", "simt_grid_dimensions().y", 32},
        {"nctaid.z", "simt_grid_dimensions().z", 32},
        {"cluster_ctaid.x", "simt_cluster_block_index().x", 32},
        {"cluster_ctaid.y", "simt_cluster_block_index().y", 32},
        {"cluster_ctaid.z", "simt_cluster_block_index().z", 32},
        {"cluster_nctaid.x", "simt_cluster_dimensions().x", 32},
        {"cluster_nctaid.y", "simt_cluster_dimensions().y", 32},
        {"cluster_nctaid.z", "simt_cluster_dimensions().z", 32},
        {"cluster_ctarank", "simt_cluster_rank()", 32},
        {"cluster_nctarank", "::simt::ptx::cluster_size()", 32},
        {"clusterid.x", "(simt_block_index().x / simt_cluster_dimensions().x)", 32},
        {"clusterid.y", "(simt_block_index().y / simt_cluster_dimensions().y)", 32},
        {"clusterid.z", "(simt_block_index().z / simt_cluster_dimensions().z)", 32},
        {"nclusterid.x", "(simt_grid_dimensions().x / simt_cluster_dimensions().x)", 32},
        {"nclusterid.y", "(simt_grid_dimensions().y / simt_cluster_dimensions().y)", 32},
        {"nclusterid.z", "(simt_grid_dimensions().z / simt_cluster_dimensions().z)", 32},
        {"laneid", "::simt::ptx::lane()", 32},
        {"warpid", "(::simt::ptx::thread_number() / 32)", 32},
        {"nwarpid", "::simt::ptx::warps()", 32},
        {"lanemask_eq", "::simt::ptx::lanemask_eq()", 32},
        {"lanemask_lt", "::simt::ptx::lanemask_lt()", 32},
        {"lanemask_le", "::simt::ptx::lanemask_le()", 32},
        {"lanemask_ge", "::simt::ptx::lanemask_ge()", 32},
        {"lanemask_gt", "::simt::ptx::lanemask_gt()", 32},
        {"clock", "static_cast<unsigned int>(simt_clock())", 32},
        {"clock_hi", "static_cast<unsigned int>(static_cast<unsigned long>(simt_clock()) >> 32)",
         32},
        {"clock64", "static_cast<unsigned long>(simt_clock())", 64},
        {"globaltimer", "static_cast<unsigned long>(simt_clock())", 64},
        {"globaltimer_lo", "static_cast<unsigned int>(simt_clock())", 32},
        {"globaltimer_hi",
         "static_cast<unsigned int>(static_cast<unsigned long>(simt_clock()) >> 32)", 32},
        {"dynamic_smem_size", "simt_dynamic_shared_bytes()", 32},
        {"smid", "::simt::ptx::multiprocessor()", 32},
        {"nsmid", "::simt::ptx::multiprocessors", 32},
        {"is_explicit_cluster", "::simt_cluster_is_explicit()", PTX_PREDICATE},
    };
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        if (strcmp(specials[i].name, name) == 0 && specials[i].bits == bits) {
            append_string(out, specials[i].value);
            return true;
        }
    }
    return false;
}

/* ---- numbers ---- */

/* 0f3F800000, 0d..., 1.5; 12, -7, 0x1F, 012, 0b101; a U may follow. */
static bool append_number(struct text *out, const char *operand, unsigned int bits,
                          const char *type)
{
    const char *digits = operand + (*operand == '-' || *operand == '+');
    bool real = type[0] == 'f' && type[1] >= '0' && type[1] <= '9';
    char *end;
    unsigned long long value;
    if (digits[0] == '0' && (digits[1] == 'f' || digits[1] == 'F') && strlen(digits) == 10) {
        value = strtoull(digits + 2, &end, 16);
        if (*end || digits != operand || (bits != 32 && !(real && bits == 64))) {
            return false;
        }
        ptx_print(out, bits == 32 ? "0x%llxu" : "::simt::ptx::wider(0x%llxu)", value);
        return true;
    }
    if (digits[0] == '0' && (digits[1] == 'd' || digits[1] == 'D') && strlen(digits) == 18) {
        value = strtoull(digits + 2, &end, 16);
        ptx_print(out, "0x%llxul", value);
        return !*end && digits == operand && bits == 64;
    }
    if (!isdigit((unsigned char)*digits)) {
        return false;
    }
    if (digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B')) {
        value = strtoull(digits + 2, &end, 2);
    } else {
        value = strtoull(digits, &end, 0);
    }
    end += *end == 'U' || *end == 'u';
    if (*end) {
        strtod(digits, &end);
        if (*end || !real) {
            return false;
        }
        ptx_print(out, "::simt::ptx::real%u(%s)", bits, operand);
        return true;
    }
    if (real) {
        ptx_print(out, "::simt::ptx::real%u(%s%llu.0)", bits, *operand == '-' ? "-" : "", value);
        return true;
    }
    value = *operand == '-' ? 0 - value : value;
    if (bits == 32) {
        ptx_print(out, "0x%llxu", value & 0xffffffffu);
    } else if (bits == 64) {
        ptx_print(out, "0x%llxul", value);
    } else {
        ptx_print(out, "static_cast<unsigned short>(0x%llx)", value & 0xffff);
    }
    return true;
}

/* ---- operands ---- */

static bool refuse_size(struct ptx *ptx, const char *operand, unsigned int has, unsigned int wanted)
{
    if (has == PTX_PREDICATE || wanted == PTX_PREDICATE) {
        ptx_refuse(ptx, "operand %s: %s a predicate", operand,
                   wanted == PTX_PREDICATE ? "is not" : "is");
    } else {
        ptx_refuse(ptx, "operand %s has %u bits, the instruction wants %u", operand, has, wanted);
    }
    return false;
}

bool ptx_source(struct ptx *ptx, struct text *out, const char *operand, unsigned int bits,
                const char *type)
{
    const struct ptx_register *known;
    size_t number;
    bool negated = bits == PTX_PREDICATE && *operand == '!';
    unsigned int container_bits = bits != PTX_PREDICATE && bits < 16 ? 16 : bits;
    operand += negated;
    append_string(out, negated ? "!" : "");
    known = find_register(operand);
    number = binding_number(ptx, operand);
    if (known) {
        ptx_print(out, "simt_r%u", known->number);
        return known->bits == bits || (bits < 16 && bits != PTX_PREDICATE)
                   ? true
                   : refuse_size(ptx, operand, known->bits, bits);
    }
    if (number != NONE) {
        unsigned int has = bits_of(&ptx->bindings[number]);
        if (has == PTX_IMMEDIATE && bits == PTX_PREDICATE) {
            ptx_print(out, "(simt_a%zu != 0)", number);
            return true;
        }
        if (has == PTX_IMMEDIATE) {
            ptx_print(out, "static_cast<%s>(simt_a%zu)", container(container_bits), number);
            return true;
        }
        if (has != container_bits && !(bits < 16 && bits != PTX_PREDICATE)) {
            return refuse_size(ptx, operand, has, bits);
        }
        ptx_print(out, "simt_a%zu", number);
        return true;
    }
    if (*operand == '%' && isalpha((unsigned char)operand[1]) &&
        append_special(out, operand + 1, bits)) {
        return true;
    }
    if (bits == PTX_PREDICATE && (strcmp(operand, "1") == 0 || strcmp(operand, "0") == 0)) {
        append_string(out, *operand == '1' ? "true" : "false");
        return true;
    }
    if (strcmp(operand, "WARP_SZ") == 0 && bits == 32) {
        append_string(out, "32u");
        return true;
    }
    if (bits != PTX_PREDICATE && append_number(out, operand, container_bits, type)) {
        return true;
    }
    ptx_refuse(ptx, "operand %s", operand);
    return false;
}

/* Whether it can be written. So can an input: the asm may reuse the register that holds it. */
static bool is_written(struct ptx_binding *binding)
{
    binding->scratch = !binding->output && strchr("hrlfd", binding->letter) != NULL;
    return binding->output || binding->scratch;
}

bool ptx_destination(struct ptx *ptx, struct text *out, const char *operand, unsigned int bits,
                     bool wider)
{
    const struct ptx_register *known = find_register(operand);
    size_t number = binding_number(ptx, operand);
    unsigned int has;
    if (strcmp(operand, "_") == 0) {
        append_string(out, "::simt::ptx::sink{}");
        return true;
    }
    if (known) {
        has = known->bits;
        ptx_print(out, "simt_r%u", known->number);
    } else if (number != NONE && is_written(&ptx->bindings[number])) {
        has = bits_of(&ptx->bindings[number]);
        ptx_print(out, "simt_a%zu", number);
    } else {
        ptx_refuse(ptx, "destination %s", operand);
        return false;
    }
    if (has != bits && !(wider && bits != PTX_PREDICATE && has > bits)) {
        return refuse_size(ptx, operand, has, bits);
    }
    return true;
}

bool ptx_register_address(struct ptx *ptx, struct text *out, const char *operand)
{
    const size_t number = binding_number(ptx, operand);
    if (number == NONE || !ptx->bindings[number].output || bits_of(&ptx->bindings[number]) != 32) {
        ptx_refuse(ptx, "a sum in %s, which is no variable of 32 bits that asm has as an output",
                   operand);
        return false;
    }
    ptx->bindings[number].in_place = true;
    ptx_print(out, "::simt::ptx::sum_register(simt_x%zu)", number);
    return true;
}

size_t ptx_elements(struct ptx *ptx, char *operand, char **elements, size_t most)
{
    size_t count = 0;
    if (*operand != '{') {
        elements[0] = operand;
        return 1;
    }
    operand++;
    operand[strcspn(operand, "}")] = '\0';
    while (*operand) {
        size_t length;
        operand += strspn(operand, " ");
        length = strcspn(operand, ",");
        if (count == most) {
            ptx_refuse(ptx, "a vector of more than %zu", most);
            return 0;
        }
        elements[count] = operand;
        operand += length;
        operand += *operand ? (*operand = '\0', 1) : 0;
        for (length = strlen(elements[count]); length > 0 && elements[count][length - 1] == ' ';) {
            elements[count][--length] = '\0';
        }
        count++;
    }
    return count;
}

bool ptx_address(struct ptx *ptx, struct text *out, char *operand, char **rest)
{
    char *end, *comma, *plus;
    const struct ptx_register *known;
    size_t number;
    *rest = NULL;
    if (*operand != '[' || !(end = strrchr(operand, ']')) || end[1]) {
        ptx_refuse(ptx, "operand %s, where an address in brackets is wanted", operand);
        return false;
    }
    *end = '\0';
    operand += 1 + strspn(operand + 1, " ");
    comma = strchr(operand, ',');
    if (comma) {
        *comma = '\0';
        *rest = comma + 1 + strspn(comma + 1, " ");
    }
    plus = strchr(operand, '+');
    if (plus) {
        *plus++ = '\0';
        plus += strspn(plus, " ");
    }
    for (size_t length = strlen(operand); length > 0 && operand[length - 1] == ' ';) {
        operand[--length] = '\0';
    }
    known = find_register(operand);
    number = binding_number(ptx, operand);
    append_string(out, "static_cast<unsigned long>(");
    if (known && known->bits >= 32) {
        ptx_print(out, "simt_r%u", known->number);
    } else if (number != NONE && bits_of(&ptx->bindings[number]) != 16) {
        ptx_print(out, "simt_a%zu", number);
    } else if (!append_number(out, operand, 64, "u64")) {
        ptx_refuse(ptx, "address %s", operand);
        return false;
    }
    append_string(out, ")");
    if (plus) {
        append_string(out, " + ");
        return ptx_source(ptx, out, plus, 64, "s64");
    }
    return true;
}

void ptx_pair(char *operand, char **first, char **second)
{
    char *bar = strchr(operand, '|');
    *first = operand;
    *second = NULL;
    if (bar) {
        *bar = '\0';
        *second = bar + 1 + strspn(bar + 1, " ");
        for (size_t length = strlen(operand); length > 0 && operand[length - 1] == ' ';) {
            operand[--length] = '\0';
        }
    }
}
/* SPDX-License-Identifier: MIT */

/* Tests npy.h with files written by NumPy (common/scripts/check/make_npy_test_data.py), malformed
 * files, every prefix of a file and every change of one byte of a header. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/npy.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

/* ---- helpers ---- */

static void data_path(char path[1024], const char *name)
{
    snprintf(path, 1024, "%s/%s.npy", TEST_DATA_DIR, name);
}

static struct npy read_good(const char *name)
{
    char path[1024];
    data_path(path, name);
    struct npy array;
    struct error error = {EXIT_ALL_VERIFIED, ""};
    if (!npy_read(path, &array, &error))
        fail_msg("%s", error.text);
    assert_non_null(array.data);
    assert_true((uintptr_t)array.data % NPY_ALIGNMENT == 0);
    return array;
}

static void assert_zeroed(const struct npy *array)
{
    struct npy zero;
    memset(&zero, 0, sizeof zero);
    assert_memory_equal(array, &zero, sizeof zero);
}

static void assert_clean_error(const struct error *error, const char *path)
{
    assert_int_equal(error->code, EXIT_FILE_ERROR);
    assert_null(strchr(error->text, '\n'));
    assert_true(strlen(error->text) > strlen(path) + 2);
    assert_memory_equal(error->text, path, strlen(path));
}

/* Reading `path` must fail with a message that contains `wanted`. */
static void assert_refused(const char *path, const char *wanted)
{
    struct npy array;
    memset(&array, 0xA5, sizeof array);
    struct error error = {EXIT_ALL_VERIFIED, ""};
    if (npy_read(path, &array, &error))
        fail_msg("%s was read; expected: %s", path, wanted);
    assert_clean_error(&error, path);
    if (strstr(error.text, wanted) == NULL)
        fail_msg("expected \"%s\" in: %s", wanted, error.text);
    assert_zeroed(&array);
}

static void assert_bad(const char *name, const char *wanted)
{
    char path[1024];
    data_path(path, name);
    assert_refused(path, wanted);
}

static void assert_shape(const struct npy *array, enum npy_type type, size_t dimensions,
                         const size_t *shape)
{
    size_t count = 1;
    assert_int_equal(array->type, type);
    assert_int_equal(array->dimensions, dimensions);
    for (size_t i = 0; i < NPY_MAX_DIMENSIONS; i++)
        assert_int_equal(array->shape[i], i < dimensions ? shape[i] : 0);
    for (size_t i = 0; i < dimensions; i++)
        count *= shape[i];
    assert_int_equal(array->count, count);
}

/* Reads a whole small file; the caller frees. */
static unsigned char *slurp(const char *path, size_t *size)
{
    enum { MOST = 1 << 16 };
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char *bytes = malloc(MOST);
    assert_non_null(bytes);
    *size = fread(bytes, 1, MOST, file);
    assert_true(*size < MOST);
    fclose(file);
    return bytes;
}

/* A temporary file of a test. */
struct scratch {
    char path[64];
    int file;
};

static struct scratch scratch_open(void)
{
    struct scratch scratch = {"/tmp/rungs_test_npy_XXXXXX", -1};
    scratch.file = mkstemp(scratch.path);
    assert_true(scratch.file >= 0);
    return scratch;
}

static void scratch_fill(const struct scratch *scratch, const void *bytes, size_t size)
{
    assert_int_equal(ftruncate(scratch->file, 0), 0);
    assert_int_equal(pwrite(scratch->file, bytes, size, 0), (ssize_t)size);
}

static void scratch_close(struct scratch *scratch)
{
    close(scratch->file);
    unlink(scratch->path);
}

/* ---- good files ---- */

static void reads_types_and_shapes(void **state)
{
    (void)state;
    struct npy array = read_good("float32_2d");
    assert_shape(&array, NPY_FLOAT32, 2, (size_t[]){3, 4});
    for (size_t i = 0; i < array.count; i++)
        assert_true(((float *)array.data)[i] == (float)i / 8);
    npy_free(&array);
    assert_zeroed(&array);

    array = read_good("float64_3d");
    assert_shape(&array, NPY_FLOAT64, 3, (size_t[]){2, 3, 4});
    for (size_t i = 0; i < array.count; i++)
        assert_true(((double *)array.data)[i] == (double)i / 7);
    npy_free(&array);

    array = read_good("float32_4d");
    assert_shape(&array, NPY_FLOAT32, 4, (size_t[]){1, 2, 3, 5});
    for (size_t i = 0; i < array.count; i++)
        assert_true(((float *)array.data)[i] == -(float)i);
    npy_free(&array);

    array = read_good("uint8_1d");
    assert_shape(&array, NPY_UINT8, 1, (size_t[]){10});
    for (size_t i = 0; i < array.count; i++)
        assert_int_equal(((unsigned char *)array.data)[i], (250 + i) % 256);
    npy_free(&array);

    array = read_good("float64_special");
    const double *values = array.data;
    assert_shape(&array, NPY_FLOAT64, 1, (size_t[]){5});
    assert_true(isnan(values[0]));
    assert_true(isinf(values[1]) && values[1] > 0);
    assert_true(isinf(values[2]) && values[2] < 0);
    assert_true(values[3] == 0 && signbit(values[3]));
    assert_true(values[4] == DBL_TRUE_MIN);
    npy_free(&array);
}

static void sums_are_those_of_numpy(void **state)
{
    (void)state;
    struct npy a = read_good("float32_1d");
    struct npy b = read_good("bool_1d");
    struct npy answers = read_good("answers_1d");
    assert_shape(&a, NPY_FLOAT32, 1, (size_t[]){37});
    assert_shape(&b, NPY_BOOL, 1, (size_t[]){37});
    assert_shape(&answers, NPY_FLOAT64, 1, (size_t[]){3});
    const float *value = a.data;
    const unsigned char *flag = b.data;
    double sum = 0;
    double squares = 0;
    double mixed = 0;
    for (size_t i = 0; i < a.count; i++) {
        sum += (double)value[i];
        squares += (double)value[i] * (double)value[i];
        mixed += flag[i] ? (double)value[i] : 0;
    }
    /* 37 terms smaller than 1. NumPy adds them in another order, so a small error is allowed. */
    const double *answer = answers.data;
    const double allowance = 37 * 37 * DBL_EPSILON;
    assert_true(fabs(sum - answer[0]) <= allowance);
    assert_true(fabs(squares - answer[1]) <= allowance);
    assert_true(fabs(mixed - answer[2]) <= allowance);
    assert_true(fabs(mixed - sum) > 1e-3); /* the flags have an effect */
    npy_free(&a);
    npy_free(&b);
    npy_free(&answers);
}

static void reads_arrays_without_elements_or_dimensions(void **state)
{
    (void)state;
    struct npy array = read_good("float32_empty_1d");
    assert_shape(&array, NPY_FLOAT32, 1, (size_t[]){0});
    npy_free(&array);
    array = read_good("float64_empty_2d");
    assert_shape(&array, NPY_FLOAT64, 2, (size_t[]){0, 3});
    npy_free(&array);
    array = read_good("float32_0d");
    assert_shape(&array, NPY_FLOAT32, 0, NULL);
    assert_true(*(float *)array.data == 2.5F);
    npy_free(&array);
}

static void reads_every_spelling_of_the_header(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t dimensions;
        size_t shape[2];
    } files[] = {{"fortran_1d", 1, {6, 0}},   {"key_order", 2, {2, 3}}, {"spaces", 1, {6, 0}},
                 {"native_order", 1, {6, 0}}, {"no_order", 1, {6, 0}},  {"python2_long", 2, {2, 3}},
                 {"version2", 1, {5, 0}}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct npy array = read_good(files[i].name);
        assert_shape(&array, NPY_FLOAT32, files[i].dimensions, files[i].shape);
        for (size_t j = 0; j < array.count; j++)
            assert_true(((float *)array.data)[j] == (float)j);
        npy_free(&array);
    }
    struct npy array = read_good("version3");
    assert_shape(&array, NPY_FLOAT64, 1, (size_t[]){5});
    for (size_t j = 0; j < array.count; j++)
        assert_true(((double *)array.data)[j] == (double)j);
    npy_free(&array);
    array = read_good("float16_1d");
    assert_shape(&array, NPY_FLOAT16, 1, (size_t[]){6});
    assert_memory_equal(array.data, ((uint16_t[]){0x3C00, 0xC100, 0x7BFF, 1, 0x7C00, 0x7E00}), 12);
    npy_free(&array);
    array = read_good("bool_transposed_1d");
    assert_shape(&array, NPY_BOOL, 1, (size_t[]){37});
    npy_free(&array);
}

static void free_takes_nothing(void **state)
{
    (void)state;
    struct npy array;
    memset(&array, 0, sizeof array);
    npy_free(&array);
    npy_free(NULL);
}

static void names_and_sizes(void **state)
{
    (void)state;
    assert_string_equal(npy_type_name(NPY_FLOAT32), "float32");
    assert_string_equal(npy_type_name(NPY_FLOAT64), "float64");
    assert_string_equal(npy_type_name(NPY_BOOL), "bool");
    assert_string_equal(npy_type_name(NPY_UINT8), "uint8");
    assert_string_equal(npy_type_name(NPY_FLOAT16), "float16");
    assert_int_equal(npy_element_size(NPY_FLOAT16), 2);
    assert_int_equal(npy_element_size(NPY_FLOAT32), sizeof(float));
    assert_int_equal(npy_element_size(NPY_FLOAT64), sizeof(double));
    assert_int_equal(npy_element_size(NPY_BOOL), 1);
    assert_int_equal(npy_element_size(NPY_UINT8), 1);
}

/* ---- malformed files ---- */

static void refuses_other_types(void **state)
{
    (void)state;
    assert_bad("bad_int64", "dtype '<i8' is not supported; accepted are float16 (<f2), float32 "
                            "(<f4), float64 (<f8), bool (|b1), uint8 (|u1): convert with "
                            "a.astype(np.float32)");
    assert_bad("bad_complex128", "convert with a.real.astype(np.float32)");
    assert_bad("bad_object", "dtype '|O' is not supported");
    assert_bad("bad_unicode", "dtype '<U3' is not supported");
    assert_bad("bad_big_endian", "dtype '>f8' is big-endian");
    assert_bad("bad_big_endian", "convert with a.astype('<f8')");
    assert_bad("bad_structured", "is structured");
    assert_bad("bad_nul_bytes", "dtype '|.' is not supported");
}

static void refuses_layouts(void **state)
{
    (void)state;
    assert_bad("bad_fortran_2d", "np.ascontiguousarray(a)");
    assert_bad("bad_5d", "the array has 5 dimensions; accepted are at most 4");
    assert_bad("bad_bool_value", "bool element 2 is the byte 2; accepted are 0 and 1");
}

static void refuses_files_of_another_kind(void **state)
{
    (void)state;
    assert_bad("bad_empty_file", "not an .npy file");
    assert_bad("bad_magic", "not an .npy file");
    assert_bad("bad_version_9", "version 9.0 is not supported; accepted are 1.0, 2.0 and 3.0");
    assert_bad("bad_version_1_1", "version 1.1 is not supported");
}

static void refuses_wrong_lengths(void **state)
{
    (void)state;
    assert_bad("bad_magic_only", "truncated header");
    assert_bad("bad_no_length", "truncated header");
    assert_bad("bad_data_truncated", "truncated data: 24 bytes expected, 23 found");
    assert_bad("bad_data_missing", "truncated data: 24 bytes expected, 0 found");
    assert_bad("bad_data_trailing", "3 bytes follow the data");
    assert_bad("bad_header_length_short", "malformed header");
    assert_bad("bad_header_length_long", "malformed header");
    assert_bad("bad_header_length_zero", "malformed header, byte 10: expected '{'");
    assert_bad("bad_header_length_huge", "its length is given as 4294967295 bytes, 140 follow");
}

static void refuses_malformed_headers(void **state)
{
    (void)state;
    assert_bad("bad_no_dictionary", "malformed header, byte 10: expected '{'");
    assert_bad("bad_not_closed", "expected a quoted string");
    assert_bad("bad_string_not_closed", "a string is not closed");
    assert_bad("bad_bracket_not_closed", "a bracket is not closed");
    assert_bad("bad_two_dictionaries", "something follows the closing '}'");
    assert_bad("bad_key_missing", "no key 'fortran_order'");
    assert_bad("bad_key_unknown", "a key other than");
    assert_bad("bad_key_twice", "the same key twice");
    assert_bad("bad_no_comma", "expected ',' or '}'");
    assert_bad("bad_no_colon", "expected ':'");
    assert_bad("bad_order_not_bool", "expected True or False");
}

static void refuses_shapes(void **state)
{
    (void)state;
    assert_bad("bad_shape_negative", "expected a non-negative number");
    assert_bad("bad_shape_comma", "expected a non-negative number");
    assert_bad("bad_shape_number", "expected a tuple");
    assert_bad("bad_shape_list", "expected a tuple");
    assert_bad("bad_shape_not_tuple", "(N,) with a comma");
    assert_bad("bad_shape_float", "expected ',' or ')'");
    assert_bad("bad_shape_hex", "expected ',' or ')'");
    assert_bad("bad_shape_huge", "truncated data: 4398046511104 bytes expected, 24 found");
    assert_bad("bad_shape_overflow", "more bytes than a size can express");
    assert_bad("bad_shape_overflow_bytes", "more bytes than a size can express");
    assert_bad("bad_shape_overflow_number", "more bytes than a size can express");
}

static void refuses_a_header_beyond_the_limit(void **state)
{
    (void)state;
    enum { SIZE = 2 << 20 };
    unsigned char *bytes = malloc(SIZE);
    assert_non_null(bytes);
    memset(bytes, ' ', SIZE);
    memcpy(bytes, "\x93NUMPY\x02\x00", 8);
    uint32_t length = SIZE - 12;
    for (int i = 0; i < 4; i++)
        bytes[8 + i] = (unsigned char)(length >> (8 * i));
    struct scratch scratch = scratch_open();
    scratch_fill(&scratch, bytes, SIZE);
    assert_refused(scratch.path, "accepted are at most 1048576");
    scratch_close(&scratch);
    free(bytes);
}

/* ---- paths that are no file ---- */

static void refuses_what_cannot_be_opened(void **state)
{
    (void)state;
    assert_refused("/nonexistent/a.npy", "cannot open: No such file or directory");
    assert_refused("", "cannot open");
    assert_refused("/", "is a directory");
    assert_refused("/dev/null", "is a device");

    struct scratch scratch = scratch_open();
    scratch_close(&scratch); /* only its name is needed */
    assert_int_equal(mkfifo(scratch.path, 0600), 0);
    assert_refused(scratch.path, "is a pipe"); /* and does not wait for a writer */
    unlink(scratch.path);

    assert_int_equal(symlink(scratch.path, scratch.path), 0);
    assert_refused(scratch.path, "cannot open");
    unlink(scratch.path);

    scratch = scratch_open();
    assert_int_equal(fchmod(scratch.file, 0), 0);
    if (geteuid() != 0) /* root may read anything */
        assert_refused(scratch.path, "cannot open: Permission denied");
    scratch_close(&scratch);
}

static void messages_stay_on_one_line(void **state)
{
    (void)state;
    char path[4000];
    struct npy array;
    struct error error;
    assert_false(npy_read("/nonexistent/a\nb\x1b[31m\x7f.npy", &array, &error));
    assert_string_equal(error.text,
                        "/nonexistent/a.b.[31m..npy: cannot open: No such file or directory");
    memset(path, 'x', sizeof path - 1);
    path[0] = '/';
    path[sizeof path - 1] = '\0';
    assert_false(npy_read(path, &array, &error));
    assert_non_null(strstr(error.text, "...: cannot open: ")); /* the reason is not cut off */
}

/* Limits the address space. Not with sanitizers, which need terabytes of address space. */
static void says_when_memory_runs_out(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                               \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
    skip();
#else
    static const char header[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (1073741824,)}";
    const unsigned char start[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, sizeof header - 1, 0};
    struct scratch scratch = scratch_open();
    scratch_fill(&scratch, start, sizeof start);
    assert_int_equal(pwrite(scratch.file, header, sizeof header - 1, sizeof start),
                     sizeof header - 1);
    /* The file is sparse and uses no disk space. */
    off_t size = (off_t)(sizeof start + sizeof header - 1 + 1073741824);
    if (ftruncate(scratch.file, size) != 0) {
        scratch_close(&scratch);
        skip();
    }
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    struct rlimit limit = {(rlim_t)512 << 20, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    struct npy array;
    struct error error = {EXIT_ALL_VERIFIED, ""};
    bool success = npy_read(scratch.path, &array, &error);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    scratch_close(&scratch);
    assert_false(success);
    assert_int_equal(error.code, EXIT_DEVICE_ERROR);
    assert_non_null(strstr(error.text, "out of memory: 1073741824 bytes"));
    assert_zeroed(&array);
#endif
}

/* ---- every damage of one kind ---- */

/* For any bytes, the result must be a valid array or a clean error. Returns true for an array. */
static bool read_any(const struct scratch *scratch, size_t file_size)
{
    struct npy array;
    memset(&array, 0xA5, sizeof array);
    struct error error = {EXIT_ALL_VERIFIED, ""};
    if (!npy_read(scratch->path, &array, &error)) {
        assert_clean_error(&error, scratch->path);
        assert_zeroed(&array);
        return false;
    }
    size_t count = 1;
    assert_true(array.dimensions <= NPY_MAX_DIMENSIONS);
    for (size_t i = 0; i < array.dimensions; i++)
        count *= array.shape[i];
    assert_int_equal(array.count, count);
    assert_true(array.count * npy_element_size(array.type) <= file_size);
    /* Touches the last byte, for the address sanitizer. */
    const volatile unsigned char *bytes = array.data;
    if (array.count > 0)
        (void)bytes[array.count * npy_element_size(array.type) - 1];
    npy_free(&array);
    return true;
}

static const char *const fuzzed[] = {"float32_2d", "bool_1d", "version2",
                                     "version3",   "spaces",  "bad_structured"};

static void survives_every_prefix(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fuzzed / sizeof fuzzed[0]; i++) {
        char path[1024];
        data_path(path, fuzzed[i]);
        size_t size;
        unsigned char *bytes = slurp(path, &size);
        struct scratch scratch = scratch_open();
        for (size_t length = 0; length < size; length++) {
            scratch_fill(&scratch, bytes, length);
            assert_false(read_any(&scratch, length)); /* no prefix is a whole array */
        }
        scratch_close(&scratch);
        free(bytes);
    }
}

static void survives_every_changed_byte(void **state)
{
    (void)state;
    size_t accepted = 0;
    size_t refused = 0;
    for (size_t i = 0; i < sizeof fuzzed / sizeof fuzzed[0]; i++) {
        char path[1024];
        data_path(path, fuzzed[i]);
        size_t size;
        unsigned char *bytes = slurp(path, &size);
        struct scratch scratch = scratch_open();
        scratch_fill(&scratch, bytes, size);
        for (size_t position = 0; position < 128; position++) {
            for (unsigned value = 0; value < 256; value++) {
                unsigned char byte = (unsigned char)value;
                assert_int_equal(pwrite(scratch.file, &byte, 1, (off_t)position), 1);
                if (read_any(&scratch, size))
                    accepted++;
                else
                    refused++;
            }
            assert_int_equal(pwrite(scratch.file, &bytes[position], 1, (off_t)position), 1);
        }
        scratch_close(&scratch);
        free(bytes);
    }
    /* Both outcomes occur: for five good files, one of the 256 values is the original byte. */
    assert_true(accepted >= (size_t)5 * 128);
    assert_true(refused > accepted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_types_and_shapes),
        cmocka_unit_test(sums_are_those_of_numpy),
        cmocka_unit_test(reads_arrays_without_elements_or_dimensions),
        cmocka_unit_test(reads_every_spelling_of_the_header),
        cmocka_unit_test(free_takes_nothing),
        cmocka_unit_test(names_and_sizes),
        cmocka_unit_test(refuses_other_types),
        cmocka_unit_test(refuses_layouts),
        cmocka_unit_test(refuses_files_of_another_kind),
        cmocka_unit_test(refuses_wrong_lengths),
        cmocka_unit_test(refuses_malformed_headers),
        cmocka_unit_test(refuses_shapes),
        cmocka_unit_test(refuses_a_header_beyond_the_limit),
        cmocka_unit_test(refuses_what_cannot_be_opened),
        cmocka_unit_test(messages_stay_on_one_line),
        cmocka_unit_test(says_when_memory_runs_out),
        cmocka_unit_test(survives_every_prefix),
        cmocka_unit_test(survives_every_changed_byte),
    };
    return cmocka_run_group_tests_name("npy", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */

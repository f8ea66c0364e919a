#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/format.h"

static void assert_time(double microseconds, const char *expected)
{
    char buffer[FORMAT_TIME_SIZE];
    assert_ptr_equal(format_time(microseconds, buffer), buffer);
    assert_string_equal(buffer, expected);
}

static void times_take_the_unit_that_suits_them(void **state)
{
    (void)state;
    assert_time(0.812, "812 ns");
    assert_time(12.3, "12.3 us");
    assert_time(4560, "4.56 ms");
    assert_time(1.2e6, "1.20 s");
    assert_time(0.0123, "12.3 ns");
    assert_time(0.001, "1.00 ns");
    assert_time(252.275, "252 us");
    assert_time(59e6, "59.0 s");
    assert_time(1234e6, "1234 s");
    assert_time(0.000123, "0.12 ns");
}

static void times_round_into_the_next_unit(void **state)
{
    (void)state;
    assert_time(0.9994, "999 ns");
    assert_time(0.9996, "1.00 us");
    assert_time(9.994, "9.99 us");
    assert_time(9.996, "10.0 us");
    assert_time(99.94, "99.9 us");
    assert_time(99.96, "100 us");
    assert_time(999.4, "999 us");
    assert_time(999.7, "1.00 ms");
    assert_time(999700, "1.00 s");
}

static void odd_times_fit(void **state)
{
    (void)state;
    assert_time(0, "0 ns");
    assert_time(-0.0, "0 ns");
    assert_time(-12.3, "-12.3 us");
    assert_time(NAN, "nan");
    assert_time(INFINITY, "inf");
    assert_time(-INFINITY, "-inf");
    char buffer[FORMAT_TIME_SIZE];
    for (double size = 5e-324; size < 1e308; size *= 3) {
        assert_true(strlen(format_time(size, buffer)) < FORMAT_TIME_SIZE - 1);
        assert_non_null(strchr(buffer, 's')); /* the unit is not cut off */
        assert_true(strlen(format_time(-size, buffer)) < FORMAT_TIME_SIZE - 1);
        assert_non_null(strchr(buffer, 's'));
    }
}

static void assert_count(size_t count, const char *expected)
{
    char buffer[FORMAT_COUNT_SIZE];
    assert_ptr_equal(format_count(count, buffer), buffer);
    assert_string_equal(buffer, expected);
    size_t back = ~count;
    assert_true(parse_size(buffer, &back));
    assert_true(back == count);
}

static void counts_have_a_suffix_only_when_exact(void **state)
{
    (void)state;
    assert_count(0, "0");
    assert_count(1, "1");
    assert_count(1000, "1000");
    assert_count(1023, "1023");
    assert_count(1024, "1K");
    assert_count(1025, "1025");
    assert_count(1536, "1536");
    assert_count(3072, "3K");
    assert_count(1048576, "1M");
    assert_count(1048577, "1048577");
    assert_count(1025 * 1024, "1025K");
    assert_count((size_t)1 << 30, "1G");
    assert_count((size_t)1 << 40, "1T");
    assert_count((size_t)1 << 50, "1024T");
    assert_count(SIZE_MAX, "18446744073709551615");
    for (unsigned shift = 0; shift < 64; shift++) {
        char buffer[FORMAT_COUNT_SIZE];
        for (size_t count = ((size_t)1 << shift) - 1; count <= ((size_t)1 << shift) + 1; count++) {
            size_t back = 0;
            assert_true(parse_size(format_count(count, buffer), &back));
            assert_true(back == count);
        }
    }
}

static void assert_size(const char *text, size_t expected)
{
    size_t value = ~expected;
    assert_true(parse_size(text, &value));
    assert_true(value == expected);
}

static void sizes_are_read(void **state)
{
    (void)state;
    assert_size("0", 0);
    assert_size("1", 1);
    assert_size("007", 7);
    assert_size("1000003", 1000003);
    assert_size("1K", 1024);
    assert_size("1k", 1024);
    assert_size("12M", (size_t)12 << 20);
    assert_size("12m", (size_t)12 << 20);
    assert_size("2G", (size_t)2 << 30);
    assert_size("2g", (size_t)2 << 30);
    assert_size("3T", (size_t)3 << 40);
    assert_size("3t", (size_t)3 << 40);
    assert_size("0T", 0);
    assert_size("18446744073709551615", SIZE_MAX);
    assert_size("16777215T", (size_t)16777215 << 40);
    assert_size("18014398509481983K", (size_t)18014398509481983 << 10);
}

static void other_texts_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        " ",
                                        "K",
                                        "-1",
                                        "+1",
                                        "-0",
                                        " 1",
                                        "1 ",
                                        "12Q",
                                        "0x10",
                                        "1e6",
                                        "1.5",
                                        "1.5M",
                                        "1KB",
                                        "1KK",
                                        "1K1",
                                        "1 K",
                                        "K1",
                                        "1_000",
                                        "1,000",
                                        "abc",
                                        "1\n",
                                        "\t1",
                                        "1P",
                                        "1\xB5",
                                        "inf",
                                        "nan",
                                        "M",
                                        "18446744073709551616",
                                        "99999999999999999999999999",
                                        "16777216T",
                                        "17179869184G",
                                        "18014398509481984K",
                                        "18446744073709551615T"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        size_t value = 42;
        if (parse_size(texts[i], &value))
            fail_msg("\"%s\" was read as %zu", texts[i], value);
        assert_int_equal(value, 42);
    }
    size_t value = 42;
    assert_false(parse_size(NULL, &value));
    assert_int_equal(value, 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_take_the_unit_that_suits_them),
        cmocka_unit_test(times_round_into_the_next_unit),
        cmocka_unit_test(odd_times_fit),
        cmocka_unit_test(counts_have_a_suffix_only_when_exact),
        cmocka_unit_test(sizes_are_read),
        cmocka_unit_test(other_texts_are_refused),
    };
    return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */

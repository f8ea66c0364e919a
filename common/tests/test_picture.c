/* Tests of PNG pictures and of filters by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/picture.h"

static const char path[] = "test_picture.png";

#ifdef HAVE_PNG

static bool write_picture(const char *name, const float *colours, size_t height, size_t width,
                          struct error *error)
{
    struct whole_file file;
    const bool written =
        whole_file_open(&file, name, error) && picture_write(&file, colours, height, width, error);
    whole_file_discard(&file);
    return written;
}

static void test_there_and_back(void **state)
{
    enum { HEIGHT = 3, WIDTH = 5, PIXELS = HEIGHT * WIDTH };
    float colours[3 * PIXELS];
    struct npy array;
    struct error error;
    (void)state;

    for (int i = 0; i < 3 * PIXELS; i++)
        colours[i] = (float)(i * 5);
    colours[0] = -7;
    colours[1] = 300;
    colours[2] = NAN;
    colours[3] = 20.6F;
    assert_true(write_picture(path, colours, HEIGHT, WIDTH, &error));
    assert_true(picture_read(path, &array, &error));
    assert_int_equal(array.dimensions, 4);
    assert_int_equal(array.shape[0], 3);
    assert_int_equal(array.shape[1], 1);
    assert_int_equal(array.shape[2], HEIGHT);
    assert_int_equal(array.shape[3], WIDTH);
    const float *const got = array.data;
    assert_true(got[0] == 0 && got[1] == 255 && got[2] == 0 && got[3] == 21);
    for (int i = 4; i < 3 * PIXELS; i++)
        assert_true(got[i] == colours[i]);
    npy_free(&array);
    unlink(path);
}

static void test_bad_files(void **state)
{
    struct npy array;
    struct error error;
    const float pixel[3] = {0};
    (void)state;

    assert_false(picture_read("no such file.png", &array, &error));
    assert_int_equal(error.code, EXIT_FILE_ERROR);
    assert_non_null(strstr(error.text, "no such file.png"));

    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    fputs("P6 not a PNG file", file);
    fclose(file);
    assert_false(picture_read(path, &array, &error));
    assert_int_equal(error.code, EXIT_FILE_ERROR);
    assert_null(array.data);
    unlink(path);

    /* The file is cut off anywhere, even if only the last chunk is missing. */
    assert_true(write_picture(path, pixel, 1, 1, &error));
    assert_true(picture_read(path, &array, &error));
    npy_free(&array);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    for (off_t size = status.st_size - 1; size >= 0; size--) {
        assert_int_equal(truncate(path, size), 0);
        assert_false(picture_read(path, &array, &error));
        assert_int_equal(error.code, EXIT_FILE_ERROR);
        assert_null(array.data);
    }
    unlink(path);

    assert_false(write_picture("no such folder/x.png", pixel, 1, 1, &error));
    assert_int_equal(error.code, EXIT_FILE_ERROR);
    assert_false(write_picture(path, pixel, 0, 1, &error));
    assert_int_equal(error.code, EXIT_FILE_ERROR);
}

/* The filter that the page on convolutions shows for `--filter edges` must be the real one. */
static void test_shown_edges(void **state)
{
    struct npy before, after;
    struct error error;
    (void)state;

    assert_true(picture_read(PICTURES "/hopper.png", &before, &error));
    assert_true(picture_read(PICTURES "/hopper_edges.png", &after, &error));
    assert_int_equal(before.count, after.count);
    assert_memory_equal(before.shape, after.shape, sizeof before.shape);
    const size_t height = before.shape[2], width = before.shape[3];
    const float *const colours = before.data, *const shown = after.data;
    for (size_t i = 0; i < before.count; i++) {
        const size_t y = i / width % height, x = i % width, plane = i / width / height;
        float sum = 9 * colours[i];
        for (size_t t = 0; t < 9; t++) {
            const size_t in_y = y + t / 3 - 1, in_x = x + t % 3 - 1;
            if (in_y < height && in_x < width)
                sum -= colours[(plane * height + in_y) * width + in_x];
        }
        assert_true(shown[i] == fminf(fmaxf(sum, 0), 255));
    }
    npy_free(&before);
    npy_free(&after);
}

#else

static void test_says_so(void **state)
{
    struct npy array;
    struct error error;
    (void)state;

    assert_false(picture_read(path, &array, &error));
    assert_non_null(strstr(error.text, "without libpng"));
    assert_int_equal(error.code, EXIT_FILE_ERROR);
}

#endif

static void test_filters(void **state)
{
    static const struct {
        const char *name;
        float sum;
    } filters[] = {{"sharpen", 1}, {"blur", 1}, {"edges", 0}, {"emboss", 1}};
    struct npy array;
    struct error error;
    (void)state;

    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        float sum = 0;
        assert_true(picture_filter(filters[i].name, &array, &error));
        assert_int_equal(array.count, 9);
        for (size_t k = 0; k < array.count; k++)
            sum += ((const float *)array.data)[k];
        assert_true(sum == filters[i].sum);
        npy_free(&array);
    }
    assert_false(picture_filter("nosuch", &array, &error));
    assert_int_equal(error.code, EXIT_BAD_USAGE);
    assert_non_null(strstr(error.text, "emboss"));
    assert_false(picture_filter("no such file.npy", &array, &error));
    assert_int_equal(error.code, EXIT_FILE_ERROR);
    assert_false(picture_filter(TEST_DATA_DIR "/uint8_1d.npy", &array, &error));
    assert_int_equal(error.code, EXIT_FILE_ERROR);
    assert_true(picture_filter(TEST_DATA_DIR "/float32_2d.npy", &array, &error));
    assert_int_equal(array.dimensions, 4);
    assert_int_equal(array.shape[0] * array.shape[1], 1);
    assert_int_equal(array.shape[2] * array.shape[3], array.count);
    npy_free(&array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef HAVE_PNG
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_shown_edges),
#else
        cmocka_unit_test(test_says_so),
#endif
        cmocka_unit_test(test_filters),
    };
    return cmocka_run_group_tests_name("picture", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */

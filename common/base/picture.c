#include "base/picture.h"

#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef RUNGS_PNG
#include <png.h>
#include <zlib.h>
#endif

#include "base/memory.h"
#include "base/regular_file.h"

static bool allocate(struct npy *array, size_t pictures, size_t height, size_t width,
                     struct error *error)
{
    size_t pixels, bytes;

    if (!checked_bytes(height, width, 1, &pixels, error) ||
        !checked_bytes(pictures, pixels, sizeof(float), &bytes, error))
        return false;
    *array = (struct npy){
        .type = NPY_FLOAT32,
        .dimensions = 4,
        .shape = {pictures, 1, height, width},
        .count = pictures * pixels,
        .data = host_allocate(bytes, error),
    };
    return array->data != NULL;
}

/* ---- PNG ------------------------------------------------------------------------------------- */

#ifdef RUNGS_PNG

enum { COLOURS = 3 };

/* Whether the file's chunks continue to the last one. libpng's simplified reader does not check
 * that. */
static bool is_whole(FILE *file)
{
    static const uint8_t last[] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xAE, 0x42, 0x60, 0x82};
    enum { SIGNATURE = 8, BESIDE_DATA = 12 };
    uint8_t head[sizeof last];
    long at = SIGNATURE;

    while (fseek(file, at, SEEK_SET) == 0 && fread(head, sizeof head, 1, file) == 1) {
        if (memcmp(head, last, sizeof last) == 0)
            return true;
        at += BESIDE_DATA + (long)((unsigned long)head[0] << 24 | (unsigned long)head[1] << 16 |
                                   (unsigned long)head[2] << 8 | head[3]);
    }
    return false;
}

bool picture_read(const char *path, struct npy *array, struct error *error)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    uint8_t *bytes = NULL;
    bool done = false;

    *array = (struct npy){0};
    const int descriptor = regular_file_open(path, path, "PNG", error);
    if (descriptor < 0)
        return false;
    FILE *const file = fdopen(descriptor, "rb");
    if (file == NULL) {
        close(descriptor);
        return error_set(error, EXIT_DEVICE_ERROR, "out of memory");
    }
    if (!png_image_begin_read_from_stdio(&image, file)) {
        error_set(error, EXIT_FILE_ERROR, "%s: %s", path, image.message);
        goto end;
    }
    image.format = PNG_FORMAT_RGB;
    if (!allocate(array, COLOURS, image.height, image.width, error))
        goto end;
    bytes = host_allocate(array->count, error);
    if (bytes == NULL)
        goto end;
    if (!png_image_finish_read(&image, NULL, bytes, 0, NULL)) {
        error_set(error, EXIT_FILE_ERROR, "%s: %s", path, image.message);
        goto end;
    }
    if (!is_whole(file)) {
        error_set(error, EXIT_FILE_ERROR, "%s: no IEND chunk: the file is cut off", path);
        goto end;
    }
    const size_t pixels = array->count / COLOURS;
    for (size_t c = 0; c < COLOURS; c++)
        for (size_t i = 0; i < pixels; i++)
            ((float *)array->data)[c * pixels + i] = bytes[COLOURS * i + c];
    done = true;
end:
    png_image_free(&image);
    fclose(file);
    free(bytes);
    if (!done)
        npy_free(array);
    return done;
}

enum { MESSAGE_SIZE = 80 };

static void fail(png_structp png, png_const_charp message)
{
    snprintf(png_get_error_ptr(png), MESSAGE_SIZE, "%s", message);
    png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

/* zlib looks only for runs. The file is as small as by default, and written ten times as fast. */
static bool write_rows(FILE *file, const float *colours, png_uint_32 height, png_uint_32 width,
                       uint8_t *row, char message[MESSAGE_SIZE])
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, message, fail, ignore);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    const size_t pixels = (size_t)height * width;

    if (info == NULL || setjmp(png_jmpbuf(png)) != 0) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_init_io(png, file);
    png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_compression_strategy(png, Z_RLE);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE | PNG_FILTER_UP);
    png_write_info(png, info);
    for (size_t from = 0; from < pixels; from += width) {
        for (size_t c = 0; c < COLOURS; c++)
            for (size_t x = 0; x < width; x++) {
                const float value = colours[c * pixels + from + x];
                /* NaN is not greater than 0, so it becomes 0. */
                row[COLOURS * x + c] = value > 0 ? (uint8_t)lrintf(fminf(value, 255)) : 0;
            }
        png_write_row(png, row);
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

bool picture_write(struct whole_file *file, const float *colours, size_t height, size_t width,
                   struct error *error)
{
    char message[MESSAGE_SIZE] = "out of memory";

    if (height == 0 || width == 0 || height > PNG_USER_HEIGHT_MAX || width > PNG_USER_WIDTH_MAX)
        return error_set(error, EXIT_FILE_ERROR, "%s: a PNG file cannot hold %zu x %zu pixels",
                         file->path, width, height);
    uint8_t *const row = host_allocate(COLOURS * width, error);
    if (row == NULL)
        return false;
    const bool written =
        write_rows(file->text, colours, (png_uint_32)height, (png_uint_32)width, row, message);
    free(row);
    if (!written)
        return error_set(error, EXIT_FILE_ERROR, "%s: %s", file->path, message);
    return whole_file_commit(file, error);
}

#else

static bool no_png(const char *path, struct error *error)
{
    return error_set(error, EXIT_FILE_ERROR, "%s: this program was built without libpng", path);
}

bool picture_read(const char *path, struct npy *array, struct error *error)
{
    *array = (struct npy){0};
    return no_png(path, error);
}

bool picture_write(struct whole_file *file, const float *colours, size_t height, size_t width,
                   struct error *error)
{
    (void)colours;
    (void)height;
    (void)width;
    return no_png(file->path, error);
}

#endif

/* ---- filters --------------------------------------------------------------------------------- */

enum { NAMED_SIDE = 3 };

static const struct named_filter {
    const char *name;
    float weights[NAMED_SIDE * NAMED_SIDE];
} named_filters[] = {
    {"sharpen", {0, -1, 0, -1, 5, -1, 0, -1, 0}},
    {"blur", {0.0625F, 0.125F, 0.0625F, 0.125F, 0.25F, 0.125F, 0.0625F, 0.125F, 0.0625F}},
    {"edges", {-1, -1, -1, -1, 8, -1, -1, -1, -1}},
    {"emboss", {-2, -1, 0, -1, 1, 1, 0, 1, 2}},
};

static bool filter_from_file(const char *path, struct npy *array, struct error *error)
{
    struct npy file;

    if (!npy_read(path, &file, error))
        return false;
    if (file.dimensions != 2 || file.count == 0 ||
        (file.type != NPY_FLOAT32 && file.type != NPY_FLOAT64)) {
        error_set(error, EXIT_FILE_ERROR,
                  "%s: expected a filter with two dimensions, float32 or float64", path);
        npy_free(&file);
        return false;
    }
    const bool done = allocate(array, 1, file.shape[0], file.shape[1], error);
    for (size_t i = 0; done && i < file.count; i++)
        ((float *)array->data)[i] = file.type == NPY_FLOAT32
                                        ? ((const float *)file.data)[i]
                                        : (float)((const double *)file.data)[i];
    npy_free(&file);
    return done;
}

bool picture_filter(const char *name, struct npy *array, struct error *error)
{
    const size_t length = strlen(name);

    *array = (struct npy){0};
    for (size_t i = 0; i < sizeof named_filters / sizeof named_filters[0]; i++)
        if (strcmp(name, named_filters[i].name) == 0) {
            if (!allocate(array, 1, NAMED_SIDE, NAMED_SIDE, error))
                return false;
            memcpy(array->data, named_filters[i].weights, sizeof named_filters[i].weights);
            return true;
        }
    if (length > 4 && strcmp(name + length - 4, ".npy") == 0)
        return filter_from_file(name, array, error);
    return error_set(
        error, EXIT_BAD_USAGE,
        "--filter '%s': expected sharpen, blur, edges, emboss or a file that ends in .npy", name);
}
/* SPDX-License-Identifier: MIT */

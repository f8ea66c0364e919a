#!/usr/bin/env python3
"""Writes the .npy files that the tests in common/tests read: good ones by NumPy itself, malformed
ones by hand, and the answers that NumPy computes for them.

Usage: make_npy_test_data.py [FOLDER]        (default: tests/data beside this script's folder)

The random values come from RandomState, whose streams NumPy keeps frozen, so that running the
script again gives the same files.
"""
import struct
import sys
import warnings
from pathlib import Path

import numpy as np
from numpy.lib import format as npy_format

MAGIC = b"\x93NUMPY"


def header_bytes(text, version=(1, 0), length=None):
    """Magic, version, length and the header text, padded to 64 bytes as NumPy does.
    `length` replaces the true length."""
    size = 2 if version[0] == 1 else 4
    body = text.encode("latin1") if isinstance(text, str) else text
    padding = -(len(MAGIC) + 2 + size + len(body) + 1) % 64
    body += b" " * padding + b"\n"
    shown = len(body) if length is None else length
    return MAGIC + bytes(version) + struct.pack("<H" if size == 2 else "<I", shown) + body


def write_version(path, array, version):
    with open(path, "wb") as file:
        npy_format.write_array(file, array, version=version)


def write_valid(folder):
    warnings.simplefilter("ignore", UserWarning)  # NumPy warns when it reads python2_long
    random = np.random.RandomState(20211116)
    float32 = (random.random_sample(37) * 2 - 1).astype(np.float32)
    bools = random.random_sample(37) < 0.5
    np.save(folder / "float32_1d.npy", float32)
    np.save(folder / "bool_1d.npy", bools)
    np.save(folder / "float16_1d.npy", np.array([1, -2.5, 65504, 2.0 ** -24, np.inf, np.nan], dtype=np.float16))
    np.save(folder / "float32_2d.npy", np.arange(12, dtype=np.float32).reshape(3, 4) / 8)
    np.save(folder / "float64_3d.npy", np.arange(24, dtype=np.float64).reshape(2, 3, 4) / 7)
    np.save(folder / "float32_4d.npy", -np.arange(30, dtype=np.float32).reshape(1, 2, 3, 5))
    np.save(folder / "uint8_1d.npy", np.arange(250, 260).astype(np.uint8))
    np.save(folder / "float64_special.npy", np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324]))
    np.save(folder / "float32_0d.npy", np.array(2.5, dtype=np.float32))
    np.save(folder / "float32_empty_1d.npy", np.zeros(0, dtype=np.float32))
    np.save(folder / "float64_empty_2d.npy", np.zeros((0, 3)))
    # With one dimension both orders are the same, so NumPy writes fortran_order False.
    np.save(folder / "bool_transposed_1d.npy", np.asfortranarray(bools))
    write_version(folder / "version2.npy", np.arange(5, dtype=np.float32), (2, 0))
    write_version(folder / "version3.npy", np.arange(5, dtype=np.float64), (3, 0))

    data = np.arange(6, dtype="<f4").tobytes()
    by_hand = {
        "fortran_1d": "{'descr': '<f4', 'fortran_order': True, 'shape': (6,), }",
        "key_order": "{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}",
        "spaces": " { \"descr\" :\t'<f4'\n,'fortran_order':False  ,  'shape' : ( 6 , ) , }  ",
        "native_order": "{'descr': '=f4', 'fortran_order': False, 'shape': (6,), }",
        "no_order": "{'descr': 'f4', 'fortran_order': False, 'shape': (6,), }",
        "python2_long": "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }",
    }
    for name, text in by_hand.items():
        (folder / f"{name}.npy").write_bytes(header_bytes(text) + data)
        # A file that these tests call valid must also be valid for NumPy.
        assert np.load(folder / f"{name}.npy").size == 6, name

    # The dot product float32 x bool of the mixed type, and sums; all in double.
    wide = float32.astype(np.float64)
    np.save(folder / "answers_1d.npy",
            np.array([np.sum(wide), np.dot(wide, wide), np.dot(wide, bools.astype(np.float64))]))


def write_vectors(folder):
    """Writes inputs of the step programs, and the results that NumPy computes from them in float64: the
    dot products of the float32 pair, of the float64 pair, and of the float32 vector x with the bool
    vector; sum, max and min of the float64 vector x; the dot product of the float16 pair and the sum of
    its x; the dot product of the float32 vector x with the float64 vector y."""
    random = np.random.RandomState(20240229)
    x, y = random.standard_normal((2, 1003))
    mask = random.random_sample(1003) < 0.5
    x32, y32 = x.astype(np.float32), y.astype(np.float32)
    x16, y16 = x.astype(np.float16), y.astype(np.float16)
    vectors = {"x_float64": x, "y_float64": y, "x_float32": x32, "y_float32": y32, "y_bool": mask,
               "y_short_float32": y32[:-1], "x_float16": x16, "y_float16": y16}
    for name, vector in vectors.items():
        np.save(folder / f"vector_{name}.npy", vector)
    wide = x32.astype(np.float64)
    np.save(folder / "vector_answers.npy", np.array([
        np.dot(wide, y32.astype(np.float64)), np.dot(x, y), np.dot(wide, mask.astype(np.float64)),
        np.sum(x), np.max(x), np.min(x), np.dot(x16.astype(np.float64), y16.astype(np.float64)),
        np.sum(x16.astype(np.float64)), np.dot(wide, y)]))


def write_malformed(folder):
    float32 = "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }"
    data = np.arange(6, dtype="<f4").tobytes()
    whole = header_bytes(float32) + data

    square = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.save(folder / "bad_fortran_2d.npy", np.asfortranarray(square))
    np.save(folder / "bad_int64.npy", np.arange(6, dtype=np.int64))
    np.save(folder / "bad_complex128.npy", np.arange(6, dtype=np.complex128))
    np.save(folder / "bad_big_endian.npy", np.arange(6, dtype=">f8"))
    np.save(folder / "bad_structured.npy", np.zeros(2, dtype=[("x", "<f4"), ("]'\"", "<i8", (2,))]))
    np.save(folder / "bad_object.npy", np.array([1.5, None], dtype=object), allow_pickle=True)
    np.save(folder / "bad_unicode.npy", np.array(["dot"]))
    np.save(folder / "bad_5d.npy", np.zeros((1, 1, 1, 1, 2), dtype=np.float32))

    def shaped(shape):
        return f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"

    files = {
        "empty_file": b"",
        "magic": b"PK\x03\x04 not an array",
        "magic_only": MAGIC,
        "no_length": MAGIC + b"\x01\x00\x76",
        "version_9": header_bytes(float32, (9, 0)) + data,
        "version_1_1": header_bytes(float32, (1, 1)) + data,
        "data_truncated": whole[:-1],
        "data_missing": header_bytes(float32),
        "data_trailing": whole + b"\0\0\0",
        # Header lengths that end inside the dictionary, in the data, and past the end of the file.
        "header_length_short": header_bytes(float32, length=20) + data,
        "header_length_long": header_bytes(float32, length=118 + 8) + data,
        "header_length_huge": header_bytes(float32, (2, 0), length=0xFFFFFFFF) + data,
        "header_length_zero": header_bytes(float32, length=0) + data,
        "no_dictionary": header_bytes("'<f4', False, (6,)") + data,
        "not_closed": header_bytes(float32.replace("}", " ")) + data,
        "string_not_closed": header_bytes("{'descr': '<f4, }") + data,
        "bracket_not_closed": header_bytes("{'descr': [[[[('x', '<f4'), }") + data,
        "two_dictionaries": header_bytes(float32 + float32) + data,
        "key_missing": header_bytes("{'descr': '<f4', 'shape': (6,), }") + data,
        "key_unknown": header_bytes(float32.replace("}", "'x': 1}")) + data,
        "key_twice": header_bytes(float32.replace("}", "'descr': '<f8'}")) + data,
        "no_comma": header_bytes(float32.replace("', '", "' '")) + data,
        "no_colon": header_bytes(float32.replace(":", " ")) + data,
        "order_not_bool": header_bytes(float32.replace("False", "Falsehood")) + data,
        "shape_negative": header_bytes(shaped("(-6,)")) + data,
        "shape_number": header_bytes(shaped("6")) + data,
        "shape_not_tuple": header_bytes(shaped("(6)")) + data,
        "shape_list": header_bytes(shaped("[6]")) + data,
        "shape_comma": header_bytes(shaped("(,)")) + data,
        "shape_float": header_bytes(shaped("(6.0,)")) + data,
        "shape_hex": header_bytes(shaped("(0x6,)")) + data,
        "shape_huge": header_bytes(shaped("(1099511627776,)")) + data,
        # 2^32 x 2^32 elements wrap to 0 in 64 bits; 2^62 elements only once counted in bytes.
        "shape_overflow": header_bytes(shaped("(4294967296, 4294967296)")) + data,
        "shape_overflow_bytes": header_bytes(shaped("(4611686018427387904,)")) + data,
        "shape_overflow_number": header_bytes(shaped("(18446744073709551622,)")) + data,
        "nul_bytes": header_bytes("{'descr': '|\0', 'fortran_order': False, 'shape': (6,), }")
        + data,
        "bool_value": header_bytes("{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }")
        + b"\x01\x00\x02\x01",
    }
    for name, content in files.items():
        (folder / f"bad_{name}.npy").write_bytes(content)


def write_statistics(folder):
    random = np.random.RandomState(20240511)
    skewed = np.exp(random.random_sample(1001) ** 4 * 3) * 250  # a peak and a long right tail
    even = 812.5 + random.random_sample(200) * 1e-3             # scatter far below the mean
    for name, samples in (("skewed", skewed), ("even", even), ("few", skewed[:5])):
        np.save(folder / f"samples_{name}.npy", samples)
        np.save(folder / f"samples_{name}_expected.npy", np.array([
            samples.min(), np.quantile(samples, 0.25), np.median(samples), samples.mean(),
            np.quantile(samples, 0.75), np.quantile(samples, 0.99, method="inverted_cdf"),
            samples.std(ddof=1), samples.max()]))


def main():
    if len(sys.argv) > 2 or (len(sys.argv) == 2 and sys.argv[1].startswith("-")):
        print(__doc__, end="", file=sys.stderr)
        return 2
    folder = Path(sys.argv[1] if len(sys.argv) == 2 else
                  Path(__file__).resolve().parent.parent.parent / "tests" / "data")
    folder.mkdir(parents=True, exist_ok=True)
    write_valid(folder)
    write_vectors(folder)
    write_malformed(folder)
    write_statistics(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: MIT

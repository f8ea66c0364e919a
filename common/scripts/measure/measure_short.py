#!/usr/bin/env python3
"""Measures problems of steps 04 to 08 on a GPU: measure_short.py [--drawn SEED] BIN_DIR OUT.csv

Writes a row for each rung that was timed by replays of recorded calls (docs/timing.md): median_us is of a replayed
call, call_us of one that the host launches. What takes longer than 200 us when launched has no row, nor has what cannot
be recorded. After each program the file is whole. With --seconds N no program is started after N seconds.

With --drawn SEED it measures instead any_shape and cuBLAS for 40 matrix products drawn by that seed, in float32 and
bfloat16: sides of 64 to 8192, a quarter of the shapes square, a quarter with one side of 64 to 256, half of them with
sides that are multiples of 8. Then every row is written, with what the rung used.

Exit status: 0 measured, 1 a wrong result, 2 bad usage, 3 a program failed, 4 the file cannot be written.
Needs nothing but Python 3.7."""
import argparse
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import provenance

COLUMNS = ["step", "rung", "op", "type", "shape", "device", "reps", "min_us", "median_us", "call_us", "calls_overlap",
           "speedup_library", "verdict"]
ATOMIC, TREE, SHUFFLE = "04_gpu_atomic", "05_gpu_shared_tree", "06_gpu_warp_shuffle"
CUBES = ["64", "256", "320", "333", "384", "448", "500", "511", "512", "513", "600", "601", "640", "768", "777", "900",
         "1000", "1024"]
FLOATS = ["1x4096x4096", "4096x1x4096", "16x4096x4096", "64x64x65536", "5x5000x5000", "512x512x4096", "640x640x2560",
          "1001x999x1003", "65536x32x128", "255x257x253", "100x200x300", "256x256x4096", "512x512x1024", "513x511x2001",
          "2048x2048x100", "3000x3000x200", "2048x128x8192", "300x5000x700", "50176x64x576", "4000x300x300",
          "1111x2222x333", "65536x16x64"]
HALFS = ["1x4096x4096", "16x4096x4096", "64x4096x4096", "128x4096x4096", "256x4096x4096", "4096x8x4096", "4096x1x4096",
         "3x5000x5000", "24x8192x8192", "64x64x65536", "1x11008x4096", "12x3000x3000", "4096x32x4096", "1x4097x4095",
         "64x64x64", "256x256x256", "512x512x512", "1000x1000x1000", "1024x1024x1024", "1500x1500x1500",
         "1536x1536x1536", "2048x2048x1024", "2048x2048x2048", "512x512x4096", "640x640x2560", "2047x2049x1023"]
# batch, channels, height, width, filters, side of the filters, stride, pad, dilation
CONVOLUTIONS = [(2, 12, 130, 514, 24, 3, 1, 0, 1), (4, 17, 61, 97, 23, 5, 1, 2, 1), (1, 64, 56, 56, 64, 3, 1, 1, 1),
                (8, 32, 112, 112, 32, 3, 1, 1, 1), (32, 32, 56, 56, 32, 3, 1, 1, 1), (32, 16, 56, 56, 16, 3, 1, 1, 1),
                (32, 24, 28, 28, 64, 3, 1, 1, 1), (1, 3, 224, 224, 64, 3, 1, 1, 1), (2, 20, 61, 83, 40, 3, 1, 1, 1),
                (1, 8, 512, 512, 8, 3, 1, 1, 1), (2, 48, 100, 100, 48, 3, 1, 1, 1), (8, 32, 56, 56, 24, 3, 1, 1, 1),
                (1, 16, 512, 512, 32, 3, 1, 1, 1), (2, 96, 64, 64, 96, 3, 1, 1, 1), (4, 8, 256, 256, 16, 3, 1, 1, 1),
                (32, 128, 28, 28, 128, 3, 1, 1, 1), (32, 128, 28, 28, 512, 1, 1, 0, 1),
                (32, 512, 28, 28, 128, 1, 1, 0, 1), (16, 3, 224, 224, 64, 7, 2, 3, 1), (8, 96, 27, 27, 256, 5, 1, 2, 1),
                (16, 64, 64, 64, 64, 3, 1, 2, 2), (1, 1, 1000, 1000, 1, 3, 1, 1, 1), (16, 1, 224, 224, 8, 3, 1, 1, 1)]


def product(shape, kind, rungs):
    m, n, k = shape.split("x")
    return ["07_gemm", "--type", kind, "--m", m, "--n", n, "--k", k, *rungs]


def convolution(sizes, rungs):
    names = ["batch", "channels", "height", "width", "filters", "kernel", "stride", "pad", "dilation"]
    words = ["08_conv"]
    for name, size in zip(names, sizes):
        words += ["--" + name, "%dx%d" % (size, size) if name == "kernel" else str(size)]
    return words + rungs


def runs():
    """The commands to measure. Those whose rows the pages show completely come first."""
    commands = [[ATOMIC, "--n", "1M"]] + [[TREE, "--n", n] for n in ("64K", "1M")]
    commands += [[SHUFFLE, "--n", n] for n in ("4K", "16K", "64K", "256K", "1M", "4M", "16M")]
    commands += [[SHUFFLE, "--n", n, "--op", "sum"] for n in ("4K", "1M", "16M")]
    commands += [[SHUFFLE, "--n", n, "--op", "max"] for n in ("4K", "1M")]
    commands += [[SHUFFLE, "--n", n, "--type", "f64"] for n in ("4K", "1M", "16M")]
    commands += [[SHUFFLE, "--n", "1M", "--type", kind] for kind in ("mixed", "f32xf64", "f16")]
    commands += [convolution(CONVOLUTIONS[0], [])]
    commands += [product(shape, "f32", []) for shape in ("256x256x256", "1024x1024x1024", "1x4096x4096")]
    best = ["--rung", "any_shape", "--rung", "cublas"]
    commands += [product(shape, "bf16", best) for shape in HALFS]
    commands += [product("x".join([side] * 3), "f32", best) for side in CUBES if side not in ("256", "1024")]
    commands += [product(shape, "f32", best) for shape in FLOATS if shape != "1x4096x4096"]
    commands += [product(shape, "tf32", []) for shape in ("1024x1024x1024", "2048x2048x2048")]
    commands += [convolution(sizes, ["--rung", "any_shape", "--rung", "cudnn"]) for sizes in CONVOLUTIONS[1:]]
    return commands


def drawn(seed, count=40):
    """The sides of `count` matrix products."""
    chance, shapes = random.Random(seed), []
    for i in range(count):
        sides = [int(2 ** chance.uniform(6, 13)) for _ in range(3)]
        if i % 4 == 0:
            sides = sides[:1] * 3
        elif i % 4 == 1:
            sides[i // 4 % 3] = 64 + sides[0] % 193
        if i // 4 % 2 == 0:
            sides = [side // 8 * 8 for side in sides]
        shapes.append("x".join(map(str, sides)))
    return shapes


def measure(binaries, words, timeout):
    """The exit status of a program, and its rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.json")
        words = [os.path.join(binaries, words[0]), *words[1:], "--reps", "31", "--skip-small", "--json", path]
        try:
            result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True,
                                    check=False, timeout=timeout)
        except (OSError, subprocess.TimeoutExpired) as error:
            return 3, [], str(error)
        if not os.path.exists(path):
            return 3, [], " ".join(words) + ": " + result.stdout.strip()
        with open(path, encoding="utf-8") as file:
            return result.returncode, json.load(file)["rows"], result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("bin")
    parser.add_argument("out")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--drawn", type=int, metavar="SEED")
    options = parser.parse_args()
    begin, outcome, commands, columns = time.monotonic(), 0, runs(), COLUMNS
    if options.drawn is not None:
        commands = [product(shape, kind, ["--rung", "any_shape", "--rung", "cublas"])
                    for kind in ("f32", "bf16") for shape in drawn(options.drawn)]
        columns = COLUMNS + ["used"]
    try:
        with open(options.out, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            for words in commands:
                if time.monotonic() - begin > options.seconds:
                    print("not measured, for want of time: " + " ".join(words), file=sys.stderr)
                    continue
                status, rows, told = measure(options.bin, words, 120)
                if status != 0:
                    print("%s: exit status %d\n%s" % (" ".join(words), status, told), file=sys.stderr)
                    outcome = outcome or (1 if status == 1 else 3)
                for row in rows:
                    if row.get("replayed") or options.drawn is not None:
                        writer.writerow({name: row.get(name, "") for name in columns})
                file.flush()
        provenance.main(["write", options.out, "common/scripts/measure/measure_short.py", *sys.argv[1:]])
    except OSError as error:
        print("measure_short.py: %s" % error, file=sys.stderr)
        return 4
    return outcome


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: MIT

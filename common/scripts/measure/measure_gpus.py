#!/usr/bin/env python3
"""Measures steps 06 and 07 on several GPUs: measure_gpus.py BIN_DIR OUT_DIR [--gpus N] [--small]

Writes OUT_DIR/several_gpus.csv (result rows), OUT_DIR/several_gpus_communication.csv (the part of the communication
that each rung hides, from the column "used") and OUT_DIR/several_gpus_machine.txt (GPUs, links, versions). Prints the
speed-up of the best rungs over one GPU and over the libraries. The files are complete after each program. If
nccl-tests' all_reduce_perf is on PATH, it also records its bus bandwidth at 1 GiB. A rung that fails is reported and
left out. Vectors of 2^31 elements need 48 GB of host memory. To try the script on a CPU, use --small.

Exit status: 0 measured, 1 a wrong result, 2 bad usage, 3 a program failed, 4 a file cannot be written.
Needs nothing but Python 3.7."""
import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import provenance

REDUCTION, PRODUCT = "06_gpu_warp_shuffle", "07_gemm"
VECTORS = ["1K", "64K", "1M", "16M", "64M", "256M", "1G", "2G"]
SIDES = ["2K", "4K", "8K", "16K"]
COMMUNICATION = ["type", "shape", "rung", "unhidden_percent", "bus_gb_per_s", "percent_of_link"]
USED = re.compile(r"([\d.]+)% unhidden, bus ([\d.]+) GB/s, ([\d.]+)% of the link")
# The aims for two H100 or H200 of one host: (step, type, shape, rungs to compare with, speed-up).
AIMS = [(REDUCTION, "f32", "2147483648", ["one_gpu"], 1.95), (PRODUCT, "bf16", "16384x16384x16384", ["one_gpu"], 1.9),
        (PRODUCT, "bf16", "8192x8192x8192", ["one_gpu"], 1.8), (PRODUCT, "bf16", "8192x8192x8192", ["cublas_nccl"], 1.15)]


def runs(options):
    """The commands to measure. Those that the aims need come first."""
    vectors, sides = (["1K", "20011"], ["64"]) if options.small else (VECTORS, SIDES)
    commands = [[REDUCTION, "--n", n] for n in vectors]
    for kind in ("bf16", "f32"):
        commands += [[PRODUCT, "--type", kind, "--m", side, "--n", side, "--k", side] for side in sides]
    first = [command for command in commands if {"2G", "8K", "16K"} & set(command)]
    return ([] if options.rest else first) + [command for command in commands if command not in first]


def call(options, words):
    """Runs a program and returns its output."""
    words = [os.path.join(options.bin, words[0]), "--gpus", options.gpus, *words[1:]]
    try:
        result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False,
                                timeout=options.timeout)
    except subprocess.TimeoutExpired:
        raise RuntimeError("%s: more than %g s" % (" ".join(words), options.timeout)) from None
    if result.returncode not in (0, 1):
        raise RuntimeError("%s: exit status %d: %s" % (" ".join(words), result.returncode, result.stderr.strip()))
    return result.stdout


def selection(options, command, failures):
    """If some rungs fail on a small problem, options --rung for the rungs that work; otherwise no options."""
    program, small = command[:1], ["--n", "1000"] if command[0] == REDUCTION else ["--m", "64", "--n", "64", "--k", "64"]
    if command[0] == PRODUCT:
        program = command[:3]
    try:
        call(options, program + small)
        return []
    except RuntimeError:
        words = []
        for line in call(options, program + ["--list"]).splitlines():
            rung = line.split()[0] if line[:1].strip() else None
            try:
                if rung:
                    call(options, program + small + ["--rung", rung])
                    words += ["--rung", rung]
            except RuntimeError as problem:
                failures.append(str(problem))
        return words


def measure(options, command, folder):
    """The rows of a run, read from JSON, and its lines of CSV with the header."""
    files = [os.path.join(folder, "rows.csv"), os.path.join(folder, "rows.json")]
    call(options, command + ["--csv", files[0], "--json", files[1]])
    with open(files[0], encoding="utf-8") as file:
        lines = file.read().splitlines()
    with open(files[1], encoding="utf-8") as file:
        return json.load(file)["rows"], lines


def describe_machine(path):
    """Records the machine, on which the figures depend, and NCCL's own rate. Uses the programs that are installed."""
    commands = [["nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm", "--format=csv"], ["nvidia-smi", "topo", "-m"],
                ["nvidia-smi", "nvlink", "--status"], ["nvcc", "--version"], ["all_reduce_perf", "-b", "1G", "-e", "1G", "-g", "2"]]
    with open(path, "w", encoding="utf-8") as file:
        for command in commands:
            file.write("$ %s\n" % " ".join(command))
            if shutil.which(command[0]) is None:
                file.write("(not there)\n")
                continue
            result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, check=False,
                                    env=dict(os.environ, NCCL_NVLS_ENABLE="0"))
            file.write(result.stdout + "\n")


def compare(rows):
    """Prints a line for each aim whose rows were measured."""
    for step, kind, shape, others, aim in AIMS:
        times = {row["rung"]: row["median_us"] for row in rows if row["step"] == step and row["type"] == kind
                 and row["shape"] == shape and row["median_us"] is not None}
        ours = {rung: time for rung, time in times.items() if rung not in ("one_gpu", "cublas_nccl", "b_everywhere")}
        for other in others:
            if ours and other in times:
                best = min(ours, key=ours.get)
                print("%s %s %s: %s is %.2f times as fast as %s; the aim: %.2f" % (
                    step, kind, shape, best, times[other] / ours[best], other, aim))


def main():
    parser = argparse.ArgumentParser(description="Measures steps 06 and 07 on several GPUs.")
    parser.add_argument("bin", metavar="BIN_DIR")
    parser.add_argument("out", metavar="OUT_DIR")
    parser.add_argument("--gpus", default="2", metavar="N", help="how many, or all (2)")
    parser.add_argument("--timeout", type=float, default=600, metavar="S", help="end a program after so many seconds (600)")
    parser.add_argument("--seconds", type=float, default=1e9, metavar="S", help="start no program after so many")
    parser.add_argument("--rest", action="store_true", help="only the sizes that no aim is about")
    parser.add_argument("--small", action="store_true", help="sizes that a CPU can do")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    paths = [os.path.join(options.out, "several_gpus" + end) for end in (".csv", "_communication.csv", "_machine.txt")]
    describe_machine(paths[2])
    began, selections, failures = time.monotonic(), {}, []
    rows, lines, communication = [], [], [COMMUNICATION]
    with tempfile.TemporaryDirectory() as folder:
        for command in runs(options):
            if time.monotonic() - began > options.seconds:
                print("not measured: %s" % " ".join(command))
                continue
            kind = tuple(command[:3 if command[0] == PRODUCT else 1])
            try:
                if kind not in selections:
                    selections[kind] = selection(options, command, failures)
                found, written = measure(options, command + selections[kind], folder)
            except RuntimeError as problem:
                failures.append(str(problem))
                continue
            rows += found
            lines += written if not lines else written[1:]
            for row in found:
                figures = USED.search(row["used"])
                if figures:
                    communication.append([row["type"], row["shape"], row["rung"], *figures.groups()])
            with open(paths[0], "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
            with open(paths[1], "w", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows(communication)
            print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for path in paths[:2]:
        provenance.main(["write", path, "common/scripts/measure/measure_gpus.py", *sys.argv[1:]])
    compare(rows)
    print("%s: %d rows; %s: %d" % (paths[0], len(rows), paths[1], len(communication) - 1))
    for failure in failures:
        print("measure_gpus.py: %s" % failure, file=sys.stderr)
    if failures:
        return 3
    return 1 if any(row["verdict"] == "fail" for row in rows) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OSError as problem:
        print("measure_gpus.py: %s" % problem, file=sys.stderr)
        sys.exit(4)
# SPDX-License-Identifier: MIT

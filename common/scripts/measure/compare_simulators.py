#!/usr/bin/env python3
"""What simulated kernels cost on the CPU back end, on Numba's CUDA simulator and on Oclgrind, beside a native loop
of one thread: docs/results/simulators_2core.csv.

compare_simulators.py [--runs N] [FILE]     a table; with FILE, also as CSV

The kernels are those of common/simt/tests/simulators: a naive matrix product and an interleaved reduction. This
back end runs them at 256^3 and 2^20, compiled by g++ and by clang++; the others, which are slow, at smaller sizes,
so what compares is the time per multiply-add or per element. Each time is the median of the runs (default 5;
3 of those that are slow), each ratio the median of the ratios to the native loop: for this back end the loop that
ran just before in the same process, for the others the median of those loops. What is missing on this machine is
named, and left out. Exit status: 0 all measured, 1 something failed, 2 bad usage, 3 something is missing.

It needs: pip install numba; the Debian packages oclgrind and ocl-icd-opencl-dev.
"""
import argparse
import collections
import csv
import importlib.util
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import provenance

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
SOURCES = os.path.join(ROOT, "common/simt/tests/simulators")
NUMBA_SIZES, OCLGRIND_SIZES = ("64", "4096"), ("128", "262144")
SLOW_RUNS = 3
HEADER = ["problem", "simulator", "mode", "size", "work", "runs", "median_ms", "ns_per_item", "native_ns_per_item",
          "ratio", "peak_mb", "machine"]
MODES = {"native": "the native loop", "hooks": "hooks, nothing analysed", "analysed": "counted and checked"}
WORK = {"matmul": lambda size: size**3, "reduce": lambda size: size}

missing = []


def run_measured(*command, **environment):
    """Standard output, and the peak memory of the process in MB. Ends the program if the command fails."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        with subprocess.Popen(command, env=os.environ | environment, stdout=output, stderr=errors) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        text = output.read()
        if process.returncode != 0:
            sys.exit(f"compare_simulators.py: {' '.join(command)} failed:\n{text[-500:]}{errors.read()[-500:]}")
        return text, usage.ru_maxrss / 1000


def run(*command):
    return run_measured(*command)[0]


def lacks(what, how):
    missing.append(what)
    print(f"compare_simulators.py: {what} is missing: {how}", file=sys.stderr)


def times(text):
    """{(problem, size, mode): [seconds]}"""
    found = collections.defaultdict(list)
    for problem, size, mode, seconds in csv.reader(text.splitlines()):
        found[problem, int(size), mode].append(float(seconds))
    return found


def first_version(text):
    return re.search(r"\d+\.\d+(\.\d+)*", text)[0]


def machine():
    with open("/proc/cpuinfo", encoding="ascii") as file:
        model = re.search(r"model name\s*:\s*(.*)", file.read())
    return f"{model[1] if model else 'unknown'}, {len(os.sched_getaffinity(0))} cores"


def row(problem, simulator, mode, size, seconds, native, ratios, peak):
    per_item = [1e9 * time / WORK[problem](size) for time in seconds]
    return dict(zip(HEADER, [problem, simulator, mode, size, WORK[problem](size), len(seconds),
                             f"{1e3 * statistics.median(seconds):.4g}", f"{statistics.median(per_item):.4g}",
                             f"{native:.4g}", f"{statistics.median(ratios):.3g}", f"{peak:.0f}", machine()]))


def measure_simt(folder, runs):
    rows, loops = [], {}
    for compiler in ("g++", "clang++"):
        if not shutil.which(compiler):
            lacks(compiler, "install it")
            continue
        version = first_version(run(compiler, "--version").splitlines()[0].split(")")[-1])
        program = os.path.join(folder, "kernels")
        run(os.path.join(ROOT, "common/simt/simtcc"), "-ccbin", compiler, "-O2",
            os.path.join(SOURCES, "kernels.cu"), os.path.join(SOURCES, "native.c"), "-o", program)
        text, peak = run_measured(program, str(runs), SIMT_REPEATED="run")
        found = times(text)
        for (problem, size, mode), seconds in sorted(found.items()):
            native = found[problem, size, "native"]
            rate = 1e9 * statistics.median(native) / WORK[problem](size)
            loops.setdefault(problem, rate)
            rows.append(row(problem, f"{compiler} {version}: {MODES[mode]}", mode, size, seconds, rate,
                            [time / loop for time, loop in zip(seconds, native)], peak))
    if not rows:
        sys.exit("compare_simulators.py: neither g++ nor clang++ is here")
    return rows, loops


def others(measured, simulator, mode, loops):
    rows = []
    for (problem, size, _), seconds in sorted(times(measured[0]).items()):
        rate = 1e9 / WORK[problem](size) / loops[problem]
        rows.append(row(problem, simulator, mode, size, seconds, loops[problem], [time * rate for time in seconds],
                        measured[1]))
    return rows


def measure_numba(loops):
    if not importlib.util.find_spec("numba"):
        lacks("Numba", "pip install numba")
        return []
    version = run(sys.executable, "-c", "import numba; print(numba.__version__)").strip()
    # Only one of Numba's threads runs at a time. On one core this is faster, since no thread waits for another core.
    measured = run_measured("taskset", "-c", str(min(os.sched_getaffinity(0))), sys.executable,
                            os.path.join(SOURCES, "kernels_numba.py"), str(SLOW_RUNS), *NUMBA_SIZES,
                            NUMBA_ENABLE_CUDASIM="1")
    return others(measured, f"Numba {version}: CUDA simulator", "simulator", loops)


def measure_oclgrind(folder, loops):
    program = os.path.join(folder, "kernels_opencl")
    if not shutil.which("oclgrind"):
        lacks("Oclgrind", "apt-get install oclgrind")
        return []
    if not shutil.which("gcc") or not os.path.exists("/usr/include/CL/cl.h"):
        lacks("OpenCL's headers (or gcc)", "apt-get install gcc ocl-icd-opencl-dev")
        return []
    version = first_version(run("oclgrind", "--version"))
    run("gcc", "-std=c11", "-O2", "-D_GNU_SOURCE", os.path.join(SOURCES, "kernels_opencl.c"),
        os.path.join(SOURCES, "native.c"), "-lOpenCL", "-o", program)
    rows = []
    for mode, options in (("accesses checked", []),
                          ("races and unset values, too", ["--data-races", "--uninitialized"])):
        measured = run_measured("oclgrind", "--num-threads", "1", *options, program,
                                os.path.join(SOURCES, "kernels.cl"), str(SLOW_RUNS), *OCLGRIND_SIZES, "x")
        rows += others(measured, f"Oclgrind {version}: {mode}", "simulator", loops)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("file", nargs="?")
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs: expected a whole number from 1")
    with tempfile.TemporaryDirectory() as folder:
        rows, loops = measure_simt(folder, options.runs)
        rows += measure_numba(loops)
        rows += measure_oclgrind(folder, loops)
    rows.sort(key=lambda row: row["problem"])
    for row_ in rows:
        print(f"{row_['problem']:7} {row_['simulator']:46} {row_['size']:8} "
              f"{row_['median_ms']:>9} ms {row_['ns_per_item']:>9} ns {row_['ratio']:>9} x")
    if options.file:
        try:
            with open(options.file, "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, HEADER, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
            provenance.main(["write", options.file, "common/scripts/measure/compare_simulators.py", *sys.argv[1:]])
        except OSError as error:
            sys.exit(f"compare_simulators.py: {options.file}: {error.strerror}")
    return 3 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: MIT

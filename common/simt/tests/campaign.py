#!/usr/bin/env python3
"""Runs kernels that are right in many orders of threads; each must be silent, and right, in all of them.

campaign.py BUILD                 100 orders (SIMT_SCHEDULE=0..99) of all: the tests' kernels, the programs of the
                                  tests and of docs/programs, the steps' rungs, the exercises' solutions; an hour
campaign.py BUILD --schedules 20..29 --only programs
campaign.py BUILD --sample        a few orders of a few of each kind: a quarter of a minute
campaign.py BUILD --list          what there is, and how many kernels
campaign.py BUILD --faults FILE [--check]
                                  writes what the tests seed, wrong and right, to docs/results/seeded_faults.csv; or
                                  compares the two

BUILD is build/simt. Programs are compiled with simtcc by $CXX. Exit status: 0 all silent and right, 1 something was
reported or wrong, 2 bad usage."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
SIMTCC = os.path.join(ROOT, "common", "simt", "simtcc")
COMPILER = os.environ.get("CXX", "g++")
C_COMPILER = os.environ.get("CC", "cc")

# The rungs of the steps, with odd problem sizes that take about a second per run.
STEPS = [
    ("03_gpu_single_thread", "--n 1027"),
    ("04_gpu_atomic", "--n 16387"),
    ("05_gpu_shared_tree", "--n 16387"),
    ("05_gpu_shared_tree", "--n 4099 --type mixed"),
    ("06_gpu_warp_shuffle", "--n 16387"),
    ("06_gpu_warp_shuffle", "--ladder rows --m 33 --n 777"),
    ("06_gpu_warp_shuffle", "--ladder columns --m 777 --n 65"),
    ("07_gemm", "--all --m 100 --n 67 --k 45 --beta 2"),
    ("07_gemm", "--all --type bf16 --m 100 --n 72 --k 48"),
    ("07_gemm", "--all --type tf32 --m 100 --n 67 --k 45 --beta 2"),
    ("08_conv", "--all --batch 1 --channels 3 --height 20 --width 70 --filters 5 --pad 1"),
]
FAULTS = ["faults", "faults_memory", "kernels", "orders", "barriers", "streams", "faults_ptx", "faults_wgmma", "faults_cluster"]
SAMPLE = {"simt_orders ok_look_back", "simt_orders ok_grid_barrier", "program scan_warp", "program grid_sync",
          "04_gpu_atomic --n 16387 --rung atomic_block", "06_gpu_warp_shuffle --n 16387 --rung one_launch",
          "exercise 06b_last_block"}


class Case:
    """One program. `varies`: its output may differ between runs (times, counts of interrupted lanes)."""

    def __init__(self, kind, name, command, build=None, varies=False):
        self.kind, self.name, self.command, self.build, self.varies = kind, name, command, build, varies

    def compile(self):
        for command in self.build or []:
            subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, schedules):
        """Returns an error text, or None."""
        result = subprocess.run(self.command, env=dict(os.environ, SIMT_SCHEDULE=schedules), check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        text = result.stdout
        reported = re.search(r"^simt: (?!\d+ schedules|another output|SIMT_SCHEDULE=\d+ prints)", text, flags=re.M)
        if result.returncode or reported or (not self.varies and "simt: another output" in text):
            return "%s: exit status %d\n%s" % (self.name, result.returncode, text[-4000:])
        return None

    def kernels(self, folder):
        """Returns the names of the kernels that the program launches."""
        path = os.path.join(folder, "counters.json")
        if os.path.exists(path):
            os.remove(path)
        subprocess.run(self.command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       env=dict(os.environ, SIMT_COUNTERS="json", SIMT_OUT=path))
        if not os.path.exists(path):
            return set()
        with open(path, encoding="utf-8") as file:
            return set(re.findall(r'\{"name": "((?:[^"\\]|\\.)*)", "file": "[^"]*", "line": (\d+)', file.read()))


def lines_of(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout.splitlines()


def fault_cases(build):
    for source in FAULTS:
        program = os.path.join(build, "tests", "simt_" + source)
        for line in lines_of([program]):
            name = line.split("\t")[0]
            if name.startswith("ok_"):
                yield Case("tests", "simt_%s %s" % (source, name), [program, name])


def fault_rows(build):
    """All cases of the tests. The kind is fault, right, or some_orders (wrong only in some orders of threads)."""
    rows = ["source,name,kind"]
    for source in FAULTS:
        for line in lines_of([os.path.join(build, "tests", "simt_" + source)]):
            name = line.split("\t")[0]
            kind = {"ok": "right", "only": "some_orders"}.get(name.split("_")[0], "fault")
            rows.append("%s,%s,%s" % (source, name, kind))
    return "\n".join(rows) + "\n"


def faults(build, path, check):
    rows = fault_rows(build)
    if not check:
        with open(path, "w", encoding="utf-8") as file:
            file.write(rows)
        return 0
    with open(path, encoding="utf-8") as file:
        kept = file.read()
    if rows != kept:
        print("%s is not what the tests seed: campaign.py BUILD --faults %s, then docs.py --update" % (path, path))
    return int(rows != kept)


def program_cases(folder):
    """The programs that CMakeLists.txt lists, each with its sources."""
    here = os.path.join(HERE, "programs")
    with open(os.path.join(here, "CMakeLists.txt"), encoding="utf-8") as file:
        text = file.read()
    more = dict(re.findall(r"set\((\w+)_more ([^)]*)\)", text))
    for name in re.search(r"set\(programs\s+([^)]*)\)", text).group(1).split():
        sources = [os.path.join(here, source) for source in [name + ".cu"] + more.get(name, "").split()]
        output = os.path.join(folder, name)
        # Their output varies because it contains times or depends on the order.
        yield Case("programs", "program " + name, [output], varies=True, build=[
            [SIMTCC, "-ccbin", COMPILER, "--extended-lambda", "-o", output] + sources])


def page_cases(folder):
    """The programs of the pages. Those that show a mistake are compiled with its fix."""
    here = os.path.join(ROOT, "docs", "programs")
    for file in sorted(os.listdir(here)):
        name, suffix = os.path.splitext(file)
        if suffix != ".cu" or name == "launches":  # it times graphs, which needs a GPU
            continue
        output = os.path.join(folder, "page_" + name)
        yield Case("pages", "page " + name, [output, "10000"] if name == "overlap" else [output], varies=True,
                   build=[[SIMTCC, "-ccbin", COMPILER, "-DRIGHT", "-I", here, "-o", output, os.path.join(here, file)]])


def rung_cases(build):
    for step, options in STEPS:
        command = [os.path.join(build, "bin", step), "--skip-small"] + options.split()
        for row in lines_of(command + ["--csv", "/dev/stdout"]):
            cells = row.split(",")
            if cells[0] == step and cells[-1] == "pass" and not cells[1].startswith(("cpu_", "openblas")):
                yield Case("rungs", "%s %s --rung %s" % (step, options, cells[1]), command + ["--rung", cells[1]],
                           varies=True)


def exercise_cases(folder):
    common = os.path.join(ROOT, "common")
    flags = ["-std=c11", "-O1", "-g", "-D_GNU_SOURCE", "-w", "-DGRADE_SIMT", "-isystem", os.path.join(os.path.dirname(HERE), "cuda"),
             "-I", common, "-I", os.path.join(common, "exercise")]
    shared = [os.path.join(common, path) for path in
              ("exercise/grade.c", "exercise/grade_run.c", "exercise/grade_answer.c", "exercise/speed.c",
               "measure/statistics.c", "exercise/grade_gpu.c")]
    for step in sorted(os.listdir(ROOT)):
        exercises = os.path.join(ROOT, step, "exercise")
        for name in sorted(os.listdir(exercises)) if re.match(r"\d\d_", step) and os.path.isdir(exercises) else []:
            solution = os.path.join(exercises, name, "solution", "task.cu")
            if not os.path.exists(solution):
                continue
            output = os.path.join(folder, name)
            sources = shared + [os.path.join(exercises, name, "check.c")]
            objects = ["%s_%d.o" % (output, i) for i in range(len(sources))]
            build = [[C_COMPILER, *flags, "-c", source, "-o", to] for source, to in zip(sources, objects)]
            build.append([SIMTCC, "-ccbin", COMPILER, "-I", common, solution, *objects, "-lm", "-Xcompiler", "-pthread", "-o", output])
            yield Case("exercises", "exercise " + name, [
                output, "-a", output, "-e", name, "-c", solution, "-o", output + ".output", "-t", "60", "-s", "campaign",
                "-r", output + ".order"], build=build, varies=True)


def one(case, schedules, folder, count):
    try:
        case.compile()
    except subprocess.CalledProcessError as error:
        return "%s does not compile:\n%s" % (case.name, error.stdout.decode(errors="replace")), set()
    return None if count else case.run(schedules), case.kernels(folder) if count else set()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--schedules", default="0..99")
    parser.add_argument("--only")
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--faults")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    schedules = "0..2" if options.sample else options.schedules
    if options.faults:
        return faults(build, options.faults, options.check)
    os.environ.setdefault("SIMT_WATCHDOG", "10")
    with tempfile.TemporaryDirectory() as folder:
        cases = [*fault_cases(build), *program_cases(folder), *page_cases(folder), *rung_cases(build),
                 *exercise_cases(folder)]
        cases = [case for case in cases if (not options.only or options.only in case.kind + " " + case.name) and
                 (not options.sample or case.name in SAMPLE)]
        wrong, kernels = [], 0
        with ThreadPoolExecutor(1 if options.list else options.jobs) as pool:
            results = pool.map(lambda case: (case, *one(case, schedules, folder, options.list)), cases)
            for case, error, names in results:
                if options.list:
                    print("%-9s %-75s %3d" % (case.kind, case.name, len(names)))
                    kernels += len(names)
                elif error:
                    print(error, flush=True)
                    wrong.append(case.name)
                elif not options.sample:
                    print("right: " + case.name, flush=True)
    if options.list:
        print("%d programs and rungs, %d kernels" % (len(cases), kernels))
        return 0
    missing = SAMPLE - {case.name for case in cases} if options.sample else set()
    wrong += ["%s is missing" % name for name in sorted(missing)]
    print("%d programs and rungs, schedules %s: %s" % (
        len(cases), schedules, "all silent and right" if not wrong else "wrong: " + ", ".join(wrong)))
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
